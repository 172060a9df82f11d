//! Answers: a question with the answer that was kept, how far it may be trusted, and the runs that used it.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{AnswerId, Citation, CitationDraft, Language, ProjectId, Time};

/// The subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum AnswerKind {
    /// What the book says: it rests on citations.
    Canon,
    /// Facts outside the book.
    #[default]
    Research,
    /// How to write something.
    Craft,
    /// What the writer decided.
    Decision,
    /// What an agent was asked to do.
    Task,
}

/// How an answer came into the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum AnswerOrigin {
    /// The writer asked.
    Asked,
    /// The program studied the book: a learning record.
    Studied,
    /// Another program recorded it.
    #[default]
    Agent,
    /// It came with a file.
    Imported,
}

/// The type of the question of a learning record. The names of the original system, such as `CODE_STRUCTURE`, are read
/// too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum QuestionType {
    /// How the book is built.
    #[serde(alias = "CODE_STRUCTURE")]
    Structure,
    /// What happens, and why.
    #[serde(alias = "BUSINESS_LOGIC")]
    Plot,
    /// Who knows what from when on.
    #[serde(alias = "DATA_FLOW")]
    KnowledgeFlow,
    /// How people and things belong together.
    #[serde(alias = "DEPENDENCY")]
    Relationship,
    /// A rule of the world.
    #[serde(alias = "CONFIGURATION")]
    WorldRule,
    /// Two places that may not agree.
    #[serde(alias = "ERROR_ANALYSIS")]
    Continuity,
    /// How it is written.
    #[serde(alias = "BEST_PRACTICE")]
    Craft,
    /// A person, place or thing.
    #[serde(alias = "DOMAIN_KNOWLEDGE")]
    Entity,
}

/// Whether an answer may be put into a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum AnswerStatus {
    /// It may, and no validation has passed yet.
    Active,
    /// It may, and at least one validation has passed.
    Verified,
    /// It failed several times in a row, or the writer blocked it.
    Blocked,
}

/// Whose decision it is that an answer is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum BlockedBy {
    /// It failed in runs. It may be tried again, one at a time, after a while.
    Run,
    /// The writer blocked it: only the writer unblocks it.
    Writer,
}

/// Whether the book still has the sentences that an answer rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Staleness {
    /// All of them, or it has none.
    #[default]
    Current,
    /// One is not in the text any more.
    Stale,
}

/// A step of the exploration that led to a learning record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExplorationStep {
    /// Name of the tool.
    pub tool_name: String,
    /// The arguments that it was given.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// What it found, in a sentence.
    pub result_summary: String,
    /// Milliseconds since 1970.
    pub timestamp: Time,
}

/// What is known of an answer beside question and answer. All of it is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AnswerDetails {
    /// The type of the question of a learning record.
    #[specta(optional)]
    pub question_type: Option<QuestionType>,
    /// The domain that it belongs to, 1..100 characters.
    #[specta(optional)]
    pub domain: Option<String>,
    /// At most 20, each 1..40 characters.
    #[specta(optional)]
    pub tags: Vec<String>,
    /// The files that it was found in, at most 100.
    #[specta(optional)]
    pub source_files: Vec<String>,
    /// Ids of other answers that it has to do with, at most 100.
    #[specta(optional)]
    pub related_records: Vec<String>,
    /// The steps that led to it, at most 100.
    #[specta(optional)]
    pub exploration_path: Vec<ExplorationStep>,
    /// At most 50 entries.
    #[specta(optional)]
    pub metadata: BTreeMap<String, String>,
}

/// How certain it is that an answer is right, judged by its validations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerPosterior {
    /// The estimated share of uses in which it is right, 0..1.
    pub value: f64,
    /// Lower end of the 90 % interval.
    pub low: f64,
    /// Upper end of the 90 % interval.
    pub high: f64,
    /// The weight of its validations: a strong one weighs 1.
    pub weight: f64,
    /// Number of its validations. With less than three it counts as not tried yet.
    pub tries: u32,
    /// Number of those that passed.
    pub passed: u32,
}

/// An answer.
#[derive(Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// UUID.
    pub answer_id: AnswerId,
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Grows with each change by the writer.
    pub version: u32,
    /// The subject of the question.
    pub kind: AnswerKind,
    /// How it came here.
    pub origin: AnswerOrigin,
    /// 1..10,000 bytes.
    pub question: String,
    /// 1..100,000 bytes.
    pub answer: String,
    /// The language of the answer.
    pub language: Language,
    /// How good the run was that it comes from, 0..1.
    pub confidence: f64,
    /// What else is known of it.
    pub details: AnswerDetails,
    /// The sentences of the book that it rests on.
    pub citations: Vec<Citation>,
    /// Whether the book still has them.
    pub staleness: Staleness,
    /// Whether it may be put into a prompt.
    pub status: AnswerStatus,
    /// Who blocked it; `null` if it is not blocked.
    pub blocked_by: Option<BlockedBy>,
    /// 0 candidate, 1 checked, 2 reliable, 3 settled.
    pub validation_level: u8,
    /// 0..1, moved by fixed steps.
    pub trust: f64,
    /// Failures since the last pass; a partial one counts half.
    pub consecutive_fail: f64,
    /// Number of validations that passed since it was last edited.
    pub passes: u32,
    /// Number of runs that were given it.
    pub hit_count: u32,
    /// Number of runs that used it.
    pub use_count: u32,
    /// How certain it is that it is right.
    pub posterior: AnswerPosterior,
    /// True if the writer confirmed it: no run lowers or blocks it.
    pub user_confirmed: bool,
    /// True if the writer edited it.
    pub user_modified: bool,
    /// True if it failed since the writer confirmed it.
    pub is_challenged: bool,
    /// Time at which it was recorded.
    pub created_at: Time,
    /// Time of the last change.
    pub updated_at: Time,
    /// Time at which a validation or the writer last said that it is right; before that, `createdAt`.
    pub verified_at: Time,
    /// Time at which it was last put into a prompt.
    pub last_shown_at: Option<Time>,
}

impl fmt::Debug for Answer {
    // Its texts are private: not even a failed assertion shows them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("answer_id", &self.answer_id)
            .field("status", &self.status)
            .field("validation_level", &self.validation_level)
            .field("trust", &self.trust)
            .finish_non_exhaustive()
    }
}

/// Records an answer as a candidate, of level 0.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 1..10,000 bytes, with a letter or a digit.
    pub question: String,
    /// 1..100,000 bytes.
    pub answer: String,
    /// Default `research`; with citations `canon`.
    #[serde(default)]
    #[specta(optional)]
    pub kind: Option<AnswerKind>,
    /// Default `agent`.
    #[serde(default)]
    #[specta(optional)]
    pub origin: Option<AnswerOrigin>,
    /// 0..1; default .45.
    #[serde(default)]
    #[specta(optional)]
    pub confidence: Option<f64>,
    /// Sentences of the book that say so, at most 8. Each is looked up in the saved text.
    #[serde(default)]
    #[specta(optional)]
    pub citations: Vec<CitationDraft>,
    /// What else is known of it.
    #[serde(default)]
    #[specta(optional)]
    pub details: AnswerDetails,
}

/// An answer after a change, with the event that changed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerChange {
    /// The answer as it is now.
    pub answer: Answer,
    /// The event, for `answer:undo`; `null` if nothing changed.
    pub event_id: Option<String>,
}

/// One answer of a book, in the version that the caller has seen.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerVersion {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the answer.
    pub answer_id: AnswerId,
    /// The version that the change is based on.
    pub version: u32,
}

/// Confirms an answer, or takes the confirmation back.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the answer.
    pub answer_id: AnswerId,
    /// The version that the change is based on.
    pub version: u32,
    /// True to confirm it, false to take the confirmation back.
    pub user_confirmed: bool,
}

/// Edits an answer: its trust and level begin again.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the answer.
    pub answer_id: AnswerId,
    /// The version that the change is based on.
    pub version: u32,
    /// As in `answer:record`; left out: it stays.
    #[serde(default)]
    #[specta(optional)]
    pub question: Option<String>,
    /// As in `answer:record`; left out: it stays.
    #[serde(default)]
    #[specta(optional)]
    pub answer: Option<String>,
    /// Left out: it stays.
    #[serde(default)]
    #[specta(optional)]
    pub kind: Option<AnswerKind>,
    /// As in `answer:record`; left out: they stay.
    #[serde(default)]
    #[specta(optional)]
    pub citations: Option<Vec<CitationDraft>>,
}

/// Deletes an answer for good: its words are removed from every file, also from the backups.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the answer.
    pub answer_id: AnswerId,
    /// The version that the caller has seen.
    pub version: u32,
    /// Must be true.
    pub confirmed: bool,
}

/// The report of a deletion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DeletedAnswer {
    /// UUID of the answer that is gone.
    pub answer_id: AnswerId,
    /// Time at which its words were gone from every file; `null` while that continues in the background.
    pub finished_at: Option<Time>,
}

/// Undoes an event of an answer: the standing is that of the other events.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoAnswerEvent {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Id of the event.
    pub event_id: String,
}

/// One answer of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerArguments {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the answer.
    pub answer_id: AnswerId,
}

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

/// What a validation comes from.
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

/// The kind of an event.
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
}

/// The texts of an answer before and after an edit.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EditedTexts {
    /// The question before.
    pub question_before: String,
    /// The question after.
    pub question_after: String,
    /// The answer before.
    pub answer_before: String,
    /// The answer after.
    pub answer_after: String,
}

impl fmt::Debug for EditedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditedTexts").finish_non_exhaustive()
    }
}

/// One event of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerEvent {
    /// UUID.
    pub event_id: String,
    /// Time of the event.
    pub at: Time,
    /// Its kind.
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

/// Which answers are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum AnswerFilter {
    /// All of them.
    #[default]
    All,
    /// Those that rest on text that has changed.
    Stale,
    /// Those without a validation that passed, and those that failed and are tried again.
    OnTrial,
    /// Blocked ones.
    Blocked,
}

/// Lists the answers of a book, latest change first.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerListQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Default `all`.
    #[serde(default)]
    #[specta(optional)]
    pub filter: AnswerFilter,
    /// Default all kinds.
    #[serde(default)]
    #[specta(optional)]
    pub kinds: Vec<AnswerKind>,
    /// Only those whose question or answer has these words, as they are written.
    #[serde(default)]
    #[specta(optional)]
    pub words: Option<String>,
    /// Number of answers to skip.
    #[serde(default)]
    #[specta(optional)]
    pub offset: u32,
    /// 1..200; default 50.
    #[serde(default)]
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// Numbers of answers by filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerCounts {
    /// All of them.
    pub all: u32,
    /// Those that rest on text that has changed.
    pub stale: u32,
    /// Those on trial.
    pub on_trial: u32,
    /// Blocked ones.
    pub blocked: u32,
}

/// A page of answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerPage {
    /// Latest change first.
    pub answers: Vec<Answer>,
    /// Number of answers that the filters leave.
    pub total: u32,
    /// Of the whole book.
    pub counts: AnswerCounts,
}

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

/// How far two questions ask the same.
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

/// How much of a query an answer has.
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
    /// The answer.
    pub answer: Answer,
    /// How probable it is that the answer has to do with the query, 0..1; .5: in half of the cases.
    pub score: f64,
    /// How far the two questions ask the same.
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
    /// What the score is computed from.
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
    /// True if the search worked by words only or on part of the vectors.
    pub degraded: bool,
    /// The reason, if `degraded` is true.
    pub degraded_reason: Option<String>,
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

/// What came of a run.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerOutcome {
    /// 0 if it went well.
    pub exit_code: i32,
    /// Default `itself`.
    #[serde(default)]
    #[specta(optional)]
    pub ended_by: RunEnd,
    /// What the model answered, without the results of tools; may be empty. At most 100,000 bytes.
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
}

/// Completes a run: hits, validations and the candidate are stored together, once.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteAnswer {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the run.
    pub run_id: String,
    /// What came of it.
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
    /// Number of marks in the answer that stand for no answer of the prompt.
    pub invented: u32,
}

/// Compares the citations of answers with the present text of the book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecheckAnswers {
    /// UUID of the book.
    pub project_id: ProjectId,
}

/// Numbers of citations of answers by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecheckedAnswers {
    /// All of them.
    pub checked: u32,
    /// Found at another place.
    pub moved: u32,
    /// Not in their chapter any more.
    pub changed: u32,
    /// Whose chapter is not in the book any more.
    pub gone: u32,
}
