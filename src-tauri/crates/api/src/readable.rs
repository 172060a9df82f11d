//! When the readable copies of the knowledge of books are written: the background does it, and a change wakes it.

use palimpsest_memory::model::{Change, Topic};

/// Whether a change may concern a readable copy.
pub(crate) fn is_copied(change: &Change) -> bool {
    let is_copied = |topic: &Topic| {
        matches!(topic, Topic::Knowledge | Topic::Answers | Topic::Story | Topic::Projects | Topic::Settings)
    };
    change.what.iter().any(is_copied)
}
