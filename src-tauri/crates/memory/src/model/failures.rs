//! Failed operations, so that none is tried again and again.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{FailureId, ProjectId, Time};

/// The operation that failed. The names of the original system are read too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum OperationType {
    /// Reading a book.
    #[serde(alias = "PROJECT_ANALYSIS")]
    Analysis,
    /// Making vectors of its passages.
    #[serde(alias = "CODE_VECTORIZATION")]
    Vectors,
    /// Finding a question.
    #[serde(alias = "SELF_EVOLUTION_QUESTION")]
    StudyQuestion,
    /// Exploring for one.
    #[serde(alias = "SELF_EVOLUTION_EXPLORATION")]
    StudyExploration,
    /// Summing up.
    #[serde(alias = "SELF_EVOLUTION_SUMMARY")]
    StudySummary,
}

/// Whether a failed operation is tried again. The names of the original system are read too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FailureStatus {
    /// Not yet.
    #[serde(alias = "PENDING")]
    Pending,
    /// It is tried again.
    #[serde(alias = "RETRYING")]
    Retrying,
    /// A later attempt succeeded.
    #[serde(alias = "RECOVERED")]
    Recovered,
    /// It is not tried again.
    #[serde(alias = "FAILED")]
    Failed,
}

/// A failed operation.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// UUID.
    pub failure_id: FailureId,
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The kind of the operation.
    pub operation_type: OperationType,
    /// The operation in words: of a question, the question.
    pub operation: String,
    /// By which it is known to have failed before.
    pub signature: String,
    /// A short code, such as `noEvidence`.
    pub error: String,
    /// Ids and numbers.
    pub context: BTreeMap<String, String>,
    /// Time of the last failure.
    pub failed_at: Time,
    /// Number of attempts after the first one.
    pub retry_count: u32,
    /// Whether it is tried again.
    pub status: FailureStatus,
    /// A sentence on avoiding it.
    pub avoid_strategy: Option<String>,
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("failure_id", &self.failure_id)
            .field("operation_type", &self.operation_type)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// Records a failure. One with the same operation type and signature is counted as a retry of the first.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordFailure {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The kind of the operation.
    pub operation_type: OperationType,
    /// 1..2,000 characters.
    pub operation: String,
    /// 1..200 characters; by default the hash of `operation`.
    #[serde(default)]
    #[specta(optional)]
    pub signature: Option<String>,
    /// 1..200 characters.
    pub error: String,
    /// At most 50 entries.
    #[serde(default)]
    #[specta(optional)]
    pub context: BTreeMap<String, String>,
    /// At most 500 characters.
    #[serde(default)]
    #[specta(optional)]
    pub avoid_strategy: Option<String>,
}

impl fmt::Debug for RecordFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordFailure").field("project_id", &self.project_id).finish_non_exhaustive()
    }
}

/// Asks whether an operation has failed before.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckFailure {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The kind of the operation.
    pub operation_type: OperationType,
    /// The signature it was recorded with.
    pub signature: String,
}

/// Whether an operation has failed before and should not be tried now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CheckedFailure {
    /// True while a failure with this signature is pending for less than a day, or has failed for good.
    pub has_failed_before: bool,
    /// The failure, if there is one.
    pub failure: Option<Failure>,
}

/// One failure.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureArguments {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the failure.
    pub failure_id: FailureId,
}

/// Changes the status of a failure.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateFailure {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the failure.
    pub failure_id: FailureId,
    /// The new status.
    pub status: FailureStatus,
    /// At most 500 characters; without it, the stored one stays.
    #[serde(default)]
    #[specta(optional)]
    pub avoid_strategy: Option<String>,
}
