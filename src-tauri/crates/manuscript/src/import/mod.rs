//! Manuscripts from elsewhere: the bytes of a file become chapters.
//!
//! Invariant: all words come back, in their order: in the title, in the titles of the chapters and in their texts. What is
//! left out – notes, pictures, a generated table of contents – is counted or is no text.
//! Invariant: nothing here touches a disk, and what is read is bounded whatever the file says of itself.

mod docx;
mod encoding;
mod headings;
mod markdown;
mod plain;

use std::io::Read;
use std::path::Path;

use palimpsest_files::{Error as FileError, Source};

use crate::disk::MAX_CHAPTER_BYTES;
use crate::error::{Error, Result};
use crate::names;

/// The largest file that is read, in bytes.
pub const MAX_IMPORT_BYTES: u64 = 64 * 1024 * 1024;

/// The most chapters that one file may have.
const MAX_CHAPTERS: usize = 5000;

/// A heading longer than this is a paragraph that looks like one, in characters. No title may be longer.
const LONGEST_TITLE: usize = 200;

/// Why a file cannot be taken for a manuscript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// Larger than [`MAX_IMPORT_BYTES`], or a chapter of it larger than [`MAX_CHAPTER_BYTES`], or it unpacks to more than that.
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
    /// On one line, with something visible in it, at most 200 characters.
    pub title: String,
    /// What stands below the heading: Markdown with LF ends, without blank lines at its start and end.
    pub text: String,
}

impl std::fmt::Debug for NewChapter {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewChapter").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

/// What a file of a manuscript held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The title of the whole, where the file has one over its chapters.
    pub title: Option<String>,
    /// At least one.
    pub chapters: Vec<NewChapter>,
    /// The encoding of a text file, by its usual name.
    pub encoding: Option<&'static str>,
    /// Places of a text file that could not be read; each is a `�` in the text.
    pub unreadable: u32,
    /// Footnotes and endnotes that were left out.
    pub notes: u32,
    /// Pictures that were left out.
    pub pictures: u32,
}

/// Reads the file at `path`, which lies anywhere. `chinese` decides between encodings that the bytes cannot tell apart.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::Io`].
pub fn import_file(path: &Path, chinese: bool) -> Result<Imported> {
    let mut source = Source::open(path, MAX_IMPORT_BYTES).map_err(|error| match error {
        FileError::TooLarge => Unreadable::TooLarge.into(),
        FileError::Io(error) => Error::io("", &error),
        _ => Error::from(Unreadable::UnknownFormat),
    })?;
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| Error::io("", &error))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(import(&name, &bytes, chinese)?)
}

/// Reads a manuscript out of the bytes of a file called `name`.
///
/// # Errors
/// Why it cannot be one.
pub fn import(name: &str, bytes: &[u8], chinese: bool) -> Result<Imported, Unreadable> {
    if bytes.len() as u64 > MAX_IMPORT_BYTES {
        return Err(Unreadable::TooLarge);
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension.to_ascii_lowercase()),
        _ => (name, String::new()),
    };
    // What a file holds says more than what it is called.
    let manuscript = if bytes.starts_with(b"PK\x03\x04") {
        docx::read(bytes)?
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
        let text = crate::text::unify(&decoded.text);
        let read =
            if matches!(extension.as_str(), "md" | "markdown") { markdown::read(&text) } else { plain::read(&text) };
        Manuscript { encoding: Some(decoded.encoding), unreadable: decoded.unreadable, ..read }
    };
    manuscript.split(stem)
}

/// A heading in a text.
struct Heading {
    /// Where its line begins.
    from: usize,
    /// Where its line ends, before the LF.
    to: usize,
    /// 1 is the highest.
    level: u8,
    title: String,
}

/// A whole manuscript, before it is taken apart.
#[derive(Default)]
struct Manuscript {
    /// A title that is marked as such.
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
    /// Takes it apart at the headings that are chapters: those of the highest level, and those below it where the highest
    /// are parts of the book. A heading that is alone of its level, and has nothing but headings below it, is the title
    /// of the whole.
    fn split(self, stem: &str) -> Result<Imported, Unreadable> {
        let Self { mut title, text, mut headings, encoding, unreadable, notes, pictures } = self;
        headings.retain(|heading| {
            names::one_line(&heading.title).is_some() && heading.title.chars().count() <= LONGEST_TITLE
        });
        let mut start = 0;
        if title.is_none() && is_over_all(&text, &headings) {
            let over_all = headings.remove(0);
            start = over_all.to;
            title = names::one_line(&over_all.title);
        }
        let chapter_levels = chapter_levels(&headings);
        headings.retain(|heading| chapter_levels.contains(&heading.level));

        let mut chapters = Vec::new();
        let own = |from: usize, to: usize| text.get(from..to).unwrap_or_default().trim_matches('\n').trim_end();
        let before = own(start, headings.first().map_or(text.len(), |heading| heading.from));
        if !before.trim().is_empty() {
            // A title with only text below it is the title of that.
            let named = if headings.is_empty() { title.take() } else { None };
            let stem = names::one_line(stem).unwrap_or_else(|| "1".to_owned());
            let named = named.unwrap_or(stem).chars().take(LONGEST_TITLE).collect();
            chapters.push(NewChapter { title: named, text: before.to_owned() });
        }
        for (at, heading) in headings.iter().enumerate() {
            let to = headings.get(at + 1).map_or(text.len(), |next| next.from);
            let Some(title) = names::one_line(&heading.title) else { continue };
            chapters.push(NewChapter { title, text: own(heading.to, to).to_owned() });
        }
        if chapters.is_empty() {
            // Somebody began with the title.
            let title = title.take().ok_or(Unreadable::Empty)?;
            chapters.push(NewChapter { title, text: String::new() });
        }
        if chapters.len() > MAX_CHAPTERS {
            return Err(Unreadable::TooManyChapters);
        }
        // The heading goes above it.
        let room = usize::try_from(MAX_CHAPTER_BYTES).unwrap_or(usize::MAX) - 4 * LONGEST_TITLE - 8;
        if chapters.iter().any(|chapter| chapter.text.len() > room) {
            return Err(Unreadable::TooLarge);
        }
        Ok(Imported { title, chapters, encoding, unreadable, notes, pictures })
    }
}

/// Whether the first heading is the title of the whole.
fn is_over_all(text: &str, headings: &[Heading]) -> bool {
    let [first, second, _, ..] = headings else { return false };
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|between| between.trim().is_empty());
    headings.iter().skip(1).all(|heading| heading.level > first.level)
        && headings.iter().filter(|heading| heading.level == second.level).count() >= 2
        && blank(0, first.from)
        && blank(first.to, second.from)
        && !headings::names_a_part(&first.title)
}

/// The levels of the headings that begin a chapter.
fn chapter_levels(headings: &[Heading]) -> Vec<u8> {
    let Some(highest) = headings.iter().map(|heading| heading.level).min() else { return Vec::new() };
    let next = headings.iter().map(|heading| heading.level).filter(|&level| level > highest).min();
    let (parts, others): (Vec<&Heading>, Vec<&Heading>) = (headings.iter())
        .filter(|heading| heading.level == highest)
        .partition(|heading| headings::names_a_part(&heading.title));
    match next {
        Some(next) if parts.len() > others.len() => vec![highest, next],
        _ => vec![highest],
    }
}

#[cfg(test)]
mod tests;
