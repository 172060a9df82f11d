//! Lists of learning records: answers of origin `studied`.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::{StoredAnswer, answer_from_row, columns, with_related_rows};
use crate::{
    error::Result,
    model::{AnswerId, AnswerOrigin, ProjectId, RecordStanding},
    storage::{name_of, stored},
};

/// Which learning records are listed.
pub(crate) struct ListedRecords<'a> {
    pub project_id: &'a ProjectId,
    /// Names of domains, in any case; `None`: all records.
    pub domains: Option<&'a [String]>,
    pub standing: Option<RecordStanding>,
    pub limit: u32,
}

/// The learning records of a book, the newest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn records(db: &Connection, listed: &ListedRecords<'_>) -> Result<Vec<StoredAnswer>> {
    let mut statement = db.prepare_cached(&columns::select(
        "WHERE project_id = ?1 AND origin = ?2 AND (?3 IS NULL OR user_confirmed = ?3) AND (?4 IS NULL \
         OR lower(trim(json_extract(details, '$.domain'))) IN (SELECT lower(trim(value)) FROM json_each(?4))) \
         ORDER BY created_at DESC, row DESC LIMIT ?5",
    ))?;
    let is_kept = listed.standing.map(|standing| standing == RecordStanding::Kept);
    let domains = listed.domains.map(|names| stored::json(&names.to_vec())).transpose()?;
    let origin = name_of(AnswerOrigin::Studied);
    let rows =
        statement.query_map(params![listed.project_id, origin, is_kept, domains, listed.limit], answer_from_row)?;
    let found: Vec<StoredAnswer> = rows.collect::<Result<_, _>>()?;
    found.into_iter().map(|stored| with_related_rows(db, stored)).collect()
}

/// The ids of the learning records of a book, the newest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn record_ids(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<AnswerId>> {
    let mut statement = db.prepare_cached(
        "SELECT answer_id FROM answers WHERE project_id = ?1 AND origin = ?2 ORDER BY created_at DESC, row DESC LIMIT ?3",
    )?;
    let origin = name_of(AnswerOrigin::Studied);
    Ok(statement.query_map(params![project_id, origin, limit], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Number of learning records of a book by domain, in lower case.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_by_domain(db: &Connection, project_id: &ProjectId) -> Result<HashMap<String, u32>> {
    let mut statement = db.prepare_cached(
        "SELECT lower(trim(json_extract(details, '$.domain'))) domain, count(*) FROM answers \
         WHERE project_id = ?1 AND origin = ?2 GROUP BY domain HAVING domain IS NOT NULL",
    )?;
    let origin = name_of(AnswerOrigin::Studied);
    let rows = statement.query_map(params![project_id, origin], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
