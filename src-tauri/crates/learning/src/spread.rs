//! The spread of a writer's own candidates, which makes features comparable.
//!
//! A running variance (Welford 1962) over every offered candidate, pooled with a shipped table that counts as
//! [`SHIPPED_TABLE_WEIGHT`] candidates: at first the table alone, after thirty candidates (about ten episodes) half and
//! half, later the writer's own. The transition is gradual, so that no episode changes all numbers at once, and a
//! feature that never varies in a writer's candidates keeps a spread above zero. Read the deviations before observing
//! the episode itself: its evidence is frozen with the spread of earlier ones, else a choice would influence its own
//! weight.

/// Number of candidates that the shipped table counts as.
pub const SHIPPED_TABLE_WEIGHT: f64 = 30.0;

/// Mean and spread of each feature over the candidates so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spread {
    features: Vec<RunningVariance>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct RunningVariance {
    count: f64,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Spread {
    /// A spread without candidates, for `features` features.
    #[must_use]
    pub fn new(features: usize) -> Self {
        Self { features: vec![RunningVariance::default(); features] }
    }

    /// Adds one candidate, in the features' own units; values that are not finite are skipped.
    pub fn observe(&mut self, candidate: &[f32]) {
        for (running, value) in self.features.iter_mut().zip(candidate) {
            if value.is_finite() {
                let value = f64::from(*value);
                running.count += 1.0;
                let before = value - running.mean;
                running.mean += before / running.count;
                running.squares += before * (value - running.mean);
            }
        }
    }

    /// The state for storage: of each feature count, mean and sum of squared distances from it.
    #[must_use]
    pub fn to_parts(&self) -> Vec<[f64; 3]> {
        self.features.iter().map(|running| [running.count, running.mean, running.squares]).collect()
    }

    /// Restores the state from [`to_parts`](Self::to_parts).
    #[must_use]
    pub fn from_parts(parts: &[[f64; 3]]) -> Self {
        let running = |&[count, mean, squares]: &[f64; 3]| RunningVariance { count, mean, squares };
        Self { features: parts.iter().map(running).collect() }
    }

    /// Number of candidates observed.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.features.iter().map(|running| running.count as u64).max().unwrap_or(0)
    }

    /// The standard deviation of each feature, in its own unit: `sqrt((30·shipped² + Σ(x-mean)²) / (30 + n - 1))`.
    /// `shipped` has one for each feature; a feature that it lacks uses the writer's own.
    #[must_use]
    pub fn deviations(&self, shipped: &[f32]) -> Vec<f32> {
        let own = self.features.iter().enumerate();
        own.map(|(feature, running)| {
            let table = shipped.get(feature).filter(|table| table.is_finite() && **table > 0.0);
            let (squares, weight) = table
                .map_or((0.0, 0.0), |table| (SHIPPED_TABLE_WEIGHT * f64::from(*table).powi(2), SHIPPED_TABLE_WEIGHT));
            let degrees = weight + (running.count - 1.0).max(0.0);
            if degrees > 0.0 { ((squares + running.squares) / degrees).sqrt() as f32 } else { 0.0 }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_the_table_to_the_writer() {
        let mut spread = Spread::new(2);
        assert_eq!(spread.deviations(&[2.0, 3.0]), [2.0, 3.0]);
        assert_eq!(spread.deviations(&[2.0]), [2.0, 0.0], "nothing is known: no evidence");
        spread.observe(&[100.0, 5.0]);
        assert_eq!(spread.deviations(&[2.0, 3.0]), [2.0, 3.0], "one candidate has no spread");
        for at in 0..3000 {
            spread.observe(&[100.0 + if at % 2 == 0 { 8.0 } else { -8.0 }, 5.0]);
        }
        let own = spread.deviations(&[2.0, 3.0]);
        assert!((own[0] - 8.0).abs() < 0.1, "{own:?}");
        assert!(own[1] > 0.0 && own[1] < 0.5, "{own:?}");
        assert_eq!(spread.count(), 3001);
        spread.observe(&[f32::NAN, 5.0]);
        assert!(spread.deviations(&[2.0, 3.0])[0].is_finite());
    }
}
