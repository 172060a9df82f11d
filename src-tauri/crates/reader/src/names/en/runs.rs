//! Runs of capitals that may be names.

use std::ops::Range;

use super::{
    super::lexicon_en::List,
    habits::CaseHabit,
    text::{Reader, WordAt, Words},
};
use crate::words::Gap;

/// Most words of one name.
const MAX_WORDS: usize = 8;

/// The words of a run.
pub(super) type Run = Range<usize>;

/// The stretches of words with capitals of a chapter, in order: each has at most two runs that may be names.
pub(super) fn stretches(reader: Reader<'_>, words: &Words) -> Vec<Run> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.words.len() {
        let word = &words.words[at];
        if !word.is_capital || words.is_in_heading(word) {
            at += 1;
            continue;
        }
        let to = end_of_stretch(reader, at);
        found.push(at..to);
        at = to;
    }
    found
}

/// The end of the stretch that begins at `from`.
fn end_of_stretch(reader: Reader<'_>, from: usize) -> usize {
    let words = reader.words;
    let mut to = from + 1;
    while to < words.len() && to - from < MAX_WORDS {
        let (last, next) = (&words[to - 1], &words[to]);
        if next.sentence != last.sentence || next.paragraph != last.paragraph {
            break;
        }
        let joined = match next.gap {
            Gap::Space => true,
            Gap::Stop => is_abbreviation(reader, to - 1),
            _ => false,
        };
        if !joined {
            break;
        }
        if last.has_possessive() {
            // `Pilgrim's Pond` is one name, `Anne's London` is two.
            let is_place = next.is_capital && reader.listed(to).is(List::PlaceNoun);
            if !is_place || next.begins {
                break;
            }
            to += 1;
            continue;
        }
        if next.is_capital {
            if next.is_of_speaker {
                break;
            }
            to += 1;
            continue;
        }
        // Particles in small letters, before another capital.
        let after = words.get(to + 1).filter(|after| after.gap == Gap::Space && after.sentence == next.sentence);
        if after.is_some_and(|after| after.is_capital) && next.gap == Gap::Space && !next.has_possessive() {
            let is_particle = reader.listed(to).is(List::Particle);
            let before = reader.listed(to - 1);
            let opens_of = (before.is_title() && !before.is(List::Abbreviation))
                || (before.is(List::PlaceNoun) || before.is(List::GroupNoun)) && !last.begins;
            if is_particle || (reader.str(to) == "of" && opens_of) {
                to += 2;
                continue;
            }
        }
        break;
    }
    to
}

/// Whether a full stop after the word belongs to it: a title or an initial.
fn is_abbreviation(reader: Reader<'_>, at: usize) -> bool {
    let word = reader.str(at);
    let mut letters = word.chars();
    let is_initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none() && word != "I";
    is_initial || reader.listed(at).is(List::Abbreviation)
}

/// The runs of a stretch: without what is no part of a name at its start and its end, and cut where a title opens
/// another name.
pub(super) fn split(reader: Reader<'_>, stretch: &Run, habits: &[CaseHabit]) -> [Option<Run>; 2] {
    let words = reader.words;
    let mut from = stretch.start;
    while from < stretch.end && is_no_part(reader, from, stretch, habits) {
        from += 1;
    }
    let mut to = stretch.end;
    while to > from {
        let last = &words[to - 1];
        let is_small = || habit(habits, last).is_small() && reader.listed(to - 1).is(List::Common);
        if last.is_capital && !last.is_of_speaker && !(to - from > 1 && is_small()) {
            break;
        }
        to -= 1;
    }
    // `Yes Captain Wentworth`, `Sir Walter Lady Russell`: a title after a name opens another one.
    for at in from + 1..to {
        let (here, before) = (reader.listed(at), reader.listed(at - 1));
        let opens = here.is_title() && here.is(List::Abbreviation) && !before.is_title() && words[at - 1].is_capital;
        if opens && at + 1 < to {
            return [name_like(reader, from..at), name_like(reader, at..to)];
        }
    }
    [name_like(reader, from..to), None]
}

/// The run, unless it is empty, one letter, or a title without a name.
fn name_like(reader: Reader<'_>, run: Run) -> Option<Run> {
    let is_title_alone = run.clone().all(|at| {
        let listed = reader.listed(at);
        listed.is_title() || listed.is(List::NoName) && run.len() > 1
    });
    let is_name_like = !is_title_alone && run.clone().any(|at| reader.str(at).len() > 1);
    is_name_like.then_some(run)
}

fn habit(habits: &[CaseHabit], word: &WordAt) -> CaseHabit {
    habits.get(word.id as usize).copied().unwrap_or_default()
}

/// Whether the word at `at` only has a capital because of its position, or is no part of a name anyway.
fn is_no_part(reader: Reader<'_>, at: usize, stretch: &Run, habits: &[CaseHabit]) -> bool {
    let word = &reader.words[at];
    if word.is_of_speaker {
        return true;
    }
    let (listed, lower) = (reader.listed(at), reader.lower(at));
    let is_last = at + 1 == stretch.end;
    if listed.is(List::NoName) && (is_last || !listed.is_title()) {
        // `Irish said`: a nickname, or Death as a person.
        return !(is_last && stretch.len() == 1 && is_speaking(reader, at));
    }
    let is_address = matches!(lower, "grace" | "honour" | "honor" | "worship" | "reverence");
    let is_owned = |before: usize| matches!(reader.str(before), "your" | "his" | "her" | "Your");
    if is_address && reader.word_before(at).is_some_and(is_owned) {
        return true;
    }
    if is_last && stretch.start == at && is_month(reader, at) {
        return true;
    }
    let habit = habit(habits, word);
    if listed.is_title() && !is_last {
        // A title opens the name; but `Miss` and `General` may also be words of the sentence.
        return false;
    }
    if word.begins {
        if listed.is(List::Common) {
            // `Brown` and `Grace` may be names all the same.
            return !(habit.may_be_name_too() && (listed.is_given() || is_last));
        }
        return habit.is_no_name_at_start();
    }
    listed.is(List::Common) && habit.is_small_twice() && !is_last
        || is_last && stretch.len() == 1 && listed.is(List::Common) && habit.is_small_four_times()
}

/// Whether a word stands beside a verb of speech, without an article.
fn is_speaking(reader: Reader<'_>, at: usize) -> bool {
    let before = reader.word_before(at).filter(|_| reader.words[at].gap == Gap::Space);
    let after = reader.next(at).filter(|after| !reader.words[*after].is_capital);
    let is_common = before.is_some_and(|before| {
        let word = reader.listed(before);
        word.is(List::Common) && !word.is(List::Speech)
    });
    let is_speech = |at: usize| reader.listed(at).is(List::Speech) && !reader.words[at].is_capital;
    !is_common && (before.is_some_and(is_speech) || after.is_some_and(is_speech))
}

/// Whether a word that may be the name of a woman is a month here.
fn is_month(reader: Reader<'_>, at: usize) -> bool {
    const BEFORE: [&str; 10] = ["in", "of", "last", "next", "early", "late", "since", "until", "till", "by"];
    let is_number = |at: usize| reader.str(at).starts_with(|c: char| c.is_ascii_digit());
    let is_before = |before: usize| is_number(before) || BEFORE.contains(&reader.str(before));
    matches!(reader.lower(at), "may" | "april" | "june" | "august")
        && (reader.word_before(at).is_some_and(is_before) || reader.word_after(at).is_some_and(is_number))
}

/// The words of a run in title case: `MR. DARCY` and `Mr Darcy` are one form.
pub(super) fn key(reader: Reader<'_>, run: &Run, habits: &[CaseHabit]) -> String {
    let mut key = String::new();
    for at in run.clone() {
        let (word, text) = (&reader.words[at], reader.str(at));
        if at > run.start {
            key.push(' ');
        }
        let is_numeral = text.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
        if word.is_all_capitals && !is_numeral {
            let is_acronym = habit(habits, word).has_no_capital() && text.len() <= 3;
            let mut letters = reader.lower(at).chars();
            match letters.next() {
                Some(first) if !is_acronym => key.extend(first.to_uppercase().chain(letters)),
                _ => key.push_str(text),
            }
        } else {
            key.extend(text.chars().map(straight));
            if at + 1 < run.end && word.has_possessive() {
                key.push_str("'s");
            }
        }
    }
    key
}

fn straight(c: char) -> char {
    if c == '’' { '\'' } else { c }
}

/// The run as the text writes it, with single spaces and without the possessive ending.
pub(super) fn surface(reader: Reader<'_>, run: &Run) -> String {
    let range = reader.words[run.start].start as usize..reader.words[run.end - 1].end as usize;
    palimpsest_text::single_spaced(&reader.text[range])
}

/// Whether two runs are items of one list of names: `Anne and Henry`, `Anne, Henry`.
pub(super) fn is_listed_with(reader: Reader<'_>, first: &Run, second: &Run) -> bool {
    let words = reader.words;
    let (last, next) = (&words[first.end - 1], &words[second.start]);
    if last.sentence != next.sentence || last.has_possessive() {
        return false;
    }
    match second.start - first.end {
        1 => {
            let between = &words[first.end];
            let is_and = matches!(reader.str(first.end), "and" | "or" | "nor");
            is_and && between.gap == Gap::Space && next.gap == Gap::Space
        }
        0 => next.gap == Gap::Comma && !next.is_spoken,
        _ => false,
    }
}
