//! Confidence of a rule: the share of its predictions that came true, each made before its outcome was known.
//!
//! ```text
//! confidence = (S + 4) / (N + 8)
//! ```
//!
//! `N` relevant pieces of evidence, `S` of them as predicted, each weighted 0.985 for every relevant one since. Counted
//! **prequentially** (Dawid 1984): predict with the sign that the evidence had before, then compare. Counting agreement
//! with the final sign instead would count the luck that selected the rule. Four agreements of eight are the prior:
//! after few pieces the number is near one half. In simulated writers, whose rules are found sooner than the
//! formula was fitted for, it is too low (calibration error .04; with 2 of 4 .02), so the prior can be set. Ties do
//! not count. The weight ages with relevant evidence only, not with time or other scenes: a break in writing changes no
//! preference.
//!
//! The lower bound is Wilson's (1927), two-sided 90 %, on the same counts with the prior, so that it is never above the
//! confidence. `N` is the sum of weights, smaller than the effective number of their mean's variance: the bound is
//! conservative.

/// Factor on the weight of a piece of evidence for each later relevant piece.
pub const AGEING_FACTOR: f64 = 0.985;
/// Number of agreements, and of disagreements, that the confidence starts from.
pub const PRIOR: f64 = 4.0;
/// Standard normal deviate of a two-sided 90 % interval.
const NORMAL_DEVIATE_90: f64 = 1.645;
/// Number of disagreements that the writer's verdict "wrong" counts as.
pub const DISAGREEMENTS_PER_WRONG: u32 = 4;

/// Confidence of a rule with its lower bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// 0..1.
    pub value: f64,
    /// Its lower bound, 0..=value.
    pub low: f64,
    /// Effective number of pieces of evidence: at most 1/(1-0.985) = 67.
    pub weight: f64,
}

/// Counts prequential predictions about one feature in one stratum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prequential {
    right: f64,
    weight: f64,
    lean: f64,
}

impl Prequential {
    /// The sum of the evidence so far; its sign is the prediction, 0 predicts nothing.
    #[must_use]
    pub fn lean(&self) -> f64 {
        self.lean
    }

    /// Predicts, then compares with evidence in -1..=1. A tie changes nothing. Without a prediction it counts as half
    /// right.
    pub fn observe(&mut self, a: f32) {
        if a == 0.0 || a.is_nan() {
            return;
        }
        let a = f64::from(a);
        let right = match self.lean * a {
            both if both > 0.0 => 1.0,
            both if both < 0.0 => 0.0,
            _ => 0.5,
        };
        self.count(right);
        self.lean += a;
    }

    /// Counts the writer's verdict "wrong".
    pub fn contradict(&mut self) {
        for _ in 0..DISAGREEMENTS_PER_WRONG {
            self.count(0.0);
        }
    }

    fn count(&mut self, right: f64) {
        self.right = self.right * AGEING_FACTOR + right;
        self.weight = self.weight * AGEING_FACTOR + 1.0;
    }

    /// The confidence so far, with `prior` agreements and as many disagreements before: [`PRIOR`] or another number
    /// above 0.
    #[must_use]
    pub fn confidence(&self, prior: f64) -> Confidence {
        let n = self.weight + 2.0 * prior;
        let value = (self.right + prior) / n;
        let z2 = NORMAL_DEVIATE_90 * NORMAL_DEVIATE_90;
        let centre = value + z2 / (2.0 * n);
        let half = NORMAL_DEVIATE_90 * (value * (1.0 - value) / n + z2 / (4.0 * n * n)).sqrt();
        Confidence { value, low: ((centre - half) / (1.0 + z2 / n)).clamp(0.0, value), weight: self.weight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(rows: impl IntoIterator<Item = f32>) -> Prequential {
        let mut count = Prequential::default();
        rows.into_iter().for_each(|a| count.observe(a));
        count
    }

    #[test]
    fn knowing_nothing_is_one_half() {
        let none = Prequential::default().confidence(PRIOR);
        assert!((none.value - 0.5).abs() < 1e-12 && none.low < 0.3 && none.weight == 0.0);
        assert_eq!(after([0.0; 20]), Prequential::default());
    }

    #[test]
    fn thirty_five_unanimous_choices_are_worth_point_eight_five() {
        let confidence = after([0.4; 35]).confidence(PRIOR);
        assert!(confidence.value > 0.85 && confidence.value < 0.9, "{confidence:?}");
        assert!(confidence.low > 0.72 && confidence.low < confidence.value);
    }

    #[test]
    fn fifty_ordinary_ones_are_not() {
        let rows = (0..50).map(|at| if at % 5 < 3 { 1.0 } else { -1.0 });
        let confidence = after(rows).confidence(PRIOR);
        assert!((0.50..0.70).contains(&confidence.value), "{confidence:?}");
    }

    #[test]
    fn wrong_is_four_disagreements() {
        let mut count = after([1.0; 20]);
        let before = count.confidence(PRIOR);
        count.contradict();
        let after = count.confidence(PRIOR);
        assert!((before.value - 0.83).abs() < 0.01 && after.value < before.value - 0.1, "{before:?} {after:?}");
        assert!(count.lean() > 0.0, "the lean is the evidence's, not the verdict's");
    }
}
