//! Rows of `trace_feedback`: the writer's verdicts on memories in a generation.

use std::{collections::HashSet, sync::LazyLock};

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum,
};
use crate::{
    error::Result,
    model::{EpisodeId, GenerationId, ProjectId, Time, Trace, TraceVerdict, Verdict},
};

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StoredVerdict {
    /// The verdict with its reference, time and explanation.
    pub said: TraceVerdict,
    /// The episode that was recorded for it.
    pub episode_id: Option<EpisodeId>,
}

fn verdict(row: &Row<'_>) -> Result<TraceVerdict, rusqlite::Error> {
    Ok(TraceVerdict {
        reference_id: row.get(0)?,
        verdict: parse_enum(row.get_ref(1)?.as_str()?)?,
        at: Time::from_millis(row.get(2)?),
        note: row.get(3)?,
    })
}

/// The verdicts on the memories of a generation, oldest first.
pub(crate) fn of_generation(db: &Connection, generation_id: &GenerationId) -> Result<Vec<TraceVerdict>> {
    let mut statement = db.prepare_cached(
        "SELECT reference_id, verdict, at, note FROM trace_feedback WHERE generation_id = ?1 ORDER BY at, reference_id",
    )?;
    Ok(statement.query_map([generation_id], verdict)?.collect::<Result<_, _>>()?)
}

/// The verdict on one memory of a generation.
pub(crate) fn get(db: &Connection, generation_id: &GenerationId, reference_id: &str) -> Result<Option<StoredVerdict>> {
    let mut statement = db.prepare_cached(
        "SELECT reference_id, verdict, at, note, episode_id FROM trace_feedback \
         WHERE generation_id = ?1 AND reference_id = ?2",
    )?;
    let stored = statement.query_row(params![generation_id, reference_id], |row| {
        Ok(StoredVerdict { said: verdict(row)?, episode_id: row.get(4)? })
    });
    Ok(stored.optional()?)
}

/// The time for a verdict on a memory of a project: now, or just after the last one on the same memory.
pub(crate) fn next_time(db: &Connection, project_id: &ProjectId, reference_id: &str, now: Time) -> Result<Time> {
    let mut statement =
        db.prepare_cached("SELECT max(at) FROM trace_feedback WHERE project_id = ?1 AND reference_id = ?2")?;
    let last: Option<i64> = statement.query_row(params![project_id, reference_id], |row| row.get(0))?;
    Ok(last.map_or(now, |last| now.max(Time::from_millis(last.saturating_add(1)))))
}

columns! {
    /// The columns of a [`StoredVerdict`] and of its trace.
    columns of "trace_feedback":
    generation_id, reference_id, project_id, skill, scene_type, verdict, note, at, episode_id,
}

static PUT: LazyLock<String> = LazyLock::new(|| columns::insert_or("REPLACE"));

/// Stores a verdict; replaces an earlier one on the same memory of the same generation.
pub(crate) fn upsert(tx: &Tx<'_>, trace: &Trace, verdict: &StoredVerdict) -> Result<()> {
    execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":generation_id": trace.generation_id,
            ":reference_id": verdict.said.reference_id,
            ":project_id": trace.project_id,
            ":skill": trace.skill,
            ":scene_type": trace.scene_type,
            ":verdict": name_of(verdict.said.verdict),
            ":note": verdict.said.note,
            ":at": verdict.said.at.millis(),
            ":episode_id": verdict.episode_id,
        },
    )?;
    Ok(())
}

/// The memories of a project that stay out of a prompt: those whose latest verdict for this skill and scene type is
/// "out of place"; and those that are not rules and whose latest verdict anywhere is "wrong".
pub(crate) fn left_out(
    db: &Connection,
    project_id: &ProjectId,
    skill: &str,
    scene_type: Option<&str>,
) -> Result<HashSet<String>> {
    // SQLite takes the other columns of a group from the row that has the maximum.
    let mut statement = db.prepare_cached(
        "SELECT reference_id FROM (SELECT reference_id, verdict, max(at) FROM trace_feedback \
         WHERE project_id = ?1 AND skill = ?2 AND scene_type IS ?3 GROUP BY reference_id) WHERE verdict = ?4 \
         UNION \
         SELECT reference_id FROM (SELECT reference_id, verdict, max(at) FROM trace_feedback \
         WHERE project_id = ?1 AND reference_id NOT GLOB 'rule:*' GROUP BY reference_id) WHERE verdict = ?5",
    )?;
    let names = (name_of(Verdict::NotHere), name_of(Verdict::Wrong));
    let rows = statement.query_map(params![project_id, skill, scene_type, names.0, names.1], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
