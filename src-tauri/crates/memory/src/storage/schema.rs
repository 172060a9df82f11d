//! The schema of each file, as append-only migrations.
//!
//! refinery keeps a checksum of every migration that was applied, so that one that is edited afterwards is refused.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
};

use refinery::{Migration, Runner, Target, error::Kind};
use rusqlite::{Connection, ErrorCode};

use crate::{
    error::{Error, Result},
    lock::Rank,
    model::{Reason, StoreFile},
};

/// The schema of one of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
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
    ("V7__lower_case", include_str!("../../../../../migrations/rules/0007_lower_case.sql")),
    ("V8__deletion", include_str!("../../../../../migrations/rules/0008_deletion.sql")),
    ("V9__entities", include_str!("../../../../../migrations/rules/0009_entities.sql")),
    ("V10__facts", include_str!("../../../../../migrations/rules/0010_facts.sql")),
    ("V11__journal", include_str!("../../../../../migrations/rules/0011_journal.sql")),
    ("V12__answers", include_str!("../../../../../migrations/rules/0012_answers.sql")),
    ("V13__backends", include_str!("../../../../../migrations/rules/0013_backends.sql")),
    ("V14__knowledge", include_str!("../../../../../migrations/rules/0014_knowledge.sql")),
    ("V15__journal_heads", include_str!("../../../../../migrations/rules/0015_journal_heads.sql")),
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
    ("V11__erased", include_str!("../../../../../migrations/episodes/0011_erased.sql")),
    ("V12__index_stats", include_str!("../../../../../migrations/episodes/0012_index_stats.sql")),
    ("V13__passages", include_str!("../../../../../migrations/episodes/0013_passages.sql")),
    ("V14__names", include_str!("../../../../../migrations/episodes/0014_names.sql")),
    ("V15__journal", include_str!("../../../../../migrations/episodes/0015_journal.sql")),
    ("V16__answers", include_str!("../../../../../migrations/episodes/0016_answers.sql")),
    ("V17__answer_service", include_str!("../../../../../migrations/episodes/0017_answer_service.sql")),
    ("V18__answer_use", include_str!("../../../../../migrations/episodes/0018_answer_use.sql")),
    ("V19__knowledge", include_str!("../../../../../migrations/episodes/0019_knowledge.sql")),
    ("V20__journal_heads", include_str!("../../../../../migrations/episodes/0020_journal_heads.sql")),
    ("V21__answer_origin", include_str!("../../../../../migrations/episodes/0021_answer_origin.sql")),
    ("V22__second_tries", include_str!("../../../../../migrations/episodes/0022_second_tries.sql")),
    ("V23__compared_pairs", include_str!("../../../../../migrations/episodes/0023_compared_pairs.sql")),
    ("V24__studied_records", include_str!("../../../../../migrations/episodes/0024_studied_records.sql")),
    ("V25__analysis_times", include_str!("../../../../../migrations/episodes/0025_analysis_times.sql")),
];

impl Schema {
    /// The file with this schema.
    #[must_use]
    pub(crate) const fn file(self) -> StoreFile {
        match self {
            Self::Rules => StoreFile::Rules,
            Self::Episodes => StoreFile::Episodes,
        }
    }

    /// The place of the file's write transactions in the order of locks.
    pub(crate) fn writer_rank(self) -> Rank {
        match self {
            Self::Rules => Rank::RulesWriter,
            Self::Episodes => Rank::EpisodesWriter,
        }
    }

    fn migrations(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Rules => RULES,
            Self::Episodes => EPISODES,
        }
    }

    /// The schema of a file.
    #[must_use]
    pub(crate) const fn for_file(file: StoreFile) -> Self {
        match file {
            StoreFile::Rules => Self::Rules,
            StoreFile::Episodes => Self::Episodes,
        }
    }

    /// Whether a file has content and [`Schema::migrate`] is going to change it.
    pub(super) fn needs_migration(self, connection: &Connection) -> Result<bool> {
        Ok(self.check_version(connection)?.is_some_and(|version| version < self.migrations().len()))
    }

    /// The version of a file, which is its number of applied migrations; `None` for an empty one. Checks that the file
    /// contains exactly the objects of these migrations: no table, column, index, trigger or view is missing, different
    /// or foreign.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE`, with the reason `damaged` for an invalid migration history, `foreignSchema` if other
    /// objects differ, `newerSchema` for a file of a later version.
    pub(super) fn check_version(self, connection: &Connection) -> Result<Option<usize>> {
        let objects = objects(connection)?;
        if objects.is_empty() {
            return Ok(None);
        }
        if !objects.iter().any(|object| object.kind == "table" && object.name == HISTORY) {
            return Err(Error::foreign_schema());
        }
        let version = applied(connection)?;
        if version > self.migrations().len() {
            return Err(newer());
        }
        if objects == *self.reference(version)? { Ok(Some(version)) } else { Err(Error::foreign_schema()) }
    }

    /// The objects in a file of `version`, computed once by applying the migrations.
    fn reference(self, version: usize) -> Result<&'static BTreeSet<Object>> {
        static MADE: [[OnceLock<BTreeSet<Object>>; 32]; 2] = [const { [const { OnceLock::new() }; 32] }; 2];
        let place = MADE.get(usize::from(self == Self::Episodes)).and_then(|of| of.get(version)).ok_or_else(newer)?;
        if let Some(known) = place.get() {
            return Ok(known);
        }
        let mut connection = Connection::open_in_memory()?;
        self.apply(&mut connection, Some(version))?;
        let made = objects(&connection)?;
        Ok(place.get_or_init(|| made))
    }

    /// Applies the missing migrations, each in its own transaction.
    ///
    /// # Errors
    /// As [`Schema::check_version`], which comes first: the migration library panics over a history with unknown
    /// entries.
    pub(super) fn migrate(self, connection: &mut Connection) -> Result<()> {
        if self.check_version(connection)? == Some(self.migrations().len()) {
            // Compares the checksums too, without a change.
            return self.apply(connection, None);
        }
        self.apply(connection, None)?;
        self.check_version(connection).map(drop)
    }

    fn apply(self, connection: &mut Connection, up_to: Option<usize>) -> Result<()> {
        let migrations = self
            .migrations()
            .iter()
            .take(up_to.unwrap_or(usize::MAX))
            .map(|(name, sql)| Migration::unapplied(name, sql))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| migration_error(&error))?;
        let runner = Runner::new(&migrations).set_target(Target::Latest);
        // A panic of the library means an unreadable file, and must not end the program.
        let ran = catch_unwind(AssertUnwindSafe(|| runner.run(connection)));
        ran.map_err(|_| Error::damaged("the file's history of migrations cannot be read"))?
            .map_err(|error| migration_error(&error))?;
        Ok(())
    }
}

/// The table in which refinery records applied migrations.
const HISTORY: &str = "refinery_schema_history";

/// A table, index, trigger or view.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// The definition with single spaces; empty for objects that a library creates, because its versions differ.
    sql: String,
}

/// All objects of a file except SQLite's statistics.
fn objects(connection: &Connection) -> Result<BTreeSet<Object>> {
    let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    let mut found = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let text = |column: usize| -> Result<String> {
            let value = row.get_ref(column)?;
            Ok(value.as_str_or_null().map_err(|_| foreign_history())?.unwrap_or_default().to_owned())
        };
        let (kind, name, table, sql) = (text(0)?, text(1)?, text(2)?, text(3)?);
        if name.starts_with("sqlite_stat") {
            continue;
        }
        let by_library = name == HISTORY || (kind == "table" && name.starts_with("words_"));
        let sql = if by_library { String::new() } else { sql.split_whitespace().collect::<Vec<_>>().join(" ") };
        found.insert(Object { kind, name, table, sql });
    }
    Ok(found)
}

/// The number of applied migrations: a gapless sequence from the first, each in refinery's format.
fn applied(connection: &Connection) -> Result<usize> {
    let select = format!("SELECT version, name, applied_on, checksum FROM {HISTORY} ORDER BY version");
    let mut statement = connection.prepare(&select).map_err(|error| match error.sqlite_error_code() {
        // A table of that name with other columns.
        Some(ErrorCode::Unknown) => Error::foreign_schema(),
        _ => Error::from(error),
    })?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let text = |column: usize| row.get_ref(column)?.as_str().map_err(|_| foreign_history());
        let version = row.get_ref(0)?.as_i64().map_err(|_| foreign_history())?;
        text(1)?;
        let is_time = is_rfc3339(text(2)?);
        let is_sum = text(3)?.parse::<u64>().is_ok();
        count += 1;
        if usize::try_from(version) != Ok(count) || !is_time || !is_sum {
            return Err(foreign_history());
        }
    }
    Ok(count)
}

/// Whether refinery can parse a time: it panics over any other form.
fn is_rfc3339(text: &str) -> bool {
    let Some((start, rest)) = text.split_at_checked(19) else { return false };
    let has_shape = start.bytes().zip(*b"0000-00-00T00:00:00").all(|(byte, shape)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    });
    let zone =
        rest.strip_prefix('.').map_or(rest, |fraction| fraction.trim_start_matches(|c: char| c.is_ascii_digit()));
    let has_zone = zone == "Z" || (zone.len() == 6 && zone.get(3..4) == Some(":"));
    // Nothing here writes a leap second, and libraries parse it differently.
    has_shape && has_zone && !start.ends_with(":60") && text.parse::<jiff::Timestamp>().is_ok()
}

fn foreign_history() -> Error {
    Error::damaged("the file's history of migrations is damaged; a backup can be put in its place")
}

fn newer() -> Error {
    Error::unavailable(Reason::NewerSchema, "the store's schema is not one this version knows")
}

/// An unreadable file is a different error from one with unexpected content.
fn migration_error(error: &refinery::Error) -> Error {
    if let Kind::Connection(_, source) = error.kind()
        && let Some(error) = source.downcast_ref::<rusqlite::Error>()
        && error.sqlite_error_code().is_some_and(|code| code != ErrorCode::Unknown)
    {
        return Error::of_store(error);
    }
    newer()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistics_of_the_word_index_move_to_a_row_for_each_kind() {
        let mut db = Connection::open_in_memory().unwrap();
        Schema::Episodes.apply(&mut db, Some(11)).unwrap();
        db.execute_batch(
            "INSERT INTO project_keys (project_id, documents, terms, summaries, summary_terms) VALUES \
             ('both', 3, 70, 5, 40), ('episodes', 2, 9, 0, 0), ('none', 0, 0, 0, 0)",
        )
        .unwrap();
        Schema::Episodes.migrate(&mut db).unwrap();
        let mut statement = db.prepare("SELECT project_id, owner_kind, documents, terms FROM index_stats").unwrap();
        let moved: Vec<(String, String, i64, i64)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let row = |project: &str, kind: &str, documents, terms| (project.into(), kind.into(), documents, terms);
        assert_eq!(
            moved,
            [row("both", "episode", 3, 70), row("both", "summary", 5, 40), row("episodes", "episode", 2, 9)]
        );
        let keys: i64 = db.query_row("SELECT count(*) FROM project_keys", [], |row| row.get(0)).unwrap();
        assert_eq!(keys, 3);
    }
}
