//! Erasure: the places that contain the words of a deleted memory, and their removal.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{GenerationId, ProjectId, Time};

/// The kind of memory whose words are erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ErasureKind {
    /// The words of an episode.
    Episode,
    /// The words of a rule.
    Rule,
    /// Names that were removed from a project's map.
    Names,
    /// The words of a journal entry, which stays as an empty one.
    Journal,
    /// The words of an answer, its events and citations.
    Answer,
}

/// Places that hold the words of a deleted memory because of that memory, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct WordCounts {
    /// Prompts of earlier generations, with the memories cited in them; and traces that list it among what was cut.
    pub traces: u32,
    /// The writer's remarks on it in traces.
    pub notes: u32,
    /// Episodes recorded by the program for a "wrong" verdict on a rule: they quote the rule.
    pub remarks: u32,
    /// Versions of a rule in its history.
    pub rule_versions: u32,
    /// Tombstones of a rule.
    pub tombstones: u32,
    /// Changes in the list of runs.
    pub run_changes: u32,
    /// Backups. Before an erasure, all existing ones: their contents are not read.
    pub backups: u32,
    /// Damaged files that were moved aside. An erasure deletes them.
    pub set_aside: u32,
}

/// Other memories and texts that contain a whole sentence of a deleted memory. They are never changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", default)]
pub struct AlsoIn {
    /// Number of other episodes.
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
    /// `true`: the words are erased. `false`: only the memory itself is deleted.
    pub everywhere: bool,
    /// When the erasure ended. `null` without an erasure, and while it is under way; it ends at the latest when the
    /// memory is opened again.
    pub finished_at: Option<Time>,
    /// Places where they were erased, or where they remain.
    pub places: WordCounts,
    /// Other texts that contain them; `null` without an erasure.
    pub also_in: Option<AlsoIn>,
}

/// One erasure: a line of the audit log. Holds no words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Erasure {
    /// UUID.
    pub erasure_id: String,
    /// The kind of the erased memory.
    pub kind: ErasureKind,
    /// Id of the episode or rule; for names, of the project.
    pub target_id: String,
    /// UUID of the project, or `null` for a global rule.
    pub project_id: Option<ProjectId>,
    /// The generation of the episode; `null` if unknown.
    pub generation_id: Option<GenerationId>,
    /// Who asked for it: the user of the system, or `writer` where that is not known.
    pub requested_by: String,
    /// When it was requested.
    pub requested_at: Time,
    /// When the last copy was erased; `null` while it is under way.
    pub finished_at: Option<Time>,
    /// Erased places.
    pub counts: WordCounts,
}
