//! The background index: woken by each record, in bounded steps, behind everything the writer waits for.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use palimpsest_memory::Engine;

/// Episodes a step: small, so that no record waits long behind it.
const STEP: u32 = 4;

/// Wakes the thread that keeps the index up.
pub(crate) struct Indexer {
    wake: SyncSender<()>,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Indexer {
    /// Starts the thread. It first works off what an earlier session left.
    pub(crate) fn start(engine: Arc<Engine>) -> Self {
        let (wake, woken) = sync_channel(1);
        // One wake is pending from the start: there may be a backlog.
        let _first = wake.try_send(());
        let closing = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&closing);
        let thread = thread::spawn(move || {
            // Counting tokens needs its tables; better now than in the first prompt.
            palimpsest_text::tokens::warm();
            while woken.recv().is_ok() && !stop.load(Ordering::SeqCst) {
                // An error ends the round; the next record tries again from the same place.
                while !stop.load(Ordering::SeqCst) && engine.index_step(STEP).is_ok_and(|step| step.more) {
                    thread::yield_now();
                }
            }
        });
        Self { wake, closing, thread: Some(thread) }
    }

    /// Wakes the thread, from anywhere and later.
    pub(crate) fn waker(&self) -> impl FnOnce() + Send + 'static {
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
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
