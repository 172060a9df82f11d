//! The state of learning, and when a run is due: the input of `semantic::triggers::due` for each project.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use palimpsest_learning::Stratum;
use rusqlite::Connection;

use super::{
    Engine,
    distill::{RunSlot, WaitingRuns},
    stores::Stores,
};
use crate::{
    error::{OrLog, Result},
    lock::{Mutex, RwLock},
    model::{EvidenceRow, ProjectId, Rule, RuleStanding, RunCause, Scope, Time},
    semantic::{
        evidence::table,
        rules::Matter,
        triggers::{self, MIN_NEW_EVIDENCE, ProjectActivity},
    },
    storage::{evidence, remarks, rules, runs},
};

/// State of learning known without reading the disk.
#[derive(Default)]
pub(super) struct Learning {
    /// The slot of the one run that may be under way. Shared with the ticket that frees it.
    pub(super) slot: Arc<RunSlot>,
    /// The runs of this session that wait for approval.
    pub(super) waiting: WaitingRuns,
    /// The start of the pause in force. Outer `None`: it was never read.
    pause: RwLock<Option<Option<Time>>>,
    /// The last attempt to write evidence failed.
    has_failed: AtomicBool,
    /// The writer's last activity in each project.
    activity: Mutex<HashMap<ProjectId, Time>>,
    /// Amount of evidence of each project at the last check whether it contradicts a rule.
    checked: Mutex<HashMap<ProjectId, u32>>,
}

impl Learning {
    /// The start of the pause in force; `None` while learning is not paused, or where it cannot be read. The engine is
    /// its only writer, so a known value is not read again.
    pub(super) fn pause(&self, stores: &Stores) -> Option<Time> {
        if let Some(known) = *self.pause.read() {
            return known;
        }
        let (pause, degraded) = stores.ask_rules(evidence::paused_since).or_log("read whether learning is paused")?;
        if degraded.is_none() {
            self.note_pause(pause);
        }
        pause
    }

    /// The pause as last read; `None` also where it was never read.
    pub(super) fn last_known_pause(&self) -> Option<Time> {
        self.pause.read().flatten()
    }

    /// The pause was read or written.
    pub(super) fn note_pause(&self, pause: Option<Time>) {
        *self.pause.write() = Some(pause);
    }

    /// The file it was read from has been replaced or emptied.
    pub(super) fn forget_pause(&self) {
        *self.pause.write() = None;
    }

    /// Time of the writer's last activity in the editor with a project open; `None` without one since the start.
    pub(super) fn active_at(&self, project_id: &ProjectId) -> Option<Time> {
        self.activity.lock().get(project_id).copied()
    }

    /// Whether the last attempt to write evidence failed.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Remembers whether the last attempt to write evidence failed.
    pub(super) fn note_attempt(&self, has_failed: bool) {
        self.has_failed.store(has_failed, Ordering::Relaxed);
    }

    /// Whether enough evidence has come since the last check that a rule may be contradicted now: a check reads all
    /// evidence of a project.
    fn is_worth_a_check(&self, project_id: &ProjectId, episodes: u32) -> bool {
        let mut checked = self.checked.lock();
        let last = checked.get(project_id).copied().unwrap_or(0);
        let is_worth_it = episodes < last || episodes >= last.saturating_add(MIN_NEW_EVIDENCE);
        if is_worth_it {
            checked.insert(project_id.clone(), episodes);
        }
        is_worth_it
    }
}

impl Engine {
    /// Records activity of the writer in the editor with a project open.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn note_activity(&self, project_id: &ProjectId) -> Result<()> {
        let project = self.known_project(project_id)?.project_id;
        let now = self.clock.now();
        self.learning.activity.lock().insert(project, now);
        Ok(())
    }

    /// The project over which a run is due now, and the cause; `None` for none, and always while learning is paused or
    /// a file cannot serve.
    pub(super) fn due_run(&self) -> Option<(ProjectId, RunCause)> {
        if self.is_learning_paused() {
            return None;
        }
        self.find_due().or_log("look for a due run").flatten()
    }

    fn find_due(&self) -> Result<Option<(ProjectId, RunCause)>> {
        let now = self.clock.now();
        let db = self.stores.rules.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let learned = runs::learned(&reader)?;
        for project in remarks::project_ids(&reader)? {
            // A project that is being cleared or is unknown here.
            let Ok(_open) = self.visit(&project) else { continue };
            let learned = learned.iter().find(|one| one.project_id == project);
            let tried = runs::last(&reader, &project)?.map(|run| (run.begun_at, run.episodes));
            let last_run = [tried, learned.map(|one| (one.at, one.episodes))].into_iter().flatten().max();
            let mut book = ProjectActivity {
                episodes: evidence::count(&reader, &project)?,
                last_run,
                learned_at: learned.map(|one| one.at),
                active_at: self.learning.activity.lock().get(&project).copied(),
                contradicted: false,
            };
            if let Some((_, seen)) = last_run
                && book.episodes >= seen.saturating_add(MIN_NEW_EVIDENCE)
                && self.learning.is_worth_a_check(&project, book.episodes)
            {
                book.contradicted = is_contradicted(&reader, &project, seen)?;
            }
            if let Some(cause) = triggers::run_cause(now, &book) {
                return Ok(Some((project, cause)));
            }
        }
        Ok(None)
    }
}

/// Whether evidence after the first `seen` episodes contradicts a rule in force.
fn is_contradicted(db: &Connection, project_id: &ProjectId, seen: u32) -> Result<bool> {
    let in_force = |rule: &Rule| {
        rule.standing == RuleStanding::Active
            && !rule.user_confirmed
            && (rule.scope == Scope::Global || rule.project_id.as_ref() == Some(project_id))
    };
    let all = rules::list(db, Some(project_id), None)?;
    let rules: Vec<(Matter, Option<Time>)> = all
        .iter()
        .filter(|rule| in_force(rule))
        .filter_map(|rule| Some((Matter::from_rule(rule)?, rule.learned_at)))
        .collect();
    if rules.is_empty() {
        return Ok(false);
    }
    let evidence: Vec<EvidenceRow> =
        evidence::of_project(db, project_id)?.into_iter().filter(|row| !row.paused).skip(seen as usize).collect();
    let table = table(&evidence);
    let against = rules.iter().any(|(matter, since)| {
        let place = table.strata.stratum(matter.scene_type.as_deref(), matter.skill_used.as_deref());
        let holds = |row: &&palimpsest_learning::Row| place.is_some_and(|place: Stratum| place.contains(row));
        let new = table.rows.iter().filter(holds).filter(|row| since.is_none_or(|since| row.order > since.millis()));
        triggers::contradict(new.map(|row| row.evidence(matter.feature.index()) * matter.direction as f32))
    });
    Ok(against)
}
