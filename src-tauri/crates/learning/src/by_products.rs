//! By-products of deleted rules.
//!
//! A rule suppresses the candidates that are no preference of their own beside it. Without the rule, the same old
//! evidence would promote one of them, and the writer would read the deleted rule under another name. So a deleted rule
//! continues to suppress: a candidate that would be dropped beside it needs evidence from after the deletion. This only
//! removes candidates; the guarantee of the test holds.

use crate::{
    eprocess::PairedEProcess,
    fold::Ledger,
    input::{Restart, RestartCause, Settings, State},
    readable::is_separate,
    scope::Candidate,
};

/// Whether a candidate only repeats deleted rules. False for a rule that was in force beside the deleted ones. `others`
/// are the rules already selected.
pub(crate) fn repeats_deleted_rule(
    ledger: &Ledger<'_>,
    candidate: &Candidate,
    others: &[Candidate],
    state: &State,
    settings: &Settings,
) -> bool {
    let is_active = |rule: &crate::ActiveRule| {
        (rule.feature, rule.direction, rule.stratum) == (candidate.feature, candidate.direction, candidate.stratum)
    };
    if state.active.iter().any(is_active) {
        return false;
    }
    let deleted: Vec<Candidate> = state
        .restarts
        .iter()
        .filter(|restart| {
            restart.cause == RestartCause::Deleted
                && restart.feature != candidate.feature
                && restart.feature < ledger.features
                && restart.stratum.overlaps(candidate.stratum)
        })
        .filter(|restart| !has_later_support(ledger, candidate, restart, settings))
        .filter_map(|restart| deleted_rule(ledger, restart))
        .collect();
    if deleted.is_empty() {
        return false;
    }
    let before = ledger.with_all_rows_of(deleted.iter().map(|rule| rule.feature));
    let beside: Vec<Candidate> = others.iter().copied().chain(deleted).collect();
    !is_separate(&before, candidate, &beside, settings)
}

/// The rule that a deletion ended. Its direction is that of its evidence; `None` without any.
fn deleted_rule(ledger: &Ledger<'_>, restart: &Restart) -> Option<Candidate> {
    let direction = ledger.direction_before(restart)?;
    Some(Candidate { feature: restart.feature, direction, stratum: restart.stratum, ln_e: 0.0 })
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
