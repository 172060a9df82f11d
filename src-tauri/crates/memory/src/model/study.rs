//! The study of a book: its state, its estimate, and its questions.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{AnswerId, ChapterId, EntityId, ProjectId, QuestionId, QuestionType, Time};

/// The activity of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum StudyPhase {
    /// It waits.
    #[default]
    Idle,
    /// It looks whether there is something to do.
    Checking,
    /// A model compares two sentences of the book.
    Comparing,
    /// A model proposes questions.
    GeneratingQuestion,
    /// A model looks for the answer with tools.
    Exploring,
    /// A model sums up.
    Summarizing,
    /// The record is written.
    Committing,
    /// It waits after an error.
    BackingOff,
    /// It has stopped until the writer starts it.
    Stopped,
}

/// Why a study waits or has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum StudyStopReason {
    /// The writer stopped it.
    User,
    /// The provider refuses the key.
    NoKey,
    /// No gap is left.
    FullyLearned,
    /// Five questions in a row were known: it waits for a change of the book.
    Duplicates,
    /// The questions or explorations of the day are used: it waits for tomorrow.
    Quota,
    /// Nothing has changed since: it waits for a change of the book.
    Unchanged,
    /// Five errors in a row.
    Error,
    /// No model is chosen.
    NoModel,
    /// Learning is paused.
    Paused,
    /// The book is not open.
    BookClosed,
}

/// The progress of the study of a book.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StudyState {
    /// Whether the writer has switched it on.
    pub is_enabled: bool,
    /// Whether it takes more steps a question.
    pub is_deep: bool,
    /// The host that the writer agreed to; `null`: no agreement.
    pub agreed_host: Option<String>,
    /// Its present phase.
    pub current_phase: StudyPhase,
    /// Why it waits or has stopped; `null` while it works, and before the first run.
    pub stop_reason: Option<StudyStopReason>,
    /// The question at work.
    pub question_id: Option<QuestionId>,
    /// The words of that question.
    pub question: Option<String>,
    /// Number of steps of its exploration.
    pub step: u32,
    /// Maximum number of steps.
    pub max_steps: u32,
    /// Errors since the last success.
    pub consecutive_errors: u32,
    /// A short code of the last error.
    pub last_error: Option<String>,
    /// Time until which it waits after an error.
    pub backoff_until: Option<Time>,
    /// Questions begun today.
    pub questions_today: u32,
    /// Maximum number of questions a day.
    pub max_questions: u32,
    /// Explorations begun today.
    pub explorations_today: u32,
    /// Maximum number of explorations a day.
    pub max_explorations: u32,
    /// Requests for a comparison of two sentences begun today.
    pub comparisons_today: u32,
    /// Maximum number of requests for comparisons a day.
    pub max_comparisons: u32,
    /// Whether comparisons that the writer asked for wait for the end of another book's study, or of a run of
    /// distillation.
    pub is_comparison_waiting: bool,
    /// The local day of these numbers, `YYYY-MM-DD`.
    pub last_reset_date: String,
    /// Questions explored since the study began.
    pub total_questions_explored: u32,
    /// Version of the settings; 0: none are stored.
    pub version: u32,
}

impl fmt::Debug for StudyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StudyState")
            .field("is_enabled", &self.is_enabled)
            .field("current_phase", &self.current_phase)
            .field("stop_reason", &self.stop_reason)
            .finish_non_exhaustive()
    }
}

/// Switches the study of a book on or off.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetStudy {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Whether it is on. To switch it on, the estimate has to be agreed to.
    pub is_enabled: bool,
    /// Whether it takes more steps a question; without it, as before.
    #[serde(default)]
    #[specta(optional)]
    pub is_deep: Option<bool>,
    /// The host of the estimate that the writer agrees to. Required to switch it on; it has to be that of the model.
    #[serde(default)]
    #[specta(optional)]
    pub agreed_host: Option<String>,
    /// The version that the change is based on; 0 for the first one.
    pub version: u32,
}

/// The estimated cost of studying a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StudyEstimate {
    /// Name of the model; `null`: none is chosen, and the study cannot be switched on.
    pub model: Option<String>,
    /// The host that its text is sent to; `null` without a model.
    pub host: Option<String>,
    /// Whether that host is this machine.
    pub is_local: bool,
    /// Number of open gaps.
    pub gaps: u32,
    /// The most urgent of them, at most 10.
    pub top_gaps: Vec<StudyGap>,
    /// Pairs of sentences that a model is to compare, one request each.
    pub pairs: u32,
    /// Requests of one question, at most.
    pub requests_per_question: u32,
    /// Tokens of one question, at most.
    pub tokens_per_question: u32,
    /// Requests of a day, at most, with those of comparisons.
    pub requests_per_day: u32,
    /// Tokens of a day, at most, with those of comparisons.
    pub tokens_per_day: u32,
    /// Passages of the book, any of which may be sent.
    pub passages: u32,
    /// Whether names are hidden from the model.
    pub names_hidden: bool,
}

/// The reason for which something counts as not asked about yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum GapKind {
    /// A chapter that no answer cites.
    UnreadChapter,
    /// An entity with many mentions and few facts.
    ThinEntity,
    /// Two entities that are often together, and nothing says how they belong together.
    UnrelatedPair,
    /// A thread that was dense and is gone for a quarter of the book.
    OpenThread,
    /// A learning record whose cited text has changed: its question is asked again.
    StaleRecord,
}

/// Something that has not been asked about the book.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StudyGap {
    /// Why it counts as one.
    pub kind: GapKind,
    /// 1..10; the most urgent first.
    pub priority: u8,
    /// A question about it, in the language of the book.
    pub suggested_question: String,
    /// The type of that question.
    pub question_type: QuestionType,
    /// The entities that it is about.
    pub entity_ids: Vec<EntityId>,
    /// The chapter that it is about.
    pub chapter_id: Option<ChapterId>,
}

impl fmt::Debug for StudyGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StudyGap").field("kind", &self.kind).field("priority", &self.priority).finish_non_exhaustive()
    }
}

/// A progress report of a study.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StudyProgress {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Its progress.
    pub state: StudyState,
}

impl fmt::Debug for StudyProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StudyProgress").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Whether a question of the study has been answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum QuestionState {
    /// Not yet.
    Queued,
    /// Its answer is a learning record.
    Answered,
    /// No sentence of the book answers it.
    Failed,
    /// The writer does not want it, or refused its answer: it is not asked again.
    Dropped,
}

/// A question that the program asks itself about a book, or that the writer put into the queue.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StudyQuestion {
    /// UUID.
    pub question_id: QuestionId,
    /// 1..2,000 characters.
    pub question: String,
    /// As in the learning record that answers it.
    pub question_type: QuestionType,
    /// The kind of the gap that it is about; `null`: the writer asks it.
    pub gap: Option<GapKind>,
    /// 1..10. The writer's own come first, whatever it is.
    pub priority: u8,
    /// Whether it has been answered.
    pub state: QuestionState,
    /// Its learning record.
    pub answer_id: Option<AnswerId>,
    /// Time at which it was asked.
    pub created_at: Time,
}

impl fmt::Debug for StudyQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StudyQuestion")
            .field("question_id", &self.question_id)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// The questions of the study of a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct QuestionList {
    /// The queued ones first, in the order in which they are asked; then the others, the newest first.
    pub questions: Vec<StudyQuestion>,
}

/// Adds a question of the writer's. It is asked next.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddQuestion {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 1..2,000 characters, with a letter or a digit.
    pub question: String,
    /// Default `plot`.
    #[serde(default)]
    #[specta(optional)]
    pub question_type: Option<QuestionType>,
}

impl fmt::Debug for AddQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddQuestion").field("project_id", &self.project_id).finish_non_exhaustive()
    }
}

/// One question of the study.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionArguments {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// UUID of the question.
    pub question_id: QuestionId,
}
