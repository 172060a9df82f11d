//! Background work: the next step that is due, running it, and the delay until the next attempt. A host runs each
//! [`Lane`] on its own thread and needs no other method of the engine for it.
//!
//! ```text
//! wake ─► next_step ─► Step ─► run ─► Outcome ─► next_step ─► … ─► Idle { retry_in } ─► wait for a wake or the delay
//! ```
//!
//! Invariant: every step is bounded or can be stopped, and is idempotent: a step that fails or panics is repeated in a
//! later round and loses nothing.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use super::{Begun, DistillRequest, Engine, Ticket};
use crate::{
    error::{Error, Result, log_failure},
    log_error,
    model::{
        Change, Changed, ChapterId, Job, MaintenanceFailure, MaintenanceReport, ProjectId, RunAnswer, RunCause,
        RunProgress, RunStatus,
    },
    ports::{Stop, TextModel},
};

/// Episodes indexed in a step: few, so that no record waits long for it.
const EPISODES_PER_STEP: u32 = 4;
/// Index steps between two progress reports for the vectors of another encoder.
const STEPS_PER_PROGRESS_REPORT: u32 = 8;
/// Delay before unfinished work of the index lane is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(20);
/// How often a due job or run is looked for. The engine's clock decides whether one is due.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// A sequence of background work. Each lane needs a thread of its own: a job or a run may take minutes, and the index
/// must not wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Interrupted clearings and imports, the connection to the chosen encoder, and the indexes.
    Index,
    /// The jobs that run on schedule, and the first backup.
    Maintenance,
    /// Work that waits for a model or a server: the outbox of answers, entries of the journal, and runs of
    /// distillation.
    Learning,
}

/// A unit of background work that is due now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step(Work);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Work {
    LoadTokenizer,
    FinishClearings,
    FinishImport,
    ConnectEncoder,
    WriteJournal,
    Index,
    FoldStandings,
    RenewQuestionKeys,
    WriteAudit,
    WriteCopies,
    Job(Job),
    FirstBackup,
    DeliverAnswers,
    Summarize,
    Learn { project_id: ProjectId, cause: RunCause },
}

/// An entry of a round, in its order; [`Background::due_work`] decides whether it has a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Tokenizer,
    Clearings,
    Import,
    Quiet,
    Encoder,
    Journal,
    Index,
    Standings,
    QuestionKeys,
    Audit,
    Copies,
    Jobs,
    FirstBackup,
    Outbox,
    Summaries,
    Runs,
}

impl Lane {
    fn round(self) -> &'static [Entry] {
        match self {
            // Clearings and imports go first: nothing is indexed that is about to be deleted.
            Self::Index => &[
                Entry::Clearings,
                Entry::Import,
                Entry::Standings,
                Entry::QuestionKeys,
                Entry::Quiet,
                Entry::Encoder,
                Entry::Journal,
                Entry::Index,
                Entry::Audit,
                Entry::Copies,
            ],
            Self::Maintenance => &[Entry::Jobs, Entry::FirstBackup],
            Self::Learning => &[Entry::Outbox, Entry::Summaries, Entry::Runs],
        }
    }
}

/// The answer of [`Background::next_step`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// A step to run.
    Step(Step),
    /// The rest of the round may wait until no record has come for a moment. Records in quick succession are an import,
    /// and each of them would wait for a step under way.
    WaitForQuiet,
    /// The round has ended. The next one begins at a wake, or after `retry_in`; `None`: only at a wake.
    Idle {
        /// Delay until the next attempt.
        retry_in: Option<Duration>,
    },
}

/// The result of a step.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use = "subscribers need the change and the report"]
pub struct Outcome {
    /// The changes, for subscribers.
    pub change: Option<Change>,
    /// The report, where the step has one.
    pub report: Option<Report>,
}

/// A report of a step, for display.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// A job is done.
    JobDone(MaintenanceReport),
    /// A job failed; it runs again at its next window.
    JobFailed(MaintenanceFailure),
    /// A run has ended.
    RunEnded(RunAnswer),
    /// Progress of the vectors of a newly chosen encoder; equal numbers when all are made.
    Encoding {
        /// Episodes with a vector.
        done: u32,
        /// All episodes.
        total: u32,
    },
}

/// The host's share in a step.
pub trait Surroundings {
    /// The model that words rules; `None`: templates do.
    fn wording_model(&self) -> Option<Box<dyn TextModel>>;
    /// The title of a chapter, where it is known.
    fn chapter_title(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Option<String>;
    /// The model that words entries of the journal; `None`: templates do.
    fn journal_model(&self) -> Option<Box<dyn TextModel>>;
    /// The names of persons and places in each of these Chinese texts; empty where the tagger is missing.
    fn names_in(&self, texts: &[&str]) -> Vec<Vec<String>>;
    /// Receives the progress of a run.
    fn on_run_progress(&self, progress: &RunProgress);
}

/// The background work of one lane. One per lane and engine.
pub struct Background {
    engine: Arc<Engine>,
    lane: Lane,
    stop: Stop,
    /// The rest of the round.
    entries: VecDeque<Entry>,
    /// Whether a step of this round failed or panicked.
    has_failed: bool,
    /// Index steps in this round.
    index_steps: u32,
    /// Whether progress of a newly chosen encoder was reported, but not yet its end.
    is_progress_open: bool,
    /// Projects with a run in this round: a second one would find nothing new.
    learned: HashSet<ProjectId>,
}

/// Stops the work of a lane, from any thread.
pub struct Stopper {
    engine: Arc<Engine>,
    lane: Lane,
    stop: Stop,
}

impl Stopper {
    /// Begins no further step, and cancels waits and model calls of the step under way.
    pub fn stop(&self) {
        self.stop.set();
        match self.lane {
            Lane::Index => self.engine.cancel_network_waits(),
            Lane::Learning => self.engine.stop_distilling(None),
            Lane::Maintenance => {}
        }
    }
}

impl Background {
    /// The work of a lane, with all that an earlier session left. Jobs that the program has missed are determined now,
    /// before the clock can be moved.
    #[must_use]
    pub fn new(engine: Arc<Engine>, lane: Lane) -> Self {
        let mut entries: VecDeque<Entry> = lane.round().iter().copied().collect();
        match lane {
            // Loaded now rather than in the first prompt.
            Lane::Index => entries.push_front(Entry::Tokenizer),
            Lane::Maintenance => {
                engine.note_missing_runs();
                log_failure("first backup", engine.back_up_first());
            }
            Lane::Learning => {}
        }
        Self {
            engine,
            lane,
            stop: Stop::new(),
            entries,
            has_failed: false,
            index_steps: 0,
            is_progress_open: false,
            learned: HashSet::new(),
        }
    }

    /// The sequence of work that this value runs.
    #[must_use]
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// A handle that stops this work.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper { engine: Arc::clone(&self.engine), lane: self.lane, stop: self.stop.clone() }
    }

    /// Whether the work was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// The next step of the round, or the end of the round.
    pub fn next_step(&mut self) -> Next {
        while !self.is_stopped()
            && let Some(entry) = self.entries.pop_front()
        {
            if entry == Entry::Quiet {
                return Next::WaitForQuiet;
            }
            if let Some(work) = self.due_work(entry) {
                return Next::Step(Step(work));
            }
        }
        Next::Idle { retry_in: self.end_round() }
    }

    /// Ends the round because a step panicked.
    pub fn abandon_round(&mut self) {
        self.entries.clear();
        self.has_failed = true;
    }

    /// Runs a step. A failure is logged, and the step is due again in a later round.
    pub fn run(&mut self, step: Step, surroundings: &dyn Surroundings) -> Outcome {
        match step.0 {
            Work::LoadTokenizer => {
                palimpsest_text::tokens::preload();
                Outcome::default()
            }
            Work::FinishClearings => changed("finish a clearing", self.engine.finish_clearings()),
            Work::FinishImport => changed("finish an import", self.engine.go_on_importing()),
            Work::ConnectEncoder => {
                self.engine.retrieval.connect_encoder();
                Outcome { change: None, report: self.encoding() }
            }
            Work::WriteJournal => self.write_journal(surroundings),
            Work::Index => self.index(),
            Work::FoldStandings => changed("fold standings", self.engine.fold_standings()),
            Work::RenewQuestionKeys => changed("renew question keys", self.engine.renew_question_keys()),
            Work::WriteAudit => self.write_audit(),
            Work::WriteCopies => self.write_copies(),
            Work::Job(job) => {
                // A failure was logged and is part of the report; the job waits for its next window.
                let outcome = self.engine.job_outcome(job, &self.engine.run_maintenance(job, &self.stop));
                self.entries.push_front(Entry::Jobs);
                outcome
            }
            Work::FirstBackup => match self.engine.back_up_first() {
                Ok(made) => Outcome { change: made.map(|made| made.change), report: None },
                Err(error) => {
                    log_failed("first backup", &error, CHECK_INTERVAL);
                    Outcome::default()
                }
            },
            Work::DeliverAnswers => self.deliver_answers(),
            Work::Summarize => self.summarize(surroundings),
            Work::Learn { project_id, cause } => self.run_distillation(project_id, cause, surroundings),
        }
    }

    /// The work of an entry, if it has any now.
    fn due_work(&mut self, entry: Entry) -> Option<Work> {
        let engine = &self.engine;
        match entry {
            Entry::Tokenizer => Some(Work::LoadTokenizer),
            Entry::Clearings => engine.is_clearing_wanted().then_some(Work::FinishClearings),
            Entry::Import => engine.is_import_wanted().then_some(Work::FinishImport),
            Entry::Quiet => None,
            Entry::Encoder => engine.retrieval.is_connecting_wanted().then_some(Work::ConnectEncoder),
            // A journal that cannot be read is tried again with the index.
            Entry::Journal => matches!(engine.is_entry_due(), Ok(true)).then_some(Work::WriteJournal),
            Entry::Index => Some(Work::Index),
            Entry::Standings => engine.is_folding_due().then_some(Work::FoldStandings),
            Entry::QuestionKeys => {
                matches!(engine.are_question_keys_outdated(), Ok(true)).then_some(Work::RenewQuestionKeys)
            }
            Entry::Audit => engine.is_audit_due().then_some(Work::WriteAudit),
            Entry::Copies => engine.is_copying_due().then_some(Work::WriteCopies),
            Entry::Jobs => engine.maintenance_due().map(Work::Job),
            Entry::FirstBackup => Some(Work::FirstBackup),
            Entry::Outbox => matches!(engine.is_delivery_due(), Ok(true)).then_some(Work::DeliverAnswers),
            Entry::Summaries => matches!(engine.entries_for_model(), Ok(Some(_))).then_some(Work::Summarize),
            // One after the other: both send requests to a model on this machine.
            Entry::Runs if engine.is_studying() => None,
            Entry::Runs => {
                let (project_id, cause) = engine.due_run()?;
                self.learned.insert(project_id.clone()).then_some(Work::Learn { project_id, cause })
            }
        }
    }

    /// Prepares the next round; returns the delay until it begins without a wake.
    fn end_round(&mut self) -> Option<Duration> {
        let is_unfinished = std::mem::take(&mut self.has_failed) || self.is_stuck();
        self.entries.extend(self.lane.round());
        self.index_steps = 0;
        self.learned.clear();
        match self.lane {
            Lane::Index => is_unfinished.then_some(RETRY_INTERVAL),
            Lane::Maintenance | Lane::Learning => Some(CHECK_INTERVAL),
        }
    }

    /// Whether some work of the index lane could not be finished so far: an unreachable encoder, an unfinished clearing
    /// or import, unwritten evidence.
    fn is_stuck(&self) -> bool {
        self.lane == Lane::Index
            && (self.engine.retrieval.is_connecting_wanted()
                || self.engine.is_clearing_wanted()
                || self.engine.is_import_wanted()
                || self.engine.is_folding_due()
                || matches!(self.engine.are_question_keys_outdated(), Ok(true))
                || self.engine.has_audit_failed()
                || self.engine.learning.has_failed())
    }

    fn write_journal(&mut self, surroundings: &dyn Surroundings) -> Outcome {
        let title = |project_id: &ProjectId, chapter_id: &ChapterId| surroundings.chapter_title(project_id, chapter_id);
        match self.engine.write_due_entries(None, &title) {
            Ok(written) => {
                if written.is_some() {
                    self.entries.push_front(Entry::Journal);
                }
                Outcome { change: written.map(|written| written.change), report: None }
            }
            Err(error) => {
                log_failed("write the journal", &error, RETRY_INTERVAL);
                self.has_failed = true;
                Outcome::default()
            }
        }
    }

    fn deliver_answers(&mut self) -> Outcome {
        match self.engine.deliver_answers() {
            Ok(()) => self.entries.push_front(Entry::Outbox),
            Err(error) => log_failed("send to the answer service", &error, CHECK_INTERVAL),
        }
        Outcome::default()
    }

    fn summarize(&mut self, surroundings: &dyn Surroundings) -> Outcome {
        // Without a model they wait for templates.
        let Some(model) = surroundings.journal_model() else { return Outcome::default() };
        let title = |project_id: &ProjectId, chapter_id: &ChapterId| surroundings.chapter_title(project_id, chapter_id);
        let names = |texts: &[&str]| surroundings.names_in(texts);
        match self.engine.summarize_entries(model.as_ref(), (&title, &names), &self.stop) {
            Ok(written) => {
                if written.is_some() {
                    self.entries.push_front(Entry::Summaries);
                }
                Outcome { change: written.map(|written| written.change), report: None }
            }
            Err(error) => {
                log_failed("word journal entries", &error, CHECK_INTERVAL);
                Outcome::default()
            }
        }
    }

    fn index(&mut self) -> Outcome {
        let more = match self.engine.index_step(EPISODES_PER_STEP) {
            Ok(step) => step.more,
            Err(error) => {
                log_failed("index", &error, RETRY_INTERVAL);
                self.has_failed = true;
                false
            }
        };
        if more {
            self.entries.push_front(Entry::Index);
        }
        let is_reported = !more || self.index_steps.is_multiple_of(STEPS_PER_PROGRESS_REPORT);
        self.index_steps += 1;
        Outcome { change: None, report: is_reported.then(|| self.encoding()).flatten() }
    }

    /// The progress of the vectors of a newly chosen encoder, and a last report when all are made.
    fn encoding(&mut self) -> Option<Report> {
        match self.engine.retrieval.encoding_progress(&self.engine.stores) {
            Ok(Some((done, total))) => {
                self.is_progress_open = true;
                Some(Report::Encoding { done, total })
            }
            Ok(None) if std::mem::take(&mut self.is_progress_open) => Some(Report::Encoding { done: 1, total: 1 }),
            _ => None,
        }
    }

    fn write_audit(&mut self) -> Outcome {
        match self.engine.write_audit() {
            Ok(true) => self.entries.push_front(Entry::Audit),
            Ok(false) => {}
            Err(error) => log_failed("write the audit", &error, RETRY_INTERVAL),
        }
        Outcome::default()
    }

    fn write_copies(&mut self) -> Outcome {
        match self.engine.write_copies() {
            Ok(true) => self.entries.push_front(Entry::Copies),
            Ok(false) => {}
            Err(error) => {
                log_failed("write readable copies", &error, RETRY_INTERVAL);
                self.has_failed = true;
            }
        }
        Outcome::default()
    }

    fn run_distillation(&mut self, project_id: ProjectId, cause: RunCause, surroundings: &dyn Surroundings) -> Outcome {
        let request = DistillRequest { project_id: Some(project_id), cause, dry_run: false };
        // Another run is under way, or a file cannot serve: it is due again in the next round.
        let Ok(Begun::Run(ticket)) = self.engine.begin_run(&request) else { return Outcome::default() };
        if self.is_stopped() {
            ticket.stop().set();
        }
        let Changed { value, change } = self.engine.distill_for(ticket, surroundings);
        self.entries.push_front(Entry::Runs);
        Outcome { change: (value.status != RunStatus::DryRun).then_some(change), report: Some(Report::RunEnded(value)) }
    }
}

impl Engine {
    /// Executes a run that has begun to its end. It has changed nothing where it is a dry run.
    pub fn distill_for(&self, ticket: Ticket, surroundings: &dyn Surroundings) -> Changed<RunAnswer> {
        let model = surroundings.wording_model();
        let ended = self.distill(ticket, model.as_deref(), &|progress| surroundings.on_run_progress(&progress));
        tracing::info!(run = %ended.value.run_id, status = ?ended.value.status, "learning run ended");
        ended
    }

    /// The outcome of a job, for subscribers. A failure is logged.
    pub fn job_outcome(&self, job: Job, ended: &Result<Changed<MaintenanceReport>>) -> Outcome {
        match ended {
            Ok(Changed { value, change }) => {
                Outcome { change: Some(change.clone()), report: Some(Report::JobDone(value.clone())) }
            }
            Err(error) => {
                log_error!(warn, error, ?job, "job failed; it runs again at its next window");
                Outcome { change: None, report: Some(Report::JobFailed(self.maintenance_failure(job, error))) }
            }
        }
    }
}

fn changed(operation: &'static str, finished: Result<Option<Changed<()>>>) -> Outcome {
    match finished {
        Ok(done) => Outcome { change: done.map(|done| done.change), report: None },
        Err(error) => {
            log_failed(operation, &error, RETRY_INTERVAL);
            Outcome::default()
        }
    }
}

/// Logs work that failed and is tried again after `retry_in`.
fn log_failed(work: &'static str, error: &Error, retry_in: Duration) {
    log_error!(warn, error, work, retry_seconds = retry_in.as_secs(), "background work failed");
}

#[cfg(test)]
mod tests;
