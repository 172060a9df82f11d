//! The audit of runs: matches, decisions and validations in ids and numbers, and replays of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{
    AnswerId, AnswerKind, AnswerStatus, BlockedBy, CompletedAnswer, ConfigValue, ProjectId, Staleness, Time,
    ValidationResult,
};

/// Lists the runs of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerRunQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of a run: those before it. Default from the latest on.
    #[serde(default)]
    #[specta(optional)]
    pub before: Option<String>,
    /// 1..200; default 50.
    #[serde(default)]
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// A run of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerRunArguments {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the run.
    pub run_id: String,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum AnswerRunState {
    /// It may be completed.
    Prepared,
    /// A question to the book that this process answers.
    Running,
    /// It was completed.
    Completed,
    /// It was not completed within 24 hours, or the limit of the day refused it.
    Expired,
    /// A question to the book that the process ended before its answer.
    Interrupted,
}

/// The decision of the gatekeeper on a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum MatchDecision {
    /// It was in the prompt.
    Injected,
    /// It was in the prompt on trial.
    Probation,
    /// It was not in the prompt.
    LeftOut,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRunSummary {
    /// UUID.
    pub run_id: String,
    /// The subject of its question.
    pub kind: AnswerKind,
    /// Its progress.
    pub state: AnswerRunState,
    /// The time of its prompt.
    pub prepared_at: Time,
    /// `null` until it has ended.
    pub ended_at: Option<Time>,
    /// Number of answers that its search found.
    pub found: u32,
    /// Number of answers in its prompt, the one on trial included.
    pub shown: u32,
    /// Number of answers that it used.
    pub used: u32,
    /// `null` for a run that says nothing about answers, or has not ended.
    pub result: Option<ValidationResult>,
    /// UUID of the answer that it left; `null` for none.
    pub candidate_id: Option<AnswerId>,
}

/// The runs of a book, latest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRunList {
    /// Latest first.
    pub runs: Vec<AnswerRunSummary>,
}

/// An answer that a run found, in the numbers of that moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRunMatch {
    /// UUID.
    pub answer_id: AnswerId,
    /// Version of the answer.
    pub version: u32,
    /// Its mark in the prompt; `null` if it was left out.
    pub handle: Option<String>,
    /// The chance that it bears on the question, 0..1.
    pub score: f64,
    /// Sameness of the questions, 0..1.
    pub same: f64,
    /// 0..3.
    pub validation_level: u8,
    /// 0..1.
    pub trust: f64,
    /// 0..1.
    pub freshness: f64,
    /// Failures in a row; a partial result is half of one.
    pub consecutive_fail: f64,
    /// Runs in whose prompt it was before.
    pub hit_count: u32,
    /// Runs that used it before.
    pub use_count: u32,
    /// At that moment.
    pub status: AnswerStatus,
    /// Who blocked it; `null` if it was not blocked.
    pub blocked_by: Option<BlockedBy>,
    /// True if the writer had confirmed it.
    pub user_confirmed: bool,
    /// The status of the sentences that it rests on when the run was prepared.
    pub staleness: Staleness,
    /// The decision on it.
    pub decision: MatchDecision,
    /// Why it was left out, in one word of the gatekeeper.
    pub why: Option<String>,
    /// True if the run used the answer; `null` until the run has ended.
    pub was_used: Option<bool>,
}

/// A run with all that was decided in it. It has no text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRun {
    /// As in a list.
    pub summary: AnswerRunSummary,
    /// Those of the prompt first, in its order.
    pub matches: Vec<AnswerRunMatch>,
    /// Assessment, hits, validations and candidate; `null` for a run that was not completed.
    pub completed: Option<CompletedAnswer>,
}

/// Decides about the runs of a book with other settings.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayAnswers {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Runs from this time on; default all. At most the latest 10,000.
    #[serde(default)]
    #[specta(optional)]
    pub since: Option<Time>,
    /// The settings that differ from those in effect, by section and key.
    pub config: BTreeMap<String, ConfigValue>,
}

/// The answers of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplayDecision {
    /// UUIDs, in the order of the prompt.
    pub injected: Vec<AnswerId>,
    /// UUID of the answer on trial.
    pub probation: Option<AnswerId>,
    /// True if no candidate is kept because a strong answer or one to the same question is there; `null` for a run that
    /// was not completed.
    pub is_answered: Option<bool>,
}

/// A run that other settings decide differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplayedRun {
    /// UUID.
    pub run_id: String,
    /// As it was decided.
    pub before: ReplayDecision,
    /// As the other settings decide.
    pub after: ReplayDecision,
}

/// The decisions of other settings about past runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplayedAnswers {
    /// Number of runs that were decided again.
    pub runs: u32,
    /// Number of answers that the other settings leave out of prompts.
    pub removed: u32,
    /// Number of answers that the other settings put into prompts.
    pub added: u32,
    /// Those that differ, earliest first.
    pub changed: Vec<ReplayedRun>,
}
