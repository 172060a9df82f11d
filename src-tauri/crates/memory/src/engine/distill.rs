//! Runs of distillation: one at a time, concurrent with everything else, each applied as a whole or not at all.
//!
//! ```text
//! gather (one state of rules.db) ─► test ─► word (perhaps a model) ─► reconcile ─► commit, if all is still as it was
//! ```
//!
//! Invariant: no model is queried inside a transaction; its input is gathered before, and the basis of the commit is
//! checked again. Invariant: a run that is stopped, or fails, has changed nothing.

mod answers;
mod commit;
mod gather;
mod restated;
mod waiting;
mod words;

use std::sync::Arc;

pub(super) use self::waiting::WaitingRuns;
use self::{commit::Committed, gather::RunInput, words::WordingSource};
use super::{Engine, log_failure};
use crate::{
    episodic::limits::RULES_SOFT_LIMIT,
    error::{Code, Error, OrLog, Result},
    lock::{Mutex, MutexGuard},
    model::{
        Change, Changed, ProjectId, Reason, Run, RunAnswer, RunCause, RunChange, RunProgress, RunReason, RunStage,
        RunStatus, Time, Topic,
    },
    ports::{Stop, TextModel},
    semantic::reconcile::{Diff, Reconciliation},
    storage::{Tx, evidence, runs},
};

/// Episodes whose evidence is written in one step before a run.
const MAX_EPISODES_PER_STEP: u32 = 64;
/// How often a run restarts because the memory has changed under it.
const MAX_ATTEMPTS: u32 = 4;

/// Parameters of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistillRequest {
    /// The project; `None` for all.
    pub project_id: Option<ProjectId>,
    /// Why the run begins.
    pub cause: RunCause,
    /// Only compute the changes.
    pub dry_run: bool,
}

/// The slot of the one run that may be under way.
#[derive(Default)]
pub(super) struct RunSlot {
    under_way: Mutex<Option<UnderWay>>,
}

struct UnderWay {
    /// The run as it began.
    run: Run,
    stop: Stop,
}

impl RunSlot {
    fn lock(&self) -> MutexGuard<'_, Option<UnderWay>> {
        self.under_way.lock()
    }

    /// Takes the slot for a run; otherwise returns the id of the run that has it.
    fn take(slot: &Arc<Self>, run: Run, dry_run: bool) -> Result<Ticket, String> {
        let mut under_way = slot.lock();
        if let Some(other) = &*under_way {
            return Err(other.run.run_id.clone());
        }
        let stop = Stop::new();
        *under_way = Some(UnderWay { run: run.clone(), stop: stop.clone() });
        Ok(Ticket { run, dry_run, stop, slot: Arc::clone(slot) })
    }

    /// Frees the slot, if this run has it.
    fn free(&self, run_id: &str) {
        let mut under_way = self.lock();
        if under_way.as_ref().is_some_and(|other| other.run.run_id == run_id) {
            *under_way = None;
        }
    }

    /// Stops the run under way over a project, or any with `None`.
    fn stop_of(&self, project_id: Option<&ProjectId>) {
        if let Some(UnderWay { run, stop }) = &*self.lock()
            && (project_id.is_none() || run.project_id.is_none() || run.project_id.as_ref() == project_id)
        {
            stop.set();
        }
    }

    /// Stops the run under way, if it has this id; returns the run as it began.
    fn stop_run(&self, run_id: &str) -> Option<Run> {
        let under_way = self.lock();
        let UnderWay { run, stop } = under_way.as_ref().filter(|under_way| under_way.run.run_id == run_id)?;
        stop.set();
        Some(run.clone())
    }
}

/// A run that has begun. It holds the slot until it is dropped.
pub struct Ticket {
    run: Run,
    dry_run: bool,
    stop: Stop,
    slot: Arc<RunSlot>,
}

impl Ticket {
    /// The answer while the run is under way.
    #[must_use]
    pub fn answer(&self) -> RunAnswer {
        RunAnswer { run_id: self.run.run_id.clone(), status: RunStatus::Running, diff: None, reason: None }
    }

    /// The flag that stops the run.
    #[must_use]
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.slot.free(&self.run.run_id);
    }
}

/// The outcome of [`Engine::begin_run`].
pub enum Begun {
    /// The run has begun.
    Run(Ticket),
    /// Another run is under way.
    AlreadyRunning(RunAnswer),
    /// An earlier run over the same projects waits for approval, and its basis is unchanged.
    Waiting(RunAnswer),
}

/// Why a run ends without a result.
enum RunError {
    /// It was stopped.
    Stopped,
    /// The model failed or gave an invalid answer.
    Model(Reason),
    /// A store failed.
    Store(Error),
}

impl From<Error> for RunError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// How a run ended.
struct Ended {
    status: RunStatus,
    reason: Option<RunReason>,
    changes: Vec<RunChange>,
    episodes: u32,
}

impl Engine {
    /// Begins a run; [`Engine::distill`] executes it.
    ///
    /// # Errors
    /// `MEMORY_LEARNING_PAUSED`, `MEMORY_NOT_FOUND`; those of the store.
    pub fn begin_run(&self, request: &DistillRequest) -> Result<Begun> {
        let _open = request.project_id.as_ref().map(|id| self.visit(id)).transpose()?;
        if self.is_learning_paused() {
            return Err(Error::new(Code::LearningPaused, "learning is paused"));
        }
        let now = self.clock.now();
        let run = Run {
            run_id: self.ids.next(now),
            project_id: request.project_id.clone(),
            cause: request.cause,
            status: RunStatus::Running,
            begun_at: now,
            ended_at: None,
            episodes: 0,
            reason: None,
            changes: Vec::new(),
        };
        let ticket = match RunSlot::take(&self.learning.slot, run, request.dry_run) {
            Ok(ticket) => ticket,
            Err(other) => {
                let answer = RunAnswer { run_id: other, status: RunStatus::AlreadyRunning, diff: None, reason: None };
                return Ok(Begun::AlreadyRunning(answer));
            }
        };
        if request.cause == RunCause::Click
            && !request.dry_run
            && let Some(answer) = self.waiting_answer(request.project_id.as_ref())?
        {
            return Ok(Begun::Waiting(answer));
        }
        if !ticket.dry_run {
            self.stores.rules.open()?.write("begin a learning run", |tx| {
                fail_interrupted(tx, now)?;
                runs::upsert(tx, &ticket.run)
            })?;
        }
        Ok(Begun::Run(ticket))
    }

    /// Executes a run in this thread. `model` words new rules, where one is configured; `report` receives the progress.
    /// A run that fails or is stopped is no error: the answer says so, and nothing has changed.
    pub fn distill(
        &self,
        ticket: Ticket,
        model: Option<&dyn TextModel>,
        report: &dyn Fn(RunProgress),
    ) -> Changed<RunAnswer> {
        self.end_run(ticket, &model.map_or(WordingSource::Templates, WordingSource::Model), report)
    }

    fn end_run(&self, ticket: Ticket, wording: &WordingSource<'_>, report: &dyn Fn(RunProgress)) -> Changed<RunAnswer> {
        let report_stage = |stage, fraction, message: &str| {
            report(RunProgress {
                run_id: ticket.run.run_id.clone(),
                project_id: ticket.run.project_id.clone(),
                stage,
                fraction,
                message: message.into(),
            });
        };
        let ended =
            self.run(&ticket, wording, &report_stage).unwrap_or_else(|trouble| self.end_badly(&ticket, trouble));
        let project = ticket.run.project_id.clone();
        let run_id = ticket.run.run_id.clone();
        // The slot is free before the end is reported: a listener may begin the next run.
        drop(ticket);
        let name = serde_json::to_value(ended.status).ok();
        let name = name.as_ref().and_then(|name| name.as_str()).unwrap_or_default().to_owned();
        report(RunProgress {
            run_id: run_id.clone(),
            project_id: project.clone(),
            stage: RunStage::Done,
            fraction: 1.0,
            message: name,
        });
        let diff = Some(answers::visible_changes(ended.changes.clone(), project.as_ref()));
        let answer = RunAnswer { run_id, status: ended.status, diff, reason: ended.reason };
        // A rule that became global, or a project's own again, concerns other projects.
        let of_book = |change: &RunChange| change.project_id.is_some() && change.project_id == project;
        let concerned = if ended.changes.iter().all(of_book) { project } else { None };
        Changed { value: answer, change: Change { project_id: concerned, what: vec![Topic::Rules] } }
    }

    fn run(
        &self,
        ticket: &Ticket,
        wording: &WordingSource<'_>,
        report_stage: &dyn Fn(RunStage, f64, &str),
    ) -> Result<Ended, RunError> {
        let go_on = || if ticket.stop.is_set() { Err(RunError::Stopped) } else { Ok(()) };
        report_stage(RunStage::Gathering, 0.0, "gathering");
        // Episodes recorded a moment ago count. Where they cannot be read, the run uses the existing evidence.
        while self.evidence_step(MAX_EPISODES_PER_STEP).or_log("write evidence").is_some_and(|step| step.more) {
            go_on()?;
        }
        let mut cache = words::AnswerCache::default();
        for _ in 0..MAX_ATTEMPTS {
            let mut seen = self.gather(ticket.run.project_id.as_ref(), &ticket.stop, &|done| {
                report_stage(RunStage::Testing, 0.1 + 0.3 * done, "testing");
            })?;
            go_on()?;
            let mut diff = self.reconcile(&seen);
            report_stage(RunStage::Wording, 0.4, "wording");
            if self.find_words(&mut seen, &diff, wording, &mut cache, &ticket.stop)? {
                diff = self.reconcile(&seen);
            }
            go_on()?;
            report_stage(RunStage::Reconciling, 0.8, "reconciling");
            let status = match (ticket.dry_run, diff.asks_first && !wording.has_agreed(&diff), diff.changes.is_empty())
            {
                (true, _, _) => RunStatus::DryRun,
                (false, _, true) => RunStatus::Nothing,
                (false, true, false) => RunStatus::Waiting,
                (false, false, false) => RunStatus::Committed,
            };
            let nothing = diff.changes.is_empty();
            let reason = nothing.then(|| if diff.findings > 0 { RunReason::NothingNew } else { seen.reason.clone() });
            let ended = Ended { status, reason, changes: diff.changes.clone(), episodes: seen.episodes };
            if ticket.dry_run {
                return Ok(ended);
            }
            report_stage(RunStage::Committing, 0.9, "committing");
            match self.commit(ticket, &seen, &diff, &ended)? {
                Committed::Done => {
                    if ended.status == RunStatus::Waiting {
                        self.note_waiting(&ticket.run, &seen);
                    }
                    return Ok(ended);
                }
                Committed::Stopped => return Err(RunError::Stopped),
                // The basis of the run has changed: repeat with the present one.
                Committed::Stale => {}
            }
        }
        Ok(self.end_badly(ticket, RunError::Stopped))
    }

    fn reconcile(&self, seen: &RunInput) -> Diff {
        let now = self.clock.now();
        let mut new_id = || self.ids.next(now).into();
        let mut all = Reconciliation::new(seen.known.clone(), RULES_SOFT_LIMIT as usize, now, &mut new_id);
        for book in &seen.books {
            all.add_project(&book.as_found());
        }
        all.finish()
    }

    fn end_badly(&self, ticket: &Ticket, trouble: RunError) -> Ended {
        let reason = match trouble {
            RunError::Stopped => RunReason::Interrupted,
            RunError::Model(trouble) => RunReason::Model { trouble },
            RunError::Store(error) => {
                crate::log_error!(warn, &self.examine(error), run = %ticket.run.run_id, "learning run failed");
                RunReason::Store
            }
        };
        // Where the end cannot be written, the next open finds it.
        let noted = self.note_end(ticket, &reason);
        let status = noted.as_ref().map_or(RunStatus::Failed, |status| *status);
        log_failure("end a learning run", noted);
        let reason = (status == RunStatus::Failed).then_some(reason);
        Ended { status, reason, changes: Vec::new(), episodes: 0 }
    }

    /// Records that a run failed, unless the writer has cancelled it or its project was cleared; returns the status.
    fn note_end(&self, ticket: &Ticket, reason: &RunReason) -> Result<RunStatus> {
        if ticket.dry_run {
            return Ok(if ticket.stop.is_set() { RunStatus::Cancelled } else { RunStatus::Failed });
        }
        let now = self.clock.now();
        self.stores.rules.open()?.write("end a learning run", |tx| {
            let Some(mut run) = runs::get(tx, &ticket.run.run_id)? else { return Ok(RunStatus::Cancelled) };
            if run.status == RunStatus::Running {
                // The project has had its run with the present evidence.
                if let Some(project) = &run.project_id {
                    run.episodes = evidence::count(tx, project)?;
                }
                runs::fail(tx, run, Some(reason.clone()), now)?;
                return Ok(RunStatus::Failed);
            }
            Ok(run.status)
        })
    }

    /// Stops the run under way over a project, or any with `None`; none of its changes is stored.
    pub fn stop_distilling(&self, project_id: Option<&ProjectId>) {
        self.learning.slot.stop_of(project_id);
    }

    /// Marks the runs that an earlier session left under way as failed. Best effort: the next run does it too.
    pub(super) fn fail_what_was_interrupted(&self) {
        let now = self.clock.now();
        let look = || -> Result<()> {
            let db = self.stores.rules.open()?;
            if runs::in_status(&*db.reader()?, RunStatus::Running)?.is_empty() {
                return Ok(());
            }
            db.write("fail interrupted runs", |tx| fail_interrupted(tx, now))
        };
        log_failure("fail interrupted runs", look());
    }
}

fn fail_interrupted(tx: &Tx<'_>, now: Time) -> Result<()> {
    for run in runs::in_status(tx, RunStatus::Running)? {
        runs::fail(tx, run, Some(RunReason::Interrupted), now)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
