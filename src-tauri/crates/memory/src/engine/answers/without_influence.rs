//! Answers that a run named although they made no measurable difference to it.

use palimpsest_answers::standing::StandingRules;

use super::standing::rejudge;
use crate::{
    error::Result,
    model::{AnswerEventKind, AnswerId, Influence, MeasuredChange, ReferenceKind, Trace, ValidationSource},
    storage::{
        Tx,
        answer_events::{self, Event},
        answers,
    },
};

/// Undoes the validations of a run for the answers that it named without a measurable influence: an interval that
/// contains zero. That the run named them stays recorded. Returns whether an answer changed.
///
/// # Errors
/// Those of the store.
pub(in crate::engine) fn undo_validations_without_influence(
    tx: &Tx<'_>,
    trace: &Trace,
    influence: &Influence,
    rules: StandingRules,
) -> Result<bool> {
    let mut has_changed = false;
    for answer_id in answers_without_influence(trace, influence) {
        let Some(mut stored) = answers::get(tx, &answer_id)? else { continue };
        if !stored.answer.is_for(&trace.project_id) {
            continue;
        }
        let events = answer_events::list(tx, &stored.answer.project_id, &answer_id)?;
        let of_run: Vec<&Event> =
            events.iter().filter(|event| is_counted_use(event, trace.generation_id.as_str())).collect();
        if of_run.is_empty() {
            continue;
        }
        for event in of_run {
            answer_events::set_undone(tx, &event.event_id, influence.measured_at)?;
        }
        rejudge(tx, &mut stored, rules)?;
        answers::update(tx, &stored)?;
        has_changed = true;
    }
    Ok(has_changed)
}

/// The answers in the prompt of a trace whose measured change has an interval that contains zero.
fn answers_without_influence(trace: &Trace, influence: &Influence) -> Vec<AnswerId> {
    let contains_zero = |change: &MeasuredChange| change.low <= 0.0 && change.high >= 0.0;
    let answers = trace.references.iter().filter(|one| one.kind == ReferenceKind::Answer);
    let without = answers.filter(|one| {
        let weight = influence.weights.iter().find(|weight| weight.reference_id == one.reference_id);
        weight.and_then(|weight| weight.change.as_ref()).is_some_and(contains_zero)
    });
    without.map(|one| one.id.as_str().into()).collect()
}

/// Whether an event is the validation of an answer by this run, which named the answer.
fn is_counted_use(event: &Event, run_id: &str) -> bool {
    event.kind == AnswerEventKind::Validated
        && event.source == Some(ValidationSource::Run)
        && event.run_id.as_deref() == Some(run_id)
        && event.was_used
        && event.undone_at.is_none()
}
