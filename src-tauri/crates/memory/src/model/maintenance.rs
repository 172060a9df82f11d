//! Maintenance: scheduled jobs and backups.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Part, Time};

/// A scheduled job, which can also be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Job {
    /// Every night at 02:00 local time: decay, soft capacities, expired rows.
    Daily,
    /// In the night to Monday: compression.
    Weekly,
    /// In the night to the first of the month: eviction of episodes compressed a year ago, and a check of both files.
    Monthly,
    /// Every night after the others: a verified copy of each changed file; old copies are thinned. A job of its own,
    /// because its cost depends on the file size and not on the work due, and a full disk stops nothing else.
    Backup,
}

/// One bounded piece of a job, after all its slices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceStep {
    /// The kind of work, such as `compressed`.
    pub name: String,
    /// Number of affected items.
    pub count: u32,
}

/// The report of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceReport {
    /// The job; `null` when all were requested.
    pub job: Option<Job>,
    /// When it started.
    pub begun_at: Time,
    /// Its steps, in order.
    pub steps: Vec<MaintenanceStep>,
}

/// A failed job; it is retried at its next window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceFailure {
    /// A task of the schedule.
    pub job: Job,
    /// When it started.
    pub at: Time,
    /// Always `MEMORY_CLEANUP_FAILED`.
    pub code: crate::Code,
    /// The message. Names files and kinds of errors, no text of the writer's.
    pub message: String,
}

/// The result of a job's last run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// A task of the schedule.
    pub job: Job,
    /// When it last started.
    pub begun_at: Time,
    /// When the last successful run started; `null` if there was none.
    pub done_at: Option<Time>,
    /// Why the last run failed; `null` if it succeeded.
    pub failure: Option<String>,
}

/// One of the two database files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum StoreFile {
    /// `rules.db`.
    Rules,
    /// `episodes.db`.
    Episodes,
}

impl StoreFile {
    /// The part of the memory that this file is.
    #[must_use]
    pub const fn part(self) -> Part {
        match self {
            Self::Rules => Part::Rules,
            Self::Episodes => Part::Episodes,
        }
    }
}

/// Why a backup was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum BackupReason {
    /// Nightly: the file had changed since the last backup.
    Changed,
    /// The writer requested it.
    Manual,
    /// Before a schema migration.
    Migration,
    /// Before an import.
    Import,
    /// Before a clearing; it contains the data that stays.
    Clearing,
    /// Before the restore of another backup.
    Restore,
}

/// A copy of one of the two files, verified when it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// Name of the backup.
    pub backup_id: String,
    /// The file that was copied.
    pub file: StoreFile,
    /// When it was made.
    pub created_at: Time,
    /// Size in bytes.
    #[specta(type = u32)]
    pub bytes: u64,
    /// Why it was made.
    pub reason: BackupReason,
}

/// The report of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// Name of the restored backup.
    pub restored: Backup,
    /// Name of the damaged file that was moved aside; `null` if it was intact and became a backup itself.
    pub set_aside: Option<String>,
}

/// The report of replacing a damaged or missing file by an empty one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BegunAnew {
    /// The replaced file.
    pub file: StoreFile,
    /// Name of the damaged file that was moved aside; `null` if it was missing.
    pub set_aside: Option<String>,
}
