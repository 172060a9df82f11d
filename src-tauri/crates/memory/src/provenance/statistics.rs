//! The statistics that influence needs.

/// Mean and sample variance; `None` for fewer than two numbers.
pub(super) fn moments(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    Some((mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)))
}

/// The quantile of Student's t with `freedom` degrees of freedom, from the standard normal quantile of the same
/// probability (Abramowitz & Stegun 1964, 26.7.5). Within 1 % from four degrees on, at the levels that are used here.
pub(super) fn student(normal: f64, freedom: f64) -> f64 {
    let (z3, z5, z7) = (normal.powi(3), normal.powi(5), normal.powi(7));
    normal
        + (z3 + normal) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * normal) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * normal) / (384.0 * freedom.powi(3))
}

/// Whether the mean of `one` is above that of `other`, significantly at the one-sided level of `normal`: Welch's test
/// (1947), which allows different variances. `None` without variance, or with fewer than two numbers.
pub(super) fn is_above(one: &[f64], other: &[f64], normal: f64) -> Option<bool> {
    let ((mean, variance), (other_mean, other_variance)) = (moments(one)?, moments(other)?);
    let (part, other_part) = (variance / one.len() as f64, other_variance / other.len() as f64);
    let error = part + other_part;
    if error <= 0.0 || !error.is_finite() {
        return None;
    }
    // Welch & Satterthwaite.
    let freedom =
        error.powi(2) / (part.powi(2) / (one.len() as f64 - 1.0) + other_part.powi(2) / (other.len() as f64 - 1.0));
    Some((mean - other_mean) / error.sqrt() > student(normal, freedom))
}

/// The inverse of a symmetric positive definite matrix, by Cholesky decomposition; `None` for any other matrix.
#[allow(clippy::needless_range_loop, reason = "rows and columns are what the formula speaks of")]
pub(super) fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    if matrix.iter().any(|row| row.len() != n) {
        return None;
    }
    let mut low = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = matrix[i][j] - (0..j).map(|k| low[i][k] * low[j][k]).sum::<f64>();
            low[i][j] = if i != j {
                rest / low[j][j]
            } else if rest > 1e-9 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    let mut inverse = vec![vec![0.0; n]; n];
    for column in 0..n {
        let mut half = vec![0.0; n];
        for i in 0..n {
            let known: f64 = (0..i).map(|k| low[i][k] * half[k]).sum();
            half[i] = (if i == column { 1.0 } else { 0.0 } - known) / low[i][i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| low[k][i] * inverse[k][column]).sum();
            inverse[i][column] = (half[i] - known) / low[i][i];
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (normal, freedom, table) in [
            (1.960, 4.0, 2.776),
            (1.960, 9.0, 2.262),
            (1.960, 19.0, 2.093),
            (1.2816, 14.0, 1.345),
            (1.2816, 4.0, 1.533),
        ] {
            assert!((student(normal, freedom) / table - 1.0).abs() < 0.01, "{normal} {freedom}");
        }
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one_and_a_singular_one_has_none() {
        let matrix = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 2.0]];
        let inverse = inverse(&matrix).unwrap();
        for (i, row) in matrix.iter().enumerate() {
            for j in 0..3 {
                let product: f64 = row.iter().zip(&inverse).map(|(value, other)| value * other[j]).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-12);
            }
        }
        assert!(super::inverse(&[vec![1.0, 1.0], vec![1.0, 1.0]]).is_none());
        assert!(super::inverse(&[vec![1.0, 1.0]]).is_none());
    }

    #[test]
    fn an_effect_is_reported_only_above_chance() {
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = low.iter().map(|value| value + 4.0).collect();
        assert_eq!(is_above(&high, &low, 1.2816), Some(true));
        assert_eq!(is_above(&low, &high, 1.2816), Some(false));
        assert_eq!(is_above(&low, &low, 1.2816), Some(false));
        assert_eq!(is_above(&[1.0; 9], &[1.0; 9], 1.2816), None);
        assert_eq!(is_above(&[1.0], &low, 1.2816), None);
    }
}
