//! Facts of the writer that clash.

use palimpsest_reader::names::EntityKind;
use palimpsest_text::Language;

use crate::{Book, Entity, Fact, FoundBy, Issue, Kind, Knower, StoryDate, Validity, find};

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
        validity: Validity::Always,
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
    let dated = dated("eyes", "brown", 1, (Some((1983, 0, 0)), None));
    let replaced = Fact { validity: Validity::Unknown, ..fact("eyes", "brown", 1) };
    let uncited = Fact { quote: None, ..fact("eyes", "brown", 1) };
    let of_another = Fact { entity: 1, ..fact("eyes", "brown", 1) };
    for second in
        [said, dated, replaced, uncited, of_another, fact("eyes", "blue, like the sea", 1), fact("likes", "brown", 1)]
    {
        assert_eq!(issues(&[fact("eyes", "blue", 0), second]), []);
    }
}

fn dated(attribute: &str, value: &str, chapter: usize, (from, until): (Option<StoryDate>, Option<StoryDate>)) -> Fact {
    Fact { validity: Validity::Dates { from, until }, ..fact(attribute, value, chapter) }
}

#[test]
fn facts_of_one_time_of_the_story_clash_and_facts_that_follow_each_other_do_not() {
    let year = |year: u16| Some((year, 0, 0));
    let count = |first, second| issues(&[dated("hair", "black", 0, first), dated("hair", "white", 1, second)]).len();
    for (first, second) in [
        ((year(1971), year(1990)), (year(1983), None)),
        ((year(1971), year(1990)), (year(1983), year(1985))),
        ((year(1971), None), (year(1971), year(1975))),
        ((None, year(1980)), (None, year(1990))),
        ((Some((1983, 2, 1)), None), (Some((1983, 2, 1)), None)),
        ((None, year(1990)), (year(1983), None)),
    ] {
        assert_eq!((count(first, second), count(second, first)), (1, 1), "{first:?} {second:?}");
    }
    for (first, second) in [
        ((year(1971), None), (year(1983), None)),
        ((year(1971), year(1980)), (year(1980), None)),
        ((None, year(1980)), (year(1980), None)),
        ((year(1971), year(1975)), (year(1983), year(1985))),
        ((Some((1983, 2, 1)), None), (Some((1983, 5, 0)), None)),
        ((None, Some((1983, 5, 0))), (Some((1983, 5, 15)), None)),
    ] {
        assert_eq!((count(first, second), count(second, first)), (0, 0), "{first:?} {second:?}");
    }
}

#[test]
fn a_death_by_the_writers_word_makes_a_later_act_a_clash() {
    for death in [fact("died", "in the flood", 0), dated("died", "in the flood", 0, (Some((1983, 5, 0)), None))] {
        let found = issues(&[death]);
        assert_eq!((found[0].kind, found[0].found_by), (Kind::DeadActs, FoundBy::Facts));
    }
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
