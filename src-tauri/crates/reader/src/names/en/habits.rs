//! How a book writes its words, as far as a decision on a name depends on it.

use super::super::counts::CaseCount;

/// How a word is written, by its counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CaseHabit(u8);

impl CaseHabit {
    /// The word has a capital inside sentences, and not much more seldom than it is written small.
    const NAME_TOO: u8 = 1;
    /// It is written small, and not more often with a capital inside a sentence.
    const NO_NAME_AT_START: u8 = 1 << 1;
    /// It is written small more often than with a capital inside a sentence; more than twice, more than four times as
    /// often.
    const SMALL: u8 = 1 << 2;
    const SMALL_TWICE: u8 = 1 << 3;
    const SMALL_FOUR_TIMES: u8 = 1 << 4;
    /// It never has a capital.
    const NO_CAPITAL: u8 = 1 << 5;

    pub(super) fn from_count(count: CaseCount) -> Self {
        let CaseCount { small, inside, .. } = count;
        let habits = [
            (Self::NAME_TOO, inside > 0 && inside >= small / 4),
            (Self::NO_NAME_AT_START, small > 0 && inside <= small),
            (Self::SMALL, small > inside),
            (Self::SMALL_TWICE, small > 2 * inside),
            (Self::SMALL_FOUR_TIMES, small > 4 * inside),
            (Self::NO_CAPITAL, count.capital() == 0),
        ];
        Self(habits.into_iter().filter(|(_, has)| *has).fold(0, |all, (habit, _)| all | habit))
    }

    fn contains(self, habit: u8) -> bool {
        self.0 & habit != 0
    }

    pub(super) fn may_be_name_too(self) -> bool {
        self.contains(Self::NAME_TOO)
    }

    pub(super) fn is_no_name_at_start(self) -> bool {
        self.contains(Self::NO_NAME_AT_START)
    }

    pub(super) fn is_small(self) -> bool {
        self.contains(Self::SMALL)
    }

    pub(super) fn is_small_twice(self) -> bool {
        self.contains(Self::SMALL_TWICE)
    }

    pub(super) fn is_small_four_times(self) -> bool {
        self.contains(Self::SMALL_FOUR_TIMES)
    }

    pub(super) fn has_no_capital(self) -> bool {
        self.contains(Self::NO_CAPITAL)
    }
}
