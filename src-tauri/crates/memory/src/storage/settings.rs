//! Rows of `settings`: one of the program, and one of the answer service.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, stored};
use crate::{
    error::Result,
    model::{AnswerServiceSettings, Settings},
};

/// All settings of the program live under one key, so that they change together or not at all.
const KEY: &str = "program";
/// The key of the answer service.
const ANSWER_SERVICE: &str = "answerService";

/// The settings, or their defaults if none were ever set.
pub(crate) fn get(db: &Connection) -> Result<Settings> {
    stored_value(db, KEY)
}

/// The answer service, or none if it was never set.
pub(crate) fn answer_service(db: &Connection) -> Result<AnswerServiceSettings> {
    stored_value(db, ANSWER_SERVICE)
}

fn stored_value<T: stored::InColumn + Default>(db: &Connection, key: &str) -> Result<T> {
    let found = db
        .prepare_cached("SELECT value FROM settings WHERE key = ?1")?
        .query_row([key], |row| stored::parse(&row.get::<_, String>(0)?))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Writes all settings.
pub(crate) fn upsert(tx: &Tx<'_>, settings: &Settings) -> Result<()> {
    upsert_value(tx, KEY, settings)
}

/// Writes the answer service.
pub(crate) fn upsert_answer_service(tx: &Tx<'_>, service: &AnswerServiceSettings) -> Result<()> {
    upsert_value(tx, ANSWER_SERVICE, service)
}

fn upsert_value<T: stored::InColumn + Clone>(tx: &Tx<'_>, key: &str, value: &T) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute(params![key, stored::json(value)?])?;
    Ok(())
}
