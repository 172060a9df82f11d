//! Evidence of one episode about each feature: a number in -1..=1 whose mean is zero for a writer without preference.
//!
//! With `z` the values of a feature in standard deviations and `g` the response below:
//!
//! ```text
//! choice:    A = mean over rejected r of  g(z(chosen) - z(r))
//! edit:      A = g(z(final) - z(before))
//! own text:  A = g(z(own) - mean z(candidates))      after all candidates were rejected
//! undo:      A ← -A                                  of what was accepted, in its place, also when it comes late
//! ```
//!
//! `g` is odd. That is all the null hypothesis needs: a choice at random among the candidates gives each of them the
//! same chance, and the sum of `A` over all possible choices is a sum of pairs `g(x) + g(-x) = 0`; an edit without
//! direction has the same chance of being made the other way round. "Chosen against the mean of the rejected" lacks
//! this property for skewed features, and finds preferences in writers without any.
//!
//! **Graded response.** The sign of a difference discards how far apart two candidates were, and a writer who chooses
//! by utility takes the one further ahead more often. The linear part of `g` is the score of a conditional logit at no
//! preference (McFadden 1974), that is the locally most powerful test; its clipped end bounds the bet. In simulated
//! writers a choice gains 18 % more evidence a row than its sign (.103 against .088 nats), and the full likelihood
//! ratio only another 7 %. An edit is deliberate, and what it moves on the way moves less than what it is about: an
//! early full end (half a standard deviation) keeps small deliberate changes whole and makes by-products smaller. On
//! the edits of real writers (LAMP: 6 writers, 467 edits, rough features) this finds 10.7 rules a writer, signs 9.7,
//! with the same agreement on held-out edits.

use crate::row::Kind;

/// The response that maps a difference in standard deviations to evidence: 0 in the dead zone, then proportional, then
/// ±1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// Differences up to here are ties. Standard deviations, 0.10–0.15.
    pub dead_zone: f32,
    /// Differences from here on count in full. Standard deviations; 0 makes every difference beyond the dead zone ±1.
    pub full: f32,
}

impl Response {
    /// For choices and their undo.
    pub const CHOICE: Self = Self { dead_zone: 0.12, full: 1.0 };
    /// For edits and own texts.
    pub const WRITTEN: Self = Self { dead_zone: 0.12, full: 0.5 };

    /// The response for a kind of evidence.
    #[must_use]
    pub fn for_kind(kind: Kind) -> Self {
        if kind.is_written() { Self::WRITTEN } else { Self::CHOICE }
    }

    /// The evidence of a difference, -1..=1. Odd: `apply(-x) == -apply(x)`. NaN is a tie.
    #[must_use]
    pub fn apply(self, difference: f32) -> f32 {
        let size = difference.abs();
        if size.is_nan() || size <= self.dead_zone {
            return 0.0;
        }
        let share = if self.full > 0.0 { (size / self.full).min(1.0) } else { 1.0 };
        share.copysign(difference)
    }
}

/// Evidence of an episode, per feature.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// -1..=1, 0 a tie.
    pub a: Vec<f32>,
    /// Value of the preferred text minus that of the others (their mean), in standard deviations.
    pub dz: Vec<f32>,
}

impl Evidence {
    fn from_pairs(features: usize, others: usize, response: Response, pair: impl Fn(usize, usize) -> f32) -> Self {
        let share = 1.0 / others.max(1) as f32;
        let mut evidence = Self { a: vec![0.0; features], dz: vec![0.0; features] };
        for feature in 0..features {
            for other in 0..others {
                let difference = pair(feature, other);
                // Not finite: a spread of zero, or a feature that could not be measured.
                if difference.is_finite() {
                    evidence.a[feature] += response.apply(difference) * share;
                    evidence.dz[feature] += difference * share;
                }
            }
        }
        evidence
    }

    /// The evidence with its sign reversed, for an accepted choice that was undone. Its own inverse.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        for value in self.a.iter_mut().chain(&mut self.dz) {
            *value = -*value;
        }
        self
    }

    /// Whether every feature is a tie.
    #[must_use]
    pub fn is_all_ties(&self) -> bool {
        self.a.iter().all(|a| *a == 0.0)
    }
}

/// The value of a feature in standard deviations; NaN if the value or the spread is missing.
fn z(values: &[f32], spread: &[f32], feature: usize) -> f32 {
    match (values.get(feature), spread.get(feature)) {
        (Some(value), Some(spread)) if *spread > 0.0 => value / spread,
        _ => f32::NAN,
    }
}

/// Evidence of taking one candidate and not the others: one piece for any number of others, all ties without others.
///
/// `spread` are the standard deviations of the features ([`crate::Spread`]), ones if the values are standardised.
#[must_use]
pub fn from_choice<V: AsRef<[f32]>>(chosen: &[f32], rejected: &[V], spread: &[f32]) -> Evidence {
    Evidence::from_pairs(spread.len(), rejected.len(), Response::CHOICE, |feature, other| {
        z(chosen, spread, feature) - z(rejected[other].as_ref(), spread, feature)
    })
}

/// Evidence of changing a text into another.
#[must_use]
pub fn from_edit(before: &[f32], after: &[f32], spread: &[f32]) -> Evidence {
    Evidence::from_pairs(spread.len(), 1, Response::WRITTEN, |feature, _| {
        z(after, spread, feature) - z(before, spread, feature)
    })
}

/// Evidence of the writer's own text after all candidates were rejected. A rejection alone has no direction and gives
/// no evidence.
#[must_use]
pub fn from_own_text<V: AsRef<[f32]>>(own: &[f32], candidates: &[V], spread: &[f32]) -> Evidence {
    let others = usize::from(!candidates.is_empty());
    Evidence::from_pairs(spread.len(), others, Response::WRITTEN, |feature, _| {
        let sum: f32 = candidates.iter().map(|candidate| z(candidate.as_ref(), spread, feature)).sum();
        z(own, spread, feature) - sum / candidates.len() as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_one_piece_of_evidence() {
        let spread = [1.0, 2.0];
        let evidence = from_choice(&[1.0, 0.0], &[[0.0, 6.0], [0.5, 0.1]], &spread);
        // (g(1) + g(.5)) / 2; the second: g(-3) = -1 and a tie.
        assert!((evidence.a[0] - (1.0 + 0.5) / 2.0).abs() < 1e-6);
        assert!((evidence.a[1] + 0.5).abs() < 1e-6);
        assert!((evidence.dz[0] - 0.75).abs() < 1e-6);
    }

    #[test]
    fn values_that_cannot_be_measured_are_no_evidence() {
        let none: [[f32; 2]; 0] = [];
        assert!(from_choice(&[1.0, 2.0], &none, &[1.0, 1.0]).is_all_ties());
        assert!(from_own_text(&[1.0, 2.0], &none, &[1.0, 1.0]).is_all_ties());
        assert!(from_edit(&[0.0, 0.0], &[9.0, f32::NAN], &[0.0, 1.0]).is_all_ties());
        assert_eq!(from_edit(&[0.0], &[9.0], &[1.0, 1.0]).a, [1.0, 0.0], "a text measured on fewer features");
    }

    #[test]
    fn an_undo_is_a_swing_of_twice_the_evidence() {
        let taken = from_choice(&[3.0], &[[0.0]], &[1.0]);
        assert_eq!(taken.a, [1.0]);
        assert_eq!(taken.clone().reversed().a, [-1.0]);
        assert_eq!(taken.clone().reversed().reversed(), taken);
    }

    #[test]
    fn own_words_are_compared_with_the_mean_of_the_candidates() {
        let evidence = from_own_text(&[2.0, 0.0], &[[1.0, 1.0], [2.0, -1.0]], &[1.0, 1.0]);
        assert_eq!(evidence.a, [1.0, 0.0]);
        assert!((evidence.dz[0] - 0.5).abs() < 1e-6);
    }
}
