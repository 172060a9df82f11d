//! The knowledge of books: learning records, domains, habits, failures, questions, and the notes for all books.
//!
//! A learning record is an answer of origin `studied`, a domain is an entity of the story with its facts, and a habit
//! is counted from the text. Records, questions and failures are in `episodes.db`, the writer's settings and notes in
//! `rules.db`: where one of the files cannot be read, the other serves.

mod copies;
mod domains;
mod failures;
mod habits;
mod judge;
mod load;
mod practices;
mod projects;
mod questions;
mod readable;
mod records;

pub use self::load::ChooseRecords;
pub(super) use self::{
    failures::{pure_failure, wire_status},
    habits::KeptHabits,
    load::{ForegroundRequest, RecordWords, words_of_record},
    readable::ReadableCopies,
};

use palimpsest_text::secrets::contains_secret;

use super::answers::check_question;
use crate::{
    error::{Error, Result},
    validate,
};

/// A question or another text of one or more lines to be stored: 1 to `max` characters, and no key in it.
fn check_words(field: &str, words: &str, max: usize) -> Result<()> {
    validate::lines(field, words, max)?;
    if contains_secret(words) { Err(Error::invalid(field, "has a key or a password in it")) } else { Ok(()) }
}

/// A question of a study: 1 to `max` characters, with a letter or a digit.
fn check_study_question(field: &str, question: &str, max: usize) -> Result<()> {
    check_question(field, question)?;
    check_words(field, question, max)
}
