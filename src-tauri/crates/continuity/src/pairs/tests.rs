//! Pairs with a proposed fact.

use palimpsest_reader::names::EntityKind;

use super::*;
use crate::{Entity, Validity};

const CHAPTERS: [&str; 2] = [
    "Mara Venn was born in Harwick. Mara Venn had blue eyes.",
    "Mara Venn was born at sea. “Mara Venn was born on a hill,” said Tobias. \
     In a dream Mara Venn was born under water. The lamp shone on the brown eyes of Mara Venn.",
];

/// A fact with the quote that holds its value.
fn fact(attribute: &str, value: &str, (chapter, quote): (usize, &str)) -> Fact {
    let from = CHAPTERS[chapter].find(quote).unwrap();
    Fact {
        entity: 0,
        attribute: attribute.into(),
        value: value.into(),
        is_asserted: true,
        quote: Some((chapter, from..from + quote.len())),
        validity: Validity::Always,
        knowers: Vec::new(),
    }
}

fn harwick() -> Fact {
    fact("birthplace", "Harwick", (0, "Mara Venn was born in Harwick."))
}

fn at_sea() -> Fact {
    fact("birthplace", "at sea", (1, "Mara Venn was born at sea."))
}

fn found(facts: &[Fact], proposed: &[Fact]) -> Vec<Pair> {
    let name = || "Mara Venn".to_owned();
    let entities = [Entity { kind: EntityKind::Character, name: name(), forms: vec![name()] }];
    let book = Book { facts, proposed, ..Book::new(Language::En, &CHAPTERS, &entities) };
    find_pairs(&book)
}

fn pairs(facts: &[Fact], proposed: &[Fact]) -> Vec<Vec<String>> {
    found(facts, proposed).into_iter().map(|pair| pair.values).collect()
}

fn eyes() -> Vec<String> {
    vec!["blue".to_owned(), "brown".to_owned()]
}

fn births() -> Vec<String> {
    vec!["Harwick".to_owned(), "at sea".to_owned()]
}

#[test]
fn a_proposed_fact_is_a_pair_with_a_fact_of_the_writer_and_with_another_proposed_one() {
    assert_eq!(pairs(&[harwick()], &[at_sea()]), [births(), eyes()]);
    assert_eq!(pairs(&[at_sea()], &[harwick()]), [births(), eyes()], "in the order of the book");
    assert_eq!(pairs(&[], &[harwick(), at_sea()]), [births(), eyes()]);
    assert_eq!(pairs(&[harwick(), at_sea()], &[]), [eyes()], "two facts of the writer are an issue");
    assert_eq!(pairs(&[harwick()], &[Fact { is_asserted: false, ..at_sea() }]), [eyes()]);
    let same = fact("birthplace", "in Harwick", (0, "Mara Venn was born in Harwick."));
    assert_eq!(pairs(&[harwick()], &[same]), [eyes()]);
}

#[test]
fn a_proposed_fact_that_somebody_says_or_dreams_is_no_pair() {
    let said = fact("birthplace", "on a hill", (1, "Mara Venn was born on a hill"));
    let dreamt = fact("birthplace", "under water", (1, "In a dream Mara Venn was born under water."));
    assert_eq!(pairs(&[harwick()], &[said, dreamt]), [eyes()]);
}

#[test]
fn two_sentences_that_are_cited_by_facts_are_one_pair_with_the_signature_that_they_have_without_facts() {
    let blue = || fact("eyes", "blue", (0, "Mara Venn had blue eyes"));
    let brown = || fact("eye colour", "brown", (1, "the brown eyes of Mara Venn"));
    let of_text = found(&[], &[]);
    assert_eq!((of_text.len(), of_text[0].is_proposed), (1, false));
    for (facts, proposed) in [(vec![], vec![blue(), brown()]), (vec![blue()], vec![brown()])] {
        assert!(found(&facts, &proposed) == of_text, "{facts:?} {proposed:?}");
    }
    assert_eq!(
        pairs(&[blue(), Fact { attribute: "eyes".into(), ..brown() }], &[]),
        Vec::<Vec<String>>::new(),
        "an issue"
    );
}

#[test]
fn a_proposed_fact_with_another_value_than_the_text_is_a_pair_of_its_own() {
    let blue = fact("eyes", "blue", (0, "Mara Venn had blue eyes"));
    let shining = fact("eyes", "shining", (1, "The lamp shone on the brown eyes of Mara Venn."));
    let found = found(&[blue], &[shining]);
    assert_eq!((found.len(), found[0].is_proposed), (1, true));
    assert_eq!(found[0].values, ["blue", "shining"]);
}
