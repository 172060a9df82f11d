//! Rows of `knowledge_settings`: the writer's words about a book, and whether the program studies it.

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::{
    Tx,
    answers::time_or_null,
    columns::{columns, execute},
};
use crate::{
    error::Result,
    model::{ProjectId, Time},
};

columns! {
    /// The columns of [`KnowledgeSettings`].
    columns of "knowledge_settings":
    project_id, background, is_study_on, is_deep, agreed_host, agreed_at, version, created_at, updated_at,
}

/// The settings of the knowledge of a book.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct KnowledgeSettings {
    /// Empty: none.
    pub background: String,
    pub is_study_on: bool,
    pub is_deep: bool,
    /// The host that the writer agreed to send the book's text to.
    pub agreed_host: Option<String>,
    pub agreed_at: Option<Time>,
    /// From 1; 0: none are stored.
    pub version: u32,
    pub created_at: Time,
    pub updated_at: Time,
}

static OF_PROJECT: LazyLock<String> = LazyLock::new(|| columns::select("WHERE project_id = ?1"));
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(
        "ON CONFLICT (project_id) DO UPDATE SET background = excluded.background, is_study_on = excluded.is_study_on, \
         is_deep = excluded.is_deep, agreed_host = excluded.agreed_host, agreed_at = excluded.agreed_at, \
         version = excluded.version, updated_at = excluded.updated_at",
    )
});

fn settings_from_row(row: &Row<'_>) -> Result<KnowledgeSettings, rusqlite::Error> {
    Ok(KnowledgeSettings {
        background: row.get(columns::background)?,
        is_study_on: row.get(columns::is_study_on)?,
        is_deep: row.get(columns::is_deep)?,
        agreed_host: row.get(columns::agreed_host)?,
        agreed_at: time_or_null(row, columns::agreed_at)?,
        version: row.get(columns::version)?,
        created_at: time_or_null(row, columns::created_at)?.unwrap_or_default(),
        updated_at: time_or_null(row, columns::updated_at)?.unwrap_or_default(),
    })
}

/// The settings of a book; those of version 0 if none are stored.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, project_id: &ProjectId) -> Result<KnowledgeSettings> {
    let found = db.prepare_cached(&OF_PROJECT)?.query_row([project_id], settings_from_row).optional()?;
    Ok(found.unwrap_or_default())
}

/// Writes the settings of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(tx: &Tx<'_>, project_id: &ProjectId, settings: &KnowledgeSettings) -> Result<()> {
    execute(
        tx.prepare_cached(&UPSERT)?,
        named_params! {
            ":project_id": project_id,
            ":background": settings.background,
            ":is_study_on": settings.is_study_on,
            ":is_deep": settings.is_deep,
            ":agreed_host": settings.agreed_host,
            ":agreed_at": settings.agreed_at.map(Time::millis),
            ":version": settings.version,
            ":created_at": settings.created_at.millis(),
            ":updated_at": settings.updated_at.millis(),
        },
    )?;
    Ok(())
}
