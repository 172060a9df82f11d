//! Arguments and answers about a measurement.

use palimpsest_memory::{
    model::{GenerationId, ProjectId, Trace},
    ports::ModelInfo,
};
use serde::{Deserialize, Serialize};
use specta::Type;

/// The method of a measurement on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MeasuredTier {
    /// By regenerations with memories left out.
    Masked,
}

/// The state of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MeasureStatus {
    /// Nothing was sent: the writer has not confirmed the cost.
    Unconfirmed,
    /// This generation is being measured.
    Running,
    /// Another generation is being measured; there is one at a time.
    AlreadyRunning,
    /// It is measured, now or earlier; it is not measured twice.
    Measured,
    /// It is being stopped.
    Cancelling,
    /// It was stopped; no result is stored.
    Cancelled,
    /// There was nothing to stop.
    NotRunning,
}

/// Measures a generation by leaving memories out. Without `confirmed`, nothing is sent: the answer states the cost.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MeasureTrace {
    pub project_id: ProjectId,
    pub generation_id: GenerationId,
    /// The method.
    pub tier: MeasuredTier,
    /// 16 to 32, even; default 32.
    #[specta(optional)]
    pub regenerations: Option<u32>,
    /// The writer has confirmed the cost.
    #[specta(optional)]
    pub confirmed: Option<bool>,
    /// Answer when it has ended.
    #[specta(optional)]
    pub wait: Option<bool>,
    /// Stops the measurement under way; no result is stored.
    #[specta(optional)]
    pub cancel: Option<bool>,
}

/// Measures a question by leaving out answers and everything else that its prompt had. Without `confirmed`, nothing is
/// sent: the answer states the cost. Validations by this run are undone for answers without a measurable influence.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MeasureRun {
    pub project_id: ProjectId,
    pub run_id: String,
    /// 16 to 32, even; default 16.
    #[specta(optional)]
    pub regenerations: Option<u32>,
    /// The writer has confirmed the cost.
    #[specta(optional)]
    pub confirmed: Option<bool>,
    /// Answer when it has ended.
    #[specta(optional)]
    pub wait: Option<bool>,
    /// Stops the measurement under way; no result is stored.
    #[specta(optional)]
    pub cancel: Option<bool>,
}

/// The answer to a request for a measurement.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeasureAnswer {
    /// The state.
    pub status: MeasureStatus,
    /// The cost, while it is not confirmed, or when the measurement has just begun.
    pub cost: Option<MeasureCost>,
    /// Number of regenerations done, while it is under way.
    pub done: Option<u32>,
    /// The trace, with the measured weights next to the estimated ones.
    pub trace: Option<Trace>,
}

impl MeasureAnswer {
    /// An answer with the state only.
    pub(super) fn from_status(status: MeasureStatus) -> Self {
        Self { status, cost: None, done: None, trace: None }
    }
}

/// The cost of a measurement.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeasureCost {
    /// Number of drafts that are written and discarded; limited by the rest of the daily limit.
    pub regenerations: u32,
    /// Number of measurable memories.
    pub memories: u32,
    /// Estimated tokens sent, in all.
    pub prompt_tokens: u32,
    /// Maximum tokens returned, in all.
    pub answer_tokens: u32,
    /// Requests left in the daily limit; `null` without a limit, and for the built-in model.
    pub requests_left: Option<u32>,
    /// The model that writes them.
    pub provider: ModelInfo,
}
