//! Episodes: one run of a skill and what the writer did with it.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ChapterId, Choice, EpisodeId, GenerationId, ProjectId, Scope, Time};

/// The writer's behaviour, as the engine classifies it. The weights are fixed by the owner (design, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ImplicitSignal {
    /// Taken unchanged.
    StrongPositive,
    /// Taken and changed by less than a fifth.
    WeakPositive,
    /// Taken and changed by a fifth to three fifths.
    Neutral,
    /// Taken and changed by more than three fifths.
    WeakNegative,
    /// All candidates rejected.
    StrongNegative,
    /// Taken and undone: the heaviest signal.
    DelayedNegative,
}

/// A stored episode. The fields are fixed by the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Episode {
    /// UUID.
    pub id: EpisodeId,
    /// UUID of the project.
    pub project_id: ProjectId,
    /// Id of the chapter, as its editor names it.
    pub chapter_id: ChapterId,
    /// Always `project`: an episode belongs to one project.
    pub scope: Scope,
    /// Increases by one with each change.
    pub version: u32,
    /// When it happened.
    pub created_at: Time,
    /// The skill that was run.
    pub skill_used: String,
    /// The scene type; `null` if unknown.
    pub scene_type: Option<String>,
    /// The end of the text the assistant was given.
    pub input_context: String,
    /// All candidates, in the order they were shown in.
    pub candidates: Vec<String>,
    /// Index of the taken candidate, or -1 when all were rejected.
    #[specta(type = i32)]
    pub selected_index: Choice,
    /// The text in the manuscript; empty when all were rejected and nothing was written instead.
    pub final_text: String,
    /// The writer's remarks, in words.
    pub explicit: Option<String>,
    /// The signal of the writer's behaviour.
    pub implicit: ImplicitSignal,
    /// Weight of the signal, -1.5 to 1.
    pub implicit_weight: f64,
    /// Edit distance from the chosen candidate to the final text, 0..1; `null` when all were rejected.
    pub edit_distance: Option<f64>,
    /// Importance, 0..1.
    pub importance: f64,
    /// Number of generations whose prompt included it.
    pub recall_count: u32,
    /// Time of the last such generation; `null` if none.
    pub last_recalled_at: Option<Time>,
    /// Pinned by the writer: exempt from decay and eviction.
    pub user_confirmed: bool,
    /// Compressed: only a summary is left.
    pub compressed: bool,
    /// The summary; `null` unless compressed.
    pub summary: Option<String>,
    /// The generation that offered the candidates; `null` if unknown.
    pub generation_id: Option<GenerationId>,
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

    /// The taken candidate; where all were rejected, the first.
    #[must_use]
    pub fn proposed(&self) -> Option<&str> {
        self.candidates.get(self.proposed_index()).map(String::as_str)
    }

    /// Index of [`Episode::proposed`] in the candidates of an episode that has them.
    #[must_use]
    pub fn proposed_index(&self) -> usize {
        self.selected_index.taken().unwrap_or(0)
    }
}

/// A text that the writer made of a draft.
#[derive(Debug, Clone)]
pub(crate) struct ChangedText {
    /// The scene type of the run.
    pub scene_type: Option<String>,
    /// The candidate that was taken; `None` when the writer rejected all and wrote the text.
    pub draft: Option<String>,
    /// The text that remained.
    pub text: String,
}

impl EpisodeDraft {
    /// The choice of a validated draft; a number that is no index counts as a rejection.
    #[must_use]
    pub fn choice(&self) -> Choice {
        Choice::try_from(self.selected_index).unwrap_or(Choice::AllRejected)
    }
}

/// The report of an editor after a skill has run.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EpisodeDraft {
    /// UUID of a known project.
    pub project_id: ProjectId,
    /// 1 to 200 characters.
    pub chapter_id: ChapterId,
    /// 1 to 40 characters.
    pub skill_used: String,
    /// 1 to 40 characters.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// At most 100,000 bytes; may be empty at the beginning of a chapter.
    pub input_context: String,
    /// At most 16, in the order in which they were shown, none empty, each at most 100,000 bytes. An empty list counts
    /// as a rejection.
    pub candidates: Vec<String>,
    /// Into `candidates`, or -1 when all were rejected; without candidates always -1.
    pub selected_index: i32,
    /// The text of the taken candidate, as the editor has it: an index alone can be off by one. If it matches another
    /// candidate, that one counts; if it matches none or several, the draft is refused.
    #[specta(optional)]
    pub selected_text: Option<String>,
    /// At most 100,000 bytes. Required when one was taken; empty when all were rejected and nothing was written.
    pub final_text: String,
    /// At most 10,000 bytes.
    #[specta(optional)]
    pub explicit: Option<String>,
    /// Id of the generation, if this program made it.
    #[specta(optional)]
    pub generation_id: Option<GenerationId>,
    /// When it happened, if not just now; never in the future.
    #[specta(optional)]
    pub occurred_at: Option<Time>,
}

/// The kinds of feedback on an episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum FeedbackSignal {
    /// The writer undid the insertion.
    Undo,
    /// The writer made a remark.
    Explicit,
}

/// Feedback on an episode.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EpisodeFeedback {
    /// UUID of the episode.
    pub episode_id: EpisodeId,
    /// UUID of its project; the feedback is refused if it is another one.
    #[specta(optional)]
    pub project_id: Option<ProjectId>,
    /// The kind of feedback.
    pub signal: FeedbackSignal,
    /// The remark, at most 10,000 bytes together with earlier ones. Required for `explicit`.
    #[specta(optional)]
    pub text: Option<String>,
}

/// A skill, and how often the writer uses it in a scene type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct SkillWeight {
    /// Name of the skill.
    pub skill: String,
    /// The signal `sceneSkillPreference`: 0.1 for each use in the scene type.
    pub weight: f64,
}
