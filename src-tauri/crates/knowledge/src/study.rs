//! The loop of a study, as a pure function.
//!
//! ```text
//! idle ─► checking ─► generatingQuestion ─► exploring ─► summarizing ─► committing ─► idle
//!          ▲ ▲ │ ▲                └───────────────┴────────────┴── error ─► backingOff ─► checking
//!          │ │ └─┴─ comparing: one pair of sentences after the other
//!          └─┴─► idle (quota, unchanged), stopped (user, noKey, fullyLearned, duplicates, error, noModel, paused, …)
//! ```
//!
//! The caller stores the state that [`next`] returns, then performs the action, then reports its result as an event.
//! [`Action::Commit`], [`Action::Fail`] and [`Action::GiveUpPair`] are performed in the transaction that stores the
//! state after them. So a kill at any time continues the same question with its steps: an action that is counted or
//! sends a request has begun once for good, and after [`Event::Resumed`] the next one follows in its place.

mod comparing;
mod events;
mod limits;
mod state;
#[cfg(test)]
mod tests;

use serde_json::Value;

use self::limits::DAY_MILLIS;
pub use self::{
    events::{Action, Book, Event, RequestError, StepReply},
    limits::{IDLE_MILLIS, INTERVAL_MILLIS, Limits, back_off_millis},
    state::{Phase, Question, Source, State, Step, StopReason, StoredCall, Work},
};
use crate::failures::FailureKind;

/// The state after an event, and the next action. `now`: milliseconds since 1970; `day`: the local day, as
/// `2026-11-27`.
#[must_use]
pub fn next(now: i64, day: &str, state: &State, book: &Book, event: &Event) -> (State, Action) {
    let mut study = Study { now, book, state: state.clone() };
    study.begin_day(day);
    let action = study.react(event);
    (study.state, action)
}

struct Study<'a> {
    now: i64,
    book: &'a Book,
    state: State,
}

impl Study<'_> {
    /// Resets the counts on a later day. An earlier one, of a clock that was set back, resets nothing.
    fn begin_day(&mut self, day: &str) {
        if self.state.day.as_str() < day {
            self.state.day = day.to_owned();
            (self.state.questions_today, self.state.explorations_today) = (0, 0);
            let had_pairs_left = self.state.comparisons_today >= self.book.limits.comparisons_per_day;
            if had_pairs_left && self.state.stop_reason == Some(StopReason::Unchanged) {
                self.state.stop_reason = None;
            }
            self.state.comparisons_today = 0;
        }
    }

    fn react(&mut self, event: &Event) -> Action {
        let phase = self.state.phase;
        match event {
            Event::Stop => self.stop(StopReason::User, true),
            Event::StopComparing => self.stop_comparing(),
            Event::Resumed => match phase {
                _ if phase.is_active() => self.continue_work(),
                Phase::Checking => self.begin(),
                _ => self.wake_with_model(),
            },
            Event::ModelChanged if phase.is_active() || phase == Phase::Checking => Action::Ignore,
            Event::ModelChanged => self.wake_with_model(),
            Event::Woken if phase.is_active() || phase == Phase::Checking => Action::Ignore,
            Event::Woken => self.wake(),
            Event::Compare if phase.is_active() || phase == Phase::Checking => {
                self.state.is_comparing = true;
                Action::Ignore
            }
            Event::Run | Event::SwitchedOn if phase.is_active() || phase == Phase::Checking => Action::Ignore,
            Event::SwitchedOn if phase == Phase::Stopped => {
                self.state.was_stopped = false;
                self.release();
                self.begin()
            }
            Event::SwitchedOn => self.wake(),
            Event::Run | Event::Compare => {
                let is_question = *event == Event::Run;
                (self.state.is_on_demand, self.state.is_comparing) = (is_question, !is_question);
                self.state.was_stopped = !is_question && self.state.stop_reason == Some(StopReason::User);
                if phase == Phase::BackingOff {
                    return self.wake();
                }
                self.release();
                self.begin()
            }
            _ => match (phase, event) {
                (Phase::Checking, Event::Checked { queued, open_gaps, gaps, pair }) => {
                    self.checked(*queued, *open_gaps, *gaps, pair.as_deref())
                }
                (Phase::Comparing, Event::Compared) => self.compared(),
                (Phase::GeneratingQuestion, Event::Questions(question)) => self.take(question.as_ref()),
                (Phase::Exploring, Event::Stepped { reply, tokens }) if !self.is_call_awaited() => {
                    self.stepped(reply, *tokens)
                }
                (Phase::Exploring, Event::ToolEnded { found, tokens }) => self.tool_ended(*found, *tokens),
                (Phase::Summarizing, Event::Summarized(result)) => self.summarized(result),
                (Phase::Comparing, Event::Refused(_)) => self.compare(),
                (Phase::GeneratingQuestion, Event::Refused(kind)) => self.no_questions(*kind),
                (Phase::Summarizing | Phase::Committing, Event::Refused(kind)) => self.refused(*kind),
                (Phase::Committing, Event::Committed) => self.committed(),
                (_, Event::Failed { error, jitter }) if phase.is_active() || phase == Phase::Checking => {
                    self.failed(*error, *jitter)
                }
                _ => Action::Ignore,
            },
        }
    }

    fn idle(&mut self, reason: Option<StopReason>) -> Action {
        (self.state.phase, self.state.stop_reason) = (Phase::Idle, reason);
        Action::Wait { until: None }
    }

    /// `is_event`: the reason is an event, so that no look at the surroundings shows that it is over.
    fn stop(&mut self, reason: StopReason, is_event: bool) -> Action {
        (self.state.phase, self.state.stop_reason) = (Phase::Stopped, Some(reason));
        self.state.stopped_at = is_event.then_some(self.now);
        (self.state.is_on_demand, self.state.is_comparing) = (false, false);
        self.leave_pair();
        Action::Wait { until: None }
    }

    /// Leaves a stop, by the writer's word or as its reason is over.
    fn release(&mut self) {
        if self.state.stop_reason == Some(StopReason::Error) {
            self.state.consecutive_errors = 0;
        }
        self.state.duplicates_in_row = 0;
        (self.state.phase, self.state.stop_reason) = (Phase::Idle, None);
        (self.state.stopped_at, self.state.seen_book, self.state.exhausted_day) = (None, None, None);
    }

    /// Wakes the study where its model or key may be another one: it is asked again, also where it was refused before.
    fn wake_with_model(&mut self) -> Action {
        if matches!(self.state.stop_reason, Some(StopReason::NoKey | StopReason::NoModel)) {
            self.state.stopped_at = None;
        }
        self.wake()
    }

    fn wake(&mut self) -> Action {
        match self.state.phase {
            Phase::BackingOff => {
                let until = self.state.back_off_until.unwrap_or(self.now);
                // Further ahead than any wait: the clock was set back.
                if self.now < until && until.saturating_sub(self.now) <= DAY_MILLIS {
                    return Action::Wait { until: Some(until) };
                }
                self.state.back_off_until = None;
                self.begin()
            }
            Phase::Stopped if self.is_stop_over() => {
                self.release();
                self.begin()
            }
            Phase::Stopped => Action::Wait { until: None },
            _ if self.state.stop_reason == Some(StopReason::Unchanged) && !self.has_changed() => {
                Action::Wait { until: None }
            }
            _ => self.begin(),
        }
    }

    fn has_changed(&self) -> bool {
        self.book.has_own_question || self.state.seen_book.as_ref() != Some(&self.book.hash)
    }

    fn is_stop_over(&self) -> bool {
        let is_day_over = || self.state.stopped_at.is_some_and(|at| self.now.saturating_sub(at) >= DAY_MILLIS);
        match self.state.stop_reason {
            Some(StopReason::User) => false,
            Some(StopReason::Error) => is_day_over(),
            Some(StopReason::FullyLearned | StopReason::Duplicates) => self.has_changed(),
            Some(StopReason::NoKey | StopReason::NoModel) if self.state.stopped_at.is_some() => is_day_over(),
            Some(StopReason::NoKey | StopReason::NoModel | StopReason::Paused | StopReason::BookClosed) => {
                self.obstacle().is_none()
            }
            Some(StopReason::Quota | StopReason::Unchanged) | None => true,
        }
    }

    /// The reason that stops a study wherever it is.
    fn obstacle(&self) -> Option<StopReason> {
        match self.book {
            Book { is_open: false, .. } => Some(StopReason::BookClosed),
            Book { is_paused: true, .. } => Some(StopReason::Paused),
            Book { has_model: false, .. } => Some(StopReason::NoModel),
            _ => None,
        }
    }

    /// The wait before the next request of a question; `None` if it may be sent.
    fn wait_before_request(&mut self) -> Option<Action> {
        self.state.is_on_demand &= self.book.is_agreed;
        self.state.is_comparing &= self.book.is_agreed;
        if !self.book.is_agreed || !(self.book.is_on || self.is_wanted_now()) {
            return Some(self.idle(None));
        }
        if let Some(reason) = self.obstacle() {
            return Some(self.stop(reason, false));
        }
        let is_exhausted = self.state.exhausted_day.as_ref() == Some(&self.state.day);
        if self.book.is_limit_reached || is_exhausted {
            return Some(self.idle(Some(StopReason::Quota)));
        }
        self.book.is_other_running.then(|| self.idle(None))
    }

    /// Whether the writer asked for a question or for comparisons now.
    fn is_wanted_now(&self) -> bool {
        self.state.is_on_demand || self.state.is_comparing
    }

    fn is_quota_used(&self) -> bool {
        let limits = &self.book.limits;
        self.state.questions_today >= limits.questions_per_day
            || self.state.explorations_today >= limits.explorations_per_day
    }

    /// Begins a question, or continues the present one.
    fn begin(&mut self) -> Action {
        if !self.state.is_comparing && std::mem::take(&mut self.state.was_stopped) {
            return self.stop(StopReason::User, true);
        }
        if let Some(wait) = self.wait_before_request() {
            return wait;
        }
        self.exchange_question();
        let is_busy = !self.book.is_idle && !self.is_wanted_now();
        if is_busy {
            return self.idle(None);
        }
        if self.state.work.is_some() {
            return self.continue_work();
        }
        if self.is_quota_used() && !self.state.is_comparing {
            return self.idle(Some(StopReason::Quota));
        }
        (self.state.phase, self.state.stop_reason) = (Phase::Checking, None);
        Action::FindGaps
    }

    /// Begins with a pair of sentences, or with a question. A question that the writer asked for comes first.
    fn checked(&mut self, queued: usize, open_gaps: usize, gaps: usize, pair: Option<&str>) -> Action {
        if let Some(wait) = self.wait_before_request() {
            return wait;
        }
        let has_question = queued > 0 || open_gaps > 0;
        let is_question_first = (self.state.is_on_demand || self.book.has_own_question) && has_question;
        let may_compare = self.state.comparisons_today < self.book.limits.comparisons_per_day;
        if let Some(pair) = pair.filter(|_| may_compare && (self.state.is_comparing || !is_question_first)) {
            return self.take_pair(pair);
        }
        // The writer asked for comparisons alone.
        if std::mem::take(&mut self.state.is_comparing) {
            if std::mem::take(&mut self.state.was_stopped) {
                self.exchange_question();
                return self.stop(StopReason::User, true);
            }
            return self.idle(pair.map(|_| StopReason::Quota));
        }
        if self.is_quota_used() {
            return self.idle(Some(StopReason::Quota));
        }
        if !has_question {
            self.state.is_on_demand = false;
            self.state.seen_book = Some(self.book.hash.clone());
            // With a pair that is left, tomorrow goes on.
            return if gaps == 0 && pair.is_none() {
                self.stop(StopReason::FullyLearned, true)
            } else {
                self.idle(Some(StopReason::Unchanged))
            };
        }
        self.state.phase = Phase::GeneratingQuestion;
        self.state.questions_today += 1;
        if queued > 0 {
            self.state.work = Some(Work::new(Source::Queue));
            return Action::TakeQueued;
        }
        self.state.work = Some(Work::new(Source::Model));
        Action::GenerateQuestions { limit: self.book.limits.questions_per_request }
    }

    /// After a reply with no readable question: the template of the first gap takes its place, without a request.
    fn no_questions(&mut self, kind: FailureKind) -> Action {
        self.state.consecutive_errors += 1;
        self.state.last_error = Some(kind.name().to_owned());
        if self.state.consecutive_errors >= self.book.limits.errors {
            self.state.work = None;
            return self.stop(StopReason::Error, true);
        }
        self.state.work = Some(Work::new(Source::Template));
        Action::TakeTemplate
    }

    fn take(&mut self, question: Option<&Question>) -> Action {
        self.state.work = None;
        let Some(question) = question else {
            self.state.duplicates_in_row += 1;
            // The writer wanted one question, and the model was asked for it.
            self.state.is_on_demand = false;
            if self.state.duplicates_in_row >= self.book.limits.duplicates {
                self.state.seen_book = Some(self.book.hash.clone());
                return self.stop(StopReason::Duplicates, true);
            }
            return self.idle(None);
        };
        if self.state.explorations_today >= self.book.limits.explorations_per_day {
            return self.idle(Some(StopReason::Quota));
        }
        // It is in the queue: it is taken, and its exploration counted, when the first request may be sent.
        if let Some(wait) = self.wait_before_request() {
            self.state.work = Some(Work::new(Source::Queue));
            return wait;
        }
        self.state.duplicates_in_row = 0;
        self.state.explorations_today += 1;
        self.state.work = Some(Work::on(question.clone()));
        self.continue_work()
    }

    /// The action that follows in the present work, also after a kill or a wait: a request whose result was lost is not
    /// sent again, and the next one takes its place.
    fn continue_work(&mut self) -> Action {
        if let Some(wait) = self.wait_before_request() {
            return wait;
        }
        let Some(work) = &mut self.state.work else { return self.idle(None) };
        (self.state.phase, self.state.stop_reason) = (work.stage, None);
        work.since = self.now;
        match work.stage {
            Phase::Comparing => self.compare(),
            Phase::GeneratingQuestion if work.source == Source::Queue => Action::TakeQueued,
            Phase::GeneratingQuestion => {
                work.source = Source::Template;
                Action::TakeTemplate
            }
            Phase::Exploring => match work.call.as_ref().map(|step| (step.call.call(), step.is_repetition)) {
                Some((Some(call), true)) => Action::RepeatTool(call),
                Some((Some(call), false)) => Action::RunTool(call),
                Some((None, _)) | None => {
                    work.call = None;
                    self.ask_step()
                }
            },
            Phase::Summarizing => self.summarize(),
            Phase::Committing => Action::Commit,
            _ => {
                self.state.work = None;
                self.idle(None)
            }
        }
    }

    fn is_call_awaited(&self) -> bool {
        self.state.work.as_ref().is_some_and(|work| work.call.is_some())
    }

    fn ask_step(&mut self) -> Action {
        if let Some(wait) = self.wait_before_request() {
            return wait;
        }
        let limits = &self.book.limits;
        let Some(work) = &mut self.state.work else { return self.idle(None) };
        let is_spent = work.begun_steps >= limits.steps
            || work.tokens >= limits.tokens
            || work.millis >= limits.millis
            || work.repetitions >= limits.repetitions
            || work.invalid_replies >= limits.invalid_replies;
        if is_spent {
            return self.summarize();
        }
        work.begun_steps += 1;
        work.since = self.now;
        Action::AskStep { number: work.begun_steps }
    }

    fn stepped(&mut self, reply: &StepReply, tokens: u32) -> Action {
        let repetitions = self.book.limits.repetitions;
        let now = self.now;
        let Some(work) = &mut self.state.work else { return self.idle(None) };
        work.spend(now, tokens);
        match reply {
            StepReply::Stop => self.summarize(),
            StepReply::Invalid => {
                work.invalid_replies += 1;
                self.ask_step()
            }
            StepReply::Call(call) => {
                work.invalid_replies = 0;
                let is_repetition = work.begin_call(call, now);
                if work.repetitions >= repetitions {
                    work.call = None;
                    return self.summarize();
                }
                if is_repetition { Action::RepeatTool(call.clone()) } else { Action::RunTool(call.clone()) }
            }
        }
    }

    fn tool_ended(&mut self, found: u32, tokens: u32) -> Action {
        let now = self.now;
        let Some(work) = &mut self.state.work else { return self.idle(None) };
        let Some(step) = work.call.take() else { return Action::Ignore };
        work.spend(now, tokens);
        work.steps.push(Step { found, ..step });
        self.ask_step()
    }

    fn summarize(&mut self) -> Action {
        if let Some(work) = &mut self.state.work {
            work.stage = Phase::Summarizing;
        }
        if let Some(wait) = self.wait_before_request() {
            return wait;
        }
        let limit = self.book.limits.summaries;
        let now = self.now;
        let Some(work) = &mut self.state.work else { return self.idle(None) };
        if work.begun_summaries >= limit {
            return self.fail(FailureKind::Interrupted);
        }
        work.begun_summaries += 1;
        work.since = now;
        self.state.phase = Phase::Summarizing;
        Action::Summarize { number: work.begun_summaries }
    }

    fn summarized(&mut self, result: &Value) -> Action {
        let Some(work) = &mut self.state.work else { return self.idle(None) };
        (work.stage, work.result) = (Phase::Committing, Some(result.clone()));
        self.state.phase = Phase::Committing;
        Action::Commit
    }

    /// After a summary or a result of which nothing may be kept. A reply that could not be read is asked for once more.
    fn refused(&mut self, kind: FailureKind) -> Action {
        let has_another =
            self.state.work.as_ref().is_some_and(|work| {
                work.stage == Phase::Summarizing && work.begun_summaries < self.book.limits.summaries
            });
        if kind == FailureKind::UnreadableReply && has_another { self.summarize() } else { self.fail(kind) }
    }

    /// Gives up the present question.
    fn fail(&mut self, kind: FailureKind) -> Action {
        self.state.consecutive_errors += u32::from(kind.is_bad_reply());
        self.state.last_error = Some(kind.name().to_owned());
        self.state.is_on_demand = false;
        let work = self.state.work.take();
        let stopped = self.idle(None);
        if self.state.consecutive_errors >= self.book.limits.errors {
            self.stop(StopReason::Error, true);
        }
        match work {
            Some(Work { question: Some(question), steps, .. }) => Action::Fail { question, steps, kind },
            _ => stopped,
        }
    }

    fn committed(&mut self) -> Action {
        self.state.work = None;
        self.state.is_on_demand = false;
        (self.state.consecutive_errors, self.state.duplicates_in_row) = (0, 0);
        self.state.last_error = None;
        self.state.total_explored += 1;
        self.idle(None)
    }

    fn failed(&mut self, error: RequestError, jitter: f64) -> Action {
        match error {
            RequestError::Cancelled => {
                self.state.is_comparing = false;
                self.leave_pair();
                self.idle(None)
            }
            RequestError::DailyLimit => {
                self.leave_pair();
                self.state.exhausted_day = Some(self.state.day.clone());
                self.idle(Some(StopReason::Quota))
            }
            RequestError::NoKey => self.stop(StopReason::NoKey, true),
            RequestError::NoModel => self.stop(StopReason::NoModel, true),
            RequestError::Failed { retry_after } => {
                self.state.consecutive_errors += 1;
                self.state.last_error = Some(FailureKind::ModelFailed.name().to_owned());
                if self.state.consecutive_errors >= self.book.limits.errors {
                    return self.fail_for_good();
                }
                // A question that was not found yet is a new one after the wait, and so is a pair: each is counted.
                if self.state.work.as_ref().is_some_and(|work| work.question.is_none()) {
                    self.state.work = None;
                }
                let until = self.now + back_off_millis(self.state.consecutive_errors, jitter, retry_after);
                self.state.back_off_until = Some(until);
                (self.state.phase, self.state.stop_reason) = (Phase::BackingOff, None);
                Action::Wait { until: Some(until) }
            }
        }
    }

    fn fail_for_good(&mut self) -> Action {
        let is_committing = self.state.phase == Phase::Committing;
        let action = if is_committing { Action::Wait { until: None } } else { self.fail(FailureKind::ModelFailed) };
        self.stop(StopReason::Error, true);
        action
    }
}

impl Work {
    /// Adds the time since the begin of a request or call, and its tokens.
    fn spend(&mut self, now: i64, tokens: u32) {
        self.millis = self.millis.saturating_add(u64::try_from(now.saturating_sub(self.since)).unwrap_or(0));
        self.since = now;
        self.tokens = self.tokens.saturating_add(tokens);
    }
}
