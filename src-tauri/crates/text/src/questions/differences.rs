//! Where two questions differ, and which guard each difference concerns.

use std::ops::Range;

use super::{Difference, Guard};
use crate::claims::{Reading, Tense, Unit, UnitKind, are_opposites};

/// Maximum cells of the table of an alignment. Longer texts are no questions: they differ as a whole.
const MAX_CELLS: usize = 1 << 20;

/// Maximum pairs of words in which opposites are searched for.
const MAX_WORD_PAIRS: usize = 1 << 10;

/// The comparison of two readings.
pub(super) struct Compared {
    pub(super) differences: Vec<Difference>,
    /// The share of units that both have in the same order, 0..1.
    pub(super) common_share: f32,
}

pub(super) fn compare(first: &Reading, second: &Reading) -> Compared {
    let (first_units, second_units) = (first.units.as_slice(), second.units.as_slice());
    let pairs = align(first_units, second_units);
    let mut differences = Vec::new();
    let mut from = (0, 0);
    let ends = (first_units.len(), second_units.len());
    for (first_at, second_at) in pairs.iter().copied().chain([ends]) {
        add_region(first_units, from.0..first_at, second_units, from.1..second_at, &mut differences);
        from = (first_at + 1, second_at + 1);
    }
    mark_order(first_units, second_units, &mut differences);
    match (&first.chapter, &second.chapter) {
        (Some(one), Some(other)) if one.number.text != other.number.text => differences.push(Difference {
            guard: Guard::Number,
            first: one.number.range.clone(),
            second: other.number.range.clone(),
        }),
        (Some(one), None) => differences.push(difference(Guard::Word, &one.range, None, second_units)),
        (None, Some(other)) => {
            let Difference { guard, first, second } = difference(Guard::Word, &other.range, None, first_units);
            differences.push(Difference { guard, first: second, second: first });
        }
        _ => {}
    }
    if let (Some((one, first)), Some((other, second))) = (&first.asking_verb, &second.asking_verb)
        && one != other
    {
        differences.push(Difference { guard: Guard::Tense, first: first.clone(), second: second.clone() });
    }
    differences.extend(times_of_verbs(first, second, &pairs));
    if ends == (0, 0) && first.chapter.is_none() && second.chapter.is_none() {
        // Neither has words, and they are not the same text.
        differences.push(Difference { guard: Guard::Word, first: 0..0, second: 0..0 });
    }
    let units = first_units.len() + second_units.len();
    let common_share = if units == 0 { 0.0 } else { 2.0 * pairs.len() as f32 / units as f32 };
    Compared { differences, common_share }
}

/// The verbs with another time. Who did kill is who killed: one verb may be in the past if the other question asks with
/// `did`; but who had Jun killed is not who had Jun kill.
fn times_of_verbs(first: &Reading, second: &Reading, pairs: &[(usize, usize)]) -> Vec<Difference> {
    let units = pairs.iter().filter_map(|(one, other)| Some((first.units.get(*one)?, second.units.get(*other)?)));
    let others: Vec<_> = units.filter(|(one, other)| one.is_past != other.is_past).collect();
    let is_did = |reading: &Reading| matches!(reading.asking_verb, Some((Tense::Past, _)));
    let is_do_support = match others.as_slice() {
        [(one, _)] if one.is_past => is_did(second) && first.asking_verb.is_none(),
        [_] => is_did(first) && second.asking_verb.is_none(),
        _ => false,
    };
    let difference = |(one, other): &(&Unit, &Unit)| Difference {
        guard: Guard::Tense,
        first: one.range.clone(),
        second: other.range.clone(),
    };
    if is_do_support { Vec::new() } else { others.iter().map(difference).collect() }
}

/// A difference of one text at `range`; the other has nothing there, at the end of its unit `before` or of all units.
fn difference(guard: Guard, range: &Range<usize>, before: Option<usize>, others: &[Unit]) -> Difference {
    let other = before.and_then(|at| others.get(at)).or(others.last()).map_or(0, |unit| unit.range.end);
    Difference { guard, first: range.clone(), second: other..other }
}

/// The pairs of equal units of a longest common subsequence, ascending.
fn align(first: &[Unit], second: &[Unit]) -> Vec<(usize, usize)> {
    let prefix = first.iter().zip(second).take_while(|(one, other)| one.is_same(other)).count();
    let rest = |units: &[Unit]| units.len() - prefix;
    let suffix = first.iter().rev().zip(second.iter().rev()).take(rest(first).min(rest(second)));
    let suffix = suffix.take_while(|(one, other)| one.is_same(other)).count();
    let (rows, columns) = (rest(first) - suffix, rest(second) - suffix);
    let mut pairs: Vec<(usize, usize)> = (0..prefix).map(|at| (at, at)).collect();
    if rows.saturating_mul(columns) <= MAX_CELLS {
        let inner = |units: &'_ [Unit], length: usize| prefix..(prefix + length).min(units.len());
        let (one, other) = (inner(first, rows), inner(second, columns));
        pairs.extend(
            common_subsequence(first.get(one).unwrap_or_default(), second.get(other).unwrap_or_default())
                .into_iter()
                .map(|(one, other)| (one + prefix, other + prefix)),
        );
    }
    pairs.extend((0..suffix).map(|at| (first.len() - suffix + at, second.len() - suffix + at)));
    pairs
}

fn common_subsequence(first: &[Unit], second: &[Unit]) -> Vec<(usize, usize)> {
    let width = second.len() + 1;
    // The length of the longest common subsequence of the rests from a pair of units on.
    let mut lengths = vec![0_u32; (first.len() + 1) * width];
    let cell = |row: usize, column: usize| row * width + column;
    for (row, one) in first.iter().enumerate().rev() {
        for (column, other) in second.iter().enumerate().rev() {
            let get = |at: usize| lengths.get(at).copied().unwrap_or_default();
            let length = if one.is_same(other) {
                get(cell(row + 1, column + 1)) + 1
            } else {
                get(cell(row + 1, column)).max(get(cell(row, column + 1)))
            };
            if let Some(entry) = lengths.get_mut(cell(row, column)) {
                *entry = length;
            }
        }
    }
    let get = |row: usize, column: usize| lengths.get(cell(row, column)).copied().unwrap_or_default();
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while let (Some(one), Some(other)) = (first.get(row), second.get(column)) {
        if one.is_same(other) {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if get(row + 1, column) >= get(row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// Adds the differences of two regions that correspond: unit by unit, if they have the same number of units.
fn add_region(
    first: &[Unit],
    first_region: Range<usize>,
    second: &[Unit],
    second_region: Range<usize>,
    found: &mut Vec<Difference>,
) {
    let before = |region: &Range<usize>| region.start.checked_sub(1);
    let one = first.get(first_region.clone()).unwrap_or_default();
    let other = second.get(second_region.clone()).unwrap_or_default();
    if one.len() == other.len() {
        let pairs = one.iter().zip(other).filter(|(one, other)| !one.is_same(other));
        found.extend(pairs.map(|(one, other)| Difference {
            guard: guard_of(std::slice::from_ref(one), std::slice::from_ref(other)),
            first: one.range.clone(),
            second: other.range.clone(),
        }));
        return;
    }
    let range = |units: &[Unit], all: &[Unit], before: Option<usize>| match (units.first(), units.last()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => {
            let at = before.and_then(|at| all.get(at)).map_or(0, |unit| unit.range.end);
            at..at
        }
    };
    found.push(Difference {
        guard: guard_of(one, other),
        first: range(one, first, before(&first_region)),
        second: range(other, second, before(&second_region)),
    });
}

/// The guard that two different stretches concern.
fn guard_of(first: &[Unit], second: &[Unit]) -> Guard {
    let has_kind = |kind| first.iter().chain(second).any(|unit| unit.kind == kind);
    let is_short = first.len().saturating_mul(second.len()) <= MAX_WORD_PAIRS;
    let has_opposites =
        is_short && first.iter().any(|one| second.iter().any(|other| are_opposites(&one.text, &other.text)));
    if has_opposites {
        Guard::Opposite
    } else if has_kind(UnitKind::Negation) {
        Guard::Negation
    } else if has_kind(UnitKind::Name) {
        Guard::Name
    } else if has_kind(UnitKind::Number) {
        Guard::Number
    } else if has_kind(UnitKind::Question) {
        Guard::QuestionWord
    } else {
        Guard::Word
    }
}

/// Changes the guards of questions that have the same units in another order, unless only numbers are exchanged.
fn mark_order(first: &[Unit], second: &[Unit], differences: &mut [Difference]) {
    let sorted = |units: &[Unit]| {
        let mut texts: Vec<String> = units.iter().map(|unit| unit.text.clone()).collect();
        texts.sort_unstable();
        texts
    };
    let are_numbers = differences.iter().all(|difference| difference.guard == Guard::Number);
    if are_numbers || sorted(first) != sorted(second) {
        return;
    }
    let names = |units: &[Unit]| -> Vec<String> {
        units.iter().filter(|unit| unit.kind == UnitKind::Name).map(|unit| unit.text.clone()).collect()
    };
    let guard = if names(first) == names(second) { Guard::WordOrder } else { Guard::NameOrder };
    differences.iter_mut().for_each(|difference| difference.guard = guard);
}
