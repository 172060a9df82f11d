//! Rows of `answer_runs` and `answer_matches`: attempts to answer a question, and the answers that each was given.

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum, stored,
};
use crate::{
    error::Result,
    model::{
        AnswerId, AnswerKind, AnswerRunState as RunState, AnswerStatus, BlockedBy, CompletedAnswer, MatchDecision,
        ProjectId, Staleness, Time,
    },
};

columns! {
    /// All columns.
    columns of "answer_runs":
    run_id, project_id, query, kind, state, prepared_at, ended_at, outcome_hash, completed,
}

columns! {
    /// All columns.
    matches of "answer_matches":
    project_id, run_id, ordinal, answer_id, version, handle, relevance, same, level, trust_milli, freshness, fails_half,
    shown_count, used_count, status, blocked_by, times_blocked, last_failed_at, user_confirmed, staleness, decision, why,
    was_used, service, question, answer,
}

/// The states of a run that has not ended.
const UNDER_WAY: [RunState; 2] = [RunState::Prepared, RunState::Running];

/// An attempt to answer a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredRun {
    pub run_id: String,
    pub project_id: ProjectId,
    /// Empty once it has ended.
    pub query: String,
    /// The subject of its question.
    pub kind: AnswerKind,
    pub state: RunState,
    pub prepared_at: Time,
    pub ended_at: Option<Time>,
    /// BLAKE3 of the outcome that completed it.
    pub outcome_hash: Option<[u8; 32]>,
    /// The answer to the command that completed it.
    pub completed: Option<CompletedAnswer>,
}

/// An answer that a run found, in the numbers of that moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredMatch {
    pub answer_id: AnswerId,
    pub version: u32,
    /// Its number in the prompt, from 1.
    pub handle: Option<u32>,
    pub relevance: f64,
    pub same: f64,
    pub level: u8,
    pub trust_milli: u32,
    pub freshness: f64,
    pub fails_half: u32,
    pub shown_count: u32,
    pub used_count: u32,
    pub status: AnswerStatus,
    pub blocked_by: Option<BlockedBy>,
    pub times_blocked: u32,
    pub last_failed_at: Option<Time>,
    pub user_confirmed: bool,
    pub staleness: Staleness,
    pub decision: MatchDecision,
    /// Why it was left out.
    pub why: Option<String>,
    pub was_used: Option<bool>,
    /// The service that has it; `None` for an answer of this memory.
    pub service: Option<String>,
    /// Question and answer of one of a service, as the prompt has them before names are hidden; until the run has
    /// ended.
    pub words: Option<(String, String)>,
}

/// Inserts a run with the answers that it found.
///
/// # Errors
/// Those of the store.
pub(crate) fn insert(tx: &Tx<'_>, run: &StoredRun, found: &[StoredMatch]) -> Result<()> {
    execute(
        tx.prepare_cached(&columns::insert(""))?,
        named_params! {
            ":run_id": run.run_id,
            ":project_id": run.project_id,
            ":query": run.query,
            ":kind": name_of(run.kind),
            ":state": name_of(run.state),
            ":prepared_at": run.prepared_at.millis(),
            ":ended_at": run.ended_at.map(Time::millis),
            ":outcome_hash": run.outcome_hash,
            ":completed": None::<String>,
        },
    )?;
    insert_matches(tx, &run.project_id, &run.run_id, found)
}

/// Replaces the answers that a run under way found.
///
/// # Errors
/// Those of the store.
pub(crate) fn replace_matches(tx: &Tx<'_>, project_id: &ProjectId, run_id: &str, found: &[StoredMatch]) -> Result<()> {
    tx.prepare_cached("DELETE FROM answer_matches WHERE run_id = ?1")?.execute([run_id])?;
    insert_matches(tx, project_id, run_id, found)
}

fn insert_matches(tx: &Tx<'_>, project_id: &ProjectId, run_id: &str, found: &[StoredMatch]) -> Result<()> {
    for (one, ordinal) in found.iter().zip(0_u32..) {
        execute(
            tx.prepare_cached(&matches::insert(""))?,
            named_params! {
                ":project_id": project_id,
                ":run_id": run_id,
                ":ordinal": ordinal,
                ":answer_id": one.answer_id,
                ":version": one.version,
                ":handle": one.handle,
                ":relevance": one.relevance,
                ":same": one.same,
                ":level": one.level,
                ":trust_milli": one.trust_milli,
                ":freshness": one.freshness,
                ":fails_half": one.fails_half,
                ":shown_count": one.shown_count,
                ":used_count": one.used_count,
                ":status": name_of(one.status),
                ":blocked_by": one.blocked_by.map(name_of),
                ":times_blocked": one.times_blocked,
                ":last_failed_at": one.last_failed_at.map(Time::millis),
                ":user_confirmed": one.user_confirmed,
                ":staleness": name_of(one.staleness),
                ":decision": name_of(one.decision),
                ":why": one.why,
                ":was_used": one.was_used,
                ":service": one.service,
                ":question": one.words.as_ref().map(|(question, _)| question),
                ":answer": one.words.as_ref().map(|(_, answer)| answer),
            },
        )?;
    }
    Ok(())
}

/// A run.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, run_id: &str) -> Result<Option<StoredRun>> {
    let mut statement = db.prepare_cached(&columns::select("WHERE run_id = ?1"))?;
    Ok(statement.query_row([run_id], run_from_row).optional()?)
}

fn run_from_row(row: &Row<'_>) -> Result<StoredRun, rusqlite::Error> {
    Ok(StoredRun {
        run_id: row.get(columns::run_id)?,
        project_id: row.get(columns::project_id)?,
        query: row.get(columns::query)?,
        kind: parse_enum(row.get_ref(columns::kind)?.as_str()?)?,
        state: parse_enum(row.get_ref(columns::state)?.as_str()?)?,
        prepared_at: Time::from_millis(row.get(columns::prepared_at)?),
        ended_at: row.get::<_, Option<i64>>(columns::ended_at)?.map(Time::from_millis),
        outcome_hash: row.get(columns::outcome_hash)?,
        completed: row.get_ref(columns::completed)?.as_str_or_null()?.map(stored::parse).transpose()?,
    })
}

/// The latest runs of a book, latest first; with `before`, those before that one in this order.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(
    db: &Connection,
    project_id: &ProjectId,
    before: Option<&StoredRun>,
    limit: u32,
) -> Result<Vec<StoredRun>> {
    let (at, id) = before.map_or((i64::MAX, ""), |run| (run.prepared_at.millis(), &run.run_id));
    let mut statement = db.prepare_cached(&columns::select(
        "WHERE project_id = ?1 AND (prepared_at, run_id) < (?2, ?3) ORDER BY prepared_at DESC, run_id DESC LIMIT ?4",
    ))?;
    Ok(statement.query_map(params![project_id, at, id, limit], run_from_row)?.collect::<Result<_, _>>()?)
}

/// The latest runs of a book from a time on, earliest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn list_since(db: &Connection, project_id: &ProjectId, since: Time, limit: u32) -> Result<Vec<StoredRun>> {
    let mut statement = db.prepare_cached(&columns::select(
        "WHERE project_id = ?1 AND prepared_at >= ?2 ORDER BY prepared_at DESC, run_id DESC LIMIT ?3",
    ))?;
    let mut runs: Vec<StoredRun> =
        statement.query_map(params![project_id, since.millis(), limit], run_from_row)?.collect::<Result<_, _>>()?;
    runs.reverse();
    Ok(runs)
}

/// The ids of all runs from a time on, earliest first, each with whether it has ended.
///
/// # Errors
/// Those of the store.
pub(crate) fn ids_since(db: &Connection, since: Time) -> Result<Vec<(String, bool)>> {
    let mut statement = db.prepare_cached(
        "SELECT run_id, state NOT IN (?2, ?3) FROM answer_runs WHERE prepared_at >= ?1 ORDER BY prepared_at, run_id",
    )?;
    let [prepared, running] = UNDER_WAY.map(name_of);
    let found =
        statement.query_map(params![since.millis(), prepared, running], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The answers that a run found, in the order of the gatekeeper.
///
/// # Errors
/// Those of the store.
pub(crate) fn matches_of(db: &Connection, run_id: &str) -> Result<Vec<StoredMatch>> {
    let found = |row: &Row<'_>| {
        Ok(StoredMatch {
            answer_id: row.get(matches::answer_id)?,
            version: row.get(matches::version)?,
            handle: row.get(matches::handle)?,
            relevance: row.get(matches::relevance)?,
            same: row.get(matches::same)?,
            level: row.get(matches::level)?,
            trust_milli: row.get(matches::trust_milli)?,
            freshness: row.get(matches::freshness)?,
            fails_half: row.get(matches::fails_half)?,
            shown_count: row.get(matches::shown_count)?,
            used_count: row.get(matches::used_count)?,
            status: parse_enum(row.get_ref(matches::status)?.as_str()?)?,
            blocked_by: row.get_ref(matches::blocked_by)?.as_str_or_null()?.map(parse_enum).transpose()?,
            times_blocked: row.get(matches::times_blocked)?,
            last_failed_at: row.get::<_, Option<i64>>(matches::last_failed_at)?.map(Time::from_millis),
            user_confirmed: row.get(matches::user_confirmed)?,
            staleness: parse_enum(row.get_ref(matches::staleness)?.as_str()?)?,
            decision: parse_enum(row.get_ref(matches::decision)?.as_str()?)?,
            why: row.get(matches::why)?,
            was_used: row.get(matches::was_used)?,
            service: row.get(matches::service)?,
            words: row.get::<_, Option<String>>(matches::question)?.zip(row.get(matches::answer)?),
        })
    };
    let mut statement = db.prepare_cached(&matches::select("WHERE run_id = ?1 ORDER BY ordinal"))?;
    Ok(statement.query_map([run_id], found)?.collect::<Result<_, _>>()?)
}

/// Notes the end of a run with the answers that it used. Its question is removed.
///
/// # Errors
/// Those of the store.
pub(crate) fn complete(
    tx: &Tx<'_>,
    run_id: &str,
    used: &[AnswerId],
    (outcome_hash, completed): (&[u8; 32], &CompletedAnswer),
    at: Time,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE answer_runs SET query = '', state = ?2, ended_at = ?3, outcome_hash = ?4, completed = ?5 \
         WHERE run_id = ?1",
    )?
    .execute(params![
        run_id,
        name_of(RunState::Completed),
        at.millis(),
        outcome_hash,
        stored::json(completed)?
    ])?;
    tx.prepare_cached("UPDATE answer_matches SET was_used = 0, question = NULL, answer = NULL WHERE run_id = ?1")?
        .execute([run_id])?;
    for id in used {
        tx.prepare_cached("UPDATE answer_matches SET was_used = 1 WHERE run_id = ?1 AND answer_id = ?2")?
            .execute(params![run_id, id])?;
    }
    Ok(())
}

/// Notes that the runs prepared before a time were not completed, and removes their questions; returns their ids.
///
/// # Errors
/// Those of the store.
pub(crate) fn expire(tx: &Tx<'_>, before: Time) -> Result<Vec<String>> {
    let mut statement = tx.prepare_cached(
        "UPDATE answer_runs SET query = '', state = ?3, ended_at = prepared_at WHERE state IN (?1, ?2) \
         AND prepared_at < ?4 RETURNING run_id",
    )?;
    let [prepared, running] = UNDER_WAY.map(name_of);
    let states = params![prepared, running, name_of(RunState::Expired), before.millis()];
    let expired = statement.query_map(states, |row| row.get(0))?.collect::<Result<_, _>>()?;
    delete_words_of_ended(tx, RunState::Expired)?;
    Ok(expired)
}

/// Notes that a run under way will not be completed, and removes its question.
///
/// # Errors
/// Those of the store.
pub(crate) fn expire_run(tx: &Tx<'_>, run_id: &str) -> Result<()> {
    let [prepared, running] = UNDER_WAY.map(name_of);
    tx.prepare_cached(
        "UPDATE answer_runs SET query = '', state = ?3, ended_at = prepared_at WHERE state IN (?1, ?2) AND run_id = ?4",
    )?
    .execute(params![prepared, running, name_of(RunState::Expired), run_id])?;
    delete_words_of_ended(tx, RunState::Expired)
}

/// The questions to books that are being answered, earliest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn running(db: &Connection) -> Result<Vec<StoredRun>> {
    let mut statement = db.prepare_cached(&columns::select("WHERE state = ?1 ORDER BY prepared_at, run_id"))?;
    Ok(statement.query_map([name_of(RunState::Running)], run_from_row)?.collect::<Result<_, _>>()?)
}

/// Notes that the process ended before a question was answered, and removes the question; false for any other run.
///
/// # Errors
/// Those of the store.
pub(crate) fn interrupt(tx: &Tx<'_>, run_id: &str) -> Result<bool> {
    let interrupted = tx
        .prepare_cached(
            "UPDATE answer_runs SET query = '', state = ?2, ended_at = prepared_at WHERE state = ?1 AND run_id = ?3",
        )?
        .execute(params![name_of(RunState::Running), name_of(RunState::Interrupted), run_id])?;
    delete_words_of_ended(tx, RunState::Interrupted)?;
    Ok(interrupted > 0)
}

/// Removes the words of a service from the matches of runs that ended without an outcome.
fn delete_words_of_ended(tx: &Tx<'_>, state: RunState) -> Result<()> {
    tx.prepare_cached(
        "UPDATE answer_matches SET question = NULL, answer = NULL WHERE question IS NOT NULL \
         AND run_id IN (SELECT run_id FROM answer_runs WHERE state = ?1)",
    )?
    .execute([name_of(state)])?;
    Ok(())
}

/// Ends the runs under way that found an answer, and removes their questions.
///
/// # Errors
/// Those of the store.
pub(crate) fn expire_given(tx: &Tx<'_>, id: &AnswerId) -> Result<()> {
    let [prepared, running] = UNDER_WAY.map(name_of);
    tx.prepare_cached(
        "UPDATE answer_runs SET query = '', state = ?3, ended_at = prepared_at WHERE state IN (?1, ?2) \
         AND run_id IN (SELECT run_id FROM answer_matches WHERE answer_id = ?4)",
    )?
    .execute(params![prepared, running, name_of(RunState::Expired), id])?;
    delete_words_of_ended(tx, RunState::Expired)
}

/// The service of an answer of a service that a run of a book was given.
///
/// # Errors
/// Those of the store.
pub(crate) fn service_of_given(
    db: &Connection,
    project_id: &ProjectId,
    run_id: &str,
    id: &AnswerId,
) -> Result<Option<String>> {
    let mut statement = db.prepare_cached(
        "SELECT service FROM answer_matches WHERE project_id = ?1 AND run_id = ?2 AND answer_id = ?3 \
         AND handle IS NOT NULL AND service IS NOT NULL",
    )?;
    Ok(statement.query_row(params![project_id, run_id, id], |row| row.get(0)).optional()?)
}

/// Whether a run of a book was given an answer.
///
/// # Errors
/// Those of the store.
pub(crate) fn has_given(db: &Connection, project_id: &ProjectId, run_id: &str, id: &AnswerId) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT 1 FROM answer_matches WHERE project_id = ?1 AND run_id = ?2 AND answer_id = ?3 AND handle IS NOT NULL",
    )?;
    Ok(statement.exists(params![project_id, run_id, id])?)
}
