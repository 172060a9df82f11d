//! The port of a memory of answers. The engine is one; its host may connect another beside it, such as a team's
//! service.

use std::time::Duration;

use crate::model::{ProjectId, Reason, SignalStrength, Time, ValidationResult, ValidationSource};

/// A memory of answers. No text that reaches it has a hidden name in it.
pub trait AnswerMemory: Send + Sync {
    /// Identifies it, for example by its address: ids of answers are those of one memory.
    fn name(&self) -> &str;
    /// The answers that may bear on a question, best first.
    ///
    /// # Errors
    /// When it cannot be asked, or its response cannot be used.
    fn search(&self, query: &MemoryQuery<'_>) -> Result<RememberedAnswers, AnswerMemoryError>;
    /// Records the answers that a run was given or used.
    ///
    /// # Errors
    /// When it may not have recorded them; the same hits may be recorded again.
    fn record_hits(&self, hits: &MemoryHits) -> Result<(), AnswerMemoryError>;
    /// Records a new answer; returns its id where the memory tells it.
    ///
    /// # Errors
    /// As [`AnswerMemory::record_hits`].
    fn record_candidate(&self, candidate: &MemoryCandidate) -> Result<Option<String>, AnswerMemoryError>;
    /// Records a validation of an answer.
    ///
    /// # Errors
    /// As [`AnswerMemory::record_hits`].
    fn record_validation(&self, validation: &MemoryValidation) -> Result<(), AnswerMemoryError>;
}

/// A question to a memory.
#[derive(Debug, Clone, Copy)]
pub struct MemoryQuery<'a> {
    /// UUID of the book.
    pub project_id: &'a ProjectId,
    /// 1..10,000 bytes.
    pub query: &'a str,
    /// Maximum number of answers, 1..50.
    pub limit: u32,
    /// Minimum score, 0..1.
    pub min_score: f64,
}

/// The answers that a memory found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RememberedAnswers {
    /// Best first, each id once.
    pub matches: Vec<RememberedAnswer>,
    /// Number of items that could not be read.
    pub skipped: u32,
}

/// An answer as a memory gives it. All of it is the word of that memory.
#[derive(Clone, Default, PartialEq)]
pub struct RememberedAnswer {
    /// Unique in its memory.
    pub id: String,
    /// May be empty.
    pub question: String,
    /// May be empty.
    pub answer: String,
    /// The memory's own score of it, 0..1.
    pub score: f64,
    /// 0..3.
    pub validation_level: u8,
    /// 0..1.
    pub trust: f64,
    /// 0..1.
    pub freshness: f64,
    /// Failures since the last pass; a partial one counts half.
    pub consecutive_fail: f64,
    /// `active`, `verified`, or another word for an answer that is not to be used.
    pub status: String,
    /// The end of its validity; `None` without one.
    pub expires_at: Option<Time>,
}

impl std::fmt::Debug for RememberedAnswer {
    // Its texts are private.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RememberedAnswer").field("id", &self.id).field("status", &self.status).finish_non_exhaustive()
    }
}

/// The answers that a run was given or used.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHits {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the run: the same hits sent again have the same one.
    pub run_id: String,
    /// Each answer once.
    pub references: Vec<MemoryHit>,
}

/// That an answer was in the prompt of a run, or was used by it, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryHit {
    /// Id of the answer in its memory.
    pub id: String,
    /// It was in the prompt.
    pub shown: bool,
    /// The run used it.
    pub used: bool,
}

/// A new answer.
#[derive(Clone, PartialEq)]
pub struct MemoryCandidate {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the answer here: the same candidate sent again has the same one.
    pub answer_id: String,
    /// 1..10,000 bytes.
    pub question: String,
    /// 1..100,000 bytes.
    pub answer: String,
    /// 0..1.
    pub confidence: f64,
}

impl std::fmt::Debug for MemoryCandidate {
    // Its texts are private.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryCandidate").field("answer_id", &self.answer_id).finish_non_exhaustive()
    }
}

/// A validation of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryValidation {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Id of the answer in its memory.
    pub id: String,
    /// UUID of the validation: the same one sent again has the same id.
    pub validation_id: String,
    /// How it turned out.
    pub result: ValidationResult,
    /// How much it says.
    pub strength: SignalStrength,
    /// Its origin.
    pub source: ValidationSource,
    /// Time at which it happened.
    pub at: Time,
}

/// Why a memory of answers does not serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerMemoryErrorKind {
    /// It requires a key and none is stored.
    KeyMissing,
    /// It does not accept the stored key.
    KeyRefused,
    /// Too many requests; `retry_after` is its delay, if given.
    RateLimited,
    /// No response in time.
    Timeout,
    /// No server answers at its address.
    Unreachable,
    /// Its address redirects elsewhere; nothing is sent there.
    RedirectRefused,
    /// Its response violates the protocol, or ends early.
    Malformed,
    /// Its response is longer than 2 MiB.
    TooLong,
    /// It failed (a status of 5xx), or its store cannot serve.
    Failed,
    /// It refused the request for another reason.
    Refused,
    /// The hidden names cannot be read, so that nothing may be sent.
    NamesUnread,
}

impl AnswerMemoryErrorKind {
    /// Whether the request may be the cause, so that other requests can still succeed.
    #[must_use]
    pub fn is_of_request(self) -> bool {
        matches!(self, Self::Refused | Self::Malformed | Self::TooLong)
    }
}

/// A failure of a memory of answers. The message is the program's own: a server's body may contain anyone's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AnswerMemoryError {
    /// Decides which sentence the writer reads.
    pub kind: AnswerMemoryErrorKind,
    /// A description without text of the writer's and without the key.
    pub message: String,
    /// The delay that the memory asks for.
    pub retry_after: Option<Duration>,
}

impl From<AnswerMemoryErrorKind> for Reason {
    fn from(kind: AnswerMemoryErrorKind) -> Self {
        use AnswerMemoryErrorKind as Kind;
        match kind {
            Kind::KeyMissing => Self::KeyMissing,
            Kind::KeyRefused => Self::KeyRefused,
            Kind::RateLimited => Self::RateLimited,
            Kind::Timeout => Self::Timeout,
            Kind::Unreachable => Self::Unreachable,
            Kind::RedirectRefused => Self::RedirectRefused,
            Kind::Malformed => Self::Malformed,
            Kind::TooLong => Self::AnswerTooLong,
            Kind::Failed => Self::ProviderFailed,
            Kind::Refused => Self::RequestRefused,
            Kind::NamesUnread => Self::NamesUnread,
        }
    }
}
