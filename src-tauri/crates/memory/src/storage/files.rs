//! The memory's files on disk: what kind of file each may be, who may read it, and which file it is.
//!
//! Invariant: a file is created readable by its owner alone; an existing one is only ever made more private.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use crate::error::{Error, Result, log_failure};

/// Suffixes of files that SQLite may create beside a database.
pub(crate) const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Names in the data folder that belong to the memory or to the program. A folder with any other content is the user's
/// own, and keeps its mode.
const OURS: [&str; 9] = ["lock", "backups", "unsaved", "books", "logs", "web", "models", "audit", "config.toml"];
/// Prefixes of the names of all files with memory content: the databases with their side files, and a file during
/// import.
const MEMORY: [&str; 3] = ["rules.db", "episodes.db", "import."];

/// The path with `suffix` appended to its last part.
#[must_use]
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Device and inode. Constant on systems other than Unix, where an open file cannot be replaced.
#[must_use]
#[cfg_attr(not(unix), allow(unused_variables))]
pub(crate) fn identity(metadata: &Metadata) -> (u64, u64) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.dev(), metadata.ino())
    }
    #[cfg(not(unix))]
    {
        (0, 0)
    }
}

/// Refuses special files: opening a pipe waits for a writer, and reading a device or a kernel file may never end. A
/// missing path passes.
///
/// # Errors
/// `MEMORY_STORE_UNAVAILABLE` with the reason `notAFile`.
pub(crate) fn check_kind(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && !is_of_the_kernel(&metadata) => Ok(()),
        Ok(_) => Err(Error::not_a_file()),
        // A circular or dangling link fails when it is opened.
        Err(_) => Ok(()),
    }
}

/// [`check_kind`] for a database and all files that SQLite would open with it.
///
/// # Errors
/// As [`check_kind`].
pub(crate) fn check_kinds(path: &Path) -> Result<()> {
    check_kind(path)?;
    BESIDE.iter().try_for_each(|suffix| check_kind(&with_suffix(path, suffix)))
}

/// Whether a file is a pipe, device or similar: some of these block their reader and have no end.
fn is_of_the_kernel(metadata: &Metadata) -> bool {
    let device = |path: &str| fs::metadata(path).ok().map(|of| identity(&of).0);
    cfg!(target_os = "linux")
        && ["/proc", "/sys"].iter().any(|path| device(path).is_some_and(|device| device == identity(metadata).0))
}

/// Options that create a file only its owner can read.
#[must_use]
pub(crate) fn private() -> OpenOptions {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

/// Creates an empty file that only its owner can read, if it is missing. SQLite gives its log the mode of the file. Not
/// for an open file: closing a second descriptor would release SQLite's locks.
pub(crate) fn create_private(path: &Path) {
    // An error here also stops SQLite, which then reports it.
    private().write(true).create_new(true).open(path).ok();
}

/// Deletes a file that an interrupted operation may have left. A failure is logged, and the next operation of the kind
/// tries again.
pub(crate) fn remove_leftover(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        removed => log_failure("remove a left-over file", removed),
    }
}

/// Copies `from` to `to`, which must not exist, readable by its owner alone.
///
/// # Errors
/// Those of the disk.
pub(crate) fn copy_private(from: &Path, to: &Path) -> io::Result<()> {
    let mut target = private().write(true).create_new(true).open(to)?;
    io::copy(&mut File::open(from)?, &mut target)?;
    Ok(())
}

/// Removes all permissions except the owner's. Best effort: the file may belong to another user. On systems other than
/// Unix a file has the permissions of its folder.
#[cfg_attr(not(unix), allow(unused_variables))]
pub(crate) fn tighten(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Not through a link: its target may belong to another user.
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        let mode = metadata.permissions().mode() & 0o7777;
        if !metadata.file_type().is_symlink() && mode & 0o077 != 0 {
            let tightened = fs::set_permissions(path, fs::Permissions::from_mode(mode & !0o077));
            log_failure("remove permissions of others", tightened);
        }
    }
}

/// Creates a folder that only its owner can enter, with every folder above that is missing.
///
/// # Errors
/// Those of the disk.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.recursive(true).create(path)
}

/// Makes all files of the memory in its data folder private, and the folder itself if it contains nothing else.
pub(crate) fn tighten_folder(data_dir: &Path) {
    let names = || fs::read_dir(data_dir).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_memory = |name: &str| MEMORY.iter().any(|start| name.starts_with(start));
    for name in names() {
        let path = data_dir.join(&name);
        match name.to_str() {
            Some("lock") => tighten(&path),
            Some(name) if is_memory(name) => tighten(&path),
            Some("backups") => {
                tighten(&path);
                fs::read_dir(&path).into_iter().flatten().flatten().for_each(|entry| tighten(&entry.path()));
            }
            _ => {}
        }
    }
    let is_ours = |name: OsString| name.to_str().is_some_and(|name| OURS.contains(&name) || is_memory(name));
    if names().all(is_ours) {
        tighten(data_dir);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn loosen(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_that_holds_only_the_memory_is_closed_to_others_and_one_of_the_users_is_not() {
        for (other, folder_mode) in [(None, 0o700), (Some("taxes.ods"), 0o755)] {
            let folder = tempfile::tempdir().unwrap();
            loosen(folder.path(), 0o755);
            for name in ["lock", "rules.db", "rules.db-wal", "episodes.db.corrupt-7"].into_iter().chain(other) {
                fs::write(folder.path().join(name), "x").unwrap();
                loosen(&folder.path().join(name), 0o644);
            }
            tighten_folder(folder.path());
            assert_eq!(mode(folder.path()), folder_mode);
            for name in ["lock", "rules.db", "rules.db-wal", "episodes.db.corrupt-7"] {
                assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
            }
            if let Some(other) = other {
                assert_eq!(mode(&folder.path().join(other)), 0o644);
            }
        }
    }

    #[test]
    fn nothing_is_loosened_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (strict, target, link) =
            (folder.path().join("strict"), folder.path().join("target"), folder.path().join("link"));
        fs::write(&strict, "x").unwrap();
        fs::write(&target, "x").unwrap();
        loosen(&strict, 0o400);
        loosen(&target, 0o644);
        symlink(&target, &link).unwrap();
        tighten(&strict);
        tighten(&link);
        assert_eq!((mode(&strict), mode(&target)), (0o400, 0o644));
    }

    #[test]
    fn a_folder_a_device_and_a_file_of_the_kernel_are_no_files() {
        for path in ["/", "/dev/zero", "/proc/self/status"] {
            if Path::new(path).exists() {
                assert!(check_kind(Path::new(path)).is_err_and(|error| error.is_damage()), "{path}");
            }
        }
        assert!(check_kind(Path::new("/there/is/no/such/file")).is_ok());
    }
}
