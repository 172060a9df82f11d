//! Answers: recorded, listed, edited, judged and deleted; the search, the runs and the citations are below.
//!
//! Invariant: the standing of an answer is the fold of its events that were not undone, computed by
//! `palimpsest_answers` and stored in the transaction that adds or undoes an event.

mod audit;
mod audit_files;
mod capacity;
mod checks;
mod cited;
mod config;
mod ended;
pub(super) mod known_at;
mod matches;
mod nowhere;
mod outbox;
mod own_memory;
pub(super) mod prepare;
mod promote;
mod question_keys;
mod reaffirm;
mod replay;
mod runs;
mod search;
mod service;
mod standing;
mod statements;
mod undo;
mod used;
mod without_influence;

pub(super) use self::{
    audit::AnswerAudit,
    capacity::{MAX_ANSWERS, SOFT_ANSWERS, insert_answer},
    checks::{QUESTION_BYTES, check_question, language_of, question_key_of},
    config::AnswerSettings,
    runs::OwnQuestion,
    search::Wanted,
    service::AnswerService,
    standing::fold_events,
    used::SeenChapters,
    without_influence::undo_validations_without_influence,
};

use self::{
    capacity::make_room,
    checks::{check_answer, check_details, check_no_secret, checked_kind, deletion_ids},
    nowhere::{basis_of, insert_basis},
    standing::{answer_event, rejudge},
    statements::{find_statements_again, remove_statements},
    used::is_insertion_counted,
};
use super::Engine;
use crate::{
    error::{Code, Error, Result},
    model::{
        Answer, AnswerArguments, AnswerChange, AnswerDetails, AnswerEvent, AnswerEventKind, AnswerFilter,
        AnswerHistory, AnswerId, AnswerKind, AnswerListQuery, AnswerOrigin, AnswerPage, AnswerPosterior, AnswerStatus,
        AnswerVersion, Changed, ChapterId, Citation, ConfirmAnswer, DeleteAnswer, DeletedAnswer, EditedTexts,
        ErasureKind, Language, ProjectId, RecordAnswer, RecordHits, RecordedHits, Scope, SignalStrength, Staleness,
        Time, Topic, UpdateAnswer, ValidateAnswer, ValidationResult, ValidationSource,
    },
    storage::{
        Tx,
        answer_events::{self, Event},
        answer_runs,
        answers::{self, Listed, StoredAnswer, StoredStanding},
        deletions, erasures,
    },
    validate,
};

/// Maximum number of listed answers, and the default.
const LISTED: (u32, u32) = (200, 50);
/// Maximum number of events of a history.
const MAX_EVENTS: usize = 200;
/// Maximum number of hits in one request.
const MAX_HITS: usize = 50;
/// Maximum characters of a note.
const NOTE_CHARS: usize = 1_000;
/// The confidence of an answer that comes without one.
const DEFAULT_CONFIDENCE: f64 = 0.45;

/// The saved text of a chapter, by its id; `None` for a book in another editor, whose passages are searched.
///
/// # Errors
/// Of the read: the chapter is not cited.
pub(super) type ReadChapter<'a> = &'a dyn Fn(&ChapterId) -> Result<Option<String>>;

/// The words and the origin of a new answer.
pub(super) struct NewAnswer {
    pub(super) kind: AnswerKind,
    pub(super) origin: AnswerOrigin,
    pub(super) question: String,
    pub(super) answer: String,
    pub(super) confidence: f64,
    pub(super) details: AnswerDetails,
    pub(super) citations: Vec<Citation>,
    pub(super) run_id: Option<String>,
}

impl Engine {
    /// Records an answer as a candidate. One with the same question and the same answer is returned as it is.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`; `MEMORY_NOT_FOUND`, also for a cited chapter; `MEMORY_CITATION_NOT_FOUND`;
    /// `MEMORY_CAPACITY_EXCEEDED`; those of the store.
    pub fn record_answer(
        &self,
        args: &RecordAnswer,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Changed<AnswerChange>> {
        check_question("question", &args.question)?;
        check_answer("answer", &args.answer)?;
        check_no_secret("question", &args.question)?;
        check_no_secret("answer", &args.answer)?;
        check_details(&args.details)?;
        args.confidence.map_or(Ok(()), |confidence| validate::share("confidence", confidence))?;
        let open = self.visit(&args.project_id)?;
        let citations = self.cite_all(&args.project_id, &args.citations, order, read)?;
        let new = NewAnswer {
            kind: checked_kind(args.kind, &citations)?,
            origin: args.origin.unwrap_or_default(),
            question: args.question.trim().to_owned(),
            answer: args.answer.trim().to_owned(),
            confidence: args.confidence.unwrap_or(DEFAULT_CONFIDENCE),
            details: args.details.clone(),
            citations,
            run_id: None,
        };
        let basis = basis_of(&args.basis, args.not_in_book, order)?;
        let basis = self.look_at(&args.project_id, &new.question, basis, read)?;
        let key = question_key_of(&args.project_id, &new.question);
        let now = self.clock.now();
        let (answer, removed_rows) = self.stores.episodes.open()?.write("record an answer", |tx| {
            let same_question = answers::by_key(tx, &args.project_id, &key)?;
            // The same words may be a learning record besides.
            let is_same = |known: &&Answer| {
                known.answer == new.answer && (known.origin == new.origin || new.origin != AnswerOrigin::Studied)
            };
            if let Some(same) = same_question.into_iter().find(|known| is_same(&&known.answer)) {
                return Ok((same, Vec::new()));
            }
            let removed_rows = make_room(tx, &args.project_id)?;
            let stored = self.new_answer(&args.project_id, open.language, &new, now);
            answers::insert(tx, &stored)?;
            insert_basis(tx, &stored.answer, &basis)?;
            Ok((stored, removed_rows))
        })?;
        self.retrieval.remove_rows(&removed_rows);
        let change = AnswerChange { answer: self.shown(answer)?, event_id: None };
        Ok(Changed::new(change, Some(args.project_id.clone()), [Topic::Answers]))
    }

    /// A new answer as it is stored, without a validation.
    pub(super) fn new_answer(
        &self,
        project_id: &ProjectId,
        language: Language,
        new: &NewAnswer,
        now: Time,
    ) -> StoredAnswer {
        let standing = StoredStanding::new(now);
        let mut answer = Answer {
            answer_id: AnswerId::from(self.ids.next(now)),
            project_id: project_id.clone(),
            scope: if *project_id == Answer::no_project() { Scope::Global } else { Scope::Project },
            is_promoted: false,
            version: 1,
            kind: new.kind,
            origin: new.origin,
            question: new.question.clone(),
            answer: new.answer.clone(),
            language: language_of(&new.answer, language),
            confidence: new.confidence,
            details: new.details.clone(),
            citations: new.citations.clone(),
            staleness: Staleness::Current,
            nearby: None,
            disagrees_with: Vec::new(),
            status: AnswerStatus::Active,
            blocked_by: None,
            validation_level: 0,
            trust: 0.0,
            consecutive_fail: 0.0,
            passes: 0,
            hit_count: 0,
            use_count: 0,
            posterior: AnswerPosterior::default(),
            user_confirmed: false,
            user_modified: false,
            is_challenged: false,
            created_at: now,
            updated_at: now,
            verified_at: now,
            last_shown_at: None,
        };
        standing.write_into(&mut answer);
        let question_key = question_key_of(project_id, &new.question);
        StoredAnswer { answer, question_key, standing, run_id: new.run_id.clone(), promoted_to: None }
    }

    /// An answer as it is shown, with the interval of its posterior.
    pub(super) fn shown(&self, stored: StoredAnswer) -> Result<Answer> {
        let acceptance =
            answer_events::acceptance(&*self.stores.episodes.open()?.reader()?, &stored.answer.project_id)?;
        Ok(standing::with_posterior(stored, acceptance))
    }

    /// The answers of a book, latest change first.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn list_answers(&self, query: &AnswerListQuery) -> Result<AnswerPage> {
        let limit = query.limit.unwrap_or(LISTED.1);
        validate::within("limit", limit, 1, LISTED.0)?;
        let words = query.words.as_deref().map(str::trim).filter(|words| !words.is_empty());
        words.map_or(Ok(()), |words| validate::text("words", words, QUESTION_BYTES))?;
        let _open = self.visit(&query.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let listed = Listed {
            project_id: &query.project_id,
            filter: query.filter,
            kinds: &query.kinds,
            origin: query.origin,
            words,
            offset: query.offset,
            limit,
        };
        let found = answers::list(&reader, &listed)?;
        let acceptance = answer_events::acceptance(&reader, &query.project_id)?;
        let counts = answers::counts(&reader, &query.project_id)?;
        let total = match query.filter {
            _ if words.is_some() || !query.kinds.is_empty() || query.origin.is_some() => {
                answers::count_listed(&reader, &listed)?
            }
            AnswerFilter::All => counts.all,
            AnswerFilter::Stale => counts.stale,
            AnswerFilter::OnTrial => counts.on_trial,
            AnswerFilter::Blocked => counts.blocked,
        };
        let answers = found.into_iter().map(|stored| standing::with_posterior(stored, acceptance)).collect();
        Ok(AnswerPage { answers, total, counts })
    }

    /// An answer of a book.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the store.
    pub fn answer(&self, args: &AnswerArguments) -> Result<Answer> {
        let _open = self.visit(&args.project_id)?;
        let stored = found(&*self.stores.episodes.open()?.reader()?, &args.project_id, &args.answer_id)?;
        self.shown(stored)
    }

    /// The events of an answer, latest first, each with the level and the trust after it.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, those of the store.
    pub fn answer_history(&self, args: &AnswerArguments) -> Result<AnswerHistory> {
        let _open = self.visit(&args.project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let stored = found(&reader, &args.project_id, &args.answer_id)?;
        let events = answer_events::list(&reader, &stored.answer.project_id, &args.answer_id)?;
        let mut shown: Vec<AnswerEvent> =
            standing::each_standing(stored.answer.created_at, &events, self.standing_rules())
                .into_iter()
                .zip(events)
                .map(|(after, event)| answer_event(event, &after))
                .collect();
        shown.reverse();
        shown.truncate(MAX_EVENTS);
        Ok(AnswerHistory { events: shown })
    }

    /// Edits an answer. Its level and trust begin again, since the validations were about other words.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_STALE_VERSION`,
    /// `MEMORY_CITATION_NOT_FOUND`, those of the store.
    pub fn update_answer(
        &self,
        args: &UpdateAnswer,
        order: &[ChapterId],
        read: ReadChapter<'_>,
    ) -> Result<Changed<AnswerChange>> {
        args.question.as_deref().map_or(Ok(()), |question| check_question("question", question))?;
        args.answer.as_deref().map_or(Ok(()), |answer| check_answer("answer", answer))?;
        for (field, text) in [("question", &args.question), ("answer", &args.answer)] {
            text.as_deref().map_or(Ok(()), |text| check_no_secret(field, text))?;
        }
        let open = self.visit(&args.project_id)?;
        let citations = match &args.citations {
            Some(drafts) => Some(self.cite_all(&args.project_id, drafts, order, read)?),
            None => None,
        };
        let now = self.clock.now();
        let language = open.language;
        self.change_answer(&args.project_id, (&args.answer_id, Some(args.version)), |_, stored| {
            let before = stored.answer.clone();
            let trimmed = |text: &Option<String>| text.as_deref().map(str::trim).map(str::to_owned);
            stored.answer.question = trimmed(&args.question).unwrap_or_else(|| before.question.clone());
            stored.answer.answer = trimmed(&args.answer).unwrap_or_else(|| before.answer.clone());
            stored.answer.language = language_of(&stored.answer.answer, language);
            if let Some(citations) = citations.clone() {
                if before.scope == Scope::Global && !citations.is_empty() {
                    return Err(Error::invalid("citations", "a promoted answer has none"));
                }
                stored.answer.staleness = Staleness::Current;
                stored.answer.citations = citations;
                remove_statements(&mut stored.answer);
            }
            find_statements_again(&mut stored.answer);
            stored.answer.kind = checked_kind(Some(args.kind.unwrap_or(before.kind)), &stored.answer.citations)?;
            stored.question_key = question_key_of(&before.project_id, &stored.answer.question);
            if (&stored.answer.question, &stored.answer.answer) == (&before.question, &before.answer) {
                return Ok(None);
            }
            let texts = EditedTexts {
                question_before: before.question,
                question_after: stored.answer.question.clone(),
                answer_before: before.answer,
                answer_after: stored.answer.answer.clone(),
            };
            Ok(Some(Event { texts: Some(texts), ..self.writers_event(stored, AnswerEventKind::Edited, now) }))
        })
    }

    /// Confirms an answer, so that no run lowers or blocks it, or takes the confirmation back.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_STALE_VERSION`, those of the store.
    pub fn confirm_answer(&self, args: &ConfirmAnswer) -> Result<Changed<AnswerChange>> {
        let _open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        self.change_answer(&args.project_id, (&args.answer_id, Some(args.version)), |tx, stored| {
            if args.user_confirmed == stored.standing.user_confirmed {
                return Ok(None);
            }
            if args.user_confirmed {
                return Ok(Some(self.writers_event(stored, AnswerEventKind::Confirmed, now)));
            }
            let events = answer_events::list(tx, &stored.answer.project_id, &args.answer_id)?;
            let is_confirmation =
                |event: &&Event| event.kind == AnswerEventKind::Confirmed && event.undone_at.is_none();
            for event in events.iter().filter(is_confirmation) {
                answer_events::set_undone(tx, &event.event_id, now)?;
            }
            Ok(None)
        })
    }

    /// Blocks an answer: no run is given it until the writer unblocks it.
    ///
    /// # Errors
    /// As [`Engine::confirm_answer`].
    pub fn block_answer(&self, args: &AnswerVersion) -> Result<Changed<AnswerChange>> {
        self.writer_changes(args, AnswerEventKind::Blocked)
    }

    /// Unblocks an answer that the writer or its failures blocked.
    ///
    /// # Errors
    /// As [`Engine::confirm_answer`].
    pub fn unblock_answer(&self, args: &AnswerVersion) -> Result<Changed<AnswerChange>> {
        self.writer_changes(args, AnswerEventKind::Unblocked)
    }

    fn writer_changes(&self, args: &AnswerVersion, kind: AnswerEventKind) -> Result<Changed<AnswerChange>> {
        let _open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        self.change_answer(&args.project_id, (&args.answer_id, Some(args.version)), |_, stored| {
            let is_blocked = stored.standing.status == AnswerStatus::Blocked;
            let is_new = is_blocked != (kind == AnswerEventKind::Blocked);
            Ok(is_new.then(|| self.writers_event(stored, kind, now)))
        })
    }

    /// Validates an answer from outside a run: by the writer's word, by its use in the book, or by a client. An answer
    /// that was put into the book and counted stays as it is, without an event.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_STALE_VERSION`; those of the
    /// store.
    pub fn validate_answer(&self, args: &ValidateAnswer) -> Result<Changed<AnswerChange>> {
        args.note.as_deref().map_or(Ok(()), |note| validate::lines("note", note, NOTE_CHARS))?;
        let source = args.source.unwrap_or(ValidationSource::Client);
        if matches!(source, ValidationSource::Run | ValidationSource::Cited | ValidationSource::Reasked) {
            return Err(Error::invalid("source", "is of the program's own validations"));
        }
        let own = match source {
            ValidationSource::Writer | ValidationSource::Inserted => SignalStrength::Strong,
            ValidationSource::Copied => SignalStrength::Medium,
            _ => args.signal_strength.unwrap_or(SignalStrength::Weak),
        };
        if source == ValidationSource::Client && own == SignalStrength::Strong {
            return Err(Error::invalid("signalStrength", "of a client is at most medium"));
        }
        let _open = self.visit(&args.project_id)?;
        let now = self.clock.now();
        self.change_answer(&args.project_id, (&args.answer_id, args.version), |tx, stored| {
            let was_given = match &args.run_id {
                Some(run_id) => answer_runs::has_given(tx, &args.project_id, run_id, &args.answer_id)?,
                None => false,
            };
            if args.run_id.is_some() && !was_given {
                return Err(Error::invalid("runId", "is of no run that was given the answer"));
            }
            let is_insertion = (source, args.result) == (ValidationSource::Inserted, ValidationResult::Pass);
            if is_insertion && is_insertion_counted(tx, stored)? {
                return Ok(None);
            }
            Ok(Some(Event {
                result: Some(args.result),
                strength: Some(own),
                source: Some(source),
                run_id: args.run_id.clone(),
                was_shown: was_given,
                was_used: true,
                is_applied: source != ValidationSource::Client || was_given,
                note: args.note.clone(),
                ..self.writers_event(stored, AnswerEventKind::Validated, now)
            }))
        })
    }

    /// Records that answers were shown or used outside a run of this memory. An id that the book does not have is
    /// counted and not recorded.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, those of the store.
    pub fn record_hits(&self, args: &RecordHits) -> Result<Changed<RecordedHits>> {
        self.record_hits_of(args, None)
    }

    /// As [`Engine::record_hits`], for a run of another memory: an answer with a hit of this run gets no other.
    fn record_hits_of(&self, args: &RecordHits, run_id: Option<&str>) -> Result<Changed<RecordedHits>> {
        if args.references.is_empty() || args.references.len() > MAX_HITS {
            return Err(Error::invalid("references", format!("not 1 to {MAX_HITS} of them")));
        }
        let ids: std::collections::BTreeSet<&AnswerId> = args.references.iter().map(|one| &one.answer_id).collect();
        if ids.len() < args.references.len() {
            return Err(Error::invalid("references", "has an answer twice"));
        }
        let _open = self.visit(&args.project_id)?;
        let (now, rules) = (self.clock.now(), self.standing_rules());
        let recorded = self.stores.episodes.open()?.write("record hits", |tx| {
            let mut recorded = RecordedHits { recorded: 0, unknown: Vec::new() };
            for one in &args.references {
                let stored = answers::get(tx, &one.answer_id)?;
                let Some(mut stored) = stored.filter(|stored| stored.answer.is_for(&args.project_id)) else {
                    recorded.unknown.push(one.answer_id.clone());
                    continue;
                };
                if let Some(run_id) = run_id
                    && answer_events::has_hit(tx, &stored.answer.project_id, (&one.answer_id, run_id))?
                {
                    continue;
                }
                let event = self.writers_event(&stored, AnswerEventKind::Hit, now);
                let run_id = run_id.map(str::to_owned);
                let event = Event { run_id, was_shown: one.shown, was_used: one.used, ..event };
                answer_events::insert(tx, &event)?;
                if one.shown {
                    stored.answer.last_shown_at = Some(now);
                }
                rejudge(tx, &mut stored, rules)?;
                answers::update(tx, &stored)?;
                recorded.recorded += 1;
            }
            Ok(recorded)
        })?;
        Ok(Changed::new(recorded, Some(args.project_id.clone()), [Topic::Answers]))
    }

    /// Changes an answer, adds the event that `change` returns, and writes the standing that follows.
    fn change_answer(
        &self,
        project_id: &ProjectId,
        (answer_id, version): (&AnswerId, Option<u32>),
        change: impl Fn(&Tx<'_>, &mut StoredAnswer) -> Result<Option<Event>>,
    ) -> Result<Changed<AnswerChange>> {
        let (now, rules) = (self.clock.now(), self.standing_rules());
        let write = |tx: &Tx<'_>| {
            let mut stored = found(tx, project_id, answer_id)?;
            if version.is_some_and(|version| version != stored.answer.version) {
                return Err(Error::stale_version(stored.answer.version));
            }
            let before = stored.clone();
            let event = change(tx, &mut stored)?;
            if let Some(event) = &event {
                answer_events::insert(tx, event)?;
            }
            rejudge(tx, &mut stored, rules)?;
            let mut removed_rows = Vec::new();
            if stored != before {
                stored.answer.version = before.answer.version.saturating_add(1);
                stored.answer.updated_at = now;
                answers::update(tx, &stored)?;
                let texts = |of: &StoredAnswer| (of.answer.question.clone(), of.answer.answer.clone());
                if texts(&stored) != texts(&before) {
                    removed_rows = answers::reindex(tx, &stored.answer.project_id, answer_id)?;
                }
            }
            Ok((stored, event.map(|event| event.event_id), removed_rows))
        };
        let (stored, event_id, removed_rows) = self.stores.episodes.open()?.write("change an answer", write)?;
        self.retrieval.remove_rows(&removed_rows);
        let change = AnswerChange { answer: self.shown(stored)?, event_id };
        Ok(Changed::new(change, Some(project_id.clone()), [Topic::Answers]))
    }

    /// An event of now, without a validation.
    fn writers_event(&self, stored: &StoredAnswer, kind: AnswerEventKind, now: Time) -> Event {
        Event {
            event_id: self.ids.next(now),
            project_id: stored.answer.project_id.clone(),
            answer_id: stored.answer.answer_id.clone(),
            at: now,
            kind,
            result: None,
            strength: None,
            source: None,
            run_id: None,
            was_shown: false,
            was_used: false,
            is_applied: true,
            note: None,
            texts: None,
            citations: None,
            undone_at: None,
        }
    }

    /// Deletes an answer for good: its words are removed from the live files and from the backups, its journal entries
    /// are redacted, no backup or imported file brings it back, and no run records an answer to the same question by
    /// itself. `by` goes into the audit log.
    ///
    /// # Errors
    /// `MEMORY_CLEAR_CONFIRM_REQUIRED`; `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_STALE_VERSION`; those of the
    /// stores: nothing has changed then. A failure after the intent was written is no error: `finished_at` is then
    /// missing, and the deletion continues in the background.
    pub fn delete_answer(&self, args: &DeleteAnswer, by: &str) -> Result<Changed<DeletedAnswer>> {
        validate::identity("requestedBy", by)?;
        if !args.confirmed {
            return Err(Error::new(Code::ClearConfirmRequired, "a deletion needs confirmed: true"));
        }
        let _alone = self.upkeep.lock_files();
        self.before_erasing()?;
        let _open = self.visit(&args.project_id)?;
        let stored = found(&*self.stores.episodes.open()?.reader()?, &args.project_id, &args.answer_id)?;
        if stored.answer.version != args.version {
            return Err(Error::stale_version(stored.answer.version));
        }
        let erasure = self.asked(ErasureKind::Answer, args.answer_id.as_str(), Some(&args.project_id), by);
        self.stores.rules.open()?.write("begin a deletion", |tx| {
            erasures::upsert(tx, &erasure)?;
            let (project_id, at) = (Some(&args.project_id), erasure.requested_at);
            for id in deletion_ids(&stored.answer.project_id, &stored.answer.question) {
                deletions::insert(tx, deletions::QUESTION, &id, project_id, at)?;
            }
            deletions::insert(tx, deletions::ANSWER, args.answer_id.as_str(), project_id, at)
        })?;
        let erasure = self.after_erasure_intent(&erasure);
        let deleted = DeletedAnswer { answer_id: args.answer_id.clone(), finished_at: erasure.finished_at };
        let topics = [Topic::Answers, Topic::Journal, Topic::Backups];
        Ok(Changed::new(deleted, Some(args.project_id.clone()), topics))
    }
}

/// An answer of a book.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED` for an answer of another book; those of the
/// store.
fn found(db: &rusqlite::Connection, project_id: &ProjectId, answer_id: &AnswerId) -> Result<StoredAnswer> {
    validate::identity("answerId", answer_id.as_str())?;
    let stored = answers::get(db, answer_id)?.ok_or_else(|| Error::not_found("answerId", "answer"))?;
    if stored.answer.is_for(project_id) { Ok(stored) } else { Err(Error::scope_denied("answer")) }
}
