//! The index of words: terms cut in Rust, found by FTS5, each behind the number of its book; and the terms of every text
//! in order, so that what was found can be scored exactly.
//!
//! Derived data: it can be thrown away and made again from the episodes at any time.

use std::collections::HashMap;

use palimpsest_text::terms;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Owner, Tx};
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
    episodes: Extent,
    summaries: Extent,
}

/// How much there is of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Extent {
    /// Texts in the index.
    pub documents: u32,
    /// Terms a text, on average.
    pub average_length: f64,
}

/// The book's place in the index, if it has one yet.
pub fn shelf(db: &Connection, project_id: &str) -> Result<Option<Shelf>> {
    let extent = |documents: u32, terms: f64| Extent { documents, average_length: terms / f64::from(documents.max(1)) };
    let found = db
        .prepare_cached(
            "SELECT project_key, documents, terms, summaries, summary_terms FROM project_keys WHERE project_id = ?1",
        )?
        .query_row([project_id], |row| {
            Ok(Shelf {
                key: row.get(0)?,
                episodes: extent(row.get(1)?, row.get(2)?),
                summaries: extent(row.get(3)?, row.get(4)?),
            })
        })
        .optional()?;
    Ok(found)
}

fn shelf_or_new(tx: &Tx<'_>, project_id: &str) -> Result<Shelf> {
    if let Some(shelf) = shelf(tx, project_id)? {
        return Ok(shelf);
    }
    tx.execute("INSERT INTO project_keys (project_id) VALUES (?1)", [project_id])?;
    Ok(Shelf { key: tx.last_insert_rowid(), episodes: Extent::default(), summaries: Extent::default() })
}

impl Shelf {
    /// How much there is of one kind.
    #[must_use]
    pub fn extent(&self, owner: Owner) -> Extent {
        match owner {
            Owner::Episode => self.episodes,
            Owner::Summary => self.summaries,
        }
    }

    /// A term behind the number of its book. The letter keeps digits of the two apart, and the kinds.
    fn keyed(&self, owner: Owner, term: &str) -> String {
        let letter = match owner {
            Owner::Episode => 'x',
            Owner::Summary => 's',
        };
        format!("{}{letter}{term}", self.key)
    }
}

/// Counts a text of a book in or out.
fn count(tx: &Tx<'_>, project_id: &str, owner: Owner, documents: i32, terms: i64) -> Result<()> {
    let sql = match owner {
        Owner::Episode => {
            "UPDATE project_keys SET documents = max(documents + ?2, 0), terms = max(terms + ?3, 0) WHERE project_id = ?1"
        }
        Owner::Summary => {
            "UPDATE project_keys SET summaries = max(summaries + ?2, 0), summary_terms = max(summary_terms + ?3, 0) \
             WHERE project_id = ?1"
        }
    };
    tx.prepare_cached(sql)?.execute(params![project_id, documents, terms])?;
    Ok(())
}

/// The terms of a text to be indexed, in order. Cutting them is most of the work, and needs no transaction.
#[must_use]
pub fn cut(text: &str) -> Vec<String> {
    terms::index_terms(last(text, INDEXED_CHARS))
}

/// A text to be indexed: an episode's own, or its summary.
#[derive(Debug)]
pub struct NewText<'a> {
    /// The book.
    pub project_id: &'a str,
    /// The episode's row.
    pub row: i64,
    /// The episode.
    pub id: &'a str,
    /// Which of its texts.
    pub owner: Owner,
    /// Its terms, as [`cut`] gives them.
    pub terms: &'a [String],
}

/// Indexes a text by its terms. Indexing it again changes nothing.
pub fn index(tx: &Tx<'_>, new: &NewText<'_>) -> Result<()> {
    let NewText { project_id, row, id, owner, terms } = *new;
    // It was read before this transaction began: what was deleted since must not come back as terms.
    let is_there = tx.prepare_cached("SELECT 1 FROM episodes WHERE row = ?1 AND id = ?2")?.exists(params![row, id])?;
    if !is_there || tx.prepare_cached("SELECT 1 FROM word_rows WHERE row = ?1")?.exists([row])? {
        return Ok(());
    }
    let shelf = shelf_or_new(tx, project_id)?;
    let (mut joined, mut codes) = (String::new(), Vec::new());
    let prefix = shelf.keyed(owner, "");
    for term in terms {
        joined.push_str(&prefix);
        joined.push_str(term);
        joined.push(' ');
        codes.extend_from_slice(&terms::hash_term(term).to_le_bytes());
    }
    tx.prepare_cached(
        "INSERT INTO word_rows (row, owner_kind, owner_id, part, model, project_id, terms) \
         VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6)",
    )?
    .execute(params![row, owner.name(), id, MODEL, project_id, codes])?;
    tx.prepare_cached("INSERT INTO words (rowid, terms) VALUES (?1, ?2)")?.execute(params![row, joined])?;
    count(tx, project_id, owner, 1, i64::try_from(terms.len()).unwrap_or(i64::MAX))
}

/// Takes the text of an episode out of the index, if it is there.
pub fn forget(tx: &Tx<'_>, project_id: &str, row: i64) -> Result<()> {
    let gone = tx
        .prepare_cached(
            "DELETE FROM word_rows WHERE row = ?1 AND project_id = ?2 RETURNING owner_kind, length(terms) / 4",
        )?
        .query_row(params![row, project_id], |row| {
            let is_summary = row.get_ref(0)?.as_str()? == Owner::Summary.name();
            Ok((Owner::of(is_summary), row.get::<_, i64>(1)?))
        })
        .optional()?;
    let Some((owner, terms)) = gone else { return Ok(()) };
    tx.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([row])?;
    tx.prepare_cached(
        "INSERT INTO watermarks (name, value) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
    )?
    .execute([GONE])?;
    count(tx, project_id, owner, -1, -terms)
}

/// Merges at most `pages` pages of the index, and says whether there was anything to merge: a search looks into every
/// segment, and each step of indexing leaves one.
pub fn merge(tx: &Tx<'_>, pages: u32) -> Result<bool> {
    let before = tx.total_changes();
    tx.prepare_cached("INSERT INTO words (words, rank) VALUES ('merge', ?1)")?.execute([pages])?;
    // The command itself counts as one change (sqlite.org/fts5.html, section 6.7).
    Ok(tx.total_changes() - before >= 2)
}

/// How many texts were taken out since the index was last written anew.
const GONE: &str = "words:gone";
/// How far writing it anew has come.
const PURGE: &str = "words:purge";
/// With so many texts gone, and this part of all, the index is written anew though nobody has asked for it.
const GONE_LEAST: i64 = 1_000;
const GONE_SHARE: i64 = 4;

/// What has still to be done until nothing of texts that are gone is left in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purge {
    /// All of it.
    Wanted,
    /// It was begun.
    UnderWay,
    /// The index is done; the log still has pages of the old one.
    InLog,
}

impl Purge {
    fn number(self) -> i64 {
        match self {
            Self::Wanted => 1,
            Self::UnderWay => 2,
            Self::InLog => 3,
        }
    }
}

/// What there is to be purged, if there is anything: because the writer has deleted something, or because much is gone.
pub fn purge_wanted(db: &Connection) -> Result<Option<Purge>> {
    let asked = watermark(db, PURGE)?;
    if let Some(known) = [Purge::Wanted, Purge::UnderWay, Purge::InLog].into_iter().find(|one| one.number() == asked) {
        return Ok(Some(known));
    }
    let gone = watermark(db, GONE)?;
    if gone < GONE_LEAST {
        return Ok(None);
    }
    let there: i64 =
        db.query_row("SELECT coalesce(sum(documents + summaries), 0) FROM project_keys", [], |row| row.get(0))?;
    Ok((gone * GONE_SHARE > there).then_some(Purge::Wanted))
}

/// Notes how far a purge is: [`Purge::Wanted`] where something was deleted of which nothing shall be left; `None` when
/// nothing is.
pub fn set_purge(tx: &Tx<'_>, purge: Option<Purge>) -> Result<()> {
    let mut put = tx.prepare_cached("INSERT OR REPLACE INTO watermarks (name, value) VALUES (?1, ?2)")?;
    put.execute(params![PURGE, purge.map_or(0, Purge::number)])?;
    if purge == Some(Purge::UnderWay) {
        // What goes from here on is counted for the next one.
        put.execute(params![GONE, 0])?;
    }
    Ok(())
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

/// In how many texts of a kind, in the book, a term occurs.
pub fn frequency(db: &Connection, shelf: &Shelf, owner: Owner, term: &str) -> Result<u32> {
    let found = db
        .prepare_cached("SELECT doc FROM word_stats WHERE term = ?1")?
        .query_row([shelf.keyed(owner, term)], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// A term to search for.
#[derive(Debug, Clone)]
pub struct Sought {
    /// The term.
    pub term: String,
    /// In how many texts of each kind it occurs, in the order of [`Owner::ALL`].
    pub frequencies: [u32; 2],
    /// How much it says.
    pub rarity: f64,
}

impl Sought {
    fn frequency(&self, owner: Owner) -> u32 {
        match owner {
            Owner::Episode => self.frequencies[0],
            Owner::Summary => self.frequencies[1],
        }
    }
}

/// The rows of a kind, in a book, that share terms with a query, those with the most rarity together first. Rare ones
/// are looked for; where none is rare, the rarest.
pub fn search(db: &Connection, shelf: &Shelf, owner: Owner, terms: &[Sought], limit: usize) -> Result<Vec<i64>> {
    let mut known: Vec<&Sought> = terms.iter().filter(|sought| sought.frequency(owner) > 0).collect();
    known.sort_by(|a, b| a.frequency(owner).cmp(&b.frequency(owner)).then_with(|| a.term.cmp(&b.term)));
    let mut statement = db.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
    let mut found: HashMap<i64, f64> = HashMap::new();
    let mut read = 0;
    for sought in known.into_iter().take(TERMS_SEARCHED) {
        let frequency = sought.frequency(owner);
        if read > 0 && read + frequency > ROWS_READ {
            break;
        }
        read += frequency;
        let mut rows = statement.query([format!("\"{}\"", shelf.keyed(owner, &sought.term))])?;
        while let Some(row) = rows.next()? {
            *found.entry(row.get(0)?).or_default() += sought.rarity;
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
