//! One score from all signals of a candidate, with its parts.
//!
//! A weighted sum and not a fusion of ranks: ranks lose how much better the first is than the second, and penalize
//! matches by meaning alone, such as a Chinese question about an English passage. The weights of words, neighbours and
//! meaning are the best of a grid on the even queries of the public retrieval sets (the highest mean over the sets of
//! each set's own metric); the odd queries were held out, and are reported separately (`npm run eval:retrieval`).

use crate::model::Components;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QueryParts {
    /// The query has a text.
    pub text: bool,
    /// The query has a scene type.
    pub scene: bool,
    /// The query has a skill.
    pub skill: bool,
}

/// Weight of a cosine of 1, where a text with every query term once gets 1 for words.
const MEANING_WEIGHT: f64 = 1.0;
/// Weight of a matching scene type.
const SCENE_WEIGHT: f64 = 0.12;
/// Weight of a matching skill.
const SKILL_WEIGHT: f64 = 0.05;
/// Maximum share of the score that age subtracts: of equal matches the older ranks second, but stays in the result.
const MAX_AGE_DISCOUNT: f64 = 0.3;
/// The maximum sum: 1.9 for words (the saturation of BM25), 0.45 for neighbours, and the three weights above. A smaller
/// one would clip the best matches to one score, ranked by age alone.
const MAX_SUM: f64 = 3.52;

/// Minimum share of the query's words for a match.
const MIN_WORD_SHARE: f64 = 0.06;
/// Minimum cosine for a match: the 99th percentile of unrelated pairs is 0.26, the 5th of true ones 0.19.
const MIN_COSINE: f64 = 0.20;

/// Whether a candidate is relevant to the query.
#[must_use]
pub(crate) fn is_relevant(parts: Components, asked: QueryParts) -> bool {
    if !asked.text && !asked.scene && !asked.skill {
        return true;
    }
    let text = asked.text && (shares_words(parts) || shares_meaning(parts));
    let scene = asked.scene && parts.scene;
    // A skill alone is no match when the query has a text or scene type.
    let skill = asked.skill && parts.skill && !asked.text && !asked.scene;
    text || scene || skill
}

fn shares_words(parts: Components) -> bool {
    parts.words >= MIN_WORD_SHARE
}

fn shares_meaning(parts: Components) -> bool {
    parts.meaning.is_some_and(|cosine| cosine >= MIN_COSINE)
}

/// The score, 0..1.
#[must_use]
pub(crate) fn score(parts: Components, asked: QueryParts) -> f64 {
    let mut sum = 0.0;
    let mut possible = MAX_SUM;
    if asked.text {
        sum += parts.words + MEANING_WEIGHT * parts.meaning.unwrap_or(0.0).max(0.0);
    }
    if asked.scene && parts.scene {
        sum += SCENE_WEIGHT;
    }
    if asked.skill && parts.skill {
        sum += SKILL_WEIGHT;
    }
    if !asked.text {
        // Only scene and skill can match; with neither, all score the same and the newest come first.
        possible = match (asked.scene, asked.skill) {
            (false, false) => return aged(1.0, parts.decay),
            (scene, skill) => f64::from(u8::from(scene)) * SCENE_WEIGHT + f64::from(u8::from(skill)) * SKILL_WEIGHT,
        };
    }
    aged((sum / possible).clamp(0.0, 1.0), parts.decay)
}

fn aged(relevance: f64, decay: f64) -> f64 {
    relevance * (1.0 - MAX_AGE_DISCOUNT + MAX_AGE_DISCOUNT * decay.clamp(0.0, 1.0))
}

/// The signals that found it, by descending weight.
#[must_use]
pub(crate) fn matched_by(parts: Components, asked: QueryParts) -> Vec<String> {
    let reasons = [
        (asked.text && shares_words(parts), "words"),
        (asked.text && shares_meaning(parts), "meaning"),
        (asked.scene && parts.scene, "scene"),
        (asked.skill && parts.skill, "skill"),
    ];
    let mut named: Vec<String> = reasons.iter().filter(|(holds, _)| *holds).map(|(_, name)| (*name).into()).collect();
    if named.is_empty() {
        named.push("recent".into());
    }
    named
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: QueryParts = QueryParts { text: true, scene: true, skill: true };

    #[test]
    fn the_same_words_in_a_fresher_episode_come_first() {
        let asked = QueryParts { text: true, ..QueryParts::default() };
        let fresh = Components { words: 0.8, decay: 1.0, ..Components::default() };
        assert!(score(fresh, asked) > score(Components { decay: 0.3, ..fresh }, asked));
    }

    #[test]
    fn meaning_finds_episodes_that_share_no_word_with_the_query() {
        let other_language = Components { meaning: Some(0.45), decay: 1.0, ..Components::default() };
        assert!(is_relevant(other_language, ALL));
        assert_eq!(matched_by(other_language, ALL), ["meaning"]);
    }

    #[test]
    fn an_episode_that_shares_neither_words_nor_meaning_nor_scene_is_not_returned() {
        let stranger = Components { words: 0.01, meaning: Some(0.1), skill: true, decay: 1.0, ..Components::default() };
        assert!(!is_relevant(stranger, ALL));
    }

    #[test]
    fn the_scene_alone_can_be_reason_enough() {
        let fight = Components { scene: true, decay: 1.0, ..Components::default() };
        assert!(is_relevant(fight, ALL));
        assert!((score(fight, QueryParts { scene: true, ..QueryParts::default() }) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_score_is_a_share_and_never_falls_when_more_matches(
            words in 0.0..=2.0_f64, more in 0.0..=2.0_f64, meaning in -1.0..=1.0_f64, closer in -1.0..=1.0_f64,
            scene: bool, skill: bool, decay in 0.0..=1.0_f64, a: bool, b: bool, c: bool,
        ) {
            let asked = QueryParts { text: a, scene: b, skill: c };
            let low = Components {
                words: words.min(more), meaning: Some(meaning.min(closer)), scene, skill, decay,
            };
            let high = Components { words: words.max(more), meaning: Some(meaning.max(closer)), ..low };
            let there = Components { scene: true, ..low };
            prop_assert!((0.0..=1.0).contains(&score(low, asked)));
            prop_assert!(score(high, asked) >= score(low, asked));
            prop_assert!(score(there, asked) >= score(low, asked));
        }
    }
}
