//! Rows of `study`: how far the study of each book has come. The text is made and read by `palimpsest_knowledge`.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, name_of};
use crate::{
    error::Result,
    model::{ProjectId, QuestionState, Time},
};

/// The stored state of the study of a book; `None` before its first step.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, project_id: &ProjectId) -> Result<Option<String>> {
    let mut statement = db.prepare_cached("SELECT state FROM study WHERE project_id = ?1")?;
    Ok(statement.query_row([project_id], |row| row.get(0)).optional()?)
}

/// The stored states of the studies of all books.
///
/// # Errors
/// Those of the store.
pub(crate) fn states(db: &Connection) -> Result<Vec<String>> {
    let mut statement = db.prepare_cached("SELECT state FROM study ORDER BY project_id")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Writes the state of the study of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(tx: &Tx<'_>, project_id: &ProjectId, state: &str, now: Time) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO study (project_id, state, updated_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (project_id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at",
    )?
    .execute(params![project_id, state, now.millis()])?;
    Ok(())
}

/// The writer's verdicts on the records of a type of question, of all books: how many were kept, and how many there
/// are. A refused record is gone with its model and citations, so that verdicts are counted by type alone.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_verdicts(db: &Connection, question_type: &str) -> Result<(u32, u32)> {
    let mut statement = db.prepare_cached(
        "SELECT count(a.answer_id), count(*) FROM questions q LEFT JOIN answers a ON a.answer_id = q.answer_id \
         WHERE q.question_type = ?1 AND q.answer_id IS NOT NULL AND (a.user_confirmed OR q.state = ?2)",
    )?;
    let dropped = name_of(QuestionState::Dropped);
    Ok(statement.query_row(params![question_type, dropped], |row| Ok((row.get(0)?, row.get(1)?)))?)
}
