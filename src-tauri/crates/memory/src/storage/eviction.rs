//! Compression and eviction of episodes: the order of candidates, and the changes to their rows and indexes.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, episodes};
use crate::{
    error::Result,
    model::{Episode, EpisodeId, ProjectId, Time},
};

/// A candidate for compression or eviction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// UUID.
    pub id: EpisodeId,
    /// When it was last used, or else happened.
    pub used_at: Time,
    /// Number of uses in prompts.
    pub recall_count: u32,
    /// Importance, 0..1.
    pub importance: f64,
    /// When it was compressed; `None` if it is not.
    pub compressed_at: Option<Time>,
}

const CANDIDATE: &str = "id, used_at, recall_count, importance, compressed_at";

fn candidate(row: &Row<'_>) -> Result<Candidate, rusqlite::Error> {
    Ok(Candidate {
        id: row.get(0)?,
        used_at: Time::from_millis(row.get(1)?),
        recall_count: row.get(2)?,
        importance: row.get(3)?,
        compressed_at: row.get::<_, Option<i64>>(4)?.map(Time::from_millis),
    })
}

/// Passes the unpinned episodes of a project, compressed or not, to `more`, the least recently used first, while it
/// returns `true`.
pub(crate) fn each_by_use(
    db: &Connection,
    project_id: &ProjectId,
    compressed: bool,
    mut more: impl FnMut(Candidate) -> bool,
) -> Result<()> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {CANDIDATE} FROM episodes INDEXED BY episodes_by_use \
         WHERE project_id = ?1 AND compressed = ?2 AND user_confirmed = 0 ORDER BY used_at, row"
    ))?;
    let mut rows = statement.query(params![project_id, compressed])?;
    while let Some(row) = rows.next()? {
        if !more(candidate(row)?) {
            break;
        }
    }
    Ok(())
}

/// The same for compressed ones, the earliest compressed first.
pub(crate) fn each_by_compression(
    db: &Connection,
    project_id: &ProjectId,
    mut more: impl FnMut(Candidate) -> bool,
) -> Result<()> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {CANDIDATE} FROM episodes INDEXED BY episodes_by_compression \
         WHERE project_id = ?1 AND user_confirmed = 0 AND compressed = 1 ORDER BY compressed_at, row"
    ))?;
    let mut rows = statement.query([project_id])?;
    while let Some(row) = rows.next()? {
        if !more(candidate(row)?) {
            break;
        }
    }
    Ok(())
}

/// The texts that a compressed episode still has.
#[derive(Debug)]
pub(crate) struct Rest<'a> {
    pub summary: &'a str,
    /// The beginning of the draft.
    pub draft: &'a str,
    /// The beginning of the final text.
    pub written: &'a str,
}

/// Replaces an episode's texts by the summary, in rows and indexes; returns its former row. `None` if it was
/// compressed, pinned, changed or deleted since `version` was read. The indexes process the summary under its new row.
pub(crate) fn compress(tx: &Tx<'_>, episode: &Episode, rest: &Rest<'_>, now: Time) -> Result<Option<i64>> {
    let Some(row) = tx
        .prepare_cached(
            "SELECT row FROM episodes WHERE id = ?1 AND project_id = ?2 AND version = ?3 AND compressed = 0 \
             AND user_confirmed = 0",
        )?
        .query_row(params![episode.id, episode.project_id, episode.version], |row| row.get(0))
        .optional()?
    else {
        return Ok(None);
    };
    tx.prepare_cached(
        "UPDATE episodes SET compressed = 1, compressed_at = ?2, summary = ?3, draft_excerpt = ?4, final_text = ?5, \
         input_context = '', candidates = '[]', version = version + 1 WHERE row = ?1",
    )?
    .execute(params![row, now.millis(), rest.summary, rest.draft, rest.written])?;
    episodes::reindex(tx, &episode.project_id, &episode.id, row)?;
    Ok(Some(row))
}

/// Deletes a compressed episode, unless the writer has pinned it since; returns its former row.
pub(crate) fn evict(tx: &Tx<'_>, project_id: &ProjectId, id: &EpisodeId) -> Result<Option<i64>> {
    let may = tx
        .prepare_cached("SELECT 1 FROM episodes WHERE id = ?1 AND compressed = 1 AND user_confirmed = 0")?
        .exists([id])?;
    if may { episodes::delete(tx, project_id, id) } else { Ok(None) }
}
