//! Rows of `journal_heads` in both files: how far the journal of each book has come.
//!
//! A trigger keeps the row of `episodes.db` with each entry, so that entries that were removed from the end of the
//! table are counted as missing. The row of `rules.db` is noted now and then: it also tells where the whole file was
//! replaced.
//! A program that changes both files on purpose is not found out.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, journal::Hash};
use crate::{
    error::Result,
    model::{ProjectId, Time},
};

/// The end of a journal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JournalHead {
    /// Number of entries, redacted ones included.
    pub entries: u32,
    /// The row of the last entry.
    pub row: i64,
    /// Its chain value.
    pub chain: Hash,
}

/// The end of a journal as it is noted in `rules.db`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct NotedHead {
    pub head: JournalHead,
    /// Number of entries that were found missing without a reason.
    pub missing: u32,
    /// Number of entries that a backup in the place of the file did not have.
    pub left_behind: u32,
    /// The last time at which it did not.
    pub replaced_at: Option<Time>,
}

impl NotedHead {
    /// The note after the journal was found to end in `head`. `is_continued` tells whether the entry that was noted
    /// last is still there, `replaced_at` when the file was replaced by the program, if it was.
    #[must_use]
    pub(crate) fn advance(self, head: JournalHead, is_continued: bool, replaced_at: Option<Time>) -> Self {
        let noted = self.head.entries;
        if replaced_at.is_some() && is_continued && head.entries >= noted.saturating_add(self.left_behind) {
            return Self { head, left_behind: 0, replaced_at: None, ..self };
        }
        let is_shorter = head.entries < noted;
        if !is_shorter && is_continued {
            return Self { head, ..self };
        }
        // Another journal that is as long has lost one entry at least.
        let lost = noted.saturating_sub(head.entries).max(1);
        match replaced_at {
            Some(at) => {
                Self { head, left_behind: self.left_behind.saturating_add(lost), replaced_at: Some(at), ..self }
            }
            None => Self { head, missing: self.missing.saturating_add(lost), ..self },
        }
    }
}

/// The end of a book's journal in `episodes.db`; of an empty one that without entries.
///
/// # Errors
/// Those of the store.
pub(crate) fn last(db: &Connection, project_id: &ProjectId) -> Result<JournalHead> {
    let mut statement = db.prepare_cached("SELECT entries, row, chain FROM journal_heads WHERE project_id = ?1")?;
    Ok(statement.query_row([project_id], |row| read_head(row, 0)).optional()?.unwrap_or_default())
}

/// Whether the journal continues from `head`: its last entry is there, or was removed with others of the same file,
/// which is counted there.
///
/// # Errors
/// Those of the store.
pub(crate) fn continues(db: &Connection, project_id: &ProjectId, head: &JournalHead) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT chain FROM journal WHERE row = ?1 AND project_id = ?2")?;
    let chain: Option<Hash> = statement.query_row(params![head.row, project_id], |row| row.get(0)).optional()?;
    Ok(chain.is_none_or(|chain| chain == head.chain))
}

/// The books with a journal in `episodes.db`.
///
/// # Errors
/// Those of the store.
pub(crate) fn books_with_journal(db: &Connection) -> Result<Vec<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM journal_heads")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The ends of journals that are noted in `rules.db`, by book.
///
/// # Errors
/// Those of the store.
pub(crate) fn noted(db: &Connection) -> Result<HashMap<ProjectId, NotedHead>> {
    let mut statement = db.prepare_cached(
        "SELECT project_id, entries, row, chain, missing, left_behind, replaced_at FROM journal_heads",
    )?;
    let note = |row: &Row<'_>| {
        let noted = NotedHead {
            head: read_head(row, 1)?,
            missing: row.get(4)?,
            left_behind: row.get(5)?,
            replaced_at: row.get::<_, Option<i64>>(6)?.map(Time::from_millis),
        };
        Ok((row.get(0)?, noted))
    };
    Ok(statement.query_map([], note)?.collect::<Result<_, _>>()?)
}

/// Notes the end of a book's journal in `rules.db`.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert_noted(tx: &Tx<'_>, project_id: &ProjectId, noted: &NotedHead) -> Result<()> {
    let NotedHead { head, missing, left_behind, replaced_at } = noted;
    tx.prepare_cached(
        "INSERT OR REPLACE INTO journal_heads (project_id, entries, row, chain, missing, left_behind, replaced_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        project_id,
        head.entries,
        head.row,
        head.chain,
        missing,
        left_behind,
        replaced_at.map(Time::millis)
    ])?;
    Ok(())
}

fn read_head(row: &Row<'_>, first: usize) -> Result<JournalHead, rusqlite::Error> {
    Ok(JournalHead { entries: row.get(first)?, row: row.get(first + 1)?, chain: row.get(first + 2)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(entries: u32) -> JournalHead {
        JournalHead { entries, row: i64::from(entries), chain: [u8::try_from(entries).unwrap(); 32] }
    }

    fn noted(entries: u32) -> NotedHead {
        NotedHead { head: head(entries), ..NotedHead::default() }
    }

    #[test]
    fn a_journal_that_goes_on_is_noted_and_one_that_is_shorter_or_another_has_lost_entries() {
        let at = Some(Time::from_millis(7));
        assert_eq!(noted(3).advance(head(5), true, None), noted(5));
        assert_eq!(noted(5).advance(head(3), true, None), NotedHead { missing: 2, ..noted(3) });
        assert_eq!(noted(5).advance(head(5), false, None), NotedHead { missing: 1, ..noted(5) });
        let restored = noted(5).advance(head(3), true, at);
        assert_eq!(restored, NotedHead { left_behind: 2, replaced_at: at, ..noted(3) });
        // It goes on from there, and is restored once more.
        let longer = restored.advance(head(4), true, None);
        assert_eq!((longer.left_behind, longer.missing), (2, 0));
        assert_eq!(longer.advance(head(1), true, at).left_behind, 5);
        // With the newest backup everything is back.
        assert_eq!(restored.advance(head(5), true, at), noted(5));
        assert_eq!(noted(5).advance(head(5), true, at), noted(5));
    }
}
