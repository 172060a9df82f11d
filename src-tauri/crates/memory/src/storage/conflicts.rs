//! Rows of `conflicts`.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Tx;
use crate::{
    error::Result,
    model::{OpenConflict, ProjectId, RuleId, Time},
};

fn open_conflict(row: &Row<'_>) -> Result<OpenConflict, rusqlite::Error> {
    Ok(OpenConflict {
        conflict_id: row.get(0)?,
        project_id: row.get(1)?,
        first: row.get(2)?,
        second: row.get(3)?,
        opened_at: Time::from_millis(row.get(4)?),
    })
}

const COLUMNS: &str = "conflict_id, project_id, first_rule, second_rule, opened_at";

/// The open conflicts between global rules, and those of `project_id` if given; oldest first.
pub(crate) fn list_open(db: &Connection, project_id: Option<&ProjectId>) -> Result<Vec<OpenConflict>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM conflicts WHERE closed_at IS NULL AND (project_id IS NULL OR project_id = ?1) \
         ORDER BY opened_at, conflict_id"
    ))?;
    let rows = statement.query_map([project_id], open_conflict)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The projects in which a change of a global rule may open or close a conflict: those with an open conflict, and those
/// with suggestions.
pub(crate) fn project_ids(db: &Connection) -> Result<Vec<ProjectId>> {
    let mut statement = db.prepare_cached(
        "SELECT project_id FROM conflicts WHERE closed_at IS NULL AND project_id IS NOT NULL \
         UNION SELECT project_id FROM rules WHERE standing = 'proposed' AND project_id IS NOT NULL ORDER BY project_id",
    )?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The conflict with this id, if it is open.
pub(crate) fn get(db: &Connection, conflict_id: &str) -> Result<Option<OpenConflict>> {
    let mut statement =
        db.prepare_cached(&format!("SELECT {COLUMNS} FROM conflicts WHERE conflict_id = ?1 AND closed_at IS NULL"))?;
    Ok(statement.query_row([conflict_id], open_conflict).optional()?)
}

/// Whether a conflict with another id between these two rules is known, open or not.
pub(crate) fn is_known_otherwise(db: &Connection, first: &RuleId, second: &RuleId, conflict_id: &str) -> Result<bool> {
    let mut statement =
        db.prepare_cached("SELECT 1 FROM conflicts WHERE first_rule = ?1 AND second_rule = ?2 AND conflict_id <> ?3")?;
    Ok(statement.exists(params![first, second, conflict_id])?)
}

/// Opens a conflict; an earlier one between the two rules is reopened.
pub(crate) fn upsert(tx: &Tx<'_>, conflict: &OpenConflict) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO conflicts (conflict_id, project_id, first_rule, second_rule, opened_at) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (first_rule, second_rule) DO UPDATE SET conflict_id = excluded.conflict_id, \
         project_id = excluded.project_id, opened_at = excluded.opened_at, closed_at = NULL, kept_rule = NULL",
    )?
    .execute(params![
        conflict.conflict_id,
        conflict.project_id,
        conflict.first,
        conflict.second,
        conflict.opened_at.millis(),
    ])?;
    Ok(())
}

/// Closes a conflict: the writer chose a rule, or the rules no longer contradict each other.
pub(crate) fn close(tx: &Tx<'_>, conflict_id: &str, kept_rule: Option<&RuleId>, now: Time) -> Result<()> {
    tx.prepare_cached("UPDATE conflicts SET closed_at = ?2, kept_rule = ?3 WHERE conflict_id = ?1")?
        .execute(params![conflict_id, now.millis(), kept_rule])?;
    Ok(())
}
