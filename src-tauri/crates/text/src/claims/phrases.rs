//! Tables of phrases that are looked up in the words of a text.

use std::collections::HashMap;

use super::words::{Word, split_words};

/// A table from phrases to values.
#[derive(Debug)]
pub(crate) struct Phrases<T> {
    by_first_word: HashMap<String, Vec<(Vec<String>, T)>>,
}

impl<T> Phrases<T> {
    /// A table; each phrase is split into words as a text is.
    pub(crate) fn new<'p>(phrases: impl IntoIterator<Item = (&'p str, T)>) -> Self {
        let mut by_first_word: HashMap<String, Vec<(Vec<String>, T)>> = HashMap::new();
        for (phrase, value) in phrases {
            let words: Vec<String> = split_words(phrase).into_iter().map(|word| word.text).collect();
            if let Some(first) = words.first() {
                by_first_word.entry(first.clone()).or_default().push((words, value));
            }
        }
        for phrases in by_first_word.values_mut() {
            phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        Self { by_first_word }
    }

    /// The phrases that `words` begin with, as their number of words and their value, the longest first.
    pub(crate) fn at<'a>(&'a self, words: &'a [Word]) -> impl Iterator<Item = (usize, &'a T)> {
        let phrases = words.first().and_then(|first| self.by_first_word.get(&first.text));
        phrases.into_iter().flatten().filter_map(move |(phrase, value)| {
            let begin = words.get(..phrase.len())?;
            begin.iter().zip(phrase).all(|(word, text)| word.text == *text).then_some((phrase.len(), value))
        })
    }
}
