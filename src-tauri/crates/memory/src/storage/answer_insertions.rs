//! Rows of `answer_insertions`: answers that the writer put into a chapter.

use rusqlite::{Connection, params};

use super::{Tx, name_of, parse_enum};
use crate::{
    error::Result,
    model::{AnswerId, ProjectId, Time},
};

/// The state of an answer in a chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum InsertionState {
    /// It has not been there for a day.
    Waiting,
    /// It was still there a day later.
    Counted,
    /// It was taken out again.
    TakenOut,
}

/// The answers of a book that were put into a chapter, each with the time at which it was seen there first.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(db: &Connection, project_id: &ProjectId) -> Result<Vec<(AnswerId, Time, InsertionState)>> {
    let mut statement = db.prepare_cached(
        "SELECT answer_id, seen_at, state FROM answer_insertions WHERE project_id = ?1 ORDER BY answer_id",
    )?;
    let rows = statement.query_map([project_id], |row| {
        Ok((row.get(0)?, Time::from_millis(row.get(1)?), parse_enum(row.get_ref(2)?.as_str()?)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes the state of an answer in a chapter.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    (answer_id, seen_at): (&AnswerId, Time),
    state: InsertionState,
) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO answer_insertions (project_id, answer_id, seen_at, state) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (project_id, answer_id) DO UPDATE SET state = excluded.state",
    )?
    .execute(params![project_id, answer_id, seen_at.millis(), name_of(state)])?;
    Ok(())
}
