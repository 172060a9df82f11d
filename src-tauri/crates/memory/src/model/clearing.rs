//! Clearing: what was taken out, by whom, and when.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// How much a clearing took out, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct ClearedCounts {
    /// Episodes.
    pub episodes: u32,
    /// Their vectors.
    pub vectors: u32,
    /// Texts in the index of words.
    pub words: u32,
    /// Traces of generations.
    pub traces: u32,
    /// Marks of origin.
    pub origins: u32,
    /// Rules.
    pub rules: u32,
    /// Versions of rules, those of rules that were gone already included.
    pub rule_versions: u32,
    /// Items of working memory.
    pub working_items: u32,
    /// Backups, and damaged files that had been set aside.
    pub backups: u32,
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Clearing {
    /// UUID.
    pub clearing_id: String,
    /// The book, or `null` for everything.
    pub project_id: Option<String>,
    /// Who asked for it: the user of the system, or `writer` where that is not known.
    pub requested_by: String,
    /// When.
    pub requested_at: Time,
    /// When nothing was left; `null` while it is under way.
    pub finished_at: Option<Time>,
    /// How much.
    pub counts: ClearedCounts,
    /// The book was forgotten too: title, folder, names and recovery copies.
    pub forgets_book: bool,
}

/// What a clearing has just done. It may be stopped after any of them, and goes on when the memory is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClearingStep {
    /// The intent stands in `rules.db`, and the rules are gone.
    Begun,
    /// Some rows of `episodes.db` are gone.
    Erased,
    /// A part of the index of words was written anew, without what is gone.
    WordsPurged,
    /// `episodes.db` was written anew.
    EpisodesCompacted,
    /// `rules.db` was written anew.
    RulesCompacted,
    /// It is in no backup any more.
    BackupsCleared,
    /// The audit log says that it is done.
    Finished,
}
