//! The end of a transaction: a commit, durable or not, a rollback, or a failure that may be transient.

use rusqlite::ErrorCode;

use crate::error::Error;

/// The durability of a commit.
#[derive(Clone, Copy)]
pub(super) enum Promise {
    /// On disk when the commit returns.
    Durable,
    /// Atomic, and on disk at the latest with the next durable commit.
    Derived,
}

impl Promise {
    pub(super) fn pragma(self) -> &'static str {
        match self {
            Self::Durable => "PRAGMA synchronous = FULL",
            Self::Derived => "PRAGMA synchronous = NORMAL",
        }
    }
}

/// The end of a transaction, with the value that it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending<T> {
    /// The changes are committed.
    Commit(T),
    /// The changes are rolled back: a dry run.
    RollBack(T),
}

impl<T> Ending<T> {
    pub(super) fn is_commit(&self) -> bool {
        matches!(self, Self::Commit(_))
    }

    pub(super) fn into_value(self) -> T {
        match self {
            Self::Commit(value) | Self::RollBack(value) => value,
        }
    }
}

/// Why an attempt to write failed.
pub(super) enum Failure {
    /// The error may be transient.
    Passing(Error),
    Final(Error),
}

impl From<rusqlite::Error> for Failure {
    #[track_caller]
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
                | ErrorCode::OperationInterrupted
                | ErrorCode::CannotOpen,
            ) => Self::Passing(Error::from(error)),
            _ => Self::Final(Error::from(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Database, Schema};

    #[test]
    fn a_transaction_that_rolls_back_returns_its_value_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let db = Database::open(&folder.path().join("episodes.db"), Schema::Episodes).unwrap();
        let writes = db.writes();
        let rows = |ending: fn(i64) -> Ending<i64>| {
            db.write_or_roll_back("test", |tx| {
                tx.execute("INSERT INTO watermarks (name, value) VALUES ('dry', 1)", [])?;
                Ok(ending(tx.query_row("SELECT count(*) FROM watermarks WHERE name = 'dry'", [], |row| row.get(0))?))
            })
        };
        assert_eq!((rows(Ending::RollBack), db.writes()), (Ok(1), writes));
        assert_eq!((rows(Ending::RollBack), db.writes()), (Ok(1), writes), "the first one left nothing");
        assert_eq!((rows(Ending::Commit), db.writes()), (Ok(1), writes + 1));
        let reader = db.reader().unwrap();
        let kept: i64 =
            reader.query_row("SELECT value FROM watermarks WHERE name = 'dry'", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 1);
    }
}
