//! The loop of a question: recall, rounds of *what do I need to know*, tools, the answer.
//!
//! ```text
//! Recalling ─► Knowing ─► Acting ─► Answering ─► Ended
//!     │           │          ▲          ▲
//!     └───────────┼──────────┤          │     a recall failed, or the rounds are used up
//!                 └──────────┴──────────┘     the model can answer, or the limits are reached
//! ```
//!
//! [`next`] is pure. The caller performs the action, and reports its result as the next event. The first action of a
//! run is the recall of the question itself; the caller performs it without being asked.

use palimpsest_text::questions::question_key;

use crate::{
    reply::{Reply, ReplyError},
    tools::{MAX_LIMIT, ToolCall},
};

/// Default maximum of rounds in which the model says what it needs to know.
pub const DEFAULT_ROUNDS: u8 = 3;
/// Default maximum of tool steps.
pub const DEFAULT_TOOL_STEPS: u8 = 8;
/// Largest permitted maximum of rounds.
pub const MAX_ROUNDS: u8 = 10;
/// Largest permitted maximum of tool steps.
pub const MAX_TOOL_STEPS: u8 = 20;
/// Number of repetitions of one call that ends the tools.
const MAX_REPETITIONS: u8 = 3;
/// Number of invalid replies in a row after which the answer is written.
const MAX_INVALID_REPLIES: u8 = 2;

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum rounds in which the model says what it needs to know, 0..=10.
    pub rounds: u8,
    /// Maximum tool steps, 0..=20; a repeated call is a step.
    pub tool_steps: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rounds: DEFAULT_ROUNDS, tool_steps: DEFAULT_TOOL_STEPS }
    }
}

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The question is recalled, before the model is asked.
    Recalling,
    /// The model says whether it can answer, and what it needs to know.
    Knowing,
    /// The model uses tools.
    Acting,
    /// The answer is written.
    Answering,
    /// Nothing follows.
    Ended,
}

/// The result with which the caller continues the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Recall,
    Reply,
    Tool,
    Answer,
    Nothing,
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    limits: Limits,
    phase: Phase,
    awaited: Awaited,
    round: u8,
    step: u8,
    /// Invalid replies since the last valid one.
    invalid_replies: u8,
    /// Canonical forms of the needs.
    needs: Vec<String>,
    /// The calls, with the number of repetitions of each.
    calls: Vec<(ToolCall, u8)>,
}

impl State {
    /// The state of a new run: the caller recalls the question itself. Limits out of their range are set to its end.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let Limits { rounds, tool_steps } = limits;
        Self {
            limits: Limits { rounds: rounds.min(MAX_ROUNDS), tool_steps: tool_steps.min(MAX_TOOL_STEPS) },
            phase: Phase::Recalling,
            awaited: Awaited::Recall,
            round: 0,
            step: 0,
            invalid_replies: 0,
            needs: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The phase; the prompt and the schema of the next reply depend on it.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The round, from 1 on; 0 before the model is asked.
    #[must_use]
    pub fn round(&self) -> u8 {
        self.round
    }

    /// The number of tool steps so far.
    #[must_use]
    pub fn step(&self) -> u8 {
        self.step
    }

    /// The number of tool steps that are left.
    #[must_use]
    pub fn steps_left(&self) -> u8 {
        self.limits.tool_steps.saturating_sub(self.step)
    }

    /// Whether the last reply was invalid: the prompt says so.
    #[must_use]
    pub fn is_asked_again(&self) -> bool {
        self.awaited == Awaited::Reply && self.invalid_replies > 0
    }

    fn awaiting(mut self, phase: Phase, awaited: Awaited) -> Self {
        (self.phase, self.awaited) = (phase, awaited);
        self
    }
}

/// The result of an action.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The memory was searched.
    Recalled {
        /// Number of items that were found.
        found: usize,
    },
    /// The memory could not be searched.
    RecallFailed,
    /// The model replied.
    Replied(Result<Reply, ReplyError>),
    /// The model could not be asked.
    ModelFailed,
    /// The call of a tool has ended, with or without success.
    ToolEnded {
        /// Number of items that were found.
        found: usize,
        /// Whether it succeeded.
        is_ok: bool,
    },
    /// The answer is complete.
    Answered,
    /// The writer stopped the run.
    Stopped,
}

/// The next action of the caller.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Search the memory: answers, journal, passages.
    Recall {
        /// The model's description of what it needs to know.
        need: String,
    },
    /// Send the prompt of the phase.
    AskForReply,
    /// Make a call that was not made before.
    RunTool(ToolCall),
    /// Give the model the earlier result of this call, and say that it is a repetition.
    RepeatTool(ToolCall),
    /// Ask for the answer in words.
    WriteAnswer,
    /// Nothing more.
    End,
}

/// The state after an event, and the next action.
///
/// An event that does not answer the last action is a mistake of the caller and ends the run, so that no event can
/// make a run longer than its limits.
#[must_use]
pub fn next(state: &State, event: &Event) -> (State, Action) {
    let state = state.clone();
    match (state.phase, state.awaited, event) {
        (Phase::Recalling, Awaited::Recall, Event::Recalled { .. }) => begin_round(state),
        (Phase::Knowing, Awaited::Recall, Event::Recalled { .. }) => begin_round(state),
        (Phase::Recalling | Phase::Knowing, Awaited::Recall, Event::RecallFailed) => begin_tools(state),
        (Phase::Knowing, Awaited::Reply, Event::Replied(reply)) => knowing(state, reply),
        (Phase::Acting, Awaited::Reply, Event::Replied(reply)) => acting(state, reply),
        (Phase::Acting, Awaited::Tool, Event::ToolEnded { .. }) => begin_tools(state),
        _ => (state.awaiting(Phase::Ended, Awaited::Nothing), Action::End),
    }
}

/// After a recall: the next round, or the tools if there is none.
fn begin_round(mut state: State) -> (State, Action) {
    if state.round >= state.limits.rounds {
        return begin_tools(state);
    }
    state.round += 1;
    (state.awaiting(Phase::Knowing, Awaited::Reply), Action::AskForReply)
}

/// The next step of the tools, or the answer if there is none.
fn begin_tools(state: State) -> (State, Action) {
    if state.step >= state.limits.tool_steps {
        return write_answer(state);
    }
    (state.awaiting(Phase::Acting, Awaited::Reply), Action::AskForReply)
}

fn write_answer(state: State) -> (State, Action) {
    (state.awaiting(Phase::Answering, Awaited::Answer), Action::WriteAnswer)
}

/// After an invalid reply: the same prompt once more, then the answer.
fn ask_again(mut state: State) -> (State, Action) {
    state.invalid_replies += 1;
    if state.invalid_replies >= MAX_INVALID_REPLIES {
        return write_answer(state);
    }
    (state, Action::AskForReply)
}

fn knowing(mut state: State, reply: &Result<Reply, ReplyError>) -> (State, Action) {
    let Ok(reply) = reply else { return ask_again(state) };
    state.invalid_replies = 0;
    match reply {
        Reply::Answer | Reply::Stop => write_answer(state),
        Reply::Act(call) => run_tool(state, call.clone()),
        Reply::Need(need) => {
            let key = question_key(need);
            // The same recall would find the same.
            if state.needs.contains(&key) {
                return begin_tools(state);
            }
            state.needs.push(key);
            (state.awaiting(Phase::Knowing, Awaited::Recall), Action::Recall { need: need.clone() })
        }
    }
}

fn acting(mut state: State, reply: &Result<Reply, ReplyError>) -> (State, Action) {
    let Ok(reply) = reply else { return ask_again(state) };
    state.invalid_replies = 0;
    match reply {
        Reply::Answer | Reply::Stop => write_answer(state),
        Reply::Act(call) => run_tool(state, call.clone()),
        // The memory was asked already: the need is looked for in the book.
        Reply::Need(need) => run_tool(state, ToolCall::FindInBook { query: need.clone(), limit: MAX_LIMIT }),
    }
}

fn run_tool(mut state: State, call: ToolCall) -> (State, Action) {
    if state.step >= state.limits.tool_steps {
        return write_answer(state);
    }
    let earlier = state.calls.iter_mut().find(|(earlier, _)| earlier.is_repetition_of(&call));
    let action = match earlier {
        None => {
            state.calls.push((call.clone(), 0));
            Action::RunTool(call)
        }
        Some((earlier, repetitions)) => {
            *repetitions += 1;
            if *repetitions >= MAX_REPETITIONS {
                return write_answer(state);
            }
            Action::RepeatTool(earlier.clone())
        }
    };
    state.step += 1;
    (state.awaiting(Phase::Acting, Awaited::Tool), action)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(text: &str) -> Event {
        Event::Replied(Ok(Reply::Need(text.to_owned())))
    }

    fn find(query: &str) -> ToolCall {
        ToolCall::FindInBook { query: query.to_owned(), limit: 8 }
    }

    fn act(query: &str) -> Event {
        Event::Replied(Ok(Reply::Act(find(query))))
    }

    fn invalid() -> Event {
        Event::Replied(Err(ReplyError::NoObject))
    }

    const FOUND: Event = Event::Recalled { found: 1 };
    const TOOL: Event = Event::ToolEnded { found: 1, is_ok: true };

    /// The actions after the events, and the last state.
    fn run(events: &[Event]) -> (State, Vec<Action>) {
        let mut state = State::new(Limits::default());
        let mut actions = Vec::new();
        for event in events {
            let (after, action) = next(&state, event);
            state = after;
            actions.push(action);
        }
        (state, actions)
    }

    fn recall(need: &str) -> Action {
        Action::Recall { need: need.to_owned() }
    }

    #[test]
    fn the_question_is_recalled_before_the_model_is_asked() {
        let (state, actions) = run(&[FOUND]);
        assert_eq!((state.phase(), state.round()), (Phase::Knowing, 1));
        assert_eq!(actions, [Action::AskForReply]);
        assert_eq!(State::new(Limits::default()).round(), 0);
    }

    #[test]
    fn a_model_that_can_answer_answers() {
        let (state, actions) = run(&[FOUND, Event::Replied(Ok(Reply::Answer)), Event::Answered]);
        assert_eq!(actions, [Action::AskForReply, Action::WriteAnswer, Action::End]);
        assert_eq!(state.phase(), Phase::Ended);
    }

    #[test]
    fn after_three_needs_the_tools_follow() {
        let (state, actions) = run(&[FOUND, need("a"), FOUND, need("b"), FOUND, need("c"), FOUND]);
        let ask = Action::AskForReply;
        assert_eq!(actions, [ask.clone(), recall("a"), ask.clone(), recall("b"), ask.clone(), recall("c"), ask]);
        assert_eq!((state.phase(), state.round(), state.step()), (Phase::Acting, 3, 0));
    }

    #[test]
    fn the_same_need_is_not_recalled_twice() {
        let (state, actions) = run(&[FOUND, need("Mei's eyes"), FOUND, need("mei's  EYES?")]);
        assert_eq!(actions.last(), Some(&Action::AskForReply));
        assert_eq!((state.phase(), state.round()), (Phase::Acting, 2));
    }

    #[test]
    fn a_recall_that_fails_leads_to_the_tools() {
        assert_eq!(run(&[Event::RecallFailed]).0.phase(), Phase::Acting);
        let (state, actions) = run(&[FOUND, need("a"), Event::RecallFailed]);
        assert_eq!((state.phase(), actions.last()), (Phase::Acting, Some(&Action::AskForReply)));
    }

    #[test]
    fn the_third_repetition_of_a_call_ends_the_tools() {
        let (state, actions) = run(&[FOUND, act("eyes"), TOOL, act("Eyes"), TOOL, act("eyes"), TOOL, act("eyes")]);
        let calls: Vec<&Action> = actions.iter().filter(|action| **action != Action::AskForReply).collect();
        let again = Action::RepeatTool(find("eyes"));
        assert_eq!(calls, [&Action::RunTool(find("eyes")), &again, &again, &Action::WriteAnswer]);
        assert_eq!(state.step(), 3);
    }

    #[test]
    fn the_tools_end_at_their_limit() {
        let mut events = vec![FOUND];
        for query in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            events.extend([act(query), TOOL]);
        }
        let (state, actions) = run(&events);
        assert_eq!((state.step(), actions.last()), (8, Some(&Action::WriteAnswer)));
    }

    #[test]
    fn a_tool_that_fails_is_a_step_like_any_other() {
        let (state, actions) = run(&[FOUND, act("a"), Event::ToolEnded { found: 0, is_ok: false }]);
        assert_eq!((state.step(), actions.last()), (1, Some(&Action::AskForReply)));
    }

    #[test]
    fn a_need_among_the_tools_is_looked_for_in_the_book() {
        let (_, actions) = run(&[Event::RecallFailed, need("her eyes")]);
        assert_eq!(actions.last(), Some(&Action::RunTool(find("her eyes"))));
    }

    #[test]
    fn an_invalid_reply_is_asked_for_once_more() {
        let (state, actions) = run(&[FOUND, invalid()]);
        assert!(state.is_asked_again());
        assert_eq!(actions.last(), Some(&Action::AskForReply));
        assert_eq!(run(&[FOUND, invalid(), invalid()]).1.last(), Some(&Action::WriteAnswer));
        let (state, actions) = run(&[FOUND, invalid(), act("a"), TOOL, invalid()]);
        assert_eq!(actions.last(), Some(&Action::AskForReply), "only invalid replies in a row count");
        assert!(state.is_asked_again());
    }

    #[test]
    fn a_failed_model_and_a_stop_end_every_phase() {
        for before in [&[][..], &[FOUND], &[FOUND, need("a")], &[FOUND, act("a")], &[FOUND, invalid(), invalid()]] {
            for end in [Event::ModelFailed, Event::Stopped] {
                let (state, actions) = run(&[before, &[end], &[FOUND, act("a"), TOOL]].concat());
                assert_eq!(state.phase(), Phase::Ended);
                assert!(actions[before.len()..].iter().all(|action| *action == Action::End));
            }
        }
    }

    #[test]
    fn limits_of_nothing_lead_to_the_answer_at_once() {
        let state = State::new(Limits { rounds: 0, tool_steps: 0 });
        assert_eq!(next(&state, &FOUND).1, Action::WriteAnswer);
        assert_eq!(State::new(Limits { rounds: 255, tool_steps: 255 }).steps_left(), 20);
    }
}
