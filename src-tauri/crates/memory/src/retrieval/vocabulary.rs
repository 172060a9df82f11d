//! The terms of one kind of text in a project, in memory: how many texts contain each term, and a sample of the texts.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Maximum number of texts in a sample, and of their terms together: a book of long texts has fewer in its sample.
const MAX_SAMPLED_TEXTS: usize = 80;
const MAX_SAMPLED_TERMS: usize = 120_000;
/// Minimum number of texts in a sample of a larger project.
const MIN_SAMPLED_TEXTS: usize = 16;
/// Maximum number of distinct terms outside the sorted list. A larger table would take many times the memory of the
/// list while a project is read.
const MAX_RECENT: usize = 16_384;
/// If more than this share of the counted texts was removed since, or if the project has grown by more than this share,
/// the texts are counted again.
const RECOUNT_SHARE_DIVISOR: u32 = 8;

/// The terms of the texts of one kind in a project.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary {
    /// The codes of the terms, ascending, and for each the number of texts with it.
    codes: Arc<[u32]>,
    counts: Arc<[u16]>,
    /// Terms of texts counted since, by code.
    recent: FxHashMap<u32, RecentCount>,
    sample: Arc<[SampledText]>,
    /// The row up to which the texts of all projects are counted.
    counted_to: i64,
    /// Number of counted texts, and of those that were counted when the sample was taken. Both include texts that were
    /// removed since.
    counted: u32,
    counted_at_sample: u32,
}

/// Texts with a term that are not in the sorted list yet.
#[derive(Debug, Clone, Copy, Default)]
struct RecentCount {
    texts: u32,
    /// Number of the last of them.
    last_text: u32,
}

/// A text of the sample.
#[derive(Debug, Clone)]
pub(crate) struct SampledText {
    /// Its row in the index.
    pub row: i64,
    /// The codes of its terms, in order.
    pub codes: Box<[u32]>,
}

impl Vocabulary {
    /// Number of texts that contain a term.
    #[must_use]
    pub(super) fn frequency(&self, code: u32) -> u32 {
        let sorted = self.codes.binary_search(&code).map_or(0, |place| u32::from(self.counts[place]));
        sorted + self.recent.get(&code).map_or(0, |recent| recent.texts)
    }

    /// Texts at equal distances.
    #[must_use]
    pub(super) fn sampled_texts(&self) -> &Arc<[SampledText]> {
        &self.sample
    }

    /// The row up to which texts are counted.
    #[must_use]
    pub(super) fn counted_to(&self) -> i64 {
        self.counted_to
    }

    /// Number of counted texts, with those that were removed since.
    #[must_use]
    pub(super) fn counted_texts(&self) -> u32 {
        self.counted
    }

    /// Counts a further text, by the codes of its terms.
    pub(super) fn count_text(&mut self, codes: impl Iterator<Item = u32>) {
        self.counted += 1;
        for code in codes {
            let recent = self.recent.entry(code).or_default();
            if recent.last_text != self.counted {
                *recent = RecentCount { texts: recent.texts + 1, last_text: self.counted };
            }
        }
        if self.recent.len() > MAX_RECENT {
            self.sort_recent();
        }
    }

    /// Sets the row up to which texts are counted.
    pub(super) fn set_counted_to(&mut self, row: i64) {
        self.counted_to = row;
    }

    /// Moves the recent terms into the sorted list.
    fn sort_recent(&mut self) {
        let counts = self.counts.iter().copied().map(u32::from);
        let mut all: Vec<(u32, u32)> = self.codes.iter().copied().zip(counts).collect();
        all.extend(self.recent.drain().map(|(code, recent)| (code, recent.texts)));
        all.sort_by_key(|(code, _)| *code);
        all.dedup_by(|(code, count), (previous, sum)| {
            let is_same = code == previous;
            *sum += if is_same { *count } else { 0 };
            is_same
        });
        self.codes = all.iter().map(|(code, _)| *code).collect();
        self.counts = all.iter().map(|(_, count)| u16::try_from(*count).unwrap_or(u16::MAX)).collect();
    }

    /// Whether so many texts were removed or added since, in a project of `documents` texts, that it is to be made
    /// again.
    #[must_use]
    pub(super) fn is_outdated(&self, documents: u32) -> bool {
        let (removed, added) = (self.counted.saturating_sub(documents), self.counted - self.counted_at_sample);
        let max = (self.counted_at_sample / RECOUNT_SHARE_DIVISOR).max(1);
        removed > max || added > max.max(MAX_SAMPLED_TEXTS as u32)
    }

    /// Its size in memory in bytes, about.
    #[must_use]
    pub(super) fn size_in_bytes(&self) -> usize {
        let sampled: usize = self.sample.iter().map(|text| size_of::<SampledText>() + size_of_val(&*text.codes)).sum();
        let recent = self.recent.len() * 2 * size_of::<(u32, RecentCount)>();
        size_of_val(&*self.codes) + size_of_val(&*self.counts) + recent + sampled
    }
}

/// A vocabulary while the texts of a project are read, in the order of their rows.
#[derive(Debug)]
pub(super) struct Builder {
    vocabulary: Vocabulary,
    /// Every `distance`-th text is sampled.
    distance: usize,
    sample: Vec<SampledText>,
}

impl Builder {
    /// For a project of `documents` texts with `average_length` terms.
    #[must_use]
    pub(super) fn new(documents: u32, average_length: f64) -> Self {
        let fitting = (MAX_SAMPLED_TERMS as f64 / average_length.max(1.0)) as usize;
        let sampled = fitting.clamp(MIN_SAMPLED_TEXTS, MAX_SAMPLED_TEXTS);
        let distance = (documents as usize).div_ceil(sampled).max(1);
        Self { vocabulary: Vocabulary::default(), distance, sample: Vec::new() }
    }

    /// Counts a text.
    pub(super) fn add(&mut self, row: i64, codes: &mut dyn Iterator<Item = u32>) {
        if (self.vocabulary.counted as usize).is_multiple_of(self.distance) {
            let codes: Box<[u32]> = codes.collect();
            self.vocabulary.count_text(codes.iter().copied());
            self.sample.push(SampledText { row, codes });
        } else {
            self.vocabulary.count_text(codes);
        }
    }

    /// The vocabulary, with the row up to which texts are counted.
    #[must_use]
    pub(super) fn finish(self, counted_to: i64) -> Vocabulary {
        let Self { mut vocabulary, sample, .. } = self;
        vocabulary.sort_recent();
        vocabulary.recent = FxHashMap::default();
        vocabulary.sample = sample.into();
        vocabulary.counted_to = counted_to;
        vocabulary.counted_at_sample = vocabulary.counted;
        vocabulary
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_texts(texts: &[Vec<u32>]) -> Vocabulary {
        let mut builder = Builder::new(u32::try_from(texts.len()).unwrap(), 4.0);
        for (row, text) in (1..).zip(texts) {
            builder.add(row, &mut text.iter().copied());
        }
        builder.finish(i64::try_from(texts.len()).unwrap())
    }

    proptest! {
        #[test]
        fn a_term_is_counted_once_a_text_whether_texts_come_at_once_or_later(
            texts in prop::collection::vec(prop::collection::vec(0_u32..20_000, 0..200), 0..60), first in 0_usize..60,
        ) {
            let first = first.min(texts.len());
            let mut vocabulary = of_texts(&texts[..first]);
            texts[first..].iter().for_each(|text| vocabulary.count_text(text.iter().copied()));
            vocabulary.set_counted_to(i64::try_from(texts.len()).unwrap());
            for code in texts.iter().flatten().copied().chain([20_001]) {
                let expected = texts.iter().filter(|text| text.contains(&code)).count();
                prop_assert_eq!(vocabulary.frequency(code) as usize, expected);
            }
            prop_assert_eq!(vocabulary.counted_to(), i64::try_from(texts.len()).unwrap());
        }
    }

    #[test]
    fn a_sample_has_texts_at_equal_distances_and_fewer_where_they_are_long() {
        let vocabulary = of_texts(&vec![vec![1, 2]; 800]);
        let rows: Vec<i64> = vocabulary.sampled_texts().iter().map(|text| text.row).collect();
        assert_eq!((rows.len(), rows[1] - rows[0], rows[79] - rows[78]), (80, 10, 10));
        let long = Builder::new(800, 40_000.0);
        assert_eq!(long.distance, 50);
    }

    #[test]
    fn texts_are_counted_again_when_an_eighth_was_removed_or_added() {
        let mut vocabulary = of_texts(&vec![vec![1]; 800]);
        assert!(!vocabulary.is_outdated(800) && !vocabulary.is_outdated(700));
        assert!(vocabulary.is_outdated(699));
        (0..101).for_each(|_| vocabulary.count_text([2].into_iter()));
        assert!(vocabulary.is_outdated(901));
    }
}
