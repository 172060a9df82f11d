//! A small pool of helper threads; work that none of them has started runs on the thread that waits for it.
//!
//! A thread started for each recall must be waited for even when every processor is busy: on a loaded machine that is a
//! whole time slice, which is longer than the work. Here, work that has not started is taken back and run at once.

use std::{
    collections::VecDeque,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
};

use crate::lock::{Condvar, Mutex, MutexGuard};
/// Maximum helper threads; more would only compete with the interface for processors.
const MAX_THREADS: usize = 2;

/// The pool. Its threads are started with the first work, and end when it is dropped.
#[derive(Default)]
pub(crate) struct HelperPool(Arc<Queue>);

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    submitted: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<dyn Run>>,
    /// Number of threads; `None` before the first work.
    threads: Option<usize>,
    closed: bool,
}

trait Run: Send + Sync {
    /// Runs the work, unless it has started already.
    fn run(&self);
}

struct Task<T> {
    stage: Mutex<Stage<T>>,
    done: Condvar,
}

enum Stage<T> {
    Waiting(Box<dyn FnOnce() -> T + Send>),
    Started,
    /// `None` if it panicked, or its result was taken or dropped.
    Done(Option<T>),
}

/// Work submitted to a pool.
pub(crate) struct Deferred<T>(Arc<Task<T>>);

impl HelperPool {
    /// Submits work. It starts when a thread is free, or with [`Deferred::join`].
    pub(crate) fn submit<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Deferred<T> {
        let task = Task::new(work);
        let mut state = self.0.lock();
        // Without threads, [`Deferred::join`] runs all work, and the queue stays empty.
        if *state.threads.get_or_insert_with(|| self.start_threads()) > 0 {
            state.waiting.push_back(Arc::clone(&task) as _);
            drop(state);
            self.0.submitted.notify_one();
        }
        Deferred(task)
    }

    /// Starts the threads: none on a single processor. Returns their number.
    fn start_threads(&self) -> usize {
        let others = thread::available_parallelism().map_or(0, |all| all.get() - 1);
        let begin = |_: &usize| {
            let queue = Arc::clone(&self.0);
            thread::Builder::new().name("recall-helper".to_owned()).spawn(move || queue.serve()).is_ok()
        };
        (0..others.min(MAX_THREADS)).filter(begin).count()
    }
}

impl Drop for HelperPool {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.submitted.notify_all();
    }
}

impl fmt::Debug for HelperPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HelperPool").finish_non_exhaustive()
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn serve(&self) {
        loop {
            let nothing = |state: &mut State| state.waiting.is_empty() && !state.closed;
            let mut state = self.lock();
            self.submitted.wait_while(&mut state, nothing);
            let Some(task) = state.waiting.pop_front() else { return };
            drop(state);
            task.run();
        }
    }
}

impl<T> Task<T> {
    fn new(work: impl FnOnce() -> T + Send + 'static) -> Arc<Self> {
        Arc::new(Self { stage: Mutex::leaf(Stage::Waiting(Box::new(work))), done: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Stage<T>> {
        self.stage.lock()
    }

    /// Waits until the started work is done, and takes its result.
    fn wait(&self) -> Option<T> {
        let begun = |stage: &mut Stage<T>| matches!(stage, Stage::Started);
        let mut stage = self.lock();
        self.done.wait_while(&mut stage, begun);
        match std::mem::replace(&mut *stage, Stage::Done(None)) {
            Stage::Done(result) => result,
            Stage::Waiting(_) | Stage::Started => None,
        }
    }

    /// Marks the work as started and returns it; `None` if it has started already.
    fn start(&self) -> Option<Box<dyn FnOnce() -> T + Send>> {
        let mut stage = self.lock();
        match std::mem::replace(&mut *stage, Stage::Started) {
            Stage::Waiting(work) => Some(work),
            other => {
                *stage = other;
                None
            }
        }
    }
}

impl<T: Send> Run for Task<T> {
    fn run(&self) {
        let Some(work) = self.start() else { return };
        // A panic must not leave the waiting thread blocked.
        let result = catch_unwind(AssertUnwindSafe(work)).ok();
        *self.lock() = Stage::Done(result);
        self.done.notify_all();
    }
}

impl<T> Deferred<T> {
    /// Work that runs when it is joined, for when no thread is to be used.
    pub(crate) fn inline(work: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Task::new(work))
    }

    /// The result: runs the work here if no thread has started it, else waits. `None` if it panicked, on either thread.
    pub(crate) fn join(self) -> Option<T> {
        let Some(work) = self.0.start() else { return self.0.wait() };
        let result = catch_unwind(AssertUnwindSafe(work)).ok();
        *self.0.lock() = Stage::Done(None);
        result
    }
}

/// Work that has not started is discarded; started work is waited for, so that it does not outlive its owner.
impl<T> Drop for Deferred<T> {
    fn drop(&mut self) {
        if self.0.start().is_none() {
            self.0.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::channel,
    };

    use super::*;

    #[test]
    fn work_is_done_by_a_thread_that_is_free() {
        let pool = HelperPool::default();
        if thread::available_parallelism().is_ok_and(|all| all.get() == 1) {
            return;
        }
        let (send, received) = channel();
        let deferred = pool.submit(move || {
            send.send(thread::current().id()).unwrap();
            7
        });
        assert_ne!(received.recv().unwrap(), thread::current().id(), "it has begun though nobody has asked for it");
        assert_eq!(deferred.join(), Some(7));
    }

    #[test]
    fn work_that_no_thread_has_begun_runs_on_the_waiting_thread() {
        let pool = HelperPool::default();
        let (open, gates): (Vec<_>, Vec<_>) = (0..MAX_THREADS).map(|_| channel::<()>()).unzip();
        let (send, begun) = channel();
        let busy: Vec<_> = gates
            .into_iter()
            .map(|gate| {
                let send = send.clone();
                pool.submit(move || {
                    send.send(()).unwrap();
                    gate.recv().unwrap();
                })
            })
            .collect();
        let threads = thread::available_parallelism().map_or(0, |all| all.get() - 1).min(MAX_THREADS);
        (0..threads).for_each(|_| begun.recv().unwrap());
        let deferred = pool.submit(|| thread::current().id());
        assert_eq!(
            deferred.join(),
            Some(thread::current().id()),
            "all threads are busy, and it does not wait for them"
        );
        open.iter().for_each(|gate| gate.send(()).unwrap());
        busy.into_iter().for_each(|one| one.join().unwrap());
    }

    #[test]
    fn work_that_dies_is_no_result_and_the_next_is_done() {
        let pool = HelperPool::default();
        let (send, begun) = channel();
        let dies = pool.submit(move || -> u32 {
            send.send(()).unwrap();
            panic!("on purpose")
        });
        if thread::available_parallelism().is_ok_and(|all| all.get() > 1) {
            begun.recv().unwrap();
        }
        assert_eq!(dies.join(), None);
        assert_eq!(pool.submit(|| 1).join(), Some(1));
    }

    #[test]
    fn an_unwanted_task_is_dropped_at_once() {
        let pool = HelperPool::default();
        let held = Arc::new(());
        let gate = Arc::new(parking_lot::Mutex::new(()));
        let closed = gate.lock();
        let busy: Vec<_> = (0..MAX_THREADS)
            .map(|_| {
                let gate = Arc::clone(&gate);
                pool.submit(move || drop(gate.lock()))
            })
            .collect();
        let kept = Arc::clone(&held);
        let unwanted = pool.submit(move || drop(kept));
        drop(unwanted);
        // No thread is free, so the work cannot have started.
        drop(closed);
        busy.into_iter().for_each(|one| one.join().unwrap());
        assert_eq!(pool.submit(|| 2).join(), Some(2));
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn an_unwanted_task_does_not_start_and_a_started_one_has_ended_when_its_handle_is_dropped() {
        let done = Arc::new(AtomicBool::new(false));
        let mark = || {
            let done = Arc::clone(&done);
            move || done.store(true, Ordering::SeqCst)
        };
        drop(Deferred::inline(mark()));
        assert!(!done.load(Ordering::SeqCst));
        assert_eq!(Deferred::inline(|| 7).join(), Some(7));

        let pool = HelperPool::default();
        if thread::available_parallelism().is_ok_and(|all| all.get() == 1) {
            return;
        }
        let ((begun, begins), (go, goes), mark) = (channel(), channel::<()>(), mark());
        let deferred = pool.submit(move || {
            begun.send(()).unwrap();
            goes.recv().unwrap();
            mark();
        });
        begins.recv().unwrap();
        let opener = thread::spawn(move || go.send(()));
        drop(deferred);
        assert!(done.load(Ordering::SeqCst));
        opener.join().unwrap().unwrap();
    }
}
