//! Export and import of a story: a page for people, and lorebooks of other programs.

use palimpsest_memory::model::{ExportStory, ExportedStory, ImportStory, ImportedStory};

use crate::{Api, books::absolute, error::ApiError};

impl Api {
    pub(crate) fn story_export(&self, args: ExportStory) -> Result<ExportedStory, ApiError> {
        let path = absolute(&args.path)?;
        // The chapters that a fact is known from are a part of the file.
        self.engine.export_story(&args, &path, &self.chapter_order(&args.project_id)?)
    }

    pub(crate) fn story_import(&self, args: ImportStory) -> Result<ImportedStory, ApiError> {
        let path = absolute(&args.path)?;
        let order = self.chapter_order(&args.project_id)?;
        let imported = self.engine.import_story(&args, &path, &order)?;
        Ok(if imported.value.change_id.is_none() { imported.value } else { self.emit_changed(imported) })
    }
}
