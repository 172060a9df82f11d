//! The commands about places of a book that do not agree.

use palimpsest_memory::model::{ContinuityIssue, ContinuityList, ResolveContinuity};

use crate::{Api, dto::ProjectArguments, error::ApiError};

impl Api {
    pub(crate) fn continuity_list(&self, args: ProjectArguments) -> Result<ContinuityList, ApiError> {
        self.engine.continuity_issues(&args.project_id, &self.order_for(&args.project_id, None)?)
    }

    pub(crate) fn continuity_resolve(&self, args: ResolveContinuity) -> Result<ContinuityIssue, ApiError> {
        let order = self.order_for(&args.project_id, None)?;
        Ok(self.emit_changed(self.engine.resolve_continuity(&args, &order)?))
    }
}
