//! The standing of an answer: validation level, trust, failures, and whether it is blocked.
//!
//! A pure state machine: [`next`] gives the standing after one event, [`fold`] that after all of them. A stored
//! standing is the fold of the events that are stored with it, so an undo removes an event and folds again.
//!
//! ```text
//! pass:     trust + .05, failures to 0;  level 1 at the first, 2 at the third, 3 with ten uses: one level at a time
//! partial:  trust + .02, half a failure
//! fail:     trust - .10, one failure;    no level falls
//! three failures in a row, halves counted: blocked, for 24 h × 2^(times - 1), at most 30 days, then on probation
//! ```
//!
//! The steps are those of section 4 of the lifecycle document; trust is counted in thousandths and failures in halves,
//! so that .40 and "three" are exact. The steps are no probability: that is [`crate::posterior`].

use crate::{
    config::GatekeeperConfig,
    validation::{Source, Validation, ValidationResult},
};

/// Trust of a new answer, in thousandths.
pub const INITIAL_TRUST_MILLI: u16 = 500;
/// Minimum trust of an answer that the writer unblocked, in thousandths: that of an answer that may be shown.
pub const MIN_UNBLOCKED_TRUST_MILLI: u16 = 400;
/// Maximum trust, in thousandths.
pub const MAX_TRUST_MILLI: u16 = 1_000;
/// The highest validation level.
pub const MAX_LEVEL: u8 = 3;
/// Validation level of an answer that the writer confirmed, at least: the level that the documents call confirmed.
pub const CONFIRMED_LEVEL: u8 = 2;
/// Passes in all from which an answer has level 2.
pub const PASSES_OF_LEVEL_2: u32 = 3;
/// Uses from which a pass gives level 3.
pub const USES_OF_LEVEL_3: u32 = 10;
/// Milliseconds that an answer waits after its first block.
pub const FIRST_COOLDOWN_MS: i64 = 24 * HOUR_MS;
/// Maximum milliseconds that an answer waits after a block.
pub const MAX_COOLDOWN_MS: i64 = 30 * 24 * HOUR_MS;

const HOUR_MS: i64 = 60 * 60 * 1_000;
const PASS_STEP_MILLI: u16 = 50;
const PARTIAL_STEP_MILLI: u16 = 20;
const FAIL_STEP_MILLI: u16 = 100;
/// Days after which a verified answer is half as fresh.
const FRESHNESS_DAYS: f64 = 30.0;

/// Who blocked an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockedBy {
    /// Failures in a row; the probation slot can unblock it.
    Run,
    /// The writer, who alone can unblock it.
    Writer,
}

/// The part that an answer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It takes part.
    Active,
    /// It is not used.
    Blocked(BlockedBy),
    /// The writer chose another answer in its place; no event but the writer's own moves it.
    Retired,
}

/// The standing of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Standing {
    /// Validation level: 0 candidate, 1 verified, 2 confirmed, 3 gold.
    pub level: u8,
    /// Trust in thousandths, 0..=1,000.
    pub trust_milli: u16,
    /// Consecutive failures, in halves.
    pub fails_half: u32,
    /// Passes since it was made or edited.
    pub passes: u32,
    /// Runs in whose prompt it was, since it was made or edited.
    pub shown_count: u32,
    /// Runs that used it, since it was made or edited.
    pub used_count: u32,
    /// The part that it takes.
    pub state: State,
    /// Number of blocks since it was made, edited, confirmed or unblocked by the writer.
    pub times_blocked: u32,
    /// Milliseconds since 1970 of the last failure or partial result that counted; `None` if there was none.
    pub last_failed_at: Option<i64>,
    /// Milliseconds since 1970 at which it was made, edited, confirmed, or last passed. Reading it changes nothing.
    pub verified_at: i64,
    /// The writer confirmed it. No run lowers or blocks it then.
    pub user_confirmed: bool,
    /// Failures since the writer confirmed it, which changed nothing.
    pub challenged: u32,
}

/// An event in the life of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Event {
    /// Milliseconds since 1970.
    pub at: i64,
    /// The kind of the event.
    pub kind: EventKind,
}

/// A use of an answer, or a decision of the writer about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A run had it in its prompt, or used it, or both.
    Hit {
        /// It was in the prompt.
        shown: bool,
        /// The run used it.
        used: bool,
    },
    /// A use said something about it.
    Validated(Validation),
    /// The writer confirmed it.
    Confirmed,
    /// The writer blocked it.
    Blocked,
    /// The writer permits its use again.
    Unblocked,
    /// The writer edited its text, which starts again from level 0.
    Edited,
    /// The writer chose another answer in its place.
    Retired,
}

/// The settings of a fold. Standings under other rules are folded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandingRules {
    /// Consecutive failures that block, in halves; 0 blocks none.
    pub block_at_half: u32,
}

impl Default for StandingRules {
    fn default() -> Self {
        Self { block_at_half: 6 }
    }
}

impl From<&GatekeeperConfig> for StandingRules {
    fn from(config: &GatekeeperConfig) -> Self {
        Self { block_at_half: config.block_if_consecutive_fail_ge.saturating_mul(2) }
    }
}

impl Standing {
    /// The standing of an answer that was made at `at`, in milliseconds since 1970.
    #[must_use]
    pub fn initial(at: i64) -> Self {
        Self {
            level: 0,
            trust_milli: INITIAL_TRUST_MILLI,
            fails_half: 0,
            passes: 0,
            shown_count: 0,
            used_count: 0,
            state: State::Active,
            times_blocked: 0,
            last_failed_at: None,
            verified_at: at,
            user_confirmed: false,
            challenged: 0,
        }
    }

    /// The status that the gate and the wire know: `active`, `verified` (level 1 and higher), `blocked`, `retired`.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self.state {
            State::Active if self.level >= 1 => "verified",
            State::Active => "active",
            State::Blocked(_) => "blocked",
            State::Retired => "retired",
        }
    }

    fn clear_failures(&mut self) {
        self.fails_half = 0;
        self.times_blocked = 0;
        self.last_failed_at = None;
    }

    fn raise_confirmed(&mut self) {
        self.level = self.level.max(CONFIRMED_LEVEL);
        self.trust_milli = self.trust_milli.max(INITIAL_TRUST_MILLI);
    }

    fn validate(&mut self, at: i64, validation: Validation, rules: StandingRules) {
        let by_writer = validation.source == Source::Writer;
        let is_pass = validation.result == ValidationResult::Pass;
        // The caller decides what is applied; that an answer which was not used never falls does not depend on it.
        let is_moving = validation.applied && (is_pass || validation.used || by_writer);
        if !is_moving || self.state == State::Retired {
            return;
        }
        match validation.result {
            ValidationResult::Pass => self.pass(at),
            ValidationResult::Partial => {
                self.raise_trust(PARTIAL_STEP_MILLI);
                // To a confirmed answer, half a failure is none.
                if !self.user_confirmed {
                    self.count_failure(at, 1, rules);
                }
            }
            ValidationResult::Fail if self.user_confirmed && !by_writer => {
                self.challenged = self.challenged.saturating_add(1);
            }
            ValidationResult::Fail => {
                // By "wrong" the writer takes the confirmation back.
                self.user_confirmed = false;
                self.trust_milli = self.trust_milli.saturating_sub(FAIL_STEP_MILLI);
                self.count_failure(at, 2, rules);
            }
        }
    }

    fn pass(&mut self, at: i64) {
        self.passes = self.passes.saturating_add(1);
        self.raise_trust(PASS_STEP_MILLI);
        self.fails_half = 0;
        self.verified_at = self.verified_at.max(at);
        // The number of blocks stays: one that fails again waits longer.
        if self.state == State::Blocked(BlockedBy::Run) {
            self.state = State::Active;
        }
        self.level = match self.level {
            0 => 1,
            1 if self.passes >= PASSES_OF_LEVEL_2 => 2,
            2 if self.used_count >= USES_OF_LEVEL_3 => MAX_LEVEL,
            level => level,
        };
    }

    fn raise_trust(&mut self, step: u16) {
        self.trust_milli = self.trust_milli.saturating_add(step).min(MAX_TRUST_MILLI);
    }

    fn count_failure(&mut self, at: i64, halves: u32, rules: StandingRules) {
        self.fails_half = self.fails_half.saturating_add(halves);
        // A clock that was set back shortens no wait.
        self.last_failed_at = Some(self.last_failed_at.map_or(at, |last| last.max(at)));
        let is_blocked_by_writer = self.state == State::Blocked(BlockedBy::Writer);
        if rules.block_at_half > 0 && self.fails_half >= rules.block_at_half && !is_blocked_by_writer {
            self.state = State::Blocked(BlockedBy::Run);
            self.times_blocked = self.times_blocked.saturating_add(1);
        }
    }
}

/// The standing after one event.
///
/// A validation that is not applied changes nothing, nor does a failure of an answer that was not used, nor any
/// validation of a retired answer. A failure of a confirmed answer counts as `challenged` only, unless it is the
/// writer's verdict, which takes the confirmation back.
#[must_use]
pub fn next(standing: &Standing, event: &Event, rules: StandingRules) -> Standing {
    let mut after = standing.clone();
    let at = event.at;
    match event.kind {
        EventKind::Hit { shown, used } => {
            after.shown_count = after.shown_count.saturating_add(u32::from(shown));
            after.used_count = after.used_count.saturating_add(u32::from(used));
        }
        EventKind::Validated(validation) => after.validate(at, validation, rules),
        EventKind::Confirmed => {
            after.user_confirmed = true;
            after.challenged = 0;
            after.state = State::Active;
            after.verified_at = after.verified_at.max(at);
            after.clear_failures();
            after.raise_confirmed();
        }
        EventKind::Blocked => {
            if !matches!(after.state, State::Blocked(_)) {
                after.times_blocked = after.times_blocked.saturating_add(1);
            }
            after.state = State::Blocked(BlockedBy::Writer);
        }
        EventKind::Unblocked => {
            after.state = State::Active;
            after.trust_milli = after.trust_milli.max(MIN_UNBLOCKED_TRUST_MILLI);
            after.clear_failures();
        }
        EventKind::Edited => {
            let blocked_by_writer = State::Blocked(BlockedBy::Writer);
            let (confirmed, state) = (after.user_confirmed, after.state);
            after = Standing::initial(after.verified_at.max(at));
            after.state = if state == blocked_by_writer { blocked_by_writer } else { State::Active };
            after.user_confirmed = confirmed;
            if confirmed {
                after.raise_confirmed();
            }
        }
        EventKind::Retired => after.state = State::Retired,
    }
    after
}

/// The standing after all events, in the order in which they are given.
#[must_use]
pub fn fold<'e>(initial: Standing, events: impl IntoIterator<Item = &'e Event>, rules: StandingRules) -> Standing {
    events.into_iter().fold(initial, |standing, event| next(&standing, event, rules))
}

/// Milliseconds that an answer waits after its last failure before it may be on probation: 24 hours, doubled by each
/// block after the first, at most 30 days.
#[must_use]
pub fn cooldown_ms(times_blocked: u32) -> i64 {
    // Five doublings are over 30 days already.
    let doublings = times_blocked.saturating_sub(1).min(5);
    (FIRST_COOLDOWN_MS << doublings).min(MAX_COOLDOWN_MS)
}

/// Freshness of an answer, 0..=1: 1/(1 + days/30) since it was last verified. 1 if the clock was set back.
#[must_use]
pub fn freshness(verified_at: i64, now: i64) -> f64 {
    let days = now.saturating_sub(verified_at).max(0) as f64 / (24 * HOUR_MS) as f64;
    1.0 / (1.0 + days / FRESHNESS_DAYS)
}

/// Trust in thousandths of a number that a service sends, rounded down, so that .3999 is not .40. Numbers below 0 and
/// such as are not finite give 0, those above 1 give 1,000.
#[must_use]
pub fn trust_milli(trust: f64) -> u16 {
    // The product of an exact number of thousandths may be a little less than it.
    const ROUNDING: f64 = 1e-6;
    if trust.is_finite() { (trust.clamp(0.0, 1.0) * f64::from(MAX_TRUST_MILLI) + ROUNDING) as u16 } else { 0 }
}

/// Failures in halves of a number of failures that a service sends, rounded down; 0 for numbers below 0 and NaN.
#[must_use]
pub fn fails_half(failures: f64) -> u32 {
    (failures * 2.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::Strength;

    const DAY_MS: i64 = 24 * HOUR_MS;

    fn run(result: ValidationResult, used: bool) -> EventKind {
        let validation = Validation { result, strength: Strength::Weak, source: Source::Run, used, applied: true };
        EventKind::Validated(validation)
    }

    fn verdict(result: ValidationResult) -> EventKind {
        let validation =
            Validation { result, strength: Strength::Strong, source: Source::Writer, used: true, applied: true };
        EventKind::Validated(validation)
    }

    fn after(kinds: &[EventKind]) -> Standing {
        let events: Vec<Event> = (1..).zip(kinds).map(|(at, kind)| Event { at: at * DAY_MS, kind: *kind }).collect();
        fold(Standing::initial(0), &events, StandingRules::default())
    }

    const FAIL: ValidationResult = ValidationResult::Fail;
    const PASS: ValidationResult = ValidationResult::Pass;

    #[test]
    fn an_answer_rises_from_candidate_to_gold_by_passes_and_uses() {
        let used = EventKind::Hit { shown: true, used: true };
        let life: Vec<EventKind> = (0..10).flat_map(|_| [used, run(PASS, true)]).collect();
        let levels: Vec<u8> = (0..=10).map(|runs| after(&life[..runs * 2]).level).collect();
        assert_eq!(levels, [0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3]);
        assert_eq!(after(&life).status(), "verified");
    }

    #[test]
    fn a_blocked_answer_comes_back_by_a_pass_and_waits_longer_the_next_time() {
        let blocked = after(&[run(FAIL, true); 3]);
        assert_eq!((blocked.status(), blocked.times_blocked), ("blocked", 1));
        let mut life = vec![run(FAIL, true); 3];
        life.push(run(PASS, true));
        assert_eq!(after(&life).state, State::Active);
        life.extend([run(FAIL, true); 3]);
        assert_eq!(after(&life).times_blocked, 2);
        assert_eq!(cooldown_ms(2), 2 * FIRST_COOLDOWN_MS);
    }

    #[test]
    fn an_answer_that_the_writer_blocked_comes_back_by_the_writer_alone() {
        let life = [EventKind::Blocked, run(PASS, true), verdict(PASS)];
        assert_eq!(after(&life).state, State::Blocked(BlockedBy::Writer));
        assert_eq!(after(&[EventKind::Blocked, EventKind::Edited]).state, State::Blocked(BlockedBy::Writer));
        assert_eq!(after(&[EventKind::Blocked, EventKind::Unblocked]).state, State::Active);
        assert_eq!(after(&[EventKind::Blocked, EventKind::Confirmed]).state, State::Active);
    }

    #[test]
    fn a_confirmed_answer_is_challenged_by_runs_and_lowered_by_the_writer() {
        let life = [EventKind::Confirmed, run(FAIL, true), run(FAIL, true), run(FAIL, true)];
        let standing = after(&life);
        assert_eq!((standing.trust_milli, standing.challenged, standing.state), (500, 3, State::Active));
        let standing = after(&[EventKind::Confirmed, verdict(FAIL)]);
        assert_eq!((standing.trust_milli, standing.user_confirmed), (400, false));
    }

    #[test]
    fn an_edit_starts_again_and_keeps_the_writers_confirmation() {
        let life = [run(PASS, true), run(PASS, true), run(PASS, true), EventKind::Edited];
        assert_eq!(after(&life), Standing::initial(4 * DAY_MS));
        let standing = after(&[EventKind::Confirmed, run(FAIL, true), EventKind::Edited]);
        assert_eq!((standing.level, standing.user_confirmed, standing.challenged), (2, true, 0));
    }

    #[test]
    fn a_retired_answer_does_not_move_until_the_writer_takes_it_back() {
        let life = [EventKind::Retired, run(PASS, true), run(FAIL, true)];
        assert_eq!((after(&life).status(), after(&life).trust_milli), ("retired", 500));
        assert_eq!(after(&[EventKind::Retired, EventKind::Unblocked]).status(), "active");
    }

    #[test]
    fn waits_double_up_to_thirty_days() {
        let days: Vec<i64> = (0..9).map(|times| cooldown_ms(times) / DAY_MS).collect();
        assert_eq!(days, [1, 1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(cooldown_ms(u32::MAX), MAX_COOLDOWN_MS);
    }

    #[test]
    fn a_clock_that_was_set_back_neither_ages_nor_shortens() {
        let failed = |at| Event { at, kind: run(FAIL, true) };
        let standing = fold(Standing::initial(0), &[failed(9 * DAY_MS), failed(DAY_MS)], StandingRules::default());
        assert_eq!(standing.last_failed_at, Some(9 * DAY_MS));
        assert!((freshness(9 * DAY_MS, DAY_MS) - 1.0).abs() < 1e-12);
        assert!((freshness(0, 30 * DAY_MS) - 0.5).abs() < 1e-12);
        assert!(freshness(i64::MIN, i64::MAX) >= 0.0);
    }

    #[test]
    fn answers_are_blocked_at_the_number_of_failures_in_the_settings() {
        assert_eq!(StandingRules::from(&GatekeeperConfig::default()), StandingRules::default());
        let off = GatekeeperConfig { block_if_consecutive_fail_ge: 0, ..GatekeeperConfig::default() };
        let failed = Event { at: 0, kind: run(FAIL, true) };
        assert_eq!(fold(Standing::initial(0), &[failed; 9], StandingRules::from(&off)).state, State::Active);
    }

    #[test]
    fn numbers_of_a_service_are_rounded_down() {
        assert_eq!([0.4, 0.3999, 0.29, 1.5, -1.0, f64::NAN].map(trust_milli), [400, 399, 290, 1_000, 0, 0]);
        assert_eq!([2.5, 3.0, 2.9, -1.0, f64::NAN].map(fails_half), [5, 6, 5, 0, 0]);
    }
}
