//! Rows of `drafts`, recent drafts in numbers, and of `influences`, how much each memory weighed in a draft.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, evidence, from_json, json, name_of, named};
use crate::{
    error::Result,
    model::{Influence, Time, Trace},
};

/// Drafts that are kept of a book.
pub const KEPT: u32 = 200;

/// A draft in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Its place on screen.
    pub candidate: u32,
    /// The language whose cues were counted.
    pub language: palimpsest_text::Language,
    /// One number a feature, in their order.
    pub features: Vec<f32>,
    /// The references that were in its prompt.
    pub references: Vec<String>,
}

/// The drafts of a book for one skill in one kind of scene that were measured in one language by one version of the
/// features.
pub fn recent(db: &Connection, trace: &Trace, language: palimpsest_text::Language, version: u32) -> Result<Vec<Draft>> {
    let mut statement = db.prepare_cached(
        "SELECT candidate, features, refs FROM drafts WHERE project_id = ?1 AND skill = ?2 AND scene_type IS ?3 \
         AND language = ?4 AND feature_version = ?5 AND generation_id <> ?6 ORDER BY row",
    )?;
    let place = params![
        trace.project_id,
        trace.skill,
        trace.scene_type,
        evidence::language_name(language),
        version,
        trace.generation_id
    ];
    let rows = statement.query_map(place, |row| {
        Ok(Draft {
            candidate: row.get(0)?,
            language,
            features: evidence::floats(row.get_ref(1)?.as_blob()?),
            references: from_json(row.get_ref(2)?.as_str()?)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Keeps a draft.
pub fn put_draft(tx: &Tx<'_>, trace: &Trace, draft: &Draft, version: u32) -> Result<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO drafts (project_id, generation_id, candidate, skill, scene_type, language, \
         feature_version, features, refs) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        trace.project_id,
        trace.generation_id,
        draft.candidate,
        trace.skill,
        trace.scene_type,
        evidence::language_name(draft.language),
        version,
        evidence::bytes(draft.features.iter().copied()),
        json(&draft.references)?,
    ])?;
    Ok(())
}

/// Lets the oldest drafts of a book go, but for [`KEPT`].
pub fn trim(tx: &Tx<'_>, project_id: &str) -> Result<()> {
    tx.prepare_cached(
        "DELETE FROM drafts WHERE project_id = ?1 AND row <= \
         (SELECT row FROM drafts WHERE project_id = ?1 ORDER BY row DESC LIMIT 1 OFFSET ?2)",
    )?
    .execute(params![project_id, KEPT])?;
    Ok(())
}

/// Writes how much each memory weighed in a draft, once: what stands there stays.
pub fn put(tx: &Tx<'_>, trace: &Trace, influence: &Influence) -> Result<()> {
    tx.prepare_cached(
        "INSERT OR IGNORE INTO influences (generation_id, tier, candidate, project_id, measured_at, remainder, weights) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        trace.generation_id,
        name_of(&influence.tier)?,
        influence.candidate,
        trace.project_id,
        influence.measured_at.millis(),
        influence.remainder,
        json(&influence.weights)?,
    ])?;
    Ok(())
}

/// What weighed how much in the draft that was taken, or else, and where nothing is known of that one, in the first.
pub fn of_draft(db: &Connection, generation_id: &str, taken: Option<u32>) -> Result<Option<Influence>> {
    let mut statement = db.prepare_cached(
        "SELECT tier, weights, remainder, measured_at, candidate FROM influences WHERE generation_id = ?1 \
         ORDER BY candidate IS NOT ?2, candidate LIMIT 1",
    )?;
    let found = statement.query_row(params![generation_id, taken], |row| {
        Ok(Influence {
            tier: named(row.get_ref(0)?.as_str()?)?,
            weights: from_json(row.get_ref(1)?.as_str()?)?,
            remainder: row.get(2)?,
            measured_at: Time::from_millis(row.get(3)?),
            candidate: row.get(4)?,
        })
    });
    Ok(found.optional()?)
}
