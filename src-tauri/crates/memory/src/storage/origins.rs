//! Rows of `origins`: ranges of a chapter that a generation wrote.

use rusqlite::{Connection, params};

use super::{Tx, traces};
use crate::{
    error::Result,
    model::{ChapterId, OriginMark, ProjectId},
};

/// The origins of a chapter as last saved, in text order.
pub(crate) fn list(db: &Connection, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Vec<OriginMark>> {
    let mut statement = db.prepare_cached(
        "SELECT generation_id, range_from, range_to, quote_hash FROM origins \
         WHERE project_id = ?1 AND chapter_id = ?2 ORDER BY ordinal",
    )?;
    let rows = statement.query_map(params![project_id, chapter_id], |row| {
        Ok(OriginMark {
            generation_id: row.get(0)?,
            skill: String::new(),
            from: row.get(1)?,
            to: row.get(2)?,
            quote_hash: row.get(3)?,
        })
    })?;
    let mut marks: Vec<OriginMark> = rows.collect::<Result<_, _>>()?;
    for mark in &mut marks {
        mark.skill = traces::skill_of(db, project_id, &mark.generation_id)?.unwrap_or_default();
    }
    Ok(marks)
}

/// Replaces the origins of a chapter.
pub(crate) fn replace(tx: &Tx<'_>, project_id: &ProjectId, chapter_id: &ChapterId, marks: &[OriginMark]) -> Result<()> {
    tx.prepare_cached("DELETE FROM origins WHERE project_id = ?1 AND chapter_id = ?2")?
        .execute(params![project_id, chapter_id])?;
    let mut statement = tx.prepare_cached(
        "INSERT INTO origins (project_id, chapter_id, ordinal, generation_id, range_from, range_to, quote_hash) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (ordinal, mark) in (0_u32..).zip(marks) {
        statement.execute(params![
            project_id,
            chapter_id,
            ordinal,
            mark.generation_id,
            mark.from,
            mark.to,
            mark.quote_hash
        ])?;
    }
    Ok(())
}
