//! The events of answers: validations, uses, and the writer's changes.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{AnswerId, Citation, MentionRange, ProjectId, Time};

/// How a validation turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ValidationResult {
    /// The answer was right.
    Pass,
    /// It was right in part.
    Partial,
    /// It was wrong.
    Fail,
}

/// How much a validation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum SignalStrength {
    /// The end of a run alone.
    Weak,
    /// The answer was copied, cited, or its quotes are in the text.
    Medium,
    /// The writer said so, or put it into the book.
    Strong,
}

/// The origin of a validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ValidationSource {
    /// A run that was given the answer.
    Run,
    /// The writer said so.
    Writer,
    /// The writer put it into a chapter.
    Inserted,
    /// The writer copied it.
    Copied,
    /// The writer asked the same again within ten minutes.
    Reasked,
    /// Its quotes were found in the text of the book.
    Cited,
    /// The program of an embedder.
    Client,
}

/// Validates an answer from outside a run.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ValidateAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the answer.
    pub answer_id: AnswerId,
    /// How it turned out.
    pub result: ValidationResult,
    /// Default `client`. `run` is refused: `answer:complete` validates by run.
    #[serde(default)]
    #[specta(optional)]
    pub source: Option<ValidationSource>,
    /// At most `medium` for a client; the other sources have their own.
    #[serde(default)]
    #[specta(optional)]
    pub signal_strength: Option<SignalStrength>,
    /// The run that was given the answer. A client's validation without one is stored and moves nothing.
    #[serde(default)]
    #[specta(optional)]
    pub run_id: Option<String>,
    /// The version that the writer has seen; refused if the answer has changed since.
    #[serde(default)]
    #[specta(optional)]
    pub version: Option<u32>,
    /// At most 1,000 characters.
    #[serde(default)]
    #[specta(optional)]
    pub note: Option<String>,
}

/// Records that answers were shown or used outside a run of this memory.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordHits {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 1..50 of them, each once.
    pub references: Vec<AnswerHit>,
}

/// That an answer was shown or used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerHit {
    /// UUID of the answer.
    pub answer_id: AnswerId,
    /// True if a run was given it. Default true.
    #[serde(default = "shown")]
    #[specta(optional)]
    pub shown: bool,
    /// True if the run used it.
    #[serde(default)]
    #[specta(optional)]
    pub used: bool,
}

fn shown() -> bool {
    true
}

/// The report of recorded hits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecordedHits {
    /// Number of answers whose counts grew.
    pub recorded: u32,
    /// Ids that the book does not have.
    pub unknown: Vec<AnswerId>,
}

/// The cause of a change of standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum AnswerEventKind {
    /// A run was given it, or used it.
    Hit,
    /// A validation.
    Validated,
    /// The writer edited the texts.
    Edited,
    /// The writer confirmed it.
    Confirmed,
    /// The writer blocked it.
    Blocked,
    /// The writer unblocked it.
    Unblocked,
    /// The writer made a copy of it for all books.
    Promoted,
}

/// The texts of an answer before and after an edit.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EditedTexts {
    /// As it was until the edit.
    pub question_before: String,
    /// As the writer wrote it.
    pub question_after: String,
    /// As it was until the edit.
    pub answer_before: String,
    /// As the writer wrote it.
    pub answer_after: String,
}

impl fmt::Debug for EditedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditedTexts").finish_non_exhaustive()
    }
}

/// The citations of an answer before and after the writer kept it although its sentences had changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MovedCitations {
    /// As they were, with the sentences that the text had lost.
    pub before: Vec<Citation>,
    /// With the sentences in their places.
    pub after: Vec<Citation>,
    /// The sentence that might have said what the answer did not find.
    pub nearby: Option<MentionRange>,
}

/// One event of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerEvent {
    /// UUID.
    pub event_id: String,
    /// Time of the event.
    pub at: Time,
    /// A validation has `result`, `signalStrength` and `source`; an edit has `texts`.
    pub kind: AnswerEventKind,
    /// Of a validation.
    pub result: Option<ValidationResult>,
    /// Of a validation.
    pub signal_strength: Option<SignalStrength>,
    /// Of a validation.
    pub source: Option<ValidationSource>,
    /// The run that it comes from.
    pub run_id: Option<String>,
    /// True if a run was given the answer.
    pub was_shown: bool,
    /// True if the run used it.
    pub was_used: bool,
    /// False if it was stored and moves neither trust nor level.
    pub is_applied: bool,
    /// The remark that came with it.
    pub note: Option<String>,
    /// Of an edit.
    pub texts: Option<EditedTexts>,
    /// Of the verdict that an answer which rests on changed text is still right.
    pub citations: Option<MovedCitations>,
    /// Level and trust after it.
    pub validation_level: u8,
    /// 0..1.
    pub trust: f64,
    /// Time at which it was undone.
    pub undone_at: Option<Time>,
}

/// The events of an answer, latest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerHistory {
    /// At most 200.
    pub events: Vec<AnswerEvent>,
}
