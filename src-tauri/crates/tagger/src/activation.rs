//! The two functions of a gate. They use no function of the system, whose last digits differ between systems, and no
//! branch, so that the compiler can compute several numbers at once.

/// The input of the exponential is limited to ± this, where the results below are exact.
const MAX_EXPONENT: f32 = 87.0;

/// Added to a small number, rounds it to an integer, which is then in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;

/// e to the power of `x`, with a relative error below 3e-7. The method is that of the Cephes library: a polynomial
/// between ± ln(2) / 2, and a power of two.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-MAX_EXPONENT, MAX_EXPONENT);
    let rounded = x * std::f32::consts::LOG2_E + ROUNDER;
    let exponent = rounded - ROUNDER;
    // ln(2) in two parts, the first of which has few digits, so that its multiples are exact.
    let rest = (x - exponent * 0.693_359_4) - exponent * -2.121_944_4e-4;
    let mut polynomial = 1.987_569_1e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        polynomial = polynomial * rest + coefficient;
    }
    let power = f32::from_bits((rounded.to_bits().wrapping_sub(ROUNDER.to_bits())).wrapping_add(127) << 23);
    (polynomial * rest * rest + rest + 1.0) * power
}

/// 1 / (1 + e^−x).
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The hyperbolic tangent.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    2.0 / (1.0 + exp(-2.0 * x)) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_functions_agree_with_those_of_the_standard_library() {
        for step in -40_000..=40_000 {
            let x = step as f32 / 400.0;
            let exact = f64::from(x);
            let difference = f64::from(sigmoid(x)) - 1.0 / (1.0 + (-exact).exp());
            assert!(difference.abs() < 2e-7, "sigmoid of {x}: {difference}");
            let difference = f64::from(tanh(x)) - exact.tanh();
            assert!(difference.abs() < 4e-7, "tanh of {x}: {difference}");
        }
    }

    #[test]
    fn extreme_numbers_have_limits_and_no_number_has_none() {
        for x in [f32::MAX, f32::INFINITY, 1e9] {
            assert_eq!((sigmoid(x), tanh(x)), (1.0, 1.0));
            assert!(sigmoid(-x) < 1e-37 && tanh(-x) == -1.0);
        }
        assert!(sigmoid(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    }
}
