//! Rows of `failures`: operations that failed, so that none is tried again and again.

use std::{collections::BTreeSet, sync::LazyLock};

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    answers::time_or_null,
    columns::{columns, execute},
    name_of, parse_enum,
};
use crate::{
    error::{Code, Error, Result},
    model::{Failure, FailureId, FailureStatus, OperationType, ProjectId},
};

/// Maximum number of failures of a book. More delete the oldest.
const MAX_FAILURES: u32 = 10_000;

columns! {
    /// The columns of a [`Failure`].
    columns of "failures":
    failure_id, project_id, operation_type, operation, signature, error, context, failed_at, retry_count, status,
    avoid_strategy, updated_at,
}

static BY_ID: LazyLock<String> = LazyLock::new(|| columns::select("WHERE failure_id = ?1"));
static BY_SIGNATURE: LazyLock<String> = LazyLock::new(|| {
    columns::select(
        "WHERE project_id = ?1 AND operation_type = ?2 AND signature = ?3 ORDER BY failed_at DESC, failure_id DESC LIMIT 1",
    )
});
static LATEST: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE project_id = ?1 ORDER BY failed_at DESC, failure_id DESC LIMIT ?2"));
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(
        "ON CONFLICT (failure_id) DO UPDATE SET operation = excluded.operation, error = excluded.error, \
         context = excluded.context, failed_at = excluded.failed_at, retry_count = excluded.retry_count, \
         status = excluded.status, avoid_strategy = excluded.avoid_strategy, updated_at = excluded.updated_at",
    )
});

fn failure_from_row(row: &Row<'_>) -> Result<Failure, rusqlite::Error> {
    let context = row.get_ref(columns::context)?;
    Ok(Failure {
        failure_id: row.get(columns::failure_id)?,
        project_id: row.get(columns::project_id)?,
        operation_type: parse_enum(row.get_ref(columns::operation_type)?.as_str()?)?,
        operation: row.get(columns::operation)?,
        signature: row.get(columns::signature)?,
        error: row.get(columns::error)?,
        context: serde_json::from_str(context.as_str()?).map_err(|_| rusqlite::types::FromSqlError::InvalidType)?,
        failed_at: time_or_null(row, columns::failed_at)?.unwrap_or_default(),
        retry_count: row.get(columns::retry_count)?,
        status: parse_enum(row.get_ref(columns::status)?.as_str()?)?,
        avoid_strategy: row.get(columns::avoid_strategy)?,
    })
}

/// A failure.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, failure_id: &FailureId) -> Result<Option<Failure>> {
    Ok(db.prepare_cached(&BY_ID)?.query_row([failure_id], failure_from_row).optional()?)
}

/// The last failure of an operation of a book, by its type and signature.
///
/// # Errors
/// Those of the store.
pub(crate) fn of_operation(
    db: &Connection,
    project_id: &ProjectId,
    (operation_type, signature): (OperationType, &str),
) -> Result<Option<Failure>> {
    let mut statement = db.prepare_cached(&BY_SIGNATURE)?;
    Ok(statement.query_row(params![project_id, name_of(operation_type), signature], failure_from_row).optional()?)
}

/// The last failures of a book, the newest first, at most `limit`.
///
/// # Errors
/// Those of the store.
pub(crate) fn latest_failures(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<Failure>> {
    let mut statement = db.prepare_cached(&LATEST)?;
    Ok(statement.query_map(params![project_id, limit], failure_from_row)?.collect::<Result<_, _>>()?)
}

/// The ids of the failures of a book, the newest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn ids(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<FailureId>> {
    let mut statement = db.prepare_cached(
        "SELECT failure_id FROM failures WHERE project_id = ?1 ORDER BY failed_at DESC, failure_id DESC LIMIT ?2",
    )?;
    Ok(statement.query_map(params![project_id, limit], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Writes the present state of a failure, of which `failed_at` is the last change or later. A full book deletes its
/// oldest.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(tx: &Tx<'_>, failure: &Failure) -> Result<()> {
    let context = serde_json::to_string(&failure.context)
        .map_err(|error| Error::new(Code::StoreUnavailable, "a value that cannot be stored").caused_by(error))?;
    execute(
        tx.prepare_cached(&UPSERT)?,
        named_params! {
            ":failure_id": failure.failure_id,
            ":project_id": failure.project_id,
            ":operation_type": name_of(failure.operation_type),
            ":operation": failure.operation,
            ":signature": failure.signature,
            ":error": failure.error,
            ":context": context,
            ":failed_at": failure.failed_at.millis(),
            ":retry_count": failure.retry_count,
            ":status": name_of(failure.status),
            ":avoid_strategy": failure.avoid_strategy,
            ":updated_at": failure.failed_at.millis(),
        },
    )?;
    tx.prepare_cached(
        "DELETE FROM failures WHERE failure_id IN (SELECT failure_id FROM failures WHERE project_id = ?1 \
         ORDER BY failed_at DESC, failure_id DESC LIMIT -1 OFFSET ?2)",
    )?
    .execute(params![failure.project_id, MAX_FAILURES])?;
    Ok(())
}

/// Deletes the failures of erased questions: those with one of the signatures, and those whose words `is_erased` knows.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_of_questions(
    tx: &Tx<'_>,
    signatures: &BTreeSet<(ProjectId, String)>,
    is_erased: impl Fn(&ProjectId, &str) -> bool,
) -> Result<()> {
    let all: Vec<(FailureId, ProjectId, String, String)> = tx
        .prepare_cached("SELECT failure_id, project_id, signature, operation FROM failures")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    for (failure_id, project_id, signature, operation) in all {
        if is_erased(&project_id, &operation) || signatures.contains(&(project_id, signature)) {
            tx.prepare_cached("DELETE FROM failures WHERE failure_id = ?1")?.execute([failure_id])?;
        }
    }
    Ok(())
}

/// The failures of a book that are open: not recovered, and not failed for good; the newest first, at most `limit`.
///
/// # Errors
/// Those of the store.
pub(crate) fn open_ones(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<Failure>> {
    let is_open = |one: &Failure| matches!(one.status, FailureStatus::Pending | FailureStatus::Retrying);
    Ok(latest_failures(db, project_id, MAX_FAILURES)?.into_iter().filter(is_open).take(limit as usize).collect())
}
