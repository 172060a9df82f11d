//! The whole book as one file: Markdown, or a Word document.
//!
//! Invariant: what goes out is what the writer wrote: titles and texts in the order of the book, no ids, no marks of origin,
//! nothing of the memory.

mod docx;

use palimpsest_files::{Access, Durability, Existing, FileLocation};

use crate::book::{Book, Chapter};
use crate::error::Result;
use crate::text;

/// What an export is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One Markdown file, each chapter under a heading of the first level.
    Markdown,
    /// A Word document, each chapter under a `Heading 1` on a page of its own.
    Docx,
}

/// What was exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// How many chapters.
    pub chapters: usize,
    /// The size of the file.
    pub bytes: u64,
}

/// A chapter as it goes out.
struct Leaf {
    title: String,
    /// Without front matter and without the heading that is the title; no blank lines at its start and end.
    text: String,
}

/// A whole book on its way out, as it stood when it was read: writing it needs the book no longer.
pub struct Outgoing {
    title: String,
    is_chinese: bool,
    leaves: Vec<Leaf>,
}

impl Book {
    /// Reads the whole book, to be written elsewhere.
    ///
    /// # Errors
    /// As [`Book::read`] for a chapter that cannot be read: a book with a gap is no export.
    pub fn outgoing(&self) -> Result<Outgoing> {
        let leaf = |chapter: &Chapter| {
            let text = self.read(&chapter.chapter_id)?.text;
            Ok(Leaf { title: chapter.title.clone(), text: without_title(&text) })
        };
        Ok(Outgoing {
            title: self.title().to_owned(),
            is_chinese: self.language() == "zh",
            leaves: self.chapters().iter().map(leaf).collect::<Result<_>>()?,
        })
    }
}

impl Outgoing {
    /// Writes it to a checked place: to a temporary file beside it, then renamed, so that what was there stays until all is
    /// written. A new file is as readable as the writer's other new files.
    ///
    /// # Errors
    /// Those of [`FileLocation::replace`]; [`palimpsest_files::Error::Io`] also for a document that cannot be packed.
    pub fn write(&self, place: &FileLocation, format: ExportFormat) -> palimpsest_files::Result<Exported> {
        let bytes = match format {
            ExportFormat::Markdown => markdown(&self.leaves).into_bytes(),
            ExportFormat::Docx => docx::write(&self.title, self.is_chinese, &self.leaves)?,
        };
        place.remove_leftovers();
        place.replace(&bytes, Existing::Replace, Access::Usual, Durability::Flushed)?;
        Ok(Exported { chapters: self.leaves.len(), bytes: bytes.len() as u64 })
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

fn markdown(leaves: &[Leaf]) -> String {
    let mut out = String::new();
    for leaf in leaves {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str("# ");
        out.push_str(&leaf.title);
        out.push('\n');
        if !leaf.text.is_empty() {
            out.push('\n');
            out.push_str(&leaf.text);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests;
