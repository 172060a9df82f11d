//! One score out of what matched, with the reasons beside it.

/// What is known of one candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// Words: BM25 as a share of the best candidate's, 0..1; `None` when no word matched.
    pub words: Option<f64>,
    /// The scene type is the one asked for.
    pub scene: bool,
    /// The skill is the one asked for.
    pub skill: bool,
    /// The decay score, 0..1.
    pub decay: f64,
}

/// What was asked for: a share of the score that nobody could earn is given to the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// There was a text to compare with.
    pub words: bool,
    /// There was a scene type.
    pub scene: bool,
    /// There was a skill.
    pub skill: bool,
}

const WORDS: f64 = 0.60;
const SCENE: f64 = 0.25;
const SKILL: f64 = 0.15;

/// How much of the score age can take away: the oldest of two equal matches comes last, but still comes.
const AGE: f64 = 0.3;

/// How well a candidate answers what was asked, 0..1, before age.
#[must_use]
pub fn relevance(signals: Signals, asked: Asked) -> f64 {
    let parts = [
        (asked.words, WORDS, signals.words.unwrap_or(0.0)),
        (asked.scene, SCENE, f64::from(u8::from(signals.scene))),
        (asked.skill, SKILL, f64::from(u8::from(signals.skill))),
    ];
    let possible: f64 = parts.iter().filter(|(asked, ..)| *asked).map(|(_, weight, _)| weight).sum();
    if possible == 0.0 {
        // Nothing in particular was asked for: all are alike, and the newest come first.
        return 1.0;
    }
    parts.iter().filter(|(asked, ..)| *asked).map(|(_, weight, value)| weight * value).sum::<f64>() / possible
}

/// The final score, 0..1: relevance, less what age takes.
#[must_use]
pub fn score(signals: Signals, asked: Asked) -> f64 {
    relevance(signals, asked) * (1.0 - AGE + AGE * signals.decay.clamp(0.0, 1.0))
}

/// What it was found by, in the order of weight.
#[must_use]
pub fn matched_by(signals: Signals, asked: Asked) -> Vec<String> {
    let reasons = [
        (signals.words.is_some(), "words"),
        (asked.scene && signals.scene, "scene"),
        (asked.skill && signals.skill, "skill"),
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

    #[test]
    fn the_same_words_in_a_fresher_episode_come_first() {
        let asked = Asked { words: true, ..Asked::default() };
        let fresh = Signals { words: Some(0.8), decay: 1.0, ..Signals::default() };
        let faded = Signals { decay: 0.3, ..fresh };
        assert!(score(fresh, asked) > score(faded, asked));
    }

    #[test]
    fn a_share_nobody_could_earn_takes_nothing_away() {
        let signals = Signals { words: Some(1.0), decay: 1.0, ..Signals::default() };
        assert!((score(signals, Asked { words: true, ..Asked::default() }) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_reasons_are_named() {
        let asked = Asked { words: true, scene: true, skill: true };
        let signals = Signals { words: Some(0.5), scene: true, skill: false, decay: 1.0 };
        assert_eq!(matched_by(signals, asked), ["words", "scene"]);
        assert_eq!(matched_by(Signals::default(), Asked::default()), ["recent"]);
    }

    proptest! {
        #[test]
        fn a_score_is_a_share_and_never_falls_when_more_matches(
            words in 0.0..=1.0_f64, more in 0.0..=1.0_f64, scene: bool, skill: bool, decay in 0.0..=1.0_f64,
            a: bool, b: bool, c: bool,
        ) {
            let asked = Asked { words: a, scene: b, skill: c };
            let low = Signals { words: Some(words.min(more)), scene, skill, decay };
            let high = Signals { words: Some(words.max(more)), ..low };
            prop_assert!((0.0..=1.0).contains(&score(low, asked)));
            prop_assert!(score(high, asked) >= score(low, asked));
            let there = Signals { scene: true, ..low };
            prop_assert!(score(there, asked) >= score(low, asked));
        }
    }
}
