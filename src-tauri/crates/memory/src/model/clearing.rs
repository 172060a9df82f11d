//! Clearing: the deleted rows, who asked, and when.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ProjectId, Time};

/// Deleted rows and files, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct ClearedCounts {
    /// Number of deleted episodes.
    pub episodes: u32,
    /// Their vectors.
    pub vectors: u32,
    /// Texts in the index of words.
    pub words: u32,
    /// Traces of generations.
    pub traces: u32,
    /// Marks of origin.
    pub origins: u32,
    /// Entries of the journal.
    pub journal: u32,
    /// Questions that were kept with their answers.
    pub answers: u32,
    /// Number of deleted rules.
    pub rules: u32,
    /// Versions of rules, including those of rules deleted earlier.
    pub rule_versions: u32,
    /// Items of working memory.
    pub working_items: u32,
    /// Backups, and damaged files that were moved aside.
    pub backups: u32,
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Clearing {
    /// UUID.
    pub clearing_id: String,
    /// UUID of the project, or `null` for everything.
    pub project_id: Option<ProjectId>,
    /// Who asked for it: the user of the system, or `writer` where that is not known.
    pub requested_by: String,
    /// When it was requested.
    pub requested_at: Time,
    /// When the last copy was deleted; `null` while the clearing is under way.
    pub finished_at: Option<Time>,
    /// Deleted rows and files.
    pub counts: ClearedCounts,
    /// The project itself was deleted too: title, folder, names and recovery copies.
    pub forgets_book: bool,
}

/// The step that a clearing has just finished. A crash after any of them is safe: the clearing continues when the
/// memory is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClearingStep {
    /// The request is stored in `rules.db`, and the rules are deleted.
    Begun,
    /// Some rows of `episodes.db` are deleted.
    Erased,
    /// A part of the word index was rewritten without the deleted texts.
    WordsPurged,
    /// `episodes.db` was rewritten (VACUUM).
    EpisodesCompacted,
    /// `rules.db` was rewritten (VACUUM).
    RulesCompacted,
    /// No backup contains the data any more.
    BackupsCleared,
    /// The audit log records the end.
    Finished,
}
