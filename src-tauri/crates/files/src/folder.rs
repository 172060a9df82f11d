//! An open folder, and access to the files and folders below it.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, Metadata};

use crate::error::{Error, Result};
use crate::location::{Access, FileLocation, is_abandoned, is_temporary};

/// An open folder. It stays the same folder when its path is renamed or replaced by a link.
#[derive(Debug)]
pub struct Folder(Dir);

/// An entry of a folder.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name; may contain private words.
    pub name: OsString,
    /// Its kind. A link is not followed.
    pub kind: EntryKind,
    /// The size of a file in bytes; 0 for other kinds.
    pub bytes: u64,
}

/// The kind of an [`Entry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory, not followed if it is a link.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, pipe or socket.
    Other,
}

impl Folder {
    /// Opens the folder at `path`. Links above its last step are followed, the last step is not.
    ///
    /// # Errors
    /// [`Error::Link`] if the path is a link; [`Error::Io`].
    pub fn open(path: &Path) -> Result<Self> {
        match (path.parent(), path.file_name()) {
            (Some(above), Some(name)) if !above.as_os_str().is_empty() => {
                step(&Dir::open_ambient_dir(above, ambient_authority())?, Path::new(name)).map(Self)
            }
            // The root of the file system, or a path relative to the working folder.
            _ => Ok(Self(Dir::open_ambient_dir(path, ambient_authority())?)),
        }
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.0
    }

    /// Opens the folder `inner` below this one, `/` between the steps; the empty string means this folder.
    ///
    /// # Errors
    /// [`Error::Link`] for a name that leads elsewhere; [`Error::Io`].
    pub fn folder(&self, inner: &str) -> Result<Self> {
        let mut dir = self.0.try_clone()?;
        for name in steps(inner)? {
            dir = step(&dir, Path::new(name))?;
        }
        Ok(Self(dir))
    }

    /// The location of `file` below this folder, `/` between the steps. Its parent folder stays open.
    ///
    /// # Errors
    /// [`Error::Link`] for a name that leads elsewhere; [`Error::Io`], of kind `NotFound` if its parent folder is
    /// missing.
    pub fn file(&self, file: &str) -> Result<FileLocation> {
        let (around, name) = file.rsplit_once('/').unwrap_or(("", file));
        check_step(name)?;
        if around.is_empty() && file.contains('/') {
            return Err(Error::Link);
        }
        Ok(FileLocation::new(self.folder(around)?, name.into()))
    }

    /// Creates the folder `inner`, one step below this one. Returns `false` if it exists already.
    ///
    /// # Errors
    /// [`Error::Link`] for a name that leads elsewhere or is a link; [`Error::NotAFile`] if a file has the name;
    /// [`Error::Io`].
    pub fn make_folder(&self, inner: &str, access: Access) -> Result<bool> {
        check_step(inner)?;
        let mut builder = DirBuilder::new();
        set_private_mode(&mut builder, access);
        match self.0.create_dir_with(inner, &builder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let meta = self.0.symlink_metadata(inner)?;
                match entry_kind(&meta) {
                    EntryKind::Folder => Ok(false),
                    EntryKind::Link => Err(Error::Link),
                    EntryKind::File | EntryKind::Other => Err(Error::NotAFile),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The entries of the folder, in no order. Entries removed meanwhile are skipped.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder cannot be listed.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let mut found = Vec::new();
        for entry in self.0.entries()? {
            let entry = entry?;
            let Ok(meta) = entry.metadata() else { continue };
            let kind = entry_kind(&meta);
            let bytes = if kind == EntryKind::File { meta.len() } else { 0 };
            found.push(Entry { name: entry.file_name(), kind, bytes });
        }
        Ok(found)
    }

    /// Flushes the names in the folder to disk. Does nothing on systems without such a call.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn flush(&self) -> Result<()> {
        if cfg!(unix) {
            self.0.open(".")?.sync_all()?;
        }
        Ok(())
    }

    /// Removes the temporary files of replacements that a crash interrupted, but not those of a running one. `of`
    /// limits it to replacements of one name. Failures are ignored: the next call tries again.
    pub fn remove_leftovers(&self, of: Option<&str>) {
        for entry in self.entries().unwrap_or_default() {
            let is_ours = entry.name.to_str().is_some_and(|name| is_temporary(name, of));
            if is_ours && entry.kind == EntryKind::File && is_abandoned(&self.0, &entry.name) {
                self.0.remove_file(&entry.name).ok();
            }
        }
    }
}

pub(crate) fn entry_kind(meta: &Metadata) -> EntryKind {
    if meta.is_symlink() {
        EntryKind::Link
    } else if meta.is_dir() {
        EntryKind::Folder
    } else if meta.is_file() {
        EntryKind::File
    } else {
        EntryKind::Other
    }
}

/// Opens a folder one step down; refuses a link.
pub(crate) fn step(dir: &Dir, name: &Path) -> Result<Dir> {
    dir.open_dir_nofollow(name).map_err(|error| match dir.symlink_metadata(name) {
        Ok(meta) if meta.is_symlink() => Error::Link,
        _ => Error::Io(error),
    })
}

fn steps(path: &str) -> Result<Vec<&str>> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = path.split('/').collect();
    names.iter().try_for_each(|name| check_step(name))?;
    Ok(names)
}

/// Checks that a name is a single step on every system.
fn check_step(name: &str) -> Result<()> {
    let leads_elsewhere = matches!(name, "" | "." | "..") || name.contains(['/', '\\', '\0']);
    // A drive, or another stream of a file.
    let is_special = cfg!(windows) && name.contains(':');
    if leads_elsewhere || is_special { Err(Error::Link) } else { Ok(()) }
}

#[cfg(unix)]
fn set_private_mode(builder: &mut DirBuilder, access: Access) {
    use cap_std::fs::DirBuilderExt;
    if access == Access::OwnerOnly {
        builder.mode(0o700);
    }
}

#[cfg(not(unix))]
fn set_private_mode(_: &mut DirBuilder, _: Access) {}
