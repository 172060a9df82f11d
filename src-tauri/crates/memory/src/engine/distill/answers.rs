//! The writer's actions on runs: list, approve, stop, undo.

use std::collections::HashSet;

use super::{RunSlot, Ticket, commit::store_change, words::WordingSource};
use crate::{
    engine::{
        Engine,
        bearing::current_support,
        rule_set::{evict_for_new_rule, update_conflicts},
    },
    error::{Error, Result},
    model::{
        Change, ChangeKind, Changed, EpisodeId, ProjectId, Rule, RuleChange, Run, RunChange, RunProgress, RunStatus,
        Scope, Time, Tombstone, TombstoneCause, Topic,
    },
    ports::Ids,
    semantic::{rules as next, rules::Matter},
    storage::{Tx, erasures, evidence, remarks, rules, runs, support, tombstones},
    validate,
};

/// The changes that one project may see: other projects' rules are left out.
pub(super) fn visible_changes(changes: Vec<RunChange>, project_id: Option<&ProjectId>) -> Vec<RunChange> {
    let here = |rule: &Rule| {
        rule.scope == Scope::Global || (rule.project_id.is_some() && rule.project_id.as_ref() == project_id)
    };
    changes
        .into_iter()
        .filter_map(|change| {
            let before = change.before.filter(here).map(without_support);
            let after = change.after.filter(here);
            if before.is_none() && after.is_none() {
                return None;
            }
            let project_id = change.project_id.filter(|id| project_id == Some(id));
            Some(RunChange { before, after, project_id, ..change })
        })
        .collect()
}

/// The support of a rule is stored elsewhere; a run stores its previous support only for the undo.
fn without_support(rule: Rule) -> Rule {
    Rule { supporting_episodes: Vec::new(), contradicting_episodes: Vec::new(), ..rule }
}

fn visible_run(run: Run, project_id: Option<&ProjectId>) -> Run {
    Run { changes: visible_changes(run.changes, project_id), ..run }
}

impl Engine {
    /// The latest runs, newest first: those over a project and those over all; without a project, only the latter.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store.
    pub fn runs(&self, project_id: Option<&ProjectId>) -> Result<Vec<Run>> {
        let _open = project_id.map(|id| self.visit(id)).transpose()?;
        let found = runs::list(&*self.stores.rules.open()?.reader()?, project_id)?;
        Ok(found.into_iter().map(|run| visible_run(run, project_id)).collect())
    }

    /// Applies a run that waits for approval. Where the memory has changed since, the run is computed again: it is
    /// applied if it drops only rules that were shown, and asks again otherwise.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_INVALID_ARGUMENT` where the run does not wait for approval, or another is under way;
    /// those of the store.
    pub fn approve_run(&self, run_id: &str, report: &dyn Fn(RunProgress)) -> Result<Changed<Run>> {
        let run = self.find_run(run_id)?;
        if run.status != RunStatus::Waiting {
            return Err(Error::invalid("runId", "this run asks nothing"));
        }
        let under_way = Run { status: RunStatus::Running, ended_at: None, changes: Vec::new(), ..run.clone() };
        let ticket: Ticket = RunSlot::take(&self.learning.slot, under_way.clone(), false)
            .map_err(|_| Error::invalid("runId", "another run is under way; try again"))?;
        self.stores.rules.open()?.write("approve a learning run", |tx| runs::upsert(tx, &under_way))?;
        let ended = self.end_run(ticket, &WordingSource::Agreed(&run.changes), report);
        let after = self.find_run(run_id)?;
        Ok(Changed { value: visible_run(after, run.project_id.as_ref()), change: ended.change })
    }

    /// Stops a run that is under way, or declines one that waits for approval. A run that has ended stays as it is.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store.
    pub fn cancel_run(&self, run_id: &str) -> Result<Changed<Run>> {
        validate::identity("runId", run_id)?;
        let now = self.clock.now();
        // Written first: the stopped run reads there that the writer cancelled it.
        let written = self.stores.rules.open()?.write("cancel a learning run", |tx| {
            let Some(run) = runs::get(tx, run_id)? else { return Ok(None) };
            let status = match run.status {
                RunStatus::Running => RunStatus::Cancelled,
                RunStatus::Waiting => RunStatus::Discarded,
                _ => return Ok(Some(run)),
            };
            let run = Run { status, ended_at: Some(now), ..run };
            runs::upsert(tx, &run)?;
            Ok(Some(run))
        });
        let stopped = self.learning.slot.stop_run(run_id);
        // A dry run is not stored.
        let shown_only = || stopped.map(|run| Run { status: RunStatus::Cancelled, ended_at: Some(now), ..run });
        let run = written?.or_else(shown_only).ok_or_else(|| Error::not_found("runId", "run"))?;
        let project = run.project_id.clone();
        Ok(Changed::new(visible_run(run, project.as_ref()), project, [Topic::Rules]))
    }

    /// Undoes a run as a whole: each rule becomes what it was before, except rules that the writer has touched since;
    /// these stay and are listed as kept. A rule that the run had learned returns at most as a question.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_INVALID_ARGUMENT` where the run changed nothing; those of the store.
    pub fn undo_run(&self, run_id: &str) -> Result<Changed<Run>> {
        let run = self.find_run(run_id)?;
        if run.status != RunStatus::Committed {
            return Err(Error::invalid("runId", "this run has changed nothing that could be undone"));
        }
        let _open = run.project_id.as_ref().map(|id| self.visit(id)).transpose()?;
        let now = self.clock.now();
        let ids = &*self.ids;
        let db = self.stores.rules.open()?;
        let run = db.write("undo a learning run", |tx| {
            let mut run = runs::get(tx, run_id)?.ok_or_else(|| Error::not_found("runId", "run"))?;
            if run.status != RunStatus::Committed {
                return Ok(run);
            }
            let mut back = Vec::new();
            for change in &mut run.changes {
                change.kept = was_touched(tx, change)? || erasures::is_erased_rule(tx, &change.rule_id)?;
                if !change.kept {
                    back.extend(undo_change(tx, change, run_id, now, ids)?);
                }
            }
            tombstones::lift_of_run(tx, run_id)?;
            for stone in &back {
                tombstones::insert(tx, stone)?;
            }
            run.status = RunStatus::Undone;
            runs::upsert(tx, &run)?;
            runs::replace_changes(tx, run_id, &run.changes)?;
            let books: HashSet<Option<ProjectId>> =
                run.changes.iter().map(|change| change.project_id.clone()).collect();
            for book in books {
                update_conflicts(tx, book.as_ref(), now, ids, false)?;
            }
            Ok(run)
        })?;
        let change = Change { project_id: None, what: vec![Topic::Rules] };
        let project = run.project_id.clone();
        Ok(Changed { value: visible_run(run, project.as_ref()), change })
    }

    fn find_run(&self, run_id: &str) -> Result<Run> {
        validate::identity("runId", run_id)?;
        let found = runs::get(&*self.stores.rules.open()?.reader()?, run_id)?;
        found.ok_or_else(|| Error::not_found("runId", "run"))
    }
}

/// Whether the writer has changed a rule since a run changed it. Changes by later runs do not count.
fn was_touched(tx: &Tx<'_>, change: &RunChange) -> Result<bool> {
    let version = match (&change.after, &change.before) {
        (Some(after), _) => after.version,
        // A dropped rule had one more version.
        (None, Some(before)) => before.version + 1,
        (None, None) => return Ok(false),
    };
    Ok(rules::versions_after(tx, &change.rule_id, version)?.iter().any(|later| later.run_id.is_none()))
}

/// Restores the episodes that supported a rule before a run, except those deleted since. A global rule, and a rule of a
/// run that did not store them, gets the episodes that support it now.
fn restore_support(tx: &Tx<'_>, before: &Rule) -> Result<()> {
    let side = |episodes: &[EpisodeId], agrees| episodes.iter().map(|id| (id.clone(), agrees)).collect::<Vec<_>>();
    let mut had = side(&before.supporting_episodes, true);
    had.extend(side(&before.contradicting_episodes, false));
    if let Some(project) = before.project_id.as_ref().filter(|_| !had.is_empty()) {
        let mut left = Vec::new();
        for (episode, agrees) in had {
            if evidence::version(tx, project, &episode)?.is_some() {
                left.push((episode, agrees));
            }
        }
        return support::replace(tx, project, &before.id, &left);
    }
    let Some(matter) = Matter::from_rule(before) else { return Ok(()) };
    let books = before.project_id.clone().map_or_else(|| remarks::project_ids(tx), |book| Ok(vec![book]))?;
    for book in books {
        support::replace(tx, &book, &before.id, &current_support(tx, &book, &matter)?)?;
    }
    Ok(())
}

/// Restores one rule; returns the tombstone of a rule that must not be learned again without a question.
fn undo_change(tx: &Tx<'_>, change: &RunChange, run_id: &str, now: Time, ids: &dyn Ids) -> Result<Option<Tombstone>> {
    let last = rules::versions_after(tx, &change.rule_id, 0)?.first().map_or(0, |last| last.rule.version);
    let current = rules::get(tx, &change.rule_id)?;
    match &change.before {
        Some(before) => {
            if current.is_none() {
                evict_for_new_rule(tx, before.project_id.as_ref(), now)?;
            }
            let recently_updated = before.recently_updated;
            let again = Rule { recently_updated, ..next::restored(without_support(before.clone()), last, now) };
            rules::upsert(tx, &again, RuleChange::Restored, Some(run_id))?;
            support::delete_of_other_projects(tx, again.project_id.as_ref(), &again.id)?;
            restore_support(tx, before)?;
        }
        None => {
            if let Some(rule) = current {
                let removal = RunChange { before: Some(Rule { version: last, ..rule }), after: None, ..change.clone() };
                store_change(tx, &removal, Some(run_id), now)?;
            }
        }
    }
    // A question that was undone is not asked again on the same evidence; a rule may return as a question.
    let why = if change.kind == ChangeKind::Proposed { TombstoneCause::Deleted } else { TombstoneCause::Undone };
    let is_new = matches!(
        change.kind,
        ChangeKind::Learned
            | ChangeKind::Returned
            | ChangeKind::Replaced
            | ChangeKind::Proposed
            | ChangeKind::Globalised
    );
    let unwanted = change.after.as_ref().filter(|_| is_new);
    Ok(unwanted.map(|rule| Tombstone::for_rule(rule, ids.next(now), why, now, None)))
}
