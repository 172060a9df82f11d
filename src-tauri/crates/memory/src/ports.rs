//! What the outside supplies: time, identity, meaning, and a model that writes.
//!
//! The engine has no ambient clock, no ambient randomness and no network. Whoever embeds it hands these in.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::model::Time;

/// Tells the time. The desktop uses the system's clock; tests and `--clock fixed:…` use one that only moves when told.
pub trait Clock: Send + Sync {
    /// Now, in UTC.
    fn now(&self) -> Time;
}

/// Gives out identities and chance, so that a test can have the same ones every time.
pub trait Ids: Send + Sync {
    /// A new identity, unique for good. `now` orders identities made at different times (UUID version 7).
    fn next(&self, now: Time) -> String;
    /// A number from the whole range, used as the seed of one generation.
    fn seed(&self) -> u32;
}

/// Turns text into a vector. Derived data: another model may take over at any time.
pub trait Embedder: Send + Sync {
    /// Names model and version; vectors of different models are never compared.
    fn model(&self) -> &str;
    /// The length of every vector.
    fn dimensions(&self) -> usize;
    /// The vector of `text`, of length one.
    ///
    /// # Errors
    /// When the encoder cannot serve (files missing or damaged); recall then goes by words.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError>;
}

/// The encoder cannot serve. The reason names parts and files, never text of the writer's.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the encoder cannot serve: {reason}")]
pub struct EmbedderError {
    /// What is wrong, for the status line.
    pub reason: String,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The program's fixed instructions.
    System,
    /// The writer's passage, the memories as data, and the task.
    User,
}

/// One message of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text, exactly as it is sent.
    pub content: String,
}

/// One candidate to be written.
#[derive(Debug, Clone, Copy)]
pub struct GenerationRequest<'a> {
    /// The rendered prompt: all that a model ever sees.
    pub messages: &'a [Message],
    /// Same prompt, model and seed: same text, where the provider can promise that.
    pub seed: u64,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// 0 (always the likeliest word) to 2.
    pub temperature: f32,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// It came to an end.
    Finished,
    /// It ran into `max_tokens`.
    Length,
    /// The writer stopped it.
    Cancelled,
}

/// A candidate, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// All pieces that were streamed, joined.
    pub text: String,
    /// Why it stopped.
    pub stop: StopReason,
}

/// Names a model for the label beside the candidates and for the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// The provider's short name, such as `sample`.
    pub provider: String,
    /// The model as the provider names it.
    pub model: String,
    /// The built-in one that writes from a bank of sentences: shown as what it is.
    pub sample: bool,
}

/// A model could not write. The message is the program's own: a provider's body may carry the writer's text.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// Machine-readable, such as `MEMORY_MODEL_UNAVAILABLE`.
    pub code: &'static str,
    /// What happened, without any text of the writer's.
    pub message: String,
}

/// Writes. Implemented in `providers`.
pub trait TextModel: Send + Sync {
    /// Names the model.
    fn info(&self) -> ModelInfo;

    /// Streams one candidate. `on_text` gets each piece in order; `ControlFlow::Break` stops at once, which ends in
    /// [`StopReason::Cancelled`] with the text so far.
    ///
    /// # Errors
    /// When the model cannot be reached or answers nonsense.
    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, ModelError>;
}
