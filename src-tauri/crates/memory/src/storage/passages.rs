//! Rows of `passages` and `analyzed_chapters`.

use std::{collections::HashMap, sync::LazyLock};

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    TextHash, Tx,
    columns::{columns, execute},
    name_of,
    sources::{IndexedText, Passages},
    tagged_passages, vectors, words,
};
use crate::{
    error::Result,
    model::{ChapterId, OwnerKind, Passage, ProjectId, Time},
};

columns! {
    /// The columns of a [`Passage`].
    columns of "passages":
    passage_id, chapter_id, range_from, range_to, text,
}

static AT_OFFSET: LazyLock<String> = LazyLock::new(|| {
    columns::select("WHERE project_id = ?1 AND chapter_id = ?2 AND range_from <= ?3 ORDER BY range_from DESC LIMIT 1")
});
static AFTER: LazyLock<String> = LazyLock::new(|| {
    columns::select("WHERE project_id = ?1 AND chapter_id = ?2 AND range_from >= ?3 ORDER BY range_from LIMIT 1")
});
static BY_ROW: LazyLock<String> = LazyLock::new(|| columns::select("WHERE row = ?1 AND project_id = ?2"));

/// The stored passage of a chapter, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredPassage {
    /// Row number in its own table.
    pub row: i64,
    pub id: String,
    pub content_hash: TextHash,
}

/// The place of a passage in its chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub ordinal: u32,
    /// Start in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
}

/// The place of a passage in its book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassagePlace {
    pub chapter_id: ChapterId,
    /// Start in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
}

/// A passage to store.
#[derive(Debug)]
pub(crate) struct NewPassage<'a> {
    pub id: String,
    pub place: Place,
    pub content_hash: TextHash,
    pub text: &'a str,
}

/// The passages of a chapter, in order.
pub(crate) fn in_chapter(
    db: &Connection,
    project_id: &ProjectId,
    chapter_id: &ChapterId,
) -> Result<Vec<StoredPassage>> {
    let mut statement = db.prepare_cached(
        "SELECT row, passage_id, content_hash FROM passages WHERE project_id = ?1 AND chapter_id = ?2 ORDER BY ordinal, row",
    )?;
    let stored = |row: &Row<'_>| Ok(StoredPassage { row: row.get(0)?, id: row.get(1)?, content_hash: row.get(2)? });
    Ok(statement.query_map(params![project_id, chapter_id], stored)?.collect::<Result<_, _>>()?)
}

/// Stores a passage of a chapter.
pub(crate) fn insert(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    chapter_id: &ChapterId,
    passage: &NewPassage<'_>,
) -> Result<()> {
    let statement = tx.prepare_cached(
        "INSERT INTO passages (passage_id, project_id, chapter_id, ordinal, range_from, range_to, content_hash, text) \
         VALUES (:passage_id, :project_id, :chapter_id, :ordinal, :range_from, :range_to, :content_hash, :text)",
    )?;
    execute(
        statement,
        named_params! {
            ":passage_id": passage.id,
            ":project_id": project_id,
            ":chapter_id": chapter_id,
            ":ordinal": passage.place.ordinal,
            ":range_from": passage.place.from,
            ":range_to": passage.place.to,
            ":content_hash": passage.content_hash,
            ":text": passage.text,
        },
    )?;
    Ok(())
}

/// Sets the place of a passage in its chapter.
pub(crate) fn set_place(tx: &Tx<'_>, row: i64, place: Place) -> Result<()> {
    tx.prepare_cached("UPDATE passages SET ordinal = ?2, range_from = ?3, range_to = ?4 WHERE row = ?1")?
        .execute(params![row, place.ordinal, place.from, place.to])?;
    Ok(())
}

/// Deletes a passage with its words and vectors; returns its row in the indexes.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, passage: &StoredPassage) -> Result<i64> {
    let row = OwnerKind::Passage.index_row(passage.row);
    words::delete(tx, project_id, row)?;
    vectors::delete(tx, project_id, &Passages, &passage.id)?;
    tagged_passages::delete(tx, passage.row)?;
    tx.prepare_cached("DELETE FROM passages WHERE row = ?1")?.execute([passage.row])?;
    Ok(row)
}

fn passage(row: &Row<'_>) -> Result<Passage, rusqlite::Error> {
    Ok(Passage {
        passage_id: row.get(columns::passage_id)?,
        chapter_id: row.get(columns::chapter_id)?,
        from: row.get(columns::range_from)?,
        to: row.get(columns::range_to)?,
        text: row.get(columns::text)?,
    })
}

/// The passage of a chapter that an offset is in or behind, in UTF-16 code units.
pub(crate) fn at(
    db: &Connection,
    project_id: &ProjectId,
    chapter_id: &ChapterId,
    offset: u32,
) -> Result<Option<Passage>> {
    let mut statement = db.prepare_cached(&AT_OFFSET)?;
    Ok(statement.query_row(params![project_id, chapter_id, offset], passage).optional()?)
}

/// The first passage of a chapter that begins at an offset or behind it, in UTF-16 code units.
pub(crate) fn after(
    db: &Connection,
    project_id: &ProjectId,
    chapter_id: &ChapterId,
    offset: u32,
) -> Result<Option<Passage>> {
    let mut statement = db.prepare_cached(&AFTER)?;
    Ok(statement.query_row(params![project_id, chapter_id, offset], passage).optional()?)
}

/// A passage by its row in the indexes; `None` if it does not exist any more.
pub(crate) fn by_index_row(db: &Connection, project_id: &ProjectId, row: i64) -> Result<Option<Passage>> {
    let mut statement = db.prepare_cached(&BY_ROW)?;
    Ok(statement.query_row(params![OwnerKind::own_row(row), project_id], passage).optional()?)
}

/// The texts of the passages of a book by chapter, each in the order of its chapter.
pub(crate) fn texts_by_chapter(db: &Connection, project_id: &ProjectId) -> Result<HashMap<ChapterId, String>> {
    let mut statement =
        db.prepare_cached("SELECT chapter_id, text FROM passages WHERE project_id = ?1 ORDER BY chapter_id, ordinal")?;
    let mut rows = statement.query([project_id])?;
    let mut texts: HashMap<ChapterId, String> = HashMap::new();
    while let Some(row) = rows.next()? {
        let text = texts.entry(row.get(0)?).or_default();
        text.push_str(row.get_ref(1)?.as_str().unwrap_or_default());
        text.push_str("\n\n");
    }
    Ok(texts)
}

/// Where each passage of a book is, by its row in the indexes.
pub(crate) fn places(db: &Connection, project_id: &ProjectId) -> Result<HashMap<i64, PassagePlace>> {
    let mut statement =
        db.prepare_cached("SELECT row, chapter_id, range_from, range_to FROM passages WHERE project_id = ?1")?;
    let place = |row: &Row<'_>| {
        let place = PassagePlace { chapter_id: row.get(1)?, from: row.get(2)?, to: row.get(3)? };
        Ok((OwnerKind::Passage.index_row(row.get(0)?), place))
    };
    Ok(statement.query_map([project_id], place)?.collect::<Result<_, _>>()?)
}

/// The first `limit` passages after a row of the indexes, as texts to be indexed.
pub(crate) fn texts_after(db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
    let mut statement = db.prepare_cached(
        "SELECT row, passage_id, project_id, text FROM passages WHERE row > ?1 ORDER BY row LIMIT ?2",
    )?;
    let text = |row: &Row<'_>| {
        Ok(IndexedText {
            row: OwnerKind::Passage.index_row(row.get(0)?),
            id: row.get(1)?,
            project_id: row.get(2)?,
            kind: OwnerKind::Passage,
            text: row.get(3)?,
        })
    };
    Ok(statement.query_map(params![OwnerKind::own_row(row), limit], text)?.collect::<Result<_, _>>()?)
}

/// Number of passages after a row of the indexes; of all books.
pub(crate) fn count_after(db: &Connection, row: i64) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM passages WHERE row > ?1")?;
    Ok(statement.query_row([OwnerKind::own_row(row)], |row| row.get(0))?)
}

/// Whether there is a passage after a row of the indexes.
pub(crate) fn is_any_after(db: &Connection, row: i64) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM passages WHERE row > ?1 LIMIT 1")?.exists([OwnerKind::own_row(row)])?)
}

/// Whether the passage in a row of the indexes has this id.
pub(crate) fn has_id(db: &Connection, row: i64, id: &str) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT 1 FROM passages WHERE row = ?1 AND passage_id = ?2")?;
    Ok(statement.exists(params![OwnerKind::own_row(row), id])?)
}

/// Number of passages of a book.
pub(crate) fn count(db: &Connection, project_id: &ProjectId) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM passages WHERE project_id = ?1")?;
    Ok(statement.query_row([project_id], |row| row.get(0))?)
}

/// The chapters of a book that were analyzed by this version of the rules, each with its content hash.
pub(crate) fn analyzed_chapters(
    db: &Connection,
    project_id: &ProjectId,
    version: u32,
) -> Result<HashMap<ChapterId, String>> {
    let mut statement = db.prepare_cached(
        "SELECT chapter_id, content_hash FROM analyzed_chapters WHERE project_id = ?1 AND version = ?2",
    )?;
    let rows = statement.query_map(params![project_id, version], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether the passages of a chapter are those of a content hash, made by this version of the rules.
pub(crate) fn is_analyzed(
    db: &Connection,
    project_id: &ProjectId,
    chapter_id: &ChapterId,
    (content_hash, version): (&str, u32),
) -> Result<bool> {
    let mut statement = db.prepare_cached(
        "SELECT 1 FROM analyzed_chapters \
         WHERE project_id = ?1 AND chapter_id = ?2 AND content_hash = ?3 AND version = ?4",
    )?;
    Ok(statement.exists(params![project_id, chapter_id, content_hash, version])?)
}

/// The chapters of a book that have passages or were analyzed.
pub(crate) fn known_chapters(db: &Connection, project_id: &ProjectId) -> Result<Vec<ChapterId>> {
    let mut statement = db.prepare_cached(
        "SELECT DISTINCT chapter_id FROM passages WHERE project_id = ?1 \
         UNION SELECT chapter_id FROM analyzed_chapters WHERE project_id = ?1",
    )?;
    Ok(statement.query_map([project_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Records that the passages of a chapter are those of a text, made by a version of the rules at a time; `None` while
/// they are replaced.
pub(crate) fn set_analyzed(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    chapter_id: &ChapterId,
    analyzed: Option<(&str, u32, Time)>,
) -> Result<()> {
    match analyzed {
        Some((content_hash, version, analyzed_at)) => tx
            .prepare_cached(
                "INSERT OR REPLACE INTO analyzed_chapters \
                 (project_id, chapter_id, content_hash, version, analyzed_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![project_id, chapter_id, content_hash, version, analyzed_at.millis()])?,
        None => tx
            .prepare_cached("DELETE FROM analyzed_chapters WHERE project_id = ?1 AND chapter_id = ?2")?
            .execute(params![project_id, chapter_id])?,
    };
    Ok(())
}

/// Deletes all passages with their words and vectors from a copy of the file; returns whether there were any. A file of
/// an older version has none.
pub(crate) fn delete_all(copy: &Connection) -> Result<bool> {
    let has_table = |name: &str| -> Result<bool> {
        Ok(copy.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")?.exists([name])?)
    };
    if has_table("tagged_passages")? {
        copy.execute_batch("DELETE FROM tagged_passages; DELETE FROM chapter_order")?;
    }
    if !has_table("passages")? || !copy.prepare("SELECT 1 FROM passages LIMIT 1")?.exists([])? {
        return Ok(false);
    }
    let kind = name_of(OwnerKind::Passage);
    copy.execute_batch("BEGIN")?;
    copy.execute("DELETE FROM words WHERE rowid IN (SELECT row FROM word_rows WHERE owner_kind = ?1)", [kind])?;
    for table in ["word_rows", "vectors", "index_stats"] {
        copy.execute(&format!("DELETE FROM {table} WHERE owner_kind = ?1"), [kind])?;
    }
    copy.execute_batch("DELETE FROM passages; DELETE FROM analyzed_chapters; COMMIT")?;
    Ok(true)
}
