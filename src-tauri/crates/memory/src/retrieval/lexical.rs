//! Word search: background indexing, and exact scores of the matches.
//!
//! Recording commits the episode alone; indexing continues afterwards and after a crash, from a watermark. Every step
//! is idempotent.

use std::collections::{HashMap, HashSet};

use palimpsest_text::terms;
use rusqlite::Connection;

use crate::{
    error::Result,
    lock::{Mutex, MutexGuard},
    model::{ProjectId, TextKind},
    storage::{
        Database, episodes,
        words::{self, CorpusStats, NewText, ProjectIndex, Purge, QueryTerm},
    },
};

/// The result of one bounded step of background indexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Step {
    /// Number of indexed episodes.
    pub indexed: u32,
    /// Whether more are waiting.
    pub more: bool,
}

/// Indexes at most `limit` episodes recorded since the last step. After a change of the tokenizer that is every
/// episode; the old rows serve until they are replaced.
///
/// # Errors
/// Those of the store; the step is then rolled back.
pub(crate) fn catch_up(db: &Database, frequencies: &Frequencies, limit: u32) -> Result<Step> {
    let waiting = {
        let reader = db.reader()?;
        episodes::recorded_after(&reader, words::watermark(&reader, words::MODEL)?, None, limit)?
    };
    let Some(last) = waiting.last().map(|text| text.row) else { return Ok(Step::default()) };
    // Outside the transaction, so that a concurrent record waits for the inserts alone.
    let terms: Vec<Vec<String>> = waiting.iter().map(|text| words::tokenize(&text.text)).collect();
    let indexed = u32::try_from(waiting.len()).unwrap_or(limit);
    let more = indexed == limit;
    let has_replaced = db.write_derived("index words", |tx| {
        let mut has_replaced = false;
        for (text, terms) in waiting.iter().zip(&terms) {
            let kind = TextKind::from_compressed(text.compressed);
            let id = text.id.as_str();
            has_replaced |=
                words::index(tx, &NewText { project_id: &text.project_id, row: text.row, id, kind, terms })?;
        }
        words::set_watermark(tx, words::MODEL, last)?;
        if !more {
            words::drop_old_watermarks(tx)?;
        }
        Ok(has_replaced)
    })?;
    if has_replaced {
        // Cached counts are checked against the size of the corpus, which a replaced text does not change.
        frequencies.reset(None);
    }
    Ok(Step { indexed, more })
}

/// Maximum pages merged per step: a millisecond or two.
const MAX_PAGES_MERGED_PER_STEP: u32 = 32;

/// One bounded step of merging the index, for idle moments; returns whether there was anything to merge.
///
/// # Errors
/// Those of the store.
pub(crate) fn merge(db: &Database) -> Result<bool> {
    db.write_derived("merge the index", |tx| words::merge(tx, MAX_PAGES_MERGED_PER_STEP))
}

/// Maximum pages purged per step: some milliseconds.
const MAX_PAGES_PURGED_PER_STEP: i32 = 64;

/// One bounded step of purging the index of removed texts' terms; returns whether there is more to do. The terms stay
/// in its pages until then, and in the log until its checkpoint.
///
/// # Errors
/// Those of the store.
pub(crate) fn purge(db: &Database) -> Result<bool> {
    let Some(purge) = words::purge_wanted(&*db.reader()?)? else { return Ok(false) };
    if purge != Purge::InLog {
        db.write("purge the index", |tx| {
            let more = words::purge(tx, MAX_PAGES_PURGED_PER_STEP, purge == Purge::Wanted)?;
            words::set_purge(tx, Some(if more { Purge::UnderWay } else { Purge::InLog }))
        })?;
        return Ok(true);
    }
    // The checkpoint fails while a reader uses an old state; the next requested step retries it.
    if db.empty_log()? {
        db.write_derived("purge the index", |tx| match words::purge_wanted(tx)? {
            Some(Purge::InLog) => words::set_purge(tx, None),
            // Another deletion happened meanwhile.
            _ => Ok(()),
        })?;
    }
    Ok(false)
}

/// Whether episodes wait to be indexed.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_behind(db: &Connection) -> Result<bool> {
    episodes::any_after(db, words::watermark(db, words::MODEL)?)
}

/// BM25's saturation of term repetitions (k1) and length normalization (b). Chosen with the weights of [`super::fuse`],
/// on even queries alone; the textbook's are 1.2 and 0.75.
const K1: f64 = 0.9;
const B: f64 = 0.4;
/// Weight of two adjacent query terms that are adjacent in the text too, as a share of their rarity.
const PAIR_WEIGHT: f64 = 0.45;
/// Maximum number of weighted query terms: those with the lowest codes, which is a random sample, but the same one in
/// the writer's next query, which repeats most of this one (bottom-k sampling; Cohen and Kaplan 2007).
const MAX_WEIGHTED_TERMS: usize = 96;

/// The terms of a query with their weights.
#[derive(Debug)]
pub(crate) struct Query {
    index: ProjectIndex,
    /// Terms for the index search.
    searched: Vec<QueryTerm>,
    /// Terms for the score: code and rarity, sorted by code.
    weights: Vec<(u32, f64)>,
    /// A bit set of the codes' last ten bits, as a prefilter: most terms of a text are not in the query.
    sieve: [u64; 16],
    /// Adjacent terms, by code, with the weight of finding them adjacent.
    pairs: Vec<(u32, u32, f64)>,
    /// The sum of all rarities: a text with every term once scores about 1.
    total: f64,
}

impl Query {
    /// Prepares a query for a project; `None` if the project has no index yet or the query no term.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn new(
        db: &Connection,
        project_id: &ProjectId,
        text: &str,
        frequencies: &Frequencies,
    ) -> Result<Option<Self>> {
        let Some(index) = words::project_index(db, project_id)? else { return Ok(None) };
        let ordered = terms::index_terms(text);
        let codes: Vec<u32> = ordered.iter().map(|term| terms::hash_term(term)).collect();
        let mut distinct: Vec<(u32, &String)> = codes.iter().copied().zip(&ordered).collect();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.truncate(MAX_WEIGHTED_TERMS);
        let query_terms: HashSet<String> = terms::query_terms(text).into_iter().collect();
        // Rarity is computed over all kinds of text: otherwise terms that only summaries contain would lower the score
        // of every episode.
        let documents: f64 = TextKind::ALL.map(|kind| f64::from(index.stats(kind).documents)).iter().sum();
        let (mut searched, mut weights, mut total) = (Vec::new(), Vec::new(), 0.0);
        for (code, term) in distinct {
            let found = frequencies.document_frequency(db, &index, project_id, code, term)?;
            let n: f64 = found.map(f64::from).iter().sum();
            // A term that the project does not contain cannot be found, and lowers no score.
            if found == [0; 2] {
                continue;
            }
            let rarity = (1.0 + (documents - n + 0.5).max(0.0) / (n + 0.5)).ln();
            weights.push((code, rarity));
            total += rarity;
            if query_terms.contains(term) {
                searched.push(QueryTerm { term: term.clone(), frequencies: found, rarity });
            }
        }
        let mut sieve = [0; 16];
        for (code, _) in &weights {
            sieve[(code >> 6) as usize % 16] |= 1_u64 << (code % 64);
        }
        let rarity_of = |code: u32| weights.binary_search_by_key(&code, |(code, _)| *code).ok().map(|at| weights[at].1);
        let mut pairs: Vec<(u32, u32, f64)> = Vec::new();
        for (pair, codes) in ordered.windows(2).zip(codes.windows(2)) {
            // In Chinese, adjacent characters are terms themselves.
            if !(pair[0].is_ascii() && pair[1].is_ascii()) {
                continue;
            }
            let (a, b) = (codes[0], codes[1]);
            if let (Some(left), Some(right)) = (rarity_of(a), rarity_of(b))
                && !pairs.iter().any(|(x, y, _)| (*x, *y) == (a, b))
            {
                pairs.push((a, b, PAIR_WEIGHT * (left + right) / 2.0));
            }
        }
        Ok((total > 0.0).then_some(Self { index, searched, weights, sieve, pairs, total }))
    }

    /// The rows of a kind that share rare terms with the query, best first.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn search(&self, db: &Connection, kind: TextKind, limit: usize) -> Result<Vec<i64>> {
        words::search(db, &self.index, kind, &self.searched, limit)
    }

    /// How much of the query a text contains, 0 to about 2: BM25 over all its terms and adjacent pairs, as a share of
    /// the rarity of the whole query (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009; adjacent
    /// pairs after Metzler and Croft 2005). A text's length is compared with others of its kind.
    #[must_use]
    pub(crate) fn score(&self, kind: TextKind, codes: &mut dyn Iterator<Item = u32>) -> f64 {
        let mut counts = vec![0.0_f64; self.weights.len()];
        let mut beside = vec![false; self.pairs.len()];
        let mut previous = None;
        let mut length = 0_u32;
        for code in codes {
            length += 1;
            let possible = self.sieve[(code >> 6) as usize % 16] & (1 << (code % 64)) != 0;
            let found = if possible { self.weights.binary_search_by_key(&code, |(code, _)| *code).ok() } else { None };
            if let Some(at) = found {
                counts[at] += 1.0;
                if let Some(before) = previous {
                    for (n, (a, b, _)) in self.pairs.iter().enumerate() {
                        beside[n] |= (*a, *b) == (before, code);
                    }
                }
            }
            previous = found.map(|_| code);
        }
        let length = f64::from(length) / self.index.stats(kind).average_length.max(1.0);
        let norm = K1 * (1.0 - B + B * length);
        let terms: f64 = counts
            .iter()
            .zip(&self.weights)
            .map(|(count, (_, rarity))| rarity * count * (K1 + 1.0) / (count + norm))
            .sum();
        let pairs: f64 = beside.iter().zip(&self.pairs).map(|(found, pair)| if *found { pair.2 } else { 0.0 }).sum();
        (terms + pairs) / self.total
    }
}

/// A cache of document frequencies: counting a common term means reading its whole list, and a writer's next query
/// repeats most terms of the one before.
#[derive(Debug, Default)]
pub struct Frequencies(Mutex<HashMap<ProjectId, Terms>>);

/// The terms of a project by their codes, in episodes and in summaries.
type Terms = HashMap<u32, [Option<Counted>; 2]>;

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
    pub fn reset(&self, project_id: Option<&ProjectId>) {
        let mut books = self.lock();
        match project_id {
            Some(project_id) => drop(books.remove(project_id)),
            None => books.clear(),
        }
    }

    /// Number of texts of each kind, in the project, that contain a term, in the order of [`TextKind::ALL`].
    fn document_frequency(
        &self,
        db: &Connection,
        index: &ProjectIndex,
        project_id: &ProjectId,
        code: u32,
        term: &str,
    ) -> Result<[u32; 2]> {
        let mut known = self.lock().get(project_id).and_then(|terms| terms.get(&code)).copied().unwrap_or_default();
        let (mut found, mut counted) = ([0; 2], false);
        for ((kind, known), found) in TextKind::ALL.into_iter().zip(&mut known).zip(&mut found) {
            let then = index.stats(kind);
            if then.documents == 0 {
                continue;
            }
            *found = match known.filter(|known| known.is_good(then)) {
                Some(known) => known.frequency,
                None => {
                    let frequency = words::frequency(db, index, kind, term)?;
                    *known = Some(Counted { frequency, then });
                    counted = true;
                    frequency
                }
            };
        }
        if counted {
            let mut books = self.lock();
            let terms = books.entry(project_id.clone()).or_default();
            if terms.len() >= MAX_CACHED_TERMS {
                terms.clear();
            }
            terms.insert(code, known);
        }
        Ok(found)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProjectId, Terms>> {
        self.0.lock()
    }
}
