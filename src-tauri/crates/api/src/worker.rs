//! The background index: woken by each record, in bounded steps, behind everything the writer waits for.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use palimpsest_memory::{Engine, model::Part};

use crate::{
    error::ApiError,
    events::{self, EventSink, IndexProgress},
    supervise::{Supervisor, Task},
};

/// Episodes a step: small, so that no record waits long behind it.
const STEP: u32 = 4;
/// Nothing recorded for so long: then it is time to index. What records one episode after the other is an import, and
/// each acknowledgement would wait for a step under way.
const QUIET: Duration = Duration::from_millis(25);
/// However busy it is, the index never falls further behind than this. (A recall works off the last few itself.)
const LAG: Duration = Duration::from_secs(2);

/// How often an encoder that does not answer is asked again.
const PROBE: Duration = Duration::from_secs(20);
/// There is no deadline: only a wake ends it.
const FOREVER: Duration = Duration::from_secs(86_400);
/// Steps between two words about how far the vectors of another model have come.
const TOLD_EVERY: u32 = 8;

/// The work between two waits.
struct Round {
    engine: Arc<Engine>,
    events: EventSink,
    stop: Arc<AtomicBool>,
    /// Whether progress events of a newly chosen encoder were sent, but not yet the last one.
    told: bool,
}

impl Round {
    /// Whether something is left that could not be done so far.
    fn is_stuck(&self) -> bool {
        self.engine.is_connecting_wanted()
            || self.engine.is_clearing_wanted()
            || self.engine.is_import_wanted()
            || self.engine.is_learning_wanted()
    }

    /// Works off what waits; whether a step failed. An error ends the round; the next one begins in the same place.
    fn work(&mut self, woken: &Receiver<()>, learn: &impl Fn()) -> bool {
        // Before anything is indexed: what was being cleared when the memory was closed. Where a store cannot serve, it is
        // tried again.
        if self.engine.is_clearing_wanted() {
            match self.engine.finish_clearings() {
                Ok(Some(cleared)) => events::emit(&self.events, events::MEMORY_CHANGED, &cleared.change),
                Ok(None) => {}
                Err(error) => failed("finish a clearing", &error),
            }
        }
        if self.engine.is_import_wanted() {
            match self.engine.go_on_importing() {
                Ok(Some(imported)) => events::emit(&self.events, events::MEMORY_CHANGED, &imported.change),
                Ok(None) => {}
                Err(error) => failed("finish an import", &error),
            }
        }
        let since = Instant::now();
        while since.elapsed() < LAG && woken.recv_timeout(QUIET).is_ok() && !self.is_stopped() {}
        if self.engine.is_connecting_wanted() && !self.is_stopped() {
            self.engine.connect_encoder();
            self.tell();
        }
        let mut has_failed = false;
        let mut steps = 0_u32;
        while !self.is_stopped() {
            let step = self.engine.index_step(STEP);
            has_failed = step.is_err();
            if let Err(error) = &step {
                failed("index", error);
            }
            if !step.is_ok_and(|step| step.more) {
                break;
            }
            if steps.is_multiple_of(TOLD_EVERY) {
                self.tell();
            }
            steps += 1;
            thread::yield_now();
        }
        self.tell();
        learn();
        has_failed
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Says how far the vectors of a newly chosen encoder have come, and once when all are there.
    fn tell(&mut self) {
        let progress = match self.engine.encoding_progress() {
            Ok(Some((done, total))) => {
                self.told = true;
                IndexProgress { part: Part::Embedder, done, total }
            }
            Ok(None) if self.told => {
                self.told = false;
                IndexProgress { part: Part::Embedder, done: 1, total: 1 }
            }
            _ => return,
        };
        events::emit(&self.events, events::INDEX_PROGRESS, &progress);
    }
}

/// Logs work that failed and is tried again after [`PROBE`].
fn failed(operation: &'static str, error: &ApiError) {
    let reason = error.reason().map(tracing::field::debug);
    tracing::warn!(operation, code = ?error.code, reason, retry_seconds = PROBE.as_secs(), "background work failed");
}

/// Wakes the thread that keeps the index up.
pub(crate) struct Indexer {
    wake: SyncSender<()>,
    closing: Arc<AtomicBool>,
    engine: Arc<Engine>,
    thread: Option<JoinHandle<()>>,
}

impl Indexer {
    /// Starts the thread. It first works off what an earlier session left. `learn` is called whenever it has caught up: there
    /// may be something to learn from.
    pub(crate) fn start(
        engine: Arc<Engine>,
        events: EventSink,
        supervisor: &Supervisor,
        learn: impl Fn() + Send + 'static,
    ) -> Self {
        let (wake, woken) = sync_channel(1);
        // One wake is pending from the start: there may be a backlog.
        let _first = wake.try_send(());
        let closing = Arc::new(AtomicBool::new(false));
        let kept = Arc::clone(&engine);
        let mut round = Round { engine, events, stop: Arc::clone(&closing), told: false };
        let supervised = supervisor.clone();
        let thread = supervisor.start(Task::Indexer, move || {
            let mut failed = false;
            // Counting tokens needs its tables; better now than in the first prompt.
            supervised.run(Task::Indexer, palimpsest_text::tokens::preload);
            loop {
                // A chosen encoder in trouble is asked now and then whether it answers again; so is a store that could not be
                // indexed, finish a clearing, take the rest of an import, or take what was learned from episodes; and a step
                // that broke off is tried again.
                let is_stuck = failed || supervised.run(Task::Indexer, || round.is_stuck()).unwrap_or(true);
                let wait = if is_stuck { PROBE } else { FOREVER };
                if let Err(RecvTimeoutError::Disconnected) = woken.recv_timeout(wait) {
                    break;
                }
                failed = supervised.run(Task::Indexer, || round.work(&woken, &learn)).unwrap_or(true);
                // The wake that closing sends may have been taken while it was waited for quiet.
                if round.stop.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        Self { wake, closing, engine: kept, thread }
    }

    /// Wakes the thread, from anywhere and later.
    pub(crate) fn waker(&self) -> impl Fn() + Send + use<> {
        let wake = self.wake.clone();
        move || {
            let _pending = wake.try_send(());
        }
    }

    /// Something was recorded.
    pub(crate) fn wake(&self) {
        // Where a wake is pending already, it is going to look anyway.
        let _pending = self.wake.try_send(());
    }
}

impl Drop for Indexer {
    /// Waits for the step under way, so that the data folder is free afterwards.
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        self.engine.hurry();
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
