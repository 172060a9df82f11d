//! Items of working memory: this session only, never on disk.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ProjectId, Scope, Time};

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum WorkingKind {
    /// The writer's present position in the text.
    Focus,
    /// The writer's intention.
    Intent,
    /// An undo or redo.
    Undo,
    /// A sign of a preference, not yet strong enough to be stored.
    Signal,
    /// A request to the assistant and its result.
    Exchange,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkingItem {
    /// Unique in the session.
    pub item_id: String,
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Always `project`: working memory is never shared between projects.
    pub scope: Scope,
    /// Increases by one with each change.
    pub version: u32,
    /// Decides how long it stays.
    pub kind: WorkingKind,
    /// As it goes into a prompt.
    pub text: String,
    /// Counted by the tokenizer.
    pub tokens: u32,
    /// Present importance, 0..1: the initial value, reduced by age and by distance from the present focus, raised by
    /// each touch.
    pub importance: f64,
    /// Accumulated weight of a signal; `null` for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub weight: Option<f64>,
    /// Skill of a signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// Scene type of a signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// When it was added.
    pub created_at: Time,
    /// When it was last added again or used.
    pub touched_at: Time,
}

/// An item to add.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkingDraft {
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Decides how long it stays.
    pub kind: WorkingKind,
    /// 1 to 8,000 tokens.
    pub text: String,
    /// 0..1, default by kind.
    #[specta(optional)]
    pub importance: Option<f64>,
    /// For a signal: -1.5..1.5, default 0.5. Adding the same signal again adds to it.
    #[specta(optional)]
    pub weight: Option<f64>,
    /// For a signal: its skill, default `ask`.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// For a signal: its scene type.
    #[specta(optional)]
    pub scene_type: Option<String>,
}

impl WorkingDraft {
    /// An item with defaults and this text.
    #[must_use]
    pub fn new(project_id: impl Into<ProjectId>, kind: WorkingKind, text: impl Into<String>) -> Self {
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

/// The fate of a session's signals at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct EndedSession {
    /// Signals that reached the threshold and were condensed into episodes.
    pub archived: u32,
    /// Signals that did not reach it.
    pub dropped: u32,
}

/// The contents of working memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct WorkingList {
    /// Most important first.
    pub items: Vec<WorkingItem>,
    /// Tokens of all items together.
    pub tokens: u32,
    /// The hard limit, in tokens.
    pub budget_tokens: u32,
}
