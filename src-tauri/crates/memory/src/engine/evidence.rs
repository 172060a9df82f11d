//! Evidence: the style evidence of each episode, computed from `episodes.db` and stored in `rules.db`; and the pause of
//! learning.
//!
//! Invariant: an episode is evidence once, at whatever point the work is interrupted: its row is on disk in `rules.db`
//! before it leaves the list of due episodes. Invariant: a row is never changed except by an undo.

use std::collections::{HashMap, hash_map::Entry};

use palimpsest_learning::Spread;
use palimpsest_text::{
    Language,
    style::{self as features, Feature},
};
use rusqlite::Connection;

use super::Engine;
use crate::{
    episodic::{
        evict,
        style::{self, Measured},
    },
    error::Result,
    model::{
        Changed, Episode, EpisodeId, HiddenName, ImplicitSignal, Part, PartHealth, PartState, Project, ProjectId, Time,
        Topic,
    },
    retrieval::word_index::Step,
    semantic::evidence as semantic,
    storage::{
        Database, Tx, deletions, episodes,
        evidence::{self, Due},
    },
};

/// A due episode with the inputs of its evidence.
struct Gathered {
    due: Due,
    /// `None` where it is gone.
    episode: Option<Episode>,
    /// The features of its texts, all of one version.
    measured: Vec<Measured>,
    /// The features were measured just now and have to be stored.
    anew: bool,
}

impl Gathered {
    fn implicit_signal(&self) -> Option<ImplicitSignal> {
        self.episode.as_ref().map(|episode| episode.implicit)
    }
}

impl Engine {
    /// Pauses learning. Episodes recorded meanwhile are stored and marked.
    ///
    /// # Errors
    /// Those of the store.
    pub fn pause_learning(&self) -> Result<Changed<bool>> {
        let now = self.clock.now();
        let since = self.stores.rules.open()?.write("pause learning", |tx| evidence::pause(tx, now))?;
        self.learning.note_pause(Some(since));
        Ok(Changed::new(true, None, [Topic::Rules]))
    }

    /// Resumes learning. Episodes recorded in the pause never become evidence, unless `use_recorded`.
    ///
    /// # Errors
    /// Those of the store.
    pub fn resume_learning(&self, use_recorded: bool) -> Result<Changed<bool>> {
        let now = self.clock.now();
        self.stores.rules.open()?.write("resume learning", |tx| evidence::resume(tx, now, use_recorded))?;
        self.learning.note_pause(None);
        Ok(Changed::new(false, None, [Topic::Rules]))
    }

    /// Whether learning is paused at present; the last known state while `rules.db` cannot be read.
    #[must_use]
    pub fn is_learning_paused(&self) -> bool {
        self.learning.pause(&self.stores).is_some()
    }

    /// One bounded step: writes the evidence of at most `limit` episodes of one project. Idempotent; the caller repeats
    /// it while the answer reports more. While a file cannot serve, all episodes stay due.
    ///
    /// # Errors
    /// Those of the stores.
    pub(super) fn evidence_step(&self, limit: u32) -> Result<Step> {
        let (episodes, rules) = (self.stores.episodes.open()?, self.stores.rules.open()?);
        self.ensure_files_paired(&episodes, &rules)?;
        let books = evidence::due_projects(&*episodes.reader()?)?;
        for book in books {
            // A project that is being cleared or is unknown here waits.
            let Ok(open) = self.visit(&book) else { continue };
            let due = evidence::list_due(&*episodes.reader()?, &book, limit)?;
            let indexed = self.write_evidence(&open, &episodes, &rules, due)?;
            // Where no episode left the list, the project waits and does not delay the others.
            if indexed > 0 {
                return Ok(Step { indexed, more: true });
            }
        }
        Ok(Step::default())
    }

    /// [`Engine::evidence_step`] among the other background steps: a failure does not stop them, and is retried when
    /// they are done.
    pub(super) fn evidence_step_if_free(&self, limit: u32, others_wait: bool) -> Step {
        if others_wait && self.learning.has_failed() {
            return Step::default();
        }
        let step = self.evidence_step(limit);
        self.learning.note_attempt(step.is_err());
        step.map_err(|error| self.examine(error))
            .inspect_err(|error| crate::log_error!(warn, error, work = "write evidence", "background work failed"))
            .unwrap_or_default()
    }

    pub(super) fn health_of_evidence(&self) -> PartHealth {
        let part = Part::Evidence;
        let state = || -> Result<PartState> {
            let (episodes, rules) = (self.stores.episodes.open()?, self.stores.rules.open()?);
            let (episodes, rules) = (episodes.reader()?, rules.reader()?);
            let behind = evidence::is_due(&episodes)? || !are_files_paired(&episodes, &rules)?;
            Ok(if behind { PartState::CatchingUp } else { PartState::Ok })
        };
        match state() {
            Ok(state) => PartHealth::serving(part, state),
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        }
    }

    /// Removes an episode that the writer has just deleted from the evidence. Where that is not possible now, the
    /// episode becomes due.
    pub(super) fn remove_evidence(&self, project: &Project, episode_id: &EpisodeId) -> Result<()> {
        let (episodes, rules) = (self.stores.episodes.open()?, self.stores.rules.open()?);
        let due = Due { episode_id: episode_id.clone(), deleted: true, pause: None };
        self.write_evidence(project, &episodes, &rules, vec![due])?;
        Ok(())
    }

    /// Both files store a shared pairing mark. Where one of them has been replaced (restored from a backup or created
    /// empty), evidence is made of all episodes again; after a change of the features, of all episodes that still have
    /// their texts.
    fn ensure_files_paired(&self, episodes: &Database, rules: &Database) -> Result<()> {
        if are_files_paired(&*episodes.reader()?, &*rules.reader()?)? {
            return Ok(());
        }
        let now = self.clock.now().millis();
        let known = evidence::watermark(&*episodes.reader()?, evidence::MARK)?;
        let mark = rules.write("pair the files", |tx| {
            if let Some(mark) = evidence::watermark(tx, evidence::MARK)? {
                return Ok(mark);
            }
            // Never the known mark.
            let mark = known.map_or(now, |known| now.max(known + 1));
            evidence::set_watermark(tx, evidence::MARK, mark)?;
            Ok(mark)
        })?;
        episodes.write_derived("pair the files", |tx| {
            evidence::all_due(tx, evidence::watermark(tx, evidence::MARK)? == Some(mark))?;
            evidence::set_watermark(tx, evidence::MARK, mark)?;
            evidence::set_watermark(tx, evidence::FEATURES, i64::from(features::VERSION))
        })
    }

    /// Writes the evidence of due episodes of one project; returns how many are due no more.
    fn write_evidence(&self, project: &Project, episodes: &Database, rules: &Database, due: Vec<Due>) -> Result<u32> {
        if due.is_empty() {
            return Ok(0);
        }
        let names = self.names_of(&project.project_id)?;
        let gathered: Vec<Gathered> = {
            let reader = episodes.reader()?;
            due.into_iter().map(|due| gather(&reader, project, due)).collect::<Result<_>>()?
        };
        let now = self.clock.now();
        let write = |tx: &Tx<'_>| {
            let mut book =
                EvidenceWriter { tx, project_id: &project.project_id, names: &names, spreads: HashMap::new(), now };
            gathered.iter().try_for_each(|one| book.write(one))?;
            book.write_spreads()
        };
        rules.write("write evidence", write)?;
        // Last, so that interrupted work is repeated and changes nothing.
        episodes.write_derived("write evidence", |tx| {
            let mut off_the_list = 0;
            for one in &gathered {
                if let Some(episode) = &one.episode
                    && one.anew
                    && episodes::is_at(tx, &episode.id, episode.version)?
                {
                    evict::store_measured(tx, episode, &one.measured)?;
                }
                off_the_list += evidence::done(tx, &project.project_id, &one.due, one.implicit_signal())?;
            }
            Ok(off_the_list)
        })
    }
}

/// Whether both files store the same pairing mark, and all episodes were measured by the present features.
fn are_files_paired(episodes: &Connection, rules: &Connection) -> Result<bool> {
    let theirs = evidence::watermark(rules, evidence::MARK)?;
    let looked_at = evidence::watermark(episodes, evidence::FEATURES)?;
    Ok(theirs.is_some()
        && theirs == evidence::watermark(episodes, evidence::MARK)?
        && looked_at >= Some(i64::from(features::VERSION)))
}

/// Reads a due episode and its features; an episode without the present features that still has its texts is measured.
fn gather(db: &Connection, project: &Project, due: Due) -> Result<Gathered> {
    let without_episode = |due| Gathered { due, episode: None, measured: Vec::new(), anew: false };
    if due.deleted {
        return Ok(without_episode(due));
    }
    let Some((episode, _)) = episodes::get(db, &due.episode_id)? else { return Ok(without_episode(due)) };
    if episode.project_id != project.project_id {
        return Ok(without_episode(due));
    }
    let measured = evict::measured(db, &episode)?;
    let is_current = measured.iter().all(|one| one.version == features::VERSION) && !measured.is_empty();
    if is_current || episode.compressed {
        return Ok(Gathered { due, episode: Some(episode), measured, anew: false });
    }
    let measured = style::measure(&episode, project.language);
    Ok(Gathered { due, episode: Some(episode), anew: !measured.is_empty(), measured })
}

/// The writes of one transaction for a project.
struct EvidenceWriter<'a> {
    tx: &'a Tx<'a>,
    project_id: &'a ProjectId,
    names: &'a [HiddenName],
    /// Read once, stored at the end.
    spreads: HashMap<(Language, u32), Spread>,
    now: Time,
}

impl EvidenceWriter<'_> {
    fn write(&mut self, one: &Gathered) -> Result<()> {
        let (tx, project_id, id) = (self.tx, self.project_id, &one.due.episode_id);
        if one.due.deleted {
            // The spread is recomputed without the episode; the cached one is stored first.
            self.write_spreads()?;
            evidence::delete(tx, project_id, id)?;
            // The deletion may not have been recorded when it happened.
            return deletions::insert(tx, deletions::EPISODE, id.as_str(), Some(project_id), self.now);
        }
        // Deleted since it was read: its row must not be written after the deletion.
        if deletions::exists(tx, deletions::EPISODE, id.as_str())? {
            return Ok(());
        }
        // Evicted, or compressed by age: its evidence stays.
        let Some(episode) = &one.episode else { return Ok(()) };
        let Some(version) = one.measured.first().map(|measured| measured.version) else { return Ok(()) };
        if evidence::version(tx, project_id, id)?.is_some_and(|known| known >= version) {
            return evidence::revise(tx, project_id, id, episode.implicit == ImplicitSignal::DelayedNegative);
        }
        let language = one.measured.first().map_or(Language::En, |measured| measured.language);
        let spread = match self.spreads.entry((language, version)) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => {
                let stored_spread = evidence::spread(tx, project_id, language, version)?;
                unread.insert(stored_spread.unwrap_or_else(|| Spread::new(Feature::COUNT)))
            }
        };
        let Some(row) = semantic::evidence_of(episode, &one.measured, self.names, spread) else { return Ok(()) };
        evidence::upsert(tx, &row, one.due.pause)?;
        if evidence::is_counted(tx, one.due.pause)? {
            semantic::observe(spread, &row);
        }
        Ok(())
    }

    fn write_spreads(&mut self) -> Result<()> {
        for ((language, version), spread) in self.spreads.drain() {
            evidence::upsert_spread(self.tx, self.project_id, language, version, &spread)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
