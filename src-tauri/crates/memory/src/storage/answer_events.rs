//! Rows of `answer_events`: everything that happened to an answer.

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    answers::{enum_or_null, time_or_null},
    columns::{columns, execute},
    name_of, parse_enum, stored,
};
use crate::{
    error::Result,
    model::{
        AnswerEventKind, AnswerId, EditedTexts, MovedCitations, ProjectId, SignalStrength, Time, ValidationResult,
        ValidationSource,
    },
};

columns! {
    /// The columns of an [`Event`] without its number.
    columns of "answer_events":
    event_id, project_id, answer_id, at, kind, result, strength, source, run_id, was_shown, was_used, is_applied, note, texts,
    undone_at, citations,
}

/// An event of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub event_id: String,
    pub project_id: ProjectId,
    pub answer_id: AnswerId,
    pub at: Time,
    pub kind: AnswerEventKind,
    /// Of a validation.
    pub result: Option<ValidationResult>,
    /// Of a validation.
    pub strength: Option<SignalStrength>,
    /// Of a validation.
    pub source: Option<ValidationSource>,
    pub run_id: Option<String>,
    /// Whether a run was given the answer.
    pub was_shown: bool,
    /// True if the run used the answer.
    pub was_used: bool,
    /// Whether it moves level and trust.
    pub is_applied: bool,
    pub note: Option<String>,
    /// Of an edit.
    pub texts: Option<EditedTexts>,
    /// Of a verdict on an answer that rests on changed text.
    pub citations: Option<MovedCitations>,
    pub undone_at: Option<Time>,
}

/// Inserts an event; the same id again is an error.
///
/// # Errors
/// Those of the store.
pub(crate) fn insert(tx: &Tx<'_>, event: &Event) -> Result<()> {
    execute(
        tx.prepare_cached(&columns::insert(""))?,
        named_params! {
            ":event_id": event.event_id,
            ":project_id": event.project_id,
            ":answer_id": event.answer_id,
            ":at": event.at.millis(),
            ":kind": name_of(event.kind),
            ":result": event.result.map(name_of),
            ":strength": event.strength.map(name_of),
            ":source": event.source.map(name_of),
            ":run_id": event.run_id,
            ":was_shown": event.was_shown,
            ":was_used": event.was_used,
            ":is_applied": event.is_applied,
            ":note": event.note,
            ":texts": event.texts.as_ref().map(stored::json).transpose()?,
            ":undone_at": event.undone_at.map(Time::millis),
            ":citations": event.citations.as_ref().map(stored::json).transpose()?,
        },
    )?;
    Ok(())
}

fn event_from_row(row: &Row<'_>) -> Result<Event, rusqlite::Error> {
    Ok(Event {
        event_id: row.get(columns::event_id)?,
        project_id: row.get(columns::project_id)?,
        answer_id: row.get(columns::answer_id)?,
        at: Time::from_millis(row.get(columns::at)?),
        kind: parse_enum(row.get_ref(columns::kind)?.as_str()?)?,
        result: enum_or_null(row, columns::result)?,
        strength: enum_or_null(row, columns::strength)?,
        source: enum_or_null(row, columns::source)?,
        run_id: row.get(columns::run_id)?,
        was_shown: row.get::<_, Option<bool>>(columns::was_shown)?.unwrap_or_default(),
        was_used: row.get::<_, Option<bool>>(columns::was_used)?.unwrap_or_default(),
        is_applied: row.get(columns::is_applied)?,
        note: row.get(columns::note)?,
        texts: row.get_ref(columns::texts)?.as_str_or_null()?.map(stored::parse).transpose()?,
        citations: row.get_ref(columns::citations)?.as_str_or_null()?.map(stored::parse).transpose()?,
        undone_at: time_or_null(row, columns::undone_at)?,
    })
}

/// The events of an answer, in order; undone ones too.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(db: &Connection, project_id: &ProjectId, id: &AnswerId) -> Result<Vec<Event>> {
    let mut statement =
        db.prepare_cached(&columns::select("WHERE project_id = ?1 AND answer_id = ?2 ORDER BY at, seq"))?;
    Ok(statement.query_map(params![project_id, id], event_from_row)?.collect::<Result<_, _>>()?)
}

/// An event of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn event(db: &Connection, project_id: &ProjectId, event_id: &str) -> Result<Option<Event>> {
    let mut statement = db.prepare_cached(&columns::select("WHERE project_id = ?1 AND event_id = ?2"))?;
    Ok(statement.query_row(params![project_id, event_id], event_from_row).optional()?)
}

/// Whether an answer has a hit of a run.
///
/// # Errors
/// Those of the store.
pub(crate) fn has_hit(db: &Connection, project_id: &ProjectId, (id, run_id): (&AnswerId, &str)) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT 1 FROM answer_events WHERE run_id = ?3 AND answer_id = ?2 AND project_id = ?1 AND kind = ?4 LIMIT 1",
    )?;
    Ok(statement.exists(params![project_id, id, run_id, name_of(AnswerEventKind::Hit)])?)
}

/// Notes that an event was undone.
///
/// # Errors
/// Those of the store.
pub(crate) fn set_undone(tx: &Tx<'_>, event_id: &str, at: Time) -> Result<()> {
    tx.prepare_cached("UPDATE answer_events SET undone_at = ?2 WHERE event_id = ?1")?
        .execute(params![event_id, at.millis()])?;
    Ok(())
}

/// Passes and all of the validations of a book that were applied, for the acceptance rate of its answers.
///
/// # Errors
/// Those of the store.
pub(crate) fn acceptance(db: &Connection, project_id: &ProjectId) -> Result<(u32, u32)> {
    let mut statement = db.prepare_cached(
        "SELECT count(*) FILTER (WHERE result = 'pass'), count(*) FROM answer_events \
         WHERE project_id = ?1 AND kind = 'validated' AND is_applied AND undone_at IS NULL AND source <> 'run'",
    )?;
    Ok(statement.query_row([project_id], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// The answers with a failure or a partial result that counts.
///
/// # Errors
/// Those of the store.
pub(crate) fn answers_that_failed(db: &Connection) -> Result<Vec<AnswerId>> {
    let mut statement = db.prepare_cached(
        "SELECT DISTINCT answer_id FROM answer_events \
         WHERE result IN ('fail', 'partial') AND is_applied AND undone_at IS NULL ORDER BY answer_id",
    )?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}
