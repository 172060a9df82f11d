//! Document frequencies of the terms of a project: from its vocabulary in memory, else counted by the index and cached.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use palimpsest_text::terms::{Script, ScriptCount};
use rusqlite::Connection;

use super::{
    vocabularies::Vocabularies,
    vocabulary::{SampledText, Vocabulary},
};
use crate::{
    error::Result,
    lock::Mutex,
    model::{ByKind, OwnerKind, ProjectId},
    storage::{
        Database,
        words::{self, CorpusStats, ProjectIndex},
    },
};

/// The document frequencies of all projects.
#[derive(Debug, Default)]
pub(crate) struct Frequencies {
    vocabularies: Vocabularies,
    /// Frequencies counted by the index, for a project whose vocabulary is not in memory yet: counting a common term
    /// means reading its whole list, and a writer's next query repeats most terms of the one before.
    cache: Mutex<HashMap<ProjectId, Terms>>,
}

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

/// The document frequencies of a project, for one query.
pub(crate) struct ProjectFrequencies<'a> {
    cache: &'a Mutex<HashMap<ProjectId, Terms>>,
    project_id: &'a ProjectId,
    index: ProjectIndex,
    /// The kinds of text of which the project has some.
    kinds: Vec<OwnerKind>,
    vocabularies: ByKind<Option<Arc<Vocabulary>>>,
    /// Number of texts with each term, by its code, where only a part of the texts counts.
    of_part: Option<HashMap<u32, u32>>,
}

impl Frequencies {
    /// Drops all that is known of a project, or of all.
    pub(crate) fn reset(&self, project_id: Option<&ProjectId>) {
        self.vocabularies.clear(project_id);
        let mut cache = self.cache.lock();
        match project_id {
            Some(project_id) => drop(cache.remove(project_id)),
            None => cache.clear(),
        }
    }

    /// The frequencies in a project, of texts of these kinds. `index`: its entry at the state of `db`.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn project_frequencies<'a>(
        &'a self,
        db: &Connection,
        index: &ProjectIndex,
        kinds: &[OwnerKind],
        project_id: &'a ProjectId,
    ) -> Result<ProjectFrequencies<'a>> {
        let kinds: Vec<OwnerKind> = kinds.iter().copied().filter(|kind| index.stats(*kind).documents > 0).collect();
        let mut vocabularies = ByKind::default();
        for &kind in kinds.iter().filter(|kind| kind.has_vocabulary()) {
            vocabularies[kind] = self.vocabularies.current(db, project_id, kind, index.stats(kind))?;
        }
        Ok(ProjectFrequencies { cache: &self.cache, project_id, index: *index, kinds, vocabularies, of_part: None })
    }

    /// The frequencies of the terms with these codes in a part of the texts of one kind: those whose rows are wanted.
    /// Their statistics are in the index of the result.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn frequencies_of_part<'a>(
        &'a self,
        db: &Connection,
        index: &ProjectIndex,
        (kind, codes): (OwnerKind, &HashSet<u32>),
        project_id: &'a ProjectId,
        is_wanted: &dyn Fn(i64) -> bool,
    ) -> Result<ProjectFrequencies<'a>> {
        let mut stats = CorpusStats::default();
        let (mut terms, mut counts) = (0.0, HashMap::new());
        let mut found = HashSet::new();
        words::each_after(db, project_id, kind, kind.index_rows().start - 1, |row, text| {
            if !is_wanted(row) {
                return;
            }
            found.clear();
            let mut scripts = ScriptCount::default();
            for code in text {
                terms += 1.0;
                scripts.add(code);
                if codes.contains(&code) && found.insert(code) {
                    *counts.entry(code).or_default() += 1;
                }
            }
            stats.documents += 1;
            stats.han += u32::from(scripts.script() == Some(Script::Han));
            stats.latin += u32::from(scripts.script() == Some(Script::Latin));
        })?;
        stats.average_length = terms / f64::from(stats.documents.max(1));
        Ok(ProjectFrequencies {
            cache: &self.cache,
            project_id,
            index: index.with_stats(kind, stats),
            kinds: vec![kind],
            vocabularies: ByKind::default(),
            of_part: Some(counts),
        })
    }

    /// Whether a query missed a vocabulary in memory; [`Frequencies::load_requested_vocabulary`] loads it.
    pub(crate) fn wants_reading(&self) -> bool {
        self.vocabularies.is_any_wanted()
    }

    /// Loads a vocabulary that a query missed; returns whether there was any to load.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn load_requested_vocabulary(&self, db: &Database) -> Result<bool> {
        self.vocabularies.load_requested(db)
    }
}

impl ProjectFrequencies<'_> {
    /// Whether all frequencies are in memory: a look-up then takes a fraction of a microsecond, otherwise some ten.
    pub(super) fn are_in_memory(&self) -> bool {
        self.kinds.iter().all(|kind| self.vocabularies[*kind].is_some())
    }

    /// The entry of the project, with the statistics of the texts that count.
    pub(super) fn counted_index(&self) -> ProjectIndex {
        self.index
    }

    /// Texts of a kind at equal distances; `None` where they are not in memory.
    pub(super) fn shared_sample(&self, kind: OwnerKind) -> Option<Arc<[SampledText]>> {
        self.vocabularies[kind].as_ref().map(|vocabulary| Arc::clone(vocabulary.sampled_texts()))
    }

    /// Number of texts of each kind that contain a term.
    pub(super) fn of_term(&self, db: &Connection, code: u32, term: &str) -> Result<ByKind<u32>> {
        let mut found = ByKind::default();
        if let Some(counts) = &self.of_part {
            for &kind in &self.kinds {
                found[kind] = counts.get(&code).copied().unwrap_or_default();
            }
            return Ok(found);
        }
        let mut missing: Vec<OwnerKind> = Vec::new();
        for &kind in &self.kinds {
            match &self.vocabularies[kind] {
                Some(vocabulary) => found[kind] = vocabulary.frequency(code),
                None => missing.push(kind),
            }
        }
        for kind in missing {
            found[kind] = self.counted_by_index(db, kind, code, term)?;
        }
        Ok(found)
    }

    fn counted_by_index(&self, db: &Connection, kind: OwnerKind, code: u32, term: &str) -> Result<u32> {
        let stats = self.index.stats(kind);
        let known = self.cache.lock().get(self.project_id).and_then(|terms| terms.get(&(kind, code)).copied());
        if let Some(known) = known.filter(|known| known.is_good(stats)) {
            return Ok(known.frequency);
        }
        let frequency = words::frequency(db, &self.index, kind, term)?;
        let mut cache = self.cache.lock();
        let terms = cache.entry(self.project_id.clone()).or_default();
        if terms.len() >= MAX_CACHED_TERMS {
            terms.clear();
        }
        terms.insert((kind, code), Counted { frequency, then: stats });
        Ok(frequency)
    }
}
