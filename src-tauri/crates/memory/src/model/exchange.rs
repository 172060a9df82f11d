//! Export and import.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// The format of an exported file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ExchangeFormat {
    /// All memories, one JSON object per line.
    #[default]
    JsonLines,
    /// The active rules, as text that people read and write.
    Markdown,
}

/// The kind of a line in a file of memories, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "a variant is named after the record that it stands for")]
pub enum RecordKind {
    Project,
    Deletion,
    Name,
    Pause,
    Run,
    RunChange,
    Learned,
    RuleVersion,
    Tombstone,
    Rule,
    Support,
    FoundIn,
    Verdict,
    Conflict,
    Evidence,
    Entity,
    EntityName,
    Dismissal,
    Fact,
    Knower,
    Citation,
    ContinuityResolution,
    KnowledgeSettings,
    Practice,
    Episode,
    Features,
    SkillUse,
    Trace,
    TraceFeedback,
    Influence,
    Followed,
    Draft,
    JournalEntry,
    Answer,
    AnswerCitation,
    AnswerEvent,
    Question,
    ComparedPair,
    StudiedRecord,
    Origin,
}

/// Number of exported lines of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindCount {
    /// The kind of line.
    pub kind: RecordKind,
    /// Number of lines.
    pub count: u32,
}

/// The report of a completed export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// By kind, in the order of the file; kinds without lines are left out.
    pub kinds: Vec<KindCount>,
    /// Rows that were not exported: their seal does not match, or their project is unknown.
    pub left_out: u32,
    /// When the file was written.
    pub exported_at: Time,
}

/// Number of lines of one kind by the result of their import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindTaken {
    /// The kind of line.
    pub kind: RecordKind,
    /// Number of lines without a row here.
    pub new: u32,
    /// Present in an older version, and updated.
    pub newer: u32,
    /// Present and equal.
    pub same: u32,
    /// Present in the same version with other content: the present content stays.
    pub conflicting: u32,
    /// Not imported: the present version is newer, the row was deleted here, its owner is missing, or the capacity is
    /// reached.
    pub left_out: u32,
}

impl KindTaken {
    /// A tally of `kind` with all counts 0.
    #[must_use]
    pub fn none(kind: RecordKind) -> Self {
        Self { kind, new: 0, newer: 0, same: 0, conflicting: 0, left_out: 0 }
    }

    /// Whether an import changes the memory.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.new + self.newer > 0
    }
}

/// The report of an import or of its preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Preview only: nothing was written.
    pub dry_run: bool,
    /// By kind, in the order of the file; kinds without lines are left out.
    pub kinds: Vec<KindTaken>,
    /// Backups made before the import; none if nothing changes.
    pub backed_up: bool,
}

impl Imported {
    /// Whether the import changes the memory.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.kinds.iter().any(KindTaken::changes)
    }
}
