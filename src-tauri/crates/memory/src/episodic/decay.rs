//! The decay score of an episode. The formula is fixed; only the owner changes it (design, section 4).
//!
//! This is its only implementation. Age counts from the later of creation and last recall, because a fading episode
//! that is recalled must become active again, which a formula on the age since creation cannot do.

use crate::model::Time;

/// Decay rate per day: a factor of exp(-0.1).
const RATE_PER_DAY: f64 = 0.1;
/// Gain per recall.
const RECALL_GAIN: f64 = 0.2;
/// Gain at full importance.
const IMPORTANCE_GAIN: f64 = 0.3;

/// Minimum score for normal recall.
const MIN_ACTIVE: f64 = 0.7;
/// Minimum score for recall with lower priority.
const MIN_FADING: f64 = 0.3;
/// Minimum score of the tier to be compressed; below: to be deleted.
const MIN_TO_COMPRESS: f64 = 0.1;

/// The tier of an episode by its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A candidate for deletion.
    ToEvict,
    /// Not recalled; waits for the weekly compression.
    ToCompress,
    /// Recalled with lower priority; a recall makes it active again.
    Fading,
    /// Recalled normally.
    Active,
}

impl Tier {
    /// The tier of a score in 0..1.
    #[must_use]
    pub fn from_score(score: f64) -> Self {
        match score {
            s if s >= MIN_ACTIVE => Self::Active,
            s if s >= MIN_FADING => Self::Fading,
            s if s >= MIN_TO_COMPRESS => Self::ToCompress,
            _ => Self::ToEvict,
        }
    }

    /// Whether it is too faded to be recalled while fresher episodes are relevant.
    #[must_use]
    pub fn sleeps(self) -> bool {
        self < Self::Fading
    }
}

/// The inputs of the score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Life {
    /// When it happened.
    pub created_at: Time,
    /// Last use in the prompt of a generation that ran; `None` if none.
    pub last_recalled_at: Option<Time>,
    /// Number of such uses.
    pub recall_count: u32,
    /// Importance, 0..1.
    pub importance: f64,
    /// Pinned by the writer: exempt from decay.
    pub user_confirmed: bool,
}

/// The decay score at `now`, 0..1.
#[must_use]
pub fn decay(life: Life, now: Time) -> f64 {
    if life.user_confirmed {
        return 1.0;
    }
    let since = life.last_recalled_at.map_or(life.created_at, |recalled| recalled.max(life.created_at));
    let base_decay = (-RATE_PER_DAY * now.days_since(since)).exp();
    let recall_boost = 1.0 + RECALL_GAIN * f64::from(life.recall_count);
    let importance_boost = 1.0 + IMPORTANCE_GAIN * life.importance;
    (base_decay * recall_boost * importance_boost).min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = 86_400_000;

    fn aged(days: f64) -> f64 {
        let now = Time::from_millis((days * 86_400_000.0) as i64);
        decay(fresh(), now)
    }

    fn fresh() -> Life {
        Life {
            created_at: Time::from_millis(0),
            last_recalled_at: None,
            recall_count: 0,
            importance: 0.0,
            user_confirmed: false,
        }
    }

    #[test]
    fn an_unused_episode_scores_a_quarter_after_13_9_days_and_is_due_for_compression() {
        let score = aged(13.863);
        assert!((score - 0.25).abs() < 1e-4, "{score}");
        assert_eq!(Tier::from_score(score), Tier::ToCompress);
    }

    #[test]
    fn after_sixty_days_the_score_is_0_0025_as_in_the_formula() {
        assert!((aged(60.0) - 0.002_478_8).abs() < 1e-6);
        assert_eq!(Tier::from_score(aged(60.0)), Tier::ToEvict);
    }

    #[test]
    fn a_fading_episode_that_is_recalled_is_active_again() {
        let now = Time::from_millis(7 * DAY);
        assert_eq!(Tier::from_score(decay(fresh(), now)), Tier::Fading);
        let recalled = Life { recall_count: 1, last_recalled_at: Some(now), ..fresh() };
        assert_eq!(Tier::from_score(decay(recalled, now)), Tier::Active);
    }

    #[test]
    fn a_pinned_episode_does_not_decay() {
        let kept = Life { user_confirmed: true, ..fresh() };
        assert!((decay(kept, Time::from_millis(3650 * DAY)) - 1.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn decay_is_a_share_and_only_falls_with_time(
            age in 0i64..(4000 * DAY), later in 0i64..(4000 * DAY), importance in 0.0..=1.0_f64, recalls in 0u32..50,
        ) {
            let life = Life { importance, recall_count: recalls, ..fresh() };
            let (first, second) = (decay(life, Time::from_millis(age)), decay(life, Time::from_millis(age + later)));
            prop_assert!((0.0..=1.0).contains(&first));
            prop_assert!(second <= first);
        }

        #[test]
        fn importance_and_recalls_only_ever_help(age in 0i64..(400 * DAY), a in 0.0..=1.0_f64, b in 0.0..=1.0_f64) {
            let now = Time::from_millis(age);
            let low = Life { importance: a.min(b), ..fresh() };
            let high = Life { importance: a.max(b), ..fresh() };
            prop_assert!(decay(high, now) >= decay(low, now));
            let used = Life { recall_count: 1, ..low };
            prop_assert!(decay(used, now) >= decay(low, now));
        }
    }
}
