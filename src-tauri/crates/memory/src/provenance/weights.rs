//! Conversion of effects to weights that sum to 1 with an explicit remainder.
//!
//! ```text
//! w_i = c_i / (1 + Σ c)        remainder = 1 / (1 + Σ c)
//! ```
//!
//! The remainder is the share of the passage itself and the model. It is at least `1 / (1 + n/2)` for `n` memories, so
//! that no passage is attributed to memories alone.

/// The maximum effect.
const MAX_EFFECT: f64 = 0.5;

/// Weights and the remainder.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// One per effect, in order, each 0..1/3.
    pub weights: Vec<f64>,
    /// Share of the passage itself and the model, above 0 and at most 1.
    pub remainder: f64,
}

/// The weights of effects in 0..½. An unmeasured effect (`None` or NaN) weighs 0; a value outside the range is clamped.
#[must_use]
pub fn weights(effects: &[Option<f64>]) -> Weights {
    let effects: Vec<f64> = effects
        .iter()
        .map(|effect| effect.filter(|effect| effect.is_finite()).unwrap_or(0.0).clamp(0.0, MAX_EFFECT))
        .collect();
    let whole = 1.0 + effects.iter().sum::<f64>();
    let weights: Vec<f64> = effects.iter().map(|effect| effect / whole).collect();
    // By subtraction, so that the sum is one despite rounding.
    let remainder = 1.0 - weights.iter().sum::<f64>();
    Weights { weights, remainder }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_unmeasurable_memory_has_no_weight_and_the_rest_belongs_to_the_passage() {
        assert_eq!(weights(&[]), Weights { weights: vec![], remainder: 1.0 });
        assert_eq!(weights(&[None, Some(f64::NAN), Some(-3.0)]).weights, [0.0, 0.0, 0.0]);
        let two = weights(&[Some(0.5), None, Some(0.5)]);
        assert_eq!(two, Weights { weights: vec![0.25, 0.0, 0.25], remainder: 0.5 });
        assert_eq!(weights(&[Some(7.0)]).weights, [0.5 / 1.5]);
    }

    proptest! {
        #[test]
        fn weights_and_remainder_are_the_whole(effects in prop::collection::vec(prop::option::of(0.0..0.5_f64), 0..60)) {
            let all = weights(&effects);
            let sum = all.weights.iter().sum::<f64>() + all.remainder;
            prop_assert!((sum - 1.0).abs() < 1e-12);
            prop_assert!(all.remainder >= 1.0 / (1.0 + effects.len() as f64 / 2.0) - 1e-12);
            for (weight, effect) in all.weights.iter().zip(&effects) {
                prop_assert_eq!(*weight > 0.0, effect.unwrap_or(0.0) > 0.0);
            }
        }

        #[test]
        fn a_larger_effect_weighs_more_and_leaves_less(effects in prop::collection::vec(0.0..0.4_f64, 1..20), at in any::<prop::sample::Index>()) {
            let of = |effects: &[f64]| weights(&effects.iter().copied().map(Some).collect::<Vec<_>>());
            let before = of(&effects);
            let at = at.index(effects.len());
            let mut more = effects.clone();
            more[at] += 0.1;
            let after = of(&more);
            prop_assert!(after.weights[at] > before.weights[at]);
            prop_assert!(after.remainder < before.remainder);
        }
    }
}
