//! Shares, intervals and quantiles.

use std::time::Duration;

use palimpsest_text::random::SplitMix64;

/// The standard normal quantile of a two-sided interval of 95 %.
const NORMAL: f64 = 1.96;
/// Number of resamples of the bootstrap.
const RESAMPLES: usize = 2_000;

/// Wilson's interval of 95 % for a share (1927), as shares 0..1; `None` of nothing.
pub fn wilson_interval(part: usize, whole: usize) -> Option<(f64, f64)> {
    if whole == 0 {
        return None;
    }
    let (n, z) = (whole as f64, NORMAL);
    let p = part as f64 / n;
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let divisor = 1.0 + z * z / n;
    Some((((middle - half) / divisor).max(0.0), ((middle + half) / divisor).min(1.0)))
}

/// The mean of paired differences, and its percentile interval of 95 % by resampling the pairs. `None` with fewer than
/// two pairs.
pub fn paired_interval(differences: &[f64], seed: u64) -> Option<(f64, f64, f64)> {
    if differences.len() < 2 {
        return None;
    }
    let n = differences.len() as f64;
    let mut random = SplitMix64::new(seed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| differences.iter().map(|_| differences[random.below(differences.len())]).sum::<f64>() / n)
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((RESAMPLES - 1) as f64 * share).round() as usize];
    Some((differences.iter().sum::<f64>() / n, at(0.025), at(0.975)))
}

/// The quantile of some times by the nearest rank; `None` of nothing.
pub fn time_quantile(times: &[Duration], share: f64) -> Option<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_share_is_wilsons() {
        let (low, high) = wilson_interval(8, 10).unwrap();
        assert!((low - 0.490_2).abs() < 5e-4 && (high - 0.943_3).abs() < 5e-4, "{low} {high}");
        let (low, high) = wilson_interval(0, 20).unwrap();
        assert!(low.abs() < 1e-12 && (high - 0.161_1).abs() < 5e-4, "{low} {high}");
        assert_eq!(wilson_interval(0, 0), None);
    }

    #[test]
    fn the_interval_of_paired_differences_is_around_their_mean_and_the_same_each_time() {
        let differences: Vec<f64> = (0..40).map(|n| f64::from(n % 4) / 4.0).collect();
        let (mean, low, high) = paired_interval(&differences, 1).unwrap();
        assert!((mean - 0.375).abs() < 1e-12 && low < mean && mean < high && high - low < 0.3, "{low} {high}");
        assert_eq!(paired_interval(&differences, 1), Some((mean, low, high)));
        assert_eq!(paired_interval(&[0.5; 8], 1), Some((0.5, 0.5, 0.5)));
        assert_eq!(paired_interval(&[1.0], 1), None);
    }

    #[test]
    fn a_quantile_is_a_time_of_the_list() {
        let times: Vec<Duration> = (1..=20).rev().map(Duration::from_secs).collect();
        assert_eq!(time_quantile(&times, 0.5), Some(Duration::from_secs(10)));
        assert_eq!(time_quantile(&times, 0.95), Some(Duration::from_secs(19)));
        assert_eq!(time_quantile(&times[..1], 0.95), Some(Duration::from_secs(20)));
        assert_eq!(time_quantile(&[], 0.5), None);
    }
}
