//! The thread that checks once a minute whether a job is due; and the commands that run jobs by hand.

use std::{
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use palimpsest_memory::{
    Engine,
    maintenance::JOBS,
    model::{BackupReason, BegunAnew, Job, MaintenanceReport, Restored, Status},
    ports::Stop,
};

use crate::{
    Api,
    dto::{BackupList, BeginAnew, Nothing, OfBackup, RunMaintenance},
    error::{ApiError, log_failure},
    events::{self, EventSink},
    supervise::{Supervisor, Task},
};

/// How often a due job is looked for. The clock decides whether one is due.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Runs due jobs.
pub(crate) struct Schedule {
    wake: SyncSender<()>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Schedule {
    /// Starts the thread. Jobs missed since an earlier session run at once. `changed` is called after each job:
    /// compressed episodes have to be indexed again.
    pub(crate) fn start(
        engine: Arc<Engine>,
        events: EventSink,
        supervisor: &Supervisor,
        changed: impl Fn() + Send + 'static,
    ) -> Self {
        let (wake, woken) = sync_channel(1);
        let stop = Stop::new();
        let stopped = stop.clone();
        // Before the clock can be moved: missed jobs and files without a backup are determined from here on.
        supervisor.run(Task::Schedule, || {
            engine.note_first_runs();
            log_failure("first backup", engine.back_up_first());
        });
        let supervised = supervisor.clone();
        let thread = supervisor.start(Task::Schedule, move || {
            loop {
                // After a panic it continues as if nothing had been due.
                supervised.run(Task::Schedule, || {
                    while !stopped.is_set()
                        && let Some(job) = engine.maintenance_due()
                    {
                        // A failure was logged and sent as an event; the job waits for its next window.
                        run(&engine, &events, job, &stopped).ok();
                        changed();
                    }
                    if !stopped.is_set()
                        && let Ok(Some(made)) = engine.back_up_first()
                    {
                        events::emit(&events, events::MEMORY_CHANGED, &made.change);
                    }
                });
                match woken.recv_timeout(CHECK_INTERVAL) {
                    Ok(()) | Err(RecvTimeoutError::Timeout) if !stopped.is_set() => {}
                    _ => break,
                }
            }
        });
        Self { wake, stop, thread }
    }

    /// Wakes the thread.
    pub(crate) fn wake(&self) {
        self.wake.try_send(()).ok();
    }
}

impl Drop for Schedule {
    /// Waits for the step under way, so that the data folder is free afterwards.
    fn drop(&mut self) {
        self.stop.set();
        self.wake();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Runs a job and sends its outcome.
fn run(engine: &Engine, events: &EventSink, job: Job, stop: &Stop) -> Result<MaintenanceReport, ApiError> {
    let begun = Instant::now();
    match engine.run_maintenance(job, stop) {
        Ok(ran) => {
            let milliseconds = begun.elapsed().as_millis();
            tracing::info!(?job, milliseconds, steps = ran.value.steps.len(), "job done");
            for step in &ran.value.steps {
                tracing::info!(?job, step = %step.name, count = step.count, "step of a job");
            }
            events::emit(events, events::MEMORY_CHANGED, &ran.change);
            events::emit(events, events::MAINTENANCE_DONE, &ran.value);
            Ok(ran.value)
        }
        Err(error) => {
            palimpsest_memory::log_error!(warn, &error, ?job, "job failed; it runs again at its next window");
            let failure = engine.maintenance_failure(job, &error);
            events::emit(events, events::MAINTENANCE_FAILED, &failure);
            Err(error)
        }
    }
}

impl Api {
    /// The clock was moved by hand: jobs that are due now run in the background.
    pub fn clock_moved(&self) {
        self.schedule.wake();
        self.learner.wake();
    }

    /// One job, or without one all of them in their order: a failure does not stop the following jobs, and is returned
    /// at the end.
    pub(crate) fn maintenance_run(&self, which: RunMaintenance) -> Result<MaintenanceReport, ApiError> {
        let jobs = which.job.map_or_else(|| JOBS.to_vec(), |job| vec![job]);
        let mut all: Option<MaintenanceReport> = None;
        let mut failed = None;
        for job in jobs {
            match (run(&self.engine, &self.events, job, &Stop::new()), &mut all) {
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

    pub(crate) fn clock_confirm(&self, _: Nothing) -> Result<Status, ApiError> {
        self.emit_changed(self.engine.confirm_clock()?);
        // Postponed work runs when its job is next due.
        self.schedule.wake();
        Ok(self.engine.status())
    }

    pub(crate) fn missing_acknowledge(&self, _: Nothing) -> Result<Status, ApiError> {
        self.emit_changed(self.engine.acknowledge_missing());
        Ok(self.engine.status())
    }

    pub(crate) fn backup_list(&self, _: Nothing) -> Result<BackupList, ApiError> {
        Ok(BackupList { backups: self.engine.backups() })
    }

    pub(crate) fn backup_create(&self, _: Nothing) -> Result<BackupList, ApiError> {
        Ok(BackupList { backups: self.emit_changed(self.engine.make_backups(BackupReason::Manual)?) })
    }

    pub(crate) fn store_begin_anew(&self, args: BeginAnew) -> Result<BegunAnew, ApiError> {
        let begun = self.emit_changed(self.engine.begin_anew(args.file, args.confirmed == Some(true))?);
        // The other file may still have episodes to index or to learn from.
        self.indexer.wake();
        Ok(begun)
    }

    pub(crate) fn backup_restore(&self, of: OfBackup) -> Result<Restored, ApiError> {
        let restored = self.emit_changed(self.engine.restore_backup(&of.backup_id)?);
        // The backup may lack index entries.
        self.indexer.wake();
        Ok(restored)
    }
}
