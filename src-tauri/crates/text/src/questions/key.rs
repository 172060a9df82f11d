//! The key of a question.

use crate::claims::{Word, split_words, without_fillers};

/// The canonical form of a question: equal for the same words in the same order, whatever their case, width,
/// punctuation, spaces and numerals, in simplified or traditional Chinese, with or without words of politeness and
/// final particles. Only what cannot change a question is dropped: questions that ask something else have other keys.
/// A text without words is its own key. The caller hashes it.
#[must_use]
pub fn question_key(text: &str) -> String {
    key_of(text, &split_words(text))
}

pub(super) fn key_of(text: &str, words: &[Word]) -> String {
    if words.is_empty() {
        // Not the form of a key with words in it.
        return format!(" {text}");
    }
    without_fillers(words).iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}
