//! The evidence of a Chinese book by chapter, so that a position is read without the chapters before it.
//!
//! The evidence of a chapter depends on other chapters in two places alone: which pairs of words are read as one, and
//! which forms are looked for in it. Both are decided on sums over the chapters up to the position. The sums are
//! kept without joined words, and moved to another position by the chapters between the two; of a chapter, the changes
//! that its joined words make are kept for the pairs that were joined last, and the places of each form that was ever
//! looked for. All sums are of whole numbers, so that the names as of a position are exactly those that
//! [`detect_zh`](super::detect_zh) finds in the text up to it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    super::EntityMentions,
    ChapterKey, DetectedEntity, KnownEntity, Names, TaggedChapter, TaggedWord, detect,
    evidence::{Joined, PairSet, Reading, Row, Summed},
    places::{FormTable, Places, Search, SearchedChapter},
    table::Tables,
};

/// A chapter with the readings of it that were used last.
#[derive(Debug)]
struct Chapter {
    key: ChapterKey,
    text: Arc<str>,
    places: Places,
    words: ChapterWords,
}

#[derive(Debug)]
struct ChapterWords {
    row: Arc<Row>,
    /// The words after the first round, with the pairs that it joined in the book.
    joined: Option<(Arc<PairSet>, Arc<Joined>)>,
    /// The reading after the second round, with the pairs that it joined in the book.
    reading: Option<(Arc<PairSet>, Arc<Reading>)>,
}

impl ChapterWords {
    fn new(chapter: &TaggedChapter<'_>, tables: &mut Tables) -> Self {
        Self { row: Arc::new(Row::new(chapter, tables)), joined: None, reading: None }
    }

    /// The words with these pairs joined, those of the last time if the chapter has none of the pairs that changed.
    fn joined(&mut self, text: &str, pairs: &Arc<PairSet>, tables: &mut Tables) -> Arc<Joined> {
        if let Some((known, joined)) = &mut self.joined
            && (Arc::ptr_eq(known, pairs) || !known.difference(pairs).iter().any(|pair| self.row.has_pair(*pair)))
        {
            *known = Arc::clone(pairs);
            return Arc::clone(joined);
        }
        let joined = Arc::new(self.row.joined(text, pairs, tables));
        self.joined = Some((Arc::clone(pairs), Arc::clone(&joined)));
        self.reading = None;
        joined
    }

    /// The reading with these pairs joined in the words of the first round.
    fn reading(&mut self, text: &str, joined: &Joined, pairs: &Arc<PairSet>, tables: &mut Tables) -> Arc<Reading> {
        let has_pair = |pair: &u32| self.row.has_pair(*pair) || joined.has_new_pair(*pair);
        if let Some((known, reading)) = &mut self.reading
            && (Arc::ptr_eq(known, pairs) || !known.difference(pairs).iter().any(has_pair))
        {
            *known = Arc::clone(pairs);
            return Arc::clone(reading);
        }
        let reading = Arc::new(self.row.read(text, joined, pairs, tables));
        self.reading = Some((Arc::clone(pairs), Arc::clone(&reading)));
        reading
    }

    fn size(&self) -> usize {
        let joined = self.joined.as_ref().map_or(0, |(_, joined)| joined.size());
        let reading = self.reading.as_ref().map_or(0, |(_, reading)| reading.size());
        self.row.size() + joined + reading
    }
}

/// The evidence of a Chinese book, by chapter.
#[derive(Debug, Default)]
pub struct ZhBook {
    tables: Tables,
    forms: FormTable,
    chapters: Vec<Chapter>,
    /// The sums of the chapters up to the last position.
    summed: Summed,
}

impl ZhBook {
    /// Whether a chapter has been read.
    #[must_use]
    pub fn has_chapter(&self, key: ChapterKey) -> bool {
        self.index_of(key).is_some()
    }

    fn index_of(&self, key: ChapterKey) -> Option<usize> {
        self.chapters.binary_search_by_key(&key, |chapter| chapter.key).ok()
    }

    /// Reads a chapter, unless it has been read.
    pub fn read_chapter(&mut self, key: ChapterKey, text: &Arc<str>, words: &[TaggedWord]) {
        if let Err(at) = self.chapters.binary_search_by_key(&key, |chapter| chapter.key) {
            let words = ChapterWords::new(&TaggedChapter { text, words }, &mut self.tables);
            let (text, places) = (Arc::clone(text), Places::new(text));
            self.chapters.insert(at, Chapter { key, text, places, words });
        }
    }

    /// Forgets the evidence of a chapter; its words and forms keep their numbers.
    pub fn forget_chapter(&mut self, key: ChapterKey) {
        if let Some(at) = self.index_of(key) {
            self.chapters.remove(at);
        }
    }

    /// The words of a chapter that has been read.
    #[must_use]
    pub fn words(&self, key: ChapterKey) -> Vec<TaggedWord> {
        self.index_of(key).map_or_else(Vec::new, |at| self.chapters[at].words.row.words())
    }

    /// Bytes in memory, about.
    #[must_use]
    pub fn size(&self) -> usize {
        let of = |chapter: &Chapter| chapter.text.len() + chapter.places.size() + chapter.words.size();
        self.tables.size() + self.forms.size() + self.summed.size() + self.chapters.iter().map(of).sum::<usize>()
    }

    /// The names in chapters that have been read, in reading order. `cut` is the last of them up to a position, if it
    /// ends before the end of the chapter: a first part of its text, with the words of that part. The names are those
    /// that [`detect_zh`](super::detect_zh) finds in the same text. A chapter that has not been read is left out.
    pub fn detect(&mut self, keys: &[ChapterKey], cut: Option<TaggedChapter<'_>>, known: &[KnownEntity]) -> Names {
        let readings = self.readings(keys, cut.as_ref());
        let found = self.summed.found(readings, &self.tables);
        let mut search = search(&mut self.forms, &mut self.chapters, keys, cut.map(|cut| cut.text.len()));
        detect(&found, &mut search, known)
    }

    /// The mentions of entities in chapters that have been read; in the last chapter those that end at or before the
    /// byte `end`. The longest form counts, as for a [`Matcher`](crate::mentions::Matcher) of these entities; forms
    /// without Han characters are not found.
    pub fn mentions(&mut self, keys: &[ChapterKey], end: Option<usize>, entities: &[DetectedEntity]) -> EntityMentions {
        let mut search = search(&mut self.forms, &mut self.chapters, keys, end);
        EntityMentions::of(entities, |forms| search.mentions_of(forms.iter().copied()))
    }

    /// The reading of each chapter, with those words as one that always stand together up to the position.
    fn readings(&mut self, keys: &[ChapterKey], cut: Option<&TaggedChapter<'_>>) -> Vec<Arc<Reading>> {
        let whole = if cut.is_some() { &keys[..keys.len().saturating_sub(1)] } else { keys };
        let at: Vec<usize> = whole.iter().filter_map(|key| self.index_of(*key)).collect();
        let Self { tables, chapters, summed, .. } = self;
        let mut last = cut.map(|cut| (cut.text, ChapterWords::new(cut, tables)));
        let mut rows: Vec<Arc<Row>> = at.iter().map(|&at| Arc::clone(&chapters[at].words.row)).collect();
        rows.extend(last.iter().map(|(_, words)| Arc::clone(&words.row)));
        let first = Arc::new(summed.first_pairs(rows, tables));
        let mut joined = Vec::with_capacity(keys.len());
        for &at in &at {
            let Chapter { text, words, .. } = &mut chapters[at];
            joined.push(words.joined(text, &first, tables));
        }
        if let Some((text, words)) = &mut last {
            joined.push(words.joined(text, &first, tables));
        }
        let second = Arc::new(summed.second_pairs(joined.clone(), tables));
        let mut readings = Vec::with_capacity(keys.len());
        for (&at, joined) in at.iter().zip(&joined) {
            let Chapter { text, words, .. } = &mut chapters[at];
            readings.push(words.reading(text, joined, &second, tables));
        }
        if let (Some((text, words)), Some(joined)) = (&mut last, joined.last()) {
            readings.push(words.reading(text, joined, &second, tables));
        }
        readings
    }
}

/// A search in chapters, of which the last ends at a byte.
fn search<'b>(
    table: &'b mut FormTable,
    chapters: &'b mut [Chapter],
    keys: &[ChapterKey],
    end: Option<usize>,
) -> Search<'b> {
    let mut searched: Vec<(usize, SearchedChapter<'b>)> = Vec::with_capacity(keys.len());
    let places: FxHashMap<ChapterKey, usize> = keys.iter().copied().zip(0..).collect();
    for Chapter { key, text, places: at, .. } in chapters {
        if let Some(&number) = places.get(key) {
            let end = end.filter(|_| number + 1 == keys.len()).unwrap_or(text.len());
            searched.push((number, SearchedChapter { text, places: at, end }));
        }
    }
    searched.sort_unstable_by_key(|(number, _)| *number);
    Search { table, chapters: searched.into_iter().map(|(_, chapter)| chapter).collect() }
}
