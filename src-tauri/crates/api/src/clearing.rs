//! Clearing what is remembered, and who has done it.

use std::sync::PoisonError;

use palimpsest_memory::{ClearingWatch, Error, model::ClearedCounts};

use crate::{
    Api,
    dto::{ClearAll, ClearProject, ClearingLog, Nothing},
    error::ApiError,
    system::user_name,
};

impl Api {
    pub(crate) fn clear_project(&self, args: ClearProject) -> Result<ClearedCounts, ApiError> {
        let ClearProject { project_id, confirmed } = args;
        let stop = || self.stop_generations(Some(&project_id));
        self.cleared(self.engine.clear_project(&project_id, confirmed == Some(true), &user_name(), &stop))
    }

    pub(crate) fn clear_all(&self, args: ClearAll) -> Result<ClearedCounts, ApiError> {
        let stop = || self.stop_generations(None);
        self.cleared(self.engine.clear_all(args.confirmed == Some(true), &user_name(), &stop))
    }

    pub(crate) fn clear_log(&self, _: Nothing) -> Result<ClearingLog, ApiError> {
        Ok(ClearingLog { clearings: self.engine.clearing_log()? })
    }

    /// Tells each step of a clearing to `watch`.
    pub fn watch_clearing(&self, watch: Option<ClearingWatch>) {
        self.engine.watch_clearing(watch);
    }

    fn cleared(
        &self,
        cleared: Result<palimpsest_memory::model::Changed<ClearedCounts>, Error>,
    ) -> Result<ClearedCounts, ApiError> {
        match cleared {
            Ok(changed) => Ok(self.tell(changed)),
            Err(error) => {
                // What was begun is gone on with as soon as it can be.
                self.indexer.wake();
                Err(error)
            }
        }
    }

    /// Stops what is being written, and what is being learned, from a memory that is going to be gone; nothing of it is
    /// kept afterwards.
    fn stop_generations(&self, project_id: Option<&str>) {
        self.engine.stop_distilling(project_id);
        self.measurements.stop(project_id);
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|_, run| {
            let concerned = project_id.is_none_or(|id| id == run.project_id);
            if concerned {
                run.stop.set();
            }
            !concerned
        });
    }
}
