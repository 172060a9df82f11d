//! The copy of a book that a program works in: a fresh folder of the system's temporary folder, deleted afterwards.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use palimpsest_files::{Access, EntryKind, Folder};
use tempfile::TempDir;

use crate::model::{Book, Chapter, Position, Reason, RunError};

/// The folders of runs are named `palimpsest-run-…`.
const PREFIX: &str = "palimpsest-run-";
/// A file that the process of the run holds a lock on.
const LOCK: &str = "lock";
/// The folder of the chapters: the working folder of the program.
const CHAPTERS: &str = "book";
/// The folder for the program's own temporary files.
const TEMPORARY: &str = "tmp";
/// The largest book that is copied, in bytes.
const MAX_BOOK_BYTES: usize = 64 << 20;
/// The most changed files that are reported.
const MAX_REPORTED_FILES: usize = 100;
/// The depth to which folders are searched for files that a program wrote.
const MAX_DEPTH: usize = 8;

/// The copy of a book. It is deleted when this is dropped, or by [`remove_leftovers`] after a crash.
#[derive(Debug)]
pub struct BookCopy {
    folder: TempDir,
    /// Locked while the run lasts, so that no other process deletes the folder.
    _lock: File,
    /// The content of each file by its name, as a hash.
    files: BTreeMap<String, blake3::Hash>,
}

impl BookCopy {
    /// Writes these files, one for each chapter, into a new folder of `temporary`.
    ///
    /// # Errors
    /// [`Reason::StartFailed`] if the folder or a file cannot be made, or if `temporary` lies in one of the `protected`
    /// folders. Nothing is left of the copy then.
    pub fn create(temporary: &Path, files: &[String], protected: &[PathBuf]) -> Result<Self, RunError> {
        let temporary = temporary.canonicalize().map_err(|error| failed(&error.kind().to_string()))?;
        if protected.iter().any(|folder| temporary.starts_with(folder)) {
            return Err(failed("the folder for temporary files lies in a protected folder"));
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder =
            builder.prefix(PREFIX).tempdir_in(&temporary).map_err(|error| failed(&error.kind().to_string()))?;
        let (lock, files) = write_copy(folder.path(), files).map_err(|error| failed(&error.to_string()))?;
        Ok(Self { folder, _lock: lock, files })
    }

    /// The folder of the chapters.
    #[must_use]
    pub fn chapters(&self) -> PathBuf {
        self.folder.path().join(CHAPTERS)
    }

    /// The folder for the program's own temporary files.
    #[must_use]
    pub fn temporary(&self) -> PathBuf {
        self.folder.path().join(TEMPORARY)
    }

    /// The names of files that were changed, added or removed since the copy was made, in order; at most 100.
    #[must_use]
    pub fn changed_files(&self) -> Vec<String> {
        let mut changed = Vec::new();
        let mut seen = BTreeSet::new();
        match Folder::open(&self.chapters()) {
            Ok(folder) => self.compare(&folder, "", 0, &mut seen, &mut changed),
            Err(_) => changed.push(CHAPTERS.to_owned()),
        }
        changed.extend(self.files.keys().filter(|name| !seen.contains(*name)).cloned());
        changed.sort();
        changed.truncate(MAX_REPORTED_FILES);
        changed
    }

    /// Adds the files of a folder that differ from the copy to `changed`, and all of its files to `seen`. `above` is
    /// its path in the copy, with a slash at its end.
    fn compare(
        &self,
        folder: &Folder,
        above: &str,
        depth: usize,
        seen: &mut BTreeSet<String>,
        changed: &mut Vec<String>,
    ) {
        for entry in folder.entries().unwrap_or_default() {
            if changed.len() >= MAX_REPORTED_FILES {
                return;
            }
            let name = format!("{above}{}", entry.name.to_string_lossy());
            if entry.kind == EntryKind::Folder && depth < MAX_DEPTH {
                let inner = entry.name.to_str().and_then(|name| folder.folder(name).ok());
                match inner {
                    Some(inner) => self.compare(&inner, &format!("{name}/"), depth + 1, seen, changed),
                    None => changed.push(name.clone()),
                }
                // An empty folder is a change too.
                if !changed.iter().any(|file| file.starts_with(&name)) {
                    changed.push(name);
                }
                continue;
            }
            let content =
                entry.name.to_str().and_then(|name| folder.file(name).ok()?.read(MAX_BOOK_BYTES as u64).ok()?);
            let is_same = content.is_some_and(|content| self.files.get(&name) == Some(&blake3::hash(&content)));
            if !is_same {
                changed.push(name.clone());
            }
            seen.insert(name);
        }
    }
}

impl Drop for BookCopy {
    fn drop(&mut self) {
        remove_content(self.folder.path());
    }
}

/// Writes the files of a copy; returns the locked file and the hash of each chapter.
fn write_copy(path: &Path, contents: &[String]) -> palimpsest_files::Result<(File, BTreeMap<String, blake3::Hash>)> {
    let folder = Folder::open(path)?;
    let lock = folder.file(LOCK)?.create(Access::OwnerOnly)?;
    // On a file system without locks, only the system deletes what a crash leaves.
    lock.try_lock().ok();
    folder.make_folder(CHAPTERS, Access::OwnerOnly)?;
    folder.make_folder(TEMPORARY, Access::OwnerOnly)?;
    let inner = folder.folder(CHAPTERS)?;
    let width = contents.len().to_string().len().max(3);
    let mut files = BTreeMap::new();
    for (number, text) in (1..).zip(contents) {
        let name = format!("{number:0width$}.md");
        inner.file(&name)?.create(Access::OwnerOnly)?.write_all(text.as_bytes())?;
        files.insert(name, blake3::hash(text.as_bytes()));
    }
    Ok((lock, files))
}

/// The files of a book up to its end, before names are hidden.
///
/// # Errors
/// [`Reason::StartFailed`] if the book has more than 64 MiB.
pub(crate) fn book_files(book: &Book<'_>) -> Result<Vec<String>, RunError> {
    let chapters = chapters_up_to_end(book);
    if chapters.iter().map(|chapter| chapter.text.len()).sum::<usize>() > MAX_BOOK_BYTES {
        return Err(failed("the book is too large"));
    }
    Ok(chapters.iter().map(chapter_file).collect())
}

/// The content of a chapter's file: the title as a heading, and the text.
fn chapter_file(chapter: &Chapter<'_>) -> String {
    match chapter.title.trim() {
        "" => chapter.text.to_owned(),
        title => format!("# {}\n\n{}", title.replace(['\n', '\r'], " "), chapter.text),
    }
}

/// The chapters of a book up to its end; the last one is cut there. Without chapters before the end there are none.
fn chapters_up_to_end<'a>(book: &Book<'a>) -> Vec<Chapter<'a>> {
    let Some(Position { chapter, offset }) = book.end else { return book.chapters.to_vec() };
    let mut chapters = book.chapters.get(..=chapter).unwrap_or(book.chapters).to_vec();
    if let Some(last) = chapters.get_mut(chapter) {
        last.text = text_before(last.text, offset);
    }
    chapters
}

/// The text in front of an offset in UTF-16 code units; a character that the offset divides is left out.
fn text_before(text: &str, offset: usize) -> &str {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > offset {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// Deletes the copies of runs whose process has ended, after a crash. Copies of running processes stay; so do folders
/// of other users and links.
pub fn remove_leftovers(temporary: &Path) {
    let Ok(folder) = Folder::open(&temporary.canonicalize().unwrap_or_else(|_| temporary.to_owned())) else { return };
    for entry in folder.entries().unwrap_or_default() {
        let Some(name) = entry.name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        let Ok(inner) = folder.folder(name) else { continue };
        let path = temporary.join(name);
        match inner.file(LOCK).and_then(|file| file.open()) {
            Ok(Some(lock)) => {
                if lock.try_lock().is_ok() {
                    remove_content(&path);
                    std::fs::remove_dir_all(path).ok();
                }
            }
            // A folder that was just made, or whose deletion was interrupted: deleted only if it is empty.
            Ok(None) => {
                std::fs::remove_dir(path).ok();
            }
            Err(_) => {}
        }
    }
}

/// Deletes everything but the locked file, which goes last: without it, a folder whose deletion was interrupted would
/// not be found again.
fn remove_content(path: &Path) {
    for part in [CHAPTERS, TEMPORARY] {
        std::fs::remove_dir_all(path.join(part)).ok();
    }
}

fn failed(kind: &str) -> RunError {
    RunError::new(Reason::StartFailed, format!("the copy of the book could not be made: {kind}"))
}

#[cfg(test)]
mod tests;
