//! One file in an open folder: read, replaced as a whole, renamed, removed.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read, Write};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use crate::error::{Error, Result};
use crate::folder::{EntryKind, Folder, entry_kind};

/// Temporary files are named `.palimpsest-….tmp`: hidden, and never a chapter.
const TEMP_PREFIX: &str = ".palimpsest-";
const TEMP_SUFFIX: &str = ".tmp";
/// The most further temporary names that are tried when one exists.
const MAX_NAME_RETRIES: usize = 8;

/// Permissions of a new file or folder. A replaced file keeps its permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The system's default for new files (the umask).
    Usual,
    /// The owner alone: 0600, a folder 0700.
    OwnerOnly,
}

/// Whether a replacement waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Content and name are on disk on return.
    Flushed,
    /// Content is on disk on return; the caller flushes the folder, once for many files.
    ContentFlushed,
    /// Not flushed: the file can be computed again.
    Derived,
}

/// Treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is replaced.
    Replace,
    /// It stays, and the new one is refused.
    Keep,
}

/// The location of a file: a name in an open folder. It stays in this folder if the path of the folder is replaced.
#[derive(Debug)]
pub struct FileLocation {
    folder: Folder,
    name: OsString,
}

impl FileLocation {
    pub(crate) fn new(folder: Folder, name: OsString) -> Self {
        Self { folder, name }
    }

    fn dir(&self) -> &Dir {
        self.folder.dir()
    }

    /// The folder that contains it.
    #[must_use]
    pub fn parent(&self) -> &Folder {
        &self.folder
    }

    /// The kind of the entry; `None` if there is none. A link is not followed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn kind(&self) -> Result<Option<EntryKind>> {
        Ok(self.metadata()?.map(|meta| entry_kind(&meta)))
    }

    fn metadata(&self) -> Result<Option<Metadata>> {
        match self.dir().symlink_metadata(&self.name) {
            Ok(meta) => Ok(Some(meta)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The metadata of the regular file; `None` if there is no entry.
    fn file_metadata(&self) -> Result<Option<Metadata>> {
        let Some(meta) = self.metadata()? else { return Ok(None) };
        match entry_kind(&meta) {
            EntryKind::File => Ok(Some(meta)),
            EntryKind::Link => Err(Error::Link),
            EntryKind::Folder | EntryKind::Other => Err(Error::NotAFile),
        }
    }

    /// Opens the regular file for reading; `None` if there is no entry.
    ///
    /// # Errors
    /// [`Error::Link`], [`Error::NotAFile`], [`Error::Io`].
    pub fn open(&self) -> Result<Option<std::fs::File>> {
        // Checked before opening, since opening a device can have effects, and after, since it can be another file by
        // then.
        if self.file_metadata()?.is_none() {
            return Ok(None);
        }
        match open_file(self.dir(), &self.name) {
            Ok(file) if file.metadata()?.is_file() => Ok(Some(file.into_std())),
            Ok(_) => Err(Error::NotAFile),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // A link created in between is refused by the system, with a code that depends on the system.
            Err(error) => match self.file_metadata() {
                Ok(_) => Err(error.into()),
                Err(error) => Err(error),
            },
        }
    }

    /// Reads the file, at most `max` bytes; `None` if there is no entry.
    ///
    /// # Errors
    /// [`Error::TooLarge`], and those of [`FileLocation::open`].
    pub fn read(&self, max: u64) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.open()? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > max { Err(Error::TooLarge) } else { Ok(Some(bytes)) }
    }

    /// Replaces the file by `bytes`, as a whole or not at all.
    ///
    /// # Errors
    /// Those of [`FileLocation::begin`] and [`Replacement::finish`].
    pub fn replace(&self, bytes: &[u8], existing: Existing, access: Access, durability: Durability) -> Result<()> {
        let mut replacement = self.begin(access)?;
        replacement.write_all(bytes)?;
        replacement.finish(existing, durability)
    }

    /// Begins to replace the file: all bytes go to a temporary file in the same folder until it is finished. The new
    /// file gets the permissions of the old one, and its owner and group if the system allows it.
    ///
    /// # Errors
    /// [`Error::Link`], [`Error::NotAFile`] for the existing entry; [`Error::Io`], of kind `PermissionDenied` also for
    /// a file that is read-only: a rename would bypass the write protection.
    pub fn begin(&self, access: Access) -> Result<Replacement<'_>> {
        let old = self.file_metadata()?;
        if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        if old.is_some() || access == Access::OwnerOnly {
            owner_only(&mut options);
        }
        let target = name_hash(&self.name);
        let mut tried = 0;
        let (temp, file) = loop {
            let temp = format!("{TEMP_PREFIX}{target:016x}-{:016x}{TEMP_SUFFIX}", random());
            match self.dir().open_with(&temp, &options) {
                Ok(file) => break (temp, file.into_std()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < MAX_NAME_RETRIES => tried += 1,
                Err(error) => return Err(error.into()),
            }
        };
        // The lock marks the file as in use; on a file system without locks it is not marked.
        file.try_lock().ok();
        let replacement = Replacement { location: self, temp, file: Some(file) };
        if let (Some(old), Some(file)) = (old, &replacement.file) {
            copy_access(file, &old)?;
        }
        Ok(replacement)
    }

    /// Removes the file, or the link itself. Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn remove(&self) -> Result<bool> {
        match self.dir().remove_file(&self.name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Renames the file or folder to another location, replacing a file there.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn rename(&self, to: &Self) -> Result<()> {
        Ok(self.dir().rename(&self.name, to.dir(), &to.name)?)
    }

    /// Creates a file for writing. An existing file is refused, so that the new one has no content of another program.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Io`].
    pub fn create(&self, access: Access) -> Result<std::fs::File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        if access == Access::OwnerOnly {
            owner_only(&mut options);
        }
        match self.dir().open_with(&self.name, &options) {
            Ok(file) => Ok(file.into_std()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Error::Exists),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the file for appending, and creates it if it is missing.
    ///
    /// # Errors
    /// [`Error::Link`], [`Error::NotAFile`], [`Error::Io`].
    pub fn append(&self, access: Access) -> Result<std::fs::File> {
        self.file_metadata()?;
        let mut options = OpenOptions::new();
        options.append(true).create(true).follow(FollowSymlinks::No).nonblock(true);
        if access == Access::OwnerOnly {
            owner_only(&mut options);
        }
        let file = self.dir().open_with(&self.name, &options)?.into_std();
        if file.metadata()?.is_file() { Ok(file) } else { Err(Error::NotAFile) }
    }

    /// The size of the regular file in bytes; `None` if there is no entry.
    ///
    /// # Errors
    /// [`Error::Link`], [`Error::NotAFile`], [`Error::Io`].
    pub fn size(&self) -> Result<Option<u64>> {
        Ok(self.file_metadata()?.map(|meta| meta.len()))
    }

    /// Removes the temporary files of interrupted replacements of this file.
    pub fn remove_leftovers(&self) {
        self.folder.remove_leftovers(Some(&format!("{:016x}", name_hash(&self.name))));
    }
}

/// A file that is being written and replaces another one when it is finished. Dropped before, it removes its temporary
/// file.
#[derive(Debug)]
pub struct Replacement<'a> {
    location: &'a FileLocation,
    temp: String,
    file: Option<std::fs::File>,
}

impl Replacement<'_> {
    /// Renames the temporary file to its final name.
    ///
    /// # Errors
    /// [`Error::Exists`] for an existing file that must stay; [`Error::Io`]. The old file is then unchanged, unless
    /// only the flush of the folder failed.
    pub fn finish(mut self, existing: Existing, durability: Durability) -> Result<()> {
        let file = self.file.take();
        if let Some(file) = file.as_ref().filter(|_| durability != Durability::Derived) {
            file.sync_all()?;
        }
        // Some systems cannot rename an open file.
        drop(file);
        let (dir, name) = (self.location.dir(), &self.location.name);
        match existing {
            Existing::Replace => dir.rename(&self.temp, dir, name)?,
            // Unlike a rename, a hard link never replaces a file created meanwhile. Dropping `self` removes a temporary
            // name that remains.
            Existing::Keep => match dir.hard_link(&self.temp, dir, name) {
                Ok(()) => dir.remove_file(&self.temp)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(Error::Exists),
                // A file system without hard links.
                Err(_) if self.location.metadata()?.is_none() => dir.rename(&self.temp, dir, name)?,
                Err(error) => return Err(error.into()),
            },
        }
        self.temp.clear();
        if durability == Durability::Flushed { self.location.folder.flush() } else { Ok(()) }
    }
}

impl Write for Replacement<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Replacement<'_> {
    fn drop(&mut self) {
        self.file = None;
        if !self.temp.is_empty() {
            // A file that stays is removed with the leftovers of interrupted replacements.
            self.location.dir().remove_file(&self.temp).ok();
        }
    }
}

/// Opens for reading without following a link and without waiting for the other end of a pipe.
fn open_file(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    dir.open_with(name, &options)
}

/// Whether a name is that of a temporary file; `of` limits it to the replacement of one name.
pub(crate) fn is_temporary(name: &str, of: Option<&str>) -> bool {
    let middle = name.strip_prefix(TEMP_PREFIX).and_then(|rest| rest.strip_suffix(TEMP_SUFFIX));
    middle.is_some_and(|middle| of.is_none_or(|of| middle.starts_with(of)))
}

/// Whether the writer of a temporary file has ended: a running one holds a lock on it.
pub(crate) fn is_abandoned(dir: &Dir, name: &OsStr) -> bool {
    match open_file(dir, name) {
        Ok(file) => !matches!(file.into_std().try_lock(), Err(std::fs::TryLockError::WouldBlock)),
        Err(_) => false,
    }
}

/// A hash that is stable between runs (FNV-1a), so that the next replacement finds the files that a crash left.
fn name_hash(name: &OsStr) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    name.as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A number that other processes cannot guess: the keys of the standard hasher come from the system.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(unix)]
fn owner_only(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn owner_only(_: &mut OpenOptions) {}

#[cfg(unix)]
fn copy_access(file: &std::fs::File, old: &Metadata) -> io::Result<()> {
    use cap_std::fs::MetadataExt as _;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o777;
    // An owner may assign a group they belong to; only root may assign another owner.
    if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
        // The permissions of the old group must not apply to another one.
        mode &= !0o070;
    }
    if new.uid() != old.uid() {
        fchown(file, Some(old.uid()), None).ok();
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn copy_access(_: &std::fs::File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
