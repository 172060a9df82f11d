//! When a run is due: the state of each project, gathered for [`triggers::due`].

use palimpsest_learning::Stratum;
use rusqlite::Connection;

use super::Engine;
use crate::{
    error::{OrLog, Result},
    model::{EvidenceRow, ProjectId, Rule, RuleStanding, RunCause, Scope, Time},
    semantic::{
        evidence::table,
        rules::Matter,
        triggers::{self, Book},
    },
    storage::{evidence, remarks, rules, runs},
};

impl Engine {
    /// Records activity of the writer in the editor with a project open.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn note_activity(&self, project_id: &ProjectId) -> Result<()> {
        let project = self.known_project(project_id)?.project_id;
        let now = self.clock.now();
        self.learner.active.lock().insert(project, now);
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
        let db = self.rules.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let learned = runs::learned(&reader)?;
        for project in remarks::books(&reader)? {
            // A project that is being cleared or is unknown here.
            let Ok(_open) = self.visit(&project) else { continue };
            let learned = learned.iter().find(|one| one.project_id == project);
            let tried = runs::last(&reader, &project)?.map(|run| (run.begun_at, run.episodes));
            let last_run = [tried, learned.map(|one| (one.at, one.episodes))].into_iter().flatten().max();
            let mut book = Book {
                episodes: evidence::count(&reader, &project)?,
                last_run,
                learned_at: learned.map(|one| one.at),
                active_at: self.learner.active.lock().get(&project).copied(),
                contradicted: false,
            };
            if let Some((_, seen)) = last_run
                && book.episodes >= seen.saturating_add(triggers::MIN_NEW_EVIDENCE)
                && self.learner.is_worth_a_look(&project, book.episodes)
            {
                book.contradicted = is_contradicted(&reader, &project, seen)?;
            }
            if let Some(cause) = triggers::due(now, &book) {
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
        .filter_map(|rule| Some((Matter::of(rule)?, rule.learned_at)))
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
