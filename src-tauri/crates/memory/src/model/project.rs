//! A project: one book.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ProjectId, Time};

/// The language of a project's prompts, rules and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Language {
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// One book: a folder of chapters, or a manuscript in another editor, and its memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// UUID; for a folder, the one in its id file.
    pub project_id: ProjectId,
    /// 1 to 200 characters.
    pub title: String,
    /// Language of the book, not of the interface.
    pub language: Language,
    /// The folder, or `null` where another editor keeps the manuscript.
    pub path: Option<String>,
    /// When it was added to the memory.
    pub created_at: Time,
    /// When it was last opened.
    pub last_opened_at: Time,
}
