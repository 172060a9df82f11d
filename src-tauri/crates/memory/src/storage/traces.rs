//! Rows of `traces`. Written when the generation starts. Once the model writes, only the chapter changes: when the
//! passage moves to another one.

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    lines::Line,
    stored,
};
use crate::{
    error::{Code, Error, Result},
    model::{ChapterId, GenerationId, ProjectId, Reference, Time, Trace},
};

columns! {
    /// The columns of a [`Trace`].
    columns of "traces":
    generation_id, project_id, chapter_id, skill, scene_type, created_at, provider, seed, prompt_hash, messages,
    refs, cut, total_tokens, degraded, seal, blanked_at, first_try,
}

static INSERT: LazyLock<String> = LazyLock::new(|| columns::insert(""));
static BY_ID: LazyLock<String> = LazyLock::new(|| columns::select("WHERE generation_id = ?1"));

/// Inserts the trace of a generation.
pub(crate) fn insert(tx: &Tx<'_>, trace: &Trace) -> Result<()> {
    let (messages, references) = (stored::json(&trace.messages)?, stored::json(&trace.references)?);
    let seal = seal(&trace.prompt_hash, &messages, &references);
    execute(
        tx.prepare_cached(&INSERT)?,
        named_params! {
            ":generation_id": trace.generation_id,
            ":project_id": trace.project_id,
            ":chapter_id": trace.chapter_id,
            ":skill": trace.skill,
            ":scene_type": trace.scene_type,
            ":created_at": trace.created_at.millis(),
            ":provider": stored::json(&trace.provider)?,
            ":seed": trace.seed,
            ":prompt_hash": trace.prompt_hash,
            ":messages": messages,
            ":refs": references,
            ":cut": stored::json(&trace.cut)?,
            ":total_tokens": trace.total_tokens,
            ":degraded": stored::json(&trace.degraded_reasons)?,
            ":seal": seal,
            ":blanked_at": trace.blanked_at.map(Time::millis),
            ":first_try": trace.first_try,
        },
    )?;
    Ok(())
}

/// Deletes the trace of a generation whose model has not started to write.
pub(crate) fn delete(tx: &Tx<'_>, generation_id: &GenerationId) -> Result<()> {
    tx.prepare_cached("DELETE FROM traces WHERE generation_id = ?1")?.execute([generation_id])?;
    Ok(())
}

/// The trace of a generation, of any project: the caller has to compare the project. The row does not include the
/// result of the generation.
///
/// # Errors
/// `MEMORY_TRACE_MISMATCH` if prompt and references do not match the seal.
pub(crate) fn get(db: &Connection, generation_id: &GenerationId) -> Result<Option<Trace>> {
    let mut statement = db.prepare_cached(&BY_ID)?;
    let mut rows = statement.query([generation_id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    if let Some(stored_seal) = row.get_ref(columns::seal)?.as_str_or_null().map_err(rusqlite::Error::from)? {
        let text = |column: usize| -> Result<&str, rusqlite::Error> { Ok(row.get_ref(column)?.as_str()?) };
        if stored_seal != seal(text(columns::prompt_hash)?, text(columns::messages)?, text(columns::refs)?) {
            return Err(Error::new(Code::TraceMismatch, "the trace does not agree with its own references"));
        }
    }
    let read = || -> Result<Trace, rusqlite::Error> {
        let degraded_reasons = stored::read_reasons(row.get_ref(columns::degraded)?.as_str()?)?;
        Ok(Trace {
            generation_id: row.get(columns::generation_id)?,
            project_id: row.get(columns::project_id)?,
            chapter_id: row.get(columns::chapter_id)?,
            skill: row.get(columns::skill)?,
            scene_type: row.get(columns::scene_type)?,
            created_at: Time::from_millis(row.get(columns::created_at)?),
            provider: stored::parse(&row.get::<_, String>(columns::provider)?)?,
            seed: row.get(columns::seed)?,
            prompt_hash: row.get(columns::prompt_hash)?,
            messages: stored::parse(&row.get::<_, String>(columns::messages)?)?,
            references: stored::parse(&row.get::<_, String>(columns::refs)?)?,
            cut: stored::parse(&row.get::<_, String>(columns::cut)?)?,
            total_tokens: row.get(columns::total_tokens)?,
            memory_degraded: !degraded_reasons.is_empty(),
            degraded_reasons,
            feedback: Vec::new(),
            influences: Vec::new(),
            episode_id: None,
            outcome: None,
            blanked_at: row.get::<_, Option<i64>>(columns::blanked_at)?.map(Time::from_millis),
            first_try: row.get(columns::first_try)?,
            second_try: None,
        })
    };
    Ok(Some(read()?))
}

/// The generation of a project that is the second try of another one.
pub(crate) fn second_try_of(
    db: &Connection,
    project_id: &ProjectId,
    first: &GenerationId,
) -> Result<Option<GenerationId>> {
    let sql = "SELECT generation_id FROM traces WHERE first_try = ?1 AND project_id = ?2";
    Ok(db.prepare_cached(sql)?.query_row(params![first, project_id], |row| row.get(0)).optional()?)
}

/// The generations with a trace in a chapter, in the order of their start.
pub(crate) fn of_chapter(db: &Connection, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<Vec<GenerationId>> {
    let mut statement = db.prepare_cached(
        "SELECT generation_id FROM traces WHERE project_id = ?1 AND chapter_id = ?2 ORDER BY created_at, generation_id",
    )?;
    Ok(statement.query_map(params![project_id, chapter_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Moves a trace from one chapter to another; without effect on one of a third chapter. The seal does not include the
/// chapter.
pub(crate) fn set_chapter(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    generation_id: &GenerationId,
    from: &ChapterId,
    to: &ChapterId,
) -> Result<()> {
    tx.prepare_cached(
        "UPDATE traces SET chapter_id = ?4 WHERE project_id = ?1 AND generation_id = ?2 AND chapter_id = ?3",
    )?
    .execute(params![project_id, generation_id, from, to])?;
    Ok(())
}

/// The seal of a trace, empty for a trace older than seals; `None` if the project has no such trace (any more).
pub(crate) fn seal_of(db: &Connection, project_id: &ProjectId, generation_id: &GenerationId) -> Result<Option<String>> {
    let mut statement =
        db.prepare_cached("SELECT coalesce(seal, '') FROM traces WHERE generation_id = ?1 AND project_id = ?2")?;
    Ok(statement.query_row(params![generation_id, project_id], |row| row.get(0)).optional()?)
}

/// Whether a row matches its seal; a row older than seals is accepted.
pub(super) fn holds(row: &Row<'_>) -> Result<bool, rusqlite::Error> {
    let text = |column: &str| -> Result<&str, rusqlite::Error> { Ok(row.get_ref(column)?.as_str()?) };
    let Some(stored_seal) = row.get_ref("seal")?.as_str_or_null()? else { return Ok(true) };
    Ok(stored_seal == seal(text("prompt_hash")?, text("messages")?, text("refs")?))
}

/// The seal of an imported trace.
pub(crate) fn seal_of_line(line: &Line) -> String {
    let text = |column: &str| line.text(column).unwrap_or_default();
    seal(text("prompt_hash"), text("messages"), text("refs"))
}

/// The seal over prompt and references: BLAKE3, hexadecimal.
pub(super) fn seal(prompt_hash: &str, messages: &str, references: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [prompt_hash, messages, references] {
        hasher.update(part.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex().to_string()
}

/// The project of a generation, even if its trace is deleted: the writer's decision is recorded in any case.
pub(crate) fn project_of(db: &Connection, generation_id: &GenerationId) -> Result<Option<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM traces WHERE generation_id = ?1")?;
    Ok(statement.query_row([generation_id], |row| row.get(0)).optional()?)
}

/// The references of a generation; `None` without a trace.
pub(crate) fn references(db: &Connection, generation_id: &GenerationId) -> Result<Option<Vec<Reference>>> {
    let mut statement = db.prepare_cached("SELECT refs FROM traces WHERE generation_id = ?1")?;
    Ok(statement.query_row([generation_id], |row| stored::parse(row.get_ref(0)?.as_str()?)).optional()?)
}

/// The project of each known generation, whether its trace is deleted or not.
pub(crate) fn owners(db: &Connection) -> Result<Vec<(GenerationId, ProjectId)>> {
    let mut statement = db.prepare_cached(
        "SELECT generation_id, project_id FROM traces UNION \
         SELECT generation_id, project_id FROM episodes WHERE generation_id IS NOT NULL UNION \
         SELECT generation_id, project_id FROM drafts UNION SELECT generation_id, project_id FROM influences UNION \
         SELECT generation_id, project_id FROM trace_feedback UNION SELECT generation_id, project_id FROM origins",
    )?;
    Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// The skill of a generation in a project, for the mark beside its passage.
pub(crate) fn skill_of(
    db: &Connection,
    project_id: &ProjectId,
    generation_id: &GenerationId,
) -> Result<Option<String>> {
    let mut statement = db.prepare_cached("SELECT skill FROM traces WHERE generation_id = ?1 AND project_id = ?2")?;
    Ok(statement.query_row(params![generation_id, project_id], |row| row.get(0)).optional()?)
}
