//! Rules that contradict each other, and the writer's answer.

use super::{
    Engine,
    rule_set::{delete_with_tombstone, update_conflicts},
};
use crate::{
    error::{Error, Result},
    model::{Changed, Conflict, ProjectId, Rule, RuleChange, RuleId, Topic},
    semantic::{conflict::DOUBT, rules as next},
    storage::{
        conflicts::{self},
        rules, support,
    },
    validate,
};

impl Engine {
    /// The unanswered conflicts: of a project and between global rules; without a project, only between global rules.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store.
    pub fn conflicts(&self, project_id: Option<&ProjectId>) -> Result<Vec<Conflict>> {
        let _open = project_id.map(|id| self.visit(id)).transpose()?;
        let db = self.stores.rules.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let mut found = Vec::new();
        for open in conflicts::list_open(&reader, project_id)? {
            let both = (rules::get(&reader, &open.first)?, rules::get(&reader, &open.second)?);
            if let (Some(first), Some(second)) = both {
                found.push((open, [first, second]));
            }
        }
        let mut all: Vec<Rule> = found.iter().flat_map(|(_, both)| both.clone()).collect();
        support::fill_in(&reader, &mut all, project_id)?;
        let filled = |rule: &Rule| all.iter().find(|one| one.id == rule.id).cloned();
        let conflicts = found.iter().filter_map(|(open, [first, second])| {
            Some(Conflict {
                conflict_id: open.conflict_id.clone(),
                project_id: open.project_id.clone(),
                first: filled(first)?,
                second: filled(second)?,
                opened_at: open.opened_at,
            })
        });
        Ok(conflicts.collect())
    }

    /// Answers a conflict: the rule to keep is confirmed, the other deleted. A global rule is not deleted in favour of
    /// a project's own rule: it stays for the other projects, and in this one the project's rule takes precedence.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_INVALID_ARGUMENT` where the rule is neither of the two; those of the store.
    pub fn resolve_conflict(&self, conflict_id: &str, keep_rule_id: &RuleId) -> Result<Changed<Rule>> {
        validate::identity("conflictId", conflict_id)?;
        validate::identity("keepRuleId", keep_rule_id.as_str())?;
        let now = self.clock.now();
        let ids = &*self.ids;
        let winner = self.stores.rules.open()?.write("settle a conflict", |tx| {
            let open = conflicts::get(tx, conflict_id)?.ok_or_else(|| Error::not_found("conflictId", "conflict"))?;
            let other = match keep_rule_id {
                id if *id == open.first => &open.second,
                id if *id == open.second => &open.first,
                _ => return Err(Error::invalid("keepRuleId", "not one of the two")),
            };
            let not_found = || Error::not_found("conflictId", "conflict");
            let winner = rules::get(tx, keep_rule_id)?.ok_or_else(not_found)?;
            let other = rules::get(tx, other)?.ok_or_else(not_found)?;
            let version = winner.version;
            let doubted = !winner.user_confirmed;
            let mut winner = next::confirmed(winner, version, now)?;
            if doubted {
                // The reason for the doubt is gone.
                winner.confidence = (winner.confidence / DOUBT).min(1.0);
                winner.confidence_low = (winner.confidence_low / DOUBT).min(winner.confidence);
            }
            rules::upsert(tx, &winner, RuleChange::Confirmed, None)?;
            if other.project_id.is_some() || winner.project_id.is_none() {
                delete_with_tombstone(tx, other, now, ids)?;
            }
            conflicts::close(tx, conflict_id, Some(keep_rule_id), now)?;
            update_conflicts(tx, open.project_id.as_ref(), now, ids, true)?;
            Ok(winner)
        })?;
        let project = winner.project_id.clone();
        Ok(Changed::new(winner, project, [Topic::Rules]))
    }
}
