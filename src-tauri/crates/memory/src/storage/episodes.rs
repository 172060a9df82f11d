//! Rows of `episodes`.

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    journal, name_of, parse_enum, skill_usage,
    sources::{self, IndexedText},
    stored, vectors, words,
};
use crate::{
    error::Result,
    model::{
        ChangedText, ChapterId, Choice, Decision, Episode, EpisodeId, GenerationId, Outcome, OwnerKind, ProjectId,
        Scope, Time,
    },
};

columns! {
    /// The columns of an [`Episode`].
    columns of "episodes":
    id, project_id, chapter_id, version, created_at, skill_used, scene_type, input_context, candidates,
    selected_index, final_text, explicit, implicit, implicit_weight, edit_distance, importance, recall_count,
    last_recalled_at, user_confirmed, compressed, summary, generation_id,
}

fn episode_from_row(row: &Row<'_>) -> Result<Episode, rusqlite::Error> {
    let candidates: String = row.get(columns::candidates)?;
    Ok(Episode {
        id: row.get(columns::id)?,
        project_id: row.get(columns::project_id)?,
        chapter_id: row.get(columns::chapter_id)?,
        scope: Scope::Project,
        version: row.get(columns::version)?,
        created_at: Time::from_millis(row.get(columns::created_at)?),
        skill_used: row.get(columns::skill_used)?,
        scene_type: row.get(columns::scene_type)?,
        input_context: row.get(columns::input_context)?,
        candidates: stored::parse(&candidates)?,
        selected_index: row.get(columns::selected_index)?,
        final_text: row.get(columns::final_text)?,
        explicit: row.get(columns::explicit)?,
        implicit: parse_enum(row.get_ref(columns::implicit)?.as_str()?)?,
        implicit_weight: row.get(columns::implicit_weight)?,
        edit_distance: row.get(columns::edit_distance)?,
        importance: row.get(columns::importance)?,
        recall_count: row.get(columns::recall_count)?,
        last_recalled_at: row.get::<_, Option<i64>>(columns::last_recalled_at)?.map(Time::from_millis),
        user_confirmed: row.get(columns::user_confirmed)?,
        compressed: row.get(columns::compressed)?,
        summary: row.get(columns::summary)?,
        generation_id: row.get(columns::generation_id)?,
    })
}

static INSERT: LazyLock<String> = LazyLock::new(|| columns::insert(""));
static BY_ROW: LazyLock<String> = LazyLock::new(|| columns::select("WHERE row = ?1"));

/// The decisions on runs of skills in a book's session that began at `since`, in their order: up to the beginning of
/// the next one.
pub(crate) fn decisions_of_session(db: &Connection, project_id: &ProjectId, since: Time) -> Result<Vec<Decision>> {
    let mut statement = db.prepare_cached(
        "SELECT created_at, chapter_id, skill_used, selected_index, implicit FROM episodes \
         WHERE project_id = ?1 AND created_at >= ?2 \
         AND NOT (candidates = '[]' AND input_context = '' AND final_text = '') \
         AND created_at < coalesce((SELECT min(since) FROM journal_due \
           WHERE project_id = ?1 AND event = 'session' AND since > ?2), 9223372036854775807) \
         ORDER BY created_at, row",
    )?;
    let decision = |row: &Row<'_>| {
        Ok(Decision {
            at: Time::from_millis(row.get(0)?),
            chapter_id: row.get(1)?,
            skill: row.get(2)?,
            choice: row.get(3)?,
            implicit: parse_enum(row.get_ref(4)?.as_str()?)?,
        })
    };
    Ok(statement.query_map(params![project_id, since.millis()], decision)?.collect::<Result<_, _>>()?)
}

/// Inserts an episode.
pub(crate) fn insert(tx: &Tx<'_>, episode: &Episode) -> Result<()> {
    execute(
        tx.prepare_cached(&INSERT)?,
        named_params! {
            ":id": episode.id,
            ":project_id": episode.project_id,
            ":chapter_id": episode.chapter_id,
            ":version": episode.version,
            ":created_at": episode.created_at.millis(),
            ":skill_used": episode.skill_used,
            ":scene_type": episode.scene_type,
            ":input_context": episode.input_context,
            ":candidates": stored::json(&episode.candidates)?,
            ":selected_index": episode.selected_index,
            ":final_text": episode.final_text,
            ":explicit": episode.explicit,
            ":implicit": name_of(episode.implicit),
            ":implicit_weight": episode.implicit_weight,
            ":edit_distance": episode.edit_distance,
            ":importance": episode.importance,
            ":recall_count": episode.recall_count,
            ":last_recalled_at": episode.last_recalled_at.map(Time::millis),
            ":user_confirmed": episode.user_confirmed,
            ":compressed": episode.compressed,
            ":summary": episode.summary,
            ":generation_id": episode.generation_id,
        },
    )?;
    Ok(())
}

/// The episode in `row`.
pub(crate) fn by_row(db: &Connection, row: i64) -> Result<Option<Episode>> {
    let mut statement = db.prepare_cached(&BY_ROW)?;
    Ok(statement.query_row([row], episode_from_row).optional()?)
}

/// Number of episodes of a project, or of all. Maintained by triggers: counting sixty thousand takes milliseconds.
pub(crate) fn count(db: &Connection, project_id: Option<&ProjectId>) -> Result<u32> {
    let mut statement = db.prepare_cached(
        "SELECT coalesce(sum(active + compressed), 0) FROM episode_counts WHERE ?1 IS NULL OR project_id = ?1",
    )?;
    Ok(statement.query_row([project_id], |row| row.get(0))?)
}

/// The fields that recall ranks an episode by, without its texts.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    /// Row number.
    pub row: i64,
    /// The scene type, if known.
    pub scene_type: Option<String>,
    pub skill_used: String,
    /// When it happened.
    pub created_at: Time,
    /// Importance, 0..1.
    pub importance: f64,
    /// Number of uses in prompts.
    pub recall_count: u32,
    /// Last use in a prompt; `None` if none.
    pub last_recalled_at: Option<Time>,
    /// Pinned by the writer.
    pub user_confirmed: bool,
    /// Compressed: only a summary is left.
    pub compressed: bool,
}

columns! {
    /// The columns of a [`Ranking`].
    ranked of "episodes":
    row, scene_type, skill_used, created_at, importance, recall_count, last_recalled_at, user_confirmed, compressed,
}

static RANKING_BY_ROW: LazyLock<String> =
    LazyLock::new(|| ranked::select("INDEXED BY episodes_to_rank WHERE project_id = ?2 AND row = ?1"));
static NEWEST: LazyLock<String> =
    LazyLock::new(|| ranked::select("WHERE project_id = ?1 ORDER BY created_at DESC LIMIT ?2"));
static NEWEST_OF_SCENE: LazyLock<String> =
    LazyLock::new(|| ranked::select("WHERE project_id = ?1 AND scene_type = ?2 ORDER BY created_at DESC LIMIT ?3"));

fn ranking(row: &Row<'_>) -> Result<Ranking, rusqlite::Error> {
    Ok(Ranking {
        row: row.get(ranked::row)?,
        scene_type: row.get(ranked::scene_type)?,
        skill_used: row.get(ranked::skill_used)?,
        created_at: Time::from_millis(row.get(ranked::created_at)?),
        importance: row.get(ranked::importance)?,
        recall_count: row.get(ranked::recall_count)?,
        last_recalled_at: row.get::<_, Option<i64>>(ranked::last_recalled_at)?.map(Time::from_millis),
        user_confirmed: row.get(ranked::user_confirmed)?,
        compressed: row.get(ranked::compressed)?,
    })
}

/// The ranking fields of the episode in `row`, if it belongs to `project_id`.
pub(crate) fn ranking_of(db: &Connection, project_id: &ProjectId, row: i64) -> Result<Option<Ranking>> {
    let mut statement = db.prepare_cached(&RANKING_BY_ROW)?;
    Ok(statement.query_row(params![row, project_id], ranking).optional()?)
}

/// The rows of the episodes of a project with this scene type and skill, each if given, ascending.
pub(crate) fn rows_of(
    db: &Connection,
    project_id: &ProjectId,
    scene_type: Option<&str>,
    skill_used: Option<&str>,
) -> Result<Vec<i64>> {
    let rows = db
        .prepare_cached(
            "SELECT row FROM episodes WHERE project_id = ?1 AND (?2 IS NULL OR scene_type = ?2) \
             AND (?3 IS NULL OR skill_used = ?3) ORDER BY row",
        )?
        .query_map(params![project_id, scene_type, skill_used], |row| row.get(0))?
        .collect::<Result<Vec<_>, _>>()?;
    Ok(rows)
}

/// The newest `limit` episodes of a project, of one scene type if given.
pub(crate) fn newest(
    db: &Connection,
    project_id: &ProjectId,
    scene_type: Option<&str>,
    limit: u32,
) -> Result<Vec<Ranking>> {
    let rows = match scene_type {
        Some(scene) => db
            .prepare_cached(&NEWEST_OF_SCENE)?
            .query_map(params![project_id, scene, limit], ranking)?
            .collect::<Result<Vec<_>, _>>()?,
        None => db
            .prepare_cached(&NEWEST)?
            .query_map(params![project_id, limit], ranking)?
            .collect::<Result<Vec<_>, _>>()?,
    };
    Ok(rows)
}

/// Maximum of the newest episodes of a project among which changed continuations are looked for.
const MAX_LOOKED_THROUGH: u32 = 200;

/// The continuations among the newest episodes of a project that the writer changed by more than a tenth, or wrote in
/// place of all candidates, newest first.
pub(crate) fn changed_continuations(db: &Connection, project_id: &ProjectId) -> Result<Vec<ChangedText>> {
    let mut statement = db.prepare_cached(
        "SELECT scene_type, candidates, selected_index, final_text FROM \
         (SELECT * FROM episodes WHERE project_id = ?1 ORDER BY created_at DESC LIMIT ?2) \
         WHERE skill_used = 'continue' AND compressed = 0 AND final_text <> '' AND implicit <> 'delayedNegative' \
         AND (edit_distance > 0.1 OR selected_index < 0)",
    )?;
    let rows = statement.query_map(params![project_id, MAX_LOOKED_THROUGH], |row| {
        let mut candidates: Vec<String> = stored::parse(row.get_ref(1)?.as_str()?)?;
        let taken = row.get::<_, Choice>(2)?.taken().filter(|index| *index < candidates.len());
        Ok(ChangedText {
            scene_type: row.get(0)?,
            draft: taken.map(|index| candidates.swap_remove(index)),
            text: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The texts of the first `limit` episodes recorded or compressed after `row`, in that order: input and final text,
/// joined; or the summary of a compressed one.
pub(crate) fn recorded_after(db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
    let mut statement = db.prepare_cached(
        // Without a passage, the writer's remark is the only text.
        "SELECT row, id, project_id, input_context, \
         iif(candidates = '[]' AND compressed = 0 AND final_text = '', coalesce(explicit, ''), final_text), iif(compressed, summary, NULL) \
         FROM episodes WHERE row > ?1 ORDER BY row LIMIT ?2",
    )?;
    let rows = statement.query_map(params![row, limit], |row| {
        let (input, written): (String, String) = (row.get(3)?, row.get(4)?);
        let summary: Option<String> = row.get(5)?;
        Ok(IndexedText {
            row: row.get(0)?,
            id: row.get(1)?,
            project_id: row.get(2)?,
            kind: OwnerKind::from_compressed(summary.is_some()),
            text: summary.unwrap_or_else(|| format!("{input}\n{written}")),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether any episode was recorded or compressed after `row`.
pub(crate) fn any_after(db: &Connection, row: i64) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM episodes WHERE row > ?1 LIMIT 1")?.exists([row])?)
}

/// How many episodes were recorded or compressed after `row`.
pub(crate) fn count_after(db: &Connection, row: i64) -> Result<u32> {
    Ok(db.prepare_cached("SELECT count(*) FROM episodes WHERE row > ?1")?.query_row([row], |row| row.get(0))?)
}

/// Whether the episode in `row` still has this id.
pub(crate) fn is_in_row(db: &Connection, row: i64, id: &str) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM episodes WHERE row = ?1 AND id = ?2")?.exists(params![row, id])?)
}

/// Counts a use of these episodes in the prompt of a generation that ran.
pub(crate) fn mark_recalled(tx: &Tx<'_>, project_id: &ProjectId, ids: &[EpisodeId], now: Time) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "UPDATE episodes SET recall_count = recall_count + 1, last_recalled_at = ?3, version = version + 1 \
         WHERE id = ?1 AND project_id = ?2",
    )?;
    for id in ids {
        statement.execute(params![id, project_id, now.millis()])?;
    }
    Ok(())
}

/// The first episode recorded for a generation, and the writer's decision.
pub(crate) fn outcome_of(
    db: &Connection,
    project_id: &ProjectId,
    generation_id: &GenerationId,
) -> Result<Option<(EpisodeId, Outcome)>> {
    let mut statement = db.prepare_cached(
        "SELECT id, selected_index, edit_distance FROM episodes \
         WHERE generation_id = ?1 AND project_id = ?2 ORDER BY created_at, row LIMIT 1",
    )?;
    let found = statement.query_row(params![generation_id, project_id], |row| {
        Ok((row.get(0)?, Outcome { selected_index: row.get(1)?, edit_distance: row.get(2)? }))
    });
    Ok(found.optional()?)
}

/// The episode with this id, of any project: the caller has to compare the project. Also the beginning of its draft, if
/// it is compressed.
pub(crate) fn get(db: &Connection, id: &EpisodeId) -> Result<Option<(Episode, String)>> {
    let found = db
        .prepare_cached("SELECT row, coalesce(draft_excerpt, '') FROM episodes WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((row, draft)) = found else { return Ok(None) };
    Ok(by_row(db, row)?.map(|episode| (episode, draft)))
}

/// The row of an episode; `None` if it does not exist.
pub(crate) fn row_of(db: &Connection, id: &EpisodeId) -> Result<Option<i64>> {
    Ok(db.prepare_cached("SELECT row FROM episodes WHERE id = ?1")?.query_row([id], |row| row.get(0)).optional()?)
}

/// The project of an episode; `None` if it does not exist.
pub(crate) fn project_of(db: &Connection, id: &EpisodeId) -> Result<Option<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM episodes WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// The episodes of a chapter, each with its generation and its input context, in the order of their recording.
pub(crate) fn of_chapter(
    db: &Connection,
    project_id: &ProjectId,
    chapter_id: &ChapterId,
) -> Result<Vec<(EpisodeId, Option<GenerationId>, String)>> {
    let mut statement = db.prepare_cached(
        "SELECT id, generation_id, input_context FROM episodes WHERE project_id = ?1 AND chapter_id = ?2 \
         ORDER BY created_at, row",
    )?;
    let of_row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let rows = statement.query_map(params![project_id, chapter_id], of_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Moves an episode from one chapter to another; without effect on one of a third chapter.
pub(crate) fn set_chapter(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    id: &EpisodeId,
    from: &ChapterId,
    to: &ChapterId,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE episodes SET chapter_id = ?4, version = version + 1 \
         WHERE project_id = ?1 AND id = ?2 AND chapter_id = ?3",
    )?
    .execute(params![project_id, id, from, to])?;
    Ok(())
}

/// Whether an episode still exists at `version`.
pub(crate) fn is_at(db: &Connection, id: &EpisodeId, version: u32) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM episodes WHERE id = ?1 AND version = ?2")?.exists(params![id, version])?)
}

/// Stores later feedback on an episode. If its indexed text has changed, it is indexed again, and the row that it no
/// longer has is returned.
pub(crate) fn store_feedback(tx: &Tx<'_>, episode: &Episode) -> Result<Option<i64>> {
    let row: i64 =
        tx.prepare_cached("SELECT row FROM episodes WHERE id = ?1")?.query_row([&episode.id], |row| row.get(0))?;
    let had = recorded_after(tx, row - 1, 1)?;
    tx.prepare_cached(
        "UPDATE episodes SET implicit = :implicit, implicit_weight = :implicit_weight, explicit = :explicit, \
             importance = :importance, user_confirmed = :user_confirmed, summary = :summary, version = :version \
             WHERE id = :id",
    )?
    .execute(named_params! {
        ":id": episode.id,
        ":implicit": name_of(episode.implicit),
        ":implicit_weight": episode.implicit_weight,
        ":explicit": episode.explicit,
        ":importance": episode.importance,
        ":user_confirmed": episode.user_confirmed,
        ":summary": episode.summary,
        ":version": episode.version,
    })?;
    if recorded_after(tx, row - 1, 1)? == had {
        return Ok(None);
    }
    reindex(tx, &episode.project_id, &episode.id, row)?;
    Ok(Some(row))
}

/// Removes an episode from the indexes and gives it a new row number, so that every index processes it again.
pub(crate) fn reindex(tx: &Tx<'_>, project_id: &ProjectId, id: &EpisodeId, row: i64) -> Result<()> {
    words::delete(tx, project_id, row)?;
    vectors::delete(tx, project_id, &sources::Episodes, id.as_str())?;
    // From SQLite's own sequence: row numbers are never reused.
    tx.prepare_cached("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'episodes'")?.execute([])?;
    tx.prepare_cached(
        "UPDATE episodes SET row = (SELECT seq FROM sqlite_sequence WHERE name = 'episodes') WHERE row = ?1",
    )?
    .execute([row])?;
    Ok(())
}

/// Deletes an episode with everything that belongs to it alone; returns its former row. The use counts of skills stay.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, id: &EpisodeId) -> Result<Option<i64>> {
    let Some(row) = tx
        .prepare_cached("SELECT row FROM episodes WHERE id = ?1 AND project_id = ?2")?
        .query_row(params![id, project_id], |row| row.get(0))
        .optional()?
    else {
        return Ok(None);
    };
    words::delete(tx, project_id, row)?;
    vectors::delete(tx, project_id, &sources::Episodes, id.as_str())?;
    tx.prepare_cached("DELETE FROM episode_features WHERE project_id = ?1 AND episode_id = ?2")?
        .execute(params![project_id, id])?;
    tx.prepare_cached("DELETE FROM episodes WHERE row = ?1")?.execute([row])?;
    Ok(Some(row))
}

/// Deletes an episode as the writer does, if it exists, including its skill use, and redacts its journal entries.
/// Returns the former rows of the indexes.
pub(crate) fn delete_as_writer(tx: &Tx<'_>, id: &EpisodeId) -> Result<Vec<i64>> {
    let found = get(tx, id)?;
    let project_id = found.as_ref().map(|(episode, _)| &episode.project_id);
    let mut removed_rows = journal::redact_about(tx, project_id, id.as_str())?;
    let Some((episode, _)) = found else { return Ok(removed_rows) };
    skill_usage::count_use(tx, &episode.project_id, episode.scene_type.as_deref(), &episode.skill_used, -1)?;
    removed_rows.extend(delete(tx, &episode.project_id, id)?);
    Ok(removed_rows)
}
