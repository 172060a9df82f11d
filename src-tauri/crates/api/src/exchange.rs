//! Export and import of the memory as a file.

use palimpsest_memory::model::{ExchangeFormat, Exported, Imported, ProjectId};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Api, books::absolute, error::ApiError};

/// Exports the memory to a file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExportMemory {
    /// Only this book; without one, everything (as Markdown: the global rules).
    #[specta(optional)]
    pub project_id: Option<ProjectId>,
    /// An absolute path; an existing file is replaced.
    pub path: String,
    /// Default `jsonLines`.
    #[specta(optional)]
    pub format: Option<ExchangeFormat>,
}

/// Imports an exported file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ImportMemory {
    /// An absolute path.
    pub path: String,
    /// Only returns the outcome.
    pub dry_run: bool,
    /// Default `jsonLines`.
    #[specta(optional)]
    pub format: Option<ExchangeFormat>,
    /// Markdown only: the book of new rules, except for lines marked as global; without one, all are global.
    #[specta(optional)]
    pub project_id: Option<ProjectId>,
}

impl Api {
    pub(crate) fn export(&self, args: ExportMemory) -> Result<Exported, ApiError> {
        let (path, project) = (absolute(&args.path)?, args.project_id.as_ref());
        match args.format.unwrap_or_default() {
            ExchangeFormat::JsonLines => self.engine.export(project, &path),
            ExchangeFormat::Markdown => self.engine.export_sheet(project, &path),
        }
    }

    pub(crate) fn import(&self, args: ImportMemory) -> Result<Imported, ApiError> {
        let path = absolute(&args.path)?;
        let imported = match (args.format.unwrap_or_default(), args.project_id.as_ref()) {
            (ExchangeFormat::JsonLines, Some(_)) => {
                return Err(ApiError::invalid("projectId", "the file says what belongs to which book"));
            }
            (ExchangeFormat::JsonLines, None) => self.engine.import(&path, args.dry_run),
            (ExchangeFormat::Markdown, project) => self.engine.import_sheet(project, &path, args.dry_run),
        };
        // Imported episodes are indexed; an unfinished import is tried again.
        self.indexer.wake();
        let imported = imported?;
        Ok(if args.dry_run || !imported.value.changes() { imported.value } else { self.emit_changed(imported) })
    }
}
