//! The check of a statement: its citations are found by code, in the passages that the model was given.

use std::ops::Range;

/// A mark of a passage after a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The handle, such as `P3`.
    pub passage: String,
    /// The words that the model says it copied; `None` for a mark without words.
    pub quote: Option<String>,
}

/// A passage that the model was given.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// The handle in the prompt, such as `P3`.
    pub handle: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The standing of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// At least one citation was found.
    Verified,
    /// None was found.
    Unverified,
    /// It needs none.
    Plain,
}

/// A range of a passage that a statement rests on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cited {
    /// The handle of the passage.
    pub passage: String,
    /// Bytes of its text.
    pub range: Range<usize>,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Verified, unverified or plain.
    pub status: Status,
    /// Each range once, in the order of the marks; empty unless verified.
    pub citations: Vec<Cited>,
    /// Number of quotes that were found in another passage than the mark names.
    pub corrected: usize,
}

/// Checks a statement.
///
/// `is_about_book`: false for a question of general knowledge, where a statement without marks is plain.
#[must_use]
pub fn verify_statement(
    _statement: &str,
    _marks: &[Mark],
    _passages: &[Passage<'_>],
    _is_about_book: bool,
) -> Verified {
    Verified { status: Status::Unverified, citations: Vec::new(), corrected: 0 }
}
