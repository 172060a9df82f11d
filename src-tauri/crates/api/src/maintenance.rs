//! The commands for jobs, the clock and backups.

use std::time::Instant;

use palimpsest_memory::{
    JOBS,
    model::{BackupReason, BegunAnew, MaintenanceReport, Restored, Status},
    ports::Stop,
};

use crate::{
    Api,
    dto::{BackupArguments, BackupList, BeginAnew, NoArguments, RunMaintenance},
    error::ApiError,
    worker,
};

impl Api {
    /// The clock was moved by hand: jobs that are due now run in the background.
    pub fn clock_moved(&self) {
        self.maintenance.wake();
        self.learner.wake();
    }

    /// One job, or without one all of them in their order: a failure does not stop the following jobs, and is returned
    /// at the end.
    pub(crate) fn maintenance_run(&self, which: RunMaintenance) -> Result<MaintenanceReport, ApiError> {
        let jobs = which.job.map_or_else(|| JOBS.to_vec(), |job| vec![job]);
        let mut all: Option<MaintenanceReport> = None;
        let mut failed = None;
        for job in jobs {
            let begun = Instant::now();
            let ended = self.engine.run_maintenance(job, &Stop::new());
            worker::emit(&self.events, &self.engine.job_outcome(job, &ended), begun.elapsed());
            match (ended.map(|done| done.value), &mut all) {
                (Ok(report), None) => all = Some(MaintenanceReport { job: which.job, ..report }),
                (Ok(report), Some(all)) => all.steps.extend(report.steps),
                (Err(error), _) => failed = failed.or(Some(error)),
            }
            // A failed job may have changed something.
            self.indexer.wake();
        }
        match failed {
            Some(error) => Err(error),
            None => all.ok_or_else(|| ApiError::invalid("job", "there is no such job")),
        }
    }

    pub(crate) fn clock_confirm(&self, _: NoArguments) -> Result<Status, ApiError> {
        self.emit_changed(self.engine.confirm_clock()?);
        // Postponed work runs when its job is next due.
        self.maintenance.wake();
        Ok(self.engine.status())
    }

    pub(crate) fn missing_acknowledge(&self, _: NoArguments) -> Result<Status, ApiError> {
        self.emit_changed(self.engine.acknowledge_missing());
        Ok(self.engine.status())
    }

    pub(crate) fn backup_list(&self, _: NoArguments) -> Result<BackupList, ApiError> {
        Ok(BackupList { backups: self.engine.backups() })
    }

    pub(crate) fn backup_create(&self, _: NoArguments) -> Result<BackupList, ApiError> {
        Ok(BackupList { backups: self.emit_changed(self.engine.make_backups(BackupReason::Manual)?) })
    }

    pub(crate) fn store_begin_anew(&self, args: BeginAnew) -> Result<BegunAnew, ApiError> {
        let begun = self.emit_changed(self.engine.begin_anew(args.file, args.confirmed == Some(true))?);
        // The other file may still have episodes to index or to learn from.
        self.indexer.wake();
        Ok(begun)
    }

    pub(crate) fn backup_restore(&self, args: BackupArguments) -> Result<Restored, ApiError> {
        let restored = self.emit_changed(self.engine.restore_backup(&args.backup_id)?);
        self.analyze_open_books();
        // The backup may lack index entries.
        self.indexer.wake();
        Ok(restored)
    }
}
