//! Loading of the dictionary from its file.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use flate2::read::GzDecoder;

use crate::Dictionary;

/// The most bytes that the file may have when it is decompressed: some six times its present length.
const MAX_BYTES: u64 = 64 << 20;

/// Why the dictionary could not be loaded. Names the file, never a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The file is not in the folder.
    #[error("{} is not there", Dictionary::FILE)]
    Missing,
    /// The file exists and cannot be read, or is no text compressed by gzip.
    #[error("{} cannot be read ({kind})", Dictionary::FILE)]
    Unreadable {
        /// Kind of the system error, or of the decompression's.
        kind: io::ErrorKind,
    },
    /// The decompressed file is longer than any edition of the dictionary.
    #[error("{} is too long", Dictionary::FILE)]
    TooLong,
    /// The file has no entry of a dictionary.
    #[error("{} holds no entries", Dictionary::FILE)]
    NoEntries,
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            kind => Self::Unreadable { kind },
        }
    }
}

impl Dictionary {
    /// Loads [`Dictionary::FILE`] from `folder`. Takes some tenths of a second, so it belongs on a thread of its own.
    ///
    /// # Errors
    /// If the file is missing, cannot be read, or holds no entries.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let mut text = String::new();
        let file = GzDecoder::new(File::open(folder.join(Self::FILE))?);
        file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(LoadError::TooLong);
        }
        let dictionary = Self::parse(&text);
        if dictionary.is_empty() { Err(LoadError::NoEntries) } else { Ok(dictionary) }
    }
}
