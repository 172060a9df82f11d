//! The vectors in memory: loading and removing them, one project's per kind of text.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicU64, Ordering},
};

use palimpsest_vectors::Quantized;

use super::resident::Resident;
use crate::{
    error::Result,
    lock::{Mutex, Rank, RwLock},
    model::{ProjectId, TextKind},
    ports::Embedder,
    storage::{Database, vectors},
};

/// A vector that was computed and stored a moment ago.
pub(super) struct Computed<'a> {
    pub(super) project_id: &'a ProjectId,
    pub(super) kind: TextKind,
    pub(super) row: i64,
    pub(super) part: u32,
    pub(super) vector: &'a Quantized,
}

/// The vectors in memory.
pub(super) struct Residents {
    /// A project's vectors, one set for each of [`TextKind::ALL`]: a recall without summaries loads none of theirs.
    sets: [RwLock<Option<Resident>>; 2],
    /// The project and kind of vectors that a recall missed in memory.
    wanted: Mutex<Vec<(ProjectId, TextKind)>>,
    /// Number of calls of [`Residents::drop_vectors`]; a change invalidates work under way.
    forgotten: AtomicU64,
}

impl Default for Residents {
    fn default() -> Self {
        Self {
            sets: [const { RwLock::new(Rank::Resident, None) }; 2],
            wanted: Mutex::default(),
            forgotten: AtomicU64::default(),
        }
    }
}

impl Residents {
    /// Drops the vectors of a project, or of all.
    pub(super) fn drop_vectors(&self, project_id: Option<&ProjectId>) {
        // First: vectors computed meanwhile are added to memory later, after a check of this counter.
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        for resident in &self.sets {
            let mut resident = resident.write();
            if resident.as_ref().is_some_and(|resident| project_id.is_none_or(|id| *id == resident.project_id)) {
                *resident = None;
            }
        }
        self.wanted.lock().clear();
    }

    /// Number of calls of [`Residents::drop_vectors`] so far; [`Residents::add`] takes it.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten.load(Ordering::SeqCst)
    }

    /// Adds vectors that were stored after `forgotten` was read.
    pub(super) fn add(&self, model: &str, computed: &[Computed<'_>], forgotten: u64) {
        for kind in TextKind::ALL {
            let mut resident = self.set(kind).write();
            // Cleared vectors must not return; a vector skipped by this check is loaded with its project again.
            if self.forgotten() != forgotten {
                *resident = None;
            }
            let Some(resident) = resident.as_mut().filter(|resident| resident.model == model) else { continue };
            // Vectors loaded from the store between the commit and here are already present.
            let known = resident.newest();
            for new in computed {
                if *new.project_id == resident.project_id && new.kind == kind && new.row > known {
                    resident.push(new.row, new.part, &new.vector.bytes, new.vector.scale);
                }
            }
        }
    }

    /// Removes the vectors of rows that no longer exist: a compressed episode has a new row, a deleted one none.
    pub(super) fn remove_rows(&self, rows: &[i64]) {
        if rows.is_empty() {
            return;
        }
        let rows: HashSet<i64> = rows.iter().copied().collect();
        for resident in &self.sets {
            let mut resident = resident.write();
            if resident.as_mut().is_some_and(|resident| resident.remove_rows(&rows)) {
                *resident = None;
            }
        }
    }

    /// Requests a project's vectors, for a load in the background.
    pub(super) fn want(&self, project_id: &ProjectId, kind: TextKind) {
        let missed = (project_id.clone(), kind);
        let mut wanted = self.wanted.lock();
        // Memory has room for one project: the vectors of another one are dropped.
        wanted.retain(|(project, _)| project == project_id);
        if !wanted.contains(&missed) {
            wanted.push(missed);
        }
    }

    /// Whether vectors are requested.
    pub(super) fn is_any_wanted(&self) -> bool {
        !self.wanted.lock().is_empty()
    }

    /// Takes one request off the list.
    pub(super) fn next_wanted(&self) -> Option<(ProjectId, TextKind)> {
        self.wanted.lock().pop()
    }

    /// Loads the vectors of a project.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn load(
        &self,
        db: &Database,
        project_id: &ProjectId,
        kind: TextKind,
        encoder: &dyn Embedder,
    ) -> Result<()> {
        // Held while loading: a vector computed meanwhile waits, and is then added.
        let mut resident = self.set(kind).write();
        let reader = db.reader()?;
        let expected = vectors::count(&reader, project_id, encoder.model(), kind)? as usize;
        let mut read = Resident::new(project_id, encoder, kind, expected);
        vectors::each(&reader, project_id, encoder.model(), kind, |row, part, bytes, scale| {
            read.push(row, part, bytes, scale)
        })?;
        read.put_in_order();
        *resident = Some(read);
        Ok(())
    }

    /// Reads the vectors of a project; `None` while they are not in memory.
    pub(super) fn read<T>(
        &self,
        project_id: &ProjectId,
        kind: TextKind,
        model: &str,
        read: impl FnOnce(&Resident) -> T,
    ) -> Option<T> {
        let resident = self.set(kind).read();
        resident.as_ref().filter(|held| held.project_id == *project_id && held.model == model).map(read)
    }

    fn set(&self, kind: TextKind) -> &RwLock<Option<Resident>> {
        let [episodes, summaries] = &self.sets;
        match kind {
            TextKind::Episode => episodes,
            TextKind::Summary => summaries,
        }
    }
}
