//! The writer's word on rules.

use super::Engine;
use crate::{
    error::{Error, Result},
    model::{Category, Changed, Rule, RuleChange, RuleDraft, RuleList, RulePatch, RuleVersion, Scope, Time, Topic},
    semantic::rules as next,
    storage::{Tx, episodes, rules},
    validate,
};

impl Engine {
    /// Rules: the global ones, and those of one book where one is named.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_INVALID_ARGUMENT`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn rules(
        &self,
        project_id: Option<&str>,
        scope: Option<Scope>,
        category: Option<Category>,
    ) -> Result<RuleList> {
        let _open = project_id.map(|id| self.visit(id)).transpose()?;
        if project_id.is_none() && scope == Some(Scope::Project) {
            return Err(Error::invalid("projectId", "rules of a project need one"));
        }
        let (mut list, degraded_reason) = self.ask_rules(|db| rules::list(db, project_id, category))?;
        list.retain(|rule| scope.is_none_or(|scope| rule.scope == scope));
        // The count is a courtesy: rules list without `episodes.db`.
        let count = || episodes::count(&*self.episodes.open()?.reader()?, project_id);
        Ok(RuleList {
            rules: list,
            learning_paused: false,
            episodes_recorded: count().unwrap_or(0),
            last_distilled_at: None,
            degraded_reason,
        })
    }

    /// Adds a rule by hand: certain, confirmed, in the next prompt.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_WRITE_FAILED`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn add_rule(&self, draft: RuleDraft) -> Result<Changed<Rule>> {
        let _open = match (draft.scope, &draft.project_id) {
            (Scope::Project, Some(id)) => Some(self.visit(id)?),
            (Scope::Project, None) => {
                return Err(Error::invalid("projectId", "a rule of a project needs one"));
            }
            (Scope::Global, Some(_)) => {
                return Err(Error::invalid("projectId", "a global rule has none"));
            }
            (Scope::Global, None) => None,
        };
        validate::line("rule", &draft.rule, validate::RULE_CHARS)?;
        validate::optional_name("sceneType", draft.scene_type.as_deref())?;
        validate::optional_name("skillUsed", draft.skill_used.as_deref())?;
        let now = self.clock.now();
        let rule = next::added(draft, self.ids.next(now), now);
        self.rules.open()?.write(|tx| rules::put(tx, &rule, RuleChange::Added, None))?;
        Ok(changed(rule))
    }

    /// Changes a rule by hand.
    ///
    /// # Errors
    /// `MEMORY_STALE_VERSION` when it was changed since it was read; `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`.
    pub fn update_rule(&self, patch: RulePatch) -> Result<Changed<Rule>> {
        if let Some(text) = &patch.rule {
            validate::line("rule", text, validate::RULE_CHARS)?;
        }
        let name = |field, value: &Option<String>| {
            validate::optional_name(field, value.as_deref().filter(|value| !value.is_empty()))
        };
        name("sceneType", &patch.scene_type)?;
        name("skillUsed", &patch.skill_used)?;
        let id = patch.rule_id.clone();
        self.rewrite_rule(&id, RuleChange::Edited, |rule, now| next::edited(rule, patch.clone(), now))
    }

    /// Agrees to a rule: it is frozen, and goes before those that are not agreed to.
    ///
    /// # Errors
    /// `MEMORY_STALE_VERSION`, `MEMORY_NOT_FOUND`.
    pub fn confirm_rule(&self, rule_id: &str, version: u32) -> Result<Changed<Rule>> {
        self.rewrite_rule(rule_id, RuleChange::Confirmed, |rule, now| next::confirmed(rule, version, now))
    }

    /// Makes a rule of one book hold in all of them.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` when it does already, `MEMORY_NOT_FOUND`.
    pub fn promote_rule(&self, rule_id: &str) -> Result<Changed<Rule>> {
        self.rewrite_rule(rule_id, RuleChange::Promoted, next::promoted)
    }

    /// Takes a rule out. Its history stays.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn delete_rule(&self, rule_id: &str) -> Result<Changed<String>> {
        validate::identity("ruleId", rule_id)?;
        let now = self.clock.now();
        let gone = self.rules.open()?.write(|tx| {
            let rule = next::deleted(existing(tx, rule_id)?, now);
            rules::delete(tx, &rule, None)?;
            Ok(rule)
        })?;
        Ok(Changed::new(gone.id, gone.project_id, [Topic::Rules]))
    }

    /// Every version of a rule, oldest first; of a deleted one too.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn rule_history(&self, rule_id: &str) -> Result<Vec<RuleVersion>> {
        validate::identity("ruleId", rule_id)?;
        let versions = rules::history(&*self.rules.open()?.reader()?, rule_id)?;
        if versions.is_empty() {
            return Err(Error::not_found("ruleId", "rule"));
        }
        Ok(versions)
    }

    /// Reads a rule, takes it one version on, and writes both it and its history, in one transaction.
    fn rewrite_rule(
        &self,
        rule_id: &str,
        change: RuleChange,
        rewrite: impl Fn(Rule, Time) -> Result<Rule>,
    ) -> Result<Changed<Rule>> {
        validate::identity("ruleId", rule_id)?;
        let now = self.clock.now();
        let rule = self.rules.open()?.write(|tx| {
            let rule = rewrite(existing(tx, rule_id)?, now)?;
            rules::put(tx, &rule, change, None)?;
            Ok(rule)
        })?;
        // A rule that was promoted concerns every book.
        Ok(changed(rule))
    }
}

fn existing(tx: &Tx<'_>, rule_id: &str) -> Result<Rule> {
    rules::get(tx, rule_id)?.ok_or_else(|| Error::not_found("ruleId", "rule"))
}

fn changed(rule: Rule) -> Changed<Rule> {
    let project = rule.project_id.clone();
    Changed::new(rule, project, [Topic::Rules])
}
