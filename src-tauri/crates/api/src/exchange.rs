//! What is remembered, out to a file and in again.

use palimpsest_memory::model::{ExchangeFormat, Exported, Imported};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{Api, books::absolute, error::ApiError};

/// What is remembered, written to a file.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportMemory {
    /// Only this book; without one, everything (as Markdown: the rules for all books).
    #[specta(optional)]
    pub project_id: Option<String>,
    /// An absolute path; a file that is there is replaced.
    pub path: String,
    /// Default `jsonLines`.
    #[specta(optional)]
    pub format: Option<ExchangeFormat>,
}

/// What was written to a file, taken in.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportMemory {
    /// An absolute path.
    pub path: String,
    /// Only says what would become of it.
    pub dry_run: bool,
    /// Default `jsonLines`.
    #[specta(optional)]
    pub format: Option<ExchangeFormat>,
    /// Markdown only: the book whose rules new lines become, unless they say that they are for all; without one, all of
    /// them are.
    #[specta(optional)]
    pub project_id: Option<String>,
}

impl Api {
    pub(crate) fn export(&self, args: ExportMemory) -> Result<Exported, ApiError> {
        let (path, project) = (absolute(&args.path)?, args.project_id.as_deref());
        match args.format.unwrap_or_default() {
            ExchangeFormat::JsonLines => self.engine.export(project, &path),
            ExchangeFormat::Markdown => self.engine.export_sheet(project, &path),
        }
    }

    pub(crate) fn import(&self, args: ImportMemory) -> Result<Imported, ApiError> {
        let path = absolute(&args.path)?;
        let imported = match (args.format.unwrap_or_default(), args.project_id.as_deref()) {
            (ExchangeFormat::JsonLines, Some(_)) => {
                return Err(ApiError::invalid("projectId", "the file says what belongs to which book"));
            }
            (ExchangeFormat::JsonLines, None) => self.engine.import(&path, args.dry_run),
            (ExchangeFormat::Markdown, project) => self.engine.import_sheet(project, &path, args.dry_run),
        };
        // What has come is indexed; what could not be finished is tried again.
        self.indexer.wake();
        let imported = imported?;
        Ok(if args.dry_run || !imported.value.changes() { imported.value } else { self.tell(imported) })
    }
}
