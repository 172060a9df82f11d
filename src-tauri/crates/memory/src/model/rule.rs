//! Semantic rules: learned preferences, and the writer's decisions about them.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{EpisodeId, ProjectId, RuleId, Time};

/// The scope of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// All projects.
    Global,
    /// One project.
    Project,
}

/// The category of a rule; the panel groups by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Sentences and rhythm.
    Style,
    /// Narration.
    Structure,
    /// Narrative person, emotion and thought.
    Character,
    /// Pace.
    Pacing,
    /// Words that are preferred or avoided.
    Vocabulary,
}

/// The source of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RuleOrigin {
    /// Learned from episodes.
    Distilled,
    /// Written by the writer.
    Manual,
    /// Built in; used while no other rule applies.
    Builtin,
}

/// A measured preference behind a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    /// Name of the style feature.
    pub feature: String,
    /// +1: more of it, -1: less.
    pub direction: i32,
    /// Strength in the feature's unit; `null` without a unit.
    pub threshold: Option<f64>,
}

/// The source of a rule's pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PatternSource {
    /// Measured: learned with this pattern.
    Measured,
    /// Parsed from its words.
    Lexicon,
    /// Classified by a model.
    Model,
    /// Set by the writer, including "no measurable feature".
    Writer,
}

/// The status of a rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RuleStanding {
    /// In prompts, and tested for drift.
    #[default]
    Active,
    /// A suggestion: in no prompt until confirmed.
    Proposed,
    /// Its evidence drifted or is gone: in no prompt.
    SteppedBack,
    /// Called wrong twice: in no prompt until the writer decides.
    Suspended,
}

/// A stored rule. The fields are fixed by the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// UUID.
    pub id: RuleId,
    /// The sentence that goes into a prompt.
    pub rule: String,
    /// The group under which it is listed.
    pub category: Category,
    /// All projects, or one.
    pub scope: Scope,
    /// UUID of the project; `null` for a global rule.
    pub project_id: Option<ProjectId>,
    /// The scene type, or `null` for all.
    pub scene_type: Option<String>,
    /// The skill, or `null` for all.
    pub skill_used: Option<String>,
    /// 0..1: the share of relevant choices that agree with it.
    pub confidence: f64,
    /// UUIDs of episodes whose evidence agrees.
    pub supporting_episodes: Vec<EpisodeId>,
    /// UUIDs of episodes whose evidence disagrees.
    pub contradicting_episodes: Vec<EpisodeId>,
    /// Confirmed by the writer: no run changes it.
    pub user_confirmed: bool,
    /// The wording was written by the writer.
    pub user_modified: bool,
    /// Changed by the last run.
    pub recently_updated: bool,
    /// The measured preference, or `null` for a statement.
    pub pattern: Option<Pattern>,
    /// Number of relevant choices and edits.
    pub evidence_count: u32,
    /// The lower confidence bound of `confidence`, 0..1.
    pub confidence_low: f64,
    /// Its source.
    pub origin: RuleOrigin,
    /// Its status.
    pub standing: RuleStanding,
    /// The source of `pattern`; `null` if it was never set.
    pub pattern_by: Option<PatternSource>,
    /// Confirmed by the writer, and recent choices contradict it.
    pub challenged: bool,
    /// Number of "wrong" verdicts by the writer.
    pub wrong_count: u32,
    /// Number of evidence episodes in other projects. Their ids are not given.
    pub other_books: u32,
    /// When the current wording and direction were learned; `null` for rules not learned.
    pub learned_at: Option<Time>,
    /// Increases by one with each change.
    pub version: u32,
    /// When it was created.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
}

/// A rule written by hand.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleDraft {
    /// 1 to 500 characters, one line.
    pub rule: String,
    /// The group under which it is listed.
    pub category: Category,
    /// All projects, or one.
    pub scope: Scope,
    /// Required for `project`, refused for `global`.
    #[specta(optional)]
    pub project_id: Option<ProjectId>,
    /// The scene type; missing means all.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// The skill; missing means all.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// The feature, as set by the writer; if missing, it is parsed from the words.
    #[specta(optional)]
    pub dimension: Option<super::DimensionPatch>,
}

/// A change by the writer; missing fields stay as they are.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulePatch {
    /// UUID of the rule.
    pub rule_id: RuleId,
    /// The version that was read; an outdated one is refused.
    pub version: u32,
    /// 1 to 500 characters, one line.
    #[specta(optional)]
    pub rule: Option<String>,
    /// The group under which it is listed.
    #[specta(optional)]
    pub category: Option<Category>,
    /// The scene type; an empty string means all.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// The skill; an empty string means all.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// The feature, as set by the writer.
    #[specta(optional)]
    pub dimension: Option<super::DimensionPatch>,
}

/// Rules, with the figures of the panel's footer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleList {
    /// By category, then the writer's own first, then by confidence.
    pub rules: Vec<Rule>,
    /// Learning is paused.
    pub learning_paused: bool,
    /// Episodes recorded in the project (in all projects without a `projectId`).
    pub episodes_recorded: u32,
    /// When a run last finished; `null` if none did.
    pub last_distilled_at: Option<Time>,
    /// How often recent generations of the project followed each rule. Rules without a measurable feature or without a
    /// generation are left out; the list is empty without a project, and without `episodes.db`.
    pub followed: Vec<RuleFollowed>,
    /// Why the rules are those of a backup and cannot be changed; `null` if they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub degraded_reason: Option<String>,
}

/// How often the last generations of a project with a rule in the prompt followed it, ten at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleFollowed {
    /// UUID of the rule.
    pub rule_id: RuleId,
    /// Followed clearly: more than nine in ten of the compared drafts.
    pub yes: u32,
    /// Followed: more than half of the compared drafts.
    pub partly: u32,
    /// Not followed: no more than the usual draft.
    pub no: u32,
    /// Not followed in eight of the last ten: the model ignores it.
    pub ignored: bool,
}

/// The kinds of changes in a rule's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RuleChange {
    /// Written by hand.
    Added,
    /// Edited or moved by hand.
    Edited,
    /// Confirmed by the writer.
    Confirmed,
    /// Made global.
    Promoted,
    /// The rule no longer exists; its history stays.
    Deleted,
    /// Learned by a run.
    Learned,
    /// Numbers or wording updated by a run.
    Updated,
    /// Direction reversed by a run.
    Replaced,
    /// Deactivated or reactivated by a run.
    Stood,
    /// Restored to an earlier version: by the writer, or because a run was undone.
    Restored,
    /// Called wrong by the writer.
    Disputed,
}

/// One version of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleVersion {
    /// The version after this change.
    pub version: u32,
    /// The wording after this change.
    pub rule: String,
    /// The kind of change.
    pub change: RuleChange,
    /// UUID of the run; `null` for a change by the writer.
    pub run_id: Option<String>,
    /// When it happened.
    pub at: Time,
}
