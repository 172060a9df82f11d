//! Connections: one that writes, many that only read, told apart by type.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::Schema;
use crate::error::{Code, Error, Result};

/// A write is tried once and then retried this often, as the owner fixed it.
const RETRIES: u32 = 3;
/// The pause before the first retry; it doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// How long SQLite itself waits for a lock before it says `BUSY`.
const BUSY_TIMEOUT: Duration = Duration::from_millis(500);
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
    /// Dropped before the writer: the last connection to close takes the log in, and a reader could not.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
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
    /// `MEMORY_STORE_UNAVAILABLE` when it cannot be opened, is no database, or does not promise durability.
    pub fn open(path: &Path, schema: Schema) -> Result<Self> {
        let mut writer = Connection::open(path)?;
        configure(&writer, WRITER_CACHE)?;
        let mode: String = writer.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        writer.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")?;
        let synchronous: i64 = writer.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
        // Read back, because a promise of durability that SQLite did not take must not be given.
        if mode != "wal" || synchronous != 2 {
            return Err(Error::new(Code::StoreUnavailable, "the store cannot promise durability here"));
        }
        schema.migrate(&mut writer)?;
        Ok(Self { path: path.to_owned(), writer: Mutex::new(writer), readers: Mutex::new(Vec::new()) })
    }

    /// Runs `work` in one transaction: all of it is on disk when this returns, or none of it ever happened.
    ///
    /// A write that fails for a reason that may pass (locked, interrupted, an I/O error) is retried three times.
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
        let mut pause = FIRST_PAUSE;
        for _ in 0..RETRIES {
            match self.write_once(promise, &mut work) {
                Err(Failure::Passing) => std::thread::sleep(pause),
                Err(Failure::Final(error)) => return Err(error),
                Ok(value) => return Ok(value),
            }
            pause *= 2;
        }
        self.write_once(promise, &mut work).map_err(|failure| match failure {
            Failure::Final(error) => error,
            Failure::Passing => Error::new(Code::WriteFailed, "the write failed and was retried three times"),
        })
    }

    fn write_once<T>(&self, promise: Promise, work: &mut impl FnMut(&Tx<'_>) -> Result<T>) -> Result<T, Failure> {
        let mut writer = lock(&self.writer);
        // Set before each transaction and not after the other kind: whatever went wrong there, a promise is kept here.
        writer.execute_batch(promise.pragma())?;
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let tx = Tx(transaction);
        // An error of the domain rolls back with the transaction's drop and is final. One of the store inside `work`
        // is retried like one of the commit.
        let value = work(&tx).map_err(|error| match error.code {
            Code::StoreUnavailable => Failure::Passing,
            _ => Failure::Final(error),
        })?;
        tx.0.commit()?;
        Ok(value)
    }

    /// A connection that can only read. It sees the last commit, and no write ever waits for it.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`.
    pub fn reader(&self) -> Result<Reader<'_>> {
        let idle = lock(&self.readers).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let connection = Connection::open_with_flags(&self.path, flags)?;
                configure(&connection, READER_CACHE)?;
                connection
            }
        };
        Ok(Reader { connection: Some(connection), home: &self.readers })
    }
}

fn configure(connection: &Connection, cache: i32) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(64);
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
