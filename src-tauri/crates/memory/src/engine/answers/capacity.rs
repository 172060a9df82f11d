//! The capacities of the memory of answers.

use crate::{
    engine::Engine,
    error::{Code, Error, Result},
    model::ProjectId,
    storage::{
        Tx,
        answers::{self, StoredAnswer},
    },
};

/// Maximum number of answers of a book. A new one takes the place of the least valuable candidate.
pub(in crate::engine) const MAX_ANSWERS: u32 = 20_000;
/// Number of answers of a book that maintenance leaves, if enough of them are candidates that were never used.
pub(in crate::engine) const SOFT_ANSWERS: u32 = 5_000;

impl Engine {
    /// Deletes candidates that were never used, oldest first, of books above their soft capacity, up to `limit`;
    /// returns how many. Answers that a run validated or used stay, those that are blocked, and those that the writer
    /// confirmed, edited or promoted, with their copies for all books.
    ///
    /// # Errors
    /// Those of the store.
    pub(in crate::engine) fn thin_answers(&self, limit: u32) -> Result<u32> {
        let db = self.stores.episodes.open()?;
        let (thinned, removed_rows) = db.write("make room for answers", |tx| {
            let (mut thinned, mut removed_rows) = (0, Vec::new());
            for (project_id, count) in answers::books_over(tx, SOFT_ANSWERS)? {
                for _ in SOFT_ANSWERS..count {
                    let least = if thinned < limit { answers::least_valuable(tx, &project_id)? } else { None };
                    let Some(id) = least else { break };
                    removed_rows.extend(answers::delete(tx, &id)?);
                    thinned += 1;
                }
            }
            Ok((thinned, removed_rows))
        })?;
        self.retrieval.remove_rows(&removed_rows);
        Ok(thinned)
    }
}

/// Deletes the least valuable candidate of a full book; returns its rows in the indexes.
///
/// # Errors
/// `MEMORY_CAPACITY_EXCEEDED` if every answer is valued; those of the store.
pub(super) fn make_room(tx: &Tx<'_>, project_id: &ProjectId) -> Result<Vec<i64>> {
    if answers::count(tx, project_id)? < MAX_ANSWERS {
        return Ok(Vec::new());
    }
    let full = || Error::new(Code::CapacityExceeded, format!("the book has {MAX_ANSWERS} answers that are in use"));
    let id = answers::least_valuable(tx, project_id)?.ok_or_else(full)?;
    answers::delete(tx, &id)
}

/// Inserts a new answer, in the place of the least valuable candidate if the book is full; returns the rows in the
/// indexes of that one.
///
/// # Errors
/// `MEMORY_CAPACITY_EXCEEDED` if every answer is valued; those of the store.
pub(in crate::engine) fn insert_answer(tx: &Tx<'_>, stored: &StoredAnswer) -> Result<Vec<i64>> {
    let removed_rows = make_room(tx, &stored.answer.project_id)?;
    answers::insert(tx, stored)?;
    Ok(removed_rows)
}
