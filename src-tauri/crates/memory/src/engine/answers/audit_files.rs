//! The files of the audit: `audit/run.events.jsonl` in the data folder, older ones with a number, the oldest deleted.
//!
//! Lines come in groups, one for the start and one for the end of a run; the last line of a group closes it. A group
//! that a crash cut off is removed when the files are read again. The files are derived from the rows of runs: they
//! are not flushed to disk, and may be deleted at any time.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use palimpsest_answers::config::EventsOutConfig;
use palimpsest_files::{Access, Durability, Existing, FileLocation, Folder};
use serde::Deserialize;

use crate::{
    error::{Code, Error, Result},
    model::{ProjectId, Reason, Time},
};

/// The folder of the audit in the data folder.
const FOLDER: &str = "audit";
const NAME: &str = "run.events";
const ENDING: &str = "jsonl";
/// The file of the key of the hashes.
const KEY: &str = "key";

/// The type of the line that closes the group of a run's start.
pub(super) const START: &str = "run.start";
/// The type of the line that closes the group of a run's end.
pub(super) const END: &str = "run.end";

/// The groups of a run that the files have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Phases {
    pub has_start: bool,
    pub has_end: bool,
}

/// A group of lines.
pub(super) struct Group {
    pub run_id: String,
    pub is_end: bool,
    /// Each with its line end.
    pub lines: String,
}

/// The fields of a line that are read back.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    ts: Time,
    run_id: String,
    project_id: ProjectId,
}

/// The files of the audit, and what they have.
pub(super) struct AuditFiles {
    data_dir: PathBuf,
    /// By run.
    phases: HashMap<String, Phases>,
    /// The size of the present file after the last line of this process; `None` until the files were read.
    size: Option<u64>,
    /// The time of the earliest run that the files can have: that of the oldest line, once older ones were deleted.
    earliest: Option<Time>,
    key: Option<[u8; 32]>,
}

impl AuditFiles {
    pub(super) fn new(data_dir: &Path) -> Self {
        Self { data_dir: data_dir.to_owned(), phases: HashMap::new(), size: None, earliest: None, key: None }
    }

    /// The groups of a run that the files have.
    pub(super) fn phases_of(&self, run_id: &str) -> Phases {
        self.phases.get(run_id).copied().unwrap_or_default()
    }

    /// Runs before this time are not written again.
    pub(super) fn earliest(&self) -> Option<Time> {
        self.earliest
    }

    /// The files are as this process left them.
    pub(super) fn are_known(&self) -> Result<bool> {
        let Some(known) = self.size else { return Ok(false) };
        let size = match self.folder()? {
            Some(folder) => file_numbered(&folder, 0)?.size().map_err(unwritable)?.unwrap_or(0),
            None => 0,
        };
        Ok(size == known)
    }

    /// Their contents are not known any more.
    pub(super) fn forget_contents(&mut self) {
        (self.phases, self.size, self.earliest) = (HashMap::new(), None, None);
    }

    /// Reads which groups the files have, and removes one that was cut off.
    pub(super) fn read_back(&mut self, config: &EventsOutConfig) -> Result<()> {
        self.forget_contents();
        let Some(folder) = self.folder()? else {
            self.size = Some(0);
            return Ok(());
        };
        folder.remove_leftovers(None);
        let numbers = existing_numbers(&folder)?;
        let (mut oldest, mut present) = (None, 0);
        for number in numbers.iter().rev() {
            let location = file_numbered(&folder, *number)?;
            let Some(file) = location.open().map_err(unwritable)? else { continue };
            let (mut at, mut closed) = (0_u64, 0_u64);
            for_each_line(BufReader::new(file), |line, length| {
                at += length;
                let Some(line) = line else { return Ok(()) };
                oldest.get_or_insert(line.ts);
                let is_end = line.kind == END;
                if is_end || line.kind == START {
                    closed = at;
                    let phases = self.phases.entry(line.run_id).or_default();
                    if is_end { phases.has_end = true } else { phases.has_start = true }
                }
                Ok(())
            })?;
            if *number == 0 {
                if closed < at {
                    location.append(Access::OwnerOnly).map_err(unwritable)?.set_len(closed).map_err(refused)?;
                }
                present = closed;
            }
        }
        if numbers.len() >= config.max_files {
            self.earliest = oldest;
        }
        self.size = Some(present);
        Ok(())
    }

    /// Appends groups; begins a new file where the present one is full.
    pub(super) fn append(&mut self, groups: Vec<Group>, config: &EventsOutConfig) -> Result<()> {
        if groups.is_empty() {
            return Ok(());
        }
        let folder = self.make_folder()?;
        let mut size = self.size.unwrap_or(0);
        // Not known until all is written.
        self.size = None;
        let mut file = file_numbered(&folder, 0)?.append(Access::OwnerOnly).map_err(unwritable)?;
        for group in groups {
            let length = group.lines.len() as u64;
            if size > 0 && size.saturating_add(length) > config.max_file_bytes {
                rotate(&folder, config.max_files)?;
                file = file_numbered(&folder, 0)?.append(Access::OwnerOnly).map_err(unwritable)?;
                size = 0;
            }
            file.write_all(group.lines.as_bytes()).map_err(refused)?;
            size = size.saturating_add(length);
            let phases = self.phases.entry(group.run_id).or_default();
            if group.is_end { phases.has_end = true } else { phases.has_start = true }
        }
        self.size = Some(size);
        Ok(())
    }

    /// Removes the lines of a book, or everything.
    pub(super) fn erase(&mut self, project_id: Option<&ProjectId>) -> Result<()> {
        self.forget_contents();
        let Some(folder) = self.folder()? else { return Ok(()) };
        self.forget_key()?;
        folder.remove_leftovers(None);
        for number in existing_numbers(&folder)? {
            let location = file_numbered(&folder, number)?;
            let Some(project_id) = project_id else {
                location.remove().map_err(unwritable)?;
                continue;
            };
            let Some(file) = location.open().map_err(unwritable)? else { continue };
            let mut rest = location.begin(Access::OwnerOnly).map_err(unwritable)?;
            let mut reader = BufReader::new(file);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).map_err(refused)? > 0 {
                // A line that cannot be read may be of the book.
                if serde_json::from_slice::<Line>(&bytes).is_ok_and(|line| line.project_id != *project_id) {
                    rest.write_all(&bytes).map_err(refused)?;
                }
                bytes.clear();
            }
            rest.finish(Existing::Replace, Durability::Flushed).map_err(unwritable)?;
        }
        Ok(())
    }

    /// Deletes the key of the hashes: no text can be looked for in them any more.
    pub(super) fn forget_key(&mut self) -> Result<()> {
        self.key = None;
        let Some(folder) = self.folder()? else { return Ok(()) };
        folder.file(KEY).and_then(|file| file.remove()).map_err(unwritable)?;
        Ok(())
    }

    /// The key of the hashes; `random` makes a new one.
    pub(super) fn key(&mut self, random: impl FnOnce() -> [u8; 32]) -> Result<[u8; 32]> {
        if let Some(key) = self.key {
            return Ok(key);
        }
        let location = self.make_folder()?.file(KEY).map_err(unwritable)?;
        let stored = location.read(32).ok().flatten().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let key = match stored {
            Some(key) => key,
            None => {
                let key = random();
                let durability = Durability::Derived;
                location.replace(&key, Existing::Replace, Access::OwnerOnly, durability).map_err(unwritable)?;
                key
            }
        };
        self.key = Some(key);
        Ok(key)
    }

    /// The folder; `None` if there is none.
    fn folder(&self) -> Result<Option<Folder>> {
        match Folder::open(&self.data_dir).and_then(|data| data.folder(FOLDER)) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.is_absence() => Ok(None),
            Err(error) => Err(unwritable(error)),
        }
    }

    fn make_folder(&self) -> Result<Folder> {
        let made = Folder::open(&self.data_dir).and_then(|data| {
            data.make_folder(FOLDER, Access::OwnerOnly)?;
            data.folder(FOLDER)
        });
        made.map_err(unwritable)
    }
}

/// A file by its number; 0 is the present one.
fn file_numbered(folder: &Folder, number: usize) -> Result<FileLocation> {
    let name = match number {
        0 => format!("{NAME}.{ENDING}"),
        number => format!("{NAME}.{number}.{ENDING}"),
    };
    folder.file(&name).map_err(unwritable)
}

/// The numbers of the files that exist, lowest first.
fn existing_numbers(folder: &Folder) -> Result<Vec<usize>> {
    let number = |name: &str| match name.strip_prefix(NAME)?.strip_suffix(ENDING)? {
        "." => Some(0),
        number => number.strip_prefix('.')?.strip_suffix('.')?.parse().ok().filter(|number| *number > 0),
    };
    let entries = folder.entries().map_err(unwritable)?;
    let mut found: Vec<usize> = entries.iter().filter_map(|entry| number(entry.name.to_str()?)).collect();
    found.sort_unstable();
    Ok(found)
}

/// Gives each file the next number, and deletes those above the limit.
fn rotate(folder: &Folder, max_files: usize) -> Result<()> {
    for number in existing_numbers(folder)?.into_iter().rev() {
        let file = file_numbered(folder, number)?;
        if number + 1 >= max_files {
            file.remove().map_err(unwritable)?;
        } else {
            file.rename(&file_numbered(folder, number + 1)?).map_err(unwritable)?;
        }
    }
    Ok(())
}

/// Calls `read` with each line, `None` for one that cannot be read, and its length with the line end.
fn for_each_line(mut reader: impl BufRead, mut read: impl FnMut(Option<Line>, u64) -> Result<()>) -> Result<()> {
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).map_err(refused)? > 0 {
        let line = bytes.ends_with(b"\n").then(|| serde_json::from_slice(&bytes).ok()).flatten();
        read(line, bytes.len() as u64)?;
        bytes.clear();
    }
    Ok(())
}

fn unwritable(error: palimpsest_files::Error) -> Error {
    let details = crate::error::Details { reason: Some(Reason::AuditUnwritable), ..Default::default() };
    Error::with_details(Code::WriteFailed, format!("the audit cannot be written: {error}"), details)
        .caused_by(error)
        .while_doing("write the audit")
}

fn refused(error: std::io::Error) -> Error {
    unwritable(error.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    const CONFIG: EventsOutConfig = EventsOutConfig { enabled: true, max_file_bytes: 400, max_files: 3 };

    fn group(run: u32, is_end: bool) -> Group {
        let kind = if is_end { END } else { START };
        let line = format!(
            "{{\"v\":1,\"type\":\"{kind}\",\"ts\":\"2026-03-15T21:00:{run:02}Z\",\"run_id\":\"r{run}\",\
             \"project_id\":\"p{}\",\"data\":{{}}}}\n",
            run % 2
        );
        Group { run_id: format!("r{run}"), is_end, lines: line }
    }

    fn text(folder: &TempDir, name: &str) -> String {
        fs::read_to_string(folder.path().join(FOLDER).join(name)).unwrap_or_default()
    }

    #[test]
    fn full_files_are_numbered_and_the_oldest_is_deleted() {
        let folder = TempDir::new().unwrap();
        let mut files = AuditFiles::new(folder.path());
        files.read_back(&CONFIG).unwrap();
        for run in 0..20 {
            files.append(vec![group(run, false)], &CONFIG).unwrap();
        }
        let mut names: Vec<String> = fs::read_dir(folder.path().join(FOLDER))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["run.events.1.jsonl", "run.events.2.jsonl", "run.events.jsonl"]);
        assert!(names.iter().all(|name| text(&folder, name).len() <= 400));
        assert!(text(&folder, "run.events.jsonl").contains("\"r19\""));
        let mut again = AuditFiles::new(folder.path());
        again.read_back(&CONFIG).unwrap();
        assert!(again.phases_of("r19").has_start && !again.phases_of("r0").has_start);
        assert!(again.earliest().is_some_and(|at| at > "2026-03-15T21:00:00Z".parse().unwrap()));
    }

    #[test]
    fn a_group_that_was_cut_off_is_removed_and_its_run_has_no_such_group() {
        let folder = TempDir::new().unwrap();
        let config = EventsOutConfig { max_file_bytes: 1 << 20, ..CONFIG };
        let mut files = AuditFiles::new(folder.path());
        files.append(vec![group(1, false), group(1, true)], &config).unwrap();
        let path = folder.path().join(FOLDER).join("run.events.jsonl");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        let mut again = AuditFiles::new(folder.path());
        again.read_back(&config).unwrap();
        assert_eq!(again.phases_of("r1"), Phases { has_start: true, has_end: false });
        again.append(vec![group(1, true)], &config).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert!(again.are_known().unwrap());
        fs::write(&path, "").unwrap();
        assert!(!again.are_known().unwrap());
    }

    #[test]
    fn erasing_a_book_leaves_the_lines_of_the_others_and_makes_the_hashes_useless() {
        let folder = TempDir::new().unwrap();
        let mut files = AuditFiles::new(folder.path());
        files.append((0..6).map(|run| group(run, false)).collect(), &CONFIG).unwrap();
        let first = files.key(|| [1; 32]).unwrap();
        files.erase(Some(&"p1".into())).unwrap();
        let all: String = ["run.events.jsonl", "run.events.1.jsonl"].map(|name| text(&folder, name)).concat();
        assert!(!all.contains("\"p1\"") && all.matches("\"p0\"").count() == 3, "{all}");
        assert_ne!(files.key(|| [2; 32]).unwrap(), first);
        files.erase(None).unwrap();
        assert_eq!(fs::read_dir(folder.path().join(FOLDER)).unwrap().count(), 0);
    }
}
