//! Pairs of sentences of which code cannot say whether they contradict each other: a model compares the two quotes.
//!
//! A pair has two sentences of the narration (see the modules that find them); or it has a fact that a study proposes,
//! and another fact of the entity with another value of one exclusive attribute. Two facts of the writer are an issue
//! without a model.

use palimpsest_text::Language;
use rustc_hash::FxHashSet;

use crate::{
    Book, Fact, Issue, Kind, Place,
    attributes::attribute_pairs,
    en,
    facts::{exclusive_facts, fact_clashes, is_same_value},
    introductions::introduction_pairs,
    issue, issue_signature,
    sentences::Sentences,
    whereabouts::whereabout_pairs,
    world_rules::rule_pairs,
    zh,
};

/// Most pairs of a book; those that come first in it.
const MAX_PAIRS: usize = 200;
/// Most pairs of one entity and attribute.
const MAX_OF_ATTRIBUTE: usize = 6;

/// Two places of a book that a model is to compare.
#[derive(Clone, PartialEq, Eq)]
pub struct Pair {
    /// The kind of the issue that it is if the two contradict each other.
    pub kind: Kind,
    /// Index of the entity.
    pub entity: usize,
    /// The subject of the comparison, in the language of the book: for [`Kind::Attribute`] the attribute.
    pub subject: String,
    /// The place that comes first in the book.
    pub first: Place,
    /// The other place.
    pub second: Place,
    /// The two values, in the order of the places; empty where there are none.
    pub values: Vec<String>,
    /// Whether only facts have these values, and one of the facts is proposed.
    pub is_proposed: bool,
    /// 64 hexadecimal digits, those of an issue of the kind with these places.
    pub signature: String,
}

impl Pair {
    /// Whether two pairs have words of both places in common, and the same values there.
    fn has_values_of(&self, other: &Self) -> bool {
        let mut values = self.values.iter().zip(&other.values);
        self.entity == other.entity
            && self.first.overlaps(&other.first)
            && self.second.overlaps(&other.second)
            && values.all(|(value, other)| is_same_value(value, other))
    }
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pair").field("entity", &self.entity).field("first", &self.first).finish_non_exhaustive()
    }
}

/// The pairs of a book, in the order of their first places. Two pairs have different signatures, and none has that of
/// an issue.
#[must_use]
pub fn find_pairs(book: &Book<'_>) -> Vec<Pair> {
    pairs_in(book, &Sentences::new(book))
}

pub(crate) fn pairs_in(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Pair> {
    let of_text = attribute_pairs(book, sentences);
    let mut pairs = fact_pairs(book, sentences);
    // What was said of two sentences holds as long as they do, also while a fact with a part of one is proposed.
    pairs.retain(|pair| !of_text.iter().any(|other| pair.has_values_of(other)));
    let clashes: Vec<Issue> = fact_clashes(book).into_iter().map(|clash| issue(book, clash)).collect();
    let of_facts: Vec<(Option<usize>, [Place; 2])> = pairs
        .iter()
        .map(|pair| (Some(pair.entity), [pair.first.clone(), pair.second.clone()]))
        .chain(clashes.iter().map(|clash| (clash.entity, [clash.first.clone(), clash.second.clone()])))
        .collect();
    // The quote of a fact is often a part of its sentence: the same two sentences are one pair, or an issue.
    let is_of_facts = |pair: &Pair| {
        of_facts.iter().any(|(entity, [first, second])| {
            *entity == Some(pair.entity) && first.overlaps(&pair.first) && second.overlaps(&pair.second)
        })
    };
    pairs.extend(of_text.into_iter().filter(|pair| !is_of_facts(pair)));
    pairs.extend(introduction_pairs(book, sentences));
    pairs.extend(rule_pairs(book, sentences));
    pairs.extend(whereabout_pairs(book, sentences));
    pairs.sort_by_key(|pair| (pair.first.order(), pair.second.order()));
    let mut seen: FxHashSet<String> = clashes.into_iter().map(|clash| clash.signature).collect();
    pairs.retain(|pair| seen.insert(pair.signature.clone()));
    pairs.truncate(MAX_PAIRS);
    pairs
}

/// Whether the narration tells a proposed fact: a model may have taken a dream or what somebody says for it.
fn is_narrated(language: Language, sentences: &Sentences<'_>, fact: &Fact) -> bool {
    let Some((chapter, range)) = &fact.quote else { return false };
    sentences.at(*chapter, range.start).is_some_and(|sentence| {
        let is_spoken = sentence.is_spoken(range.start.saturating_sub(sentence.start));
        let is_unreal = match language {
            Language::En => en::names_unreal(&en::narration(sentence)),
            Language::Zh => zh::is_unreal(sentence.text),
        };
        !is_spoken && !is_unreal
    })
}

/// Pairs of facts with a proposed one. Each proposed fact is compared with the first one of another value.
fn fact_pairs(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Pair> {
    let proposed = book.proposed.iter().filter(|fact| is_narrated(book.language, sentences, fact));
    let proposed = proposed.map(|fact| (fact, true));
    let mut facts = exclusive_facts(book, book.facts.iter().map(|fact| (fact, false)).chain(proposed));
    facts.retain(|group| group.iter().any(|(_, _, is_proposed)| *is_proposed));
    let mut pairs = Vec::new();
    for group in facts {
        let mut found = 0;
        for (at, (fact, place, is_proposed)) in group.iter().enumerate() {
            let is_other = |(other, _, _): &&(&Fact, Place, bool)| fact.clashes_with(other);
            let other = group[..at].iter().find(is_other);
            if let Some((other, other_place, _)) = other.filter(|_| *is_proposed && found < MAX_OF_ATTRIBUTE) {
                found += 1;
                let sides = [(other_place.clone(), other.value.clone()), (place.clone(), fact.value.clone())];
                let pair = pair_of(book, (Kind::Attribute, fact.entity, &fact.attribute), sides);
                pairs.push(Pair { is_proposed: true, ..pair });
            }
        }
    }
    pairs
}

/// A pair of two places with their values, in any order.
pub(crate) fn pair_of(
    book: &Book<'_>,
    (kind, entity, subject): (Kind, usize, &str),
    mut sides: [(Place, String); 2],
) -> Pair {
    sides.sort_by_key(|(place, _)| place.order());
    let [(first, value), (second, other)] = sides;
    let signature = issue_signature(book, kind, Some(entity), [&first, &second]);
    Pair {
        kind,
        entity,
        subject: subject.to_owned(),
        first,
        second,
        values: vec![value, other],
        is_proposed: false,
        signature,
    }
}

#[cfg(test)]
mod tests;
