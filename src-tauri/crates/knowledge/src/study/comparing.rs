//! The comparison of pairs of sentences in the loop of a study, one request each.

use super::{Action, Phase, StopReason, Study, state::Work};
use crate::failures::FailureKind;

impl Study<'_> {
    /// Sets the question at work aside where the writer wants comparisons alone, and takes it up again after them. Its
    /// passages are not sent meanwhile.
    pub(super) fn exchange_question(&mut self) {
        if !self.state.is_comparing {
            self.state.work = self.state.work.take().or_else(|| self.state.set_aside.take());
        } else if let Some(question) = self.state.work.take_if(|work| work.stage != Phase::Comparing) {
            self.state.set_aside = Some(question);
        }
    }

    pub(super) fn take_pair(&mut self, pair: &str) -> Action {
        self.state.work = Some(Work::on_pair(pair.to_owned()));
        self.compare()
    }

    /// The next request for the comparison of the present pair. One without a readable reply to two requests, also
    /// where the program ended before it came, is given up.
    pub(super) fn compare(&mut self) -> Action {
        if let Some(wait) = self.wait_before_request() {
            self.leave_pair();
            return wait;
        }
        let (now, limits) = (self.now, &self.book.limits);
        let Some(Work { pair: Some(pair), begun_comparisons, since, .. }) = &mut self.state.work else {
            self.state.work = None;
            return self.idle(None);
        };
        if *begun_comparisons >= limits.comparisons {
            let pair = pair.clone();
            return self.give_up_pair(pair);
        }
        if self.state.comparisons_today >= limits.comparisons_per_day {
            self.state.work = None;
            return self.idle(Some(StopReason::Quota));
        }
        (*begun_comparisons, *since) = (*begun_comparisons + 1, now);
        let action = Action::Compare { pair: pair.clone(), number: *begun_comparisons };
        self.state.comparisons_today += 1;
        (self.state.phase, self.state.stop_reason) = (Phase::Comparing, None);
        action
    }

    fn give_up_pair(&mut self, pair: String) -> Action {
        self.state.consecutive_errors += 1;
        self.state.last_error = Some(FailureKind::UnreadableReply.name().to_owned());
        self.state.work = None;
        self.idle(None);
        if self.state.consecutive_errors >= self.book.limits.errors {
            self.stop(StopReason::Error, true);
        }
        Action::GiveUpPair { pair }
    }

    pub(super) fn compared(&mut self) -> Action {
        self.state.work = None;
        (self.state.consecutive_errors, self.state.last_error) = (0, None);
        self.begin()
    }

    /// Ends the comparisons that the writer asked for: the study is as it was before them. Without such comparisons the
    /// study stops.
    pub(super) fn stop_comparing(&mut self) -> Action {
        if !std::mem::take(&mut self.state.is_comparing) {
            return self.stop(StopReason::User, true);
        }
        self.leave_pair();
        self.exchange_question();
        if std::mem::take(&mut self.state.was_stopped) {
            return self.stop(StopReason::User, true);
        }
        if self.state.phase == Phase::BackingOff { self.wake() } else { self.idle(None) }
    }

    /// Leaves the pair that is compared: it is taken again, with its own count, when the study goes on.
    pub(super) fn leave_pair(&mut self) {
        self.state.work.take_if(|work| work.stage == Phase::Comparing);
    }
}
