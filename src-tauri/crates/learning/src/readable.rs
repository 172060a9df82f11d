//! From what the evidence carries to few rules that are each needed.
//!
//! Features hang together: a writer who splits sentences also drops commas. The test cannot tell which of them is meant,
//! and need not: everything here only leaves out, so the guarantee of the test holds whatever is done.
//!
//! Candidates are taken by how strongly they lean, t = mean / standard error of the difference d·Δz (clipped at 2): what
//! is meant moves further than its by-products, while by sign they are alike. One is dropped
//!
//! - when fewer than 60 % of the relevant rows agree, or its median |Δz| is under 0.2 standard deviations;
//! - when it is **collinear** with a kept rule: correlation of the differences ≥ .35 in the direction of both;
//! - when it is collinear with one that the writer deleted, and stands on evidence from before ([`crate::shadow`]);
//! - without **conditional support**: where the kept rules are silent it must still lean its way (n ≥ 5, z ≥ 1).
//!
//! Silent rows are rare once four rules are kept, and asking for them alone costs a fifth of the recall. The same
//! question can be put to all rows: in the regression of d·Δz on the kept rules' d·Δz, the intercept is what is left
//! where those do not move. So a candidate stays that leans in the silent rows while the intercept does not speak
//! against it (t ≥ 0.5), or whose intercept alone is clear (t ≥ 2.5).

use crate::{
    distil::{Settings, State},
    fold::Ledger,
    row::Row,
    scope::Candidate,
    shadow,
};

/// Differences are clipped here before they are correlated or averaged: one rewritten passage must not decide.
const CLIP: f64 = 2.0;
/// How far the intercept must be from zero, with and without support of silent rows (t).
const NOT_AGAINST: f64 = 0.5;
const CLEAR: f64 = 2.5;

/// The needed ones, strongest first. Rules that the writer confirmed come before all others and are not given back.
pub(crate) fn readable(
    ledger: &Ledger<'_>,
    candidates: &[Candidate],
    state: &State,
    settings: &Settings,
) -> Vec<Candidate> {
    let mut ordered: Vec<(f64, Candidate)> =
        candidates.iter().map(|candidate| (lean(ledger, candidate), *candidate)).collect();
    ordered.sort_by(|one, two| two.0.total_cmp(&one.0));

    let confirmed = state.standing.iter().filter(|rule| rule.confirmed).map(|rule| Candidate {
        feature: rule.feature,
        direction: rule.direction,
        stratum: rule.stratum,
        ln_e: 0.0,
    });
    let confirmed: Vec<Candidate> = confirmed.filter(|rule| rule.feature < ledger.features).collect();
    let mut kept: Vec<Candidate> = Vec::new();
    for (_, candidate) in ordered {
        let restates = confirmed.iter().any(|rule| {
            rule.feature == candidate.feature
                && rule.direction == candidate.direction
                && rule.stratum != candidate.stratum
                && candidate.stratum.within(rule.stratum)
        });
        let repeats = || shadow::is_of_the_deleted(ledger, &candidate, state, settings);
        if restates || !is_worth_it(ledger, &candidate, settings) || repeats() {
            continue;
        }
        let beside = confirmed.iter().chain(&kept);
        let others: Vec<Candidate> = beside
            .filter(|rule| rule.feature != candidate.feature && rule.stratum.overlaps(candidate.stratum))
            .copied()
            .collect();
        let shadow = others.iter().any(|rule| correlation(ledger, &candidate, rule) >= settings.collinear);
        if !shadow && (others.is_empty() || has_support(ledger, &candidate, &others)) {
            kept.push(candidate);
        }
    }
    kept
}

/// d·Δz of a row for a rule, clipped; 0 where the rule does not apply.
fn along(ledger: &Ledger<'_>, rule: &Candidate, row: &Row) -> f64 {
    if !rule.stratum.holds(row) {
        return 0.0;
    }
    clipped(ledger.difference(row, rule.feature) * rule.direction.sign())
}

/// Mean over standard error of d·Δz.
fn lean(ledger: &Ledger<'_>, candidate: &Candidate) -> f64 {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for row in ledger.rows.iter().filter(|row| candidate.stratum.holds(row)) {
        let x = along(ledger, candidate, row);
        n += 1.0;
        sum += x;
        squares += x * x;
    }
    if n == 0.0 {
        return 0.0;
    }
    let mean = sum / n;
    mean / ((squares / n - mean * mean).max(1e-9) / n).sqrt()
}

fn is_worth_it(ledger: &Ledger<'_>, candidate: &Candidate, settings: &Settings) -> bool {
    ledger.agreement(candidate.feature, candidate.direction, candidate.stratum) >= settings.least_agreement
        && median_difference(ledger, candidate) >= settings.least_difference
}

/// Median |Δz| of the relevant rows, standard deviations.
pub(crate) fn median_difference(ledger: &Ledger<'_>, candidate: &Candidate) -> f64 {
    let relevant = ledger.relevant(candidate.feature, candidate.stratum);
    let mut sizes: Vec<f32> = relevant.map(|(_, row)| row.difference(candidate.feature).abs()).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    sizes.sort_by(f32::total_cmp);
    let (low, high) = (sizes[(sizes.len() - 1) / 2], sizes[sizes.len() / 2]);
    f64::from((low + high) / 2.0)
}

/// Pearson's correlation of d·Δz over the rows of the candidate's stratum in which either moves.
fn correlation(ledger: &Ledger<'_>, candidate: &Candidate, rule: &Candidate) -> f64 {
    // The features' correlation, not the rules': where the kept rule does not apply, its feature still moves.
    let moves = |row: &Row| {
        (along(ledger, candidate, row), clipped(ledger.difference(row, rule.feature) * rule.direction.sign()))
    };
    pearson(ledger.rows.iter().filter(|row| candidate.stratum.holds(row)).map(moves))
}

/// A difference that is correlated or averaged.
pub(crate) fn clipped(difference: f32) -> f64 {
    f64::from(difference).clamp(-CLIP, CLIP)
}

/// Pearson's correlation of pairs in which either is not zero; 0 for fewer than three, or where one never changes.
pub(crate) fn pearson(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut n, mut x, mut y, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (one, two) in pairs.filter(|pair| *pair != (0.0, 0.0)) {
        n += 1.0;
        x += one;
        y += two;
        xx += one * one;
        yy += two * two;
        xy += one * two;
    }
    let spread = (n * xx - x * x) * (n * yy - y * y);
    if n < 3.0 || spread <= 0.0 { 0.0 } else { (n * xy - x * y) / spread.sqrt() }
}

fn has_support(ledger: &Ledger<'_>, candidate: &Candidate, others: &[Candidate]) -> bool {
    let (mut silent, mut agree) = (0.0, 0.0);
    for (_, row) in ledger.relevant(candidate.feature, candidate.stratum) {
        let spoken = |rule: &Candidate| rule.stratum.holds(row) && ledger.evidence(row, rule.feature) != 0.0;
        if !others.iter().any(spoken) {
            silent += 1.0;
            agree += f64::from(ledger.evidence(row, candidate.feature).signum() * candidate.direction.sign());
        }
    }
    let direct = silent >= 5.0 && agree / f64::sqrt(silent) >= 1.0;
    let intercept = intercept(ledger, candidate, others).unwrap_or(f64::NEG_INFINITY);
    intercept >= CLEAR || (direct && intercept >= NOT_AGAINST)
}

/// The t of the intercept of d·Δz on the others' d·Δz, over the candidate's relevant rows. Slopes are held back by a ridge
/// of one, that is one observation.
fn intercept(ledger: &Ledger<'_>, candidate: &Candidate, others: &[Candidate]) -> Option<f64> {
    let size = others.len() + 1;
    let mut products = vec![vec![0.0; size]; size];
    let mut with_y = vec![0.0; size];
    let (mut y_squared, mut n) = (0.0, 0.0);
    let mut x = vec![1.0; size];
    for (_, row) in ledger.relevant(candidate.feature, candidate.stratum) {
        let y = along(ledger, candidate, row);
        for (value, rule) in x[1..].iter_mut().zip(others) {
            *value = along(ledger, rule, row);
        }
        for one in 0..size {
            for two in 0..size {
                products[one][two] += x[one] * x[two];
            }
            with_y[one] += x[one] * y;
        }
        y_squared += y * y;
        n += 1.0;
    }
    for (at, row) in products.iter_mut().enumerate().skip(1) {
        row[at] += 1.0;
    }
    let mut unit = vec![0.0; size];
    unit[0] = 1.0;
    let coefficients = solve(products.clone(), with_y.clone())?;
    let first_of_inverse = solve(products, unit)?[0];
    let explained: f64 = coefficients.iter().zip(&with_y).map(|(coefficient, product)| coefficient * product).sum();
    let residual = (y_squared - explained).max(1e-9) / f64::max(n - size as f64, 1.0);
    (first_of_inverse > 0.0).then(|| coefficients[0] / (residual * first_of_inverse).sqrt())
}

/// Solves a positive definite system; none where it is singular.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for at in 0..size {
        let pivot = matrix[at][at];
        if pivot.abs() < 1e-9 {
            return None;
        }
        let (done, rest) = matrix.split_at_mut(at + 1);
        for (below, row) in rest.iter_mut().enumerate() {
            let factor = row[at] / pivot;
            for (value, above) in row.iter_mut().zip(&done[at]).skip(at) {
                *value -= factor * above;
            }
            right[at + 1 + below] -= factor * right[at];
        }
    }
    for at in (0..size).rev() {
        let known: f64 = (at + 1..size).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_systems() {
        let solved = solve(vec![vec![4.0, 1.0], vec![1.0, 3.0]], vec![1.0, 2.0]).unwrap();
        assert!((solved[0] - 1.0 / 11.0).abs() < 1e-12 && (solved[1] - 7.0 / 11.0).abs() < 1e-12);
        assert!(solve(vec![vec![0.0]], vec![1.0]).is_none());
    }
}
