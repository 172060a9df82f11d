//! Rows of `settings`: the one of the program, that of the answer service, and one for each stored setting of answers.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, stored};
use crate::{
    error::Result,
    model::{AnswerServiceSettings, ConfigValue, Settings},
};

/// All settings of the program live under one key, so that they change together or not at all.
const KEY: &str = "program";
/// The key of the answer service.
const ANSWER_SERVICE: &str = "answerService";
/// The keys of the settings of answers begin with it.
const ANSWERS: &str = "answers.";

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

/// The stored settings of answers by section and key. A value that cannot be read is left out.
///
/// # Errors
/// Those of the store.
pub(crate) fn answer_values(db: &Connection) -> Result<BTreeMap<String, ConfigValue>> {
    let mut statement = db.prepare_cached("SELECT key, value FROM settings WHERE key >= ?1 AND key < ?2")?;
    // `/` follows `.`.
    let rows = statement.query_map([ANSWERS, "answers/"], |row| {
        let (key, value): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(key.strip_prefix(ANSWERS).map(str::to_owned).zip(stored::parse(&value).ok()))
    })?;
    let found = rows.collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Stores a setting of answers; `None` removes it.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert_answer_value(tx: &Tx<'_>, name: &str, value: Option<&ConfigValue>) -> Result<()> {
    let key = format!("{ANSWERS}{name}");
    let Some(value) = value else {
        tx.prepare_cached("DELETE FROM settings WHERE key = ?1")?.execute([key])?;
        return Ok(());
    };
    upsert_value(tx, &key, value)
}
