//! The story of a book as of a position: who and what the text names, where, and when.
//!
//! Pure: passages and the writer's word go in, findings come out. Text after the position is not passed on, so that it
//! has no influence.

mod book_names;
mod cards;
mod chapters;
mod events;
mod facts;
mod habits;
pub(crate) mod lorebook;
mod mention_index;
mod name_evidence;
mod names;
mod prompt_cards;
mod threads;
mod times;

pub(crate) use book_names::{BookNames, MentionAt, NamedEntity};
pub(crate) use cards::{CardFact, StoryCard};
#[cfg(test)]
pub(crate) use cards::{CardReason, LastSeen};
pub(crate) use chapters::{ChapterText, before_offset, byte_of_offset};
pub(crate) use events::{events, story_date};
pub(crate) use facts::{FactsAt, HeldFact};
pub(crate) use habits::{HabitChapter, habits};
pub(crate) use mention_index::{FormAt, FormMatcher};
pub(crate) use name_evidence::{BookText, NameEvidence};
pub(crate) use names::{Names, fold, id_of_form, sentence_range};
pub(crate) use prompt_cards::{Around, PromptPosition, prompt_cards};
pub(crate) use threads::{step_attributes, threads};
pub(crate) use times::told_times;

use crate::model::{ChapterId, Position};

/// A position of a book in order: the number of the chapter, and the offset in UTF-16 code units.
pub(crate) type Place = (usize, u32);

/// The place of a position; `None` if the book has no such chapter.
pub(crate) fn place_of(order: &[ChapterId], position: &Position) -> Option<Place> {
    let chapter = order.iter().position(|chapter| *chapter == position.chapter_id)?;
    Some((chapter, position.offset))
}

/// Length of a hashed id, in hexadecimal digits.
const ID_CHARS: usize = 32;

/// An id made of parts: the same parts have the same id after an analysis from scratch.
pub(crate) fn hashed_id(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().to_hex().chars().take(ID_CHARS).collect()
}
