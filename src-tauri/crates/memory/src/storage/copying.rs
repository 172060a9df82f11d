//! An online copy of a database file: page by page, in steps with a pause after each, so that no write waits for it.

use std::{
    fs::File,
    io::{BufRead, BufReader, ErrorKind},
    path::Path,
    thread,
    time::Duration,
};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};

use super::files;
use crate::error::{Code, Error, Result, log_failure};

/// Pages copied per step: two megabytes, a millisecond or two.
const PAGES_PER_STEP: i32 = 512;
/// The pause after each step: a write that arrives meanwhile finds the disk free.
const PAUSE: Duration = Duration::from_millis(2);
/// If more than this part of the file is free pages, the file is vacuumed into the copy instead, which leaves them out.
const FREE_SHARE_DIVISOR: i64 = 4;
/// Page cache of the copy, in KiB.
const CACHE_KIB: i32 = 4_000;

/// Copies the state that `source` sees to `to`, which must not exist. Concurrent writes continue, and are not in the
/// copy.
///
/// # Errors
/// `MEMORY_WRITE_FAILED` when the disk is too full; those of the store. The file at `to` is then invalid.
pub(super) fn copy_database(source: &Connection, to: &Path) -> Result<()> {
    files::create_private(to);
    let number = |pragma: &str| -> Result<i64> { Ok(source.query_row(pragma, [], |row| row.get(0))?) };
    if number("PRAGMA freelist_count")? * FREE_SHARE_DIVISOR > number("PRAGMA page_count")? {
        return vacuum_into(source, to);
    }
    copy_pages(source, to, || {
        // Pages are synced as they are written: one sync at the end would block all writers.
        let synced = File::options().write(true).open(to).and_then(|file| file.sync_data());
        log_failure("sync a copy", synced);
        thread::sleep(PAUSE);
    })
}

/// Writes the tables to `to`, an empty file or none, without free pages.
///
/// # Errors
/// As [`copy_database`].
pub(super) fn vacuum_into(source: &Connection, to: &Path) -> Result<()> {
    let target = to.to_str().ok_or_else(|| Error::new(Code::WriteFailed, "the folder's name is no text"))?;
    source.execute("VACUUM INTO ?1", [target])?;
    Ok(())
}

fn copy_pages(source: &Connection, to: &Path, mut rest: impl FnMut()) -> Result<()> {
    let snapshot = source.unchecked_transaction()?;
    // The read transaction starts with the first read and lasts to the end: otherwise every write would restart the
    // copy.
    snapshot.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let mut target = Connection::open(to)?;
    // An interrupted copy is discarded.
    target.execute_batch(&format!(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{CACHE_KIB}; PRAGMA temp_store = MEMORY;"
    ))?;
    {
        let copying = Backup::new(&snapshot, &mut target)?;
        while copying.step(PAGES_PER_STEP)? != StepResult::Done {
            rest();
        }
    }
    target.close().map_err(|(_, error)| Error::from(error))?;
    // The copy's header says WAL, as the file's does. Reset it, so that the copy can be read in a read-only folder.
    let copied = Connection::open(to)?;
    copied.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    copied.close().map_err(|(_, error)| Error::from(error))
}

/// Checks the pages of every table of a copy. The word index is not checked term by term: it can be rebuilt from the
/// texts.
///
/// # Errors
/// `MEMORY_STORE_UNAVAILABLE`, with the reason `damaged`.
pub(super) fn check_pages(copy: &Connection) -> Result<()> {
    let mut tables = copy.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for table in tables {
        let said: String = copy.query_row(&format!("PRAGMA quick_check(\"{table}\")"), [], |row| row.get(0))?;
        if said != "ok" {
            return Err(Error::damaged("the file is damaged"));
        }
    }
    Ok(())
}

/// Whether two files have equal contents; `false` if one of them cannot be read.
pub(super) fn are_alike(one: &Path, other: &Path) -> bool {
    let compare = || -> std::io::Result<bool> {
        let mut one = BufReader::with_capacity(1 << 16, File::open(one)?);
        let mut other = BufReader::with_capacity(1 << 16, File::open(other)?);
        loop {
            let (a, b) = (filled(&mut one)?, filled(&mut other)?);
            let length = a.len().min(b.len());
            if a.get(..length) != b.get(..length) || (length == 0 && a.len() != b.len()) {
                return Ok(false);
            }
            if length == 0 {
                return Ok(true);
            }
            one.consume(length);
            other.consume(length);
        }
    };
    compare().unwrap_or(false)
}

fn filled(reader: &mut BufReader<File>) -> std::io::Result<&[u8]> {
    // Retried after an interruption; borrowing through a loop needs the second call.
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    reader.fill_buf()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn filled_file(rows: u32) -> (TempDir, Connection) {
        let folder = TempDir::new().unwrap();
        let db = Connection::open(folder.path().join("one.db")).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)").unwrap();
        let tx = db.unchecked_transaction().unwrap();
        for n in 0..rows {
            tx.execute("INSERT INTO t VALUES (?1, ?2)", rusqlite::params![n, "灯".repeat(300)]).unwrap();
        }
        tx.commit().unwrap();
        (folder, db)
    }

    fn rows(path: &Path) -> u32 {
        let db = Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        check_pages(&db).unwrap();
        db.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_write_during_a_copy_does_not_wait_and_is_not_in_the_copy() {
        let (folder, db) = filled_file(8_000);
        let writer = Connection::open(folder.path().join("one.db")).unwrap();
        writer.busy_timeout(Duration::ZERO).unwrap();
        let to = folder.path().join("copy.db");
        let mut rests = 0;
        copy_pages(&db, &to, || {
            writer.execute("INSERT INTO t (text) VALUES ('灯')", []).unwrap();
            rests += 1;
        })
        .unwrap();
        assert!(rests > 2, "{rests} rests");
        assert_eq!(rows(&to), 8_000);
        assert_eq!(rows(&folder.path().join("one.db")), 8_000 + rests);
        let beside =
            std::fs::read_dir(folder.path()).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
        assert_eq!(beside.filter(|name| name.starts_with("copy.db")).count(), 1, "a copy is one file");
    }

    #[test]
    fn a_backup_of_a_file_with_much_free_space_leaves_the_free_pages_out() {
        let (folder, db) = filled_file(2_000);
        db.execute("DELETE FROM t WHERE n > 9", []).unwrap();
        let to = folder.path().join("copy.db");
        copy_database(&db, &to).unwrap();
        assert_eq!(rows(&to), 10);
        assert!(std::fs::metadata(&to).unwrap().len() < 64 << 10);
    }

    #[test]
    fn a_copy_with_a_broken_page_is_found_out() {
        let (folder, db) = filled_file(2_000);
        let to = folder.path().join("copy.db");
        copy_database(&db, &to).unwrap();
        let mut bytes = std::fs::read(&to).unwrap();
        let middle = bytes.len() / 2 / 4096 * 4096;
        bytes[middle..middle + 4096].fill(0x55);
        std::fs::write(&to, bytes).unwrap();
        assert!(check_pages(&Connection::open(&to).unwrap()).is_err_and(|error| error.is_damage()));
    }

    #[test]
    fn files_are_alike_when_every_byte_is() {
        let folder = TempDir::new().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let long = vec![7; 200_000];
        let mut other = long.clone();
        other[199_999] = 8;
        let one = file("one", &long);
        assert!(are_alike(&one, &file("same", &long)));
        assert!(!are_alike(&one, &file("other", &other)));
        assert!(!are_alike(&one, &file("shorter", &long[..100_000])));
        assert!(!are_alike(&one, &folder.path().join("none")));
        assert!(are_alike(&file("empty", &[]), &file("nothing", &[])));
    }
}
