//! The log of parts that become unavailable and available again: one line a change.

use crate::{
    lock::Mutex,
    model::{PartHealth, PartState},
};

/// The health of each part that is known to be down. Shared by everything that learns the state of a part: the stores,
/// and the status.
#[derive(Debug, Default)]
pub(crate) struct PartLog(Mutex<Vec<PartHealth>>);

#[derive(Debug, PartialEq, Eq)]
enum PartChange {
    /// The part went down, or is down for another reason.
    Down,
    Healed,
}

impl PartLog {
    /// Logs the health of a part if it differs from the last known one. A part with a backlog is not down.
    pub(crate) fn log_change(&self, health: &PartHealth) {
        let (part, state) = (health.part, health.state);
        match self.update(health) {
            Some(PartChange::Down) => {
                tracing::warn!(?part, ?state, reason = health.reason.map(tracing::field::debug), "part down");
            }
            Some(PartChange::Healed) => tracing::info!(?part, ?state, "part healed"),
            None => {}
        }
    }

    fn update(&self, health: &PartHealth) -> Option<PartChange> {
        let mut down = self.0.lock();
        let known = down.iter().position(|one| one.part == health.part).map(|at| down.swap_remove(at));
        if matches!(health.state, PartState::Ok | PartState::CatchingUp) {
            return known.map(|_| PartChange::Healed);
        }
        down.push(health.clone());
        let is_same = |known: PartHealth| (known.state, known.reason) == (health.state, health.reason);
        (!known.is_some_and(is_same)).then_some(PartChange::Down)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cause, Part, Reason};

    #[test]
    fn a_part_is_logged_once_when_it_goes_down_for_each_reason_and_once_when_it_heals() {
        let log = PartLog::default();
        let down = |reason| PartHealth::unavailable(Part::Rules, Cause::new(reason, "down"));
        let up = |state| PartHealth::serving(Part::Rules, state);
        for (health, change) in [
            (up(PartState::Ok), None),
            (down(Reason::Unwritable), Some(PartChange::Down)),
            (down(Reason::Unwritable), None),
            (down(Reason::Damaged), Some(PartChange::Down)),
            (PartHealth::serving(Part::Words, PartState::Ok), None),
            (up(PartState::CatchingUp), Some(PartChange::Healed)),
            (up(PartState::Ok), None),
            (down(Reason::Damaged), Some(PartChange::Down)),
        ] {
            assert_eq!(log.update(&health), change, "{health:?}");
        }
    }
}
