//! Semantic rules: what the memory believes the writer prefers, and the writer's own word on it.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::Time;

/// Where something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// In all books.
    Global,
    /// In one.
    Project,
}

/// What a rule is about, as the panel groups them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Sentences and their sound.
    Style,
    /// How the story is told.
    Structure,
    /// People.
    Character,
    /// Speed.
    Pacing,
    /// Words.
    Vocabulary,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RuleOrigin {
    /// Out of episodes.
    Distilled,
    /// From the writer.
    Manual,
    /// Shipped; used while nothing else applies.
    Builtin,
}

/// A measured preference behind a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    /// The style feature.
    pub feature: String,
    /// +1 more of it, -1 less.
    pub direction: i32,
    /// In the feature's own unit, where there is one.
    pub threshold: Option<f64>,
}

/// Who says what a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PatternSource {
    /// Measured: it was learned as this.
    Measured,
    /// Read out of its words.
    Lexicon,
    /// A model said so.
    Model,
    /// The writer said so, or that it is about nothing measurable.
    Writer,
}

/// How a rule stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RuleStanding {
    /// In force.
    #[default]
    Active,
    /// A question to the writer: goes into no prompt until confirmed.
    Proposed,
    /// Its evidence turned or is gone: goes into no prompt.
    SteppedBack,
    /// Called wrong twice: goes into no prompt until the writer has answered.
    Suspended,
}

/// A rule as kept. The fields are fixed by the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// UUID.
    pub id: String,
    /// The sentence that goes into a prompt.
    pub rule: String,
    /// What it is about.
    pub category: Category,
    /// Where it holds.
    pub scope: Scope,
    /// The book of a project rule.
    pub project_id: Option<String>,
    /// The kind of scene it is for, or `null` for all.
    pub scene_type: Option<String>,
    /// The skill it is for, or `null` for all.
    pub skill_used: Option<String>,
    /// 0..1: the share of the choices it bears on that agree with it.
    pub confidence: f64,
    /// Episodes for it, by identity.
    pub supporting_episodes: Vec<String>,
    /// Episodes against it.
    pub contradicting_episodes: Vec<String>,
    /// The writer agreed: nothing but the writer changes it any more.
    pub user_confirmed: bool,
    /// The wording is the writer's.
    pub user_modified: bool,
    /// The last run changed it.
    pub recently_updated: bool,
    /// The measured preference, or `null` for a statement.
    pub pattern: Option<Pattern>,
    /// How many choices and edits bear on it.
    pub evidence_count: u32,
    /// The lower bound of `confidence`.
    pub confidence_low: f64,
    /// Where it comes from.
    pub origin: RuleOrigin,
    /// Whether it is in force.
    pub standing: RuleStanding,
    /// Who says what it is about; `null` where nobody has said anything.
    pub pattern_by: Option<PatternSource>,
    /// The writer confirmed it, and what the writer does has turned against it.
    pub challenged: bool,
    /// How often the writer called it wrong.
    pub wrong_count: u32,
    /// Episodes of other books that bear on it. Which ones is not said.
    pub other_books: u32,
    /// Since when it says what it says; `null` for one that was not learned.
    pub learned_at: Option<Time>,
    /// Goes up by one with each change.
    pub version: u32,
    /// When it came.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
}

/// A rule that the writer adds by hand.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleDraft {
    /// 1 to 500 characters, one line.
    pub rule: String,
    /// What it is about.
    pub category: Category,
    /// Where it holds.
    pub scope: Scope,
    /// Required for `project`, refused for `global`.
    #[specta(optional)]
    pub project_id: Option<String>,
    /// Only for this kind of scene.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// Only for this skill.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// What it is about, where the writer says so; else it is read out of the words.
    #[specta(optional)]
    pub dimension: Option<super::DimensionPatch>,
}

/// A change by the writer's hand; what is missing stays as it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulePatch {
    /// Which.
    pub rule_id: String,
    /// The version that was read; a stale one is refused.
    pub version: u32,
    /// 1 to 500 characters, one line.
    #[specta(optional)]
    pub rule: Option<String>,
    /// What it is about.
    #[specta(optional)]
    pub category: Option<Category>,
    /// Only for this kind of scene; an empty string means all.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// Only for this skill; an empty string means all.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// What it is about.
    #[specta(optional)]
    pub dimension: Option<super::DimensionPatch>,
}

/// Rules, and what the panel's foot says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleList {
    /// By category, then the writer's own first, then by confidence.
    pub rules: Vec<Rule>,
    /// Nothing is distilled at present.
    pub learning_paused: bool,
    /// Episodes recorded in the book (in all books, when none was named).
    pub episodes_recorded: u32,
    /// When rules were last distilled.
    pub last_distilled_at: Option<Time>,
    /// How the last generations of the book went with these rules; of a rule about nothing measurable, and of one that no
    /// generation has had yet, nothing. Without a book, and without `episodes.db`, of none.
    pub followed: Vec<RuleFollowed>,
    /// The rules are those of a backup, and cannot be changed: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub degraded_reason: Option<String>,
}

/// How often a rule was followed in the last generations of a book that had it, ten at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleFollowed {
    /// The rule.
    pub rule_id: String,
    /// Clearly: more than nine in ten of the drafts it is compared with.
    pub yes: u32,
    /// More than half of them.
    pub partly: u32,
    /// No more than the usual draft.
    pub no: u32,
    /// Not followed in eight of the last ten: the model does not mind it.
    pub ignored: bool,
}

/// What happened to a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RuleChange {
    /// Written by hand.
    Added,
    /// Reworded or moved by hand.
    Edited,
    /// Agreed to.
    Confirmed,
    /// Made global.
    Promoted,
    /// Taken out.
    Deleted,
    /// A run learned it.
    Learned,
    /// A run changed its numbers or its words.
    Updated,
    /// A run found that the writer has turned.
    Replaced,
    /// A run put it out of force, or back into it.
    Stood,
    /// Brought back to what it was: by the writer, or because a run was undone.
    Restored,
    /// The writer called it wrong.
    Disputed,
}

/// One version of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleVersion {
    /// The version this change made.
    pub version: u32,
    /// The words it then had.
    pub rule: String,
    /// What happened.
    pub change: RuleChange,
    /// The run that did it; `null`: the writer.
    pub run_id: Option<String>,
    /// When.
    pub at: Time,
}
