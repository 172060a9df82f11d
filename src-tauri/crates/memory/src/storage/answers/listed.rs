//! Lists of answers, and their numbers.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::{StoredAnswer, answer_from_row, columns, with_related_rows};
use crate::{
    error::Result,
    model::{AnswerCounts, AnswerFilter, AnswerKind, AnswerOrigin, ProjectId},
    storage::{name_of, stored},
};

/// For each book with answers, their number, and that of those that rest on changed text.
///
/// # Errors
/// Those of the store.
pub(crate) fn fill_by_project(db: &Connection) -> Result<HashMap<ProjectId, (u32, u32)>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT project_id, count(*), count(*) FILTER (WHERE {}) FROM answers GROUP BY project_id",
        condition(AnswerFilter::Stale)
    ))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The books that have more answers than `limit`, each with its number.
///
/// # Errors
/// Those of the store.
pub(crate) fn books_over(db: &Connection, limit: u32) -> Result<Vec<(ProjectId, u32)>> {
    let mut statement =
        db.prepare_cached("SELECT project_id, count(*) FROM answers GROUP BY project_id HAVING count(*) > ?1")?;
    Ok(statement.query_map([limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// The condition of a filter in SQL.
const fn condition(filter: AnswerFilter) -> &'static str {
    match filter {
        AnswerFilter::All => "true",
        AnswerFilter::Stale => "staleness <> 'current'",
        AnswerFilter::OnTrial => "status <> 'blocked' AND NOT user_confirmed AND (level = 0 OR trust_milli < 400)",
        AnswerFilter::Blocked => "status = 'blocked'",
    }
}

/// The answers of a book ?1; those of all books, without the copies of its own. Two conditions: with both in one,
/// SQLite reads every answer.
const OF_BOOK: [&str; 2] = [
    "project_id = ?1",
    "project_id = '00000000-0000-0000-0000-000000000000' AND answer_id NOT IN \
    (SELECT own.promoted_to FROM answers own WHERE own.project_id = ?1 AND own.promoted_to IS NOT NULL)",
];

/// Which answers are listed.
pub(crate) struct Listed<'a> {
    pub project_id: &'a ProjectId,
    pub filter: AnswerFilter,
    /// Empty: all kinds.
    pub kinds: &'a [AnswerKind],
    /// `None`: all origins.
    pub origin: Option<AnswerOrigin>,
    /// Words in the question or the answer, as they are written.
    pub words: Option<&'a str>,
    pub offset: u32,
    pub limit: u32,
}

impl Listed<'_> {
    /// A query of columns of the answers: ?1 the book, ?2 the kinds as JSON, ?3 the words, ?4 the
    /// origin.
    fn select(&self, columns: &str) -> String {
        let of = |owner: &str| {
            format!(
                "SELECT {columns} FROM answers WHERE {owner} AND ({}) \
                 AND (?2 = '[]' OR kind IN (SELECT value FROM json_each(?2))) \
                 AND (?3 IS NULL OR instr(lower(question), lower(?3)) > 0 OR instr(lower(answer), lower(?3)) > 0) \
                 AND (?4 IS NULL OR origin = ?4)",
                condition(self.filter)
            )
        };
        OF_BOOK.map(of).join(" UNION ALL ")
    }

    fn origin_name(&self) -> Option<&'static str> {
        self.origin.map(name_of)
    }

    fn kinds_json(&self) -> Result<String> {
        stored::json(&self.kinds.iter().map(|kind| name_of(*kind).to_owned()).collect::<Vec<String>>())
    }
}

/// Answers of a book, latest change first.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(db: &Connection, listed: &Listed<'_>) -> Result<Vec<StoredAnswer>> {
    let rows = listed.select("row, updated_at");
    let rest = format!(
        "WHERE row IN (SELECT row FROM ({rows} ORDER BY updated_at DESC, row DESC LIMIT ?5 OFFSET ?6)) \
         ORDER BY updated_at DESC, row DESC"
    );
    let mut statement = db.prepare_cached(&columns::select(&rest))?;
    let rows = statement.query_map(
        params![
            listed.project_id,
            listed.kinds_json()?,
            listed.words,
            listed.origin_name(),
            listed.limit,
            listed.offset
        ],
        answer_from_row,
    )?;
    let found: Vec<StoredAnswer> = rows.collect::<Result<_, _>>()?;
    found.into_iter().map(|stored| with_related_rows(db, stored)).collect()
}

/// Number of answers of a book that the filters leave.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_listed(db: &Connection, listed: &Listed<'_>) -> Result<u32> {
    let mut statement = db.prepare_cached(&format!("SELECT count(*) FROM ({})", listed.select("1")))?;
    let filters = params![listed.project_id, listed.kinds_json()?, listed.words, listed.origin_name()];
    Ok(statement.query_row(filters, |row| row.get(0))?)
}

/// Numbers of answers of a book by filter, with those of all books.
///
/// # Errors
/// Those of the store.
pub(crate) fn counts(db: &Connection, project_id: &ProjectId) -> Result<AnswerCounts> {
    let mut statement = db.prepare_cached(&counts_query())?;
    Ok(statement.query_row(params![project_id, name_of(AnswerOrigin::Studied)], |row| {
        Ok(AnswerCounts {
            all: row.get(0)?,
            stale: row.get(1)?,
            on_trial: row.get(2)?,
            blocked: row.get(3)?,
            studied: row.get(4)?,
        })
    })?)
}

/// Two indexes have all that is counted of a book; none of its answers is read.
fn counts_query() -> String {
    let standing = |owner: &str| {
        format!("SELECT status, staleness, user_confirmed, level, trust_milli FROM answers WHERE {owner}")
    };
    let of_book = OF_BOOK.map(standing).join(" UNION ALL ");
    let studied =
        OF_BOOK.map(|owner| format!("SELECT 1 FROM answers WHERE {owner} AND origin = ?2")).join(" UNION ALL ");
    format!(
        "SELECT count(*), count(*) FILTER (WHERE {}), count(*) FILTER (WHERE {}), count(*) FILTER (WHERE {}), \
         (SELECT count(*) FROM ({studied})) FROM ({of_book})",
        condition(AnswerFilter::Stale),
        condition(AnswerFilter::OnTrial),
        condition(AnswerFilter::Blocked)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Database, schema::Schema};

    #[test]
    fn the_answers_of_a_book_are_counted_without_reading_them() {
        let folder = tempfile::TempDir::new().unwrap();
        let db = Database::open(&folder.path().join("episodes.db"), Schema::Episodes).unwrap();
        let reader = db.reader().unwrap();
        let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {}", counts_query())).unwrap();
        let steps = plan.query_map(params!["project", "studied"], |row| row.get::<_, String>(3)).unwrap();
        let steps: Vec<String> = steps.map(Result::unwrap).collect();
        for index in ["answers_by_standing", "answers_by_origin"] {
            let covering = format!("answers USING COVERING INDEX {index} (project_id=?");
            assert!(steps.iter().any(|step| step.contains(&covering)), "{steps:?}");
        }
    }
}
