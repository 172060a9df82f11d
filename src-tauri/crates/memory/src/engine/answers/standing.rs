//! The stored events of an answer as those of the state machine of `palimpsest_answers`, and its standing as it is
//! stored.

use palimpsest_answers::{
    posterior::{self, Posterior, Tally},
    standing::{self, BlockedBy as Blocker, EventKind, Standing, StandingRules, State},
    validation::{Source, Strength, Validation, ValidationResult as Outcome},
};

use crate::{
    error::Result,
    model::{
        Answer, AnswerEvent, AnswerEventKind, AnswerPosterior, AnswerStatus, BlockedBy, SignalStrength, Time,
        ValidationResult, ValidationSource,
    },
    storage::{
        Tx,
        answer_events::{self, Event},
        answers::{StoredAnswer, StoredStanding},
    },
};

impl StoredStanding {
    /// The standing of an answer without an event.
    pub(super) fn new(now: Time) -> Self {
        stored_standing(&Standing::initial(now.millis()), &[], false)
    }
}

/// Sets the standing of an answer to the fold of its stored events.
///
/// # Errors
/// Those of the store.
pub(super) fn rejudge(tx: &Tx<'_>, answer: &mut StoredAnswer, rules: StandingRules) -> Result<()> {
    let events = answer_events::list(tx, &answer.answer.project_id, &answer.answer.answer_id)?;
    fold_events(answer, &events, rules);
    Ok(())
}

/// Sets the standing of an answer to the fold of these events.
pub(crate) fn fold_events(answer: &mut StoredAnswer, events: &[Event], rules: StandingRules) {
    let counted: Vec<Event> = events.iter().filter(|event| event.undone_at.is_none()).cloned().collect();
    let each = each_standing(answer.answer.created_at, &counted, rules);
    let last = each.last().cloned().unwrap_or_else(|| Standing::initial(answer.answer.created_at.millis()));
    let hits = |is_counted: fn(&Event) -> bool| {
        u32::try_from(counted.iter().filter(|event| is_counted(event)).count()).unwrap_or(u32::MAX)
    };
    let edited = counted.iter().any(|event| event.kind == AnswerEventKind::Edited);
    answer.standing = stored_standing(&last, &counted, edited);
    answer.standing.write_into(&mut answer.answer);
    answer.answer.hit_count = hits(|event| event.kind == AnswerEventKind::Hit && event.was_shown);
    answer.answer.use_count = hits(|event| event.kind == AnswerEventKind::Hit && event.was_used);
}

/// The standing after each event. An undone one changes nothing.
pub(super) fn each_standing(created_at: Time, events: &[Event], rules: StandingRules) -> Vec<Standing> {
    let mut standing = Standing::initial(created_at.millis());
    let mut each = Vec::with_capacity(events.len());
    for event in events {
        if event.undone_at.is_none()
            && let Some(kind) = machine_kind(event)
        {
            let event = standing::Event { at: event.at.millis(), kind };
            standing = standing::next(&standing, &event, rules);
        }
        each.push(standing.clone());
    }
    each
}

/// An event as the state machine has it; `None` for a validation without a result.
fn machine_kind(event: &Event) -> Option<EventKind> {
    Some(match event.kind {
        AnswerEventKind::Hit => EventKind::Hit { shown: event.was_shown, used: event.was_used },
        AnswerEventKind::Validated => EventKind::Validated(validation(event)?),
        AnswerEventKind::Edited => EventKind::Edited,
        AnswerEventKind::Confirmed => EventKind::Confirmed,
        AnswerEventKind::Blocked => EventKind::Blocked,
        AnswerEventKind::Unblocked => EventKind::Unblocked,
        AnswerEventKind::Promoted => return None,
    })
}

/// A result of the decisions as the wire and the store have it.
pub(super) fn wire_result(result: Outcome) -> ValidationResult {
    match result {
        Outcome::Pass => ValidationResult::Pass,
        Outcome::Partial => ValidationResult::Partial,
        Outcome::Fail => ValidationResult::Fail,
    }
}

/// A strength of the decisions as the wire and the store have it.
pub(super) fn wire_strength(strength: Strength) -> SignalStrength {
    match strength {
        Strength::Weak => SignalStrength::Weak,
        Strength::Medium => SignalStrength::Medium,
        Strength::Strong => SignalStrength::Strong,
    }
}

fn validation(event: &Event) -> Option<Validation> {
    Some(Validation {
        result: match event.result? {
            ValidationResult::Pass => Outcome::Pass,
            ValidationResult::Partial => Outcome::Partial,
            ValidationResult::Fail => Outcome::Fail,
        },
        strength: match event.strength? {
            SignalStrength::Weak => Strength::Weak,
            SignalStrength::Medium => Strength::Medium,
            SignalStrength::Strong => Strength::Strong,
        },
        source: match event.source? {
            ValidationSource::Run => Source::Run,
            ValidationSource::Writer => Source::Writer,
            ValidationSource::Inserted => Source::Inserted,
            ValidationSource::Copied => Source::Copied,
            ValidationSource::Reasked => Source::Reasked,
            ValidationSource::Cited => Source::Cited,
            ValidationSource::Client => Source::Remote,
        },
        used: event.was_used,
        applied: event.is_applied,
    })
}

/// The validations of an answer since it was last edited, in order.
fn validations(events: &[Event]) -> Vec<Validation> {
    let since = events.iter().rposition(|event| event.kind == AnswerEventKind::Edited).map_or(0, |at| at + 1);
    events[since..].iter().filter(|event| event.kind == AnswerEventKind::Validated).filter_map(validation).collect()
}

fn stored_standing(standing: &Standing, events: &[Event], user_modified: bool) -> StoredStanding {
    let validations = validations(events);
    let (status, blocked_by) = match standing.state {
        State::Blocked(Blocker::Run) => (AnswerStatus::Blocked, Some(BlockedBy::Run)),
        State::Blocked(Blocker::Writer) => (AnswerStatus::Blocked, Some(BlockedBy::Writer)),
        State::Active | State::Retired => (AnswerStatus::Active, None),
    };
    StoredStanding {
        level: standing.level,
        trust_milli: u32::from(standing.trust_milli),
        fails_half: standing.fails_half,
        passes: standing.passes,
        status,
        blocked_by,
        times_blocked: standing.times_blocked,
        last_failed_at: standing.last_failed_at.map(Time::from_millis),
        user_confirmed: standing.user_confirmed,
        user_modified,
        is_challenged: standing.challenged > 0,
        tally: Tally::of(&validations),
        verified_at: Time::from_millis(standing.verified_at),
    }
}

/// An answer with the interval of its posterior. `acceptance`: passes and all of the validations of its book.
pub(super) fn with_posterior(stored: StoredAnswer, acceptance: (u32, u32)) -> Answer {
    let (passed, all) = acceptance;
    let rate = posterior::acceptance_rate(passed, all.saturating_sub(passed));
    let Posterior { value, low, high, weight, tries, passed } = stored.standing.tally.posterior(rate);
    let posterior = AnswerPosterior { value, low, high, weight, tries, passed };
    Answer { posterior, ..stored.answer }
}

/// An event as it is shown, with the standing after it.
pub(super) fn answer_event(event: Event, after: &Standing) -> AnswerEvent {
    AnswerEvent {
        event_id: event.event_id,
        at: event.at,
        kind: event.kind,
        result: event.result,
        signal_strength: event.strength,
        source: event.source,
        run_id: event.run_id,
        was_shown: event.was_shown,
        was_used: event.was_used,
        is_applied: event.is_applied,
        note: event.note,
        texts: event.texts,
        citations: event.citations,
        validation_level: after.level,
        trust: f64::from(after.trust_milli) / 1_000.0,
        undone_at: event.undone_at,
    }
}
