//! The confidence of a learning record: counted from the writer's verdicts, never asked of a model.

/// Verdicts that are assumed before there is any, and how many of them are right.
const PRIOR: (f64, f64) = (8.0, 4.0);

/// The confidence of a learning record after `right` of `verdicts` verdicts on records of its kind, 0..1; .5 without
/// verdicts. More right ones than verdicts count as all.
#[must_use]
pub fn confidence(right: u32, verdicts: u32) -> f64 {
    (f64::from(right.min(verdicts)) + PRIOR.1) / (f64::from(verdicts) + PRIOR.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_counted_from_verdicts() {
        assert!((confidence(0, 0) - 0.5).abs() < 1e-12);
        assert!((confidence(8, 8) - 0.75).abs() < 1e-12);
        assert!((confidence(0, 8) - 0.25).abs() < 1e-12);
        assert!(confidence(9, 3) < 1.0);
    }
}
