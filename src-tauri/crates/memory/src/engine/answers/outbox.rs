//! The outbox: what is still to be sent to a team's answer service, written with the completion or the verdict that it
//! comes from and sent in the background.
//!
//! Invariant: a row is sent only to the service whose ids it has, and deleted once that has accepted it. A row whose
//! acceptance was not seen is sent again with the same id.

use palimpsest_text::secrets::contains_secret;

use super::{
    checks::check_question,
    service::{Connected, id_in_service},
};
use crate::{
    engine::Engine,
    error::{Code, Error, OrLog, Result},
    lock::assert_none_held,
    model::{
        AnswerHit, AnswerStatus, CompletedAnswer, ProjectId, QueuedValidation, SignalStrength, Time,
        ValidateServiceAnswer, ValidationSource,
    },
    ports::{AnswerMemory, AnswerMemoryError, MemoryCandidate, MemoryHit, MemoryHits, MemoryValidation},
    storage::{
        answer_outbox::{self, DueItem, NewItem, OutboxKind, OutboxPayload},
        answer_runs,
        answer_runs::StoredMatch,
        answers,
    },
    validate,
};

/// Milliseconds for which a row is sent again.
const MAX_AGE_MILLIS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// Milliseconds before the second attempt; doubled after each one.
const FIRST_DELAY_MILLIS: i64 = 60 * 1_000;
/// Maximum milliseconds between two attempts.
const MAX_DELAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// The request of a row.
enum Outgoing {
    Hits(MemoryHits),
    Validation(MemoryValidation),
    Candidate(MemoryCandidate),
}

/// The rows of a completed run: its hits and validations of answers of a service, and its new answer, where the
/// connected service is to have it.
pub(super) fn items_of_run<'a>(
    project_id: &'a ProjectId,
    found: &'a [StoredMatch],
    run: &CompletedAnswer,
    connected: Option<&'a Connected>,
    now: Time,
) -> Vec<NewItem<'a>> {
    let mut items = Vec::new();
    let service_of = |hit: &AnswerHit| found.iter().find(|one| one.answer_id == hit.answer_id)?.service.as_deref();
    let hits = || run.hits.iter().filter_map(|hit| Some((hit, service_of(hit)?, id_in_service(&hit.answer_id)?)));
    // All answers of a run are of one service.
    if let Some((_, service, _)) = hits().next() {
        let references = hits().map(|(hit, _, id)| AnswerHit { answer_id: id.into(), ..hit.clone() }).collect();
        let payload = OutboxPayload { id: run.run_id.clone(), references, ..OutboxPayload::default() };
        items.push(NewItem { project_id, service, kind: OutboxKind::Hits, payload });
    }
    for (hit, service, id) in hits() {
        let validations = run.validations.iter().filter(|one| one.answer_id == hit.answer_id && one.is_applied);
        for (one, ordinal) in validations.zip(1..) {
            let payload = OutboxPayload {
                id: format!("{}:{}:{ordinal}", run.run_id, id),
                answer_id: Some(id.into()),
                result: Some(one.result),
                strength: Some(one.signal_strength),
                source: Some(ValidationSource::Run),
                at: Some(now),
                ..OutboxPayload::default()
            };
            items.push(NewItem { project_id, service, kind: OutboxKind::Validation, payload });
        }
    }
    if let (Some(id), Some(connected)) = (&run.candidate_id, connected.filter(|service| service.sends_candidates)) {
        let payload = OutboxPayload { id: id.to_string(), ..OutboxPayload::default() };
        items.push(NewItem { project_id, service: connected.memory.name(), kind: OutboxKind::Candidate, payload });
    }
    items
}

impl Engine {
    /// Stores the writer's verdict on an answer of a service that a run was given, to be sent to the service.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for a run that was not given the answer; `MEMORY_NOT_FOUND`, those of the store.
    pub fn validate_service_answer(&self, args: &ValidateServiceAnswer) -> Result<QueuedValidation> {
        validate::identity("runId", &args.run_id)?;
        let id = id_in_service(&args.answer_id).ok_or_else(|| Error::invalid("answerId", "is of no service"))?;
        let _open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        let validation_id = self.ids.next(now);
        self.stores.episodes.open()?.write("queue a verdict", |tx| {
            let given = answer_runs::service_of_given(tx, &args.project_id, &args.run_id, &args.answer_id)?;
            let service = given.ok_or_else(|| Error::invalid("runId", "is of no run that was given the answer"))?;
            let payload = OutboxPayload {
                id: validation_id.clone(),
                answer_id: Some(id.into()),
                result: Some(args.result),
                strength: Some(SignalStrength::Strong),
                source: Some(ValidationSource::Writer),
                at: Some(now),
                ..OutboxPayload::default()
            };
            let kind = OutboxKind::Validation;
            answer_outbox::insert(tx, &NewItem { project_id: &args.project_id, service: &service, kind, payload }, now)
        })?;
        Ok(QueuedValidation { validation_id })
    }

    /// Number of rows that wait.
    pub(in crate::engine) fn count_outbox(&self) -> u32 {
        let count = || answer_outbox::count(&*self.stores.episodes.open()?.reader()?);
        count().or_log("count the outbox of answers").unwrap_or_default()
    }

    /// Whether the connected service is to be sent something now.
    ///
    /// # Errors
    /// Those of the store.
    pub(in crate::engine) fn is_delivery_due(&self) -> Result<bool> {
        let Some(Connected { memory, .. }) = self.answer_service.connected() else { return Ok(false) };
        let db = self.stores.episodes.open()?;
        Ok(answer_outbox::first_due(&*db.reader()?, memory.name(), self.clock.now())?.is_some())
    }

    /// Sends the first row that is due, and deletes it or postpones it. A row older than 30 days is deleted unsent, but
    /// not under a clock that is in doubt.
    ///
    /// # Errors
    /// Those of the stores. A failure of the service is none: the row is sent later.
    pub(in crate::engine) fn deliver_answers(&self) -> Result<()> {
        let Some(connected) = self.answer_service.connected() else { return Ok(()) };
        let memory = connected.memory.as_ref();
        let now = self.clock.now();
        let db = self.stores.episodes.open()?;
        let oldest = Time::from_millis(now.millis().saturating_sub(MAX_AGE_MILLIS));
        if answer_outbox::is_any_before(&*db.reader()?, oldest)? && self.clock.doubt(&self.stores).is_none() {
            let given_up = db.write("expire the outbox", |tx| answer_outbox::delete_before(tx, oldest))?;
            tracing::warn!(rows = given_up, "not sent to the answer service within 30 days");
        }
        let Some(item) = answer_outbox::first_due(&*db.reader()?, memory.name(), now)? else { return Ok(()) };
        let Some(outgoing) = self.outgoing(&item, &connected)? else {
            return db.write("drop from the outbox", |tx| answer_outbox::delete(tx, item.seq));
        };
        assert_none_held("the answer service answers");
        match send(memory, &outgoing) {
            Ok(()) => db.write("empty the outbox", |tx| answer_outbox::delete(tx, item.seq)),
            Err(failure) => {
                let next_at = next_attempt(self.clock.now(), item.tries, &failure);
                tracing::info!(kind = ?failure.kind, tries = item.tries + 1, "not sent to the answer service yet");
                // The other rows would fail in the same way.
                let of_all = (!failure.kind.is_of_request()).then(|| memory.name());
                db.write("postpone in the outbox", |tx| answer_outbox::postpone(tx, item.seq, next_at, of_all))
            }
        }
    }

    /// The request of a row; `None` for one that is not to be sent any more: its book or its answer is gone.
    fn outgoing(&self, item: &DueItem, connected: &Connected) -> Result<Option<Outgoing>> {
        let _open = match self.visit(&item.project_id) {
            Err(error) if error.code == Code::NotFound => return Ok(None),
            open => open?,
        };
        let (project_id, payload) = (item.project_id.clone(), &item.payload);
        Ok(match item.kind {
            OutboxKind::Hits => {
                let hit =
                    |one: &AnswerHit| MemoryHit { id: one.answer_id.to_string(), shown: one.shown, used: one.used };
                let references = payload.references.iter().map(hit).collect();
                Some(Outgoing::Hits(MemoryHits { project_id, run_id: payload.id.clone(), references }))
            }
            OutboxKind::Validation => {
                let (Some(id), Some(result), Some(strength)) = (&payload.answer_id, payload.result, payload.strength)
                else {
                    return Ok(None);
                };
                Some(Outgoing::Validation(MemoryValidation {
                    project_id,
                    id: id.to_string(),
                    validation_id: payload.id.clone(),
                    result,
                    strength,
                    source: payload.source.unwrap_or(ValidationSource::Run),
                    at: payload.at.unwrap_or_else(|| self.clock.now()),
                }))
            }
            OutboxKind::Candidate if !connected.sends_candidates => None,
            OutboxKind::Candidate => self.outgoing_candidate(&project_id, &payload.id)?.map(Outgoing::Candidate),
        })
    }

    /// A new answer as it is sent: as it is now, without hidden names. `None` for one that is gone, that the writer
    /// blocked or that has a key in it.
    fn outgoing_candidate(&self, project_id: &ProjectId, id: &str) -> Result<Option<MemoryCandidate>> {
        let stored = answers::get(&*self.stores.episodes.open()?.reader()?, &id.into())?;
        let Some(answer) = stored.map(|stored| stored.answer).filter(|answer| answer.project_id == *project_id) else {
            return Ok(None);
        };
        let texts = [answer.question.as_str(), answer.answer.as_str()];
        if answer.status == AnswerStatus::Blocked || texts.iter().any(|text| contains_secret(text)) {
            return Ok(None);
        }
        let mask = self.mask_over(project_id, &texts, &texts)?;
        let [question, answer_text] = texts.map(|text| mask.hide_shared(text));
        if check_question("question", &question).is_err() {
            return Ok(None);
        }
        Ok(Some(MemoryCandidate {
            project_id: project_id.clone(),
            answer_id: answer.answer_id.to_string(),
            question,
            answer: answer_text,
            confidence: answer.confidence,
        }))
    }
}

fn send(memory: &dyn AnswerMemory, outgoing: &Outgoing) -> Result<(), AnswerMemoryError> {
    match outgoing {
        Outgoing::Hits(hits) => memory.record_hits(hits),
        Outgoing::Validation(validation) => memory.record_validation(validation),
        Outgoing::Candidate(candidate) => memory.record_candidate(candidate).map(drop),
    }
}

/// The time of the next attempt after one that failed: 1 minute, doubled after each one up to 24 hours, and not before
/// the service allows.
fn next_attempt(now: Time, tries: u32, failure: &AnswerMemoryError) -> Time {
    let delay = FIRST_DELAY_MILLIS.saturating_mul(1_i64 << tries.min(11)).min(MAX_DELAY_MILLIS);
    let asked = failure.retry_after.map_or(0, |wait| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
    Time::from_millis(now.millis().saturating_add(delay.max(asked.min(MAX_DELAY_MILLIS))))
}
