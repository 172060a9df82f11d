//! Traces: the memories in one generation's prompt; and the marks that lead from a passage to its trace.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ChapterId, Choice, CutItem, DegradedReason, EpisodeId, GenerationId, ProjectId, Reference, Time};
use crate::ports::{Message, ModelInfo};

/// The writer's verdict on a memory in a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// The memory belonged in the prompt.
    Right,
    /// Wrong. For a rule: counts against it. For other kinds: the memory stays out of prompts.
    Wrong,
    /// Out of place: the memory stays out of prompts for this skill and scene type.
    NotHere,
}

/// The verdict on one memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TraceVerdict {
    /// Kind and id of the memory.
    pub reference_id: String,
    /// The latest verdict.
    pub verdict: Verdict,
    /// When it was given.
    pub at: Time,
    /// The writer's explanation; `null` if none.
    pub note: Option<String>,
}

/// A verdict to store.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TraceFeedback {
    /// UUID of the project.
    pub project_id: ProjectId,
    /// UUID of the generation.
    pub generation_id: GenerationId,
    /// Id of one of its references.
    pub reference_id: String,
    /// The latest one; it replaces earlier ones.
    pub verdict: Verdict,
    /// The writer's explanation, 1 to 10,000 bytes.
    #[specta(optional)]
    pub note: Option<String>,
}

/// The trace after a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JudgedTrace {
    /// The trace with the verdict.
    #[serde(flatten)]
    pub trace: Trace,
    /// `false` if the same verdict was already stored; then nothing changed.
    pub changed: bool,
}

/// The method behind a weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Tier {
    /// Estimated: compares the draft with recent drafts.
    Compliance,
    /// Measured: regenerates with memories left out at random.
    Masked,
}

/// Whether a draft follows a memory, by chance or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Followed {
    /// Clearly: more than nine in ten of the compared drafts.
    Yes,
    /// More than half of the compared drafts.
    Partly,
    /// No more than the usual draft.
    No,
}

/// The weight of one memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MemoryWeight {
    /// Id of the reference.
    pub reference_id: String,
    /// Its share, 0..1.
    pub weight: f64,
    /// The effect, 0..0.5; `null` if it could not be computed.
    pub effect: Option<f64>,
    /// Whether the draft followed it; `null` if unknown, and at tier `masked`, which does not test it.
    pub followed: Option<Followed>,
    /// The measured effect; `null` at tier `compliance`, and if it could not be measured.
    #[serde(default)]
    pub change: Option<MeasuredChange>,
}

/// The effect of a memory's presence in the prompt on its own measure: for a rule, its feature in its direction; for an
/// example, the likeness of the draft to it. In standard deviations of the drafts without it. An interval that contains
/// zero means no measurable influence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredChange {
    /// The estimate.
    pub by: f64,
    /// Lower end of its 90 % interval.
    pub low: f64,
    /// Upper end of its 90 % interval.
    pub high: f64,
}

/// The weights of all memories in one draft. Weights and remainder sum to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Influence {
    /// The method.
    pub tier: Tier,
    /// One per reference, in their order.
    pub weights: Vec<MemoryWeight>,
    /// Share of the passage itself and the model, 0..1.
    pub remainder: f64,
    /// When it was computed.
    pub measured_at: Time,
    /// Index of the draft, in the order on screen.
    pub candidate: u32,
    /// Number of regenerations behind it; `null` if none was needed.
    pub regenerations: Option<u32>,
}

/// The writer's decision on a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Index of the taken candidate, or -1.
    #[specta(type = i32)]
    pub selected_index: Choice,
    /// Edit distance, 0..1; `null` when all were rejected.
    pub edit_distance: Option<f64>,
}

impl Outcome {
    /// Index of the taken candidate.
    pub(crate) fn taken(&self) -> Option<u32> {
        self.selected_index.taken().and_then(|index| u32::try_from(index).ok())
    }
}

/// The trace of one generation, written when it ran and never recomputed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// UUID of the generation.
    pub generation_id: GenerationId,
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Id of the chapter, as its editor names it.
    pub chapter_id: ChapterId,
    /// The skill that was run.
    pub skill: String,
    /// The scene type that was given or guessed.
    pub scene_type: Option<String>,
    /// When it started.
    pub created_at: Time,
    /// The model.
    pub provider: ModelInfo,
    /// The seed of the run; each candidate's own is derived from it.
    pub seed: u32,
    /// BLAKE3 of the messages, hexadecimal.
    pub prompt_hash: String,
    /// The messages exactly as sent.
    pub messages: Vec<Message>,
    /// Tokens of all messages together.
    pub total_tokens: u32,
    /// The memories in the prompt, in order, in their wording of that time.
    #[serde(rename = "memoryReferences")]
    pub references: Vec<Reference>,
    /// Items that matched and were cut.
    pub cut: Vec<CutItem>,
    /// At least one part of the memory was unavailable.
    pub memory_degraded: bool,
    /// The unavailable parts, and why.
    pub degraded_reasons: Vec<DegradedReason>,
    /// The writer's verdicts on the memories, oldest first.
    pub feedback: Vec<TraceVerdict>,
    /// The weights of the memories in the taken draft, else in the first; empty until the generation has ended. The
    /// estimate first, then a measurement if one was requested.
    #[serde(rename = "influenceWeights")]
    pub influences: Vec<Influence>,
    /// UUID of the episode, once the writer has decided.
    pub episode_id: Option<EpisodeId>,
    /// The writer's decision; `null` until then.
    pub outcome: Option<Outcome>,
    /// When its words were erased at the writer's request: messages, references and cut items then have empty texts.
    pub blanked_at: Option<Time>,
    /// UUID of the generation of which this one is the second try: some of its drafts were unusable. `null` if this is
    /// no second try, and when that trace is deleted.
    pub first_try: Option<GenerationId>,
    /// UUID of the generation that is the second try of this one; `null` if there is none.
    pub second_try: Option<GenerationId>,
}

/// The range of a passage that a generation wrote. Offsets are UTF-16 code units, end exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct OriginMark {
    /// UUID of the generation.
    pub generation_id: GenerationId,
    /// The skill that was run; empty if the trace is deleted.
    pub skill: String,
    /// Start offset.
    pub from: u32,
    /// End offset.
    pub to: u32,
    /// BLAKE3 of the passage as last saved, hexadecimal: finds it again after a change outside.
    pub quote_hash: String,
}
