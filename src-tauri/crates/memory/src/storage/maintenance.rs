//! Rows of `maintenance`: the last run of each job; and the columns that the daily pass reads.

use rusqlite::{Connection, params};

use super::{Tx, name_of, parse_enum};
use crate::{
    error::Result,
    model::{LastRun, ProjectId, StoreFile, Time},
};

/// The last run of each job.
pub(crate) fn runs(db: &Connection) -> Result<Vec<LastRun>> {
    let mut statement = db.prepare_cached("SELECT job, begun_at, done_at, failure FROM maintenance")?;
    let rows = statement.query_map([], |row| {
        Ok(LastRun {
            job: parse_enum(row.get_ref(0)?.as_str()?)?,
            begun_at: Time::from_millis(row.get(1)?),
            done_at: row.get::<_, Option<i64>>(2)?.map(Time::from_millis),
            failure: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores the last run of a job.
pub(crate) fn upsert(tx: &Tx<'_>, run: &LastRun) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO maintenance (job, begun_at, done_at, failure) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT DO UPDATE SET begun_at = excluded.begun_at, done_at = excluded.done_at, failure = excluded.failure",
    )?
    .execute(params![name_of(run.job), run.begun_at.millis(), run.done_at.map(Time::millis), run.failure])?;
    Ok(())
}

/// Whether a file contains data that the writer would miss.
pub(crate) fn is_worth_keeping(db: &Connection, file: StoreFile) -> Result<bool> {
    let any = match file {
        StoreFile::Rules => {
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM projects) OR EXISTS (SELECT 1 FROM rule_history) \
             OR EXISTS (SELECT 1 FROM providers) OR EXISTS (SELECT 1 FROM backends) OR EXISTS (SELECT 1 FROM names)"
        }
        StoreFile::Episodes => "SELECT 1 WHERE EXISTS (SELECT 1 FROM episodes) OR EXISTS (SELECT 1 FROM traces)",
    };
    Ok(db.prepare_cached(any)?.exists([])?)
}

/// An active episode that decays, with its position in reading order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decaying {
    /// When it was last used, or else happened.
    pub used_at: i64,
    pub row: i64,
    /// Number of uses in prompts.
    pub recall_count: u32,
    /// Importance, 0..1.
    pub importance: f64,
}

/// At most `limit` active, unconfirmed episodes of a book, from the one after `last` on. Reads the index alone.
pub(crate) fn decaying(
    db: &Connection,
    project_id: &ProjectId,
    last: Option<Decaying>,
    limit: u32,
) -> Result<Vec<Decaying>> {
    let (used_at, row) = last.map_or((i64::MIN, i64::MIN), |last| (last.used_at, last.row));
    let mut statement = db.prepare_cached(
        "SELECT used_at, row, recall_count, importance FROM episodes INDEXED BY episodes_by_use \
         WHERE project_id = ?1 AND compressed = 0 AND user_confirmed = 0 AND (used_at, row) > (?2, ?3) \
         ORDER BY used_at, row LIMIT ?4",
    )?;
    let rows = statement.query_map(params![project_id, used_at, row, limit], |row| {
        Ok(Decaying { used_at: row.get(0)?, row: row.get(1)?, recall_count: row.get(2)?, importance: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
