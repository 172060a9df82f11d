//! Maintenance: one job at a time, in bounded steps that report numbers. A job that fails reports it and waits for its
//! next window; completed steps stay done.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::{
    Engine,
    answers::{MAX_ANSWERS, SOFT_ANSWERS},
    log_failure,
};
use crate::{
    episodic::{
        decay::{Life, Tier, decay},
        limits::{LIMITS, RULES_HARD_LIMIT, RULES_SOFT_LIMIT},
    },
    error::{Code, Error, Result},
    maintenance::{JOBS, due},
    model::{
        Answer, Capacity, Cause, Changed, Fill, Job, LastRun, MaintenanceFailure, MaintenanceReport, MaintenanceStep,
        Part, PartHealth, PartState, ProjectId, Time, Topic,
    },
    ports::Stop,
    storage::{answers, episode_counts, maintenance, rules},
};

/// Episodes scored in one step.
const MAX_SCORED_PER_STEP: u32 = 2_000;
/// Episodes compressed or deleted in one step.
const MAX_CHANGED_PER_STEP: u32 = 32;
/// Maximum steps of one kind in one run; the rest waits for the next window. A backlog of years takes several nights.
const MAX_STEPS_PER_RUN: u32 = 1_000;
/// Maximum number of episodes above a soft capacity that one daily run compresses, and that it deletes: they are not
/// urgent, and the daily run is short. More than the most diligent writer records in a day.
const MAX_COMPRESSED_PER_RUN: u32 = 256;
const MAX_DELETED_PER_RUN: u32 = 512;

/// The step of a job that skipped irreversible work because the clock is not plausible.
const WAITING_FOR_CLOCK: &str = "waitingForClock";

impl Engine {
    /// The job that is due now; `None` until the next window opens. A job without a record is recorded as done: on a
    /// new data folder nothing was missed.
    pub(super) fn maintenance_due(&self) -> Option<Job> {
        let known = self.note_missing_runs();
        due(self.clock.now(), self.clock.offset_millis(), &known)
    }

    /// Records a job without a record as done now; returns the last run of every job.
    pub(super) fn note_missing_runs(&self) -> Vec<LastRun> {
        // Reads the clock once a minute, so that an implausible time is noticed on a second day.
        self.clock.doubt(&self.stores);
        let now = self.clock.now();
        let mut known = self.last_runs();
        for job in JOBS {
            if !known.iter().any(|run| run.job == job) {
                let first = LastRun { job, begun_at: now, done_at: Some(now), failure: None };
                self.note_run(&first);
                known.push(first);
            }
        }
        known
    }

    /// Runs a job, from its first step to its last. `stop` ends it after the step under way, as if it were done: the
    /// rest waits for the next window.
    ///
    /// # Errors
    /// `MEMORY_CLEANUP_FAILED`. It is recorded; [`Engine::job_outcome`] describes it.
    pub fn run_maintenance(&self, job: Job, stop: &Stop) -> Result<Changed<MaintenanceReport>> {
        let _one_at_a_time = self.upkeep.lock_jobs();
        let begun_at = self.clock.now();
        let before = self.last_runs().into_iter().find(|run| run.job == job);
        let mut steps = Vec::new();
        // A panic in a step counts as a failure, so that the job waits for its next window and the others continue.
        let ended = catch_unwind(AssertUnwindSafe(|| self.steps_of(job, stop, &mut steps)));
        let ended = ended.unwrap_or_else(|_| Err(Error::broke_off()));
        let ended = ended.map_err(|error| self.examine(error));
        let failure = ended.as_ref().err().map(|error| error.message.clone());
        let done_at = if failure.is_none() { Some(begun_at) } else { before.and_then(|run| run.done_at) };
        self.note_run(&LastRun { job, begun_at, done_at, failure });
        match ended {
            Ok(()) => {
                let topics = [Topic::Episodes, Topic::Backups, Topic::Maintenance];
                Ok(Changed::new(MaintenanceReport { job: Some(job), begun_at, steps }, None, topics))
            }
            Err(error) => Err(Error::new(Code::CleanupFailed, format!("maintenance failed: {}", error.message))),
        }
    }

    /// The report of a failed job.
    pub(super) fn maintenance_failure(&self, job: Job, error: &Error) -> MaintenanceFailure {
        let begun = self.last_runs().into_iter().find(|run| run.job == job).map(|run| run.begun_at);
        let at = begun.unwrap_or_else(|| self.clock.now());
        MaintenanceFailure { job, at, code: Code::CleanupFailed, message: error.message.clone() }
    }

    /// The last outcome of each job.
    #[must_use]
    pub fn last_runs(&self) -> Vec<LastRun> {
        let on_disk = || maintenance::runs(&*self.stores.rules.open()?.reader()?);
        let mut known = on_disk().unwrap_or_default();
        self.upkeep.update_runs(&mut known);
        known.sort_by_key(|run| JOBS.iter().position(|job| *job == run.job));
        known
    }

    pub(super) fn health_of_maintenance(&self) -> PartHealth {
        let failed = self.last_runs().into_iter().find_map(|run| run.failure);
        match failed {
            None => PartHealth::serving(Part::Maintenance, PartState::Ok),
            Some(message) => PartHealth::unavailable(Part::Maintenance, Cause { reason: None, message }),
        }
    }

    /// The number of episodes and the capacity of each project, from stored counts.
    pub(super) fn capacities(&self) -> Vec<Capacity> {
        let episodes = || episode_counts::counts_by_project(&*self.stores.episodes.open()?.reader()?);
        let rules = || rules::counts_by_project(&*self.stores.rules.open()?.reader()?);
        let kept = || answers::fill_by_project(&*self.stores.episodes.open()?.reader()?);
        let (episodes, rules, kept) = (episodes().ok(), rules().ok(), kept().ok());
        let nowhere = Answer::no_project();
        let fill = |count: u32, soft: u32, hard: u32| Fill { count, soft, hard };
        let of = |project_id: Option<ProjectId>| {
            let counts = |id: &ProjectId| Some(episodes.as_ref()?.get(id).copied().unwrap_or_default());
            let counts = project_id.as_ref().and_then(counts);
            let answers_of = |of: &HashMap<ProjectId, (u32, u32)>| {
                of.get(project_id.as_ref().unwrap_or(&nowhere)).copied().unwrap_or_default()
            };
            let answers = kept.as_ref().map(answers_of);
            Capacity {
                answers: answers.map(|(count, _)| fill(count, SOFT_ANSWERS, MAX_ANSWERS)),
                stale_answers: answers.map(|(_, stale)| stale),
                active: counts.map(|counts| fill(counts.active, LIMITS.soft_active, LIMITS.hard_active)),
                compressed: counts.map(|had| fill(had.compressed, LIMITS.soft_compressed, LIMITS.hard_compressed)),
                rules: rules
                    .as_ref()
                    .map(|rules| fill(*rules.get(&project_id).unwrap_or(&0), RULES_SOFT_LIMIT, RULES_HARD_LIMIT)),
                project_id,
            }
        };
        self.projects().into_iter().map(|book| of(Some(book.project_id))).chain([of(None)]).collect()
    }

    fn note_run(&self, run: &LastRun) {
        self.upkeep.note_run(run);
        // Not durable: a lost record makes the job run again, which is harmless. Nor is it a change to be backed up.
        let written = self
            .stores
            .rules
            .open()
            .and_then(|db| db.write_derived("record maintenance", |tx| maintenance::upsert(tx, run)));
        log_failure("record maintenance", written);
    }

    fn steps_of(&self, job: Job, stop: &Stop, steps: &mut Vec<MaintenanceStep>) -> Result<()> {
        let mut say = |name: &str, count: u32| steps.push(MaintenanceStep { name: name.into(), count });
        // While the clock is not plausible, nothing is compressed, deleted or thinned: that is irreversible.
        let is_waiting = self.clock.doubt(&self.stores).is_some();
        let most = if is_waiting { 0 } else { u32::MAX };
        match job {
            Job::Daily => {
                let tiers = self.tiers(stop)?;
                for (name, count) in ["active", "fading", "toCompress", "toEvict"].into_iter().zip(tiers) {
                    say(name, count);
                }
                say("compressed", if is_waiting { 0 } else { self.enforce_capacity(stop)? });
                if !is_waiting {
                    self.expire_answer_runs()?;
                    self.thin_answers(MAX_DELETED_PER_RUN)?;
                }
            }
            Job::Weekly => say("compressed", in_slices(stop, most, |limit| self.compress_due(None, limit))?),
            Job::Monthly => {
                say("deleted", in_slices(stop, most, |limit| self.delete_expired(limit))?);
                for store in self.stores.both() {
                    store.open()?.check_whole().map_err(|error| store.examine(error))?;
                }
                say("filesChecked", 2);
            }
            Job::Backup => {
                say("backups", self.back_up_changes()?);
                say("backupsThinned", self.thin_backups());
            }
        }
        if is_waiting {
            say(WAITING_FOR_CLOCK, 1);
        }
        Ok(())
    }

    /// Number of unpinned active episodes in each tier, highest score first. Nothing is written: the score is a
    /// function of the time.
    fn tiers(&self, stop: &Stop) -> Result<[u32; 4]> {
        let mut tiers = [0_u32; 4];
        let db = self.stores.episodes.open()?;
        let now = self.clock.now();
        let books = episode_counts::projects(&*db.reader()?)?;
        for book in books {
            let mut last = None;
            while !stop.is_set() {
                let some = maintenance::decaying(&*db.reader()?, &book, last, MAX_SCORED_PER_STEP)?;
                for one in &some {
                    let life = Life {
                        created_at: Time::from_millis(one.used_at),
                        last_recalled_at: None,
                        recall_count: one.recall_count,
                        importance: one.importance,
                        user_confirmed: false,
                    };
                    let place = match Tier::from_score(decay(life, now)) {
                        Tier::Active => 0,
                        Tier::Fading => 1,
                        Tier::ToCompress => 2,
                        Tier::ToEvict => 3,
                    };
                    tiers[place] += 1;
                }
                last = some.last().copied();
                if last.is_none() {
                    break;
                }
                std::thread::yield_now();
            }
        }
        Ok(tiers)
    }

    /// Compresses the episodes of a project above its soft capacity, and deletes compressed ones above theirs; both up
    /// to [`MAX_COMPRESSED_PER_RUN`].
    fn enforce_capacity(&self, stop: &Stop) -> Result<u32> {
        let db = self.stores.episodes.open()?;
        let books = episode_counts::projects(&*db.reader()?)?;
        let (mut done, mut over) = (0, 0);
        for book in books {
            let counts = episode_counts::counts(&*db.reader()?, &book)?;
            let active =
                counts.active.saturating_sub(LIMITS.soft_active).min(MAX_COMPRESSED_PER_RUN.saturating_sub(done));
            let compressed = in_slices(stop, active, |limit| self.compress_due(Some(&book), limit))?;
            done += compressed;
            over += (counts.compressed + compressed).saturating_sub(LIMITS.soft_compressed);
        }
        in_slices(stop, over.min(MAX_DELETED_PER_RUN), |limit| self.delete_expired(limit))?;
        Ok(done)
    }
}

/// Repeats a step until it finds nothing more, `most` are done, or the run reaches its step limit; returns how many.
fn in_slices(stop: &Stop, most: u32, mut step: impl FnMut(u32) -> Result<u32>) -> Result<u32> {
    let mut done = 0;
    for _ in 0..MAX_STEPS_PER_RUN {
        let limit = MAX_CHANGED_PER_STEP.min(most - done);
        if limit == 0 || stop.is_set() {
            break;
        }
        let some = step(limit)?;
        done += some.min(limit);
        if some < limit {
            break;
        }
        // Waiting writers go first.
        std::thread::yield_now();
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_is_worked_off_in_slices_and_no_further_than_asked() {
        let mut left = 100;
        let mut slices = Vec::new();
        let mut step = |limit: u32| {
            let some = limit.min(left);
            left -= some;
            slices.push(some);
            Ok(some)
        };
        assert_eq!(in_slices(&Stop::new(), 70, &mut step).unwrap(), 70);
        assert_eq!(in_slices(&Stop::new(), u32::MAX, &mut step).unwrap(), 30);
        assert_eq!(slices, [32, 32, 6, 30]);
    }

    #[test]
    fn a_backlog_of_years_ends_with_the_run_and_not_with_the_backlog() {
        let done = in_slices(&Stop::new(), u32::MAX, Ok).unwrap();
        assert_eq!(done, MAX_STEPS_PER_RUN * MAX_CHANGED_PER_STEP);
    }

    #[test]
    fn a_step_that_fails_ends_the_run() {
        let failed = in_slices(&Stop::new(), 9, |_| Err(Error::new(Code::StoreUnavailable, "locked")));
        assert!(failed.is_err());
    }

    #[test]
    fn a_run_that_is_stopped_begins_no_further_step() {
        let stop = Stop::new();
        stop.set();
        assert_eq!(in_slices(&stop, 9, |_| panic!("a step")).unwrap(), 0);
    }
}
