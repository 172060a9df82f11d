//! The two files of the encoder, and the check of their length and checksum.

use std::fs;
use std::io::{self, Read, Seek};
use std::path::Path;

use sha2::{Digest, Sha256};

/// A file that the encoder is loaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFile {
    /// Its name in the folder.
    pub name: &'static str,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: &'static str,
}

/// The vocabulary with its scores, and the normalization table.
pub(crate) const SENTENCEPIECE: ModelFile = ModelFile {
    name: "sp.model",
    bytes: 2_527_207,
    sha256: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
};

/// Token embeddings and layers.
pub(crate) const WEIGHTS: ModelFile = ModelFile {
    name: "weights.npz",
    bytes: 30_377_056,
    sha256: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
};

/// Why the encoder could not be loaded. Names files and parts of them, never a path or any text of the writer's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The file is not in the folder.
    #[error("{file} is not there")]
    Missing {
        /// Its name.
        file: &'static str,
    },
    /// The file exists and cannot be read.
    #[error("{file} cannot be read ({kind})")]
    Unreadable {
        /// Its name.
        file: &'static str,
        /// Kind of the system error.
        kind: io::ErrorKind,
    },
    /// The file is truncated, or another one.
    #[error("{file} has {found} bytes and should have {expected}")]
    WrongSize {
        /// Its name.
        file: &'static str,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// The file has the right length and the wrong contents.
    #[error("{file} is damaged or another version (SHA-256 {found})")]
    WrongContents {
        /// Its name.
        file: &'static str,
        /// The SHA-256 of the file, in lower-case hexadecimal.
        found: String,
    },
    /// The contents do not have the expected form. Cannot happen after the checksum was verified.
    #[error("{file} is malformed: {what}")]
    Malformed {
        /// Its name.
        file: &'static str,
        /// The malformed part, and how.
        what: String,
    },
}

/// A malformed part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(String);

impl Malformed {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }

    pub(crate) fn in_file(self, file: &ModelFile) -> LoadError {
        LoadError::Malformed { file: file.name, what: self.0 }
    }
}

impl ModelFile {
    /// Opens the file in `folder`, verifies length and checksum, and returns it rewound to its beginning. The handle
    /// stays open in between, so a file that is renamed into its place meanwhile is never used unverified.
    pub(crate) fn open(&self, folder: &Path) -> Result<fs::File, LoadError> {
        let mut file = fs::File::open(folder.join(self.name)).map_err(|error| self.unreadable(&error))?;
        let found = file.metadata().map_err(|error| self.unreadable(&error))?.len();
        if found != self.bytes {
            return Err(LoadError::WrongSize { file: self.name, expected: self.bytes, found });
        }
        // Bounded, in case the file grows while it is read.
        let found = sha256(Read::by_ref(&mut file).take(self.bytes)).map_err(|error| self.unreadable(&error))?;
        if found != self.sha256 {
            return Err(LoadError::WrongContents { file: self.name, found });
        }
        file.rewind().map_err(|error| self.unreadable(&error))?;
        Ok(file)
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> LoadError {
        match error.kind() {
            io::ErrorKind::NotFound => LoadError::Missing { file: self.name },
            kind => LoadError::Unreadable { file: self.name, kind },
        }
    }
}

fn sha256(mut from: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        hex += &format!("{byte:02x}");
        hex
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: ModelFile = ModelFile {
        name: "small",
        bytes: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };

    fn folder_with(contents: &[u8]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(SMALL.name), contents).unwrap();
        folder
    }

    #[test]
    fn the_right_file_is_handed_over_at_its_beginning() {
        let folder = folder_with(b"abc");
        let mut contents = String::new();
        SMALL.open(folder.path()).unwrap().read_to_string(&mut contents).unwrap();
        assert_eq!(contents, "abc");
    }

    #[test]
    fn a_truncated_a_changed_and_a_missing_file_are_different_errors() {
        let open = |contents: &[u8]| SMALL.open(folder_with(contents).path()).unwrap_err();
        assert_eq!(open(b"ab"), LoadError::WrongSize { file: "small", expected: 3, found: 2 });
        assert_eq!(open(b"abcd"), LoadError::WrongSize { file: "small", expected: 3, found: 4 });
        assert!(matches!(open(b"abd"), LoadError::WrongContents { file: "small", .. }));
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(SMALL.open(empty.path()).unwrap_err(), LoadError::Missing { file: "small" });
        assert_eq!(SMALL.open(&empty.path().join("nowhere")).unwrap_err(), LoadError::Missing { file: "small" });
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(SMALL.name)).unwrap();
        assert!(SMALL.open(folder.path()).is_err());
    }

    #[test]
    fn an_error_names_the_file_and_not_its_folder() {
        let folder = folder_with(b"ab");
        let message = SMALL.open(folder.path()).unwrap_err().to_string();
        assert_eq!(message, "small has 2 bytes and should have 3");
    }
}
