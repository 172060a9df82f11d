//! Errors of reading and writing files.

use std::io;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of reading or writing a file. Contains no path and no name, as these can contain a title.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name leads out of the folder, or a step of it is a link.
    #[error("links are not followed")]
    Link,
    /// The entry is not a regular file but a folder, device, pipe or socket.
    #[error("not a regular file")]
    NotAFile,
    /// The file is larger than its reader accepts.
    #[error("the file is too large")]
    TooLarge,
    /// A file exists already and may not be replaced.
    #[error("there is a file already")]
    Exists,
    /// The path does not end in a name.
    #[error("not the path of a file")]
    NoName,
    /// The folder of the path does not exist.
    #[error("there is no such folder")]
    NoFolder,
    /// The path lies in the data folder of a memory.
    #[error("in the memory's own folder")]
    InsideTheMemory,
    /// The path is a chapter of a book, would become one, or lies in the folder that holds the book's own files.
    #[error("in the folder of a book")]
    InsideTheBook,
    /// The operating system refused.
    #[error("{}", .0.kind())]
    Io(#[from] io::Error),
}

impl Error {
    /// Whether the file, or a folder on the way to it, does not exist.
    #[must_use]
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}
