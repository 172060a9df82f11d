//! Default spread of each feature between passages, used until a writer's own candidates give one.

use super::{Feature, Features};
use crate::Language;

/// The standard deviation of every feature, always positive, on the scale of the feature. A difference divided by it
/// is in standard deviations; a writer's own spread is better as soon as there are enough candidates.
///
/// Taken within each source and pooled as the root mean square over the sources, so that one author's habits do not
/// widen it, over passages of 60 to 400 units: in Chinese 1,372 from Lu Xun's three books of stories, in English 1,114
/// from *Persuasion* and Father Brown and 933 by models and their editors (LAMP), these not for length, paragraphs and
/// speech. At least 0.3 for a rate: a word that these books hardly use must not count as a large difference. Candidates
/// of one sentence spread about twice as much.
#[must_use]
pub fn default_spread(language: Language) -> Features {
    Features::new(match language {
        Language::Zh => ZH,
        Language::En => EN,
    })
}

const ZH: [f32; Feature::COUNT] = column(Language::Zh);
const EN: [f32; Feature::COUNT] = column(Language::En);

const fn column(language: Language) -> [f32; Feature::COUNT] {
    let mut values = [0.0; Feature::COUNT];
    let mut row = 0;
    while row < TABLE.len() {
        let (feature, zh, en) = TABLE[row];
        values[feature.index()] = match language {
            Language::Zh => zh,
            Language::En => en,
        };
        row += 1;
    }
    values
}

/// Feature, Chinese, English.
const TABLE: [(Feature, f32, f32); Feature::COUNT] = [
    (Feature::Length, 0.402, 0.436),
    (Feature::ShortSentences, 0.192, 0.125),
    (Feature::LongSentences, 0.250, 0.256),
    (Feature::ActionVerbs, 0.719, 0.634),
    (Feature::TimeShifts, 0.571, 0.512),
    (Feature::SentenceLength, 0.436, 0.374),
    (Feature::SentenceVariation, 0.207, 0.166),
    (Feature::Exclamations, 0.142, 0.113),
    (Feature::Questions, 0.124, 0.101),
    (Feature::Ellipses, 0.554, 0.300), // floored 0.55 0.16,
    (Feature::Dashes, 0.360, 0.459),
    (Feature::Commas, 0.415, 0.462),
    (Feature::Semicolons, 0.601, 0.512),
    (Feature::Adverbs, 0.550, 0.587),
    (Feature::Adjectives, 0.606, 0.542),
    (Feature::Hedges, 0.543, 0.586),
    (Feature::Similes, 0.464, 0.402),
    (Feature::Sight, 0.716, 0.669),
    (Feature::Sound, 0.659, 0.607),
    (Feature::BodySense, 0.554, 0.508),
    (Feature::ConjunctionOpenings, 0.157, 0.103),
    (Feature::RepeatedOpenings, 0.098, 0.103),
    (Feature::Negation, 0.676, 0.630),
    (Feature::PastTense, 0.869, 1.384),
    (Feature::ParagraphLength, 0.362, 0.441),
    (Feature::ParagraphDensity, 0.720, 0.657),
    (Feature::DialogueShare, 0.325, 0.403),
    (Feature::DialogueTurns, 0.704, 0.661),
    (Feature::SpeechTags, 0.497, 0.650),
    (Feature::FirstPerson, 0.790, 1.094),
    (Feature::SecondPerson, 0.610, 0.738),
    (Feature::ThirdPerson, 0.711, 0.938),
    (Feature::Emotion, 0.632, 0.602),
    (Feature::Thought, 0.661, 0.627),
    (Feature::LexicalVariety, 0.052, 0.039),
    (Feature::WordLength, 0.637, 0.336),
    (Feature::AbstractNouns, 0.574, 0.648),
    (Feature::Archaic, 0.558, 0.353),
    (Feature::Colloquial, 0.600, 0.645),
    (Feature::Intensifiers, 0.614, 0.569),
    (Feature::Cliches, 0.300, 0.360), // floored 0.22 0.36,
    (Feature::NamesAndNumbers, 0.579, 0.910),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_feature_once() {
        assert!(TABLE.iter().map(|row| row.0).eq(Feature::ALL));
    }

    #[test]
    fn every_deviation_is_positive_and_none_is_absurd() {
        for language in [Language::Zh, Language::En] {
            for feature in Feature::ALL {
                let deviation = default_spread(language).get(feature);
                assert!(deviation > 0.02 && deviation < 2.0, "{}: {deviation}", feature.as_str());
            }
        }
    }
}
