//! Rows of `traces`. Written when the generation starts, and never changed once it writes.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, from_json, json};
use crate::{
    error::Result,
    model::{Time, Trace},
};

/// Adds the trace of a generation.
pub fn insert(tx: &Tx<'_>, trace: &Trace) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO traces (generation_id, project_id, chapter_id, skill, scene_type, created_at, provider, seed, \
         prompt_hash, messages, refs, cut, total_tokens, degraded) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute(params![
        trace.generation_id,
        trace.project_id,
        trace.chapter_id,
        trace.skill,
        trace.scene_type,
        trace.created_at.millis(),
        json(&trace.provider)?,
        trace.seed,
        trace.prompt_hash,
        json(&trace.messages)?,
        json(&trace.references)?,
        json(&trace.cut)?,
        trace.total_tokens,
        json(&trace.degraded_reasons)?,
    ])?;
    Ok(())
}

/// Takes the trace of a generation out that has not begun to write.
pub fn delete(tx: &Tx<'_>, generation_id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM traces WHERE generation_id = ?1")?.execute([generation_id])?;
    Ok(())
}

/// The trace of a generation, whichever book it belongs to: whoever asks has to compare. What became of the
/// generation is not part of the row.
pub fn get(db: &Connection, generation_id: &str) -> Result<Option<Trace>> {
    let mut statement = db.prepare_cached(
        "SELECT generation_id, project_id, chapter_id, skill, scene_type, created_at, provider, seed, prompt_hash, \
         messages, refs, cut, total_tokens, degraded FROM traces WHERE generation_id = ?1",
    )?;
    let trace = statement.query_row([generation_id], |row| {
        let degraded_reasons: Vec<String> = from_json(&row.get::<_, String>(13)?)?;
        Ok(Trace {
            generation_id: row.get(0)?,
            project_id: row.get(1)?,
            chapter_id: row.get(2)?,
            skill: row.get(3)?,
            scene_type: row.get(4)?,
            created_at: Time::from_millis(row.get(5)?),
            provider: from_json(&row.get::<_, String>(6)?)?,
            seed: row.get(7)?,
            prompt_hash: row.get(8)?,
            messages: from_json(&row.get::<_, String>(9)?)?,
            references: from_json(&row.get::<_, String>(10)?)?,
            cut: from_json(&row.get::<_, String>(11)?)?,
            total_tokens: row.get(12)?,
            memory_degraded: !degraded_reasons.is_empty(),
            degraded_reasons,
            episode_id: None,
            outcome: None,
        })
    });
    Ok(trace.optional()?)
}

/// The skill of a generation in a book, for the mark beside its passage.
pub fn skill_of(db: &Connection, project_id: &str, generation_id: &str) -> Result<Option<String>> {
    let mut statement = db.prepare_cached("SELECT skill FROM traces WHERE generation_id = ?1 AND project_id = ?2")?;
    Ok(statement.query_row(params![generation_id, project_id], |row| row.get(0)).optional()?)
}
