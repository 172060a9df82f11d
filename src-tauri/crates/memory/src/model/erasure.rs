//! Deletion everywhere: where the words of a deleted memory are, and what was done about them.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// What is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ErasureKind {
    /// The words of an episode.
    Episode,
    /// The words of a rule.
    Rule,
    /// Names that were taken off a book's map.
    Names,
}

/// Places that hold the words of a deleted memory because of that memory, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct WordCounts {
    /// Prompts of earlier generations, with the memories cited in them; and traces that list it among what was cut.
    pub traces: u32,
    /// The writer's notes on it in traces.
    pub notes: u32,
    /// Episodes that the program recorded of a "wrong" about a rule: they quote the rule.
    pub remarks: u32,
    /// Versions of a rule in its history.
    pub rule_versions: u32,
    /// Tombstones of a rule.
    pub tombstones: u32,
    /// Changes in the list of runs.
    pub run_changes: u32,
    /// Backups. Before an erasure: those there are; whether one holds the words is not read.
    pub backups: u32,
    /// Damaged files that were moved aside. An erasure deletes them.
    pub set_aside: u32,
}

/// Other memories and texts that hold a whole sentence of a deleted memory. They are never touched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct AlsoIn {
    /// Episodes.
    pub episodes: u32,
    /// Traces, by their passage.
    pub traces: u32,
    /// Rules, by their present words or those of their history.
    pub rules: u32,
    /// Items of working memory.
    pub working_items: u32,
    /// Recovery copies of chapters.
    pub recovery_copies: u32,
}

/// The words of a memory that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct DeletedWords {
    /// `true`: they were erased. `false`: only the memory itself is gone.
    pub everywhere: bool,
    /// When the erasure ended. `null`: there is none, or it is under way and is finished at the latest when the memory
    /// is opened again.
    pub finished_at: Option<Time>,
    /// Where they were erased, or where they remain.
    pub places: WordCounts,
    /// Other texts that hold them; `null` without an erasure.
    pub also_in: Option<AlsoIn>,
}

/// One erasure: a line of the audit log. Holds no words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Erasure {
    /// UUID.
    pub erasure_id: String,
    /// What was erased.
    pub kind: ErasureKind,
    /// The episode or the rule; for names, the book.
    pub target_id: String,
    /// The book, or `null` for a global rule.
    pub project_id: Option<String>,
    /// The generation that an episode was recorded of.
    pub generation_id: Option<String>,
    /// Who asked for it: the user of the system, or `writer` where that is not known.
    pub requested_by: String,
    /// When.
    pub requested_at: Time,
    /// When nothing was left; `null` while it is under way.
    pub finished_at: Option<Time>,
    /// How much.
    pub counts: WordCounts,
}
