//! Upkeep: the jobs that run on schedule, and the backups.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// A job that runs on schedule, or when it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Job {
    /// Every night at 02:00 where the writer is: decay, soft capacities, what has expired.
    Daily,
    /// In the night to Monday: compression.
    Weekly,
    /// In the night to the first: deletion of what was compressed a year ago, and a check of both files.
    Monthly,
    /// Every night after the others: a copy of each file that has changed, read back; old copies are thinned. A job of its
    /// own, because it costs by the size of the file and not by what there is to do, and a full disk stops nothing else.
    Backup,
}

/// One bounded piece of a job, after all its slices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceStep {
    /// What was done, such as `compressed`.
    pub name: String,
    /// To how many.
    pub count: u32,
}

/// What a job did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceReport {
    /// Which; `null` when all were asked for.
    pub job: Option<Job>,
    /// When it began.
    pub begun_at: Time,
    /// In order.
    pub steps: Vec<MaintenanceStep>,
}

/// A job has failed; it is tried again at its next window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceFailure {
    /// Which.
    pub job: Job,
    /// When it began.
    pub at: Time,
    /// Always `MEMORY_CLEANUP_FAILED`.
    pub code: crate::Code,
    /// Why. Names files and kinds of errors, no text of the writer's.
    pub message: String,
}

/// How a job last went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// Which.
    pub job: Job,
    /// When it was last begun.
    pub begun_at: Time,
    /// When it was last begun and ended well; `null` when it never did.
    pub done_at: Option<Time>,
    /// Why the last run failed; `null` when it did not.
    pub failure: Option<String>,
}

/// One of the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum StoreFile {
    /// `rules.db`.
    Rules,
    /// `episodes.db`.
    Episodes,
}

/// Why a backup was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum BackupReason {
    /// Something had changed since the one before.
    Changed,
    /// The writer asked for it.
    Manual,
    /// The schema was about to change.
    Migration,
    /// Something was about to be taken in.
    Import,
    /// Something was about to be cleared: what stays is in it.
    Clearing,
    /// Another backup was about to be put in its place.
    Restore,
}

/// A copy of one of the two files that was read back and found whole when it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Backup {
    /// Names it.
    pub backup_id: String,
    /// Of which file.
    pub file: StoreFile,
    /// When it was made.
    pub created_at: Time,
    /// Its size.
    #[specta(type = u32)]
    pub bytes: u64,
    /// Why it was made.
    pub reason: BackupReason,
}

/// A backup is in place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// Which.
    pub restored: Backup,
    /// The name of the damaged file that was moved aside; `null` when it was whole and became a backup itself.
    pub set_aside: Option<String>,
}

/// An empty file is in the place of one that was damaged or gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct BegunAnew {
    /// Which.
    pub file: StoreFile,
    /// The name under which the damaged file is kept beside it; `null` where it was gone.
    pub set_aside: Option<String>,
}
