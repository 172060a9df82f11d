//! Time as tests tell it: it stands still until patience is to run out, however slow the machine is.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use palimpsest_providers::Timer;

const HOUR: Duration = Duration::from_secs(3_600);

/// A network's clock. It stands until it is told to run; then whoever looks finds it an hour later than the last time.
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

    /// From now on an hour passes at every look: every patience runs out.
    pub fn run(&self) {
        self.runs.store(true, Ordering::SeqCst);
    }

    /// Time stands again.
    pub fn stand(&self) {
        self.runs.store(false, Ordering::SeqCst);
    }

    /// How long would have been waited before each time that a request was sent again, since this was last asked.
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
