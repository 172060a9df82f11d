//! When a rule that held holds no more: an e-CUSUM against it.
//!
//! ```text
//! M = mean over λ of M(λ),   M(λ) ← max(1, M(λ)) · (1 + λ · (μ - s))        s = ±1: agrees or not, ties left out
//! ```
//!
//! after Shin, Ramdas & Rinaldo 2022 ("E-detectors: a nonparametric framework for sequential change detection"). As long as
//! the mean of `s` is at least `μ`, each factor has mean at most one, and the expected number of relevant episodes until
//! M ≥ 20 is at least 20 in the very worst case; where a rule holds well, M does not get there.
//!
//! With μ = 0, the method's, the question is whether the writer now leans the other way. A rule is kept only while 60 %
//! agree with it, that is mean `s` = 0.2, and can be tested against that claim: quicker, and more easily wrong.
//! Relevant episodes until retired after a turn from .8 to .2 (median, mean), and rules retired falsely within 300:
//!
//! | μ | at M ≥ | delay | falsely at .8 | at .7 |
//! | --- | --- | --- | --- | --- |
//! | 0 | 20 | 12, 14.0 | 0.5 % | 5 % |
//! | 0.2 | 20 | 9, 10.2 | 1.9 % | 20 % |
//! | 0.2 | 60 | 12, 13.5 | 0.1 % | 4 % |

/// The shares mixed. With a claim of up to 0.25 no factor is negative.
const SHARES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
/// Where a rule is retired.
pub const THRESHOLD: f64 = 20.0;
/// What is tested: that the writer does not lean the other way.
pub const CLAIM: f64 = 0.0;

/// Watches one rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    money: [f64; 4],
    claim: f64,
    since: u32,
}

impl Default for Drift {
    fn default() -> Self {
        Self::against(CLAIM)
    }
}

impl Drift {
    /// Against a claim about the mean of ±1, held within -0.25..=0.25; 0 is "no preference".
    #[must_use]
    pub fn against(claim: f64) -> Self {
        Self { money: [1.0; 4], claim: claim.clamp(-0.25, 0.25), since: 0 }
    }

    /// Looks at evidence that is positive where it agrees with the rule. A tie changes nothing.
    pub fn observe(&mut self, agreement: f32) {
        if agreement == 0.0 || agreement.is_nan() {
            return;
        }
        let s = f64::from(agreement.signum());
        if self.money.iter().all(|money| *money <= 1.0) {
            self.since = 0;
        }
        for (money, share) in self.money.iter_mut().zip(SHARES) {
            *money = money.max(1.0) * (1.0 + share * (self.claim - s));
        }
        self.since += 1;
    }

    /// The money against the rule; at [`THRESHOLD`] it is to be retired.
    #[must_use]
    pub fn money(&self) -> f64 {
        self.money.iter().sum::<f64>() / 4.0
    }

    /// How many relevant pieces ago the money last stood at the start: where the change seems to have begun.
    #[must_use]
    pub fn since(&self) -> u32 {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_forgets_what_agreed_and_remembers_where_it_turned() {
        let mut watch = Drift::default();
        for _ in 0..1000 {
            watch.observe(1.0);
            watch.observe(0.0);
        }
        assert!(watch.money() < 1.0);
        let mut against = 0;
        while watch.money() < THRESHOLD {
            watch.observe(-0.3);
            against += 1;
        }
        assert!((7..=9).contains(&against), "{against} in a row");
        assert_eq!(watch.since(), against);
    }
}
