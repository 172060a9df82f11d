//! What goes out and what comes in.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// How it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ExchangeFormat {
    /// Everything, an object a line.
    #[default]
    JsonLines,
    /// The rules in force, for people to read and to write.
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
    Episode,
    Features,
    SkillUse,
    Trace,
    TraceFeedback,
    Influence,
    Followed,
    Draft,
    Origin,
}

/// How many lines of a kind went out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindCount {
    /// The kind.
    pub kind: RecordKind,
    /// So many.
    pub count: u32,
}

/// A file is whole and in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// By kind, in the order of the file; none of which there is nothing.
    pub kinds: Vec<KindCount>,
    /// What stayed behind: it is not what was once written, or belongs to a book that nobody knows.
    pub left_out: u32,
    /// When.
    pub exported_at: Time,
}

/// What becomes of the lines of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KindTaken {
    /// The kind.
    pub kind: RecordKind,
    /// Not here yet.
    pub new: u32,
    /// Here in an older version, and brought up to date.
    pub newer: u32,
    /// Here as it is.
    pub same: u32,
    /// Here in the same version and otherwise: what is here stays.
    pub conflicting: u32,
    /// Stays out: here it is newer, or was deleted, or what it belongs to is not here, or there is no room for it.
    pub left_out: u32,
}

impl KindTaken {
    /// No line of `kind` so far.
    #[must_use]
    pub fn none(kind: RecordKind) -> Self {
        Self { kind, new: 0, newer: 0, same: 0, conflicting: 0, left_out: 0 }
    }

    /// Whether anything of it changes what is here.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.new + self.newer > 0
    }
}

/// What came in, or would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Nothing was written.
    pub dry_run: bool,
    /// By kind, in the order of the file; none of which there is nothing.
    pub kinds: Vec<KindTaken>,
    /// Backups were made before: something was going to change.
    pub backed_up: bool,
}

impl Imported {
    /// Whether anything of it changes what is here.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.kinds.iter().any(KindTaken::changes)
    }
}
