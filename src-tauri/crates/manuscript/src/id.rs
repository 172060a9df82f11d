//! The id of a chapter.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Id of a chapter, unique within its book. In files it is a plain string.
///
/// It does not dereference to `str`, so that no other id is taken for it:
///
/// ```compile_fail,E0308
/// use palimpsest_manuscript::{Book, ChapterId};
///
/// fn write(book: &mut Book, chapter_id: &ChapterId) {
///     let _ = book.write("text", chapter_id, "hash");
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChapterId(String);

impl ChapterId {
    /// The text of the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for ChapterId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl From<&str> for ChapterId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl fmt::Display for ChapterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
