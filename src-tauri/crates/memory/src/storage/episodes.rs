//! Rows of `episodes`.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, from_json, json, name_of, named};
use crate::{
    error::Result,
    model::{Episode, Outcome, Scope, Time},
};

const COLUMNS: &str = "id, project_id, chapter_id, version, created_at, skill_used, scene_type, input_context, \
     candidates, selected_index, final_text, explicit, implicit, implicit_weight, edit_distance, importance, \
     recall_count, last_recalled_at, user_confirmed, compressed, summary, generation_id";

fn episode(row: &Row<'_>) -> Result<Episode, rusqlite::Error> {
    let candidates: String = row.get("candidates")?;
    Ok(Episode {
        id: row.get("id")?,
        project_id: row.get("project_id")?,
        chapter_id: row.get("chapter_id")?,
        scope: Scope::Project,
        version: row.get("version")?,
        created_at: Time::from_millis(row.get("created_at")?),
        skill_used: row.get("skill_used")?,
        scene_type: row.get("scene_type")?,
        input_context: row.get("input_context")?,
        candidates: from_json(&candidates)?,
        selected_index: row.get("selected_index")?,
        final_text: row.get("final_text")?,
        explicit: row.get("explicit")?,
        implicit: named(row.get_ref("implicit")?.as_str()?)?,
        implicit_weight: row.get("implicit_weight")?,
        edit_distance: row.get("edit_distance")?,
        importance: row.get("importance")?,
        recall_count: row.get("recall_count")?,
        last_recalled_at: row.get::<_, Option<i64>>("last_recalled_at")?.map(Time::from_millis),
        user_confirmed: row.get("user_confirmed")?,
        compressed: row.get("compressed")?,
        summary: row.get("summary")?,
        generation_id: row.get("generation_id")?,
    })
}

/// Adds an episode.
pub fn insert(tx: &Tx<'_>, episode: &Episode) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO episodes (id, project_id, chapter_id, version, created_at, skill_used, scene_type, input_context, \
         candidates, selected_index, final_text, explicit, implicit, implicit_weight, edit_distance, importance, \
         recall_count, last_recalled_at, user_confirmed, compressed, summary, generation_id) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)",
    )?
    .execute(params![
        episode.id,
        episode.project_id,
        episode.chapter_id,
        episode.version,
        episode.created_at.millis(),
        episode.skill_used,
        episode.scene_type,
        episode.input_context,
        json(&episode.candidates)?,
        episode.selected_index,
        episode.final_text,
        episode.explicit,
        name_of(&episode.implicit)?,
        episode.implicit_weight,
        episode.edit_distance,
        episode.importance,
        episode.recall_count,
        episode.last_recalled_at.map(Time::millis),
        episode.user_confirmed,
        episode.compressed,
        episode.summary,
        episode.generation_id,
    ])?;
    Ok(())
}

/// The episode in `row`.
pub fn by_row(db: &Connection, row: i64) -> Result<Option<Episode>> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM episodes WHERE row = ?1"))?;
    Ok(statement.query_row([row], episode).optional()?)
}

/// How many episodes a book has, or all books together. Kept by the schema: counting sixty thousand takes milliseconds.
pub fn count(db: &Connection, project_id: Option<&str>) -> Result<u32> {
    let mut statement = db.prepare_cached(
        "SELECT coalesce(sum(active + compressed), 0) FROM episode_counts WHERE ?1 IS NULL OR project_id = ?1",
    )?;
    Ok(statement.query_row([project_id], |row| row.get(0))?)
}

/// What recall needs to rank an episode, without its texts.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// Its row.
    pub row: i64,
    /// The kind of scene.
    pub scene_type: Option<String>,
    /// The skill.
    pub skill_used: String,
    /// When it happened.
    pub created_at: Time,
    /// 0..1.
    pub importance: f64,
    /// How often it was used.
    pub recall_count: u32,
    /// When it last was.
    pub last_recalled_at: Option<Time>,
    /// The writer keeps it.
    pub user_confirmed: bool,
    /// Only a summary is left.
    pub compressed: bool,
}

const RANKING: &str =
    "row, scene_type, skill_used, created_at, importance, recall_count, last_recalled_at, user_confirmed, compressed";

fn ranking(row: &Row<'_>) -> Result<Ranking, rusqlite::Error> {
    Ok(Ranking {
        row: row.get(0)?,
        scene_type: row.get(1)?,
        skill_used: row.get(2)?,
        created_at: Time::from_millis(row.get(3)?),
        importance: row.get(4)?,
        recall_count: row.get(5)?,
        last_recalled_at: row.get::<_, Option<i64>>(6)?.map(Time::from_millis),
        user_confirmed: row.get(7)?,
        compressed: row.get(8)?,
    })
}

/// What ranks the episode in `row`, if it belongs to `project_id`.
pub fn ranking_of(db: &Connection, project_id: &str, row: i64) -> Result<Option<Ranking>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {RANKING} FROM episodes INDEXED BY episodes_to_rank WHERE project_id = ?2 AND row = ?1"
    ))?;
    Ok(statement.query_row(params![row, project_id], ranking).optional()?)
}

/// The newest `limit` episodes of a book, of one scene type where one is given.
pub fn newest(db: &Connection, project_id: &str, scene_type: Option<&str>, limit: u32) -> Result<Vec<Ranking>> {
    let rows = match scene_type {
        Some(scene) => db
            .prepare_cached(&format!(
                "SELECT {RANKING} FROM episodes WHERE project_id = ?1 AND scene_type = ?2 \
                 ORDER BY created_at DESC LIMIT ?3"
            ))?
            .query_map(params![project_id, scene, limit], ranking)?
            .collect::<Result<Vec<_>, _>>()?,
        None => db
            .prepare_cached(&format!(
                "SELECT {RANKING} FROM episodes WHERE project_id = ?1 ORDER BY created_at DESC LIMIT ?2"
            ))?
            .query_map(params![project_id, limit], ranking)?
            .collect::<Result<Vec<_>, _>>()?,
    };
    Ok(rows)
}

/// What is indexed of an episode.
#[derive(Debug, Clone)]
pub struct IndexedText {
    /// Its row.
    pub row: i64,
    /// Its identity.
    pub id: String,
    /// Its book.
    pub project_id: String,
    /// Input and final text, joined; or the summary that is left of them.
    pub text: String,
    /// It is a summary.
    pub compressed: bool,
}

/// The first `limit` episodes recorded or compressed after `row`, in that order; of one book or of all.
pub fn recorded_after(db: &Connection, row: i64, project_id: Option<&str>, limit: u32) -> Result<Vec<IndexedText>> {
    let mut statement = db.prepare_cached(
        // Where no passage came of it, the words that were said are all there is to find.
        "SELECT row, id, project_id, input_context, \
         iif(candidates = '[]' AND compressed = 0 AND final_text = '', coalesce(explicit, ''), final_text), iif(compressed, summary, NULL) \
         FROM episodes WHERE row > ?1 AND (?2 IS NULL OR project_id = ?2) ORDER BY row LIMIT ?3",
    )?;
    let rows = statement.query_map(params![row, project_id, limit], |row| {
        let (input, written): (String, String) = (row.get(3)?, row.get(4)?);
        let summary: Option<String> = row.get(5)?;
        Ok(IndexedText {
            row: row.get(0)?,
            id: row.get(1)?,
            project_id: row.get(2)?,
            compressed: summary.is_some(),
            text: summary.unwrap_or_else(|| format!("{input}\n{written}")),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether any episode was recorded or compressed after `row`.
pub fn any_after(db: &Connection, row: i64) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM episodes WHERE row > ?1 LIMIT 1")?.exists([row])?)
}

/// How many episodes were recorded or compressed after `row`.
pub fn count_after(db: &Connection, row: i64) -> Result<u32> {
    Ok(db.prepare_cached("SELECT count(*) FROM episodes WHERE row > ?1")?.query_row([row], |row| row.get(0))?)
}

/// Notes that these episodes were in the prompt of a generation that ran.
pub fn mark_recalled(tx: &Tx<'_>, project_id: &str, ids: &[&str], now: Time) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "UPDATE episodes SET recall_count = recall_count + 1, last_recalled_at = ?3, version = version + 1 \
         WHERE id = ?1 AND project_id = ?2",
    )?;
    for id in ids {
        statement.execute(params![id, project_id, now.millis()])?;
    }
    Ok(())
}

/// The first episode that came of a generation, and what the writer decided.
pub fn outcome_of(db: &Connection, project_id: &str, generation_id: &str) -> Result<Option<(String, Outcome)>> {
    let mut statement = db.prepare_cached(
        "SELECT id, selected_index, edit_distance FROM episodes \
         WHERE generation_id = ?1 AND project_id = ?2 ORDER BY created_at, row LIMIT 1",
    )?;
    let found = statement.query_row(params![generation_id, project_id], |row| {
        Ok((row.get(0)?, Outcome { selected_index: row.get(1)?, edit_distance: row.get(2)? }))
    });
    Ok(found.optional()?)
}
