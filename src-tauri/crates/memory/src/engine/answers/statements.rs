//! The statements of a kept answer with the citations that each rests on, as an entry of the answer's metadata.
//!
//! A statement is known by the hash of its words: after an edit of the answer it is found again where its words are,
//! and has no place while they are not there.

use palimpsest_answers::marks::without_marks;
use serde::{Deserialize, Serialize};

use crate::{
    engine::asking::CitedStatement,
    model::{Answer, Citation},
    validate,
};

/// The name of the entry.
const STATEMENTS: &str = "statements";
/// Maximum number of statements in the entry.
const MAX_STATEMENTS: usize = 60;
/// Maximum bytes of an answer with an entry: to find its statements again, all of its text is compared.
const MAX_ANSWER_BYTES: usize = 20_000;

/// A statement in the entry. The interface reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredStatement {
    /// Start in the text of the answer, in UTF-16 code units; `None` while the answer does not have its words.
    from: Option<usize>,
    /// In UTF-16 code units.
    length: usize,
    /// First eight bytes of the BLAKE3 hash of its words, in hexadecimal digits.
    hash: String,
    /// Numbers of its citations among those of the answer, from 1.
    citations: Vec<usize>,
}

/// Adds the entry to a new answer; none where no statement rests on a citation that was kept.
pub(super) fn add_statements(answer: &mut Answer, statements: &[CitedStatement]) {
    let number_of = |chapter_id: &str, quote: &str| {
        let is_it = |one: &Citation| one.chapter_id.as_str() == chapter_id && one.quote == quote;
        answer.citations.iter().position(is_it).map(|at| at + 1)
    };
    let stored = statements.iter().filter_map(|statement| {
        let numbers = statement.passages.iter().filter_map(|one| number_of(one.chapter_id.as_str(), &one.quote));
        let citations: Vec<usize> = numbers.collect();
        // The answer is kept without the marks of other answers.
        let words = without_marks(&statement.text);
        let (length, hash) = (words.trim().encode_utf16().count(), hash_of_words(words.trim()));
        (!citations.is_empty()).then_some(StoredStatement { from: None, length, hash, citations })
    });
    let stored: Vec<StoredStatement> = stored.take(MAX_STATEMENTS).collect();
    set_statements(answer, stored);
}

/// Finds the statements of an answer again whose text has changed.
pub(super) fn find_statements_again(answer: &mut Answer) {
    if let Some(stored) = answer.details.metadata.get(STATEMENTS) {
        // An entry that a client made is left as it is.
        let Ok(stored) = serde_json::from_str(stored) else { return };
        set_statements(answer, stored);
    }
}

/// Removes the entry: its numbers are those of citations that were replaced.
pub(super) fn remove_statements(answer: &mut Answer) {
    answer.details.metadata.remove(STATEMENTS);
}

fn set_statements(answer: &mut Answer, mut stored: Vec<StoredStatement>) {
    let text = answer.answer.as_str();
    let mut at = 0;
    for statement in &mut stored {
        let found = text.get(at..).and_then(|rest| range_of_words(rest, statement));
        statement.from = found.as_ref().map(|range| text[..at + range.start].encode_utf16().count());
        at += found.map_or(0, |range| range.end);
    }
    let entry = serde_json::to_string(&stored).unwrap_or_default();
    if stored.is_empty() || entry.len() > validate::REMARK || text.len() > MAX_ANSWER_BYTES {
        answer.details.metadata.remove(STATEMENTS);
    } else {
        answer.details.metadata.insert(STATEMENTS.to_owned(), entry);
    }
}

/// The bytes of a text that are the words of a statement.
fn range_of_words(text: &str, statement: &StoredStatement) -> Option<std::ops::Range<usize>> {
    let mut starts = text.char_indices().map(|(start, _)| start);
    starts.find_map(|start| {
        let mut units = 0;
        let end = text[start..].char_indices().map(|(at, c)| (start + at + c.len_utf8(), c)).find_map(|(end, c)| {
            units += c.len_utf16();
            (units >= statement.length).then_some(end)
        })?;
        let is_it = units == statement.length && hash_of_words(&text[start..end]) == statement.hash;
        is_it.then_some(start..end)
    })
}

fn hash_of_words(words: &str) -> String {
    blake3::hash(words.as_bytes()).to_hex().as_str()[..16].to_owned()
}
