//! A thread that runs the background work of one lane: woken, it runs the due steps and sends their outcome, with a
//! lower priority than everything the writer waits for.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use palimpsest_memory::{
    background::{Background, Lane, Next, Outcome, Report, Stopper},
    model::Part,
};

use crate::{
    events::{self, EventSink, IndexProgress},
    learning::Distiller,
    supervise::{JoinedThread, Supervisor, Task},
};

/// Time without a wake that counts as quiet.
const QUIET: Duration = Duration::from_millis(25);
/// Maximum wait for quiet, during constant recording. (A recall indexes the last few episodes itself.)
const MAX_LAG: Duration = Duration::from_secs(2);
/// No deadline: only a wake ends the wait.
const FOREVER: Duration = Duration::from_secs(86_400);

/// The thread of a lane. Dropping it stops the work and waits for the step under way, so that the data folder is free
/// afterwards.
pub(crate) struct Worker {
    wake: SyncSender<()>,
    stopper: Stopper,
    _thread: JoinedThread,
}

impl Worker {
    /// Starts the thread, which first works off the backlog of an earlier session. `after_round` is called after each
    /// round in which a step ran.
    pub(crate) fn start(
        work: Background,
        distiller: Distiller,
        supervisor: &Supervisor,
        after_round: impl Fn() + Send + 'static,
    ) -> Self {
        let (wake, woken) = sync_channel(1);
        let stopper = work.stopper();
        let task = Task::for_lane(work.lane());
        let mut rounds = Rounds { work, task, distiller, supervisor: supervisor.clone(), woken };
        let thread = supervisor.start(task, move || {
            loop {
                let wait = rounds.run(&after_round);
                // Waiting for quiet may have taken the wake that was sent on stopping.
                if rounds.work.is_stopped() {
                    break;
                }
                rounds.supervisor.note_parts(rounds.distiller.engine());
                match rounds.woken.recv_timeout(wait.unwrap_or(FOREVER)) {
                    Ok(()) | Err(RecvTimeoutError::Timeout) if !rounds.work.is_stopped() => {}
                    _ => break,
                }
            }
        });
        Self { wake, stopper, _thread: JoinedThread::new(thread) }
    }

    /// A function that wakes the thread, callable from any thread, also later.
    pub(crate) fn waker(&self) -> impl Fn() + Send + use<> {
        let wake = self.wake.clone();
        move || send_wake(&wake)
    }

    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        send_wake(&self.wake);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stopper.stop();
        self.wake();
    }
}

/// A pending wake is sufficient, and a thread that has ended needs none.
fn send_wake(wake: &SyncSender<()>) {
    wake.try_send(()).ok();
}

struct Rounds {
    work: Background,
    task: Task,
    distiller: Distiller,
    supervisor: Supervisor,
    woken: Receiver<()>,
}

impl Rounds {
    /// Runs the steps of a round; returns the delay until the next one.
    fn run(&mut self, after_round: &impl Fn()) -> Option<Duration> {
        let (task, supervisor) = (self.task, self.supervisor.clone());
        let (mut has_run, mut has_panicked, mut was_woken) = (false, false, false);
        loop {
            let next = supervisor.attempt(task, || self.work.next_step()).unwrap_or_else(|| {
                has_panicked = true;
                self.work.abandon_round();
                self.work.next_step()
            });
            let step = match next {
                Next::Step(step) => step,
                Next::WaitForQuiet => {
                    was_woken = self.wait_for_quiet();
                    continue;
                }
                Next::Idle { retry_in } => {
                    if !has_panicked {
                        supervisor.recovered(task);
                    }
                    if has_run && !self.work.is_stopped() {
                        after_round();
                    }
                    // A wake that came while this round waited for quiet may mean work that this round had passed.
                    return if was_woken { Some(Duration::ZERO) } else { retry_in };
                }
            };
            has_run = true;
            let begun = Instant::now();
            match supervisor.attempt(task, || self.work.run(step, &self.distiller)) {
                Some(outcome) => emit(self.distiller.events(), &outcome, begun.elapsed()),
                None => {
                    has_panicked = true;
                    self.work.abandon_round();
                }
            }
            thread::yield_now();
        }
    }

    /// Waits until no wake has come for a moment; returns whether one came meanwhile.
    fn wait_for_quiet(&self) -> bool {
        let (since, mut was_woken) = (Instant::now(), false);
        while since.elapsed() < MAX_LAG && !self.work.is_stopped() && self.woken.recv_timeout(QUIET).is_ok() {
            was_woken = true;
        }
        was_woken
    }
}

/// Sends the outcome of a step, and logs the numbers of a job.
pub(crate) fn emit(events: &EventSink, outcome: &Outcome, took: Duration) {
    if let Some(change) = &outcome.change {
        events::emit(events, events::MEMORY_CHANGED, change);
    }
    match &outcome.report {
        Some(Report::JobDone(report)) => {
            let (job, milliseconds) = (report.job.map(tracing::field::debug), took.as_millis());
            tracing::info!(job, milliseconds, steps = report.steps.len(), "job done");
            for step in &report.steps {
                tracing::info!(job, step = %step.name, count = step.count, "step of a job");
            }
            events::emit(events, events::MAINTENANCE_DONE, report);
        }
        Some(Report::JobFailed(failure)) => {
            events::emit(events, events::MAINTENANCE_FAILED, failure);
        }
        Some(Report::Encoding { done, total }) => {
            let progress = IndexProgress { part: Part::Embedder, done: *done, total: *total };
            events::emit(events, events::INDEX_PROGRESS, &progress);
        }
        // The change says it.
        Some(Report::RunEnded(_)) | None => {}
    }
}

impl Task {
    /// The task of a lane.
    fn for_lane(lane: Lane) -> Self {
        match lane {
            Lane::Index => Self::Indexer,
            Lane::Maintenance => Self::Schedule,
            Lane::Learning => Self::Learner,
        }
    }
}
