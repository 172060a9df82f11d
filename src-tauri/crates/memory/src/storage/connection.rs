//! Connections: one writer, many readers, distinguished by type.

mod commit;
mod rescue;

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, config::DbConfig};

pub(crate) use self::commit::Ending;
use self::{
    commit::{Failure, Promise},
    rescue::{LOG, Loan},
};
use super::{Schema, count, files, log::Mark, part_log::PartLog};
use crate::{
    error::{Code, Error, Result, WhileDoing, log_failure},
    lock::{Mutex, MutexGuard},
    log_error,
    model::{Cause, PartHealth, PartState, Reason},
};

/// Number of retries after a failed write, as the owner fixed it.
const RETRIES: u32 = 3;
/// The pause before the first retry; it doubles with each retry.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// SQLite's busy timeout: the wait for a lock in each try of a write.
const BUSY_TIMEOUT: Duration = Duration::from_millis(300);
/// The longest wait of a write, over all its tries, for a lock of another process.
#[cfg(test)]
const MAX_LOCK_WAIT: Duration = Duration::from_millis(1_500);
/// The same while a file is opened: all users of the file wait for that, and the next use retries.
const OPENING_TIMEOUT: Duration = Duration::from_millis(50);
/// Bytes that the probe must be able to write before a file counts as writable again.
const PROBE_BYTES: usize = 96 << 10;
/// Maximum idle readers: one for each concurrent recall. A new one has to read the schema and prepare its statements
/// first.
const MAX_IDLE_READERS: usize = 32;
/// Page cache in KiB: a reader's is small, since there may be many, and the system caches the file anyway.
const READER_CACHE_KIB: i32 = 2_000;
const WRITER_CACHE_KIB: i32 = 8_000;

/// One database file.
#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    schema: Schema,
    /// Dropped before the writer: the last connection to close checkpoints the log, and a reader could not.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
    /// The file was replaced, or is about to be: nothing is written any more.
    closed: AtomicBool,
    /// The error of the last write; `None` when it succeeded.
    trouble: Mutex<bool>,
    /// Durable writes since the file was opened.
    writes: AtomicU64,
    /// The second count of acknowledged writes, in a file beside the database.
    count_file: count::CountFile,
    /// Number of readers in use.
    loaned: AtomicUsize,
    /// Fingerprint of the log after the last write.
    log: Mutex<Option<Mark>>,
    /// The file is being closed because its log was removed: a new reader would take another log for the file's.
    is_rescued: AtomicBool,
    /// Another program changed frames of the log.
    is_log_damaged: AtomicBool,
    /// Logs when writing fails, and when it succeeds again.
    parts: Arc<PartLog>,
}

/// A write transaction, started with `BEGIN IMMEDIATE`. Only [`Database::write`] commits it.
#[derive(Debug)]
pub struct Tx<'a>(Transaction<'a>);

impl Deref for Tx<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        &self.0
    }
}

/// A read-only connection, returned to the pool when dropped.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    connection: Option<Connection>,
    home: &'a Mutex<Vec<Connection>>,
    loaned: &'a AtomicUsize,
}

impl Deref for Reader<'_> {
    type Target = Connection;
    #[allow(clippy::expect_used)] // taken only by drop
    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a reader holds its connection until it is dropped")
    }
}

impl Reader<'_> {
    /// Starts a read transaction: one state of the file for several statements, until this is dropped. It also spares
    /// each statement its own locks.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub(crate) fn snapshot(&self) -> Result<Transaction<'_>> {
        Ok(self.unchecked_transaction()?)
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            let mut idle = lock(self.home);
            if idle.len() < MAX_IDLE_READERS {
                idle.push(connection);
            }
        }
        self.loaned.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A panic elsewhere must not make the database unusable: SQLite's own state is intact, and an open transaction rolls
/// back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

impl Database {
    /// Opens the file, creates it if it is missing, and migrates its schema.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` when it cannot be opened, is no database, has unexpected tables, or does not
    /// guarantee durability.
    pub(crate) fn open(path: &Path, schema: Schema) -> Result<Self> {
        Self::open_and(path, schema, |_| Ok(()))
    }

    /// Like [`Database::open`]; if an existing file needs a migration, `before_migration` is called first, with the
    /// unchanged file.
    ///
    /// # Errors
    /// As [`Database::open`], and those of `before_migration`; the file is then unchanged.
    pub(crate) fn open_and(
        path: &Path,
        schema: Schema,
        before_migration: impl FnOnce(&Connection) -> Result<()>,
    ) -> Result<Self> {
        Self::opened(path, schema, before_migration).while_doing("open a database")
    }

    fn opened(path: &Path, schema: Schema, before_migration: impl FnOnce(&Connection) -> Result<()>) -> Result<Self> {
        files::check_kinds(path)?;
        files::create_private(path);
        let mut writer = Connection::open(path)?;
        configure(&writer, WRITER_CACHE_KIB)?;
        writer.busy_timeout(OPENING_TIMEOUT)?;
        let mode: String = writer.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        writer.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;")?;
        let synchronous: i64 = writer.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
        // Read back, because SQLite may ignore the setting, and durability must not be claimed then.
        if mode != "wal" || synchronous != 2 {
            return Err(Error::new(Code::StoreUnavailable, "the store cannot promise durability here"));
        }
        if schema.needs_migration(&writer)? {
            before_migration(&writer)?;
        }
        schema.migrate(&mut writer)?;
        writer.busy_timeout(BUSY_TIMEOUT)?;
        let count_file = count::CountFile::for_database(path);
        count_file.reconcile(count::counted(&writer)?);
        Ok(Self {
            log: Mutex::leaf(Mark::read(&files::with_suffix(path, LOG))),
            path: path.to_owned(),
            schema,
            writer: Mutex::new(schema.writer_rank(), writer),
            readers: Mutex::leaf(Vec::new()),
            closed: AtomicBool::new(false),
            trouble: Mutex::leaf(false),
            writes: AtomicU64::new(0),
            count_file,
            loaned: AtomicUsize::new(0),
            is_log_damaged: AtomicBool::new(false),
            is_rescued: AtomicBool::new(false),
            parts: Arc::default(),
        })
    }

    /// Logs changes of its state together with those of the other parts.
    #[must_use]
    pub(crate) fn logging_to(mut self, parts: Arc<PartLog>) -> Self {
        self.parts = parts;
        self
    }

    /// Runs `work` in one transaction: all of it is on disk when this returns, or none of it happened.
    ///
    /// Deleted content is overwritten with zeros: compressed texts and freed index pages leave the file just as rows
    /// that the writer deletes.
    ///
    /// A write that fails for a transient reason (locked, interrupted, an I/O error) is retried three times. It waits
    /// at most 1.5 s in all for a lock of another process. `operation` names it in the log and in its error.
    ///
    /// # Errors
    /// The error of `work`, unchanged; `MEMORY_WRITE_FAILED` when the last retry failed too.
    pub(crate) fn write<T>(&self, operation: &'static str, mut work: impl FnMut(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.retrying(operation, Promise::Durable, |tx| work(tx).map(Ending::Commit))
    }

    /// Like [`Database::write`], for work that decides whether its changes are committed.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub(crate) fn write_or_roll_back<T>(
        &self,
        operation: &'static str,
        work: impl FnMut(&Tx<'_>) -> Result<Ending<T>>,
    ) -> Result<T> {
        self.retrying(operation, Promise::Durable, work)
    }

    /// Like [`Database::write`] for derived data (indexes, vectors): atomic, but a loss of power may revert the last
    /// transactions. It does not wait for the disk, and so delays no durable write.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub(crate) fn write_derived<T>(
        &self,
        operation: &'static str,
        mut work: impl FnMut(&Tx<'_>) -> Result<T>,
    ) -> Result<T> {
        self.retrying(operation, Promise::Derived, |tx| work(tx).map(Ending::Commit))
    }

    fn retrying<T>(
        &self,
        operation: &'static str,
        promise: Promise,
        mut work: impl FnMut(&Tx<'_>) -> Result<Ending<T>>,
    ) -> Result<T> {
        let mut counted = None;
        let written = retried(operation, || {
            self.write_once(promise, &mut |tx| {
                let ending = work(tx)?;
                if matches!(promise, Promise::Durable) && ending.is_commit() {
                    counted = Some(count::increment(tx)?);
                }
                Ok(ending)
            })
        });
        match &written {
            Ok(Ending::RollBack(_)) => {}
            // Removing a list row may succeed where inserting an episode does not.
            Ok(_) if matches!(promise, Promise::Derived) => {}
            Ok(_) => {
                self.set_trouble(false);
                self.writes.fetch_add(1, Ordering::Relaxed);
                if let Some(count) = counted {
                    self.count_file.write_count(count);
                }
            }
            Err(error) if matches!(error.code, Code::WriteFailed | Code::StoreUnavailable) => {
                self.set_trouble(true);
            }
            Err(_) => {}
        }
        written.map(Ending::into_value)
    }

    /// Stores whether the last write failed, and logs a change.
    fn set_trouble(&self, is_troubled: bool) {
        let was_troubled = std::mem::replace(&mut *lock(&self.trouble), is_troubled);
        if was_troubled != is_troubled {
            let part = self.schema.file().part();
            self.parts.log_change(&match is_troubled {
                true => PartHealth::unavailable(part, unwritable()),
                false => PartHealth::serving(part, PartState::Ok),
            });
        }
    }

    /// Durable writes since the file was opened: an equal number means that nothing has changed.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// The error of the last write; `None` when it succeeded. After a failure this call probes the file with a write,
    /// so that a resolved cause is not reported.
    pub(crate) fn write_trouble(&self) -> Option<Cause> {
        if !*lock(&self.trouble) {
            return None;
        }
        // As much as an episode needs: less would find a lock, but no disk that is nearly full. Committed and then
        // deleted: rows deleted before the commit are never written.
        let forget = |tx: &Tx<'_>| Ok(tx.execute("DELETE FROM watermarks WHERE name LIKE 'probe%'", [])?);
        let tried = self.write_once(Promise::Durable, &mut |tx| {
            forget(tx)?;
            let name = format!("probe{}", " ".repeat(PROBE_BYTES));
            Ok(Ending::Commit(tx.execute("INSERT INTO watermarks (name, value) VALUES (?1, 0)", [name])?))
        });
        let tried = tried.and_then(|_| self.write_once(Promise::Durable, &mut |tx| forget(tx).map(Ending::Commit)));
        if tried.is_ok() {
            self.set_trouble(false);
        }
        lock(&self.trouble).then(unwritable)
    }

    /// Reads a little of every table, through a fresh connection, to detect a file that was replaced or damaged.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`, with the reason `damaged` if it was.
    pub(crate) fn probe(&self) -> Result<()> {
        let fresh = self.fresh_reader(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = fresh.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' \
             AND name NOT LIKE 'sqlite_%'",
        )?;
        let tables: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if tables.is_empty() {
            // Without a log, an emptied file is a valid database without tables.
            return Err(Error::damaged("the file is empty"));
        }
        for table in tables {
            fresh.prepare(&format!("SELECT 1 FROM \"{table}\" LIMIT 1"))?.exists([])?;
        }
        Ok(())
    }

    /// Checks every page.
    ///
    /// # Errors
    /// As [`Database::probe`].
    pub(crate) fn check_whole(&self) -> Result<()> {
        // A fresh connection: an idle one may cache an outdated structure of the word index, and would report an intact
        // file as damaged.
        let fresh = self.fresh_reader(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        super::backup::check_whole(&fresh)?;
        self.schema.check_version(&fresh).map(drop)
    }

    /// Compares all tables, indexes, triggers and views with those of the migrations.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`, with the reason `foreignSchema` if one is missing, different or foreign.
    pub(crate) fn check_schema(&self) -> Result<()> {
        self.schema.check_version(&*self.reader()?).map(drop)
    }

    /// A new read-only connection.
    fn fresh_reader(&self, flags: OpenFlags) -> Result<Connection> {
        files::check_kinds(&self.path)?;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        configure(&connection, READER_CACHE_KIB)?;
        Ok(connection)
    }

    /// Gives access to the writer connection, for reads that no new connection could do any more.
    pub(crate) fn copy_out<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        work(&lock(&self.writer))
    }

    /// Checkpoints the log and closes the file, even while others hold this value: later writes fail, and later reads
    /// see the old content.
    pub(crate) fn close(&self) {
        let mut writer = lock(&self.writer);
        self.closed.store(true, Ordering::SeqCst);
        lock(&self.readers).clear();
        if !self.refuse_damaged_log(&writer) {
            // If it fails, the log is read when the file is opened again.
            let checkpointed = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            log_failure("empty the log before closing", checkpointed);
        }
        // Swap in a throw-away in-memory connection so that late writers cannot touch the closed file.
        if let Ok(nothing) = Connection::open_in_memory() {
            *writer = nothing;
        }
    }

    /// Whether it was closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Vacuums the file and truncates the log: afterwards neither free pages, nor the log, nor cached pages contain
    /// deleted rows. Blocks other writers, not readers.
    ///
    /// # Errors
    /// `MEMORY_WRITE_FAILED` when the disk is too full, or a reader keeps an old state open.
    pub(crate) fn compact(&self) -> Result<()> {
        retried("compact a database", || {
            let writer = lock(&self.writer);
            if self.is_closed() {
                return Err(Failure::Final(Error::new(
                    Code::WriteFailed,
                    "another file was put in its place; try again",
                )));
            }
            self.check_log(&writer).map_err(Failure::Final)?;
            writer.execute_batch("VACUUM")?;
            self.mark_log().map_err(Failure::Final)
        })?;
        // Idle readers cache old pages.
        lock(&self.readers).clear();
        retried("empty the log of a database", || {
            let writer = lock(&self.writer);
            writer.execute_batch("PRAGMA shrink_memory")?;
            self.check_log(&writer).map_err(Failure::Final)?;
            let busy: bool = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            self.mark_log().map_err(Failure::Final)?;
            if busy { Err(Failure::Passing(reader_in_use())) } else { Ok(()) }
        })
    }

    /// Checkpoints and truncates the log; returns whether that succeeded. It does not wait: a reader may keep an old
    /// state open.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub(crate) fn empty_log(&self) -> Result<bool> {
        // An idle reader has no transaction, but it caches pages of deleted rows.
        lock(&self.readers).clear();
        let writer = lock(&self.writer);
        if self.is_closed() {
            return Ok(false);
        }
        self.check_log(&writer)?;
        writer.busy_timeout(Duration::ZERO)?;
        let busy = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
        writer.busy_timeout(BUSY_TIMEOUT)?;
        self.mark_log()?;
        Ok(!busy?)
    }

    fn write_once<T>(
        &self,
        promise: Promise,
        work: &mut impl FnMut(&Tx<'_>) -> Result<Ending<T>>,
    ) -> Result<Ending<T>, Failure> {
        let mut writer = lock(&self.writer);
        if self.is_closed() {
            return Err(Failure::Final(Error::new(Code::WriteFailed, "another file was put in its place; try again")));
        }
        // Set before each transaction, and not after one of the other kind: a durable write is durable even if
        // resetting failed.
        writer.execute_batch(promise.pragma())?;
        self.check_log(&writer).map_err(Failure::Final)?;
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let tx = Tx(transaction);
        // An error of the domain rolls back when the transaction is dropped, and is final. One of the store inside
        // `work` is retried like one of the commit.
        let ending = work(&tx).map_err(|error| match error.code {
            Code::StoreUnavailable if !error.is_damage() => Failure::Passing(error),
            _ => Failure::Final(error),
        })?;
        match &ending {
            Ending::Commit(_) => tx.0.commit()?,
            Ending::RollBack(_) => tx.0.rollback()?,
        }
        self.mark_log().map_err(Failure::Final)?;
        Ok(ending)
    }

    /// A read-only connection. It sees the last commit, and no write waits for it.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub(crate) fn reader(&self) -> Result<Reader<'_>> {
        // Counted first: either a rescue waits for this reader, or this reader sees the rescue.
        let loan = Loan::new(&self.loaned);
        if self.is_rescued.load(Ordering::SeqCst) {
            return Err(rescue::log_lost());
        }
        let idle = lock(&self.readers).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self
                .fresh_reader(OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
                .while_doing("open a reader")?,
        };
        loan.pass_on();
        Ok(Reader { connection: Some(connection), home: &self.readers, loaned: &self.loaned })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !self.is_closed() {
            self.refuse_damaged_log(&lock(&self.writer));
        }
    }
}

/// One transaction on a file without other users.
pub(super) fn in_transaction(connection: &mut Connection, work: &mut impl FnMut(&Tx<'_>) -> Result<()>) -> Result<()> {
    let tx = Tx(connection.transaction_with_behavior(TransactionBehavior::Immediate)?);
    work(&tx)?;
    Ok(tx.0.commit()?)
}

/// The pauses before the retries.
fn pauses() -> impl Iterator<Item = Duration> {
    (0..RETRIES).map(|retry| FIRST_PAUSE * 2_u32.pow(retry))
}

/// Tries once, and retries three times while the error may be transient. Each retry is logged, and how they ended.
fn retried<T>(operation: &'static str, mut attempt: impl FnMut() -> Result<T, Failure>) -> Result<T> {
    let mut pauses = (1_u32..).zip(pauses());
    let mut retries = 0;
    loop {
        let error = match attempt() {
            Ok(value) => {
                if retries > 0 {
                    tracing::info!(operation, retries, "write succeeded after retries");
                }
                return Ok(value);
            }
            Err(Failure::Final(error)) => return Err(error.while_doing(operation)),
            Err(Failure::Passing(error)) => error.while_doing(operation),
        };
        let Some((retry, pause)) = pauses.next() else {
            log_error!(warn, &error, retries, "write given up");
            return Err(Error::given_up(error));
        };
        let wait_milliseconds = pause.as_millis();
        log_error!(warn, &error, retry, of = RETRIES, wait_milliseconds, "write retried");
        std::thread::sleep(pause);
        retries = retry;
    }
}

fn unwritable() -> Cause {
    Cause::new(Reason::Unwritable, "the file can be read but not written: the disk is full, or it is locked")
}

fn reader_in_use() -> Error {
    Error::new(Code::StoreUnavailable, "a reader keeps an old state open")
}

fn configure(connection: &Connection, cache: i32) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without QPSG, every statement with `LIMIT ?` is prepared again whenever it is bound, in case the number mattered
    // to the plan (sqlite.org/qpsg.html).
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(&format!("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{cache};"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_waits_at_most_one_and_a_half_seconds_for_a_lock_in_all_its_tries() {
        let tries = RETRIES + 1;
        assert_eq!(tries, 4);
        assert!(BUSY_TIMEOUT * tries + pauses().sum::<Duration>() <= MAX_LOCK_WAIT);
    }

    #[test]
    fn an_emptied_file_is_damaged_also_before_the_first_write() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("episodes.db");
        // Closed once, so that the file is complete without its log.
        Database::open(&path, Schema::Episodes).unwrap().close();
        let database = Database::open(&path, Schema::Episodes).unwrap();
        database.probe().unwrap();
        std::fs::write(&path, []).unwrap();
        assert!(database.probe().unwrap_err().is_damage());
    }

    #[test]
    fn a_transient_failure_is_retried_three_times_and_a_final_one_never() {
        let mut tries = 0;
        let refused = retried::<()>("test", || {
            tries += 1;
            Err(Failure::Passing(reader_in_use()))
        });
        assert_eq!((tries, refused.unwrap_err().code), (4, Code::WriteFailed));
        let mut tries = 0;
        let refused = retried::<()>("test", || {
            tries += 1;
            Err(Failure::Final(Error::invalid("field", "wrong")))
        });
        assert_eq!((tries, refused.unwrap_err().code), (1, Code::InvalidArgument));
    }
}
