//! What a writer does about an episode later, the order skills are offered in, and the pause of learning.

use palimpsest_memory::model::{Episode, EpisodeFeedback};

use crate::{
    Api,
    dto::{ConfirmEpisode, DeletedEpisode, LearningState, Nothing, OfEpisode, OrderSkills, ResumeLearning, SkillOrder},
    error::ApiError,
};

impl Api {
    pub(crate) fn episode_feedback(&self, feedback: EpisodeFeedback) -> Result<Episode, ApiError> {
        let episode = self.tell(self.engine.feedback(&feedback)?);
        // A summary says what the signal is.
        self.indexer.wake();
        Ok(episode)
    }

    pub(crate) fn episode_confirm(&self, confirm: ConfirmEpisode) -> Result<Episode, ApiError> {
        let keep = confirm.user_confirmed.unwrap_or(true);
        Ok(self.tell(self.engine.confirm_episode(&confirm.project_id, &confirm.episode_id, keep)?))
    }

    pub(crate) fn episode_delete(&self, of: OfEpisode) -> Result<DeletedEpisode, ApiError> {
        let episode_id = self.tell(self.engine.delete_episode(&of.project_id, &of.episode_id)?);
        // What was learned from it goes too, where that could not be at once.
        self.indexer.wake();
        Ok(DeletedEpisode { episode_id })
    }

    pub(crate) fn learning_pause(&self, _: Nothing) -> Result<LearningState, ApiError> {
        Ok(LearningState { learning_paused: self.tell(self.engine.pause_learning()?) })
    }

    pub(crate) fn learning_resume(&self, how: ResumeLearning) -> Result<LearningState, ApiError> {
        let use_recorded = how.use_recorded.unwrap_or_default();
        let learning_paused = self.tell(self.engine.resume_learning(use_recorded)?);
        self.learner.wake();
        Ok(LearningState { learning_paused })
    }

    pub(crate) fn skills_order(&self, of: OrderSkills) -> Result<SkillOrder, ApiError> {
        Ok(SkillOrder { skills: self.engine.skill_order(&of.project_id, of.scene_type.as_deref())? })
    }
}
