//! The schema of each file, as append-only migrations.
//!
//! refinery keeps a checksum of every migration that was applied, so that one that is edited afterwards is refused.

use refinery::{Migration, Runner, error::Kind};
use rusqlite::{Connection, ErrorCode};

use crate::{
    error::{Code, Error, Result},
    model::StoreFile,
};

/// Which schema a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// `rules.db`.
    Rules,
    /// `episodes.db`.
    Episodes,
}

/// Name and text of every migration of `rules.db`, oldest first.
const RULES: &[(&str, &str)] = &[
    ("V1__initial", include_str!("../../../../../migrations/rules/0001_initial.sql")),
    ("V2__models", include_str!("../../../../../migrations/rules/0002_models.sql")),
    ("V3__maintenance", include_str!("../../../../../migrations/rules/0003_maintenance.sql")),
    ("V4__names", include_str!("../../../../../migrations/rules/0004_names.sql")),
    ("V5__clearing", include_str!("../../../../../migrations/rules/0005_clearing.sql")),
    ("V6__learning", include_str!("../../../../../migrations/rules/0006_learning.sql")),
    ("V8__deletion", include_str!("../../../../../migrations/rules/0008_deletion.sql")),
];

/// Name and text of every migration of `episodes.db`, oldest first.
const EPISODES: &[(&str, &str)] = &[
    ("V1__initial", include_str!("../../../../../migrations/episodes/0001_initial.sql")),
    ("V2__meaning", include_str!("../../../../../migrations/episodes/0002_meaning.sql")),
    ("V3__merge", include_str!("../../../../../migrations/episodes/0003_merge.sql")),
    ("V4__life", include_str!("../../../../../migrations/episodes/0004_life.sql")),
    ("V5__evidence", include_str!("../../../../../migrations/episodes/0005_evidence.sql")),
    ("V6__summaries", include_str!("../../../../../migrations/episodes/0006_summaries.sql")),
    ("V7__merging", include_str!("../../../../../migrations/episodes/0007_merging.sql")),
    ("V8__influence", include_str!("../../../../../migrations/episodes/0008_influence.sql")),
    ("V9__measured", include_str!("../../../../../migrations/episodes/0009_measured.sql")),
    ("V10__remarked", include_str!("../../../../../migrations/episodes/0010_remarked.sql")),
    ("V12__erased", include_str!("../../../../../migrations/episodes/0012_erased.sql")),
];

impl Schema {
    /// The file that has it.
    #[must_use]
    pub const fn file(self) -> StoreFile {
        match self {
            Self::Rules => StoreFile::Rules,
            Self::Episodes => StoreFile::Episodes,
        }
    }

    fn migrations(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Rules => RULES,
            Self::Episodes => EPISODES,
        }
    }

    /// Whether a file has something in it already, and [`Schema::migrate`] is going to change it.
    pub(super) fn is_behind(self, connection: &Connection) -> Result<bool> {
        let kept = "SELECT 1 FROM sqlite_schema WHERE name = 'refinery_schema_history'";
        if !connection.prepare(kept)?.exists([])? {
            return Ok(false);
        }
        let applied: i64 =
            connection.query_row("SELECT count(*) FROM refinery_schema_history", [], |row| row.get(0))?;
        Ok(usize::try_from(applied).is_ok_and(|applied| applied < self.migrations().len()))
    }

    /// Applies what has not been applied yet, each migration in a transaction of its own.
    pub(super) fn migrate(self, connection: &mut Connection) -> Result<()> {
        let migrations = self
            .migrations()
            .iter()
            .map(|(name, sql)| Migration::unapplied(name, sql))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| refused(&error))?;
        Runner::new(&migrations).run(connection).map_err(|error| refused(&error))?;
        Ok(())
    }
}

/// A file that cannot be asked is another matter than one whose answer is not understood.
fn refused(error: &refinery::Error) -> Error {
    if let Kind::Connection(_, source) = error.kind()
        && let Some(error) = source.downcast_ref::<rusqlite::Error>()
        && error.sqlite_error_code().is_some_and(|code| code != ErrorCode::Unknown)
    {
        return Error::of_store(error);
    }
    Error::new(Code::StoreUnavailable, "the store's schema is not one this version knows")
}
