//! Runs: the answers that a question is given, and what the end of the run writes into the memory.
//!
//! The run is on disk before the prompt is handed out. Completing it is one transaction and happens once: hits,
//! validations, standings and the candidate are stored together or not at all.

use std::collections::BTreeSet;

use palimpsest_answers::{
    assess::{self, Assessment, EndedBy, Reason as Sign, assess_quality},
    candidate::{CandidateSource, Redaction, extract_candidate},
    config::Config,
    decide::{CompletedRun, Decision, MemoryWriteDecider},
    gate::{Match, Prepared, prepare_inject},
    marks::used_ids,
    validation::{Strength, ValidationResult as Outcome},
};
use palimpsest_text::{
    excerpt,
    names::{Mask, Search},
    questions::MatchKind,
    secrets::redact_secrets,
};

use super::{
    NewAnswer, ReadChapter,
    checks::{check_question, key_text, question_key_of},
    matches::{decided, match_of, numbers_of},
    nowhere::{basis_of, insert_basis},
    promote::texts_of_prompt,
    search::{Found, Wanted, check_limits},
    standing::{rejudge, with_posterior},
};
use crate::{
    context::{AnswerLine, answers_section},
    engine::Engine,
    error::{Code, Details, Error, OrLog, Result},
    model::{
        Answer, AnswerDetails, AnswerEventKind, AnswerHit, AnswerId, AnswerKind, AnswerOrigin, AnswerOutcome, Changed,
        ChapterId, Citation, CitationDraft, CompleteAnswer, CompletedAnswer, InjectedAnswer, LeftOutAnswer,
        PrepareAnswer, PreparedAnswer, ProjectId, Reason, RunAssessment, RunEnd, RunValidation, SignalStrength, Time,
        Topic, ValidationResult, ValidationSource,
    },
    retrieval::names::pairs,
    storage::{
        answer_events::{self, Event},
        answer_runs,
        answer_runs::{RunState, StoredMatch, StoredRun},
        answers::{self, StoredAnswer},
        deletions,
    },
    validate,
};

/// Milliseconds within which a run is completed.
const MAX_RUN_MILLIS: i64 = 24 * 60 * 60 * 1_000;
/// Maximum number of uses of tools.
const MAX_TOOLS: usize = 10_000;
/// Maximum bytes of the end of an output.
const TAIL_BYTES: usize = 10_000;

impl Engine {
    /// Finds the answers that bear on a question, decides which of them a run is given, and stores the run.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_BACKPRESSURE`; `MEMORY_STORE_UNAVAILABLE`, also where the
    /// names to be hidden cannot be read: nothing may be sent then.
    pub fn prepare_answer(&self, args: &PrepareAnswer) -> Result<PreparedAnswer> {
        check_question("query", &args.query)?;
        let (limit, min_score) = check_limits(args.limit, args.min_score)?;
        let open = self.visit(&args.project_id)?;
        let wanted = Wanted {
            project_id: &args.project_id,
            query: args.query.trim(),
            limit,
            min_score,
            kinds: &[],
            min_level: 0,
            with_blocked: true,
        };
        let (found, degraded_reason) = self.find_answers(&wanted)?;
        let now = self.clock.now();
        let config = Config::default();
        let measured: Vec<StoredMatch> = found.iter().map(numbers_of).collect();
        let matches: Vec<Match> = measured.iter().map(match_of).collect();
        let prepared = prepare_inject(&matches, &config, now.millis());
        let shown: Vec<&Found> = prepared.shown().filter_map(|id| by_id(&found, id)).collect();

        let query = args.query.trim();
        let shown_answers: Vec<&Answer> = shown.iter().map(|found| &found.stored.answer).collect();
        let (texts, shared) = texts_of_prompt(query, &shown_answers);
        let mask = self.mask_over(&args.project_id, &texts, &shared)?;
        let names_hidden = self.count_names_in(&args.project_id, &[texts, shared].concat())?;
        let max_chars = config.prompt_inject.max_answer_chars;
        let lines: Vec<AnswerLine> = shown
            .iter()
            .map(|found| AnswerLine {
                question: mask.hide(&found.stored.answer.question),
                answer: excerpt(&mask.hide(&found.stored.answer.answer), max_chars),
                level: found.stored.standing.level,
                trust: found.stored.answer.trust,
                is_on_trial: prepared.probation.as_deref() == Some(found.stored.answer.answer_id.as_str()),
            })
            .collect();
        let merged_prompt = answers_section(open.language, &lines, &mask.hide(query));

        let run_id = self.ids.next(now);
        let run = StoredRun {
            run_id: run_id.clone(),
            project_id: args.project_id.clone(),
            query: query.to_owned(),
            kind: args.kind,
            state: RunState::Prepared,
            prepared_at: now,
            outcome_hash: None,
            completed: None,
        };
        let stored = decided(measured, &prepared);
        let acceptance = self.stores.episodes.open()?.write("prepare a run", |tx| {
            answer_runs::expire(tx, Time::from_millis(now.millis().saturating_sub(MAX_RUN_MILLIS)))?;
            answer_runs::insert(tx, &run, &stored)?;
            self.note_reasked(tx, &found, now)?;
            answer_events::acceptance(tx, &args.project_id)
        })?;
        let is_served = |found: &&Found| {
            found.question.kind == MatchKind::Exact
                && prepared.injected.iter().any(|id| id == found.stored.answer.answer_id.as_str())
        };
        let served = found.iter().find(is_served).map(|found| with_posterior(found.stored.clone(), acceptance));
        Ok(PreparedAnswer {
            run_id,
            injected: injected_answers(&prepared),
            left_out: prepared
                .left_out
                .iter()
                .map(|(id, why)| LeftOutAnswer { answer_id: id.as_str().into(), why: why.as_str().to_owned() })
                .collect(),
            merged_prompt,
            names_hidden,
            served,
            degraded: degraded_reason.is_some(),
            degraded_reason,
        })
    }

    /// Ends the runs that were not completed in time, and removes their questions.
    ///
    /// # Errors
    /// Those of the store.
    pub(in crate::engine) fn expire_answer_runs(&self) -> Result<()> {
        let before = Time::from_millis(self.clock.now().millis().saturating_sub(MAX_RUN_MILLIS));
        self.stores.episodes.open()?.write("expire runs", |tx| answer_runs::expire(tx, before))
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
        let mask = self.mask_of_run(&run, &matches)?;
        // A quote that the text does not have is left out: the model's word on it is not believed.
        let cite = |draft: &CitationDraft| {
            let draft = CitationDraft { quote: mask.restore(&draft.quote), ..draft.clone() };
            let cited =
                read(&draft.chapter_id).and_then(|text| self.cite(&args.project_id, &draft, order, text.as_deref()));
            cited.or_log("verify a quote of an answer")
        };
        let citations: Vec<Citation> = args.outcome.citations.iter().filter_map(cite).collect();
        let ended = ended_run(args, &run, &matches, citations.len(), mask);
        let basis = basis_of(&args.outcome.basis, args.outcome.not_in_book, order)?;
        let basis = self.look_at(&args.project_id, &run.query, basis, read)?;
        let key = key_text(&question_key_of(&args.project_id, &run.query));
        let is_deleted = || deletions::exists(&*self.stores.rules.open()?.reader()?, deletions::QUESTION, &key);
        // Without `rules.db` it is not known whether the writer deleted an answer to the question: none is recorded.
        let refusal = match is_deleted().or_log("look up deleted questions") {
            Some(false) => None,
            Some(true) => Some("deleted"),
            None => Some("rulesUnread"),
        };

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
                        question: run.query.clone(),
                        answer: ended.restore(&candidate.answer),
                        confidence: candidate.confidence,
                        details: AnswerDetails::default(),
                        citations: citations.clone(),
                        run_id: Some(args.run_id.clone()),
                    };
                    let removed_rows = super::make_room(tx, &args.project_id)?;
                    let mut stored = self.new_answer(&args.project_id, open.language, &new, now);
                    answers::insert(tx, &stored)?;
                    insert_basis(tx, &stored.answer, &basis)?;
                    if !citations.is_empty() {
                        answer_events::insert(tx, &self.cited_event(&stored, now))?;
                        rejudge(tx, &mut stored)?;
                        answers::update(tx, &stored)?;
                    }
                    (Some(stored.answer.answer_id), Vec::new(), removed_rows)
                }
                (Err(reasons), _) => (None, reasons.iter().map(|why| why.as_str().to_owned()).collect(), Vec::new()),
            };
            let completed = ended.completed(&args.run_id, candidate_id, why_not);
            for hit in &completed.hits {
                let Some(mut stored) = answers::get(tx, &hit.answer_id)? else { continue };
                for event in self.events_of_run(&stored, hit, &completed, now) {
                    answer_events::insert(tx, &event)?;
                }
                if hit.shown {
                    stored.answer.last_shown_at = stored.answer.last_shown_at.max(Some(now));
                }
                rejudge(tx, &mut stored)?;
                answers::update(tx, &stored)?;
            }
            let used: Vec<AnswerId> =
                completed.hits.iter().filter(|hit| hit.used).map(|hit| hit.answer_id.clone()).collect();
            answer_runs::complete(tx, &args.run_id, &used, (&hash, &completed), now)?;
            Ok((completed, removed_rows))
        })?;
        let (completed, removed_rows) = written;
        self.retrieval.remove_rows(&removed_rows);
        Ok(Changed::new(completed, Some(args.project_id.clone()), [Topic::Answers]))
    }

    /// Number of hidden names of a book that are in these texts.
    fn count_names_in(&self, project_id: &ProjectId, texts: &[&str]) -> Result<u32> {
        let search = Search::new(&pairs(&self.names_of(project_id)?));
        let found: BTreeSet<usize> = texts.iter().flat_map(|text| search.pairs_in(text)).collect();
        Ok(u32::try_from(found.len()).unwrap_or(u32::MAX))
    }

    /// The mask of the prompt of a run: aliases are chosen over its texts, and the model answered with them.
    fn mask_of_run(&self, run: &StoredRun, found: &[StoredMatch]) -> Result<Mask> {
        let mut given: Vec<StoredAnswer> = Vec::new();
        for one in found.iter().filter(|one| one.handle.is_some()) {
            given.extend(answers::get(&*self.stores.episodes.open()?.reader()?, &one.answer_id)?);
        }
        let given: Vec<&Answer> = given.iter().map(|stored| &stored.answer).collect();
        let (texts, shared) = texts_of_prompt(&run.query, &given);
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

/// The judgement of the gatekeeper on the end of a run.
fn ended_run(
    args: &CompleteAnswer,
    run: &StoredRun,
    found: &[StoredMatch],
    verified_citations: usize,
    mask: Mask,
) -> EndedRun {
    let outcome = &args.outcome;
    let handles: Vec<(String, &AnswerId)> =
        found.iter().filter_map(|one| Some((one.handle?.to_string(), &one.answer_id))).collect();
    let known: Vec<&str> = handles
        .iter()
        .map(|(handle, _)| handle.as_str())
        .chain(found.iter().map(|one| one.answer_id.as_str()))
        .collect();
    let marks = used_ids(&outcome.answer, &known, "");
    let id_of = |mark: &str| {
        let by_handle = handles.iter().find(|(handle, _)| handle == mark);
        by_handle.map_or_else(|| mark.to_owned(), |(_, id)| id.to_string())
    };
    let mut used: Vec<String> = Vec::new();
    for mark in &marks.used {
        let id = id_of(mark);
        if !used.contains(&id) {
            used.push(id);
        }
    }
    let judged = assess::RunOutcome {
        exit_code: outcome.exit_code,
        ended_by: ended_by(outcome.ended_by),
        answer: outcome.answer.clone(),
        output_tail: outcome.output_tail.clone(),
        error_tail: outcome.error_tail.clone(),
        tools: outcome
            .tools
            .iter()
            .map(|tool| assess::ToolUse { name: tool.name.clone(), went_well: Some(tool.ok) })
            .collect(),
        shown_ids: handles.iter().map(|(_, id)| id.to_string()).collect(),
        used_ids: used,
        verified_citations,
    };
    let config = Config::default();
    let assessment = assess_quality(&judged);
    let source = CandidateSource {
        question: &run.query,
        answer: &outcome.answer,
        tools: judged.tools.len(),
        verified_citations,
    };
    let redact = |text: &str| {
        let redacted = redact_secrets(text);
        Redaction { count: usize::from(redacted != text), text: redacted }
    };
    let candidate = extract_candidate(&source, &redact, &config.candidate_extract);
    // As it was decided when the prompt was made: what has changed since has no influence.
    let matches: Vec<Match> = found.iter().map(match_of).collect();
    let prepared = prepare_inject(&matches, &config, run.prepared_at.millis());
    let decision = MemoryWriteDecider::new(&config).decide(CompletedRun {
        matches: &matches,
        prepared: &prepared,
        outcome: &judged,
        assessment: &assessment,
        candidate,
        is_fresh: false,
    });
    EndedRun { assessment, decision, invented: marks.invented.len(), mask }
}

/// The end of a run as the gatekeeper judges it.
struct EndedRun {
    assessment: Assessment,
    decision: Decision,
    /// Number of marks of no answer.
    invented: usize,
    mask: Mask,
}

impl EndedRun {
    /// A text of the model with the names in place of their aliases.
    fn restore(&self, text: &str) -> String {
        self.mask.restore(text)
    }

    fn completed(&self, run_id: &str, candidate_id: Option<AnswerId>, why_not: Vec<String>) -> CompletedAnswer {
        let result = |result| match result {
            Outcome::Pass => ValidationResult::Pass,
            Outcome::Partial => ValidationResult::Partial,
            Outcome::Fail => ValidationResult::Fail,
        };
        let strength = |strength| match strength {
            Strength::Weak => SignalStrength::Weak,
            Strength::Medium => SignalStrength::Medium,
            Strength::Strong => SignalStrength::Strong,
        };
        CompletedAnswer {
            run_id: run_id.to_owned(),
            assessment: RunAssessment {
                result: self.assessment.result.map(result),
                signal_strength: strength(self.assessment.strength),
                reasons: self.assessment.reasons.iter().map(|sign| name_of_sign(*sign).to_owned()).collect(),
            },
            hits: self
                .decision
                .hits
                .iter()
                .map(|hit| AnswerHit { answer_id: hit.answer_id.as_str().into(), shown: hit.shown, used: hit.used })
                .collect(),
            validations: self
                .decision
                .validations
                .iter()
                .map(|one| RunValidation {
                    answer_id: one.answer_id.as_str().into(),
                    result: result(one.validation.result),
                    signal_strength: strength(one.validation.strength),
                    is_applied: one.validation.applied,
                })
                .collect(),
            candidate_id,
            why_not,
            invented: u32::try_from(self.invented + self.decision.invented.len()).unwrap_or(u32::MAX),
        }
    }
}

/// The name of an observation on the wire.
fn name_of_sign(sign: Sign) -> &'static str {
    match sign {
        Sign::Ended(EndedBy::Itself | EndedBy::AfterResult) => "ended",
        Sign::Ended(EndedBy::Cancelled) => "cancelled",
        Sign::Ended(EndedBy::Timeout) => "timeout",
        Sign::Ended(EndedBy::Silence) => "silence",
        Sign::Ended(EndedBy::TooMuch) => "tooMuch",
        Sign::Ended(EndedBy::Unavailable) => "unavailable",
        Sign::NoAnswer => "noAnswer",
        Sign::ExitZero => "exitZero",
        Sign::ExitOther => "exitOther",
        Sign::SuccessWords => "successWords",
        Sign::FailureWords => "failureWords",
        Sign::AnswersUsed => "answersUsed",
        Sign::ToolsFailed(_) => "toolsFailed",
        Sign::ToolsWentWell(_) => "toolsWentWell",
    }
}

fn ended_by(end: RunEnd) -> EndedBy {
    match end {
        RunEnd::Itself => EndedBy::Itself,
        RunEnd::AfterResult => EndedBy::AfterResult,
        RunEnd::Cancelled => EndedBy::Cancelled,
        RunEnd::Timeout => EndedBy::Timeout,
        RunEnd::Silence => EndedBy::Silence,
        RunEnd::TooMuch => EndedBy::TooMuch,
        RunEnd::Spawn => EndedBy::Unavailable,
    }
}

fn by_id<'a>(found: &'a [Found], id: &str) -> Option<&'a Found> {
    found.iter().find(|found| found.stored.answer.answer_id.as_str() == id)
}

fn handle(number: u32) -> String {
    format!("QA:{number}")
}

fn injected_answers(prepared: &Prepared) -> Vec<InjectedAnswer> {
    prepared
        .shown()
        .zip(1_u32..)
        .map(|(id, number)| InjectedAnswer {
            answer_id: id.into(),
            handle: handle(number),
            is_probation: prepared.probation.as_deref() == Some(id),
        })
        .collect()
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
        (RunState::Completed, Some(completed)) if run.outcome_hash.as_ref() == Some(hash) => {
            Ok(Some(completed.clone()))
        }
        (RunState::Completed, _) => refused(Reason::Settled, "the run was completed with another outcome"),
        (RunState::Expired, _) => refused(Reason::Expired, "the run was not completed within 24 hours"),
        (RunState::Prepared, _) if is_late => refused(Reason::Expired, "the run was not completed within 24 hours"),
        (RunState::Prepared, _) => Ok(None),
    }
}

fn hash_of(outcome: &AnswerOutcome) -> Result<[u8; 32]> {
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
    if outcome.citations.len() > super::MAX_CITATIONS {
        return Err(Error::invalid("outcome.citations", format!("more than {}", super::MAX_CITATIONS)));
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
