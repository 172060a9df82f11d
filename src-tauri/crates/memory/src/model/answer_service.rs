//! Answers of a team's service, beside those of this memory.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{AnswerId, ProjectId, QuestionMatchKind, Reason, ValidationResult};

/// The answer service of this installation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerServiceSettings {
    /// Its address; `None` if none was ever set.
    pub base_url: Option<String>,
    /// Whether it is asked.
    pub enabled: bool,
    /// Whether new answers of runs are sent to it.
    pub send_candidates: bool,
}

/// An answer that a service has. Its words, level and trust are the service's; relevance and sameness are computed
/// here.
#[derive(Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ServiceMatch {
    /// `service:` and the id in the service; an answer of this memory never has such an id.
    pub answer_id: AnswerId,
    /// With the hidden names put back.
    pub question: String,
    /// With the hidden names put back.
    pub answer: String,
    /// The chance that the answer bears on the query, 0..1.
    pub score: f64,
    /// The similarity of the two questions.
    pub question_match: QuestionMatchKind,
    /// As in a match of this memory.
    pub same: f64,
    /// 0..2: the service's, at most 2.
    pub validation_level: u8,
    /// 0..1, the service's.
    pub trust: f64,
    /// 0..1, the service's.
    pub freshness: f64,
    /// Failures since the last pass, the service's; a partial one counts half.
    pub consecutive_fail: f64,
}

impl fmt::Debug for ServiceMatch {
    // Its texts are private.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceMatch").field("answer_id", &self.answer_id).finish_non_exhaustive()
    }
}

/// The answers of a service to a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ServiceMatches {
    /// Best first, without those that this memory has itself.
    pub matches: Vec<ServiceMatch>,
    /// Number of items of its response that could not be read.
    pub skipped: u32,
    /// Why it did not serve; `null` if it did. The answers of this memory are complete in either case.
    pub reason: Option<Reason>,
    /// Seconds after which it may be asked again, where it says so.
    pub retry_after_seconds: Option<u32>,
}

/// Validates an answer of a service that a run was given: the validation is sent to the service.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ValidateServiceAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the run that was given the answer.
    pub run_id: String,
    /// Id of the answer, with `service:`.
    pub answer_id: AnswerId,
    /// How it turned out, by the writer's word.
    pub result: ValidationResult,
}

/// The report of a validation that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct QueuedValidation {
    /// UUID of the validation.
    pub validation_id: String,
}
