//! The health of every part, so that what is missing is said.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Backup, LastRun};

/// A part that can fail by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// `rules.db`.
    Rules,
    /// `episodes.db`.
    Episodes,
    /// Meaning: the encoder.
    Embedder,
    /// The index of words.
    Words,
    /// The jobs that run on schedule.
    Maintenance,
    /// What episodes say about style, for learning from.
    Evidence,
}

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum PartState {
    /// It serves.
    Ok,
    /// It serves, and works off what came in meanwhile.
    CatchingUp,
    /// It does not serve, and another serves in its place.
    Substituted,
    /// It does not serve; the rest does.
    Unavailable,
}

/// One part's health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PartHealth {
    /// Which.
    pub part: Part,
    /// How it is.
    pub state: PartState,
    /// Why, where it is not well. Names files and kinds of errors, no text of the writer's.
    pub reason: Option<String>,
}

/// The health of the whole memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Some part does not serve that could be expected to.
    pub degraded: bool,
    /// Part by part.
    pub parts: Vec<PartHealth>,
    /// How each job last went.
    pub maintenance: Vec<LastRun>,
    /// The newest backup; `null` when there is none yet.
    pub last_backup: Option<Backup>,
}
