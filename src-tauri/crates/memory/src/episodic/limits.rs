//! How much is kept, and for how long. Fixed by the owner (design, section 4); here and nowhere else.

const MILLIS_A_DAY: i64 = 86_400_000;

/// From the last use, or else from when it happened: an episode nobody came back to for half a year is a summary at the
/// latest then, however often it was used before.
pub const FULL_FOR: i64 = 180 * MILLIS_A_DAY;
/// From compression: a summary is kept for a year, so that what a writer does once a year is seen twice.
pub const SUMMARY_FOR: i64 = 365 * MILLIS_A_DAY;

/// How many episodes a book may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Uncompressed ones that maintenance leaves: recall looks at all of them, and a prompt has room for five.
    pub soft_active: u32,
    /// Uncompressed ones that a write finds at most: the file and the index stay as fast as they were measured to be.
    pub hard_active: u32,
    /// Compressed ones that maintenance leaves.
    pub soft_compressed: u32,
    /// Compressed ones that a write finds at most.
    pub hard_compressed: u32,
}

/// The owner's.
pub const LIMITS: Limits =
    Limits { soft_active: 1_000, hard_active: 10_000, soft_compressed: 5_000, hard_compressed: 50_000 };

/// The tokens that a summary has room for: it is read by a writer, searched by its words, and encoded as one vector.
pub const SUMMARY_TOKENS: usize = 200;
/// The characters kept of the draft and of the final text: enough to see what a lesson was drawn from.
pub const EXCERPT_CHARS: usize = 200;

/// Rules of a book, and global ones, that a run leaves: a prompt has room for some forty.
pub const RULES_SOFT: u32 = 200;
/// Rules of a book, and global ones, that a write finds at most.
pub const RULES_HARD: u32 = 500;
