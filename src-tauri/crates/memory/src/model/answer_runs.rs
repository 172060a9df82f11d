//! The search for answers, and runs that are given some of them.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{
    Answer, AnswerDetails, AnswerHit, AnswerId, AnswerKind, ChapterId, CitationDraft, Position, ProjectId,
    ServiceMatches, SignalStrength, ValidationResult,
};

/// Searches the answers of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 1..10,000 bytes.
    pub query: String,
    /// 1..50; default 6.
    #[serde(default)]
    #[specta(optional)]
    pub limit: Option<u32>,
    /// 0..1; default .20.
    #[serde(default)]
    #[specta(optional)]
    pub min_score: Option<f64>,
    /// Default all kinds.
    #[serde(default)]
    #[specta(optional)]
    pub kinds: Vec<AnswerKind>,
    /// 0..3; default 0.
    #[serde(default)]
    #[specta(optional)]
    pub min_level: u8,
    /// Default false.
    #[serde(default)]
    #[specta(optional)]
    pub include_blocked: bool,
}

/// The similarity of two questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum QuestionMatchKind {
    /// The same content words in the same order.
    Exact,
    /// Probably the same in other words: shown, and never served as the answer.
    Restated,
    /// It may ask something else.
    Related,
}

/// A stretch of two questions that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct QuestionDifference {
    /// Start in the query, in UTF-16 code units.
    pub query_from: u32,
    /// End, exclusive.
    pub query_to: u32,
    /// Start in the question of the answer.
    pub question_from: u32,
    /// End, exclusive.
    pub question_to: u32,
}

/// The signals from which the score of a match is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerComponents {
    /// Share of the query's words in the question of the answer, 0 to about 2.
    pub question_words: f64,
    /// Cosine of the two questions; `null` without vectors.
    pub question_meaning: Option<f64>,
    /// Share of the query's words in the answer, 0 to about 2.
    pub answer_words: f64,
    /// Cosine of the query and the answer; `null` without vectors.
    pub answer_meaning: Option<f64>,
}

/// An answer that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerMatch {
    /// As it is now.
    pub answer: Answer,
    /// The chance that the answer bears on the query, 0..1.
    pub score: f64,
    /// The similarity of the two questions.
    pub question_match: QuestionMatchKind,
    /// 0..1; 1 if they are the same, under .85 unless they are probably the same.
    pub same: f64,
    /// Where the questions differ, for a question that is not the same.
    pub differences: Vec<QuestionDifference>,
    /// 1 at the time of its last verification, .5 after 30 days.
    pub freshness: f64,
    /// Estimated share of the runs given it that used it, 0..1.
    pub use_rate: f64,
    /// `question` for the same question, `words`, `meaning`.
    pub matched_by: Vec<String>,
    /// The signals that the score is computed from.
    pub components: AnswerComponents,
}

/// The answers that a search found, best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerMatches {
    /// Best first.
    pub matches: Vec<AnswerMatch>,
    /// True if the search worked by words only or on part of the vectors.
    pub degraded: bool,
    /// The reason, if `degraded` is true.
    pub degraded_reason: Option<String>,
    /// The answers of the team's service; `null` without one, and where `kinds` is given: its answers have none.
    pub service: Option<ServiceMatches>,
}

/// Prepares a run: finds answers, decides which of them the prompt has, and stores the run.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrepareAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// The question, 1..10,000 bytes.
    pub query: String,
    /// The subject of the question, for a candidate. Default `research`.
    #[serde(default)]
    #[specta(optional)]
    pub kind: AnswerKind,
    /// 1..50 answers are looked at; default 6.
    #[serde(default)]
    #[specta(optional)]
    pub limit: Option<u32>,
    /// 0..1; default .20.
    #[serde(default)]
    #[specta(optional)]
    pub min_score: Option<f64>,
    /// The book is known up to here: answers that rest on later text, or were given with later text at hand, are left
    /// out. Default: the whole book.
    #[serde(default)]
    #[specta(optional)]
    pub at: Option<Position>,
}

/// An answer in the prompt of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct InjectedAnswer {
    /// UUID.
    pub answer_id: AnswerId,
    /// Its mark in the prompt, for example `QA:1`.
    pub handle: String,
    /// True if it is there on trial: new, blocked for a while, or distrusted.
    pub is_probation: bool,
    /// True if it is an answer of the team's service.
    pub is_of_service: bool,
}

/// An answer that a run was not given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutAnswer {
    /// UUID.
    pub answer_id: AnswerId,
    /// The reason in one word of the gatekeeper, for example `irrelevant`, `blocked`, `changed`, `distrusted`, `full`.
    pub why: String,
}

/// A prepared run.
#[derive(Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PreparedAnswer {
    /// UUID of the run, for `answer:complete` within 24 hours.
    pub run_id: String,
    /// The answers in the prompt, in its order.
    pub injected: Vec<InjectedAnswer>,
    /// Those that were found and are not in it.
    pub left_out: Vec<LeftOutAnswer>,
    /// The question with the answers before it, hidden names replaced: what a model is to be sent.
    pub merged_prompt: String,
    /// Number of names that were replaced in it.
    pub names_hidden: u32,
    /// The answer to the same question in the same words, if one may be shown: no model needs to be asked.
    pub served: Option<Answer>,
    /// Answers to the same question, the served one included, or to nearly the same, best first, with the differences.
    pub nearly: Vec<AnswerMatch>,
    /// True if the search worked by words only or on part of the vectors.
    pub degraded: bool,
    /// The reason, if `degraded` is true.
    pub degraded_reason: Option<String>,
    /// The answers of the team's service that were looked at; `null` without one.
    pub service: Option<ServiceMatches>,
}

impl fmt::Debug for PreparedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedAnswer").field("run_id", &self.run_id).finish_non_exhaustive()
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RunEnd {
    /// By itself.
    #[default]
    Itself,
    /// After its result, when it did not exit.
    AfterResult,
    /// The writer stopped it.
    Cancelled,
    /// It took too long.
    Timeout,
    /// It printed nothing for too long.
    Silence,
    /// It printed too much.
    TooMuch,
    /// It could not be started.
    Spawn,
}

/// One use of a tool in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolUse {
    /// Name of the tool, 1..100 characters.
    pub name: String,
    /// True if it worked.
    pub ok: bool,
}

/// The outcome of a run.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerOutcome {
    /// 0 if it went well.
    pub exit_code: i32,
    /// Default `itself`.
    #[serde(default)]
    #[specta(optional)]
    pub ended_by: RunEnd,
    /// The words of the model, without the results of tools; may be empty. At most 100,000 bytes.
    pub answer: String,
    /// At most 10,000.
    #[serde(default)]
    #[specta(optional)]
    pub tools: Vec<ToolUse>,
    /// The end of what its tools printed, at most 10,000 bytes. It is looked at for words of success and failure, and
    /// not stored.
    #[serde(default)]
    #[specta(optional)]
    pub output_tail: String,
    /// The end of its error output, at most 10,000 bytes; not stored.
    #[serde(default)]
    #[specta(optional)]
    pub error_tail: String,
    /// Sentences of the book that say so, at most 8; for the candidate. One that the text does not have is left out.
    #[serde(default)]
    #[specta(optional)]
    pub citations: Vec<CitationDraft>,
    /// The rest that is known of the answer, for the candidate.
    #[serde(default)]
    #[specta(optional)]
    pub details: AnswerDetails,
    /// As in `answer:record`; for the candidate.
    #[serde(default)]
    #[specta(optional)]
    pub basis: Vec<ChapterId>,
    /// As in `answer:record`; for the candidate.
    #[serde(default)]
    #[specta(optional)]
    pub not_in_book: bool,
}

/// Completes a run: hits, validations and the candidate are stored together, once.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the run.
    pub run_id: String,
    /// As the caller saw it.
    pub outcome: AnswerOutcome,
}

/// The judgement on a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunAssessment {
    /// `null` if it says nothing: the run was stopped or did not begin.
    pub result: Option<ValidationResult>,
    /// How much it says.
    pub signal_strength: SignalStrength,
    /// Its reasons, each in one word of the gatekeeper.
    pub reasons: Vec<String>,
}

/// A validation of an answer by a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunValidation {
    /// UUID of the answer.
    pub answer_id: AnswerId,
    /// How it turned out.
    pub result: ValidationResult,
    /// How much it says.
    pub signal_strength: SignalStrength,
    /// False if it was stored and moves nothing.
    pub is_applied: bool,
}

/// A completed run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CompletedAnswer {
    /// UUID of the run.
    pub run_id: String,
    /// The judgement on the run.
    pub assessment: RunAssessment,
    /// The answers that were shown or used.
    pub hits: Vec<AnswerHit>,
    /// The validations of them.
    pub validations: Vec<RunValidation>,
    /// The new answer, if one was recorded.
    pub candidate_id: Option<AnswerId>,
    /// Why none was, each in one word of the gatekeeper; empty if one was.
    pub why_not: Vec<String>,
    /// Number of marks, such as `[QA:9]`, that name no answer of the prompt.
    pub invented: u32,
    /// Its uses of tools in order, true for one that worked.
    pub tools: Vec<bool>,
}
