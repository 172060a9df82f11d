//! The word index: indexing, merging and purging in bounded background steps.
//!
//! Recording commits the episode alone; indexing continues afterwards and after a crash, from a watermark. Every step
//! is idempotent.

use rusqlite::Connection;

use super::frequencies::Frequencies;
use crate::{
    error::Result,
    model::TextKind,
    storage::{
        Database, episodes,
        words::{self, NewText, Purge},
    },
};

/// The result of one bounded step of background indexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Step {
    /// Number of indexed episodes.
    pub indexed: u32,
    /// Whether more are waiting.
    pub more: bool,
}

/// Indexes at most `limit` episodes recorded since the last step. After a change of the tokenizer that is every
/// episode; the old rows serve until they are replaced.
///
/// # Errors
/// Those of the store; the step is then rolled back.
pub(crate) fn catch_up(db: &Database, frequencies: &Frequencies, limit: u32) -> Result<Step> {
    let waiting = {
        let reader = db.reader()?;
        episodes::recorded_after(&reader, words::watermark(&reader, words::MODEL)?, None, limit)?
    };
    let Some(last) = waiting.last().map(|text| text.row) else { return Ok(Step::default()) };
    // Outside the transaction, so that a concurrent record waits for the inserts alone.
    let terms: Vec<Vec<String>> = waiting.iter().map(|text| words::tokenize(&text.text)).collect();
    let indexed = u32::try_from(waiting.len()).unwrap_or(limit);
    let more = indexed == limit;
    let has_replaced = db.write_derived("index words", |tx| {
        let mut has_replaced = false;
        for (text, terms) in waiting.iter().zip(&terms) {
            let kind = TextKind::from_compressed(text.compressed);
            let id = text.id.as_str();
            has_replaced |=
                words::index(tx, &NewText { project_id: &text.project_id, row: text.row, id, kind, terms })?;
        }
        words::set_watermark(tx, words::MODEL, last)?;
        if !more {
            words::drop_old_watermarks(tx)?;
        }
        Ok(has_replaced)
    })?;
    if has_replaced {
        // Cached counts are checked against the size of the corpus, which a replaced text does not change.
        frequencies.reset(None);
    }
    Ok(Step { indexed, more })
}

/// Maximum pages merged per step: a millisecond or two.
const MAX_PAGES_MERGED_PER_STEP: u32 = 32;

/// One bounded step of merging the index, for idle moments; returns whether there was anything to merge.
///
/// # Errors
/// Those of the store.
pub(crate) fn merge(db: &Database) -> Result<bool> {
    db.write_derived("merge the index", |tx| words::merge(tx, MAX_PAGES_MERGED_PER_STEP))
}

/// Maximum pages purged per step: some milliseconds.
const MAX_PAGES_PURGED_PER_STEP: i32 = 64;

/// One bounded step of purging the index of removed texts' terms; returns whether there is more to do. The terms stay
/// in its pages until then, and in the log until its checkpoint.
///
/// # Errors
/// Those of the store.
pub(crate) fn purge(db: &Database) -> Result<bool> {
    let Some(purge) = words::purge_wanted(&*db.reader()?)? else { return Ok(false) };
    if purge != Purge::InLog {
        db.write("purge the index", |tx| {
            let more = words::purge(tx, MAX_PAGES_PURGED_PER_STEP, purge == Purge::Wanted)?;
            words::set_purge(tx, Some(if more { Purge::UnderWay } else { Purge::InLog }))
        })?;
        return Ok(true);
    }
    // The checkpoint fails while a reader uses an old state; the next requested step retries it.
    if db.empty_log()? {
        db.write_derived("purge the index", |tx| match words::purge_wanted(tx)? {
            Some(Purge::InLog) => words::set_purge(tx, None),
            // Another deletion happened meanwhile.
            _ => Ok(()),
        })?;
    }
    Ok(false)
}

/// Whether episodes wait to be indexed.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_behind(db: &Connection) -> Result<bool> {
    episodes::any_after(db, words::watermark(db, words::MODEL)?)
}
