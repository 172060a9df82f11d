//! Changes of the set of rules inside a write transaction: the shared steps of the writer's operations, of runs and of
//! imports.

use crate::{
    episodic::limits::RULES_HARD_LIMIT,
    error::{Code, Error, Result},
    model::{OpenConflict, ProjectId, Rule, RuleChange, Time, Tombstone, TombstoneCause},
    ports::Ids,
    semantic::{
        conflict::{self, DOUBT},
        rules as next,
    },
    storage::{Tx, conflicts, rules, tombstones},
};

/// Deletes the least confident rule of a project, or the least confident global one, where the capacity is reached. A
/// run may learn it again.
///
/// # Errors
/// `MEMORY_CAPACITY_EXCEEDED` where all rules are confirmed.
pub(super) fn evict_for_new_rule(tx: &Tx<'_>, project_id: Option<&ProjectId>, now: Time) -> Result<()> {
    if rules::count(tx, project_id)? < RULES_HARD_LIMIT {
        return Ok(());
    }
    let Some(rule) = rules::least_sure(tx, project_id)? else {
        return Err(Error::new(Code::CapacityExceeded, "there are too many rules, and all of them are confirmed"));
    };
    rules::delete(tx, &next::deleted(rule, now), None)
}

/// Deletes a rule by the writer's decision. Every rule leaves a tombstone: a run could learn it again, or a model could
/// suggest it again.
pub(super) fn delete_with_tombstone(tx: &Tx<'_>, rule: Rule, now: Time, ids: &dyn Ids) -> Result<Rule> {
    tombstones::insert(tx, &Tombstone::for_rule(&rule, ids.next(now), TombstoneCause::Deleted, now, None))?;
    let rule = next::deleted(rule, now);
    rules::delete(tx, &rule, None)?;
    Ok(rule)
}

/// Compares the contradictions in a project (and among global rules) with the open conflicts; opens new ones and closes
/// obsolete ones. Without a project, conflicts between a project's rule and a global one are included. With `doubt`,
/// both sides of a new conflict lose confidence unless they are confirmed; a run has done that itself.
pub(super) fn update_conflicts(
    tx: &Tx<'_>,
    project_id: Option<&ProjectId>,
    now: Time,
    ids: &dyn Ids,
    doubt: bool,
) -> Result<()> {
    if project_id.is_none() {
        for book in conflicts::project_ids(tx)? {
            update_conflicts(tx, Some(&book), now, ids, doubt)?;
        }
    }
    let all = rules::list(tx, project_id, None)?;
    let open = conflicts::list_open(tx, project_id)?;
    let settled = conflict::compare_with_open(&all, &open);
    for id in &settled.closed {
        conflicts::close(tx, id, None, now)?;
    }
    for pair in settled.opened {
        for id in [&pair.first, &pair.second].into_iter().filter(|_| doubt) {
            let already = open.iter().any(|open| open.first == *id || open.second == *id);
            if let Some(rule) = all.iter().find(|rule| rule.id == *id && !rule.user_confirmed && !already) {
                let doubted = Rule {
                    confidence: rule.confidence * DOUBT,
                    confidence_low: rule.confidence_low * DOUBT,
                    version: rule.version + 1,
                    updated_at: now,
                    ..rule.clone()
                };
                rules::upsert(tx, &doubted, RuleChange::Updated, None)?;
            }
        }
        let opened = OpenConflict {
            conflict_id: ids.next(now),
            project_id: pair.project_id,
            first: pair.first,
            second: pair.second,
            opened_at: now,
        };
        conflicts::upsert(tx, &opened)?;
    }
    Ok(())
}
