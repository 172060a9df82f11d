//! The likeness of a draft to an example: by its words, and by its style.
//!
//! A model takes both from an example, and in the evaluation each alone predicts less. Vectors of the bundled encoder
//! add so little to the two that they are not used: nothing here waits for an encoder.

use std::collections::HashSet;

use palimpsest_text::{terms, windows};

/// Number of stretches in which a draft is searched.
const MAX_STRETCHES: usize = 4;
/// Maximum deviations per feature: one outlier must not make two texts unlike.
const MAX_DEVIATIONS: f64 = 3.0;

/// The terms of a text, as hashes from which no text can be read.
#[derive(Clone, PartialEq, Eq)]
pub struct Words {
    whole: HashSet<u32>,
    stretches: Vec<HashSet<u32>>,
}

impl std::fmt::Debug for Words {
    /// Only the number: the terms are the writer's text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("terms", &self.whole.len()).finish_non_exhaustive()
    }
}

impl Words {
    /// The terms of a text, from the index's tokenizer, and those of its stretches.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let set =
            |text: &str| terms::query_terms(text).iter().map(|term| terms::hash_term(term)).collect::<HashSet<_>>();
        Self { whole: set(text), stretches: windows(text, MAX_STRETCHES).into_iter().map(set).collect() }
    }

    /// The share of `self` in `draft`, 0..1: the mean of the likeness to the whole draft and to its best stretch, so
    /// that an example echoed in one sentence of a long draft is found.
    #[must_use]
    pub fn in_draft(&self, draft: &Self) -> f64 {
        let best = draft.stretches.iter().map(|stretch| common(&self.whole, stretch)).fold(0.0, f64::max);
        0.5 * (common(&self.whole, &draft.whole) + best)
    }

    /// Serialized: for the whole and each stretch, the number of hashes and the hashes in order, all little endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for set in std::iter::once(&self.whole).chain(&self.stretches) {
            let mut numbers: Vec<u32> = set.iter().copied().collect();
            numbers.sort_unstable();
            bytes.extend(u32::try_from(numbers.len()).unwrap_or(u32::MAX).to_le_bytes());
            bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        }
        bytes
    }

    /// Parses the output of [`Words::to_bytes`]; `None` for anything else.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut numbers = bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four));
        let mut sets = Vec::new();
        while let Some(count) = numbers.next() {
            let count = usize::try_from(count).ok()?;
            let set: HashSet<u32> = numbers.by_ref().take(count).collect();
            if set.len() != count {
                return None;
            }
            sets.push(set);
        }
        let stretches = sets.split_off(sets.len().min(1));
        Some(Self { whole: sets.pop()?, stretches })
    }
}

/// Shared terms over the geometric mean of both numbers of terms: the cosine of two sets (Ochiai 1957).
fn common(one: &HashSet<u32>, other: &HashSet<u32>) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let shared = one.iter().filter(|term| other.contains(*term)).count() as f64;
    shared / (one.len() as f64 * other.len() as f64).sqrt()
}

/// The similarity of two styles: minus the mean square distance over all features, each in standard deviations
/// (`deviations`, one per feature, in the unit of the values), -9..0. Features without a deviation are left out.
#[must_use]
pub fn style(one: &[f32], other: &[f32], deviations: &[f32]) -> f64 {
    let (mut sum, mut n) = (0.0, 0_u32);
    for ((one, other), deviation) in one.iter().zip(other).zip(deviations) {
        let distance = f64::from(one - other) / f64::from(*deviation);
        if distance.is_finite() {
            sum += distance.abs().min(MAX_DEVIATIONS).powi(2);
            n += 1;
        }
    }
    if n == 0 { 0.0 } else { -sum / f64::from(n) }
}

/// The likeness of a draft to an example. The two numbers are comparable only with those of other drafts to the same
/// example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// [`Words::in_draft`].
    pub words: f64,
    /// [`style`].
    pub style: f64,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(example: &str, draft: &str) -> f64 {
        Words::from_text(example).in_draft(&Words::from_text(draft))
    }

    #[test]
    fn a_draft_that_takes_up_an_example_is_more_like_it_than_one_that_does_not() {
        for (example, echo, other) in [
            ("雨夜，他把手稿锁进铁皮柜。", "他又想起那只铁皮柜，手稿还锁在里面。", "天亮以后，镇上开始卖早点。"),
            (
                "He locked the manuscript in the iron cabinet.",
                "The manuscript was still in its iron cabinet.",
                "At dawn the bakers opened their shutters.",
            ),
        ] {
            assert!(words(example, echo) > 0.2, "{}", words(example, echo));
            assert!(words(example, other) < 0.05);
            let long = format!("{}{echo}", format!("{other} ").repeat(12));
            assert!(words(example, &long) > words(example, other) + 0.1, "an echo in one stretch is seen");
        }
    }

    #[test]
    fn bytes_of_another_format_are_no_words() {
        for broken in [&b""[..], &[9, 0, 0, 0], &[2, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7]] {
            assert_eq!(Words::from_bytes(broken), None);
        }
    }

    #[test]
    fn debug_shows_no_word() {
        assert!(!format!("{:?}", Words::from_text("手稿 manuscript")).contains("manu"));
    }

    #[test]
    fn one_odd_number_does_not_make_two_styles_unlike() {
        let deviations = [1.0; 4];
        assert_eq!(style(&[0.0; 4], &[0.0; 4], &deviations), 0.0);
        assert_eq!(style(&[0.0; 4], &[90.0, 0.0, 0.0, 0.0], &deviations), -9.0 / 4.0);
        assert_eq!(style(&[1.0], &[2.0], &[0.0]), 0.0, "nothing is known of what does not vary");
    }

    proptest! {
        #[test]
        fn likeness_is_a_share_and_a_text_is_most_like_itself(one in "[a-e风雨夜潮。. ]{0,40}", other in "[a-e风雨夜潮。. ]{0,40}") {
            let between = words(&one, &other);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&between));
            let kept = Words::from_text(&one);
            prop_assert_eq!(Words::from_bytes(&kept.to_bytes()), Some(kept));
            prop_assert!(words(&one, &one) + 1e-12 >= 0.5 * f64::from(u8::from(!terms::query_terms(&one).is_empty())));
        }
    }
}
