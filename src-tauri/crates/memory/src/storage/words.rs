//! The word index: terms tokenized in Rust, found by FTS5, each prefixed with the number of its project; and the terms
//! of every text in order, for exact scoring.
//!
//! Derived data: it can be deleted and rebuilt from the episodes at any time.

use palimpsest_text::terms::{self, Script, ScriptCount};
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;

use super::{Tx, name_of, parse_enum, sources::Source};
use crate::{
    error::Result,
    model::{ByKind, OwnerKind, ProjectId},
};

/// The version of the tokenizer, and the name of the index's watermark. Another tokenizer needs another name: every
/// text is then indexed again in the background, and replaces its row of the old name.
pub(crate) const MODEL: &str = "words-4";

/// Maximum number of terms searched, the rarest first, and of rows read for them: common terms are unspecific and have
/// the longest lists.
const MAX_SEARCH_TERMS: usize = 16;
const MAX_ROWS_READ: u32 = 3_000;
/// Maximum indexed characters of a text, counted from its end: more than any passage or session of a writer has.
const MAX_INDEXED_CHARS: usize = 100_000;

/// The last row that a background index has processed.
pub(crate) fn watermark(db: &Connection, name: &str) -> Result<i64> {
    let found = db
        .prepare_cached("SELECT value FROM watermarks WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// Records that a background index has processed all rows up to `row`.
pub(crate) fn set_watermark(tx: &Tx<'_>, name: &str, row: i64) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO watermarks (name, value) VALUES (?1, ?2) \
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
    )?
    .execute(params![name, row])?;
    Ok(())
}

/// The entry of a project in the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProjectIndex {
    /// The number that prefixes its terms.
    key: i64,
    stats: ByKind<CorpusStats>,
}

/// Size statistics of one kind of text.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct CorpusStats {
    /// Number of indexed texts.
    pub documents: u32,
    /// Average number of terms per text.
    pub average_length: f64,
    /// Number of texts written in Chinese characters.
    pub han: u32,
    /// Number of texts written in Latin letters.
    pub latin: u32,
}

/// The index entry of a project; `None` before its first text.
pub(crate) fn project_index(db: &Connection, project_id: &ProjectId) -> Result<Option<ProjectIndex>> {
    let mut statement = db.prepare_cached(
        "SELECT project_key, owner_kind, documents, terms, han, latin \
         FROM project_keys LEFT JOIN index_stats USING (project_id) WHERE project_id = ?1",
    )?;
    let mut rows = statement.query([project_id])?;
    let mut index = None;
    while let Some(row) = rows.next()? {
        let index = index.get_or_insert(ProjectIndex { key: row.get(0)?, stats: ByKind::default() });
        if let Some(kind) = row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)? {
            let (documents, terms): (u32, f64) = (row.get(2)?, row.get(3)?);
            index.stats[parse_enum::<OwnerKind>(kind)?] = CorpusStats {
                documents,
                average_length: terms / f64::from(documents.max(1)),
                han: row.get(4)?,
                latin: row.get(5)?,
            };
        }
    }
    Ok(index)
}

fn project_index_or_new(tx: &Tx<'_>, project_id: &ProjectId) -> Result<ProjectIndex> {
    if let Some(index) = project_index(tx, project_id)? {
        return Ok(index);
    }
    tx.execute("INSERT INTO project_keys (project_id) VALUES (?1)", [project_id])?;
    Ok(ProjectIndex { key: tx.last_insert_rowid(), stats: ByKind::default() })
}

impl ProjectIndex {
    /// Size statistics of one kind of text.
    #[must_use]
    pub(crate) fn stats(&self, kind: OwnerKind) -> CorpusStats {
        self.stats[kind]
    }

    /// The same entry for a part of the texts of a kind, with the statistics of that part.
    #[must_use]
    pub(crate) fn with_stats(mut self, kind: OwnerKind, stats: CorpusStats) -> Self {
        self.stats[kind] = stats;
        self
    }

    /// A term with the prefix of its project and kind.
    fn keyed(&self, kind: OwnerKind, term: &str) -> String {
        format!("{}{}{term}", self.key, kind.letter())
    }
}

/// The part of one text in the statistics.
struct TextStats {
    terms: i64,
    script: Option<Script>,
}

/// Adds a text of a project to the statistics (`sign` 1), or subtracts it (-1).
fn update_stats(tx: &Tx<'_>, project_id: &ProjectId, kind: OwnerKind, text: &TextStats, sign: i64) -> Result<()> {
    let of = |script| if text.script == Some(script) { sign } else { 0 };
    tx.prepare_cached(
        "INSERT INTO index_stats (project_id, owner_kind, documents, terms, han, latin) \
         VALUES (?1, ?2, max(?3, 0), max(?4, 0), max(?5, 0), max(?6, 0)) \
         ON CONFLICT DO UPDATE SET documents = max(documents + ?3, 0), terms = max(terms + ?4, 0), \
         han = max(han + ?5, 0), latin = max(latin + ?6, 0)",
    )?
    .execute(params![project_id, name_of(kind), sign, sign * text.terms, of(Script::Han), of(Script::Latin)])?;
    Ok(())
}

/// The terms of a text to be indexed, in order. This is most of the work of indexing, and needs no transaction.
#[must_use]
pub(crate) fn tokenize(text: &str) -> Vec<String> {
    terms::index_terms(palimpsest_text::last_chars(text, MAX_INDEXED_CHARS))
}

/// A text to be indexed.
#[derive(Debug)]
pub(crate) struct NewText<'a> {
    /// UUID of the project.
    pub project_id: &'a ProjectId,
    /// Kind of the owner.
    pub kind: OwnerKind,
    /// Id of the owner.
    pub id: &'a str,
    /// Row number of the owner in the indexes.
    pub row: i64,
    /// Its terms, from [`tokenize`].
    pub terms: &'a [String],
}

/// Adds the text of an owner that exists to the index, in place of its row of another tokenizer. Idempotent. Returns
/// whether it replaced one.
pub(crate) fn index(tx: &Tx<'_>, new: &NewText<'_>) -> Result<bool> {
    let NewText { project_id, row, id, kind, terms } = *new;
    let indexed_by = tx
        .prepare_cached("SELECT model = ?2 FROM word_rows WHERE row = ?1")?
        .query_row(params![row, MODEL], |row| row.get::<_, bool>(0))
        .optional()?;
    match indexed_by {
        Some(true) => return Ok(false),
        Some(false) => delete(tx, project_id, row)?,
        None => {}
    }
    let index = project_index_or_new(tx, project_id)?;
    let (mut joined, mut codes, mut scripts) = (String::new(), Vec::new(), ScriptCount::default());
    let prefix = index.keyed(kind, "");
    for term in terms {
        joined.push_str(&prefix);
        joined.push_str(term);
        joined.push(' ');
        let code = terms::hash_term(term);
        scripts.add(code);
        codes.extend_from_slice(&code.to_le_bytes());
    }
    tx.prepare_cached(
        "INSERT INTO word_rows (row, owner_kind, owner_id, part, model, project_id, terms) \
         VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6)",
    )?
    .execute(params![row, name_of(kind), id, MODEL, project_id, codes])?;
    tx.prepare_cached("INSERT INTO words (rowid, terms) VALUES (?1, ?2)")?.execute(params![row, joined])?;
    let text = TextStats { terms: i64::try_from(terms.len()).unwrap_or(i64::MAX), script: scripts.script() };
    update_stats(tx, project_id, kind, &text, 1)?;
    Ok(indexed_by.is_some())
}

/// Deletes a source's watermarks of other tokenizers, once all its texts are indexed by the present one.
pub(crate) fn drop_old_watermarks(tx: &Tx<'_>, source: &dyn Source) -> Result<()> {
    tx.prepare_cached("DELETE FROM watermarks WHERE name GLOB ?1 AND name <> ?2")?
        .execute([source.mark("words-*"), source.mark(MODEL)])?;
    Ok(())
}

/// Removes the text in a row from the index, if it is there.
pub(crate) fn delete(tx: &Tx<'_>, project_id: &ProjectId, row: i64) -> Result<()> {
    let indexed = tx
        .prepare_cached(
            "DELETE FROM word_rows WHERE row = ?1 AND project_id = ?2 RETURNING owner_kind, terms, model = ?3",
        )?
        .query_row(params![row, project_id, MODEL], |row| {
            let (kind, terms) = (parse_enum::<OwnerKind>(row.get_ref(0)?.as_str()?)?, row.get_ref(1)?.as_blob()?);
            // The codes of another tokenizer have no script, and were counted in none.
            let script = if row.get(2)? { terms::script_of_codes(codes_of(terms)) } else { None };
            Ok((kind, TextStats { terms: i64::try_from(terms.len() / 4).unwrap_or(i64::MAX), script }))
        })
        .optional()?;
    let Some((kind, text)) = indexed else { return Ok(()) };
    tx.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([row])?;
    tx.prepare_cached(
        "INSERT INTO watermarks (name, value) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE \
         SET value = min(value, 9223372036854775806) + 1",
    )?
    .execute([REMOVED])?;
    update_stats(tx, project_id, kind, &text, -1)
}

/// Merges at most `pages` pages of the index; returns whether there was anything to merge: a search reads every
/// segment, and each step of indexing adds one.
pub(crate) fn merge(tx: &Tx<'_>, pages: u32) -> Result<bool> {
    let before = tx.total_changes();
    tx.prepare_cached("INSERT INTO words (words, rank) VALUES ('merge', ?1)")?.execute([pages])?;
    // The command itself counts as one change (sqlite.org/fts5.html, section 6.7).
    Ok(tx.total_changes() - before >= 2)
}

/// Watermark: number of texts removed since the last purge.
const REMOVED: &str = "words:gone";
/// Watermark: the state of a purge.
const PURGE: &str = "words:purge";
/// A purge starts by itself once at least this many texts, and at least this share of all, were removed.
const MIN_REMOVED_FOR_PURGE: i64 = 1_000;
const PURGE_SHARE_DIVISOR: i64 = 4;

/// The remaining work until the files contain no terms of deleted texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purge {
    /// The whole index.
    Wanted,
    /// Started.
    UnderWay,
    /// The index is done; the log still contains old pages.
    InLog,
}

impl Purge {
    fn to_number(self) -> i64 {
        match self {
            Self::Wanted => 1,
            Self::UnderWay => 2,
            Self::InLog => 3,
        }
    }
}

/// The due purge, if any: because the writer deleted something, or because many texts were removed.
pub(crate) fn purge_wanted(db: &Connection) -> Result<Option<Purge>> {
    let asked = watermark(db, PURGE)?;
    if let Some(known) = [Purge::Wanted, Purge::UnderWay, Purge::InLog].into_iter().find(|one| one.to_number() == asked)
    {
        return Ok(Some(known));
    }
    let removed = watermark(db, REMOVED)?;
    if removed < MIN_REMOVED_FOR_PURGE {
        return Ok(None);
    }
    Ok((removed * PURGE_SHARE_DIVISOR > count_texts(db, OwnerKind::ALL)?).then_some(Purge::Wanted))
}

/// Number of indexed texts of these kinds, of all projects.
pub(crate) fn count_texts(db: &Connection, kinds: &[OwnerKind]) -> Result<i64> {
    let mut statement =
        db.prepare_cached("SELECT coalesce(sum(documents), 0) FROM index_stats WHERE owner_kind = ?1")?;
    let mut sum = 0;
    for kind in kinds {
        sum += statement.query_row([name_of(*kind)], |row| row.get::<_, i64>(0))?;
    }
    Ok(sum)
}

/// Stores the state of a purge: [`Purge::Wanted`] after a deletion by the writer; `None` when nothing is due.
pub(crate) fn set_purge(tx: &Tx<'_>, purge: Option<Purge>) -> Result<()> {
    let mut put = tx.prepare_cached("INSERT OR REPLACE INTO watermarks (name, value) VALUES (?1, ?2)")?;
    put.execute(params![PURGE, purge.map_or(0, Purge::to_number)])?;
    if purge == Some(Purge::UnderWay) {
        // Later removals count for the next purge.
        put.execute(params![REMOVED, 0])?;
    }
    Ok(())
}

/// Rewrites at most `pages` pages of the index without the terms of removed texts: a removal only marks them, and they
/// stay on disk until then. `first` includes all present segments; returns whether there is more to do.
pub(crate) fn purge(tx: &Tx<'_>, pages: i32, first: bool) -> Result<bool> {
    let before = tx.total_changes();
    // A negative number merges all segments, whatever their sizes (sqlite.org/fts5.html, section 6.7).
    let pages = if first { -pages } else { pages };
    tx.prepare_cached("INSERT INTO words (words, rank) VALUES ('merge', ?1)")?.execute([pages])?;
    Ok(tx.total_changes() - before >= 2)
}

/// [`purge`] for the whole index at once.
pub(crate) fn purge_whole(tx: &Tx<'_>) -> Result<()> {
    tx.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
    Ok(())
}

/// Number of texts of a kind, in the project, that contain a term.
pub(crate) fn frequency(db: &Connection, index: &ProjectIndex, kind: OwnerKind, term: &str) -> Result<u32> {
    let found = db
        .prepare_cached("SELECT doc FROM word_stats WHERE term = ?1")?
        .query_row([index.keyed(kind, term)], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0))
}

/// A search term.
#[derive(Debug, Clone)]
pub(crate) struct QueryTerm {
    pub term: String,
    /// Number of texts of each searched kind that contain it.
    pub frequencies: ByKind<u32>,
    /// Its weight, by rarity.
    pub rarity: f64,
}

/// The allowed rows of a kind, in a project, that share terms with a query, ordered by the summed rarity of the shared
/// terms. Searches the rare terms; if none is rare, the rarest.
pub(crate) fn search(
    db: &Connection,
    index: &ProjectIndex,
    kind: OwnerKind,
    terms: &[QueryTerm],
    limit: usize,
    is_allowed: impl Fn(i64) -> bool,
) -> Result<Vec<i64>> {
    let is_known = |query_term: &&QueryTerm| query_term.frequencies[kind] > 0 && is_one_token(&query_term.term);
    let mut known: Vec<&QueryTerm> = terms.iter().filter(is_known).collect();
    known.sort_by(|a, b| a.frequencies[kind].cmp(&b.frequencies[kind]).then_with(|| a.term.cmp(&b.term)));
    let mut statement = db.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
    let mut found: FxHashMap<i64, f64> = FxHashMap::default();
    let mut read = 0;
    for query_term in known.into_iter().take(MAX_SEARCH_TERMS) {
        let frequency = query_term.frequencies[kind];
        if read > 0 && read + frequency > MAX_ROWS_READ {
            break;
        }
        read += frequency;
        let mut rows = statement.query([format!("\"{}\"", index.keyed(kind, &query_term.term))])?;
        while let Some(row) = rows.next()? {
            let row = row.get(0)?;
            if is_allowed(row) {
                *found.entry(row).or_default() += query_term.rarity;
            }
        }
    }
    let mut best: Vec<(i64, f64)> = found.into_iter().collect();
    // Ties: newer rows first.
    let order = |a: &(i64, f64), b: &(i64, f64)| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0));
    if best.len() > limit && limit > 0 {
        best.select_nth_unstable_by(limit - 1, order);
        best.truncate(limit);
    }
    Ok(best.into_iter().map(|(row, _)| row).collect())
}

/// Whether the tokenizer of the table leaves a term whole. It divides `don't` and `3.14`, and a phrase of two tokens
/// cannot be searched without their positions.
fn is_one_token(term: &str) -> bool {
    term.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric())
}

/// Passes the terms of a text, in order, as codes, to `read`; `None` for a text that is not indexed, or belongs to
/// another project.
pub(crate) fn with_codes<T>(
    db: &Connection,
    project_id: &ProjectId,
    row: i64,
    read: impl FnOnce(&mut dyn Iterator<Item = u32>) -> T,
) -> Result<Option<T>> {
    let found = db
        .prepare_cached("SELECT terms FROM word_rows WHERE row = ?1 AND project_id = ?2")?
        .query_row(params![row, project_id], |row| Ok(read(&mut codes_of(row.get_ref(0)?.as_blob()?))))
        .optional()?;
    Ok(found)
}

/// The last row of the index in the range of a kind; 0 without one.
pub(crate) fn newest_row(db: &Connection, kind: OwnerKind) -> Result<i64> {
    let rows = kind.index_rows();
    let newest: Option<i64> = db
        .prepare_cached("SELECT max(row) FROM word_rows WHERE row >= ?1 AND row < ?2")?
        .query_row([rows.start, rows.end], |row| row.get(0))?;
    Ok(newest.unwrap_or(0))
}

/// Passes the row and the terms, as codes, of each text of a kind after a row to `read`, in the order of rows.
pub(crate) fn each_after(
    db: &Connection,
    project_id: &ProjectId,
    kind: OwnerKind,
    row: i64,
    mut read: impl FnMut(i64, &mut dyn Iterator<Item = u32>),
) -> Result<()> {
    let mut statement = db.prepare_cached(
        "SELECT row, terms FROM word_rows \
         WHERE row > ?1 AND row < ?2 AND owner_kind = ?3 AND project_id = ?4 ORDER BY row",
    )?;
    let mut rows = statement.query(params![row, kind.index_rows().end, name_of(kind), project_id])?;
    while let Some(row) = rows.next()? {
        let terms = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        read(row.get(0)?, &mut codes_of(terms));
    }
    Ok(())
}

/// The codes of a stored list.
fn codes_of(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}
