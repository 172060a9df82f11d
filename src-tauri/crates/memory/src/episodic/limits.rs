//! Capacities and retention times. Fixed by the owner (design, section 4); defined here only.

const MILLIS_PER_DAY: i64 = 86_400_000;

/// From the last use, or else from when it happened: an episode unused for half a year is compressed at the latest
/// then, however often it was used before.
pub const MAX_UNUSED_MILLIS: i64 = 180 * MILLIS_PER_DAY;
/// From compression: a summary stays for a year, so that yearly habits are seen twice.
pub const SUMMARY_RETENTION_MILLIS: i64 = 365 * MILLIS_PER_DAY;

/// Capacities of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Soft limit of uncompressed episodes, after maintenance: recall reads all of them, and a prompt has room for
    /// five.
    pub soft_active: u32,
    /// Hard limit of uncompressed episodes: the file and the index were measured to be fast up to it.
    pub hard_active: u32,
    /// Soft limit of compressed episodes, after maintenance.
    pub soft_compressed: u32,
    /// Hard limit of compressed episodes.
    pub hard_compressed: u32,
}

/// The owner's values.
pub const LIMITS: Limits =
    Limits { soft_active: 1_000, hard_active: 10_000, soft_compressed: 5_000, hard_compressed: 50_000 };

/// Maximum tokens of a summary: it is read by a writer, searched by its words, and encoded as one vector.
pub const SUMMARY_TOKENS: usize = 200;
/// Maximum characters retained of the draft and of the final text: enough to show what was learned.
pub const EXCERPT_CHARS: usize = 200;

/// Soft limit of rules in a project, and of global ones, after a run: a prompt has room for some forty.
pub const RULES_SOFT_LIMIT: u32 = 200;
/// Hard limit of rules in a project, and of global ones.
pub const RULES_HARD_LIMIT: u32 = 500;
