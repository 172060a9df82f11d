//! The check of every path that the writer chooses for an export.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::location::FileLocation;

/// The folder inside a book that holds the files of this program.
const OWN_FOLDER: &str = ".palimpsest";
/// The file in it that marks a folder as a book.
const ID_FILE: &str = "book.json";
/// A folder with both files is a memory, also one that no process has open.
const DATABASES: [&str; 2] = ["rules.db", "episodes.db"];

/// Folders that no export may write into.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    /// The data folder of the memory: nothing is written into it or below it.
    pub data_folder: PathBuf,
    /// The folders of all known books: no chapter and none of a book's own files is written.
    pub books: Vec<PathBuf>,
}

/// Whether a file of this name in a book is a chapter: `*.md`, not hidden.
#[must_use]
pub fn is_chapter_name(name: &str) -> bool {
    !name.starts_with('.')
        && name.len() > ".md".len()
        && name.get(name.len() - ".md".len()..).is_some_and(|end| end.eq_ignore_ascii_case(".md"))
}

/// Checks the path of an export and returns its location. [`FileLocation::begin`] checks the file that exists there.
/// The folder stays open, so that the location cannot be exchanged after the check. An existing file may be replaced.
///
/// Folders are compared by identity, not by path: links, `..`, upper and lower case, and mounts make no difference. A
/// folder with an id file is a book and one with both databases is a memory, also if `protected` does not list them.
///
/// # Errors
/// [`Error::NoName`], [`Error::NoFolder`]; [`Error::InsideTheMemory`], [`Error::InsideTheBook`]; [`Error::Link`] if the
/// folder is replaced by a link meanwhile.
pub fn check_destination(path: &Path, protected: &Protected) -> Result<FileLocation> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::NoName);
    };
    let real = folder.canonicalize().map_err(|_| Error::NoFolder)?;
    if !real.is_dir() {
        return Err(Error::NoFolder);
    }
    let open = Folder::open(&real).map_err(|error| if error.is_absence() { Error::NoFolder } else { error })?;
    // Another folder may have got the name between the two calls above: the checks below would be for that one.
    if !is_still_at(open.dir(), &real) {
        return Err(Error::NoFolder);
    }
    check_memory(&real, &protected.data_folder)?;
    check_book(&real, name, &protected.books)?;
    Ok(FileLocation::new(open, name.to_owned()))
}

fn check_memory(folder: &Path, data_folder: &Path) -> Result<()> {
    let data = Identity::read(data_folder);
    // A folder of the memory may have a second path, for example by a mount: then the data folder is not above it.
    let inner: Vec<Identity> = folders_in(data_folder).iter().filter_map(|path| Identity::read(path)).collect();
    let is_data = |path: &Path| {
        let identity = Identity::read(path);
        identity.is_some() && (identity == data || identity.is_some_and(|identity| inner.contains(&identity)))
    };
    let is_memory = |path: &Path| DATABASES.iter().all(|name| path.join(name).is_file());
    if folder.ancestors().any(|path| is_data(path) || is_memory(path)) { Err(Error::InsideTheMemory) } else { Ok(()) }
}

fn check_book(folder: &Path, name: &OsStr, books: &[PathBuf]) -> Result<()> {
    let own_folders: Vec<Identity> = books.iter().filter_map(|book| Identity::read(&book.join(OWN_FOLDER))).collect();
    let is_own_folder = |path: &Path| {
        path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(OWN_FOLDER))
            || (!own_folders.is_empty() && Identity::read(path).is_some_and(|identity| own_folders.contains(&identity)))
    };
    if folder.ancestors().any(is_own_folder) {
        return Err(Error::InsideTheBook);
    }
    let roots: Vec<Identity> = books.iter().filter_map(|book| Identity::read(book)).collect();
    let is_book = |path: &Path| {
        path.join(OWN_FOLDER).join(ID_FILE).symlink_metadata().is_ok()
            || Identity::read(path).is_some_and(|identity| roots.contains(&identity))
    };
    let name = name.to_string_lossy();
    // Some systems strip dots and blanks from the end of a name.
    let name = if cfg!(windows) { name.trim_end_matches(['.', ' ']) } else { &name };
    // A file of this name would prevent the book's own folder from being created, or be removed as a leftover.
    let is_own_name = name.get(..OWN_FOLDER.len()).is_some_and(|start| start.eq_ignore_ascii_case(OWN_FOLDER));
    let is_in_book = [Some(folder), folder.parent()].into_iter().flatten().any(is_book);
    if is_in_book && (is_chapter_name(name) || is_own_name) { Err(Error::InsideTheBook) } else { Ok(()) }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

/// The identity of a folder: device and inode.
#[cfg(unix)]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity(u64, u64);

#[cfg(unix)]
impl Identity {
    fn read(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|meta| Self(meta.dev(), meta.ino()))
    }
}

#[cfg(unix)]
fn is_still_at(dir: &Dir, path: &Path) -> bool {
    use cap_std::fs::MetadataExt;
    let open = dir.dir_metadata().ok().map(|meta| Identity(meta.dev(), meta.ino()));
    open.is_some() && open == Identity::read(path)
}

/// The identity of a folder: its canonical path.
#[cfg(not(unix))]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity(PathBuf);

#[cfg(not(unix))]
impl Identity {
    fn read(path: &Path) -> Option<Self> {
        path.canonicalize().ok().map(Self)
    }
}

/// Always true: an open folder cannot be renamed on these systems.
#[cfg(not(unix))]
fn is_still_at(_: &Dir, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests;
