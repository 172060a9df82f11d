//! Runs that wait for approval: a further request answers with the waiting run while its basis is unchanged.

use std::collections::HashMap;

use rusqlite::Connection;

use super::{
    MAX_EPISODES_PER_STEP, answers,
    gather::{RunInput, changeable_rules},
};
use crate::{
    engine::Engine,
    error::{OrLog, Result},
    lock::Mutex,
    model::{EvidenceFingerprint, ProjectId, Rule, RuleId, Run, RunAnswer, RunStatus, Tombstone},
    storage::{remarks, runs, tombstones},
};

/// The state of `rules.db` that a run was computed from. All lists are sorted.
#[derive(PartialEq, Eq)]
pub(super) struct Basis {
    /// Project ids with the evidence of each.
    evidence: Vec<(ProjectId, EvidenceFingerprint)>,
    /// Ids and versions of the rules that the run may change.
    rules: Vec<(RuleId, u32)>,
    /// UUIDs.
    tombstones: Vec<String>,
}

impl Basis {
    fn new(
        mut evidence: Vec<(ProjectId, EvidenceFingerprint)>,
        mut rules: Vec<(RuleId, u32)>,
        tombstones: &[Tombstone],
    ) -> Self {
        evidence.sort_by(|one, other| one.0.cmp(&other.0));
        rules.sort();
        let mut tombstones: Vec<String> = tombstones.iter().map(|stone| stone.tombstone_id.clone()).collect();
        tombstones.sort();
        Self { evidence, rules, tombstones }
    }

    fn from_input(seen: &RunInput) -> Self {
        let evidence = seen.books.iter().map(|book| (book.project.project_id.clone(), book.evidence)).collect();
        Self::new(evidence, seen.versions.clone(), &seen.known.tombstones)
    }

    fn now(db: &Connection, projects: &[ProjectId]) -> Result<Self> {
        let mut evidence = Vec::new();
        for project in projects {
            evidence.push((project.clone(), remarks::fingerprint(db, project)?));
        }
        let versions = |rule: Rule| (rule.id, rule.version);
        let rules = changeable_rules(db, projects.iter())?.into_iter().map(versions).collect();
        Ok(Self::new(evidence, rules, &tombstones::list(db)?))
    }
}

/// The latest run of this session that waits for approval, with its basis; by project, `None` for a run over all
/// projects.
#[derive(Default)]
pub(in crate::engine) struct WaitingRuns(Mutex<HashMap<Option<ProjectId>, (String, Basis)>>);

impl WaitingRuns {
    fn insert(&self, run: &Run, basis: Basis) {
        self.0.lock().insert(run.project_id.clone(), (run.run_id.clone(), basis));
    }

    fn run_id(&self, scope: &Option<ProjectId>) -> Option<String> {
        self.0.lock().get(scope).map(|(run_id, _)| run_id.clone())
    }

    fn has_basis(&self, scope: &Option<ProjectId>, basis: &Basis) -> bool {
        self.0.lock().get(scope).is_some_and(|(_, known)| known == basis)
    }
}

impl Engine {
    /// Remembers the basis of a run that has just begun to wait for approval.
    pub(super) fn note_waiting(&self, run: &Run, seen: &RunInput) {
        self.learning.waiting.insert(run, Basis::from_input(seen));
    }

    /// The run over `project_id` (`None`: over all projects) that waits for approval, if a new run would be computed
    /// from the same rules and evidence. `None` also for a waiting run of an earlier session: its basis is unknown.
    pub(super) fn waiting_answer(&self, project_id: Option<&ProjectId>) -> Result<Option<RunAnswer>> {
        let scope = project_id.cloned();
        let Some(run_id) = self.learning.waiting.run_id(&scope) else { return Ok(None) };
        // Episodes recorded a moment ago count as new evidence.
        while self.evidence_step(MAX_EPISODES_PER_STEP).or_log("write evidence").is_some_and(|step| step.more) {}
        let db = self.stores.rules.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let Some(run) = runs::get(&reader, &run_id)?.filter(|run| run.status == RunStatus::Waiting) else {
            return Ok(None);
        };
        let projects = match project_id {
            Some(id) => vec![id.to_owned()],
            None => remarks::project_ids(&reader)?.into_iter().filter(|id| self.visit(id).is_ok()).collect(),
        };
        let now = Basis::now(&reader, &projects)?;
        let is_unchanged = self.learning.waiting.has_basis(&scope, &now);
        let diff = answers::visible_changes(run.changes, project_id);
        Ok(is_unchanged.then_some(RunAnswer { run_id, status: run.status, diff: Some(diff), reason: None }))
    }
}
