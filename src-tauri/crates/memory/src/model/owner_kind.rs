//! The kinds of owners of index rows.

use std::ops::{Index, IndexMut, Range};

/// The kind of the owner of rows in the indexes of words and vectors. Each kind is indexed apart: most searches need
/// only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OwnerKind {
    /// An episode with its texts.
    Episode,
    /// The summary of a compressed episode.
    Summary,
    /// A passage of the manuscript.
    Passage,
    /// An entry of the journal.
    Journal,
    /// The question of an answer.
    Question,
    /// The text of an answer.
    Answer,
    /// A further kind, which only the unit tests have.
    #[cfg(test)]
    Sample,
}

/// How the index rows of a kind differ from those of other kinds. Stored: it never changes once a file may hold it.
struct Layout {
    /// Separates the number of a project from a term in the word index. No digit, and no letter of another kind.
    letter: char,
    /// The range of its row numbers. Kinds share a range if their rows are numbered together.
    range: i64,
    /// Whether its texts have vectors of windows besides that of the whole text.
    has_windows: bool,
    /// Whether the terms of its texts are counted in memory.
    has_vocabulary: bool,
    /// Whether its texts are encoded by the bundled encoder alone.
    is_encoded_here: bool,
}

/// Number of bits of a row number within its range.
const ROW_BITS: u32 = 48;

impl OwnerKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Episode,
        Self::Summary,
        Self::Passage,
        Self::Journal,
        Self::Question,
        Self::Answer,
        #[cfg(test)]
        Self::Sample,
    ];

    /// The kinds of episodes: a recall of episodes counts and searches no others.
    pub const OF_EPISODES: [Self; 2] = [Self::Episode, Self::Summary];

    const fn layout(self) -> Layout {
        match self {
            Self::Episode => {
                Layout { letter: 'x', range: 0, has_windows: true, has_vocabulary: true, is_encoded_here: false }
            }
            // A summary has one vector: it is short, and a full project has many.
            Self::Summary => {
                Layout { letter: 's', range: 0, has_windows: false, has_vocabulary: true, is_encoded_here: false }
            }
            // Passages are short, and are searched with the few terms of a search box, which the index counts. Together
            // they are the whole manuscript, which is sent to no server because of an encoder for the memory.
            Self::Passage => {
                Layout { letter: 'p', range: 1, has_windows: false, has_vocabulary: false, is_encoded_here: true }
            }
            // Entries are short and searched like passages. An entry may quote a question about the manuscript.
            Self::Journal => {
                Layout { letter: 'j', range: 2, has_windows: false, has_vocabulary: false, is_encoded_here: true }
            }
            // The questions and texts of answers are two texts of one row, each compared by itself. Both quote the
            // manuscript. Every question that is asked searches them, so that their terms are counted in memory.
            Self::Question => {
                Layout { letter: 'q', range: 3, has_windows: false, has_vocabulary: true, is_encoded_here: true }
            }
            Self::Answer => {
                Layout { letter: 'a', range: 4, has_windows: false, has_vocabulary: true, is_encoded_here: true }
            }
            #[cfg(test)]
            Self::Sample => {
                Layout { letter: 't', range: 7, has_windows: true, has_vocabulary: true, is_encoded_here: false }
            }
        }
    }

    /// The kind for a compressed episode, or for one that is not.
    #[must_use]
    pub fn from_compressed(compressed: bool) -> Self {
        if compressed { Self::Summary } else { Self::Episode }
    }

    /// The letter between the number of a project and a term of this kind in the word index.
    #[must_use]
    pub fn letter(self) -> char {
        self.layout().letter
    }

    /// Whether texts of this kind have vectors of windows besides that of the whole text.
    #[must_use]
    pub fn has_windows(self) -> bool {
        self.layout().has_windows
    }

    /// Whether the terms of its texts are counted in memory: a prompt has thousands of terms, and a question searches
    /// two kinds.
    #[must_use]
    pub fn has_vocabulary(self) -> bool {
        self.layout().has_vocabulary
    }

    /// Whether its texts are encoded by the bundled encoder alone, also while another one is chosen.
    #[must_use]
    pub fn is_encoded_here(self) -> bool {
        self.layout().is_encoded_here
    }

    /// The row number in the indexes of an owner with the row number `row` in its own table.
    #[must_use]
    pub fn index_row(self, row: i64) -> i64 {
        (self.layout().range << ROW_BITS) | row
    }

    /// The row numbers in the indexes that owners of this kind may have.
    #[must_use]
    pub fn index_rows(self) -> Range<i64> {
        let start = self.layout().range << ROW_BITS;
        start..start + (1 << ROW_BITS)
    }

    /// The row number of an owner in its own table; the inverse of [`OwnerKind::index_row`].
    #[must_use]
    pub fn own_row(index_row: i64) -> i64 {
        index_row & ((1 << ROW_BITS) - 1)
    }
}

/// A value for each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ByKind<T>([T; OwnerKind::ALL.len()]);

impl<T> ByKind<T> {
    /// The values of all kinds.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> Index<OwnerKind> for ByKind<T> {
    type Output = T;

    fn index(&self, kind: OwnerKind) -> &T {
        &self.0[kind as usize]
    }
}

impl<T> IndexMut<OwnerKind> for ByKind<T> {
    fn index_mut(&mut self, kind: OwnerKind) -> &mut T {
        &mut self.0[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn kinds_share_no_letter_and_rows_only_within_a_range() {
        let letters: HashSet<char> = OwnerKind::ALL.iter().map(|kind| kind.letter()).collect();
        assert_eq!(letters.len(), OwnerKind::ALL.len());
        assert!(letters.iter().all(char::is_ascii_lowercase));
        for &kind in OwnerKind::ALL {
            assert_eq!(OwnerKind::own_row(kind.index_row(41)), 41);
            assert_eq!(
                kind.index_row(41) == 41,
                OwnerKind::OF_EPISODES.contains(&kind),
                "episodes have their own rows"
            );
        }
    }
}
