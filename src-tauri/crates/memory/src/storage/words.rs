//! The index of words: terms cut in Rust, found by FTS5, each behind the number of its book; and the terms of every text
//! in order, so that what was found can be scored exactly.
//!
//! Derived data: it can be thrown away and made again from the episodes at any time.

use std::collections::HashMap;

use palimpsest_text::terms;
use rusqlite::{Connection, OptionalExtension, params};

use super::Tx;
use crate::error::Result;

/// Names the way terms are cut. Another way is another name, and a new index beside the old one.
pub const MODEL: &str = "words-2";

/// So many of the rarest terms are looked for at most, and so many rows read for them: common terms find nothing in
/// particular and have the longest lists.
const TERMS_SEARCHED: usize = 16;
const ROWS_READ: u32 = 3_000;
/// The longest text that is indexed of an episode, in characters, counted from its end.
const INDEXED_CHARS: usize = 4_000;

/// The row up to which a background index has come.
pub fn watermark(db: &Connection, name: &str) -> Result<i64> {
    let found = db
        .prepare_cached("SELECT value FROM watermarks WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// Notes that a background index has come up to `row`.
pub fn set_watermark(tx: &Tx<'_>, name: &str, row: i64) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO watermarks (name, value) VALUES (?1, ?2) \
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
    )?
    .execute(params![name, row])?;
    Ok(())
}

/// A book in the index.
#[derive(Debug, Clone, Copy)]
pub struct Shelf {
    /// The small number that stands before its terms.
    key: i64,
    /// Texts in the index.
    pub documents: u32,
    /// Terms a text, on average.
    pub average_length: f64,
}

/// The book's place in the index, if it has one yet.
pub fn shelf(db: &Connection, project_id: &str) -> Result<Option<Shelf>> {
    let found = db
        .prepare_cached("SELECT project_key, documents, terms FROM project_keys WHERE project_id = ?1")?
        .query_row([project_id], |row| {
            let (documents, terms): (u32, f64) = (row.get(1)?, row.get(2)?);
            let average_length = terms / f64::from(documents.max(1));
            Ok(Shelf { key: row.get(0)?, documents, average_length })
        })
        .optional()?;
    Ok(found)
}

fn shelf_or_new(tx: &Tx<'_>, project_id: &str) -> Result<Shelf> {
    if let Some(shelf) = shelf(tx, project_id)? {
        return Ok(shelf);
    }
    tx.execute("INSERT INTO project_keys (project_id) VALUES (?1)", [project_id])?;
    Ok(Shelf { key: tx.last_insert_rowid(), documents: 0, average_length: 0.0 })
}

impl Shelf {
    /// A term behind the number of its book. The `x` keeps digits of the two apart.
    fn keyed(&self, term: &str) -> String {
        format!("{}x{term}", self.key)
    }
}

/// Four bytes for a term (FNV-1a). Two terms that share them are scored as one; among the thousands of a book that
/// happens about once.
#[must_use]
pub fn code(term: &str) -> u32 {
    term.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The terms of a text to be indexed, in order. Cutting them is most of the work, and needs no transaction.
#[must_use]
pub fn cut(text: &str) -> Vec<String> {
    terms::index_terms(last(text, INDEXED_CHARS))
}

/// Indexes the text of an episode by its terms. Indexing it again changes nothing.
pub fn index_episode(tx: &Tx<'_>, row: i64, id: &str, project_id: &str, terms: &[String]) -> Result<()> {
    // It was read before this transaction began: what was deleted since must not come back as terms.
    let is_there = tx.prepare_cached("SELECT 1 FROM episodes WHERE row = ?1 AND id = ?2")?.exists(params![row, id])?;
    if !is_there || tx.prepare_cached("SELECT 1 FROM word_rows WHERE row = ?1")?.exists([row])? {
        return Ok(());
    }
    let shelf = shelf_or_new(tx, project_id)?;
    let (mut joined, mut codes) = (String::new(), Vec::new());
    let prefix = shelf.keyed("");
    for term in terms {
        joined.push_str(&prefix);
        joined.push_str(term);
        joined.push(' ');
        codes.extend_from_slice(&code(term).to_le_bytes());
    }
    tx.prepare_cached(
        "INSERT INTO word_rows (row, owner_kind, owner_id, part, model, project_id, terms) \
         VALUES (?1, 'episode', ?2, 0, ?3, ?4, ?5)",
    )?
    .execute(params![row, id, MODEL, project_id, codes])?;
    tx.prepare_cached("INSERT INTO words (rowid, terms) VALUES (?1, ?2)")?.execute(params![row, joined])?;
    tx.prepare_cached("UPDATE project_keys SET documents = documents + 1, terms = terms + ?2 WHERE project_key = ?1")?
        .execute(params![shelf.key, u32::try_from(terms.len()).unwrap_or(u32::MAX)])?;
    Ok(())
}

/// Takes the text of an episode out of the index, if it is there.
pub fn forget(tx: &Tx<'_>, project_id: &str, row: i64) -> Result<()> {
    let gone = tx
        .prepare_cached("DELETE FROM word_rows WHERE row = ?1 AND project_id = ?2 RETURNING length(terms) / 4")?
        .query_row(params![row, project_id], |row| row.get::<_, u32>(0))
        .optional()?;
    let Some(terms) = gone else { return Ok(()) };
    tx.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([row])?;
    tx.prepare_cached(
        "UPDATE project_keys SET documents = max(documents - 1, 0), terms = max(terms - ?2, 0) WHERE project_id = ?1",
    )?
    .execute(params![project_id, terms])?;
    Ok(())
}

/// Merges at most `pages` pages of the index, and says whether there was anything to merge: a search looks into every
/// segment, and each step of indexing leaves one.
pub fn merge(tx: &Tx<'_>, pages: u32) -> Result<bool> {
    let before = tx.total_changes();
    tx.prepare_cached("INSERT INTO words (words, rank) VALUES ('merge', ?1)")?.execute([pages])?;
    // The command itself counts as one change (sqlite.org/fts5.html, section 6.7).
    Ok(tx.total_changes() - before >= 2)
}

/// Writes at most `pages` pages of the index anew, without the terms of texts that are gone: deleting a text only marks
/// it, and its terms stay where they are until then. `first` takes in all there is at that time; says whether there is
/// more to do.
pub fn purge(tx: &Tx<'_>, pages: i32, first: bool) -> Result<bool> {
    let before = tx.total_changes();
    // A negative number takes all segments together, whatever their sizes (sqlite.org/fts5.html, section 6.7).
    let pages = if first { -pages } else { pages };
    tx.prepare_cached("INSERT INTO words (words, rank) VALUES ('merge', ?1)")?.execute([pages])?;
    Ok(tx.total_changes() - before >= 2)
}

/// The same as [`purge`] for the whole index at once.
pub fn purge_whole(tx: &Tx<'_>) -> Result<()> {
    tx.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
    Ok(())
}

/// The last `chars` characters of a text.
#[must_use]
pub fn last(text: &str, chars: usize) -> &str {
    if text.len() <= chars {
        return text;
    }
    let start = text.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
    &text[start..]
}

/// In how many texts of the book a term occurs.
pub fn frequency(db: &Connection, shelf: &Shelf, term: &str) -> Result<u32> {
    let found = db
        .prepare_cached("SELECT doc FROM word_stats WHERE term = ?1")?
        .query_row([shelf.keyed(term)], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// The rows of a book that share terms with a query, those with the most rarity together first. `terms` are the query's,
/// each with the number of texts it occurs in and how much it says. Rare ones are looked for; where none is rare, the
/// rarest.
pub fn search(db: &Connection, shelf: &Shelf, terms: &[(String, u32, f64)], limit: usize) -> Result<Vec<i64>> {
    let mut known: Vec<&(String, u32, f64)> = terms.iter().filter(|(_, frequency, _)| *frequency > 0).collect();
    known.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    let mut statement = db.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
    let mut found: HashMap<i64, f64> = HashMap::new();
    let mut read = 0;
    for (term, frequency, rarity) in known.into_iter().take(TERMS_SEARCHED) {
        if read > 0 && read + frequency > ROWS_READ {
            break;
        }
        read += frequency;
        let mut rows = statement.query([format!("\"{}\"", shelf.keyed(term))])?;
        while let Some(row) = rows.next()? {
            *found.entry(row.get(0)?).or_default() += rarity;
        }
    }
    let mut best: Vec<(i64, f64)> = found.into_iter().collect();
    // Of equals the newer ones.
    let order = |a: &(i64, f64), b: &(i64, f64)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
    if best.len() > limit && limit > 0 {
        best.select_nth_unstable_by(limit - 1, order);
        best.truncate(limit);
    }
    Ok(best.into_iter().map(|(row, _)| row).collect())
}

/// Hands the terms of a text, in order, as codes, to `read`; `None` for one that is not indexed, or belongs to another
/// book.
pub fn with_codes<T>(
    db: &Connection,
    project_id: &str,
    row: i64,
    read: impl FnOnce(&mut dyn Iterator<Item = u32>) -> T,
) -> Result<Option<T>> {
    let found = db
        .prepare_cached("SELECT terms FROM word_rows WHERE row = ?1 AND project_id = ?2")?
        .query_row(params![row, project_id], |row| {
            let bytes = row.get_ref(0)?.as_blob()?;
            Ok(read(&mut bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))))
        })
        .optional()?;
    Ok(found)
}
