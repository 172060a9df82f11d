//! English ages by a word of age near the only number of a sentence.

use std::ops::Range;

use super::{INEXACT, MAX_AGE, Statement, When};
use crate::{
    en::{KIN, MODALS, Words, is_thought, is_unreal},
    numbers::{en_number, en_ordinal},
    sentences::Sentence,
};

/// Words of a sentence whose number may be no age.
const NO_PLAIN_AGE: [&str; 24] = [
    "pounds",
    "miles",
    "hours",
    "days",
    "weeks",
    "months",
    "died",
    "married",
    "after",
    "before",
    "said",
    "told",
    "looked",
    "seemed",
    "felt",
    "claimed",
    "liar",
    "lie",
    "recalled",
    "remembered",
    "remember",
    "pretended",
    "guessed",
    "boasted",
];

/// The age of the only character that a sentence names, if the sentence has one year, one other number, and a word of
/// age: `When Mara's birthday came round in 1910 there were forty-four candles on the cake`.
pub(super) fn plain_age(
    sentence: &Sentence<'_>,
    number: usize,
    words: &Words<'_>,
    (year, place): &(u32, Range<usize>),
) -> Option<Statement> {
    let mut narrated = sentence.narrated_mentions();
    let entity = narrated.next()?.entity;
    if narrated.any(|other| other.entity != entity)
        || is_unreal(words)
        || is_thought(words) && !is_unguessed(words)
        || words.has(&KIN)
        || words.has(&NO_PLAIN_AGE) && !is_unguessed(words)
    {
        return None;
    }
    let mut numbers = (0..words.all.len()).filter(|at| !place.contains(at)).filter_map(|at| {
        let word = words.lower(at);
        let age = en_number(word).or_else(|| en_ordinal(word))?;
        (age >= 5).then_some((age, at))
    });
    let (age, at) = numbers.next()?;
    let is_inexact = (at.saturating_sub(2)..at).any(|before| INEXACT.contains(&words.lower(before)));
    // `You would not have thought it, but in 1911 Mara was sixty-five`: only the clause of the age may suppose it.
    let clause = (0..=at).rev().find(|&place| !words.all[place].marks.is_empty()).unwrap_or(0);
    // `could own to forty-four summers`
    let states = |place: usize| {
        matches!(words.lower(place), "could" | "can")
            && matches!(words.lower(place + 1), "own" | "count" | "number" | "boast")
    };
    let is_supposed = (clause..at).any(|place| MODALS.contains(&words.lower(place)) && !states(place));
    let is_supposed = is_supposed && !is_unguessed(words);
    if numbers.any(|(other, _)| other != age) || is_inexact || is_supposed || age > MAX_AGE {
        return None;
    }
    let next = words.joined(at + 1);
    let is_of_life = matches!(next, "summers" | "winters" | "springs" | "birthdays")
        || matches!(next, "years" | "year")
            && (words.is_at(at + 1, "years of life")
                || words.is_at(at + 1, "years old")
                || words.is_at(at + 1, "years of age")
                || words.has_phrase(&[
                    "come into the world",
                    "came into the world",
                    "over the head of",
                    "behind him",
                    "behind her",
                    "in the world",
                    "on this earth",
                ])
                || words.has(&["completed", "completion", "lived", "counted", "age", "aged"]));
    let before = at.checked_sub(1).map_or("", |place| words.lower(place));
    let is_counted = is_of_life
        || matches!(next, "candles" | "birthday")
        || words.ends_before(at + 1)
        || matches!(next, "was" | "in") && matches!(before, "was" | "turned");
    let has_cue = is_of_life
        || matches!(before, "was" | "turned")
        || words.has(&["age", "aged", "birthday", "birthdays", "candles", "older", "younger"]);
    let range = words.all[at].start..words.all[at].end;
    (is_counted && has_cue).then_some(Statement {
        entity,
        sentence: number,
        range,
        time: When::Year(*year),
        ages: age..=age,
        is_after_memory: false,
    })
}

/// Whether a sentence states what no one guesses: `Few would have guessed that in 1910 Mara was forty-four`.
fn is_unguessed(words: &Words<'_>) -> bool {
    matches!(words.lower(0), "few" | "nobody" | "none" | "no")
        && words.has_phrase(&["would have guessed that", "would have thought that", "would have believed that"])
}
