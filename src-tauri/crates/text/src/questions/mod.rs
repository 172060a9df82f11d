//! Compares questions: the same one, the same one in other words, or another one about the same things.
//!
//! A similarity of vectors cannot tell these apart: *Mei's eyes* and *Jun's eyes* are nearer to each other than two
//! wordings of one question are. A question is *exact* by its words alone ([`question_key`]); it is *restated* only if
//! no guard finds anything that one question says and the other does not; else it is *related*.

mod differences;
mod key;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::claims::{Phrases, Reading, read_words, split_words, without_fillers};

pub use key::question_key;

/// Minimum score of a question that counts as asked already.
pub const MIN_SAME_SCORE: f32 = 0.85;
/// Maximum score of a question that a guard holds to be another one.
pub const MAX_RELATED_SCORE: f32 = 0.84;
/// Maximum score of a question in other words.
const MAX_RESTATED_SCORE: f32 = 0.99;

/// How near two questions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatchKind {
    /// Anything else, from hardly alike to alike but for one word.
    Related,
    /// The same question in other words.
    Restated,
    /// The same words in the same order.
    Exact,
}

/// The kind of a difference between two questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Another number.
    Number,
    /// One question negates.
    Negation,
    /// A word and its opposite: before and after.
    Opposite,
    /// Another name.
    Name,
    /// The same names in another order.
    NameOrder,
    /// Another question word.
    QuestionWord,
    /// Another time of the verb: does and did.
    Tense,
    /// Another word, or a word more.
    Word,
    /// The same words in another order.
    WordOrder,
}

/// A place where two questions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The guard that caps the score.
    pub guard: Guard,
    /// Bytes in the first text; empty where it has nothing that corresponds.
    pub first: Range<usize>,
    /// Bytes in the second text; empty where it has nothing that corresponds.
    pub second: Range<usize>,
}

/// The result of a comparison of two questions.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionMatch {
    /// How near they are.
    pub kind: MatchKind,
    /// 0..1; 1 only if exact, and below [`MIN_SAME_SCORE`] if there are differences.
    pub score: f32,
    /// Empty if the questions are exact or restated. Related questions without differences have a low cosine.
    pub differences: Vec<Difference>,
}

/// Compares two questions: as [`ComparedQuestion::match_with`] of the first.
#[must_use]
pub fn question_match(first: &str, second: &str, cosine: Option<f32>, known_names: &[&str]) -> QuestionMatch {
    ComparedQuestion::new(first, known_names).match_with(second, cosine)
}

/// A question that is compared with several others: it is read once.
#[derive(Debug)]
pub struct ComparedQuestion {
    key: String,
    names: Phrases<()>,
    reading: Reading,
}

impl ComparedQuestion {
    /// Reads a question. Known names are found in any case and width, in the other questions too.
    #[must_use]
    pub fn new(question: &str, known_names: &[&str]) -> Self {
        let names = Reading::names(known_names);
        let words = split_words(question);
        let reading = read_words(&words, without_fillers(&words), &names);
        Self { key: key::key_of(question, &words), names, reading }
    }

    /// Compares it with another question. `cosine` is the similarity of their vectors, if there are any; without it the
    /// share of common words is the score.
    #[must_use]
    pub fn match_with(&self, other: &str, cosine: Option<f32>) -> QuestionMatch {
        let words = split_words(other);
        if self.key == key::key_of(other, &words) {
            return QuestionMatch { kind: MatchKind::Exact, score: 1.0, differences: Vec::new() };
        }
        let reading = read_words(&words, without_fillers(&words), &self.names);
        let compared = differences::compare(&self.reading, &reading);
        let score = cosine.filter(|cosine| cosine.is_finite()).unwrap_or(compared.common_share).clamp(0.0, 1.0);
        if !compared.differences.is_empty() {
            let score = score.min(MAX_RELATED_SCORE);
            return QuestionMatch { kind: MatchKind::Related, score, differences: compared.differences };
        }
        let score = score.min(MAX_RESTATED_SCORE);
        let kind = if score >= MIN_SAME_SCORE { MatchKind::Restated } else { MatchKind::Related };
        QuestionMatch { kind, score, differences: Vec::new() }
    }
}
