//! What one episode says about style, in numbers.

use palimpsest_learning::evidence::Evidence;
use palimpsest_text::Language;

use super::Time;

/// What the writer wrote, and not merely picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenKind {
    /// Changed what was taken.
    Edit,
    /// Rejected everything and wrote their own.
    Own,
}

/// The evidence of one episode, frozen when it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceRow {
    /// The book.
    pub project_id: String,
    /// The episode; it may be gone.
    pub episode_id: String,
    /// When it happened.
    pub occurred_at: Time,
    /// The kind of scene, where it is known.
    pub scene_type: Option<String>,
    /// The skill.
    pub skill_used: String,
    /// The language whose cues were counted.
    pub language: Language,
    /// The version of the features.
    pub feature_version: u32,
    /// The features of each candidate in turn, then those of the final text (left out where there is none).
    pub texts: Vec<Vec<f32>>,
    /// How many of `texts` are candidates.
    pub candidates: u32,
    /// Which candidate was taken, or -1.
    pub selected_index: i32,
    /// What taking one of several says; undone or not, as it was when it was taken.
    pub choice: Option<Evidence>,
    /// What writing says.
    pub written: Option<(WrittenKind, Evidence)>,
    /// Undone later: the choice counts the other way round.
    pub undone: bool,
    /// Recorded while learning was paused: does not count.
    pub paused: bool,
}
