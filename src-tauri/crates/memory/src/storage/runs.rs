//! Rows of `runs`, `run_changes` and `learned`.

use std::{collections::HashSet, sync::LazyLock};

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum, stored,
};
use crate::{
    error::Result,
    model::{ChangeKind, ProjectId, RuleId, Run, RunChange, RunReason, RunStatus, Time},
};

/// Maximum number of runs in a list.
const LISTED: u32 = 30;

columns! {
    /// The columns of a [`Run`].
    columns of "runs":
    run_id, project_id, cause, status, begun_at, ended_at, episodes, reason,
}

static PUT: LazyLock<String> = LazyLock::new(|| {
    let fixed = ["run_id", "project_id", "cause", "begun_at"];
    columns::insert(&format!("ON CONFLICT (run_id) DO UPDATE SET {}", columns::updates(&fixed)))
});
static BY_ID: LazyLock<String> = LazyLock::new(|| columns::select("WHERE run_id = ?1"));
static LIST: LazyLock<String> = LazyLock::new(|| {
    columns::select("WHERE project_id IS NULL OR project_id = ?1 ORDER BY begun_at DESC, run_id DESC LIMIT ?2")
});
static IN_STATUS: LazyLock<String> = LazyLock::new(|| columns::select("WHERE status = ?1"));
static LAST: LazyLock<String> = LazyLock::new(|| {
    columns::select("WHERE project_id = ?1 OR project_id IS NULL ORDER BY begun_at DESC, run_id DESC LIMIT 1")
});

fn run_from_row(row: &Row<'_>) -> Result<Run, rusqlite::Error> {
    let reason: Option<String> = row.get(columns::reason)?;
    Ok(Run {
        run_id: row.get(columns::run_id)?,
        project_id: row.get(columns::project_id)?,
        cause: parse_enum(row.get_ref(columns::cause)?.as_str()?)?,
        status: parse_enum(row.get_ref(columns::status)?.as_str()?)?,
        begun_at: Time::from_millis(row.get(columns::begun_at)?),
        ended_at: row.get::<_, Option<i64>>(columns::ended_at)?.map(Time::from_millis),
        episodes: row.get(columns::episodes)?,
        reason: reason.as_deref().map(stored::parse).transpose()?,
        changes: Vec::new(),
    })
}

/// Writes the present state of a run, without its changes.
pub(crate) fn upsert(tx: &Tx<'_>, run: &Run) -> Result<()> {
    execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":run_id": run.run_id,
            ":project_id": run.project_id,
            ":cause": name_of(run.cause),
            ":status": name_of(run.status),
            ":begun_at": run.begun_at.millis(),
            ":ended_at": run.ended_at.map(Time::millis),
            ":episodes": run.episodes,
            ":reason": run.reason.as_ref().map(stored::json).transpose()?,
        },
    )?;
    Ok(())
}

/// Writes the changes that a run made or proposes.
pub(crate) fn replace_changes(tx: &Tx<'_>, run_id: &str, changes: &[RunChange]) -> Result<()> {
    tx.prepare_cached("DELETE FROM run_changes WHERE run_id = ?1")?.execute([run_id])?;
    let mut statement =
        tx.prepare_cached("INSERT INTO run_changes (run_id, ordinal, project_id, change) VALUES (?1, ?2, ?3, ?4)")?;
    for (ordinal, change) in (0_i64..).zip(changes) {
        statement.execute(params![run_id, ordinal, change.project_id, stored::json(change)?])?;
    }
    Ok(())
}

/// A run with its changes.
pub(crate) fn get(db: &Connection, run_id: &str) -> Result<Option<Run>> {
    let mut statement = db.prepare_cached(&BY_ID)?;
    let Some(mut run) = statement.query_row([run_id], run_from_row).optional()? else { return Ok(None) };
    run.changes = changes(db, run_id)?;
    Ok(Some(run))
}

fn changes(db: &Connection, run_id: &str) -> Result<Vec<RunChange>> {
    let mut statement = db.prepare_cached("SELECT change FROM run_changes WHERE run_id = ?1 ORDER BY ordinal")?;
    let rows = statement.query_map([run_id], |row| stored::parse(row.get_ref(0)?.as_str()?))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The latest runs, newest first: of a project and those over all; without a project, only those over all. They contain
/// all their changes, also to other projects' rules: the caller has to filter those.
pub(crate) fn list(db: &Connection, project_id: Option<&ProjectId>) -> Result<Vec<Run>> {
    let mut statement = db.prepare_cached(&LIST)?;
    let mut runs: Vec<Run> =
        statement.query_map(params![project_id, LISTED], run_from_row)?.collect::<Result<_, _>>()?;
    for run in &mut runs {
        run.changes = changes(db, &run.run_id)?;
    }
    Ok(runs)
}

/// Runs with this status, of all projects.
pub(crate) fn in_status(db: &Connection, status: RunStatus) -> Result<Vec<Run>> {
    let mut statement = db.prepare_cached(&IN_STATUS)?;
    let rows = statement.query_map([name_of(status)], run_from_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The ids of all runs.
pub(crate) fn ids(db: &Connection) -> Result<HashSet<String>> {
    let mut statement = db.prepare_cached("SELECT run_id FROM runs")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The latest run over a project, whatever its result.
pub(crate) fn last(db: &Connection, project_id: &ProjectId) -> Result<Option<Run>> {
    let mut statement = db.prepare_cached(&LAST)?;
    Ok(statement.query_row([project_id], run_from_row).optional()?)
}

/// The evidence that the last finished run over a project had read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Learned {
    /// UUID of the project.
    pub project_id: ProjectId,
    /// UUID of the run.
    pub run_id: String,
    /// When it started.
    pub at: Time,
    /// Number of episodes with evidence.
    pub episodes: u32,
}

/// Stores it.
pub(crate) fn upsert_learned(tx: &Tx<'_>, learned: &Learned) -> Result<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO learned (project_id, run_id, at, episodes) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![learned.project_id, learned.run_id, learned.at.millis(), learned.episodes])?;
    Ok(())
}

/// The records of all projects with a finished run.
pub(crate) fn learned(db: &Connection) -> Result<Vec<Learned>> {
    let mut statement = db.prepare_cached("SELECT project_id, run_id, at, episodes FROM learned")?;
    let rows = statement.query_map([], |row| {
        Ok(Learned {
            project_id: row.get(0)?,
            run_id: row.get(1)?,
            at: Time::from_millis(row.get(2)?),
            episodes: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// When a run over a project, or over any, last finished.
pub(crate) fn last_learned_at(db: &Connection, project_id: Option<&ProjectId>) -> Result<Option<Time>> {
    let mut statement = db.prepare_cached("SELECT max(at) FROM learned WHERE ?1 IS NULL OR project_id = ?1")?;
    let at: Option<i64> = statement.query_row([project_id], |row| row.get(0))?;
    Ok(at.map(Time::from_millis))
}

/// When the run started that last learned from a project: it could read earlier remarks. Later remarks it may have read
/// or not.
pub(crate) fn last_read_from(db: &Connection, project_id: &ProjectId) -> Result<Option<Time>> {
    let mut statement = db.prepare_cached(
        "SELECT coalesce(runs.begun_at, learned.at) FROM learned LEFT JOIN runs ON runs.run_id = learned.run_id \
         WHERE learned.project_id = ?1",
    )?;
    let began: Option<i64> = statement.query_row([project_id], |row| row.get(0)).optional()?;
    Ok(began.map(Time::from_millis))
}

/// A change to a rule by a run, undone by the writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Undone {
    /// UUID of the rule.
    pub rule_id: RuleId,
    /// The kind of the undone change.
    pub kind: ChangeKind,
    /// When it was undone.
    pub at: Time,
}

/// All changes by runs to rules that existed before, and that the writer has undone.
pub(crate) fn undone(db: &Connection) -> Result<Vec<Undone>> {
    let mut restored = db.prepare_cached(
        "SELECT max(at) FROM rule_history WHERE rule_id = ?1 AND run_id = ?2 AND change = 'restored'",
    )?;
    let mut all = Vec::new();
    for run in in_status(db, RunStatus::Undone)? {
        for change in changes(db, &run.run_id)?.into_iter().filter(|change| !change.kept) {
            let at: Option<i64> = restored.query_row(params![&change.rule_id, &run.run_id], |row| row.get(0))?;
            let Some(at) = at.map(Time::from_millis) else { continue };
            all.push(Undone { rule_id: change.rule_id, kind: change.kind, at });
        }
    }
    Ok(all)
}

/// Changes only the reason of a failed run.
pub(crate) fn fail(tx: &Tx<'_>, mut run: Run, reason: Option<RunReason>, now: Time) -> Result<()> {
    run.status = RunStatus::Failed;
    run.reason = reason;
    run.ended_at = Some(now);
    upsert(tx, &run)
}
