//! Answers: a question with the answer that was kept, how far it may be trusted, and the runs that used it.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{AnswerId, ChapterId, Citation, CitationDraft, Language, MentionRange, ProjectId, Scope, Time};

/// The subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum AnswerKind {
    /// An answer about the book: it rests on citations.
    Canon,
    /// Facts outside the book.
    #[default]
    Research,
    /// A question of writing.
    Craft,
    /// A decision of the writer's.
    Decision,
    /// A task of an agent's.
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
    /// The events, and their causes.
    #[serde(alias = "BUSINESS_LOGIC")]
    Plot,
    /// Who knows what from when on.
    #[serde(alias = "DATA_FLOW")]
    KnowledgeFlow,
    /// How people and things belong together.
    #[serde(alias = "DEPENDENCY")]
    Relationship,
    /// How the world works.
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
    /// It says that something is not in the book, and the writer wrote a sentence near its question since.
    Maybe,
}

/// A step of the exploration that led to a learning record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExplorationStep {
    /// As its provider names it.
    pub tool_name: String,
    /// The arguments that it was given.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// Its findings, in a sentence.
    pub result_summary: String,
    /// Milliseconds since 1970.
    pub timestamp: Time,
}

/// The rest that is known of an answer, all of it optional.
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

/// The estimated chance that an answer is right, by its validations.
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

/// A question with the answer that was kept, and how far it may be trusted.
#[derive(Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// UUID.
    pub answer_id: AnswerId,
    /// UUID of the book; the nil UUID for a promoted answer, which is of no book.
    pub project_id: ProjectId,
    /// `global` for a promoted answer: every book finds it.
    pub scope: Scope,
    /// True if it has a copy that every book finds.
    pub is_promoted: bool,
    /// Grows with each change by the writer.
    pub version: u32,
    /// The subject of the question.
    pub kind: AnswerKind,
    /// The way in which it came into the memory.
    pub origin: AnswerOrigin,
    /// 1..10,000 bytes.
    pub question: String,
    /// 1..100,000 bytes.
    pub answer: String,
    /// The language of the answer.
    pub language: Language,
    /// Confidence of the run that it comes from, 0..1.
    pub confidence: f64,
    /// The rest that is known of it.
    pub details: AnswerDetails,
    /// The sentences of the book that it rests on.
    pub citations: Vec<Citation>,
    /// `stale` if the text has lost one of them.
    pub staleness: Staleness,
    /// Ids of the other answers to the same question that say something else. None of them is blocked, and of two that
    /// the writer confirmed both are right.
    pub disagrees_with: Vec<AnswerId>,
    /// The sentence for which it is `maybe`.
    pub nearby: Option<MentionRange>,
    /// `blocked` if no run is given it.
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
    /// The estimated chance that it is right.
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

impl Answer {
    /// The owner of the answers that are of no book.
    #[must_use]
    pub fn no_project() -> ProjectId {
        ProjectId::from("00000000-0000-0000-0000-000000000000")
    }

    /// Whether a book finds it: its own, and promoted ones.
    #[must_use]
    pub fn is_for(&self, project_id: &ProjectId) -> bool {
        self.project_id == *project_id || self.scope == Scope::Global
    }
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
    /// The rest that is known of it.
    #[serde(default)]
    #[specta(optional)]
    pub details: AnswerDetails,
    /// The chapters that were looked at, for an answer that says that something is not in them.
    #[serde(default)]
    #[specta(optional)]
    pub basis: Vec<ChapterId>,
    /// True: it says so of the whole book. `basis` is then all chapters, if it is empty.
    #[serde(default)]
    #[specta(optional)]
    pub not_in_book: bool,
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

/// The sentences that are now in the places of the citations that the book has lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CitationReplacements {
    /// One for each citation that was lost, in their order.
    pub replacements: Vec<CitationReplacement>,
}

/// A citation that the book has lost, with the sentence in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CitationReplacement {
    /// Its place among the citations of the answer, from 0.
    pub ordinal: u32,
    /// The citation as it would be; `null` if its chapter is gone or empty.
    pub citation: Option<Citation>,
}

/// An answer of a book with its copy for all books.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PromotedAnswer {
    /// The answer of the book, as it is now.
    pub answer: Answer,
    /// Its copy, without citations and details.
    pub promoted: Answer,
    /// The event, for `answer:undo`; `null` if it was promoted before.
    pub event_id: Option<String>,
}

/// The answers that a list has.
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
    /// Only those of this origin; default all.
    #[serde(default)]
    #[specta(optional)]
    pub origin: Option<AnswerOrigin>,
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
    /// Learning records: those of origin `studied`.
    pub studied: u32,
}

/// Some of the answers of a book, and how many there are.
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
