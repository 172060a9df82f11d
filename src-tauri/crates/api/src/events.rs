//! Events that the api sends without a request.

use std::sync::Arc;

use palimpsest_memory::model::{
    Change, ChapterId, CutItem, GenerationId, MaintenanceFailure, MaintenanceReport, Part, ProjectId, Reference,
    RunProgress, StudyProgress,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

use crate::{
    asking::{AskChunk, AskDone, AskStep},
    error::ApiError,
};

/// Receives events: the name and the payload. Called from any thread; must not block for long.
pub type EventSink = Arc<dyn Fn(&str, Value) + Send + Sync>;

macro_rules! events {
    ($($(#[$meta:meta])* $constant:ident $field:ident $name:literal: $payload:ty;)*) => {
        // One of them is exported.
        $($(#[$meta])* #[allow(unreachable_pub)] pub const $constant: &str = $name;)*

        /// The names of all events.
        pub const EVENTS: &[&str] = &[$($name),*];

        /// Every event with its payload, for the bindings.
        #[derive(Type, Serialize)]
        #[allow(dead_code, missing_docs)] // exists for its type
        pub(crate) struct Events { $(#[serde(rename = $name)] pub $field: $payload),* }
    };
}

events! {
    /// A chunk of a candidate.
    SKILL_CHUNK skill_chunk "ai:skill:chunk": SkillChunk;
    /// A candidate has ended.
    SKILL_CANDIDATE skill_candidate "ai:skill:candidate": SkillCandidate;
    /// The text of a candidate is no draft, and the model is asked once more.
    SKILL_RETRY skill_retry "ai:skill:retry": SkillRetry;
    /// The prompt was shortened because the model could not read all of it.
    SKILL_TRIMMED skill_trimmed "ai:skill:trimmed": SkillTrimmed;
    /// A run has ended.
    SKILL_DONE skill_done "ai:skill:done": SkillDone;
    /// A step of a question has started or ended.
    ASK_STEP ask_step "ask:step": AskStep;
    /// A piece of an answer.
    ASK_CHUNK ask_chunk "ask:chunk": AskChunk;
    /// A question has its answer, or none.
    ASK_DONE ask_done "ask:done": AskDone;
    /// The study of a book has come to another phase or step.
    STUDY_PROGRESS study_progress "knowledge:study:progress": StudyProgress;
    /// The memory changed.
    MEMORY_CHANGED memory_changed "memory:changed": Change;
    /// Progress of a distillation run.
    DISTILL_PROGRESS distill_progress "memory:distill:progress": RunProgress;
    /// Progress of a measurement.
    MEASURE_PROGRESS measure_progress "memory:trace:progress": MeasureProgress;
    /// Progress of making vectors for a new model.
    INDEX_PROGRESS index_progress "memory:index:progress": IndexProgress;
    /// A maintenance job has succeeded.
    MAINTENANCE_DONE maintenance_done "memory:maintenance:done": MaintenanceReport;
    /// A maintenance job failed; it is tried again at its next window.
    MAINTENANCE_FAILED maintenance_failed "memory:maintenance:failed": MaintenanceFailure;
    /// Progress of the analysis of a book.
    ANALYSIS_PROGRESS analysis_progress "story:analyze:progress": AnalysisProgress;
    /// A chapter was changed outside the program.
    CHAPTER_CHANGED chapter_changed "chapter:changed": ChapterChanged;
    /// The list of chapters was changed outside the program.
    PROJECT_CHANGED project_changed "project:changed": ProjectChanged;
}

/// Progress of the analysis of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnalysisProgress {
    pub project_id: ProjectId,
    /// The step under way.
    pub step: AnalysisStep,
    /// Number of its chapters or passages that are done.
    pub done: u32,
    /// Number of those to do.
    pub total: u32,
}

/// A step of the analysis of a book.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AnalysisStep {
    /// Chapters are split into passages.
    Chapters,
    /// The tagger reads the passages of a Chinese book.
    Passages,
}

/// A chunk of a candidate, to be appended.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillChunk {
    /// The run.
    pub generation_id: GenerationId,
    /// The candidate's place on screen, in random order.
    pub candidate: u32,
    /// The chunk.
    pub text: String,
}

/// One candidate of a run has ended; the others may still be written.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillCandidate {
    /// The run.
    pub generation_id: GenerationId,
    /// The candidate's place on screen.
    pub candidate: u32,
    /// The whole draft, or the part that came; empty if the text is no draft.
    pub text: String,
    /// Why it is incomplete; `null` when it is complete or the writer stopped it.
    pub error: Option<ApiError>,
    /// The text that is no draft, and why; `null` for a draft.
    pub unusable: Option<UnusableText>,
    /// The generation of the second try that wrote it: its trace has the prompt that was sent. `null` if the run wrote
    /// it at once.
    pub written_by: Option<GenerationId>,
}

/// A text of a model that is no draft.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnusableText {
    pub reason: UnusableReason,
    /// The text as the model wrote it, with names restored; it may contain lines of the prompt.
    pub text: String,
}

/// The reason why a text is no draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum UnusableReason {
    /// It repeats the prompt.
    PromptEcho,
    /// It repeats the passage, or returns the selection, or nearly all of it, unchanged.
    RepeatsPassage,
    /// The model refuses.
    Refusal,
    /// It speaks about the text.
    Advice,
    /// It is in another language than the book.
    WrongLanguage,
    /// The same sentences again and again.
    Loop,
    /// Without words of a draft.
    Empty,
}

/// The text of a candidate is no draft. What was shown of it is dropped, and its text begins again.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillRetry {
    /// The run.
    pub generation_id: GenerationId,
    /// The candidate's place on screen.
    pub candidate: u32,
    pub reason: UnusableReason,
}

/// The prompt that was sent instead of one that the model could not read whole. The trace is updated too.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillTrimmed {
    /// The run.
    pub generation_id: GenerationId,
    /// The memories in the prompt.
    pub memory_references: Vec<Reference>,
    /// Memories that were relevant and did not fit, or were left out for another reason.
    pub cut: Vec<CutItem>,
    /// Tokens of the whole prompt.
    pub total_tokens: u32,
    /// Maximum tokens of prompt and answer together; remembered for the next prompt.
    pub context_tokens: u32,
}

/// Progress of a measurement of a generation.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeasureProgress {
    pub project_id: ProjectId,
    pub generation_id: GenerationId,
    /// Number of regenerations done.
    pub done: u32,
    /// Number of regenerations in all.
    pub regenerations: u32,
    /// The outcome; `null` while it is under way.
    pub end: Option<MeasureEnd>,
}

/// The outcome of a measurement. Only a complete one is stored.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum MeasureEnd {
    /// Stored next to the estimate.
    Measured,
    /// The writer stopped it, or the book was cleared.
    Cancelled,
    /// It ended with an error.
    Failed { error: ApiError },
}

/// Progress of making vectors for a new model.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IndexProgress {
    /// The part of the memory: always the encoder.
    pub part: Part,
    /// Number of episodes that have their vectors.
    pub done: u32,
    /// Number of all episodes.
    pub total: u32,
}

/// The outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SkillStatus {
    /// All candidates are complete.
    Finished,
    /// The writer stopped it.
    Cancelled,
    /// No candidate is complete.
    Failed,
}

/// A run has ended.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkillDone {
    /// The run.
    pub generation_id: GenerationId,
    /// The outcome.
    pub status: SkillStatus,
    /// The candidates by their place on screen; incomplete when the run was stopped or failed, empty where the text is
    /// no draft.
    pub candidates: Vec<String>,
    /// Why the run or one of its candidates failed.
    pub error: Option<ApiError>,
}

/// A chapter was changed outside the program.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChapterChanged {
    pub project_id: ProjectId,
    pub chapter_id: ChapterId,
    /// The content hash now; `null` when the file is missing.
    pub content_hash: Option<String>,
}

/// The list of chapters was changed outside the program.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectChanged {
    pub project_id: ProjectId,
}

/// Sends an event.
pub(crate) fn emit<T: Serialize>(sink: &EventSink, name: &str, payload: &T) {
    if let Ok(payload) = serde_json::to_value(payload) {
        sink(name, payload);
    }
}
