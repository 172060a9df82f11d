//! Background work and its panics: a panic ends the step and not the worker, and `memory:status` reports the affected
//! part as unavailable until a step succeeds again.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
};

use parking_lot::{Mutex, MutexGuard};

use palimpsest_memory::{
    Engine,
    model::{Cause, Part, PartHealth, PartState, Reason, Status},
};

use crate::{Api, error::ApiError};

/// The reason for an unavailable part whose worker has panicked.
const BROKE_OFF: &str = "a defect ended its work in the background; it starts again by itself";

/// A kind of supervised work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Task {
    /// Any request.
    Command,
    /// The index of words, evidence and vectors.
    Indexer,
    /// The jobs that run on schedule.
    Schedule,
    /// The start of a distillation run.
    Learner,
    /// A run that a request began.
    Distillation,
    /// The loading of the bundled encoder.
    Encoder,
    /// The loading of the dictionary.
    Dictionary,
    Generation,
    Measurement,
    /// The watch over a book's folder.
    Watch,
    /// The analysis of the manuscripts.
    Analysis,
    /// The study of the books.
    Study,
}

const ALL: [Task; 12] = [
    Task::Command,
    Task::Indexer,
    Task::Schedule,
    Task::Learner,
    Task::Distillation,
    Task::Encoder,
    Task::Dictionary,
    Task::Generation,
    Task::Measurement,
    Task::Watch,
    Task::Analysis,
    Task::Study,
];

impl Task {
    /// The name of its thread, and of its fault in tests.
    fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Indexer => "indexer",
            Self::Schedule => "schedule",
            Self::Learner => "learner",
            Self::Distillation => "distillation",
            Self::Encoder => "encoder",
            Self::Dictionary => "dictionary",
            Self::Generation => "generation",
            Self::Measurement => "measurement",
            Self::Watch => "watch",
            Self::Analysis => "analysis",
            Self::Study => "study",
        }
    }

    /// The part of the memory that is unavailable after a panic; none where an answer or event of its own reports it.
    fn part(self) -> Option<Part> {
        match self {
            Self::Indexer => Some(Part::Words),
            Self::Schedule => Some(Part::Maintenance),
            Self::Learner => Some(Part::Evidence),
            _ => None,
        }
    }
}

/// Runs the supervised work of one [`Api`]. Clones share their state.
#[derive(Clone, Default)]
pub(crate) struct Supervisor(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    down: BTreeSet<Task>,
    /// Work that panics in tests, each with the message.
    faults: BTreeMap<Task, String>,
}

impl Supervisor {
    /// Runs a step in this thread; `None` when it panicked. A step that succeeds ends the fault of its task.
    pub(crate) fn run<T>(&self, task: Task, step: impl FnOnce() -> T) -> Option<T> {
        let ended = self.attempt(task, step);
        if ended.is_some() {
            self.recovered(task);
        }
        ended
    }

    /// Runs one of several steps of a task; `None` when it panicked. The fault of the task lasts until
    /// [`Supervisor::recovered`].
    pub(crate) fn attempt<T>(&self, task: Task, step: impl FnOnce() -> T) -> Option<T> {
        // Shared state of a step is behind locks that a panic releases, or in a transaction that is rolled back.
        let ended = catch_unwind(AssertUnwindSafe(|| {
            self.fail(task);
            step()
        }));
        if ended.is_err() {
            self.lock().down.insert(task);
            tracing::error!(task = task.name(), "background work broke off");
        }
        ended.ok()
    }

    /// Ends the fault of a task, if it has one.
    pub(crate) fn recovered(&self, task: Task) {
        if self.lock().down.remove(&task) {
            tracing::info!(task = task.name(), "background work goes on");
        }
    }

    /// Starts a thread; `None` when the system cannot create one, and the part is then unavailable.
    pub(crate) fn start(&self, task: Task, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
        let started = thread::Builder::new().name(task.name().to_owned()).spawn(work);
        if let Err(error) = &started {
            tracing::error!(task = task.name(), kind = %error.kind(), "no thread can be started");
            self.lock().down.insert(task);
        }
        started.ok()
    }

    /// Makes every step of a task panic with `message`, until it is called with `None`.
    pub(crate) fn set_fault(&self, task: Task, message: Option<&str>) {
        let mut state = self.lock();
        match message {
            Some(message) => state.faults.insert(task, message.to_owned()),
            None => state.faults.remove(&task),
        };
    }

    /// Panics where a test requested it.
    pub(crate) fn fail(&self, task: Task) {
        let fault = self.lock().faults.get(&task).cloned();
        if let Some(message) = fault {
            #[expect(clippy::panic, reason = "a test asked for it")]
            {
                panic!("{message}");
            }
        }
    }

    /// Adds the unavailable parts to a status.
    pub(crate) fn report(&self, status: &mut Status) {
        status.degraded |= self.report_parts(&mut status.parts);
    }

    /// Logs the parts that went down or healed, at the end of a step of background work.
    pub(crate) fn note_parts(&self, engine: &Engine) {
        // A panic must not end the thread either.
        let noted = catch_unwind(AssertUnwindSafe(|| {
            let mut parts = engine.parts();
            self.report_parts(&mut parts);
            engine.note_parts(&parts);
        }));
        if noted.is_err() {
            tracing::error!("the state of the parts cannot be read");
        }
    }

    /// Adds the unavailable parts; returns whether there are any.
    fn report_parts(&self, parts: &mut Vec<PartHealth>) -> bool {
        let mut is_down = false;
        for part in self.lock().down.iter().filter_map(|task| task.part()) {
            let health = PartHealth::unavailable(part, Cause::new(Reason::BrokeOff, BROKE_OFF));
            match parts.iter_mut().find(|one| one.part == part) {
                // The memory's own reason is closer to the cause.
                Some(one) if one.state == PartState::Unavailable => {}
                Some(one) => *one = health,
                None => parts.push(health),
            }
            is_down = true;
        }
        is_down
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

/// A thread that is waited for when this is dropped. Its owner stops it before.
#[derive(Default)]
pub(crate) struct JoinedThread(Option<JoinHandle<()>>);

impl JoinedThread {
    pub(crate) fn new(thread: Option<JoinHandle<()>>) -> Self {
        Self(thread)
    }
}

impl Drop for JoinedThread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread ended with a panic");
        }
    }
}

impl Api {
    /// Makes every step of some work panic with `message`, until it is called with `None`. For tests: `command`,
    /// `indexer`, `schedule`, `learner`, `distillation`, `encoder`, `dictionary`, `generation`, `measurement`, `watch`,
    /// `analysis`, `study`.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` for work that does not exist.
    pub fn break_off(&self, task: &str, message: Option<&str>) -> Result<(), ApiError> {
        let known = ALL.into_iter().find(|one| one.name() == task);
        let task = known.ok_or_else(|| ApiError::invalid("in", "there is no such work"))?;
        self.supervisor.set_fault(task, message);
        Ok(())
    }
}
