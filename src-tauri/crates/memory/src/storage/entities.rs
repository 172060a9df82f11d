//! Rows of `entities`, `entity_names` and `dismissals`: the writer's word about the entities of a story.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    facts, name_of, parse_enum,
};
use crate::{
    error::Result,
    model::{Canon, Dismissal, EntityId, EntityName, Position, ProjectId, StoredEntity, Time, Visibility},
};

columns! {
    /// The columns of a [`StoredEntity`] without its names.
    columns of "entities":
    entity_id, project_id, kind, name, version, created_at, updated_at, visibility, pinned,
}

/// Kinds of dismissals as they are stored.
const NAME: &str = "name";
const MERGE: &str = "merge";
const FACT: &str = "fact";

fn entity_from_row(row: &Row<'_>) -> Result<StoredEntity, rusqlite::Error> {
    Ok(StoredEntity {
        entity_id: row.get(columns::entity_id)?,
        kind: parse_enum(row.get_ref(columns::kind)?.as_str()?)?,
        name: row.get(columns::name)?,
        version: row.get(columns::version)?,
        names: Vec::new(),
        visibility: match row.get_ref(columns::visibility)?.as_str_or_null()? {
            Some(name) => parse_enum(name)?,
            None => Visibility::default(),
        },
        is_pinned: row.get::<_, Option<bool>>(columns::pinned)?.unwrap_or_default(),
        created_at: Time::from_millis(row.get(columns::created_at)?),
        updated_at: Time::from_millis(row.get(columns::updated_at)?),
    })
}

fn name_from_row(row: &Row<'_>) -> Result<EntityName, rusqlite::Error> {
    let (chapter, offset): (Option<String>, Option<u32>) = (row.get("since_chapter")?, row.get("since_offset")?);
    let since = chapter.zip(offset).map(|(chapter, offset)| Position { chapter_id: chapter.into(), offset });
    Ok(EntityName { name: row.get("name")?, since })
}

/// All that the writer says about a book: entities, facts and dismissals.
pub(crate) fn canon(db: &Connection, project_id: &ProjectId) -> Result<Canon> {
    let mut statement = db.prepare_cached(&columns::select("WHERE project_id = ?1 ORDER BY created_at, entity_id"))?;
    let mut entities: Vec<StoredEntity> =
        statement.query_map([project_id], entity_from_row)?.collect::<Result<_, _>>()?;
    let mut statement = db.prepare_cached(
        "SELECT name, since_chapter, since_offset, entity_id FROM entity_names WHERE project_id = ?1 \
         ORDER BY entity_id, name",
    )?;
    let rows = statement.query_map([project_id], |row| Ok((row.get("entity_id")?, name_from_row(row)?)))?;
    let mut names: HashMap<EntityId, Vec<EntityName>> = HashMap::new();
    for row in rows {
        let (entity_id, name) = row?;
        names.entry(entity_id).or_default().push(name);
    }
    for entity in &mut entities {
        entity.names = names.remove(&entity.entity_id).unwrap_or_default();
    }
    Ok(Canon { entities, dismissals: dismissals(db, project_id)?, facts: facts::list(db, project_id)? })
}

fn dismissals(db: &Connection, project_id: &ProjectId) -> Result<BTreeSet<Dismissal>> {
    let mut statement = db.prepare_cached("SELECT kind, name, other FROM dismissals WHERE project_id = ?1")?;
    let rows = statement.query_map([project_id], |row| {
        let name: String = row.get("name")?;
        Ok(match row.get_ref("kind")?.as_str()? {
            MERGE => Dismissal::Merge(name, row.get("other")?),
            FACT => Dismissal::Fact(name.into()),
            _ => Dismissal::Name(name),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Number of accepted entities of a book.
pub(crate) fn count(db: &Connection, project_id: &ProjectId) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM entities WHERE project_id = ?1")?;
    Ok(statement.query_row([project_id], |row| row.get(0))?)
}

/// Whether the writer has accepted an entity.
pub(crate) fn is_accepted(db: &Connection, project_id: &ProjectId, entity_id: &EntityId) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT 1 FROM entities WHERE project_id = ?1 AND entity_id = ?2")?;
    Ok(statement.exists(params![project_id, entity_id])?)
}

/// Whether the writer has refused a proposal, or deleted a fact.
pub(crate) fn is_dismissed(db: &Connection, project_id: &ProjectId, dismissal: &Dismissal) -> Result<bool> {
    let (kind, name, other) = key_columns(dismissal);
    let mut statement =
        db.prepare_cached("SELECT 1 FROM dismissals WHERE project_id = ?1 AND kind = ?2 AND name = ?3 AND other = ?4")?;
    Ok(statement.exists(params![project_id, kind, name, other])?)
}

/// Writes the present state of an entity with its names.
pub(crate) fn upsert(tx: &Tx<'_>, project_id: &ProjectId, entity: &StoredEntity) -> Result<()> {
    execute(
        tx.prepare_cached(&columns::insert_or("REPLACE"))?,
        named_params! {
            ":entity_id": entity.entity_id,
            ":project_id": project_id,
            ":kind": name_of(entity.kind),
            ":name": entity.name,
            ":version": entity.version,
            ":created_at": entity.created_at.millis(),
            ":updated_at": entity.updated_at.millis(),
            ":visibility": name_of(entity.visibility),
            ":pinned": entity.is_pinned,
        },
    )?;
    tx.prepare_cached("DELETE FROM entity_names WHERE project_id = ?1 AND entity_id = ?2")?
        .execute(params![project_id, entity.entity_id])?;
    let mut statement = tx.prepare_cached(
        "INSERT OR IGNORE INTO entity_names (project_id, entity_id, name, since_chapter, since_offset) \
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for EntityName { name, since } in &entity.names {
        let (chapter, offset) = since.as_ref().map(|since| (&since.chapter_id, since.offset)).unzip();
        statement.execute(params![project_id, entity.entity_id, name, chapter, offset])?;
    }
    Ok(())
}

/// Deletes an entity with its names.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, entity_id: &EntityId) -> Result<()> {
    for table in ["entity_names", "entities"] {
        tx.prepare_cached(&format!("DELETE FROM {table} WHERE project_id = ?1 AND entity_id = ?2"))?
            .execute(params![project_id, entity_id])?;
    }
    Ok(())
}

/// Stores a refused proposal.
pub(crate) fn insert_dismissal(tx: &Tx<'_>, project_id: &ProjectId, dismissal: &Dismissal, at: Time) -> Result<()> {
    let (kind, name, other) = key_columns(dismissal);
    tx.prepare_cached(
        "INSERT OR IGNORE INTO dismissals (project_id, kind, name, other, dismissed_at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![project_id, kind, name, other, at.millis()])?;
    Ok(())
}

/// Deletes a refused proposal, which may then be made again.
pub(crate) fn delete_dismissal(tx: &Tx<'_>, project_id: &ProjectId, dismissal: &Dismissal) -> Result<()> {
    let (kind, name, other) = key_columns(dismissal);
    tx.prepare_cached("DELETE FROM dismissals WHERE project_id = ?1 AND kind = ?2 AND name = ?3 AND other = ?4")?
        .execute(params![project_id, kind, name, other])?;
    Ok(())
}

fn key_columns(dismissal: &Dismissal) -> (&'static str, &str, &str) {
    match dismissal {
        Dismissal::Name(name) => (NAME, name, ""),
        Dismissal::Merge(name, other) => (MERGE, name, other),
        Dismissal::Fact(fact_id) => (FACT, fact_id.as_str(), ""),
    }
}
