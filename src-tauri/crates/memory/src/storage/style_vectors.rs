//! Rows of `episode_features`: the style of each text of an episode in numbers.

use palimpsest_text::Language;
use rusqlite::{Connection, params};

use super::Tx;
use crate::{
    error::Result,
    model::{EpisodeId, ProjectId},
};

/// The style vector of one text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StyleVector {
    /// `candidate`, `final` or `input`.
    pub kind: String,
    /// Index of the candidate, from 0.
    pub part: u32,
    /// The version of the features.
    pub version: u32,
    /// The language whose cues were counted.
    pub language: Language,
    /// One number per feature.
    pub numbers: Vec<f32>,
}

/// Stores the style vector of one text of an episode.
pub(crate) fn store(tx: &Tx<'_>, project_id: &ProjectId, episode_id: &EpisodeId, new: &StyleVector) -> Result<()> {
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

/// The style vectors of all texts of an episode.
pub(crate) fn of_episode(db: &Connection, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<Vec<StyleVector>> {
    let mut statement = db.prepare_cached(
        "SELECT kind, part, version, language, numbers FROM episode_features \
         WHERE project_id = ?1 AND episode_id = ?2 ORDER BY kind, part",
    )?;
    let rows = statement.query_map(params![project_id, episode_id], |row| {
        let bytes = row.get_ref(4)?.as_blob()?;
        Ok(StyleVector {
            kind: row.get(0)?,
            part: row.get(1)?,
            version: row.get(2)?,
            language: if row.get_ref(3)?.as_str()? == "zh" { Language::Zh } else { Language::En },
            numbers: bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
