//! The surroundings of a study, what happens to it, and what its caller does next.

use palimpsest_asking::tools::ToolCall;
use serde_json::Value;

use super::{Limits, Question, Step};
use crate::failures::FailureKind;

/// The surroundings of a study: the book, the model, the writer.
#[derive(Debug, Clone, PartialEq)]
pub struct Book {
    /// By the writer's choice of a deep study.
    pub limits: Limits,
    /// Whether the writer agreed to the estimate.
    pub is_agreed: bool,
    /// Whether the study runs by itself.
    pub is_on: bool,
    /// Whether the book is open.
    pub is_open: bool,
    /// Whether the writer has paused the memory.
    pub is_paused: bool,
    /// Whether a model is chosen.
    pub has_model: bool,
    /// Whether the editor was idle for [`super::IDLE_MILLIS`].
    pub is_idle: bool,
    /// Whether a distillation or the study of another book runs.
    pub is_other_running: bool,
    /// Whether the writer's daily limit of requests or tokens is reached.
    pub is_limit_reached: bool,
    /// Whether a question of the writer's own is queued.
    pub has_own_question: bool,
    /// Changes with the text of any chapter.
    pub hash: String,
}

/// The result of an action, or something from outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The stored state was read after a start of the program.
    Resumed,
    /// Time has passed, or the surroundings have changed.
    Woken,
    /// The writer wants one question studied now.
    Run,
    /// The writer wants the pairs of sentences compared now that were not compared yet.
    Compare,
    /// The writer switched the study on, or chose another model.
    SwitchedOn,
    /// A provider, its key or the choice of a model was changed.
    ModelChanged,
    /// The writer stops the study. A request in progress is cancelled by the caller.
    Stop,
    /// The writer stops the comparisons that [`Event::Compare`] began; without one, the study. A request in progress is
    /// cancelled by the caller.
    StopComparing,
    /// Answers [`Action::FindGaps`].
    Checked {
        /// Questions in the queue that may be asked now.
        queued: usize,
        /// Gaps that no question was asked about yet.
        open_gaps: usize,
        /// All gaps.
        gaps: usize,
        /// The signature of the first pair of sentences that was not compared yet.
        pair: Option<String>,
    },
    /// Answers [`Action::Compare`]: the verdict on the pair is stored with the state after this event.
    Compared,
    /// Answers [`Action::GenerateQuestions`], [`Action::TakeQueued`] and [`Action::TakeTemplate`]: the question with
    /// the highest priority; `None` if all had been asked before.
    Questions(Option<Question>),
    /// Answers [`Action::AskStep`].
    Stepped {
        /// The decision of the model.
        reply: StepReply,
        /// Tokens of the reply, and those of the prompt that were not counted yet.
        tokens: u32,
    },
    /// Answers [`Action::RunTool`] and [`Action::RepeatTool`].
    ToolEnded {
        /// Number of items that were found.
        found: u32,
        /// Tokens of them.
        tokens: u32,
    },
    /// Answers [`Action::Summarize`]: the checked summary in the caller's form.
    Summarized(Value),
    /// Answers [`Action::Compare`], [`Action::GenerateQuestions`], [`Action::Summarize`] and [`Action::Commit`]:
    /// nothing of it may be kept.
    Refused(FailureKind),
    /// Answers [`Action::Commit`].
    Committed,
    /// Answers any action that sends a request or writes: it failed.
    Failed {
        /// The reason.
        error: RequestError,
        /// A random number, 0..1.
        jitter: f64,
    },
}

/// The decision of a model in an exploration.
#[derive(Debug, Clone, PartialEq)]
pub enum StepReply {
    /// It calls a tool.
    Call(ToolCall),
    /// It needs no further tool.
    Stop,
    /// The reply was not understood.
    Invalid,
}

/// Why a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestError {
    /// The model or the store failed.
    Failed {
        /// The server's own wait, in milliseconds; `None` without one.
        retry_after: Option<u64>,
    },
    /// The writer's daily limit is reached.
    DailyLimit,
    /// The provider refused the key, or wants one.
    NoKey,
    /// The provider does not have the model.
    NoModel,
    /// The request was cancelled: the book is closed or cleared, or the program ends.
    Cancelled,
}

/// The next action of the caller.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Nothing until the next event; [`Event::Woken`] is due then, or after [`super::INTERVAL_MILLIS`].
    Wait {
        /// End of the wait, in milliseconds since 1970; `None` if it is not known.
        until: Option<i64>,
    },
    /// The event is no answer to the action in progress, which continues.
    Ignore,
    /// Count the gaps and the questions in the queue.
    FindGaps,
    /// Ask the model whether two sentences of the book contradict each other.
    Compare {
        /// The signature of the pair.
        pair: String,
        /// Number of the request, from 1; none is sent twice.
        number: u32,
    },
    /// Store that a pair could not be compared, and in the same transaction this state.
    GiveUpPair {
        /// The signature of the pair.
        pair: String,
    },
    /// Take the first question of the queue.
    TakeQueued,
    /// Ask the model for questions about the first gaps, put new ones into the queue, and take the first.
    GenerateQuestions {
        /// Maximum number of questions.
        limit: u32,
    },
    /// Take the template of the first gap, without a request.
    TakeTemplate,
    /// Ask the model for the next step.
    AskStep {
        /// Number of the request, from 1; none is sent twice.
        number: u32,
    },
    /// Make a call that was not made before.
    RunTool(ToolCall),
    /// Give the model the earlier result of this call, and say that it is a repetition.
    RepeatTool(ToolCall),
    /// Ask the model for the summary.
    Summarize {
        /// Number of the request, from 1; none is sent twice.
        number: u32,
    },
    /// Store the result and, in the same transaction, the state after [`Event::Committed`].
    Commit,
    /// Store that the question failed, and in the same transaction this state.
    Fail {
        /// As it was taken.
        question: Question,
        /// The steps that were made.
        steps: Vec<Step>,
        /// Why it failed.
        kind: FailureKind,
    },
}
