//! The health of every part, so that what is missing is said.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Backup, Cause, LastRun, Reason, StoreFile, Time};

/// A part that can fail by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// `rules.db`.
    Rules,
    /// `episodes.db`.
    Episodes,
    /// Meaning: the encoder.
    Embedder,
    /// The index of words.
    Words,
    /// The jobs that run on schedule.
    Maintenance,
    /// What episodes say about style, for learning from.
    Evidence,
}

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PartState {
    /// It serves.
    Ok,
    /// It serves, and works off what came in meanwhile.
    CatchingUp,
    /// It does not serve, and another serves in its place.
    Substituted,
    /// It does not serve; the rest does.
    Unavailable,
}

/// One part's health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PartHealth {
    /// Which.
    pub part: Part,
    /// How it is.
    pub state: PartState,
    /// Why it does not serve; `null` when it serves, or when only the operating system's words are known.
    pub reason: Option<Reason>,
    /// The same as a sentence in English, for a report: files and kinds of errors, no text of the writer's. `null` when
    /// the part serves.
    pub message: Option<String>,
}

impl PartHealth {
    /// A part that serves, or that catches up.
    #[must_use]
    pub fn serving(part: Part, state: PartState) -> Self {
        Self { part, state, reason: None, message: None }
    }

    /// A part that does not serve.
    #[must_use]
    pub fn unavailable(part: Part, cause: Cause) -> Self {
        Self { part, state: PartState::Unavailable, reason: cause.reason, message: Some(cause.message) }
    }

    /// A part in whose place another serves.
    #[must_use]
    pub fn substituted(part: Part, cause: Cause) -> Self {
        Self { state: PartState::Substituted, ..Self::unavailable(part, cause) }
    }
}

/// The health of the whole memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Some part does not serve that could be expected to.
    pub degraded: bool,
    /// Part by part.
    pub parts: Vec<PartHealth>,
    /// Why the clock is not believed; `null` where it is. Until it is, nothing that cannot be undone is done by age.
    pub clock: Option<ClockDoubt>,
    /// Files that lack acknowledged writes, until the writer knows of it (`memory:missing:acknowledge`).
    pub missing: Vec<MissingWrites>,
    /// How each job last went.
    pub maintenance: Vec<LastRun>,
    /// The newest backup; `null` when there is none yet.
    pub last_backup: Option<Backup>,
    /// How large the two files are, their logs included.
    pub files: Vec<FileSize>,
    /// How full the memory of each book is, the book last opened first; at the end what holds in all books.
    pub capacities: Vec<Capacity>,
}

/// Why the clock is not believed: it is more than 60 days from the newest time that the memory knows, and was neither
/// seen on two different days nor confirmed by the writer (`memory:clock:confirm`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ClockDoubt {
    /// Which way it is off.
    pub reason: ClockReason,
    /// What it shows.
    pub now: Time,
    /// The newest time that the memory knows.
    pub newest: Time,
}

/// Which way a clock is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ClockReason {
    /// After the newest known time.
    Ahead,
    /// Before it: what is recorded meanwhile is dated on from the newest known time.
    Behind,
}

/// A file lacks writes that were acknowledged: its log was taken away or damaged by something outside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MissingWrites {
    /// Which.
    pub file: StoreFile,
    /// How many writes.
    pub count: u32,
}

/// How large a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FileSize {
    /// Which.
    pub file: StoreFile,
    /// Its size; 0 where it is not there.
    #[specta(type = u32)]
    pub bytes: u64,
}

/// How full the memory of a book is. What cannot be asked at present is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Capacity {
    /// The book; `null` for what holds in all of them.
    pub project_id: Option<String>,
    /// Episodes with their texts.
    pub active: Option<Fill>,
    /// Episodes of which a summary is left.
    pub compressed: Option<Fill>,
    /// Rules.
    pub rules: Option<Fill>,
}

/// How many there are, and how many there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Fill {
    /// How many there are.
    pub count: u32,
    /// So many maintenance, or a run of learning, leaves.
    pub soft: u32,
    /// So many a write finds at most.
    pub hard: u32,
}
