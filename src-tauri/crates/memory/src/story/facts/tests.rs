use proptest::prelude::*;

use super::*;
use crate::model::{Certainty, Citation, CitationStatus, FactOrigin, Knower, Time};

fn position(chapter: usize, offset: u32) -> Position {
    Position { chapter_id: format!("c{chapter}").into(), offset }
}

fn order(count: usize) -> Vec<ChapterId> {
    (0..count).map(|number| format!("c{number}").into()).collect()
}

fn fact(id: &str) -> Fact {
    Fact {
        fact_id: id.into(),
        entity_id: "ji".into(),
        attribute: "age".into(),
        value: "71".into(),
        object_id: None,
        certainty: Certainty::Told,
        told_at: None,
        valid_from: None,
        valid_until: None,
        superseded_by: None,
        known_by: Vec::new(),
        citations: Vec::new(),
        origin: FactOrigin::Written,
        version: 1,
        created_at: Time::from_millis(0),
        updated_at: Time::from_millis(0),
    }
}

fn cited(id: &str, places: &[(usize, u32, CitationStatus)]) -> Fact {
    let citation = |&(chapter, to, status): &(usize, u32, CitationStatus)| Citation {
        chapter_id: format!("c{chapter}").into(),
        from: to.saturating_sub(5),
        to,
        quote_hash: String::new(),
        quote: "71 years".into(),
        status,
    };
    Fact { citations: places.iter().map(citation).collect(), ..fact(id) }
}

fn held(facts: &[Fact], order: &[ChapterId], at: Option<Position>) -> Vec<HeldFact> {
    FactsAt::new(facts, order, at.as_ref()).held_of(&EntityId::from("ji"))
}

fn ids(facts: &[Fact], order: &[ChapterId], at: Option<Position>) -> Vec<String> {
    held(facts, order, at).into_iter().map(|held| held.fact.fact_id.to_string()).collect()
}

#[test]
fn a_fact_is_known_from_the_end_of_its_first_citation_or_from_its_own_position_on() {
    let holds = CitationStatus::Holds;
    let told_at = Fact { told_at: Some(position(0, 3)), ..cited("own", &[(1, 20, holds)]) };
    let facts = [cited("cited", &[(2, 9, holds), (1, 20, holds)]), told_at, fact("always")];
    let order = order(3);
    assert_eq!(ids(&facts, &order, Some(position(0, 2))), ["always"]);
    assert_eq!(ids(&facts, &order, Some(position(1, 19))), ["own", "always"]);
    assert_eq!(ids(&facts, &order, Some(position(1, 20))), ["cited", "own", "always"]);
    // Moved chapters: the order of today counts.
    let reversed: Vec<ChapterId> = order.into_iter().rev().collect();
    assert_eq!(ids(&facts, &reversed, Some(position(2, 9))), ["cited", "always"]);
}

#[test]
fn a_fact_of_a_chapter_that_is_gone_is_only_in_the_list_of_the_whole_book() {
    let facts = [cited("gone", &[(7, 9, CitationStatus::Gone)])];
    assert_eq!(ids(&facts, &order(2), Some(position(1, 900))), Vec::<String>::new());
    assert_eq!(ids(&facts, &order(2), None), ["gone"]);
}

#[test]
fn a_fact_holds_until_the_reader_knows_the_one_that_replaces_it() {
    let holds = CitationStatus::Holds;
    let first = Fact { superseded_by: Some("second".into()), ..cited("first", &[(0, 10, holds)]) };
    let second = Fact { superseded_by: Some("third".into()), ..cited("second", &[(1, 10, holds)]) };
    let facts = [first, second, cited("third", &[(2, 10, holds)])];
    let order = order(3);
    let early = held(&facts, &order, Some(position(1, 9)));
    assert_eq!((early.len(), early[0].fact.fact_id.as_str(), early[0].earlier.len()), (1, "first", 0));
    assert_eq!(early[0].fact.superseded_by, None, "what replaces it later is not known yet");
    let late = held(&facts, &order, None);
    let earlier: Vec<&str> = late[0].earlier.iter().map(|fact| fact.fact_id.as_str()).collect();
    assert_eq!((late[0].fact.fact_id.as_str(), earlier), ("third", vec!["second", "first"]));
}

#[test]
fn a_fact_that_replaces_itself_through_others_ends_no_list() {
    let first = Fact { superseded_by: Some("second".into()), ..fact("first") };
    let second = Fact { superseded_by: Some("first".into()), ..fact("second") };
    assert_eq!(ids(&[first, second], &order(1), None), Vec::<String>::new());
}

#[test]
fn a_fact_is_stale_when_none_of_its_citations_up_to_the_position_holds() {
    let facts = [cited("f", &[(0, 10, CitationStatus::Changed), (2, 10, CitationStatus::Holds)]), fact("written")];
    let stale = |at| -> Vec<bool> { held(&facts, &order(3), at).iter().map(|held| held.is_stale).collect() };
    assert_eq!(stale(Some(position(1, 0))), [true, false]);
    assert_eq!(stale(None), [false, false]);
}

#[test]
fn who_learns_it_later_is_not_shown_yet() {
    let knower = |chapter| Knower { entity_id: format!("k{chapter}").into(), since: position(chapter, 5) };
    let facts = [Fact { known_by: vec![knower(0), knower(2)], ..fact("f") }];
    let at = held(&facts, &order(3), Some(position(1, 0)));
    assert_eq!((at[0].fact.known_by.len(), at[0].has_knowers), (1, true));
    let before = held(&facts, &order(3), Some(position(0, 4)));
    assert_eq!((before[0].fact.known_by.len(), before[0].has_knowers), (0, true));
}

/// A fact with places in the first `chapters` chapters.
fn any_fact(id: usize, chapters: usize) -> impl Strategy<Value = Fact> {
    let place = (0..chapters, 0_u32..40);
    let status = prop_oneof![Just(CitationStatus::Holds), Just(CitationStatus::Moved), Just(CitationStatus::Changed)];
    let citations = prop::collection::vec((0..chapters, 0_u32..40, status), 0..3);
    let position_of_it = prop::option::of(place.clone());
    (citations, position_of_it, prop::option::of(0..6_usize), prop::collection::vec(place, 0..3)).prop_map(
        move |(citations, position_of_it, next, knowers)| Fact {
            told_at: position_of_it.map(|(chapter, offset)| position(chapter, offset)),
            superseded_by: next.filter(|next| *next > id).map(|next| format!("f{next}").into()),
            known_by: knowers
                .into_iter()
                .enumerate()
                .map(|(n, (chapter, offset))| Knower {
                    entity_id: format!("k{n}").into(),
                    since: position(chapter, offset),
                })
                .collect(),
            ..cited(&format!("f{id}"), &citations)
        },
    )
}

fn any_facts() -> impl Strategy<Value = Vec<Fact>> {
    (0..6_usize).map(|id| any_fact(id, 4)).collect::<Vec<_>>()
}

proptest! {
    #[test]
    fn what_holds_at_a_position_does_not_depend_on_the_chapters_after_it(
        facts in any_facts(),
        chapter in 0_usize..4,
        offset in 0_u32..40,
    ) {
        let at = Some(position(chapter, offset));
        let whole = held(&facts, &order(4), at.clone());
        let cut = held(&facts, &order(chapter + 1), at);
        prop_assert_eq!(whole, cut);
    }

    #[test]
    fn a_fact_that_holds_and_its_citations_are_never_ahead_of_the_position(
        facts in any_facts(),
        chapter in 0_usize..4,
        offset in 0_u32..40,
    ) {
        let order = order(4);
        let place = |position: &Position| place_of(&order, position).unwrap();
        for one in held(&facts, &order, Some(position(chapter, offset))) {
            for fact in std::iter::once(&one.fact).chain(&one.earlier) {
                for cited in &fact.citations {
                    let end = Position { chapter_id: cited.chapter_id.clone(), offset: cited.to };
                    prop_assert!(place(&end) <= (chapter, offset));
                }
                if let Some(position) = &fact.told_at {
                    prop_assert!(place(position) <= (chapter, offset));
                }
            }
        }
    }
}
