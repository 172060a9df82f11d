//! Export and import of a story: lorebooks of other programs, and a page that people read and write.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Position, ProjectId, Time};

/// The format of a file with a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum LorebookFormat {
    /// A page that people read and write. It has all but the history, and reads back.
    Markdown,
    /// A lorebook of `SillyTavern` (world info), as JSON.
    SillyTavern,
    /// A codex as `Novelcrafter` has its entries, as JSON.
    Novelcrafter,
}

/// Exports the accepted entities of a book with their facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportStory {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// An absolute path; an existing file is replaced.
    pub path: String,
    /// The format of the file.
    pub format: LorebookFormat,
    /// The position up to which the book is known; by default its end.
    #[specta(optional)]
    pub at: Option<Position>,
}

/// The report of an exported story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ExportedStory {
    /// Number of entities.
    pub entities: u32,
    /// Number of facts that hold.
    pub facts: u32,
    /// The time of the export.
    pub exported_at: Time,
}

/// Imports a story into a book, as the writer's word: a page, or a lorebook in any of the formats that are read, which
/// the file itself says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportStory {
    /// UUID of the book.
    pub project_id: ProjectId,
    /// An absolute path.
    pub path: String,
    /// Only returns the outcome.
    pub dry_run: bool,
}

/// The report of an import of a story, or of its preview. The import is one change: all of it or nothing is written,
/// and `story:undo` takes it back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ImportedStory {
    /// Preview only: nothing was written.
    pub dry_run: bool,
    /// Id of the change, for `story:undo`; `null` if nothing is new.
    pub change_id: Option<String>,
    /// Entities that the book does not have yet, detected ones among them.
    pub new_entities: u32,
    /// Accepted entities that get names or facts.
    pub changed_entities: u32,
    /// Accepted entities that have all of it already.
    pub same_entities: u32,
    /// Facts that the book does not have yet.
    pub new_facts: u32,
    /// Facts with the same words that the book has already.
    pub same_facts: u32,
    /// New facts with a quote that the text does not have, or has in several chapters: they have no citation.
    pub lost_quotes: u32,
    /// Kinds of fields of the file that have no meaning here.
    pub ignored_fields: u32,
    /// Names that are patterns or too long, and relations to entities that there are not.
    pub left_out: u32,
}
