//! The word index: indexing, merging and purging in bounded background steps.
//!
//! Recording commits the episode alone; indexing continues afterwards and after a crash, from a watermark. Every step
//! is idempotent.

use rusqlite::Connection;

use super::frequencies::Frequencies;
use crate::{
    error::Result,
    storage::{
        Database,
        sources::{IndexedText, Source},
        words::{self, NewText, Purge},
    },
};

/// The result of one bounded step of background indexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Step {
    /// Number of indexed texts.
    pub indexed: u32,
    /// Whether more are waiting.
    pub more: bool,
}

/// Indexes at most `limit` texts that the sources got since the last step. After a change of the tokenizer that is
/// every text; the old rows serve until they are replaced.
///
/// # Errors
/// Those of the store; the step is then rolled back.
pub(crate) fn catch_up(db: &Database, frequencies: &Frequencies, sources: &[&dyn Source], limit: u32) -> Result<Step> {
    let mut indexed = 0;
    for source in sources {
        indexed += index_some(db, frequencies, *source, limit - indexed)?;
        if indexed == limit {
            break;
        }
    }
    Ok(Step { indexed, more: indexed == limit })
}

/// Indexes at most `limit` texts of one source; returns their number.
fn index_some(db: &Database, frequencies: &Frequencies, source: &dyn Source, limit: u32) -> Result<u32> {
    let mark = source.mark(words::MODEL);
    let waiting = {
        let reader = db.reader()?;
        source.texts_after(&reader, words::watermark(&reader, &mark)?, limit)?
    };
    let Some(last) = waiting.last().map(|text| text.row) else { return Ok(0) };
    // Outside the transaction, so that a concurrent record waits for the inserts alone.
    let terms: Vec<Vec<String>> = waiting.iter().map(|text| words::tokenize(&text.text)).collect();
    let indexed = u32::try_from(waiting.len()).unwrap_or(limit);
    let has_replaced = db.write_derived("index words", |tx| {
        let mut has_replaced = false;
        for (text, terms) in waiting.iter().zip(&terms) {
            // An owner deleted since must not be indexed.
            if source.has_owner(tx, text.row, &text.id)? {
                let IndexedText { project_id, kind, id, row, .. } = text;
                has_replaced |= words::index(tx, &NewText { project_id, kind: *kind, id, row: *row, terms })?;
            }
        }
        words::set_watermark(tx, &mark, last)?;
        if indexed < limit {
            words::drop_old_watermarks(tx, source)?;
        }
        Ok(has_replaced)
    })?;
    if has_replaced {
        // Cached counts are checked against the size of the corpus, which a replaced text does not change.
        frequencies.reset(None);
    }
    Ok(indexed)
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

/// Whether texts of these sources wait to be indexed.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_behind(db: &Connection, sources: &[&dyn Source]) -> Result<bool> {
    for source in sources {
        if source.is_any_after(db, words::watermark(db, &source.mark(words::MODEL))?)? {
            return Ok(true);
        }
    }
    Ok(false)
}
