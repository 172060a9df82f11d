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
    /// 0..1 now: what it started with, faded by age, raised by each touch, lower beside the present focus.
    pub importance: f64,
    /// What a signal comes to so far; nothing else has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub weight: Option<f64>,
    /// The skill a signal was seen in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// The kind of scene a signal was seen in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub scene_type: Option<String>,
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
    /// Of a signal: -1.5..1.5, default 0.5. The same signal again adds to it.
    #[specta(optional)]
    pub weight: Option<f64>,
    /// Of a signal: the skill it was seen in, default `ask`.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// Of a signal: the kind of scene it was seen in.
    #[specta(optional)]
    pub scene_type: Option<String>,
}

impl WorkingDraft {
    /// An item with nothing but its words.
    #[must_use]
    pub fn new(project_id: impl Into<String>, kind: WorkingKind, text: impl Into<String>) -> Self {
        Self {
            project_id: project_id.into(),
            kind,
            text: text.into(),
            importance: None,
            weight: None,
            skill_used: None,
            scene_type: None,
        }
    }
}

/// What became of a session's signals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EndedSession {
    /// Signals that added up and were condensed into episodes.
    pub archived: u32,
    /// Signals that did not.
    pub dropped: u32,
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
