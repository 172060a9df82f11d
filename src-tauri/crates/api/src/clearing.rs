//! Clearing what is remembered, and the account of it in the audit log.

use palimpsest_memory::{
    ClearingWatch, Error,
    model::{ClearedCounts, ProjectId},
};

use crate::{
    Api,
    dto::{ClearAll, ClearProject, ClearingLog, NoArguments},
    error::ApiError,
    system::user_name,
};

impl Api {
    pub(crate) fn clear_project(&self, args: ClearProject) -> Result<ClearedCounts, ApiError> {
        let ClearProject { project_id, confirmed } = args;
        let stop = || self.stop_generations(Some(&project_id));
        self.cleared(self.engine.clear_project(&project_id, confirmed == Some(true), &user_name(), &stop))
    }

    /// Clears a project's memory and forgets the project. Its manuscript stays.
    pub(crate) fn project_forget(&self, args: ClearProject) -> Result<ClearedCounts, ApiError> {
        let ClearProject { project_id, confirmed } = args;
        let stop = || self.stop_generations(Some(&project_id));
        let forgotten = self.engine.forget_project(&project_id, confirmed == Some(true), &user_name(), &stop);
        self.close_books(&forgotten, Some(&project_id));
        self.cleared(forgotten)
    }

    pub(crate) fn clear_all(&self, args: ClearAll) -> Result<ClearedCounts, ApiError> {
        let stop = || self.stop_generations(None);
        let cleared = self.engine.clear_all(args.confirmed == Some(true), &user_name(), &stop);
        self.close_books(&cleared, None);
        self.cleared(cleared)
    }

    /// Closes a forgotten project, or all of them.
    fn close_books<T>(&self, forgotten: &Result<T, Error>, project_id: Option<&ProjectId>) {
        if forgotten.is_err() {
            return;
        }
        let mut books = self.books.lock();
        let closed: Vec<_> = match project_id {
            Some(id) => books.remove(id).into_iter().collect(),
            None => books.drain().map(|(_, book)| book).collect(),
        };
        drop(books);
        // Outside the lock: dropping the project stops its watch.
        drop(closed);
    }

    pub(crate) fn clear_log(&self, _: NoArguments) -> Result<ClearingLog, ApiError> {
        Ok(ClearingLog { clearings: self.engine.clearing_log()?, erasures: self.engine.erasure_log()? })
    }

    /// Sends each step of a clearing to `watch`.
    pub fn watch_clearing(&self, watch: Option<ClearingWatch>) {
        self.engine.watch_clearing(watch);
    }

    fn cleared(
        &self,
        cleared: Result<palimpsest_memory::model::Changed<ClearedCounts>, Error>,
    ) -> Result<ClearedCounts, ApiError> {
        match cleared {
            Ok(changed) => Ok(self.emit_changed(changed)),
            Err(error) => {
                // An unfinished clearing is continued as soon as possible.
                self.indexer.wake();
                Err(error)
            }
        }
    }

    /// Stops the generations and runs that use a memory about to be cleared; none of their results is stored.
    fn stop_generations(&self, project_id: Option<&ProjectId>) {
        self.engine.stop_distilling(project_id);
        self.measurements.stop(project_id);
        let mut running = self.running.lock();
        running.retain(|_, run| {
            let concerned = project_id.is_none_or(|id| *id == run.project_id);
            if concerned {
                run.stop.set();
            }
            !concerned
        });
    }
}
