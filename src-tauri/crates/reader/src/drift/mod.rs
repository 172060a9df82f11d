//! Likely misspellings of names.

mod alike_zh;
mod en;
mod zh;

use std::ops::Range;

pub use en::detect_en;
pub use zh::detect_zh;

/// A place where a name is probably misspelt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// Number of the chapter, from 0.
    pub chapter: usize,
    /// Bytes of the misspelt word in the chapter's text.
    pub range: Range<usize>,
    /// The word or name that was probably meant.
    pub meant: String,
    /// Index of the entity whose name it is.
    pub entity: usize,
}
