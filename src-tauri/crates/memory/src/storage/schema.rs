//! The schema of each file, as append-only migrations.
//!
//! refinery keeps a checksum of every migration that was applied, so that one that is edited afterwards is refused.

use refinery::{Migration, Runner};
use rusqlite::Connection;

use crate::error::{Code, Error, Result};

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
];

/// Name and text of every migration of `episodes.db`, oldest first.
const EPISODES: &[(&str, &str)] = &[
    ("V1__initial", include_str!("../../../../../migrations/episodes/0001_initial.sql")),
    ("V2__meaning", include_str!("../../../../../migrations/episodes/0002_meaning.sql")),
    ("V3__merge", include_str!("../../../../../migrations/episodes/0003_merge.sql")),
];

impl Schema {
    /// Applies what has not been applied yet, each migration in a transaction of its own.
    pub(super) fn migrate(self, connection: &mut Connection) -> Result<()> {
        let refused = |_| Error::new(Code::StoreUnavailable, "the store's schema is not one this version knows");
        let files = match self {
            Self::Rules => RULES,
            Self::Episodes => EPISODES,
        };
        let migrations = files
            .iter()
            .map(|(name, sql)| Migration::unapplied(name, sql))
            .collect::<Result<Vec<_>, _>>()
            .map_err(refused)?;
        Runner::new(&migrations).run(connection).map_err(refused)?;
        Ok(())
    }
}
