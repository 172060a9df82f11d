//! When a run begins by itself. The evidence alone decides which rules are learned; this only decides when to look.

use crate::model::{RunCause, Time};

/// Number of new episodes after which a run begins.
pub const NEW_EPISODES: u32 = 50;
/// Idle time of the editor before a run begins.
pub const IDLE_MILLIS: i64 = 5 * 60_000;
/// Time after which a run begins without any other cause.
pub const WEEK_MILLIS: i64 = 7 * 86_400_000;
/// Time after which a failed weekly run is tried again.
const AGAIN_MILLIS: i64 = 86_400_000;
/// Minimum number of new pieces of evidence to contradict a rule: fewer are chance.
pub const MIN_NEW_EVIDENCE: u32 = 6;

/// The state of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProjectActivity {
    /// Number of episodes that count, with evidence or about to have some.
    pub episodes: u32,
    /// When the last run began, whatever its outcome, and how many episodes it had read.
    pub last_run: Option<(Time, u32)>,
    /// Time of the last run that learned from the project.
    pub learned_at: Option<Time>,
    /// Time of the writer's last activity in the editor; `None` without any since the program was opened.
    pub active_at: Option<Time>,
    /// Evidence since the last run contradicts a rule.
    pub contradicted: bool,
}

/// Why a run over the project is due, if it is. A run that fails has had its turn: it is tried again at the next cause.
#[must_use]
pub fn run_cause(now: Time, book: &ProjectActivity) -> Option<RunCause> {
    let seen = book.last_run.map_or(0, |(_, episodes)| episodes);
    // Deleted episodes make fewer: that is a change too.
    let is_new = book.episodes != seen;
    if book.episodes >= seen.saturating_add(NEW_EPISODES) {
        return Some(RunCause::Episodes);
    }
    if is_new && book.contradicted {
        return Some(RunCause::Contradiction);
    }
    let since_run = |at: Time| book.last_run.is_none_or(|(begun, _)| begun <= at);
    if is_new && book.active_at.is_some_and(|at| past(now, at, IDLE_MILLIS) && since_run(at)) {
        return Some(RunCause::Idle);
    }
    // The first week begins with the first run: a project that was hardly begun has no evidence yet.
    let learned_long_ago = book.learned_at.is_some_and(|at| now.millis() - at.millis() >= WEEK_MILLIS);
    let tried_long_ago = book.last_run.is_none_or(|(begun, _)| now.millis() - begun.millis() >= AGAIN_MILLIS);
    (learned_long_ago && tried_long_ago).then_some(RunCause::Weekly)
}

fn past(now: Time, at: Time, millis: i64) -> bool {
    now.millis() - at.millis() > millis
}

/// Whether new pieces of evidence contradict a rule clearly enough for a run. Each has the sign of the rule's
/// direction: above 0 it agrees, 0 is neutral.
#[must_use]
pub fn contradict(said: impl Iterator<Item = f32>) -> bool {
    let (mut relevant, mut against) = (0, 0);
    for a in said {
        relevant += u32::from(a != 0.0);
        against += u32::from(a < 0.0);
    }
    contradicts(relevant, against)
}

fn contradicts(relevant: u32, against: u32) -> bool {
    relevant >= MIN_NEW_EVIDENCE && 3 * against > 2 * relevant
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(100 * WEEK_MILLIS);

    fn ago(millis: i64) -> Time {
        NOW.plus_millis(-millis)
    }

    #[test]
    fn fifty_new_episodes_are_a_cause_and_forty_nine_are_not() {
        let book = |episodes| ProjectActivity { episodes, ..ProjectActivity::default() };
        assert_eq!(run_cause(NOW, &book(49)), None);
        assert_eq!(run_cause(NOW, &book(50)), Some(RunCause::Episodes));
        let after = |episodes| ProjectActivity { last_run: Some((ago(1), 50)), ..book(episodes) };
        assert_eq!((run_cause(NOW, &after(99)), run_cause(NOW, &after(100))), (None, Some(RunCause::Episodes)));
    }

    #[test]
    fn an_editor_left_alone_is_a_cause_once_and_only_with_something_new() {
        let idle = ProjectActivity { episodes: 3, active_at: Some(ago(IDLE_MILLIS + 1)), ..ProjectActivity::default() };
        assert_eq!(run_cause(NOW, &idle), Some(RunCause::Idle));
        assert_eq!(run_cause(NOW, &ProjectActivity { active_at: Some(ago(IDLE_MILLIS)), ..idle }), None, "not yet");
        assert_eq!(run_cause(NOW, &ProjectActivity { active_at: None, ..idle }), None, "nobody has done anything");
        assert_eq!(
            run_cause(NOW, &ProjectActivity { last_run: Some((ago(60_000), 2)), ..idle }),
            None,
            "it had its turn"
        );
        assert_eq!(
            run_cause(NOW, &ProjectActivity { last_run: Some((ago(IDLE_MILLIS * 2), 3)), ..idle }),
            None,
            "nothing is new"
        );
        assert_eq!(
            run_cause(NOW, &ProjectActivity { last_run: Some((ago(IDLE_MILLIS * 2), 2)), ..idle }),
            Some(RunCause::Idle)
        );
    }

    #[test]
    fn a_week_is_a_cause_and_a_failed_one_waits_a_day() {
        let book = ProjectActivity { episodes: 9, learned_at: Some(ago(WEEK_MILLIS)), ..ProjectActivity::default() };
        let ran = |millis| ProjectActivity { last_run: Some((ago(millis), 9)), ..book };
        assert_eq!(run_cause(NOW, &ran(WEEK_MILLIS)), Some(RunCause::Weekly));
        assert_eq!(run_cause(NOW, &ran(AGAIN_MILLIS - 1)), None);
        assert_eq!(
            run_cause(NOW, &ProjectActivity { learned_at: Some(ago(WEEK_MILLIS - 1)), ..ran(WEEK_MILLIS) }),
            None
        );
        assert_eq!(
            run_cause(NOW, &ProjectActivity { episodes: 9, ..ProjectActivity::default() }),
            None,
            "never learned from"
        );
    }

    #[test]
    fn more_than_two_thirds_of_at_least_six_contradict_a_rule() {
        assert!(!contradicts(5, 5) && !contradicts(6, 4) && contradicts(6, 5) && contradicts(9, 7));
        let said = |signs: &str| contradict(signs.chars().map(|c| f32::from(i8::from(c == '+') - i8::from(c == '-'))));
        assert!(!said("-----") && !said("----++") && said("-----+") && !said("-----0") && said("0-0----+"));
        let book = ProjectActivity {
            episodes: 7,
            last_run: Some((ago(1), 1)),
            contradicted: true,
            ..ProjectActivity::default()
        };
        assert_eq!(run_cause(NOW, &book), Some(RunCause::Contradiction));
        assert_eq!(run_cause(NOW, &ProjectActivity { episodes: 1, ..book }), None, "nothing is new since");
    }
}
