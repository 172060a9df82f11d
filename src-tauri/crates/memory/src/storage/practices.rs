//! Rows of `practices`: the writer's craft notes for all books.

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    answers::time_or_null,
    columns::{columns, execute},
    stored,
};
use crate::{
    error::Result,
    model::{Practice, PracticeId, ProjectId},
};

columns! {
    /// The columns of a [`Practice`].
    columns of "practices":
    practice_id, title, description, scenarios, source_projects, version, created_at, updated_at,
}

static ALL: LazyLock<String> = LazyLock::new(|| columns::select("ORDER BY created_at DESC, practice_id DESC"));
static BY_ID: LazyLock<String> = LazyLock::new(|| columns::select("WHERE practice_id = ?1"));
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(
        "ON CONFLICT (practice_id) DO UPDATE SET title = excluded.title, description = excluded.description, \
         scenarios = excluded.scenarios, source_projects = excluded.source_projects, version = excluded.version, \
         updated_at = excluded.updated_at",
    )
});

fn practice_from_row(row: &Row<'_>) -> Result<Practice, rusqlite::Error> {
    let source_projects: Vec<String> = stored::parse(row.get_ref(columns::source_projects)?.as_str()?)?;
    Ok(Practice {
        practice_id: row.get(columns::practice_id)?,
        title: row.get(columns::title)?,
        description: row.get(columns::description)?,
        applicable_scenarios: stored::parse(row.get_ref(columns::scenarios)?.as_str()?)?,
        source_projects: source_projects.into_iter().map(ProjectId::from).collect(),
        version: row.get(columns::version)?,
        created_at: time_or_null(row, columns::created_at)?.unwrap_or_default(),
        updated_at: time_or_null(row, columns::updated_at)?.unwrap_or_default(),
    })
}

/// All notes, the newest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(db: &Connection) -> Result<Vec<Practice>> {
    Ok(db.prepare_cached(&ALL)?.query_map([], practice_from_row)?.collect::<Result<_, _>>()?)
}

/// A note.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, practice_id: &PracticeId) -> Result<Option<Practice>> {
    Ok(db.prepare_cached(&BY_ID)?.query_row([practice_id], practice_from_row).optional()?)
}

/// Writes the present state of a note.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(tx: &Tx<'_>, practice: &Practice) -> Result<()> {
    let source_projects: Vec<String> = practice.source_projects.iter().map(ProjectId::to_string).collect();
    execute(
        tx.prepare_cached(&UPSERT)?,
        named_params! {
            ":practice_id": practice.practice_id,
            ":title": practice.title,
            ":description": practice.description,
            ":scenarios": stored::json(&practice.applicable_scenarios)?,
            ":source_projects": stored::json(&source_projects)?,
            ":version": practice.version,
            ":created_at": practice.created_at.millis(),
            ":updated_at": practice.updated_at.millis(),
        },
    )?;
    Ok(())
}

/// Deletes a note.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete(tx: &Tx<'_>, practice_id: &PracticeId) -> Result<()> {
    tx.prepare_cached("DELETE FROM practices WHERE practice_id = ?1")?.execute([practice_id])?;
    Ok(())
}

/// Takes a book out of the books that notes come from.
///
/// # Errors
/// Those of the store.
pub(crate) fn remove_source(tx: &Tx<'_>, project_id: &ProjectId) -> Result<()> {
    tx.prepare_cached(
        "UPDATE practices SET source_projects = (SELECT coalesce(json_group_array(value), '[]') \
         FROM json_each(source_projects) WHERE value <> ?1) \
         WHERE EXISTS (SELECT 1 FROM json_each(source_projects) WHERE value = ?1)",
    )?
    .execute(params![project_id])?;
    Ok(())
}
