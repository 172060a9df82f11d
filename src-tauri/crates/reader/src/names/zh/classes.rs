//! The lists of single characters as one table, for what is asked of every word of a book.

use std::sync::LazyLock;

use super::lexicon::{ACTS, ADVERBS, BEFORE_NOUNS, BEFORE_PERSONS, NO_PART, SPEECH, TITLES};

/// Bits of the lists that have a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class(u8);

impl Class {
    pub(crate) const NO_PART: Self = Self(1);
    pub(crate) const SPEECH: Self = Self(2);
    pub(crate) const ADVERB: Self = Self(4);
    pub(crate) const BEFORE_PERSON: Self = Self(8);
    pub(crate) const BEFORE_NOUN: Self = Self(16);
    /// The first character of one of [`ACTS`].
    pub(crate) const ACT: Self = Self(32);
    /// The first character of one of [`TITLES`].
    pub(crate) const TITLE: Self = Self(64);
    /// The last character of one of [`TITLES`].
    pub(crate) const TITLE_END: Self = Self(128);

    pub(crate) fn of(c: char) -> Self {
        let at = u32::from(c).checked_sub(FIRST).and_then(|at| TABLE.get(at as usize));
        at.copied().unwrap_or(Self(0))
    }

    /// Whether a list has the character.
    pub(crate) fn has(self, list: Self) -> bool {
        self.0 & list.0 != 0
    }
}

/// The first character of the table and the number of its characters: all those of the lists.
const FIRST: u32 = 0x4e00;
const SIZE: usize = 0x5200;

static TABLE: LazyLock<Vec<Class>> = LazyLock::new(|| {
    let mut table = vec![Class(0); SIZE];
    let mut add = |c: char, class: Class| {
        if let Some(found) = u32::from(c).checked_sub(FIRST).and_then(|at| table.get_mut(at as usize)) {
            found.0 |= class.0;
        }
    };
    let lists = [
        (NO_PART, Class::NO_PART),
        (SPEECH, Class::SPEECH),
        (ADVERBS, Class::ADVERB),
        (BEFORE_PERSONS, Class::BEFORE_PERSON),
        (BEFORE_NOUNS, Class::BEFORE_NOUN),
    ];
    for (list, class) in lists {
        list.chars().for_each(|c| add(c, class));
    }
    ACTS.iter().filter_map(|act| act.chars().next()).for_each(|c| add(c, Class::ACT));
    TITLES.iter().filter_map(|title| title.chars().next()).for_each(|c| add(c, Class::TITLE));
    TITLES.iter().filter_map(|title| title.chars().next_back()).for_each(|c| add(c, Class::TITLE_END));
    table
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_character_of_the_lists() {
        assert!(NO_PART.chars().all(|c| Class::of(c).has(Class::NO_PART)));
        assert!(SPEECH.chars().all(|c| Class::of(c).has(Class::SPEECH)));
        assert!(ADVERBS.chars().all(|c| Class::of(c).has(Class::ADVERB)));
        assert!(BEFORE_PERSONS.chars().all(|c| Class::of(c).has(Class::BEFORE_PERSON)));
        assert!(BEFORE_NOUNS.chars().all(|c| Class::of(c).has(Class::BEFORE_NOUN)));
        assert!(ACTS.iter().all(|act| Class::of(act.chars().next().unwrap()).has(Class::ACT)));
        assert!(TITLES.iter().all(|title| Class::of(title.chars().next().unwrap()).has(Class::TITLE)));
        assert!(TITLES.iter().all(|title| Class::of(title.chars().next_back().unwrap()).has(Class::TITLE_END)));
        assert!(!Class::of('岩').has(Class::NO_PART) && !Class::of('a').has(Class::SPEECH));
    }
}
