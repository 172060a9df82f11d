//! The log: operations with their codes, durations, ids and counts.
//!
//! Invariant: no text, name, title, path or key of the writer's is ever a field of an event. Only events of this
//! program's crates are written; a library may log addresses and headers.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    str::FromStr,
    sync::Mutex,
};

use palimpsest_files::{Access, Folder};
use tracing::{Level, level_filters::LevelFilter};
use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt};

/// The folder of the log in the data folder.
const FOLDER: &str = "logs";
const FILE: &str = "palimpsest.log";
const OLDER: &str = "palimpsest.old.log";
/// The largest log file, in bytes. A larger one replaces the older file and an empty one is begun.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The detail of the log; each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// Defects and errors that the program cannot resolve itself.
    Error,
    /// Refused commands, failed background work and its retries, parts that do not serve.
    Warn,
    /// Starts, recovered parts, jobs and runs with their numbers.
    Info,
    /// Every command with its duration.
    Debug,
}

impl FromStr for LogLevel {
    type Err = String;

    fn from_str(level: &str) -> Result<Self, String> {
        match level {
            "error" => Ok(Self::Error),
            "warn" => Ok(Self::Warn),
            "info" => Ok(Self::Info),
            "debug" => Ok(Self::Debug),
            _ => Err("the level of the log is error, warn, info or debug".to_owned()),
        }
    }
}

/// Writes the log of this process to `out`, one line an event. The first call applies to the whole process; later calls
/// have no effect.
pub fn write_log(level: LogLevel, out: impl Write + Send + 'static) {
    let level = match level {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
    };
    let lines = fmt::layer().with_ansi(false).with_target(false).with_writer(Mutex::new(out));
    let own = Targets::new().with_default(LevelFilter::OFF).with_target("palimpsest", level);
    if tracing::subscriber::set_global_default(tracing_subscriber::registry().with(own).with(lines)).is_err() {
        tracing::debug!("the log is already written elsewhere");
    }
}

/// `logs/palimpsest.log` in a data folder, readable by its owner alone. At most two files of 1 MiB are kept.
pub struct LogFile {
    folder: Folder,
    file: File,
    bytes: u64,
}

impl LogFile {
    /// Opens the log of `data_dir` to append to it.
    ///
    /// # Errors
    /// When the folder or the file cannot be made, or a link, pipe or device has its name.
    pub fn open(data_dir: &Path) -> palimpsest_files::Result<Self> {
        let data = Folder::open(data_dir)?;
        data.make_folder(FOLDER, Access::OwnerOnly)?;
        let folder = data.folder(FOLDER)?;
        let (file, bytes) = current(&folder)?;
        Ok(Self { folder, file, bytes })
    }
}

/// The current file, or a new one if it has reached its maximum size.
fn current(folder: &Folder) -> palimpsest_files::Result<(File, u64)> {
    let file = folder.file(FILE)?;
    let mut bytes = file.size()?.unwrap_or(0);
    if bytes > MAX_FILE_BYTES {
        file.rename(&folder.file(OLDER)?)?;
        bytes = 0;
    }
    Ok((file.append(Access::OwnerOnly)?, bytes))
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.bytes > MAX_FILE_BYTES {
            // A file that cannot be rotated continues to grow: the log must not make the program fail.
            if let Ok((file, bytes)) = current(&self.folder) {
                (self.file, self.bytes) = (file, bytes);
            }
        }
        let written = self.file.write(line)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_log_that_is_full_replaces_the_older_one_at_the_start_and_while_it_is_written() {
        let data = tempfile::tempdir().unwrap();
        let logs = data.path().join(FOLDER);
        fs::create_dir_all(&logs).unwrap();
        fs::write(logs.join(FILE), vec![b'a'; MAX_FILE_BYTES as usize + 1]).unwrap();
        let mut log = LogFile::open(data.path()).unwrap();
        assert_eq!(fs::read(logs.join(OLDER)).unwrap()[0], b'a');
        log.write_all(&vec![b'b'; MAX_FILE_BYTES as usize + 1]).unwrap();
        log.write_all(b"c").unwrap();
        assert_eq!(fs::read(logs.join(FILE)).unwrap(), b"c");
        assert_eq!(fs::read(logs.join(OLDER)).unwrap()[0], b'b');
    }

    #[cfg(unix)]
    #[test]
    fn a_log_is_for_its_owner_alone_and_a_pipe_in_its_place_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join(FOLDER).join(FILE);
        LogFile::open(data.path()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(file.parent().unwrap()), mode(&file)), (0o700, 0o600));
        fs::remove_file(&file).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        assert!(LogFile::open(data.path()).is_err());
    }
}
