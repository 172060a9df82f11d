//! The style profile of a whole text: the distribution of readable features over its passages.
//!
//! A profile is a description. It says how somebody writes and not what somebody prefers, so nothing is learned from
//! it.

use super::{Feature, measure_as};
use crate::{count, language::Language, paragraphs::unwrapped};

/// The least units of a measured passage: long enough for a rate of one in a hundred.
const MIN_PASSAGE_UNITS: u32 = 300;

/// The features of a profile, in the order of display.
pub const PROFILE_FEATURES: [Feature; 12] = [
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

/// The distribution of one feature, as a quantity (see [`Feature`] for its unit) and not on the scale on which passages
/// are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureSummary {
    /// The measured feature.
    pub feature: Feature,
    /// Mean over the passages, weighted by length.
    pub mean: f32,
    /// Lower quartile.
    pub low: f32,
    /// Upper quartile.
    pub high: f32,
}

/// The style profile of one or more texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Passages that were measured.
    pub passages: u32,
    /// Units in them: Han characters, and words of other scripts.
    pub units: u32,
    /// One for each of [`PROFILE_FEATURES`].
    pub features: Vec<FeatureSummary>,
}

/// The profile of all passages of `texts`; `None` if there is not one whole passage. A passage consists of neighbouring
/// paragraphs of one text; a rest at its end that is too short is not measured.
#[must_use]
pub fn style_profile<'t>(texts: impl IntoIterator<Item = &'t str>, language: Language) -> Option<Profile> {
    let mut measured = Vec::new();
    let mut weights = Vec::new();
    for text in texts {
        for passage in passages(&unwrapped(text)) {
            let measures = measure_as(passage, language);
            measured.push(PROFILE_FEATURES.map(|feature| feature.scale(language).undo(measures.get(feature))));
            weights.push(count::words(passage));
        }
    }
    let units: u32 = weights.iter().sum();
    if measured.is_empty() {
        return None;
    }
    let summary = |(at, feature): (usize, Feature)| {
        let mut values: Vec<f32> = measured.iter().map(|one| one[at]).collect();
        let weighed = values.iter().zip(&weights).map(|(value, weight)| f64::from(*value) * f64::from(*weight));
        let mean = (weighed.sum::<f64>() / f64::from(units.max(1))) as f32;
        values.sort_by(f32::total_cmp);
        let quarter = (values.len() - 1) / 4;
        FeatureSummary { feature, mean, low: values[quarter], high: values[values.len() - 1 - quarter] }
    };
    Some(Profile {
        passages: u32::try_from(measured.len()).unwrap_or(u32::MAX),
        units,
        features: PROFILE_FEATURES.into_iter().enumerate().map(summary).collect(),
    })
}

/// Cuts a text without wrapped lines into passages of neighbouring lines.
fn passages(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut end, mut units) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        end += line.len();
        // Headings are not measured.
        if line.starts_with('#') && units == 0 {
            start = end;
            continue;
        }
        units += count::words(line);
        if units >= MIN_PASSAGE_UNITS {
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

    fn summary_of(profile: &Profile, feature: Feature) -> FeatureSummary {
        *profile.features.iter().find(|summary| summary.feature == feature).unwrap()
    }

    #[test]
    fn a_text_of_short_sentences_and_speech_differs_from_one_of_long_sentences() {
        let terse = "“走。”他说。\n雨停了。他没动。\n".repeat(60);
        let long =
            "他沿着河岸慢慢地走了很久，一直走到天色完全暗下来，才想起那封始终没有寄出去的信，还压在抽屉最底下。\n"
                .repeat(20);
        let (terse, long) =
            (style_profile([terse.as_str()], Language::Zh), style_profile([long.as_str()], Language::Zh));
        let (terse, long) = (terse.unwrap(), long.unwrap());
        assert!(summary_of(&terse, Feature::SentenceLength).mean < 6.0, "{terse:?}");
        assert!(summary_of(&long, Feature::SentenceLength).mean > 35.0, "{long:?}");
        assert!(summary_of(&terse, Feature::DialogueShare).mean > 0.05);
        assert_eq!(summary_of(&long, Feature::DialogueShare).mean, 0.0);
        assert!(summary_of(&terse, Feature::ShortSentences).mean > 0.9);
        assert!(summary_of(&long, Feature::LongSentences).mean > 0.9);
    }

    #[test]
    fn a_text_shorter_than_a_passage_has_no_profile() {
        assert_eq!(style_profile(["雨停了。"], Language::Zh), None);
        assert_eq!(style_profile([], Language::En), None);
        let titles = "# The gauge\n".repeat(200);
        assert_eq!(style_profile([titles.as_str()], Language::En), None);
    }

    proptest! {
        // Each case is a text of pages.
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn the_mean_lies_among_the_passages_and_the_quarters_in_order(text in "([A-Za-z]{1,8}[ .!?]{1,2}|\n){300,900}") {
            if let Some(profile) = style_profile([text.as_str()], Language::En) {
                for summary in &profile.features {
                    prop_assert!(summary.low <= summary.high && summary.low >= 0.0, "{summary:?}");
                    prop_assert!(summary.mean.is_finite() && summary.mean >= 0.0, "{summary:?}");
                }
                prop_assert!(profile.units >= MIN_PASSAGE_UNITS * profile.passages);
            }
        }

        #[test]
        fn a_text_twice_has_the_same_style(text in "([A-Za-z]{1,8}[ .!?]{1,2}|\n){300,900}") {
            let (once, twice) = (style_profile([text.as_str()], Language::En), style_profile([text.as_str(); 2], Language::En));
            if let (Some(once), Some(twice)) = (once, twice) {
                for (a, b) in once.features.iter().zip(&twice.features) {
                    prop_assert!((a.mean - b.mean).abs() <= 1e-3 * a.mean.max(1.0));
                }
            }
        }
    }
}
