//! Committing a run: everything it rests on is checked again, and all of it is written in one transaction, or nothing.

use std::collections::HashSet;

use super::{
    Ended, RunError, Ticket,
    gather::{RunInput, changeable_rules},
};
use crate::{
    engine::{Engine, rule_set::update_conflicts},
    error::Result,
    model::{
        ChangeKind, ProjectId, Rule, RuleChange, RuleId, Run, RunChange, RunStatus, Time, Tombstone, TombstoneCause,
    },
    ports::Ids,
    semantic::{reconcile::Diff, rules as next, rules::Matter},
    storage::{
        Tx, conflicts, remarks, rules,
        runs::{self, Learned},
        support, tombstones,
    },
};

/// The outcome of a commit.
pub(super) enum Committed {
    /// It is on disk.
    Done,
    /// The basis has changed; nothing was written.
    Stale,
    /// The run was cancelled, or its book cleared; nothing was written.
    Stopped,
}

impl Engine {
    /// Writes a run and its changes, if the basis is unchanged since it was gathered.
    pub(super) fn commit(
        &self,
        ticket: &Ticket,
        seen: &RunInput,
        diff: &Diff,
        ended: &Ended,
    ) -> Result<Committed, RunError> {
        // A project whose memory is being cleared takes no changes.
        let mut open = Vec::new();
        for book in &seen.books {
            open.push(self.visit(&book.project.project_id)?);
        }
        let now = self.clock.now();
        let db = self.stores.rules.open()?;
        let ids = &*self.ids;
        Ok(db.write("commit a learning run", |tx| {
            let Some(had) = runs::get(tx, &ticket.run.run_id)? else { return Ok(Committed::Stopped) };
            if ticket.stop.is_set() || had.status != RunStatus::Running {
                return Ok(Committed::Stopped);
            }
            if !is_still_so(tx, seen)? {
                return Ok(Committed::Stale);
            }
            let waits = ended.status == RunStatus::Waiting;
            let changes = with_support(tx, &ended.changes)?;
            if !waits {
                apply(tx, &ticket.run.run_id, seen, diff, now, ids)?;
            }
            discard_waiting(tx, seen, &ticket.run, now)?;
            let run = Run {
                status: ended.status,
                reason: ended.reason.clone(),
                ended_at: Some(now),
                episodes: ended.episodes,
                ..ticket.run.clone()
            };
            runs::upsert(tx, &run)?;
            runs::replace_changes(tx, &run.run_id, &changes)?;
            Ok(Committed::Done)
        })?)
    }
}

/// The changes, with the episodes that supported each rule of a project until now: undoing the run restores them. The
/// support of a global rule is in other projects, which a run does not disclose.
fn with_support(tx: &Tx<'_>, changes: &[RunChange]) -> Result<Vec<RunChange>> {
    let mut changes = changes.to_vec();
    for before in changes.iter_mut().filter_map(|change| change.before.as_mut()) {
        let Some(project) = before.project_id.clone() else { continue };
        for (episode, agrees) in support::list_for_rule(tx, &project, &before.id)? {
            let side = if agrees { &mut before.supporting_episodes } else { &mut before.contradicting_episodes };
            side.push(episode);
        }
    }
    Ok(changes)
}

/// Whether rules, tombstones, conflicts and evidence are as they were when gathered.
fn is_still_so(tx: &Tx<'_>, seen: &RunInput) -> Result<bool> {
    let books = || seen.books.iter().map(|book| &book.project.project_id);
    let now = changeable_rules(tx, books())?;
    if !now.iter().map(|rule| (&rule.id, rule.version)).eq(seen.versions.iter().map(|(id, v)| (id, *v))) {
        // The list is ordered by confidence: only the set of rules is compared.
        let set = |rules: &mut dyn Iterator<Item = (RuleId, u32)>| rules.collect::<HashSet<_>>();
        let had = set(&mut seen.versions.iter().cloned());
        if set(&mut now.into_iter().map(|rule| (rule.id, rule.version))) != had {
            return Ok(false);
        }
    }
    if tombstones::list(tx)? != seen.known.tombstones {
        return Ok(false);
    }
    for book in &seen.books {
        let open = conflicts::list_open(tx, Some(&book.project.project_id))?;
        if open.iter().any(|one| !seen.known.conflicts.contains(one)) {
            return Ok(false);
        }
        if !remarks::is_unchanged(tx, &book.project.project_id, book.evidence)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn apply(tx: &Tx<'_>, run_id: &str, seen: &RunInput, diff: &Diff, now: Time, ids: &dyn Ids) -> Result<()> {
    for change in &diff.changes {
        store_change(tx, change, Some(run_id), now)?;
    }
    let retired = seen.books.iter().flat_map(|book| book.retired.iter().map(move |one| (book, one)));
    for (book, (rule, since)) in retired.filter(|(_, (rule, _))| !rule.user_confirmed) {
        let mut stone = Tombstone::for_rule(rule, ids.next(now), TombstoneCause::Drifted, *since, Some(run_id));
        // Only in the project whose evidence contradicts the rule, in no other that supports it.
        stone.project_id = Some(book.project.project_id.clone());
        tombstones::insert(tx, &stone)?;
    }
    for found in &diff.found_in {
        support::upsert_project(tx, found)?;
    }
    for (rule, book) in &diff.lost_in {
        support::delete_project(tx, book, rule)?;
    }
    let touched: HashSet<&RuleId> = diff.changes.iter().map(|change| &change.rule_id).collect();
    for book in &seen.books {
        let project = &book.project.project_id;
        for rule in rules::list(tx, Some(project), None)? {
            if let Some(episodes) = Matter::from_rule(&rule).and_then(|matter| book.support.get(&matter)) {
                support::replace(tx, project, &rule.id, episodes)?;
            }
        }
        for rule in &book.immeasurable {
            rules::found_immeasurable(tx, rule)?;
        }
        if !diff.changes.is_empty() {
            rules::no_longer_recent(tx, project, &touched)?;
        }
        let project_id = project.to_owned();
        runs::upsert_learned(tx, &Learned { project_id, run_id: run_id.to_owned(), at: now, episodes: book.episodes })?;
        update_conflicts(tx, Some(project), now, ids, false)?;
    }
    // A rule that became another project's own is supported by that project alone.
    for change in diff.changes.iter().filter(|change| change.kind == ChangeKind::Localised) {
        if let Some(after) = &change.after {
            support::delete_of_other_projects(tx, after.project_id.as_ref(), &after.id)?;
        }
    }
    Ok(())
}

/// Writes the change of one rule by a run or by its undo.
pub(super) fn store_change(tx: &Tx<'_>, change: &RunChange, run_id: Option<&str>, now: Time) -> Result<()> {
    match (&change.before, &change.after) {
        (_, Some(after)) => rules::upsert(tx, after, history_of(change, after), run_id),
        (Some(before), None) => rules::delete(tx, &next::deleted(before.clone(), now), run_id),
        (None, None) => Ok(()),
    }
}

/// The entry of a change in the history of its rule.
fn history_of(change: &RunChange, after: &Rule) -> RuleChange {
    match change.kind {
        ChangeKind::Replaced => RuleChange::Replaced,
        _ if change.before.is_none() => RuleChange::Learned,
        _ if change.before.as_ref().is_some_and(|before| before.standing != after.standing) => RuleChange::Stood,
        _ => RuleChange::Updated,
    }
}

/// A later run over the same projects has its own answer: the question of an earlier one is void.
fn discard_waiting(tx: &Tx<'_>, seen: &RunInput, run: &Run, now: Time) -> Result<()> {
    for waiting in runs::in_status(tx, RunStatus::Waiting)? {
        let same = |book: &ProjectId| seen.books.iter().any(|seen| seen.project.project_id == *book);
        if waiting.run_id != run.run_id && waiting.project_id.as_ref().is_none_or(same) {
            runs::upsert(tx, &Run { status: RunStatus::Discarded, ended_at: Some(now), ..waiting })?;
        }
    }
    Ok(())
}
