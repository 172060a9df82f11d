//! Rows of `facts`, `fact_knowers` and `fact_citations`: what the writer says of the entities of a story.

use std::{collections::HashMap, sync::LazyLock};

use rusqlite::{Connection, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum,
};
use crate::{
    error::Result,
    model::{ChapterId, Citation, Fact, FactId, Knower, Position, ProjectId, Time},
};

columns! {
    /// The columns of a [`Fact`] without its knowers and citations.
    columns of "facts":
    fact_id, project_id, entity_id, attribute, value, object_id, certainty, told_chapter, told_offset, valid_from,
    valid_until, superseded_by, origin, version, created_at, updated_at,
}

static OF_PROJECT: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE project_id = ?1 ORDER BY created_at, fact_id"));

fn position(chapter: Option<String>, offset: Option<u32>) -> Option<Position> {
    chapter.zip(offset).map(|(chapter, offset)| Position { chapter_id: chapter.into(), offset })
}

fn fact_from_row(row: &Row<'_>) -> Result<Fact, rusqlite::Error> {
    Ok(Fact {
        fact_id: row.get(columns::fact_id)?,
        entity_id: row.get(columns::entity_id)?,
        attribute: row.get(columns::attribute)?,
        value: row.get(columns::value)?,
        object_id: row.get(columns::object_id)?,
        certainty: parse_enum(row.get_ref(columns::certainty)?.as_str()?)?,
        told_at: position(row.get(columns::told_chapter)?, row.get(columns::told_offset)?),
        valid_from: row.get(columns::valid_from)?,
        valid_until: row.get(columns::valid_until)?,
        superseded_by: row.get(columns::superseded_by)?,
        known_by: Vec::new(),
        citations: Vec::new(),
        origin: parse_enum(row.get_ref(columns::origin)?.as_str()?)?,
        version: row.get(columns::version)?,
        created_at: Time::from_millis(row.get(columns::created_at)?),
        updated_at: Time::from_millis(row.get(columns::updated_at)?),
    })
}

/// A citation of a fact or of an answer: both tables have the same columns for it.
pub(super) fn citation_from_row(row: &Row<'_>) -> Result<Citation, rusqlite::Error> {
    Ok(Citation {
        chapter_id: row.get("chapter_id")?,
        from: row.get("range_from")?,
        to: row.get("range_to")?,
        quote_hash: row.get("quote_hash")?,
        quote: row.get("quote")?,
        status: parse_enum(row.get_ref("status")?.as_str()?)?,
    })
}

fn knower_from_row(row: &Row<'_>) -> Result<Knower, rusqlite::Error> {
    let since = Position { chapter_id: row.get("since_chapter")?, offset: row.get("since_offset")? };
    Ok(Knower { entity_id: row.get("entity_id")?, since })
}

/// Rows of a book by the fact that they belong to, read with `SELECT *` in an order of their own.
fn rows_by_fact<T>(
    db: &Connection,
    (table, order): (&str, &str),
    project_id: &ProjectId,
    read: impl Fn(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<HashMap<FactId, Vec<T>>> {
    let mut statement = db.prepare_cached(&format!("SELECT * FROM {table} WHERE project_id = ?1 ORDER BY {order}"))?;
    let rows = statement.query_map([project_id], |row| Ok((row.get("fact_id")?, read(row)?)))?;
    let mut by_fact: HashMap<FactId, Vec<T>> = HashMap::new();
    for row in rows {
        let (fact_id, one) = row?;
        by_fact.entry(fact_id).or_default().push(one);
    }
    Ok(by_fact)
}

/// The facts of a book, in the order in which they were written.
pub(crate) fn list(db: &Connection, project_id: &ProjectId) -> Result<Vec<Fact>> {
    let mut statement = db.prepare_cached(&OF_PROJECT)?;
    let mut facts: Vec<Fact> = statement.query_map([project_id], fact_from_row)?.collect::<Result<_, _>>()?;
    let mut knowers = rows_by_fact(db, ("fact_knowers", "fact_id, entity_id"), project_id, knower_from_row)?;
    let mut citations = rows_by_fact(db, ("fact_citations", "fact_id, ordinal"), project_id, citation_from_row)?;
    for fact in &mut facts {
        fact.known_by = knowers.remove(&fact.fact_id).unwrap_or_default();
        fact.citations = citations.remove(&fact.fact_id).unwrap_or_default();
    }
    Ok(facts)
}

/// Writes the present state of a fact with its knowers and citations.
pub(crate) fn upsert(tx: &Tx<'_>, project_id: &ProjectId, fact: &Fact) -> Result<()> {
    let (told_chapter, told_offset) = fact.told_at.as_ref().map(|at| (&at.chapter_id, at.offset)).unzip();
    execute(
        tx.prepare_cached(&columns::insert_or("REPLACE"))?,
        named_params! {
            ":fact_id": fact.fact_id,
            ":project_id": project_id,
            ":entity_id": fact.entity_id,
            ":attribute": fact.attribute,
            ":value": fact.value,
            ":object_id": fact.object_id,
            ":certainty": name_of(fact.certainty),
            ":told_chapter": told_chapter,
            ":told_offset": told_offset,
            ":valid_from": fact.valid_from,
            ":valid_until": fact.valid_until,
            ":superseded_by": fact.superseded_by,
            ":origin": name_of(fact.origin),
            ":version": fact.version,
            ":created_at": fact.created_at.millis(),
            ":updated_at": fact.updated_at.millis(),
        },
    )?;
    delete_parts(tx, project_id, &fact.fact_id)?;
    let mut statement = tx.prepare_cached(
        "INSERT INTO fact_knowers (project_id, fact_id, entity_id, since_chapter, since_offset) \
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for Knower { entity_id, since } in &fact.known_by {
        statement.execute(params![project_id, fact.fact_id, entity_id, since.chapter_id, since.offset])?;
    }
    for (citation, ordinal) in fact.citations.iter().zip(0_u32..) {
        insert_citation(tx, project_id, &fact.fact_id, ordinal, citation)?;
    }
    Ok(())
}

fn insert_citation(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    fact_id: &FactId,
    ordinal: u32,
    citation: &Citation,
) -> Result<()> {
    let statement = tx.prepare_cached(
        "INSERT INTO fact_citations \
         (project_id, fact_id, ordinal, chapter_id, range_from, range_to, quote_hash, quote, status) VALUES \
         (:project_id, :fact_id, :ordinal, :chapter_id, :range_from, :range_to, :quote_hash, :quote, :status)",
    )?;
    execute(
        statement,
        named_params! {
            ":project_id": project_id,
            ":fact_id": fact_id,
            ":ordinal": ordinal,
            ":chapter_id": citation.chapter_id,
            ":range_from": citation.from,
            ":range_to": citation.to,
            ":quote_hash": citation.quote_hash,
            ":quote": citation.quote,
            ":status": name_of(citation.status),
        },
    )?;
    Ok(())
}

/// The present place and status of a citation that the text has moved or lost. The version of its fact stays: the
/// writer has not changed it.
pub(crate) fn set_citation(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    (fact_id, ordinal): (&FactId, u32),
    citation: &Citation,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE fact_citations SET chapter_id = ?4, range_from = ?5, range_to = ?6, status = ?7 \
         WHERE project_id = ?1 AND fact_id = ?2 AND ordinal = ?3 AND quote_hash = ?8",
    )?
    .execute(params![
        project_id,
        fact_id,
        ordinal,
        citation.chapter_id,
        citation.from,
        citation.to,
        name_of(citation.status),
        citation.quote_hash
    ])?;
    Ok(())
}

/// Deletes a fact with its knowers and citations.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, fact_id: &FactId) -> Result<()> {
    delete_parts(tx, project_id, fact_id)?;
    tx.prepare_cached("DELETE FROM facts WHERE project_id = ?1 AND fact_id = ?2")?
        .execute(params![project_id, fact_id])?;
    Ok(())
}

fn delete_parts(tx: &Tx<'_>, project_id: &ProjectId, fact_id: &FactId) -> Result<()> {
    for table in ["fact_knowers", "fact_citations"] {
        tx.prepare_cached(&format!("DELETE FROM {table} WHERE project_id = ?1 AND fact_id = ?2"))?
            .execute(params![project_id, fact_id])?;
    }
    Ok(())
}

/// The chapters that facts of a book cite.
pub(crate) fn cited_chapters(db: &Connection, project_id: &ProjectId) -> Result<Vec<ChapterId>> {
    let mut statement =
        db.prepare_cached("SELECT DISTINCT chapter_id FROM fact_citations WHERE project_id = ?1 ORDER BY chapter_id")?;
    Ok(statement.query_map([project_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}
