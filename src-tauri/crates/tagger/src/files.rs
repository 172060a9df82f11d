//! The files of the tagger, and the check of their length and checksum.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// A file that the tagger is loaded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFile {
    /// Its name in the folder.
    pub name: &'static str,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: &'static str,
}

/// Numbers of the network, and the transitions between labels.
pub(crate) const WEIGHTS: ModelFile = ModelFile {
    name: "weights.bin",
    bytes: 6_263_640,
    sha256: "8a435b05934e9a20110dcdb496f899cabe88d422144baa848f6874a5862e9815",
};

/// Known characters with their ids.
pub(crate) const CHARACTERS: ModelFile = ModelFile {
    name: "characters.dic",
    bytes: 72_550,
    sha256: "269dde3a313ae69ae4557555a483e5e23a7d3c999933769de3f3e527db2a1f47",
};

/// Characters that are read as others.
pub(crate) const FOLD: ModelFile = ModelFile {
    name: "q2b.dic",
    bytes: 45_155,
    sha256: "688ecfed0bd3fa898a0b26fd27a838432e0f32600bdf35739de7931ff51187a1",
};

/// The names of the labels.
pub(crate) const LABELS: ModelFile = ModelFile {
    name: "tag.dic",
    bytes: 425,
    sha256: "0e10caa505cd12e6f43630505503ccf24ee081f61a155fcc186041601cfd0bfe",
};

/// Why the tagger could not be loaded. Names files and parts of them, never a path or any text of the writer's.
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
    /// The content of the file in `folder`, with length and checksum verified.
    pub(crate) fn read(&self, folder: &Path) -> Result<Vec<u8>, LoadError> {
        let file = fs::File::open(folder.join(self.name)).map_err(|error| self.unreadable(&error))?;
        let found = file.metadata().map_err(|error| self.unreadable(&error))?.len();
        if found != self.bytes {
            return Err(LoadError::WrongSize { file: self.name, expected: self.bytes, found });
        }
        let mut contents = Vec::new();
        // Bounded, in case the file grows while it is read.
        file.take(self.bytes).read_to_end(&mut contents).map_err(|error| self.unreadable(&error))?;
        let found = Sha256::digest(&contents).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        if found != self.sha256 {
            return Err(LoadError::WrongContents { file: self.name, found });
        }
        Ok(contents)
    }

    fn unreadable(&self, error: &io::Error) -> LoadError {
        match error.kind() {
            io::ErrorKind::NotFound => LoadError::Missing { file: self.name },
            kind => LoadError::Unreadable { file: self.name, kind },
        }
    }
}

/// The entries of a file with lines of a key, a tab and a value. Only a line feed ends a line, and nothing is trimmed,
/// because a space is a value too.
pub(crate) fn entries(contents: &[u8]) -> impl Iterator<Item = Result<(&str, &str), Malformed>> {
    // The last line ends with a line feed too.
    let contents = contents.strip_suffix(b"\n").unwrap_or(contents);
    contents.split(|&byte| byte == b'\n').enumerate().map(|(index, line)| {
        let line = str::from_utf8(line).map_err(|_| Malformed::new(format!("line {}: no UTF-8", index + 1)))?;
        line.split_once('\t').ok_or_else(|| Malformed::new(format!("line {}: no tab", index + 1)))
    })
}

/// The only character of `text`; `None` if it has none or more.
pub(crate) fn only_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: ModelFile = ModelFile {
        name: "small",
        bytes: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };

    fn read(contents: &[u8]) -> Result<Vec<u8>, LoadError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(SMALL.name), contents).unwrap();
        SMALL.read(folder.path())
    }

    #[test]
    fn the_right_file_is_read() {
        assert_eq!(read(b"abc").unwrap(), b"abc");
    }

    #[test]
    fn a_truncated_a_changed_and_a_missing_file_are_different_errors() {
        assert_eq!(read(b"ab").unwrap_err(), LoadError::WrongSize { file: "small", expected: 3, found: 2 });
        assert_eq!(read(b"abcd").unwrap_err(), LoadError::WrongSize { file: "small", expected: 3, found: 4 });
        assert!(matches!(read(b"abd").unwrap_err(), LoadError::WrongContents { file: "small", .. }));
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(SMALL.read(empty.path()).unwrap_err(), LoadError::Missing { file: "small" });
        assert_eq!(SMALL.read(&empty.path().join("nowhere")).unwrap_err(), LoadError::Missing { file: "small" });
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(SMALL.name)).unwrap();
        assert!(SMALL.read(folder.path()).is_err());
    }

    #[test]
    fn an_error_names_the_file_and_not_its_folder() {
        assert_eq!(read(b"ab").unwrap_err().to_string(), "small has 2 bytes and should have 3");
    }

    #[test]
    fn a_space_is_a_value_and_only_a_line_feed_ends_a_line() {
        let found: Vec<_> = entries("0\t \n1\t\r\n2\t\u{2028}\n".as_bytes()).map(Result::unwrap).collect();
        assert_eq!(found, [("0", " "), ("1", "\r"), ("2", "\u{2028}")]);
    }

    #[test]
    fn a_line_without_a_tab_and_one_without_text_are_refused() {
        let refusal = |contents: &[u8]| entries(contents).find_map(Result::err);
        assert_eq!(refusal(b"0\ta\nb\n"), Some(Malformed::new("line 2: no tab")));
        assert_eq!(refusal(b"0\ta\n\n"), Some(Malformed::new("line 2: no tab")));
        assert_eq!(refusal(b""), Some(Malformed::new("line 1: no tab")));
        assert_eq!(refusal(b"0\t\xff"), Some(Malformed::new("line 1: no UTF-8")));
    }
}
