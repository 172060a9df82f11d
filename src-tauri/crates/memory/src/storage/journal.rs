//! Rows of `journal` and `journal_due`, and the chain that proves the entries.
//!
//! Each entry has a content hash, BLAKE3 over a random salt and the content, and a chain value, BLAKE3 over the chain
//! value of the entry before it in the book and over this entry's identity, time, kind, reference, author and content
//! hash. A redacted entry loses content and salt: its content hash stays and proves the chain, and no words can be
//! tried against it. That no entry is missing at the end of the chain is proved by its head ([`super::journal_heads`]).

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{
    Tx, journal_heads,
    lines::Line,
    name_of, parse_enum,
    sources::{IndexedText, Journal},
    vectors, words,
};
use crate::{
    error::Result,
    model::{
        JournalCheck, JournalEntry, JournalEntryId, JournalEvent, JournalKind, OwnerKind, ProjectId, Time, WordedBy,
    },
};

/// A hash of the chain.
pub(crate) type Hash = [u8; 32];
/// The random part of a content hash.
pub(crate) type Salt = [u8; 16];
/// The value before the first entry of a book.
const BEFORE_FIRST: Hash = [0; 32];

/// An entry to write.
pub(crate) struct NewEntry {
    pub id: JournalEntryId,
    pub project_id: ProjectId,
    /// When it happened.
    pub at: Time,
    pub kind: JournalKind,
    pub ref_id: Option<String>,
    pub content: String,
    pub worded_by: WordedBy,
    pub salt: Salt,
}

/// An event whose entry is still to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DueEntry {
    /// Id of the episode or session.
    pub ref_id: String,
    pub event: JournalEvent,
    pub project_id: ProjectId,
    pub since: Time,
}

/// The hash that proves a content, with the salt that it was made with.
#[must_use]
pub(crate) fn content_hash(salt: &[u8], content: &str) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(salt).update(content.as_bytes());
    hasher.finalize().into()
}

/// The columns of an entry that its chain value covers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link<'a> {
    pub id: &'a str,
    /// Milliseconds.
    pub at: i64,
    /// The stored name of its kind.
    pub kind: &'a str,
    pub ref_id: Option<&'a str>,
    /// The stored name of who worded it.
    pub worded_by: &'a str,
    pub content_hash: &'a [u8],
}

impl Link<'_> {
    /// The chain value of the entry after one with the value `previous`.
    #[must_use]
    pub(crate) fn chain(&self, previous: &Hash) -> Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(previous).update(&self.at.to_le_bytes()).update(self.content_hash);
        // Each text with its length: two entries whose texts are divided differently have different values.
        for text in [Some(self.id), Some(self.kind), Some(self.worded_by), self.ref_id] {
            let length = text.map_or(u64::MAX, |text| text.len() as u64);
            hasher.update(&length.to_le_bytes()).update(text.unwrap_or_default().as_bytes());
        }
        hasher.finalize().into()
    }
}

/// The chain value of an imported entry after one with the value `previous`.
#[must_use]
pub(crate) fn chain_of_line(line: &Line, previous: &Hash) -> Hash {
    let text = |column| line.text(column).unwrap_or_default();
    let link = Link {
        id: text("entry_id"),
        at: line.number("at").unwrap_or_default(),
        kind: text("kind"),
        ref_id: line.text("ref_id"),
        worded_by: text("worded_by"),
        content_hash: line.bytes("content_hash").unwrap_or_default(),
    };
    link.chain(previous)
}

/// The chain value of the last entry of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn last_chain(db: &Connection, project_id: &ProjectId) -> Result<Hash> {
    let last = db
        .prepare_cached("SELECT chain FROM journal WHERE project_id = ?1 ORDER BY row DESC LIMIT 1")?
        .query_row([project_id], |row| row.get(0))
        .optional()?;
    Ok(last.unwrap_or(BEFORE_FIRST))
}

/// Writes an entry behind the last one of its book.
///
/// # Errors
/// Those of the store.
pub(crate) fn append(tx: &Tx<'_>, entry: &NewEntry) -> Result<()> {
    let content_hash = content_hash(&entry.salt, &entry.content);
    let link = Link {
        id: entry.id.as_str(),
        at: entry.at.millis(),
        kind: name_of(entry.kind),
        ref_id: entry.ref_id.as_deref(),
        worded_by: name_of(entry.worded_by),
        content_hash: &content_hash,
    };
    let chain = link.chain(&last_chain(tx, &entry.project_id)?);
    tx.prepare_cached(
        "INSERT INTO journal (entry_id, project_id, at, kind, ref_id, content, worded_by, salt, content_hash, chain) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        entry.id,
        entry.project_id,
        link.at,
        link.kind,
        entry.ref_id,
        entry.content,
        link.worded_by,
        entry.salt,
        content_hash,
        chain
    ])?;
    Ok(())
}

/// The columns of a [`JournalEntry`], with those of the episode or answer that it is about, while that exists.
const COLUMNS: &str = "j.entry_id, j.project_id, j.at, j.kind, j.content, j.ref_id, j.worded_by, e.chapter_id, \
     e.generation_id, a.answer_id FROM journal j \
     LEFT JOIN episodes e ON e.id = j.ref_id AND e.project_id = j.project_id \
     LEFT JOIN answers a ON a.answer_id = j.ref_id AND a.project_id = j.project_id";

static BY_ROW: LazyLock<String> = LazyLock::new(|| format!("SELECT {COLUMNS} WHERE j.row = ?1 AND j.project_id = ?2"));
static BY_ID: LazyLock<String> = LazyLock::new(|| format!("SELECT {COLUMNS} WHERE j.entry_id = ?1"));
static ALL: LazyLock<String> = LazyLock::new(|| format!("SELECT {COLUMNS} WHERE j.project_id = ?1 ORDER BY j.row"));
static LATEST: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {COLUMNS} WHERE j.project_id = ?1 AND (?2 IS NULL OR j.kind = ?2) AND (j.at, j.row) < (?3, ?4) \
         ORDER BY j.at DESC, j.row DESC LIMIT ?5"
    )
});

fn entry(row: &Row<'_>) -> Result<JournalEntry, rusqlite::Error> {
    let content: String = row.get(4)?;
    Ok(JournalEntry {
        id: row.get(0)?,
        project_id: row.get(1)?,
        timestamp: Time::from_millis(row.get(2)?),
        kind: parse_enum(row.get_ref(3)?.as_str()?)?,
        is_redacted: content.is_empty(),
        content,
        ref_id: row.get(5)?,
        worded_by: parse_enum(row.get_ref(6)?.as_str()?)?,
        chapter_id: row.get(7)?,
        generation_id: row.get(8)?,
        answer_id: row.get(9)?,
    })
}

/// An entry.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, id: &JournalEntryId) -> Result<Option<JournalEntry>> {
    Ok(db.prepare_cached(&BY_ID)?.query_row([id], entry).optional()?)
}

/// An entry of a book by its row in the indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn by_index_row(db: &Connection, project_id: &ProjectId, row: i64) -> Result<Option<JournalEntry>> {
    let mut statement = db.prepare_cached(&BY_ROW)?;
    Ok(statement.query_row(params![OwnerKind::own_row(row), project_id], entry).optional()?)
}

/// The latest `limit` entries of a book, of one kind or of all, that happened before the place of `before` in the list.
///
/// # Errors
/// Those of the store.
pub(crate) fn latest(
    db: &Connection,
    project_id: &ProjectId,
    kind: Option<JournalKind>,
    before: Option<(Time, i64)>,
    limit: u32,
) -> Result<Vec<JournalEntry>> {
    let (at, row) = before.map_or((i64::MAX, i64::MAX), |(at, row)| (at.millis(), row));
    let mut statement = db.prepare_cached(&LATEST)?;
    let rows = statement.query_map(params![project_id, kind.map(name_of), at, row, limit], entry)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// All entries of a book, in the order of writing.
///
/// # Errors
/// Those of the store.
pub(crate) fn all(db: &Connection, project_id: &ProjectId) -> Result<Vec<JournalEntry>> {
    let mut statement = db.prepare_cached(&ALL)?;
    Ok(statement.query_map([project_id], entry)?.collect::<Result<_, _>>()?)
}

/// The place of an entry in the list of its book; `None` for an entry that the book does not have.
///
/// # Errors
/// Those of the store.
pub(crate) fn place(db: &Connection, project_id: &ProjectId, id: &JournalEntryId) -> Result<Option<(Time, i64)>> {
    let found = db
        .prepare_cached("SELECT at, row FROM journal WHERE entry_id = ?1 AND project_id = ?2")?
        .query_row(params![id, project_id], |row| Ok((Time::from_millis(row.get(0)?), row.get(1)?)))
        .optional()?;
    Ok(found)
}

/// Number of entries of a book, of one kind or of all.
///
/// # Errors
/// Those of the store.
pub(crate) fn count(db: &Connection, project_id: &ProjectId, kind: Option<JournalKind>) -> Result<u32> {
    let mut statement =
        db.prepare_cached("SELECT count(*) FROM journal WHERE project_id = ?1 AND (?2 IS NULL OR kind = ?2)")?;
    Ok(statement.query_row(params![project_id, kind.map(name_of)], |row| row.get(0))?)
}

/// Recomputes the chain of a book, and compares the number of its entries with that of its head.
///
/// # Errors
/// Those of the store.
pub(crate) fn verify(db: &Connection, project_id: &ProjectId) -> Result<JournalCheck> {
    let mut statement = db.prepare_cached(
        "SELECT entry_id, at, kind, ref_id, content, worded_by, salt, content_hash, chain FROM journal \
         WHERE project_id = ?1 ORDER BY row",
    )?;
    let mut rows = statement.query([project_id])?;
    let mut check = JournalCheck {
        entries: 0,
        redacted: 0,
        is_whole: true,
        broken_at: None,
        missing: 0,
        left_behind: 0,
        replaced_at: None,
        since: None,
    };
    let mut previous = BEFORE_FIRST;
    while let Some(row) = rows.next()? {
        let text = |at| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
        let bytes = |at| row.get_ref(at)?.as_blob().map_err(rusqlite::Error::from);
        let (content, salt, stored_hash) = (text(4)?, bytes(6)?, bytes(7)?);
        let link = Link {
            id: text(0)?,
            at: row.get(1)?,
            kind: text(2)?,
            ref_id: row.get_ref(3)?.as_str_or_null().map_err(rusqlite::Error::from)?,
            worded_by: text(5)?,
            content_hash: stored_hash,
        };
        let is_redacted = content.is_empty() && salt.is_empty();
        let has_own_content = is_redacted || content_hash(salt, content)[..] == *stored_hash;
        let chain = link.chain(&previous);
        if check.is_whole && !(has_own_content && chain[..] == *bytes(8)?) {
            check.is_whole = false;
            check.broken_at = Some(link.id.into());
        }
        check.entries += 1;
        check.redacted += u32::from(is_redacted);
        let at = Time::from_millis(link.at);
        check.since = Some(check.since.map_or(at, |since| since.min(at)));
        previous = row.get(8)?;
    }
    check.missing = journal_heads::last(db, project_id)?.entries.saturating_sub(check.entries);
    check.is_whole &= check.missing == 0;
    Ok(check)
}

/// Empties an entry for good, with its words and vector; returns its row in the indexes, or `None` if it was empty or
/// does not exist.
///
/// # Errors
/// Those of the store.
pub(crate) fn redact(tx: &Tx<'_>, id: &JournalEntryId) -> Result<Option<i64>> {
    let redacted = tx
        .prepare_cached(
            "UPDATE journal SET content = '', salt = x'' WHERE entry_id = ?1 AND content <> '' RETURNING row, project_id",
        )?
        .query_row([id], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, ProjectId>(1)?)))
        .optional()?;
    let Some((row, project_id)) = redacted else { return Ok(None) };
    let row = OwnerKind::Journal.index_row(row);
    words::delete(tx, &project_id, row)?;
    vectors::delete(tx, &project_id, &Journal, id.as_str())?;
    Ok(Some(row))
}

/// The entries about an episode, answer or session that are not redacted, and those about the question that a study
/// answered with it; of its book, where the book is known.
fn about(db: &Connection, project_id: Option<&ProjectId>, ref_id: &str) -> Result<Vec<JournalEntryId>> {
    let mut statement = db.prepare_cached(
        "SELECT entry_id FROM journal \
         WHERE ref_id IN (SELECT ?1 UNION SELECT question_id FROM questions WHERE answer_id = ?1) \
         AND (?2 IS NULL OR project_id = ?2) AND content <> '' ORDER BY row",
    )?;
    Ok(statement.query_map(params![ref_id, project_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Redacts every entry of a book about an episode, answer or session, and writes none that is still due; returns the
/// rows in the indexes. Without a book, which is not known of an evicted episode, those of any.
///
/// # Errors
/// Those of the store.
pub(crate) fn redact_about(tx: &Tx<'_>, project_id: Option<&ProjectId>, ref_id: &str) -> Result<Vec<i64>> {
    tx.prepare_cached("DELETE FROM journal_due WHERE ref_id = ?1")?.execute([ref_id])?;
    let mut rows = Vec::new();
    for id in about(tx, project_id, ref_id)? {
        rows.extend(redact(tx, &id)?);
    }
    Ok(rows)
}

/// Notes that an entry is to be written; the same again changes nothing.
///
/// # Errors
/// Those of the store.
pub(crate) fn insert_due(tx: &Tx<'_>, due: &DueEntry) -> Result<()> {
    tx.prepare_cached("INSERT OR IGNORE INTO journal_due (ref_id, event, project_id, since) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![due.ref_id, name_of(due.event), due.project_id, due.since.millis()])?;
    Ok(())
}

/// Removes a note of [`insert_due`]; returns whether it was there.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_due(tx: &Tx<'_>, due: &DueEntry) -> Result<bool> {
    let mut statement = tx.prepare_cached("DELETE FROM journal_due WHERE ref_id = ?1 AND event = ?2")?;
    Ok(statement.execute(params![due.ref_id, name_of(due.event)])? > 0)
}

/// Removes all notes of a book: none of its entries is written any more.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_all_due(tx: &Tx<'_>, project_id: &ProjectId) -> Result<()> {
    tx.prepare_cached("DELETE FROM journal_due WHERE project_id = ?1")?.execute([project_id])?;
    Ok(())
}

/// The events of all books, or of one, whose entries are to be written, in their order.
///
/// # Errors
/// Those of the store.
pub(crate) fn due(db: &Connection, project_id: Option<&ProjectId>) -> Result<Vec<DueEntry>> {
    let mut statement = db.prepare_cached(
        "SELECT ref_id, event, project_id, since FROM journal_due WHERE ?1 IS NULL OR project_id = ?1 \
         ORDER BY since, ref_id, event",
    )?;
    let due = |row: &Row<'_>| {
        Ok(DueEntry {
            ref_id: row.get(0)?,
            event: parse_enum(row.get_ref(1)?.as_str()?)?,
            project_id: row.get(2)?,
            since: Time::from_millis(row.get(3)?),
        })
    };
    Ok(statement.query_map([project_id], due)?.collect::<Result<_, _>>()?)
}

/// Number of entries that are to be written and do not wait for the end of a session.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_due(db: &Connection) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM journal_due WHERE event <> ?1")?;
    Ok(statement.query_row([name_of(JournalEvent::Session)], |row| row.get(0))?)
}

/// The first `limit` entries after a row of the indexes, as texts to be indexed.
///
/// # Errors
/// Those of the store.
pub(crate) fn texts_after(db: &Connection, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
    let mut statement = db.prepare_cached(
        "SELECT row, entry_id, project_id, content FROM journal WHERE row > ?1 AND content <> '' ORDER BY row LIMIT ?2",
    )?;
    let text = |row: &Row<'_>| {
        Ok(IndexedText {
            row: OwnerKind::Journal.index_row(row.get(0)?),
            id: row.get(1)?,
            project_id: row.get(2)?,
            kind: OwnerKind::Journal,
            text: row.get(3)?,
        })
    };
    Ok(statement.query_map(params![OwnerKind::own_row(row), limit], text)?.collect::<Result<_, _>>()?)
}

/// Number of entries with content after a row of the indexes; of all books.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_after(db: &Connection, row: i64) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM journal WHERE row > ?1 AND content <> ''")?;
    Ok(statement.query_row([OwnerKind::own_row(row)], |row| row.get(0))?)
}

/// Whether there is an entry with content after a row of the indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_any_after(db: &Connection, row: i64) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT 1 FROM journal WHERE row > ?1 AND content <> '' LIMIT 1")?;
    Ok(statement.exists([OwnerKind::own_row(row)])?)
}

/// Whether the entry in a row of the indexes has this id, and is not redacted.
///
/// # Errors
/// Those of the store.
pub(crate) fn has_id(db: &Connection, row: i64, id: &str) -> Result<bool> {
    let mut statement =
        db.prepare_cached("SELECT 1 FROM journal WHERE row = ?1 AND entry_id = ?2 AND content <> ''")?;
    Ok(statement.exists(params![OwnerKind::own_row(row), id])?)
}
