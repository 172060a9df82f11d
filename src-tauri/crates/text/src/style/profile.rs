//! The style of a whole text: what its passages are like on the sides that a reader can put a number to.
//!
//! A description and nothing more. It says how somebody writes and not what somebody prefers, so nothing is learned from it.

use super::{Feature, measure_as};
use crate::{count, language::Language};

/// Units from which on a passage is measured: long enough that a rate of one in a hundred says something.
const PASSAGE: u32 = 300;

/// The sides that are told, in the order in which they are.
pub const TOLD: [Feature; 12] = [
    Feature::SentenceLength,
    Feature::ShortSentences,
    Feature::LongSentences,
    Feature::ParagraphLength,
    Feature::DialogueShare,
    Feature::FirstPerson,
    Feature::Adverbs,
    Feature::Similes,
    Feature::Sight,
    Feature::Sound,
    Feature::BodySense,
    Feature::Exclamations,
];

/// One side of a style, as a quantity (see [`Feature`] for its unit) and not on the scale on which passages are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// The side.
    pub feature: Feature,
    /// Mean over the passages, each as heavy as it is long.
    pub mean: f32,
    /// A quarter of the passages have less, or as much.
    pub low: f32,
    /// A quarter of the passages have more, or as much.
    pub high: f32,
}

/// What a text is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Passages that were measured.
    pub passages: u32,
    /// Units in them: Han characters, and words of other scripts.
    pub units: u32,
    /// One each of [`TOLD`].
    pub sides: Vec<Side>,
}

/// What texts are like together, passage by passage; `None` where there is not one whole passage. A passage is some
/// neighbouring lines of one text; of what is left at its end, too short to be one, nothing is said.
#[must_use]
pub fn profile<'t>(texts: impl IntoIterator<Item = &'t str>, language: Language) -> Option<Profile> {
    let mut measured = Vec::new();
    let mut weights = Vec::new();
    for passage in texts.into_iter().flat_map(passages) {
        let features = measure_as(passage, language);
        measured.push(TOLD.map(|side| side.scale(language).undo(features.get(side))));
        weights.push(count::words(passage));
    }
    let units: u32 = weights.iter().sum();
    if measured.is_empty() {
        return None;
    }
    let side = |(at, feature): (usize, Feature)| {
        let mut values: Vec<f32> = measured.iter().map(|one| one[at]).collect();
        let weighed = values.iter().zip(&weights).map(|(value, weight)| f64::from(*value) * f64::from(*weight));
        let mean = (weighed.sum::<f64>() / f64::from(units.max(1))) as f32;
        values.sort_by(f32::total_cmp);
        let quarter = (values.len() - 1) / 4;
        Side { feature, mean, low: values[quarter], high: values[values.len() - 1 - quarter] }
    };
    Some(Profile {
        passages: u32::try_from(measured.len()).unwrap_or(u32::MAX),
        units,
        sides: TOLD.into_iter().enumerate().map(side).collect(),
    })
}

/// Neighbouring lines, each as many as make a passage.
fn passages(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut end, mut units) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        end += line.len();
        // A heading is nobody's prose.
        if line.starts_with('#') && units == 0 {
            start = end;
            continue;
        }
        units += count::words(line);
        if units >= PASSAGE {
            found.push(&text[start..end]);
            (start, units) = (end, 0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn side(profile: &Profile, feature: Feature) -> Side {
        *profile.sides.iter().find(|side| side.feature == feature).unwrap()
    }

    #[test]
    fn a_text_of_short_sentences_and_speech_is_told_from_one_of_long_ones() {
        let terse = "“走。”他说。\n雨停了。他没动。\n".repeat(60);
        let long =
            "他沿着河岸慢慢地走了很久，一直走到天色完全暗下来，才想起那封始终没有寄出去的信，还压在抽屉最底下。\n"
                .repeat(20);
        let (terse, long) = (profile([terse.as_str()], Language::Zh), profile([long.as_str()], Language::Zh));
        let (terse, long) = (terse.unwrap(), long.unwrap());
        assert!(side(&terse, Feature::SentenceLength).mean < 6.0, "{terse:?}");
        assert!(side(&long, Feature::SentenceLength).mean > 35.0, "{long:?}");
        assert!(side(&terse, Feature::DialogueShare).mean > 0.05);
        assert_eq!(side(&long, Feature::DialogueShare).mean, 0.0);
        assert!(side(&terse, Feature::ShortSentences).mean > 0.9);
        assert!(side(&long, Feature::LongSentences).mean > 0.9);
    }

    #[test]
    fn what_is_shorter_than_a_passage_says_nothing() {
        assert_eq!(profile(["雨停了。"], Language::Zh), None);
        assert_eq!(profile([], Language::En), None);
        let titles = "# The gauge\n".repeat(200);
        assert_eq!(profile([titles.as_str()], Language::En), None);
    }

    proptest! {
        // Each case is a text of pages.
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn the_mean_lies_among_the_passages_and_the_quarters_in_order(text in "([A-Za-z]{1,8}[ .!?]{1,2}|\n){300,900}") {
            if let Some(profile) = profile([text.as_str()], Language::En) {
                for side in &profile.sides {
                    prop_assert!(side.low <= side.high && side.low >= 0.0, "{side:?}");
                    prop_assert!(side.mean.is_finite() && side.mean >= 0.0, "{side:?}");
                }
                prop_assert!(profile.units >= PASSAGE * profile.passages);
            }
        }

        #[test]
        fn a_text_twice_has_the_same_style(text in "([A-Za-z]{1,8}[ .!?]{1,2}|\n){300,900}") {
            let (once, twice) = (profile([text.as_str()], Language::En), profile([text.as_str(); 2], Language::En));
            if let (Some(once), Some(twice)) = (once, twice) {
                for (a, b) in once.sides.iter().zip(&twice.sides) {
                    prop_assert!((a.mean - b.mean).abs() <= 1e-3 * a.mean.max(1.0));
                }
            }
        }
    }
}
