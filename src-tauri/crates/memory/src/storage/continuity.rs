//! Rows of `continuity_resolutions`: the writer's verdicts on places of a book that do not agree.

use std::{collections::HashMap, sync::LazyLock};

use rusqlite::{Connection, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum,
};
use crate::{
    error::Result,
    model::{ContinuityKind, ContinuityVerdict, ProjectId, Time},
};

columns! {
    /// The columns of a verdict.
    columns of "continuity_resolutions":
    project_id, signature, kind, verdict, resolved_at,
}

/// A verdict with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resolution {
    pub verdict: ContinuityVerdict,
    pub resolved_at: Time,
}

static OF_PROJECT: LazyLock<String> = LazyLock::new(|| columns::select("WHERE project_id = ?1"));
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(
        "ON CONFLICT (project_id, signature) DO UPDATE SET verdict = excluded.verdict, \
         resolved_at = excluded.resolved_at",
    )
});

/// The verdicts of a book by signature, also those on wordings that the book does not have any more.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(db: &Connection, project_id: &ProjectId) -> Result<HashMap<String, Resolution>> {
    let mut statement = db.prepare_cached(&OF_PROJECT)?;
    let rows = statement.query_map([project_id], |row| {
        let verdict = parse_enum(row.get_ref(columns::verdict)?.as_str()?)?;
        let resolved_at = Time::from_millis(row.get(columns::resolved_at)?);
        Ok((row.get(columns::signature)?, Resolution { verdict, resolved_at }))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes a verdict.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    signature: &str,
    kind: ContinuityKind,
    resolution: Resolution,
) -> Result<()> {
    execute(
        tx.prepare_cached(&UPSERT)?,
        named_params! {
            ":project_id": project_id,
            ":signature": signature,
            ":kind": name_of(kind),
            ":verdict": name_of(resolution.verdict),
            ":resolved_at": resolution.resolved_at.millis(),
        },
    )?;
    Ok(())
}

/// Deletes a verdict.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, signature: &str) -> Result<()> {
    let sql = "DELETE FROM continuity_resolutions WHERE project_id = ?1 AND signature = ?2";
    tx.prepare_cached(sql)?.execute(params![project_id, signature])?;
    Ok(())
}
