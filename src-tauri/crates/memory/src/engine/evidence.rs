//! Evidence: what each episode says about style, taken from `episodes.db` into `rules.db`; and the pause of learning.
//!
//! Invariant: an episode is evidence once, whatever is stopped in between: first its row is on disk in `rules.db`, then
//! it is taken off the list of what is due. Invariant: a row that was made stays as it is, but for an undo.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

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
    model::{Changed, Episode, HiddenName, ImplicitSignal, Part, PartHealth, PartState, Project, Time, Topic},
    retrieval::lexical::Step,
    semantic::evidence as semantic,
    storage::{
        Database, Tx, deletions, episodes,
        evidence::{self, Due},
    },
};

/// What is known of learning without looking at the disk.
#[derive(Default)]
pub(super) struct Learning {
    /// The pause that lasts, by its beginning. Outer `None`: it could never be read.
    pause: RwLock<Option<Option<Time>>>,
    /// The last attempt to write evidence failed.
    failed: AtomicBool,
}

impl Learning {
    fn know(&self, pause: Option<Option<Time>>) {
        *self.pause.write().unwrap_or_else(PoisonError::into_inner) = pause;
    }

    /// The file it was read from is another one, or empty.
    pub(super) fn forget(&self) {
        self.know(None);
    }

    /// The pause as last read; outer `None` where it never was.
    pub(super) fn known(&self) -> Option<Option<Time>> {
        *self.pause.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An episode that is due, with what its evidence is made of.
struct Gathered {
    due: Due,
    /// `None` where it is gone.
    episode: Option<Episode>,
    /// The numbers of its texts, all of one version.
    measured: Vec<Measured>,
    /// They were measured just now, and are to be kept.
    anew: bool,
}

impl Gathered {
    fn said(&self) -> Option<ImplicitSignal> {
        self.episode.as_ref().map(|episode| episode.implicit)
    }
}

impl Engine {
    /// From now on nothing is learned. What is recorded meanwhile is kept, and marked.
    ///
    /// # Errors
    /// Those of the store.
    pub fn pause_learning(&self) -> Result<Changed<bool>> {
        let now = self.clock.now();
        let since = self.rules.open()?.write(|tx| evidence::pause(tx, now))?;
        self.learning.know(Some(Some(since)));
        Ok(Changed::new(true, None, [Topic::Rules]))
    }

    /// From now on learning goes on. What was recorded in the pause stays out of it for good, unless `use_recorded`.
    ///
    /// # Errors
    /// Those of the store.
    pub fn resume_learning(&self, use_recorded: bool) -> Result<Changed<bool>> {
        let now = self.clock.now();
        self.rules.open()?.write(|tx| evidence::resume(tx, now, use_recorded))?;
        self.learning.know(Some(None));
        Ok(Changed::new(false, None, [Topic::Rules]))
    }

    /// Whether nothing is learned at present; as last known while `rules.db` cannot be asked.
    #[must_use]
    pub fn is_learning_paused(&self) -> bool {
        self.pause_of_learning().is_some()
    }

    /// The pause that lasts, by its beginning. Nobody else writes it, so what is known is not read again.
    pub(super) fn pause_of_learning(&self) -> Option<Time> {
        if let Some(known) = self.learning.known() {
            return known;
        }
        let (pause, degraded) = self.ask_rules(evidence::paused_since).ok()?;
        if degraded.is_none() {
            self.learning.know(Some(pause));
        }
        pause
    }

    /// One bounded step: writes the evidence of at most `limit` episodes of one book. Idempotent; the caller repeats it
    /// while it says that more are waiting. While a file cannot serve, all stays due.
    ///
    /// # Errors
    /// Those of the stores.
    pub fn learn_step(&self, limit: u32) -> Result<Step> {
        let (episodes, rules) = (self.episodes.open()?, self.rules.open()?);
        self.meet(&episodes, &rules)?;
        let books = evidence::due_books(&*episodes.reader()?)?;
        for book in books {
            // A book that is being cleared, or that nobody knows here, waits.
            let Ok(open) = self.visit(&book) else { continue };
            let due = evidence::due(&*episodes.reader()?, &book, limit)?;
            let indexed = self.learn_from(&open, &episodes, &rules, due)?;
            // Where nothing came off the list, it waits, and holds no other book up.
            if indexed > 0 {
                return Ok(Step { indexed, more: true });
            }
        }
        Ok(Step::default())
    }

    /// [`Engine::learn_step`] among the other steps in the background: one that fails hinders none of them, and is tried
    /// again when they are done.
    pub(super) fn learn_beside(&self, limit: u32, others_wait: bool) -> Step {
        if others_wait && self.learning.failed.load(Ordering::Relaxed) {
            return Step::default();
        }
        let step = self.learn_step(limit);
        self.learning.failed.store(step.is_err(), Ordering::Relaxed);
        step.map_err(|error| self.examine(error)).unwrap_or_default()
    }

    /// Whether evidence could not be written when it was last tried.
    #[must_use]
    pub fn is_learning_wanted(&self) -> bool {
        self.learning.failed.load(Ordering::Relaxed)
    }

    pub(super) fn health_of_evidence(&self) -> PartHealth {
        let part = Part::Evidence;
        let state = || -> Result<PartState> {
            let (episodes, rules) = (self.episodes.open()?, self.rules.open()?);
            let (episodes, rules) = (episodes.reader()?, rules.reader()?);
            let behind = evidence::is_due(&episodes)? || !do_meet(&episodes, &rules)?;
            Ok(if behind { PartState::CatchingUp } else { PartState::Ok })
        };
        match state() {
            Ok(state) => PartHealth::serving(part, state),
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        }
    }

    /// Takes an episode that the writer has just deleted out of what is learned from. Where that cannot be now, it is due.
    pub(super) fn unlearn(&self, project: &Project, episode_id: &str) -> Result<()> {
        let (episodes, rules) = (self.episodes.open()?, self.rules.open()?);
        let due = Due { episode_id: episode_id.to_owned(), deleted: true, pause: None };
        self.learn_from(project, &episodes, &rules, vec![due])?;
        Ok(())
    }

    /// Both files know each other by a mark. Where one of them is another file now (a backup was put in its place, or it
    /// was begun anew), evidence is made of all episodes again; where the features are others now, of all that still have
    /// their texts.
    fn meet(&self, episodes: &Database, rules: &Database) -> Result<()> {
        if do_meet(&*episodes.reader()?, &*rules.reader()?)? {
            return Ok(());
        }
        let now = self.clock.now().millis();
        let known = evidence::mark(&*episodes.reader()?, evidence::MARK)?;
        let mark = rules.write(|tx| {
            if let Some(mark) = evidence::mark(tx, evidence::MARK)? {
                return Ok(mark);
            }
            // Never the one that is known already.
            let mark = known.map_or(now, |known| now.max(known + 1));
            evidence::set_mark(tx, evidence::MARK, mark)?;
            Ok(mark)
        })?;
        episodes.write_derived(|tx| {
            evidence::all_due(tx, evidence::mark(tx, evidence::MARK)? == Some(mark))?;
            evidence::set_mark(tx, evidence::MARK, mark)?;
            evidence::set_mark(tx, evidence::FEATURES, i64::from(features::VERSION))
        })
    }

    /// Writes the evidence of episodes of one book that are due, and says how many are so no more.
    fn learn_from(&self, project: &Project, episodes: &Database, rules: &Database, due: Vec<Due>) -> Result<u32> {
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
            let mut book = Book { tx, project_id: &project.project_id, names: &names, spreads: HashMap::new(), now };
            gathered.iter().try_for_each(|one| book.take(one))?;
            book.keep_spreads()
        };
        rules.write(write)?;
        // Only now: what is stopped before is done again, and changes nothing.
        episodes.write_derived(|tx| {
            let mut off_the_list = 0;
            for one in &gathered {
                if let Some(episode) = &one.episode
                    && one.anew
                    && episodes::is_at(tx, &episode.id, episode.version)?
                {
                    evict::keep_measured(tx, episode, &one.measured)?;
                }
                off_the_list += evidence::done(tx, &project.project_id, &one.due, one.said())?;
            }
            Ok(off_the_list)
        })
    }
}

/// Whether the two files know each other, and all episodes were looked at by the present features.
fn do_meet(episodes: &Connection, rules: &Connection) -> Result<bool> {
    let theirs = evidence::mark(rules, evidence::MARK)?;
    let looked_at = evidence::mark(episodes, evidence::FEATURES)?;
    Ok(theirs.is_some()
        && theirs == evidence::mark(episodes, evidence::MARK)?
        && looked_at >= Some(i64::from(features::VERSION)))
}

/// Reads an episode that is due and its numbers; what has none of the present features and still has its texts is measured.
fn gather(db: &Connection, project: &Project, due: Due) -> Result<Gathered> {
    let gone = |due| Gathered { due, episode: None, measured: Vec::new(), anew: false };
    if due.deleted {
        return Ok(gone(due));
    }
    let Some((episode, _)) = episodes::get(db, &due.episode_id)? else { return Ok(gone(due)) };
    if episode.project_id != project.project_id {
        return Ok(gone(due));
    }
    let measured = evict::measured(db, &episode)?;
    let is_current = measured.iter().all(|one| one.version == features::VERSION) && !measured.is_empty();
    if is_current || episode.compressed {
        return Ok(Gathered { due, episode: Some(episode), measured, anew: false });
    }
    let measured = style::measure(&episode, project.language);
    Ok(Gathered { due, episode: Some(episode), anew: !measured.is_empty(), measured })
}

/// What one transaction writes of a book.
struct Book<'a> {
    tx: &'a Tx<'a>,
    project_id: &'a str,
    names: &'a [HiddenName],
    /// Read once, and kept at the end.
    spreads: HashMap<(Language, u32), Spread>,
    now: Time,
}

impl Book<'_> {
    fn take(&mut self, one: &Gathered) -> Result<()> {
        let (tx, project_id, id) = (self.tx, self.project_id, one.due.episode_id.as_str());
        if one.due.deleted {
            // The spread is made anew without it; what was read of it before is kept first.
            self.keep_spreads()?;
            evidence::delete(tx, project_id, id)?;
            // Perhaps it could not be noted when it was deleted.
            return deletions::note(tx, deletions::EPISODE, id, Some(project_id), self.now);
        }
        // Deleted since it was read: what is on its way must not come after the deletion.
        if deletions::is_noted(tx, deletions::EPISODE, id)? {
            return Ok(());
        }
        // Evicted, or compressed away by age: its evidence stays.
        let Some(episode) = &one.episode else { return Ok(()) };
        let Some(version) = one.measured.first().map(|measured| measured.version) else { return Ok(()) };
        if evidence::version(tx, project_id, id)?.is_some_and(|known| known >= version) {
            return evidence::revise(tx, project_id, id, episode.implicit == ImplicitSignal::DelayedNegative);
        }
        let language = one.measured.first().map_or(Language::En, |measured| measured.language);
        let spread = match self.spreads.entry((language, version)) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => {
                let kept = evidence::spread(tx, project_id, language, version)?;
                unread.insert(kept.unwrap_or_else(|| Spread::new(Feature::COUNT)))
            }
        };
        let Some(row) = semantic::evidence_of(episode, &one.measured, self.names, spread) else { return Ok(()) };
        evidence::put(tx, &row, one.due.pause)?;
        if evidence::counts(tx, one.due.pause)? {
            semantic::observe(spread, &row);
        }
        Ok(())
    }

    fn keep_spreads(&mut self) -> Result<()> {
        for ((language, version), spread) in self.spreads.drain() {
            evidence::put_spread(self.tx, self.project_id, language, version, &spread)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
