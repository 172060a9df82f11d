//! Runs of distillation and what they change, conflicts between rules, and the pause.

use serde::{Deserialize, Deserializer, Serialize, de::IntoDeserializer};
use specta::Type;

use super::{Pattern, Reason, Rule, Time};

/// Why a run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RunCause {
    /// Fifty new episodes.
    Episodes,
    /// The editor was left alone for over five minutes.
    Idle,
    /// The writer asked.
    Click,
    /// A week has passed.
    Weekly,
    /// New episodes contradict a rule.
    Contradiction,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RunStatus {
    /// Under way.
    Running,
    /// Answered only: another run is under way, and no new one was begun.
    AlreadyRunning,
    /// Answered only: shown, and nothing was changed.
    DryRun,
    /// Done, and rules changed.
    Committed,
    /// Done, and there was nothing to change: `reason` says why.
    Nothing,
    /// It would drop more than a quarter of the rules, and asks first. A later run over the same project replaces it.
    Waiting,
    /// Nothing was changed; `reason` has the kind of failure. Tried again at the next cause.
    Failed,
    /// Stopped by the writer.
    Cancelled,
    /// Taken back as a whole.
    Undone,
    /// It had asked, and the writer said no.
    Discarded,
}

/// What a run did to a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// New.
    Learned,
    /// Surer than before, or on more evidence.
    Strengthened,
    /// Less sure than before.
    Weakened,
    /// The writer has turned: the same rule now says the opposite.
    Replaced,
    /// Its evidence turned, and nothing else is clear yet: not in force.
    SteppedBack,
    /// Its evidence does not carry it any more: not in force.
    Withdrawn,
    /// In force again.
    Returned,
    /// Supported in several books: holds in all of them.
    Globalised,
    /// Supported in one book only any more: holds there.
    Localised,
    /// A question to the writer: not in force until confirmed.
    Proposed,
    /// The writer confirmed it, and the evidence has turned. Nothing else changed.
    Challenged,
    /// It was found what a rule in words is about.
    Understood,
    /// Made room: the least sure ones go when there are too many.
    Dropped,
}

/// One line of a run's diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunChange {
    /// The rule.
    pub rule_id: String,
    /// The book of the rule, before or after; `null` for a global one.
    pub project_id: Option<String>,
    /// What happened.
    pub kind: ChangeKind,
    /// The rule before, without its episodes; `null` where it is new.
    pub before: Option<Rule>,
    /// The rule after, without its episodes; `null` where it is gone.
    pub after: Option<Rule>,
    /// The run was undone, and this was not: the writer has touched the rule since.
    pub kept: bool,
}

/// Why a run learned nothing, or failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RunReason {
    /// No episode says anything about style yet.
    NoEvidence,
    /// Not clear enough yet.
    NotYet {
        /// Informative choices so far.
        choices: u32,
        /// Informative edits and own texts so far.
        edits: u32,
        /// The feature nearest to a rule.
        nearest: Option<String>,
        /// How near, 0..1.
        progress: f64,
    },
    /// What is clear is too small or too mixed to be a rule.
    NothingToSay {
        /// How many features are not treated at random.
        features: u32,
    },
    /// Nothing has changed since the last run.
    NothingNew,
    /// The model did not answer, or its answer was discarded.
    Model {
        /// Why: one of the reasons of a model, or `unbelievable`, or `namesUnread`.
        #[serde(deserialize_with = "stored_trouble")]
        #[specta(type = Reason)]
        trouble: Reason,
    },
    /// A part of the memory did not serve.
    Store,
    /// The program was closed, or the book's memory changed under it again and again.
    Interrupted,
}

/// Reads the reason of a failed run; version 0.1 wrote `names` for [`Reason::NamesUnread`].
fn stored_trouble<'de, D: Deserializer<'de>>(stored: D) -> Result<Reason, D::Error> {
    let name = String::deserialize(stored)?;
    if name == "names" {
        return Ok(Reason::NamesUnread);
    }
    Reason::deserialize(name.into_deserializer())
}

/// A run of distillation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// UUID.
    pub run_id: String,
    /// The book, or `null` for all of them.
    pub project_id: Option<String>,
    /// Why it began.
    pub cause: RunCause,
    /// How it stands.
    pub status: RunStatus,
    /// When it began.
    pub begun_at: Time,
    /// When it ended; `null` while it is under way.
    pub ended_at: Option<Time>,
    /// Episodes with evidence that it looked at.
    pub episodes: u32,
    /// Why nothing was learned, or what failed.
    pub reason: Option<RunReason>,
    /// What it changed, or would.
    pub changes: Vec<RunChange>,
}

/// The answer to a wish for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunAnswer {
    /// The run; the one under way, or the one that waits for approval, where no new run was begun.
    pub run_id: String,
    /// How it stands.
    pub status: RunStatus,
    /// What it changed, or would; missing while it is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub diff: Option<Vec<RunChange>>,
    /// Why nothing was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[specta(optional)]
    pub reason: Option<RunReason>,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RunStage {
    /// Reads the evidence.
    Gathering,
    /// Tests it.
    Testing,
    /// Finds words.
    Wording,
    /// Compares with what is known.
    Reconciling,
    /// Writes it down.
    Committing,
    /// Done, one way or another: the run's status says how.
    Done,
}

/// How far a run has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// The run.
    pub run_id: String,
    /// Its book, or `null` for all.
    pub project_id: Option<String>,
    /// Where it is.
    pub stage: RunStage,
    /// 0..1.
    pub fraction: f64,
    /// For a log: the stage in words, and the status at the end.
    pub message: String,
}

/// Two rules that cannot both hold: the writer is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// UUID.
    pub conflict_id: String,
    /// The book, or `null` where both rules are global.
    pub project_id: Option<String>,
    /// One, with its episodes.
    pub first: Rule,
    /// The other, with its episodes.
    pub second: Rule,
    /// When it was found.
    pub opened_at: Time,
}

/// An episode that bears on a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RuleEpisode {
    /// The episode.
    pub episode_id: String,
    /// For the rule, or against it.
    pub agrees: bool,
    /// When; `null` where the episode is gone and only its evidence is left.
    pub at: Option<Time>,
    /// What was proposed: the candidate taken, or its beginning. Empty where it is gone.
    pub before: String,
    /// What stands now, or its beginning. Empty where it is gone.
    pub after: String,
    /// Where nothing was changed: the candidates that were left, which it is measured against. Empty where they are gone.
    pub passed_over: Vec<String>,
    /// The feature measured on both, in its own unit; `null` where the rule has none.
    pub measured: Option<(f64, f64)>,
}

/// What a rule is about, as the writer corrects it: `null` for nothing measurable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DimensionPatch {
    /// The dimension, or `null`.
    pub pattern: Option<Pattern>,
}
