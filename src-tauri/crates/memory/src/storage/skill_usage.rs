//! Rows of `skill_uses`: the number of uses of each skill by project and scene type.

use rusqlite::{Connection, params};

use super::Tx;
use crate::{error::Result, model::ProjectId};

/// Counts a use of a skill (`by` 1), or reverses one (-1).
pub(crate) fn count_use(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    scene_type: Option<&str>,
    skill: &str,
    by: i32,
) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO skill_uses (project_id, scene_type, skill, uses) VALUES (?1, ?2, ?3, max(?4, 0)) \
         ON CONFLICT DO UPDATE SET uses = max(uses + ?4, 0)",
    )?
    .execute(params![project_id, scene_type.unwrap_or_default(), skill, by])?;
    Ok(())
}

/// Number of uses of each skill in a scene type, or in all of them.
pub(crate) fn uses(db: &Connection, project_id: &ProjectId, scene_type: Option<&str>) -> Result<Vec<(String, u32)>> {
    let mut statement = db.prepare_cached(
        "SELECT skill, sum(uses) FROM skill_uses WHERE project_id = ?1 AND (?2 IS NULL OR scene_type = ?2) \
         GROUP BY skill HAVING sum(uses) > 0",
    )?;
    let rows = statement.query_map(params![project_id, scene_type], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
