//! Rows of `episode_counts`: the number of episodes of each project.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};

use crate::{error::Result, model::ProjectId};

/// Number of episodes of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Not compressed.
    pub active: u32,
    pub compressed: u32,
}

/// Number of episodes of a project. Maintained by triggers, not counted.
pub(crate) fn counts(db: &Connection, project_id: &ProjectId) -> Result<Counts> {
    let found = db
        .prepare_cached("SELECT active, compressed FROM episode_counts WHERE project_id = ?1")?
        .query_row([project_id], |row| Ok(Counts { active: row.get(0)?, compressed: row.get(1)? }))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Number of episodes of each project.
pub(crate) fn counts_by_project(db: &Connection) -> Result<HashMap<ProjectId, Counts>> {
    let mut statement = db.prepare_cached("SELECT project_id, active, compressed FROM episode_counts")?;
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, Counts { active: row.get(1)?, compressed: row.get(2)? })))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The projects with episodes.
pub(crate) fn projects(db: &Connection) -> Result<Vec<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM episode_counts ORDER BY project_id")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}
