//! The vocabularies in memory: those of the projects that were used last, within a budget.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rusqlite::Connection;

use super::vocabulary::{Builder, Vocabulary};
use crate::{
    error::{Error, Result},
    lock::Mutex,
    model::{OwnerKind, ProjectId},
    storage::{
        Database,
        words::{self, CorpusStats},
    },
};

/// Maximum bytes of all vocabularies together. One of 10,000 episodes takes one to three megabytes.
const BUDGET_BYTES: usize = 16 << 20;
/// In a memory of fewer texts of the kind than this, of all projects, the first query of a project, and the first
/// after a deletion, read its texts: it takes some ten milliseconds. In a larger one that is done in the background;
/// the index counts terms until the first vocabulary is made, and removed texts count until the next one.
const MAX_TEXTS_READ_INLINE: i64 = 1_000;
/// Maximum number of rows after the counted ones that a query reads.
const MAX_ROWS_ADDED_INLINE: i64 = 256;
/// Maximum requests for a load in the background; the oldest is dropped.
const MAX_WANTED: usize = 4;

/// A vocabulary in the list.
#[derive(Debug)]
struct Entry {
    vocabulary: Arc<Vocabulary>,
    bytes: usize,
    /// The number of its last use.
    used: u64,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<(ProjectId, OwnerKind), Entry>,
    /// Number of uses so far.
    uses: u64,
    wanted: Vec<(ProjectId, OwnerKind)>,
}

impl State {
    /// Adds a vocabulary in place of an older one, and drops the least recently used ones over the budget.
    fn insert(&mut self, key: (ProjectId, OwnerKind), vocabulary: Arc<Vocabulary>) {
        self.uses += 1;
        let entry = Entry { bytes: vocabulary.size_in_bytes(), vocabulary, used: self.uses };
        self.entries.insert(key, entry);
        while self.entries.len() > 1 && self.entries.values().map(|entry| entry.bytes).sum::<usize>() > BUDGET_BYTES {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.entries.remove(&key));
        }
    }
}

/// The vocabularies in memory.
#[derive(Debug, Default)]
pub(super) struct Vocabularies {
    state: Mutex<State>,
    /// Number of calls of [`Vocabularies::clear`]; a change invalidates a load under way.
    clears: AtomicU64,
}

impl Vocabularies {
    /// Drops the vocabularies of a project, or of all.
    pub(super) fn clear(&self, project_id: Option<&ProjectId>) {
        self.clears.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state.lock();
        state.wanted.clear();
        match project_id {
            Some(project_id) => state.entries.retain(|(of, _), _| of != project_id),
            None => state.entries.clear(),
        }
    }

    /// The vocabulary of a kind of text at the state of `db`; `None` while it is not in memory. A small one is made
    /// now, a large one in the background. `stats`: of the project's texts of the kind.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn current(
        &self,
        db: &Connection,
        project_id: &ProjectId,
        kind: OwnerKind,
        stats: CorpusStats,
    ) -> Result<Option<Arc<Vocabulary>>> {
        let key = (project_id.clone(), kind);
        let clears = self.clears.load(Ordering::SeqCst);
        let known = {
            let mut state = self.state.lock();
            state.uses += 1;
            let used = state.uses;
            state.entries.get_mut(&key).map(|entry| {
                entry.used = used;
                Arc::clone(&entry.vocabulary)
            })
        };
        let of_episodes = OwnerKind::OF_EPISODES.contains(&kind);
        let of_its_table = if of_episodes { &OwnerKind::OF_EPISODES[..] } else { std::slice::from_ref(&kind) };
        let is_small = || Ok::<_, Error>(words::count_texts(db, of_its_table)? < MAX_TEXTS_READ_INLINE);
        let Some(known) = known else {
            if is_small()? {
                return Ok(Some(self.insert_unless_cleared(key, read(db, project_id, kind, stats)?, clears)));
            }
            self.want(key);
            return Ok(None);
        };
        let newest = words::newest_row(db, kind)?;
        if newest - known.counted_to() > MAX_ROWS_ADDED_INLINE {
            self.want(key);
            return Ok(None);
        }
        let vocabulary = if newest > known.counted_to() {
            let mut vocabulary = Arc::unwrap_or_clone(known);
            let counted_to = vocabulary.counted_to();
            words::each_after(db, project_id, kind, counted_to, |_, codes| vocabulary.count_text(codes))?;
            vocabulary.set_counted_to(newest);
            self.insert_unless_cleared(key.clone(), vocabulary, clears)
        } else {
            known
        };
        if vocabulary.counted_texts() != stats.documents && is_small()? {
            return Ok(Some(self.insert_unless_cleared(key, read(db, project_id, kind, stats)?, clears)));
        }
        if vocabulary.is_outdated(stats.documents) {
            self.want(key);
        }
        Ok(Some(vocabulary))
    }

    /// Adds a vocabulary to the list, unless the list was cleared since `clears` was read.
    fn insert_unless_cleared(
        &self,
        key: (ProjectId, OwnerKind),
        vocabulary: Vocabulary,
        clears: u64,
    ) -> Arc<Vocabulary> {
        let vocabulary = Arc::new(vocabulary);
        let mut state = self.state.lock();
        if self.clears.load(Ordering::SeqCst) == clears {
            state.insert(key, Arc::clone(&vocabulary));
        }
        vocabulary
    }

    /// Requests a vocabulary, for a load in the background.
    fn want(&self, key: (ProjectId, OwnerKind)) {
        let mut state = self.state.lock();
        state.wanted.retain(|wanted| *wanted != key);
        if state.wanted.len() >= MAX_WANTED {
            state.wanted.remove(0);
        }
        state.wanted.push(key);
    }

    /// Whether vocabularies are requested.
    pub(super) fn is_any_wanted(&self) -> bool {
        !self.state.lock().wanted.is_empty()
    }

    /// Makes the vocabulary that was requested last; returns whether there was one.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn load_requested(&self, db: &Database) -> Result<bool> {
        let clears = self.clears.load(Ordering::SeqCst);
        let Some(key) = self.state.lock().wanted.last().cloned() else { return Ok(false) };
        let made = read_stored(db, &key);
        // It stays requested while it is read, so that the part is reported as catching up.
        self.state.lock().wanted.retain(|wanted| *wanted != key);
        if let Some(vocabulary) = made? {
            self.insert_unless_cleared(key, vocabulary, clears);
        }
        Ok(true)
    }
}

/// The vocabulary of a kind of text in a project; `None` without an index.
fn read_stored(db: &Database, (project_id, kind): &(ProjectId, OwnerKind)) -> Result<Option<Vocabulary>> {
    let reader = db.reader()?;
    let reader = reader.snapshot()?;
    let Some(index) = words::project_index(&reader, project_id)? else { return Ok(None) };
    Ok(Some(read(&reader, project_id, *kind, index.stats(*kind))?))
}

/// The vocabulary of a kind of text in a project, from the index.
fn read(db: &Connection, project_id: &ProjectId, kind: OwnerKind, stats: CorpusStats) -> Result<Vocabulary> {
    let newest = words::newest_row(db, kind)?;
    let mut builder = Builder::new(stats.documents, stats.average_length);
    words::each_after(db, project_id, kind, kind.index_row(0), |row, codes| builder.add(row, codes))?;
    Ok(builder.finish(newest))
}
