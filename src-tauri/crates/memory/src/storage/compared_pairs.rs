//! Rows of `compared_pairs`: what a model said of two sentences of a book.

use std::{collections::HashMap, sync::LazyLock};

use rusqlite::{Connection, named_params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum,
};
use crate::{
    error::Result,
    model::{PairVerdict, ProjectId, Time},
};

columns! {
    /// The columns of a compared pair.
    columns of "compared_pairs":
    project_id, signature, verdict, why, model, compared_at,
}

/// The verdict of a model on a pair.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub verdict: PairVerdict,
    /// Its sentence on why a conflict is one; may be empty.
    pub why: String,
    /// Its name; empty if it gave no readable reply.
    pub model: String,
}

impl std::fmt::Debug for Comparison {
    /// No text of the writer's in debug output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comparison").field("verdict", &self.verdict).finish_non_exhaustive()
    }
}

static OF_PROJECT: LazyLock<String> = LazyLock::new(|| columns::select("WHERE project_id = ?1"));
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    let updates = columns::updates(&["project_id", "signature"]);
    columns::insert(&format!("ON CONFLICT (project_id, signature) DO UPDATE SET {updates}"))
});

/// The comparisons of a book by signature, also those of wordings that the book does not have any more.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(db: &Connection, project_id: &ProjectId) -> Result<HashMap<String, Comparison>> {
    let mut statement = db.prepare_cached(&OF_PROJECT)?;
    let rows = statement.query_map([project_id], |row| {
        let comparison = Comparison {
            verdict: parse_enum(row.get_ref(columns::verdict)?.as_str()?)?,
            why: row.get(columns::why)?,
            model: row.get(columns::model)?,
        };
        Ok((row.get(columns::signature)?, comparison))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes what a model said of a pair.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    signature: &str,
    comparison: &Comparison,
    now: Time,
) -> Result<()> {
    execute(
        tx.prepare_cached(&UPSERT)?,
        named_params! {
            ":project_id": project_id,
            ":signature": signature,
            ":verdict": name_of(comparison.verdict),
            ":why": comparison.why,
            ":model": comparison.model,
            ":compared_at": now.millis(),
        },
    )?;
    Ok(())
}
