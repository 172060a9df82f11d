//! Answers as of a position of the book, and answers to nearly the same question.

use super::search::{Found, answer_match};
use crate::{
    model::{Answer, AnswerKind, AnswerMatch, AnswerOrigin, AnswerStatus, ChapterId, Position, Scope},
    story::place_of,
};
use palimpsest_text::questions::MatchKind;

/// The entries of an answer's metadata with the position up to which the book was known when it was given.
pub(in crate::engine) const AS_OF_CHAPTER: &str = "asOfChapter";
/// The offset of that position.
pub(in crate::engine) const AS_OF_OFFSET: &str = "asOfOffset";

/// Minimum likeness of two questions that are nearly the same.
const MIN_LIKENESS: f32 = 0.70;
/// Maximum number of answers to nearly the same question.
const MAX_NEARLY: usize = 3;

/// Whether an answer rests on nothing after a position: all its citations are before it, and it was given as of no later
/// position. One about the book without citations is taken to be later, and so is one of a model that had the whole
/// book.
pub(in crate::engine) fn is_answer_known_at(answer: &Answer, at: &Position, order: &[ChapterId]) -> bool {
    let Some(here) = place_of(order, at) else { return false };
    // A promoted answer is not about a book.
    if answer.scope == Scope::Global {
        return true;
    }
    let is_before = |position: &Position| place_of(order, position).is_some_and(|place| place <= here);
    let are_citations_before = answer
        .citations
        .iter()
        .all(|cited| is_before(&Position { chapter_id: cited.chapter_id.clone(), offset: cited.to }));
    let is_given_before = match as_of(answer) {
        Some(position) => is_before(&position),
        None => answer.origin != AnswerOrigin::Asked && answer.origin != AnswerOrigin::Studied,
    };
    are_citations_before && is_given_before && (answer.kind != AnswerKind::Canon || !answer.citations.is_empty())
}

/// The position up to which the book was known when an answer was given.
fn as_of(answer: &Answer) -> Option<Position> {
    let metadata = &answer.details.metadata;
    let chapter_id = metadata.get(AS_OF_CHAPTER)?.as_str().into();
    Some(Position { chapter_id, offset: metadata.get(AS_OF_OFFSET)?.parse().ok()? })
}

/// The answers to the same question or nearly the same, best first.
pub(super) fn nearly_the_same(query: &str, found: Vec<Found>, acceptance: (u32, u32)) -> Vec<AnswerMatch> {
    let is_near = |found: &Found| match found.question.kind {
        MatchKind::Exact | MatchKind::Restated => true,
        MatchKind::Related => found.question.score >= MIN_LIKENESS,
    };
    let mut near: Vec<Found> = found
        .into_iter()
        .filter(|found| is_near(found) && found.stored.answer.status != AnswerStatus::Blocked)
        .collect();
    near.sort_by(|a, b| b.question.score.total_cmp(&a.question.score));
    near.truncate(MAX_NEARLY);
    near.into_iter().map(|found| answer_match(query, found, acceptance)).collect()
}
