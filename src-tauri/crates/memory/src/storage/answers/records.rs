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
    pub offset: u32,
    pub limit: u32,
}

/// The condition of a [`ListedRecords`]: ?1 the book, ?2 the origin, ?3 whether it is kept, ?4 the domains as JSON.
const CONDITION: &str = "project_id = ?1 AND origin = ?2 AND (?3 IS NULL OR user_confirmed = ?3) AND (?4 IS NULL \
    OR lower(trim(json_extract(details, '$.domain'))) IN (SELECT lower(trim(value)) FROM json_each(?4)))";

impl ListedRecords<'_> {
    fn is_kept(&self) -> Option<bool> {
        self.standing.map(|standing| standing == RecordStanding::Kept)
    }

    fn domains_json(&self) -> Result<Option<String>> {
        self.domains.map(|names| stored::json(&names.to_vec())).transpose()
    }
}

/// The learning records of a book, the newest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn records(db: &Connection, listed: &ListedRecords<'_>) -> Result<Vec<StoredAnswer>> {
    let rest = format!("WHERE {CONDITION} ORDER BY created_at DESC, row DESC LIMIT ?5 OFFSET ?6");
    let mut statement = db.prepare_cached(&columns::select(&rest))?;
    let origin = name_of(AnswerOrigin::Studied);
    let filters =
        params![listed.project_id, origin, listed.is_kept(), listed.domains_json()?, listed.limit, listed.offset];
    let rows = statement.query_map(filters, answer_from_row)?;
    let found: Vec<StoredAnswer> = rows.collect::<Result<_, _>>()?;
    found.into_iter().map(|stored| with_related_rows(db, stored)).collect()
}

/// The numbers of the learning records that the filters leave, on all pages: all, and those without the writer's word.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_records(db: &Connection, listed: &ListedRecords<'_>) -> Result<(u32, u32)> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT count(*), count(*) FILTER (WHERE NOT user_confirmed) FROM answers WHERE {CONDITION}"
    ))?;
    let origin = name_of(AnswerOrigin::Studied);
    let filters = params![listed.project_id, origin, listed.is_kept(), listed.domains_json()?];
    Ok(statement.query_row(filters, |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// The learning records of a book whose cited text has changed, without blocked ones, the earliest change first.
///
/// # Errors
/// Those of the store.
pub(crate) fn stale_records(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<StoredAnswer>> {
    let mut statement = db.prepare_cached(&columns::select(
        "WHERE project_id = ?1 AND origin = ?2 AND staleness <> 'current' AND status <> 'blocked' \
         ORDER BY updated_at, row LIMIT ?3",
    ))?;
    let origin = name_of(AnswerOrigin::Studied);
    Ok(statement.query_map(params![project_id, origin, limit], answer_from_row)?.collect::<Result<_, _>>()?)
}

/// Whether a later learning record answers the question of this one again.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_renewed(db: &Connection, project_id: &ProjectId, answer_id: &AnswerId) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM answers, json_each(answers.details, '$.relatedRecords') related \
         WHERE project_id = ?1 AND origin = ?2 AND related.value = ?3)",
    )?;
    let origin = name_of(AnswerOrigin::Studied);
    Ok(statement.query_row(params![project_id, origin, answer_id], |row| row.get(0))?)
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
