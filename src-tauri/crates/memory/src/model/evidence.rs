//! The style evidence of one episode, in numbers.

use palimpsest_learning::evidence::Evidence;
use palimpsest_text::Language;

use super::{Choice, EpisodeId, ProjectId, Time};

/// Evidence from the writer's own text, beyond a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenKind {
    /// The taken candidate was edited.
    Edit,
    /// All candidates were rejected and the writer wrote an own text.
    Own,
}

/// The style evidence of one episode, frozen when it was computed.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceRow {
    /// UUID of the project.
    pub project_id: ProjectId,
    /// UUID of the episode, which may be deleted.
    pub episode_id: EpisodeId,
    /// When it happened.
    pub occurred_at: Time,
    /// The scene type, if known.
    pub scene_type: Option<String>,
    /// Name of the skill that ran, such as `continue`.
    pub skill_used: String,
    /// The language whose cues were counted.
    pub language: Language,
    /// Rows of different versions are not compared.
    pub feature_version: u32,
    /// The features of each candidate in turn, then those of the final text (left out where there is none).
    pub texts: Vec<Vec<f32>>,
    /// How many of `texts` are candidates.
    pub candidates: u32,
    /// Index of the taken candidate, or -1.
    pub selected_index: Choice,
    /// Weight of the choice among several candidates, as of that time, whether undone later or not.
    pub choice: Option<Evidence>,
    /// Weight of the writer's own text.
    pub written: Option<(WrittenKind, Evidence)>,
    /// Undone later: the choice counts with the opposite sign.
    pub undone: bool,
    /// Recorded while learning was paused: does not count.
    pub paused: bool,
}

/// A fingerprint of the evidence of a project that a run has read; evidence added later does not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EvidenceFingerprint {
    /// Last row of the evidence that was read.
    pub(crate) last: i64,
    /// Number of rows up to the last.
    pub(crate) rows: i64,
    /// Number of undone episodes among them.
    pub(crate) undone: i64,
    /// Number of pauses whose episodes count.
    pub(crate) pauses: i64,
}
