//! Errors of books on disk.

use std::io;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a book or a chapter could not be opened, read or written.
///
/// No variant ever holds text of a chapter. Several hold a file name relative to the book, and a writer may have put
/// a chapter's title into that: show it to the writer, keep it out of logs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused. The file is relative to the book; empty means the book's folder itself.
    #[error("{kind} ({file:?})")]
    Io {
        /// The kind of the error.
        kind: io::ErrorKind,
        /// The number of the operating system's error, if it has one.
        os_error: Option<i32>,
        /// The operation that was refused.
        operation: &'static str,
        /// The file, relative to the book.
        file: String,
    },
    /// The path of the book names no folder.
    #[error("there is no folder at this path")]
    NotAFolder,
    /// The book's id file, or its `.palimpsest` folder, cannot be understood. It was left as it is.
    #[error("the book's id file is damaged")]
    DamagedIdFile,
    /// The book's id file was written by a later version of this program. It was left as it is.
    #[error("the book's id file has format {found}; this version knows format 1")]
    NewerFormat {
        /// The format that the file names.
        found: u64,
    },
    /// A caller-supplied id is empty, too long, or has characters other than ASCII letters, digits, `-` and `_`.
    #[error("an id must be 1 to 64 ASCII letters, digits, dashes or underscores")]
    InvalidId,
    /// No chapter of the book has this id.
    #[error("the book has no such chapter")]
    UnknownChapter,
    /// The chapter is known, but its file is not there now.
    #[error("the chapter's file is gone ({file:?})")]
    ChapterGone {
        /// Where it was, relative to the book.
        file: String,
    },
    /// The chapter's file is not UTF-8. It was left as it is.
    #[error("the chapter's file is not UTF-8 ({file:?})")]
    NotUtf8 {
        /// The file, relative to the book.
        file: String,
    },
    /// The chapter's file is larger than [`MAX_CHAPTER_BYTES`](crate::MAX_CHAPTER_BYTES).
    #[error("the chapter's file is too large ({file:?})")]
    TooLarge {
        /// The file, relative to the book.
        file: String,
    },
    /// The file is, or lies behind, a symbolic link: nothing is followed out of a book.
    #[error("links are not followed ({file:?})")]
    Link {
        /// The file, relative to the book.
        file: String,
    },
    /// The file on disk is no longer the one that the change was based on. Nothing was written.
    #[error("the chapter was changed outside")]
    Stale {
        /// The content hash of the file now; `None` when the file is gone.
        current: Option<String>,
    },
    /// There is a file already where one was to be written. Nothing was written.
    #[error("there is a file already ({file:?})")]
    Exists {
        /// The file, relative to the book.
        file: String,
    },
    /// A title without a visible character.
    #[error("a title is needed")]
    EmptyTitle,
    /// A file from elsewhere cannot be taken for a manuscript. Nothing was written.
    #[error(transparent)]
    Unreadable(#[from] crate::import::Unreadable),
    /// An import cannot be undone: it is not the last one, or a chapter of it was changed. Nothing was removed.
    #[error("a chapter of the import was changed")]
    ImportChanged,
    /// A chapter cannot be split where a part would have no text besides its title.
    #[error("a part would be empty")]
    EmptyPart,
    /// A split or merge cannot be undone: a chapter has changed since, or another split or merge followed.
    #[error("the chapters have changed since")]
    ChangedSince,
    /// The folder cannot be watched for outside changes; the book itself works.
    #[error("the folder cannot be watched")]
    NotWatched,
}

impl Error {
    /// An error of the operating system about `file`, without the path that leads to the book.
    pub(crate) fn io(operation: &'static str, file: &str, error: &io::Error) -> Self {
        Self::Io { kind: error.kind(), os_error: error.raw_os_error(), operation, file: file.to_owned() }
    }

    /// A value that cannot be written as JSON, or a file that has none.
    pub(crate) fn not_json(operation: &'static str, file: &str) -> Self {
        Self::io(operation, file, &io::ErrorKind::InvalidData.into())
    }

    /// The error of the operating system, if that refused.
    #[must_use]
    pub fn io_error(&self) -> Option<io::Error> {
        let Self::Io { kind, os_error, .. } = self else { return None };
        Some(os_error.map_or_else(|| (*kind).into(), io::Error::from_raw_os_error))
    }

    /// The operation that the operating system refused.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        let Self::Io { operation, .. } = self else { return None };
        Some(operation)
    }
}

impl Error {
    /// Whether the file, or a folder on the way to it, does not exist.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Self::Io { kind: io::ErrorKind::NotFound, .. })
    }

    /// The kind, for the log: the name of the variant or of the operating system's error, and no file name.
    fn kind_name(&self) -> String {
        match self {
            Self::Io { kind, .. } => format!("{kind:?}"),
            other => format!("{other:?}").chars().take_while(|c| c.is_ascii_alphanumeric()).collect(),
        }
    }
}

/// Logs the error of best-effort work, after which the caller continues.
pub(crate) fn log_failure<T>(work: &'static str, result: Result<T>) {
    if let Err(error) = result {
        let (operation, os_error) = (error.operation(), error.io_error().and_then(|error| error.raw_os_error()));
        tracing::warn!(work, operation, os_error, source = error.kind_name(), "best-effort work failed");
    }
}

/// The value of a best-effort read; or `None`, after its error was logged.
pub(crate) fn or_log<T>(work: &'static str, result: Result<T>) -> Option<T> {
    result.map_err(|error| log_failure::<T>(work, Err(error))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_an_error_for_the_log_has_no_file_name() {
        let file = || "雨停了.md".to_owned();
        let full = Error::io("write a file", &file(), &io::ErrorKind::StorageFull.into());
        assert_eq!(full.kind_name(), "StorageFull");
        assert_eq!(Error::Exists { file: file() }.kind_name(), "Exists");
        assert_eq!(Error::DamagedIdFile.kind_name(), "DamagedIdFile");
    }

    #[test]
    fn an_error_of_the_operating_system_keeps_its_operation_and_number() {
        let full = io::Error::from_raw_os_error(28);
        let error = Error::io("write a file", "雨停了.md", &full);
        assert_eq!(
            (error.operation(), error.io_error().and_then(|e| e.raw_os_error())),
            (Some("write a file"), Some(28))
        );
        assert_eq!(error.io_error().map(|e| e.kind()), Some(full.kind()));
    }
}
