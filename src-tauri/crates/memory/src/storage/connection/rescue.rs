//! Detects a log that is removed, replaced or damaged under a running program, and recovers from it.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use rusqlite::{Connection, config::DbConfig};

use super::{Database, FIRST_PAUSE, lock};
use crate::{
    error::{Error, Result},
    model::Reason,
    storage::{
        files,
        log::{self, Mark},
    },
};

/// How often a rescue looks whether all readers are back, with [`FIRST_PAUSE`] in between.
const RESCUE_ATTEMPTS: u32 = 50;
/// The log of a database, after its name.
pub(super) const LOG: &str = "-wal";

impl Database {
    /// Whether the log under its name is still the one that is written to, and as it was left. It costs one look at the
    /// folder.
    pub fn is_log_in_place(&self) -> bool {
        if self.is_log_damaged.load(Ordering::SeqCst) {
            return false;
        }
        let there = Mark::of(&files::beside(&self.path, LOG));
        match (*lock(&self.log), there) {
            (Some(left), Some(there)) => left.is_same_file(there),
            (Some(_), None) => false,
            // None was there when the file was opened.
            (None, _) => true,
        }
    }

    /// Refuses a write into a log that was removed, replaced or damaged: after a crash only the log under its name is read.
    pub(super) fn check_log(&self, writer: &Connection) -> Result<()> {
        let path = files::beside(&self.path, LOG);
        let (left, there) = (*lock(&self.log), Mark::of(&path));
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
                    // Another program wrote to the database in the regular way.
                    *lock(&self.log) = Some(there);
                    return Ok(());
                }
                self.is_log_damaged.store(true, Ordering::SeqCst);
            }
            _ => {}
        }
        Err(log_lost())
    }

    /// Before the connection is closed, which writes the log into the database: a damaged log stays out of it. What is
    /// before the damage is read from the log when the file is opened again. Says whether the log is damaged.
    pub(super) fn refuse_damaged_log(&self, writer: &Connection) -> bool {
        let path = files::beside(&self.path, LOG);
        let is_ours =
            matches!((*lock(&self.log), Mark::of(&path)), (Some(left), Some(there)) if left.is_same_file(there));
        // All frames are read: damage during a write leaves no other trace.
        let is_whole =
            || self.frames(writer).is_ok_and(|(backfilled, frames)| log::is_whole(&path, backfilled, frames));
        let is_damaged = self.is_log_damaged.load(Ordering::SeqCst) || (is_ours && !is_whole());
        if is_damaged {
            self.is_log_damaged.store(true, Ordering::SeqCst);
            // Where this fails, so does the checkpoint.
            let _set = writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
        is_damaged
    }

    /// Frames of the log that the database has already, and all of them, as shared memory says.
    fn frames(&self, writer: &Connection) -> Result<(u64, u64)> {
        let number = |number: i64| u64::try_from(number).unwrap_or(0);
        Ok(writer.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| Ok((number(row.get(2)?), number(row.get(1)?))))?)
    }

    /// Remembers the log as it is now, after a step of our own. The one that is written to must still be in its place.
    pub(super) fn mark_log(&self) -> Result<()> {
        let there = Mark::of(&files::beside(&self.path, LOG));
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

    /// Closes a database whose log was removed, replaced or damaged, so that it can be opened again. A log that is only
    /// gone from its name is still open here: all of it goes into the database first, and nothing is lost. Of a damaged
    /// one everything before the damage is kept; `aside` is the suffix under which it is kept as it is.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` with the reason `logLost` while somebody still reads; it is tried again at the next need.
    pub fn rescue(&self, aside: &str) -> Result<()> {
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
        let path = files::beside(&self.path, LOG);
        let kept = files::beside(&files::beside(&self.path, aside), LOG);
        if self.is_log_damaged.load(Ordering::SeqCst) {
            // Best effort: the disk may be full, and what is before the damage matters more.
            let _kept = files::copy_private(&path, &kept);
            writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            return Ok(());
        }
        let busy: bool = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy {
            return Err(log_lost());
        }
        // A foreign log in this place would be applied to the database when it is opened.
        if path.exists() {
            let _set_aside = std::fs::rename(&path, &kept);
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

    /// From now on the reader itself counts.
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
