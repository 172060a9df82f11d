//! Traces: which memories went into one generation; and the marks that lead from a passage to its trace.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{CutItem, Reference, Time};
use crate::ports::{Message, ModelInfo};

/// What became of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// The candidate taken, or -1.
    pub selected_index: i32,
    /// 0..1, or `null` when all were rejected.
    pub edit_distance: Option<f64>,
}

/// The trace of one generation, written when it ran and never recomputed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// The generation.
    pub generation_id: String,
    /// The book.
    pub project_id: String,
    /// The chapter, as its editor names it.
    pub chapter_id: String,
    /// What was asked.
    pub skill: String,
    /// The scene type that was given or guessed.
    pub scene_type: Option<String>,
    /// When.
    pub created_at: Time,
    /// Who wrote.
    pub provider: ModelInfo,
    /// The seed of the run; each candidate's own is derived from it.
    pub seed: u32,
    /// BLAKE3 of the messages, hexadecimal.
    pub prompt_hash: String,
    /// Exactly what was sent.
    pub messages: Vec<Message>,
    /// All messages together.
    pub total_tokens: u32,
    /// The memories that went in, in order, in the words they then had.
    pub references: Vec<Reference>,
    /// What matched and stayed out.
    pub cut: Vec<CutItem>,
    /// A part of the memory could not be asked.
    pub memory_degraded: bool,
    /// Which, and why.
    pub degraded_reasons: Vec<String>,
    /// The episode that came of it, once the writer has decided.
    pub episode_id: Option<String>,
    /// What the writer decided.
    pub outcome: Option<Outcome>,
}

/// Where a passage that a generation wrote stands. Offsets are UTF-16 code units, end exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OriginMark {
    /// The generation that wrote it.
    pub generation_id: String,
    /// The skill that was run; empty where the trace is gone.
    pub skill: String,
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// BLAKE3 of the passage as last saved, hexadecimal: finds it again after a change outside.
    pub quote_hash: String,
}
