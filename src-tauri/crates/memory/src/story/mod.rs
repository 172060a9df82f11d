//! The story of a book as of a position: who and what the text names, where, and when.
//!
//! Pure: passages and the writer's word go in, findings come out. Text after the position is not passed on, so that it
//! has no influence.

mod chapters;
mod names;
mod times;

pub(crate) use chapters::{ChapterText, byte_of_offset};
pub(crate) use names::{BookNames, MentionAt, NamedEntity, Names, fold, id_of_form, sentence_range};
pub(crate) use times::told_times;

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
