//! The subject of a question, guessed from its words.
//!
//! The guess decides only which passages and answers are searched first, and the writer can change it. A question
//! without any sign is taken to be about the book.

mod words;

use palimpsest_text::{Language, claims::find_claims, detect, single_spaced};
use words::{BOOK, CRAFT, DECISION, GENERAL, SPECIFIC, SPECIFIC_ZH, TASK};

/// The subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The story, as the book has it.
    Canon,
    /// General knowledge.
    Research,
    /// How to write.
    Craft,
    /// A choice that the writer has made or is to make.
    Decision,
    /// Something to do.
    Task,
}

/// Minimum score of the best passage of a question that is about the book without naming an entity.
const MIN_BOOK_SCORE: f64 = 0.6;

/// The subject of a question. `names_entity`: it names an entity of the book. `best_score`: the score of the best
/// passage for it, 0..=1; `None` if nothing was searched.
#[must_use]
pub fn guess_kind(question: &str, names_entity: bool, best_score: Option<f64>) -> Kind {
    let text = single_spaced(question).to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| contains_phrase(&text, word));
    let request = text.trim_start_matches("please ").trim_start_matches('请');
    if TASK.iter().any(|word| request.starts_with(word) && contains_phrase(request, word)) {
        return Kind::Task;
    }
    if has(CRAFT) {
        return Kind::Craft;
    }
    if has(DECISION) {
        return Kind::Decision;
    }
    let is_near = best_score.is_some_and(|score| score >= MIN_BOOK_SCORE);
    if names_entity || has(BOOK) || is_near || !text.contains(char::is_alphabetic) {
        return Kind::Canon;
    }
    let is_general = has(GENERAL) || has_year(&text);
    let is_research = match detect(&text) {
        Language::En => {
            // The sun and the war are certain things of no book.
            let without_general = GENERAL.iter().fold(text.clone(), |text, phrase| text.replace(phrase, " "));
            is_general && !is_specific(&without_general, &SPECIFIC[1..]) || !is_specific(&text, SPECIFIC)
        }
        Language::Zh => is_general && !SPECIFIC_ZH.iter().any(|word| text.contains(word)),
    };
    if is_research { Kind::Research } else { Kind::Canon }
}

fn is_specific(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| contains_phrase(text, word))
}

/// Whether a text has a year of the past: a number of four digits from 1000 on, also in Chinese digits.
fn has_year(text: &str) -> bool {
    let numbers = find_claims(text, &[]).numbers;
    numbers.iter().any(|claim| claim.value.len() == 4 && claim.value.starts_with(['1', '2']))
}

/// Whether a text has a phrase; an English one as whole words.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + phrase.len()..]);
        let begins_inside = phrase.starts_with(is_letter) && before.ends_with(is_letter);
        let ends_inside = phrase.ends_with(is_letter) && after.starts_with(is_letter);
        !begins_inside && !ends_inside
    })
}

#[cfg(test)]
mod tests;
