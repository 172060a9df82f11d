//! The reading of an answer while it streams.

use crate::verify::Mark;

/// A piece of an answer, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text to show; joined, all of them are the answer without marks.
    Text(String),
    /// A passage that the present sentence rests on.
    Mark(Mark),
    /// The end of a sentence: its marks came before.
    SentenceEnd,
    /// The model says that the passages do not answer the question.
    NotInBook,
}

/// Reads the stream of an answer. Any division of the stream into pieces gives the same result.
#[derive(Debug, Default)]
pub struct AnswerReader {}

impl AnswerReader {
    /// A reader at the beginning of an answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next part of the stream.
    pub fn push(&mut self, text: &str) -> Vec<Piece> {
        vec![Piece::Text(text.to_owned())]
    }

    /// Ends the answer.
    pub fn finish(self) -> Vec<Piece> {
        vec![Piece::SentenceEnd]
    }
}
