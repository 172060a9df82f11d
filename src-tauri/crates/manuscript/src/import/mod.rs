//! Imports manuscripts: splits the contents of a file into chapters.
//!
//! Invariant: no word is lost or moved: all are in the title, in the titles of the chapters or in their texts. Omitted
//! parts – notes, pictures, a generated table of contents – are counted or are no text. Invariant: parsing does not
//! access the disk, and its output is bounded independently of sizes stated in the file.

mod docx;
mod encoding;
mod headings;
mod markdown;
mod plain;

use std::io::Read;
use std::path::Path;

use palimpsest_files::{Error as FileError, Source};

use crate::chapter_files;
use crate::disk::MAX_CHAPTER_BYTES;
use crate::error::{Error, Result};

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

/// The contents of an imported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The title of the book, if the file has one above its chapters.
    pub title: Option<String>,
    /// At least one.
    pub chapters: Vec<NewChapter>,
    /// The name of the encoding of a text file.
    pub encoding: Option<&'static str>,
    /// Number of undecodable positions of a text file; each is a `�` in the text.
    pub unreadable: u32,
    /// Number of omitted footnotes and endnotes.
    pub notes: u32,
    /// Number of omitted pictures.
    pub pictures: u32,
}

/// Reads the file at `path`, which may be anywhere. `chinese` decides between encodings that the bytes do not
/// distinguish.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::Io`].
pub fn import_file(path: &Path, chinese: bool) -> Result<Imported> {
    let mut source = Source::open(path, MAX_IMPORT_BYTES).map_err(|error| match error {
        FileError::TooLarge => Unreadable::TooLarge.into(),
        FileError::Io(error) => Error::io("read a file to import", "", &error),
        _ => Error::from(Unreadable::UnknownFormat),
    })?;
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| Error::io("read a file to import", "", &error))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(import(&name, &bytes, chinese)?)
}

/// Reads a manuscript from the bytes of a file named `name`.
///
/// # Errors
/// [`Unreadable`]: the reason why it is no manuscript.
pub fn import(name: &str, bytes: &[u8], chinese: bool) -> Result<Imported, Unreadable> {
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
        let decoded = encoding::decode(bytes, chinese)?;
        let text = crate::text::normalize_line_ends(&decoded.text);
        let read =
            if matches!(extension.as_str(), "md" | "markdown") { markdown::parse(&text) } else { plain::parse(&text) };
        Manuscript { encoding: Some(decoded.encoding), unreadable: decoded.unreadable, ..read }
    };
    manuscript.split(stem)
}

/// A heading in a text.
struct Heading {
    /// Start of its line, in bytes.
    from: usize,
    /// End of its line, in bytes, before the LF.
    to: usize,
    /// 1 (highest) to 9.
    level: u8,
    title: String,
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
}

impl Manuscript {
    /// Splits at the headings of chapters: those of the highest level, and those of the next level if the highest are
    /// parts of the book. A single heading of its level, with only headings below it, is the title of the book.
    fn split(self, stem: &str) -> Result<Imported, Unreadable> {
        let Self { mut title, text, mut headings, encoding, unreadable, notes, pictures } = self;
        headings.retain(|heading| {
            chapter_files::single_line(&heading.title).is_some() && heading.title.chars().count() <= MAX_TITLE_CHARS
        });
        let mut start = 0;
        if title.is_none() && has_book_title(&text, &headings) {
            let book_title = headings.remove(0);
            start = book_title.to;
            title = chapter_files::single_line(&book_title.title);
        }
        let chapter_levels = chapter_levels(&headings);
        headings.retain(|heading| chapter_levels.contains(&heading.level));

        let mut chapters = Vec::new();
        let section = |from: usize, to: usize| text.get(from..to).unwrap_or_default().trim_matches('\n').trim_end();
        let before = section(start, headings.first().map_or(text.len(), |heading| heading.from));
        if !before.trim().is_empty() {
            // A title with only text below it is the title of that chapter.
            let title = if headings.is_empty() { title.take() } else { None };
            let stem = chapter_files::single_line(stem).unwrap_or_else(|| "1".to_owned());
            let title = title.unwrap_or(stem).chars().take(MAX_TITLE_CHARS).collect();
            chapters.push(NewChapter { title, text: before.to_owned() });
        }
        for (at, heading) in headings.iter().enumerate() {
            let to = headings.get(at + 1).map_or(text.len(), |next| next.from);
            let Some(title) = chapter_files::single_line(&heading.title) else { continue };
            chapters.push(NewChapter { title, text: section(heading.to, to).to_owned() });
        }
        if chapters.is_empty() {
            // A file with only a title.
            let title = title.take().ok_or(Unreadable::Empty)?;
            chapters.push(NewChapter { title, text: String::new() });
        }
        if chapters.len() > MAX_CHAPTERS {
            return Err(Unreadable::TooManyChapters);
        }
        // The heading is added to the text.
        let max_text_bytes = usize::try_from(MAX_CHAPTER_BYTES).unwrap_or(usize::MAX) - 4 * MAX_TITLE_CHARS - 8;
        if chapters.iter().any(|chapter| chapter.text.len() > max_text_bytes) {
            return Err(Unreadable::TooLarge);
        }
        Ok(Imported { title, chapters, encoding, unreadable, notes, pictures })
    }
}

/// Whether the first heading is the title of the book.
fn has_book_title(text: &str, headings: &[Heading]) -> bool {
    let [first, second, _, ..] = headings else { return false };
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|between| between.trim().is_empty());
    headings.iter().skip(1).all(|heading| heading.level > first.level)
        && headings.iter().filter(|heading| heading.level == second.level).count() >= 2
        && blank(0, first.from)
        && blank(first.to, second.from)
        && !headings::is_part_title(&first.title)
}

/// The levels of the headings that begin a chapter.
fn chapter_levels(headings: &[Heading]) -> Vec<u8> {
    let Some(highest) = headings.iter().map(|heading| heading.level).min() else { return Vec::new() };
    let next = headings.iter().map(|heading| heading.level).filter(|&level| level > highest).min();
    let (parts, others): (Vec<&Heading>, Vec<&Heading>) = (headings.iter())
        .filter(|heading| heading.level == highest)
        .partition(|heading| headings::is_part_title(&heading.title));
    match next {
        Some(next) if parts.len() > others.len() => vec![highest, next],
        _ => vec![highest],
    }
}

#[cfg(test)]
mod tests;
