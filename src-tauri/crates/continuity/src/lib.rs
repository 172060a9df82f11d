//! Continuity issues: two places of a book that do not agree.
//!
//! Text, names and the writer's facts go in, issues come out; there is no storage, no model and no clock here.
//!
//! ```text
//! chapters ─► sentences ─┬─► ages       age against age, by the years between them
//!                        ├─► dates      weekday against date, weekday against weekday, season against month
//!                        ├─► deaths     a character acts after the text tells its death
//!                        └─► knowledge  a character knows or says what it learns later
//! facts ─────────────────┴─► facts      two facts of the writer that exclude each other
//! misspelt names ────────►              a name that differs by one letter
//!
//! sentences ─► attributes ──┬─► pairs   two sentences of which code cannot say whether they agree
//! sentences ─► whereabouts ─┤
//! facts, proposed facts ────┘
//! ```
//!
//! A rule reads one sentence, or two neighbouring ones, and takes a statement only if the sentence asserts it of a
//! named character: speech, dreams, comparisons, conditions and rumours state nothing. Two statements that do not agree
//! are an issue. Rules prefer silence: a book may well be right in a way that no rule sees.
//!
//! Everything is a deterministic function of its arguments, takes time in proportion to the text (and to the statements
//! about one character), and accepts any text. Offsets are bytes.

#![forbid(unsafe_code)]

mod ages;
mod attributes;
mod dates;
mod deaths;
mod en;
mod facts;
mod introductions;
mod knowledge;
mod numbers;
mod pairs;
mod sentences;
mod signature;
mod threads;
mod whereabouts;
mod world_rules;
mod zh;

use std::{fmt, ops::Range};

use palimpsest_reader::{drift::Drift, names::EntityKind};
use palimpsest_text::Language;

pub use facts::{Fact, Knower, StoryDate, Validity, is_exclusive, is_same_value};
pub use pairs::{Pair, find_pairs};
use sentences::Sentences;
pub use threads::Thread;

/// A book, in reading order.
#[derive(Clone, Copy)]
pub struct Book<'b> {
    /// The language of most of its text.
    pub language: Language,
    /// The texts of its chapters.
    pub chapters: &'b [&'b str],
    /// The entities that it names.
    pub entities: &'b [Entity],
    /// The facts of the writer.
    pub facts: &'b [Fact],
    /// Of the facts of the writer, the rules of the world.
    pub rules: &'b [Fact],
    /// The threads of the writer that the story has not answered.
    pub threads: &'b [Thread],
    /// Facts that a study proposes. They are no issue by themselves: see [`find_pairs`].
    pub proposed: &'b [Fact],
    /// The names that are probably misspelt. [`Drift::entity`] is an index of `entities`.
    pub drifts: &'b [Drift],
}

impl<'b> Book<'b> {
    /// A book of which the writer has said nothing.
    #[must_use]
    pub fn new(language: Language, chapters: &'b [&'b str], entities: &'b [Entity]) -> Self {
        Self { language, chapters, entities, facts: &[], rules: &[], threads: &[], proposed: &[], drifts: &[] }
    }
}

impl fmt::Debug for Book<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book").field("chapters", &self.chapters.len()).finish_non_exhaustive()
    }
}

/// An entity with the words by which the text names it.
#[derive(Clone, PartialEq, Eq)]
pub struct Entity {
    /// Only a character acts, knows and has an age.
    pub kind: EntityKind,
    /// Its name. The signature of an issue depends on it.
    pub name: String,
    /// All its forms, the most frequent first.
    pub forms: Vec<String>,
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entity").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The kind of a disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A name is probably misspelt.
    NameDrift,
    /// Two people have one name.
    TwoForOne,
    /// An exclusive attribute has two values.
    Attribute,
    /// Two ages of a character do not fit the years between them.
    Age,
    /// A date and its weekday, or two dates and the span between them, do not fit the calendar.
    Date,
    /// A season and a month do not fit each other.
    Season,
    /// Two weekdays do not fit the days between them.
    Weekday,
    /// A character acts after its death.
    DeadActs,
    /// A character is known before the text introduces it.
    BeforeIntroduced,
    /// A character knows something that it learns later.
    KnowsTooEarly,
    /// A character is in two places.
    Where,
    /// A sentence breaks a rule of the world.
    WorldRule,
    /// A thread has not been touched for long.
    OpenThread,
}

impl Kind {
    /// The name of the kind, which the signature of an issue depends on.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NameDrift => "nameDrift",
            Self::TwoForOne => "twoForOne",
            Self::Attribute => "attribute",
            Self::Age => "age",
            Self::Date => "date",
            Self::Season => "season",
            Self::Weekday => "weekday",
            Self::DeadActs => "deadActs",
            Self::BeforeIntroduced => "beforeIntroduced",
            Self::KnowsTooEarly => "knowsTooEarly",
            Self::Where => "where",
            Self::WorldRule => "worldRule",
            Self::OpenThread => "openThread",
        }
    }
}

/// The method that found an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoundBy {
    /// From the text alone.
    Computed,
    /// With a fact of the writer.
    Facts,
}

/// A place of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Number of the chapter, from 0.
    pub chapter: usize,
    /// Bytes of the quote in the chapter's text: a sentence, or the quote of a fact.
    pub range: Range<usize>,
    /// Bytes, in the chapter's text and inside the quote, of the words that do not agree with the other place.
    pub differs: Option<Range<usize>>,
}

impl Place {
    /// Whether two places have words of the text in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.chapter == other.chapter && self.range.start < other.range.end && other.range.start < self.range.end
    }

    /// The order of the book.
    pub(crate) fn order(&self) -> (usize, usize, usize, usize) {
        (self.chapter, self.range.start, self.range.end, self.differs.as_ref().map_or(0, |range| range.start))
    }
}

/// Two places of a book that do not agree.
#[derive(Clone, PartialEq, Eq)]
pub struct Issue {
    /// The kind of the disagreement.
    pub kind: Kind,
    /// The method that found it.
    pub found_by: FoundBy,
    /// Index of the entity; `None` for an issue about the calendar alone.
    pub entity: Option<usize>,
    /// The place that comes first in the book.
    pub first: Place,
    /// The other place. It is the first one where one sentence contradicts itself.
    pub second: Place,
    /// The values that differ, in the order of the places; empty where there are none.
    pub values: Vec<String>,
    /// 64 hexadecimal digits: the same as long as kind, entity and the words of both quotes are.
    pub signature: String,
}

impl fmt::Debug for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issue").field("kind", &self.kind).field("first", &self.first).finish_non_exhaustive()
    }
}

/// Two statements that do not agree, before it is known where in the book they are.
pub(crate) struct Clash {
    pub(crate) kind: Kind,
    pub(crate) found_by: FoundBy,
    pub(crate) entity: Option<usize>,
    pub(crate) places: [Place; 2],
    pub(crate) values: Vec<String>,
}

/// The issues of a book, in the order of their first places. Two issues have different signatures.
#[must_use]
pub fn find(book: &Book<'_>) -> Vec<Issue> {
    find_in(book, &Sentences::new(book))
}

/// The issues of [`find`] and the pairs of [`find_pairs`], with one reading of the sentences.
#[must_use]
pub fn find_with_pairs(book: &Book<'_>) -> (Vec<Issue>, Vec<Pair>) {
    let sentences = Sentences::new(book);
    (find_in(book, &sentences), pairs::pairs_in(book, &sentences))
}

fn find_in(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Issue> {
    let mut clashes = ages::age_clashes(book, sentences);
    clashes.extend(dates::calendar_clashes(book.language, sentences));
    clashes.extend(deaths::death_clashes(book, sentences));
    clashes.extend(knowledge::knowledge_clashes(book, sentences));
    clashes.extend(facts::fact_clashes(book));
    clashes.extend(threads::open_threads(book, sentences));
    clashes.extend(book.drifts.iter().filter_map(|drift| sentences.drift(book, drift)));
    let mut issues: Vec<Issue> = clashes.into_iter().map(|clash| issue(book, clash)).collect();
    issues.sort_by_key(|issue| (issue.first.order(), issue.second.order(), issue.kind));
    let mut seen = rustc_hash::FxHashSet::default();
    issues.retain(|issue| seen.insert(issue.signature.clone()));
    issues
}

fn issue(book: &Book<'_>, clash: Clash) -> Issue {
    let Clash { kind, found_by, entity, places: [mut first, mut second], mut values } = clash;
    let entity = entity.filter(|entity| *entity < book.entities.len());
    if second.order() < first.order() {
        std::mem::swap(&mut first, &mut second);
        values.reverse();
    }
    let signature = issue_signature(book, kind, entity, [&first, &second]);
    Issue { kind, found_by, entity, first, second, values, signature }
}

/// The signature of an issue with these places.
fn issue_signature(book: &Book<'_>, kind: Kind, entity: Option<usize>, places: [&Place; 2]) -> String {
    let name = entity.and_then(|entity| book.entities.get(entity)).map_or("", |entity| entity.name.as_str());
    let quote = |place: &Place| book.chapters.get(place.chapter).and_then(|text| text.get(place.range.clone()));
    signature::of_issue(kind, name, places.map(|place| quote(place).unwrap_or_default()))
}
