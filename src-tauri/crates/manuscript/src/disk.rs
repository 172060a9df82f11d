//! The folder of a book: which files are chapters, and how a file is read and replaced safely.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::names::{is_chapter_name, reading_order};
use crate::text::content_hash;

/// The largest file that is taken for a chapter, in bytes (a long novel as a whole is about 5 MB).
pub const MAX_CHAPTER_BYTES: u64 = 16 * 1024 * 1024;

/// Temporary files are named `.palimpsest-….tmp`: hidden, and never taken for a chapter.
const TEMP_PREFIX: &str = ".palimpsest-";
const TEMP_SUFFIX: &str = ".tmp";

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
    let mut listing = Listing::default();
    walk(root, "", &mut listing)?;
    for part in listing.parts.clone() {
        if let Err(error) = walk(root, &part, &mut listing) {
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

fn walk(root: &Path, part: &str, listing: &mut Listing) -> Result<()> {
    let folder = root.join(part);
    for entry in fs::read_dir(&folder).map_err(|e| Error::io(part, &e))? {
        let entry = entry.map_err(|e| Error::io(part, &e))?;
        let raw_name = entry.file_name();
        let name = raw_name.to_string_lossy();
        let file = if part.is_empty() { name.to_string() } else { format!("{part}/{name}") };
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let chapter = is_chapter_name(&name);
        let folder_of_part = part.is_empty() && !name.starts_with('.') && (kind.is_dir() || kind.is_symlink());
        if !chapter && !folder_of_part {
            continue;
        }
        let skip = |reason| Skipped { file: file.clone(), reason };
        if raw_name.to_str().is_none() {
            listing.skipped.push(skip(SkipReason::NameNotUnicode));
        } else if kind.is_symlink() {
            if let Some(reason) = judge_link(root, &entry.path(), chapter) {
                listing.skipped.push(skip(reason));
            }
        } else if kind.is_dir() {
            if part.is_empty() {
                listing.parts.push(file);
            }
        } else if !kind.is_file() {
            listing.skipped.push(skip(SkipReason::NotAFile));
        } else if entry.metadata().is_ok_and(|meta| meta.len() > MAX_CHAPTER_BYTES) {
            listing.skipped.push(skip(SkipReason::TooLarge));
        } else {
            listing.files.push(file);
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

/// The place of `file` under `root`. Refuses what could lead anywhere else: absolute paths, `..`, and symbolic links
/// at any step below the root.
pub(crate) fn place(root: &Path, file: &str) -> Result<PathBuf> {
    let mut path = root.to_path_buf();
    for part in file.split('/') {
        if part.is_empty() || part == "." || part == ".." || part.contains(['\\', '\0']) {
            return Err(Error::Link { file: file.to_owned() });
        }
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.file_type().is_symlink() => {
                return Err(Error::Link { file: file.to_owned() });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(file, &error)),
        }
    }
    Ok(path)
}

/// The bytes of a file, `None` when there is none.
pub(crate) fn read(root: &Path, file: &str) -> Result<Option<Vec<u8>>> {
    if file.is_empty() {
        return Ok(None);
    }
    let path = place(root, file)?;
    let meta = match fs::metadata(&path) {
        Ok(meta) => meta,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(Error::io(file, &error)),
    };
    // Opening a pipe would wait for ever.
    if !meta.is_file() {
        return Err(Error::io(file, &io::ErrorKind::InvalidInput.into()));
    }
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|opened| opened.take(MAX_CHAPTER_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > MAX_CHAPTER_BYTES => Err(Error::TooLarge { file: file.to_owned() }),
        Ok(_) => Ok(Some(bytes)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(Error::io(file, &error)),
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
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
    /// The same, for a file that can be made anew: it need not have reached the disk on return.
    Derived,
    /// Nothing: a file that is there stays.
    Absent,
}

/// Puts `bytes` in the place of `file`, as a whole or not at all: written to a temporary file in the same folder,
/// flushed to the disk, renamed, and the folder flushed. Keeps the permissions (and, where allowed, the owner) of the
/// file it replaces; a read-only file is refused. Hard links to it keep the old content.
pub(crate) fn replace(root: &Path, file: &str, bytes: &[u8], target: Target) -> Result<()> {
    let path = place(root, file)?;
    let folder = path.parent().unwrap_or(root).to_path_buf();
    // One save at a time has this name: `Book` is written through `&mut`.
    let temp = folder.join(format!("{TEMP_PREFIX}{}{TEMP_SUFFIX}", &blake3::hash(file.as_bytes()).to_hex()[..16]));
    let lasting = target != Target::Derived;
    let result = fill(&temp, &path, bytes, lasting)
        .and_then(|()| match target {
            Target::Any | Target::Derived => fs::rename(&temp, &path),
            // Unlike a rename, a link never replaces what came there meanwhile.
            Target::Absent => match fs::hard_link(&temp, &path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
                Ok(()) => fs::remove_file(&temp),
                // A file system without hard links.
                Err(_) if !path.exists() => fs::rename(&temp, &path),
                Err(error) => Err(error),
            },
        })
        .and_then(|()| if lasting { flush_folder(&folder) } else { Ok(()) });
    result.map_err(|error| {
        let _ = fs::remove_file(&temp);
        match error.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { file: file.to_owned() },
            _ => Error::io(file, &error),
        }
    })
}

pub(crate) fn fill(temp: &Path, path: &Path, bytes: &[u8], lasting: bool) -> io::Result<()> {
    match fs::remove_file(temp) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::options().write(true).create_new(true).open(temp)?;
    if let Ok(old) = fs::metadata(path) {
        if !old.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // A rename would get past the lock that the writer put on the file.
        if old.permissions().readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        keep_owner(&file, &old);
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    if lasting { file.sync_all() } else { Ok(()) }
}

#[cfg(unix)]
fn keep_owner(file: &File, old: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only root may give a file away; for everybody else it is already theirs or cannot be helped.
    if file.metadata().is_ok_and(|new| (new.uid(), new.gid()) != (old.uid(), old.gid())) {
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

/// After a rename the folder itself must reach the disk, or the old name is back after a power cut.
pub(crate) fn flush_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The same for a folder of the book at `root`, after something in it came or went; empty means the book's own.
pub(crate) fn flush(root: &Path, folder: &str) -> Result<()> {
    let path = if folder.is_empty() { root.to_path_buf() } else { place(root, folder)? };
    flush_folder(&path).map_err(|e| Error::io(folder, &e))
}

/// Removes what an interrupted save left in the given folders. Failures wait for the next time.
pub(crate) fn remove_leftovers<'a>(root: &Path, parts: impl Iterator<Item = &'a str>) {
    for part in parts {
        let Ok(entries) = fs::read_dir(root.join(part)) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let ours = name.to_str().is_some_and(|name| name.starts_with(TEMP_PREFIX) && name.ends_with(TEMP_SUFFIX));
            if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_book() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["../x.md", "/etc/passwd", "a/../../x.md", "a//x.md", "", ".", "a\\..\\x.md", "x\0.md"] {
            assert!(matches!(place(folder.path(), name), Err(Error::Link { .. })), "{name:?}");
        }
        assert!(place(folder.path(), "第一部/第二章.md").is_ok());
    }

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
}
