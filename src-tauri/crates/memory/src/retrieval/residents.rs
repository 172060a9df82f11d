//! The vectors in memory: those of the projects that were used last, within a budget.
//!
//! Over the budget, the windows of the least recently used sets are dropped first, four fifths of their size: recall
//! then compares their texts as wholes, and nothing has to be read again. Windows return for a project that is used
//! more often than another that has them.
//!
//! Each project and kind has a set of its own behind its own lock, so that a recall never waits while the vectors of
//! another project are loaded. A set that was dropped may still be in use by a recall; it is in no list any more, and
//! vectors that are added to it reach no later recall.

use std::{
    collections::HashMap,
    mem,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use palimpsest_vectors::Quantized;

use super::resident::Resident;
use crate::{
    error::Result,
    lock::{Mutex, Rank, RwLock},
    model::{ByKind, OwnerKind, ProjectId},
    ports::Embedder,
    storage::{Database, vectors},
};

/// Maximum bytes of all sets together. A full project (100,000 vectors) takes 54 MB with the bundled encoder, one of
/// 1,000 episodes 3 MB: the largest and a dozen of the usual ones fit in. The project that was used last stays even if
/// it is larger.
const BUDGET_BYTES: usize = 96 << 20;
/// Maximum requests for a load in the background; the oldest is dropped. More could evict each other.
const MAX_WANTED: usize = 4;

/// Number of uses by which another project has to be behind before it makes room for windows.
const MIN_USES_AHEAD: u64 = 32;

/// A vector that was computed and stored a moment ago.
pub(super) struct Computed<'a> {
    pub(super) project_id: &'a ProjectId,
    pub(super) kind: OwnerKind,
    pub(super) row: i64,
    pub(super) part: u32,
    pub(super) vector: &'a Quantized,
}

/// A request for a load in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) project_id: ProjectId,
    pub(super) kind: OwnerKind,
    /// The use that missed the vectors.
    used: u64,
}

/// The vectors of a project and kind; `None` before they are loaded.
type Set = RwLock<Option<Resident>>;

/// A set in the list.
struct Entry {
    set: Arc<Set>,
    bytes: usize,
    /// Its size without windows; equal to `bytes` where it has none.
    bytes_without_windows: usize,
    /// Bytes of the windows that it has lost.
    lost: usize,
    /// The number of its last use.
    used: u64,
}

impl Entry {
    fn has_windows(&self) -> bool {
        self.bytes > self.bytes_without_windows
    }
}

/// The size of a set in memory, in bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    bytes: usize,
    bytes_without_windows: usize,
}

impl Size {
    fn of(resident: Option<&Resident>) -> Self {
        let size = |resident: &Resident| Self {
            bytes: resident.bytes(),
            bytes_without_windows: resident.bytes_without_windows(),
        };
        resident.map(size).unwrap_or_default()
    }
}

/// The sets that have to make room.
#[derive(Default)]
#[must_use]
struct Evicted {
    /// They have left the list.
    removed: Vec<Entry>,
    /// They stay in the list, and count without their windows.
    without_windows: Vec<(ProjectId, OwnerKind, Arc<Set>)>,
}

/// The list of sets. Sets that leave it are returned, so that their memory is freed outside its lock.
struct Sets {
    budget: usize,
    by_project: HashMap<ProjectId, ByKind<Option<Entry>>>,
    /// Bytes of all sets.
    bytes: usize,
    /// Number of uses so far.
    uses: u64,
    wanted: Vec<Wanted>,
}

impl Sets {
    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    fn entry(&mut self, project_id: &ProjectId, kind: OwnerKind) -> Option<&mut Entry> {
        self.by_project.get_mut(project_id)?[kind].as_mut()
    }

    /// A set that was used at `used`, empty if it is new.
    fn entry_or_new(&mut self, project_id: &ProjectId, kind: OwnerKind, used: u64) -> Arc<Set> {
        let entry = self.by_project.entry(project_id.clone()).or_default()[kind].get_or_insert_with(|| Entry {
            set: Arc::new(RwLock::new(Rank::Resident, None)),
            bytes: 0,
            bytes_without_windows: 0,
            lost: 0,
            used,
        });
        entry.used = entry.used.max(used);
        Arc::clone(&entry.set)
    }

    fn remove_set(&mut self, project_id: &ProjectId, kind: OwnerKind) -> Option<Entry> {
        let kinds = self.by_project.get_mut(project_id)?;
        let removed = kinds[kind].take();
        if kinds.values().all(Option::is_none) {
            self.by_project.remove(project_id);
        }
        self.bytes -= removed.as_ref().map_or(0, |entry| entry.bytes);
        removed
    }

    /// Records the size of a set, unless it has left the list; returns the sets that make room for it: the least
    /// recently used first, none of the project that was used last. All sets lose their windows before one is removed.
    fn resize(&mut self, project_id: &ProjectId, kind: OwnerKind, set: &Arc<Set>, size: Size) -> Evicted {
        let mut evicted = Evicted::default();
        let Some(entry) = self.entry(project_id, kind).filter(|entry| Arc::ptr_eq(&entry.set, set)) else {
            return evicted;
        };
        let before = mem::replace(&mut entry.bytes, size.bytes);
        entry.bytes_without_windows = size.bytes_without_windows;
        if entry.has_windows() {
            entry.lost = 0;
        }
        self.bytes = self.bytes - before + size.bytes;
        while self.bytes > self.budget {
            if let Some((project_id, kind)) = self.least_recently_used(Entry::has_windows) {
                let Some(entry) = self.entry(&project_id, kind) else { break };
                let saved = entry.bytes - entry.bytes_without_windows;
                entry.bytes = entry.bytes_without_windows;
                entry.lost = saved;
                let set = Arc::clone(&entry.set);
                self.bytes -= saved;
                evicted.without_windows.push((project_id, kind, set));
            } else if let Some((project_id, kind)) = self.least_recently_used(|_| true) {
                evicted.removed.extend(self.remove_set(&project_id, kind));
            } else {
                break;
            }
        }
        evicted
    }

    /// Whether a set that has lost its windows is to have them again: there is room, or another project has some and
    /// was last used long before the previous use of this one. With many projects in turn, windows would else be read
    /// at each use.
    fn deserves_windows(&self, project_id: &ProjectId, kind: OwnerKind, used_before: u64) -> bool {
        let lost = self.by_project.get(project_id).and_then(|kinds| kinds[kind].as_ref()).map_or(0, |entry| entry.lost);
        let others = self.by_project.iter().filter(|(other, _)| *other != project_id);
        let mut entries = others.flat_map(|(_, kinds)| kinds.values().flatten());
        self.bytes + lost <= self.budget
            || entries.any(|entry| entry.has_windows() && entry.used + MIN_USES_AHEAD < used_before)
    }

    /// The least recently used of the sets that `is_wanted`, outside the project that was used last.
    fn least_recently_used(&self, is_wanted: impl Fn(&Entry) -> bool) -> Option<(ProjectId, OwnerKind)> {
        let entries = || {
            self.by_project.iter().flat_map(|(project_id, kinds)| {
                OwnerKind::ALL.iter().filter_map(move |&kind| Some((project_id, kind, kinds[kind].as_ref()?)))
            })
        };
        let (latest, ..) = entries().max_by_key(|(.., entry)| entry.used)?;
        let others = entries().filter(|(project_id, _, entry)| *project_id != latest && is_wanted(entry));
        others.min_by_key(|(.., entry)| entry.used).map(|(project_id, kind, _)| (project_id.clone(), kind))
    }
}

/// The vectors in memory.
pub(super) struct Residents {
    sets: Mutex<Sets>,
    /// Number of calls of [`Residents::drop_vectors`]; a change invalidates work under way.
    forgotten: AtomicU64,
}

impl Default for Residents {
    fn default() -> Self {
        Self::with_budget(BUDGET_BYTES)
    }
}

impl Residents {
    fn with_budget(budget: usize) -> Self {
        let sets = Sets { budget, by_project: HashMap::new(), bytes: 0, uses: 0, wanted: Vec::new() };
        Self { sets: Mutex::leaf(sets), forgotten: AtomicU64::default() }
    }

    /// Drops the vectors of a project, or of all.
    pub(super) fn drop_vectors(&self, project_id: Option<&ProjectId>) {
        // First: vectors computed meanwhile are added to memory later, after a check of this counter.
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        let mut dropped: Vec<Entry> = Vec::new();
        let mut sets = self.sets.lock();
        let projects: Vec<ProjectId> = match project_id {
            Some(project_id) => vec![project_id.clone()],
            None => sets.by_project.keys().cloned().collect(),
        };
        for project_id in projects {
            for &kind in OwnerKind::ALL {
                dropped.extend(sets.remove_set(&project_id, kind));
            }
        }
        sets.wanted.clear();
        drop(sets);
    }

    /// Number of calls of [`Residents::drop_vectors`] so far; [`Residents::add`] takes it.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten.load(Ordering::SeqCst)
    }

    /// Adds vectors that were stored after `forgotten` was read.
    pub(super) fn add(&self, model: &str, computed: &[Computed<'_>], forgotten: u64) {
        let mut owners: Vec<(&ProjectId, OwnerKind)> = Vec::new();
        for new in computed {
            if !owners.contains(&(new.project_id, new.kind)) {
                owners.push((new.project_id, new.kind));
            }
        }
        for (project_id, kind) in owners {
            let Some(set) = self.sets.lock().entry(project_id, kind).map(|entry| Arc::clone(&entry.set)) else {
                continue;
            };
            let mut resident = set.write();
            // Cleared vectors must not return; a vector skipped by this check is loaded with its project again.
            if self.forgotten() != forgotten {
                *resident = None;
            }
            if let Some(resident) = resident.as_mut().filter(|resident| resident.model == model) {
                // Vectors loaded from the store between the commit and here are already present.
                let known = resident.newest_row();
                for new in computed {
                    if (new.project_id, new.kind) == (project_id, kind) && new.row > known {
                        resident.push(new.row, new.part, &new.vector.bytes, new.vector.scale);
                    }
                }
            }
            let evicted = self.resize(project_id, kind, &set, resident.as_ref());
            drop(resident);
            self.evict(evicted);
        }
    }

    /// Removes the vectors of rows that no longer exist: a compressed episode has a new row, a deleted one none.
    pub(super) fn remove_rows(&self, rows: &[i64]) {
        if rows.is_empty() {
            return;
        }
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let mut all: Vec<(ProjectId, OwnerKind, Arc<Set>)> = Vec::new();
        for (project_id, kinds) in &self.sets.lock().by_project {
            for &kind in OwnerKind::ALL {
                all.extend(kinds[kind].as_ref().map(|entry| (project_id.clone(), kind, Arc::clone(&entry.set))));
            }
        }
        for (project_id, kind, set) in all {
            let mut resident = set.write();
            if resident.as_mut().is_some_and(|resident| resident.remove_rows(&rows)) {
                *resident = None;
                let evicted = self.resize(&project_id, kind, &set, None);
                drop(resident);
                self.evict(evicted);
            }
        }
    }

    /// Requests a project's vectors, for a load in the background.
    pub(super) fn want(&self, project_id: &ProjectId, kind: OwnerKind) {
        let mut sets = self.sets.lock();
        let used = sets.next_use();
        sets.wanted.retain(|wanted| (&wanted.project_id, wanted.kind) != (project_id, kind));
        if sets.wanted.len() >= MAX_WANTED {
            sets.wanted.remove(0);
        }
        sets.wanted.push(Wanted { project_id: project_id.clone(), kind, used });
    }

    /// Whether vectors are requested.
    pub(super) fn is_any_wanted(&self) -> bool {
        !self.sets.lock().wanted.is_empty()
    }

    /// Takes the latest request off the list.
    pub(super) fn next_wanted(&self) -> Option<Wanted> {
        self.sets.lock().wanted.pop()
    }

    /// Loads requested vectors. The set counts as used when it was requested, and not now.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn load_wanted(&self, db: &Database, wanted: &Wanted, encoder: &dyn Embedder) -> Result<()> {
        let Wanted { project_id, kind, used } = wanted;
        self.fill(project_id, *kind, *used, encoder.model(), || read_all(db, project_id, *kind, encoder))
    }

    /// Loads the vectors of a project, unless another thread has loaded them meanwhile.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn load(
        &self,
        db: &Database,
        project_id: &ProjectId,
        kind: OwnerKind,
        encoder: &dyn Embedder,
    ) -> Result<()> {
        let used = self.sets.lock().next_use();
        self.fill(project_id, kind, used, encoder.model(), || read_all(db, project_id, kind, encoder))
    }

    fn fill(
        &self,
        project_id: &ProjectId,
        kind: OwnerKind,
        used: u64,
        model: &str,
        read: impl FnOnce() -> Result<Resident>,
    ) -> Result<()> {
        let set = self.sets.lock().entry_or_new(project_id, kind, used);
        // Held while loading: a vector computed meanwhile waits, and is then added.
        let mut resident = set.write();
        let is_complete = |resident: &Resident| resident.model == model && !resident.is_without_windows();
        if !resident.as_ref().is_some_and(is_complete) {
            *resident = Some(read()?);
            let evicted = self.resize(project_id, kind, &set, resident.as_ref());
            drop(resident);
            self.evict(evicted);
        }
        Ok(())
    }

    /// Records the size of a set; returns the sets that make room for it, for [`Residents::evict`].
    fn resize(&self, project_id: &ProjectId, kind: OwnerKind, set: &Arc<Set>, resident: Option<&Resident>) -> Evicted {
        self.sets.lock().resize(project_id, kind, set, Size::of(resident))
    }

    /// Frees the memory of sets that make room for another. For callers that hold no set.
    fn evict(&self, evicted: Evicted) {
        for (project_id, kind, set) in evicted.without_windows {
            let mut resident = set.write();
            // It may have been loaded again meanwhile.
            let counts_without = {
                let mut sets = self.sets.lock();
                sets.entry(&project_id, kind).is_some_and(|entry| Arc::ptr_eq(&entry.set, &set) && !entry.has_windows())
            };
            if let Some(resident) = resident.as_mut().filter(|_| counts_without) {
                resident.drop_windows();
            }
        }
    }

    /// Reads the vectors of a project; `None` while they are not in memory.
    pub(super) fn read<T>(
        &self,
        project_id: &ProjectId,
        kind: OwnerKind,
        model: &str,
        read: impl FnOnce(&Resident) -> T,
    ) -> Option<T> {
        let (set, used_before) = {
            let mut sets = self.sets.lock();
            let used = sets.next_use();
            let entry = sets.entry(project_id, kind)?;
            let used_before = mem::replace(&mut entry.used, used);
            (Arc::clone(&entry.set), used_before)
        };
        let (result, is_without_windows) = {
            let resident = set.read();
            let resident = resident.as_ref().filter(|resident| resident.model == model)?;
            (read(resident), resident.is_without_windows())
        };
        if is_without_windows && self.sets.lock().deserves_windows(project_id, kind, used_before) {
            self.want(project_id, kind);
        }
        Some(result)
    }
}

/// The stored vectors of a project and kind.
fn read_all(db: &Database, project_id: &ProjectId, kind: OwnerKind, encoder: &dyn Embedder) -> Result<Resident> {
    let reader = db.reader()?;
    let expected = vectors::count(&reader, project_id, encoder.model(), kind)? as usize;
    let mut read = Resident::new(encoder, kind, expected);
    vectors::each(&reader, project_id, encoder.model(), kind, |row, part, bytes, scale| {
        read.push(row, part, bytes, scale)
    })?;
    read.put_in_order();
    Ok(read)
}

#[cfg(test)]
mod tests;
