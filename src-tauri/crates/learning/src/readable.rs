//! Reduces the supported candidates to a few rules, each with support of its own.
//!
//! Features are correlated: a writer who splits sentences also drops commas. The test cannot distinguish which of them
//! is intended, and need not: everything here only removes candidates, so the guarantee of the test holds.
//!
//! Candidates are ordered by their lean, t = mean / standard error of the difference d·Δz (clipped at 2): the intended
//! feature moves further than its by-products, while by sign they are alike. Secondary features
//! ([`Settings::secondary`]) count with seven tenths of their lean. One is dropped
//!
//! - when fewer than 60 % of the relevant rows agree, or of those of the kind that carries it, or its median |Δz| is
//!   under 0.2 standard deviations;
//! - when it is **collinear** with a selected rule: correlation of the differences ≥ .2 in the direction of both;
//! - when it is **inseparable** from a selected rule: in fewer than five of its relevant rows the rule moves by at most
//!   a third of the rule's mean movement in these rows;
//! - without **conditional support**: in rows where the selected rules are ties it must still lean its way (n ≥ 5, z ≥
//!   1);
//! - when one of these holds beside a rule that the writer deleted, and it rests on evidence from before
//!   ([`crate::by_products`]).
//!
//! **Inseparable.** A writer who always replaces commas by full stops moves commas and sentence length in every row, by
//! about the same amount each time. The correlation about the means is then near 0, and the regression below has no row
//! near zero movement of sentence length: its intercept is an extrapolation. Such rows do not distinguish one
//! preference from two, so only the first candidate becomes a rule. Two preferences that every edit serves together are
//! one rule too, until some edits serve one of them alone.
//!
//! Such rows are rare once four rules are selected, and relying on them alone costs a fifth of the recall. All rows
//! give the same information: in the regression of d·Δz on the selected rules' d·Δz, the intercept is the movement that
//! remains where those do not move. So a candidate stays if it leans in the tied rows while the intercept does not
//! contradict it (t ≥ 0.5), or if its intercept alone is clear (t ≥ 2.6).
//!
//! **Strong evidence.** A by-product moves both ways: of the candidates beside another rule in simulated writers, half
//! are by-products where under 70 % of the relevant rows agree, and one in twenty above 75 %. So these thresholds are
//! for agreement up to 70 %. From 70 to 80 % they relax, for candidates with ln E ≥ 8, to correlation ≥ .6, any lean,
//! and t ≥ 0. In seed 1 this raises precision from .93 and .94 to .96 and .95 (zh, en) at equal recall, and the rules
//! for an editor of LAMP from 3.8 to 6.0.

use crate::{
    by_products,
    fold::Ledger,
    input::{Settings, State},
    row::Row,
    scope::Candidate,
};

/// Differences are clipped to ± this before they are correlated or averaged, so that one rewritten passage cannot
/// decide.
const MAX_DIFFERENCE: f64 = 2.0;
/// The least standard deviation of differences in a lean: below the dead zone all differences are ties.
const MIN_DEVIATION: f64 = 0.12;
/// The factor on the lean of secondary features in the order of candidates. With it, 96 % of 902 simulated writers with
/// one preference about sentences or commas have a rule that names these (72 % without), and 158 of 160 who prefer a
/// secondary feature still have the rule about it. With 0.5, only 125 of these do.
const SECONDARY_WEIGHT: f64 = 0.7;
/// The share of a rule's mean movement up to which a row separates a candidate from it.
const MAX_MOVEMENT_APART: f64 = 1.0 / 3.0;
/// The least number of rows that separate a candidate from a rule, or in which all rules are ties.
const MIN_ROWS_APART: usize = 5;
/// The least lean in tied rows, in standard deviations of "no lean".
const MIN_TIED_Z: f64 = 1.0;
/// The least t of the intercept for a candidate with support in tied rows.
const MIN_T_WITH_SUPPORT: f64 = 0.5;
/// The least t of the intercept for a candidate without such support.
const MIN_T_ALONE: f64 = 2.6;
/// The share of agreement above which evidence begins to be strong, and from which on it is.
const STRONG_AGREEMENT: [f64; 2] = [0.7, 0.8];
/// The least ln E of strong evidence.
const MIN_STRONG_LN_E: f64 = 8.0;

/// The candidates that become rules, strongest first. Rules that the writer confirmed are considered first and are not
/// returned.
pub(crate) fn select_readable(
    ledger: &Ledger<'_>,
    candidates: &[Candidate],
    state: &State,
    settings: &Settings,
) -> Vec<Candidate> {
    let key = |candidate: &Candidate| {
        let weight = if settings.secondary.contains(&candidate.feature) { SECONDARY_WEIGHT } else { 1.0 };
        (weight * lean_t(ledger, candidate), median_difference(ledger, candidate))
    };
    let mut ordered: Vec<((f64, f64), Candidate)> =
        candidates.iter().map(|candidate| (key(candidate), *candidate)).collect();
    // Differences that are all clipped lean alike: then the larger ones are first.
    ordered.sort_by(|((one, one_median), _), ((two, two_median), _)| {
        two.total_cmp(one).then(two_median.total_cmp(one_median))
    });

    let confirmed = state.active.iter().filter(|rule| rule.confirmed).map(|rule| Candidate {
        feature: rule.feature,
        direction: rule.direction,
        stratum: rule.stratum,
        ln_e: 0.0,
    });
    let confirmed: Vec<Candidate> = confirmed.filter(|rule| rule.feature < ledger.features).collect();
    let mut selected: Vec<Candidate> = Vec::new();
    for (_, candidate) in ordered {
        let restates = confirmed.iter().any(|rule| {
            rule.feature == candidate.feature
                && rule.direction == candidate.direction
                && rule.stratum != candidate.stratum
                && candidate.stratum.is_within(rule.stratum)
        });
        if restates || !is_substantial(ledger, &candidate, settings) {
            continue;
        }
        let active = confirmed.iter().chain(&selected);
        let others: Vec<Candidate> = active
            .filter(|rule| rule.feature != candidate.feature && rule.stratum.overlaps(candidate.stratum))
            .copied()
            .collect();
        if is_separate(ledger, &candidate, &others, settings)
            && !by_products::repeats_deleted_rule(ledger, &candidate, &others, state, settings)
        {
            selected.push(candidate);
        }
    }
    selected
}

/// Whether the candidate is a preference of its own beside other rules.
pub(crate) fn is_separate(
    ledger: &Ledger<'_>,
    candidate: &Candidate,
    others: &[Candidate],
    settings: &Settings,
) -> bool {
    let strength = strength(ledger, candidate);
    let (usual, of_strong) = (settings.min_collinearity, settings.min_collinearity_of_strong);
    let min_correlation = usual + (of_strong - usual) * strength;
    let is_one_with = |rule: &Candidate| {
        correlation(ledger, candidate, rule) >= min_correlation || is_inseparable(ledger, candidate, rule)
    };
    others.is_empty() || (!others.iter().any(is_one_with) && has_support(ledger, candidate, others, strength))
}

/// How strong the evidence of a candidate itself is, 0..1.
fn strength(ledger: &Ledger<'_>, candidate: &Candidate) -> f64 {
    if candidate.ln_e < MIN_STRONG_LN_E {
        return 0.0;
    }
    let agreement = ledger.agreement(candidate.feature, candidate.direction, candidate.stratum);
    let [from, to] = STRONG_AGREEMENT;
    ((agreement - from) / (to - from)).clamp(0.0, 1.0)
}

/// Whether the rule moves in nearly all of the candidate's relevant rows, so that the rows cannot separate them.
fn is_inseparable(ledger: &Ledger<'_>, candidate: &Candidate, rule: &Candidate) -> bool {
    let relevant = ledger.relevant(candidate.feature, candidate.stratum);
    let moves: Vec<f64> = relevant.map(|(_, row)| signed_difference(ledger, rule, row)).collect();
    let mean = moves.iter().sum::<f64>() / moves.len().max(1) as f64;
    let limit = MAX_MOVEMENT_APART * mean.max(0.0);
    moves.iter().filter(|moved| **moved <= limit).count() < MIN_ROWS_APART
}

/// d·Δz of a row for a rule, clipped; 0 if the rule does not apply.
fn signed_difference(ledger: &Ledger<'_>, rule: &Candidate, row: &Row) -> f64 {
    if !rule.stratum.contains(row) {
        return 0.0;
    }
    clipped(ledger.difference(row, rule.feature) * rule.direction.sign())
}

/// Mean over standard error of d·Δz.
fn lean_t(ledger: &Ledger<'_>, candidate: &Candidate) -> f64 {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for row in ledger.rows.iter().filter(|row| candidate.stratum.contains(row)) {
        let x = signed_difference(ledger, candidate, row);
        n += 1.0;
        sum += x;
        squares += x * x;
    }
    if n == 0.0 {
        return 0.0;
    }
    let mean = sum / n;
    mean / ((squares / n - mean * mean).max(MIN_DEVIATION * MIN_DEVIATION) / n).sqrt()
}

fn is_substantial(ledger: &Ledger<'_>, candidate: &Candidate, settings: &Settings) -> bool {
    ledger.agreement(candidate.feature, candidate.direction, candidate.stratum) >= settings.min_agreement
        && carrying_agreement(ledger, candidate) >= settings.min_agreement
        && median_difference(ledger, candidate) >= settings.min_difference
}

/// The share of agreement, 0..1, among the relevant rows of the kind that carries the candidate; 0 without any.
fn carrying_agreement(ledger: &Ledger<'_>, candidate: &Candidate) -> f64 {
    let &Candidate { feature, direction, stratum, .. } = candidate;
    let is_written = ledger.is_carried_by_writing(feature, direction, stratum);
    let (mut relevant, mut agree) = (0.0, 0.0);
    for (_, row) in ledger.relevant(feature, stratum).filter(|(_, row)| row.kind.is_written() == is_written) {
        relevant += 1.0;
        agree += f64::from(u8::from(row.evidence(feature) * direction.sign() > 0.0));
    }
    if relevant == 0.0 { 0.0 } else { agree / relevant }
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
    // The correlation of the features, not of the rules: where the selected rule does not apply, its feature still
    // moves.
    let moves = |row: &Row| {
        (
            signed_difference(ledger, candidate, row),
            clipped(ledger.difference(row, rule.feature) * rule.direction.sign()),
        )
    };
    pearson(ledger.rows.iter().filter(|row| candidate.stratum.contains(row)).map(moves))
}

/// A difference clipped for correlation and averages.
fn clipped(difference: f32) -> f64 {
    f64::from(difference).clamp(-MAX_DIFFERENCE, MAX_DIFFERENCE)
}

/// Pearson's correlation of pairs in which either is not zero; 0 for fewer than three, or if one never changes.
fn pearson(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
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

fn has_support(ledger: &Ledger<'_>, candidate: &Candidate, others: &[Candidate], strength: f64) -> bool {
    let (mut tied, mut agree) = (0.0, 0.0);
    for (_, row) in ledger.relevant(candidate.feature, candidate.stratum) {
        let has_evidence = |rule: &Candidate| rule.stratum.contains(row) && ledger.evidence(row, rule.feature) != 0.0;
        if !others.iter().any(has_evidence) {
            tied += 1.0;
            agree += f64::from(ledger.evidence(row, candidate.feature).signum() * candidate.direction.sign());
        }
    }
    let needed = |usual: f64| usual * (1.0 - strength);
    let direct = tied >= MIN_ROWS_APART as f64 && agree / f64::sqrt(tied) >= needed(MIN_TIED_Z);
    let intercept = intercept(ledger, candidate, others).unwrap_or(f64::NEG_INFINITY);
    intercept >= needed(MIN_T_ALONE) || (direct && intercept >= needed(MIN_T_WITH_SUPPORT))
}

/// The t of the intercept of d·Δz on the others' d·Δz, over the candidate's relevant rows. A ridge of one,
/// that is one observation, shrinks the slopes.
fn intercept(ledger: &Ledger<'_>, candidate: &Candidate, others: &[Candidate]) -> Option<f64> {
    let size = others.len() + 1;
    let mut products = vec![vec![0.0; size]; size];
    let mut with_y = vec![0.0; size];
    let (mut y_squared, mut n) = (0.0, 0.0);
    let mut x = vec![1.0; size];
    for (_, row) in ledger.relevant(candidate.feature, candidate.stratum) {
        let y = signed_difference(ledger, candidate, row);
        for (value, rule) in x[1..].iter_mut().zip(others) {
            *value = signed_difference(ledger, rule, row);
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

/// Solves a positive definite system; `None` if it is singular.
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
