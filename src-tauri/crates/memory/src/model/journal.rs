//! The journal: one immutable entry for each thing that was done in a book.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{AnswerId, ChapterId, Choice, GenerationId, ImplicitSignal, JournalEntryId, ProjectId, Time};

/// The kind of event that an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum JournalKind {
    /// The writer's decision on a run of a skill, or its undo.
    Skill,
    /// A question and its answer.
    Ask,
    /// A step of the study of the book.
    Study,
    /// A session of writing.
    Session,
    /// Anything else that a program stored.
    Note,
}

/// Who worded an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum WordedBy {
    /// The program, by a template.
    Template,
    /// The model of the purpose.
    Model,
    /// The program that stored it by `journal:store`, or the file it was imported from.
    Client,
}

/// An entry of the journal. It never changes; the writer can redact it, which leaves an empty one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// UUID.
    pub id: JournalEntryId,
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Time of the action that the entry describes.
    pub timestamp: Time,
    /// The kind of its event.
    pub kind: JournalKind,
    /// A concise factual summary of 1 to 1,200 characters; empty if the entry is redacted.
    pub content: String,
    /// Id of the episode, answer or session that it is about.
    pub ref_id: Option<String>,
    /// Who worded it.
    pub worded_by: WordedBy,
    /// True if the writer has redacted the entry.
    pub is_redacted: bool,
    /// The chapter of the episode, while the episode exists.
    pub chapter_id: Option<ChapterId>,
    /// The generation of the episode, while the episode exists.
    pub generation_id: Option<GenerationId>,
    /// The answer that a question or a study kept, while it exists.
    pub answer_id: Option<AnswerId>,
}

impl fmt::Debug for JournalEntry {
    // The content may quote the writer: not even a failed assertion shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalEntry").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Stores an entry that the caller has worded.
#[derive(Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoreEntry {
    /// UUID of a known book.
    pub project_id: ProjectId,
    /// 1 to 1,200 characters; line breaks are allowed, other control characters are not.
    pub content: String,
    /// The kind of its event.
    pub kind: JournalKind,
    /// Id of the episode, answer or session that it is about, 1 to 200 characters.
    #[specta(optional)]
    pub ref_id: Option<String>,
    /// Time of the action, not in the future. Default now.
    #[specta(optional)]
    pub occurred_at: Option<Time>,
}

impl fmt::Debug for StoreEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreEntry").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The answer to a [`StoreEntry`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct StoredEntry {
    /// UUID.
    pub entry_id: JournalEntryId,
}

/// Lists the entries of a book, latest first.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JournalQuery {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Only entries of this kind.
    #[specta(optional)]
    pub kind: Option<JournalKind>,
    /// Only entries that come after this one in the list, which are the earlier ones.
    #[specta(optional)]
    pub before: Option<JournalEntryId>,
    /// Maximum number of entries, 1..200. Default 50.
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// Some entries of a book.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JournalPage {
    /// Latest first; entries of the same time in the reverse order of writing.
    pub entries: Vec<JournalEntry>,
    /// Number of all entries of the kind that was asked for.
    pub total: u32,
    /// True if the journal has earlier entries than these.
    pub has_more: bool,
    /// True if new entries are written for the book.
    pub is_kept: bool,
}

/// Searches the entries of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecallJournal {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// A description of the information that is needed; not blank.
    pub query: String,
    /// Maximum number of entries, 1..50. Default 5.
    #[specta(optional)]
    pub top_k: Option<u32>,
    /// Only entries of this kind.
    #[specta(optional)]
    pub kind: Option<JournalKind>,
}

/// An entry that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundEntry {
    /// The whole entry.
    pub entry: JournalEntry,
    /// 0..1; the best first, of equal ones the later. Age has no part in it.
    pub score: f64,
    /// The signals that found it: `words`, `meaning`.
    pub matched_by: Vec<String>,
}

/// The answer to a [`RecallJournal`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundEntries {
    /// Best first. Redacted entries are never among them.
    pub entries: Vec<FoundEntry>,
    /// True if the search worked by words only or on part of the vectors.
    pub degraded: bool,
    /// The reason, if `degraded` is true.
    pub degraded_reason: Option<String>,
}

/// Result of the check of a book's chain of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct JournalCheck {
    /// Number of entries, redacted ones included.
    pub entries: u32,
    /// Number of redacted ones among them.
    pub redacted: u32,
    /// True if every entry has the content and the place that it was written with, and none is missing. A redacted one
    /// is proved by its hash alone.
    pub is_whole: bool,
    /// The first entry, in the order of writing, that does not agree with the chain.
    pub broken_at: Option<JournalEntryId>,
    /// Number of entries that were written and are not there any more, at least, apart from those of `leftBehind`.
    pub missing: u32,
    /// Number of entries, at least, that a backup did not have which was put in the place of the file. They are not
    /// counted as missing.
    pub left_behind: u32,
    /// The last time at which a backup was put in place that did not have all entries.
    pub replaced_at: Option<Time>,
    /// Time of the earliest entry; `null` for an empty journal.
    pub since: Option<Time>,
}

/// Empties an entry for good.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RedactEntry {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// An entry of the book.
    pub entry_id: JournalEntryId,
    /// Must be `true`: it cannot be undone.
    pub confirmed: bool,
}

/// The report of a redaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RedactedEntry {
    /// The entry as it is now.
    pub entry: JournalEntry,
    /// Time at which the words were gone from every file, also from the backups; `null` while that continues in the
    /// background.
    pub finished_at: Option<Time>,
}

/// A decision on a run of a skill, as the entry of a session needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Time of the decision.
    pub at: Time,
    /// The chapter that the skill was run in.
    pub chapter_id: ChapterId,
    /// The skill that was run.
    pub skill: String,
    /// The choice among the candidates.
    pub choice: Choice,
    /// The signal of the writer's behaviour.
    pub implicit: ImplicitSignal,
}

/// The event that an entry is still to be written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JournalEvent {
    /// The writer took a candidate, or rejected all.
    Decided,
    /// The writer undid the insertion.
    Undone,
    /// A session of writing began; its entry is written once it has ended.
    Session,
}

/// The format of a journal in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum JournalFormat {
    /// `entries.json`: an array of `{id, timestamp, content, embedding}`.
    #[default]
    Entries,
    /// One entry a line, with kind and reference.
    JsonLines,
}

/// Writes the entries of a book into a file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportJournal {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Absolute path of the file, which is replaced.
    pub path: String,
    /// Default `entries`.
    #[serde(default)]
    #[specta(optional)]
    pub format: JournalFormat,
}

/// The report of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ExportedJournal {
    /// Number of entries in the file.
    pub entries: u32,
    /// Number of redacted ones, which are not in it.
    pub redacted: u32,
    /// The time of the export.
    pub exported_at: Time,
}

/// Reads entries from a file into a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportJournal {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// Absolute path of the file; either format.
    pub path: String,
    /// True to report what an import would bring, without importing.
    pub dry_run: bool,
}

/// The report of an import or of its preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ImportedJournal {
    /// True if this is only a report and nothing was imported.
    pub dry_run: bool,
    /// Number of entries that the book does not have.
    pub new: u32,
    /// Number of entries that it has.
    pub same: u32,
    /// Number of entries that are not imported: they are redacted here, or are here with other words.
    pub left_out: u32,
    /// True if a backup was made before the import.
    pub backed_up: bool,
}

/// Sets whether a journal is kept of a book.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeepJournal {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// True to write new entries, false to stop. Existing entries stay.
    pub is_kept: bool,
}

/// The switch of a book's journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct KeptJournal {
    /// True if new entries are written for the book.
    pub is_kept: bool,
}
