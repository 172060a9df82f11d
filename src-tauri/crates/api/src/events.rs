//! What is told without being asked.

use std::sync::Arc;

use palimpsest_memory::model::{Change, CutItem, MaintenanceFailure, MaintenanceReport, Part, Reference, RunProgress};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

use crate::error::ApiError;

/// Where events go: the name and the payload. Called from any thread; must not block for long.
pub type EventSink = Arc<dyn Fn(&str, Value) + Send + Sync>;

macro_rules! events {
    ($($(#[$meta:meta])* $constant:ident $field:ident $name:literal: $payload:ty;)*) => {
        $($(#[$meta])* pub const $constant: &str = $name;)*

        /// The names of all events.
        pub const EVENTS: &[&str] = &[$($name),*];

        /// Every event with its payload, for the bindings.
        #[derive(Type, Serialize)]
        #[allow(dead_code, missing_docs)] // exists for its type
        pub struct Events { $(#[serde(rename = $name)] pub $field: $payload),* }
    };
}

events! {
    /// A piece of a candidate.
    SKILL_CHUNK skill_chunk "ai:skill:chunk": SkillChunk;
    /// A candidate has ended.
    SKILL_CANDIDATE skill_candidate "ai:skill:candidate": SkillCandidate;
    /// The model could not read all of a prompt, and less was sent.
    SKILL_TRIMMED skill_trimmed "ai:skill:trimmed": SkillTrimmed;
    /// A run has ended, one way or another.
    SKILL_DONE skill_done "ai:skill:done": SkillDone;
    /// The memory changed.
    MEMORY_CHANGED memory_changed "memory:changed": Change;
    /// How far a run of distillation is.
    DISTILL_PROGRESS distill_progress "memory:distill:progress": RunProgress;
    /// How far a measurement is.
    MEASURE_PROGRESS measure_progress "memory:trace:progress": MeasureProgress;
    /// Vectors for a new model are being made.
    #[allow(dead_code)] // declared before it is told
    INDEX_PROGRESS index_progress "memory:index:progress": IndexProgress;
    /// A maintenance job has ended well.
    MAINTENANCE_DONE maintenance_done "memory:maintenance:done": MaintenanceReport;
    /// A maintenance job failed; it is tried again at its next window.
    MAINTENANCE_FAILED maintenance_failed "memory:maintenance:failed": MaintenanceFailure;
    /// A chapter was changed outside.
    CHAPTER_CHANGED chapter_changed "chapter:changed": ChapterChanged;
    /// The list of chapters was changed outside.
    PROJECT_CHANGED project_changed "project:changed": ProjectChanged;
}

/// A piece of a candidate, to be appended.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SkillChunk {
    /// The run.
    pub generation_id: String,
    /// The candidate's place on screen. Already in random order.
    pub candidate: u32,
    /// The piece.
    pub text: String,
}

/// One candidate of a run has ended; the others may still be written.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SkillCandidate {
    /// The run.
    pub generation_id: String,
    /// The candidate's place on screen.
    pub candidate: u32,
    /// All of its text, or as far as it came.
    pub text: String,
    /// Why it is not whole; `null` when it is, or when the writer stopped it.
    pub error: Option<ApiError>,
}

/// The model could not read all of the prompt: this is what was sent instead. The trace says the same.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SkillTrimmed {
    /// The run.
    pub generation_id: String,
    /// The memories in the prompt.
    pub memory_references: Vec<Reference>,
    /// What matched and stayed out.
    pub cut: Vec<CutItem>,
    /// The whole prompt.
    pub total_tokens: u32,
    /// What prompt and answer may now be together; remembered for the next prompt.
    pub context_tokens: u32,
}

/// How far a measurement of a generation is.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MeasureProgress {
    /// The book.
    pub project_id: String,
    /// The generation.
    pub generation_id: String,
    /// Regenerations that have come.
    pub done: u32,
    /// All that it takes.
    pub regenerations: u32,
    /// How it ended; `null` while it is under way.
    pub end: Option<MeasureEnd>,
}

/// How a measurement ended. Only a whole one is kept.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MeasureEnd {
    /// It stands beside the estimate.
    Measured,
    /// The writer stopped it, or the book was cleared.
    Cancelled,
    /// It could not be done.
    Failed {
        /// Why.
        error: ApiError,
    },
}

/// Vectors for a new model are being made.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct IndexProgress {
    /// The part of the memory: always the encoder's.
    pub part: Part,
    /// Episodes that have theirs.
    pub done: u32,
    /// All episodes.
    pub total: u32,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum SkillStatus {
    /// All candidates are whole.
    Finished,
    /// The writer stopped it.
    Cancelled,
    /// No candidate is whole.
    Failed,
}

/// A run has ended.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SkillDone {
    /// The run.
    pub generation_id: String,
    /// How.
    pub status: SkillStatus,
    /// The candidates by their place on screen; what there is of them, when it was stopped or failed.
    pub candidates: Vec<String>,
    /// Why it failed, or why one candidate did.
    pub error: Option<ApiError>,
}

/// A chapter was changed outside.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ChapterChanged {
    /// The book.
    pub project_id: String,
    /// The chapter.
    pub chapter_id: String,
    /// The hash of what is there now; `null` when the file is gone.
    pub content_hash: Option<String>,
}

/// The list of chapters was changed outside.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ProjectChanged {
    /// The book.
    pub project_id: String,
}

/// Tells an event.
pub(crate) fn emit<T: Serialize>(sink: &EventSink, name: &str, payload: &T) {
    if let Ok(payload) = serde_json::to_value(payload) {
        sink(name, payload);
    }
}
