mod comparing;

use palimpsest_asking::tools::ToolCall;
use serde_json::json;

use super::*;

const DAY: &str = "2026-11-27";
const NEXT_DAY: &str = "2026-11-28";

fn book() -> Book {
    Book {
        limits: Limits::default(),
        is_agreed: true,
        is_on: true,
        is_open: true,
        is_paused: false,
        has_model: true,
        is_idle: true,
        is_other_running: false,
        is_limit_reached: false,
        has_own_question: false,
        hash: "one".into(),
    }
}

fn question(id: &str) -> Question {
    Question { id: id.into(), text: "Who lit the lamp?".into(), question_type: "plot".into(), ..Question::default() }
}

fn find(query: &str) -> ToolCall {
    ToolCall::FindInBook { query: query.into(), limit: 8 }
}

fn call(query: &str) -> Event {
    Event::Stepped { reply: StepReply::Call(find(query)), tokens: 10 }
}

fn checked(queued: usize, open_gaps: usize, gaps: usize) -> Event {
    Event::Checked { queued, open_gaps, gaps, pair: None }
}

/// A look at a book with a pair of sentences that was not compared.
fn checked_with_pair(queued: usize, open_gaps: usize, pair: &str) -> Event {
    Event::Checked { queued, open_gaps, gaps: open_gaps, pair: Some(pair.into()) }
}

fn compare(pair: &str, number: u32) -> Action {
    Action::Compare { pair: pair.into(), number }
}

fn failed() -> Event {
    Event::Failed { error: RequestError::Failed { retry_after: None }, jitter: 0.0 }
}

const STOP: Event = Event::Stepped { reply: StepReply::Stop, tokens: 5 };
const INVALID: Event = Event::Stepped { reply: StepReply::Invalid, tokens: 5 };
const FOUND: Event = Event::ToolEnded { found: 2, tokens: 100 };
const WAIT: Action = Action::Wait { until: None };

/// A study under way, at a time and with surroundings that a test changes.
struct Run {
    now: i64,
    day: &'static str,
    book: Book,
    state: State,
}

impl Run {
    fn new() -> Self {
        Self { now: 1_000_000, day: DAY, book: book(), state: State::default() }
    }

    #[track_caller]
    fn on(&mut self, event: &Event) -> Action {
        let (state, action) = next(self.now, self.day, &self.state, &self.book, event);
        self.state = state;
        action
    }

    /// The action after a kill: the stored state is read again.
    fn kill(&mut self) -> Action {
        self.state = State::from_json(&self.state.to_json().unwrap());
        self.on(&Event::Resumed)
    }

    /// Begins to explore a question.
    fn exploring(mut self) -> Self {
        assert_eq!(self.on(&Event::Woken), Action::FindGaps);
        assert_eq!(self.on(&checked(0, 2, 2)), Action::GenerateQuestions { limit: 3 });
        assert_eq!(self.on(&Event::Questions(Some(question("q")))), Action::AskStep { number: 1 });
        self
    }

    fn summarizing(self) -> Self {
        let mut run = self.exploring();
        assert_eq!(run.on(&STOP), Action::Summarize { number: 1 });
        run
    }

    fn committing(self) -> Self {
        let mut run = self.summarizing();
        assert_eq!(run.on(&Event::Summarized(json!({ "a": 1 }))), Action::Commit);
        run
    }

    fn counts(&self) -> (u32, u32) {
        (self.state.questions_today, self.state.explorations_today)
    }

    fn at(&self) -> (Phase, Option<StopReason>) {
        (self.state.phase, self.state.stop_reason)
    }
}

#[test]
fn an_idle_study_waits_for_agreement_model_book_and_quiet() {
    type Change = fn(&mut Book);
    let waits: [(Change, Phase, Option<StopReason>); 9] = [
        (|book| book.is_agreed = false, Phase::Idle, None),
        (|book| book.is_on = false, Phase::Idle, None),
        (|book| book.is_idle = false, Phase::Idle, None),
        (|book| book.is_other_running = true, Phase::Idle, None),
        (|book| book.is_open = false, Phase::Stopped, Some(StopReason::BookClosed)),
        (|book| book.is_paused = true, Phase::Stopped, Some(StopReason::Paused)),
        (|book| book.has_model = false, Phase::Stopped, Some(StopReason::NoModel)),
        (|book| book.is_limit_reached = true, Phase::Idle, Some(StopReason::Quota)),
        (|book| book.limits.questions_per_day = 0, Phase::Idle, Some(StopReason::Quota)),
    ];
    for (change, phase, reason) in waits {
        let mut run = Run::new();
        change(&mut run.book);
        assert_eq!(run.on(&Event::Woken), WAIT);
        assert_eq!(run.at(), (phase, reason));
        assert_eq!(run.on(&Event::Woken), WAIT, "it waits on: {reason:?}");
        run.book = book();
        assert_eq!(run.on(&Event::Woken), Action::FindGaps, "the reason is over: {reason:?}");
    }
}

#[test]
fn the_writer_starts_one_question_while_the_editor_is_busy() {
    let mut run = Run::new();
    (run.book.is_idle, run.book.is_on) = (false, false);
    assert_eq!(run.on(&Event::Woken), WAIT);
    assert_eq!(run.on(&Event::Run), Action::FindGaps);
    run.on(&checked(1, 0, 0));
    run.on(&Event::Questions(Some(question("q"))));
    run.on(&STOP);
    run.on(&Event::Summarized(json!({})));
    run.on(&Event::Committed);
    assert_eq!((run.at(), run.on(&Event::Woken)), ((Phase::Idle, None), WAIT), "one question, and no more");
    assert_eq!(run.on(&Event::Run), Action::FindGaps);
    run.on(&checked(0, 1, 1));
    run.on(&Event::Questions(None));
    assert_eq!((run.at(), run.on(&Event::Woken)), ((Phase::Idle, None), WAIT), "nor is the model asked again for one");
    run.book.is_agreed = false;
    assert_eq!(run.on(&Event::Run), WAIT, "without an agreement nothing is sent");
}

#[test]
fn checking_leads_to_a_question_or_to_a_wait() {
    let mut run = Run::new();
    run.on(&Event::Woken);
    assert_eq!(run.on(&checked(2, 5, 5)), Action::TakeQueued, "the writer's own question comes first");
    assert_eq!(run.counts(), (1, 0));

    let mut run = Run::new();
    run.on(&Event::Woken);
    assert_eq!((run.on(&checked(0, 0, 0)), run.at()), (WAIT, (Phase::Stopped, Some(StopReason::FullyLearned))));
    assert_eq!(run.on(&Event::Woken), WAIT);
    run.book.hash = "two".into();
    assert_eq!(run.on(&Event::Woken), Action::FindGaps, "a chapter changed");
    assert_eq!((run.on(&checked(0, 0, 3)), run.at()), (WAIT, (Phase::Idle, Some(StopReason::Unchanged))));
    assert_eq!(run.on(&Event::Woken), WAIT);
    run.book.has_own_question = true;
    assert_eq!(run.on(&Event::Woken), Action::FindGaps, "the writer asks something");
}

#[test]
fn a_quota_waits_for_tomorrow() {
    let mut run = Run::new();
    run.book.limits.questions_per_day = 2;
    for _ in 0..2 {
        run.on(&Event::Woken);
        run.on(&checked(0, 1, 1));
        run.on(&Event::Questions(None));
    }
    assert_eq!((run.on(&Event::Woken), run.at()), (WAIT, (Phase::Idle, Some(StopReason::Quota))));
    assert_eq!((run.on(&Event::Run), run.at()), (WAIT, (Phase::Idle, Some(StopReason::Quota))), "also on demand");
    run.day = "2026-11-26";
    assert_eq!(run.on(&Event::Woken), WAIT, "a clock that is set back gives no new day");
    run.day = NEXT_DAY;
    assert_eq!((run.on(&Event::Woken), run.counts()), (Action::FindGaps, (0, 0)));
    run.book.limits.explorations_per_day = 0;
    assert_eq!(run.on(&checked(0, 1, 1)), WAIT);
    assert_eq!(run.counts(), (0, 0));
}

#[test]
fn questions_that_were_all_asked_before_stop_after_five_rounds() {
    let mut run = Run::new();
    for round in 1..=5 {
        assert_eq!(run.on(&Event::Woken), Action::FindGaps);
        run.on(&checked(0, 1, 1));
        run.on(&Event::Questions(None));
        assert_eq!(run.state.phase, if round < 5 { Phase::Idle } else { Phase::Stopped });
    }
    assert_eq!((run.state.stop_reason, run.counts()), (Some(StopReason::Duplicates), (5, 0)));
    assert_eq!(run.on(&Event::Woken), WAIT);
    run.book.hash = "two".into();
    assert_eq!(run.on(&Event::Woken), Action::FindGaps);
}

#[test]
fn an_exploration_uses_tools_until_the_model_stops() {
    let mut run = Run::new().exploring();
    assert_eq!(run.counts(), (1, 1));
    assert_eq!(run.on(&call("lamp")), Action::RunTool(find("lamp")));
    assert_eq!(run.on(&FOUND), Action::AskStep { number: 2 });
    assert_eq!(run.on(&STOP), Action::Summarize { number: 1 });
    assert_eq!(run.on(&Event::Summarized(json!({ "a": 1 }))), Action::Commit);
    assert_eq!(run.state.work.as_ref().map(|work| (work.steps.len(), work.tokens)), Some((1, 115)));
    assert_eq!((run.on(&Event::Committed), run.at()), (WAIT, (Phase::Idle, None)));
    assert_eq!((run.state.total_explored, &run.state.work, run.counts()), (1, &None, (1, 1)));
}

#[test]
fn an_exploration_ends_at_its_limits() {
    for (deep, steps) in [(false, 10), (true, 15)] {
        let mut run = Run::new();
        run.book.limits = if deep { Limits::deep() } else { Limits::default() };
        run.on(&Event::Woken);
        run.on(&checked(1, 0, 0));
        run.on(&Event::Questions(Some(question("q"))));
        for step in 1..steps {
            run.on(&call(&format!("{step}")));
            assert_eq!(run.on(&FOUND), Action::AskStep { number: step + 1 });
        }
        run.on(&call("last"));
        assert_eq!(run.on(&FOUND), Action::Summarize { number: 1 }, "the stop of the model is not waited for");
    }
    let mut run = Run::new().exploring();
    run.on(&call("a"));
    assert_eq!(run.on(&Event::ToolEnded { found: 1, tokens: 7_989 }), Action::AskStep { number: 2 });
    run.on(&call("b"));
    assert_eq!(run.on(&Event::ToolEnded { found: 0, tokens: 0 }), Action::Summarize { number: 1 }, "8,000 tokens");
    let mut run = Run::new().exploring();
    run.now += 120_000;
    run.on(&call("a"));
    assert_eq!(run.on(&FOUND), Action::Summarize { number: 1 }, "120 s");
    let mut run = Run::new().exploring();
    run.now += 119_000;
    run.on(&call("a"));
    run.now += 3_600_000;
    assert_eq!(run.kill(), Action::RunTool(find("a")), "the time of a wait is not that of the exploration");
    assert_eq!(run.on(&FOUND), Action::AskStep { number: 2 });
}

#[test]
fn three_repeated_calls_end_an_exploration() {
    let mut run = Run::new().exploring();
    run.on(&call("lamp"));
    for _ in 0..2 {
        run.on(&FOUND);
        assert_eq!(run.on(&call("LAMP")), Action::RepeatTool(find("LAMP")));
    }
    run.on(&FOUND);
    assert_eq!(run.on(&call("lamp")), Action::Summarize { number: 1 });
    assert_eq!(run.state.work.as_ref().map(|work| work.steps.len()), Some(3));
}

#[test]
fn two_invalid_replies_in_a_row_end_an_exploration() {
    let mut run = Run::new().exploring();
    assert_eq!(run.on(&INVALID), Action::AskStep { number: 2 });
    run.on(&call("a"));
    assert_eq!(run.on(&FOUND), Action::AskStep { number: 3 });
    assert_eq!(run.on(&INVALID), Action::AskStep { number: 4 });
    assert_eq!(run.on(&INVALID), Action::Summarize { number: 1 });
}

#[test]
fn a_summary_without_evidence_fails_the_question() {
    let mut run = Run::new().summarizing();
    let action = run.on(&Event::Refused(FailureKind::NoEvidence));
    assert_eq!(action, Action::Fail { question: question("q"), steps: vec![], kind: FailureKind::NoEvidence });
    assert_eq!((run.at(), run.state.consecutive_errors), ((Phase::Idle, None), 0));
    let mut run = Run::new().summarizing();
    assert_eq!(run.on(&Event::Refused(FailureKind::UnreadableReply)), Action::Summarize { number: 2 });
    assert!(matches!(run.on(&Event::Refused(FailureKind::UnreadableReply)), Action::Fail { .. }));
    assert_eq!(run.state.consecutive_errors, 1);
    let mut run = Run::new().committing();
    assert!(matches!(run.on(&Event::Refused(FailureKind::TextChanged)), Action::Fail { .. }));
}

#[test]
fn an_error_is_waited_for_and_the_same_question_continues() {
    let mut run = Run::new().exploring();
    run.on(&call("lamp"));
    run.on(&FOUND);
    let until = Action::Wait { until: Some(run.now + 1_000) };
    assert_eq!((run.on(&failed()), run.state.phase), (until.clone(), Phase::BackingOff));
    assert_eq!(run.on(&Event::Woken), until);
    run.now += 1_000;
    assert_eq!(run.on(&Event::Woken), Action::AskStep { number: 3 });
    assert_eq!(run.counts(), (1, 1));
    assert_eq!(run.state.work.as_ref().map(|work| work.steps.len()), Some(1));
}

#[test]
fn a_wait_doubles_up_to_an_hour_and_jitter_adds_a_fifth() {
    let waits: Vec<i64> = (1..=4).map(|errors| back_off_millis(errors, 0.0, None)).collect();
    assert_eq!(waits, [1_000, 2_000, 4_000, 8_000]);
    assert_eq!(back_off_millis(1, 1.0, None), 1_200);
    assert_eq!(back_off_millis(40, 1.0, None), 4_320_000);
    assert_eq!(back_off_millis(u32::MAX, f64::NAN, None), 3_600_000);
    assert_eq!(back_off_millis(9, 1.0, Some(500)), 500, "the server's own wait is kept");
    assert_eq!(back_off_millis(1, 0.0, Some(u64::MAX)), 86_400_000);
}

#[test]
fn the_servers_own_wait_wins() {
    let mut run = Run::new().exploring();
    let error = RequestError::Failed { retry_after: Some(90_000) };
    let until = run.now + 90_000;
    assert_eq!(run.on(&Event::Failed { error, jitter: 1.0 }), Action::Wait { until: Some(until) });
    run.now = until - 1;
    assert_eq!(run.on(&Event::Run), Action::Wait { until: Some(until) }, "also against the writer's impatience");
    run.now = until;
    assert_eq!(run.on(&Event::Woken), Action::AskStep { number: 2 });
}

#[test]
fn five_errors_stop_the_study_for_a_day_or_until_the_writer() {
    let stopped = || {
        let mut run = Run::new().exploring();
        for _ in 0..4 {
            run.on(&failed());
            run.now += 3_600_000;
            run.on(&Event::Woken);
        }
        let action = run.on(&failed());
        assert!(matches!(action, Action::Fail { kind: FailureKind::ModelFailed, .. }), "{action:?}");
        assert_eq!(run.at(), (Phase::Stopped, Some(StopReason::Error)));
        run
    };
    let mut run = stopped();
    run.now += 86_399_999;
    assert_eq!(run.on(&Event::Woken), WAIT);
    run.now += 1;
    assert_eq!((run.on(&Event::Woken), run.state.consecutive_errors), (Action::FindGaps, 0));
    let mut run = stopped();
    assert_eq!((run.on(&Event::Run), run.state.consecutive_errors), (Action::FindGaps, 0));
}

#[test]
fn errors_are_forgotten_when_a_question_is_answered() {
    let mut run = Run::new().exploring();
    run.on(&failed());
    run.now += 10_000;
    run.on(&Event::Woken);
    run.on(&STOP);
    run.on(&Event::Summarized(json!({})));
    assert_eq!(run.state.consecutive_errors, 1);
    run.on(&Event::Committed);
    assert_eq!(run.state.consecutive_errors, 0);
}

#[test]
fn a_daily_limit_is_no_error_and_waits_for_tomorrow() {
    let mut run = Run::new().exploring();
    run.on(&Event::Failed { error: RequestError::DailyLimit, jitter: 0.0 });
    assert_eq!((run.at(), run.state.consecutive_errors), ((Phase::Idle, Some(StopReason::Quota)), 0));
    assert_eq!(run.on(&Event::Woken), WAIT);
    run.day = NEXT_DAY;
    assert_eq!(run.on(&Event::Woken), Action::AskStep { number: 2 }, "the same question");
    assert_eq!(run.counts(), (0, 0), "it was counted when it began");
}

#[test]
fn a_refused_key_and_a_missing_model_stop_until_the_writer_changes_them() {
    for (error, reason) in [(RequestError::NoKey, StopReason::NoKey), (RequestError::NoModel, StopReason::NoModel)] {
        let mut run = Run::new().exploring();
        run.on(&Event::Failed { error, jitter: 0.0 });
        assert_eq!((run.at(), run.on(&Event::Woken)), ((Phase::Stopped, Some(reason)), WAIT));
        for (event, number) in [(Event::SwitchedOn, 2), (Event::ModelChanged, 3), (Event::Resumed, 4)] {
            assert_eq!(run.on(&event), Action::AskStep { number });
            run.on(&Event::Failed { error, jitter: 0.0 });
            assert_eq!((run.at(), run.on(&Event::Woken)), ((Phase::Stopped, Some(reason)), WAIT), "refused again");
        }
    }
}

#[test]
fn the_writer_stops_and_continues_the_same_question() {
    let mut run = Run::new().exploring();
    run.on(&call("lamp"));
    assert_eq!((run.on(&Event::Stop), run.at()), (WAIT, (Phase::Stopped, Some(StopReason::User))));
    assert_eq!(run.on(&FOUND), Action::Ignore, "a late result");
    run.now += 10 * 86_400_000;
    assert_eq!(run.on(&Event::Woken), WAIT);
    assert_eq!(run.on(&Event::Run), Action::RunTool(find("lamp")));
    assert_eq!(run.counts(), (1, 1));
}

#[test]
fn a_kill_in_any_phase_continues_and_repeats_nothing() {
    let mut run = Run::new();
    run.on(&Event::Woken);
    assert_eq!(run.kill(), Action::FindGaps);
    run.on(&checked(0, 1, 1));
    assert_eq!(run.kill(), Action::TakeTemplate, "the request was counted, and is not sent again");
    assert_eq!((run.kill(), run.counts()), (Action::TakeTemplate, (1, 0)));

    let mut run = Run::new();
    run.on(&Event::Woken);
    run.on(&checked(1, 0, 0));
    assert_eq!((run.kill(), run.counts()), (Action::TakeQueued, (1, 0)));

    let mut run = Run::new().exploring();
    assert_eq!(run.kill(), Action::AskStep { number: 2 });
    run.on(&call("lamp"));
    assert_eq!(run.kill(), Action::RunTool(find("lamp")));
    run.on(&FOUND);
    run.on(&call("lamp"));
    assert_eq!(run.kill(), Action::RepeatTool(find("lamp")));
    assert_eq!(run.on(&FOUND), Action::AskStep { number: 4 });
    assert_eq!((run.counts(), run.state.work.as_ref().map(|work| work.steps.len())), ((1, 1), Some(2)));

    let mut run = Run::new().summarizing();
    assert_eq!(run.kill(), Action::Summarize { number: 2 });
    let action = run.kill();
    assert!(matches!(action, Action::Fail { kind: FailureKind::Interrupted, .. }), "{action:?}");

    let mut run = Run::new().committing();
    assert_eq!((run.kill(), run.counts()), (Action::Commit, (1, 1)));
    run.on(&failed());
    assert_eq!(run.kill(), Action::Wait { until: Some(run.now + 1_000) });
    run.now += 1_000;
    assert_eq!(run.on(&Event::Woken), Action::Commit);
    run.on(&Event::Stop);
    assert_eq!((run.kill(), run.at()), (WAIT, (Phase::Stopped, Some(StopReason::User))));
}

#[test]
fn a_stored_state_of_another_version_loses_no_count() {
    let text = r#"{"version":7,"phase":"dreaming","stopReason":"bored","questionsToday":3,"day":"2026-11-27","new":1,
        "work":{"stage":"dreaming"}}"#;
    let state = State::from_json(text);
    assert_eq!((state.phase, state.questions_today, &state.work, state.stop_reason), (Phase::Idle, 3, &None, None));
    assert_eq!(State::from_json("not a state"), State::default());
    let without_work = r#"{"phase":"exploring","explorationsToday":2}"#;
    assert_eq!(State::from_json(without_work).phase, Phase::Idle);
    let torn = r#"{"phase":"committing","work":{"stage":"committing","question":{"id":"q"}}}"#;
    assert_eq!(State::from_json(torn).work, None, "nothing to commit");
}
