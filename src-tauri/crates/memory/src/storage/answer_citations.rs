//! Rows of `answer_citations`: the sentences of the book that answers rest on.

use std::collections::HashMap;

use rusqlite::{Connection, named_params, params};

use super::{Tx, columns::execute, facts::citation_from_row, name_of};
use crate::{
    error::Result,
    model::{Answer, AnswerId, Citation, CitationStatus, ProjectId, Staleness},
};

/// The citations of an answer, in order.
///
/// # Errors
/// Those of the store.
pub(crate) fn list(db: &Connection, project_id: &ProjectId, id: &AnswerId) -> Result<Vec<Citation>> {
    let mut statement =
        db.prepare_cached("SELECT * FROM answer_citations WHERE project_id = ?1 AND answer_id = ?2 ORDER BY ordinal")?;
    Ok(statement.query_map(params![project_id, id], citation_from_row)?.collect::<Result<_, _>>()?)
}

/// Replaces the citations of an answer.
///
/// # Errors
/// Those of the store.
pub(crate) fn replace(tx: &Tx<'_>, answer: &Answer) -> Result<()> {
    delete_citations(tx, &answer.project_id, &answer.answer_id)?;
    for (citation, ordinal) in answer.citations.iter().zip(0_u32..) {
        let statement = tx.prepare_cached(
            "INSERT INTO answer_citations \
             (project_id, answer_id, ordinal, chapter_id, range_from, range_to, quote_hash, quote, status) VALUES \
             (:project_id, :answer_id, :ordinal, :chapter_id, :range_from, :range_to, :quote_hash, :quote, :status)",
        )?;
        execute(
            statement,
            named_params! {
                ":project_id": answer.project_id,
                ":answer_id": answer.answer_id,
                ":ordinal": ordinal,
                ":chapter_id": citation.chapter_id,
                ":range_from": citation.from,
                ":range_to": citation.to,
                ":quote_hash": citation.quote_hash,
                ":quote": citation.quote,
                ":status": name_of(citation.status),
            },
        )?;
    }
    Ok(())
}

/// All citations of the answers of a book, by answer.
///
/// # Errors
/// Those of the store.
pub(crate) fn citations(db: &Connection, project_id: &ProjectId) -> Result<HashMap<AnswerId, Vec<Citation>>> {
    let mut statement =
        db.prepare_cached("SELECT * FROM answer_citations WHERE project_id = ?1 ORDER BY answer_id, ordinal")?;
    let rows = statement.query_map([project_id], |row| Ok((row.get("answer_id")?, citation_from_row(row)?)))?;
    let mut by_answer: HashMap<AnswerId, Vec<Citation>> = HashMap::new();
    for row in rows {
        let (id, citation) = row?;
        by_answer.entry(id).or_default().push(citation);
    }
    Ok(by_answer)
}

/// Writes the present place and status of a citation, unless the answer quotes something else there by now.
///
/// # Errors
/// Those of the store.
pub(crate) fn set_citation(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    (answer_id, ordinal): (&AnswerId, u32),
    citation: &Citation,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE answer_citations SET chapter_id = ?4, range_from = ?5, range_to = ?6, status = ?7 \
         WHERE project_id = ?1 AND answer_id = ?2 AND ordinal = ?3 AND quote_hash = ?8",
    )?
    .execute(params![
        project_id,
        answer_id,
        ordinal,
        citation.chapter_id,
        citation.from,
        citation.to,
        name_of(citation.status),
        citation.quote_hash
    ])?;
    Ok(())
}

/// Sets the staleness of every answer of a book by the status of its citations, and by the sentences near its question.
///
/// # Errors
/// Those of the store.
pub(crate) fn update_staleness(tx: &Tx<'_>, project_id: &ProjectId) -> Result<()> {
    let lost = [CitationStatus::Changed, CitationStatus::Gone].map(|status| format!("'{}'", name_of(status)));
    tx.prepare_cached(&format!(
        "UPDATE answers SET staleness = iif(EXISTS (SELECT 1 FROM answer_citations c \
         WHERE c.project_id = answers.project_id AND c.answer_id = answers.answer_id AND c.status IN ({})), ?2, \
         iif(EXISTS (SELECT 1 FROM answer_basis b WHERE b.project_id = answers.project_id \
         AND b.answer_id = answers.answer_id AND b.found_from IS NOT NULL), ?4, ?3)) WHERE project_id = ?1",
        lost.join(", ")
    ))?
    .execute(params![
        project_id,
        name_of(Staleness::Stale),
        name_of(Staleness::Current),
        name_of(Staleness::Maybe)
    ])?;
    Ok(())
}

/// Deletes the citations of an answer.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_citations(tx: &Tx<'_>, project_id: &ProjectId, id: &AnswerId) -> Result<()> {
    tx.prepare_cached("DELETE FROM answer_citations WHERE project_id = ?1 AND answer_id = ?2")?
        .execute(params![project_id, id])?;
    Ok(())
}
