//! Rows of `answer_outbox`: what is still to be sent to a team's service.
//!
//! Invariant: a row has ids, numbers and no text, so that nothing that the writer deletes is in it.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, name_of, parse_enum, stored};
use crate::{
    error::Result,
    model::{AnswerHit, AnswerId, ProjectId, SignalStrength, Time, ValidationResult, ValidationSource},
};

/// The call that sends a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutboxKind {
    /// The answers that a run was given or used.
    Hits,
    /// A validation of an answer.
    Validation,
    /// A new answer.
    Candidate,
}

/// The content of a row; its kind decides which fields it has.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OutboxPayload {
    /// Id of the run, of the validation, or of the new answer: the same for a row that is sent twice.
    pub id: String,
    /// Of hits; with the ids of the service.
    pub references: Vec<AnswerHit>,
    /// Of a validation: the id of the answer in the service.
    pub answer_id: Option<AnswerId>,
    /// Of a validation.
    pub result: Option<ValidationResult>,
    /// Of a validation.
    pub strength: Option<SignalStrength>,
    /// Of a validation.
    pub source: Option<ValidationSource>,
    /// Of a validation.
    pub at: Option<Time>,
}

/// A row to insert.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewItem<'a> {
    pub project_id: &'a ProjectId,
    pub service: &'a str,
    pub kind: OutboxKind,
    pub payload: OutboxPayload,
}

/// A row that is due.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DueItem {
    pub seq: i64,
    pub project_id: ProjectId,
    pub kind: OutboxKind,
    pub payload: OutboxPayload,
    /// Number of failed attempts.
    pub tries: u32,
}

/// Inserts a row that is due at once.
///
/// # Errors
/// Those of the store.
pub(crate) fn insert(tx: &Tx<'_>, item: &NewItem<'_>, now: Time) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO answer_outbox (project_id, service, kind, payload, tries, created_at, next_at) \
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5)",
    )?
    .execute(params![
        item.project_id,
        item.service,
        name_of(item.kind),
        stored::json(&item.payload)?,
        now.millis()
    ])?;
    Ok(())
}

/// The first row of a service that is due.
///
/// # Errors
/// Those of the store.
pub(crate) fn first_due(db: &Connection, service: &str, now: Time) -> Result<Option<DueItem>> {
    let mut statement = db.prepare_cached(
        "SELECT seq, project_id, kind, payload, tries FROM answer_outbox WHERE service = ?1 AND next_at <= ?2 \
         ORDER BY next_at, seq LIMIT 1",
    )?;
    let item = |row: &rusqlite::Row<'_>| {
        Ok(DueItem {
            seq: row.get(0)?,
            project_id: row.get(1)?,
            kind: parse_enum(row.get_ref(2)?.as_str()?)?,
            payload: stored::parse(row.get_ref(3)?.as_str()?)?,
            tries: row.get(4)?,
        })
    };
    Ok(statement.query_row(params![service, now.millis()], item).optional()?)
}

/// Number of rows that wait, of all books and services.
///
/// # Errors
/// Those of the store.
pub(crate) fn count(db: &Connection) -> Result<u32> {
    Ok(db.prepare_cached("SELECT count(*) FROM answer_outbox")?.query_row([], |row| row.get(0))?)
}

/// Whether there is a row from before a time.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_any_before(db: &Connection, before: Time) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM answer_outbox WHERE created_at < ?1 LIMIT 1")?.exists([before.millis()])?)
}

/// Deletes the rows from before a time; returns their number.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_before(tx: &Tx<'_>, before: Time) -> Result<usize> {
    Ok(tx.prepare_cached("DELETE FROM answer_outbox WHERE created_at < ?1")?.execute([before.millis()])?)
}

/// Deletes a row that was sent, or that can never be.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete(tx: &Tx<'_>, seq: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM answer_outbox WHERE seq = ?1")?.execute([seq])?;
    Ok(())
}

/// Deletes all rows, for a copy of the file whose rows may have been sent since it was made.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_all(tx: &Tx<'_>) -> Result<()> {
    tx.execute("DELETE FROM answer_outbox", [])?;
    Ok(())
}

/// Postpones a row after a failed attempt; with `of_all` also the other rows of the service that are due earlier.
///
/// # Errors
/// Those of the store.
pub(crate) fn postpone(tx: &Tx<'_>, seq: i64, next_at: Time, of_all: Option<&str>) -> Result<()> {
    tx.prepare_cached("UPDATE answer_outbox SET tries = tries + 1, next_at = ?2 WHERE seq = ?1")?
        .execute(params![seq, next_at.millis()])?;
    if let Some(service) = of_all {
        tx.prepare_cached("UPDATE answer_outbox SET next_at = ?2 WHERE service = ?1 AND next_at < ?2")?
            .execute(params![service, next_at.millis()])?;
    }
    Ok(())
}
