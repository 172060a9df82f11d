//! Rows of `vectors`. Derived data: recomputed from the texts whenever the model changes.

use std::collections::HashMap;

use palimpsest_vectors::Quantized;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    TextHash, Tx,
    columns::execute,
    name_of,
    sources::{SOURCES, Source},
};
use crate::{
    error::Result,
    model::{OwnerKind, ProjectId},
};

/// A vector to store.
#[derive(Debug)]
pub(crate) struct NewVector<'a> {
    /// UUID of the project.
    pub project_id: &'a ProjectId,
    /// Name of the encoder.
    pub model: &'a str,
    /// Kind of the owner.
    pub kind: OwnerKind,
    /// Id of the owner.
    pub owner_id: &'a str,
    /// Row number of the owner in the indexes.
    pub row: i64,
    /// 0 is the whole text, 1 and up its windows.
    pub part: u32,
    /// The first half of the BLAKE3 hash of the encoded text.
    pub content_hash: TextHash,
    pub vector: &'a Quantized,
}

/// Stores a vector of an owner that exists; the same one again changes nothing.
pub(crate) fn upsert(tx: &Tx<'_>, new: &NewVector<'_>) -> Result<()> {
    let bytes: Vec<u8> = new.vector.bytes.iter().map(|byte| byte.cast_unsigned()).collect();
    let statement = tx.prepare_cached(
        "INSERT INTO vectors (project_id, model, owner_kind, owner_id, part, owner_row, content_hash, scale, bytes) \
         VALUES (:project_id, :model, :owner_kind, :owner_id, :part, :owner_row, :content_hash, :scale, :bytes) \
         ON CONFLICT DO UPDATE SET owner_row = excluded.owner_row, content_hash = excluded.content_hash, \
         scale = excluded.scale, bytes = excluded.bytes",
    )?;
    execute(
        statement,
        named_params! {
            ":project_id": new.project_id,
            ":model": new.model,
            ":owner_kind": name_of(new.kind),
            ":owner_id": new.owner_id,
            ":part": new.part,
            ":owner_row": new.row,
            ":content_hash": new.content_hash,
            ":scale": f64::from(new.vector.scale),
            ":bytes": bytes,
        },
    )?;
    Ok(())
}

/// The name of the watermark of a source's vectors of a model.
pub(crate) fn mark(source: &dyn Source, model: &str) -> String {
    source.mark(&format!("vectors:{model}"))
}

/// Deletes the vectors of an owner, of every model with a watermark. (Those of other models are being dropped anyway.)
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, source: &dyn Source, owner_id: &str) -> Result<()> {
    let models: Vec<String> = tx
        .prepare_cached("SELECT substr(name, length(?1) + 1) FROM watermarks WHERE substr(name, 1, length(?1)) = ?1")?
        .query_map([mark(source, "")], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    // One model at a time: the vectors of a book are in the order of their models.
    let mut statement = tx.prepare_cached(
        "DELETE FROM vectors WHERE project_id = ?1 AND model = ?2 AND owner_kind = ?4 AND owner_id = ?3",
    )?;
    for model in models {
        for kind in source.kinds() {
            statement.execute(params![project_id, &model, owner_id, name_of(*kind)])?;
        }
    }
    Ok(())
}

/// Passes every vector of a kind, project and model to `each`: the owner's row, the part, the bytes and their scale.
/// Parts of one owner come together, in order.
pub(crate) fn each(
    db: &Connection,
    project_id: &ProjectId,
    model: &str,
    kind: OwnerKind,
    mut tell: impl FnMut(i64, u32, &[i8], f32),
) -> Result<()> {
    let mut statement = db.prepare_cached(
        "SELECT owner_row, part, scale, bytes FROM vectors WHERE project_id = ?1 AND model = ?2 AND owner_kind = ?3 \
         ORDER BY owner_id, part",
    )?;
    let mut rows = statement.query(params![project_id, model, name_of(kind)])?;
    let mut bytes: Vec<i8> = Vec::new();
    while let Some(row) = rows.next()? {
        bytes.clear();
        bytes.extend(row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?.iter().map(|byte| byte.cast_signed()));
        let scale: f64 = row.get(2)?;
        tell(row.get(0)?, row.get(1)?, &bytes, scale as f32);
    }
    Ok(())
}

/// The vectors of whole texts of a kind, by id of the owner.
pub(crate) fn of_kind(db: &Connection, project_id: &ProjectId, kind: OwnerKind) -> Result<HashMap<String, Vec<f32>>> {
    let mut statement = db.prepare_cached(
        "SELECT owner_id, scale, bytes FROM vectors WHERE project_id = ?1 AND owner_kind = ?2 AND part = 0",
    )?;
    let vector = |row: &Row<'_>| {
        let (scale, bytes) = (row.get::<_, f64>(1)? as f32, row.get_ref(2)?.as_blob()?);
        Ok((row.get(0)?, bytes.iter().map(|byte| f32::from(byte.cast_signed()) * scale).collect()))
    };
    Ok(statement.query_map(params![project_id, name_of(kind)], vector)?.collect::<Result<_, _>>()?)
}

/// Number of vectors of a kind, project and model.
pub(crate) fn count(db: &Connection, project_id: &ProjectId, model: &str, kind: OwnerKind) -> Result<u32> {
    let mut statement =
        db.prepare_cached("SELECT count(*) FROM vectors WHERE project_id = ?1 AND model = ?2 AND owner_kind = ?3")?;
    Ok(statement.query_row(params![project_id, model, name_of(kind)], |row| row.get(0))?)
}

/// A project and a model outside the given ones with vectors, if there is any. Skips from project to project by the
/// key: a scan of a full project would take as long as loading it.
pub(crate) fn others(db: &Connection, used_models: [&str; 2]) -> Result<Option<(String, String)>> {
    let [first, last] = if used_models[0] <= used_models[1] { used_models } else { [used_models[1], used_models[0]] };
    let found = db
        .prepare_cached(
            "WITH RECURSIVE books (id) AS (\
               SELECT min(project_id) FROM vectors \
               UNION ALL \
               SELECT (SELECT min(project_id) FROM vectors WHERE project_id > id) FROM books WHERE id IS NOT NULL), \
             models (id, model) AS (\
               SELECT id, coalesce(\
                 (SELECT min(model) FROM vectors WHERE project_id = id AND model < ?1), \
                 (SELECT min(model) FROM vectors WHERE project_id = id AND model > ?1 AND model < ?2), \
                 (SELECT min(model) FROM vectors WHERE project_id = id AND model > ?2)) \
               FROM books) \
             SELECT id, model FROM models WHERE model IS NOT NULL LIMIT 1",
        )?
        .query_row([first, last], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found)
}

/// Deletes at most `limit` vectors of a project and model, and the watermarks of models other than the current ones;
/// returns the number of deleted vectors.
pub(crate) fn drop_some(tx: &Tx<'_>, of: (&str, &str), used_models: [&str; 2], limit: u32) -> Result<usize> {
    // First, and every time: a model that returns later has no vectors, and must start from row 0.
    for source in SOURCES {
        let used = used_models.map(|model| mark(*source, model));
        tx.prepare_cached("DELETE FROM watermarks WHERE substr(name, 1, length(?1)) = ?1 AND name NOT IN (?2, ?3)")?
            .execute(params![mark(*source, ""), used[0], used[1]])?;
    }
    let mut statement = tx.prepare_cached(
        "DELETE FROM vectors WHERE (project_id, model, owner_kind, owner_id, part) IN \
         (SELECT project_id, model, owner_kind, owner_id, part FROM vectors WHERE project_id = ?1 AND model = ?2 LIMIT ?3)",
    )?;
    Ok(statement.execute(params![of.0, of.1, limit])?)
}
