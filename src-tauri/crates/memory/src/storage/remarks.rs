//! The writer's explicit remarks on episodes, read for a model; and the evidence that a run has read.

use rusqlite::{Connection, params};

use super::Tx;
use crate::{
    error::Result,
    model::{EpisodeId, EvidenceFingerprint, ProjectId, Time},
};

/// Records the time of a remark on an episode.
pub(crate) fn set_time(tx: &Tx<'_>, episode_id: &EpisodeId, now: Time) -> Result<()> {
    tx.prepare_cached("UPDATE episodes SET remarked_at = ?2 WHERE id = ?1")?
        .execute(params![episode_id, now.millis()])?;
    Ok(())
}

/// The remarks in a project since a time, latest first: episode and words. Remarks made during a pause are left out.
pub(crate) fn since(
    db: &Connection,
    project_id: &ProjectId,
    since: Time,
    limit: u32,
) -> Result<Vec<(EpisodeId, String)>> {
    let mut statement = db.prepare_cached(
        "SELECT id, explicit FROM episodes WHERE project_id = ?1 AND remarked_at >= ?2 AND explicit IS NOT NULL \
         AND pause IS NULL AND trim(explicit) <> '' ORDER BY remarked_at DESC, id DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![project_id, since.millis(), limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The fingerprint of a project's evidence as it is now.
pub(crate) fn fingerprint(db: &Connection, project_id: &ProjectId) -> Result<EvidenceFingerprint> {
    let mut statement = db.prepare_cached("SELECT coalesce(max(rowid), 0) FROM evidence WHERE project_id = ?1")?;
    let last = statement.query_row([project_id], |row| row.get(0))?;
    fingerprint_until(db, project_id, last)
}

/// Whether none of that evidence was undone, deleted or recomputed since.
pub(crate) fn is_unchanged(db: &Connection, project_id: &ProjectId, seen: EvidenceFingerprint) -> Result<bool> {
    Ok(fingerprint_until(db, project_id, seen.last)? == seen)
}

fn fingerprint_until(db: &Connection, project_id: &ProjectId, last: i64) -> Result<EvidenceFingerprint> {
    let mut statement = db.prepare_cached(
        "SELECT count(*), coalesce(sum(undone), 0), (SELECT count(*) FROM pauses WHERE used) \
         FROM evidence WHERE project_id = ?1 AND rowid <= ?2",
    )?;
    Ok(statement.query_row(params![project_id, last], |row| {
        Ok(EvidenceFingerprint { last, rows: row.get(0)?, undone: row.get(1)?, pauses: row.get(2)? })
    })?)
}

/// The projects with evidence.
pub(crate) fn project_ids(db: &Connection) -> Result<Vec<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT DISTINCT project_id FROM evidence ORDER BY project_id")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}
