//! The interfaces to the outside world: time, ids, vectors, translations, and text models.
//!
//! The engine has no ambient clock, no ambient randomness and no network. Its host supplies these.

mod answer_memory;

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use specta::Type;

pub use palimpsest_asking::tools::ToolDefinition;

pub use self::answer_memory::{
    AnswerMemory, AnswerMemoryError, AnswerMemoryErrorKind, MemoryCandidate, MemoryHit, MemoryHits, MemoryQuery,
    MemoryValidation, RememberedAnswer, RememberedAnswers,
};
use crate::{
    model::{Cause, Time},
    validate,
};

/// The clock. The desktop uses the system's; tests and `--clock fixed:…` use one that only moves when advanced.
pub trait Clock: Send + Sync {
    /// Now, in UTC.
    fn now(&self) -> Time;

    /// The local day, `YYYY-MM-DD`; the day in UTC for a clock without a time zone.
    fn day(&self) -> String {
        self.now().day()
    }

    /// The local offset from UTC, in milliseconds.
    fn offset_millis(&self) -> i64 {
        0
    }
}

/// A clock that only moves when it is advanced.
#[derive(Debug, Default)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn at(now: Time) -> Self {
        Self(AtomicI64::new(now.millis()))
    }

    /// Advances the clock by `millis`; returns the new time.
    pub fn advance_millis(&self, millis: i64) -> Time {
        Time::from_millis(self.0.fetch_add(millis, Ordering::SeqCst) + millis)
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// Ids and random seeds, deterministic in tests.
pub trait Ids: Send + Sync {
    /// A new unique id. `now` orders ids of different times (UUID version 7).
    fn next(&self, now: Time) -> String;
    /// A random number from the whole range, used as the seed of one generation.
    fn seed(&self) -> u32;
}

impl From<ModelErrorKind> for EmbedderError {
    fn from(kind: ModelErrorKind) -> Self {
        Self(kind.into())
    }
}

/// An encoder of texts to vectors. Vectors are derived data: another model may take over at any time.
pub trait Embedder: Send + Sync {
    /// Name and version of the model; vectors of different models are never compared.
    fn model(&self) -> &str;
    /// The length of every vector.
    fn dimensions(&self) -> usize;
    /// The vector of `text`, of length one.
    ///
    /// # Errors
    /// When the encoder is unavailable (files missing or damaged); recall then uses word search.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError>;
    /// The vectors of several texts, in their order. A remote encoder sends one request for all.
    ///
    /// # Errors
    /// As [`Embedder::embed`]; then no text has a vector.
    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        texts.iter().map(|text| self.embed(text)).collect()
    }
    /// The vectors of stretches of `text`, in the order of `stretches`, which are ranges of bytes. An encoder that
    /// reads the text once for all of them overrides this.
    ///
    /// # Errors
    /// As [`Embedder::embed_all`].
    fn embed_stretches(&self, text: &str, stretches: &[Range<usize>]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let texts: Vec<&str> = stretches.iter().map(|range| text.get(range.clone()).unwrap_or_default()).collect();
        self.embed_all(&texts)
    }
    /// The vectors of stretches of a query, to be compared with those of texts. An encoder that reads queries
    /// differently from texts overrides this and [`Embedder::query_cosine`].
    ///
    /// # Errors
    /// As [`Embedder::embed_all`].
    fn embed_query(&self, text: &str, stretches: &[Range<usize>]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.embed_stretches(text, stretches)
    }
    /// The cosine of a query's vector and a text's, on the scale of the cosines of two texts.
    fn query_cosine(&self, cosine: f64) -> f64 {
        cosine
    }
}

/// A model that compares a query with texts.
pub trait Reranker: Send + Sync {
    /// How well each document answers the query, 0..1, in the order of the documents.
    ///
    /// # Errors
    /// When the model is unavailable; the order by words and meaning stays.
    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f64>, ModelError>;
}

/// The encoder is unavailable.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the encoder cannot serve: {}", .0.message)]
pub struct EmbedderError(pub Cause);

/// One thing that a query names, in the other language of a book: a query in Chinese has concepts in English, and one
/// in English has them in Chinese.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concept {
    /// The translations, at least one. Each is a list of terms that a text has to contain all of, in the form of
    /// `palimpsest_text::terms::index_terms`. Those of one concept are all English stems, or all pairs of Han
    /// characters and single ones.
    pub alternatives: Vec<Vec<String>>,
}

/// A dictionary between Chinese and English.
pub trait Translator: Send + Sync {
    /// The concepts of `query`, in its order and each once; of a long query the last ones. Nothing while the dictionary
    /// is missing or not loaded yet; the first call may wait a second for it.
    fn concepts(&self, query: &str) -> Vec<Concept>;
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The program's fixed instructions.
    System,
    /// The writer's passage, the memories as data, and the task.
    User,
    /// The beginning of the answer, which the model continues.
    Assistant,
}

/// One message of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks: system, user or assistant.
    pub role: Role,
    /// The text, exactly as it is sent.
    pub content: String,
}

/// A cancellation flag: can be set from any thread, and never reset.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    own: Arc<AtomicBool>,
    whole: Option<Arc<Stop>>,
}

impl Stop {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag for a part of the work: it is set with this one, and can be set alone.
    #[must_use]
    pub fn part(&self) -> Self {
        Self { own: Arc::default(), whole: Some(Arc::new(self.clone())) }
    }

    /// Sets the flag.
    pub fn set(&self) {
        self.own.store(true, Ordering::SeqCst);
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.own.load(Ordering::SeqCst) || self.whole.as_ref().is_some_and(|whole| whole.is_set())
    }
}

/// A request for one candidate.
#[derive(Debug, Clone)]
pub struct GenerationRequest<'a> {
    /// The rendered prompt: the complete input of the model.
    pub messages: &'a [Message],
    /// Same prompt, model and seed give the same text, if the provider supports it.
    pub seed: u64,
    /// Maximum tokens of the answer.
    pub max_tokens: u32,
    /// Sampling temperature: 0 (always the likeliest token) to 2.
    pub temperature: f32,
    /// JSON schema of the answer. The completion's text then parses as JSON, or the request fails.
    pub schema: Option<&'a serde_json::Value>,
    /// The tools that may be called now, instead of an answer by `schema`. A model or a server without tool calls of
    /// its own ignores them, and the answer obeys `schema`; so may any other.
    pub tools: &'a [ToolDefinition],
    /// Cancels the request at once, between two pieces and while waiting for one.
    pub stop: &'a Stop,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The answer is complete.
    Finished,
    /// It ran into `max_tokens`.
    Length,
    /// It was cancelled.
    Cancelled,
}

/// Token usage of an answer, as counted by the provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Tokens of the prompt.
    pub prompt: u32,
    /// Tokens of the answer.
    pub answer: u32,
}

/// The call of a tool that a model asks for. Neither its name nor its arguments are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedCall {
    /// The name as the model wrote it; empty if it wrote none.
    pub name: String,
    /// The arguments as JSON text; `{}` for none, and the model's own text if that is no JSON.
    pub arguments: String,
}

/// A complete candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// All pieces that were streamed, joined.
    pub text: String,
    /// The first call of the answer; `None` unless the request has tools. With a call, `text` need not obey `schema`.
    pub tool_call: Option<RequestedCall>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// Token usage; `None` if the provider does not report it.
    pub tokens: Option<Tokens>,
}

/// Names a model, for the label of its candidates and for the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// Short name of the provider, such as `sample`.
    pub provider: String,
    /// The model as the provider names it.
    pub model: String,
    /// Whether it is the built-in sample model, which the interface labels as such.
    pub sample: bool,
}

/// Why a model failed. On the wire it is `details.reason` of `MEMORY_MODEL_UNAVAILABLE`; the interface has a sentence
/// with advice for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ModelErrorKind {
    /// The provider requires a key and none is stored.
    KeyMissing,
    /// The provider refused the key.
    KeyRefused,
    /// The account has no credit left.
    NoCredit,
    /// Too many requests; `retry_after` is the provider's delay, if given.
    RateLimited,
    /// The prompt is longer than the model's context; `context_tokens` is its length, if the provider gives it.
    ContextTooLong,
    /// The provider has no such model.
    ModelUnknown,
    /// The provider refuses the content.
    ContentRefused,
    /// No answer in time.
    Timeout,
    /// No server answers at this address.
    Unreachable,
    /// The address redirects to another host; nothing is sent there.
    RedirectRefused,
    /// The answer violates the protocol, or ends early.
    Malformed,
    /// The answer exceeds the maximum length; for a candidate [`MAX_CANDIDATE_BYTES`].
    AnswerTooLong,
    /// The provider reported an error in the middle of its answer.
    Interrupted,
    /// The provider failed (a status of 5xx).
    ProviderFailed,
    /// The provider refused the request for an unknown reason (another status of 4xx).
    RequestRefused,
    /// The writer's daily limit is reached.
    DailyLimit,
}

/// A failure of a model. The message is the program's own: a provider's body may contain the writer's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// Decides which sentence the writer reads.
    pub kind: ModelErrorKind,
    /// A description without text of the writer's and without the key.
    pub message: String,
    /// The provider's retry delay.
    pub retry_after: Option<Duration>,
    /// Maximum tokens of a prompt and its answer together.
    pub context_tokens: Option<u32>,
}

impl ModelError {
    /// An error with a kind and a message only.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, context_tokens: None }
    }
}

/// An event of one candidate among several.
#[derive(Debug)]
pub enum CandidateEvent<'a> {
    /// The next piece of its text.
    Text(&'a str),
    /// The end; no event of this candidate follows.
    Done(Result<Completion, ModelError>),
}

/// Maximum length of a candidate, in bytes: a longer one could not be recorded as an episode.
pub const MAX_CANDIDATE_BYTES: usize = validate::TEXT;

/// Maximum concurrent requests for candidates.
pub const MAX_CONCURRENT_CANDIDATES: usize = 3;

/// A text model. The crate `providers` has the implementations.
pub trait TextModel: Send + Sync {
    /// Name of the model.
    fn info(&self) -> ModelInfo;

    /// Whether the model continues a last message of [`Role::Assistant`], the beginning of its answer, as far as is
    /// known. Others refuse it or begin a new answer.
    fn continues_answers(&self) -> bool {
        false
    }

    /// Streams one candidate. `on_text` gets each piece in order. A cancelled request ends at once in
    /// [`StopReason::Cancelled`] with the text so far.
    ///
    /// # Errors
    /// When the model is unreachable, violates the protocol, or exceeds [`MAX_CANDIDATE_BYTES`]. Pieces may have been
    /// streamed before.
    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError>;

    /// Streams several candidates of one prompt, [`MAX_CONCURRENT_CANDIDATES`] at a time. `on_event` gets the index of
    /// a candidate in `requests` and its event; every candidate ends in exactly one [`CandidateEvent::Done`]. Returns
    /// when all have.
    fn generate_all(&self, requests: &[GenerationRequest<'_>], on_event: &(dyn Fn(usize, CandidateEvent<'_>) + Sync)) {
        one_by_one(self, requests, on_event);
    }
}

/// Streams each candidate with its own request, [`MAX_CONCURRENT_CANDIDATES`] at a time: the default of
/// [`TextModel::generate_all`].
pub fn one_by_one<M: TextModel + ?Sized>(
    model: &M,
    requests: &[GenerationRequest<'_>],
    on_event: &(dyn Fn(usize, CandidateEvent<'_>) + Sync),
) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..requests.len().min(MAX_CONCURRENT_CANDIDATES) {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::SeqCst);
                    let Some(request) = requests.get(place) else { break };
                    let done = model.generate(request, &mut |text| on_event(place, CandidateEvent::Text(text)));
                    on_event(place, CandidateEvent::Done(done));
                }
            });
        }
    });
}
