//! Numbers of answers by book.

use rusqlite::Connection;

use crate::{error::Result, model::ProjectId};

/// The books that have more answers than `limit`, each with its number.
///
/// # Errors
/// Those of the store.
pub(crate) fn books_over(db: &Connection, limit: u32) -> Result<Vec<(ProjectId, u32)>> {
    let mut statement =
        db.prepare_cached("SELECT project_id, count(*) FROM answers GROUP BY project_id HAVING count(*) > ?1")?;
    Ok(statement.query_map([limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}
