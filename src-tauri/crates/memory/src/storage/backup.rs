//! Backups: verified copies of the two files, in a folder beside them.
//!
//! Invariant: a name without a trailing `.part` belongs to a copy that is complete and on disk. The name holds all
//! metadata of a backup; no list exists that could be lost.

use std::{
    fs::{self, File},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{
    Schema, Tx,
    connection::in_transaction,
    copying::{are_alike, check_pages, copy_database, vacuum_into},
    files, name_of, parse_enum, passages,
    thinning::superfluous,
};
use crate::{
    error::{Code, Error, OrLog, Result, copy_of, log_failure},
    model::{Backup, BackupReason, StoreFile, Time},
};

/// Number of backups that were rewritten or deleted to remove data from them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rewritten {
    /// Rewritten without the data.
    pub rewritten: u32,
    /// Deleted, because they could not be rewritten.
    pub deleted: u32,
}

/// The folder of the backups.
#[derive(Debug, Clone)]
pub(crate) struct Backups {
    folder: PathBuf,
}

impl Backups {
    /// The folder for the memory in `data_dir`. It is created with the first backup.
    #[must_use]
    pub(crate) fn new(data_dir: &Path) -> Self {
        Self { folder: data_dir.join("backups") }
    }

    /// All backups, newest first. Empty if the folder cannot be read.
    #[must_use]
    pub(crate) fn list(&self) -> Vec<Backup> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            entries => entries.or_log("list backups"),
        };
        let mut found: Vec<Backup> = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let bytes = entry.metadata().ok().filter(fs::Metadata::is_file)?.len();
                parse(name.strip_suffix(".db")?, bytes)
            })
            .collect();
        found.sort_by(|a, b| b.created_at.cmp(&a.created_at).then_with(|| a.backup_id.cmp(&b.backup_id)));
        found
    }

    /// The backup with this id.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub(crate) fn get(&self, backup_id: &str) -> Result<Backup> {
        let known = self.list().into_iter().find(|backup| backup.backup_id == backup_id);
        known.ok_or_else(|| Error::not_found("backupId", "backup"))
    }

    /// Copies the state of `file` that `source` sees, verifies the copy, and stores it. `None` if it equals the newest
    /// backup and `reason` is only a change.
    ///
    /// # Errors
    /// `MEMORY_WRITE_FAILED` when the folder cannot be written; those of the store. No partial file remains.
    pub(crate) fn make(
        &self,
        source: &Connection,
        file: StoreFile,
        reason: BackupReason,
        now: Time,
    ) -> Result<Option<Backup>> {
        files::create_private_folder(&self.folder).map_err(|error| cannot_write(&error))?;
        let known = self.list();
        // Two backups in one millisecond must not get one name.
        let taken = |at: Time| known.iter().any(|one| one.file == file && one.created_at == at);
        let mut created_at = now;
        while taken(created_at) {
            created_at = created_at.plus_millis(1);
        }
        let backup_id = format!("{}-{}-{}", name_of(file), created_at.millis(), name_of(reason));
        let part = self.folder.join(format!("{backup_id}.part"));
        let made = self.copy(source, file, &part, &backup_id, |bytes_of_copy| {
            reason == BackupReason::Changed
                && known.iter().find(|one| one.file == file).is_some_and(|newest| {
                    newest.bytes == bytes_of_copy && are_alike(&self.path(&newest.backup_id), &part)
                })
        });
        let bytes = made.inspect_err(|_| discard(&part)).map_err(of_copy)?;
        Ok(bytes.map(|bytes| Backup { backup_id, file, created_at, bytes, reason }))
    }

    fn copy(
        &self,
        source: &Connection,
        file: StoreFile,
        part: &Path,
        backup_id: &str,
        is_known: impl Fn(u64) -> bool,
    ) -> Result<Option<u64>> {
        discard(part);
        copy_database(source, part)?;
        if file == StoreFile::Episodes {
            leave_out_passages(part)?;
        }
        check_pages(&read_only(part)?)?;
        let bytes = fs::metadata(part).map_err(|error| cannot_write(&error))?.len();
        if is_known(bytes) {
            fs::remove_file(part).map_err(|error| cannot_write(&error))?;
            return Ok(None);
        }
        self.keep(part, &self.path(backup_id))?;
        Ok(Some(bytes))
    }

    /// Renames a finished copy to its final name, durably.
    fn keep(&self, part: &Path, to: &Path) -> Result<()> {
        put_in_place(part, to)
    }

    /// Opens a backup for reading.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn open(&self, backup: &Backup) -> Result<Connection> {
        read_only(&self.path(&backup.backup_id))
    }

    /// The newest backup of a file that is intact, has exactly the tables of its version, and that `read` accepts, with
    /// the result of `read`.
    pub(crate) fn newest_good<T>(
        &self,
        file: StoreFile,
        read: impl Fn(&Connection) -> Result<T>,
    ) -> Option<(Backup, T)> {
        self.list().into_iter().filter(|backup| backup.file == file).find_map(|backup| {
            let made = self.open(&backup).and_then(|connection| {
                check_good(&connection, Schema::for_file(file))?;
                read(&connection)
            });
            Some((backup, made.or_log("read a backup")?))
        })
    }

    /// Deletes the backups that [`superfluous`] returns; their number.
    pub(crate) fn thin(&self, now: Time) -> u32 {
        let deletable = superfluous(&self.list(), now);
        deletable
            .iter()
            .map(|backup| u32::from(self.delete(&backup.backup_id).or_log("delete an old backup").is_some()))
            .sum()
    }

    /// Deletes one backup.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_WRITE_FAILED`.
    pub(crate) fn delete(&self, backup_id: &str) -> Result<()> {
        let known = self.get(backup_id)?;
        fs::remove_file(self.path(&known.backup_id)).map_err(|error| cannot_write(&error))?;
        sync_folder(&self.folder);
        Ok(())
    }

    /// A copy of a backup at `to`, migrated to the current schema and changed by `work`, verified and on disk.
    ///
    /// # Errors
    /// Those of the store. No partial file remains.
    pub(crate) fn prepare(
        &self,
        backup: &Backup,
        to: &Path,
        schema: Schema,
        work: impl FnMut(&Tx<'_>) -> Result<()>,
    ) -> Result<()> {
        let changed = || changed_copy(&self.path(&backup.backup_id), to, schema, work);
        // A library may panic on a malformed file, and a clearing must still finish.
        let prepared = catch_unwind(AssertUnwindSafe(changed))
            .unwrap_or_else(|_| Err(Error::damaged("the backup cannot be read")));
        prepared.inspect_err(|_| drop(fs::remove_file(to)))
    }

    /// Removes data from every backup of a file: each is rewritten without the rows that `work` deletes, free pages
    /// included. A backup that cannot be rewritten is deleted, and so are partial files.
    ///
    /// # Errors
    /// `MEMORY_WRITE_FAILED` when a backup could neither be rewritten nor deleted.
    pub(crate) fn rewrite(&self, schema: Schema, work: &dyn Fn(&Tx<'_>) -> Result<()>) -> Result<Rewritten> {
        self.sweep();
        let mut done = Rewritten::default();
        for backup in self.list().into_iter().filter(|backup| backup.file == schema.file()) {
            let path = self.path(&backup.backup_id);
            let part = path.with_extension("part");
            let rewritten = self.prepare(&backup, &part, schema, work).and_then(|()| self.keep(&part, &path));
            match rewritten {
                Ok(()) => done.rewritten += 1,
                Err(error) => {
                    crate::log_error!(warn, &error, "backup deleted, because it cannot be rewritten");
                    files::remove_leftover(&part);
                    fs::remove_file(&path).map_err(|error| cannot_write(&error))?;
                    done.deleted += 1;
                }
            }
        }
        sync_folder(&self.folder);
        Ok(done)
    }

    /// Deletes partial files that a crash left.
    pub(crate) fn sweep(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let name = path.to_string_lossy();
            if BESIDE.iter().any(|beside| name.ends_with(&format!(".part{beside}"))) {
                files::remove_leftover(&path);
            }
        }
    }

    fn path(&self, backup_id: &str) -> PathBuf {
        self.folder.join(format!("{backup_id}.db"))
    }
}

/// Suffixes of files that may be left beside an unfinished copy.
const BESIDE: [&str; 5] = ["", "-journal", "-wal", "-shm", SMALLER];
/// Suffix of a copy that is made smaller.
const SMALLER: &str = "-smaller";

/// Deletes the passages from a copy and makes it smaller: they are made again from the chapters.
fn leave_out_passages(part: &Path) -> Result<()> {
    let copy = Connection::open(part)?;
    if !passages::delete_all(&copy)? {
        return Ok(());
    }
    let mut smaller = part.as_os_str().to_owned();
    smaller.push(SMALLER);
    let smaller = PathBuf::from(smaller);
    files::create_private(&smaller);
    vacuum_into(&copy, &smaller)?;
    drop(copy);
    let written = File::options().write(true).open(&smaller).and_then(|file| file.sync_all());
    written.and_then(|()| fs::rename(&smaller, part)).map_err(|error| cannot_write(&error))
}

/// The error of a copy: one for which there is no room is a failed write; a file that cannot be read stays unavailable.
fn of_copy(error: Error) -> Error {
    let source = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<rusqlite::Error>());
    let is_write = source.and_then(rusqlite::Error::sqlite_error).is_some_and(|failed| {
        let is_io = matches!(failed.code, ErrorCode::DiskFull | ErrorCode::SystemIoFailure);
        is_io && !READS.contains(&failed.extended_code)
    });
    if !is_write {
        return error;
    }
    Error { code: Code::WriteFailed, message: "the backup cannot be written".into(), ..error }
}

/// The extended codes of SQLite for a failed and for a short read.
const READS: [i32; 2] = [10 | 1 << 8, 10 | 2 << 8];

/// Deletes an unfinished copy.
fn discard(part: &Path) {
    for beside in BESIDE {
        let mut name = part.as_os_str().to_owned();
        name.push(beside);
        files::remove_leftover(Path::new(&name));
    }
}

/// The metadata in a backup's name.
fn parse(backup_id: &str, bytes: u64) -> Option<Backup> {
    let mut parts = backup_id.split('-');
    let (file, millis, reason) = (parts.next()?, parts.next()?, parts.next()?);
    let backup = Backup {
        backup_id: backup_id.into(),
        file: parse_enum(file).ok()?,
        created_at: Time::from_millis(millis.parse().ok()?),
        bytes,
        reason: parse_enum(reason).ok()?,
    };
    parts.next().is_none().then_some(backup)
}

/// Copies a backup, migrates it, and lets `work` change it; then vacuums it, so that no free page contains deleted
/// rows.
fn changed_copy(from: &Path, to: &Path, schema: Schema, mut work: impl FnMut(&Tx<'_>) -> Result<()>) -> Result<()> {
    check_good(&read_only(from)?, schema)?;
    discard(to);
    files::copy_private(from, to).map_err(|error| cannot_write(&error))?;
    let mut connection = Connection::open(to)?;
    connection.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;")?;
    schema.migrate(&mut connection)?;
    in_transaction(&mut connection, &mut work)?;
    connection.execute_batch("VACUUM")?;
    check_good(&connection, schema)?;
    connection.close().map_err(|(_, error)| Error::from(error))?;
    sync(to)
}

/// A backup is never written in place, so neither another process's lock nor a read-only folder matters.
fn read_only(path: &Path) -> Result<Connection> {
    files::check_kinds(path)?;
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.execute_batch("PRAGMA temp_store = MEMORY")?;
    Ok(connection)
}

/// Checks every page of a file.
///
/// # Errors
/// `MEMORY_STORE_UNAVAILABLE`, with the reason `damaged`.
pub(crate) fn check_whole(connection: &Connection) -> Result<()> {
    let said: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(Error::damaged("the file is damaged")) }
}

/// Checks that a file is intact and has exactly the schema of its version.
///
/// # Errors
/// `MEMORY_STORE_UNAVAILABLE`, with the reason `damaged`, `foreignSchema` or `newerSchema`.
fn check_good(connection: &Connection, schema: Schema) -> Result<()> {
    check_whole(connection)?;
    match schema.check_version(connection)? {
        Some(_) => Ok(()),
        // A file without tables is no memory.
        None => Err(Error::foreign_schema()),
    }
}

/// Renames a finished file; the name is durable when this returns.
pub(crate) fn put_in_place(part: &Path, to: &Path) -> Result<()> {
    sync(part)?;
    fs::rename(part, to).map_err(|error| cannot_write(&error))?;
    if let Some(folder) = to.parent() {
        sync_folder(folder);
    }
    Ok(())
}

fn sync(path: &Path) -> Result<()> {
    File::options().write(true).open(path).and_then(|file| file.sync_all()).map_err(|error| cannot_write(&error))
}

/// Syncs the folder, which makes names durable. Not every system supports it.
pub(crate) fn sync_folder(folder: &Path) {
    log_failure("sync a folder", File::open(folder).and_then(|folder| folder.sync_all()));
}

fn cannot_write(error: &std::io::Error) -> Error {
    Error::new(Code::WriteFailed, format!("the backup cannot be written: {}", error.kind()))
        .caused_by(copy_of(error))
        .while_doing("write a backup")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_recognised_by_its_name_and_no_other_file_is() {
        let known = parse("rules-1773608400000-clearing", 9).unwrap();
        assert_eq!((known.file, known.reason, known.bytes), (StoreFile::Rules, BackupReason::Clearing, 9));
        for other in ["rules", "rules-x-manual", "rules-1-manual-2", "../rules-1-manual", "notes-1-manual", "rules-1-x"]
        {
            assert_eq!(parse(other, 9), None, "{other}");
        }
    }

    #[test]
    fn a_backup_contains_its_source_and_is_made_again_only_after_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let backups = Backups::new(folder.path());
        let source = Connection::open_in_memory().unwrap();
        source.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
        let now = Time::from_millis(86_400_000);
        let make = |reason| backups.make(&source, StoreFile::Rules, reason, now).unwrap();
        let first = make(BackupReason::Changed).unwrap();
        assert_eq!(make(BackupReason::Changed), None);
        source.execute("INSERT INTO t VALUES (2)", []).unwrap();
        let second = make(BackupReason::Changed).unwrap();
        // In the same millisecond: still two backups, the newer one first.
        assert_eq!(backups.list(), [second.clone(), first]);
        let held: i64 = backups.open(&second).unwrap().query_row("SELECT sum(a) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(held, 3);
    }

    /// A file with the schema of the migrations.
    fn memory() -> Connection {
        let mut made = Connection::open_in_memory().unwrap();
        Schema::Rules.migrate(&mut made).unwrap();
        made
    }

    #[test]
    fn a_backup_with_other_tables_indexes_triggers_or_views_is_no_good_one_and_takes_no_files_place() {
        for forged in [
            "CREATE TRIGGER t AFTER INSERT ON rules BEGIN DELETE FROM rules; END",
            "CREATE VIEW v AS SELECT * FROM rules",
            "CREATE TABLE more (a)",
            "CREATE INDEX i ON rules (rule)",
            "DROP TABLE names",
            "DROP INDEX rules_by_project",
            "ALTER TABLE rules ADD COLUMN more TEXT",
            "DROP TABLE refinery_schema_history",
            "UPDATE refinery_schema_history SET version = 30 WHERE version = 6",
            "DELETE FROM refinery_schema_history WHERE version = 6",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let backups = Backups::new(folder.path());
            let source = memory();
            let make = |at| {
                let made = backups.make(&source, StoreFile::Rules, BackupReason::Manual, Time::from_millis(at));
                made.unwrap().unwrap()
            };
            let good = make(1);
            source.execute_batch(forged).unwrap();
            let bad = make(2);
            assert_eq!(backups.newest_good(StoreFile::Rules, |_| Ok(())).unwrap().0, good, "{forged}");
            let to = folder.path().join("to");
            let refused = backups.prepare(&bad, &to, Schema::Rules, |_| Ok(())).unwrap_err();
            assert!(refused.is_damage() && !to.exists(), "{forged}: {refused:?}");
            backups.prepare(&good, &to, Schema::Rules, |_| Ok(())).unwrap();
        }
    }

    #[test]
    fn a_copy_without_room_is_a_failed_write_and_an_unreadable_file_is_none() {
        let code_of = |extended: i32| {
            let failed = rusqlite::ffi::Error::new(extended);
            of_copy(Error::from(rusqlite::Error::SqliteFailure(failed, None))).code
        };
        let (full, write, truncate) = (13, 10 | 3 << 8, 10 | 6 << 8);
        for extended in [full, write, truncate] {
            assert_eq!(code_of(extended), Code::WriteFailed, "{extended}");
        }
        let corrupt = 11;
        for extended in [READS[0], READS[1], corrupt] {
            assert_eq!(code_of(extended), Code::StoreUnavailable, "{extended}");
        }
    }

    #[test]
    fn an_odd_value_in_the_history_of_migrations_is_damage_and_no_panic() {
        for column in ["version", "name", "applied_on", "checksum"] {
            for value in ["NULL", "9223372036854775807", "-1", "1e308", "x'ff00'", "'x'", "''", "'2026-03-15T21:00Z'"] {
                let folder = tempfile::tempdir().unwrap();
                let source = memory();
                let odd = format!("UPDATE refinery_schema_history SET {column} = {value} WHERE version = 2");
                if source.execute_batch(&odd).is_err() || (column == "name" && value.starts_with('\'')) {
                    continue;
                }
                let backups = Backups::new(folder.path());
                let bad = backups.make(&source, StoreFile::Rules, BackupReason::Manual, Time::from_millis(1)).unwrap();
                let to = folder.path().join("to");
                let refused = backups.prepare(&bad.unwrap(), &to, Schema::Rules, |_| Ok(())).unwrap_err();
                assert_eq!(refused.code, Code::StoreUnavailable, "{column} = {value}");
                // A clearing finishes: an unreadable backup is deleted.
                let done = backups.rewrite(Schema::Rules, &|_| Ok(())).unwrap();
                assert_eq!(done, Rewritten { rewritten: 0, deleted: 1 }, "{column} = {value}");
            }
        }
    }

    #[test]
    fn a_damaged_backup_is_passed_over_for_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let backups = Backups::new(folder.path());
        let source = memory();
        let make = |at| backups.make(&source, StoreFile::Rules, BackupReason::Manual, Time::from_millis(at)).unwrap();
        let (good, bad) = (make(1).unwrap(), make(2).unwrap());
        fs::write(backups.path(&bad.backup_id), vec![7; 8_192]).unwrap();
        let (found, ()) = backups.newest_good(StoreFile::Rules, |_| Ok(())).unwrap();
        assert_eq!(found, good);
    }
}
