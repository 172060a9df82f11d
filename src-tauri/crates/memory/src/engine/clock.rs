//! The clock of the engine: the given clock, watched for implausible times.
//!
//! While the given clock is far behind the newest known time, the engine continues from that time, so that nothing
//! recorded meanwhile is taken for years old once the clock is right again.

use std::sync::Arc;

use super::{Engine, store::Store, stores::Stores};
use crate::{
    error::{OrLog, Result},
    lock::{Mutex, MutexGuard},
    model::{Changed, ClockDoubt, ClockReason, Time, Topic},
    plausibility::{ClockHistory, Plausibility, newest_of, observe},
    ports::Clock,
    storage::{clock as stored, maintenance},
};

/// Milliseconds by which the known time must grow before it is written: the exact minute does not matter.
const WRITTEN_EVERY: i64 = 3_600_000;

/// The clock of the engine.
pub(super) struct WatchedClock {
    given: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None` until the stores were read, and while there is no data that a wrong time could delete.
    known: Option<ClockHistory>,
    /// The written history, as far as this process knows.
    written: Option<ClockHistory>,
    doubt: Option<ClockDoubt>,
    /// Added to a clock that is behind.
    ahead_of_given: i64,
}

impl WatchedClock {
    pub(super) fn new(given: Arc<dyn Clock>) -> Self {
        Self { given, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Reads the given clock. Returns the history to be written, and the doubt if there is one.
    fn observe_time(&self, state: &mut State) -> (Option<ClockHistory>, Option<ClockDoubt>) {
        let now = self.given.now();
        let Some(before) = state.known else {
            return (None, None);
        };
        let (mut known, verdict) = observe(before, now, self.given.offset_millis());
        let reason = match verdict {
            Plausibility::Plausible => None,
            Plausibility::Ahead => Some(ClockReason::Ahead),
            Plausibility::Behind => Some(ClockReason::Behind),
        };
        state.doubt = reason.map(|reason| ClockDoubt { reason, now, newest: before.newest });
        if verdict == Plausibility::Behind {
            if state.ahead_of_given == 0 {
                state.ahead_of_given = before.newest.millis().saturating_sub(now.millis());
            }
            // The time of the engine continues across the end of the program.
            known.newest = known.newest.max(now.plus_millis(state.ahead_of_given));
        } else {
            state.ahead_of_given = 0;
        }
        state.known = Some(known);
        let far = |one: Time, other: Time| one.millis().abs_diff(other.millis()) >= WRITTEN_EVERY.unsigned_abs();
        let is_news = match (state.written, known) {
            (None, _) => true,
            (Some(one), other) => match (one.seen, other.seen) {
                (None, None) => far(one.newest, other.newest),
                (Some((a, b)), Some((c, d))) => far(a, c) || far(b, d) || far(one.newest, other.newest),
                _ => true,
            },
        };
        (is_news.then_some(known), state.doubt.clone())
    }
}

impl Clock for WatchedClock {
    fn now(&self) -> Time {
        self.now()
    }

    fn day(&self) -> String {
        self.day()
    }

    fn offset_millis(&self) -> i64 {
        self.offset_millis()
    }
}

impl WatchedClock {
    /// The given time or, while the given clock is far behind, the newest known time plus the time elapsed.
    pub(super) fn now(&self) -> Time {
        let mut state = self.lock();
        // A clock set back while the program runs is noticed before an entry is dated by it.
        self.observe_time(&mut state);
        self.given.now().plus_millis(state.ahead_of_given)
    }

    /// The local day of the given clock, YYYY-MM-DD.
    pub(super) fn day(&self) -> String {
        self.given.day()
    }

    /// Local time minus UTC in milliseconds.
    pub(super) fn offset_millis(&self) -> i64 {
        self.given.offset_millis()
    }

    /// Why the clock is not plausible at present; `None` where it is. Reads the clock and writes the result.
    pub(super) fn doubt(&self, stores: &Stores) -> Option<ClockDoubt> {
        self.load(stores);
        let (news, doubt) = self.observe_time(&mut self.lock());
        if let Some(known) = news {
            self.write(stores, known);
        }
        doubt
    }

    /// Trusts the given clock from now on.
    ///
    /// # Errors
    /// Those of the store; the clock is then trusted until the program ends.
    fn confirm(&self, stores: &Stores) -> Result<()> {
        let known = ClockHistory::confirmed(self.given.now());
        *self.lock() = State { known: Some(known), ..State::default() };
        stores.rules.open()?.write("store a confirmed clock", |tx| stored::upsert(tx, known))?;
        self.lock().written = Some(known);
        Ok(())
    }

    /// The known time has to be written into another file.
    pub(super) fn forget_written(&self) {
        self.lock().written = None;
    }

    fn write(&self, stores: &Stores, known: ClockHistory) {
        // Not durable: a lost entry is observed again.
        let write = || stores.rules.open()?.write_derived("store the known times", |tx| stored::upsert(tx, known));
        if write().is_ok() {
            self.lock().written = Some(known);
        }
    }

    /// Reads the known times from the stores, once there is data that a wrong time could delete.
    fn load(&self, stores: &Stores) {
        if self.lock().known.is_some() {
            return;
        }
        let now = self.given.now();
        let written = stores.ask_rules(stored::get).or_log("read the known times").and_then(|(known, _)| known);
        let known = match (is_empty(stores), written) {
            // There is nothing to lose. The known times may belong to a memory that was cleared since.
            (true, _) => return,
            (false, Some(known)) => Some(known),
            (false, None) => newest_of(&times(stores), now).map(|newest| ClockHistory { newest, seen: None }),
        };
        let known = known.unwrap_or(ClockHistory::confirmed(now));
        let mut state = self.lock();
        if state.known.is_none() {
            state.known = Some(known);
            state.written = written;
        }
    }
}

/// Whether both files are empty. A file that cannot be read is not empty.
fn is_empty(stores: &Stores) -> bool {
    let is_empty = |store: &Store| -> Result<bool> {
        let db = store.open()?;
        Ok(!maintenance::is_worth_keeping(&*db.reader()?, store.file())?)
    };
    stores.both().into_iter().all(|store| is_empty(store).unwrap_or(false))
}

/// Times that the program wrote: the newest of each kind, and of each backup.
fn times(stores: &Stores) -> Vec<Time> {
    let mut times: Vec<Time> = stores.backups.list().into_iter().map(|backup| backup.created_at).collect();
    if let Some((found, _)) = stores.ask_rules(stored::times_of_rules).or_log("read the times of rules") {
        times.extend(found);
    }
    let of_episodes = || stored::times_of_episodes(&*stores.episodes.open()?.reader()?);
    times.extend(of_episodes().or_log("read the times of episodes").unwrap_or_default());
    times
}

impl Engine {
    /// The time for new entries: that of the clock or, while the clock is far behind, the newest known time plus the
    /// time elapsed.
    #[must_use]
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Whether irreversible work may rely on the time of the clock.
    #[must_use]
    pub fn is_clock_plausible(&self) -> bool {
        self.clock.doubt(&self.stores).is_none()
    }

    /// The writer confirms the clock: postponed work runs from now on.
    ///
    /// # Errors
    /// Those of the store; the clock is then trusted until the program ends.
    pub fn confirm_clock(&self) -> Result<Changed<()>> {
        self.clock.confirm(&self.stores)?;
        Ok(Changed::new((), None, [Topic::Maintenance]))
    }
}
