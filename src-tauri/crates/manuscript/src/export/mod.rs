//! Exports a book as one file: Markdown, or a Word document.
//!
//! Invariant: an export contains only the writer's text: titles and texts in the order of the book, no ids, no marks of
//! origin, nothing of the memory.

mod docx;

use palimpsest_files::{Access, Durability, Existing, FileLocation};

use crate::book::{Book, Chapter};
use crate::error::Result;
use crate::text;

/// Markdown or Word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One Markdown file, each chapter under a heading of the first level.
    Markdown,
    /// A Word document, each chapter under a `Heading 1` on a page of its own.
    Docx,
}

/// Result of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// Number of chapters.
    pub chapters: usize,
    /// Size of the file in bytes.
    pub bytes: u64,
}

struct ExportChapter {
    title: String,
    /// Without front matter and without the heading that is the title; no blank lines at its start and end.
    text: String,
}

/// A book read for an export. Writing it does not access the book again.
pub struct BookExport {
    title: String,
    is_chinese: bool,
    chapters: Vec<ExportChapter>,
}

impl Book {
    /// Reads the whole book for an export.
    ///
    /// # Errors
    /// As [`Book::read`] for a chapter that cannot be read: an export is complete or fails.
    pub fn read_for_export(&self) -> Result<BookExport> {
        let chapter = |chapter: &Chapter| {
            let text = self.read(&chapter.chapter_id)?.text;
            Ok(ExportChapter { title: chapter.title.clone(), text: without_title(&text) })
        };
        Ok(BookExport {
            title: self.title().to_owned(),
            is_chinese: self.language() == "zh",
            chapters: self.chapters().iter().map(chapter).collect::<Result<_>>()?,
        })
    }
}

impl BookExport {
    /// Writes it to a checked location: to a temporary file in the same folder, then renamed, so that an existing file
    /// stays until all is written. A new file has the default permissions.
    ///
    /// # Errors
    /// Those of [`FileLocation::replace`]; [`palimpsest_files::Error::Io`] also for a document that cannot be packed.
    pub fn write(&self, location: &FileLocation, format: ExportFormat) -> palimpsest_files::Result<Exported> {
        let bytes = match format {
            ExportFormat::Markdown => markdown(&self.chapters).into_bytes(),
            ExportFormat::Docx => docx::build_package(&self.title, self.is_chinese, &self.chapters)?,
        };
        location.remove_leftovers();
        location.replace(&bytes, Existing::Replace, Access::Usual, Durability::Flushed)?;
        Ok(Exported { chapters: self.chapters.len(), bytes: bytes.len() as u64 })
    }
}

fn without_title(text: &str) -> String {
    let rest = match text::heading(text) {
        Some((from, to)) => {
            let matter = text::front_matter(text);
            format!("{}{}", text.get(matter..from).unwrap_or_default(), text.get(to..).unwrap_or_default())
        }
        None => text.get(text::front_matter(text)..).unwrap_or_default().to_owned(),
    };
    rest.trim_matches('\n').trim_end().to_owned()
}

fn markdown(chapters: &[ExportChapter]) -> String {
    let mut out = String::new();
    for chapter in chapters {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str("# ");
        out.push_str(&chapter.title);
        out.push('\n');
        if !chapter.text.is_empty() {
            out.push('\n');
            out.push_str(&chapter.text);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests;
