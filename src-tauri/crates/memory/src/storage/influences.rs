//! Rows of `drafts`, recent drafts in numbers, and of `influences`, the weights of the memories in a draft.

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    evidence,
    lines::Line,
    name_of, parse_enum, stored, traces,
};
use crate::{
    error::{Code, Error, Result},
    model::{GenerationId, Influence, ProjectId, Tier, Time, Trace},
};

/// Maximum number of drafts stored per project.
pub(crate) const MAX_DRAFTS_PER_PROJECT: u32 = 200;

/// A draft in numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    /// Index on screen.
    pub candidate: u32,
    /// The language whose cues were counted.
    pub language: palimpsest_text::Language,
    /// One number per feature, in their order.
    pub features: Vec<f32>,
    /// The references that were in its prompt.
    pub references: Vec<String>,
    /// Its terms, as numbers; empty for a draft older than this column.
    pub words: Vec<u8>,
}

/// The drafts of a project for one skill and scene type that were measured in one language by one version of the
/// features.
pub(crate) fn recent(
    db: &Connection,
    trace: &Trace,
    language: palimpsest_text::Language,
    version: u32,
) -> Result<Vec<Draft>> {
    let mut statement = db.prepare_cached(
        "SELECT candidate, features, refs, words FROM drafts WHERE project_id = ?1 AND skill = ?2 AND scene_type IS ?3 \
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
            features: evidence::floats_from_bytes(row.get_ref(1)?.as_blob()?),
            references: stored::parse(row.get_ref(2)?.as_str()?)?,
            words: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

columns! {
    /// The columns of a [`Draft`] and of its trace.
    drafts of "drafts":
    project_id, generation_id, candidate, skill, scene_type, language, feature_version, features, refs, words,
}

static PUT_DRAFT: LazyLock<String> = LazyLock::new(|| drafts::insert_or("IGNORE"));

/// Stores a draft.
pub(crate) fn insert_draft(tx: &Tx<'_>, trace: &Trace, draft: &Draft, version: u32) -> Result<()> {
    execute(
        tx.prepare_cached(&PUT_DRAFT)?,
        named_params! {
            ":project_id": trace.project_id,
            ":generation_id": trace.generation_id,
            ":candidate": draft.candidate,
            ":skill": trace.skill,
            ":scene_type": trace.scene_type,
            ":language": evidence::language_name(draft.language),
            ":feature_version": version,
            ":features": evidence::floats_to_bytes(draft.features.iter().copied()),
            ":refs": stored::json(&draft.references)?,
            ":words": draft.words,
        },
    )?;
    Ok(())
}

/// Deletes the oldest drafts of a project beyond [`MAX_DRAFTS_PER_PROJECT`].
pub(crate) fn trim(tx: &Tx<'_>, project_id: &ProjectId) -> Result<()> {
    tx.prepare_cached(
        "DELETE FROM drafts WHERE project_id = ?1 AND row <= \
         (SELECT row FROM drafts WHERE project_id = ?1 ORDER BY row DESC LIMIT 1 OFFSET ?2)",
    )?
    .execute(params![project_id, MAX_DRAFTS_PER_PROJECT])?;
    Ok(())
}

/// A draft of a generation in the numbers of one version of the features, while it is stored.
pub(crate) fn draft(
    db: &Connection,
    generation_id: &GenerationId,
    candidate: u32,
    version: u32,
) -> Result<Option<Draft>> {
    let mut statement = db.prepare_cached(
        "SELECT features, refs, language, words FROM drafts WHERE generation_id = ?1 AND candidate = ?2 AND feature_version = ?3",
    )?;
    let found = statement.query_row(params![generation_id, candidate, version], |row| {
        Ok(Draft {
            candidate,
            language: evidence::language(row.get_ref(2)?.as_str()?),
            features: evidence::floats_from_bytes(row.get_ref(0)?.as_blob()?),
            references: stored::parse(row.get_ref(1)?.as_str()?)?,
            words: row.get(3)?,
        })
    });
    Ok(found.optional()?)
}

/// Number of stored drafts of a generation.
pub(crate) fn drafts_of(db: &Connection, generation_id: &GenerationId) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM drafts WHERE generation_id = ?1")?;
    Ok(statement.query_row([generation_id], |row| row.get(0))?)
}

columns! {
    /// The columns of an [`Influence`] and of its trace.
    columns of "influences":
    generation_id, tier, candidate, project_id, measured_at, remainder, weights, regenerations, seal,
}

static PUT: LazyLock<String> = LazyLock::new(|| columns::insert_or("IGNORE"));
static OF_GENERATION: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE generation_id = ?1 AND seal IS NOT NULL"));
static OF_DRAFT: LazyLock<String> = LazyLock::new(|| {
    // Without a trace there is no measurement.
    columns::select_and(
        "(SELECT seal FROM traces WHERE traces.generation_id = influences.generation_id)",
        "WHERE generation_id = ?1 AND EXISTS (SELECT 1 FROM traces WHERE traces.generation_id = ?1) AND candidate = \
         (SELECT candidate FROM influences WHERE generation_id = ?1 ORDER BY candidate IS NOT ?2, candidate LIMIT 1) \
         ORDER BY tier",
    )
});

/// Stores the weights of a draft once: an existing row stays. Returns whether it was written; without a trace nothing
/// is.
pub(crate) fn insert(tx: &Tx<'_>, trace: &Trace, influence: &Influence) -> Result<bool> {
    let Some(trace_seal) = traces::seal_of(tx, &trace.project_id, &trace.generation_id)? else { return Ok(false) };
    let weights = stored::json(&influence.weights)?;
    let tier = name_of(influence.tier);
    let written = execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":generation_id": trace.generation_id,
            ":tier": tier,
            ":candidate": influence.candidate,
            ":project_id": trace.project_id,
            ":measured_at": influence.measured_at.millis(),
            ":remainder": influence.remainder,
            ":weights": weights,
            ":regenerations": influence.regenerations,
            ":seal": seal(&trace_seal, influence, tier, &weights),
        },
    )?;
    Ok(written > 0)
}

/// The seal that binds a measurement to its content and its trace: BLAKE3, hexadecimal.
fn seal(trace_seal: &str, influence: &Influence, tier: &str, weights: &str) -> String {
    let numbers = [
        u64::from(influence.candidate),
        influence.remainder.to_bits(),
        influence.measured_at.millis().cast_unsigned(),
        influence.regenerations.map_or(u64::MAX, u64::from),
    ];
    let mut hasher = blake3::Hasher::new();
    for part in [trace_seal, tier, weights] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Whether a row matches its seal and its trace; a row older than seals is accepted.
pub(super) fn holds(db: &Connection, row: &Row<'_>) -> Result<bool> {
    let read = || -> Result<_, rusqlite::Error> {
        let stored_seal = row.get_ref("seal")?.as_str_or_null()?;
        let (tier, weights) = (row.get_ref("tier")?.as_str()?, row.get_ref("weights")?.as_str()?);
        let (project, generation) = (row.get_ref("project_id")?.as_str()?, row.get_ref("generation_id")?.as_str()?);
        let bare = bare(
            tier,
            row.get("candidate")?,
            row.get("remainder")?,
            row.get("measured_at")?,
            row.get("regenerations")?,
        )?;
        Ok((stored_seal, tier, weights, project, generation, bare))
    };
    let (stored_seal, tier, weights, project, generation, bare) = read()?;
    let trace_seal = traces::seal_of(db, &project.into(), &generation.into())?.filter(|seal| !seal.is_empty());
    Ok(stored_seal.zip(trace_seal).is_none_or(|(stored_seal, trace)| stored_seal == seal(&trace, &bare, tier, weights)))
}

/// The key of a measurement in a generation: tier and draft.
pub(crate) type Measured = (String, u32);

/// The measurements of a generation whose seal matches its trace as it is now.
pub(crate) fn sound_of(db: &Connection, generation_id: &GenerationId) -> Result<Vec<Measured>> {
    let mut statement = db.prepare_cached(&OF_GENERATION)?;
    let mut rows = statement.query([generation_id])?;
    let mut sound = Vec::new();
    while let Some(row) = rows.next()? {
        if holds(db, row)? {
            sound.push((row.get("tier")?, row.get("candidate")?));
        }
    }
    Ok(sound)
}

/// Updates the seals of a generation's measurements, after its trace got another seal.
pub(crate) fn seal_again(
    tx: &Tx<'_>,
    generation_id: &GenerationId,
    trace_seal: &str,
    measured: &[Measured],
) -> Result<()> {
    for (tier, candidate) in measured {
        let (weights, bare) = tx
            .prepare_cached(
                "SELECT weights, remainder, measured_at, regenerations FROM influences \
                 WHERE generation_id = ?1 AND tier = ?2 AND candidate = ?3",
            )?
            .query_row(params![generation_id, tier, candidate], |row| {
                let bare = bare(tier, *candidate, row.get(1)?, row.get(2)?, row.get(3)?)?;
                Ok((row.get::<_, String>(0)?, bare))
            })?;
        tx.prepare_cached("UPDATE influences SET seal = ?4 WHERE generation_id = ?1 AND tier = ?2 AND candidate = ?3")?
            .execute(params![generation_id, tier, candidate, seal(trace_seal, &bare, tier, &weights)])?;
    }
    Ok(())
}

/// The seal of an imported measurement, over that of its trace; `None` if the project has no such trace.
pub(crate) fn seal_of_line(db: &Connection, line: &Line) -> Result<Option<String>> {
    let text = |column: &str| line.text(column).unwrap_or_default();
    let whole = |column: &str| line.number(column);
    let Some(trace_seal) = traces::seal_of(db, &text("project_id").into(), &text("generation_id").into())? else {
        return Ok(None);
    };
    let candidate = whole("candidate").and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
    let regenerations = whole("regenerations").and_then(|n| u32::try_from(n).ok());
    let (remainder, at) = (line.real("remainder").unwrap_or_default(), whole("measured_at").unwrap_or_default());
    let bare = bare(text("tier"), candidate, remainder, at, regenerations)?;
    Ok(Some(seal(&trace_seal, &bare, text("tier"), text("weights"))))
}

/// A measurement without its weights, for its seal.
fn bare(
    tier: &str,
    candidate: u32,
    remainder: f64,
    measured_at: i64,
    regenerations: Option<u32>,
) -> Result<Influence, rusqlite::Error> {
    let (tier, measured_at): (Tier, _) = (parse_enum(tier)?, Time::from_millis(measured_at));
    Ok(Influence { tier, weights: Vec::new(), remainder, measured_at, candidate, regenerations })
}

/// The weights in the taken draft, or if that has none, in the first: one measurement per tier, the estimate first.
///
/// # Errors
/// `MEMORY_TRACE_MISMATCH` if the seal of one of them does not match.
pub(crate) fn of_draft(db: &Connection, generation_id: &GenerationId, taken: Option<u32>) -> Result<Vec<Influence>> {
    let mut statement = db.prepare_cached(&OF_DRAFT)?;
    let mut rows = statement.query(params![generation_id, taken])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let read = || -> Result<(Influence, bool), rusqlite::Error> {
            let (tier, weights) = (row.get_ref(columns::tier)?.as_str()?, row.get_ref(columns::weights)?.as_str()?);
            let influence = Influence {
                tier: parse_enum(tier)?,
                weights: stored::parse(weights)?,
                remainder: row.get(columns::remainder)?,
                measured_at: Time::from_millis(row.get(columns::measured_at)?),
                candidate: row.get(columns::candidate)?,
                regenerations: row.get(columns::regenerations)?,
            };
            // Without the trace's own seal, no measurement can belong to it.
            let (stored_seal, trace_seal) =
                (row.get_ref(columns::seal)?.as_str_or_null()?, row.get_ref(columns::NAMES.len())?.as_str_or_null()?);
            let holds = stored_seal
                .zip(trace_seal)
                .is_none_or(|(stored_seal, trace_seal)| stored_seal == seal(trace_seal, &influence, tier, weights));
            Ok((influence, holds))
        };
        let (influence, holds) = read()?;
        if !holds {
            return Err(Error::new(Code::TraceMismatch, "what was measured is not what was written"));
        }
        found.push(influence);
    }
    Ok(found)
}
