//! Runs of distillation and what they change, conflicts between rules, and the pause.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{EpisodeId, Pattern, ProjectId, Reason, Rule, RuleId, Time};

/// Why a run started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RunCause {
    /// Fifty new episodes since the last run.
    Episodes,
    /// The editor was idle for over five minutes.
    Idle,
    /// The writer requested it.
    Click,
    /// A week has passed since the last run.
    Weekly,
    /// New episodes contradict a rule.
    Contradiction,
}

/// Whether a run is under way, waits, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RunStatus {
    /// Under way.
    Running,
    /// Only in answers: another run is under way, and no new one was started.
    AlreadyRunning,
    /// Only in answers: a preview; nothing was changed.
    DryRun,
    /// Done, and rules changed.
    Committed,
    /// Done without a change; `reason` says why.
    Nothing,
    /// The run would drop more than a quarter of the rules and waits for approval. A later run over the same project
    /// replaces it.
    Waiting,
    /// Failed without a change; `reason` has the kind of failure. Retried with the next trigger.
    Failed,
    /// Cancelled by the writer.
    Cancelled,
    /// Undone as a whole.
    Undone,
    /// Rejected by the writer when approval was requested.
    Discarded,
}

/// The kinds of changes that a run makes to a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// A new rule.
    Learned,
    /// Higher confidence, or more evidence.
    Strengthened,
    /// Lower confidence.
    Weakened,
    /// The evidence has reversed: the rule now has the opposite direction.
    Replaced,
    /// The evidence has drifted without a new direction: inactive.
    SteppedBack,
    /// The evidence no longer supports it: inactive.
    Withdrawn,
    /// Active again.
    Returned,
    /// Supported in several projects: now global.
    Globalised,
    /// Supported in one project only: now limited to it.
    Localised,
    /// A suggestion to the writer: inactive until confirmed.
    Proposed,
    /// Confirmed by the writer, and the evidence has turned against it. Nothing else changed.
    Challenged,
    /// The feature of a rule in words was recognized.
    Understood,
    /// Evicted: rules with the lowest confidence go when there are too many.
    Dropped,
}

/// One line of a run's diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunChange {
    /// UUID of the rule that changes, or of the new one.
    pub rule_id: RuleId,
    /// UUID of the rule's project, before or after; `null` for a global one.
    pub project_id: Option<ProjectId>,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The rule before, without its episodes; `null` for a new one.
    pub before: Option<Rule>,
    /// The rule after, without its episodes; `null` for a deleted one.
    pub after: Option<Rule>,
    /// The run was undone except for this change: the writer has changed the rule since.
    pub kept: bool,
}

/// Why a run learned nothing, or failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RunReason {
    /// No episode has style evidence yet.
    NoEvidence,
    /// The evidence is not significant yet.
    NotYet {
        /// Informative choices so far.
        choices: u32,
        /// Informative edits and own texts so far.
        edits: u32,
        /// The feature nearest to a rule.
        nearest: Option<String>,
        /// Progress towards a rule, 0..1.
        progress: f64,
    },
    /// Significant effects are too small or too mixed for a rule.
    NothingToSay {
        /// Number of features with a significant effect.
        features: u32,
    },
    /// Nothing has changed since the last run.
    NothingNew,
    /// The model did not answer, or its answer was discarded.
    Model {
        /// One of the reasons of a model, or `unbelievable`, or `namesUnread`.
        trouble: Reason,
    },
    /// A part of the memory was unavailable.
    Store,
    /// The program was closed, or the project's memory changed during every attempt.
    Interrupted,
}

/// A run of distillation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// UUID.
    pub run_id: String,
    /// UUID of the project, or `null` for all of them.
    pub project_id: Option<ProjectId>,
    /// Why it started.
    pub cause: RunCause,
    /// `running` until the run ends or waits for approval.
    pub status: RunStatus,
    /// When it started.
    pub begun_at: Time,
    /// When it ended; `null` while it is under way.
    pub ended_at: Option<Time>,
    /// Number of episodes with evidence that it read.
    pub episodes: u32,
    /// Why it learned nothing or failed; else `null`.
    pub reason: Option<RunReason>,
    /// The changes it made or proposes.
    pub changes: Vec<RunChange>,
}

/// The answer to a request for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunAnswer {
    /// UUID of the run; of the one under way or waiting for approval if no new run was started.
    pub run_id: String,
    /// `running` until the run ends or waits for approval.
    pub status: RunStatus,
    /// The changes it made or proposes; missing while it is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub diff: Option<Vec<RunChange>>,
    /// Why it learned nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub reason: Option<RunReason>,
}

/// The steps of a run, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RunStage {
    /// Reads the evidence.
    Gathering,
    /// Tests it statistically.
    Testing,
    /// Finds wordings.
    Wording,
    /// Compares with known rules.
    Reconciling,
    /// Writes the result.
    Committing,
    /// Ended; the run's status says how.
    Done,
}

/// Sent at each stage of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// UUID of the run.
    pub run_id: String,
    /// UUID of its project, or `null` for all.
    pub project_id: Option<ProjectId>,
    /// The present stage.
    pub stage: RunStage,
    /// Progress, 0..1.
    pub fraction: f64,
    /// For a log: the stage in words, and the status at the end.
    pub message: String,
}

/// The confidence of a run in a rule in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfidenceInProject {
    /// UUID of the rule.
    pub rule_id: RuleId,
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Confidence, 0..1.
    pub confidence: f64,
    /// Lower bound of `confidence`, 0..1.
    pub confidence_low: f64,
    /// Number of choices and edits of the project that bear on the rule.
    pub evidence_count: u32,
}

/// Two rules that contradict each other; the writer decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// UUID.
    pub conflict_id: String,
    /// UUID of the project, or `null` where both rules are global.
    pub project_id: Option<ProjectId>,
    /// The first rule, with its episodes.
    pub first: Rule,
    /// The second rule, with its episodes.
    pub second: Rule,
    /// When it was found.
    pub opened_at: Time,
}

/// A conflict that the writer has not answered, by the ids of its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenConflict {
    /// UUID.
    pub conflict_id: String,
    /// UUID of the project; `None` where both rules are global. A project rule may conflict with a global one.
    pub project_id: Option<ProjectId>,
    /// The rule whose id sorts first.
    pub first: RuleId,
    /// The other rule.
    pub second: RuleId,
    /// When it was found.
    pub opened_at: Time,
}

/// An episode that supports or opposes a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleEpisode {
    /// UUID of the episode.
    pub episode_id: EpisodeId,
    /// `true`: supports the rule.
    pub agrees: bool,
    /// When it happened; `null` if the episode is deleted and only its evidence is left.
    pub at: Option<Time>,
    /// The taken candidate, or its beginning. Empty if it is deleted.
    pub before: String,
    /// The final text, or its beginning. Empty if it is deleted.
    pub after: String,
    /// For an unedited choice: the other candidates, which it is compared with. Empty if they are deleted.
    pub passed_over: Vec<String>,
    /// The feature's value of both texts, in its own unit; `null` if the rule has no feature.
    pub measured: Option<(f64, f64)>,
}

/// The feature of a rule as the writer corrects it; `null` for a rule about no measurable feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DimensionPatch {
    /// Name of the feature, or `null`.
    pub pattern: Option<Pattern>,
}
