//! Imports manuscripts: splits the contents of a file into sections, of which the writer makes chapters.
//!
//! A section begins at a heading or at a line that may be one. Without choices of the writer, recognized headings begin
//! chapters, and a publisher's header and licence are left out.
//!
//! Invariant: no word is lost or moved: all are in the title or in the headings and texts of the sections. Omitted
//! parts – notes, pictures, a generated table of contents – are counted or are no text. Invariant: parsing does not
//! access the disk, and its output is bounded independently of sizes stated in the file.

mod docx;
mod encoding;
mod headings;
mod markdown;
mod plain;
mod proposals;
mod sections;
mod splits;

use std::io::Read;
use std::path::Path;

use palimpsest_files::{Error as FileError, Source};

use crate::error::{Error, Result};

pub use sections::{Imported, MisfitChoices, Section, SectionChoice, SectionKind, SectionUse};
pub use splits::SplitPoint;

/// The largest imported file, in bytes.
pub const MAX_IMPORT_BYTES: u64 = 64 * 1024 * 1024;

/// The most chapters of one file.
const MAX_CHAPTERS: usize = 5000;

/// The most characters of a title. A longer heading is treated as a paragraph.
const MAX_TITLE_CHARS: usize = 200;

/// Why a file cannot be taken for a manuscript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// Larger than [`MAX_IMPORT_BYTES`], or a chapter of it larger than [`MAX_CHAPTER_BYTES`], or it unpacks to more
    /// than that.
    #[error("the file is too large")]
    TooLarge,
    /// It has more chapters than a book can take.
    #[error("the file has too many chapters")]
    TooManyChapters,
    /// Neither text, nor Markdown, nor Word's format since 2007.
    #[error("the file is of no known format")]
    UnknownFormat,
    /// The binary format of Word before 2007.
    #[error("the file is of Word's old format")]
    OldWord,
    /// It is protected by a password.
    #[error("the file is protected by a password")]
    Encrypted,
    /// It calls itself a Word document, and is damaged or something else.
    #[error("the file is no Word document, or a damaged one")]
    Damaged,
    /// It holds something else than text.
    #[error("the file holds no text")]
    NotText,
    /// There is not a word in it.
    #[error("there is nothing in the file")]
    Empty,
}

/// A chapter that is not in a book yet.
#[derive(Clone, PartialEq, Eq)]
pub struct NewChapter {
    /// One line with a visible character, at most 200 characters.
    pub title: String,
    /// The text below the heading: Markdown with LF ends, without blank lines at its start and end.
    pub text: String,
}

impl std::fmt::Debug for NewChapter {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewChapter").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportOptions {
    /// Decides between encodings that the bytes do not distinguish.
    pub chinese: bool,
    /// Whether wrapped lines are joined into paragraphs.
    pub join_lines: bool,
}

/// Reads the file at `path`, which may be anywhere.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::Io`].
pub fn import_file(path: &Path, options: ImportOptions) -> Result<Imported> {
    let mut source = Source::open(path, MAX_IMPORT_BYTES).map_err(|error| match error {
        FileError::TooLarge => Unreadable::TooLarge.into(),
        FileError::Io(error) => Error::io("read a file to import", "", &error),
        _ => Error::from(Unreadable::UnknownFormat),
    })?;
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| Error::io("read a file to import", "", &error))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(import(&name, &bytes, options)?)
}

/// Reads a manuscript from the bytes of a file named `name`.
///
/// # Errors
/// [`Unreadable`]: the reason why it is no manuscript.
pub fn import(name: &str, bytes: &[u8], options: ImportOptions) -> Result<Imported, Unreadable> {
    if bytes.len() as u64 > MAX_IMPORT_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension.to_ascii_lowercase()),
        _ => (name, String::new()),
    };
    // The contents decide before the extension.
    let manuscript = if bytes.starts_with(b"PK\x03\x04") {
        docx::parse_package(bytes)?
    } else if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) {
        let mark: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let encrypted = bytes.windows(mark.len()).any(|window| window == mark);
        return Err(if encrypted { Unreadable::Encrypted } else { Unreadable::OldWord });
    } else if bytes.starts_with(b"%PDF") || bytes.starts_with(b"{\\rtf") {
        return Err(Unreadable::UnknownFormat);
    } else {
        match extension.as_str() {
            "docx" | "docm" => return Err(Unreadable::Damaged),
            "txt" | "text" | "" | "md" | "markdown" => {}
            _ => return Err(Unreadable::UnknownFormat),
        }
        let decoded = encoding::decode(bytes, options.chinese)?;
        let text = palimpsest_text::normalize_line_ends(&decoded.text);
        let join = options.join_lines;
        let is_markdown = matches!(extension.as_str(), "md" | "markdown");
        let read = if is_markdown { markdown::parse(&text, join) } else { plain::parse(&text, join) };
        Manuscript { encoding: Some(decoded.encoding), unreadable: decoded.unreadable, ..read }
    };
    manuscript.split(stem, crate::text::content_hash(bytes))
}

/// A heading in a text, or a line that may be one.
struct Heading {
    /// Start of its line, in bytes.
    from: usize,
    /// End of its line, in bytes, before the LF.
    to: usize,
    /// 1 (highest) to 9.
    level: u8,
    /// Empty for an ornament.
    title: String,
    kind: SectionKind,
}

/// A whole manuscript, before it is split.
#[derive(Default)]
struct Manuscript {
    /// An explicitly marked title.
    title: Option<String>,
    /// LF ends.
    text: String,
    /// In their order.
    headings: Vec<Heading>,
    encoding: Option<&'static str>,
    unreadable: u32,
    notes: u32,
    pictures: u32,
    /// Number of line ends inside wrapped paragraphs.
    wrapped_lines: u32,
}

#[cfg(test)]
mod tests;
