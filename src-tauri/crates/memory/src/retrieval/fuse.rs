//! One score out of what matched, with its parts beside it.
//!
//! A weighted sum and not a fusion of ranks: ranks throw away how much better the first is than the second, and cost
//! what only meaning finds, such as a Chinese question about an English passage. The weights of words, neighbours and
//! meaning are the best of a grid on the even queries of the public retrieval sets (the highest mean over the sets of
//! what each is judged by); the odd queries had no part in it, and are reported apart (`npm run eval:retrieval`).

use crate::model::Components;

/// What was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// There was a text to compare with.
    pub text: bool,
    /// There was a scene type.
    pub scene: bool,
    /// There was a skill.
    pub skill: bool,
}

/// A cosine of one is worth this much, where having every word of the query once is worth one.
const MEANING: f64 = 1.0;
/// The scene that was asked for.
const SCENE: f64 = 0.12;
/// The skill that was asked for.
const SKILL: f64 = 0.05;
/// How much of the score age can take away: the older of two equal matches comes second, but still comes.
const AGE: f64 = 0.3;
/// The most that a candidate can earn: 1.9 for words (the saturation of BM25), 0.45 for neighbours, and the three above.
/// A smaller one would make the best matches alike, and the newest of them first.
const PERFECT: f64 = 3.52;

/// Below this share of the query's words they say nothing.
const SAYS_SOMETHING: f64 = 0.06;
/// Below this cosine two texts are as similar as any two: the 99th percentile of unrelated pairs is 0.26, the 5th of
/// true ones 0.19.
const MEANS_SOMETHING: f64 = 0.20;

/// Whether a candidate has anything to do with what was asked.
#[must_use]
pub fn is_relevant(parts: Components, asked: Asked) -> bool {
    if !asked.text && !asked.scene && !asked.skill {
        return true;
    }
    let text = asked.text && (says(parts) || means(parts));
    let scene = asked.scene && parts.scene;
    // A skill alone is too little to go by when there was something to compare with.
    let skill = asked.skill && parts.skill && !asked.text && !asked.scene;
    text || scene || skill
}

fn says(parts: Components) -> bool {
    parts.words >= SAYS_SOMETHING
}

fn means(parts: Components) -> bool {
    parts.meaning.is_some_and(|cosine| cosine >= MEANS_SOMETHING)
}

/// The score, 0..1.
#[must_use]
pub fn score(parts: Components, asked: Asked) -> f64 {
    let mut sum = 0.0;
    let mut possible = PERFECT;
    if asked.text {
        sum += parts.words + MEANING * parts.meaning.unwrap_or(0.0).max(0.0);
    }
    if asked.scene && parts.scene {
        sum += SCENE;
    }
    if asked.skill && parts.skill {
        sum += SKILL;
    }
    if !asked.text {
        // Only scene and skill could be earned; with nothing asked for, all are alike and the newest come first.
        possible = match (asked.scene, asked.skill) {
            (false, false) => return aged(1.0, parts.decay),
            (scene, skill) => f64::from(u8::from(scene)) * SCENE + f64::from(u8::from(skill)) * SKILL,
        };
    }
    aged((sum / possible).clamp(0.0, 1.0), parts.decay)
}

fn aged(relevance: f64, decay: f64) -> f64 {
    relevance * (1.0 - AGE + AGE * decay.clamp(0.0, 1.0))
}

/// What it was found by, in the order of weight.
#[must_use]
pub fn matched_by(parts: Components, asked: Asked) -> Vec<String> {
    let reasons = [
        (asked.text && says(parts), "words"),
        (asked.text && means(parts), "meaning"),
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

    const ALL: Asked = Asked { text: true, scene: true, skill: true };

    #[test]
    fn the_same_words_in_a_fresher_episode_come_first() {
        let asked = Asked { text: true, ..Asked::default() };
        let fresh = Components { words: 0.8, decay: 1.0, ..Components::default() };
        assert!(score(fresh, asked) > score(Components { decay: 0.3, ..fresh }, asked));
    }

    #[test]
    fn meaning_finds_what_shares_no_word() {
        let other_language = Components { meaning: Some(0.45), decay: 1.0, ..Components::default() };
        assert!(is_relevant(other_language, ALL));
        assert_eq!(matched_by(other_language, ALL), ["meaning"]);
    }

    #[test]
    fn what_shares_neither_words_nor_meaning_nor_scene_is_not_returned() {
        let stranger = Components { words: 0.01, meaning: Some(0.1), skill: true, decay: 1.0, ..Components::default() };
        assert!(!is_relevant(stranger, ALL));
    }

    #[test]
    fn the_scene_alone_can_be_reason_enough() {
        let fight = Components { scene: true, decay: 1.0, ..Components::default() };
        assert!(is_relevant(fight, ALL));
        assert!((score(fight, Asked { scene: true, ..Asked::default() }) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_score_is_a_share_and_never_falls_when_more_matches(
            words in 0.0..=2.0_f64, more in 0.0..=2.0_f64, meaning in -1.0..=1.0_f64, closer in -1.0..=1.0_f64,
            scene: bool, skill: bool, decay in 0.0..=1.0_f64, a: bool, b: bool, c: bool,
        ) {
            let asked = Asked { text: a, scene: b, skill: c };
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
