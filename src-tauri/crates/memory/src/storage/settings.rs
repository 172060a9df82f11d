//! The one row of settings.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, stored};
use crate::{error::Result, model::Settings};

/// All settings live under one key, so that they change together or not at all.
const KEY: &str = "program";

/// The settings, or their defaults if none were ever set.
pub(crate) fn get(db: &Connection) -> Result<Settings> {
    let found = db
        .prepare_cached("SELECT value FROM settings WHERE key = ?1")?
        .query_row([KEY], |row| stored::parse(&row.get::<_, String>(0)?))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Writes all settings.
pub(crate) fn upsert(tx: &Tx<'_>, settings: &Settings) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute(params![KEY, stored::json(settings)?])?;
    Ok(())
}
