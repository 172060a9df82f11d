//! A book.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// The language a book is written in: of its prompts, its rules and its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Language {
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// One book: a folder of chapters, or a manuscript that lives in another editor, and its memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// UUID; for a folder, the one in its small file.
    pub project_id: String,
    /// As shown.
    pub title: String,
    /// Of the book, not of the interface.
    pub language: Language,
    /// The folder, or `null` where another editor keeps the manuscript.
    pub path: Option<String>,
    /// When the memory first saw it.
    pub created_at: Time,
    /// When it was last opened.
    pub last_opened_at: Time,
}
