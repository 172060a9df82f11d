//! The index of words: terms cut in Rust, kept and ranked by FTS5, each behind the number of its book.
//!
//! Derived data: it can be thrown away and made again from the episodes at any time.

use palimpsest_text::terms;
use rusqlite::{Connection, OptionalExtension, params};

use super::Tx;
use crate::error::Result;

/// Names the way terms are cut. Another way is another name, and a new index beside the old one.
pub const MODEL: &str = "words-1";

/// The index remembers how far it has come under this name.
const WATERMARK: &str = "words-1";

/// A term that occurs in more than this share of a book's episodes finds nothing in particular.
const COMMON_SHARE: f64 = 0.005;
/// Below this many episodes a term is rare enough whatever its share.
const COMMON_FLOOR: u32 = 20;
/// So many of the rarest terms are looked for; more cost time and add nothing (measured, see the benchmark).
const TERMS_SEARCHED: usize = 8;
/// A long query is asked about at most so many of its terms, spread over it.
const TERMS_WEIGHED: usize = 64;
/// The longest text that is indexed of an episode; a passage is found by its end as well as by its beginning.
const INDEXED_CHARS: usize = 4_000;

/// The row up to which episodes are indexed.
pub fn watermark(db: &Connection) -> Result<i64> {
    let found = db
        .prepare_cached("SELECT value FROM watermarks WHERE name = ?1")?
        .query_row([WATERMARK], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// Notes that episodes up to `row` are indexed.
pub fn set_watermark(tx: &Tx<'_>, row: i64) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO watermarks (name, value) VALUES (?1, ?2) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )?
    .execute(params![WATERMARK, row])?;
    Ok(())
}

/// The small number of a book, if it has one yet.
fn project_key(db: &Connection, project_id: &str) -> Result<Option<i64>> {
    let found = db
        .prepare_cached("SELECT project_key FROM project_keys WHERE project_id = ?1")?
        .query_row([project_id], |row| row.get(0))
        .optional()?;
    Ok(found)
}

fn project_key_or_new(tx: &Tx<'_>, project_id: &str) -> Result<i64> {
    if let Some(key) = project_key(tx, project_id)? {
        return Ok(key);
    }
    tx.execute("INSERT INTO project_keys (project_id) VALUES (?1)", [project_id])?;
    Ok(tx.last_insert_rowid())
}

/// A term behind the number of its book. The `x` keeps digits of the two apart.
fn keyed(key: i64, term: &str) -> String {
    format!("{key}x{term}")
}

/// Indexes the text of an episode. Indexing it again changes nothing.
pub fn index_episode(tx: &Tx<'_>, row: i64, id: &str, project_id: &str, text: &str) -> Result<()> {
    let known = tx.prepare_cached("SELECT 1 FROM word_rows WHERE row = ?1")?.exists([row])?;
    if known {
        return Ok(());
    }
    let key = project_key_or_new(tx, project_id)?;
    let mut joined = String::new();
    for term in terms::index_terms(ends_of(text)) {
        joined.push_str(&keyed(key, &term));
        joined.push(' ');
    }
    tx.prepare_cached(
        "INSERT INTO word_rows (row, owner_kind, owner_id, part, model, project_id) \
         VALUES (?1, 'episode', ?2, 0, ?3, ?4)",
    )?
    .execute(params![row, id, MODEL, project_id])?;
    tx.prepare_cached("INSERT INTO words (rowid, terms) VALUES (?1, ?2)")?.execute(params![row, joined])?;
    Ok(())
}

/// The last part of a text that is too long to be indexed whole.
fn ends_of(text: &str) -> &str {
    let chars = text.chars().count();
    let skipped = chars.saturating_sub(INDEXED_CHARS);
    text.char_indices().nth(skipped).map_or("", |(start, _)| &text[start..])
}

/// A row that shares words with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The episode's row.
    pub row: i64,
    /// BM25, greater is better.
    pub score: f64,
}

/// The rows of a book that share rare words with `query`, best first.
pub fn search(db: &Connection, project_id: &str, query: &str, limit: u32) -> Result<Vec<Match>> {
    let Some(key) = project_key(db, project_id)? else {
        return Ok(Vec::new());
    };
    let rare = rarest(db, project_id, key, &terms::query_terms(query))?;
    if rare.is_empty() {
        return Ok(Vec::new());
    }
    let expression = rare.iter().map(|term| format!("\"{term}\"")).collect::<Vec<_>>().join(" OR ");
    let mut statement =
        db.prepare_cached("SELECT rowid, -bm25(words) FROM words WHERE words MATCH ?1 ORDER BY bm25(words) LIMIT ?2")?;
    let rows =
        statement.query_map(params![expression, limit], |row| Ok(Match { row: row.get(0)?, score: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The rarest terms of a query that the book has at all, keyed. Where none is rare, the rarest one.
fn rarest(db: &Connection, project_id: &str, key: i64, query: &[String]) -> Result<Vec<String>> {
    let documents: u32 = db
        .prepare_cached("SELECT count(*) FROM episodes WHERE project_id = ?1")?
        .query_row([project_id], |row| row.get(0))?;
    let step = query.len().div_ceil(TERMS_WEIGHED).max(1);
    let mut statement = db.prepare_cached("SELECT doc FROM word_stats WHERE term = ?1")?;
    let mut found: Vec<(u32, String)> = Vec::new();
    for term in query.iter().step_by(step) {
        let term = keyed(key, term);
        let frequency: Option<u32> = statement.query_row([&term], |row| row.get(0)).optional()?;
        if let Some(frequency) = frequency {
            found.push((frequency, term));
        }
    }
    found.sort();
    let common = (f64::from(documents) * COMMON_SHARE).max(f64::from(COMMON_FLOOR));
    let rare = found.iter().take_while(|(frequency, _)| f64::from(*frequency) <= common).count().max(1);
    Ok(found.into_iter().take(rare.min(TERMS_SEARCHED)).map(|(_, term)| term).collect())
}
