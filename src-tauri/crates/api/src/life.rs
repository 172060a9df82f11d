//! What a writer does about an episode later, and the order skills are offered in.

use palimpsest_memory::model::{Episode, EpisodeFeedback};

use crate::{
    Api,
    dto::{ConfirmEpisode, DeletedEpisode, OfEpisode, OrderSkills, SkillOrder},
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
        Ok(DeletedEpisode { episode_id: self.tell(self.engine.delete_episode(&of.project_id, &of.episode_id)?) })
    }

    pub(crate) fn skills_order(&self, of: OrderSkills) -> Result<SkillOrder, ApiError> {
        Ok(SkillOrder { skills: self.engine.skill_order(&of.project_id, of.scene_type.as_deref())? })
    }
}
