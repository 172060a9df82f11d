//! Episodes: one run of a skill and what the writer did with it.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{Scope, Time};

/// What the writer's behaviour says, read by the engine. The weights are fixed by the owner (design, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ImplicitSignal {
    /// Took it unchanged.
    StrongPositive,
    /// Changed less than a fifth.
    WeakPositive,
    /// Changed a fifth to three fifths.
    Neutral,
    /// Changed more than three fifths.
    WeakNegative,
    /// Rejected every candidate.
    StrongNegative,
    /// Undid it after taking it: the heaviest.
    DelayedNegative,
}

/// An episode as kept. The fields are fixed by the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Episode {
    /// UUID.
    pub id: String,
    /// The book.
    pub project_id: String,
    /// The chapter, as its editor names it.
    pub chapter_id: String,
    /// Always `project`: what happened, happened in one book.
    pub scope: Scope,
    /// Goes up by one with each change.
    pub version: u32,
    /// When it happened.
    pub created_at: Time,
    /// What the assistant was asked to do.
    pub skill_used: String,
    /// The kind of scene, where known.
    pub scene_type: Option<String>,
    /// The end of the text the assistant was given.
    pub input_context: String,
    /// All candidates, in the order they were shown in.
    pub candidates: Vec<String>,
    /// The one taken, or -1 when all were rejected.
    pub selected_index: i32,
    /// What stands in the manuscript; empty when all were rejected and nothing was written instead.
    pub final_text: String,
    /// What the writer said about it, in words.
    pub explicit: Option<String>,
    /// What the writer's behaviour says.
    pub implicit: ImplicitSignal,
    /// -1.5 to 1.
    pub implicit_weight: f64,
    /// 0..1 from the chosen candidate to the final text; `null` when all were rejected.
    pub edit_distance: Option<f64>,
    /// 0..1.
    pub importance: f64,
    /// How often it was in the prompt of a generation that ran.
    pub recall_count: u32,
    /// When it last was.
    pub last_recalled_at: Option<Time>,
    /// The writer keeps it: it neither decays nor is it ever evicted.
    pub user_confirmed: bool,
    /// Only a summary is left.
    pub compressed: bool,
    /// The summary of a compressed one.
    pub summary: Option<String>,
    /// The generation it came of.
    pub generation_id: Option<String>,
}

impl Episode {
    /// Whether it has words of the writer's and nothing else: no passage, no candidates and no generation. Signals of a
    /// session and remarks on a memory become such episodes.
    #[must_use]
    pub fn is_remark_only(&self) -> bool {
        self.explicit.is_some()
            && self.candidates.is_empty()
            && self.input_context.is_empty()
            && self.final_text.is_empty()
            && self.generation_id.is_none()
    }
}

/// What an editor reports after a skill has run.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EpisodeDraft {
    /// A book that is known.
    pub project_id: String,
    /// 1 to 200 characters.
    pub chapter_id: String,
    /// 1 to 40 characters.
    pub skill_used: String,
    /// 1 to 40 characters.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// At most 100,000 bytes; may be empty at the beginning of a chapter.
    pub input_context: String,
    /// At most 16, in the order they were shown in, none empty, each at most 100,000 bytes. A run without any was rejected.
    pub candidates: Vec<String>,
    /// Into `candidates`, or -1 when all were rejected; without candidates always -1.
    pub selected_index: i32,
    /// The text of the candidate that was taken, as the editor has it: an index alone can be off by one. Where it is
    /// another candidate's, that one counts; where it is nobody's or several's, the draft is refused.
    #[specta(optional)]
    pub selected_text: Option<String>,
    /// At most 100,000 bytes. Required when one was taken; empty when all were rejected and nothing was written.
    pub final_text: String,
    /// At most 10,000 bytes.
    #[specta(optional)]
    pub explicit: Option<String>,
    /// The generation, where it was made by this program.
    #[specta(optional)]
    pub generation_id: Option<String>,
    /// When it happened, if not just now; never in the future.
    #[specta(optional)]
    pub occurred_at: Option<Time>,
}

/// What a writer says or does about an episode later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FeedbackSignal {
    /// Undid what was taken.
    Undo,
    /// Said something.
    Explicit,
}

/// Feedback on an episode.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EpisodeFeedback {
    /// Which.
    pub episode_id: String,
    /// Its book; refused where it is another one.
    #[specta(optional)]
    pub project_id: Option<String>,
    /// What was done.
    pub signal: FeedbackSignal,
    /// The words, at most 10,000 bytes with those that are there already. Required for `explicit`.
    #[specta(optional)]
    pub text: Option<String>,
}

/// A skill, and how much the writer is used to it here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SkillWeight {
    /// Its name.
    pub skill: String,
    /// The signal `sceneSkillPreference`: 0.1 for each time it was used in the kind of scene.
    pub weight: f64,
}

/// What to recall.
#[derive(Debug, Clone, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EpisodeQuery {
    /// The book; nothing from another one is ever found.
    pub project_id: String,
    /// At most 400,000 bytes; its last part counts.
    #[specta(optional)]
    pub query_text: Option<String>,
    /// Prefers episodes of this scene type.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// Prefers episodes of this skill.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// 1 to 50, default 5.
    #[specta(optional)]
    pub limit: Option<u32>,
}

/// What is known of one candidate, each part as measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    /// How much of the query's words the text has, weighed by rarity: 0 to about 2.
    pub words: f64,
    /// The cosine to the query, -1 to 1; `null` while meaning is not searched.
    pub meaning: Option<f64>,
    /// The scene type is the one asked for.
    pub scene: bool,
    /// The skill is the one asked for.
    pub skill: bool,
    /// The decay score, 0 to 1.
    pub decay: f64,
}

/// One episode that was recalled, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Recalled {
    /// The episode.
    pub episode: Episode,
    /// 0..1.
    pub score: f64,
    /// `words`, `meaning`, `scene`, `skill`, `recent`; `sleeping` marks one that had faded, `compressed` one of which
    /// only a summary is left.
    pub matched_by: Vec<String>,
    /// What the score is made of.
    pub components: Components,
}

/// The answer to a recall.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecallAnswer {
    /// Best first; fewer than asked for when the rest is not relevant.
    pub episodes: Vec<Recalled>,
    /// Something could not be searched.
    pub degraded: bool,
    /// What.
    pub degraded_reason: Option<String>,
}
