//! Memories of a chapter that follow a passage into another chapter, when a chapter is split or two are merged.

use super::Engine;
use crate::{
    error::Result,
    model::{Changed, ChapterId, EpisodeId, GenerationId, OriginMark, ProjectId, Topic},
    storage::{episodes, origins, traces},
    validate,
};

/// The memories that refer to a chapter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChapterMemories {
    /// Its episodes, in the order of their recording.
    pub episodes: Vec<ChapterEpisode>,
    /// The generations with a trace.
    pub generations: Vec<GenerationId>,
}

/// An episode of a chapter, with the evidence of its position in it.
#[derive(Clone, PartialEq, Eq)]
pub struct ChapterEpisode {
    /// UUID of the episode.
    pub id: EpisodeId,
    /// The generation it was recorded of.
    pub generation_id: Option<GenerationId>,
    /// The text before the caret, or the passage that was to be changed.
    pub input_context: String,
}

impl std::fmt::Debug for ChapterEpisode {
    // The text is private: not even a failed assertion shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChapterEpisode").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Memories that move from one chapter to another, and the marks of both afterwards.
#[derive(Debug)]
pub struct MemoryMove<'a> {
    /// The chapter that they are in. Memories of other chapters are not moved.
    pub from: &'a ChapterId,
    /// The chapter that they belong to from now on.
    pub to: &'a ChapterId,
    /// The episodes that move.
    pub episodes: &'a [EpisodeId],
    /// The generations whose traces move.
    pub generations: &'a [GenerationId],
    /// The marks of `from` afterwards.
    pub marks_of_from: &'a [OriginMark],
    /// The marks of `to` afterwards.
    pub marks_of_to: &'a [OriginMark],
}

impl Engine {
    /// The memories that refer to a chapter.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn chapter_memories(&self, project_id: &ProjectId, chapter_id: &ChapterId) -> Result<ChapterMemories> {
        let _open = self.visit(project_id)?;
        let db = self.stores.episodes.open()?;
        let reader = db.reader()?;
        let episode = |(id, generation_id, input_context)| ChapterEpisode { id, generation_id, input_context };
        Ok(ChapterMemories {
            episodes: episodes::of_chapter(&reader, project_id, chapter_id)?.into_iter().map(episode).collect(),
            generations: traces::of_chapter(&reader, project_id, chapter_id)?,
        })
    }

    /// Moves memories to another chapter and replaces the marks of both chapters, in one transaction. Idempotent.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_INVALID_ARGUMENT`, those of the store.
    pub fn move_memories(&self, project_id: &ProjectId, moving: &MemoryMove<'_>) -> Result<Changed<()>> {
        let _open = self.visit(project_id)?;
        validate::identity("chapterId", moving.from.as_str())?;
        validate::identity("chapterId", moving.to.as_str())?;
        self.stores.episodes.open()?.write("move memories to another chapter", |tx| {
            for episode_id in moving.episodes {
                episodes::set_chapter(tx, project_id, episode_id, moving.from, moving.to)?;
            }
            for generation_id in moving.generations {
                traces::set_chapter(tx, project_id, generation_id, moving.from, moving.to)?;
            }
            origins::replace(tx, project_id, moving.from, moving.marks_of_from)?;
            origins::replace(tx, project_id, moving.to, moving.marks_of_to)
        })?;
        Ok(Changed::new((), Some(project_id.clone()), [Topic::Episodes, Topic::Traces]))
    }
}
