//! The start and end of a writer's session with a book: with the book, and with the program.

use std::time::Duration;

use palimpsest_memory::model::{EndedSession, ProjectId};

use crate::{
    Api,
    error::{ApiError, log_failure},
};

/// Maximum duration of the end of the programs under way: 2 s until they are killed, and the deletion of their copies.
const MAX_PROGRAM_END: Duration = Duration::from_secs(4);

impl Api {
    /// Begins the session of an opened book; the session of the previous one ends. A book whose manuscript lives in
    /// another editor is not opened here: that editor ends its session by the command.
    pub(crate) fn begin_session(&self, project_id: &ProjectId) {
        let opened = |id: &ProjectId| self.books.lock().contains_key(id);
        for before in self.engine.sessions().into_iter().filter(|id| id != project_id && opened(id)) {
            // A session that cannot be stored stays open and is tried again when the program ends: opening a book must
            // not wait for the previous one.
            log_failure("end session", self.end_session(&before));
        }
    }

    pub(crate) fn end_session(&self, project_id: &ProjectId) -> Result<EndedSession, ApiError> {
        let ended = self.emit_changed(self.engine.end_session(project_id)?);
        if ended.archived > 0 {
            self.indexer.wake();
        }
        Ok(ended)
    }

    /// Ends the runs of programs and every session: signals that have added up are stored, other items are dropped. A
    /// host calls it when the program closes; dropping the last handle does the same.
    pub fn close(&self) {
        self.end_programs();
        for project_id in self.engine.sessions() {
            log_failure("end session", self.end_session(&project_id));
            // While the titles of its chapters are known.
            self.write_due_entries(&project_id);
        }
    }
}

impl Api {
    /// Stops everything that waits for a server: generations, runs of distillation, measurements. A host calls it when
    /// the program has to close soon; each of them ends as if the writer had stopped it.
    pub fn stop_waiting(&self) {
        self.stop_runs();
        self.measurements.stop(None);
        self.engine.stop_distilling(None);
        self.engine.cancel_network_waits();
    }

    fn stop_runs(&self) {
        for running in self.running.lock().values() {
            running.stop.set();
        }
    }

    /// Ends the programs that answer a question: without it they would outlive this process, with their copies.
    fn end_programs(&self) {
        self.stop_runs();
        self.programs.wait_until_ended(MAX_PROGRAM_END);
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.close();
    }
}
