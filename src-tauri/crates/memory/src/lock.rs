//! Locks with a stated order, so that no two threads wait for each other.
//!
//! A thread takes locks in the order of [`Rank`], and never two of one rank. Debug builds check it at every lock: a
//! violation panics, so that every test is a test of the order. Three rules go beyond single locks:
//!
//! - Under a lock of a file ([`Rank::Opening`] and above) nothing is called that belongs to the host: no model, no
//!   encoder, no callback.
//! - No lock is held while a model or an encoder on the network answers ([`assert_none_held`]).
//! - A visit to a project is no lock, but a clearing waits for all visits under [`Rank::Upkeep`]: an operation that
//!   needs `Upkeep` takes it before its visit ([`VisitMark`]).

use std::{
    marker::PhantomData,
    ops::{Deref, DerefMut},
};

use parking_lot::{MutexGuard as InnerGuard, RwLockReadGuard, RwLockWriteGuard};

/// The place of a lock in the order: a lock may be taken under one of a lower rank only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A job runs: one at a time. Its steps take every other lock.
    Maintenance,
    /// A file is copied and imported: one at a time. Before `Upkeep`, so that a slowly read file delays nothing else.
    Import,
    /// An operation on whole files: clearing, erasing, backups and the commit of an import exclude each other.
    Upkeep,
    /// The readable copies are written or removed.
    Readable,
    /// A verdict on a generation is recorded.
    Verdict,
    /// A generation without text gets another trace, or its first text.
    Starting,
    /// The answers in the chapters of a book are followed: one comparison at a time, which reads its changed chapters.
    Following,
    /// The names of a book are found: one position of a book at a time, which reads its passages.
    Evidence,
    /// The files of the audit are read or written.
    Audit,
    /// A database file is opened, closed or replaced.
    Opening,
    /// A write transaction of `rules.db`.
    RulesWriter,
    /// A write transaction of `episodes.db`; an operation that writes both files begins with `rules.db`.
    EpisodesWriter,
    /// A project's vectors are read or replaced in memory, perhaps from a file.
    Resident,
    /// Guards memory only: it is held for a few instructions, and no other lock is taken under it.
    #[default]
    Leaf,
}

#[cfg(debug_assertions)]
mod held {
    use std::cell::{Cell, RefCell};

    use super::Rank;

    thread_local! {
        static RANKS: RefCell<Vec<Rank>> = const { RefCell::new(Vec::new()) };
        static VISITS: Cell<usize> = const { Cell::new(0) };
    }

    /// A lock or a visit of this thread.
    #[derive(Debug)]
    pub(crate) struct HeldRank(Option<Rank>);

    impl HeldRank {
        /// Checks the order before the lock is waited for.
        pub(super) fn acquire(rank: Rank) -> Self {
            RANKS.with_borrow_mut(|ranks| {
                let is_in_order = ranks.iter().all(|held| *held < rank);
                assert!(is_in_order || std::thread::panicking(), "lock order: {rank:?} under {ranks:?}");
                ranks.push(rank);
            });
            let is_visiting = rank == Rank::Upkeep && VISITS.get() > 0;
            assert!(!is_visiting || std::thread::panicking(), "lock order: Upkeep during a visit");
            Self(Some(rank))
        }

        pub(super) fn visit() -> Self {
            VISITS.set(VISITS.get() + 1);
            Self(None)
        }
    }

    impl Drop for HeldRank {
        fn drop(&mut self) {
            match self.0 {
                None => VISITS.set(VISITS.get().saturating_sub(1)),
                Some(rank) => RANKS.with_borrow_mut(|ranks| {
                    if let Some(place) = ranks.iter().rposition(|held| *held == rank) {
                        ranks.remove(place);
                    }
                }),
            }
        }
    }

    pub(super) fn assert_none(during: &str) {
        RANKS.with_borrow(|ranks| assert!(ranks.is_empty(), "{during} under {ranks:?}"));
    }
}

#[cfg(not(debug_assertions))]
mod held {
    use super::Rank;

    #[derive(Debug)]
    pub(crate) struct HeldRank;

    impl HeldRank {
        pub(super) fn acquire(_: Rank) -> Self {
            Self
        }

        pub(super) fn visit() -> Self {
            Self
        }
    }

    pub(super) fn assert_none(_: &str) {}
}

use held::HeldRank;

/// Panics in debug builds where this thread holds a lock. `during` names the slow operation that is about to begin.
pub(crate) fn assert_none_held(during: &str) {
    held::assert_none(during);
}

/// Marks this thread as inside a visit until it is dropped, in the same thread.
#[derive(Debug)]
pub(crate) struct VisitMark {
    _held: HeldRank,
    _not_send: PhantomData<*const ()>,
}

impl VisitMark {
    pub(crate) fn new() -> Self {
        Self { _held: HeldRank::visit(), _not_send: PhantomData }
    }
}

/// A mutex with a rank; [`Rank::Leaf`] by default.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T> {
    rank: Rank,
    inner: parking_lot::Mutex<T>,
}

/// A read-write lock with a rank; [`Rank::Leaf`] by default.
#[derive(Debug, Default)]
pub(crate) struct RwLock<T> {
    rank: Rank,
    inner: parking_lot::RwLock<T>,
}

/// A condition variable for [`Mutex`]. Waiting releases the lock, but not its rank.
#[derive(Debug, Default)]
pub(crate) struct Condvar(parking_lot::Condvar);

impl Condvar {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }

    /// Waits while `condition` holds.
    pub(crate) fn wait_while<T>(&self, guard: &mut MutexGuard<'_, T>, condition: impl FnMut(&mut T) -> bool) {
        self.0.wait_while(&mut guard.inner, condition);
    }
}

/// A lock that is held. The lock is released before its rank.
#[derive(Debug)]
pub(crate) struct Guard<G> {
    inner: G,
    _held: HeldRank,
}

/// A held [`Mutex`].
pub(crate) type MutexGuard<'a, T> = Guard<InnerGuard<'a, T>>;

impl<T> Mutex<T> {
    pub(crate) const fn new(rank: Rank, value: T) -> Self {
        Self { rank, inner: parking_lot::Mutex::new(value) }
    }

    pub(crate) fn leaf(value: T) -> Self {
        Self::new(Rank::Leaf, value)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let held = HeldRank::acquire(self.rank);
        Guard { inner: self.inner.lock(), _held: held }
    }
}

impl<T> RwLock<T> {
    pub(crate) const fn new(rank: Rank, value: T) -> Self {
        Self { rank, inner: parking_lot::RwLock::new(value) }
    }

    pub(crate) fn read(&self) -> Guard<RwLockReadGuard<'_, T>> {
        let held = HeldRank::acquire(self.rank);
        Guard { inner: self.inner.read(), _held: held }
    }

    pub(crate) fn write(&self) -> Guard<RwLockWriteGuard<'_, T>> {
        let held = HeldRank::acquire(self.rank);
        Guard { inner: self.inner.write(), _held: held }
    }
}

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;
    fn deref(&self) -> &G::Target {
        &self.inner
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.inner
    }
}

#[cfg(debug_assertions)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_taken_in_their_order_and_again_after_they_were_released() {
        let (upkeep, writer) = (Mutex::new(Rank::Upkeep, ()), Mutex::new(Rank::RulesWriter, ()));
        for _ in 0..2 {
            let _outer = upkeep.lock();
            drop(writer.lock());
            let _inner = writer.lock();
        }
        assert_none_held("the end");
    }

    #[test]
    #[should_panic(expected = "lock order: Upkeep under [RulesWriter]")]
    fn a_lock_out_of_order_is_a_defect() {
        let (upkeep, writer) = (Mutex::new(Rank::Upkeep, ()), Mutex::new(Rank::RulesWriter, ()));
        let _outer = writer.lock();
        let _inner = upkeep.lock();
    }

    #[test]
    #[should_panic(expected = "lock order: Leaf under [Leaf]")]
    fn two_locks_of_one_rank_are_a_defect() {
        let (one, other) = (Mutex::leaf(1), RwLock::<u8>::default());
        let _outer = other.read();
        let _inner = one.lock();
    }

    #[test]
    #[should_panic(expected = "lock order: Upkeep during a visit")]
    fn upkeep_during_a_visit_is_a_defect() {
        let upkeep = Mutex::new(Rank::Upkeep, ());
        let _visit = VisitMark::new();
        let _inner = upkeep.lock();
    }

    #[test]
    #[should_panic(expected = "a model answers under [Leaf]")]
    fn a_lock_held_while_a_model_answers_is_a_defect() {
        let lock = Mutex::leaf(());
        let _held = lock.lock();
        assert_none_held("a model answers");
    }
}
