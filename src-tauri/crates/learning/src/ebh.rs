//! e-BH: selects among many hypotheses with a bounded false discovery rate.
//!
//! Wang & Ramdas 2022, "False discovery rate control with e-values": sort the e-values, find the largest `k` with
//!
//! ```text
//! w · E_(k) ≥ m / (α · k)
//! ```
//!
//! and select those `k`. The expected share of false ones is at most `α` under any dependence, at any stopping
//! time. `m` counts all hypotheses tested, not only promising ones. Weights `w` with mean at most one, set before the
//! evidence, give priority to some.

/// Selected hypotheses and their threshold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    /// Indexes in the given list, ascending.
    pub selected: Vec<usize>,
    /// ln of the weighted e-value that sufficed; if none is selected, of the one that a single hypothesis needs.
    pub ln_threshold: f64,
}

/// Selects among hypotheses given by ln(w·E). `tried` is the number of all hypotheses, at least the number given (those
/// left out have no evidence); `alpha` is 0..1.
#[must_use]
pub fn select(ln_e: &[f64], tried: usize, alpha: f64) -> Selection {
    let tried = tried.max(ln_e.len()).max(1) as f64;
    let needed = |k: usize| (tried / (alpha * k as f64)).ln();
    let mut sorted: Vec<f64> = ln_e.iter().copied().filter(|e| !e.is_nan()).collect();
    sorted.sort_by(|one, two| two.total_cmp(one));
    let k = (1..=sorted.len()).rev().find(|k| sorted[k - 1] >= needed(*k));
    let ln_threshold = needed(k.unwrap_or(1));
    let selected = match k {
        None => Vec::new(),
        Some(_) => (0..ln_e.len()).filter(|at| ln_e[*at] >= ln_threshold).collect(),
    };
    Selection { selected, ln_threshold }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn company_helps() {
        let ln = |e: f64| e.ln();
        // Ten tried, α = .1: a lone one needs 100, two need 50 each.
        assert!(select(&[ln(60.0), ln(2.0)], 10, 0.1).selected.is_empty());
        assert_eq!(select(&[ln(60.0), ln(2.0), ln(55.0)], 10, 0.1).selected, [0, 2]);
        assert_eq!(select(&[ln(2.0), ln(100.1)], 10, 0.1).selected, [1]);
        assert!(select(&[], 10, 0.1).selected.is_empty());
        assert!(select(&[f64::NAN, f64::NEG_INFINITY], 10, 0.1).selected.is_empty());
    }
}
