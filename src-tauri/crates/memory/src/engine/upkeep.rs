//! Work on whole files and its state: clearings, erasures, backups and the jobs of the schedule.

use super::{backup::BackupState, clear::Clearings, erase::Erasures};
use crate::{
    lock::{Mutex, MutexGuard, Rank},
    model::LastRun,
};

/// The state of all work on whole files.
pub(super) struct Upkeep {
    pub(super) clearings: Clearings,
    pub(super) erasures: Erasures,
    pub(super) backups: BackupState,
    /// Held during an operation on whole files.
    files: Mutex<()>,
    /// Held while a job runs.
    job: Mutex<()>,
    /// The last outcome of each job in this session: the only record while `rules.db` is down.
    last_runs: Mutex<Vec<LastRun>>,
}

impl Default for Upkeep {
    fn default() -> Self {
        Self {
            clearings: Clearings::default(),
            erasures: Erasures::default(),
            backups: BackupState::default(),
            files: Mutex::new(Rank::Upkeep, ()),
            job: Mutex::new(Rank::Maintenance, ()),
            last_runs: Mutex::default(),
        }
    }
}

impl Upkeep {
    /// Excludes other operations on whole files: clearing, erasing, backups, restores and the commit of an import.
    pub(super) fn lock_files(&self) -> MutexGuard<'_, ()> {
        self.files.lock()
    }

    /// Excludes other jobs. Not [`Upkeep::lock_files`]: a clearing runs between the steps of a job.
    pub(super) fn lock_jobs(&self) -> MutexGuard<'_, ()> {
        self.job.lock()
    }

    /// Remembers the outcome of a job.
    pub(super) fn note_run(&self, run: &LastRun) {
        let mut runs = self.last_runs.lock();
        runs.retain(|one| one.job != run.job);
        runs.push(run.clone());
    }

    /// Replaces the recorded outcomes of jobs by later ones of this session, and adds the missing.
    pub(super) fn update_runs(&self, recorded: &mut Vec<LastRun>) {
        for run in self.last_runs.lock().iter() {
            match recorded.iter_mut().find(|one| one.job == run.job) {
                Some(one) if one.begun_at <= run.begun_at => *one = run.clone(),
                Some(_) => {}
                None => recorded.push(run.clone()),
            }
        }
    }
}
