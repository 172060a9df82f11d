//! What is asked and answered about a measurement.

use palimpsest_memory::{model::Trace, ports::ModelInfo};
use serde::{Deserialize, Serialize};
use specta::Type;

/// How a generation can be measured on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum MeasuredTier {
    /// By regenerations with memories left out.
    Masked,
}

/// How a measurement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum MeasureStatus {
    /// Nothing was sent: the writer has not said yes to what it costs.
    Unconfirmed,
    /// This generation is being measured.
    Running,
    /// Another one is, and there is one at a time.
    AlreadyRunning,
    /// It is measured, now or earlier; it is not done twice.
    Measured,
    /// It is being stopped.
    Cancelling,
    /// It was stopped; nothing of it is kept.
    Cancelled,
    /// There was nothing to stop.
    NotRunning,
}

/// A generation to be measured by leaving memories out. Asked without `confirmed`, nothing is sent: the answer says what
/// it would cost.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MeasureTrace {
    /// The book.
    pub project_id: String,
    /// The generation.
    pub generation_id: String,
    /// How.
    pub tier: MeasuredTier,
    /// 16 to 32, even; default 32.
    #[specta(optional)]
    pub regenerations: Option<u32>,
    /// The writer knows what it costs.
    #[specta(optional)]
    pub confirmed: Option<bool>,
    /// Answers when it has ended.
    #[specta(optional)]
    pub wait: Option<bool>,
    /// Stops the one that is under way; nothing of it is kept.
    #[specta(optional)]
    pub cancel: Option<bool>,
}

/// What came of a wish for a measurement.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MeasureAnswer {
    /// How it stands.
    pub status: MeasureStatus,
    /// What it costs, where it is not confirmed yet, or has just begun.
    pub cost: Option<MeasureCost>,
    /// Regenerations that have come, while it is under way.
    pub done: Option<u32>,
    /// The trace, with what was measured beside what was estimated.
    pub trace: Option<Trace>,
}

impl MeasureAnswer {
    /// How it stands, and nothing more to say.
    pub(super) fn of(status: MeasureStatus) -> Self {
        Self { status, cost: None, done: None, trace: None }
    }
}

/// What a measurement costs.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct MeasureCost {
    /// How many drafts are written, and thrown away; as many as the writer's limit of the day leaves.
    pub regenerations: u32,
    /// How many memories something can be measured of.
    pub memories: u32,
    /// About so many tokens are sent, all together.
    pub prompt_tokens: u32,
    /// At most so many tokens come back, all together.
    pub answer_tokens: u32,
    /// How many requests the writer allows today; `null` for as many as one likes, and of the built-in model.
    pub requests_left: Option<u32>,
    /// Who writes them.
    pub provider: ModelInfo,
}
