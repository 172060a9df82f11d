//! Rows of `projects`.

use rusqlite::{Connection, Row, params};

use super::{Tx, name_of, parse_enum};
use crate::{
    error::Result,
    model::{Project, Time},
};

fn project_from_row(row: &Row<'_>) -> Result<Project, rusqlite::Error> {
    Ok(Project {
        project_id: row.get(0)?,
        title: row.get(1)?,
        language: parse_enum(row.get_ref(2)?.as_str()?)?,
        path: row.get(3)?,
        created_at: Time::from_millis(row.get(4)?),
        last_opened_at: Time::from_millis(row.get(5)?),
    })
}

/// Writes the present state of a project.
pub(crate) fn upsert(tx: &Tx<'_>, project: &Project) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO projects (project_id, title, language, path, created_at, last_opened_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (project_id) DO UPDATE SET title = excluded.title, \
         language = excluded.language, path = excluded.path, last_opened_at = excluded.last_opened_at",
    )?
    .execute(params![
        project.project_id,
        project.title,
        name_of(project.language),
        project.path,
        project.created_at.millis(),
        project.last_opened_at.millis(),
    ])?;
    Ok(())
}

/// All projects, the last opened first.
pub(crate) fn list(db: &Connection) -> Result<Vec<Project>> {
    let mut statement = db.prepare_cached(
        "SELECT project_id, title, language, path, created_at, last_opened_at FROM projects \
         ORDER BY last_opened_at DESC, project_id",
    )?;
    let rows = statement.query_map([], project_from_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}
