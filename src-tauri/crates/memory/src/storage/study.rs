//! Rows of `study`: how far the study of each book has come. The text is made and read by `palimpsest_knowledge`.

use rusqlite::{Connection, OptionalExtension, params};

use super::Tx;
use crate::{
    error::Result,
    model::{ProjectId, Time},
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
