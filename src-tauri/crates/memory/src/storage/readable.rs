//! The sources of the readable copies: whether they have changed, and the figures of a book that no other module reads.

use rusqlite::{Connection, params};

use super::{TextHash, name_of, text_hash};
use crate::{
    error::Result,
    model::{AnswerId, AnswerOrigin, ChapterId, OwnerKind, ProjectId},
};

/// One row each; it changes with everything that a copy shows of `rules.db`.
const RULES: [&str; 5] = [
    "SELECT count(*) || ' ' || coalesce(max(updated_at), 0) || ' ' || coalesce(sum(version), 0) FROM practices",
    "SELECT count(*) || ' ' || coalesce(max(updated_at), 0) || ' ' || coalesce(sum(version), 0) FROM knowledge_settings",
    "SELECT count(*) || ' ' || coalesce(max(updated_at), 0) || ' ' || coalesce(sum(version), 0) FROM entities",
    "SELECT count(*) || ' ' || coalesce(max(updated_at), 0) || ' ' || coalesce(sum(version), 0) FROM facts",
    "SELECT coalesce(group_concat(project_id || ' ' || coalesce(path, ''), ' '), '') FROM projects",
];
/// The same of `episodes.db`.
const EPISODES: [&str; 5] = [
    "SELECT count(*) || ' ' || coalesce(max(updated_at), 0) || ' ' || coalesce(sum(version), 0) FROM answers \
     WHERE origin = 'studied'",
    "SELECT count(*) || ' ' || coalesce(max(updated_at), 0) || ' ' || coalesce(sum(retry_count), 0) FROM failures",
    "SELECT coalesce(group_concat(status, ' '), '') FROM failures",
    "SELECT count(*) || ' ' || coalesce(max(updated_at), 0) FROM study",
    "SELECT coalesce(group_concat(chapter_id || ' ' || content_hash || ' ' || coalesce(analyzed_at, 0), ' '), '') \
     FROM analyzed_chapters",
];

fn mark_by(db: &Connection, queries: &[&str]) -> Result<TextHash> {
    let mut text = String::new();
    for query in queries {
        text += &db.prepare_cached(query)?.query_row([], |row| row.get::<_, String>(0))?;
        text.push('\n');
    }
    Ok(text_hash(&text))
}

/// Changes with everything that a readable copy shows of `rules.db`.
///
/// # Errors
/// Those of the store.
pub(crate) fn mark_of_rules(db: &Connection) -> Result<TextHash> {
    mark_by(db, &RULES)
}

/// Changes with everything that a readable copy shows of `episodes.db`.
///
/// # Errors
/// Those of the store.
pub(crate) fn mark_of_episodes(db: &Connection) -> Result<TextHash> {
    mark_by(db, &EPISODES)
}

/// The learning records of a book, each with its version and the time of its last change in milliseconds, the newest
/// first, at most `limit`.
///
/// # Errors
/// Those of the store.
pub(crate) fn record_versions(
    db: &Connection,
    project_id: &ProjectId,
    limit: u32,
) -> Result<Vec<(AnswerId, u32, i64)>> {
    let mut statement = db.prepare_cached(
        "SELECT answer_id, version, updated_at FROM answers WHERE project_id = ?1 AND origin = ?2 \
         ORDER BY created_at DESC, row DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![project_id, name_of(AnswerOrigin::Studied), limit], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The hash of the text of each analyzed chapter of a book, by id.
///
/// # Errors
/// Those of the store.
pub(crate) fn chapter_hashes(db: &Connection, project_id: &ProjectId) -> Result<Vec<(ChapterId, String)>> {
    let mut statement = db.prepare_cached(
        "SELECT chapter_id, content_hash FROM analyzed_chapters WHERE project_id = ?1 ORDER BY chapter_id",
    )?;
    Ok(statement.query_map([project_id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// Time of the last analysis of a chapter of these books, in milliseconds since 1970; `None` if it is not known.
///
/// # Errors
/// Those of the store.
pub(crate) fn last_analysis(db: &Connection, project_ids: &[ProjectId]) -> Result<Option<i64>> {
    let mut statement = db.prepare_cached("SELECT max(analyzed_at) FROM analyzed_chapters WHERE project_id = ?1")?;
    let mut last = None;
    for project_id in project_ids {
        last = last.max(statement.query_row([project_id], |row| row.get::<_, Option<i64>>(0))?);
    }
    Ok(last)
}

/// Number of passages of a book that have a vector.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_encoded_passages(db: &Connection, project_id: &ProjectId) -> Result<u32> {
    let mut statement =
        db.prepare_cached("SELECT count(DISTINCT owner_id) FROM vectors WHERE project_id = ?1 AND owner_kind = ?2")?;
    Ok(statement.query_row(params![project_id, name_of(OwnerKind::Passage)], |row| row.get(0))?)
}
