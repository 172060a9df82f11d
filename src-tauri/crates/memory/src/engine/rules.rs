//! The writer's operations on rules.

use rusqlite::Connection;

use super::{
    Engine,
    bearing::current_support,
    rule_set::{delete_with_tombstone, evict_for_new_rule, update_conflicts},
};
use crate::{
    error::{Details, Error, OrLog, Result},
    model::{
        Category, Changed, EpisodeId, ProjectId, Reason, Rule, RuleChange, RuleDraft, RuleEpisode, RuleId, RuleList,
        RulePatch, RuleVersion, Scope, Time, TombstoneCause, Topic,
    },
    semantic::{
        evidence::means,
        rules::{self as next, Matter},
    },
    storage::{Tx, episodes, erasures, evidence, rules, runs, support, tombstones},
    validate,
};

/// The texts of an episode.
#[derive(Default)]
struct Texts {
    before: String,
    after: String,
    passed_over: Vec<String>,
}

impl Engine {
    /// Rules: the global ones, and those of one project where an id is given.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_INVALID_ARGUMENT`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn rules(
        &self,
        project_id: Option<&ProjectId>,
        scope: Option<Scope>,
        category: Option<Category>,
    ) -> Result<RuleList> {
        let _open = project_id.map(|id| self.visit(id)).transpose()?;
        if project_id.is_none() && scope == Some(Scope::Project) {
            return Err(Error::invalid("projectId", "rules of a project need one"));
        }
        let ((mut list, last_distilled_at), degraded_reason) =
            self.stores.ask_rules(|db| listed(db, project_id, category))?;
        list.retain(|rule| scope.is_none_or(|scope| rule.scope == scope));
        // The count is optional: rules are listed without `episodes.db`.
        let count = || episodes::count(&*self.stores.episodes.open()?.reader()?, project_id);
        let followed = project_id
            .and_then(|id| self.followed(id, &list).or_log("read how rules were followed"))
            .unwrap_or_default();
        Ok(RuleList {
            followed,
            rules: list,
            learning_paused: self.is_learning_paused(),
            episodes_recorded: count().or_log("count episodes").unwrap_or(0),
            last_distilled_at,
            degraded_reason,
        })
    }

    /// Adds a rule by hand: confidence 1, confirmed, in the next prompt.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_WRITE_FAILED`, `MEMORY_STORE_UNAVAILABLE`;
    /// `MEMORY_CAPACITY_EXCEEDED` where the capacity is reached and all rules are confirmed.
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
        next::check_dimension(draft.dimension.as_ref())?;
        let now = self.clock.now();
        let rule = next::added(draft, self.ids.next(now).into(), now);
        self.stores.rules.open()?.write("add a rule", |tx| {
            evict_for_new_rule(tx, rule.project_id.as_ref(), now)?;
            rules::upsert(tx, &rule, RuleChange::Added, None)?;
            update_conflicts(tx, rule.project_id.as_ref(), now, &*self.ids, true)
        })?;
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
        next::check_dimension(patch.dimension.as_ref())?;
        let id = patch.rule_id.clone();
        self.rewrite_rule(&id, RuleChange::Edited, |rule, now| next::edited(rule, patch.clone(), now))
    }

    /// Confirms a rule: no run changes it, and it precedes unconfirmed ones.
    ///
    /// # Errors
    /// `MEMORY_STALE_VERSION`, `MEMORY_NOT_FOUND`.
    pub fn confirm_rule(&self, rule_id: &RuleId, version: u32) -> Result<Changed<Rule>> {
        self.rewrite_rule(rule_id, RuleChange::Confirmed, |rule, now| next::confirmed(rule, version, now))
    }

    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store.
    pub fn rule(&self, rule_id: &RuleId) -> Result<Rule> {
        validate::identity("ruleId", rule_id.as_str())?;
        rules::get(&*self.stores.rules.open()?.reader()?, rule_id)?.ok_or_else(|| Error::not_found("ruleId", "rule"))
    }

    /// Makes a rule of one project global.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT` when it is global already, `MEMORY_NOT_FOUND`.
    pub fn promote_rule(&self, rule_id: &RuleId) -> Result<Changed<Rule>> {
        self.rewrite_rule(rule_id, RuleChange::Promoted, next::promoted)
    }

    /// Deletes a rule. Its history stays, and a tombstone on its matter: no run learns it again without asking.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn delete_rule(&self, rule_id: &RuleId) -> Result<Changed<RuleId>> {
        validate::identity("ruleId", rule_id.as_str())?;
        let now = self.clock.now();
        let ids = &*self.ids;
        let deleted = self.stores.rules.open()?.write("delete a rule", |tx| {
            let rule = delete_with_tombstone(tx, existing(tx, rule_id)?, now, ids)?;
            update_conflicts(tx, rule.project_id.as_ref(), now, ids, false)?;
            Ok(rule)
        })?;
        Ok(Changed::new(deleted.id, deleted.project_id, [Topic::Rules]))
    }

    /// Restores a rule to its state before its last change, also a deleted one. Undoing twice restores the present
    /// state.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; `MEMORY_INVALID_ARGUMENT` without an earlier state; `MEMORY_CAPACITY_EXCEEDED`.
    pub fn undo_rule(&self, rule_id: &RuleId) -> Result<Changed<Rule>> {
        validate::identity("ruleId", rule_id.as_str())?;
        let now = self.clock.now();
        let ids = &*self.ids;
        let (rule, was) = self.stores.rules.open()?.write("undo a rule", |tx| {
            if erasures::is_erased_rule(tx, rule_id)? {
                return Err(words_erased());
            }
            let versions = rules::versions_after(tx, rule_id, 0)?;
            let last = versions.first().ok_or_else(|| Error::not_found("ruleId", "rule"))?;
            let current = rules::get(tx, rule_id)?;
            let was = current.as_ref().map(|rule| rule.project_id.clone());
            let before = match &current {
                // The last state of a deleted rule is the one before its deletion.
                None => last.rule.clone(),
                Some(rule) => {
                    let other = versions.iter().find(|version| !says_the_same(&version.rule, rule));
                    other.map(|version| version.rule.clone()).ok_or_else(nothing_before)?
                }
            };
            let again = next::restored(before, last.rule.version, now);
            if current.is_none() {
                evict_for_new_rule(tx, again.project_id.as_ref(), now)?;
                tombstones::lift(tx, rule_id, TombstoneCause::Deleted)?;
            }
            rules::upsert(tx, &again, RuleChange::Restored, None)?;
            support::delete_of_other_projects(tx, again.project_id.as_ref(), rule_id)?;
            if let Some((project, matter)) = again.project_id.as_ref().zip(Matter::from_rule(&again)) {
                support::replace(tx, project, rule_id, &current_support(tx, project, &matter)?)?;
            }
            update_conflicts(tx, again.project_id.as_ref(), now, ids, true)?;
            Ok((again, was))
        })?;
        let moved = was.is_some_and(|was| was != rule.project_id);
        let project = rule.project_id.clone().filter(|_| !moved);
        Ok(Changed::new(rule, project, [Topic::Rules]))
    }

    /// The episodes of a project that bear on a rule, newest first, with the proposed and the final text.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED` for a rule of another book; those of the store. With `episodes.db`
    /// down the texts are missing.
    pub fn rule_episodes(&self, project_id: &ProjectId, rule_id: &RuleId) -> Result<Vec<RuleEpisode>> {
        let _open = self.visit(project_id)?;
        validate::identity("ruleId", rule_id.as_str())?;
        let db = self.stores.rules.open()?;
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let rule = rules::get(&reader, rule_id)?.ok_or_else(|| Error::not_found("ruleId", "rule"))?;
        if rule.project_id.as_ref().is_some_and(|id| id != project_id) {
            return Err(Error::scope_denied("rule"));
        }
        let feature = Matter::from_rule(&rule).map(|matter| matter.feature);
        let mut found = Vec::new();
        for (episode_id, agrees) in support::list_for_rule(&reader, project_id, rule_id)? {
            let row = evidence::get(&reader, project_id, &episode_id)?;
            // An episode's edit says more than its choice.
            let measured = row
                .as_ref()
                .zip(feature)
                .and_then(|(row, feature)| means(&[row], feature, true).or_else(|| means(&[row], feature, false)));
            let Texts { before, after, passed_over } = self
                .texts_of(project_id, &episode_id)
                .or_log("read the texts of an episode")
                .flatten()
                .unwrap_or_default();
            let at = row.map(|row| row.occurred_at);
            found.push(RuleEpisode { episode_id, agrees, at, before, after, passed_over, measured });
        }
        found.sort_by(|one, other| other.at.cmp(&one.at).then_with(|| one.episode_id.cmp(&other.episode_id)));
        Ok(found)
    }

    /// The proposed and the final text of an episode, or the beginnings that a compressed one has left.
    fn texts_of(&self, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<Option<Texts>> {
        let found = episodes::get(&*self.stores.episodes.open()?.reader()?, episode_id)?;
        let Some((episode, draft)) = found.filter(|(episode, _)| episode.project_id == *project_id) else {
            return Ok(None);
        };
        let chosen = episode.proposed_index();
        let mut candidates = episode.candidates;
        let before = if chosen < candidates.len() { candidates.remove(chosen) } else { draft };
        let is_unchanged = before == episode.final_text;
        let passed_over = if is_unchanged { candidates } else { Vec::new() };
        Ok(Some(Texts { before, after: episode.final_text, passed_over }))
    }

    /// Every version of a rule, oldest first; also of a deleted one.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn rule_history(&self, rule_id: &RuleId) -> Result<Vec<RuleVersion>> {
        validate::identity("ruleId", rule_id.as_str())?;
        let versions = rules::history(&*self.stores.rules.open()?.reader()?, rule_id)?;
        if versions.is_empty() {
            return Err(Error::not_found("ruleId", "rule"));
        }
        Ok(versions)
    }

    /// Reads a rule, increments its version, and writes the rule and its history, in one transaction.
    fn rewrite_rule(
        &self,
        rule_id: &RuleId,
        change: RuleChange,
        rewrite: impl Fn(Rule, Time) -> Result<Rule>,
    ) -> Result<Changed<Rule>> {
        validate::identity("ruleId", rule_id.as_str())?;
        let now = self.clock.now();
        let rule = self.stores.rules.open()?.write("change a rule", |tx| {
            let had = existing(tx, rule_id)?;
            let home = had.project_id.clone();
            let rule = rewrite(had, now)?;
            if home != rule.project_id {
                evict_for_new_rule(tx, rule.project_id.as_ref(), now)?;
            }
            rules::upsert(tx, &rule, change, None)?;
            if home != rule.project_id {
                update_conflicts(tx, home.as_ref(), now, &*self.ids, true)?;
            }
            update_conflicts(tx, rule.project_id.as_ref(), now, &*self.ids, true)?;
            Ok(rule)
        })?;
        // A rule that was promoted concerns every project.
        Ok(changed(rule))
    }
}

/// The rules of a project and the global ones with their episodes, and the time of the last run over the project.
fn listed(
    db: &Connection,
    project_id: Option<&ProjectId>,
    category: Option<Category>,
) -> Result<(Vec<Rule>, Option<Time>)> {
    let mut list = rules::list(db, project_id, category)?;
    support::fill_in(db, &mut list, project_id)?;
    Ok((list, runs::last_learned_at(db, project_id)?))
}

fn existing(tx: &Tx<'_>, rule_id: &RuleId) -> Result<Rule> {
    rules::get(tx, rule_id)?.ok_or_else(|| Error::not_found("ruleId", "rule"))
}

/// Whether two versions of a rule are equal apart from their numbers.
fn says_the_same(one: &Rule, other: &Rule) -> bool {
    let said = |rule: &Rule| {
        let place = (rule.scope, rule.project_id.clone(), rule.scene_type.clone(), rule.skill_used.clone());
        let about = (rule.category, rule.pattern.clone(), rule.standing, rule.user_confirmed);
        (rule.rule.clone(), place, about)
    };
    said(one) == said(other)
}

fn words_erased() -> Error {
    let details = Details { field: Some("ruleId".into()), reason: Some(Reason::WordsErased), ..Details::default() };
    Error { details: Some(details), ..Error::invalid("ruleId", "its words were erased") }
}

fn nothing_before() -> Error {
    Error::invalid("ruleId", "it was never anything else")
}

fn changed(rule: Rule) -> Changed<Rule> {
    let project = rule.project_id.clone();
    Changed::new(rule, project, [Topic::Rules])
}
