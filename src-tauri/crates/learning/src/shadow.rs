//! What a deleted rule leaves behind: its by-products.
//!
//! A feature whose differences go with those of a deleted one was held back by that rule, as collinear with it. When the
//! rule is gone, the same old evidence would bring the by-product forward, and the writer would read the deleted rule
//! under another name. So what is collinear with a deleted rule, over the rows up to the deletion, is a rule only on
//! evidence from after it. This only leaves out; the guarantee of the test holds.

use crate::{
    distil::{Restart, Settings, State, Why},
    eprocess::Purses,
    fold::Ledger,
    readable::{clipped, pearson},
    row::{Direction, Row},
    scope::Candidate,
};

/// Whether a candidate only repeats what the writer deleted. A rule that stood beside the deleted one is not asked.
pub(crate) fn is_of_the_deleted(
    ledger: &Ledger<'_>,
    candidate: &Candidate,
    state: &State,
    settings: &Settings,
) -> bool {
    let stands = |rule: &crate::Standing| {
        (rule.feature, rule.direction, rule.stratum) == (candidate.feature, candidate.direction, candidate.stratum)
    };
    let deleted = |restart: &&Restart| {
        restart.why == Why::Deleted
            && restart.feature != candidate.feature
            && restart.feature < ledger.features
            && restart.stratum.overlaps(candidate.stratum)
    };
    !state.standing.iter().any(stands)
        && state.restarts.iter().filter(deleted).any(|restart| {
            goes_with(ledger, candidate, restart) >= settings.collinear
                && !stands_alone(ledger, candidate, restart, settings)
        })
}

/// Pearson's correlation of the candidate's differences with those of the deleted feature, each in its direction, over the
/// rows that the deletion made void. The direction of what was deleted is the one that its evidence had.
fn goes_with(ledger: &Ledger<'_>, candidate: &Candidate, restart: &Restart) -> f64 {
    let rows = || ledger.rows.iter().filter(|row| row.order <= restart.since && restart.stratum.holds(row));
    let leaning: f32 = rows().map(|row| row.evidence(restart.feature)).sum();
    let Some(direction) = Direction::of(leaning) else { return 0.0 };
    let moves = |row: &Row| {
        let of = |feature: usize, direction: Direction| clipped(row.difference(feature) * direction.sign());
        (of(candidate.feature, candidate.direction), of(restart.feature, direction))
    };
    pearson(rows().filter(|row| candidate.stratum.holds(row)).map(moves))
}

/// Whether what came after the deletion speaks for the candidate by itself: its e-value there is at least 1/α.
fn stands_alone(ledger: &Ledger<'_>, candidate: &Candidate, restart: &Restart, settings: &Settings) -> bool {
    let mut purses = Purses::default();
    for (_, row) in ledger.relevant(candidate.feature, candidate.stratum) {
        if row.order > restart.since {
            purses.observe(row.evidence(candidate.feature) * candidate.direction.sign(), row.kind.is_written());
        }
    }
    purses.ln() >= -settings.alpha.ln()
}
