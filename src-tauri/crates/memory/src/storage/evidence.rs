//! Rows of `evidence`, `spreads` and `pauses` in `rules.db`; and of `evidence_due` in `episodes.db`, the queue of
//! episodes whose evidence is not written yet.

use std::{collections::BTreeSet, sync::LazyLock};

use palimpsest_learning::{Spread, evidence::Evidence};
use palimpsest_text::{Language, style::Feature};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of, parse_enum, support,
};
use crate::{
    error::Result,
    model::{EpisodeId, EvidenceRow, ImplicitSignal, ProjectId, Time, WrittenKind},
};

/// The watermark, in both files, by which `episodes.db` recognizes the `rules.db` that contains its evidence.
pub(crate) const MARK: &str = "evidence";
/// The watermark in `episodes.db` with the feature version of the last measurement.
pub(crate) const FEATURES: &str = "features";

/// More texts than an episode can have: a row with a higher count is damaged.
const MAX_TEXTS: usize = 64;

columns! {
    /// The columns of an [`EvidenceRow`]. `pause` is the start of the pause during which the episode was recorded.
    columns of "evidence":
    project_id, episode_id, occurred_at, scene_type, skill_used, language, feature_version, texts, candidates,
    selected_index, choice, written, written_kind, undone, pause,
}

/// Whether an episode was recorded in a pause whose episodes do not count: the writer may have decided since that they
/// do.
const IS_PAUSED: &str =
    "pause IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pauses WHERE started_at = evidence.pause AND used)";

static PUT: LazyLock<String> = LazyLock::new(|| columns::insert_or("REPLACE"));
static BY_EPISODE: LazyLock<String> =
    LazyLock::new(|| columns::select_and(IS_PAUSED, "WHERE project_id = ?1 AND episode_id = ?2"));
static OF_PROJECT: LazyLock<String> =
    LazyLock::new(|| columns::select_and(IS_PAUSED, "WHERE project_id = ?1 ORDER BY occurred_at, episode_id"));

fn evidence_row(row: &Row<'_>) -> Result<EvidenceRow, rusqlite::Error> {
    let evidence = |column: usize| -> Result<Option<Evidence>, rusqlite::Error> {
        Ok(row.get_ref(column)?.as_blob_or_null()?.map(|blob| {
            let mut a: Vec<f32> = floats_from_bytes(blob);
            let dz = a.split_off(a.len() / 2);
            Evidence { a, dz }
        }))
    };
    let kind = row.get_ref(columns::written_kind)?.as_str_or_null()?;
    let kind = kind.map(|kind| parse_enum(kind).unwrap_or(WrittenKind::Edit));
    Ok(EvidenceRow {
        project_id: row.get(columns::project_id)?,
        episode_id: row.get(columns::episode_id)?,
        occurred_at: Time::from_millis(row.get(columns::occurred_at)?),
        scene_type: row.get(columns::scene_type)?,
        skill_used: row.get(columns::skill_used)?,
        language: language(row.get_ref(columns::language)?.as_str()?),
        feature_version: row.get(columns::feature_version)?,
        texts: texts(row.get_ref(columns::texts)?.as_blob()?),
        candidates: row.get(columns::candidates)?,
        selected_index: row.get(columns::selected_index)?,
        choice: evidence(columns::choice)?,
        written: kind.zip(evidence(columns::written)?),
        undone: row.get(columns::undone)?,
        paused: row.get(columns::NAMES.len())?,
    })
}

pub(super) fn floats_from_bytes(blob: &[u8]) -> Vec<f32> {
    blob.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

pub(super) fn floats_to_bytes(floats: impl IntoIterator<Item = f32>) -> Vec<u8> {
    floats.into_iter().flat_map(f32::to_le_bytes).collect()
}

pub(crate) fn language(name: &str) -> Language {
    if name == "zh" { Language::Zh } else { Language::En }
}

pub(super) fn language_name(language: Language) -> &'static str {
    match language {
        Language::Zh => "zh",
        Language::En => "en",
    }
}

/// The number of texts, then the features of each; an unmeasurable text has NaN for each feature.
fn texts_blob(texts: &[Vec<f32>]) -> Vec<u8> {
    let width = texts.iter().map(Vec::len).max().unwrap_or(0);
    let mut blob = u32::try_from(texts.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    for text in texts {
        blob.extend(floats_to_bytes(text.iter().copied().chain(std::iter::repeat(f32::NAN)).take(width)));
    }
    blob
}

fn texts(blob: &[u8]) -> Vec<Vec<f32>> {
    let Some((count, rest)) = blob.split_first_chunk() else { return Vec::new() };
    let count = u32::from_le_bytes(*count) as usize;
    let all = floats_from_bytes(rest);
    let width = all.len().checked_div(count).unwrap_or(0);
    let text = |at: usize| all.get(at * width..(at + 1) * width).unwrap_or_default();
    let known = |text: &[f32]| if text.iter().all(|value| value.is_nan()) { Vec::new() } else { text.to_vec() };
    (0..count.min(MAX_TEXTS)).map(|at| known(text(at))).collect()
}

/// Writes the evidence of an episode. `pause` is the start of the pause during which the episode was recorded; the
/// row's own `paused` is derived from it and from the writer's decision on resuming.
pub(crate) fn upsert(tx: &Tx<'_>, row: &EvidenceRow, pause: Option<Time>) -> Result<()> {
    let blob = |evidence: &Evidence| floats_to_bytes(evidence.a.iter().chain(&evidence.dz).copied());
    execute(
        tx.prepare_cached(&PUT)?,
        named_params! {
            ":project_id": row.project_id,
            ":episode_id": row.episode_id,
            ":occurred_at": row.occurred_at.millis(),
            ":scene_type": row.scene_type,
            ":skill_used": row.skill_used,
            ":language": language_name(row.language),
            ":feature_version": row.feature_version,
            ":texts": texts_blob(&row.texts),
            ":candidates": row.candidates,
            ":selected_index": row.selected_index,
            ":choice": row.choice.as_ref().map(blob),
            ":written": row.written.as_ref().map(|(_, evidence)| blob(evidence)),
            ":written_kind": row.written.as_ref().map(|(kind, _)| name_of(*kind)),
            ":undone": row.undone,
            ":pause": pause.map(Time::millis),
        },
    )?;
    Ok(())
}

/// Sets whether an episode with evidence was undone; its numbers stay frozen.
pub(crate) fn revise(tx: &Tx<'_>, project_id: &ProjectId, episode_id: &EpisodeId, undone: bool) -> Result<()> {
    tx.prepare_cached("UPDATE evidence SET undone = ?3 WHERE project_id = ?1 AND episode_id = ?2")?
        .execute(params![project_id, episode_id, undone])?;
    Ok(())
}

/// The evidence of an episode.
pub(crate) fn get(db: &Connection, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<Option<EvidenceRow>> {
    let mut statement = db.prepare_cached(&BY_EPISODE)?;
    Ok(statement.query_row(params![project_id, episode_id], evidence_row).optional()?)
}

/// The evidence of a project's episodes, in the order of the episodes; includes those recorded during a pause.
pub(crate) fn of_project(db: &Connection, project_id: &ProjectId) -> Result<Vec<EvidenceRow>> {
    let mut statement = db.prepare_cached(&OF_PROJECT)?;
    Ok(statement.query_map([project_id], evidence_row)?.collect::<Result<_, _>>()?)
}

/// The project of each episode with evidence.
pub(crate) fn owners(db: &Connection) -> Result<Vec<(EpisodeId, ProjectId)>> {
    let mut statement = db.prepare_cached("SELECT episode_id, project_id FROM evidence")?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// Number of a project's episodes whose evidence counts.
pub(crate) fn count(db: &Connection, project_id: &ProjectId) -> Result<u32> {
    let count = db
        .prepare_cached(
            "SELECT count(*) FROM evidence WHERE project_id = ?1 AND (pause IS NULL OR pause IN \
             (SELECT started_at FROM pauses WHERE used))",
        )?
        .query_row([project_id], |row| row.get(0))?;
    Ok(count)
}

/// The feature version of an episode's evidence; `None` without evidence.
pub(crate) fn version(db: &Connection, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<Option<u32>> {
    let found = db
        .prepare_cached("SELECT feature_version FROM evidence WHERE project_id = ?1 AND episode_id = ?2")?
        .query_row(params![project_id, episode_id], |row| row.get(0))
        .optional()?;
    Ok(found)
}

/// Deletes an episode's evidence, its support of rules, and its share of the spread. Returns whether there was any.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<bool> {
    support::delete_for_episode(tx, project_id, episode_id)?;
    let language_and_version = tx
        .prepare_cached(
            "DELETE FROM evidence WHERE project_id = ?1 AND episode_id = ?2 RETURNING language, feature_version",
        )?
        .query_row(params![project_id, episode_id], |row| Ok((language(row.get_ref(0)?.as_str()?), row.get(1)?)))
        .optional()?;
    if let Some((language, version)) = language_and_version {
        fold_spread(tx, project_id, language, version)?;
    }
    Ok(language_and_version.is_some())
}

/// The spread of a book's candidates; `None` before the first.
pub(crate) fn spread(
    db: &Connection,
    project_id: &ProjectId,
    language: Language,
    version: u32,
) -> Result<Option<Spread>> {
    let found = db
        .prepare_cached("SELECT state FROM spreads WHERE project_id = ?1 AND language = ?2 AND feature_version = ?3")?
        .query_row(params![project_id, language_name(language), version], |row| {
            let numbers: Vec<f64> =
                row.get_ref(0)?.as_blob()?.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
            Ok(Spread::from_parts(numbers.as_chunks().0))
        })
        .optional()?;
    Ok(found)
}

/// Stores the spread of a project's candidates.
pub(crate) fn upsert_spread(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    language: Language,
    version: u32,
    spread: &Spread,
) -> Result<()> {
    let state: Vec<u8> = spread.to_parts().into_iter().flatten().flat_map(f64::to_le_bytes).collect();
    tx.prepare_cached(
        "INSERT OR REPLACE INTO spreads (project_id, language, feature_version, state) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![project_id, language_name(language), version, state])?;
    Ok(())
}

/// Recomputes the spread of a project from the evidence that counts, in the order of recording.
pub(crate) fn fold_spread(tx: &Tx<'_>, project_id: &ProjectId, language: Language, version: u32) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "SELECT texts, candidates FROM evidence WHERE project_id = ?1 AND language = ?2 AND feature_version = ?3 \
         AND (pause IS NULL OR pause IN (SELECT started_at FROM pauses WHERE used)) ORDER BY episode_id",
    )?;
    let rows = statement.query_map(params![project_id, language_name(language), version], |row| {
        Ok((texts(row.get_ref(0)?.as_blob()?), row.get::<_, u32>(1)?))
    })?;
    let mut spread: Option<Spread> = None;
    for row in rows {
        let (texts, candidates) = row?;
        for candidate in texts.iter().take(candidates as usize) {
            spread.get_or_insert_with(|| Spread::new(Feature::COUNT)).observe(candidate);
        }
    }
    match spread {
        Some(spread) => upsert_spread(tx, project_id, language, version, &spread),
        None => {
            tx.prepare_cached("DELETE FROM spreads WHERE project_id = ?1 AND language = ?2 AND feature_version = ?3")?
                .execute(params![project_id, language_name(language), version])?;
            Ok(())
        }
    }
}

/// A pause of learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pause {
    /// When it started; unique.
    pub started_at: Time,
    /// When it ended; `None` while it lasts.
    pub ended_at: Option<Time>,
    /// Whether episodes recorded during the pause count after all.
    pub used: bool,
}

/// All pauses, oldest first.
pub(crate) fn pauses(db: &Connection) -> Result<Vec<Pause>> {
    let mut statement = db.prepare_cached("SELECT started_at, ended_at, used FROM pauses ORDER BY started_at")?;
    let rows = statement.query_map([], |row| {
        Ok(Pause {
            started_at: Time::from_millis(row.get(0)?),
            ended_at: row.get::<_, Option<i64>>(1)?.map(Time::from_millis),
            used: row.get(2)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Writes the present state of a pause.
pub(crate) fn upsert_pause(tx: &Tx<'_>, pause: &Pause) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO pauses (started_at, ended_at, used) VALUES (?1, ?2, ?3) \
         ON CONFLICT (started_at) DO UPDATE SET ended_at = excluded.ended_at, used = excluded.used",
    )?
    .execute(params![pause.started_at.millis(), pause.ended_at.map(Time::millis), pause.used])?;
    Ok(())
}

/// Replaces all pauses. If one of them now counts and did not before, or the reverse, the affected spreads are
/// recomputed.
pub(crate) fn replace_pauses(tx: &Tx<'_>, pauses: &[Pause]) -> Result<()> {
    let used =
        |all: &[Pause]| -> BTreeSet<Time> { all.iter().filter(|one| one.used).map(|one| one.started_at).collect() };
    let (before, after) = (used(&self::pauses(tx)?), used(pauses));
    tx.execute("DELETE FROM pauses", [])?;
    pauses.iter().try_for_each(|pause| upsert_pause(tx, pause))?;
    before.symmetric_difference(&after).try_for_each(|started_at| fold_spreads_of(tx, *started_at))
}

/// When the present pause started; `None` while learning is active.
pub(crate) fn paused_since(db: &Connection) -> Result<Option<Time>> {
    let found = db
        .prepare_cached("SELECT started_at FROM pauses WHERE ended_at IS NULL ORDER BY started_at DESC LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(found.map(Time::from_millis))
}

/// Pauses learning; returns the start of the pause. An existing pause continues.
pub(crate) fn pause(tx: &Tx<'_>, now: Time) -> Result<Time> {
    if let Some(since) = paused_since(tx)? {
        return Ok(since);
    }
    // Starts are unique, whatever the clock shows: the start identifies a pause.
    let last: Option<i64> = tx.query_row("SELECT max(started_at) FROM pauses", [], |row| row.get(0))?;
    let started_at = last.map_or(now, |last| now.max(Time::from_millis(last).plus_millis(1)));
    upsert_pause(tx, &Pause { started_at, ended_at: None, used: false })?;
    Ok(started_at)
}

/// Resumes learning. `use_recorded`: episodes recorded in this pause count like all others.
pub(crate) fn resume(tx: &Tx<'_>, now: Time, use_recorded: bool) -> Result<()> {
    let Some(started_at) = paused_since(tx)? else { return Ok(()) };
    upsert_pause(tx, &Pause { started_at, ended_at: Some(now.max(started_at)), used: use_recorded })?;
    if use_recorded { fold_spreads_of(tx, started_at) } else { Ok(()) }
}

/// Recomputes the spreads of the projects with episodes recorded in a pause.
fn fold_spreads_of(tx: &Tx<'_>, pause: Time) -> Result<()> {
    let spreads: Vec<(ProjectId, Language, u32)> = {
        let mut statement =
            tx.prepare_cached("SELECT DISTINCT project_id, language, feature_version FROM evidence WHERE pause = ?1")?;
        let rows = statement
            .query_map([pause.millis()], |row| Ok((row.get(0)?, language(row.get_ref(1)?.as_str()?), row.get(2)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    spreads.into_iter().try_for_each(|(project_id, language, version)| fold_spread(tx, &project_id, language, version))
}

/// Whether episodes recorded in a pause count; `true` outside of a pause.
pub(crate) fn is_counted(db: &Connection, pause: Option<Time>) -> Result<bool> {
    let Some(pause) = pause else { return Ok(true) };
    Ok(db.prepare_cached("SELECT 1 FROM pauses WHERE started_at = ?1 AND used")?.exists([pause.millis()])?)
}

/// The watermark of this name in either file; `None` before it was set.
pub(crate) fn watermark(db: &Connection, name: &str) -> Result<Option<i64>> {
    let found = db
        .prepare_cached("SELECT value FROM watermarks WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(found)
}

/// Sets a watermark, higher or lower.
pub(crate) fn set_watermark(tx: &Tx<'_>, name: &str, value: i64) -> Result<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO watermarks (name, value) VALUES (?1, ?2)")?
        .execute(params![name, value])?;
    Ok(())
}

/// Removes the pairing mark of the two files: the next check then derives the evidence of all episodes again.
pub(crate) fn forget_mark(tx: &Tx<'_>) -> Result<()> {
    tx.execute("DELETE FROM watermarks WHERE name = ?1", [MARK])?;
    Ok(())
}

/// An episode whose evidence is not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Due {
    /// UUID.
    pub episode_id: EpisodeId,
    /// Deleted by the writer.
    pub deleted: bool,
    /// The start of the pause during which it was recorded; `None` also if the episode is deleted.
    pub pause: Option<Time>,
}

/// The projects with due episodes.
pub(crate) fn due_projects(db: &Connection) -> Result<Vec<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT DISTINCT project_id FROM evidence_due ORDER BY project_id")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Whether any episode is due.
pub(crate) fn is_due(db: &Connection) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM evidence_due LIMIT 1")?.exists([])?)
}

/// At most `limit` due episodes of a project, in the order of recording: ids grow with time.
pub(crate) fn list_due(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<Due>> {
    let mut statement = db.prepare_cached(
        "SELECT due.episode_id, due.deleted, episodes.pause FROM evidence_due AS due \
         LEFT JOIN episodes ON episodes.id = due.episode_id \
         WHERE due.project_id = ?1 ORDER BY due.episode_id LIMIT ?2",
    )?;
    let rows = statement.query_map(params![project_id, limit], |row| {
        Ok(Due {
            episode_id: row.get(0)?,
            deleted: row.get(1)?,
            pause: row.get::<_, Option<i64>>(2)?.map(Time::from_millis),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletions by the writer that are not applied to `rules.db` yet: project and episode.
pub(crate) fn deleted(db: &Connection) -> Result<Vec<(ProjectId, EpisodeId)>> {
    let mut statement = db.prepare_cached("SELECT project_id, episode_id FROM evidence_due WHERE deleted")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Marks a deletion by the writer as due: the evidence of the episode is to be deleted too.
pub(crate) fn note_deleted(tx: &Tx<'_>, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO evidence_due (project_id, episode_id, deleted) VALUES (?1, ?2, 1) \
         ON CONFLICT DO UPDATE SET deleted = 1",
    )?
    .execute(params![project_id, episode_id])?;
    Ok(())
}

/// Removes an episode from the queue if it is still as it was read, or still missing. If it has changed or was deleted
/// since, it stays due; a recall is no change. Returns the number of removed rows, one or none.
pub(crate) fn done(tx: &Tx<'_>, project_id: &ProjectId, due: &Due, said: Option<ImplicitSignal>) -> Result<u32> {
    let done = tx
        .prepare_cached(
            "DELETE FROM evidence_due WHERE project_id = ?1 AND episode_id = ?2 AND deleted = ?3 \
         AND NOT EXISTS (SELECT 1 FROM episodes WHERE id = ?2 AND implicit IS NOT ?4)",
        )?
        .execute(params![project_id, due.episode_id, due.deleted, said.map(name_of)])?;
    Ok(u32::from(done > 0))
}

/// Marks every episode as due, or every one that still has its texts.
pub(crate) fn all_due(tx: &Tx<'_>, only_with_texts: bool) -> Result<()> {
    let which = if only_with_texts { "WHERE compressed = 0" } else { "WHERE true" };
    tx.execute(
        &format!(
            "INSERT INTO evidence_due (project_id, episode_id) SELECT project_id, id FROM episodes {which} \
             ON CONFLICT DO NOTHING"
        ),
        [],
    )?;
    Ok(())
}

/// Marks an episode as recorded during a pause, by the start of the pause.
pub(crate) fn mark_paused(tx: &Tx<'_>, episode_id: &EpisodeId, pause: Time) -> Result<()> {
    tx.prepare_cached("UPDATE episodes SET pause = ?2 WHERE id = ?1")?.execute(params![episode_id, pause.millis()])?;
    Ok(())
}

#[cfg(test)]
mod tests;
