//! Sentences of the narration that put one character in two places at the same time.
//!
//! ```text
//! sentences ─► statements (entity, place) ─► two of one scene, or of one date ─► pairs
//! ```
//!
//! A statement is a sentence with a character as the subject of a verb of rest, and the name of the place behind it.
//! Two statements are of one scene if few sentences stand between them and none of these moves anybody or lets time
//! pass. They are no pair if one place may contain the other, by their names or by any sentence of the book.

mod en;
mod nesting;
mod zh;

use std::{collections::VecDeque, ops::Range};

use palimpsest_reader::{
    mentions::Mention,
    names::EntityKind,
    times::{PartOfDay, TimeExpression, TimeValue},
};
use palimpsest_text::Language;
use rustc_hash::{FxHashMap, FxHashSet};

use self::nesting::Nesting;
use crate::{
    Book, Kind,
    pairs::{Pair, pair_of},
    sentences::{Sentence, Sentences, is_character},
};

/// Most sentences from one statement of a scene to the other.
const MAX_DISTANCE: usize = 12;
/// Most sentences from the name of a character to a pronoun that means it.
const MAX_PRONOUN_DISTANCE: usize = 3;
/// Most pairs of a character.
const MAX_OF_CHARACTER: usize = 4;
/// Most earlier statements of a scene that a statement is compared with.
const MAX_RECENT: usize = 4;
/// Most statements of one character and date.
const MAX_OF_DATE: usize = 8;
/// Most names and pronouns of a sentence that are read as subjects.
const MAX_SUBJECTS: usize = 8;
/// Most bytes of a sentence that is read. A longer one is a text without full stops.
const MAX_SENTENCE_BYTES: usize = 4_000;
/// Most characters of a paragraph that is a heading if no mark ends it.
const MAX_HEADING_CHARS: usize = 60;

/// A character in a place, by one sentence.
struct Statement {
    entity: usize,
    /// Index of the entity that is the place.
    place: usize,
    /// Number of the sentence.
    sentence: usize,
    /// Bytes of the place in its sentence.
    range: Range<usize>,
    is_present_tense: bool,
    /// Whether its words say that the character was elsewhere before: `again`, `back`, 又.
    is_arrival: bool,
    date: Option<Date>,
}

/// A complete date. Its hour is in the words of the text.
struct Date {
    /// Year, month and day.
    day: (Option<u16>, u8, u8),
    part: Option<PartOfDay>,
    hour: Option<String>,
}

impl Date {
    /// Whether two dates may be the same time.
    fn may_equal(&self, other: &Self) -> bool {
        fn differ<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.zip(other).is_some_and(|(one, other)| one != other)
        }
        self.day == other.day
            && !differ(self.part.as_ref(), other.part.as_ref())
            && !differ(self.hour.as_ref(), other.hour.as_ref())
    }
}

/// A pronoun of one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pronoun {
    He,
    She,
}

/// A verb of rest, or 在 with the verb before it.
struct Rest {
    /// The word, in Chinese the byte, behind it.
    next: usize,
    /// Whether it has no verb of its own, only `was` or 在: these are also words of what is thought, seen or done.
    is_bare: bool,
    /// Always false in Chinese, whose verbs have no tense.
    is_present_tense: bool,
    is_arrival: bool,
}

/// The narration of a sentence, as its language is read.
trait Narration {
    /// The date that the sentence says.
    fn stated_date(&self) -> Option<Date>;
    /// The characters that are the subject of a verb of rest, if the first of them is a mention.
    fn subjects_and_rest(&self, mention: &Mention) -> Option<(Vec<usize>, Rest)>;
    /// The first pronoun that is the subject of a verb of rest.
    fn pronoun_and_rest(&self) -> Option<(Pronoun, Rest)>;
    /// The place that the words behind a verb of rest say.
    fn place_behind(&self, rest: &Rest) -> Option<&Mention>;
    /// Whether a sentence may name somebody whom a pronoun means, or has the pronoun of the other gender.
    fn names_other(sentence: &Sentence<'_>, pronoun: Pronoun) -> bool;
}

/// The last words of a sentence that move somebody and that let time pass: their first bytes.
#[derive(Clone, Copy, Default)]
struct Shifts {
    motion: Option<usize>,
    time: Option<usize>,
}

impl Shifts {
    /// The shifts of a sentence that ends a scene, or that is not read.
    const BREAK: Self = Self { motion: Some(usize::MAX), time: Some(usize::MAX) };
}

/// The statements of the book so far, and the pairs among them.
struct Search<'s, 'b> {
    book: &'s Book<'b>,
    all: &'s [Sentence<'b>],
    nesting: Nesting<'s>,
    /// The shifts of the sentences that have been looked at.
    shifts: FxHashMap<usize, Shifts>,
    /// Numbers of the sentences that are in a pair.
    used: FxHashSet<usize>,
    counts: FxHashMap<usize, usize>,
}

/// The pairs of sentences whose narration puts a character in two places at the same time.
pub(crate) fn whereabout_pairs(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Pair> {
    let all = sentences.all.as_slice();
    let statements: Vec<Statement> = (0..all.len()).flat_map(|number| statements_in(book, all, number)).collect();
    if statements.len() < 2 {
        return Vec::new();
    }
    let nesting = Nesting::new(book, all, &statements);
    let mut search = Search {
        book,
        all,
        nesting,
        shifts: FxHashMap::default(),
        used: FxHashSet::default(),
        counts: FxHashMap::default(),
    };
    let mut recent: FxHashMap<usize, VecDeque<&Statement>> = FxHashMap::default();
    let mut dated: FxHashMap<_, Vec<&Statement>> = FxHashMap::default();
    let mut pairs = Vec::new();
    for statement in &statements {
        let of_character = recent.entry(statement.entity).or_default();
        let mut earlier = of_character.iter().rev().copied().find(|first| search.is_one_scene(first, statement));
        of_character.push_back(statement);
        if of_character.len() > MAX_RECENT {
            of_character.pop_front();
        }
        if let Some(date) = &statement.date {
            let of_date: &mut Vec<&Statement> = dated.entry((statement.entity, date.day)).or_default();
            earlier = earlier.or_else(|| of_date.iter().copied().find(|first| search.is_one_date(first, statement)));
            if of_date.len() < MAX_OF_DATE {
                of_date.push(statement);
            }
        }
        pairs.extend(earlier.and_then(|first| search.pair(first, statement)));
    }
    pairs
}

/// The statements of a sentence.
fn statements_in(book: &Book<'_>, all: &[Sentence<'_>], number: usize) -> Vec<Statement> {
    let sentence = &all[number];
    let is_question = sentence.text.trim_end().ends_with(['?', '？']);
    let names_place = sentence.mentions.iter().any(|mention| is_place(book, mention.entity));
    if sentence.text.len() > MAX_SENTENCE_BYTES || is_question || !names_place {
        return Vec::new();
    }
    match book.language {
        Language::En => en::whereabouts_in(book, all, number),
        Language::Zh => zh::whereabouts_in(book, all, number),
    }
}

/// The statements of the narration of a sentence.
fn statements_of<N: Narration>(book: &Book<'_>, all: &[Sentence<'_>], number: usize, narration: &N) -> Vec<Statement> {
    let sentence = &all[number];
    let statement = |entity: usize, rest: &Rest, place: &Mention| Statement {
        entity,
        place: place.entity,
        sentence: number,
        range: place.range.clone(),
        is_present_tense: rest.is_present_tense,
        is_arrival: rest.is_arrival,
        date: narration.stated_date(),
    };
    if !sentence.mentions.iter().any(|mention| is_character(book, mention.entity)) {
        let found = narration.pronoun_and_rest().and_then(|(pronoun, rest)| {
            let place = narration.place_behind(&rest)?;
            let entity = only_character_before(book, all, number, |before| N::names_other(before, pronoun))?;
            Some(statement(entity, &rest, place))
        });
        return found.into_iter().collect();
    }
    let mut found = Vec::new();
    for mention in sentence.mentions.iter().filter(|one| is_character(book, one.entity)).take(MAX_SUBJECTS) {
        let Some((subjects, rest)) = narration.subjects_and_rest(mention) else { continue };
        let Some(place) = narration.place_behind(&rest) else { continue };
        found.extend(subjects.into_iter().map(|entity| statement(entity, &rest, place)));
    }
    found
}

/// Whether an entity is a place.
fn is_place(book: &Book<'_>, entity: usize) -> bool {
    book.entities.get(entity).is_some_and(|entity| entity.kind == EntityKind::Place)
}

/// The only character that the scene before a sentence names, speech included, if it is named nearby and nothing says
/// that somebody else is there.
fn only_character_before(
    book: &Book<'_>,
    all: &[Sentence<'_>],
    number: usize,
    names_other: impl Fn(&Sentence<'_>) -> bool,
) -> Option<usize> {
    let mut only = None;
    for distance in 1..=MAX_DISTANCE.min(number) {
        let before = &all[number - distance];
        if before.chapter != all[number].chapter || is_scene_break(book, all, number - distance + 1) {
            break;
        }
        if before.text.len() > MAX_SENTENCE_BYTES || names_other(before) {
            return None;
        }
        for mention in before.mentions.iter().filter(|mention| is_character(book, mention.entity)) {
            if only.is_some_and(|only| only != mention.entity) {
                return None;
            }
            only = Some(mention.entity);
        }
        if only.is_none() && distance == MAX_PRONOUN_DISTANCE {
            return None;
        }
    }
    only
}

/// The expressions of time in the narration of a sentence.
fn narrated_times<'s>(sentence: &'s Sentence<'_>) -> impl Iterator<Item = &'s TimeExpression> {
    sentence.times.iter().filter(|time| !sentence.is_spoken(time.range.start))
}

/// The only complete date of a sentence.
fn date_of(sentence: &Sentence<'_>, hour: impl FnOnce() -> Option<String>) -> Option<Date> {
    let mut days = narrated_times(sentence).filter_map(|time| match time.value {
        TimeValue::Date { year, month, day } => Some((year, month?, day?)),
        _ => None,
    });
    let day = days.next()?;
    if days.any(|other| other != day) {
        return None;
    }
    let part = narrated_times(sentence).find_map(|time| match time.value {
        TimeValue::PartOfDay(part) => Some(part),
        _ => None,
    });
    Some(Date { day, part, hour: hour() })
}

impl Search<'_, '_> {
    /// Whether two statements of one scene exclude each other.
    fn is_one_scene(&mut self, first: &Statement, second: &Statement) -> bool {
        self.is_near(first, second)
            && first.is_present_tense == second.is_present_tense
            && self.may_exclude(first, second)
            && !self.is_shifted(first, second, |shifts| shifts.motion.max(shifts.time))
    }

    /// Whether two statements of one date exclude each other.
    fn is_one_date(&mut self, first: &Statement, second: &Statement) -> bool {
        let (Some(date), Some(other)) = (&first.date, &second.date) else { return false };
        let distance = self.all[second.sentence].chapter - self.all[first.sentence].chapter;
        date.may_equal(other)
            && (date.day.0.is_some() || distance <= 1)
            && self.may_exclude(first, second)
            && !self.is_shifted(first, second, |shifts| shifts.motion)
    }

    /// Whether few sentences of one chapter stand between two statements.
    fn is_near(&self, first: &Statement, second: &Statement) -> bool {
        let is_one_chapter = self.all[first.sentence].chapter == self.all[second.sentence].chapter;
        is_one_chapter && second.sentence - first.sentence <= MAX_DISTANCE
    }

    /// Whether two statements may be a pair if they are about the same time.
    fn may_exclude(&self, first: &Statement, second: &Statement) -> bool {
        first.sentence != second.sentence
            && first.place != second.place
            && !second.is_arrival
            && !self.used.contains(&first.sentence)
            && !self.used.contains(&second.sentence)
            && !self.nesting.may_nest(first.place, second.place)
    }

    /// Whether a sentence has a shift between two statements. Of two that are far apart only their own sentences count.
    fn is_shifted(&mut self, first: &Statement, second: &Statement, kind: fn(&Shifts) -> Option<usize>) -> bool {
        let is_left = kind(&self.shifts_of(first.sentence)).is_some_and(|byte| byte >= first.range.end);
        let from = if self.is_near(first, second) { first.sentence + 1 } else { second.sentence };
        is_left || (from..=second.sentence).any(|number| kind(&self.shifts_of(number)).is_some())
    }

    fn shifts_of(&mut self, number: usize) -> Shifts {
        if let Some(known) = self.shifts.get(&number) {
            return *known;
        }
        let sentence = &self.all[number];
        let shifts = if sentence.text.len() > MAX_SENTENCE_BYTES || is_scene_break(self.book, self.all, number) {
            Shifts::BREAK
        } else {
            match self.book.language {
                Language::En => en::shifts_in(sentence),
                Language::Zh => zh::shifts_in(sentence),
            }
        };
        self.shifts.insert(number, shifts);
        shifts
    }

    fn pair(&mut self, first: &Statement, second: &Statement) -> Option<Pair> {
        let count = self.counts.entry(first.entity).or_default();
        if *count == MAX_OF_CHARACTER {
            return None;
        }
        *count += 1;
        self.used.extend([first.sentence, second.sentence]);
        let side = |one: &Statement| {
            let sentence = &self.all[one.sentence];
            (sentence.place(Some(one.range.clone())), sentence.text[one.range.clone()].to_owned())
        };
        let subject = if self.book.language == Language::Zh { "所在" } else { "place" };
        Some(pair_of(self.book, (Kind::Where, first.entity, subject), [side(first), side(second)]))
    }
}

/// Whether a sentence is a line of marks, a heading, the start of a text that the narration quotes, or the first one
/// behind two empty lines.
fn is_scene_break(book: &Book<'_>, all: &[Sentence<'_>], number: usize) -> bool {
    let sentence = &all[number];
    let text = sentence.text.trim_end();
    let is_rule = text.chars().all(|c| {
        matches!(
            c,
            '*' | '-' | '_' | '=' | '~' | '#' | '·' | '•' | '＊' | '⁂' | '※' | '—' | '–' | '◇' | '◆' | '☆' | '★'
        ) || c.is_whitespace()
    });
    let before = number.checked_sub(1).map(|before| &all[before]);
    let is_alone = !before.is_some_and(|before| before.is_beside(sentence))
        && !all.get(number + 1).is_some_and(|after| after.is_beside(sentence));
    let has_no_end = text.ends_with(char::is_alphanumeric) && text.chars().nth(MAX_HEADING_CHARS).is_none();
    let gap = before
        .filter(|before| before.chapter == sentence.chapter)
        .and_then(|before| book.chapters.get(sentence.chapter)?.get(before.start + before.text.len()..sentence.start));
    let is_behind_gap = gap.is_some_and(|gap| gap.matches('\n').count() > 2);
    is_rule || text.starts_with('#') || text.ends_with([':', '：']) || is_alone && has_no_end || is_behind_gap
}

#[cfg(test)]
mod tests;
