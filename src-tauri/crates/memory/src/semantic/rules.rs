//! Operations on rules: pure functions from one version to the next, and the choice of the rules that apply to a
//! passage.

use std::collections::HashSet;

use palimpsest_learning::{AGEING_FACTOR, DISAGREEMENTS_PER_WRONG, PRIOR};
use palimpsest_text::{single_spaced, style::Feature};

use super::lexicon;
use crate::{
    error::{Error, Result},
    model::{
        DimensionPatch, Pattern, PatternSource, ProjectId, Rule, RuleDraft, RuleId, RuleOrigin, RulePatch,
        RuleStanding, Scope, Time,
    },
};

/// The built-in scene types. A scene type that a writer has named is valid for a rule only where the writer states it.
const SCENES: [&str; 6] = ["dialogue", "action", "description", "monologue", "narration", "transition"];

/// Number of "wrong" verdicts that suspend a rule.
const WRONG_SUSPENDS: u32 = 2;

/// The matter of a rule: feature, direction and stratum.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matter {
    /// The style feature.
    pub feature: Feature,
    /// +1 more of it, -1 less.
    pub direction: i32,
    /// Only in this scene type.
    pub scene_type: Option<String>,
    /// Only for this skill.
    pub skill_used: Option<String>,
}

impl Matter {
    /// The matter of a rule; `None` for a rule that is not measurable.
    #[must_use]
    pub fn from_rule(rule: &Rule) -> Option<Self> {
        let pattern = rule.pattern.as_ref()?;
        Some(Self {
            feature: Feature::parse(&pattern.feature)?,
            direction: pattern.direction.signum(),
            scene_type: rule.scene_type.clone(),
            skill_used: rule.skill_used.clone(),
        })
    }

    /// The opposite direction in the same stratum.
    #[must_use]
    pub fn opposite(&self) -> Self {
        Self { direction: -self.direction, ..self.clone() }
    }
}

/// A rule that the writer wrote: confidence 1, confirmed, and in force immediately.
#[must_use]
pub fn added(draft: RuleDraft, id: RuleId, now: Time) -> Rule {
    let Dimension { pattern, by: pattern_by, scene_type } = dimension(draft.dimension, &draft.rule);
    Rule {
        pattern,
        pattern_by,
        id,
        rule: single_spaced(&draft.rule),
        category: draft.category,
        scope: draft.scope,
        project_id: draft.project_id,
        scene_type: draft.scene_type.or(scene_type),
        skill_used: draft.skill_used,
        confidence: 1.0,
        supporting_episodes: Vec::new(),
        contradicting_episodes: Vec::new(),
        user_confirmed: true,
        user_modified: false,
        recently_updated: false,
        evidence_count: 0,
        confidence_low: 1.0,
        origin: RuleOrigin::Manual,
        standing: RuleStanding::Active,
        challenged: false,
        wrong_count: 0,
        other_books: 0,
        learned_at: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// The matter of a rule, and its source.
struct Dimension {
    pattern: Option<Pattern>,
    by: Option<PatternSource>,
    /// The scene type named in the words: the rule applies to it only.
    scene_type: Option<String>,
}

/// The writer's classification, or else that of the words.
fn dimension(said: Option<DimensionPatch>, words: &str) -> Dimension {
    if let Some(said) = said {
        return Dimension { pattern: said.pattern.map(settled), by: Some(PatternSource::Writer), scene_type: None };
    }
    // No passage is ever classified as a scene type that only the words know: such a rule is not measurable.
    let is_known = |scene: &Option<String>| scene.as_deref().is_none_or(|scene| SCENES.contains(&scene));
    match lexicon::understand(words).filter(|understood| is_known(&understood.scene_type)) {
        Some(understood) => {
            let feature = understood.feature.as_str().to_owned();
            Dimension {
                pattern: Some(Pattern { feature, direction: understood.direction, threshold: None }),
                by: Some(PatternSource::Lexicon),
                scene_type: understood.scene_type,
            }
        }
        None => Dimension { pattern: None, by: None, scene_type: None },
    }
}

fn settled(pattern: Pattern) -> Pattern {
    Pattern { direction: pattern.direction.signum(), ..pattern }
}

/// Checks the writer's classification of a rule.
///
/// # Errors
/// `MEMORY_INVALID_ARGUMENT`.
pub fn check_dimension(dimension: Option<&DimensionPatch>) -> Result<()> {
    let Some(pattern) = dimension.and_then(|patch| patch.pattern.as_ref()) else { return Ok(()) };
    if Feature::parse(&pattern.feature).is_none() {
        return Err(Error::invalid("dimension.pattern.feature", "there is no such feature"));
    }
    if pattern.direction == 0 {
        return Err(Error::invalid("dimension.pattern.direction", "neither more nor less"));
    }
    Ok(())
}

/// The rule after an edit by the writer. New words leave the measured numbers unchanged; the matter is read from the
/// words again only if it came from words before.
///
/// # Errors
/// `MEMORY_STALE_VERSION` when the patch was made against another version.
pub fn edited(rule: Rule, patch: RulePatch, now: Time) -> Result<Rule> {
    let mut next = next_version(rule, patch.version, now)?;
    if let Some(text) = patch.rule {
        let text = single_spaced(&text);
        let reworded = text != single_spaced(&next.rule);
        next.user_modified |= reworded;
        next.rule = text;
        if reworded && matches!(next.pattern_by, None | Some(PatternSource::Lexicon | PatternSource::Model)) {
            let understood = dimension(None, &next.rule);
            (next.pattern, next.pattern_by) = (understood.pattern, understood.by);
            next.scene_type = next.scene_type.or(understood.scene_type);
        }
    }
    if let Some(said) = patch.dimension {
        (next.pattern, next.pattern_by) = (said.pattern.map(settled), Some(PatternSource::Writer));
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
    if next.standing == RuleStanding::Suspended {
        // It waited for the writer's decision, and the edit is one.
        next.standing = RuleStanding::Active;
        next.wrong_count = 0;
    }
    Ok(next)
}

/// The confirmed rule: from now on only the writer changes it. It is in force, whatever state it was in.
///
/// # Errors
/// `MEMORY_STALE_VERSION`.
pub fn confirmed(rule: Rule, version: u32, now: Time) -> Result<Rule> {
    let mut next = next_version(rule, version, now)?;
    next.user_confirmed = true;
    next.standing = RuleStanding::Active;
    next.challenged = false;
    next.wrong_count = 0;
    Ok(next)
}

/// The rule after a "wrong" verdict. A confirmed rule stays as it is and is challenged; the confidence of any other
/// falls by four disagreements, until the next run counts again, and the second verdict suspends it.
#[must_use]
pub fn disputed(mut rule: Rule, now: Time) -> Rule {
    rule.version += 1;
    rule.updated_at = now;
    rule.wrong_count = rule.wrong_count.saturating_add(1);
    if rule.user_confirmed {
        rule.challenged = true;
        return rule;
    }
    let left = share_left(rule.evidence_count);
    rule.confidence *= left;
    rule.confidence_low *= left;
    if rule.wrong_count >= WRONG_SUSPENDS && rule.standing == RuleStanding::Active {
        rule.standing = RuleStanding::Suspended;
    }
    rule
}

/// The rule after the writer took one "wrong" back.
#[must_use]
pub fn undisputed(mut rule: Rule, now: Time) -> Rule {
    rule.version += 1;
    rule.updated_at = now;
    if rule.wrong_count == 0 {
        // The writer has confirmed or edited it since: no verdict counts against it.
        return rule;
    }
    rule.wrong_count -= 1;
    if rule.user_confirmed {
        rule.challenged &= rule.wrong_count > 0;
        return rule;
    }
    let left = share_left(rule.evidence_count);
    rule.confidence = (rule.confidence / left).min(1.0);
    rule.confidence_low = (rule.confidence_low / left).min(rule.confidence);
    if rule.wrong_count < WRONG_SUSPENDS && rule.standing == RuleStanding::Suspended {
        rule.standing = RuleStanding::Active;
    }
    rule
}

/// The share of a confidence that remains after four disagreements, given the number of pieces of evidence it was
/// counted on, 0..1: in `(S + p) / (N + 2p)` the numerator stays and the denominator grows. The next run counts
/// exactly.
fn share_left(evidence: u32) -> f64 {
    let seen = (1.0 - AGEING_FACTOR.powf(f64::from(evidence))) / (1.0 - AGEING_FACTOR) + 2.0 * PRIOR;
    seen / (seen + f64::from(DISAGREEMENTS_PER_WRONG))
}

/// The rule of one project, made global.
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

/// The rule in an earlier state: a new version, because the versions in between are part of its history.
#[must_use]
pub fn restored(before: Rule, last: u32, now: Time) -> Rule {
    let rule = single_spaced(&before.rule);
    Rule { rule, version: last + 1, updated_at: now, recently_updated: false, ..before }
}

/// The last version of a deleted rule.
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

/// The rules that apply to a passage, and those that are overruled.
#[derive(Debug, Default)]
pub struct Applicable {
    /// Most specific first: the project's before global ones, those for the scene or skill before general ones,
    /// confirmed before measured ones, then by confidence.
    pub rules: Vec<Rule>,
    /// Rules with the same matter as one of `rules`, or the opposite of a preceding one.
    pub overruled: Vec<Rule>,
}

/// The rules that apply to this project, scene and skill. Only rules in force: proposed or withdrawn ones are not even
/// listed as cut.
#[must_use]
pub fn applicable(rules: Vec<Rule>, project_id: &ProjectId, scene_type: Option<&str>, skill: &str) -> Applicable {
    let holds = |rule: &Rule| {
        rule.standing == RuleStanding::Active
            && rule.project_id.as_ref().is_none_or(|id| id == project_id)
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
    let mut said: HashSet<String> = HashSet::new();
    let mut meant: HashSet<(String, i32)> = HashSet::new();
    let (rules, overruled) = rules.into_iter().partition(|rule| {
        let words: String = rule.rule.split_whitespace().collect::<String>().to_lowercase();
        let aim = rule.pattern.as_ref().map(|pattern| (pattern.feature.clone(), pattern.direction.signum()));
        // A model cannot do both; the more specific rule is an exception from the other.
        let against = |(feature, direction): &(String, i32)| meant.contains(&(feature.clone(), -direction));
        let goes_in = said.insert(words) && !aim.as_ref().is_some_and(against);
        if goes_in {
            meant.extend(aim);
        }
        goes_in
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

    /// A patch that changes nothing.
    fn patch(version: u32) -> RulePatch {
        RulePatch {
            rule_id: "r".into(),
            version,
            rule: None,
            category: None,
            scene_type: None,
            skill_used: None,
            dimension: None,
        }
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
        let found = applicable(all, &"book".into(), Some("action"), "continue");
        assert_eq!(ids(&found.rules), ["book-scene", "book", "global-scene", "global"]);
    }

    #[test]
    fn rules_of_other_scenes_and_other_books_do_not_hold() {
        let mut foreign = rule("foreign", "x", Scope::Project, None);
        foreign.project_id = Some("another".into());
        let all = vec![foreign, rule("scene", "y", Scope::Project, Some("dialogue"))];
        assert!(applicable(all, &"book".into(), Some("action"), "continue").rules.is_empty());
    }

    #[test]
    fn a_global_rule_in_the_books_own_words_stays_out_and_is_named() {
        let all =
            vec![rule("global", "短句 优先", Scope::Global, None), rule("book", "短句优先", Scope::Project, None)];
        let found = applicable(all, &"book".into(), None, "continue");
        assert_eq!((ids(&found.rules), ids(&found.overruled)), (vec!["book"], vec!["global"]));
    }

    #[test]
    fn an_edit_against_an_old_version_is_refused_and_says_which_is_current() {
        let current = Rule { version: 3, ..rule("r", "a", Scope::Global, None) };
        let patch = RulePatch { rule: Some("b".into()), ..patch(2) };
        let refused = edited(current, patch, Time::from_millis(5)).unwrap_err();
        assert_eq!(refused.details.unwrap().current_version, Some(3));
    }

    #[test]
    fn an_edit_is_the_writers_wording_and_a_new_version() {
        let patch = RulePatch { rule: Some("b".into()), ..patch(1) };
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

    fn about(mut rule: Rule, feature: Feature, direction: i32) -> Rule {
        rule.pattern = Some(Pattern { feature: feature.as_str().into(), direction, threshold: None });
        rule
    }

    #[test]
    fn proposed_and_inactive_rules_are_in_no_prompt() {
        for standing in [RuleStanding::Proposed, RuleStanding::SteppedBack, RuleStanding::Suspended] {
            let out = Rule { standing, ..rule("out", "a", Scope::Project, None) };
            let found = applicable(vec![out], &"book".into(), None, "continue");
            assert!(found.rules.is_empty() && found.overruled.is_empty(), "{standing:?}");
        }
    }

    #[test]
    fn the_opposite_of_a_more_specific_rule_stays_out_and_is_named() {
        let length = Feature::ALL[0];
        let all = || {
            vec![
                about(rule("global", "长句", Scope::Global, None), length, 1),
                about(rule("book", "短句", Scope::Project, None), length, -1),
                about(rule("scene", "动作里长句", Scope::Project, Some("action")), length, 1),
                about(rule("other", "少用叹号", Scope::Global, None), Feature::ALL[1], -1),
            ]
        };
        let found = applicable(all(), &"book".into(), Some("action"), "continue");
        assert_eq!((ids(&found.rules), ids(&found.overruled)), (vec!["scene", "global", "other"], vec!["book"]));
        let found = applicable(all(), &"book".into(), Some("dialogue"), "continue");
        assert_eq!((ids(&found.rules), ids(&found.overruled)), (vec!["book", "other"], vec!["global"]));
    }

    #[test]
    fn new_words_of_a_rule_leave_its_measured_pattern_alone() {
        let mut measured = about(rule("r", "a", Scope::Project, None), Feature::ALL[0], -1);
        measured.pattern_by = Some(PatternSource::Measured);
        let patch = RulePatch { rule: Some("b".into()), ..patch(1) };
        let next = edited(measured.clone(), patch, Time::from_millis(5)).unwrap();
        assert_eq!((next.pattern, next.pattern_by), (measured.pattern, measured.pattern_by));
    }

    #[test]
    fn a_matter_set_by_the_writer_is_not_derived_from_the_words_again() {
        let changed = |rule: Option<&str>, version, pattern: Option<Option<Pattern>>| RulePatch {
            rule: rule.map(Into::into),
            dimension: pattern.map(|pattern| DimensionPatch { pattern }),
            ..patch(version)
        };
        let now = Time::from_millis(5);
        let next = edited(rule("r", "a", Scope::Project, None), changed(None, 1, Some(None)), now).unwrap();
        assert_eq!((&next.pattern, next.pattern_by), (&None, Some(PatternSource::Writer)));
        let next = edited(next, changed(Some("句子要短"), 2, None), now).unwrap();
        assert_eq!((next.pattern, next.pattern_by), (None, Some(PatternSource::Writer)));
        let odd = DimensionPatch { pattern: Some(Pattern { feature: "mood".into(), direction: 1, threshold: None }) };
        assert!(check_dimension(Some(&odd)).is_err());
    }
}
