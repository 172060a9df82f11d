//! What a write changed, so that whoever looks on knows what to read again.

use serde::{Deserialize, Serialize};
use specta::Type;

/// A part of the memory that can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Topic {
    /// Semantic rules.
    Rules,
    /// Episodes.
    Episodes,
    /// Traces and marks of origin.
    Traces,
    /// Working memory.
    Working,
    /// The program's settings.
    Settings,
    /// The books that are known.
    Projects,
    /// Providers, and the models of the purposes.
    Models,
    /// What models have cost today, and the limits.
    Usage,
    /// Names that are hidden from models.
    Names,
    /// Backups.
    Backups,
    /// How maintenance last went.
    Maintenance,
}

/// What changed, and in which book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The book, or `null` for all of them.
    pub project_id: Option<String>,
    /// The parts that changed.
    pub what: Vec<Topic>,
}

/// The result of a write, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "somebody has to be told what changed"]
pub struct Changed<T> {
    /// The result.
    pub value: T,
    /// What it changed.
    pub change: Change,
}

impl<T> Changed<T> {
    /// `value`, having changed `what` in one book or, with `None`, in all.
    pub fn new(value: T, project_id: Option<String>, what: impl Into<Vec<Topic>>) -> Self {
        Self { value, change: Change { project_id, what: what.into() } }
    }
}
