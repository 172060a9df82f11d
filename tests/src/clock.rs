//! A clock for tests: it is stopped until a timeout is due, so that the speed of the machine does not matter.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use palimpsest_api::{Network, Options, Timeouts};
use palimpsest_providers::Timer;

const HOUR: Duration = Duration::from_secs(3_600);

/// A timer for the network. It is stopped until [`Self::start_expiring`]; from then on each reading is an hour later
/// than the last.
pub struct StandingClock {
    start: Instant,
    hours: AtomicU32,
    runs: AtomicBool,
    pauses: Mutex<Vec<Duration>>,
}

impl StandingClock {
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            hours: AtomicU32::new(0),
            runs: AtomicBool::new(false),
            pauses: Mutex::default(),
        })
    }

    /// Starts the clock: each reading advances it by an hour, so that every timeout expires.
    pub fn start_expiring(&self) {
        self.runs.store(true, Ordering::SeqCst);
    }

    /// Stops the clock.
    pub fn stop(&self) {
        self.runs.store(false, Ordering::SeqCst);
    }

    /// The delays requested before retries since the previous call, in order. They are recorded and not waited for.
    pub fn pauses(&self) -> Vec<Duration> {
        std::mem::take(&mut self.pauses.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Timer for StandingClock {
    fn now(&self) -> Instant {
        let passed = u32::from(self.runs.load(Ordering::SeqCst));
        self.start + HOUR * (self.hours.fetch_add(passed, Ordering::SeqCst) + passed)
    }

    fn pause(&self, long: Duration, _stopped: &dyn Fn() -> bool) {
        self.pauses.lock().unwrap_or_else(PoisonError::into_inner).push(long);
    }
}

/// Sets a network that retries without a pause.
pub fn retry_without_pause(options: &mut Options) {
    options.network = Network::with(Timeouts::default(), StandingClock::new());
}
