//! The end of a run, and what it writes into the memory. Completing a run is one transaction and happens once: hits,
//! validations, standings and the candidate are stored together or not at all.

use palimpsest_answers::{decide::WhyNot, marks::without_marks, standing::StandingRules};
use palimpsest_text::names::Mask;

use super::{
    NewAnswer, ReadChapter,
    checks::check_details,
    ended::ended_run,
    nowhere::{basis_of, insert_basis},
    outbox,
    promote::texts_of_prompt,
    standing::rejudge,
    statements::add_statements,
};
use crate::{
    engine::{Engine, asking::CitedStatement},
    error::{Code, Details, Error, OrLog, Result},
    model::{
        Answer, AnswerEventKind, AnswerHit, AnswerId, AnswerKind, AnswerOrigin, AnswerOutcome, AnswerRunState, Changed,
        ChapterId, Citation, CitationDraft, CompleteAnswer, CompletedAnswer, ProjectId, Reason, RunAssessment,
        SignalStrength, Time, Topic, ValidationResult, ValidationSource,
    },
    storage::{
        Tx,
        answer_events::{self, Event},
        answer_outbox,
        answer_runs::{self, StoredMatch, StoredRun},
        answers::{self, StoredAnswer},
        deletions,
        journal::{self, NewEntry},
    },
    validate,
};

/// Milliseconds within which a run is completed.
pub(super) const MAX_RUN_MILLIS: i64 = 24 * 60 * 60 * 1_000;
/// Maximum number of uses of tools.
const MAX_TOOLS: usize = 10_000;
/// Maximum bytes of the end of an output.
const TAIL_BYTES: usize = 10_000;

/// Words the entry of the journal about a run, given the id of its candidate.
pub(in crate::engine) type EntryOfRun<'a> = &'a dyn Fn(Option<&str>) -> Option<NewEntry>;

/// The end of a question that the engine asked itself: its words come with the names in place.
pub(in crate::engine) struct OwnQuestion<'a> {
    pub(in crate::engine) entry: EntryOfRun<'a>,
    /// The writer asked again although there was an answer: the new one is kept beside it.
    pub(in crate::engine) is_fresh: bool,
    /// The model's words with their marks; a line of `prompt` in them is an echo and marks nothing.
    pub(in crate::engine) words: &'a str,
    pub(in crate::engine) prompt: &'a str,
    /// The verified statements of the answer.
    pub(in crate::engine) statements: &'a [CitedStatement],
}

impl Engine {
    /// Ends the runs that were not completed in time, and removes their questions.
    ///
    /// # Errors
    /// Those of the store.
    pub(in crate::engine) fn expire_answer_runs(&self) -> Result<()> {
        let before = Time::from_millis(self.clock.now().millis().saturating_sub(MAX_RUN_MILLIS));
        let ended = self.stores.episodes.open()?.write("expire runs", |tx| answer_runs::expire(tx, before))?;
        self.answer_audit.note_runs(ended);
        Ok(())
    }

    /// Completes a run: stores hits, validations and a candidate together, once. Completing it again with the same
    /// outcome has the same answer and changes nothing.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND`; `MEMORY_SCOPE_DENIED` for a run of another book;
    /// `MEMORY_STALE_VERSION` with the reason `settled` for another outcome, and `expired` after 24 hours; those of the
    /// store: nothing is stored then, and the run can be completed again.
    pub fn complete_answer(
        &self,
        args: &CompleteAnswer,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Changed<CompletedAnswer>> {
        self.complete_run(args, order, read, None)
    }

    /// Completes a run as [`Engine::complete_answer`] does; that of a question with an entry of the journal in the same
    /// transaction.
    ///
    /// # Errors
    /// Those of [`Engine::complete_answer`].
    pub(in crate::engine) fn complete_run(
        &self,
        args: &CompleteAnswer,
        order: &[ChapterId],
        read: ReadChapter<'_>,
        question: Option<&OwnQuestion<'_>>,
    ) -> Result<Changed<CompletedAnswer>> {
        check_outcome(&args.outcome)?;
        validate::identity("runId", &args.run_id)?;
        let open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        let hash = hash_of(&args.outcome)?;
        let db = self.stores.episodes.open()?;
        let run = own_run(&*db.reader()?, args)?;
        if let Some(done) = done_before(&run, &hash, now)? {
            return Ok(Changed::new(done, Some(args.project_id.clone()), []));
        }
        let matches = answer_runs::matches_of(&*db.reader()?, &args.run_id)?;
        let mask = if question.is_some() { Mask::default() } else { self.mask_of_run(&run, &matches)? };
        // A quote that the text does not have is left out: the model's word on it is not believed.
        let cite = |draft: &CitationDraft| {
            let draft = CitationDraft { quote: mask.restore(&draft.quote), ..draft.clone() };
            let cited =
                read(&draft.chapter_id).and_then(|text| self.cite(&args.project_id, &draft, order, text.as_deref()));
            cited.or_log("verify a quote of an answer")
        };
        let citations: Vec<Citation> = args.outcome.citations.iter().filter_map(cite).collect();
        let config = self.answer_config_in_effect();
        let rules = StandingRules::from(&config.gatekeeper);
        let basis = basis_of(&args.outcome.basis, args.outcome.not_in_book, order)?;
        let basis = self.look_at(&args.project_id, &run.query, basis, read)?;
        // An answer that looked at chapters for nothing is proved by them, as another one by its quotes.
        let proofs = if args.outcome.not_in_book { citations.len().max(1) } else { citations.len() };
        let ended = ended_run((args, question), &run, (&matches, &config), proofs, mask);
        let is_deleted =
            || deletions::is_question_deleted(&*self.stores.rules.open()?.reader()?, &args.project_id, &run.query);
        // Without `rules.db` it is not known whether the writer deleted an answer to the question: none is recorded.
        let refusal = match is_deleted().or_log("look up deleted questions") {
            Some(false) => None,
            Some(true) => Some("deleted"),
            None => Some("rulesUnread"),
        };

        let service = self.answer_service.connected();
        let written = db.write("complete a run", |tx| {
            let run = own_run(tx, args)?;
            if let Some(done) = done_before(&run, &hash, now)? {
                return Ok((done, Vec::new()));
            }
            let (candidate_id, why_not, removed_rows) = match (&ended.decision.candidate, refusal) {
                (Ok(_), Some(why)) => (None, vec![why.to_owned()], Vec::new()),
                (Ok(candidate), None) => {
                    let new = NewAnswer {
                        kind: candidate_kind(run.kind, &citations),
                        origin: AnswerOrigin::Asked,
                        question: candidate.question.clone(),
                        answer: ended.restore(&without_marks(&candidate.answer)),
                        confidence: candidate.confidence,
                        details: args.outcome.details.clone(),
                        citations: citations.clone(),
                        run_id: Some(args.run_id.clone()),
                    };
                    let removed_rows = super::make_room(tx, &args.project_id)?;
                    let mut stored = self.new_answer(&args.project_id, open.language, &new, now);
                    if let Some(question) = question {
                        add_statements(&mut stored.answer, question.statements);
                    }
                    answers::insert(tx, &stored)?;
                    insert_basis(tx, &stored.answer, &basis)?;
                    if !citations.is_empty() {
                        answer_events::insert(tx, &self.cited_event(&stored, now))?;
                        rejudge(tx, &mut stored, rules)?;
                        answers::update(tx, &stored)?;
                    }
                    (Some(stored.answer.answer_id), Vec::new(), removed_rows)
                }
                (Err(reasons), _) => (None, reasons.iter().map(|why| why.as_str().to_owned()).collect(), Vec::new()),
            };
            let completed = ended.completed(&args.run_id, candidate_id, why_not);
            self.write_completed((tx, rules), &completed, &hash, now)?;
            let kept = completed.candidate_id.as_ref().map(AnswerId::as_str);
            if let Some(entry) = question.and_then(|question| (question.entry)(kept)) {
                journal::append(tx, &entry)?;
            }
            for item in outbox::items_of_run(&args.project_id, &matches, &completed, service.as_ref(), now) {
                answer_outbox::insert(tx, &item, now)?;
            }
            Ok((completed, removed_rows))
        })?;
        let (completed, removed_rows) = written;
        self.retrieval.remove_rows(&removed_rows);
        self.answer_audit.note_runs(vec![args.run_id.clone()]);
        Ok(Changed::new(completed, Some(args.project_id.clone()), [Topic::Answers]))
    }

    /// Ends the run of a question that was answered by a kept answer: a hit, and an entry of the journal.
    ///
    /// # Errors
    /// Those of the store: nothing is stored then.
    pub(in crate::engine) fn complete_served(
        &self,
        (project_id, run_id): (&ProjectId, &str),
        answer_id: &AnswerId,
        entry: Option<&NewEntry>,
    ) -> Result<()> {
        let _open = self.visit(project_id)?;
        let now = self.clock.now();
        let completed = CompletedAnswer {
            run_id: run_id.to_owned(),
            assessment: RunAssessment { result: None, signal_strength: SignalStrength::Weak, reasons: Vec::new() },
            hits: vec![AnswerHit { answer_id: answer_id.clone(), shown: true, used: true }],
            validations: Vec::new(),
            candidate_id: None,
            why_not: vec![WhyNot::AnsweredAlready.as_str().to_owned()],
            invented: 0,
            tools: Vec::new(),
        };
        let hash = hash_of(&completed)?;
        let rules = StandingRules::from(&self.answer_config_in_effect().gatekeeper);
        self.stores.episodes.open()?.write("complete a served run", |tx| {
            self.write_completed((tx, rules), &completed, &hash, now)?;
            entry.map_or(Ok(()), |entry| journal::append(tx, entry).map(drop))
        })?;
        self.answer_audit.note_runs(vec![run_id.to_owned()]);
        Ok(())
    }

    /// Writes the end of a run: the events and the standing of each answer with a hit, and the report.
    fn write_completed(
        &self,
        (tx, rules): (&Tx<'_>, StandingRules),
        completed: &CompletedAnswer,
        hash: &[u8; 32],
        now: Time,
    ) -> Result<()> {
        for hit in &completed.hits {
            let Some(mut stored) = answers::get(tx, &hit.answer_id)? else { continue };
            for event in self.events_of_run(&stored, hit, completed, now) {
                answer_events::insert(tx, &event)?;
            }
            if hit.shown {
                stored.answer.last_shown_at = stored.answer.last_shown_at.max(Some(now));
            }
            rejudge(tx, &mut stored, rules)?;
            answers::update(tx, &stored)?;
        }
        let used = completed.hits.iter().filter(|hit| hit.used).map(|hit| hit.answer_id.clone());
        let used: Vec<AnswerId> = used.collect();
        answer_runs::complete(tx, &completed.run_id, &used, (hash, completed), now)
    }

    /// Ends a run that will not be completed, such as one that the limit of the day refused.
    ///
    /// # Errors
    /// Those of the store.
    pub(in crate::engine) fn expire_run(&self, run_id: &str) -> Result<()> {
        self.stores.episodes.open()?.write("expire a run", |tx| answer_runs::expire_run(tx, run_id))?;
        self.answer_audit.note_runs(vec![run_id.to_owned()]);
        Ok(())
    }

    /// The mask of the prompt of a run: aliases are chosen over its texts, and the model answered with them.
    fn mask_of_run(&self, run: &StoredRun, found: &[StoredMatch]) -> Result<Mask> {
        let mut given: Vec<StoredAnswer> = Vec::new();
        let mut of_service: Vec<&str> = Vec::new();
        for one in found.iter().filter(|one| one.handle.is_some()) {
            match &one.words {
                Some((question, answer)) => of_service.extend([question.as_str(), answer.as_str()]),
                None => given.extend(answers::get(&*self.stores.episodes.open()?.reader()?, &one.answer_id)?),
            }
        }
        let given: Vec<&Answer> = given.iter().map(|stored| &stored.answer).collect();
        let (mut texts, shared) = texts_of_prompt(&run.query, &given);
        texts.extend(of_service);
        self.mask_over(&run.project_id, &texts, &shared)
    }

    /// The events that a run leaves on an answer: that it was shown or used, and its validation.
    fn events_of_run(&self, stored: &StoredAnswer, hit: &AnswerHit, run: &CompletedAnswer, now: Time) -> Vec<Event> {
        let event = |kind| Event {
            run_id: Some(run.run_id.clone()),
            was_shown: hit.shown,
            was_used: hit.used,
            ..self.writers_event(stored, kind, now)
        };
        let mut events = vec![event(AnswerEventKind::Hit)];
        for one in run.validations.iter().filter(|one| one.answer_id == hit.answer_id) {
            events.push(Event {
                result: Some(one.result),
                strength: Some(one.signal_strength),
                source: Some(ValidationSource::Run),
                is_applied: one.is_applied,
                ..event(AnswerEventKind::Validated)
            });
        }
        events
    }

    /// The validation of an answer whose quotes were found in the book.
    fn cited_event(&self, stored: &StoredAnswer, now: Time) -> Event {
        Event {
            result: Some(ValidationResult::Pass),
            strength: Some(SignalStrength::Medium),
            source: Some(ValidationSource::Cited),
            was_used: true,
            ..self.writers_event(stored, AnswerEventKind::Validated, now)
        }
    }
}

/// A run of the book.
fn own_run(db: &rusqlite::Connection, args: &CompleteAnswer) -> Result<StoredRun> {
    let run = answer_runs::get(db, &args.run_id)?.ok_or_else(|| Error::not_found("runId", "run"))?;
    if run.project_id == args.project_id { Ok(run) } else { Err(Error::scope_denied("run")) }
}

/// The answer of a run that was completed with the same outcome; `None` for one that can be completed.
fn done_before(run: &StoredRun, hash: &[u8; 32], now: Time) -> Result<Option<CompletedAnswer>> {
    let refused = |reason: Reason, message: &str| {
        let details = Details { field: Some("runId".into()), reason: Some(reason), ..Details::default() };
        Err(Error::with_details(Code::StaleVersion, message, details))
    };
    let is_late = now.millis().saturating_sub(run.prepared_at.millis()) > MAX_RUN_MILLIS;
    match (run.state, &run.completed) {
        (AnswerRunState::Completed, Some(completed)) if run.outcome_hash.as_ref() == Some(hash) => {
            Ok(Some(completed.clone()))
        }
        (AnswerRunState::Completed, _) => refused(Reason::Settled, "the run was completed with another outcome"),
        (AnswerRunState::Expired, _) => refused(Reason::Expired, "the run was not completed within 24 hours"),
        (AnswerRunState::Interrupted, _) => refused(Reason::Expired, "the process ended before the answer"),
        (AnswerRunState::Prepared | AnswerRunState::Running, _) if is_late => {
            refused(Reason::Expired, "the run was not completed within 24 hours")
        }
        (AnswerRunState::Prepared | AnswerRunState::Running, _) => Ok(None),
    }
}

fn hash_of(outcome: &impl serde::Serialize) -> Result<[u8; 32]> {
    let json = serde_json::to_vec(outcome).map_err(|_| Error::broke_off())?;
    Ok(blake3::hash(&json).into())
}

fn check_outcome(outcome: &AnswerOutcome) -> Result<()> {
    validate::text("outcome.answer", &outcome.answer, validate::TEXT)?;
    validate::text("outcome.outputTail", &outcome.output_tail, TAIL_BYTES)?;
    validate::text("outcome.errorTail", &outcome.error_tail, TAIL_BYTES)?;
    if outcome.tools.len() > MAX_TOOLS {
        return Err(Error::invalid("outcome.tools", format!("more than {MAX_TOOLS}")));
    }
    outcome.tools.iter().try_for_each(|tool| validate::line("outcome.tools.name", &tool.name, 100))?;
    check_details(&outcome.details)?;
    if outcome.citations.len() > super::cited::MAX_CITATIONS {
        return Err(Error::invalid("outcome.citations", format!("more than {}", super::cited::MAX_CITATIONS)));
    }
    Ok(())
}

/// The kind of a candidate: an answer about the book rests on a quote that was found; without one it is research.
fn candidate_kind(asked: AnswerKind, citations: &[Citation]) -> AnswerKind {
    match (asked, citations.is_empty()) {
        (AnswerKind::Canon, true) => AnswerKind::Research,
        (AnswerKind::Research, false) => AnswerKind::Canon,
        (kind, _) => kind,
    }
}
