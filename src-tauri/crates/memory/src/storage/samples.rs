//! Sample values for the tests of storage: every field differs from its default.

use crate::model::{Category, Pattern, PatternSource, Rule, RuleOrigin, RuleStanding, Scope};

/// A learned rule of a project.
pub(super) fn rule() -> Rule {
    Rule {
        id: "r1".into(),
        rule: "No exclamation marks".into(),
        category: Category::Style,
        scope: Scope::Project,
        project_id: Some("p1".into()),
        scene_type: Some("dialogue".into()),
        skill_used: None,
        confidence: 0.9,
        supporting_episodes: vec!["e1".into()],
        contradicting_episodes: Vec::new(),
        user_confirmed: true,
        user_modified: false,
        recently_updated: true,
        pattern: Some(Pattern { feature: "exclamations".into(), direction: -1, threshold: None }),
        evidence_count: 12,
        confidence_low: 0.7,
        origin: RuleOrigin::Distilled,
        standing: RuleStanding::SteppedBack,
        pattern_by: Some(PatternSource::Measured),
        challenged: true,
        wrong_count: 2,
        other_books: 1,
        learned_at: Some("2026-03-15T21:00:00Z".parse().unwrap()),
        version: 3,
        created_at: "2026-03-14T21:00:00Z".parse().unwrap(),
        updated_at: "2026-03-15T21:00:00Z".parse().unwrap(),
    }
}
