//! The folder of a book: lists chapters, reads and replaces files safely.

use std::fs;
use std::io;
use std::path::Path;

use palimpsest_files::{
    Access, Durability, EntryKind, Error as FileError, Existing, FileLocation, Folder, is_chapter_name,
};

use crate::chapter_files::reading_order;
use crate::error::{Error, Result, or_log};
use crate::identity::OWN_FOLDER;
use crate::text::content_hash;

/// The largest chapter file, in bytes (a long novel as a whole is about 5 MB).
pub const MAX_CHAPTER_BYTES: u64 = 16 * 1024 * 1024;

/// A file or folder that looks like a chapter and is skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file or folder, relative to the book. May contain private words, as every file name.
    pub file: String,
    /// Why it is not a chapter.
    pub reason: SkipReason,
}

/// The reason why a file is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It is a symbolic link that leads out of the book.
    LeavesTheBook,
    /// It is a symbolic link to another place in the book, or to nothing.
    Link,
    /// It is larger than [`MAX_CHAPTER_BYTES`].
    TooLarge,
    /// It is not a regular file.
    NotAFile,
    /// Its name is not Unicode.
    NameNotUnicode,
    /// The folder cannot be listed.
    Unreadable,
}

/// The chapters, parts and skipped files of a book's folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Chapters, relative to the book with `/` between the parts, in reading order.
    pub files: Vec<String>,
    /// The folders of parts, relative to the book.
    pub parts: Vec<String>,
    /// Skipped files and folders.
    pub skipped: Vec<Skipped>,
}

/// Lists the chapters of the book at `root`: every `*.md` in it and in its subfolders, one level down.
pub(crate) fn list(root: &Path) -> Result<Listing> {
    let book = open(root)?;
    let mut listing = Listing::default();
    list_folder(root, &book, "", &mut listing)?;
    for part in listing.parts.clone() {
        if let Err(error) = list_folder(root, &book, &part, &mut listing) {
            match error {
                // Removed during the scan.
                Error::Io { kind: io::ErrorKind::NotFound, .. } => {}
                _ => listing.skipped.push(Skipped { file: part, reason: SkipReason::Unreadable }),
            }
        }
    }
    listing.files.sort_by(|a, b| reading_order(a, b));
    Ok(listing)
}

fn list_folder(root: &Path, book: &Folder, part: &str, listing: &mut Listing) -> Result<()> {
    let entries =
        book.folder(part).and_then(|folder| folder.entries()).map_err(|e| file_error("list a folder", part, e))?;
    for entry in entries {
        let name = entry.name.to_string_lossy();
        let file = if part.is_empty() { name.to_string() } else { format!("{part}/{name}") };
        let is_chapter = is_chapter_name(&name);
        let is_part =
            part.is_empty() && !name.starts_with('.') && matches!(entry.kind, EntryKind::Folder | EntryKind::Link);
        if !is_chapter && !is_part {
            continue;
        }
        let skip = |reason| Skipped { file: file.clone(), reason };
        if entry.name.to_str().is_none() {
            listing.skipped.push(skip(SkipReason::NameNotUnicode));
            continue;
        }
        match entry.kind {
            EntryKind::Link => {
                if let Some(reason) = link_skip_reason(root, &root.join(part).join(&entry.name), is_chapter) {
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

/// The reason for skipping a link; `None` if it needs no mention. Links are never followed: one inside the book is
/// another name of a chapter, one to the outside leaves the book.
fn link_skip_reason(root: &Path, link: &Path, is_chapter: bool) -> Option<SkipReason> {
    match fs::canonicalize(link) {
        // A link to another file, such as a picture, is not mentioned.
        Ok(target) if !is_chapter && !target.is_dir() => None,
        Ok(target) if target.starts_with(root) => Some(SkipReason::Link),
        Ok(_) => Some(SkipReason::LeavesTheBook),
        Err(_) => is_chapter.then_some(SkipReason::Link),
    }
}

/// Opens the folder at `root`. Opened for each operation, so that a book that was moved away and back is found.
fn open(root: &Path) -> Result<Folder> {
    Folder::open(root).map_err(|e| file_error("open a folder", "", e))
}

/// The location of `file` under `root`. Refuses names that lead elsewhere: absolute paths, `..`, and symbolic links
/// at any step below the root.
pub(crate) fn locate(root: &Path, file: &str) -> Result<FileLocation> {
    Folder::open(root).and_then(|folder| folder.file(file)).map_err(|e| file_error("find a file", file, e))
}

pub(crate) fn file_error(operation: &'static str, file: &str, error: FileError) -> Error {
    match error {
        FileError::Link => Error::Link { file: file.to_owned() },
        FileError::TooLarge => Error::TooLarge { file: file.to_owned() },
        FileError::Exists => Error::Exists { file: file.to_owned() },
        FileError::Io(error) => Error::io(operation, file, &error),
        _ => Error::io(operation, file, &io::ErrorKind::InvalidInput.into()),
    }
}

/// Permissions of a new file: the default for chapters, owner only for the program's own files.
fn access(file: &str) -> Access {
    let is_ours = file.strip_prefix(OWN_FOLDER).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if is_ours { Access::OwnerOnly } else { Access::Usual }
}

/// Reads a file; `None` if it does not exist.
pub(crate) fn read(root: &Path, file: &str) -> Result<Option<Vec<u8>>> {
    if file.is_empty() {
        return Ok(None);
    }
    let read = Folder::open(root).and_then(|folder| folder.file(file)?.read(MAX_CHAPTER_BYTES));
    match read {
        Err(error) if error.is_absence() => Ok(None),
        read => read.map_err(|e| file_error("read a file", file, e)),
    }
}

/// The content hash of a file; `None` if it cannot be read.
pub(crate) fn file_hash(root: &Path, file: &str) -> Option<String> {
    or_log("read a chapter", read(root, file)).flatten().map(|bytes| content_hash(&bytes))
}

/// Treatment of an existing file by a write, and durability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteMode {
    /// An existing file is replaced as a whole.
    Replace,
    /// The same, for a file that can be computed again: not flushed on return.
    ReplaceDerived,
    /// An existing file stays, and the write is refused.
    CreateNew,
    /// The same, for one of many files in a folder that is flushed afterwards.
    CreateOneOfMany,
}

/// Replaces `file` by `bytes` as a whole or not at all: written to a temporary file in the same folder,
/// flushed to disk, renamed, and the folder flushed. Keeps the permissions (and, where allowed, the owner) of the
/// file it replaces; a read-only file is refused. Hard links to it keep the old content.
pub(crate) fn replace(root: &Path, file: &str, bytes: &[u8], mode: WriteMode) -> Result<()> {
    replace_as(root, file, bytes, mode, access(file))
}

/// As [`replace`], for a folder that belongs to the program.
pub(crate) fn replace_own(root: &Path, file: &str, bytes: &[u8]) -> Result<()> {
    replace_as(root, file, bytes, WriteMode::Replace, Access::OwnerOnly)
}

fn replace_as(root: &Path, file: &str, bytes: &[u8], mode: WriteMode, access: Access) -> Result<()> {
    let (existing, durability) = match mode {
        WriteMode::Replace => (Existing::Replace, Durability::Flushed),
        WriteMode::ReplaceDerived => (Existing::Replace, Durability::Derived),
        WriteMode::CreateNew => (Existing::Keep, Durability::Flushed),
        WriteMode::CreateOneOfMany => (Existing::Keep, Durability::ContentFlushed),
    };
    locate(root, file)?.replace(bytes, existing, access, durability).map_err(|e| file_error("write a file", file, e))
}

/// Removes a file. Returns whether there was one.
pub(crate) fn remove(root: &Path, file: &str) -> Result<bool> {
    match Folder::open(root).and_then(|folder| folder.file(file)?.remove()) {
        Err(error) if error.is_absence() => Ok(false),
        removed => removed.map_err(|e| file_error("remove a file", file, e)),
    }
}

/// Renames a file or folder, and flushes its new parent folder.
pub(crate) fn rename(root: &Path, from: &str, to: &str) -> Result<()> {
    let (old, new) = (locate(root, from)?, locate(root, to)?);
    old.rename(&new).and_then(|()| new.parent().flush()).map_err(|e| file_error("rename a file", to, e))
}

/// Creates a folder and its parents below `root`; all are on disk on return.
pub(crate) fn make_folders(root: &Path, folder: &str) -> Result<()> {
    make_folders_as(&open(root)?, folder, access(folder))
}

/// As [`make_folders`], for a folder that belongs to the program.
pub(crate) fn make_own_folders(root: &Path, folder: &str) -> Result<()> {
    make_folders_as(&open(root)?, folder, Access::OwnerOnly)
}

fn make_folders_as(root: &Folder, folder: &str, access: Access) -> Result<()> {
    let make = || {
        let mut parent = root.folder("")?;
        for name in folder.split('/') {
            if parent.make_folder(name, access)? {
                // A new folder is on disk once its parent is flushed.
                parent.flush()?;
            }
            parent = parent.folder(name)?;
        }
        Ok(())
    };
    make().map_err(|e| file_error("make a folder", folder, e))
}

/// The names of the regular files in a folder, with their sizes in bytes; empty for a missing folder. Names that are
/// not Unicode are skipped.
pub(crate) fn files_in(root: &Path, folder: &str) -> Result<Vec<(String, u64)>> {
    match Folder::open(root).and_then(|book| book.folder(folder)?.entries()) {
        Ok(entries) => Ok((entries.into_iter())
            .filter(|entry| entry.kind == EntryKind::File)
            .filter_map(|entry| Some((entry.name.into_string().ok()?, entry.bytes)))
            .collect()),
        Err(error) if error.is_absence() => Ok(Vec::new()),
        Err(error) => Err(file_error("list a folder", folder, error)),
    }
}

/// All names in a folder, of entries of any kind.
pub(crate) fn names_in(root: &Path, folder: &str) -> Result<Vec<String>> {
    let entries = open(root)?
        .folder(folder)
        .and_then(|folder| folder.entries())
        .map_err(|e| file_error("list a folder", folder, e))?;
    Ok(entries.into_iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect())
}

/// Flushes the names in a folder of the book at `root` to disk; the empty string means the book's folder.
pub(crate) fn flush(root: &Path, folder: &str) -> Result<()> {
    open(root)?.folder(folder).and_then(|folder| folder.flush()).map_err(|e| file_error("flush a folder", folder, e))
}

/// Removes the temporary files of interrupted saves in the given folders. Failures are ignored.
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
        let refused = replace(folder.path(), "a.md", b"ours", WriteMode::CreateNew);
        assert_eq!(refused, Err(Error::Exists { file: "a.md".into() }));
        assert_eq!(fs::read_to_string(folder.path().join("a.md")).unwrap(), "theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        replace(folder.path(), "b.md", b"ours", WriteMode::CreateNew).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("b.md")).unwrap(), "ours");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn the_programs_files_beside_the_chapters_are_for_the_owner_alone_and_a_chapter_is_not() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |file: &str| fs::metadata(folder.path().join(file)).unwrap().permissions().mode() & 0o777;
        fs::write(folder.path().join("as-usual"), "").unwrap();
        make_folders(folder.path(), ".palimpsest/snapshots/c").unwrap();
        replace(folder.path(), ".palimpsest/book.json", b"{}", WriteMode::Replace).unwrap();
        replace(folder.path(), "a.md", b"", WriteMode::Replace).unwrap();
        assert_eq!(
            (mode(".palimpsest"), mode(".palimpsest/snapshots/c"), mode(".palimpsest/book.json")),
            (0o700, 0o700, 0o600)
        );
        assert_eq!(mode("a.md"), mode("as-usual"));
    }
}
