//! The index of words, kept up in the background, and asked.
//!
//! Recording commits the episode alone; this catches up afterwards and after a crash, from a watermark. Every step is
//! idempotent.

use rusqlite::Connection;

use crate::{
    error::Result,
    storage::{Database, episodes, words},
};

/// What one bounded step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// Episodes indexed.
    pub indexed: u32,
    /// More are waiting.
    pub more: bool,
}

/// Indexes at most `limit` episodes that were recorded since the last step.
///
/// # Errors
/// Those of the store; nothing of the step then happened.
pub fn catch_up(db: &Database, limit: u32) -> Result<Step> {
    let waiting = {
        let reader = db.reader()?;
        episodes::recorded_after(&reader, words::watermark(&reader)?, None, limit)?
    };
    let Some(last) = waiting.last().map(|text| text.row) else {
        return Ok(Step::default());
    };
    db.write(|tx| {
        for text in &waiting {
            words::index_episode(tx, text.row, &text.id, &text.project_id, &text.text)?;
        }
        // Another step may have come further meanwhile.
        let reached = words::watermark(tx)?.max(last);
        words::set_watermark(tx, reached)
    })?;
    let indexed = u32::try_from(waiting.len()).unwrap_or(limit);
    Ok(Step { indexed, more: indexed == limit })
}

/// Whether episodes wait to be indexed.
///
/// # Errors
/// Those of the store.
pub fn is_behind(db: &Connection) -> Result<bool> {
    Ok(!episodes::recorded_after(db, words::watermark(db)?, None, 1)?.is_empty())
}
