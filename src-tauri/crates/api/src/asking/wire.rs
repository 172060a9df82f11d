//! Arguments, answers and events of a question to the book.

use std::sync::Arc;

use palimpsest_agents::RunBackend;
use palimpsest_memory::{
    model::{
        Answer, AnswerKind, AnswerMatch, AssembledContext, ChapterId, DegradedReason, EarlierQuestion, GenerationId,
        Position, ProjectId,
    },
    ports::ModelInfo,
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{error::ApiError, models::AskingModel};

/// Asks a question about a book, or anything else.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RunAsk {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// 1..10,000 bytes.
    pub question: String,
    /// The book is known up to here. Default: the whole book.
    #[specta(optional)]
    pub at: Option<Position>,
    /// The selected text that the question is about, at most 100,000 bytes.
    #[specta(optional)]
    pub selection: Option<String>,
    /// The subject of the question. Default: guessed from the question.
    #[specta(optional)]
    pub kind: Option<AnswerKind>,
    /// Default `false`: the answer kept for the same question in the same words is returned and nothing is sent.
    #[specta(optional)]
    pub fresh: Option<bool>,
    /// Default `false`. If `true`, no model is asked: the passages that bear on the question are returned.
    #[specta(optional)]
    pub only_book: Option<bool>,
    /// Id of the program that answers. Default: the model of the purpose `asking`, or else that for writing.
    #[specta(optional)]
    pub backend_id: Option<String>,
    /// Default `false`: a program that the system cannot keep from reading other files is refused (reason `notFenced`)
    /// where names are hidden or the book is known up to a position only. If `true`, it may start this once.
    #[specta(optional)]
    pub is_unfenced_allowed: Option<bool>,
}

impl std::fmt::Debug for RunAsk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunAsk").field("project_id", &self.project_id).finish_non_exhaustive()
    }
}

/// The source of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum AskedOf {
    /// An answer that is kept. Nothing is sent, and no event follows.
    Kept,
    /// The model of the purpose `asking`.
    Model { model: ModelInfo, host: String, is_local: bool },
    /// A program of this machine, which reads a copy of the book up to the position, with the hidden names replaced.
    Program { backend_id: String, name: String, leaves_machine: bool },
    /// The book alone: no model is chosen, or none was wanted.
    Book,
}

impl AskedOf {
    /// The source of an answer: what is served, else the program, else the model, else the book alone.
    pub(super) fn new(
        is_served: bool,
        program: Option<&(String, Arc<dyn RunBackend>)>,
        model: Option<&AskingModel>,
    ) -> Self {
        match (is_served, program, model) {
            (true, ..) => Self::Kept,
            (false, Some((backend_id, backend)), _) => {
                let info = backend.info();
                Self::Program { backend_id: backend_id.clone(), name: info.name, leaves_machine: info.leaves_machine }
            }
            (false, None, Some(model)) => {
                Self::Model { model: model.model.info(), host: model.host.clone(), is_local: model.is_local }
            }
            (false, None, None) => Self::Book,
        }
    }
}

/// The first request of a question, before it is asked.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskPreview {
    /// The source of the answer.
    pub asked_of: AskedOf,
    /// The first prompt, with the hidden names replaced. A program replaces them itself, perhaps by other aliases.
    /// `null` where nothing would be sent.
    pub context: Option<AssembledContext>,
}

/// A question that is being answered.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskStarted {
    /// UUID of the run; the events carry it.
    pub run_id: String,
    /// The source of the answer.
    pub asked_of: AskedOf,
    /// The subject of the question, as given or guessed.
    pub kind: AnswerKind,
    /// The answer that is kept for the same question in the same words; with `fresh` it is listed in `nearly`.
    pub served: Option<Answer>,
    /// Answers to nearly the same question, best first. None of them is taken for the answer.
    pub nearly: Vec<AnswerMatch>,
    /// Number of kept answers that the model is given.
    pub injected: u32,
    /// True if a part of the memory was unavailable: perhaps the answer is not kept.
    pub memory_degraded: bool,
    /// The reasons; empty if nothing was unavailable.
    pub degraded_reasons: Vec<DegradedReason>,
}

/// A run of a question.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CancelAsk {
    /// UUID of the run.
    pub run_id: String,
}

/// Lists the questions that were asked about a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AskHistoryQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Maximum number of questions, 1..200. Default 50.
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// The questions of a book, from its journal: those of redacted entries are not among them.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskHistory {
    /// Latest first, each once.
    pub questions: Vec<EarlierQuestion>,
    /// True if new questions are written into the journal of the book.
    pub is_journal_kept: bool,
}

/// The action of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AskStepKind {
    /// The model has said what it needs to know; `subject` is its description.
    Need,
    /// The journal was searched.
    Journal,
    /// Kept answers were searched.
    Answers,
    /// Past passages of the writer and drafts were searched.
    Episodes,
    /// The passages of the book were searched.
    Book,
    /// A passage was read; `chapter_id` is its chapter.
    Read,
    /// The card of an entity was read; `subject` is its name.
    Entity,
    /// The chapters that name an entity were counted; `subject` is its name.
    Where,
    /// The passages that name two entities were searched; `subject` is both names.
    Together,
    /// Times of the story were read.
    Times,
    /// A program used a tool of its own; `subject` is the name of the tool.
    Program,
}

/// A step is sent when it starts and again when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AskStepState {
    /// Under way.
    Started,
    /// It has ended; `found` is known.
    Done,
    /// It failed; the run goes on without it.
    Failed,
}

/// One step of a run, sent when it starts and again when it ends.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskStep {
    /// UUID of the run.
    pub run_id: String,
    /// 1 for the first; a step that is sent again has the same number.
    pub number: u32,
    /// The round of the loop, from 1 on; 0 before the model was asked.
    pub round: u32,
    /// The action.
    pub kind: AskStepKind,
    /// The query, the name, or the description of the need; may be empty.
    pub subject: String,
    /// Number of items that were found; `null` while it is under way.
    pub found: Option<u32>,
    /// The chapter of a passage that was read.
    pub chapter_id: Option<ChapterId>,
    /// Started, done or failed.
    pub state: AskStepState,
}

/// A passage that a statement rests on: its quote was found in the saved text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskCitation {
    /// 1 for the first.
    pub number: u32,
    /// Id of the chapter.
    pub chapter_id: ChapterId,
    /// Start in the chapter's text, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
    /// The words of the text.
    pub quote: String,
}

/// The standing of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StatementStatus {
    /// Its passage was found.
    Verified,
    /// No passage was found: shown struck, and not kept.
    Unverified,
    /// It says nothing about the book and needs no passage.
    Plain,
}

/// A statement of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskStatement {
    /// Start in the text of the answer, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
    /// Verified, unverified or plain.
    pub status: StatementStatus,
    /// The numbers of its citations, in their order.
    pub citations: Vec<u32>,
}

/// The next part of an answer.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskChunk {
    /// UUID of the run.
    pub run_id: String,
    /// To be appended; may be empty. Marks of passages are not in it.
    pub text: String,
    /// The statements that end in this part, in their order.
    pub statements: Vec<AskStatement>,
    /// Their citations that no earlier part had.
    pub citations: Vec<AskCitation>,
}

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AskStatus {
    /// The answer is complete.
    Finished,
    /// The writer stopped it; nothing is kept.
    Cancelled,
    /// There is no answer, or only a part of one; nothing is kept.
    Failed,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answered {
    /// All pieces joined; empty where the book alone was asked.
    pub text: String,
    /// The statements of the text, in their order.
    pub statements: Vec<AskStatement>,
    /// The citations of the statements, in their order.
    pub citations: Vec<AskCitation>,
    /// True if the model says that the book does not answer the question.
    pub not_in_book: bool,
    /// The chapters whose passages were looked at, in the order of the book.
    pub looked_at: Vec<ChapterId>,
    /// Probability that the book does not answer the question, 0..1, by the passages that are nearest to it; `null` if
    /// nothing was searched.
    pub unanswerable: Option<f64>,
    /// The passages that bear on the question, closest first, where the book alone was asked: stretches of at most 400
    /// characters, where a Han character counts as 2.5.
    pub passages: Vec<AskCitation>,
    /// The answer that was kept; `null` if none was.
    pub kept: Option<Answer>,
    /// The reasons why none was kept, as the gatekeeper names them; empty if one was.
    pub why_not: Vec<String>,
    /// True if the answer is in another language than the question. It is kept all the same.
    pub is_other_language: bool,
    /// The parts of the memory that were unavailable, also those that failed after the start.
    pub degraded_reasons: Vec<DegradedReason>,
    /// UUID of the trace; `null` where no model was asked or no trace could be stored.
    pub generation_id: Option<GenerationId>,
    /// Number of rounds in which the model said what it needs to know.
    pub rounds: u32,
    /// Number of steps.
    pub steps: u32,
    /// Duration in milliseconds.
    pub millis: u32,
}

/// A run has ended.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskDone {
    /// UUID of the run.
    pub run_id: String,
    /// Finished, cancelled or failed.
    pub status: AskStatus,
    /// The answer, or the part of it that came.
    pub answered: Answered,
    /// The cause of a failure; `null` otherwise.
    pub error: Option<ApiError>,
}
