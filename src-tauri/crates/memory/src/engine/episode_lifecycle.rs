//! The lifecycle of episodes: feedback, pinning, deletion, capacity, compression, eviction.

use rusqlite::Connection;

use super::{Engine, log_failure};
use crate::{
    context,
    episodic::{
        compress,
        evict::{self, Cited},
        limits::LIMITS,
        record,
        style::Measured,
    },
    error::{Error, OrLog, Result},
    model::{
        Changed, Choice, Episode, EpisodeFeedback, EpisodeId, FeedbackSignal, Language, ProjectId, SkillWeight, Time,
        Topic, WorkingDraft, WorkingKind,
    },
    storage::{
        Database, Tx, deletions, episode_counts, episodes, eviction, evidence, remarks, rules, skill_usage,
        words::{self, Purge},
    },
    validate,
};

/// Episodes that one transaction of maintenance compresses or deletes: a concurrent record waits for no more than a few
/// milliseconds.
const MAX_EPISODES_PER_TRANSACTION: usize = 4;
/// Below this much free capacity the rules' citations are read before a write, because the write may have to evict.
const NEARLY_FULL: u32 = 16;

impl Engine {
    /// Records that the writer undid an insertion, or made a remark on it.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, also for an undo where nothing was taken; `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`;
    /// those of the store.
    pub fn feedback(&self, feedback: &EpisodeFeedback) -> Result<Changed<Episode>> {
        validate::identity("episodeId", feedback.episode_id.as_str())?;
        if let Some(project) = &feedback.project_id {
            self.known_project(project)?;
        }
        match &feedback.text {
            Some(text) => validate::some_text("text", text, validate::REMARK)?,
            None if feedback.signal == FeedbackSignal::Explicit => return Err(Error::invalid("text", "missing")),
            None => {}
        }
        let db = self.stores.episodes.open()?;
        let of = found(&*db.reader()?, feedback.project_id.as_ref(), &feedback.episode_id)?.0.project_id;
        let book = self.visit(&of)?;
        let (episode, removed_rows) = db.write("record feedback", |tx| {
            let (had, draft) = found(tx, Some(&of), &feedback.episode_id)?;
            let mut new = had.clone();
            if feedback.signal == FeedbackSignal::Undo {
                if had.selected_index == Choice::AllRejected {
                    return Err(Error::invalid("signal", "nothing was taken that could be undone"));
                }
                new = record::undone(new);
            }
            if let Some(text) = &feedback.text {
                new = record::remarked(new, text);
                validate::text("text", new.explicit.as_deref().unwrap_or_default(), validate::REMARK)?;
            }
            if new == had {
                return Ok((new, None));
            }
            new.version += 1;
            if new.implicit != had.implicit && feedback.signal == FeedbackSignal::Undo {
                self.note_undone(tx, &new, self.clock.now())?;
            }
            if new.compressed {
                let measured = evict::measured(tx, &new)?;
                new.summary = Some(compress::summarise(&new, &measured, book.language, &draft, &new.final_text));
            }
            let removed_rows = episodes::store_feedback(tx, &new)?;
            if new.explicit != had.explicit {
                remarks::set_time(tx, &new.id, self.clock.now())?;
            }
            Ok((new, removed_rows))
        })?;
        self.retrieval.remove_rows(removed_rows.as_slice());
        // A signal of the undone episode is no longer valid.
        if self.working.remove(&of, episode.id.as_str()) {
            let said = context::exchange(book.language, &episode);
            let exchange = WorkingDraft::new(of.clone(), WorkingKind::Exchange, said);
            self.working.add(exchange, episode.id.to_string(), self.clock.now());
        }
        Ok(Changed::new(episode, Some(of), [Topic::Episodes, Topic::Working]))
    }

    /// Pins an episode, so that it never decays, or unpins it.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_INVALID_ARGUMENT`; those of the store.
    pub fn confirm_episode(
        &self,
        project_id: &ProjectId,
        episode_id: &EpisodeId,
        user_confirmed: bool,
    ) -> Result<Changed<Episode>> {
        let _open = self.visit(project_id)?;
        validate::identity("episodeId", episode_id.as_str())?;
        let episode = self.stores.episodes.open()?.write("pin an episode", |tx| {
            let (mut episode, _) = found(tx, Some(project_id), episode_id)?;
            if episode.user_confirmed != user_confirmed {
                episode.user_confirmed = user_confirmed;
                episode.version += 1;
                episodes::store_feedback(tx, &episode)?;
            }
            Ok(episode)
        })?;
        Ok(Changed::new(episode, Some(project_id.clone()), [Topic::Episodes]))
    }

    /// Deletes an episode, pinned or not, with all data derived from it, and redacts its journal entries.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_SCOPE_DENIED`, `MEMORY_INVALID_ARGUMENT`; those of the store.
    pub fn delete_episode(&self, project_id: &ProjectId, episode_id: &EpisodeId) -> Result<Changed<EpisodeId>> {
        let open = self.visit(project_id)?;
        validate::identity("episodeId", episode_id.as_str())?;
        let db = self.stores.episodes.open()?;
        found(&*db.reader()?, Some(project_id), episode_id)?;
        // First, so that no backup restored in between brings it back. Where the note cannot be written, the deletion
        // is executed all the same.
        log_failure("note deletion", self.note_deletion(deletions::EPISODE, episode_id.as_str(), Some(project_id)));
        let removed_rows = db.write("delete an episode", |tx| {
            found(tx, Some(project_id), episode_id)?;
            let removed_rows = episodes::delete_as_writer(tx, episode_id)?;
            evidence::note_deleted(tx, project_id, episode_id)?;
            words::set_purge(tx, Some(Purge::Wanted))?;
            Ok(removed_rows)
        })?;
        // Immediately where the rules can be read; otherwise the episode is due.
        log_failure("remove evidence", self.remove_evidence(&open, episode_id));
        self.retrieval.remove_rows(&removed_rows);
        self.working.remove(project_id, episode_id.as_str());
        let topics = [Topic::Episodes, Topic::Journal, Topic::Working];
        Ok(Changed::new(episode_id.clone(), Some(project_id.clone()), topics))
    }

    /// The skills in the order of the menu: those used most in this scene type first.
    ///
    /// # Errors
    /// `MEMORY_NOT_FOUND`, `MEMORY_INVALID_ARGUMENT`, `MEMORY_STORE_UNAVAILABLE`.
    pub fn skill_order(&self, project_id: &ProjectId, scene_type: Option<&str>) -> Result<Vec<SkillWeight>> {
        let _open = self.visit(project_id)?;
        validate::optional_name("sceneType", scene_type)?;
        let uses = skill_usage::uses(&*self.stores.episodes.open()?.reader()?, project_id, scene_type)?;
        Ok(record::ordered_skills(uses))
    }

    /// Compresses at most `limit` episodes, of one project or of all: decayed ones, those unused for 180 days, and the
    /// least recently used of a project above its soft capacity. Returns how many; fewer than `limit` means that no
    /// more are due. Idempotent; pinned episodes are never compressed.
    ///
    /// # Errors
    /// Those of the store; episodes compressed before the error stay so.
    pub fn compress_due(&self, project: Option<&ProjectId>, limit: u32) -> Result<u32> {
        let db = self.stores.episodes.open()?;
        let now = self.clock.now();
        let mut done = 0;
        for book in project_ids(&db, project)? {
            let left = limit.saturating_sub(done) as usize;
            let due = evict::to_compress(&*db.reader()?, &book, &LIMITS, now, left)?;
            for some in due.chunks(MAX_EPISODES_PER_TRANSACTION) {
                // A project that is being cleared or is unknown here is skipped.
                let Ok(open) = self.visit(&book) else { break };
                done += self.compress_some(&db, some, open.language, now)?;
            }
        }
        Ok(done)
    }

    fn compress_some(&self, db: &Database, ids: &[EpisodeId], language: Language, now: Time) -> Result<u32> {
        let mut prepared = Vec::new();
        {
            let reader = db.reader()?;
            for id in ids {
                let Some((episode, _)) = episodes::get(&reader, id)? else { continue };
                let rest = evict::prepare(&reader, &episode, language)?;
                prepared.push((episode, rest));
            }
        }
        let removed_rows = db.write("compress episodes", |tx| {
            let mut removed_rows = Vec::new();
            for (episode, rest) in &prepared {
                removed_rows.extend(evict::compress(tx, episode, rest, now)?);
            }
            Ok(removed_rows)
        })?;
        self.retrieval.remove_rows(&removed_rows);
        Ok(u32::try_from(removed_rows.len()).unwrap_or(u32::MAX))
    }

    /// Deletes at most `limit` compressed episodes: those compressed for more than 365 days, and the least recently
    /// used of a project above its soft capacity. Returns how many; fewer than `limit` means that no more are due.
    /// Idempotent; never deletes pinned episodes, nor the only support of a confirmed rule, nor any episode of a
    /// project while its rules cannot be read.
    ///
    /// # Errors
    /// Those of the store; episodes deleted before the error stay so.
    pub fn delete_expired(&self, limit: u32) -> Result<u32> {
        let db = self.stores.episodes.open()?;
        let now = self.clock.now();
        let mut done = 0;
        for book in project_ids(&db, None)? {
            let left = limit.saturating_sub(done) as usize;
            let Some(cited) = self.cited(&book) else { continue };
            let due = evict::to_delete(&*db.reader()?, &book, &LIMITS, &cited, now, left)?;
            for some in due.chunks(MAX_EPISODES_PER_TRANSACTION) {
                let Ok(_open) = self.visit(&book) else { break };
                let removed_rows = db.write("evict episodes", |tx| {
                    let mut removed_rows = Vec::new();
                    for id in some {
                        removed_rows.extend(eviction::evict(tx, &book, id)?);
                    }
                    Ok(removed_rows)
                })?;
                self.retrieval.remove_rows(&removed_rows);
                done += u32::try_from(removed_rows.len()).unwrap_or(u32::MAX);
            }
        }
        Ok(done)
    }

    /// Episodes that a confirmed rule cites as its only support; `None` while the rules cannot be read.
    pub(super) fn cited(&self, project_id: &ProjectId) -> Cited {
        let rules = || rules::list(&*self.stores.rules.open()?.reader()?, Some(project_id), None);
        let rules = rules().or_log("read confirmed rules")?;
        let alone = rules.into_iter().filter(|rule| rule.user_confirmed && rule.supporting_episodes.len() == 1);
        Some(alone.flat_map(|rule| rule.supporting_episodes).collect())
    }

    /// Adds episodes that have no texts to measure, all or none.
    pub(super) fn admit_all(&self, project_id: &ProjectId, episodes: &[Episode], now: Time) -> Result<()> {
        let language = self.project(project_id)?.language;
        let db = self.stores.episodes.open()?;
        let cited = self.cited_when_full(&db, project_id)?;
        let pause = self.learning.pause(&self.stores);
        let removed_rows = db.write("admit episodes", |tx| {
            let mut removed_rows = Vec::new();
            for episode in episodes {
                removed_rows.extend(admit(tx, episode, &[], language, &cited, pause, now)?);
            }
            Ok(removed_rows)
        })?;
        self.retrieval.remove_rows(&removed_rows);
        Ok(())
    }

    /// As [`Engine::cited`], read only where a write may have to evict.
    pub(super) fn cited_when_full(&self, db: &Database, project_id: &ProjectId) -> Result<Cited> {
        let counts = episode_counts::counts(&*db.reader()?, project_id)?;
        let full = counts.active + 1 >= LIMITS.hard_active && counts.compressed + NEARLY_FULL >= LIMITS.hard_compressed;
        Ok(if full { self.cited(project_id) } else { None })
    }
}

/// Adds an episode with its features, counts the use of its skill, and evicts others where the capacity is reached;
/// returns the deleted row ids. `pause` is the start of the pause of learning, if any. Every episode is added through
/// this function.
///
/// # Errors
/// `MEMORY_CAPACITY_EXCEEDED`; those of the store.
pub(super) fn admit(
    tx: &Tx<'_>,
    episode: &Episode,
    measured: &[Measured],
    language: Language,
    cited: &Cited,
    pause: Option<Time>,
    now: Time,
) -> Result<Vec<i64>> {
    let removed_rows = evict::make_room(tx, &episode.project_id, language, &LIMITS, cited, now)?;
    episodes::insert(tx, episode)?;
    evict::store_measured(tx, episode, measured)?;
    if episode.explicit.is_some() {
        remarks::set_time(tx, &episode.id, now)?;
    }
    if let Some(pause) = pause {
        evidence::mark_paused(tx, &episode.id, pause)?;
    }
    // A remark is no run of a skill.
    if !episode.is_remark_only() {
        skill_usage::count_use(tx, &episode.project_id, episode.scene_type.as_deref(), &episode.skill_used, 1)?;
    }
    Ok(removed_rows)
}

fn project_ids(db: &Database, project: Option<&ProjectId>) -> Result<Vec<ProjectId>> {
    match project {
        Some(project) => Ok(vec![project.to_owned()]),
        None => episode_counts::projects(&*db.reader()?),
    }
}

fn found(db: &Connection, project_id: Option<&ProjectId>, episode_id: &EpisodeId) -> Result<(Episode, String)> {
    let found = episodes::get(db, episode_id)?.ok_or_else(|| Error::not_found("episodeId", "episode"))?;
    if project_id.is_some_and(|project| *project != found.0.project_id) {
        return Err(Error::scope_denied("episode"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
