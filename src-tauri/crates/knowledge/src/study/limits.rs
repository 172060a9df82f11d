//! The limits of a study, and the wait after an error.

/// Seconds of the first wait, in milliseconds.
const FIRST_BACK_OFF_MILLIS: i64 = 1_000;
/// Maximum wait without jitter.
const MAX_BACK_OFF_MILLIS: i64 = 3_600_000;
/// Largest share that the jitter adds to a wait.
const MAX_JITTER: f64 = 0.2;
/// Milliseconds of a day: the maximum of a server's own wait, and of a stop after errors.
pub(super) const DAY_MILLIS: i64 = 86_400_000;
/// Longest time between two looks at a study that waits.
pub const INTERVAL_MILLIS: i64 = 60_000;
/// Minimum time since the writer's last activity in the editor.
pub const IDLE_MILLIS: i64 = 300_000;

/// The limits of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Questions that begin on a local day.
    pub questions_per_day: u32,
    /// Explorations that begin on a local day.
    pub explorations_per_day: u32,
    /// Questions that one request may return.
    pub questions_per_request: u32,
    /// Requests for a step in one exploration.
    pub steps: u32,
    /// Tokens of one exploration: its prompt, the replies and what the tools found, each counted once, so that all of
    /// it fits into one prompt.
    pub tokens: u32,
    /// Time of one exploration, in milliseconds, without waits.
    pub millis: u64,
    /// Repeated calls that end an exploration.
    pub repetitions: u32,
    /// Invalid replies in a row that end an exploration.
    pub invalid_replies: u32,
    /// Requests for the summary of one question.
    pub summaries: u32,
    /// Requests for a comparison of two sentences in a day.
    pub comparisons_per_day: u32,
    /// Requests for the comparison of one pair.
    pub comparisons: u32,
    /// Errors in a row that stop the study.
    pub errors: u32,
    /// Rounds in a row without a new question that stop the study.
    pub duplicates: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            questions_per_day: 50,
            explorations_per_day: 100,
            questions_per_request: 3,
            steps: 10,
            tokens: 8_000,
            millis: 120_000,
            repetitions: 3,
            invalid_replies: 2,
            summaries: 2,
            comparisons_per_day: 50,
            comparisons: 2,
            errors: 5,
            duplicates: 5,
        }
    }
}

impl Limits {
    /// The limits of a deep study: more steps and questions, in the same time and tokens.
    #[must_use]
    pub fn deep() -> Self {
        Self { steps: 15, questions_per_request: 5, ..Self::default() }
    }
}

/// The wait after so many errors in a row, in milliseconds: it doubles from one second to an hour, and jitter adds up
/// to a fifth. A server's own wait is kept as it is, up to a day. `jitter`: 0..1; any other number counts as 0.
#[must_use]
pub fn back_off_millis(errors: u32, jitter: f64, retry_after: Option<u64>) -> i64 {
    if let Some(wait) = retry_after {
        return i64::try_from(wait).unwrap_or(i64::MAX).min(DAY_MILLIS);
    }
    let doublings = errors.saturating_sub(1).min(31);
    let wait = (FIRST_BACK_OFF_MILLIS << doublings).min(MAX_BACK_OFF_MILLIS);
    let jitter = if (0.0..=1.0).contains(&jitter) { jitter } else { 0.0 };
    // Below 4,320,000: a cast loses nothing but the fraction.
    wait + (wait as f64 * jitter * MAX_JITTER) as i64
}
