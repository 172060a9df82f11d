//! Detects a log that is removed, replaced or damaged under a running program, and recovers from it.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use rusqlite::{Connection, config::DbConfig};

use super::{Database, FIRST_PAUSE, lock};
use crate::{
    error::{Error, Result, log_failure},
    model::Reason,
    storage::{
        files,
        log::{self, Mark},
    },
};

/// Maximum number of checks whether all readers are returned, with [`FIRST_PAUSE`] in between.
const RESCUE_ATTEMPTS: u32 = 50;
/// Suffix of a database's log.
pub(super) const LOG: &str = "-wal";

impl Database {
    /// Whether the log under its name is still the one in use, unchanged. Costs one `stat`.
    pub(crate) fn is_log_in_place(&self) -> bool {
        if self.is_log_damaged.load(Ordering::SeqCst) {
            return false;
        }
        let there = Mark::read(&files::with_suffix(&self.path, LOG));
        match (*lock(&self.log), there) {
            (Some(left), Some(there)) => left.is_same_file(there),
            (Some(_), None) => false,
            // The file had no log when it was opened.
            (None, _) => true,
        }
    }

    /// Refuses a write into a log that was removed, replaced or damaged: after a crash only the log under its name is
    /// read.
    pub(super) fn check_log(&self, writer: &Connection) -> Result<()> {
        let path = files::with_suffix(&self.path, LOG);
        let (left, there) = (*lock(&self.log), Mark::read(&path));
        if left == there || left.is_none() {
            return Ok(());
        }
        let is_whole = || -> Result<bool> {
            let (backfilled, frames) = self.frames(writer)?;
            Ok(log::is_whole(&path, backfilled, frames))
        };
        match (left, there) {
            (Some(left), Some(there)) if left.is_same_file(there) => {
                if is_whole()? {
                    // Another program wrote to the database through SQLite.
                    *lock(&self.log) = Some(there);
                    return Ok(());
                }
                self.is_log_damaged.store(true, Ordering::SeqCst);
            }
            _ => {}
        }
        Err(log_lost())
    }

    /// Called before the connection is closed, which checkpoints the log: keeps a damaged log out of the database. The
    /// frames before the damage are read when the file is opened again. Returns whether the log is damaged.
    pub(super) fn refuse_damaged_log(&self, writer: &Connection) -> bool {
        let path = files::with_suffix(&self.path, LOG);
        let is_ours =
            matches!((*lock(&self.log), Mark::read(&path)), (Some(left), Some(there)) if left.is_same_file(there));
        // All frames are read: damage during a write leaves no other trace.
        let is_whole =
            || self.frames(writer).is_ok_and(|(backfilled, frames)| log::is_whole(&path, backfilled, frames));
        let is_damaged = self.is_log_damaged.load(Ordering::SeqCst) || (is_ours && !is_whole());
        if is_damaged {
            self.is_log_damaged.store(true, Ordering::SeqCst);
            // If this fails, the checkpoint fails too.
            let set = writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            log_failure("keep a damaged log out of the database", set);
        }
        is_damaged
    }

    /// Number of frames already in the database, and of all frames, from shared memory.
    fn frames(&self, writer: &Connection) -> Result<(u64, u64)> {
        let number = |number: i64| u64::try_from(number).unwrap_or(0);
        Ok(writer.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| Ok((number(row.get(2)?), number(row.get(1)?))))?)
    }

    /// Stores the fingerprint of the log after a step of our own. The log in use must still be in its place.
    pub(super) fn mark_log(&self) -> Result<()> {
        let there = Mark::read(&files::with_suffix(&self.path, LOG));
        let mut left = lock(&self.log);
        match (*left, there) {
            (Some(before), Some(now)) if !before.is_same_file(now) => Err(log_lost()),
            (Some(_), None) => Err(log_lost()),
            _ => {
                *left = there;
                Ok(())
            }
        }
    }

    /// Closes a database whose log was removed, replaced or damaged, so that it can be opened again. A log that was
    /// only unlinked is still open here: it is checkpointed completely first, and nothing is lost. Of a damaged log all
    /// frames before the damage are applied; `aside` is the suffix of its unchanged copy.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` with the reason `logLost` while a reader is in use; the next use retries.
    pub(crate) fn rescue(&self, aside: &str) -> Result<()> {
        let writer = &mut *lock(&self.writer);
        if self.is_closed() {
            return Ok(());
        }
        self.is_rescued.store(true, Ordering::SeqCst);
        let rescued = self.detach(writer, aside);
        match &rescued {
            Ok(()) => {
                self.closed.store(true, Ordering::SeqCst);
                // Drops the connection, which closes the file.
                *writer = Connection::open_in_memory()?;
            }
            Err(_) => self.is_rescued.store(false, Ordering::SeqCst),
        }
        rescued
    }

    fn detach(&self, writer: &Connection, aside: &str) -> Result<()> {
        for _ in 0..RESCUE_ATTEMPTS {
            lock(&self.readers).clear();
            if self.loaned.load(Ordering::Acquire) == 0 {
                break;
            }
            thread::sleep(FIRST_PAUSE);
        }
        lock(&self.readers).clear();
        if self.loaned.load(Ordering::Acquire) > 0 {
            return Err(log_lost());
        }
        let path = files::with_suffix(&self.path, LOG);
        let log_aside = files::with_suffix(&files::with_suffix(&self.path, aside), LOG);
        if self.is_log_damaged.load(Ordering::SeqCst) {
            // Best effort: the disk may be full, and the frames before the damage matter more.
            log_failure("copy a damaged log", files::copy_private(&path, &log_aside));
            writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            return Ok(());
        }
        let busy: bool = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy {
            return Err(log_lost());
        }
        // A foreign log in this place would be applied to the database when it is opened.
        if path.exists() {
            log_failure("move a foreign log aside", std::fs::rename(&path, &log_aside));
        }
        Ok(())
    }
}

/// A reader that is about to be handed out.
pub(super) struct Loan<'a>(Option<&'a AtomicUsize>);

impl<'a> Loan<'a> {
    pub(super) fn new(loaned: &'a AtomicUsize) -> Self {
        loaned.fetch_add(1, Ordering::AcqRel);
        Self(Some(loaned))
    }

    /// From here on the reader itself is counted.
    pub(super) fn pass_on(mut self) {
        self.0 = None;
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let Some(loaned) = self.0 {
            loaned.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

pub(super) fn log_lost() -> Error {
    Error::unavailable(Reason::LogLost, "the file's log was removed or changed by another program; try again")
}
