//! Rows of `projects`.

use std::collections::HashSet;

use rusqlite::{Connection, Row, params};

use super::{Tx, name_of, parse_enum};
use crate::{
    error::Result,
    model::{Project, ProjectId, Time},
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

/// Sets whether a journal is kept of a project.
pub(crate) fn set_journal(tx: &Tx<'_>, project_id: &ProjectId, is_kept: bool) -> Result<()> {
    tx.prepare_cached("UPDATE projects SET journal_off = ?2 WHERE project_id = ?1")?
        .execute(params![project_id, (!is_kept).then_some(true)])?;
    Ok(())
}

/// The projects of which no journal is kept.
pub(crate) fn without_journal(db: &Connection) -> Result<HashSet<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM projects WHERE journal_off = 1")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
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
