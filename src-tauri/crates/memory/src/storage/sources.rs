//! The sources of indexed texts: the tables whose rows own rows of the indexes.

use rusqlite::Connection;

use super::{answers, episodes, journal, passages};
use crate::{
    error::Result,
    model::{OwnerKind, ProjectId},
};

/// A text to be indexed, with its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexedText {
    /// Row number of the owner in the indexes ([`OwnerKind::index_row`]).
    pub row: i64,
    /// Id of the owner.
    pub id: String,
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Kind of the owner.
    pub kind: OwnerKind,
    pub text: String,
}

/// A table whose rows own rows of the indexes. It numbers its rows in the order in which they get something to index,
/// and no number twice. Row numbers are those of the indexes ([`OwnerKind::index_row`]).
pub(crate) trait Source: Sync {
    /// The kinds of its owners, all in one range of rows.
    fn kinds(&self) -> &'static [OwnerKind];

    /// The name of a watermark of this source.
    fn mark(&self, index: &str) -> String;

    /// The texts of the first `limit` owners after `row`, in the order of their rows; from the first for row 0.
    ///
    /// # Errors
    /// Those of the store.
    fn texts_after(&self, db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>>;

    /// Whether there is an owner after `row`.
    ///
    /// # Errors
    /// Those of the store.
    fn is_any_after(&self, db: &Connection, row: i64) -> Result<bool>;

    /// Number of owners after `row`.
    ///
    /// # Errors
    /// Those of the store.
    fn count_after(&self, db: &Connection, row: i64) -> Result<u32>;

    /// Number of all owners.
    ///
    /// # Errors
    /// Those of the store.
    fn count(&self, db: &Connection) -> Result<u32>;

    /// Whether the owner of a row still exists: texts are read before the transaction that writes their index rows.
    ///
    /// # Errors
    /// Those of the store.
    fn has_owner(&self, db: &Connection, row: i64, id: &str) -> Result<bool>;
}

/// All sources; episodes first, because a recall waits for them.
pub(crate) const SOURCES: &[&dyn Source] = &[&Episodes, &QUESTIONS, &ANSWER_TEXTS, &Journal, &Passages];
/// The source that a recall of episodes searches.
pub(crate) const EPISODES: &[&dyn Source] = &[&Episodes];
/// The source that a search of passages searches.
pub(crate) const PASSAGES: &[&dyn Source] = &[&Passages];

/// The source that a search of the journal searches.
pub(crate) const JOURNAL: &[&dyn Source] = &[&Journal];

/// The sources that a search of answers searches.
pub(crate) const ANSWERS: &[&dyn Source] = &[&QUESTIONS, &ANSWER_TEXTS];

/// The episodes, with their texts or summaries.
#[derive(Debug)]
pub(crate) struct Episodes;

impl Source for Episodes {
    fn kinds(&self) -> &'static [OwnerKind] {
        &OwnerKind::OF_EPISODES
    }

    fn mark(&self, index: &str) -> String {
        index.to_owned()
    }

    fn texts_after(&self, db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
        episodes::recorded_after(db, row, limit)
    }

    fn is_any_after(&self, db: &Connection, row: i64) -> Result<bool> {
        episodes::any_after(db, row)
    }

    fn count_after(&self, db: &Connection, row: i64) -> Result<u32> {
        episodes::count_after(db, row)
    }

    fn count(&self, db: &Connection) -> Result<u32> {
        episodes::count(db, None)
    }

    fn has_owner(&self, db: &Connection, row: i64, id: &str) -> Result<bool> {
        episodes::is_in_row(db, row, id)
    }
}

/// The passages of the manuscript.
#[derive(Debug)]
pub(crate) struct Passages;

impl Source for Passages {
    fn kinds(&self) -> &'static [OwnerKind] {
        &[OwnerKind::Passage]
    }

    fn mark(&self, index: &str) -> String {
        format!("passages/{index}")
    }

    fn texts_after(&self, db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
        passages::texts_after(db, row, limit)
    }

    fn is_any_after(&self, db: &Connection, row: i64) -> Result<bool> {
        passages::is_any_after(db, row)
    }

    fn count_after(&self, db: &Connection, row: i64) -> Result<u32> {
        passages::count_after(db, row)
    }

    fn count(&self, db: &Connection) -> Result<u32> {
        passages::count_after(db, 0)
    }

    fn has_owner(&self, db: &Connection, row: i64, id: &str) -> Result<bool> {
        passages::has_id(db, row, id)
    }
}

/// The entries of the journal that are not redacted.
#[derive(Debug)]
pub(crate) struct Journal;

impl Source for Journal {
    fn kinds(&self) -> &'static [OwnerKind] {
        &[OwnerKind::Journal]
    }

    fn mark(&self, index: &str) -> String {
        format!("journal/{index}")
    }

    fn texts_after(&self, db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
        journal::texts_after(db, row, limit)
    }

    fn is_any_after(&self, db: &Connection, row: i64) -> Result<bool> {
        journal::is_any_after(db, row)
    }

    fn count_after(&self, db: &Connection, row: i64) -> Result<u32> {
        journal::count_after(db, row)
    }

    fn count(&self, db: &Connection) -> Result<u32> {
        journal::count_after(db, 0)
    }

    fn has_owner(&self, db: &Connection, row: i64, id: &str) -> Result<bool> {
        journal::has_id(db, row, id)
    }
}

/// The questions or the texts of the answers: two texts of one row, each indexed by itself.
#[derive(Debug)]
pub(crate) struct AnswerTexts(OwnerKind);

/// The questions of the answers.
pub(crate) const QUESTIONS: AnswerTexts = AnswerTexts(OwnerKind::Question);
/// The texts of the answers.
pub(crate) const ANSWER_TEXTS: AnswerTexts = AnswerTexts(OwnerKind::Answer);

impl Source for AnswerTexts {
    fn kinds(&self) -> &'static [OwnerKind] {
        if self.0 == OwnerKind::Question { &[OwnerKind::Question] } else { &[OwnerKind::Answer] }
    }

    fn mark(&self, index: &str) -> String {
        let texts = if self.0 == OwnerKind::Question { "questions" } else { "answers" };
        format!("{texts}/{index}")
    }

    fn texts_after(&self, db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
        answers::texts_after(db, self.0, row, limit)
    }

    fn is_any_after(&self, db: &Connection, row: i64) -> Result<bool> {
        answers::is_any_after(db, row)
    }

    fn count_after(&self, db: &Connection, row: i64) -> Result<u32> {
        answers::count_after(db, row)
    }

    fn count(&self, db: &Connection) -> Result<u32> {
        answers::count_after(db, 0)
    }

    fn has_owner(&self, db: &Connection, row: i64, id: &str) -> Result<bool> {
        answers::has_id(db, row, id)
    }
}
