//! The state of a study, as it is stored before each action.

use palimpsest_asking::tools::{Tool, ToolCall};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::signature::{call_arguments, call_signature};

/// The version of the stored form.
const VERSION: u32 = 1;

/// The phase of a study.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// Waits until it may begin.
    #[default]
    Idle,
    /// The gaps of the book are counted.
    Checking,
    /// The model compares two sentences of the book.
    Comparing,
    /// A question is looked for.
    GeneratingQuestion,
    /// The book is explored, step by step.
    Exploring,
    /// The model writes what was found.
    Summarizing,
    /// The result is stored.
    Committing,
    /// Waits after an error.
    BackingOff,
    /// Waits until its reason is over.
    Stopped,
}

impl Phase {
    /// Whether an action is in progress that has a question or a pair of sentences, or looks for a question.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(
            self,
            Self::Comparing | Self::GeneratingQuestion | Self::Exploring | Self::Summarizing | Self::Committing
        )
    }
}

/// Why a study waits or is stopped. With quota and unchanged it is idle, with the others stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The writer stopped it.
    User,
    /// The provider wants a key, or refused it.
    NoKey,
    /// The book has no gap, until a chapter changes.
    FullyLearned,
    /// Several questions in a row had been asked before, until a chapter changes.
    Duplicates,
    /// The questions or explorations of the day, or the writer's daily limit, are used up.
    Quota,
    /// Each gap was asked about, until a chapter changes.
    Unchanged,
    /// Several errors in a row, until the writer begins again or a day has passed.
    Error,
    /// No model is chosen.
    NoModel,
    /// The writer has paused the memory.
    Paused,
    /// The book is not open.
    BookClosed,
}

/// A question that is studied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Question {
    /// UUID of the question.
    pub id: String,
    /// In the language of the book.
    pub text: String,
    /// Name of a type, or a word of the model's.
    pub question_type: String,
    /// A `question_signature`: equal for the same terms and entities.
    pub signature: String,
    /// Whether the writer asks it.
    pub is_own: bool,
}

/// A call of a tool, in the form in which it is stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StoredCall {
    /// Name of the tool.
    pub tool: String,
    /// Checked once; read again with the same checks.
    pub arguments: Map<String, Value>,
}

impl StoredCall {
    /// The stored form of a call.
    #[must_use]
    pub fn new(call: &ToolCall) -> Self {
        let arguments = match call_arguments(call) {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        Self { tool: call.tool().name().to_owned(), arguments }
    }

    /// The call; `None` for a tool that there is no more.
    #[must_use]
    pub fn call(&self) -> Option<ToolCall> {
        ToolCall::from_arguments(Tool::from_name(&self.tool)?, &self.arguments).ok()
    }
}

/// A step of an exploration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Step {
    /// The call of a tool.
    pub call: StoredCall,
    /// The signature of the call.
    pub signature: String,
    /// Whether the same call was made before: its earlier result was given.
    pub is_repetition: bool,
    /// Number of items that were found.
    pub found: u32,
    /// Time at which the step began, in milliseconds since 1970.
    pub began_at: i64,
}

/// The work on one question, or on one pair of sentences.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Work {
    /// An active phase.
    #[serde(deserialize_with = "known_or_default")]
    pub stage: Phase,
    /// The origin of the question, while it is looked for.
    #[serde(deserialize_with = "known_or_default")]
    pub source: Source,
    /// `None` while it is looked for.
    pub question: Option<Question>,
    /// The steps that have ended.
    pub steps: Vec<Step>,
    /// The call whose result is awaited.
    pub call: Option<Step>,
    /// Requests for a step that have begun. Each has its own number.
    pub begun_steps: u32,
    /// Requests for a summary that have begun.
    pub begun_summaries: u32,
    /// The signature of the pair of sentences that is compared; `None` while a question is studied.
    pub pair: Option<String>,
    /// Requests for its comparison that have begun.
    pub begun_comparisons: u32,
    /// Invalid replies in a row.
    pub invalid_replies: u32,
    /// Repeated calls.
    pub repetitions: u32,
    /// Tokens of the prompt, of the model's replies and of what the tools found, each counted once.
    pub tokens: u32,
    /// Time of the exploration so far, in milliseconds.
    pub millis: u64,
    /// Begin of the present request or call.
    pub since: i64,
    /// The checked summary in the caller's form, once there is one.
    pub result: Option<Value>,
}

/// The origin of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// A model, in one request.
    Model,
    /// The queue: the writer's own, or one that was generated before.
    Queue,
    /// The template of a gap.
    #[default]
    Template,
}

impl Work {
    /// The begin of the work on a question that is looked for.
    pub(super) fn new(source: Source) -> Self {
        Self { stage: Phase::GeneratingQuestion, source, ..Self::default() }
    }

    /// The work on a question that was taken.
    pub(super) fn on(question: Question) -> Self {
        Self { stage: Phase::Exploring, question: Some(question), ..Self::default() }
    }

    /// The comparison of a pair of sentences.
    pub(super) fn on_pair(pair: String) -> Self {
        Self { stage: Phase::Comparing, pair: Some(pair), ..Self::default() }
    }

    /// Notes the call of a tool; returns whether the same call was made before.
    pub(super) fn begin_call(&mut self, call: &ToolCall, now: i64) -> bool {
        let signature = call_signature(call);
        let is_repetition = self.steps.iter().any(|step| step.signature == signature);
        let call = StoredCall::new(call);
        self.call = Some(Step { call, signature, is_repetition, found: 0, began_at: now });
        self.repetitions += u32::from(is_repetition);
        is_repetition
    }
}

/// The state of the study of one book.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct State {
    /// Version of this form.
    pub version: u32,
    /// One that this version does not know is read as idle.
    #[serde(deserialize_with = "known_or_default")]
    pub phase: Phase,
    /// The present question; kept while the study waits in the middle of it.
    #[serde(deserialize_with = "known_or_default")]
    pub work: Option<Work>,
    /// The question that waits while the writer has pairs of sentences compared.
    #[serde(deserialize_with = "known_or_default")]
    pub set_aside: Option<Work>,
    /// Whether the writer asked for one question now.
    pub is_on_demand: bool,
    /// Whether the writer asked for the comparison of all pairs of sentences now.
    pub is_comparing: bool,
    /// Whether the writer had stopped the study before the comparisons: after them it is stopped again.
    pub was_stopped: bool,
    /// Errors since the last question that was answered.
    pub consecutive_errors: u32,
    /// A short code of the last error, such as `noEvidence`; `None` after a question that was answered.
    pub last_error: Option<String>,
    /// End of the back-off, in milliseconds since 1970.
    pub back_off_until: Option<i64>,
    /// The latest local day that was seen, as `2026-11-27`.
    pub day: String,
    /// Questions that were begun on that day.
    pub questions_today: u32,
    /// Explorations that were begun on that day.
    pub explorations_today: u32,
    /// Requests for a comparison that were begun on that day.
    pub comparisons_today: u32,
    /// Rounds in a row whose questions had all been asked before.
    pub duplicates_in_row: u32,
    /// Questions that were answered, of all days.
    pub total_explored: u32,
    /// Why it waits or is stopped.
    #[serde(deserialize_with = "known_or_default")]
    pub stop_reason: Option<StopReason>,
    /// Time of the last stop that the surroundings did not cause; `None` without one.
    pub stopped_at: Option<i64>,
    /// The day on which the writer's daily limit was reached.
    pub exhausted_day: Option<String>,
    /// The book at the last wait for a change of a chapter.
    pub seen_book: Option<String>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            version: VERSION,
            phase: Phase::Idle,
            work: None,
            set_aside: None,
            is_on_demand: false,
            is_comparing: false,
            was_stopped: false,
            consecutive_errors: 0,
            last_error: None,
            back_off_until: None,
            day: String::new(),
            questions_today: 0,
            explorations_today: 0,
            comparisons_today: 0,
            duplicates_in_row: 0,
            total_explored: 0,
            stop_reason: None,
            stopped_at: None,
            exhausted_day: None,
            seen_book: None,
        }
    }
}

impl State {
    /// The state that a stored text has; that of a new study if it is no state at all. What this version does not know
    /// is left out, so that no count of the day is lost.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        let mut state: Self = serde_json::from_str(text).unwrap_or_default();
        if state.phase.is_active() && state.work.as_ref().map(|work| work.stage) != Some(state.phase) {
            state.phase = Phase::Idle;
        }
        state.work = state.work.filter(Work::is_whole);
        state.set_aside = state.set_aside.filter(Work::is_whole);
        if state.phase.is_active() && state.work.is_none() {
            state.phase = Phase::Idle;
        }
        state
    }

    /// The stored form.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&Self { version: VERSION, ..self.clone() })
    }
}

impl Work {
    /// Whether the work has all that its stage needs.
    fn is_whole(&self) -> bool {
        match self.stage {
            Phase::Comparing => self.pair.is_some(),
            Phase::GeneratingQuestion => true,
            Phase::Exploring | Phase::Summarizing => self.question.is_some(),
            Phase::Committing => self.question.is_some() && self.result.is_some(),
            Phase::Idle | Phase::Checking | Phase::BackingOff | Phase::Stopped => false,
        }
    }
}

/// A value, or the default for one that this version cannot read.
fn known_or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(from: D) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).unwrap_or_default())
}
