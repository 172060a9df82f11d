//! A file that the writer chooses for an import.

use std::io::{self, Read, Take};
use std::path::Path;

use cap_fs_ext::{OpenOptions, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::File;

use crate::error::{Error, Result};

/// An open regular file. At most its size on opening is read, so that a growing file, or a system file without size and
/// end, is not read forever.
#[derive(Debug)]
pub struct Source {
    file: Take<std::fs::File>,
    size: u64,
}

impl Source {
    /// Opens the file at `path`, which may lie anywhere and contain links, as the writer chose it.
    ///
    /// # Errors
    /// [`Error::NotAFile`] for a folder, device, pipe or socket, without waiting for it; [`Error::TooLarge`] above
    /// `max` bytes; [`Error::Io`].
    pub fn open(path: &Path, max: u64) -> Result<Self> {
        // Checked before opening, since opening a device can have effects, and after, since it can be another file by
        // then.
        if !std::fs::metadata(path)?.is_file() {
            return Err(Error::NotAFile);
        }
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true);
        let file = File::open_ambient_with(path, &options, ambient_authority())?.into_std();
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(Error::NotAFile);
        }
        let size = about.len();
        if size > max { Err(Error::TooLarge) } else { Ok(Self { file: file.take(size), size }) }
    }

    /// Its size when it was opened, in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_that_grows_ends_where_it_ended_when_it_was_opened() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        fs::write(&path, "before").unwrap();
        let mut source = Source::open(&path, 6).unwrap();
        fs::File::options().append(true).open(&path).unwrap().write_all(b" and after").unwrap();
        let mut read = String::new();
        source.read_to_string(&mut read).unwrap();
        assert_eq!((read.as_str(), source.size()), ("before", 6));
        assert!(matches!(Source::open(&path, 6), Err(Error::TooLarge)));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_regular_file_is_refused_without_waiting() {
        let root = tempfile::tempdir().unwrap();
        let pipe = root.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), root.path(), Path::new("/dev/null"), Path::new("/dev/tty")] {
            assert!(matches!(Source::open(path, 9), Err(Error::NotAFile)), "{}", path.display());
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_of_the_system_without_a_size_is_empty() {
        for path in ["/proc/version", "/proc/kmsg"] {
            let Ok(mut source) = Source::open(Path::new(path), 9) else { continue };
            let mut read = Vec::new();
            source.read_to_end(&mut read).unwrap();
            assert_eq!(read, b"", "{path}");
        }
    }
}
