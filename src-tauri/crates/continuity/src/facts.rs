//! The writer's facts, as far as they can clash.

use std::{fmt, ops::Range};

use rustc_hash::FxHashMap;

use crate::{Book, Clash, FoundBy, Kind, Place, sentences::Sentences};

/// A fact about an entity by the writer's word, with a sentence that says so.
#[derive(Clone, PartialEq, Eq)]
pub struct Fact {
    /// Index of the entity.
    pub entity: usize,
    /// The side of the entity that it tells of, in the writer's words.
    pub attribute: String,
    /// The value, in the writer's words.
    pub value: String,
    /// Whether the narration asserts it: what a character says or believes clashes with nothing.
    pub is_asserted: bool,
    /// The quote that says so: number of the chapter, and bytes. `None`: the text has none.
    pub quote: Option<(usize, Range<usize>)>,
    /// When it holds, in the time of the story.
    pub validity: Validity,
    /// The characters that learn it.
    pub knowers: Vec<Knower>,
}

/// A date of the story: year, month and day, of which month and day may be missing (0).
pub type StoryDate = (u16, u8, u8);

/// When a fact holds, in the time of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// The writer gave no time.
    Always,
    /// From a date until another one; one that is missing is open.
    Dates {
        /// The first date.
        from: Option<StoryDate>,
        /// The last date.
        until: Option<StoryDate>,
    },
    /// Another fact replaces it, or its time has no year.
    Unknown,
}

impl Validity {
    /// Whether two facts certainly hold at one time. One without a time and one with a time do not: the writer says a
    /// time where something changes. Of two that only begin, the later one replaces the other.
    fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Always, Self::Always) => true,
            (Self::Dates { from, until }, Self::Dates { from: other_from, until: other_until }) => {
                if from.is_some() && from == other_from {
                    return true;
                }
                let end = |own: Option<StoryDate>, own_from, other_from: Option<StoryDate>| {
                    own.map(earliest).or_else(|| other_from.filter(|from| Some(*from) > own_from).map(earliest))
                };
                let ends = [end(until, from, other_from), end(other_until, other_from, from)];
                let start = from.map(latest).max(other_from.map(latest));
                ends.into_iter().flatten().all(|end| start < Some(end))
            }
            _ => false,
        }
    }

    /// Whether it has no end.
    fn is_open(self) -> bool {
        matches!(self, Self::Always | Self::Dates { until: None, .. })
    }
}

/// The first day that a date may mean.
fn earliest((year, month, day): StoryDate) -> StoryDate {
    (year, month.max(1), day.max(1))
}

/// The last day that a date may mean.
fn latest((year, month, day): StoryDate) -> StoryDate {
    (year, if month == 0 { 12 } else { month }, if day == 0 { 31 } else { day })
}

impl fmt::Debug for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fact").field("entity", &self.entity).finish_non_exhaustive()
    }
}

/// A character that knows a fact, from a place on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knower {
    /// Index of the entity.
    pub entity: usize,
    /// Number of the chapter.
    pub chapter: usize,
    /// Byte of its text.
    pub offset: usize,
}

/// Attributes of which an entity has one value at a time, in small letters without white space.
const EXCLUSIVE: [&str; 74] = [
    "eyes",
    "eye",
    "eyecolour",
    "eyecolor",
    "hair",
    "haircolour",
    "haircolor",
    "born",
    "birth",
    "birthday",
    "birthdate",
    "dateofbirth",
    "yearofbirth",
    "birthyear",
    "birthplace",
    "placeofbirth",
    "height",
    "sex",
    "gender",
    "mother",
    "father",
    "handedness",
    "hand",
    "age",
    "species",
    "race",
    "surname",
    "lastname",
    "firstname",
    "nationality",
    "bloodtype",
    "skin",
    "build",
    "died",
    "death",
    "dateofdeath",
    "founded",
    "colour",
    "color",
    "eldest",
    "眼睛",
    "眼珠",
    "瞳孔",
    "瞳色",
    "眼色",
    "头发",
    "发色",
    "出生",
    "生日",
    "生年",
    "生于",
    "出生地",
    "籍贯",
    "身高",
    "性别",
    "母亲",
    "父亲",
    "惯用手",
    "年龄",
    "种族",
    "姓",
    "国籍",
    "血型",
    "肤色",
    "身材",
    "卒年",
    "死于",
    "去世",
    "建于",
    "颜色",
    "排行",
    "属相",
    "生肖",
    "祖籍",
];
/// Attributes of a death.
const DEATH: [&str; 10] = ["died", "death", "dead", "dateofdeath", "killed", "死", "死亡", "死于", "去世", "卒年"];

fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether an entity has one value of an attribute at a time.
#[must_use]
pub fn is_exclusive(attribute: &str) -> bool {
    EXCLUSIVE.contains(&folded(attribute).as_str())
}

/// A fact with its place, and a mark of the caller's.
type Placed<'f, M> = (&'f Fact, Place, M);

/// The facts that can clash, with their places, in groups of one entity and exclusive attribute, in their order.
pub(crate) fn exclusive_facts<'f, M>(
    book: &Book<'_>,
    facts: impl Iterator<Item = (&'f Fact, M)>,
) -> Vec<Vec<Placed<'f, M>>> {
    let mut numbers: FxHashMap<(usize, String), usize> = FxHashMap::default();
    let mut groups: Vec<Vec<Placed<'f, M>>> = Vec::new();
    for (fact, mark) in facts.filter(|(fact, _)| fact.is_asserted && is_exclusive(&fact.attribute)) {
        let Some(place) = quote_place(book, fact) else { continue };
        let number = *numbers.entry((fact.entity, folded(&fact.attribute))).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push((fact, place, mark));
    }
    groups
}

/// Whether two values say the same: 蓝 and 蓝色的 are one value, and so are all values of which one contains the other.
#[must_use]
pub fn is_same_value(one: &str, other: &str) -> bool {
    let (one, other) = (folded(one), folded(other));
    one.contains(&other) || other.contains(&one)
}

impl Fact {
    /// Whether another value of the same attribute holds at the same time.
    pub(crate) fn clashes_with(&self, other: &Self) -> bool {
        !is_same_value(&self.value, &other.value) && self.validity.overlaps(other.validity)
    }
}

/// The pairs of facts of which only one can hold: the same entity and exclusive attribute, other values at one time,
/// both with a quote. Each fact is compared with the first one of another value.
pub(crate) fn fact_clashes(book: &Book<'_>) -> Vec<Clash> {
    let mut found = Vec::new();
    for group in exclusive_facts(book, book.facts.iter().map(|fact| (fact, ()))) {
        for (at, (fact, place, ())) in group.iter().enumerate() {
            let other = group[..at].iter().find(|(other, _, ())| fact.clashes_with(other));
            let Some((other, other_place, ())) = other else { continue };
            found.push(Clash {
                kind: Kind::Attribute,
                found_by: FoundBy::Facts,
                entity: Some(fact.entity),
                places: [other_place.clone(), place.clone()],
                values: vec![other.value.clone(), fact.value.clone()],
            });
        }
    }
    found
}

/// The place of the quote of a fact, with the words of its value.
pub(crate) fn quote_place(book: &Book<'_>, fact: &Fact) -> Option<Place> {
    let (chapter, range) = fact.quote.clone()?;
    let quote = book.chapters.get(chapter)?.get(range.clone())?;
    let differs = quote.find(fact.value.trim()).map(|at| range.start + at..range.start + at + fact.value.trim().len());
    Some(Place { chapter, range, differs: differs.filter(|range| !range.is_empty()) })
}

/// The deaths by the writer's word: the entity, the place of the quote, the number of its paragraph, the value.
pub(crate) fn death_facts(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<(usize, Place, usize, String)> {
    let is_death =
        |fact: &&Fact| fact.is_asserted && fact.validity.is_open() && DEATH.contains(&folded(&fact.attribute).as_str());
    let death = |fact: &Fact| {
        let place = quote_place(book, fact)?;
        let paragraph = sentences.at(place.chapter, place.range.start)?.paragraph;
        Some((fact.entity, place, paragraph, fact.value.clone()))
    };
    book.facts.iter().filter(is_death).filter_map(death).collect()
}

#[cfg(test)]
mod tests;
