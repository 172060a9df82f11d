//! Rules that contradict each other: the same feature and stratum, opposite directions.
//!
//! An opposite rule for one scene type is an exception from a general one, and opposite rules for two scene types
//! describe a writer who writes them differently: neither is a conflict. Nor is a project's rule against a global one,
//! over which it takes precedence: only where a project merely proposes the opposite of a confirmed global rule, the
//! writer is asked which of the two applies there.

use crate::{
    model::{OpenConflict, ProjectId, Rule, RuleId, RuleStanding},
    semantic::rules::Matter,
};

/// Factor for the confidence of an unconfirmed rule while a conflict is open.
pub const DOUBT: f64 = 0.8;

/// Two rules that contradict each other, by identity, the smaller one first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The smaller identity.
    pub first: RuleId,
    /// The larger identity.
    pub second: RuleId,
    /// Their project, or that of the one that is not global; `None` where both are.
    pub project_id: Option<ProjectId>,
}

/// The contradictions among `rules`, in order. Rules of different projects are never compared.
#[must_use]
pub fn contradictions(rules: &[Rule]) -> Vec<Pair> {
    let mut placed: Vec<(Matter, &Rule)> = rules
        .iter()
        .filter_map(|rule| Some((Matter::from_rule(rule)?, rule)))
        .filter(|(_, rule)| takes_part(rule))
        .collect();
    placed.sort_by(|one, two| one.0.cmp(&two.0).then_with(|| one.1.id.cmp(&two.1.id)));
    let mut pairs = Vec::new();
    for (matter, one) in placed.iter().filter(|(matter, _)| matter.direction < 0) {
        let opposite = matter.opposite();
        let start = placed.partition_point(|(other, _)| *other < opposite);
        let others = placed[start..].iter().take_while(|(other, _)| *other == opposite);
        for (_, two) in others.filter(|(_, two)| can_conflict(one, two) && do_states_conflict(one, two)) {
            let (first, second) = if one.id < two.id { (one, two) } else { (two, one) };
            let project_id = one.project_id.clone().or_else(|| two.project_id.clone());
            pairs.push(Pair { first: first.id.clone(), second: second.id.clone(), project_id });
        }
    }
    pairs.sort();
    pairs
}

fn takes_part(rule: &Rule) -> bool {
    matches!(rule.standing, RuleStanding::Active | RuleStanding::Proposed)
}

/// Whether the scopes of two rules permit a conflict: two of one project, or two global ones; or a global one and a
/// proposal of a project.
fn can_conflict(one: &Rule, two: &Rule) -> bool {
    let proposes_otherwise = |global: &Rule, book: &Rule| {
        global.project_id.is_none() && book.project_id.is_some() && book.standing == RuleStanding::Proposed
    };
    one.project_id == two.project_id || proposes_otherwise(one, two) || proposes_otherwise(two, one)
}

/// Whether the states of two rules permit a conflict: both in force; or one confirmed, and one that recent evidence
/// proposes instead.
fn do_states_conflict(one: &Rule, two: &Rule) -> bool {
    match (one.standing, two.standing) {
        (RuleStanding::Active, RuleStanding::Active) => true,
        (RuleStanding::Active, RuleStanding::Proposed) => one.user_confirmed,
        (RuleStanding::Proposed, RuleStanding::Active) => two.user_confirmed,
        _ => false,
    }
}

/// Changes of the open conflicts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConflictChanges {
    /// New conflicts.
    pub opened: Vec<Pair>,
    /// Identities of open conflicts that are obsolete: a rule was deleted or has changed.
    pub closed: Vec<String>,
}

/// Compares the present contradictions with the open conflicts.
#[must_use]
pub fn compare_with_open(rules: &[Rule], open: &[OpenConflict]) -> ConflictChanges {
    let now = contradictions(rules);
    let is = |pair: &Pair, open: &OpenConflict| pair.first == open.first && pair.second == open.second;
    ConflictChanges {
        closed: open
            .iter()
            .filter(|open| !now.iter().any(|pair| is(pair, open)))
            .map(|open| open.conflict_id.clone())
            .collect(),
        opened: now.into_iter().filter(|pair| !open.iter().any(|open| is(pair, open))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use palimpsest_text::style::Feature;

    use super::*;
    use crate::{
        model::{Category, Pattern, RuleDraft, Scope, Time},
        semantic::rules::added,
    };

    fn rule(id: &str, book: Option<&str>, scene: Option<&str>, direction: i32) -> Rule {
        let draft = RuleDraft {
            rule: format!("about {id}"),
            category: Category::Style,
            scope: if book.is_some() { Scope::Project } else { Scope::Global },
            project_id: book.map(Into::into),
            scene_type: scene.map(Into::into),
            skill_used: None,
            dimension: None,
        };
        let pattern = Pattern { feature: Feature::ALL[3].as_str().into(), direction, threshold: None };
        Rule { pattern: Some(pattern), ..added(draft, id.into(), Time::from_millis(0)) }
    }

    fn pairs(rules: &[Rule]) -> Vec<(RuleId, RuleId)> {
        contradictions(rules).into_iter().map(|pair| (pair.first, pair.second)).collect()
    }

    #[test]
    fn opposite_rules_for_the_same_place_contradict_each_other() {
        let all = [rule("b", Some("book"), None, 1), rule("a", Some("book"), None, -1)];
        assert_eq!(pairs(&all), [("a".into(), "b".into())]);
        let all = [rule("b", None, Some("action"), -1), rule("a", None, Some("action"), 1)];
        assert_eq!(pairs(&all).len(), 1);
    }

    #[test]
    fn two_scenes_an_exception_and_another_scope_are_none() {
        let action = rule("a", Some("book"), Some("action"), 1);
        for other in [
            rule("b", Some("book"), Some("dialogue"), -1),
            rule("b", Some("book"), None, -1),
            rule("b", None, Some("action"), -1),
            rule("b", Some("another"), Some("action"), -1),
            rule("b", Some("book"), Some("action"), 1),
        ] {
            assert_eq!(pairs(&[action.clone(), other]), []);
        }
    }

    #[test]
    fn a_proposal_contradicts_only_what_the_writer_confirmed() {
        let proposed =
            Rule { standing: RuleStanding::Proposed, user_confirmed: false, ..rule("p", Some("book"), None, 1) };
        let said = rule("s", Some("book"), None, -1);
        let measured = Rule { user_confirmed: false, ..said.clone() };
        assert_eq!(pairs(&[proposed.clone(), said.clone()]).len(), 1);
        assert_eq!(pairs(&[proposed.clone(), measured]).len(), 0);
        // Also a confirmed global rule, in the project that proposes the opposite.
        let for_all = Rule { scope: Scope::Global, project_id: None, ..said };
        let found = contradictions(&[proposed.clone(), for_all.clone()]);
        assert_eq!((found.len(), found[0].project_id.as_ref()), (1, Some(&"book".into())));
        let measured = Rule { user_confirmed: false, ..for_all.clone() };
        let global = Rule { project_id: None, scope: Scope::Global, user_confirmed: true, ..proposed.clone() };
        let said_in_the_book = Rule { user_confirmed: true, project_id: Some("book".into()), ..for_all };
        assert_eq!(pairs(&[proposed, measured]).len(), 0);
        assert_eq!(pairs(&[global, said_in_the_book]).len(), 0, "the book's own rule goes before it anyway");
    }

    #[test]
    fn a_conflict_opens_once_and_closes_automatically_when_a_rule_is_deleted() {
        let all = [rule("a", Some("book"), None, 1), rule("b", Some("book"), None, -1)];
        let first = compare_with_open(&all, &[]);
        assert_eq!((first.opened.len(), first.closed.len()), (1, 0));
        let open = OpenConflict {
            conflict_id: "c".into(),
            project_id: Some("book".into()),
            first: "a".into(),
            second: "b".into(),
            opened_at: Time::from_millis(1),
        };
        assert_eq!(compare_with_open(&all, std::slice::from_ref(&open)), ConflictChanges::default());
        let after = compare_with_open(&all[..1], &[open]);
        assert_eq!((after.opened.len(), after.closed), (0, vec!["c".to_owned()]));
    }
}
