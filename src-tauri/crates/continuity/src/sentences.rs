//! The sentences of a book, with the entities that they name and the times that they tell.

use std::ops::Range;

use palimpsest_reader::{
    drift::Drift,
    mentions::{Matcher, Mention},
    names::EntityKind,
    times::{TimeExpression, TimeValue, times},
};
use palimpsest_text::{paragraphs, quotations, sentences};

use crate::{Book, Clash, FoundBy, Kind, Place};

/// A sentence of a chapter.
#[derive(Debug)]
pub(crate) struct Sentence<'b> {
    /// Number of the chapter, from 0.
    pub(crate) chapter: usize,
    /// Number of the paragraph in its chapter.
    pub(crate) paragraph: usize,
    /// Byte in the chapter at which it starts.
    pub(crate) start: usize,
    pub(crate) text: &'b str,
    /// The mentions of entities in it. Ranges are bytes of the sentence.
    pub(crate) mentions: Vec<Mention>,
    /// The expressions of time in it. Ranges are bytes of the sentence.
    pub(crate) times: Vec<TimeExpression>,
    /// The speech in it, as bytes of the sentence.
    pub(crate) speech: Vec<Range<usize>>,
}

impl Sentence<'_> {
    /// Whether a byte of the sentence is in speech.
    pub(crate) fn is_spoken(&self, at: usize) -> bool {
        self.speech.iter().any(|speech| speech.start <= at && at < speech.end)
    }

    /// The mentions in its narration, in order.
    pub(crate) fn narrated_mentions(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|one| !self.is_spoken(one.range.start))
    }

    /// The place of the sentence, with the words that differ as bytes of the sentence.
    pub(crate) fn place(&self, differs: Option<Range<usize>>) -> Place {
        let differs = differs.map(|range| self.start + range.start..self.start + range.end);
        Place { chapter: self.chapter, range: self.start..self.start + self.text.len(), differs }
    }

    /// Whether two sentences are in one paragraph.
    pub(crate) fn is_beside(&self, other: &Sentence<'_>) -> bool {
        self.chapter == other.chapter && self.paragraph == other.paragraph
    }
}

/// The sentences of a book in order.
#[derive(Debug)]
pub(crate) struct Sentences<'b> {
    pub(crate) all: Vec<Sentence<'b>>,
}

impl<'b> Sentences<'b> {
    pub(crate) fn new(book: &Book<'b>) -> Self {
        let forms = book
            .entities
            .iter()
            .enumerate()
            .flat_map(|(number, entity)| entity.forms.iter().map(move |form| (form.as_str(), number)));
        let matcher = Matcher::of_forms(forms);
        let mut all = Vec::new();
        for (chapter, text) in book.chapters.iter().enumerate() {
            add_sentences(chapter, text, &matcher, &mut all);
        }
        Self { all }
    }

    /// The sentence at a byte of a chapter, or the last one before it.
    pub(crate) fn at(&self, chapter: usize, byte: usize) -> Option<&Sentence<'b>> {
        let after = self.all.partition_point(|one| (one.chapter, one.start) <= (chapter, byte));
        self.all.get(after.checked_sub(1)?).filter(|one| one.chapter == chapter)
    }

    /// The sentence at a byte of a chapter; before the first one of the chapter that one.
    pub(crate) fn at_or_after(&self, chapter: usize, byte: usize) -> Option<&Sentence<'b>> {
        let first = || self.all.get(self.all.partition_point(|one| one.chapter < chapter));
        self.at(chapter, byte).or_else(|| first().filter(|one| one.chapter == chapter))
    }

    /// The misspelt name, beside the first place with the name that was meant.
    pub(crate) fn drift(&self, book: &Book<'_>, drift: &Drift) -> Option<Clash> {
        let odd = self.at(drift.chapter, drift.range.start)?;
        let written = book.chapters.get(drift.chapter)?.get(drift.range.clone())?;
        let is_meant = |sentence: &Sentence<'_>, mention: &Mention| {
            mention.entity == drift.entity && sentence.text[mention.range.clone()].contains(&drift.meant)
        };
        let right = |sentence: &'_ Sentence<'b>| {
            let mention = sentence.mentions.iter().find(|mention| is_meant(sentence, mention))?;
            let at = mention.range.start + sentence.text[mention.range.clone()].find(&drift.meant)?;
            Some(sentence.place(Some(at..at + drift.meant.len())))
        };
        let right = self.all.iter().find_map(right)?;
        let range = drift.range.start.checked_sub(odd.start)?..drift.range.end - odd.start;
        let place = odd.place(Some(range));
        Some(Clash {
            kind: Kind::NameDrift,
            found_by: FoundBy::Computed,
            entity: Some(drift.entity),
            places: [place, right],
            values: vec![written.to_owned(), drift.meant.clone()],
        })
    }
}

fn add_sentences<'b>(chapter: usize, text: &'b str, matcher: &Matcher, all: &mut Vec<Sentence<'b>>) {
    let mut mentions = matcher.find(text).into_iter().peekable();
    let mut times = times(text).into_iter().peekable();
    for (paragraph, range) in paragraphs::ranges(text).into_iter().enumerate() {
        let speech = quotations::speech_ranges(&text[range.clone()]);
        for sentence in sentences::split(&text[range.clone()]) {
            let start = sentence.as_ptr().addr() - text.as_ptr().addr();
            let end = start + sentence.len();
            let inside = |range: Range<usize>| {
                let (from, to) = (range.start.max(start), range.end.min(end));
                (from < to).then(|| from - start..to - start)
            };
            let mut row = Sentence {
                chapter,
                paragraph,
                start,
                text: sentence,
                mentions: Vec::new(),
                times: Vec::new(),
                speech: Vec::new(),
            };
            while let Some(mention) = mentions.next_if(|one| one.range.start < end) {
                if mention.range.start >= start && mention.range.end <= end {
                    let range = mention.range.start - start..mention.range.end - start;
                    row.mentions.push(Mention { range, entity: mention.entity });
                }
            }
            while let Some(time) = times.next_if(|one| one.range.start < end) {
                if time.range.start >= start && time.range.end <= end {
                    let range = time.range.start - start..time.range.end - start;
                    row.times.push(TimeExpression { range, value: time.value });
                }
            }
            let spoken = speech.iter().map(|one| range.start + one.start..range.start + one.end);
            row.speech = spoken.filter_map(inside).collect();
            all.push(row);
        }
    }
}

/// Whether the narration of a sentence leads to an earlier time: `ten years before`, 二十年前.
pub(crate) fn leads_back(sentence: &Sentence<'_>) -> bool {
    sentence.times.iter().any(|time| {
        let is_earlier = matches!(time.value, TimeValue::After { amount, .. } if amount < 0);
        is_earlier && !sentence.is_spoken(time.range.start)
    })
}

/// Whether an entity is a character.
pub(crate) fn is_character(book: &Book<'_>, entity: usize) -> bool {
    book.entities.get(entity).is_some_and(|entity| entity.kind == EntityKind::Character)
}

/// Issues of small books, for the tests of the rules.
#[cfg(test)]
pub(crate) mod testing {
    use palimpsest_reader::names::EntityKind;
    use palimpsest_text::Language;

    use crate::{Book, Entity, Issue, Kind, find};

    /// The issues of a book whose characters have these names.
    pub(crate) fn issues(language: Language, names: &[&str], chapters: &[&str]) -> Vec<Issue> {
        let entity = |name: &&str| Entity {
            kind: EntityKind::Character,
            name: (*name).to_owned(),
            forms: vec![(*name).to_owned()],
        };
        let entities: Vec<Entity> = names.iter().map(entity).collect();
        find(&Book::new(language, chapters, &entities))
    }

    /// The kinds of the issues.
    pub(crate) fn kinds(language: Language, names: &[&str], chapters: &[&str]) -> Vec<Kind> {
        issues(language, names, chapters).into_iter().map(|issue| issue.kind).collect()
    }

    /// The quotes of the issues of one kind.
    pub(crate) fn quotes(language: Language, names: &[&str], chapters: &[&str], kind: Kind) -> Vec<(String, String)> {
        let quote = |place: &crate::Place| chapters[place.chapter][place.range.clone()].to_owned();
        let found = issues(language, names, chapters).into_iter().filter(|issue| issue.kind == kind);
        found.map(|issue| (quote(&issue.first), quote(&issue.second))).collect()
    }
}
