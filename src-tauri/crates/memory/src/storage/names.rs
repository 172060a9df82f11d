//! Rows of `names`: the hidden names of a project and their aliases.

use std::collections::HashMap;

use rusqlite::{Connection, Row, params};

use super::{Tx, name_of, parse_enum};
use crate::{
    error::Result,
    model::{HiddenName, ProjectId},
};

fn hidden_name(row: &Row<'_>) -> Result<(ProjectId, HiddenName), rusqlite::Error> {
    let lower_case = row.get_ref(3)?.as_str_or_null()?.and_then(|name| parse_enum(name).ok());
    Ok((row.get(0)?, HiddenName { name: row.get(1)?, alias: row.get(2)?, lower_case }))
}

/// The hidden names of every project that has any, in the order of entry.
pub(crate) fn list_by_project(db: &Connection) -> Result<HashMap<ProjectId, Vec<HiddenName>>> {
    let mut statement =
        db.prepare_cached("SELECT project_id, name, alias, lower_case FROM names ORDER BY project_id, ordinal")?;
    let mut books: HashMap<ProjectId, Vec<HiddenName>> = HashMap::new();
    for row in statement.query_map([], hidden_name)? {
        let (project_id, name) = row?;
        books.entry(project_id).or_default().push(name);
    }
    Ok(books)
}

/// Replaces the hidden names of a project.
pub(crate) fn replace(tx: &Tx<'_>, project_id: &ProjectId, names: &[HiddenName]) -> Result<()> {
    tx.prepare_cached("DELETE FROM names WHERE project_id = ?1")?.execute([project_id])?;
    let mut statement = tx.prepare_cached(
        "INSERT INTO names (project_id, ordinal, name, alias, lower_case) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (ordinal, HiddenName { name, alias, lower_case }) in (0_i64..).zip(names) {
        statement.execute(params![project_id, ordinal, name, alias, lower_case.map(name_of)])?;
    }
    Ok(())
}
