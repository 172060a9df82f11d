//! The folder of a book: which files are chapters, and how a file is read and replaced safely.

use std::fs;
use std::io;
use std::path::Path;

use palimpsest_files::{
    Access, Durability, EntryKind, Error as FileError, Existing, FileLocation, Folder, is_chapter_name,
};

use crate::error::{Error, Result};
use crate::identity::OWN_FOLDER;
use crate::names::reading_order;
use crate::text::content_hash;

/// The largest file that is taken for a chapter, in bytes (a long novel as a whole is about 5 MB).
pub const MAX_CHAPTER_BYTES: u64 = 16 * 1024 * 1024;

/// Something in the folder that looks like a chapter and is not taken for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file or folder, relative to the book. May hold private words, as every file name.
    pub file: String,
    /// Why it was passed over.
    pub reason: SkipReason,
}

/// Why a file was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is a symbolic link that leads out of the book.
    LeavesTheBook,
    /// It is a symbolic link to another place in the book, or to nothing.
    Link,
    /// It is larger than [`MAX_CHAPTER_BYTES`].
    TooLarge,
    /// It is no ordinary file.
    NotAFile,
    /// Its name is not Unicode.
    NameNotUnicode,
    /// The folder cannot be listed.
    Unreadable,
}

/// What a walk through a book's folder found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Chapters, relative to the book with `/` between the parts, in reading order.
    pub files: Vec<String>,
    /// The folders of parts, relative to the book.
    pub parts: Vec<String>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
}

/// Lists the chapters of the book at `root`: every `*.md` in it and in its subfolders, one level down.
pub(crate) fn list(root: &Path) -> Result<Listing> {
    let book = open(root)?;
    let mut listing = Listing::default();
    walk(root, &book, "", &mut listing)?;
    for part in listing.parts.clone() {
        if let Err(error) = walk(root, &book, &part, &mut listing) {
            match error {
                // It went away while we looked.
                Error::Io { kind: io::ErrorKind::NotFound, .. } => {}
                _ => listing.skipped.push(Skipped { file: part, reason: SkipReason::Unreadable }),
            }
        }
    }
    listing.files.sort_by(|a, b| reading_order(a, b));
    Ok(listing)
}

fn walk(root: &Path, book: &Folder, part: &str, listing: &mut Listing) -> Result<()> {
    let entries = book.folder(part).and_then(|folder| folder.entries()).map_err(|e| failed(part, e))?;
    for entry in entries {
        let name = entry.name.to_string_lossy();
        let file = if part.is_empty() { name.to_string() } else { format!("{part}/{name}") };
        let chapter = is_chapter_name(&name);
        let folder_of_part =
            part.is_empty() && !name.starts_with('.') && matches!(entry.kind, EntryKind::Folder | EntryKind::Link);
        if !chapter && !folder_of_part {
            continue;
        }
        let skip = |reason| Skipped { file: file.clone(), reason };
        if entry.name.to_str().is_none() {
            listing.skipped.push(skip(SkipReason::NameNotUnicode));
            continue;
        }
        match entry.kind {
            EntryKind::Link => {
                if let Some(reason) = judge_link(root, &root.join(part).join(&entry.name), chapter) {
                    listing.skipped.push(skip(reason));
                }
            }
            EntryKind::Folder if part.is_empty() => listing.parts.push(file),
            EntryKind::Folder => {}
            EntryKind::Other => listing.skipped.push(skip(SkipReason::NotAFile)),
            EntryKind::File if entry.bytes > MAX_CHAPTER_BYTES => listing.skipped.push(skip(SkipReason::TooLarge)),
            EntryKind::File => listing.files.push(file),
        }
    }
    Ok(())
}

/// Links are never followed, but said: one inside the book is another name of a chapter, one outside is a way out.
fn judge_link(root: &Path, link: &Path, chapter: bool) -> Option<SkipReason> {
    match fs::canonicalize(link) {
        // A link to a picture beside the chapters is nobody's business.
        Ok(target) if !chapter && !target.is_dir() => None,
        Ok(target) if target.starts_with(root) => Some(SkipReason::Link),
        Ok(_) => Some(SkipReason::LeavesTheBook),
        Err(_) => chapter.then_some(SkipReason::Link),
    }
}

/// Opens the folder at `root`. It is opened for each operation, so that a book that was moved away and came back is found.
fn open(root: &Path) -> Result<Folder> {
    Folder::open(root).map_err(|e| failed("", e))
}

/// The place of `file` under `root`. Refuses what could lead anywhere else: absolute paths, `..`, and symbolic links
/// at any step below the root.
pub(crate) fn place(root: &Path, file: &str) -> Result<FileLocation> {
    Folder::open(root).and_then(|folder| folder.file(file)).map_err(|e| failed(file, e))
}

pub(crate) fn failed(file: &str, error: FileError) -> Error {
    let file = file.to_owned();
    match error {
        FileError::Link => Error::Link { file },
        FileError::TooLarge => Error::TooLarge { file },
        FileError::Exists => Error::Exists { file },
        FileError::Io(error) => Error::Io { kind: error.kind(), file },
        _ => Error::Io { kind: io::ErrorKind::InvalidInput, file },
    }
}

/// Who may read what is new: chapters are the writer's, what we put beside them is for the owner alone.
fn access(file: &str) -> Access {
    let is_ours = file.strip_prefix(OWN_FOLDER).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if is_ours { Access::OwnerOnly } else { Access::Usual }
}

/// The bytes of a file, `None` when there is none.
pub(crate) fn read(root: &Path, file: &str) -> Result<Option<Vec<u8>>> {
    if file.is_empty() {
        return Ok(None);
    }
    let read = Folder::open(root).and_then(|folder| folder.file(file)?.read(MAX_CHAPTER_BYTES));
    match read {
        Err(error) if error.is_absence() => Ok(None),
        read => read.map_err(|e| failed(file, e)),
    }
}

/// The content hash of a file, `None` when it cannot be read.
pub(crate) fn hash_of(root: &Path, file: &str) -> Option<String> {
    read(root, file).ok().flatten().map(|bytes| content_hash(&bytes))
}

/// What a write may meet in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// An ordinary file or nothing: it is replaced as a whole.
    Any,
    /// The same, for a file that can be computed again: it need not have reached the disk on return.
    Derived,
    /// Nothing: a file that is there stays.
    Absent,
}

/// Puts `bytes` in the place of `file`, as a whole or not at all: written to a temporary file in the same folder,
/// flushed to the disk, renamed, and the folder flushed. Keeps the permissions (and, where allowed, the owner) of the
/// file it replaces; a read-only file is refused. Hard links to it keep the old content.
pub(crate) fn replace(root: &Path, file: &str, bytes: &[u8], target: Target) -> Result<()> {
    replace_as(root, file, bytes, target, access(file))
}

/// As [`replace`], for a folder that is ours as a whole.
pub(crate) fn replace_own(root: &Path, file: &str, bytes: &[u8]) -> Result<()> {
    replace_as(root, file, bytes, Target::Any, Access::OwnerOnly)
}

fn replace_as(root: &Path, file: &str, bytes: &[u8], target: Target, access: Access) -> Result<()> {
    let (existing, durability) = match target {
        Target::Any => (Existing::Replace, Durability::Flushed),
        Target::Derived => (Existing::Replace, Durability::Derived),
        Target::Absent => (Existing::Keep, Durability::Flushed),
    };
    place(root, file)?.replace(bytes, existing, access, durability).map_err(|e| failed(file, e))
}

/// Removes a file. Answers whether there was one.
pub(crate) fn remove(root: &Path, file: &str) -> Result<bool> {
    match Folder::open(root).and_then(|folder| folder.file(file)?.remove()) {
        Err(error) if error.is_absence() => Ok(false),
        removed => removed.map_err(|e| failed(file, e)),
    }
}

/// Renames a file or folder, and flushes the folder that it is in from then on.
pub(crate) fn rename(root: &Path, from: &str, to: &str) -> Result<()> {
    let (old, new) = (place(root, from)?, place(root, to)?);
    old.rename(&new).and_then(|()| new.parent().flush()).map_err(|e| failed(to, e))
}

/// Makes a folder and those above it below `root`, each on disk when this returns.
pub(crate) fn make_folders(root: &Path, folder: &str) -> Result<()> {
    make_folders_as(&open(root)?, folder, access(folder))
}

/// As [`make_folders`], for a folder that is ours as a whole.
pub(crate) fn make_own_folders(root: &Path, folder: &str) -> Result<()> {
    make_folders_as(&open(root)?, folder, Access::OwnerOnly)
}

fn make_folders_as(root: &Folder, folder: &str, access: Access) -> Result<()> {
    let make = || {
        let mut around = root.folder("")?;
        for name in folder.split('/') {
            if around.make_folder(name, access)? {
                // A new folder is on disk when the one around it is.
                around.flush()?;
            }
            around = around.folder(name)?;
        }
        Ok(())
    };
    make().map_err(|e| failed(folder, e))
}

/// The names of the regular files in a folder, with their sizes in bytes; of a folder that is missing, none. Names that are
/// not Unicode are left out.
pub(crate) fn files_in(root: &Path, folder: &str) -> Result<Vec<(String, u64)>> {
    match Folder::open(root).and_then(|book| book.folder(folder)?.entries()) {
        Ok(entries) => Ok((entries.into_iter())
            .filter(|entry| entry.kind == EntryKind::File)
            .filter_map(|entry| Some((entry.name.into_string().ok()?, entry.bytes)))
            .collect()),
        Err(error) if error.is_absence() => Ok(Vec::new()),
        Err(error) => Err(failed(folder, error)),
    }
}

/// All names in a folder, whatever they are the names of.
pub(crate) fn names_in(root: &Path, folder: &str) -> Result<Vec<String>> {
    let entries = open(root)?.folder(folder).and_then(|folder| folder.entries()).map_err(|e| failed(folder, e))?;
    Ok(entries.into_iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect())
}

/// Waits until the names in a folder of the book at `root` have reached the disk; empty means the book's own.
pub(crate) fn flush(root: &Path, folder: &str) -> Result<()> {
    open(root)?.folder(folder).and_then(|folder| folder.flush()).map_err(|e| failed(folder, e))
}

/// Removes what an interrupted save left in the given folders. Failures wait for the next time.
pub(crate) fn remove_leftovers<'a>(root: &Path, parts: impl Iterator<Item = &'a str>) {
    let Ok(book) = Folder::open(root) else { return };
    for folder in parts.filter_map(|part| book.folder(part).ok()) {
        folder.remove_leftovers(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_never_replaces_one_that_came_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.md"), "theirs").unwrap();
        let refused = replace(folder.path(), "a.md", b"ours", Target::Absent);
        assert_eq!(refused, Err(Error::Exists { file: "a.md".into() }));
        assert_eq!(fs::read_to_string(folder.path().join("a.md")).unwrap(), "theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        replace(folder.path(), "b.md", b"ours", Target::Absent).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("b.md")).unwrap(), "ours");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_ours_beside_the_chapters_is_for_the_owner_alone_and_a_chapter_is_not() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |file: &str| fs::metadata(folder.path().join(file)).unwrap().permissions().mode() & 0o777;
        fs::write(folder.path().join("as-usual"), "").unwrap();
        make_folders(folder.path(), ".palimpsest/snapshots/c").unwrap();
        replace(folder.path(), ".palimpsest/book.json", b"{}", Target::Any).unwrap();
        replace(folder.path(), "a.md", b"", Target::Any).unwrap();
        assert_eq!(
            (mode(".palimpsest"), mode(".palimpsest/snapshots/c"), mode(".palimpsest/book.json")),
            (0o700, 0o700, 0o600)
        );
        assert_eq!(mode("a.md"), mode("as-usual"));
    }
}
