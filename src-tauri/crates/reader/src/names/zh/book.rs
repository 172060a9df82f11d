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
    ChapterKey, DetectedEntity, KnownEntity, Names, TaggedChapter, TaggedWord, detect_in,
    evidence::{Joined, KnownPlaces, PairSet, Reading, Row, Summed},
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

/// Readings of a chapter that are kept, for as many sets of joined pairs.
const MAX_KEPT: usize = 3;

#[derive(Debug)]
struct ChapterWords {
    row: Arc<Row>,
    /// The words after the first round, with the pairs that it joined in the book; the latest last.
    joined: Vec<(Arc<PairSet>, Arc<Joined>)>,
    /// The readings after the second round, with the words that they were made of and the pairs that it joined in the
    /// book; the latest last.
    readings: Vec<(Arc<Joined>, Arc<PairSet>, Arc<Reading>)>,
    known: KnownPlaces,
}

impl ChapterWords {
    fn new(chapter: &TaggedChapter<'_>, tables: &mut Tables) -> Self {
        let row = Arc::new(Row::new(chapter, tables));
        Self { row, joined: Vec::new(), readings: Vec::new(), known: KnownPlaces::default() }
    }

    /// The words with these pairs joined, those of another time if the chapter has none of the pairs that differ.
    fn joined(&mut self, text: &str, pairs: &mut PairChanges, tables: &mut Tables) -> Arc<Joined> {
        let mut is_same = |known: &Arc<PairSet>| !pairs.since(known).iter().any(|pair| self.row.has_pair(*pair));
        let known = self.joined.iter().rposition(|(known, _)| is_same(known)).map(|at| self.joined.remove(at).1);
        let joined = known.unwrap_or_else(|| Arc::new(self.row.joined(text, &pairs.now, tables)));
        keep(&mut self.joined, (Arc::clone(&pairs.now), Arc::clone(&joined)));
        joined
    }

    /// The reading with these pairs joined in the words of the first round.
    fn reading(
        &mut self,
        text: &str,
        joined: &Arc<Joined>,
        pairs: &mut PairChanges,
        tables: &mut Tables,
    ) -> Arc<Reading> {
        let has_pair = |pair: &u32| self.row.has_pair(*pair) || joined.has_new_pair(*pair);
        let is_same = |(of, known, _): &(Arc<Joined>, Arc<PairSet>, _)| {
            Arc::ptr_eq(of, joined) && !pairs.since(known).iter().any(has_pair)
        };
        let known = self.readings.iter().rposition(is_same).map(|at| self.readings.remove(at).2);
        let reading =
            known.unwrap_or_else(|| Arc::new(self.row.read(text, (joined, &pairs.now), tables, &mut self.known)));
        keep(&mut self.readings, (Arc::clone(joined), Arc::clone(&pairs.now), Arc::clone(&reading)));
        reading
    }

    fn size(&self) -> usize {
        let joined: usize = self.joined.iter().map(|(_, joined)| joined.size()).sum();
        let readings: usize = self.readings.iter().map(|(.., reading)| reading.size()).sum();
        self.row.size() + joined + readings + self.known.size()
    }
}

/// Adds to a list of the latest, and removes the oldest.
fn keep<T>(list: &mut Vec<T>, latest: T) {
    if list.len() >= MAX_KEPT {
        list.remove(0);
    }
    list.push(latest);
}

/// The pairs that are joined now, with those in which earlier sets differ from them.
struct PairChanges {
    now: Arc<PairSet>,
    since: Vec<(Arc<PairSet>, Vec<u32>)>,
}

impl PairChanges {
    fn new(now: PairSet) -> Self {
        Self { now: Arc::new(now), since: Vec::new() }
    }

    /// The pairs that only one of the two sets has.
    fn since(&mut self, known: &Arc<PairSet>) -> &[u32] {
        let at = self.since.iter().position(|(other, _)| Arc::ptr_eq(other, known)).unwrap_or_else(|| {
            self.since.push((Arc::clone(known), known.difference(&self.now)));
            self.since.len() - 1
        });
        &self.since[at].1
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

    /// Forgets the readings of earlier positions, which can be made again.
    pub fn shrink(&mut self) {
        for Chapter { words, .. } in &mut self.chapters {
            words.joined.drain(..words.joined.len().saturating_sub(1));
            words.readings.drain(..words.readings.len().saturating_sub(1));
            words.known = KnownPlaces::default();
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
        detect_in(&found, &mut search, known)
    }

    /// The mentions of entities in chapters that have been read; in the last chapter those that end at or before the
    /// byte `end`. The longest form counts, as for a [`Matcher`](crate::mentions::Matcher) of these entities; forms
    /// without Han characters are not found.
    pub fn mentions(&mut self, keys: &[ChapterKey], end: Option<usize>, entities: &[DetectedEntity]) -> EntityMentions {
        let mut search = search(&mut self.forms, &mut self.chapters, keys, end);
        EntityMentions::find_all(entities, |forms| search.mentions_of(forms.iter().copied()))
    }

    /// The reading of each chapter, with those words as one that always stand together up to the position.
    fn readings(&mut self, keys: &[ChapterKey], cut: Option<&TaggedChapter<'_>>) -> Vec<Arc<Reading>> {
        let whole = if cut.is_some() { &keys[..keys.len().saturating_sub(1)] } else { keys };
        let at: Vec<usize> = whole.iter().filter_map(|key| self.index_of(*key)).collect();
        let Self { tables, chapters, summed, .. } = self;
        let mut last = cut.map(|cut| (cut.text, ChapterWords::new(cut, tables)));
        let mut rows: Vec<Arc<Row>> = at.iter().map(|&at| Arc::clone(&chapters[at].words.row)).collect();
        rows.extend(last.iter().map(|(_, words)| Arc::clone(&words.row)));
        let mut first = PairChanges::new(summed.first_pairs(rows, tables));
        let mut joined = Vec::with_capacity(keys.len());
        for &at in &at {
            let Chapter { text, words, .. } = &mut chapters[at];
            joined.push(words.joined(text, &mut first, tables));
        }
        if let Some((text, words)) = &mut last {
            joined.push(words.joined(text, &mut first, tables));
        }
        let mut second = PairChanges::new(summed.second_pairs(joined.clone(), tables));
        let mut readings = Vec::with_capacity(keys.len());
        for (&at, joined) in at.iter().zip(&joined) {
            let Chapter { text, words, .. } = &mut chapters[at];
            readings.push(words.reading(text, joined, &mut second, tables));
        }
        if let (Some((text, words)), Some(joined)) = (&mut last, joined.last()) {
            readings.push(words.reading(text, joined, &mut second, tables));
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
