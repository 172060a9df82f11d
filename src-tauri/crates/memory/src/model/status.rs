//! The health of every part, so that a missing part is reported.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Backup, Cause, LastRun, ProjectId, Reason, StoreFile, Time};

/// A part that can fail by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// `rules.db`.
    Rules,
    /// `episodes.db`.
    Episodes,
    /// The encoder, for semantic search.
    Embedder,
    /// The word index.
    Words,
    /// The scheduled jobs.
    Maintenance,
    /// The style evidence of episodes, for learning.
    Evidence,
    /// `config.toml`: what is not taken of it has its stored or built-in value.
    Config,
    /// `audit/run.events.jsonl`.
    Audit,
}

/// How well a part of the memory serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PartState {
    /// Available.
    Ok,
    /// Available, and processing a backlog.
    CatchingUp,
    /// Unavailable; a substitute serves.
    Substituted,
    /// Unavailable; the rest of the memory works.
    Unavailable,
}

/// One part's health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PartHealth {
    /// One of the parts of the memory.
    pub part: Part,
    /// How well it serves now.
    pub state: PartState,
    /// The reason; `null` when the part is available, or when only the operating system's message is known.
    pub reason: Option<Reason>,
    /// The same as an English sentence, for a report: files and kinds of errors, no text of the writer's. `null` when
    /// the part is available.
    pub message: Option<String>,
}

impl PartHealth {
    /// The health of an available part.
    #[must_use]
    pub fn serving(part: Part, state: PartState) -> Self {
        Self { part, state, reason: None, message: None }
    }

    /// The health of an unavailable part.
    #[must_use]
    pub fn unavailable(part: Part, cause: Cause) -> Self {
        Self { part, state: PartState::Unavailable, reason: cause.reason, message: Some(cause.message) }
    }

    /// The health of a part with a substitute.
    #[must_use]
    pub fn substituted(part: Part, cause: Cause) -> Self {
        Self { state: PartState::Substituted, ..Self::unavailable(part, cause) }
    }
}

/// The health of the whole memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// At least one part that should be available is not.
    pub degraded: bool,
    /// Part by part.
    pub parts: Vec<PartHealth>,
    /// Why the clock is implausible; `null` if it is plausible. While it is implausible, no irreversible deletion by
    /// age happens.
    pub clock: Option<ClockDoubt>,
    /// Files that lack acknowledged writes, until the writer acknowledges it (`memory:missing:acknowledge`).
    pub missing: Vec<MissingWrites>,
    /// The last run of each job.
    pub maintenance: Vec<LastRun>,
    /// The newest backup; `null` when there is none yet.
    pub last_backup: Option<Backup>,
    /// Sizes of the two files, including their logs.
    pub files: Vec<FileSize>,
    /// Usage of capacity by project, the last opened first; global rules at the end.
    pub capacities: Vec<Capacity>,
    /// Number of journal entries that are still to be written; 0 within a moment after each decision.
    pub journal_due: u32,
    /// Number of hits, validations and new answers that are still to be sent to the team's answer service.
    pub answer_outbox: u32,
}

/// Why the clock is implausible: it is more than 60 days from the newest time that the memory knows, and was neither
/// seen on two different days nor confirmed by the writer (`memory:clock:confirm`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ClockDoubt {
    /// The direction of the error.
    pub reason: ClockReason,
    /// The clock's time.
    pub now: Time,
    /// The newest time that the memory knows.
    pub newest: Time,
}

/// The direction of a clock's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ClockReason {
    /// After the newest known time.
    Ahead,
    /// Before it: new rows get times that continue from the newest known time.
    Behind,
}

/// A file that lacks acknowledged writes: its log was removed or damaged by something outside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MissingWrites {
    /// One of the two databases.
    pub file: StoreFile,
    /// Number of lost writes.
    pub count: u32,
}

/// Disk space of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FileSize {
    /// One of the two databases.
    pub file: StoreFile,
    /// Bytes; 0 if the file is missing.
    #[specta(type = u32)]
    pub bytes: u64,
}

/// Usage of a project's capacity. Values that cannot be read at present are `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Capacity {
    /// UUID of the project; `null` for global rules.
    pub project_id: Option<ProjectId>,
    /// Episodes with their texts.
    pub active: Option<Fill>,
    /// Compressed episodes.
    pub compressed: Option<Fill>,
    /// Number of rules in force, and their limits.
    pub rules: Option<Fill>,
    /// Answers; of the global entry, those of all books.
    pub answers: Option<Fill>,
    /// Number of answers that rest on changed text, or that the book may contradict now.
    pub stale_answers: Option<u32>,
}

/// A count and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Fill {
    /// The present count.
    pub count: u32,
    /// Soft limit: the count after maintenance or a learning run.
    pub soft: u32,
    /// Hard limit: no write exceeds it.
    pub hard: u32,
}
