//! Connections: one that writes, many that only read, told apart by type.

mod rescue;

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, config::DbConfig};

use self::rescue::{LOG, Loan};
use super::{Schema, count, files, log::Mark};
use crate::{
    error::{Code, Error, Result},
    model::{Cause, Reason},
};

/// A write is tried once and then retried this often, as the owner fixed it.
const RETRIES: u32 = 3;
/// The pause before the first retry; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// How long SQLite itself waits for a lock before it says `BUSY`: in each try of a write.
const BUSY_TIMEOUT: Duration = Duration::from_millis(300);
/// The longest that a write waits, over all its tries, for a lock that another process holds.
#[cfg(test)]
const MAX_LOCK_WAIT: Duration = Duration::from_millis(1_500);
/// The same while a file is opened: everybody who needs it waits for that, and it is tried again at the next need.
const OPENING_TIMEOUT: Duration = Duration::from_millis(50);
/// Bytes that have to find room before a file is said to take something new again.
const PROBED: usize = 96 << 10;
/// Idle readers that are kept: one for each recall that is let in at once. A new one has to read the schema and prepare
/// its statements first.
const IDLE_READERS: usize = 32;
/// Memory for pages, in KiB: a reader's is small, since there may be many, and the system caches the file anyway.
const READER_CACHE: i32 = 2_000;
const WRITER_CACHE: i32 = 8_000;

/// One database file.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    schema: Schema,
    /// Dropped before the writer: the last connection to close takes the log in, and a reader could not.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
    /// Another file is in its place, or is about to be: nothing is written here any more.
    closed: AtomicBool,
    /// Why the last write did not go through; `None` when it did.
    trouble: Mutex<bool>,
    /// Durable writes since it was opened.
    writes: AtomicU64,
    /// The second count of acknowledged writes, outside the database.
    count_file: count::CountFile,
    /// Readers on loan.
    loaned: AtomicUsize,
    /// The log as the last write left it.
    log: Mutex<Option<Mark>>,
    /// It is being closed because its log was taken away: a new reader would take another log for the file's.
    is_rescued: AtomicBool,
    /// Frames of the log were changed by another program.
    is_log_damaged: AtomicBool,
}

/// A write transaction, begun with `BEGIN IMMEDIATE`. It is committed by [`Database::write`] alone.
#[derive(Debug)]
pub struct Tx<'a>(Transaction<'a>);

impl Deref for Tx<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        &self.0
    }
}

/// A connection that can only read, on loan.
#[derive(Debug)]
pub struct Reader<'a> {
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
    /// One state of the file for several statements, until this is dropped. It also spares each of them the locks that
    /// beginning to read takes.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub fn snapshot(&self) -> Result<Transaction<'_>> {
        Ok(self.unchecked_transaction()?)
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            let mut idle = lock(self.home);
            if idle.len() < IDLE_READERS {
                idle.push(connection);
            }
        }
        self.loaned.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A panic elsewhere must not take the database away: SQLite's own state is whole, an open transaction rolls back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Database {
    /// Opens the file, makes it if there is none, and brings its schema up to date.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` when it cannot be opened, is no database, holds other tables than it should, or does not
    /// promise durability.
    pub fn open(path: &Path, schema: Schema) -> Result<Self> {
        Self::open_and(path, schema, |_| Ok(()))
    }

    /// The same; where there is something in the file already and its schema is going to change, `before_migration` is
    /// called first, with the file as it is.
    ///
    /// # Errors
    /// As [`Database::open`], and those of `before_migration`; the file is then as it was.
    pub fn open_and(
        path: &Path,
        schema: Schema,
        before_migration: impl FnOnce(&Connection) -> Result<()>,
    ) -> Result<Self> {
        files::check_kinds(path)?;
        files::create_private(path);
        let mut writer = Connection::open(path)?;
        configure(&writer, WRITER_CACHE)?;
        writer.busy_timeout(OPENING_TIMEOUT)?;
        let mode: String = writer.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        writer.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;")?;
        let synchronous: i64 = writer.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
        // Read back, because a promise of durability that SQLite did not take must not be given.
        if mode != "wal" || synchronous != 2 {
            return Err(Error::new(Code::StoreUnavailable, "the store cannot promise durability here"));
        }
        if schema.is_behind(&writer)? {
            before_migration(&writer)?;
        }
        schema.migrate(&mut writer)?;
        writer.busy_timeout(BUSY_TIMEOUT)?;
        let count_file = count::CountFile::beside(path);
        count_file.reconcile(count::counted(&writer)?);
        Ok(Self {
            log: Mutex::new(Mark::of(&files::beside(path, LOG))),
            path: path.to_owned(),
            schema,
            writer: Mutex::new(writer),
            readers: Mutex::new(Vec::new()),
            closed: AtomicBool::new(false),
            trouble: Mutex::new(false),
            writes: AtomicU64::new(0),
            count_file,
            loaned: AtomicUsize::new(0),
            is_log_damaged: AtomicBool::new(false),
            is_rescued: AtomicBool::new(false),
        })
    }

    /// Runs `work` in one transaction: all of it is on disk when this returns, or none of it ever happened.
    ///
    /// What it deletes is overwritten with zeros: texts that were compressed away, and pages that an index has left, are
    /// no more in the file than what the writer deletes.
    ///
    /// A write that fails for a reason that may pass (locked, interrupted, an I/O error) is retried three times. For a lock
    /// that another process holds it waits at most 1.5 s in all.
    ///
    /// # Errors
    /// What `work` fails with, unchanged; `MEMORY_WRITE_FAILED` when the last retry failed too.
    pub fn write<T>(&self, work: impl FnMut(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.retrying(Promise::Durable, work)
    }

    /// The same for what can be made again (indexes, vectors): all or nothing, but a loss of power may take the last of
    /// it back. It does not wait for the disk, and so keeps nobody waiting who must.
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn write_derived<T>(&self, work: impl FnMut(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.retrying(Promise::Derived, work)
    }

    fn retrying<T>(&self, promise: Promise, mut work: impl FnMut(&Tx<'_>) -> Result<T>) -> Result<T> {
        let mut counted = None;
        let written = retried(|| {
            self.write_once(promise, &mut |tx| {
                let value = work(tx)?;
                if matches!(promise, Promise::Durable) {
                    counted = Some(count::count(tx)?);
                }
                Ok(value)
            })
        });
        match &written {
            // A line that is taken off a list may go through where an episode does not.
            Ok(_) if matches!(promise, Promise::Derived) => {}
            Ok(_) => {
                *lock(&self.trouble) = false;
                self.writes.fetch_add(1, Ordering::Relaxed);
                if let Some(count) = counted {
                    self.count_file.record(count);
                }
            }
            Err(error) if matches!(error.code, Code::WriteFailed | Code::StoreUnavailable) => {
                *lock(&self.trouble) = true;
            }
            Err(_) => {}
        }
        written
    }

    /// Durable writes since it was opened: the same number means that nothing has changed.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Why the last write failed; `None` when it succeeded. After a failure this call probes the file with a write, so
    /// that a cause which has passed is not reported.
    pub fn write_trouble(&self) -> Option<Cause> {
        if !*lock(&self.trouble) {
            return None;
        }
        // As much as an episode needs: a lock would show with less, a disk that is nearly full would not. Written and taken
        // out in turn: what is gone before the commit is not written at all.
        let forget = |tx: &Tx<'_>| Ok(tx.execute("DELETE FROM watermarks WHERE name LIKE 'probe%'", [])?);
        let tried = self.write_once(Promise::Durable, &mut |tx| {
            forget(tx)?;
            let name = format!("probe{}", " ".repeat(PROBED));
            Ok(tx.execute("INSERT INTO watermarks (name, value) VALUES (?1, 0)", [name])?)
        });
        let tried = tried.and_then(|_| self.write_once(Promise::Durable, &mut |tx| forget(tx)));
        let mut trouble = lock(&self.trouble);
        if tried.is_ok() {
            *trouble = false;
        }
        trouble.then(|| {
            Cause::new(Reason::Unwritable, "the file can be read but not written: the disk is full, or it is locked")
        })
    }

    /// Reads a little of everything, through a connection that knows nothing yet: is this still the file that was opened?
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`, with the reason `damaged` when it is not.
    pub fn probe(&self) -> Result<()> {
        let fresh = self.fresh_reader(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement = fresh.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' \
             AND name NOT LIKE 'sqlite_%'",
        )?;
        let tables: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for table in tables {
            fresh.prepare(&format!("SELECT 1 FROM \"{table}\" LIMIT 1"))?.exists([])?;
        }
        Ok(())
    }

    /// Reads every page.
    ///
    /// # Errors
    /// As [`Database::probe`].
    pub fn check_whole(&self) -> Result<()> {
        // Not one of the idle ones: there the index of words may remember a structure that is not the present one any
        // more, and finds fault with the file.
        let fresh = self.fresh_reader(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        super::backup::check_whole(&fresh)?;
        self.schema.check(&fresh).map(drop)
    }

    /// Compares all tables, indexes, triggers and views with those that the migrations make.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`, with the reason `foreignSchema` where one is missing, other or foreign.
    pub fn check_schema(&self) -> Result<()> {
        self.schema.check(&*self.reader()?).map(drop)
    }

    /// A new connection that can only read.
    fn fresh_reader(&self, flags: OpenFlags) -> Result<Connection> {
        files::check_kinds(&self.path)?;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        configure(&connection, READER_CACHE)?;
        Ok(connection)
    }

    /// Hands out the connection that writes, for what no new one could read any more.
    pub fn copy_out<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        work(&lock(&self.writer))
    }

    /// Takes the log in and lets go of the file, whoever still holds this: nothing is written here any more, and what
    /// is read is what was there.
    pub fn close(&self) {
        let mut writer = lock(&self.writer);
        self.closed.store(true, Ordering::SeqCst);
        lock(&self.readers).clear();
        if !self.refuse_damaged_log(&writer) {
            let _taken_in = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        // In its place one that is nobody's.
        if let Ok(nothing) = Connection::open_in_memory() {
            *writer = nothing;
        }
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Writes the file anew from what is in it, and takes the log in until nothing of it is left: neither free pages,
    /// nor the log, nor pages kept in memory hold what was deleted. Nobody else writes meanwhile; readers go on.
    ///
    /// # Errors
    /// `MEMORY_WRITE_FAILED` when there is no room for it, or somebody keeps reading an old state.
    pub fn compact(&self) -> Result<()> {
        retried(|| {
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
        // Idle readers keep pages, and none of the new ones.
        lock(&self.readers).clear();
        retried(|| {
            let writer = lock(&self.writer);
            writer.execute_batch("PRAGMA shrink_memory")?;
            self.check_log(&writer).map_err(Failure::Final)?;
            let busy: bool = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            self.mark_log().map_err(Failure::Final)?;
            if busy { Err(Failure::Passing) } else { Ok(()) }
        })
    }

    /// Takes the log in, until nothing of it is left; says whether that could be done. It waits for nobody: somebody may
    /// be reading an old state.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub fn empty_log(&self) -> Result<bool> {
        // An idle one reads nothing; but it keeps pages of what is gone.
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

    fn write_once<T>(&self, promise: Promise, work: &mut impl FnMut(&Tx<'_>) -> Result<T>) -> Result<T, Failure> {
        let mut writer = lock(&self.writer);
        if self.is_closed() {
            return Err(Failure::Final(Error::new(Code::WriteFailed, "another file was put in its place; try again")));
        }
        // Set before each transaction and not after the other kind: whatever went wrong there, a promise is kept here.
        writer.execute_batch(promise.pragma())?;
        self.check_log(&writer).map_err(Failure::Final)?;
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let tx = Tx(transaction);
        // An error of the domain rolls back with the transaction's drop and is final. One of the store inside `work`
        // is retried like one of the commit.
        let value = work(&tx).map_err(|error| match error.code {
            Code::StoreUnavailable if !error.is_damage() => Failure::Passing,
            _ => Failure::Final(error),
        })?;
        tx.0.commit()?;
        self.mark_log().map_err(Failure::Final)?;
        Ok(value)
    }

    /// A connection that can only read. It sees the last commit, and no write ever waits for it.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub fn reader(&self) -> Result<Reader<'_>> {
        // Counted first: either a rescue waits for this reader, or this reader sees the rescue.
        let loan = Loan::new(&self.loaned);
        if self.is_rescued.load(Ordering::SeqCst) {
            return Err(rescue::log_lost());
        }
        let idle = lock(&self.readers).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.fresh_reader(OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?,
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

/// One transaction on a file that nobody else uses.
pub(super) fn in_transaction(connection: &mut Connection, work: &mut impl FnMut(&Tx<'_>) -> Result<()>) -> Result<()> {
    let tx = Tx(connection.transaction_with_behavior(TransactionBehavior::Immediate)?);
    work(&tx)?;
    Ok(tx.0.commit()?)
}

/// The pause before each retry.
fn pauses() -> impl Iterator<Item = Duration> {
    (0..RETRIES).map(|retry| FIRST_PAUSE * 2_u32.pow(retry))
}

/// Tries once, and three times more while what went wrong may pass.
fn retried<T>(mut attempt: impl FnMut() -> Result<T, Failure>) -> Result<T> {
    for pause in pauses() {
        match attempt() {
            Err(Failure::Passing) => std::thread::sleep(pause),
            Err(Failure::Final(error)) => return Err(error),
            Ok(value) => return Ok(value),
        }
    }
    attempt().map_err(|failure| match failure {
        Failure::Final(error) => error,
        Failure::Passing => Error::new(Code::WriteFailed, "the write failed and was retried three times"),
    })
}

fn configure(connection: &Connection, cache: i32) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without it every statement with `LIMIT ?` is prepared again whenever it is bound, in case the number mattered to
    // the plan (sqlite.org/qpsg.html).
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(&format!("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{cache};"))?;
    Ok(())
}

/// What a commit promises.
#[derive(Clone, Copy)]
enum Promise {
    /// It is on disk.
    Durable,
    /// It is whole, and on disk at the latest with the next durable one.
    Derived,
}

impl Promise {
    fn pragma(self) -> &'static str {
        match self {
            Self::Durable => "PRAGMA synchronous = FULL",
            Self::Derived => "PRAGMA synchronous = NORMAL",
        }
    }
}

enum Failure {
    /// May pass when tried again.
    Passing,
    Final(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
                | ErrorCode::OperationInterrupted
                | ErrorCode::CannotOpen,
            ) => Self::Passing,
            _ => Self::Final(Error::from(error)),
        }
    }
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
    fn what_may_pass_is_retried_three_times_and_what_is_final_never() {
        let mut tries = 0;
        let refused = retried::<()>(|| {
            tries += 1;
            Err(Failure::Passing)
        });
        assert_eq!((tries, refused.unwrap_err().code), (4, Code::WriteFailed));
        let mut tries = 0;
        let refused = retried::<()>(|| {
            tries += 1;
            Err(Failure::Final(Error::invalid("field", "wrong")))
        });
        assert_eq!((tries, refused.unwrap_err().code), (1, Code::InvalidArgument));
    }
}
