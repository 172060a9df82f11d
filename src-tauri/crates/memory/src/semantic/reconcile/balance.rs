//! Checks over all rules at once: the projects in which a rule applies, the capacity, conflicts, and the share of
//! dropped rules.

use std::collections::HashSet;

use super::{ProjectFindings, Reconciliation, is_learned, is_measured};
use crate::{
    model::{ChangeKind, ConfidenceInProject, ProjectId, Rule, RuleId, RuleOrigin, RuleStanding, RunChange, Scope},
    semantic::{
        conflict::{self, DOUBT},
        rules::Matter,
    },
};

/// The writer is asked when one in this many of a project's rules, or more, is dropped.
const A_QUARTER: usize = 4;

impl Reconciliation<'_> {
    /// A global rule supported by only one project becomes that project's; one without support is withdrawn. A rule
    /// that the writer made global stays global.
    pub(super) fn update_scopes(&mut self, book: &ProjectFindings) {
        for at in 0..self.rules.len() {
            let rule = &self.rules[at];
            let by_run = rule.scope == Scope::Global && is_learned(rule) && is_measured(rule);
            if !by_run || self.known.promoted.contains(&rule.id) || book.restored.contains(&rule.id) {
                continue;
            }
            let books: Vec<&ConfidenceInProject> =
                self.found_in.values().filter(|one| one.rule_id == rule.id).collect();
            let mut next = rule.clone();
            match books.as_slice() {
                [] => {
                    if rule.standing == RuleStanding::Active {
                        next.standing = RuleStanding::SteppedBack;
                        self.change(at, next, ChangeKind::Withdrawn);
                    }
                }
                [only] => {
                    next.scope = Scope::Project;
                    next.project_id = Some(only.project_id.clone());
                    next.confidence = only.confidence;
                    next.confidence_low = only.confidence_low;
                    next.evidence_count = only.evidence_count;
                    let said =
                        Matter::from_rule(rule).and_then(|matter| self.words.get(&(only.project_id.clone(), matter)));
                    if let Some(words) = said.filter(|_| !rule.user_modified) {
                        next.rule.clone_from(words);
                    }
                    self.fresh.insert(next.id.clone());
                    self.change(at, next, ChangeKind::Localised);
                }
                _ => {
                    (next.confidence, next.confidence_low, next.evidence_count) = self.pooled(&next.id);
                    self.fresh.insert(next.id.clone());
                    self.change(at, next, ChangeKind::Strengthened);
                }
            }
        }
    }

    /// Drops the least confident rules above the capacity of each scope: first those that are not in force.
    pub(super) fn enforce_capacity(&mut self) {
        let mut places: Vec<Option<ProjectId>> = self.visited.iter().cloned().map(Some).collect();
        places.push(None);
        for place in places {
            let here = |rule: &&Rule| rule.project_id == place && !self.restored.contains(&rule.id);
            let over = self.rules.iter().filter(here).count().saturating_sub(self.most);
            let mut loose: Vec<&Rule> = self.rules.iter().filter(here).filter(|rule| is_learned(rule)).collect();
            loose.sort_by(|a, b| {
                let in_force = |rule: &Rule| rule.standing == RuleStanding::Active;
                in_force(a).cmp(&in_force(b)).then(a.confidence.total_cmp(&b.confidence)).then_with(|| a.id.cmp(&b.id))
            });
            let excess: Vec<RuleId> = loose.iter().take(over).map(|rule| rule.id.clone()).collect();
            for id in excess {
                self.rules.retain(|rule| rule.id != id);
                self.found_in.retain(|(rule, _), _| *rule != id);
                self.kinds.push((id, ChangeKind::Dropped));
            }
        }
    }

    /// Reduces the confidence of both sides of a conflict, once: of rules with new numbers, and of rules without an
    /// earlier conflict.
    pub(super) fn doubt(&mut self) {
        let here = |book: &Option<ProjectId>| book.as_ref().is_none_or(|book| self.visited.contains(book));
        let pairs = conflict::contradictions(&self.rules).into_iter().filter(|pair| here(&pair.project_id));
        let doubted: HashSet<RuleId> = pairs.flat_map(|pair| [pair.first, pair.second]).collect();
        let already: HashSet<&RuleId> =
            self.known.conflicts.iter().flat_map(|open| [&open.first, &open.second]).collect();
        let owed = |rule: &Rule| {
            let due = self.fresh.contains(&rule.id) || !already.contains(&rule.id);
            due && doubted.contains(&rule.id) && !rule.user_confirmed
        };
        let owed: Vec<usize> = (0..self.rules.len()).filter(|at| owed(&self.rules[*at])).collect();
        for at in owed {
            let mut rule = self.rules[at].clone();
            rule.confidence *= DOUBT;
            rule.confidence_low *= DOUBT;
            self.change(at, rule, ChangeKind::Weakened);
        }
    }

    /// Whether more than a quarter of a project's rules in force would be dropped. Rules withdrawn because recent
    /// evidence contradicts them do not count, nor those that only change their scope.
    pub(super) fn drops_a_quarter(&self, book: &ProjectId, changes: &[RunChange]) -> bool {
        let in_force = |rule: &&Rule| {
            rule.project_id.as_ref() == Some(book)
                && rule.origin == RuleOrigin::Distilled
                && rule.standing == RuleStanding::Active
        };
        let had = self.before.values().filter(in_force).count();
        let dropped = changes
            .iter()
            .filter(|change| matches!(change.kind, ChangeKind::Withdrawn | ChangeKind::Dropped))
            .filter(|change| change.before.as_ref().is_some_and(|rule| in_force(&rule)))
            .filter(|change| !self.moved.contains(&change.rule_id))
            .count();
        dropped * A_QUARTER > had
    }
}
