//! Edit distance between two texts.

use std::collections::HashMap;

use rapidfuzz::distance::levenshtein;
use unicode_segmentation::UnicodeSegmentation;

/// Levenshtein distance over extended grapheme clusters, divided by the longer length: 0 (the same) to 1 (nothing in
/// common). Two empty texts are at distance 0.
///
/// Each cluster is first replaced by a number, so a family emoji or a letter with three accents counts as one. The
/// distance itself is bit-parallel (Hyyrö 2003, 64 cells a machine word) in a band that widens only as far as the
/// texts differ, after common beginnings and ends are cut away. Memory grows linearly. Measured on one busy core,
/// optimised: two unrelated passages of 2,000 clusters 1–2 ms; a text of 200 kB with some hundred edits 40 ms; two
/// unrelated texts of 200 kB, the worst case, 2.4 s in Chinese and 7 s in English. Callers on the writer's path hand
/// in passages, not books.
#[must_use]
pub fn distance(a: &str, b: &str) -> f64 {
    if a == b {
        return 0.0;
    }
    let mut ids: HashMap<&str, u32> = HashMap::new();
    let left = intern(a, &mut ids);
    let right = intern(b, &mut ids);
    let longer = left.len().max(right.len());
    // The distance is at least the difference in length: start the band there.
    let hint = left.len().abs_diff(right.len()).saturating_add(INITIAL_BAND);
    let args = levenshtein::Args::default().score_hint(hint);
    let steps = levenshtein::distance_with_args(left.iter().copied(), right.iter().copied(), &args);
    ratio(steps, longer)
}

/// The half width of the first band tried, in clusters. A polished paragraph usually differs by less.
const INITIAL_BAND: usize = 63;

fn intern<'t>(text: &'t str, ids: &mut HashMap<&'t str, u32>) -> Vec<u32> {
    text.graphemes(true)
        .map(|cluster| {
            let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
            *ids.entry(cluster).or_insert(next)
        })
        .collect()
}

fn ratio(steps: usize, longer: usize) -> f64 {
    if longer == 0 {
        return 0.0;
    }
    // Lengths of texts in memory are far below 2^52, where f64 is still exact.
    (steps as f64 / longer as f64).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn unchanged_text_is_at_distance_zero() {
        assert!(close(distance("风从南边来。", "风从南边来。"), 0.0));
        assert!(close(distance("", ""), 0.0));
    }

    #[test]
    fn everything_replaced_or_removed_is_one() {
        assert!(close(distance("风从南边来", ""), 1.0));
        assert!(close(distance("", "wind"), 1.0));
        assert!(close(distance("风", "雨"), 1.0));
    }

    #[test]
    fn one_character_of_six_is_a_sixth_in_either_language() {
        assert!(close(distance("风从南边来。", "风从北边来。"), 1.0 / 6.0));
        assert!(close(distance("kitten", "sitten"), 1.0 / 6.0));
        assert!(close(distance("kitten", "sitting"), 3.0 / 7.0));
    }

    #[test]
    fn a_cluster_of_many_code_points_counts_once() {
        assert!(close(distance("👨‍👩‍👧‍👦好", "👨‍👩‍👧好"), 0.5));
        assert!(close(distance("e\u{301}a", "oa"), 0.5));
    }

    #[test]
    fn a_long_chapter_with_a_few_edits_is_quick() {
        let chapter = "渡船靠岸时，验潮所的灯已经亮了。".repeat(4_200);
        let edited = chapter.replacen("亮了", "熄了", 7).replacen("渡船", "一条渡船", 40);
        let started = Instant::now();
        let d = distance(&chapter, &edited);
        assert!(d > 0.0 && d < 0.01, "{d}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn two_unrelated_texts_of_200_kilobytes_come_to_an_end() {
        // 200 kB of Chinese are some 67,000 clusters; neither text shares a character with the other.
        let a: String = (0..66_000).map(|i| han(0x4E00, i * 7_919)).collect();
        let b: String = (0..66_000).map(|i| han(0x6E00, i * 104_729)).collect();
        let started = Instant::now();
        assert!(close(distance(&a, &b), 1.0));
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    fn han(block: u32, i: u64) -> char {
        char::from_u32(block + u32::try_from(i % 5_000).unwrap()).unwrap()
    }

    /// The textbook recurrence, as a model to compare with.
    fn naive(a: &str, b: &str) -> f64 {
        let a: Vec<&str> = a.graphemes(true).collect();
        let b: Vec<&str> = b.graphemes(true).collect();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = (above + 1).min(row[j] + 1).min(diagonal + usize::from(x != y));
                diagonal = above;
            }
        }
        ratio(row[b.len()], a.len().max(b.len()))
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_between_nought_and_one(a in "\\PC{0,80}", b in "\\PC{0,80}") {
            let d = distance(&a, &b);
            prop_assert!((0.0..=1.0).contains(&d));
            prop_assert!(close(d, distance(&b, &a)));
        }

        #[test]
        fn distance_is_nought_only_for_the_same_text(a in "[风雨来去，。ab ]{0,60}", b in "[风雨来去，。ab ]{0,60}") {
            prop_assert!(close(distance(&a, &a), 0.0));
            prop_assert_eq!(distance(&a, &b) == 0.0, a == b);
        }

        #[test]
        fn distance_agrees_with_the_textbook(a in "[风雨来去ab]{0,300}", b in "[风雨来去ab]{0,300}") {
            prop_assert!(close(distance(&a, &b), naive(&a, &b)));
        }
    }
}
