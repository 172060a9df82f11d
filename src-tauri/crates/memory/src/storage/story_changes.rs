//! Rows of `story_changes`: what each change of entities, facts and dismissals replaced.

use rusqlite::{Connection, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    stored::{self, InColumn},
};
use crate::{
    error::Result,
    model::{Dismissal, EntityId, Fact, FactId, ProjectId, StoredEntity, StoryChange, StoryState, Time},
};

columns! {
    /// All columns.
    columns of "story_changes":
    project_id, change_id, kind, id, number, changed_at, before, after, undone_at,
}

/// Kinds as they are stored.
const ENTITY: &str = "entity";
const FACT: &str = "fact";
const DISMISSAL: &str = "dismissal";
/// The state of a dismissal, which is there or not.
const REFUSED: &str = "true";

/// A change of one entity, fact or dismissal: the state before and after, where there is one.
#[derive(Clone)]
pub(crate) enum Replaced {
    Entity(EntityId, Option<StoredEntity>, Option<StoredEntity>),
    Fact(FactId, Option<Box<Fact>>, Option<Box<Fact>>),
    Dismissal(Dismissal, bool, bool),
}

/// Stores a change with all its parts.
pub(crate) fn insert(tx: &Tx<'_>, project_id: &ProjectId, change_id: &str, parts: &[Replaced], at: Time) -> Result<()> {
    let mut statement =
        tx.prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM story_changes WHERE project_id = ?1")?;
    let number: i64 = statement.query_row([project_id], |row| row.get(0))?;
    parts.iter().try_for_each(|part| insert_part(tx, project_id, (change_id, number), part, at))
}

fn insert_part(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    (change_id, number): (&str, i64),
    replaced: &Replaced,
    at: Time,
) -> Result<()> {
    let (kind, id, before, after) = match replaced {
        Replaced::Entity(id, before, after) => (ENTITY, id.to_string(), json(before)?, json(after)?),
        Replaced::Fact(id, before, after) => {
            (FACT, id.to_string(), json(&before.as_deref().cloned())?, json(&after.as_deref().cloned())?)
        }
        Replaced::Dismissal(dismissal, before, after) => {
            let state = |is_refused: &bool| is_refused.then(|| REFUSED.to_owned());
            (DISMISSAL, dismissal_id(dismissal)?, state(before), state(after))
        }
    };
    execute(
        tx.prepare_cached(&columns::insert(""))?,
        named_params! {
            ":project_id": project_id,
            ":change_id": change_id,
            ":kind": kind,
            ":id": id,
            ":number": number,
            ":changed_at": at.millis(),
            ":before": before,
            ":after": after,
            ":undone_at": None::<i64>,
        },
    )?;
    Ok(())
}

/// The parts of a change that was not taken back; none if there is no such change.
pub(crate) fn undoable_parts(db: &Connection, project_id: &ProjectId, change_id: &str) -> Result<Vec<Replaced>> {
    let mut statement = db.prepare_cached(&columns::select(
        "WHERE project_id = ?1 AND change_id = ?2 AND undone_at IS NULL ORDER BY kind, id",
    ))?;
    let rows = statement.query_map(params![project_id, change_id], part_from_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Notes that a change was taken back.
pub(crate) fn set_undone(tx: &Tx<'_>, project_id: &ProjectId, change_id: &str, at: Time) -> Result<()> {
    tx.prepare_cached("UPDATE story_changes SET undone_at = ?3 WHERE project_id = ?1 AND change_id = ?2")?
        .execute(params![project_id, change_id, at.millis()])?;
    Ok(())
}

/// The facts that changes deleted which were not taken back, as they were before.
///
/// # Errors
/// Those of the store.
pub(crate) fn deleted_facts(db: &Connection, project_id: &ProjectId) -> Result<Vec<Fact>> {
    let mut statement = db.prepare_cached(
        "SELECT before FROM story_changes WHERE project_id = ?1 AND kind = 'fact' AND before IS NOT NULL \
         AND after IS NULL AND undone_at IS NULL",
    )?;
    Ok(statement.query_map([project_id], |row| stored::parse(&row.get::<_, String>(0)?))?.collect::<Result<_, _>>()?)
}

/// The changes of an entity and of facts about it, or of one fact, the latest first.
pub(crate) fn list(
    db: &Connection,
    project_id: &ProjectId,
    subject: Subject<'_>,
    limit: u32,
) -> Result<Vec<StoryChange>> {
    let (condition, id) = match subject {
        Subject::Entity(id) => (
            "(kind = 'entity' AND id = ?2 OR kind = 'fact' AND \
             coalesce(after, before) ->> '$.entityId' = ?2)",
            id.as_str(),
        ),
        Subject::Fact(id) => ("kind = 'fact' AND id = ?2", id.as_str()),
    };
    let mut statement = db.prepare_cached(&columns::select(&format!(
        "WHERE project_id = ?1 AND {condition} ORDER BY number DESC, kind, id LIMIT ?3"
    )))?;
    let rows = statement.query_map(params![project_id, id, limit], |row| {
        let (before, after) = match part_from_row(row)? {
            Replaced::Entity(_, before, after) => (before.map(StoryState::from), after.map(StoryState::from)),
            Replaced::Fact(_, before, after) => {
                (before.map(|fact| StoryState::Fact { fact }), after.map(|fact| StoryState::Fact { fact }))
            }
            Replaced::Dismissal(..) => (None, None),
        };
        let time = |millis: i64| Time::from_millis(millis);
        Ok(StoryChange {
            change_id: row.get(columns::change_id)?,
            at: time(row.get(columns::changed_at)?),
            undone_at: row.get::<_, Option<i64>>(columns::undone_at)?.map(time),
            before,
            after,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The entity or fact of a history.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    Entity(&'a EntityId),
    Fact(&'a FactId),
}

fn part_from_row(row: &Row<'_>) -> Result<Replaced, rusqlite::Error> {
    let id: String = row.get(columns::id)?;
    let text = |column: usize| row.get::<_, Option<String>>(column);
    let (before, after) = (text(columns::before)?, text(columns::after)?);
    Ok(match row.get_ref(columns::kind)?.as_str()? {
        ENTITY => Replaced::Entity(id.into(), parse(before)?, parse(after)?),
        FACT => {
            let fact = |text| Ok::<_, rusqlite::Error>(parse::<Fact>(text)?.map(Box::new));
            Replaced::Fact(id.into(), fact(before)?, fact(after)?)
        }
        _ => {
            let forms: Vec<String> = stored::parse(&id)?;
            Replaced::Dismissal(dismissal(&forms), before.is_some(), after.is_some())
        }
    })
}

fn json<T: InColumn + Clone>(state: &Option<T>) -> Result<Option<String>> {
    state.as_ref().map(stored::json).transpose()
}

fn parse<T: InColumn>(text: Option<String>) -> Result<Option<T>, rusqlite::Error> {
    text.map(|text| stored::parse(&text)).transpose()
}

/// A dismissal as a list: its kind, and its forms or the id of the fact.
fn dismissal_id(dismissal: &Dismissal) -> Result<String> {
    stored::json(&match dismissal {
        Dismissal::Name(name) => vec!["name".to_owned(), name.clone()],
        Dismissal::Merge(one, other) => vec!["merge".to_owned(), one.clone(), other.clone()],
        Dismissal::Fact(fact_id) => vec!["fact".to_owned(), fact_id.to_string()],
    })
}

fn dismissal(parts: &[String]) -> Dismissal {
    let part = |number: usize| parts.get(number).cloned().unwrap_or_default();
    match part(0).as_str() {
        "merge" => Dismissal::Merge(part(1), part(2)),
        "fact" => Dismissal::Fact(part(1).into()),
        _ => Dismissal::Name(part(1)),
    }
}
