//! Detects rules that no longer hold, with an e-CUSUM against each.
//!
//! ```text
//! M = mean over λ of M(λ),   M(λ) ← max(1, M(λ)) · (1 + λ · (μ - s))        s = ±1: agrees or not, ties left out
//! ```
//!
//! after Shin, Ramdas & Rinaldo 2022 ("E-detectors: a nonparametric framework for sequential change detection"). As
//! long as the mean of `s` is at least `μ`, each factor has mean at most one, and the expected number of relevant
//! episodes until M ≥ 20 is at least 20 in the very worst case; where a rule holds well, M does not get there.
//!
//! With μ = 0 the test asks whether the writer now leans the other way. A rule stays only while 60 % agree with it,
//! mean `s` = 0.2; testing against that claim needs a higher threshold, and is then as quick and less often wrong.
//! Relevant episodes until retired after a turn from .8 to .2 (median, mean), and rules retired falsely within 300:
//!
//! | μ | at M ≥ | delay | falsely at .8 | at .7 |
//! | --- | --- | --- | --- | --- |
//! | 0 | 20 | 12, 14.0 | 0.5 % | 5 % |
//! | 0.2 | 20 | 9, 10.2 | 1.9 % | 20 % |
//! | 0.2 | 60, the default | 12, 13.5 | 0.1 % | 4 % |

/// The values of λ that are mixed. With a claim of up to 0.25 no factor is negative.
const LAMBDAS: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
/// The e-value at which a rule is retired.
pub const RETIRE_THRESHOLD: f64 = 60.0;
/// The claim tested by default: 60 % agree.
pub const DEFAULT_CLAIM: f64 = 0.2;

/// The drift detector of one rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    wealth: [f64; 4],
    claim: f64,
    since: u32,
}

impl Default for Drift {
    fn default() -> Self {
        Self::against(DEFAULT_CLAIM)
    }
}

impl Drift {
    /// A detector against a claim about the mean of ±1, clamped to -0.25..=0.25; 0 is "no preference".
    #[must_use]
    pub fn against(claim: f64) -> Self {
        Self { wealth: [1.0; 4], claim: claim.clamp(-0.25, 0.25), since: 0 }
    }

    /// Adds evidence, positive if it agrees with the rule. A tie changes nothing.
    pub fn observe(&mut self, agreement: f32) {
        if agreement == 0.0 || agreement.is_nan() {
            return;
        }
        let s = f64::from(agreement.signum());
        if self.wealth.iter().all(|wealth| *wealth <= 1.0) {
            self.since = 0;
        }
        for (wealth, share) in self.wealth.iter_mut().zip(LAMBDAS) {
            *wealth = wealth.max(1.0) * (1.0 + share * (self.claim - s));
        }
        self.since += 1;
    }

    /// The e-value against the rule; at [`RETIRE_THRESHOLD`] the rule is retired.
    #[must_use]
    pub fn e_value(&self) -> f64 {
        self.wealth.iter().sum::<f64>() / 4.0
    }

    /// Number of relevant pieces since the e-value was last at its start: the estimated begin of the change.
    #[must_use]
    pub fn since(&self) -> u32 {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_agreement_is_forgotten_and_the_turn_is_dated() {
        let mut watch = Drift::default();
        for _ in 0..1000 {
            watch.observe(1.0);
            watch.observe(0.0);
        }
        assert!(watch.e_value() < 1.0);
        let mut against = 0;
        while watch.e_value() < RETIRE_THRESHOLD {
            watch.observe(-0.3);
            against += 1;
        }
        assert!((7..=9).contains(&against), "{against} in a row");
        assert_eq!(watch.since(), against);
    }
}
