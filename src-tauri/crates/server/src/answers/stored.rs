//! The standing of an answer in its row.

use palimpsest_answers::standing::{BlockedBy, Standing, State};
use tokio_postgres::Row;

/// The columns of a standing, in the order of [`standing`].
pub(super) const COLUMNS: &str = "level, trust_milli, fails_half, passes, shown_count, used_count, state, times_blocked, \
    last_failed_at, verified_at, user_confirmed, challenged";

/// The values of the columns, in their order.
pub(super) struct Values {
    level: i16,
    trust_milli: i16,
    counts: [i32; 4],
    state: &'static str,
    times_blocked: i32,
    last_failed_at: Option<i64>,
    verified_at: i64,
    user_confirmed: bool,
    challenged: i32,
}

impl From<&Standing> for Values {
    fn from(standing: &Standing) -> Self {
        let count = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        Self {
            level: i16::from(standing.level),
            trust_milli: i16::try_from(standing.trust_milli).unwrap_or(i16::MAX),
            counts: [standing.fails_half, standing.passes, standing.shown_count, standing.used_count].map(count),
            state: state_name(standing.state),
            times_blocked: count(standing.times_blocked),
            last_failed_at: standing.last_failed_at,
            verified_at: standing.verified_at,
            user_confirmed: standing.user_confirmed,
            challenged: count(standing.challenged),
        }
    }
}

impl Values {
    /// The values as parameters of a statement.
    pub(super) fn parameters(&self) -> Vec<&(dyn tokio_postgres::types::ToSql + Sync)> {
        let [fails_half, passes, shown, used] = &self.counts;
        vec![
            &self.level,
            &self.trust_milli,
            fails_half,
            passes,
            shown,
            used,
            &self.state,
            &self.times_blocked,
            &self.last_failed_at,
            &self.verified_at,
            &self.user_confirmed,
            &self.challenged,
        ]
    }
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Active => "active",
        State::Blocked(BlockedBy::Run) => "blocked",
        State::Blocked(BlockedBy::Writer) => "blocked_by_writer",
        State::Retired => "retired",
    }
}

/// The standing in a row whose columns from `first` on are [`COLUMNS`].
pub(super) fn standing(row: &Row, first: usize) -> Standing {
    let count = |at: usize| u32::try_from(row.get::<_, i32>(first + at)).unwrap_or_default();
    Standing {
        level: u8::try_from(row.get::<_, i16>(first)).unwrap_or_default(),
        trust_milli: u16::try_from(row.get::<_, i16>(first + 1)).unwrap_or_default(),
        fails_half: count(2),
        passes: count(3),
        shown_count: count(4),
        used_count: count(5),
        state: match row.get::<_, &str>(first + 6) {
            "active" => State::Active,
            "blocked" => State::Blocked(BlockedBy::Run),
            "blocked_by_writer" => State::Blocked(BlockedBy::Writer),
            _ => State::Retired,
        },
        times_blocked: count(7),
        last_failed_at: row.get(first + 8),
        verified_at: row.get(first + 9),
        user_confirmed: row.get(first + 10),
        challenged: count(11),
    }
}
