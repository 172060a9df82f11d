//! What can be done to a rule: pure functions from one version to the next, and which rules apply to a passage.

use crate::{
    error::{Error, Result},
    model::{Rule, RuleDraft, RuleOrigin, RulePatch, RuleStanding, Scope, Time},
};

/// A rule that the writer wrote: certain, agreed to, and in force at once.
#[must_use]
pub fn added(draft: RuleDraft, id: String, now: Time) -> Rule {
    Rule {
        id,
        rule: draft.rule.trim().to_owned(),
        category: draft.category,
        scope: draft.scope,
        project_id: draft.project_id,
        scene_type: draft.scene_type,
        skill_used: draft.skill_used,
        confidence: 1.0,
        supporting_episodes: Vec::new(),
        contradicting_episodes: Vec::new(),
        user_confirmed: true,
        user_modified: false,
        recently_updated: false,
        pattern: None,
        evidence_count: 0,
        confidence_low: 1.0,
        origin: RuleOrigin::Manual,
        standing: RuleStanding::Active,
        pattern_by: None,
        challenged: false,
        wrong_count: 0,
        other_books: 0,
        learned_at: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// The rule as the writer edited it.
///
/// # Errors
/// `MEMORY_STALE_VERSION` when the patch was made against another version.
pub fn edited(rule: Rule, patch: RulePatch, now: Time) -> Result<Rule> {
    let mut next = next_version(rule, patch.version, now)?;
    if let Some(text) = patch.rule {
        let text = text.trim().to_owned();
        next.user_modified |= text != next.rule;
        next.rule = text;
    }
    if let Some(category) = patch.category {
        next.category = category;
    }
    if let Some(scene) = patch.scene_type {
        next.scene_type = Some(scene).filter(|scene| !scene.is_empty());
    }
    if let Some(skill) = patch.skill_used {
        next.skill_used = Some(skill).filter(|skill| !skill.is_empty());
    }
    Ok(next)
}

/// The rule, agreed to: from now on only the writer changes it.
///
/// # Errors
/// `MEMORY_STALE_VERSION`.
pub fn confirmed(rule: Rule, version: u32, now: Time) -> Result<Rule> {
    let mut next = next_version(rule, version, now)?;
    next.user_confirmed = true;
    Ok(next)
}

/// The rule of one book, made a rule of all.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT` when it is global already.
pub fn promoted(rule: Rule, now: Time) -> Result<Rule> {
    if rule.scope == Scope::Global {
        return Err(Error::invalid("ruleId", "this rule is global already"));
    }
    let version = rule.version;
    let mut next = next_version(rule, version, now)?;
    next.scope = Scope::Global;
    next.project_id = None;
    Ok(next)
}

/// The last version of a rule that is taken out.
#[must_use]
pub fn deleted(mut rule: Rule, now: Time) -> Rule {
    rule.version += 1;
    rule.updated_at = now;
    rule
}

fn next_version(mut rule: Rule, read: u32, now: Time) -> Result<Rule> {
    if rule.version != read {
        return Err(Error::stale_version(rule.version));
    }
    rule.version += 1;
    rule.updated_at = now;
    Ok(rule)
}

/// The rules that hold for a passage, and those among them that stay out because a rule of the book says the same.
#[derive(Debug, Default)]
pub struct Applicable {
    /// Most specific first: the book's before global ones, those for the scene or skill before general ones, the
    /// writer's word before what was measured, then by confidence.
    pub rules: Vec<Rule>,
    /// Global rules that the book's own replace.
    pub overruled: Vec<Rule>,
}

/// Which of `rules` hold for this book, scene and skill.
#[must_use]
pub fn applicable(rules: Vec<Rule>, project_id: &str, scene_type: Option<&str>, skill: &str) -> Applicable {
    let holds = |rule: &Rule| {
        rule.project_id.as_deref().is_none_or(|id| id == project_id)
            && rule.scene_type.as_deref().is_none_or(|scene| Some(scene) == scene_type)
            && rule.skill_used.as_deref().is_none_or(|used| used == skill)
    };
    let mut rules: Vec<Rule> = rules.into_iter().filter(holds).collect();
    rules.sort_by(|a, b| {
        rank(a)
            .cmp(&rank(b))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.created_at.cmp(&b.created_at))
            .then_with(|| a.id.cmp(&b.id))
    });
    let mut said: Vec<String> = Vec::new();
    let (rules, overruled) = rules.into_iter().partition(|rule| {
        let words: String = rule.rule.split_whitespace().collect::<String>().to_lowercase();
        let new = !said.contains(&words);
        said.push(words);
        new
    });
    Applicable { rules, overruled }
}

/// Smaller comes first.
fn rank(rule: &Rule) -> (bool, u8, bool) {
    let narrowed = u8::from(rule.scene_type.is_some()) + u8::from(rule.skill_used.is_some());
    (rule.scope == Scope::Global, 2 - narrowed, !rule.user_confirmed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Category;

    fn rule(id: &str, text: &str, scope: Scope, scene: Option<&str>) -> Rule {
        let draft = RuleDraft {
            rule: text.into(),
            category: Category::Style,
            scope,
            project_id: (scope == Scope::Project).then(|| "book".into()),
            scene_type: scene.map(Into::into),
            skill_used: None,
            dimension: None,
        };
        added(draft, id.into(), Time::from_millis(0))
    }

    fn ids(rules: &[Rule]) -> Vec<&str> {
        rules.iter().map(|rule| rule.id.as_str()).collect()
    }

    #[test]
    fn a_rule_added_by_hand_is_certain_and_confirmed() {
        let rule = rule("r", " 所有角色对白不使用感叹号 ", Scope::Global, None);
        assert_eq!(rule.rule, "所有角色对白不使用感叹号");
        assert!(rule.user_confirmed && (rule.confidence - 1.0).abs() < f64::EPSILON);
        assert_eq!((rule.origin, rule.version), (RuleOrigin::Manual, 1));
    }

    #[test]
    fn the_most_specific_rule_comes_first_and_the_books_before_global_ones() {
        let all = vec![
            rule("global", "a", Scope::Global, None),
            rule("global-scene", "b", Scope::Global, Some("action")),
            rule("book", "c", Scope::Project, None),
            rule("book-scene", "d", Scope::Project, Some("action")),
        ];
        let found = applicable(all, "book", Some("action"), "continue");
        assert_eq!(ids(&found.rules), ["book-scene", "book", "global-scene", "global"]);
    }

    #[test]
    fn rules_of_other_scenes_and_other_books_do_not_hold() {
        let mut foreign = rule("foreign", "x", Scope::Project, None);
        foreign.project_id = Some("another".into());
        let all = vec![foreign, rule("scene", "y", Scope::Project, Some("dialogue"))];
        assert!(applicable(all, "book", Some("action"), "continue").rules.is_empty());
    }

    #[test]
    fn a_global_rule_in_the_books_own_words_stays_out_and_is_named() {
        let all =
            vec![rule("global", "短句 优先", Scope::Global, None), rule("book", "短句优先", Scope::Project, None)];
        let found = applicable(all, "book", None, "continue");
        assert_eq!((ids(&found.rules), ids(&found.overruled)), (vec!["book"], vec!["global"]));
    }

    #[test]
    fn an_edit_against_an_old_version_is_refused_and_says_which_is_current() {
        let current = Rule { version: 3, ..rule("r", "a", Scope::Global, None) };
        let patch = RulePatch { rule_id: "r".into(), version: 2, rule: Some("b".into()), ..RulePatch::default() };
        let refused = edited(current, patch, Time::from_millis(5)).unwrap_err();
        assert_eq!(refused.details.unwrap().current_version, Some(3));
    }

    #[test]
    fn an_edit_is_the_writers_wording_and_a_new_version() {
        let patch = RulePatch { rule_id: "r".into(), version: 1, rule: Some("b".into()), ..RulePatch::default() };
        let next = edited(rule("r", "a", Scope::Global, None), patch, Time::from_millis(5)).unwrap();
        assert_eq!((next.rule.as_str(), next.version, next.user_modified), ("b", 2, true));
        assert_eq!(next.updated_at, Time::from_millis(5));
    }

    #[test]
    fn a_promoted_rule_belongs_to_no_book_and_cannot_be_promoted_twice() {
        let next = promoted(rule("r", "a", Scope::Project, None), Time::from_millis(5)).unwrap();
        assert_eq!((next.scope, &next.project_id, next.version), (Scope::Global, &None, 2));
        assert!(promoted(next, Time::from_millis(6)).is_err());
    }
}
