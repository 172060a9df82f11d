//! Adds imported chapters: all of them or none, also through a crash.
//!
//! The files are written without the book: a chapter can be read and saved meanwhile.
//!
//! The planned files are written to a journal first, `.palimpsest/incoming.json`, which is removed when all are on
//! disk. A journal that exists when the book is opened belongs to an interrupted import, or to one whose undoing was
//! interrupted: its files are removed.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};

use palimpsest_files::{Access, Error as FileError};
use serde::{Deserialize, Serialize};

use super::{Book, Chapter, build_chapter, undo};
use crate::chapter_files;
use crate::disk::{self, MAX_CHAPTER_BYTES, WriteMode};
use crate::error::{Error, Result, log_failure, or_log};
use crate::id::ChapterId;
use crate::identity::{self, Entry, OWN_FOLDER};
use crate::import::NewChapter;
use crate::text::{self, Sketch};
use crate::watch::OwnWrite;

const JOURNAL_FILE: &str = ".palimpsest/incoming.json";

/// The most files that are written at a time.
const MAX_WRITERS: usize = 8;

/// The files of an import with their hashes.
#[derive(Serialize, Deserialize)]
struct ImportJournal {
    files: Vec<(String, String)>,
}

/// A chapter to be written.
struct Planned {
    chapter: Chapter,
    raw: String,
    hash: String,
}

/// An import whose files are not all written. The book does not list them before the import is finished.
pub struct PendingImport {
    root: PathBuf,
    planned: Vec<Planned>,
    journal: File,
    /// Until they end, the watch reports none of the files.
    own_writes: Vec<OwnWrite>,
}

impl std::fmt::Debug for PendingImport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingImport").field("chapters", &self.planned.len()).finish_non_exhaustive()
    }
}

impl PendingImport {
    /// Writes the files. The result is for [`Book::finish_import`].
    ///
    /// # Errors
    /// As [`Book::create`]: the first in the order of the chapters.
    pub fn write(&self) -> Result<()> {
        let next = AtomicUsize::new(0);
        let write_next = || {
            let mut first: Option<(usize, Error)> = None;
            while first.is_none() {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(Planned { chapter, raw, .. }) = self.planned.get(at) else { break };
                let written = disk::replace(&self.root, &chapter.file, raw.as_bytes(), WriteMode::CreateOneOfMany);
                first = written.err().map(|error| (at, error));
            }
            first
        };
        // The disk flushes several files at a time.
        let outcomes: Vec<_> = thread::scope(|scope| {
            let writers: Vec<_> = (0..MAX_WRITERS).map(|_| scope.spawn(write_next)).collect();
            writers.into_iter().map(ScopedJoinHandle::join).collect()
        });
        let has_panicked = outcomes.iter().any(std::result::Result::is_err);
        let failed = outcomes.into_iter().filter_map(|outcome| outcome.ok().flatten());
        if let Some((_, error)) = failed.min_by_key(|(at, _)| *at) {
            return Err(error);
        }
        if has_panicked {
            return Err(Error::io("write a file", "", &io::ErrorKind::Other.into()));
        }
        let part = self.planned.first().and_then(|planned| planned.chapter.file.rsplit_once('/'));
        disk::flush(&self.root, part.map_or("", |(part, _)| part))
    }
}

impl Book {
    /// Adds chapters with their texts after the last one, as [`Book::create`] does: all of them or none. The import can
    /// be undone ([`Book::undo_import`]), together with the import `continued` if that is the last one.
    ///
    /// # Errors
    /// As [`Book::create`]. The files written until then are removed.
    pub fn add_chapters(
        &mut self,
        chapters: &[NewChapter],
        continued: Option<&str>,
        new_id: &mut dyn FnMut() -> String,
    ) -> Result<Vec<Chapter>> {
        let pending = self.begin_import(chapters, new_id)?;
        let written = pending.write();
        self.finish_import(pending, written, continued)
    }

    /// Plans an import and writes its journal. [`PendingImport::write`] writes the files, then
    /// [`Book::finish_import`] adds the chapters.
    ///
    /// # Errors
    /// As [`Book::create`]; [`Error::Io`] while another import into the book is pending.
    pub fn begin_import(
        &mut self,
        chapters: &[NewChapter],
        new_id: &mut dyn FnMut() -> String,
    ) -> Result<PendingImport> {
        let planned = self.plan_chapters(chapters, new_id)?;
        let files = planned.iter().map(|one| (one.chapter.file.clone(), one.hash.clone())).collect();
        let journal = create_journal(&self.root, files)?;
        let begin =
            |Planned { chapter, hash, .. }: &Planned| self.ledger.begin_write(&chapter.file, &chapter.chapter_id, hash);
        let own_writes = planned.iter().map(begin).collect();
        self.incoming = planned.iter().map(|planned| planned.chapter.file.clone()).collect();
        Ok(PendingImport { root: self.root.clone(), planned, journal, own_writes })
    }

    /// Adds the written chapters of an import, or removes its files if one could not be written.
    ///
    /// # Errors
    /// That of `written`.
    pub fn finish_import(
        &mut self,
        pending: PendingImport,
        written: Result<()>,
        continued: Option<&str>,
    ) -> Result<Vec<Chapter>> {
        let PendingImport { planned, journal, own_writes, .. } = pending;
        self.incoming.clear();
        if let Err(error) = written {
            let files = planned.iter().map(|planned| (planned.chapter.file.as_str(), planned.hash.as_str()));
            remove_unchanged(&self.root, files);
            own_writes.into_iter().for_each(|own| own.finish(false));
            remove_journal(&self.root, journal);
            return Err(error);
        }
        let mut added = Vec::with_capacity(planned.len());
        for (Planned { chapter, raw, hash }, own) in planned.into_iter().zip(own_writes) {
            self.ids.chapters.push(Entry::new(chapter.chapter_id.clone(), chapter.file.clone(), hash));
            self.sketches.insert(chapter.chapter_id.clone(), Sketch::new(&raw));
            self.chapters.push(chapter.clone());
            added.push(chapter);
            own.finish(true);
        }
        let ids: Vec<ChapterId> = added.iter().map(|chapter| chapter.chapter_id.clone()).collect();
        self.sketches_on_disk = false;
        self.move_to_end(&ids);
        // If the ids cannot be written now, the next rescan repairs them.
        log_failure("save ids", identity::save(&self.root, &self.ids));
        remove_journal(&self.root, journal);
        undo::remember(&self.root, &added, continued);
        Ok(added)
    }

    fn plan_chapters(&self, chapters: &[NewChapter], new_id: &mut dyn FnMut() -> String) -> Result<Vec<Planned>> {
        let mut last = self.chapters.last().map(|chapter| chapter.file.clone());
        let part = last.as_deref().and_then(|file| file.rsplit_once('/')).map_or("", |(part, _)| part).to_owned();
        let mut used_names: HashSet<String> = self.names_in(&part)?.into_iter().collect();
        let mut ids: HashSet<ChapterId> = self.ids.chapters.iter().map(|entry| entry.chapter_id.clone()).collect();
        let mut planned = Vec::with_capacity(chapters.len());
        for chapter in chapters {
            let title = chapter_files::single_line(&chapter.title).ok_or(Error::EmptyTitle)?;
            let chapter_id = ChapterId::from(new_id());
            identity::check_id(chapter_id.as_str())?;
            if !ids.insert(chapter_id.clone()) {
                return Err(Error::InvalidId);
            }
            let name = chapter_files::new_file_name(&title, last.as_deref(), |name| used_names.contains(name));
            used_names.insert(name.to_lowercase());
            let file = if part.is_empty() { name } else { format!("{part}/{name}") };
            let raw = chapter_markdown(&title, &chapter.text);
            let hash = text::content_hash(raw.as_bytes());
            last = Some(file.clone());
            planned.push(Planned { chapter: build_chapter(&chapter_id, &file, Some(&hash), Some(&raw)), raw, hash });
        }
        Ok(planned)
    }
}

/// Removes the files of an interrupted import. Failures are logged, and the next opening tries again.
pub(super) fn undo_interrupted(root: &Path) {
    let location = match disk::locate(root, JOURNAL_FILE) {
        Err(error) if error.is_absence() => return,
        location => location,
    };
    let Some(location) = or_log("look for an import journal", location) else { return };
    let file = location.open().map_err(|error| disk::file_error("open a file", JOURNAL_FILE, error));
    let Some(file) = or_log("open an import journal", file).flatten() else { return };
    // Locked by another process: that import is still running.
    if file.try_lock().is_err() {
        return;
    }
    let mut bytes = Vec::new();
    let read = (&file).take(MAX_CHAPTER_BYTES).read_to_end(&mut bytes);
    // An import that was interrupted while writing the journal has written nothing else.
    let read = read.map_err(|error| Error::io("read a file", JOURNAL_FILE, &error));
    let journal =
        or_log("read an import journal", read).and_then(|_| serde_json::from_slice::<ImportJournal>(&bytes).ok());
    if let Some(journal) = journal {
        remove_unchanged(root, journal.files.iter().map(|(file, hash)| (file.as_str(), hash.as_str())));
    }
    let removed = location.remove().map(drop).map_err(|error| disk::file_error("remove a file", JOURNAL_FILE, error));
    log_failure("remove an import journal", removed);
}

/// Writes the journal and locks it for the duration of the import, or of its undoing.
pub(super) fn create_journal(root: &Path, files: Vec<(String, String)>) -> Result<File> {
    let io = |error: io::Error| Error::io("write a file", JOURNAL_FILE, &error);
    let bytes =
        serde_json::to_vec(&ImportJournal { files }).map_err(|_| Error::not_json("write JSON", JOURNAL_FILE))?;
    let location = disk::locate(root, JOURNAL_FILE)?;
    let mut journal = location.create(Access::OwnerOnly).map_err(|error| match error {
        FileError::Exists => io(io::ErrorKind::AlreadyExists.into()),
        error => disk::file_error("make a file", JOURNAL_FILE, error),
    })?;
    let written = match journal.try_lock() {
        Ok(()) => journal.write_all(&bytes).and_then(|()| journal.sync_all()),
        // A file system without locks: other processes are not excluded, which is rare enough.
        Err(TryLockError::Error(_)) => journal.write_all(&bytes).and_then(|()| journal.sync_all()),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
    };
    match written.map_err(io).and_then(|()| disk::flush(root, OWN_FOLDER)) {
        Ok(()) => Ok(journal),
        Err(error) => {
            remove_journal(root, journal);
            Err(error)
        }
    }
}

/// Removes the journal at the end of an import or of its undoing, successful or not.
pub(super) fn remove_journal(root: &Path, journal: File) {
    // A journal that remained would delete the chapters on the next opening: it is emptied first, and the folder
    // flushed after.
    let emptied = journal.set_len(0).and_then(|()| journal.sync_all());
    log_failure("empty an import journal", emptied.map_err(|error| Error::io("empty a file", JOURNAL_FILE, &error)));
    log_failure("remove an import journal", disk::remove(root, JOURNAL_FILE));
    log_failure("flush the book's folder", disk::flush(root, OWN_FOLDER));
    drop(journal);
}

pub(super) fn remove_unchanged<'a>(root: &Path, files: impl Iterator<Item = (&'a str, &'a str)>) {
    for (file, hash) in files {
        // Only files that are unchanged since they were written: the writer may have edited others.
        if chapter_files::is_chapter_name(file.rsplit('/').next().unwrap_or(file))
            && disk::file_hash(root, file).as_deref() == Some(hash)
        {
            log_failure("remove an imported chapter", disk::remove(root, file));
        }
    }
}

fn chapter_markdown(title: &str, text: &str) -> String {
    let text = palimpsest_text::normalize_line_ends(text);
    if text.is_empty() { format!("# {title}\n\n") } else { format!("# {title}\n\n{text}\n") }
}
