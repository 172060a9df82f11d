//! Document frequencies of the terms of a project, cached.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::{
    error::Result,
    lock::{Mutex, MutexGuard},
    model::{ByKind, OwnerKind, ProjectId},
    storage::words::{self, CorpusStats, ProjectIndex},
};

/// A cache of document frequencies: counting a common term means reading its whole list, and a writer's next query
/// repeats most terms of the one before.
#[derive(Debug, Default)]
pub(crate) struct Frequencies(Mutex<HashMap<ProjectId, Terms>>);

/// The terms of a project, by the kind of text and their codes.
type Terms = HashMap<(OwnerKind, u32), Counted>;

/// The frequency of a term, and the corpus size at the time of counting.
#[derive(Debug, Clone, Copy)]
struct Counted {
    frequency: u32,
    then: CorpusStats,
}

/// Maximum cached terms of a project; then the cache is cleared.
const MAX_CACHED_TERMS: usize = 50_000;
/// Below this frequency a term is counted again whenever the project has changed. Its list is short; and a term that is
/// new in the project must be found at once.
const MIN_COMMON_FREQUENCY: u32 = 64;

impl Counted {
    /// A common term's count is valid until the corpus has grown or shrunk by a tenth.
    fn is_good(self, now: CorpusStats) -> bool {
        let CorpusStats { documents, .. } = self.then;
        now == self.then
            || self.frequency >= MIN_COMMON_FREQUENCY && now.documents.abs_diff(documents) <= documents / 10
    }
}

impl Frequencies {
    /// Clears the cache of a project, or of all.
    pub(crate) fn reset(&self, project_id: Option<&ProjectId>) {
        let mut books = self.lock();
        match project_id {
            Some(project_id) => drop(books.remove(project_id)),
            None => books.clear(),
        }
    }

    /// Number of texts of each of these kinds, in the project, that contain a term; 0 for the other kinds.
    pub(super) fn document_frequency(
        &self,
        db: &Connection,
        index: &ProjectIndex,
        kinds: &[OwnerKind],
        project_id: &ProjectId,
        code: u32,
        term: &str,
    ) -> Result<ByKind<u32>> {
        let mut found = ByKind::default();
        let mut missing: Vec<OwnerKind> = Vec::new();
        {
            let books = self.lock();
            let terms = books.get(project_id);
            for &kind in kinds.iter().filter(|kind| index.stats(**kind).documents > 0) {
                let known = terms.and_then(|terms| terms.get(&(kind, code)));
                match known.filter(|known| known.is_good(index.stats(kind))) {
                    Some(known) => found[kind] = known.frequency,
                    None => missing.push(kind),
                }
            }
        }
        for kind in missing {
            let frequency = words::frequency(db, index, kind, term)?;
            found[kind] = frequency;
            let mut books = self.lock();
            let terms = books.entry(project_id.clone()).or_default();
            if terms.len() >= MAX_CACHED_TERMS {
                terms.clear();
            }
            terms.insert((kind, code), Counted { frequency, then: index.stats(kind) });
        }
        Ok(found)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Terms>> {
        self.0.lock()
    }
}
