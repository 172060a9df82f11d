//! The terms of one kind of text in a project, in memory: how many texts contain each term, and a sample of the texts.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Maximum number of texts in a sample, and of their terms together: a book of long texts has fewer in its sample.
const MAX_SAMPLED_TEXTS: usize = 80;
const MAX_SAMPLED_TERMS: usize = 120_000;
/// Minimum number of texts in a sample of a larger project.
const MIN_SAMPLED_TEXTS: usize = 16;
/// Maximum number of distinct terms that were added since the sorted list was made.
const MAX_RECENT: usize = 8_192;
/// If more than this share of the counted texts was removed since, or if the project has grown by more than this share,
/// the texts are counted again.
const RECOUNT_SHARE_DIVISOR: u32 = 8;

/// The terms of the texts of one kind in a project.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    /// The codes of the terms, ascending, and for each the number of texts with it.
    codes: Arc<[u32]>,
    counts: Arc<[u16]>,
    /// Number of later texts with a term, by its code.
    recent: FxHashMap<u32, u32>,
    sample: Arc<[SampledText]>,
    /// The row up to which the texts of all projects are counted.
    counted_to: i64,
    /// Number of counted texts, and of those that were counted when the sample was taken. Both include texts that were
    /// removed since.
    counted: u32,
    counted_at_sample: u32,
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
        sorted + self.recent.get(&code).copied().unwrap_or(0)
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

    /// Counts further texts: for each the codes of its terms. `counted_to`: the row up to which texts are counted then.
    pub(super) fn add(&mut self, texts: &[Vec<u32>], counted_to: i64) {
        for text in texts {
            let mut distinct = text.clone();
            distinct.sort_unstable();
            distinct.dedup();
            for code in distinct {
                *self.recent.entry(code).or_default() += 1;
            }
        }
        self.counted += u32::try_from(texts.len()).unwrap_or(u32::MAX);
        self.counted_to = self.counted_to.max(counted_to);
        if self.recent.len() > MAX_RECENT {
            let mut counts: FxHashMap<u32, u32> = std::mem::take(&mut self.recent);
            for (code, count) in self.codes.iter().zip(self.counts.iter()) {
                *counts.entry(*code).or_default() += u32::from(*count);
            }
            (self.codes, self.counts) = sorted(counts.into_iter().collect());
        }
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
        size_of_val(&*self.codes)
            + size_of_val(&*self.counts)
            + self.recent.len() * 2 * size_of::<(u32, u32)>()
            + sampled
    }
}

/// A vocabulary while the texts of a project are read, in the order of their rows.
#[derive(Debug)]
pub(super) struct Builder {
    /// For each term the number of texts with it, and the number of the last of them.
    counts: FxHashMap<u32, (u32, u32)>,
    texts: u32,
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
        Self { counts: FxHashMap::default(), texts: 0, distance, sample: Vec::new() }
    }

    /// Counts a text.
    pub(super) fn add(&mut self, row: i64, codes: impl Iterator<Item = u32>) {
        let is_sampled = (self.texts as usize).is_multiple_of(self.distance);
        self.texts += 1;
        let number = self.texts;
        let mut sampled = Vec::new();
        for code in codes {
            let (count, last) = self.counts.entry(code).or_default();
            if *last != number {
                (*count, *last) = (*count + 1, number);
            }
            if is_sampled {
                sampled.push(code);
            }
        }
        if is_sampled {
            self.sample.push(SampledText { row, codes: sampled.into_boxed_slice() });
        }
    }

    /// The vocabulary, with the row up to which texts are counted.
    #[must_use]
    pub(super) fn finish(self, counted_to: i64) -> Vocabulary {
        let (codes, counts) = sorted(self.counts.into_iter().map(|(code, (count, _))| (code, count)).collect());
        Vocabulary {
            codes,
            counts,
            recent: FxHashMap::default(),
            sample: self.sample.into(),
            counted_to,
            counted: self.texts,
            counted_at_sample: self.texts,
        }
    }
}

/// Codes in ascending order, and their counts.
fn sorted(mut counts: Vec<(u32, u32)>) -> (Arc<[u32]>, Arc<[u16]>) {
    counts.sort_unstable_by_key(|(code, _)| *code);
    let count = |(_, count): &(u32, u32)| u16::try_from(*count).unwrap_or(u16::MAX);
    (counts.iter().map(|(code, _)| *code).collect(), counts.iter().map(count).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_texts(texts: &[Vec<u32>]) -> Vocabulary {
        let mut builder = Builder::new(u32::try_from(texts.len()).unwrap(), 4.0);
        for (row, text) in (1..).zip(texts) {
            builder.add(row, text.iter().copied());
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
            vocabulary.add(&texts[first..], i64::try_from(texts.len()).unwrap());
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
        vocabulary.add(&vec![vec![2]; 101], 901);
        assert!(vocabulary.is_outdated(901));
    }
}
