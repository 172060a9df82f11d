//! The kinds of texts in the indexes.

/// The kind of an indexed text. Each kind is indexed apart: most recalls need only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// The texts of an episode.
    Episode,
    /// The summary of a compressed episode.
    Summary,
}

impl TextKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Episode, Self::Summary];

    /// The kind for a compressed episode, or for one that is not.
    #[must_use]
    pub fn from_compressed(compressed: bool) -> Self {
        if compressed { Self::Summary } else { Self::Episode }
    }
}
