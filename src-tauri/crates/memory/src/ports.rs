//! What the outside supplies: time, identity, meaning, and a model that writes.
//!
//! The engine has no ambient clock, no ambient randomness and no network. Whoever embeds it hands these in.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{
    model::{Cause, Time},
    validate,
};

/// Tells the time. The desktop uses the system's clock; tests and `--clock fixed:…` use one that only moves when told.
pub trait Clock: Send + Sync {
    /// Now, in UTC.
    fn now(&self) -> Time;

    /// The day where the writer is, `YYYY-MM-DD`. A clock that knows no place says the day in UTC.
    fn day(&self) -> String {
        self.now().day()
    }

    /// What the clock on the writer's wall shows more than UTC, in milliseconds.
    fn offset_millis(&self) -> i64 {
        0
    }
}

/// Gives out identities and chance, so that a test can have the same ones every time.
pub trait Ids: Send + Sync {
    /// A new identity, unique for good. `now` orders identities made at different times (UUID version 7).
    fn next(&self, now: Time) -> String;
    /// A number from the whole range, used as the seed of one generation.
    fn seed(&self) -> u32;
}

impl From<ModelErrorKind> for EmbedderError {
    fn from(kind: ModelErrorKind) -> Self {
        Self(kind.into())
    }
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
    /// The vectors of several texts, in their order. An encoder behind a network asks once for all of them.
    ///
    /// # Errors
    /// As [`Embedder::embed`]; then there is no vector of any of them.
    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        texts.iter().map(|text| self.embed(text)).collect()
    }
}

/// The encoder cannot serve.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the encoder cannot serve: {}", .0.message)]
pub struct EmbedderError(pub Cause);

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

/// Stops what is under way, from any thread and for good.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Nothing is stopped yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops it.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was stopped.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// One candidate to be written.
#[derive(Debug, Clone)]
pub struct GenerationRequest<'a> {
    /// The rendered prompt: all that a model ever sees.
    pub messages: &'a [Message],
    /// Same prompt, model and seed: same text, where the provider can promise that.
    pub seed: u64,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// 0 (always the likeliest word) to 2.
    pub temperature: f32,
    /// The answer is to be JSON of this JSON schema. The completion's text then parses as JSON, or it is an error.
    pub schema: Option<&'a serde_json::Value>,
    /// Ends the request at once, between two pieces and while waiting for one.
    pub stop: &'a Stop,
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

/// What an answer cost, as the provider counted it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Tokens of the prompt.
    pub prompt: u32,
    /// Tokens of the answer.
    pub answer: u32,
}

/// A candidate, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// All pieces that were streamed, joined.
    pub text: String,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it cost, where the provider says.
    pub tokens: Option<Tokens>,
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

/// Why a model could not write. On the wire it is `details.reason` of `MEMORY_MODEL_UNAVAILABLE`; the window has a
/// sentence for each that says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ModelErrorKind {
    /// The provider wants a key and none is here.
    KeyMissing,
    /// The provider refused the key.
    KeyRefused,
    /// The account has no credit left.
    NoCredit,
    /// Too many requests; `retry_after` says how long to wait, where the provider did.
    RateLimited,
    /// The prompt is longer than the model can read; `context_tokens` says how long it may be, where the provider did.
    ContextTooLong,
    /// The provider knows no such model.
    ModelUnknown,
    /// The provider will not write this.
    ContentRefused,
    /// No answer in time.
    Timeout,
    /// Nobody answers at this address.
    Unreachable,
    /// The address leads to another host, and nothing is sent there.
    RedirectRefused,
    /// The answer is not what the interface promises, or it broke off.
    Malformed,
    /// The answer is longer than an answer may be; for a candidate, than [`MAX_CANDIDATE_BYTES`].
    AnswerTooLong,
    /// The provider reported an error in the middle of its answer.
    Interrupted,
    /// The provider has trouble of its own (a status of 5xx).
    ProviderFailed,
    /// The provider refused the request for a reason we do not know (another status of 4xx).
    RequestRefused,
    /// The writer's own limit for the day is reached.
    DailyLimit,
}

/// A model could not write. The message is the program's own: a provider's body may carry the writer's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// The kind.
    pub kind: ModelErrorKind,
    /// What happened, without any text of the writer's and without the key.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// How long a prompt and its answer may be together, in tokens.
    pub context_tokens: Option<u32>,
}

impl ModelError {
    /// An error that says no more than its kind and one sentence.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, context_tokens: None }
    }
}

/// What becomes of one candidate among several.
#[derive(Debug)]
pub enum Piece<'a> {
    /// The next piece of its text.
    Text(&'a str),
    /// It has ended, and nothing more comes.
    Done(Result<Completion, ModelError>),
}

/// The longest text of a candidate, in bytes: a longer one could not be recorded as an episode.
pub const MAX_CANDIDATE_BYTES: usize = validate::TEXT;

/// Candidates that are asked for at the same time, at most.
pub const AT_ONCE: usize = 3;

/// Writes. Implemented in `providers`.
pub trait TextModel: Send + Sync {
    /// Names the model.
    fn info(&self) -> ModelInfo;

    /// Streams one candidate. `on_text` gets each piece in order. A request that is stopped ends at once in
    /// [`StopReason::Cancelled`] with the text so far.
    ///
    /// # Errors
    /// When the model cannot be reached, answers nonsense, or writes more than [`MAX_CANDIDATE_BYTES`]. Pieces may have
    /// come before.
    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError>;

    /// Streams several candidates of one prompt, [`AT_ONCE`] at a time. `on_piece` gets the place of a candidate in
    /// `requests` and what becomes of it; every candidate ends in exactly one [`Piece::Done`]. Returns when all have.
    fn generate_all(&self, requests: &[GenerationRequest<'_>], on_piece: &(dyn Fn(usize, Piece<'_>) + Sync)) {
        one_by_one(self, requests, on_piece);
    }
}

/// Writes each candidate with a request of its own, [`AT_ONCE`] at a time: what [`TextModel::generate_all`] does where a
/// model has no better way.
pub fn one_by_one<M: TextModel + ?Sized>(
    model: &M,
    requests: &[GenerationRequest<'_>],
    on_piece: &(dyn Fn(usize, Piece<'_>) + Sync),
) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..requests.len().min(AT_ONCE) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::SeqCst);
                    let Some(request) = requests.get(place) else { break };
                    let done = model.generate(request, &mut |text| on_piece(place, Piece::Text(text)));
                    on_piece(place, Piece::Done(done));
                }
            });
        }
    });
}
