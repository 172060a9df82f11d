//! Characters that know something before the text says that they learn it.
//!
//! A statement says that a character knows, or says, something; another one that it learns it, for the first time. The
//! two are about the same if their words are, without names and the words of grammar.

mod en;
mod repeated;
mod zh;

use std::ops::Range;

use palimpsest_text::Language;
use repeated::Telling;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    Book, Clash, Fact, FoundBy, Kind, Place, Validity,
    sentences::{Sentence, Sentences, is_character},
};

/// Least share of the shorter of two contents that the other one has.
const MIN_SHARE: f64 = 0.7;
/// Least share of the longer of two contents.
const MIN_SHARE_OF_LONGER: f64 = 0.45;

/// Most earlier sentences of one character with the same run of words that a sentence is compared with.
const MAX_OF_RUN: usize = 8;

/// Whether a character knows, or learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It knows, or says.
    Knows,
    /// It learns, and did not know before.
    Learns,
}

/// A statement of what a character knows or learns.
#[derive(Debug, Clone)]
struct Statement {
    entity: usize,
    step: Step,
    /// Bytes of the words of the sentence that say so.
    range: Range<usize>,
    content: Content,
}

/// The words of what is known: stems in English, pairs of characters in Chinese, and the entities that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Content(FxHashSet<String>);

impl Content {
    /// A word for an entity, the same for each of its names.
    fn entity(entity: usize) -> String {
        format!("#{entity}")
    }

    /// The stems or pairs of characters, and the words for entities.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.0.iter().cloned()
    }

    /// Its words, of which an entity counts twice: a matter of few words is known by whom it is about.
    fn weight(&self) -> usize {
        self.0.len() + self.0.iter().filter(|word| word.starts_with('#')).count()
    }

    /// Whether it has `share` of the words of another content, and at least `min` of them.
    pub(crate) fn covers(&self, other: &Self, share: f64, min: usize) -> bool {
        let shared = other.0.iter().filter(|word| self.0.contains(*word)).count();
        shared >= min && shared as f64 >= share * other.0.len() as f64
    }

    /// Whether two contents are the same matter.
    fn is_same(&self, other: &Self, min: usize) -> bool {
        let both: FxHashSet<String> = self.0.intersection(&other.0).cloned().collect();
        let (shared, is_enough) = (both.len(), Content(both).weight() >= min);
        let (shorter, longer) = (self.0.len().min(other.0.len()), self.0.len().max(other.0.len()));
        is_enough && shared as f64 >= MIN_SHARE * shorter as f64 && shared as f64 >= MIN_SHARE_OF_LONGER * longer as f64
    }
}

impl FromIterator<String> for Content {
    fn from_iter<T: IntoIterator<Item = String>>(words: T) -> Self {
        Self(words.into_iter().collect())
    }
}

/// The knowledge of a character: its place, and the words.
struct Known {
    place: Place,
    content: Content,
    value: String,
}

/// Each matter that a character learns after it knew it.
pub(crate) fn knowledge_clashes(book: &Book<'_>, sentences: &Sentences<'_>) -> Vec<Clash> {
    let min = if book.language == Language::En { 2 } else { 3 };
    let mut known: FxHashMap<usize, Vec<Known>> = FxHashMap::default();
    let mut found = Vec::new();
    for (number, sentence) in sentences.all.iter().enumerate() {
        for statement in statements(book.language, &sentences.all, number) {
            if !is_character(book, statement.entity) || statement.content.weight() < min {
                continue;
            }
            let place = sentence.place(Some(statement.range.clone()));
            let value = sentence.text[statement.range].to_owned();
            let earlier = known.entry(statement.entity).or_default();
            match statement.step {
                Step::Knows => earlier.push(Known { place, content: statement.content, value }),
                Step::Learns => {
                    if let Some(before) = earlier.iter().find(|one| one.content.is_same(&statement.content, min)) {
                        found.push(Clash {
                            kind: Kind::KnowsTooEarly,
                            found_by: FoundBy::Computed,
                            entity: Some(statement.entity),
                            places: [before.place.clone(), place],
                            values: vec![before.value.clone(), value],
                        });
                    }
                }
            }
        }
    }
    found.extend(repeated_clashes(book, sentences, &found));
    found.extend(book.facts.iter().flat_map(|fact| known_before(book, sentences, fact, &known, min)));
    found
}

/// Each matter that two sentences tell in the same words, unless one of the clashes of `known` has the second one.
fn repeated_clashes(book: &Book<'_>, sentences: &Sentences<'_>, known: &[Clash]) -> Vec<Clash> {
    let tellings = Telling::all(book, &sentences.all);
    // The first tellings of a character with a run of words.
    let mut by_run: FxHashMap<(usize, String), Vec<usize>> = FxHashMap::default();
    let mut found = Vec::new();
    for (at, telling) in tellings.iter().enumerate() {
        let runs: Vec<(usize, String)> = telling.runs(book.language).map(|run| (telling.entity, run)).collect();
        let mut earlier = runs.iter().filter_map(|run| by_run.get(run)).flatten();
        let before =
            earlier.find(|earlier| tellings[**earlier].is_known_before(telling, book.language, &sentences.all));
        if let Some(before) = before {
            let [before, later] = [&tellings[*before], telling].map(|one| &sentences.all[one.sentence]);
            let place = later.place(None);
            if !known.iter().any(|clash| clash.places[1].overlaps(&place)) {
                found.push(Clash {
                    kind: Kind::KnowsTooEarly,
                    found_by: FoundBy::Computed,
                    entity: Some(telling.entity),
                    places: [before.place(None), place],
                    values: vec![before.text.to_owned(), later.text.to_owned()],
                });
            }
        }
        for run in runs {
            let known = by_run.entry(run).or_default();
            if known.len() < MAX_OF_RUN {
                known.push(at);
            }
        }
    }
    found
}

/// The content of a text in a language.
pub(crate) fn matter_of(language: Language, text: &str) -> Content {
    match language {
        Language::En => en::content_of(text),
        Language::Zh => zh::content_of(text),
    }
}

fn statements(language: Language, all: &[Sentence<'_>], number: usize) -> Vec<Statement> {
    let sentence = &all[number];
    if sentence.mentions.is_empty() && sentence.speech.is_empty() {
        return Vec::new();
    }
    match language {
        Language::En => en::knowledge_in(sentence),
        Language::Zh => zh::knowledge_in(all, number),
    }
}

/// Where the knowers of a fact know it before the writer says that they learn it.
fn known_before(
    book: &Book<'_>,
    sentences: &Sentences<'_>,
    fact: &Fact,
    known: &FxHashMap<usize, Vec<Known>>,
    min: usize,
) -> Vec<Clash> {
    let content = matter_of(book.language, &fact.value);
    if content.0.len() < min || fact.validity != Validity::Always {
        return Vec::new();
    }
    let clash = |knower: &crate::Knower| {
        let learnt = sentences.at(knower.chapter, knower.offset)?;
        let is_before = |one: &&Known| (one.place.chapter, one.place.range.end) <= (learnt.chapter, learnt.start);
        let early =
            known.get(&knower.entity)?.iter().filter(is_before).find(|one| one.content.is_same(&content, min))?;
        Some(Clash {
            kind: Kind::KnowsTooEarly,
            found_by: FoundBy::Facts,
            entity: Some(knower.entity),
            places: [early.place.clone(), learnt.place(None)],
            values: vec![early.value.clone(), fact.value.clone()],
        })
    };
    fact.knowers.iter().filter_map(clash).collect()
}

#[cfg(test)]
mod tests;
