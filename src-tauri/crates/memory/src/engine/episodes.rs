//! Recording and recalling episodes.

use super::{Engine, episode_lifecycle};
use crate::{
    context,
    episodic::{
        recall::{self, Recollection, Summaries},
        record, style,
    },
    error::{Code, Error, Result},
    model::{
        Changed, Episode, EpisodeDraft, EpisodeQuery, RecallAnswer, RecalledEpisode, Topic, WorkingDraft, WorkingKind,
    },
    storage::traces,
    validate,
};

/// Maximum number of candidates of one run of a skill.
pub(super) const MAX_CANDIDATES: usize = 16;
/// Maximum number of episodes that one recall returns.
pub(super) const MAX_RECALLED: u32 = 50;

impl Engine {
    /// Records the writer's decision on a run of a skill. When this returns, it is on disk. A run without candidates
    /// can only have been rejected.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED` for a generation of another project,
    /// `MEMORY_WRITE_FAILED`, `MEMORY_STORE_UNAVAILABLE`. Nothing is half-written.
    pub fn record(&self, draft: EpisodeDraft) -> Result<Changed<Episode>> {
        let project = self.visit(&draft.project_id)?;
        let now = self.clock.now();
        check_draft(&draft)?;
        if draft.occurred_at.is_some_and(|at| at > now) {
            return Err(Error::invalid("occurredAt", "in the future"));
        }
        let draft = record::settle_selection(draft)?;
        check_selection(&draft)?;
        let generation = draft.generation_id.clone();
        let episode = record::choice_episode(draft, self.ids.next(now).into(), now);
        let measured = style::measure(&episode, project.language);
        let pause = self.learning.pause(&self.stores);
        let db = self.stores.episodes.open()?;
        let cited = self.cited_when_full(&db, &project.project_id)?;
        let removed_rows = db.write("record an episode", |tx| {
            if let Some(id) = &generation
                && traces::project_of(tx, id)?.is_some_and(|of| of != project.project_id)
            {
                return Err(Error::scope_denied("generation"));
            }
            let removed_rows = episode_lifecycle::admit(tx, &episode, &measured, project.language, &cited, pause, now)?;
            if !episode.is_remark_only() {
                self.note_decided(tx, &episode, now)?;
            }
            Ok(removed_rows)
        })?;
        self.retrieval.remove_rows(&removed_rows);
        let said = context::exchange(project.language, &episode);
        let exchange = WorkingDraft::new(project.project_id.clone(), WorkingKind::Exchange, said);
        // Under the episode's own identity: a prompt that recalls the episode does not contain it twice.
        self.working.add(exchange, episode.id.to_string(), now);
        Ok(Changed::new(episode, Some(project.project_id.clone()), [Topic::Episodes, Topic::Working]))
    }

    /// The episodes of a project that are relevant to a query, best first. A query does not count as a recall.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, `MEMORY_NOT_FOUND`, `MEMORY_BACKPRESSURE`. A store that cannot serve is no error: the
    /// answer is empty and reports it.
    pub fn recall(&self, query: &EpisodeQuery) -> Result<RecallAnswer> {
        self.known_project(&query.project_id)?;
        if let Some(text) = &query.query_text {
            validate::text("queryText", text, validate::CONTEXT)?;
        }
        validate::optional_name("sceneType", query.scene_type.as_deref())?;
        validate::optional_name("skillUsed", query.skill_used.as_deref())?;
        validate::within("limit", query.limit.unwrap_or(recall::DEFAULT_LIMIT), 1, MAX_RECALLED)?;
        let _pass = self.retrieval.admit_recall()?;
        Ok(match self.recall_unguarded(query, Summaries::Included) {
            Ok(Recollection { episodes, are_vectors_awaited, .. }) => {
                let why = self.retrieval.imprecision(are_vectors_awaited);
                let degraded_reason = why.map(|why| format!("recall is less precise: {why}"));
                let fields = query.fields.as_deref();
                let episodes = episodes.into_iter().map(|recalled| RecalledEpisode::new(recalled, fields)).collect();
                RecallAnswer { episodes, degraded: degraded_reason.is_some(), degraded_reason }
            }
            Err(error) => {
                let error = self.stores.episodes.examine(error);
                RecallAnswer { episodes: Vec::new(), degraded: true, degraded_reason: Some(past_unavailable(&error)) }
            }
        })
    }

    /// For callers that hold a pass and have checked the query.
    pub(super) fn recall_unguarded(&self, query: &EpisodeQuery, summaries: Summaries) -> Result<Recollection> {
        let _open = self.visit(&query.project_id)?;
        self.retrieval.recall(&self.stores, query, summaries, self.clock.now())
    }
}

/// The text that reports that episodes cannot be read.
pub(super) fn past_unavailable(error: &Error) -> String {
    format!("past examples unavailable: {}", error.message)
}

fn check_draft(draft: &EpisodeDraft) -> Result<()> {
    validate::identity("chapterId", draft.chapter_id.as_str())?;
    validate::label("skillUsed", &draft.skill_used)?;
    validate::optional_name("sceneType", draft.scene_type.as_deref())?;
    validate::text("inputContext", &draft.input_context, validate::TEXT)?;
    validate::text("finalText", &draft.final_text, validate::TEXT)?;
    if let Some(words) = &draft.explicit {
        validate::some_text("explicit", words, validate::REMARK)?;
    }
    if let Some(id) = &draft.generation_id {
        validate::identity("generationId", id.as_str())?;
    }
    if draft.candidates.len() > MAX_CANDIDATES {
        return Err(Error::invalid("candidates", format!("more than {MAX_CANDIDATES} of them")));
    }
    for (n, candidate) in draft.candidates.iter().enumerate() {
        validate::some_text(&format!("candidates[{n}]"), candidate, validate::TEXT)?;
    }
    if let Some(text) = &draft.selected_text {
        validate::some_text("selectedText", text, validate::TEXT)?;
    }
    let count = i32::try_from(draft.candidates.len()).map_err(|_| Error::new(Code::InvalidArgument, "candidates"))?;
    if !(-1..count).contains(&draft.selected_index) {
        return Err(Error::invalid("selectedIndex", format!("not -1, and no index into {count} candidates")));
    }
    check_selection(draft)
}

fn check_selection(draft: &EpisodeDraft) -> Result<()> {
    // A passage that was taken and then emptied is a rejection, and has to be reported as one.
    if draft.selected_index >= 0 {
        validate::some_text("finalText", &draft.final_text, validate::TEXT)?;
    }
    Ok(())
}
