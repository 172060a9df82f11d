//! Tombstones of rules: evidence up to a time no longer counts for a rule.

use super::{ProjectId, Rule, RuleId, Time};

/// Why evidence restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TombstoneCause {
    /// The writer deleted the rule.
    Deleted,
    /// The writer undid the run that learned it: all its evidence exists, and it returns as a suggestion at most.
    Undone,
    /// The evidence has drifted against it.
    Drifted,
}

/// The record of a deleted rule that must not return by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Tombstone {
    /// UUID.
    pub tombstone_id: String,
    /// UUID of the rule.
    pub rule_id: RuleId,
    /// UUID of its project; `None` for a global one.
    pub project_id: Option<ProjectId>,
    /// Why evidence restarts.
    pub why: TombstoneCause,
    /// The style feature, by its name, and the direction; `None` for a rule without a measurable feature.
    pub dimension: Option<(String, i32)>,
    /// The scene type; `None` for all.
    pub scene_type: Option<String>,
    /// The skill; `None` for all.
    pub skill_used: Option<String>,
    /// Its wording; empty if it was erased.
    pub words: String,
    /// [`Tombstone::hash_words`] of an erased wording.
    pub words_hash: Option<String>,
    /// Evidence at or before this time no longer counts (unless the run was undone).
    pub since: Time,
    /// The run that set it.
    pub run_id: Option<String>,
}

impl Tombstone {
    /// The tombstone of a rule.
    #[must_use]
    pub fn for_rule(rule: &Rule, tombstone_id: String, why: TombstoneCause, since: Time, run_id: Option<&str>) -> Self {
        Self {
            tombstone_id,
            rule_id: rule.id.clone(),
            project_id: rule.project_id.clone(),
            why,
            dimension: rule.pattern.as_ref().map(|pattern| (pattern.feature.clone(), pattern.direction)),
            scene_type: rule.scene_type.clone(),
            skill_used: rule.skill_used.clone(),
            words: rule.rule.clone(),
            words_hash: None,
            since,
            run_id: run_id.map(Into::into),
        }
    }

    /// BLAKE3 of a rule's wording, hexadecimal. Ignores white space and case.
    #[must_use]
    pub fn hash_words(words: &str) -> String {
        let plain = words.split_whitespace().collect::<String>().to_lowercase();
        blake3::hash(plain.as_bytes()).to_hex().to_string()
    }

    /// Whether it is of a rule with this wording, erased or not. Ignores white space and case.
    #[must_use]
    pub fn has_words(&self, words: &str) -> bool {
        let own = self.words_hash.clone().unwrap_or_else(|| Self::hash_words(&self.words));
        own == Self::hash_words(words)
    }

    /// Whether it applies to a project.
    #[must_use]
    pub fn holds_in(&self, project_id: &ProjectId) -> bool {
        self.project_id.as_ref().is_none_or(|id| id == project_id)
    }
}
