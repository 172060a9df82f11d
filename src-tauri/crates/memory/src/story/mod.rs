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
