//! The lock on the data folder: one process at a time, also when the lock file is deleted or replaced.
//!
//! Two locks are held. Every version of the program checks the lock on the file `lock`; the lock on the folder itself
//! cannot be deleted. Neither is a lock of SQLite's, whose locks end when any descriptor of the same file is closed.

use std::{
    fs::{self, File, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Result},
    lock::Mutex,
    model::Reason,
    storage::files,
};

/// Holds the data folder for this process until it is dropped.
#[derive(Debug)]
pub(super) struct FolderLock {
    folder: Option<File>,
    path: PathBuf,
    /// `None` where the folder is not writable: then two processes cannot write at once either.
    file: Option<Mutex<File>>,
}

impl FolderLock {
    /// Creates the folder if needed, makes its contents private, and locks it.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` with the reason `inUse` where another process holds it, `notAFile` where the lock is
    /// a pipe, a device or a folder.
    pub(super) fn acquire(folder: &Path) -> Result<Self> {
        files::create_private_folder(folder).map_err(unusable)?;
        let path = folder.join("lock");
        files::check_kind(&path)?;
        let held = lock_of_folder(folder)?;
        let file = open(&path)?.map(locked).transpose()?.map(Mutex::leaf);
        files::tighten_folder(folder);
        Ok(Self { folder: held, path, file })
    }

    /// Whether the file under the lock's name is still the locked one; locks it again where it is not.
    ///
    /// # Errors
    /// `MEMORY_STORE_UNAVAILABLE` with the reason `lockLost` where another process has locked the present file: nothing
    /// may be written here any more.
    pub(super) fn ensure_held(&self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut file = file.lock();
        let there = fs::metadata(&self.path).ok().map(|metadata| files::identity(&metadata));
        let held = file.metadata().ok().map(|metadata| files::identity(&metadata));
        if there == held {
            return Ok(());
        }
        let lost =
            || Error::unavailable(Reason::LockLost, "the lock on the data folder is gone, and another process has it");
        files::check_kind(&self.path).map_err(|_| lost())?;
        let again = open(&self.path).and_then(|file| file.map(locked).transpose());
        *file = again.ok().flatten().ok_or_else(lost)?;
        Ok(())
    }
}

impl Drop for FolderLock {
    /// Unlocks instead of only closing: a program that another thread is just starting has copies of the descriptors
    /// until it runs, and a closed descriptor keeps its lock as long as it has a copy. The folder is unlocked before
    /// the file, so that a process that gets the file also gets the folder.
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            folder.unlock().ok();
        }
        if let Some(file) = &self.file {
            file.lock().unlock().ok();
        }
    }
}

/// `None` where the folder is not writable.
fn open(path: &Path) -> Result<Option<File>> {
    match files::private().create(true).truncate(false).write(true).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) => {
            Ok(File::open(path).ok())
        }
        Err(error) => Err(unusable(error)),
    }
}

fn locked(file: File) -> Result<File> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(in_use()),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// A lock on the folder itself; `None` where the system has none, as on Windows, where an open file keeps its name, and
/// on some network file systems.
fn lock_of_folder(folder: &Path) -> Result<Option<File>> {
    let Ok(folder) = File::open(folder) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(in_use()),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn in_use() -> Error {
    Error::unavailable(Reason::InUse, "the data folder cannot be used: another Palimpsest has it open")
}

fn unusable(error: io::Error) -> Error {
    Error::unavailable(Reason::FolderUnusable, format!("the data folder cannot be used: {}", error.kind()))
        .caused_by(error)
        .while_doing("lock the data folder")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_is_refused_also_after_the_lock_was_deleted_and_the_first_takes_it_again() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::acquire(folder.path()).unwrap();
        let refused = || FolderLock::acquire(folder.path()).map(drop).unwrap_err().details.unwrap().reason.unwrap();
        assert_eq!(refused(), Reason::InUse);
        fs::remove_file(folder.path().join("lock")).unwrap();
        assert_eq!(refused(), Reason::InUse);
        first.ensure_held().unwrap();
        assert!(File::open(folder.path().join("lock")).unwrap().try_lock().is_err(), "it is locked again");
        drop(first);
        FolderLock::acquire(folder.path()).unwrap();
    }

    #[test]
    fn a_folder_is_free_once_it_was_given_back_also_while_copies_of_its_descriptors_are_open() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::acquire(folder.path()).unwrap();
        let copies = [&*lock.file.as_ref().unwrap().lock(), lock.folder.as_ref().unwrap()].map(|file| file.try_clone());
        drop(lock);
        FolderLock::acquire(folder.path()).unwrap();
        drop(copies);
    }

    #[test]
    fn a_lock_that_another_process_has_taken_under_its_name_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::acquire(folder.path()).unwrap();
        let path = folder.path().join("lock");
        fs::remove_file(&path).unwrap();
        let other = open(&path).and_then(|file| locked(file.unwrap())).unwrap();
        let lost = lock.ensure_held().unwrap_err();
        assert_eq!(lost.reason(), Some(Reason::LockLost));
        drop(other);
        lock.ensure_held().unwrap();
    }
}
