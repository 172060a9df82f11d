//! Working memory, and the episodes made of it when a session ends.

use super::Engine;
use crate::{
    episodic::record::{self, RemarkDraft},
    error::{Error, Result},
    model::{
        Changed, EndedSession, Episode, EpisodeId, ImplicitSignal, ProjectId, Time, Topic, WorkingDraft, WorkingItem,
        WorkingKind, WorkingList,
    },
    validate,
    working::{self, Preference, tokens_of},
};

/// Maximum absolute weight of a signal.
const MAX_WEIGHT: f64 = 1.5;
/// The chapter id of an episode that comes from a whole session.
const SESSION: &str = "session";

impl Engine {
    /// Adds an item to working memory.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for an item larger than the whole budget.
    pub fn add_working(&self, draft: WorkingDraft) -> Result<Changed<WorkingItem>> {
        let project = self.visit(&draft.project_id)?;
        check_draft(&draft)?;
        let now = self.clock.now();
        let item = self.working.add(draft, self.ids.next(now), now);
        Ok(Changed::new(item, Some(project.project_id.clone()), [Topic::Working]))
    }

    /// The working memory of a project.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`.
    pub fn working(&self, project_id: &ProjectId) -> Result<WorkingList> {
        let _open = self.visit(project_id)?;
        Ok(self.working.list(project_id, self.clock.now()))
    }

    /// Removes an item from working memory.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, also for an item of another project, so that its existence is not revealed.
    pub fn remove_working(&self, project_id: &ProjectId, item_id: &str) -> Result<Changed<String>> {
        let _open = self.visit(project_id)?;
        if !self.working.remove(project_id, item_id) {
            return Err(Error::not_found("itemId", "item"));
        }
        Ok(Changed::new(item_id.to_owned(), Some(project_id.clone()), [Topic::Working]))
    }

    /// Ends the session of a project: signals that have added up become episodes, the other items are dropped, and its
    /// working memory is empty.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`; those of the store. Nothing is recorded or lost then: the working memory is unchanged.
    pub fn end_session(&self, project_id: &ProjectId) -> Result<Changed<EndedSession>> {
        let _open = self.visit(project_id)?;
        let taken = self.working.drain(project_id);
        let now = self.clock.now();
        let condensed = working::condense(&taken);
        let episodes: Vec<Episode> = condensed
            .preferences
            .into_iter()
            .map(|preference| episode_of(project_id, preference, self.ids.next(now).into(), now))
            .collect();
        if !episodes.is_empty()
            && let Err(error) = self.admit_all(project_id, &episodes, now)
        {
            self.working.restore(taken, now);
            return Err(error);
        }
        self.journal.end_journal_session(project_id);
        let ended = EndedSession { archived: condensed.archived, dropped: condensed.dropped };
        let mut what = vec![Topic::Working];
        if !episodes.is_empty() {
            what.push(Topic::Episodes);
        }
        Ok(Changed::new(ended, Some(project_id.clone()), what))
    }

    /// The projects with an open session.
    #[must_use]
    pub fn sessions(&self) -> Vec<ProjectId> {
        self.working.project_ids()
    }
}

fn check_draft(draft: &WorkingDraft) -> Result<()> {
    validate::some_text("text", &draft.text, validate::TEXT)?;
    if let Some(importance) = draft.importance {
        validate::share("importance", importance)?;
    }
    let of_signals = [
        ("weight", draft.weight.is_some()),
        ("skillUsed", draft.skill_used.is_some()),
        ("sceneType", draft.scene_type.is_some()),
    ];
    if draft.kind != WorkingKind::Signal
        && let Some((field, _)) = of_signals.into_iter().find(|(_, given)| *given)
    {
        return Err(Error::invalid(field, "only a signal has one"));
    }
    if draft.weight.is_some_and(|weight| !(-MAX_WEIGHT..=MAX_WEIGHT).contains(&weight)) {
        return Err(Error::invalid("weight", "outside -1.5..1.5"));
    }
    validate::optional_name("skillUsed", draft.skill_used.as_deref())?;
    validate::optional_name("sceneType", draft.scene_type.as_deref())?;
    if tokens_of(&draft.text) > working::BUDGET_TOKENS {
        return Err(Error::invalid("text", format!("longer than {} tokens", working::BUDGET_TOKENS)));
    }
    Ok(())
}

/// The episode of added signals, with the observation in words.
fn episode_of(project_id: &ProjectId, preference: Preference, id: EpisodeId, now: Time) -> Episode {
    let signal = if preference.weight > 0.0 { ImplicitSignal::StrongPositive } else { ImplicitSignal::StrongNegative };
    let said = RemarkDraft {
        project_id: project_id.clone(),
        chapter_id: SESSION.into(),
        skill_used: preference.skill_used,
        scene_type: preference.scene_type,
        words: newest_lines(&preference.words, validate::REMARK).to_owned(),
        signal,
    };
    record::remark_episode(said, id, now)
}

/// The last lines of a text that fit in `max` bytes; for a longer last line, its end.
pub(super) fn newest_lines(text: &str, max: usize) -> &str {
    let Some(from) = text.len().checked_sub(max).filter(|from| *from > 0) else { return text };
    let start = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let tail = &text[start..];
    if text[..start].ends_with('\n') {
        return tail;
    }
    tail.split_once('\n').map_or(tail, |(_, whole)| whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_the_newest_complete_lines_remain() {
        assert_eq!(newest_lines("旧\n中\n新", 100), "旧\n中\n新");
        assert_eq!(newest_lines("旧的\n中间\n新的", 14), "中间\n新的");
        assert_eq!(newest_lines("旧的\n中间\n新的", 12), "新的");
        assert_eq!(newest_lines("一二三四", 6), "三四");
        assert_eq!(newest_lines("旧\n新的", 6), "新的");
    }
}
