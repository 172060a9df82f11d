//! Ages that do not fit the years between them.
//!
//! A statement gives a character an age in a year: `In 1911 Mara was twenty-three`, `Mara was born in 1888`. Two of
//! them agree if the difference of the ages is that of the years, with a year for the birthdays on either side.
//!
//! A statement without a year is compared with the next one of the character alone, if that says how many years later
//! it is: `Three years later Mara was twenty-six`. Another mention of an age of the character in between may begin a
//! memory, and breaks the chain.

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
/// Sentences within which no unsaid years pass between two ages.
const MAX_SENTENCES: usize = 400;
/// Years that may pass unsaid within them.
const UNSAID_YEARS: i64 = 1;
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
    time: When,
    /// The least and the greatest age that the words permit: `in her forties`, `not yet forty`.
    ages: RangeInclusive<u32>,
    /// Whether the sentences before look back.
    is_after_memory: bool,
}

/// The time of an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Year(u32),
    /// Years after the previous statement.
    Later(u32),
    /// The time of the narration.
    Now,
    /// A time from which nothing follows: an estimate, a memory.
    Unknown,
}

impl Statement {
    fn disagrees(&self, other: &Self) -> bool {
        let (When::Year(year), When::Year(other_year)) = (self.time, other.time) else { return false };
        let years = i64::from(year) - i64::from(other_year);
        let bounds = |one: &Self| (i64::from(*one.ages.start()), i64::from(*one.ages.end()));
        let ((low, high), (other_low, other_high)) = (bounds(self), bounds(other));
        low - other_high - SLACK > years || high - other_low + SLACK < years
    }

    /// Whether this age, of a later time that the text gives in years, does not follow from the one before it.
    fn does_not_follow(&self, before: &Self) -> bool {
        let When::Later(years) = self.time else { return false };
        if before.time == When::Unknown || before.sentence == self.sentence {
            return false;
        }
        let years = i64::from(years);
        let (low, high) = (i64::from(*self.ages.start()), i64::from(*self.ages.end()));
        let (before_low, before_high) = (i64::from(*before.ages.start()), i64::from(*before.ages.end()));
        let is_near = self.sentence - before.sentence <= MAX_SENTENCES;
        high + SLACK < before_low + years && !self.is_after_memory
            || is_near && low > before_high + years + SLACK + UNSAID_YEARS
    }

    fn value(&self) -> String {
        let (low, high) = (self.ages.start(), self.ages.end());
        let age = if low == high { low.to_string() } else { format!("{low}–{high}") };
        match self.time {
            When::Year(year) => format!("{year}: {age}"),
            When::Later(years) => format!("+{years}: {age}"),
            When::Now | When::Unknown => age,
        }
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
    let clashes = |statements: Vec<Statement>| {
        let mut found: Vec<Clash> = statements
            .windows(2)
            .filter(|pair| pair[1].does_not_follow(&pair[0]))
            .map(|pair| clash(&pair[0], &pair[1], sentences))
            .collect();
        let dated: Vec<Statement> = statements.into_iter().filter(|one| matches!(one.time, When::Year(_))).collect();
        found.extend(clashes_of_one(&dated, sentences));
        found
    };
    by_entity.into_values().flat_map(clashes).collect()
}

fn clash(one: &Statement, other: &Statement, sentences: &Sentences<'_>) -> Clash {
    let place = |one: &Statement| sentences.all[one.sentence].place(Some(one.range.clone()));
    Clash {
        kind: Kind::Age,
        found_by: FoundBy::Computed,
        entity: Some(one.entity),
        places: [place(one), place(other)],
        values: vec![one.value(), other.value()],
    }
}

/// The clashes among the ages of one character.
fn clashes_of_one(statements: &[Statement], sentences: &Sentences<'_>) -> Vec<Clash> {
    let statements = &statements[..statements.len().min(MAX_STATEMENTS)];
    let is_supported: Vec<bool> = (0..statements.len())
        .map(|at| (0..statements.len()).any(|other| other != at && !statements[at].disagrees(&statements[other])))
        .collect();
    let mut is_shown = vec![false; statements.len()];
    let mut found = Vec::new();
    let clash = |one: usize, other: usize| clash(&statements[one], &statements[other], sentences);
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
