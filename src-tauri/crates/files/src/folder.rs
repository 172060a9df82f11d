//! An open folder, and the way down from it.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, Metadata};

use crate::error::{Error, Result};
use crate::place::{Access, Place, is_abandoned, is_temporary};

/// An open folder. It stays the same folder when its path is renamed or replaced by a link.
#[derive(Debug)]
pub struct Folder(Dir);

/// Something in a folder.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name; may hold private words.
    pub name: OsString,
    /// What it is. A link is not followed.
    pub kind: EntryKind,
    /// The size of a file, in bytes; 0 when it cannot be read.
    pub bytes: u64,
}

/// What an [`Entry`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
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
    /// [`Error::Link`] when the path is a link; [`Error::Io`].
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

    /// The folder `inner` below this one, `/` between the steps; the empty string means this folder.
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

    /// The place of `file` below this folder, `/` between the steps. The folder around it is open from then on.
    ///
    /// # Errors
    /// [`Error::Link`] for a name that leads elsewhere; [`Error::Io`], of kind `NotFound` when the folder around it is missing.
    pub fn place(&self, file: &str) -> Result<Place> {
        let (around, name) = file.rsplit_once('/').unwrap_or(("", file));
        check_step(name)?;
        if around.is_empty() && file.contains('/') {
            return Err(Error::Link);
        }
        Ok(Place::new(self.folder(around)?, name.into()))
    }

    /// Makes the folder `inner`, one step below this one. Answers whether it was made now.
    ///
    /// # Errors
    /// [`Error::Link`] for a name that leads elsewhere or is a link; [`Error::NotAFile`] where a file has the name;
    /// [`Error::Io`].
    pub fn make_folder(&self, inner: &str, access: Access) -> Result<bool> {
        check_step(inner)?;
        let mut builder = DirBuilder::new();
        private_folder(&mut builder, access);
        match self.0.create_dir_with(inner, &builder) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let meta = self.0.symlink_metadata(inner)?;
                match kind_of(&meta) {
                    EntryKind::Folder => Ok(false),
                    EntryKind::Link => Err(Error::Link),
                    EntryKind::File | EntryKind::Other => Err(Error::NotAFile),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The entries of the folder, in no order. Entries that vanish meanwhile are left out.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be listed.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let mut found = Vec::new();
        for entry in self.0.entries()? {
            let entry = entry?;
            let Ok(meta) = entry.metadata() else { continue };
            let kind = kind_of(&meta);
            let bytes = if kind == EntryKind::File { meta.len() } else { 0 };
            found.push(Entry { name: entry.file_name(), kind, bytes });
        }
        Ok(found)
    }

    /// Waits until the names in the folder have reached the disk. Does nothing on systems that cannot be asked.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn flush(&self) -> Result<()> {
        if cfg!(unix) {
            self.0.open(".")?.sync_all()?;
        }
        Ok(())
    }

    /// Removes the temporary files of replacements that a crash interrupted, but not those of one that is under way.
    /// `of` limits it to replacements of one name. Failures are left for the next time.
    pub fn remove_leftovers(&self, of: Option<&str>) {
        for entry in self.entries().unwrap_or_default() {
            let is_ours = entry.name.to_str().is_some_and(|name| is_temporary(name, of));
            if is_ours && entry.kind == EntryKind::File && is_abandoned(&self.0, &entry.name) {
                let _ = self.0.remove_file(&entry.name);
            }
        }
    }
}

pub(crate) fn kind_of(meta: &Metadata) -> EntryKind {
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

/// Opens one step down, which is no link.
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

/// A single name that leads nowhere else on any system.
fn check_step(name: &str) -> Result<()> {
    let leads_elsewhere = matches!(name, "" | "." | "..") || name.contains(['/', '\\', '\0']);
    // A drive, or another stream of a file.
    let is_special = cfg!(windows) && name.contains(':');
    if leads_elsewhere || is_special { Err(Error::Link) } else { Ok(()) }
}

#[cfg(unix)]
fn private_folder(builder: &mut DirBuilder, access: Access) {
    use cap_std::fs::DirBuilderExt;
    if access == Access::OwnerOnly {
        builder.mode(0o700);
    }
}

#[cfg(not(unix))]
fn private_folder(_: &mut DirBuilder, _: Access) {}
