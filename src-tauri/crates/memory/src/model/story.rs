//! The story: what the program read in the manuscript.

use std::{fmt, ops::Range};

use palimpsest_reader::names::TaggedWord;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ChapterId, ProjectId, RecallGroup};

/// The text of a chapter, split into passages.
#[derive(Clone, PartialEq, Eq)]
pub struct SplitChapter<'a> {
    /// Id of the chapter.
    pub chapter_id: &'a ChapterId,
    /// The whole text.
    pub text: &'a str,
    /// Hash of the chapter's file, or of its text.
    pub content_hash: &'a str,
    /// The passages as ranges of bytes: in order, without overlap, on character boundaries.
    pub passages: &'a [Range<usize>],
    /// The version of the rules that split it.
    pub version: u32,
}

impl fmt::Debug for SplitChapter<'_> {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SplitChapter").field("chapter_id", self.chapter_id).finish_non_exhaustive()
    }
}

/// A passage with its words, as it is stored.
pub struct PassageText {
    /// Start in the chapter's text, in UTF-16 code units.
    pub from: u32,
    /// Its whole paragraphs.
    pub text: String,
    /// The words of the tagger, with ranges of `text`; `None` if it has not read the passage.
    pub words: Option<Vec<TaggedWord>>,
}

/// A passage that the tagger has not read.
pub struct UntaggedPassage {
    /// Row number in its own table.
    pub row: i64,
    /// Its whole paragraphs.
    pub text: String,
}

/// A stretch of whole paragraphs of a chapter, the unit of search.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    /// 32 hexadecimal digits, made of the book, the chapter and the text: an edited passage has another id.
    pub passage_id: String,
    /// The chapter that it is in.
    pub chapter_id: ChapterId,
    /// Start in the chapter's text, in UTF-16 code units.
    pub from: u32,
    /// End, exclusive.
    pub to: u32,
    /// Its whole paragraphs, as they are in the chapter.
    pub text: String,
}

impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passage").field("passage_id", &self.passage_id).finish_non_exhaustive()
    }
}

/// A search in the passages of a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PassageQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Words, or a description of the passage; not blank.
    pub query_text: String,
    /// Maximum number of results, 1..50. Default 8.
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// A passage that matches a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundPassage {
    /// With its text.
    pub passage: Passage,
    /// The certainty of the match.
    pub group: RecallGroup,
    /// 0..1; the best first.
    pub score: f64,
    /// The signals that found it: `words`, `meaning`.
    pub matched_by: Vec<String>,
}

/// The answer to a [`PassageQuery`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundPassages {
    /// Best first.
    pub passages: Vec<FoundPassage>,
    /// Whether the search is less precise than possible.
    pub degraded: bool,
    /// Why it is.
    pub degraded_reason: Option<String>,
}
