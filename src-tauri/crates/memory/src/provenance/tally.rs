//! How the last generations followed a rule, to detect a rule that the model ignores.
//!
//! One letter per generation, the latest last, [`MAX_GENERATIONS`] of them at most: `y`, `p` or `n`. A generation
//! counts once, by its median draft.

use crate::model::Followed;

/// Maximum generations stored for a rule.
pub const MAX_GENERATIONS: usize = 10;
/// A rule is ignored if it was not followed in this many of them. Half of the drafts without a rule are at or below the
/// usual: eight of ten are so with a probability of one in eighteen.
pub const MIN_NOT_FOLLOWED: u32 = 8;

/// The result of a generation by its drafts: the median, of two in the middle the lower. `None` without drafts.
#[must_use]
pub fn of_generation(drafts: &[Followed]) -> Option<Followed> {
    let mut letters: Vec<char> = drafts.iter().map(|one| letter(*one)).collect();
    letters.sort_unstable();
    match letters.get(letters.len().saturating_sub(1) / 2)? {
        'y' => Some(Followed::Yes),
        'p' => Some(Followed::Partly),
        _ => Some(Followed::No),
    }
}

/// The stored letters after one more generation.
#[must_use]
pub fn after(recent: &str, one: Followed) -> String {
    let mut letters: Vec<char> = recent.chars().chain([letter(one)]).collect();
    letters.drain(..letters.len().saturating_sub(MAX_GENERATIONS));
    letters.into_iter().collect()
}

/// Alphabetical order is ascending order.
fn letter(followed: Followed) -> char {
    match followed {
        Followed::No => 'n',
        Followed::Partly => 'p',
        Followed::Yes => 'y',
    }
}

/// Number of recent generations that followed a rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Clearly followed.
    pub yes: u32,
    /// Followed: more than usual.
    pub partly: u32,
    /// Not followed: no more than usual.
    pub no: u32,
}

impl Tally {
    /// Counts the stored letters.
    #[must_use]
    pub fn parse(recent: &str) -> Self {
        let count =
            |letter: char| u32::try_from(recent.chars().filter(|one| *one == letter).count()).unwrap_or(u32::MAX);
        Self { yes: count('y'), partly: count('p'), no: count('n') }
    }

    /// Whether the model ignores the rule.
    #[must_use]
    pub fn is_ignored(self) -> bool {
        self.no >= MIN_NOT_FOLLOWED
    }
}

#[cfg(test)]
mod tests {
    use Followed::{No, Partly, Yes};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_generation_counts_once_by_its_middle_draft() {
        assert_eq!(of_generation(&[]), None);
        assert_eq!(of_generation(&[Partly]), Some(Partly));
        assert_eq!(of_generation(&[Yes, No, Yes]), Some(Yes));
        assert_eq!(of_generation(&[Yes, Partly, No]), Some(Partly));
        assert_eq!(of_generation(&[Yes, No]), Some(No));
        assert_eq!(of_generation(&[No, Yes, Partly, Yes]), Some(Partly));
    }

    #[test]
    fn eight_of_the_last_ten_is_ignored_and_seven_is_not() {
        let kept = |all: &[Followed]| all.iter().fold(String::new(), |recent, one| after(&recent, *one));
        let eight = kept(&[Yes, No, No, No, No, Partly, No, No, No, No]);
        assert_eq!(Tally::parse(&eight), Tally { yes: 1, partly: 1, no: 8 });
        assert!(Tally::parse(&eight).is_ignored());
        // The eleventh drops the first.
        assert!(Tally::parse(&after(&eight, Yes)).is_ignored());
        assert!(!Tally::parse(&after(&after(&eight, Yes), Yes)).is_ignored());
        assert!(!Tally::parse(&kept(&[No; 7])).is_ignored(), "too few to say so");
        assert!(Tally::parse(&kept(&[No; 40])).is_ignored());
    }

    proptest! {
        #[test]
        fn no_more_than_ten_are_ever_kept(all in prop::collection::vec(prop_oneof![Just(Yes), Just(Partly), Just(No)], 0..30)) {
            let recent = all.iter().fold(String::new(), |recent, one| after(&recent, *one));
            let Tally { yes, partly, no } = Tally::parse(&recent);
            prop_assert_eq!((yes + partly + no) as usize, all.len().min(MAX_GENERATIONS));
            let last = &all[all.len() - all.len().min(MAX_GENERATIONS)..];
            prop_assert_eq!(no as usize, last.iter().filter(|one| **one == No).count());
        }
    }
}
