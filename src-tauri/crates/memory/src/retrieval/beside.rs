//! Work that is done beside other work where a thread is free for it, and else by whoever waits for it.
//!
//! A thread started for each recall has to be waited for also where every processor is taken: on a busy machine that is
//! a whole time slice, which is longer than the work. Here, what no thread has begun is taken back and done at once.

use std::{
    collections::VecDeque,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// Threads that wait for work; more would only take processors from who writes.
const THREADS: usize = 2;

/// Threads that take on work. They are started when there is some for the first time, and end with this.
#[derive(Default)]
pub struct Beside(Arc<Mailbox>);

#[derive(Default)]
struct Mailbox {
    state: Mutex<State>,
    came: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<dyn Run>>,
    /// How many threads there are; `None` before there was any work.
    threads: Option<usize>,
    closed: bool,
}

trait Run: Send + Sync {
    /// Does the work, unless somebody has begun it.
    fn run(&self);
}

struct Task<T> {
    stage: Mutex<Stage<T>>,
    done: Condvar,
}

enum Stage<T> {
    Waiting(Box<dyn FnOnce() -> T + Send>),
    Begun,
    /// `None` where it panicked, or nobody wants it any more.
    Done(Option<T>),
}

/// Work that was given away.
pub struct Given<T>(Arc<Task<T>>);

impl Beside {
    /// Gives work away. It begins when a thread is free, or with [`Given::get`].
    pub fn give<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Given<T> {
        let task = Task::new(work);
        let mut state = self.0.lock();
        // Without a thread everything is done by who waits for it, and nothing is left lying here.
        if *state.threads.get_or_insert_with(|| self.start()) > 0 {
            state.waiting.push_back(Arc::clone(&task) as _);
            drop(state);
            self.0.came.notify_one();
        }
        Given(task)
    }

    /// Starts the threads: none where there is one processor. Says how many there are.
    fn start(&self) -> usize {
        let others = thread::available_parallelism().map_or(0, |all| all.get() - 1);
        let begin = |_: &usize| {
            let mailbox = Arc::clone(&self.0);
            thread::Builder::new().name("recall-beside".to_owned()).spawn(move || mailbox.serve()).is_ok()
        };
        (0..others.min(THREADS)).filter(begin).count()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.came.notify_all();
    }
}

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beside").finish_non_exhaustive()
    }
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        loop {
            let nothing = |state: &mut State| state.waiting.is_empty() && !state.closed;
            let mut state = self.came.wait_while(self.lock(), nothing).unwrap_or_else(PoisonError::into_inner);
            let Some(task) = state.waiting.pop_front() else { return };
            drop(state);
            task.run();
        }
    }
}

impl<T> Task<T> {
    fn new(work: impl FnOnce() -> T + Send + 'static) -> Arc<Self> {
        Arc::new(Self { stage: Mutex::new(Stage::Waiting(Box::new(work))), done: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, Stage<T>> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until who began it has done it, and takes what came of it.
    fn end(&self) -> Option<T> {
        let begun = |stage: &mut Stage<T>| matches!(stage, Stage::Begun);
        let mut stage = self.done.wait_while(self.lock(), begun).unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *stage, Stage::Done(None)) {
            Stage::Done(result) => result,
            Stage::Waiting(_) | Stage::Begun => None,
        }
    }

    /// The work, for whoever begins it; `None` when somebody has.
    fn begin(&self) -> Option<Box<dyn FnOnce() -> T + Send>> {
        let mut stage = self.lock();
        match std::mem::replace(&mut *stage, Stage::Begun) {
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
        let Some(work) = self.begin() else { return };
        // Whoever waits must not wait for ever.
        let result = catch_unwind(AssertUnwindSafe(work)).ok();
        *self.lock() = Stage::Done(result);
        self.done.notify_all();
    }
}

impl<T> Given<T> {
    /// Work that is done when it is asked for, for where no thread is to spare.
    pub fn later(work: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Task::new(work))
    }

    /// What came of it: done here where no thread has begun it, else waited for. `None` where it panicked, wherever it was.
    pub fn get(self) -> Option<T> {
        let Some(work) = self.0.begin() else { return self.0.end() };
        let result = catch_unwind(AssertUnwindSafe(work)).ok();
        *self.0.lock() = Stage::Done(None);
        result
    }
}

/// What nobody wants any more is not begun; what is begun is waited for, so that nothing of it outlives who gave it away.
impl<T> Drop for Given<T> {
    fn drop(&mut self) {
        if self.0.begin().is_none() {
            self.0.end();
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
        let beside = Beside::default();
        if thread::available_parallelism().is_ok_and(|all| all.get() == 1) {
            return;
        }
        let (say, said) = channel();
        let given = beside.give(move || {
            say.send(thread::current().id()).unwrap();
            7
        });
        assert_ne!(said.recv().unwrap(), thread::current().id(), "it has begun though nobody has asked for it");
        assert_eq!(given.get(), Some(7));
    }

    #[test]
    fn work_that_no_thread_has_begun_is_done_by_who_wants_it() {
        let beside = Beside::default();
        let (open, gates): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| channel::<()>()).unzip();
        let (say, begun) = channel();
        let busy: Vec<_> = gates
            .into_iter()
            .map(|gate| {
                let say = say.clone();
                beside.give(move || {
                    say.send(()).unwrap();
                    gate.recv().unwrap();
                })
            })
            .collect();
        let threads = thread::available_parallelism().map_or(0, |all| all.get() - 1).min(THREADS);
        (0..threads).for_each(|_| begun.recv().unwrap());
        let given = beside.give(|| thread::current().id());
        assert_eq!(given.get(), Some(thread::current().id()), "all threads are busy, and it does not wait for them");
        open.iter().for_each(|gate| gate.send(()).unwrap());
        busy.into_iter().for_each(|one| one.get().unwrap());
    }

    #[test]
    fn work_that_dies_is_no_result_and_the_next_is_done() {
        let beside = Beside::default();
        let (say, begun) = channel();
        let dies = beside.give(move || -> u32 {
            say.send(()).unwrap();
            panic!("on purpose")
        });
        if thread::available_parallelism().is_ok_and(|all| all.get() > 1) {
            begun.recv().unwrap();
        }
        assert_eq!(dies.get(), None);
        assert_eq!(beside.give(|| 1).get(), Some(1));
    }

    #[test]
    fn what_is_not_wanted_any_more_is_let_go_at_once() {
        let beside = Beside::default();
        let held = Arc::new(());
        let gate = Arc::new(Mutex::new(()));
        let closed = gate.lock().unwrap();
        let busy: Vec<_> = (0..THREADS)
            .map(|_| {
                let gate = Arc::clone(&gate);
                beside.give(move || drop(gate.lock().unwrap()))
            })
            .collect();
        let kept = Arc::clone(&held);
        let unwanted = beside.give(move || drop(kept));
        drop(unwanted);
        // Had a thread begun it, it would be over by now or soon; here none can.
        drop(closed);
        busy.into_iter().for_each(|one| one.get().unwrap());
        assert_eq!(beside.give(|| 2).get(), Some(2));
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn what_nobody_wants_any_more_is_not_begun_and_what_was_begun_is_over_when_it_is_let_go() {
        let done = Arc::new(AtomicBool::new(false));
        let mark = || {
            let done = Arc::clone(&done);
            move || done.store(true, Ordering::SeqCst)
        };
        drop(Given::later(mark()));
        assert!(!done.load(Ordering::SeqCst));
        assert_eq!(Given::later(|| 7).get(), Some(7));

        let beside = Beside::default();
        if thread::available_parallelism().is_ok_and(|all| all.get() == 1) {
            return;
        }
        let ((begun, begins), (go, goes), mark) = (channel(), channel::<()>(), mark());
        let given = beside.give(move || {
            begun.send(()).unwrap();
            goes.recv().unwrap();
            mark();
        });
        begins.recv().unwrap();
        let lets_go = thread::spawn(move || go.send(()));
        drop(given);
        assert!(done.load(Ordering::SeqCst));
        lets_go.join().unwrap().unwrap();
    }
}
