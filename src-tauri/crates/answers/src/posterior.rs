//! The chance that an answer is right, from what came of its uses, with an interval.
//!
//! ```text
//! value = (4 × a + Σ wᵢ rᵢ .985^(later ones)) / (4 + Σ wᵢ .985^(later ones))
//! ```
//!
//! `r` is 1 for a pass, ½ for a partial result, 0 for a failure; `w` the weight of the signal: 1 strong, .5 medium, .1
//! weak. `a` is the share of answers of its kind and model that this writer accepted, at the start ½. This is the mean
//! of a Beta distribution whose counts are discounted (as in [`crate::standing`] nothing is: the fixed steps there are
//! no probability). Ageing is that of the confidence of rules: by later signals, not by time. The interval is Wilson's
//! (1927), two-sided 90 %, on the same counts with the prior.
//!
//! **Exit codes prove nothing.** Weak signals (a run that ended, an answer that it named) carry the value to
//! [`MAX_WEAK_VALUE`] at most, or to the value without them if that is higher. Their failures count in full.

use crate::validation::{Source, Strength, Validation, ValidationResult};

/// Factor on the weight of a signal for each later one.
pub const AGEING_FACTOR: f64 = 0.985;
/// Weight of the prior.
pub const PRIOR_WEIGHT: f64 = 4.0;
/// Share of accepted answers before any was accepted or refused.
pub const INITIAL_ACCEPTANCE_RATE: f64 = 0.5;
/// The highest value that weak signals lead to.
pub const MAX_WEAK_VALUE: f64 = 0.60;
/// Minimum number of signals of an answer that counts as tried.
pub const MIN_TRIES: u32 = 3;
/// Standard normal deviate of a two-sided 90 % interval.
const NORMAL_DEVIATE_90: f64 = 1.645;

/// The chance that an answer is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posterior {
    /// 0..=1.
    pub value: f64,
    /// Lower end of its 90 % interval, 0..=value.
    pub low: f64,
    /// Upper end of its 90 % interval, value..=1.
    pub high: f64,
    /// Sum of the aged weights, at most 1/(1-.985) = 67; the prior is not in it.
    pub weight: f64,
    /// Number of signals, not weighted: the N that the writer sees.
    pub tries: u32,
    /// Number of passes among them.
    pub passed: u32,
}

impl Posterior {
    /// True from [`MIN_TRIES`] signals on; before, the writer reads "not tried yet" in place of a number.
    #[must_use]
    pub const fn is_tried(&self) -> bool {
        self.tries >= MIN_TRIES
    }
}

/// Aged counts of the signals of one version of an answer: an edit starts again.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Weight of what was right, of all signals.
    pub right: f64,
    /// Weight of all signals.
    pub weight: f64,
    /// Weight of what was right, of strong and medium signals.
    pub firm_right: f64,
    /// Weight of strong and medium signals.
    pub firm_weight: f64,
    /// Number of signals.
    pub tries: u32,
    /// Number of passes.
    pub passed: u32,
}

/// Weight of a validation, 0..=1, whether it is applied or only reported. A run weighs as weak as its exit code, and
/// nothing if it did not use the answer; so do a repeated question and other programs.
#[must_use]
pub fn weight_of(validation: &Validation) -> f64 {
    let of_strength = |strength| match strength {
        Strength::Strong => 1.0,
        Strength::Medium => 0.5,
        Strength::Weak => 0.1,
    };
    match validation.source {
        Source::Run if !validation.used => 0.0,
        Source::Run | Source::Reasked | Source::Remote => of_strength(Strength::Weak),
        Source::Writer | Source::Inserted | Source::Copied | Source::Cited => of_strength(validation.strength),
    }
}

impl Tally {
    /// The counts of validations in the order of their times.
    #[must_use]
    pub fn of<'v>(validations: impl IntoIterator<Item = &'v Validation>) -> Self {
        let mut tally = Self::default();
        validations.into_iter().for_each(|validation| tally.observe(validation));
        tally
    }

    /// Counts one more validation; one without weight changes nothing.
    pub fn observe(&mut self, validation: &Validation) {
        let weight = weight_of(validation);
        if weight <= 0.0 {
            return;
        }
        let right = match validation.result {
            ValidationResult::Pass => weight,
            ValidationResult::Partial => weight / 2.0,
            ValidationResult::Fail => 0.0,
        };
        // Binary fractions of .5 and 1 are exact: weak is what is below medium.
        let is_firm = weight >= 0.5;
        self.right = self.right * AGEING_FACTOR + right;
        self.weight = self.weight * AGEING_FACTOR + weight;
        self.firm_right = self.firm_right * AGEING_FACTOR + if is_firm { right } else { 0.0 };
        self.firm_weight = self.firm_weight * AGEING_FACTOR + if is_firm { weight } else { 0.0 };
        self.tries = self.tries.saturating_add(1);
        self.passed = self.passed.saturating_add(u32::from(validation.result == ValidationResult::Pass));
    }

    /// The posterior with a prior of `acceptance_rate`, 0..=1; a number that is not finite counts as the initial rate.
    #[must_use]
    pub fn posterior(&self, acceptance_rate: f64) -> Posterior {
        let rate = if acceptance_rate.is_finite() { acceptance_rate.clamp(0.0, 1.0) } else { INITIAL_ACCEPTANCE_RATE };
        let mean = |right: f64, weight: f64| (PRIOR_WEIGHT * rate + right) / (PRIOR_WEIGHT + weight);
        // Without strong and medium signals even a high rate of acceptance is no reason to believe an exit code.
        let without_weak = if self.firm_weight > 0.0 { mean(self.firm_right, self.firm_weight) } else { 0.0 };
        let has_weak = self.weight > self.firm_weight;
        let all = mean(self.right, self.weight);
        let value = if has_weak { all.min(without_weak.max(MAX_WEAK_VALUE)) } else { all };
        // The numbers of a damaged row may be any.
        let value = if value.is_finite() { value.clamp(0.0, 1.0) } else { rate };
        let n = PRIOR_WEIGHT + self.weight;
        let z2 = NORMAL_DEVIATE_90 * NORMAL_DEVIATE_90;
        let centre = value + z2 / (2.0 * n);
        let half = NORMAL_DEVIATE_90 * (value * (1.0 - value) / n + z2 / (4.0 * n * n)).sqrt();
        let bound = |end: f64| end / (1.0 + z2 / n);
        Posterior {
            value,
            low: finite_or(bound(centre - half), 0.0).clamp(0.0, value),
            high: finite_or(bound(centre + half), 1.0).clamp(value, 1.0),
            weight: self.weight,
            tries: self.tries,
            passed: self.passed,
        }
    }
}

/// The share of answers that were accepted, of all that were accepted or refused, 0..=1: the prior of a new one. It
/// starts at ½, with the weight of the prior.
#[must_use]
pub fn acceptance_rate(accepted: u32, refused: u32) -> f64 {
    let all = f64::from(accepted) + f64::from(refused);
    (PRIOR_WEIGHT * INITIAL_ACCEPTANCE_RATE + f64::from(accepted)) / (PRIOR_WEIGHT + all)
}

fn finite_or(value: f64, otherwise: f64) -> f64 {
    if value.is_finite() { value } else { otherwise }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validation(result: ValidationResult, strength: Strength, source: Source) -> Validation {
        Validation { result, strength, source, used: true, applied: true }
    }

    const RIGHT: Validation = Validation {
        result: ValidationResult::Pass,
        strength: Strength::Strong,
        source: Source::Writer,
        used: true,
        applied: true,
    };
    const EXIT_ZERO: Validation = Validation { strength: Strength::Strong, source: Source::Run, ..RIGHT };

    #[test]
    fn without_signals_the_value_is_the_rate_of_acceptance_and_nothing_is_tried() {
        let none = Tally::default().posterior(0.7);
        assert!((none.value - 0.7).abs() < 1e-12 && !none.is_tried() && none.weight == 0.0);
        assert!((Tally::default().posterior(f64::NAN).value - 0.5).abs() < 1e-12);
    }

    #[test]
    fn exit_codes_alone_never_lead_over_sixty_percent() {
        for rate in [0.0, 0.5, 0.9, 1.0] {
            for count in 1..400 {
                let posterior = Tally::of(&vec![EXIT_ZERO; count]).posterior(rate);
                assert!(posterior.value <= MAX_WEAK_VALUE + 1e-12, "{rate} {count}: {posterior:?}");
            }
        }
    }

    #[test]
    fn one_verdict_counts_as_ten_exit_codes_and_is_not_limited_by_them() {
        let mut tally = Tally::of(&[RIGHT; 6]);
        let before = tally.posterior(0.5).value;
        assert!(before > 0.75, "{before}");
        (0..50).for_each(|_| tally.observe(&EXIT_ZERO));
        let after = tally.posterior(0.5).value;
        assert!(after > 0.6 && after <= before, "{before} {after}");
    }

    #[test]
    fn an_answer_that_only_stood_in_the_prompt_gains_nothing() {
        let unused = Validation { used: false, ..EXIT_ZERO };
        assert_eq!(Tally::of(&[unused; 9]), Tally::default());
    }

    #[test]
    fn three_of_three_is_tried_and_uncertain() {
        let posterior = Tally::of(&[RIGHT; 3]).posterior(0.5);
        assert!(posterior.is_tried() && posterior.passed == 3);
        assert!((0.68..0.73).contains(&posterior.value), "{posterior:?}");
        assert!(posterior.low < 0.5 && posterior.high > 0.85, "{posterior:?}");
    }

    #[test]
    fn later_failures_outweigh_earlier_passes() {
        let wrong = validation(ValidationResult::Fail, Strength::Strong, Source::Writer);
        let fell = Tally::of([RIGHT; 40].iter().chain(&[wrong; 40])).posterior(0.5).value;
        let rose = Tally::of([wrong; 40].iter().chain(&[RIGHT; 40])).posterior(0.5).value;
        assert!(fell < 0.40 && rose > 0.60, "{fell} {rose}");
    }

    #[test]
    fn the_rate_of_acceptance_starts_at_one_half_and_follows_the_writer() {
        assert!((acceptance_rate(0, 0) - 0.5).abs() < 1e-12);
        assert!((acceptance_rate(96, 0) - 0.98).abs() < 1e-12);
        assert!(acceptance_rate(0, u32::MAX) < 1e-6);
    }

    #[test]
    fn a_damaged_tally_still_gives_a_chance_within_its_bounds() {
        for (right, weight) in [(0.0, -1.0), (9.0, -4.0), (f64::NAN, 1.0), (1e300, f64::INFINITY), (-5.0, 1.0)] {
            let tally = Tally { right, weight, firm_right: right, firm_weight: weight, tries: 1, passed: 1 };
            let Posterior { value, low, high, .. } = tally.posterior(0.5);
            assert!(
                0.0 <= low && low <= value && value <= high && high <= 1.0,
                "{right} {weight}: {low} {value} {high}"
            );
        }
    }
}
