//! Ages that do not fit the years between them.
//!
//! A statement gives a character an age in a year: `In 1911 Mara was twenty-three`, `Mara was born in 1888`. Two of
//! them agree if the difference of the ages is that of the years, with a year for the birthdays on either side.

mod en;
mod zh;

use std::{
    collections::BTreeMap,
    ops::{Range, RangeInclusive},
};

use palimpsest_text::Language;

use crate::{
    Book, Clash, FoundBy, Kind,
    sentences::{Sentences, is_character},
};

/// Years by which two ages may differ from the years between them: the birthday may be before or after either, and
/// ages may be counted from one.
const SLACK: i64 = 1;
/// Most ages of one character that are compared.
const MAX_STATEMENTS: usize = 200;
/// The ages that people reach.
const MAX_AGE: u32 = 110;

/// An age of a character in a year.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Statement {
    entity: usize,
    /// Number of the sentence.
    sentence: usize,
    /// Bytes of the age in its sentence.
    range: Range<usize>,
    year: u32,
    /// The least and the greatest age that the words permit: `in her forties`, `not yet forty`.
    ages: RangeInclusive<u32>,
}

impl Statement {
    fn disagrees(&self, other: &Self) -> bool {
        let years = i64::from(self.year) - i64::from(other.year);
        let bounds = |one: &Self| (i64::from(*one.ages.start()), i64::from(*one.ages.end()));
        let ((low, high), (other_low, other_high)) = (bounds(self), bounds(other));
        low - other_high - SLACK > years || high - other_low + SLACK < years
    }

    fn value(&self) -> String {
        let (low, high) = (self.ages.start(), self.ages.end());
        if low == high { format!("{}: {low}", self.year) } else { format!("{}: {low}–{high}", self.year) }
    }
}

/// The ages that do not agree. One that agrees with another is supported: a pair of unsupported ones comes first, so
/// that a slip is shown beside the other slip and not beside each right age.
pub(crate) fn age_clashes(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Clash> {
    let mut by_entity: BTreeMap<usize, Vec<Statement>> = BTreeMap::new();
    for number in 0..sentences.all.len() {
        let statements = match book.language {
            Language::En => en::ages_in(&sentences.all, number),
            Language::Zh => zh::ages_in(&sentences.all, number),
        };
        for statement in statements.into_iter().filter(|statement| is_character(book, statement.entity)) {
            by_entity.entry(statement.entity).or_default().push(statement);
        }
    }
    by_entity.into_values().flat_map(|statements| clashes_of_one(&statements, sentences)).collect()
}

/// The clashes among the ages of one character.
fn clashes_of_one(statements: &[Statement], sentences: &Sentences<'_>) -> Vec<Clash> {
    let statements = &statements[..statements.len().min(MAX_STATEMENTS)];
    let is_supported: Vec<bool> = (0..statements.len())
        .map(|at| (0..statements.len()).any(|other| other != at && !statements[at].disagrees(&statements[other])))
        .collect();
    let mut is_shown = vec![false; statements.len()];
    let mut found = Vec::new();
    let clash = |one: usize, other: usize| {
        let (one, other) = (&statements[one], &statements[other]);
        let place = |one: &Statement| sentences.all[one.sentence].place(Some(one.range.clone()));
        Clash {
            kind: Kind::Age,
            found_by: FoundBy::Computed,
            entity: Some(one.entity),
            places: [place(one), place(other)],
            values: vec![one.value(), other.value()],
        }
    };
    for at in 0..statements.len() {
        let is_slip = |other: &usize| !is_supported[*other] && statements[at].disagrees(&statements[*other]);
        if !is_supported[at]
            && !is_shown[at]
            && let Some(other) = (0..at).rev().find(is_slip)
        {
            (is_shown[at], is_shown[other]) = (true, true);
            found.push(clash(other, at));
        }
    }
    for at in 0..statements.len() {
        let disagrees = |other: &usize| statements[at].disagrees(&statements[*other]);
        if !is_supported[at]
            && !is_shown[at]
            && let Some(other) = (0..statements.len()).find(disagrees)
        {
            is_shown[at] = true;
            found.push(clash(at, other));
        }
    }
    // Groups of ages that agree among themselves, and not with each other.
    if found.is_empty()
        && let Some(other) = (1..statements.len()).find(|&at| statements[at].disagrees(&statements[0]))
    {
        found.push(clash(0, other));
    }
    found
}

#[cfg(test)]
mod tests;
