//! Traces: which memories went into one generation; and the marks that lead from a passage to its trace.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{CutItem, DegradedReason, Reference, Time};
use crate::ports::{Message, ModelInfo};

/// What the writer says of a memory that went into a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It was right.
    Right,
    /// It is wrong. Of a rule: counts against it. Of anything else: it stays out of prompts.
    Wrong,
    /// It may be right, and does not belong here: it stays out of prompts for this skill in this kind of scene.
    NotHere,
}

/// What was said of one memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TraceVerdict {
    /// The memory.
    pub reference_id: String,
    /// What was said last.
    pub verdict: Verdict,
    /// When.
    pub at: Time,
    /// Why, in the writer's words.
    pub note: Option<String>,
}

/// A verdict to be noted.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TraceFeedback {
    /// The book.
    pub project_id: String,
    /// The generation.
    pub generation_id: String,
    /// One of its references.
    pub reference_id: String,
    /// What the writer says.
    pub verdict: Verdict,
    /// Why, in the writer's words: 1 to 10,000 bytes.
    #[specta(optional)]
    pub note: Option<String>,
}

/// The trace after a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JudgedTrace {
    /// With what was said.
    #[serde(flatten)]
    pub trace: Trace,
    /// It was not said before; else nothing has happened.
    pub changed: bool,
}

/// How it was found out how much a memory weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Tier {
    /// Estimated: whether the draft does what the memory asks for, among recent drafts.
    Compliance,
    /// Measured: what changes when memories are left out at random, over regenerations.
    Masked,
}

/// Whether a draft does what a memory asks for, by chance or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Followed {
    /// More than nine in ten of the drafts it is compared with.
    Yes,
    /// More than half of them.
    Partly,
    /// No more than the usual draft.
    No,
}

/// How much one memory weighed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MemoryWeight {
    /// The memory.
    pub reference_id: String,
    /// Its share, 0..1.
    pub weight: f64,
    /// What was measured, 0..0.5; `null` where it could not be.
    pub effect: Option<f64>,
    /// Whether it was followed; `null` where that could not be told, and at tier `masked`, which does not ask.
    pub followed: Option<Followed>,
    /// What changed with it; `null` at tier `compliance`, and where it could not be measured.
    #[serde(default)]
    pub change: Option<MeasuredChange>,
}

/// What a memory being in the prompt adds to its own measure: a rule's to its feature in its direction, an example's to how
/// near a draft is to it. In deviations of the drafts without it. An interval that holds zero is no measurable influence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredChange {
    /// The change.
    pub by: f64,
    /// Lower end of its 90 % interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// How much each memory weighed in one draft. Weights and remainder sum to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Influence {
    /// How it was found out.
    pub tier: Tier,
    /// One a reference, in their order.
    pub weights: Vec<MemoryWeight>,
    /// The passage itself and the model, 0..1.
    pub remainder: f64,
    /// When.
    pub measured_at: Time,
    /// The draft, by its place on screen.
    pub candidate: u32,
    /// How many regenerations it rests on; `null` where none was needed.
    pub regenerations: Option<u32>,
}

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
    #[serde(rename = "memoryReferences")]
    pub references: Vec<Reference>,
    /// What matched and stayed out.
    pub cut: Vec<CutItem>,
    /// A part of the memory could not be asked.
    pub memory_degraded: bool,
    /// Which, and why.
    pub degraded_reasons: Vec<DegradedReason>,
    /// What the writer said of the memories, in the order in which it was said.
    pub feedback: Vec<TraceVerdict>,
    /// How much each memory weighed in the draft that was taken, else in the first; none before the generation has ended.
    /// The estimate first, and a measurement on demand beside it.
    #[serde(rename = "influenceWeights")]
    pub influences: Vec<Influence>,
    /// The episode that came of it, once the writer has decided.
    pub episode_id: Option<String>,
    /// What the writer decided.
    pub outcome: Option<Outcome>,
    /// When its words were erased at the writer's request: messages, references and cut items then have empty texts.
    pub blanked_at: Option<Time>,
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
