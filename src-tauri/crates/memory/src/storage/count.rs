//! The number of durable writes of a database, stored twice: in the database itself, and in a small file beside it.
//!
//! The file is not synced: it survives the end of the process, and after a loss of power it may be behind, never ahead.
//! If it is ahead of the database, acknowledged writes are missing.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use rusqlite::{Connection, OptionalExtension};

use super::{Tx, files};
use crate::{
    error::{OrLog, Result, log_failure},
    lock::Mutex,
};

/// The row of `watermarks` with the count.
const NAME: &str = "writes";
/// Digits of each of the two numbers.
const DIGITS: usize = 20;

/// Counts a write, in its own transaction; returns the new count.
pub(crate) fn increment(tx: &Tx<'_>) -> Result<u64> {
    let counted = tx
        .prepare_cached(
            "INSERT INTO watermarks (name, value) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE \
             SET value = min(value, 9223372036854775806) + 1 \
             RETURNING value",
        )?
        .query_row([NAME], |row| row.get::<_, i64>(0))?;
    Ok(u64::try_from(counted).unwrap_or(0))
}

/// Number of durable writes of a database.
pub(crate) fn counted(db: &Connection) -> Result<u64> {
    let mut statement = db.prepare_cached("SELECT value FROM watermarks WHERE name = ?1")?;
    let found: Option<i64> = statement.query_row([NAME], |row| row.get(0)).optional()?;
    Ok(found.and_then(|found| u64::try_from(found).ok()).unwrap_or(0))
}

/// The small file beside a database that holds the second count.
#[derive(Debug)]
pub(crate) struct CountFile {
    path: PathBuf,
    open: Mutex<Option<File>>,
    /// The highest count noted by this process: writers may arrive here in another order than they committed.
    highest: AtomicU64,
}

/// The contents of the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Line {
    /// Number of acknowledged writes.
    count: u64,
    /// Acknowledged writes that were found missing, and not yet reported to the writer.
    missing: u64,
}

impl CountFile {
    /// The count file of the database at `path`.
    #[must_use]
    pub(crate) fn for_database(path: &Path) -> Self {
        Self { path: files::with_suffix(path, "-writes"), open: Mutex::default(), highest: AtomicU64::new(0) }
    }

    /// Records the number of acknowledged writes. Best effort: a count that cannot be written only weakens the check.
    pub(crate) fn write_count(&self, count: u64) {
        if self.highest.fetch_max(count, Ordering::AcqRel) < count {
            self.write(0, count);
        }
    }

    /// Compares with the count in the database, adds the difference to what is missing, and continues from the
    /// database's count.
    pub(crate) fn reconcile(&self, counted: u64) {
        let noted = self.read().unwrap_or_default();
        let missing = noted.missing.saturating_add(noted.count.saturating_sub(counted));
        self.write(1, missing);
        self.write(0, counted);
        self.highest.store(counted, Ordering::Release);
    }

    /// Acknowledged writes that are missing, and not yet reported to the writer.
    #[must_use]
    pub(crate) fn missing(&self) -> u64 {
        self.read().unwrap_or_default().missing
    }

    /// The writer has acknowledged the missing writes.
    pub(crate) fn forget_missing(&self) {
        self.write(1, 0);
    }

    /// The database file is about to be replaced.
    pub(crate) fn reset(&self) {
        // In this order, a crash in between reports no write as missing that is not.
        self.write(0, 0);
        self.write(1, 0);
    }

    fn read(&self) -> Option<Line> {
        files::check_kind(&self.path).or_log("read the count of writes")?;
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            file => file.or_log("read the count of writes")?,
        };
        let mut text = String::new();
        file.take(64).read_to_string(&mut text).or_log("read the count of writes")?;
        let mut numbers = text.split_whitespace().map(str::parse);
        Some(Line { count: numbers.next()?.ok()?, missing: numbers.next()?.ok()? })
    }

    fn write(&self, place: usize, number: u64) {
        let mut open = self.open.lock();
        if open.is_none() && files::check_kind(&self.path).is_ok() {
            let file = files::private().create(true).truncate(false).write(true).open(&self.path);
            *open = file.ok().inspect(|mut file| {
                if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
                    log_failure("begin the count of writes", writeln!(file, "{:0DIGITS$} {:0DIGITS$}", 0, 0));
                }
            });
        }
        if let Some(file) = open.as_mut() {
            let at = SeekFrom::Start((place * (DIGITS + 1)) as u64);
            let written = file.seek(at).and_then(|_| file.write_all(format!("{number:0DIGITS$}").as_bytes()));
            log_failure("write the count of writes", written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledged_writes_that_are_lost_count_as_missing_until_they_are_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.db");
        let noted = CountFile::for_database(&path);
        noted.reconcile(0);
        assert_eq!(noted.missing(), 0);
        (1..=7).for_each(|count| noted.write_count(count));
        // Another process, on a database with five writes.
        let noted = CountFile::for_database(&path);
        noted.reconcile(5);
        assert_eq!(noted.missing(), 2);
        noted.write_count(6);
        let noted = CountFile::for_database(&path);
        noted.reconcile(6);
        assert_eq!(noted.missing(), 2, "it is said until the writer knows, and counted once");
        noted.forget_missing();
        assert_eq!(noted.missing(), 0);
        // A loss of power left the file behind.
        noted.reconcile(9);
        assert_eq!(noted.missing(), 0);
        noted.reset();
        noted.reconcile(1);
        assert_eq!(noted.missing(), 0, "a backup was put in place");
    }

    #[test]
    fn a_damaged_count_file_reports_no_missing_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.db");
        std::fs::write(files::with_suffix(&path, "-writes"), [0xff; 30]).unwrap();
        CountFile::for_database(&path).reconcile(3);
        std::fs::remove_file(files::with_suffix(&path, "-writes")).unwrap();
        std::fs::create_dir(files::with_suffix(&path, "-writes")).unwrap();
        CountFile::for_database(&path).reconcile(3);
        assert_eq!(CountFile::for_database(&path).missing(), 0);
    }
}
