//! Rows of `answer_basis`: the chapters that were looked at for answers that say that something is not in the book.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, stored};
use crate::{
    error::Result,
    model::{AnswerId, ChapterId, MentionRange, ProjectId},
};

/// A chapter that was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LookedAt {
    /// Of the text that was compared last.
    pub content_hash: String,
    /// Hashes of the sentences near the question that are known.
    pub known: BTreeSet<String>,
}

/// The chapters that were looked at for the answers of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn by_answer(
    db: &Connection,
    project_id: &ProjectId,
) -> Result<BTreeMap<AnswerId, BTreeMap<ChapterId, LookedAt>>> {
    let mut statement =
        db.prepare_cached("SELECT answer_id, chapter_id, content_hash, known FROM answer_basis WHERE project_id = ?1")?;
    let rows = statement.query_map([project_id], |row| {
        let known: Vec<String> = serde_json::from_str(row.get_ref(3)?.as_str()?).unwrap_or_default();
        let looked_at = LookedAt { content_hash: row.get(2)?, known: known.into_iter().collect() };
        Ok((row.get::<_, AnswerId>(0)?, row.get::<_, ChapterId>(1)?, looked_at))
    })?;
    let mut by_answer: BTreeMap<AnswerId, BTreeMap<ChapterId, LookedAt>> = BTreeMap::new();
    for row in rows {
        let (answer, chapter, looked_at) = row?;
        by_answer.entry(answer).or_default().insert(chapter, looked_at);
    }
    Ok(by_answer)
}

/// Writes that a chapter was looked at. The place of a sentence that was found in it before stays.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    (answer_id, chapter_id): (&AnswerId, &ChapterId),
    looked_at: &LookedAt,
) -> Result<()> {
    let known: Vec<String> = looked_at.known.iter().cloned().collect();
    tx.prepare_cached(
        "INSERT INTO answer_basis (project_id, answer_id, chapter_id, content_hash, known) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (project_id, answer_id, chapter_id) DO UPDATE SET content_hash = excluded.content_hash, \
         known = excluded.known",
    )?
    .execute(params![project_id, answer_id, chapter_id, looked_at.content_hash, stored::json(&known)?])?;
    Ok(())
}

/// Sets the sentence that may say what an answer did not find, or with `None` that there is none.
///
/// # Errors
/// Those of the store.
pub(crate) fn set_nearby(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    answer_id: &AnswerId,
    nearby: Option<&MentionRange>,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE answer_basis SET found_from = iif(chapter_id = ?3, ?4, NULL), found_to = iif(chapter_id = ?3, ?5, NULL) \
         WHERE project_id = ?1 AND answer_id = ?2",
    )?
    .execute(params![
        project_id,
        answer_id,
        nearby.map(|range| range.chapter_id.as_str()),
        nearby.map(|range| range.from),
        nearby.map(|range| range.to)
    ])?;
    Ok(())
}

/// The sentence that may say what an answer did not find.
///
/// # Errors
/// Those of the store.
pub(crate) fn nearby(db: &Connection, project_id: &ProjectId, answer_id: &AnswerId) -> Result<Option<MentionRange>> {
    let mut statement = db.prepare_cached(
        "SELECT chapter_id, found_from, found_to FROM answer_basis \
         WHERE project_id = ?1 AND answer_id = ?2 AND found_from IS NOT NULL LIMIT 1",
    )?;
    let range =
        |row: &rusqlite::Row<'_>| Ok(MentionRange { chapter_id: row.get(0)?, from: row.get(1)?, to: row.get(2)? });
    Ok(statement.query_row(params![project_id, answer_id], range).optional()?)
}
