//! What is told without being asked.

use std::sync::Arc;

use palimpsest_memory::model::Change;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;

use crate::error::ApiError;

/// Where events go: the name and the payload. Called from any thread; must not block for long.
pub type EventSink = Arc<dyn Fn(&str, Value) + Send + Sync>;

macro_rules! events {
    ($($(#[$meta:meta])* $constant:ident $field:ident $name:literal: $payload:ty;)*) => {
        $($(#[$meta])* pub(crate) const $constant: &str = $name;)*

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
    /// A run has ended, one way or another.
    SKILL_DONE skill_done "ai:skill:done": SkillDone;
    /// The memory changed.
    MEMORY_CHANGED memory_changed "memory:changed": Change;
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
