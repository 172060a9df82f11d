//! Recall: the query, its purposes, and its answer.

use serde::{Deserialize, Serialize};
use specta::Type;

use super::{ChapterId, Episode, EpisodeId, GenerationId, ImplicitSignal, ProjectId, Scope, Time};

/// The purpose of a recall, which decides which episodes are returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RecallPurpose {
    /// The writer looks for something: the best there is, never nothing in a book that has matching episodes. Scene
    /// type and skill are filters.
    Search,
    /// Examples for a prompt: only episodes that stand out from the book; none is a valid answer. Scene type and skill
    /// order the episodes and admit none.
    #[default]
    Prompt,
}

/// A recall query.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EpisodeQuery {
    /// UUID of the project; episodes of other projects are never found.
    pub project_id: ProjectId,
    /// At most 400,000 bytes; its last part counts.
    #[specta(optional)]
    pub query_text: Option<String>,
    /// Prefers episodes of this scene type; for a search, the only scene type.
    #[specta(optional)]
    pub scene_type: Option<String>,
    /// Prefers episodes of this skill; for a search, the only skill.
    #[specta(optional)]
    pub skill_used: Option<String>,
    /// Default `prompt`.
    #[specta(optional)]
    pub purpose: Option<RecallPurpose>,
    /// 1 to 50; default 5, for a search 8.
    #[specta(optional)]
    pub limit: Option<u32>,
    /// The wanted fields of each episode, besides its id; default all. With an empty list only the id.
    #[specta(optional)]
    pub fields: Option<Vec<EpisodeField>>,
}

impl EpisodeQuery {
    /// A query without a text or preferences.
    #[must_use]
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            query_text: None,
            scene_type: None,
            skill_used: None,
            purpose: None,
            limit: None,
            fields: None,
        }
    }

    /// The purpose, or the default one.
    #[must_use]
    pub fn purpose(&self) -> RecallPurpose {
        self.purpose.unwrap_or_default()
    }
}

/// The measured parts of one candidate's score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    /// Share of the query's terms in the text, weighed by rarity: 0 to about 2.
    pub words: f64,
    /// The cosine to the query, -1 to 1; `null` while vectors are not searched.
    pub meaning: Option<f64>,
    /// The scene type matches the query.
    pub scene: bool,
    /// The skill matches the query.
    pub skill: bool,
    /// The decay score, 0 to 1.
    pub decay: f64,
}

/// How certain it is that an episode is what a search asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RecallGroup {
    /// It matches the query.
    Found,
    /// It is among the nearest there are, and may have nothing to do with the query.
    Perhaps,
}

/// One recalled episode with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// With its texts, or its summary if it is compressed.
    pub episode: Episode,
    /// How certain the match is.
    pub group: RecallGroup,
    /// The score, 0..1.
    pub score: f64,
    /// The signals that found it.
    pub matched_by: Vec<String>,
    /// The parts of the score.
    pub components: Components,
}

/// One episode in the answer to a recall.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecalledEpisode {
    /// With its texts, or its summary if it is compressed; the requested fields only.
    pub episode: EpisodeExtract,
    /// How certain the match is; `found` for every episode of a prompt.
    pub group: RecallGroup,
    /// The score, 0..1.
    pub score: f64,
    /// The signals that found it: `words`, `meaning`, `scene`, `skill`, `recent`; `sleeping` marks a faded episode,
    /// `compressed` one of which only a summary is left.
    pub matched_by: Vec<String>,
    /// The parts of the score.
    pub components: Components,
}

impl RecalledEpisode {
    /// The recalled episode with the requested fields; `None` requests all.
    #[must_use]
    pub fn new(recalled: Recalled, fields: Option<&[EpisodeField]>) -> Self {
        let Recalled { episode, group, score, matched_by, components } = recalled;
        Self { episode: EpisodeExtract::new(episode, fields), group, score, matched_by, components }
    }
}

/// The answer to a recall.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecallAnswer {
    /// Best first; fewer than requested when the rest is not relevant. In a search, those of the group `found` come
    /// before the others.
    pub episodes: Vec<RecalledEpisode>,
    /// At least one part could not be searched.
    pub degraded: bool,
    /// The parts that could not be searched.
    pub degraded_reason: Option<String>,
}

/// Defines the fields of an episode that a query can request, and the extract that holds them.
macro_rules! extract {
    ($($(#[$doc:meta])* $field:ident $variant:ident: $type:ty,)*) => {
        /// A member of an episode that a query can request.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
        #[serde(rename_all = "camelCase")]
        pub enum EpisodeField {
            /// UUID; always in the answer.
            Id,
            $($(#[$doc])* $variant,)*
        }

        /// An episode, or the requested fields of it.
        #[derive(Debug, Clone, PartialEq, Serialize, Type)]
        #[serde(rename_all = "camelCase")]
        pub struct EpisodeExtract {
            /// UUID.
            pub id: EpisodeId,
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                #[specta(optional)]
                pub $field: Option<$type>,
            )*
        }

        impl EpisodeExtract {
            /// The requested fields of an episode; `None` requests all.
            #[must_use]
            pub fn new(episode: Episode, fields: Option<&[EpisodeField]>) -> Self {
                let is_requested = |field| fields.is_none_or(|fields| fields.contains(&field));
                Self {
                    id: episode.id,
                    $($field: is_requested(EpisodeField::$variant).then(|| episode.$field.into()),)*
                }
            }
        }
    };
}

extract! {
    /// UUID of the project.
    project_id ProjectId: ProjectId,
    /// Id of the chapter, as its editor names it.
    chapter_id ChapterId: ChapterId,
    /// Always `project`: an episode belongs to one project.
    scope Scope: Scope,
    /// Increases by one with each change.
    version Version: u32,
    /// When it happened.
    created_at CreatedAt: Time,
    /// The skill that was run.
    skill_used SkillUsed: String,
    /// The scene type; `null` if unknown.
    scene_type SceneType: Option<String>,
    /// The end of the text the assistant was given.
    input_context InputContext: String,
    /// All candidates, in the order they were shown in.
    candidates Candidates: Vec<String>,
    /// Index of the taken candidate, or -1 when all were rejected.
    selected_index SelectedIndex: i32,
    /// The text in the manuscript; empty when all were rejected and nothing was written instead.
    final_text FinalText: String,
    /// The writer's remarks, in words.
    explicit Explicit: Option<String>,
    /// The signal of the writer's behaviour.
    implicit Implicit: ImplicitSignal,
    /// Weight of the signal, -1.5 to 1.
    implicit_weight ImplicitWeight: f64,
    /// Edit distance from the chosen candidate to the final text, 0..1; `null` when all were rejected.
    edit_distance EditDistance: Option<f64>,
    /// Importance, 0..1.
    importance Importance: f64,
    /// Number of generations whose prompt included it.
    recall_count RecallCount: u32,
    /// Time of the last such generation; `null` if none.
    last_recalled_at LastRecalledAt: Option<Time>,
    /// Pinned by the writer: exempt from decay and eviction.
    user_confirmed UserConfirmed: bool,
    /// Compressed: only a summary is left.
    compressed Compressed: bool,
    /// The summary; `null` unless compressed.
    summary Summary: Option<String>,
    /// The generation that offered the candidates; `null` if unknown.
    generation_id GenerationId: Option<GenerationId>,
}
