//! What happens to episodes after they were recorded: feedback, compression, deletion; the numbers of their style, and
//! how often each skill was used.

use std::collections::HashMap;

use palimpsest_text::Language;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, name_of, vectors, words};
use crate::{
    error::Result,
    model::{Episode, Time},
};

/// How many episodes a book has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// With their texts.
    pub active: u32,
    /// Of which only a summary is left.
    pub compressed: u32,
}

/// How many episodes a book has. Kept by the schema, not counted.
pub fn counts(db: &Connection, project_id: &str) -> Result<Counts> {
    let found = db
        .prepare_cached("SELECT active, compressed FROM episode_counts WHERE project_id = ?1")?
        .query_row([project_id], |row| Ok(Counts { active: row.get(0)?, compressed: row.get(1)? }))
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// How many episodes each book has.
pub fn counts_of_all(db: &Connection) -> Result<HashMap<String, Counts>> {
    let mut statement = db.prepare_cached("SELECT project_id, active, compressed FROM episode_counts")?;
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, Counts { active: row.get(1)?, compressed: row.get(2)? })))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The books that have episodes.
pub fn books(db: &Connection) -> Result<Vec<String>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM episode_counts ORDER BY project_id")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// An episode that may have to make room.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its identity.
    pub id: String,
    /// When it was last used, or else happened.
    pub used_at: Time,
    /// How often it was used.
    pub recall_count: u32,
    /// 0..1.
    pub importance: f64,
    /// When only its summary was left.
    pub compressed_at: Option<Time>,
}

const CANDIDATE: &str = "id, used_at, recall_count, importance, compressed_at";

fn candidate(row: &Row<'_>) -> Result<Candidate, rusqlite::Error> {
    Ok(Candidate {
        id: row.get(0)?,
        used_at: Time::from_millis(row.get(1)?),
        recall_count: row.get(2)?,
        importance: row.get(3)?,
        compressed_at: row.get::<_, Option<i64>>(4)?.map(Time::from_millis),
    })
}

/// Shows the episodes of a book that the writer has not confirmed, the least recently used first, compressed or not,
/// while `more` wants to see another.
pub fn each_by_use(
    db: &Connection,
    project_id: &str,
    compressed: bool,
    mut more: impl FnMut(Candidate) -> bool,
) -> Result<()> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {CANDIDATE} FROM episodes INDEXED BY episodes_by_use \
         WHERE project_id = ?1 AND compressed = ?2 AND user_confirmed = 0 ORDER BY used_at, row"
    ))?;
    let mut rows = statement.query(params![project_id, compressed])?;
    while let Some(row) = rows.next()? {
        if !more(candidate(row)?) {
            break;
        }
    }
    Ok(())
}

/// The same for compressed ones, those that have been so for the longest first.
pub fn each_by_compression(db: &Connection, project_id: &str, mut more: impl FnMut(Candidate) -> bool) -> Result<()> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {CANDIDATE} FROM episodes INDEXED BY episodes_by_compression \
         WHERE project_id = ?1 AND user_confirmed = 0 AND compressed = 1 ORDER BY compressed_at, row"
    ))?;
    let mut rows = statement.query([project_id])?;
    while let Some(row) = rows.next()? {
        if !more(candidate(row)?) {
            break;
        }
    }
    Ok(())
}

/// What is left of an episode's texts.
#[derive(Debug)]
pub struct Rest<'a> {
    /// Instead of the texts.
    pub summary: &'a str,
    /// How the draft began.
    pub draft: &'a str,
    /// How the final text began.
    pub written: &'a str,
}

/// Puts the summary in the place of an episode's texts, in rows and indexes, and says which row it had; `None` where it
/// was compressed, confirmed, changed or deleted since `version` was read. The indexes come to the summary by its new
/// row.
pub fn compress(tx: &Tx<'_>, episode: &Episode, rest: &Rest<'_>, now: Time) -> Result<Option<i64>> {
    let Some(row) = tx
        .prepare_cached(
            "SELECT row FROM episodes WHERE id = ?1 AND project_id = ?2 AND version = ?3 AND compressed = 0 \
             AND user_confirmed = 0",
        )?
        .query_row(params![episode.id, episode.project_id, episode.version], |row| row.get(0))
        .optional()?
    else {
        return Ok(None);
    };
    tx.prepare_cached(
        "UPDATE episodes SET compressed = 1, compressed_at = ?2, summary = ?3, draft_excerpt = ?4, final_text = ?5, \
         input_context = '', candidates = '[]', version = version + 1 WHERE row = ?1",
    )?
    .execute(params![row, now.millis(), rest.summary, rest.draft, rest.written])?;
    index_anew(tx, &episode.project_id, &episode.id, row)?;
    Ok(Some(row))
}

/// Takes what is indexed of an episode out, and gives it the next row, so that every index comes to it again.
pub fn index_anew(tx: &Tx<'_>, project_id: &str, id: &str, row: i64) -> Result<()> {
    words::forget(tx, project_id, row)?;
    vectors::forget(tx, project_id, id)?;
    // Through SQLite's own count: no row is ever given out twice.
    tx.prepare_cached("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'episodes'")?.execute([])?;
    tx.prepare_cached(
        "UPDATE episodes SET row = (SELECT seq FROM sqlite_sequence WHERE name = 'episodes') WHERE row = ?1",
    )?
    .execute([row])?;
    Ok(())
}

/// Takes an episode out with everything that belongs to it alone, and says which row it had. How often skills were used
/// stays counted.
pub fn delete(tx: &Tx<'_>, project_id: &str, id: &str) -> Result<Option<i64>> {
    let Some(row) = tx
        .prepare_cached("SELECT row FROM episodes WHERE id = ?1 AND project_id = ?2")?
        .query_row([id, project_id], |row| row.get(0))
        .optional()?
    else {
        return Ok(None);
    };
    words::forget(tx, project_id, row)?;
    vectors::forget(tx, project_id, id)?;
    tx.prepare_cached("DELETE FROM episode_features WHERE project_id = ?1 AND episode_id = ?2")?
        .execute([project_id, id])?;
    tx.prepare_cached("DELETE FROM episodes WHERE row = ?1")?.execute([row])?;
    Ok(Some(row))
}

/// Takes an episode out as the writer does, if it is there: as if it had never been. Says which row it had.
pub fn take_back(tx: &Tx<'_>, id: &str) -> Result<Option<i64>> {
    let Some((episode, _)) = get(tx, id)? else { return Ok(None) };
    count_use(tx, &episode.project_id, episode.scene_type.as_deref(), &episode.skill_used, -1)?;
    delete(tx, &episode.project_id, id)
}

/// The episode with this identity, whichever book it belongs to: whoever asks has to compare. Beside it how its draft
/// began, where it was compressed.
pub fn get(db: &Connection, id: &str) -> Result<Option<(Episode, String)>> {
    let found = db
        .prepare_cached("SELECT row, coalesce(draft_excerpt, '') FROM episodes WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((row, draft)) = found else { return Ok(None) };
    Ok(super::episodes::by_row(db, row)?.map(|episode| (episode, draft)))
}

/// The row of an episode.
pub fn row_of(db: &Connection, id: &str) -> Result<Option<i64>> {
    Ok(db.prepare_cached("SELECT row FROM episodes WHERE id = ?1")?.query_row([id], |row| row.get(0)).optional()?)
}

/// The book of an episode.
pub fn book_of(db: &Connection, id: &str) -> Result<Option<String>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM episodes WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// Whether an episode is still there as it was at `version`.
pub fn is_at(db: &Connection, id: &str, version: u32) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM episodes WHERE id = ?1 AND version = ?2")?.exists(params![id, version])?)
}

/// Takes a compressed episode out, unless the writer has confirmed it since; says which row it had.
pub fn evict(tx: &Tx<'_>, project_id: &str, id: &str) -> Result<Option<i64>> {
    let may = tx
        .prepare_cached("SELECT 1 FROM episodes WHERE id = ?1 AND compressed = 1 AND user_confirmed = 0")?
        .exists([id])?;
    if may { delete(tx, project_id, id) } else { Ok(None) }
}

/// Writes what the writer did or said about an episode later. A summary that was written anew is indexed again; the row
/// it then no longer has is told.
pub fn put_feedback(tx: &Tx<'_>, episode: &Episode, anew: bool) -> Result<Option<i64>> {
    let row: i64 = tx
        .prepare_cached(
            "UPDATE episodes SET implicit = ?2, implicit_weight = ?3, explicit = ?4, importance = ?5, \
             user_confirmed = ?6, summary = ?7, version = ?8 WHERE id = ?1 RETURNING row",
        )?
        .query_row(
            params![
                episode.id,
                name_of(&episode.implicit)?,
                episode.implicit_weight,
                episode.explicit,
                episode.importance,
                episode.user_confirmed,
                episode.summary,
                episode.version,
            ],
            |row| row.get(0),
        )?;
    if !anew {
        return Ok(None);
    }
    index_anew(tx, &episode.project_id, &episode.id, row)?;
    Ok(Some(row))
}

/// The style of one text in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// `candidate`, `final` or `input`.
    pub kind: String,
    /// Which of the candidates, from 0.
    pub part: u32,
    /// The version of the features.
    pub version: u32,
    /// Whose cues were counted.
    pub language: Language,
    /// One a feature.
    pub numbers: Vec<f32>,
}

/// Keeps the style of one text of an episode.
pub fn put_numbers(tx: &Tx<'_>, project_id: &str, episode_id: &str, new: &Numbers) -> Result<()> {
    let bytes: Vec<u8> = new.numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let language = match new.language {
        Language::Zh => "zh",
        Language::En => "en",
    };
    tx.prepare_cached(
        "INSERT OR REPLACE INTO episode_features (project_id, episode_id, kind, part, version, language, numbers) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![project_id, episode_id, new.kind, new.part, new.version, language, bytes])?;
    Ok(())
}

/// The style of every text of an episode.
pub fn numbers(db: &Connection, project_id: &str, episode_id: &str) -> Result<Vec<Numbers>> {
    let mut statement = db.prepare_cached(
        "SELECT kind, part, version, language, numbers FROM episode_features \
         WHERE project_id = ?1 AND episode_id = ?2 ORDER BY kind, part",
    )?;
    let rows = statement.query_map([project_id, episode_id], |row| {
        let bytes = row.get_ref(4)?.as_blob()?;
        Ok(Numbers {
            kind: row.get(0)?,
            part: row.get(1)?,
            version: row.get(2)?,
            language: if row.get_ref(3)?.as_str()? == "zh" { Language::Zh } else { Language::En },
            numbers: bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Counts a use of a skill (`by` 1), or takes one back (-1).
pub fn count_use(tx: &Tx<'_>, project_id: &str, scene_type: Option<&str>, skill: &str, by: i32) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO skill_uses (project_id, scene_type, skill, uses) VALUES (?1, ?2, ?3, max(?4, 0)) \
         ON CONFLICT DO UPDATE SET uses = max(uses + ?4, 0)",
    )?
    .execute(params![project_id, scene_type.unwrap_or_default(), skill, by])?;
    Ok(())
}

/// How often each skill was used in a kind of scene, or in all of them.
pub fn uses(db: &Connection, project_id: &str, scene_type: Option<&str>) -> Result<Vec<(String, u32)>> {
    let mut statement = db.prepare_cached(
        "SELECT skill, sum(uses) FROM skill_uses WHERE project_id = ?1 AND (?2 IS NULL OR scene_type = ?2) \
         GROUP BY skill HAVING sum(uses) > 0",
    )?;
    let rows = statement.query_map(params![project_id, scene_type], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
