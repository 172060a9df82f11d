//! The one check for every path that the writer names to be written.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::place::Place;

/// The folder inside a book that holds the files of this program.
const OWN_FOLDER: &str = ".palimpsest";
/// The file in it that makes a folder a book.
const ID_FILE: &str = "book.json";
/// A folder that has both is a memory, also one that no process has open.
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

/// The place of an export at `path`, after every check but that of what is there now ([`Place::begin`] looks at that). The
/// folder is open from then on, so that the place stays what was checked. What is there may be replaced.
///
/// Folders are compared by what they are, not by how they are written: links, `..`, upper and lower case, and mounts make
/// no difference. A folder with an id file is a book and one with both databases is a memory, also if neither is known here.
///
/// # Errors
/// [`Error::NoName`], [`Error::NoFolder`]; [`Error::InsideTheMemory`], [`Error::InsideTheBook`]; [`Error::Link`] when the folder
/// is replaced by a link meanwhile.
pub fn destination(path: &Path, protected: &Protected) -> Result<Place> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::NoName);
    };
    let real = folder.canonicalize().map_err(|_| Error::NoFolder)?;
    if !real.is_dir() {
        return Err(Error::NoFolder);
    }
    let open = Folder::open(&real).map_err(|error| if error.is_absence() { Error::NoFolder } else { error })?;
    // Between the two lines above another folder may have taken the name: then the checks below would be of that one.
    if !is_still_at(open.dir(), &real) {
        return Err(Error::NoFolder);
    }
    check_memory(&real, &protected.data_folder)?;
    check_book(&real, name, &protected.books)?;
    Ok(Place::new(open, name.to_owned()))
}

fn check_memory(folder: &Path, data_folder: &Path) -> Result<()> {
    let data = Identity::of(data_folder);
    // A folder of the memory may have a second path, for example by a mount: then the data folder is not above it.
    let inner: Vec<Identity> = folders_in(data_folder).iter().filter_map(|path| Identity::of(path)).collect();
    let is_data = |path: &Path| {
        let identity = Identity::of(path);
        identity.is_some() && (identity == data || identity.is_some_and(|identity| inner.contains(&identity)))
    };
    let is_memory = |path: &Path| DATABASES.iter().all(|name| path.join(name).is_file());
    if folder.ancestors().any(|path| is_data(path) || is_memory(path)) { Err(Error::InsideTheMemory) } else { Ok(()) }
}

fn check_book(folder: &Path, name: &OsStr, books: &[PathBuf]) -> Result<()> {
    let own_folders: Vec<Identity> = books.iter().filter_map(|book| Identity::of(&book.join(OWN_FOLDER))).collect();
    let is_own_folder = |path: &Path| {
        path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(OWN_FOLDER))
            || (!own_folders.is_empty() && Identity::of(path).is_some_and(|identity| own_folders.contains(&identity)))
    };
    if folder.ancestors().any(is_own_folder) {
        return Err(Error::InsideTheBook);
    }
    let roots: Vec<Identity> = books.iter().filter_map(|book| Identity::of(book)).collect();
    let is_book = |path: &Path| {
        path.join(OWN_FOLDER).join(ID_FILE).symlink_metadata().is_ok()
            || Identity::of(path).is_some_and(|identity| roots.contains(&identity))
    };
    let name = name.to_string_lossy();
    // Some systems leave dots and blanks off the end of a name.
    let name = if cfg!(windows) { name.trim_end_matches(['.', ' ']) } else { &name };
    // A file of this name would keep the book's own folder from being made, or be removed as a leftover.
    let is_own_name = name.get(..OWN_FOLDER.len()).is_some_and(|start| start.eq_ignore_ascii_case(OWN_FOLDER));
    let is_in_book = [Some(folder), folder.parent()].into_iter().flatten().any(is_book);
    if is_in_book && (is_chapter_name(name) || is_own_name) { Err(Error::InsideTheBook) } else { Ok(()) }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect()
}

/// What tells a folder from every other one: its number in its file system.
#[cfg(unix)]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity(u64, u64);

#[cfg(unix)]
impl Identity {
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|meta| Self(meta.dev(), meta.ino()))
    }
}

#[cfg(unix)]
fn is_still_at(dir: &Dir, path: &Path) -> bool {
    use cap_std::fs::MetadataExt;
    let open = dir.dir_metadata().ok().map(|meta| Identity(meta.dev(), meta.ino()));
    open.is_some() && open == Identity::of(path)
}

/// What tells a folder from every other one: its path as the system itself writes it.
#[cfg(not(unix))]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity(PathBuf);

#[cfg(not(unix))]
impl Identity {
    fn of(path: &Path) -> Option<Self> {
        path.canonicalize().ok().map(Self)
    }
}

/// An open folder cannot be renamed on the systems that this is for.
#[cfg(not(unix))]
fn is_still_at(_: &Dir, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests;
