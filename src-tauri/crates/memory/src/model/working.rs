//! Items of working memory: this session only, never on disk.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Scope, Time};

/// What an item is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum WorkingKind {
    /// Where the writer is working.
    Focus,
    /// What the writer is up to.
    Intent,
    /// An undo or redo.
    Undo,
    /// A sign of a preference, not yet enough to be kept.
    Signal,
    /// What was asked of the assistant and what came of it.
    Exchange,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkingItem {
    /// Unique in the session.
    pub item_id: String,
    /// The book it belongs to.
    pub project_id: String,
    /// Always `project`: working memory never crosses books.
    pub scope: Scope,
    /// Goes up by one with each change.
    pub version: u32,
    /// What it is about.
    pub kind: WorkingKind,
    /// The item itself.
    pub text: String,
    /// Counted by the tokenizer.
    pub tokens: u32,
    /// 0..1 now: what it started with, faded by age, raised by each touch.
    pub importance: f64,
    /// When it came.
    pub created_at: Time,
    /// When it was last put or used.
    pub touched_at: Time,
}

/// An item to put.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkingDraft {
    /// The book.
    pub project_id: String,
    /// What it is about.
    pub kind: WorkingKind,
    /// 1 to 8,000 tokens.
    pub text: String,
    /// 0..1, default by kind.
    #[specta(optional)]
    pub importance: Option<f64>,
}

/// What is in working memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkingList {
    /// Most important first.
    pub items: Vec<WorkingItem>,
    /// All items together.
    pub tokens: u32,
    /// The hard limit.
    pub budget_tokens: u32,
}
