//! By-products of deleted rules.
//!
//! A feature whose differences correlate with those of a deleted one was suppressed by that rule, as collinear with it.
//! Without the rule, the same old evidence would promote the by-product, and the writer would read the deleted rule under
//! another name. So a candidate that is collinear with a deleted rule, over the rows up to the deletion, needs evidence
//! from after it. This only removes candidates; the guarantee of the test holds.

use crate::{
    distill::{Restart, RestartCause, Settings, State},
    eprocess::PairedEProcess,
    fold::Ledger,
    readable::{clipped, pearson},
    row::{Direction, Row},
    scope::Candidate,
};

/// Whether a candidate only repeats a deleted rule. False for a rule that was in force beside the deleted one.
pub(crate) fn repeats_deleted_rule(
    ledger: &Ledger<'_>,
    candidate: &Candidate,
    state: &State,
    settings: &Settings,
) -> bool {
    let is_active = |rule: &crate::ActiveRule| {
        (rule.feature, rule.direction, rule.stratum) == (candidate.feature, candidate.direction, candidate.stratum)
    };
    let deleted = |restart: &&Restart| {
        restart.cause == RestartCause::Deleted
            && restart.feature != candidate.feature
            && restart.feature < ledger.features
            && restart.stratum.overlaps(candidate.stratum)
    };
    !state.active.iter().any(is_active)
        && state.restarts.iter().filter(deleted).any(|restart| {
            correlation_with_deleted(ledger, candidate, restart) >= settings.min_collinearity
                && !has_later_support(ledger, candidate, restart, settings)
        })
}

/// Pearson's correlation of the candidate's differences with those of the deleted feature, each in its direction, over
/// the rows that the deletion made void. The direction of the deleted rule is that of its evidence.
fn correlation_with_deleted(ledger: &Ledger<'_>, candidate: &Candidate, restart: &Restart) -> f64 {
    let rows = || ledger.rows.iter().filter(|row| row.order <= restart.since && restart.stratum.contains(row));
    let leaning: f32 = rows().map(|row| row.evidence(restart.feature)).sum();
    let Some(direction) = Direction::from_sign(leaning) else { return 0.0 };
    let moves = |row: &Row| {
        let of = |feature: usize, direction: Direction| clipped(row.difference(feature) * direction.sign());
        (of(candidate.feature, candidate.direction), of(restart.feature, direction))
    };
    pearson(rows().filter(|row| candidate.stratum.contains(row)).map(moves))
}

/// Whether the evidence after the deletion supports the candidate by itself: its e-value there is at least 1/α.
fn has_later_support(ledger: &Ledger<'_>, candidate: &Candidate, restart: &Restart, settings: &Settings) -> bool {
    let mut processes = PairedEProcess::default();
    for (_, row) in ledger.relevant(candidate.feature, candidate.stratum) {
        if row.order > restart.since {
            processes.observe(row.evidence(candidate.feature) * candidate.direction.sign(), row.kind.is_written());
        }
    }
    processes.ln() >= -settings.alpha.ln()
}
