//! Rows of `proposed_facts`: facts that a study proposes, each with the sentence that says so.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, Row, named_params, params};

use super::{Tx, columns::execute, facts::citation_from_row, name_of, parse_enum};
use crate::{
    error::{Code, Error, Result},
    model::{AnswerId, Certainty, Citation, EntityId, ProjectId, Time},
};

/// A fact that a study proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredProposal {
    /// UUID; that of the fact, once it is accepted.
    pub fact_id: String,
    pub project_id: ProjectId,
    /// The learning record that it came with.
    pub answer_id: AnswerId,
    pub entity_id: EntityId,
    pub attribute: String,
    pub value: String,
    pub certainty: Certainty,
    /// The entities that know it from its sentence on.
    pub known_by: Vec<EntityId>,
    /// The sentence that says so.
    pub citation: Citation,
    /// `palimpsest_knowledge::signature::fact_signature`.
    pub signature: String,
    pub created_at: Time,
}

fn proposal_from_row(row: &Row<'_>) -> Result<StoredProposal, rusqlite::Error> {
    Ok(StoredProposal {
        fact_id: row.get("fact_id")?,
        project_id: row.get("project_id")?,
        answer_id: row.get("answer_id")?,
        entity_id: row.get("entity_id")?,
        attribute: row.get("attribute")?,
        value: row.get("value")?,
        certainty: parse_enum(row.get_ref("certainty")?.as_str()?)?,
        known_by: serde_json::from_str(row.get_ref("known_by")?.as_str()?).unwrap_or_default(),
        citation: citation_from_row(row)?,
        signature: row.get("signature")?,
        created_at: Time::from_millis(row.get("created_at")?),
    })
}

/// The proposed facts of a learning record, in the order in which they were found.
///
/// # Errors
/// Those of the store.
pub(crate) fn of_answer(db: &Connection, project_id: &ProjectId, answer_id: &AnswerId) -> Result<Vec<StoredProposal>> {
    let mut statement = db.prepare_cached(
        "SELECT * FROM proposed_facts WHERE project_id = ?1 AND answer_id = ?2 ORDER BY created_at, fact_id",
    )?;
    Ok(statement.query_map(params![project_id, answer_id], proposal_from_row)?.collect::<Result<_, _>>()?)
}

/// The proposed facts of a book, in the order in which they were found.
///
/// # Errors
/// Those of the store.
pub(crate) fn all_proposals(db: &Connection, project_id: &ProjectId) -> Result<Vec<StoredProposal>> {
    let mut statement =
        db.prepare_cached("SELECT * FROM proposed_facts WHERE project_id = ?1 ORDER BY created_at, fact_id")?;
    Ok(statement.query_map([project_id], proposal_from_row)?.collect::<Result<_, _>>()?)
}

/// The signatures of the proposed facts of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn signatures_of_facts(db: &Connection, project_id: &ProjectId) -> Result<BTreeSet<String>> {
    let mut statement = db.prepare_cached("SELECT signature FROM proposed_facts WHERE project_id = ?1")?;
    Ok(statement.query_map([project_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Number of proposed facts of a book by entity.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_by_entity(db: &Connection, project_id: &ProjectId) -> Result<HashMap<EntityId, u32>> {
    let mut statement =
        db.prepare_cached("SELECT entity_id, count(*) FROM proposed_facts WHERE project_id = ?1 GROUP BY entity_id")?;
    let rows = statement.query_map([project_id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds a proposed fact.
///
/// # Errors
/// Those of the store.
pub(crate) fn insert(tx: &Tx<'_>, proposal: &StoredProposal) -> Result<()> {
    let known_by = serde_json::to_string(&proposal.known_by)
        .map_err(|error| Error::new(Code::StoreUnavailable, "a value that cannot be stored").caused_by(error))?;
    execute(
        tx.prepare_cached(
            "INSERT INTO proposed_facts (fact_id, project_id, answer_id, entity_id, attribute, value, certainty, \
             known_by, chapter_id, range_from, range_to, quote_hash, quote, status, signature, created_at) VALUES \
             (:fact_id, :project_id, :answer_id, :entity_id, :attribute, :value, :certainty, :known_by, :chapter_id, \
             :range_from, :range_to, :quote_hash, :quote, :status, :signature, :created_at)",
        )?,
        named_params! {
            ":fact_id": proposal.fact_id,
            ":project_id": proposal.project_id,
            ":answer_id": proposal.answer_id,
            ":entity_id": proposal.entity_id,
            ":attribute": proposal.attribute,
            ":value": proposal.value,
            ":certainty": name_of(proposal.certainty),
            ":known_by": known_by,
            ":chapter_id": proposal.citation.chapter_id,
            ":range_from": proposal.citation.from,
            ":range_to": proposal.citation.to,
            ":quote_hash": proposal.citation.quote_hash,
            ":quote": proposal.citation.quote,
            ":status": name_of(proposal.citation.status),
            ":signature": proposal.signature,
            ":created_at": proposal.created_at.millis(),
        },
    )?;
    Ok(())
}

/// Deletes the proposed facts of a learning record.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_of_answer(tx: &Tx<'_>, project_id: &ProjectId, answer_id: &AnswerId) -> Result<()> {
    tx.prepare_cached("DELETE FROM proposed_facts WHERE project_id = ?1 AND answer_id = ?2")?
        .execute(params![project_id, answer_id])?;
    Ok(())
}
