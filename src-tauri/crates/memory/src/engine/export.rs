//! Export: a header, one line an object, and an end line with the number of lines.
//!
//! Invariant: the requested name always holds a complete file, the new or the previous one. Invariant: the file
//! contains no key, no provider and no derived data.

use std::{
    collections::HashSet,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use palimpsest_files::{Access, Durability, Error as FileError, Existing, Protected, check_destination};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::{Engine, clear::closed};
use crate::{
    error::{Code, Error, Result, copy_of},
    model::{Answer, Exported, KindCount, ProjectId, StoreFile, Time},
    storage::lines::{KINDS, Kind},
};

/// Format name in the header.
pub(super) const FORMAT: &str = "palimpsest-memory";
/// Incremented with every change of the permitted fields.
pub(super) const FORMAT_VERSION: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Header {
    pub(super) kind: String,
    pub(super) format: String,
    pub(super) version: u32,
    /// Name and version of the program that wrote it.
    pub(super) app: String,
    pub(super) exported_at: Time,
    /// All books, or one.
    pub(super) scope: Wide,
    pub(super) project_id: Option<ProjectId>,
}

/// The scope of a file.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Wide {
    /// Everything.
    All,
    /// One book.
    Project,
}

/// The last line: without it the file is incomplete.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct End {
    pub(super) kind: String,
    /// Lines before it.
    pub(super) lines: u32,
}

impl Engine {
    /// Exports one project, or everything, to a file. An existing file of this name is replaced.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` with a reason for a path that is refused: `insideTheMemory`, `insideTheBook`,
    /// `notAFile`, `noFolder`; `MEMORY_NOT_FOUND`; `MEMORY_STORE_UNAVAILABLE`, also during a clearing;
    /// `MEMORY_WRITE_FAILED`. Nothing is left half-written.
    pub fn export(&self, project_id: Option<&ProjectId>, path: &Path) -> Result<Exported> {
        let _alone = self.upkeep.lock_files();
        self.nothing_is_cleared()?;
        let _open = project_id.map(|id| self.visit(id)).transpose()?;
        let now = self.clock.now();
        self.write_out(path, |out| {
            let (episodes, rules) = (self.stores.episodes.open()?, self.stores.rules.open()?);
            let (episodes, rules) = (episodes.reader()?, rules.reader()?);
            // Both snapshots begin now: episodes recorded meanwhile are not in the file.
            let (episodes, rules) = (begun(&episodes)?, begun(&rules)?);
            let header = Header {
                kind: "header".into(),
                format: FORMAT.into(),
                version: FORMAT_VERSION,
                app: format!("Palimpsest {}", env!("CARGO_PKG_VERSION")),
                exported_at: now,
                scope: if project_id.is_some() { Wide::Project } else { Wide::All },
                project_id: project_id.cloned(),
            };
            let mut writing = Writing { out, lines: 0, books: HashSet::new(), left_out: 0 };
            writing.write_line(&serialize(&header)?)?;
            let mut kinds = Vec::new();
            for kind in KINDS {
                let db: &Connection = if kind.file == StoreFile::Rules { &rules } else { &episodes };
                let count = writing.write_rows(kind, db, project_id)?;
                if count > 0 {
                    kinds.push(KindCount { kind: kind.record, count });
                }
            }
            let end = End { kind: "end".into(), lines: writing.lines };
            writing.write_line(&serialize(&end)?)?;
            Ok(Exported { kinds, left_out: writing.left_out, exported_at: now })
        })
    }

    /// Refuses exports and imports during a clearing or a pending erasure of the live files. For callers that hold
    /// `upkeep`.
    pub(super) fn nothing_is_cleared(&self) -> Result<()> {
        self.upkeep.clearings.load_unfinished(&self.stores)?;
        if self.upkeep.clearings.is_any_open() {
            return Err(closed());
        }
        self.erase_from_live_files()
    }

    /// The folders that no export may write into: the data folder, and the folder of every known project.
    #[must_use]
    pub fn protected(&self) -> Protected {
        // The projects may be in a file that could not be read until now.
        self.books.refresh(&self.stores);
        let books = self.projects().into_iter().filter_map(|book| book.path.map(PathBuf::from)).collect();
        Protected { data_folder: self.data_folder(), books }
    }

    /// Writes a temporary file next to `path` and renames it when it is complete. A new file is readable by its owner
    /// only.
    pub(super) fn write_out<T>(&self, path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
        let refused = |error: FileError| Error::not_written(&error);
        let place = check_destination(path, &self.protected()).map_err(refused)?;
        place.remove_leftovers();
        let mut replacement = place.begin(Access::OwnerOnly).map_err(refused)?;
        let mut out = BufWriter::new(&mut replacement);
        let value = write(&mut out)?;
        out.flush().map_err(|error| cannot_write(&error))?;
        drop(out);
        replacement.finish(Existing::Replace, Durability::Flushed).map_err(refused)?;
        Ok(value)
    }

    pub(super) fn data_folder(&self) -> PathBuf {
        self.stores.rules.path_with_suffix("").parent().map(Path::to_path_buf).unwrap_or_default()
    }
}

/// A file that is being written.
struct Writing<'a> {
    out: &'a mut dyn Write,
    lines: u32,
    /// The projects that are in it.
    books: HashSet<ProjectId>,
    left_out: u32,
}

impl Writing<'_> {
    fn write_line(&mut self, line: &str) -> Result<()> {
        self.out.write_all(line.as_bytes()).and_then(|()| self.out.write_all(b"\n")).map_err(|e| cannot_write(&e))?;
        self.lines += 1;
        Ok(())
    }

    fn write_rows(&mut self, kind: &Kind, db: &Connection, project_id: Option<&ProjectId>) -> Result<u32> {
        let before = self.lines;
        // A promoted answer is of no project.
        let nowhere = Answer::no_project();
        kind.each(db, project_id, |book, line| {
            if kind.name == "project" {
                self.books.extend(book.map(ProjectId::from));
            }
            match line {
                Some(line) if book.is_none_or(|book| book == nowhere.as_str() || self.books.contains(&book.into())) => {
                    self.write_line(&line)
                }
                // A line of an unknown project, or with an unexpected value.
                _ => {
                    self.left_out += 1;
                    Ok(())
                }
            }
        })?;
        Ok(self.lines - before)
    }
}

/// A snapshot of a file from now on.
fn begun<'a>(reader: &'a crate::storage::Reader<'_>) -> Result<rusqlite::Transaction<'a>> {
    let snapshot = reader.snapshot()?;
    snapshot.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(snapshot)
}

fn serialize<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(Code::StoreUnavailable, "a value that cannot be written").caused_by(error))
}

pub(super) fn cannot_write(error: &std::io::Error) -> Error {
    Error::not_written(&FileError::Io(copy_of(error))).while_doing("write an export")
}
