//! Rows of `followed`: how often the last generations of a project followed each rule.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::Tx;
use crate::{
    error::Result,
    model::{ProjectId, RuleId},
};

/// The record of a rule, valid while its pattern is the same as at that time.
pub(crate) fn get(db: &Connection, project_id: &ProjectId, rule_id: &RuleId, matter: &str) -> Result<Option<String>> {
    let mut statement =
        db.prepare_cached("SELECT recent FROM followed WHERE project_id = ?1 AND rule_id = ?2 AND matter = ?3")?;
    Ok(statement.query_row(params![project_id, rule_id, matter], |row| row.get(0)).optional()?)
}

/// Stores the record of a rule, replacing an earlier one.
pub(crate) fn upsert(tx: &Tx<'_>, project_id: &ProjectId, rule_id: &RuleId, matter: &str, recent: &str) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO followed (project_id, rule_id, matter, recent) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (project_id, rule_id) DO UPDATE SET matter = excluded.matter, recent = excluded.recent",
    )?
    .execute(params![project_id, rule_id, matter, recent])?;
    Ok(())
}

/// The records of a project's rules, by rule: pattern and letters.
pub(crate) fn of_book(db: &Connection, project_id: &ProjectId) -> Result<HashMap<RuleId, (String, String)>> {
    let mut statement = db.prepare_cached("SELECT rule_id, matter, recent FROM followed WHERE project_id = ?1")?;
    let rows = statement.query_map([project_id], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
