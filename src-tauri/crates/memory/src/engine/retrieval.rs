//! Recall and its state: the indexes in memory, the encoders, and the limit of concurrent recalls.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use rusqlite::Connection;

use super::{log_failure, stores::Stores};
use crate::{
    episodic::recall::{self, Recall, Recollection, Summaries},
    error::{Error, Result},
    model::{Cause, EpisodeQuery, OwnerKind, Part, PartHealth, PartState, ProjectId, Time},
    ports::Translator,
    retrieval::{
        encoders::{Connect, Encoder},
        frequencies::Frequencies,
        helper_pool::{Deferred, HelperPool},
        lexical::{self, Query},
        meaning::{Compared, Meaning},
        names::HiddenNames,
        resident,
        text_search::{self, RankedTexts, Signals, WordSearch},
        word_index,
    },
    storage::{
        Database, episode_counts,
        sources::{ANSWERS, EPISODES, JOURNAL, PASSAGES, SOURCES, Source},
    },
};

/// Maximum number of concurrent recalls; the next one is refused at once.
const MAX_CONCURRENT_RECALLS: usize = 32;
/// Maximum number of concurrent recalls at which words and meaning are searched in parallel.
const MAX_PARALLEL_SEARCHES: usize = 2;
/// Maximum number of unindexed episodes that a recall indexes before it answers. A longer backlog is left to the
/// background.
const MAX_INDEXED_BEFORE_RECALL: u32 = 32;

/// A comparison of a query with the vectors of one kind of text.
enum Comparison {
    /// Its similarities.
    Made(Compared),
    /// The vectors are not in memory yet, and are read in the background.
    Awaited,
    /// The query has no text or cannot be encoded.
    Impossible,
}

/// The row of an answer in its table, with the signals of its question and of its text.
pub(super) type AnswerSignals = (i64, [Signals; 2]);

/// A comparison being made.
type Comparing<const N: usize> = Deferred<Result<[Comparison; N]>>;

/// The texts by which the rarity of a word is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountedTexts {
    /// All texts of the kind.
    All,
    /// The wanted ones alone, so that the result is the same as if there were no others.
    Wanted,
}

/// The state of recall.
#[derive(Default)]
pub(super) struct Retrieval {
    gate: Gate,
    frequencies: Frequencies,
    meaning: Arc<Meaning>,
    helpers: HelperPool,
    translator: OnceLock<Arc<dyn Translator>>,
}

impl Retrieval {
    /// Admits a recall.
    ///
    /// # Errors
    /// `MEMORY_BACKPRESSURE` when too many are under way.
    pub(super) fn admit_recall(&self) -> Result<Pass<'_>> {
        self.gate.enter()
    }

    /// The relevant episodes of a project, best first. For callers that hold a [`Pass`] and a visit of the project, and
    /// have checked the query.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn recall(
        &self,
        stores: &Stores,
        query: &EpisodeQuery,
        summaries: Summaries,
        now: Time,
    ) -> Result<Recollection> {
        let db = stores.episodes.open()?;
        self.index_recent(&db, EPISODES);
        let (project_id, text) = (&query.project_id, recall::text_of(query));
        let comparing = self.begin_comparing(&db, project_id, text, OwnerKind::Episode);
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let mut recall = Recall::new(&reader, query, &self.frequencies, self.translator.get().map(Arc::as_ref), now)?;
        let mut are_vectors_awaited = search_words(&mut recall, &reader, OwnerKind::Episode, comparing)?;
        if summaries == Summaries::Included
            && recall.wants_summaries()
            && episode_counts::counts(&reader, &query.project_id)?.compressed > 0
        {
            are_vectors_awaited |= search_words(
                &mut recall,
                &reader,
                OwnerKind::Summary,
                self.begin_comparing(&db, project_id, text, OwnerKind::Summary),
            )?;
        }
        Ok(Recollection { are_vectors_awaited, ..recall.finish(&reader)? })
    }

    /// The texts of one source that match a search, at most `limit`, best first, of those whose rows in the indexes are
    /// wanted; and whether their vectors are not in memory yet. `counted`: the texts by which the rarity of a word is
    /// counted. For callers that hold a [`Pass`] and a visit of the project, and have checked the query.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn find_texts(
        &self,
        stores: &Stores,
        (project_id, text): (&ProjectId, &str),
        (kind, counted): (OwnerKind, CountedTexts),
        wanted: (usize, &dyn Fn(i64) -> bool),
    ) -> Result<(RankedTexts, bool)> {
        let db = stores.episodes.open()?;
        self.index_recent(&db, if kind == OwnerKind::Journal { JOURNAL } else { PASSAGES });
        let text = text.trim();
        let comparing = self.begin_comparing(&db, project_id, Some(text), kind);
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let translator = self.translator.get().map(Arc::as_ref);
        let words = match counted {
            CountedTexts::All => Query::new(&reader, project_id, &[kind], text, &self.frequencies, translator)?,
            CountedTexts::Wanted => {
                Query::of_part(&reader, project_id, (kind, wanted.1), text, &self.frequencies, translator)?
            }
        };
        let (compared, are_vectors_awaited) = compared(comparing)?;
        let ranked = text_search::rank(&reader, project_id, kind, words.as_ref(), compared.as_ref(), wanted)?;
        Ok((ranked, are_vectors_awaited))
    }

    /// The answers of a book that may have to do with a text, by row in their table, each with the signals of its
    /// question and of its answer; and whether their vectors are not in memory yet. For callers that hold a [`Pass`]
    /// and a visit of the project, and have checked the query.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn search_answers(
        &self,
        stores: &Stores,
        (project_id, text): (&ProjectId, &str),
        limit: usize,
    ) -> Result<(Vec<AnswerSignals>, bool)> {
        let db = stores.episodes.open()?;
        self.index_recent(&db, ANSWERS);
        let text = text.trim();
        let kinds = [OwnerKind::Question, OwnerKind::Answer];
        let comparing = self.begin_comparing_all(&db, project_id, Some(text), kinds);
        let reader = db.reader()?;
        let reader = reader.snapshot()?;
        let translator = self.translator.get().map(Arc::as_ref);
        let mut searches = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let query = Query::new(&reader, project_id, &[kind], text, &self.frequencies, translator)?;
            searches.push(WordSearch { kind, query });
        }
        let mut found: BTreeMap<i64, [Signals; 2]> = BTreeMap::new();
        let mut add_rows = |rows: Vec<i64>| -> Result<()> {
            for row in rows {
                if let Entry::Vacant(place) = found.entry(row) {
                    let signals = place.insert([Signals::default(); 2]);
                    for (search, signals) in searches.iter().zip(signals) {
                        signals.words = search.share(&reader, project_id, row)?;
                    }
                }
            }
            Ok(())
        };
        // Before the vectors are waited for, which are compared at the same time.
        for search in &searches {
            add_rows(search.candidates(&reader, limit)?)?;
        }
        let compared = all_compared(comparing)?.map(made);
        for (compared, _) in &compared {
            add_rows(text_search::nearest_own_rows(compared.as_ref(), limit))?;
        }
        for (row, signals) in &mut found {
            for ((kind, (compared, _)), signals) in kinds.iter().zip(&compared).zip(signals) {
                let texts = compared.as_ref().map(|compared| compared.texts.as_slice());
                signals.meaning = texts.map(|texts| resident::of_row(texts, kind.index_row(*row)));
            }
        }
        Ok((found.into_iter().collect(), compared.iter().any(|(_, is_awaited)| *is_awaited)))
    }

    /// The rarity of each content word of a text among the texts of a kind; `None` before the first is indexed. For
    /// callers that hold a visit of the project.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn rarities(
        &self,
        stores: &Stores,
        project_id: &ProjectId,
        (kind, text): (OwnerKind, &str),
    ) -> Result<Option<HashMap<String, f64>>> {
        let db = stores.episodes.open()?;
        let reader = db.reader()?;
        lexical::rarities(&*reader.snapshot()?, project_id, kind, text, &self.frequencies)
    }

    /// The name in `matchedBy` of a text that was found by meaning.
    pub(super) const MEANING: &str = "meaning";

    /// How similar each passage of a book is to a text, by row of the indexes; empty while vectors cannot be searched.
    /// For callers that hold a [`Pass`] and a visit of the project.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn similar_passages(
        &self,
        stores: &Stores,
        project_id: &ProjectId,
        text: &str,
    ) -> Result<Vec<(i64, f64)>> {
        let text = text.trim();
        if text.is_empty() || !self.meaning.is_ready() {
            return Ok(Vec::new());
        }
        let db = stores.episodes.open()?;
        let Some(vector) = self.meaning.encode(project_id, OwnerKind::Passage, text) else { return Ok(Vec::new()) };
        let compared = self.meaning.compare(&db, project_id, OwnerKind::Passage, &vector)?;
        let texts = compared.map(|compared| compared.texts).unwrap_or_default();
        Ok(texts.into_iter().map(|one| (one.row, one.cosine)).collect())
    }

    /// Indexes texts stored a moment ago, so that they are found. Best effort: where the index cannot be written, a
    /// search uses it as it is.
    fn index_recent(&self, db: &Database, sources: &[&dyn Source]) {
        let behind = db.reader().and_then(|reader| word_index::is_behind(&reader, sources));
        if matches!(behind, Ok(true)) {
            let indexed = word_index::catch_up(db, &self.frequencies, sources, MAX_INDEXED_BEFORE_RECALL);
            log_failure("index before recall", indexed);
        }
    }

    /// Indexes the words of at most `limit` texts.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn index_words(&self, db: &Database, limit: u32) -> Result<word_index::Step> {
        word_index::catch_up(db, &self.frequencies, SOURCES, limit)
    }

    /// Starts comparing the vectors of one kind of text in parallel with the word search: the first waits for memory,
    /// the second for the disk cache. With several recalls under way every core is busy, and the comparison runs when
    /// its result is needed.
    fn begin_comparing(
        &self,
        db: &Arc<Database>,
        project_id: &ProjectId,
        text: Option<&str>,
        kind: OwnerKind,
    ) -> Comparing<1> {
        self.begin_comparing_all(db, project_id, text, [kind])
    }

    /// As [`Retrieval::begin_comparing`], for several kinds one after the other: the text is encoded once, since the
    /// second finds its vectors where the first left them.
    fn begin_comparing_all<const N: usize>(
        &self,
        db: &Arc<Database>,
        project_id: &ProjectId,
        text: Option<&str>,
        kinds: [OwnerKind; N],
    ) -> Comparing<N> {
        let (meaning, db) = (Arc::clone(&self.meaning), Arc::clone(db));
        let (project, text) = (project_id.clone(), text.map(str::to_owned));
        let compare = move || {
            let mut comparisons = [const { Comparison::Impossible }; N];
            for (kind, comparison) in kinds.into_iter().zip(&mut comparisons) {
                if let Some(vector) = text.as_deref().and_then(|text| meaning.encode(&project, kind, text)) {
                    let compared = meaning.compare(&db, &project, kind, &vector)?;
                    *comparison = compared.map_or(Comparison::Awaited, Comparison::Made);
                }
            }
            Ok(comparisons)
        };
        if self.meaning.is_ready() && self.gate.inside() <= MAX_PARALLEL_SEARCHES {
            self.helpers.submit(compare)
        } else {
            Deferred::inline(compare)
        }
    }

    /// Why recall by meaning does not serve; `None` while it serves.
    pub(super) fn trouble(&self) -> Option<Cause> {
        self.meaning.trouble()
    }

    /// Why an answer is less precise than possible; `None` if it is not. `are_vectors_awaited`: of the book.
    pub(super) fn imprecision(&self, are_vectors_awaited: bool) -> Option<String> {
        let awaited = are_vectors_awaited.then(|| "the vectors of the book are being read".to_owned());
        self.trouble().map(|cause| cause.message).or(awaited)
    }

    /// The hidden names as last read: an encoder on the network receives texts without them.
    pub(super) fn names(&self) -> &HiddenNames {
        &self.meaning.names
    }

    /// Removes vectors of deleted or compressed rows from memory.
    pub(super) fn remove_rows(&self, rows: &[i64]) {
        self.meaning.remove_rows(rows);
    }

    /// Drops the in-memory state of a project, or of all.
    pub(super) fn drop_project(&self, project_id: Option<&ProjectId>) {
        self.meaning.drop_project(project_id);
        self.frequencies.reset(project_id);
    }

    /// The vectors of texts; `None` for a text that cannot be encoded now.
    pub(super) fn vectors_of(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        self.meaning.vectors_of(texts)
    }

    /// Sets the bundled encoder, or why there is none.
    pub(super) fn set_bundled_encoder(&self, encoder: Encoder) {
        self.meaning.encoders.set_bundled(encoder);
    }

    /// Sets the dictionary across languages, once.
    pub(super) fn set_translator(&self, translator: Arc<dyn Translator>) {
        // A second one is ignored.
        self.translator.set(translator).ok();
    }

    /// Chooses another encoder with its display name; `None` for the bundled one alone.
    pub(super) fn choose_encoder(&self, chosen: Option<(String, Connect)>) {
        self.meaning.encoders.choose(chosen);
    }

    /// Whether the chosen encoder was not reached yet, or does not answer.
    pub(super) fn is_connecting_wanted(&self) -> bool {
        self.meaning.encoders.wants_connecting()
    }

    /// Connects to the chosen encoder, or checks whether it answers again.
    pub(super) fn connect_encoder(&self) {
        self.meaning.connect();
    }

    /// Cancels all background waits on the network.
    pub(super) fn cancel_network_waits(&self) {
        self.meaning.cancel_network_waits();
    }

    /// Episodes with vectors of the chosen encoder, and all of them; `None` when no vector is missing.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn encoding_progress(&self, stores: &Stores) -> Result<Option<(u32, u32)>> {
        self.meaning.progress(&*stores.episodes.open()?)
    }

    /// Whether a recall missed its project's vectors or vocabulary in memory.
    pub(super) fn is_reading_wanted(&self) -> bool {
        self.meaning.wants_reading() || self.frequencies.wants_reading()
    }

    /// Reads the vectors or the vocabulary of a project that a recall missed; returns whether there was one.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn read_wanted(&self, db: &Database) -> Result<bool> {
        Ok(self.meaning.read_wanted(db)? || self.frequencies.load_requested_vocabulary(db)?)
    }

    /// Makes the vectors of at most `limit` episodes.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn encode_some(&self, db: &Database, limit: u32) -> Result<word_index::Step> {
        self.meaning.catch_up(db, limit)
    }

    /// The health of the word index.
    pub(super) fn health_of_words(&self, stores: &Stores) -> PartHealth {
        let is_behind = || word_index::is_behind(&*stores.episodes.open()?.reader()?, SOURCES);
        match is_behind() {
            Ok(is_behind) => PartHealth::serving(Part::Words, progress(is_behind || self.frequencies.wants_reading())),
            Err(error) => PartHealth::unavailable(Part::Words, (&error).into()),
        }
    }

    /// The health of recall by meaning.
    pub(super) fn health_of_meaning(&self, stores: &Stores) -> PartHealth {
        let part = Part::Embedder;
        if let Some(trouble) = self.meaning.encoders.reason_unavailable()
            && self.meaning.is_ready()
        {
            return PartHealth::substituted(part, trouble.cause);
        }
        if let Some(cause) = self.meaning.trouble() {
            return PartHealth::unavailable(part, cause);
        }
        if !self.meaning.is_ready() {
            return PartHealth::serving(part, PartState::CatchingUp);
        }
        match stores.episodes.open().and_then(|db| self.meaning.is_behind(&db)) {
            Ok(is_behind) => {
                // A chosen encoder that was not reached yet has none of its vectors.
                let is_behind = is_behind || self.meaning.wants_reading() || self.meaning.encoders.is_expected();
                PartHealth::serving(part, progress(is_behind))
            }
            Err(error) => PartHealth::unavailable(part, (&error).into()),
        }
    }
}

fn progress(is_behind: bool) -> PartState {
    if is_behind { PartState::CatchingUp } else { PartState::Ok }
}

/// Searches one kind of text by words while its vectors are compared; returns whether those are not in memory yet.
fn search_words(
    recall: &mut Recall<'_>,
    reader: &Connection,
    kind: OwnerKind,
    comparing: Comparing<1>,
) -> Result<bool> {
    let gathered = recall.gather(reader, kind)?;
    let (compared, are_vectors_awaited) = compared(comparing)?;
    recall.add_candidates(reader, kind, gathered, compared.as_ref())?;
    Ok(are_vectors_awaited)
}

/// The result of a comparison, and whether the vectors are not in memory yet.
fn compared(comparing: Comparing<1>) -> Result<(Option<Compared>, bool)> {
    let [comparison] = all_compared(comparing)?;
    Ok(made(comparison))
}

/// The results of several comparisons. Words serve alone if their thread died.
fn all_compared<const N: usize>(comparing: Comparing<N>) -> Result<[Comparison; N]> {
    comparing.join().unwrap_or(Ok([const { Comparison::Impossible }; N]))
}

fn made(comparison: Comparison) -> (Option<Compared>, bool) {
    match comparison {
        Comparison::Made(compared) => (Some(compared), false),
        Comparison::Awaited => (None, true),
        Comparison::Impossible => (None, false),
    }
}

/// Admits a limited number at once and refuses the others immediately: a recall that waits is of no use to a writer.
#[derive(Default)]
struct Gate(AtomicUsize);

/// Permission for one recall, until it is dropped.
pub(super) struct Pass<'a>(&'a Gate);

impl Gate {
    /// Number admitted at present.
    fn inside(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    fn enter(&self) -> Result<Pass<'_>> {
        let inside = self.0.fetch_add(1, Ordering::AcqRel);
        let pass = Pass(self);
        if inside >= MAX_CONCURRENT_RECALLS {
            return Err(Error::too_many_recalls());
        }
        Ok(pass)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn the_thirty_third_recall_is_refused_at_once_and_a_place_is_free_again_when_one_leaves() {
        let gate = Gate::default();
        let mut inside: Vec<Pass<'_>> = (0..MAX_CONCURRENT_RECALLS).map(|_| gate.enter().unwrap()).collect();
        let refused = gate.enter().map(|_| ()).unwrap_err();
        assert_eq!(refused.code, Code::Backpressure);
        assert_eq!(refused.details.unwrap().retry_after_seconds, Some(1));
        inside.pop();
        assert!(gate.enter().is_ok());
    }
}
