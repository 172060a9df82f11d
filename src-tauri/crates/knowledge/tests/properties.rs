//! Rules that hold for any sequence of events and kills, and for any reply of a model.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use palimpsest_asking::tools::ToolCall;
use palimpsest_knowledge::{
    failures::FailureKind,
    replies::{KnownEntity, StudiedPassage, check_questions, check_summary, step_reply},
    study::{Action, Book, Event, Limits, Phase, Question, RequestError, State, StepReply, StopReason, next},
};
use palimpsest_text::{Language, anchors::is_verifiable};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One thing that happens to a study.
#[derive(Debug, Clone)]
enum Happening {
    /// The result that fits the last action, chosen by a number.
    Fitting(u8),
    /// Any event.
    Any(Event),
    /// The program is killed and started again.
    Kill,
    /// The clock goes on, in milliseconds.
    Later(i64),
    /// Midnight.
    NextDay,
    /// The surroundings change, by a number.
    Surroundings(u8),
}

fn find(query: &str) -> ToolCall {
    ToolCall::FindInBook { query: query.to_owned(), limit: 8 }
}

fn reply() -> impl Strategy<Value = StepReply> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(|query| StepReply::Call(find(query))),
        1 => Just(StepReply::Stop),
        1 => Just(StepReply::Invalid),
    ]
}

fn error() -> impl Strategy<Value = RequestError> {
    prop_oneof![
        3 => Just(RequestError::Failed { retry_after: None }),
        1 => (0..100_000_u64).prop_map(|wait| RequestError::Failed { retry_after: Some(wait) }),
        1 => Just(RequestError::DailyLimit),
        1 => Just(RequestError::NoKey),
        1 => Just(RequestError::NoModel),
        1 => Just(RequestError::Cancelled),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Resumed),
        Just(Event::Woken),
        Just(Event::Run),
        Just(Event::SwitchedOn),
        Just(Event::Stop),
        Just(Event::Compare),
        Just(Event::StopComparing),
        Just(Event::ModelChanged),
        (0..2_usize, 0..2_usize, any::<bool>()).prop_map(|(queued, gaps, has_pair)| Event::Checked {
            queued,
            open_gaps: gaps,
            gaps,
            pair: has_pair.then(|| "pair".to_owned()),
        }),
        Just(Event::Compared),
        Just(Event::Questions(None)),
        reply().prop_map(|reply| Event::Stepped { reply, tokens: 100 }),
        Just(Event::ToolEnded { found: 1, tokens: 900 }),
        Just(Event::Summarized(json!({ "a": 1 }))),
        prop::sample::select(FailureKind::ALL.to_vec()).prop_map(Event::Refused),
        Just(Event::Committed),
        (error(), 0.0..1.0).prop_map(|(error, jitter)| Event::Failed { error, jitter }),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        12 => any::<u8>().prop_map(Happening::Fitting),
        2 => event().prop_map(Happening::Any),
        3 => Just(Happening::Kill),
        3 => (0..4_000_000_i64).prop_map(Happening::Later),
        1 => Just(Happening::NextDay),
        1 => any::<u8>().prop_map(Happening::Surroundings),
    ]
}

/// The surroundings of a number; most of them let a study run.
fn surroundings(number: u8) -> Book {
    let has = |bit: u8| number.is_multiple_of(bit);
    Book {
        limits: Limits { questions_per_day: 4, explorations_per_day: 3, comparisons_per_day: 3, ..Limits::default() },
        is_agreed: !has(31),
        is_on: !has(7),
        is_open: !has(29),
        is_paused: has(23),
        has_model: !has(19),
        is_idle: !has(5),
        is_other_running: has(13),
        is_limit_reached: has(11),
        has_own_question: has(3),
        hash: format!("{}", number % 4),
    }
}

/// The result of an action; every question has an id of its own.
fn fitting(action: &Action, number: u8, id: usize) -> Event {
    let failed = Event::Failed { error: RequestError::Failed { retry_after: None }, jitter: 0.5 };
    match action {
        _ if number.is_multiple_of(16) => failed,
        Action::FindGaps => Event::Checked {
            queued: usize::from(number % 5 == 1),
            open_gaps: 1,
            gaps: 1,
            pair: (number % 3 == 1).then(|| id.to_string()),
        },
        Action::Compare { .. } if number % 5 == 1 => Event::Refused(FailureKind::UnreadableReply),
        Action::Compare { .. } => Event::Compared,
        Action::TakeQueued | Action::GenerateQuestions { .. } | Action::TakeTemplate if number % 5 == 2 => {
            Event::Questions(None)
        }
        Action::TakeQueued | Action::GenerateQuestions { .. } | Action::TakeTemplate => {
            Event::Questions(Some(Question { id: id.to_string(), ..Question::default() }))
        }
        Action::AskStep { .. } if number % 7 == 1 => Event::Stepped { reply: StepReply::Stop, tokens: 10 },
        Action::AskStep { .. } => {
            Event::Stepped { reply: StepReply::Call(find(&format!("{}", number % 9))), tokens: 10 }
        }
        Action::RunTool(_) | Action::RepeatTool(_) => Event::ToolEnded { found: 1, tokens: u32::from(number) * 10 },
        Action::Summarize { .. } if number % 5 == 1 => Event::Refused(FailureKind::NoEvidence),
        Action::Summarize { .. } if number % 5 == 2 => Event::Refused(FailureKind::UnreadableReply),
        Action::Summarize { .. } => Event::Summarized(json!({ "a": 1 })),
        Action::Commit => Event::Committed,
        Action::Wait { .. } | Action::Fail { .. } | Action::GiveUpPair { .. } | Action::Ignore => Event::Woken,
    }
}

/// The counted actions of a run. Each begins once, whatever happens.
#[derive(Default)]
struct Counted {
    /// Questions and explorations that began, by day.
    by_day: BTreeMap<String, (u32, u32)>,
    /// The last number of a step and of a summary, by question.
    requests: BTreeMap<String, (u32, u32)>,
    answered: Vec<String>,
    /// Requests for a comparison that began, by day.
    comparisons: BTreeMap<String, u32>,
}

impl Counted {
    fn note(&mut self, before: &State, state: &State, action: &Action, limits: &Limits) -> Result<(), TestCaseError> {
        let question = state.work.as_ref().and_then(|work| work.question.as_ref()).map(|question| question.id.clone());
        let of_day = self.by_day.entry(state.day.clone()).or_default();
        match action {
            Action::GenerateQuestions { .. } => {
                prop_assert_eq!(before.phase, Phase::Checking, "a request for questions follows a check alone");
                of_day.0 += 1;
            }
            Action::TakeQueued if before.phase == Phase::Checking => of_day.0 += 1,
            Action::AskStep { number } => {
                let id = question.clone().unwrap();
                let last = self.requests.entry(id).or_default();
                prop_assert!(*number == last.0 + 1 && *number <= limits.steps, "step {} after {}", number, last.0);
                of_day.1 += u32::from(*number == 1);
                last.0 = *number;
            }
            Action::Compare { number, .. } => {
                prop_assert!(*number <= limits.comparisons);
                let of_day = self.comparisons.entry(state.day.clone()).or_default();
                *of_day += 1;
                prop_assert!(*of_day == state.comparisons_today && *of_day <= limits.comparisons_per_day);
            }
            Action::Summarize { number } => {
                let last = self.requests.entry(question.clone().unwrap()).or_default();
                prop_assert!(*number == last.1 + 1 && *number <= limits.summaries);
                last.1 = *number;
            }
            Action::Fail { question, .. } => {
                prop_assert!(!self.answered.contains(&question.id));
                self.answered.push(question.id.clone());
            }
            _ => {}
        }
        if state.total_explored > before.total_explored {
            let id = before.work.as_ref().and_then(|work| work.question.clone()).unwrap().id;
            prop_assert!(!self.answered.contains(&id), "committed twice");
            self.answered.push(id);
        }
        for (questions, explorations) in self.by_day.values() {
            prop_assert!(*questions <= limits.questions_per_day && *explorations <= limits.explorations_per_day);
        }
        Ok(())
    }
}

fn check_state(state: &State) -> Result<(), TestCaseError> {
    let stage = state.work.as_ref().map(|work| work.stage);
    match state.phase {
        phase if phase.is_active() => prop_assert_eq!(stage, Some(phase)),
        Phase::Checking => prop_assert!(state.work.is_none() && state.stop_reason.is_none()),
        Phase::BackingOff => prop_assert!(state.back_off_until.is_some() && state.stop_reason.is_none()),
        Phase::Stopped => {
            let is_wait = matches!(state.stop_reason, None | Some(StopReason::Quota | StopReason::Unchanged));
            prop_assert!(!is_wait, "{:?}", state.stop_reason);
        }
        _ => prop_assert!(
            matches!(state.stop_reason, None | Some(StopReason::Quota | StopReason::Unchanged)),
            "{:?}",
            state.stop_reason
        ),
    }
    prop_assert!(stage.is_none_or(Phase::is_active));
    Ok(())
}

/// Text of a model that may or may not be of the book.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(PASSAGES.to_vec()).prop_flat_map(|text| {
            let chars = text.chars().count();
            (0..chars, 0..chars).prop_map(move |(a, b)| text.chars().skip(a.min(b)).take(a.abs_diff(b)).collect())
        }),
        ".{0,40}",
        prop::sample::select(vec!["Mei is 44 years old", "P1", "E1", "Mei", "G1", "true", "她在这里"])
            .prop_map(str::to_owned),
    ]
}

const PASSAGES: [&str; 2] = [
    "Mei came in. “Her eyes,” he said, “are grey as the sea.” Ji has read the gauge for forty-four years.",
    "The rope was wet, and Jun carried it down to the boat before the tide turned at six.",
];

fn item() -> impl Strategy<Value = Value> {
    let field =
        prop::sample::select(vec!["text", "passage", "quote", "entity", "attribute", "value", "knownBy", "gap"]);
    let value = prop_oneof![
        6 => words().prop_map(Value::from),
        2 => prop::sample::select(vec!["P1", "P2", "E1", "G1"]).prop_map(Value::from),
        1 => any::<i32>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => prop::collection::vec(words(), 0..3).prop_map(Value::from),
    ];
    prop::collection::vec((field, value), 0..8).prop_map(|fields| json!(fields.into_iter().collect::<BTreeMap<_, _>>()))
}

proptest! {
    #[test]
    fn nothing_of_any_reply_is_kept_without_words_of_the_book(
        statements in prop::collection::vec(item(), 0..12),
        facts in prop::collection::vec(item(), 0..16),
        cut in 0..4_usize,
    ) {
        let text = json!({ "statements": statements, "facts": facts, "unanswerable": false }).to_string();
        let text: String = text.chars().take(text.chars().count().saturating_sub(cut)).collect();
        let handles = ["P1", "P2"];
        let passage = |(handle, text)| StudiedPassage { handle, text, is_after_position: false };
        let passages: Vec<StudiedPassage<'_>> = handles.into_iter().zip(PASSAGES).map(passage).collect();
        let names = ["Mei".to_owned()];
        let entities = [KnownEntity { id: "mei", names: &names }];
        if let Ok(summary) = check_summary(&text, &passages, &entities, Language::En) {
            prop_assert!(summary.statements.len() <= 8 && summary.facts.len() <= 12);
            let quotes = summary.statements.iter().map(|one| &one.quote).chain(summary.facts.iter().map(|one| &one.quote));
            for quote in quotes {
                let at = handles.iter().position(|handle| *handle == quote.passage).unwrap();
                prop_assert!(is_verifiable(PASSAGES[at].get(quote.range.clone()).unwrap()));
            }
            prop_assert!(summary.facts.iter().all(|fact| fact.entity_id == "mei"));
        }
        prop_assert!(check_questions(&text, &[], Language::En, 3).is_err());
        let _ = step_reply(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_events_and_kills_exceeds_a_quota_or_repeats_a_request(
        happenings in prop::collection::vec(happening(), 1..50),
    ) {
        let mut book = surroundings(1);
        let (mut now, mut day) = (1_000_000_000_i64, 1_u32);
        let mut state = State::default();
        let mut action = Action::Wait { until: None };
        let mut counted = Counted::default();
        for (id, happening) in happenings.into_iter().enumerate() {
            let event = match happening {
                Happening::Fitting(number) => {
                    if let Action::Wait { until: Some(until) } = &action {
                        now = now.max(*until);
                    }
                    fitting(&action, number, id)
                }
                Happening::Any(event) => event,
                Happening::Kill => {
                    let stored = State::from_json(&state.to_json().unwrap());
                    prop_assert_eq!(&stored, &state);
                    Event::Resumed
                }
                Happening::Later(millis) => {
                    now += millis;
                    Event::Woken
                }
                Happening::NextDay => {
                    (day, now) = (day + 1, now + 86_400_000);
                    Event::Woken
                }
                Happening::Surroundings(number) => {
                    book = surroundings(number);
                    Event::Woken
                }
            };
            let (after, next_action) = next(now, &format!("2026-{day:05}"), &state, &book, &event);
            counted.note(&state, &after, &next_action, &book.limits)?;
            check_state(&after)?;
            if next_action == Action::Ignore {
                prop_assert_eq!(after.phase, state.phase);
            } else {
                action = next_action;
            }
            state = after;
        }
    }
}
