//! The background index: woken by each record, in bounded steps, with a lower priority than everything the writer waits
//! for.

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

/// Episodes indexed in a step: few, so that no record waits long for it.
const EPISODES_PER_STEP: u32 = 4;
/// Time without a record after which indexing begins. Records in quick succession are an import, and each of them would
/// wait for a step under way.
const QUIET: Duration = Duration::from_millis(25);
/// Maximum delay of the index during constant recording. (A recall indexes the last few episodes itself.)
const MAX_LAG: Duration = Duration::from_secs(2);

/// How often an encoder that does not answer is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(20);
/// No deadline: only a wake ends the wait.
const FOREVER: Duration = Duration::from_secs(86_400);
/// Steps between two progress events for the vectors of another model.
const STEPS_PER_PROGRESS_EVENT: u32 = 8;

/// The work between two waits.
struct IndexingRound {
    engine: Arc<Engine>,
    events: EventSink,
    stop: Arc<AtomicBool>,
    /// Whether progress events of a newly chosen encoder were sent, but not yet the last one.
    is_progress_open: bool,
}

impl IndexingRound {
    /// Whether some work could not be finished so far.
    fn is_stuck(&self) -> bool {
        self.engine.is_connecting_wanted()
            || self.engine.is_clearing_wanted()
            || self.engine.is_import_wanted()
            || self.engine.is_learning_wanted()
    }

    /// Works off the backlog; returns whether a step failed. An error ends the round; the next one continues in the
    /// same place.
    fn work(&mut self, woken: &Receiver<()>, learn: &impl Fn()) -> bool {
        // Before anything is indexed: clearings interrupted when the memory was closed. While a store cannot serve,
        // they are tried again.
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
        while since.elapsed() < MAX_LAG && woken.recv_timeout(QUIET).is_ok() && !self.is_stopped() {}
        if self.engine.is_connecting_wanted() && !self.is_stopped() {
            self.engine.connect_encoder();
            self.emit_progress();
        }
        let mut has_failed = false;
        let mut steps = 0_u32;
        while !self.is_stopped() {
            let step = self.engine.index_step(EPISODES_PER_STEP);
            has_failed = step.is_err();
            if let Err(error) = &step {
                failed("index", error);
            }
            if !step.is_ok_and(|step| step.more) {
                break;
            }
            if steps.is_multiple_of(STEPS_PER_PROGRESS_EVENT) {
                self.emit_progress();
            }
            steps += 1;
            thread::yield_now();
        }
        self.emit_progress();
        learn();
        has_failed
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Sends the progress of the vectors of a newly chosen encoder, and a last event when all are made.
    fn emit_progress(&mut self) {
        let progress = match self.engine.encoding_progress() {
            Ok(Some((done, total))) => {
                self.is_progress_open = true;
                IndexProgress { part: Part::Embedder, done, total }
            }
            Ok(None) if self.is_progress_open => {
                self.is_progress_open = false;
                IndexProgress { part: Part::Embedder, done: 1, total: 1 }
            }
            _ => return,
        };
        events::emit(&self.events, events::INDEX_PROGRESS, &progress);
    }
}

/// Logs work that failed and is tried again after [`RETRY_INTERVAL`].
fn failed(work: &'static str, error: &ApiError) {
    palimpsest_memory::log_error!(
        warn,
        error,
        work,
        retry_seconds = RETRY_INTERVAL.as_secs(),
        "background work failed"
    );
}

/// Wakes the thread that updates the index.
pub(crate) struct Indexer {
    wake: SyncSender<()>,
    closing: Arc<AtomicBool>,
    engine: Arc<Engine>,
    thread: Option<JoinHandle<()>>,
}

impl Indexer {
    /// Starts the thread. It first works off the backlog of an earlier session. `learn` is called whenever it has
    /// caught up: there may be new evidence.
    pub(crate) fn start(
        engine: Arc<Engine>,
        events: EventSink,
        supervisor: &Supervisor,
        learn: impl Fn() + Send + 'static,
    ) -> Self {
        let (wake, woken) = sync_channel(1);
        // One wake is pending from the start: there may be a backlog.
        wake.try_send(()).ok();
        let closing = Arc::new(AtomicBool::new(false));
        let kept = Arc::clone(&engine);
        let mut round = IndexingRound { engine, events, stop: Arc::clone(&closing), is_progress_open: false };
        let supervised = supervisor.clone();
        let thread = supervisor.start(Task::Indexer, move || {
            let mut failed = false;
            // The tokenizer's tables are loaded now rather than in the first prompt.
            supervised.run(Task::Indexer, palimpsest_text::tokens::preload);
            loop {
                // Retry periodically while something is stuck: an unreachable encoder, a failed index step, an
                // unfinished clearing or import, unwritten evidence, or a step that panicked.
                let is_stuck = failed || supervised.run(Task::Indexer, || round.is_stuck()).unwrap_or(true);
                let wait = if is_stuck { RETRY_INTERVAL } else { FOREVER };
                if let Err(RecvTimeoutError::Disconnected) = woken.recv_timeout(wait) {
                    break;
                }
                failed = supervised.run(Task::Indexer, || round.work(&woken, &learn)).unwrap_or(true);
                // The wake sent on closing may have been consumed while waiting for quiet.
                if round.stop.load(Ordering::SeqCst) {
                    break;
                }
                supervised.note_parts(&round.engine);
            }
        });
        Self { wake, closing, engine: kept, thread }
    }

    /// A function that wakes the thread, callable from any thread, also later.
    pub(crate) fn waker(&self) -> impl Fn() + Send + use<> {
        let wake = self.wake.clone();
        move || {
            wake.try_send(()).ok();
        }
    }

    /// Wakes the thread after a record.
    pub(crate) fn wake(&self) {
        // A pending wake is sufficient.
        self.wake.try_send(()).ok();
    }
}

impl Drop for Indexer {
    /// Waits for the step under way, so that the data folder is free afterwards.
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        self.engine.cancel_network_waits();
        self.wake();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
