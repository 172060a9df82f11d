//! Later actions on an episode, the order of skills, and the pause of learning.

use palimpsest_memory::model::{Changed, DeletedWords, Episode, EpisodeFeedback, ProjectId};

use crate::{
    Api,
    dto::{
        ConfirmEpisode, DeleteEpisode, DeleteRule, DeletedEpisode, DeletedRule, LearningState, NoArguments,
        OrderSkills, ResumeLearning, SkillOrder, saturating_u32,
    },
    error::{ApiError, OrLog},
    system::user_name,
};

impl Api {
    pub(crate) fn episode_feedback(&self, feedback: EpisodeFeedback) -> Result<Episode, ApiError> {
        let episode = self.emit_changed(self.engine.feedback(&feedback)?);
        // The signal is part of the words of a summary, so it is indexed again.
        self.indexer.wake();
        Ok(episode)
    }

    pub(crate) fn episode_confirm(&self, confirm: ConfirmEpisode) -> Result<Episode, ApiError> {
        let keep = confirm.user_confirmed.unwrap_or(true);
        Ok(self.emit_changed(self.engine.confirm_episode(&confirm.project_id, &confirm.episode_id, keep)?))
    }

    pub(crate) fn episode_delete(&self, args: DeleteEpisode) -> Result<DeletedEpisode, ApiError> {
        let DeleteEpisode { project_id, episode_id, everywhere } = args;
        if everywhere == Some(true) {
            let count = |book: Option<&ProjectId>, holds: &dyn Fn(&str) -> bool| self.recovery_copies(book, holds);
            self.stop_reading(Some(&project_id));
            let erased = self.engine.erase_episode(&project_id, &episode_id, &user_name(), &count)?;
            return Ok(DeletedEpisode { words: Some(self.erased(erased)), episode_id });
        }
        // Counted before: after the deletion the generation of the episode is not known any more.
        let words = self.engine.words_of_episode(&project_id, &episode_id).or_log("count the words that remain");
        let episode_id = self.emit_changed(self.engine.delete_episode(&project_id, &episode_id)?);
        // Its evidence is removed too, where that was not possible immediately.
        self.indexer.wake();
        Ok(DeletedEpisode { episode_id, words })
    }

    pub(crate) fn semantic_delete(&self, args: DeleteRule) -> Result<DeletedRule, ApiError> {
        let DeleteRule { rule_id, everywhere } = args;
        if everywhere == Some(true) {
            let count = |book: Option<&ProjectId>, holds: &dyn Fn(&str) -> bool| self.recovery_copies(book, holds);
            self.stop_reading(None);
            let erased = self.engine.erase_rule(&rule_id, &user_name(), &count)?;
            return Ok(DeletedRule { words: Some(self.erased(erased)), rule_id });
        }
        let rule_id = self.emit_changed(self.engine.delete_rule(&rule_id)?);
        let words = self.engine.words_of_rule(&rule_id).or_log("count the words that remain");
        Ok(DeletedRule { rule_id, words })
    }

    /// Stops runs and measurements of a project, or of all, that may have read the memory about to be erased.
    fn stop_reading(&self, project_id: Option<&ProjectId>) {
        self.engine.stop_distilling(project_id);
        self.measurements.stop(project_id);
    }

    fn erased(&self, erased: Changed<DeletedWords>) -> DeletedWords {
        // An unfinished erasure continues in the background.
        self.indexer.wake();
        self.emit_changed(erased)
    }

    /// Number of recovery copies of a project's chapters, or of all, whose text satisfies a predicate.
    fn recovery_copies(&self, project_id: Option<&ProjectId>, holds: &dyn Fn(&str) -> bool) -> u32 {
        let books = match project_id {
            Some(id) => vec![id.to_owned()],
            None => self.engine.projects().into_iter().map(|book| book.project_id).collect(),
        };
        let copies = books.iter().flat_map(|book| self.recovery_copies.list(book.as_str()));
        saturating_u32(copies.filter(|copy| holds(&copy.text)).count())
    }

    pub(crate) fn learning_pause(&self, _: NoArguments) -> Result<LearningState, ApiError> {
        Ok(LearningState { learning_paused: self.emit_changed(self.engine.pause_learning()?) })
    }

    pub(crate) fn learning_resume(&self, how: ResumeLearning) -> Result<LearningState, ApiError> {
        let use_recorded = how.use_recorded.unwrap_or_default();
        let learning_paused = self.emit_changed(self.engine.resume_learning(use_recorded)?);
        self.learner.wake();
        Ok(LearningState { learning_paused })
    }

    pub(crate) fn skills_order(&self, args: OrderSkills) -> Result<SkillOrder, ApiError> {
        Ok(SkillOrder { skills: self.engine.skill_order(&args.project_id, args.scene_type.as_deref())? })
    }
}
