//! Facts of the writer that clash.

use palimpsest_reader::names::EntityKind;
use palimpsest_text::Language;

use crate::{Book, Entity, Fact, FoundBy, Issue, Kind, Knower, find};

const CHAPTERS: [&str; 3] = [
    "Mara Venn looked at Tobias with blue eyes.",
    "The lamp shone on the brown eyes of Mara Venn. Mara Venn told everybody that the bridge had been sawn through.",
    "Mara Venn opened the door and laughed.",
];

fn fact(attribute: &str, value: &str, chapter: usize) -> Fact {
    Fact {
        entity: 0,
        attribute: attribute.into(),
        value: value.into(),
        is_asserted: true,
        quote: Some((chapter, 0..40)),
        is_bounded: false,
        knowers: Vec::new(),
    }
}

fn issues(facts: &[Fact]) -> Vec<Issue> {
    let entity = |name: &str| Entity { kind: EntityKind::Character, name: name.into(), forms: vec![name.into()] };
    let entities = [entity("Mara Venn"), entity("Tobias")];
    find(&Book { facts, ..Book::new(Language::En, &CHAPTERS, &entities) })
}

#[test]
fn two_facts_of_one_exclusive_attribute_clash() {
    let found = issues(&[fact("Eye colour", "blue", 0), fact("eye colour", "brown", 1)]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].found_by), (Kind::Attribute, FoundBy::Facts));
    assert_eq!(found[0].values, ["blue", "brown"]);
    assert_eq!(found[0].second.differs.clone().map(|range| &CHAPTERS[1][range]), Some("brown"));
}

#[test]
fn facts_that_may_both_hold_do_not_clash() {
    let said = Fact { is_asserted: false, ..fact("eyes", "brown", 1) };
    let bounded = Fact { is_bounded: true, ..fact("eyes", "brown", 1) };
    let uncited = Fact { quote: None, ..fact("eyes", "brown", 1) };
    let of_another = Fact { entity: 1, ..fact("eyes", "brown", 1) };
    for second in [said, bounded, uncited, of_another, fact("eyes", "blue, like the sea", 1), fact("likes", "brown", 1)]
    {
        assert_eq!(issues(&[fact("eyes", "blue", 0), second]), []);
    }
}

#[test]
fn a_death_by_the_writers_word_makes_a_later_act_a_clash() {
    let found = issues(&[fact("died", "in the flood", 0)]);
    assert_eq!((found[0].kind, found[0].found_by), (Kind::DeadActs, FoundBy::Facts));
}

#[test]
fn a_knower_that_speaks_of_the_fact_before_it_learns_it_clashes() {
    let knower = |chapter| Fact {
        knowers: vec![Knower { entity: 0, chapter, offset: 0 }],
        ..fact("secret", "the bridge was sawn through", 0)
    };
    assert_eq!(issues(&[knower(2)])[0].kind, Kind::KnowsTooEarly);
    assert_eq!(issues(&[knower(1)]), []);
}
