//! The parts of the memory that a write changed, so that subscribers know what to read again.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::ProjectId;

/// A part of the memory that can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Topic {
    /// Semantic rules.
    Rules,
    /// Recorded passages and what the writer did with them.
    Episodes,
    /// Traces and marks of origin.
    Traces,
    /// Working memory.
    Working,
    /// Passages of the manuscript, and the program's findings in it.
    Story,
    /// Entries of the journal.
    Journal,
    /// Answers and their standing.
    Answers,
    /// The knowledge of books: records, questions, the study.
    Knowledge,
    /// The program's settings.
    Settings,
    /// The known projects.
    Projects,
    /// Providers, and the models of the purposes.
    Models,
    /// Programs that answer questions.
    Backends,
    /// Model costs of today, and the limits.
    Usage,
    /// Names that are hidden from models.
    Names,
    /// Copies of the databases.
    Backups,
    /// Results of the last maintenance runs.
    Maintenance,
}

/// The changed parts and their project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// UUID of the project, or `null` for all of them.
    pub project_id: Option<ProjectId>,
    /// The parts that changed.
    pub what: Vec<Topic>,
}

/// The result of a write with the changes it made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the change has to be emitted as an event"]
pub struct Changed<T> {
    /// The result.
    pub value: T,
    /// The topics that subscribers read again.
    pub change: Change,
}

impl<T> Changed<T> {
    /// `value`, having changed `what` in one book or, with `None`, in all.
    pub fn new(value: T, project_id: Option<ProjectId>, what: impl Into<Vec<Topic>>) -> Self {
        Self { value, change: Change { project_id, what: what.into() } }
    }
}
