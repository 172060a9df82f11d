//! Words: the index kept up in the background, and exact scores for what it finds.
//!
//! Recording commits the episode alone; the index catches up afterwards and after a crash, from a watermark. Every step
//! is idempotent.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use palimpsest_text::terms;
use rusqlite::Connection;

use crate::{
    error::Result,
    storage::{
        Database, Owner, episodes,
        words::{self, Extent, NewText, Purge, Shelf, Sought},
    },
};

/// What one bounded step of a background index did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// Episodes indexed.
    pub indexed: u32,
    /// More are waiting.
    pub more: bool,
}

/// Indexes at most `limit` episodes that were recorded since the last step.
///
/// # Errors
/// Those of the store; nothing of the step then happened.
pub fn catch_up(db: &Database, limit: u32) -> Result<Step> {
    let waiting = {
        let reader = db.reader()?;
        episodes::recorded_after(&reader, words::watermark(&reader, words::MODEL)?, None, limit)?
    };
    let Some(last) = waiting.last().map(|text| text.row) else { return Ok(Step::default()) };
    // Outside the transaction: a record that comes meanwhile shall wait for writing alone.
    let terms: Vec<Vec<String>> = waiting.iter().map(|text| words::cut(&text.text)).collect();
    db.write_derived(|tx| {
        for (text, terms) in waiting.iter().zip(&terms) {
            let owner = Owner::of(text.compressed);
            words::index(tx, &NewText { project_id: &text.project_id, row: text.row, id: &text.id, owner, terms })?;
        }
        words::set_watermark(tx, words::MODEL, last)
    })?;
    let indexed = u32::try_from(waiting.len()).unwrap_or(limit);
    Ok(Step { indexed, more: indexed == limit })
}

/// Pages merged in one step: a millisecond or two.
const MERGED_A_STEP: u32 = 32;

/// One bounded step of merging the index, for idle moments; says whether there was anything to merge.
///
/// # Errors
/// Those of the store.
pub fn merge(db: &Database) -> Result<bool> {
    db.write_derived(|tx| words::merge(tx, MERGED_A_STEP))
}

/// Pages of the index that are written anew in one step: some milliseconds.
const PURGED_A_STEP: i32 = 64;

/// One bounded step of writing the index anew, without the terms of texts that are gone; says whether it has to go on.
/// They stand in its pages until then, and in the log until that is taken in.
///
/// # Errors
/// Those of the store.
pub fn purge(db: &Database) -> Result<bool> {
    let Some(purge) = words::purge_wanted(&*db.reader()?)? else { return Ok(false) };
    if purge != Purge::InLog {
        db.write(|tx| {
            let more = words::purge(tx, PURGED_A_STEP, purge == Purge::Wanted)?;
            words::set_purge(tx, Some(if more { Purge::UnderWay } else { Purge::InLog }))
        })?;
        return Ok(true);
    }
    // Somebody may be reading an old state; then it is tried again with the next step that somebody asks for.
    if db.empty_log()? {
        db.write_derived(|tx| match words::purge_wanted(tx)? {
            Some(Purge::InLog) => words::set_purge(tx, None),
            // Something was deleted meanwhile.
            _ => Ok(()),
        })?;
    }
    Ok(false)
}

/// Whether episodes wait to be indexed.
///
/// # Errors
/// Those of the store.
pub fn is_behind(db: &Connection) -> Result<bool> {
    episodes::any_after(db, words::watermark(db, words::MODEL)?)
}

/// Saturation of a term's repetitions, and how much a long text is held against it. Chosen with the weights of
/// [`super::fuse`], on even queries alone; the textbook's are 1.2 and 0.75.
const K1: f64 = 0.9;
const B: f64 = 0.4;
/// Two words of the query that stand beside each other in the text as well are worth this share of their rarity.
const PAIR: f64 = 0.45;
/// A query is weighed by at most so many of its terms: those with the least codes, which is any of them, but the same ones
/// again in the writer's next query, which says most of this one once more (bottom-k sampling; Cohen and Kaplan 2007).
const TERMS_WEIGHED: usize = 96;

/// A query's terms, with how much each one says.
#[derive(Debug)]
pub struct Query {
    shelf: Shelf,
    /// For the index.
    searched: Vec<Sought>,
    /// For the score: code and rarity, sorted by code.
    weights: Vec<(u32, f64)>,
    /// Which codes can be among them at all, by their last ten bits: most terms of a text are none of the query's.
    sieve: [u64; 16],
    /// Neighbours, by code, and what finding them side by side is worth.
    pairs: Vec<(u32, u32, f64)>,
    /// All rarities together: the score of a text that has every term once is about 1.
    total: f64,
}

impl Query {
    /// The query in a book, or `None` where the book has no index yet or the query no term.
    ///
    /// # Errors
    /// Those of the store.
    pub fn new(db: &Connection, project_id: &str, text: &str, frequencies: &Frequencies) -> Result<Option<Self>> {
        let Some(shelf) = words::shelf(db, project_id)? else { return Ok(None) };
        let ordered = terms::index_terms(text);
        let codes: Vec<u32> = ordered.iter().map(|term| terms::hash_term(term)).collect();
        let mut distinct: Vec<(u32, &String)> = codes.iter().copied().zip(&ordered).collect();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.truncate(TERMS_WEIGHED);
        let sought: HashSet<String> = terms::query_terms(text).into_iter().collect();
        // Rarity is the same for every kind of text: else what only a summary has would be held against no episode.
        let documents: f64 = Owner::ALL.map(|owner| f64::from(shelf.extent(owner).documents)).iter().sum();
        let (mut searched, mut weights, mut total) = (Vec::new(), Vec::new(), 0.0);
        for (code, term) in distinct {
            let found = frequencies.of(db, &shelf, project_id, code, term)?;
            let n: f64 = found.map(f64::from).iter().sum();
            // A term that the book does not have cannot be found, and is held against no text.
            if found == [0; 2] {
                continue;
            }
            let rarity = (1.0 + (documents - n + 0.5).max(0.0) / (n + 0.5)).ln();
            weights.push((code, rarity));
            total += rarity;
            if sought.contains(term) {
                searched.push(Sought { term: term.clone(), frequencies: found, rarity });
            }
        }
        let mut sieve = [0; 16];
        for (code, _) in &weights {
            sieve[(code >> 6) as usize % 16] |= 1_u64 << (code % 64);
        }
        let rarity_of = |code: u32| weights.binary_search_by_key(&code, |(code, _)| *code).ok().map(|at| weights[at].1);
        let mut pairs: Vec<(u32, u32, f64)> = Vec::new();
        for (pair, codes) in ordered.windows(2).zip(codes.windows(2)) {
            // Neighbours in Chinese are terms themselves.
            if !(pair[0].is_ascii() && pair[1].is_ascii()) {
                continue;
            }
            let (a, b) = (codes[0], codes[1]);
            if let (Some(left), Some(right)) = (rarity_of(a), rarity_of(b))
                && !pairs.iter().any(|(x, y, _)| (*x, *y) == (a, b))
            {
                pairs.push((a, b, PAIR * (left + right) / 2.0));
            }
        }
        Ok((total > 0.0).then_some(Self { shelf, searched, weights, sieve, pairs, total }))
    }

    /// The rows of a kind that share rare terms with the query, best first.
    ///
    /// # Errors
    /// Those of the store.
    pub fn search(&self, db: &Connection, owner: Owner, limit: usize) -> Result<Vec<i64>> {
        words::search(db, &self.shelf, owner, &self.searched, limit)
    }

    /// How much of the query a text has, 0 to about 2: BM25 over all its terms and the neighbours among them, as a
    /// share of the rarity of the whole query (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009;
    /// neighbours after Metzler and Croft 2005).
    /// A text's length is compared with others of its kind.
    #[must_use]
    pub fn score(&self, owner: Owner, codes: &mut dyn Iterator<Item = u32>) -> f64 {
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
        let length = f64::from(length) / self.shelf.extent(owner).average_length.max(1.0);
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

/// How often terms occur, remembered: a common one is asked for with every query, and counting it means reading its
/// whole list; and a writer's next query has most of its terms from the one before.
#[derive(Debug, Default)]
pub struct Frequencies(Mutex<HashMap<String, Terms>>);

/// The terms of a book by their codes, in episodes and in summaries.
type Terms = HashMap<u32, [Option<Counted>; 2]>;

/// How often a term occurs, and how much there was when it was counted.
#[derive(Debug, Clone, Copy)]
struct Counted {
    frequency: u32,
    then: Extent,
}

/// Terms of a book that are remembered before all of them are forgotten.
const REMEMBERED: usize = 50_000;
/// A rarer term is counted again whenever the book has changed. Its list is short; and one that is new in the book shall
/// be found at once.
const COMMON: u32 = 64;

impl Counted {
    /// A common term's count is good until the book has grown or shrunk by a tenth.
    fn is_good(self, now: Extent) -> bool {
        let Extent { documents, .. } = self.then;
        now == self.then || self.frequency >= COMMON && now.documents.abs_diff(documents) <= documents / 10
    }
}

impl Frequencies {
    /// Forgets the terms of a book, or of all.
    pub fn forget(&self, project_id: Option<&str>) {
        let mut books = self.books();
        match project_id {
            Some(project_id) => drop(books.remove(project_id)),
            None => books.clear(),
        }
    }

    /// In how many texts of each kind, in the book, a term occurs, in the order of [`Owner::ALL`].
    fn of(&self, db: &Connection, shelf: &Shelf, project_id: &str, code: u32, term: &str) -> Result<[u32; 2]> {
        let mut known = self.books().get(project_id).and_then(|terms| terms.get(&code)).copied().unwrap_or_default();
        let (mut found, mut counted) = ([0; 2], false);
        for ((owner, known), found) in Owner::ALL.into_iter().zip(&mut known).zip(&mut found) {
            let then = shelf.extent(owner);
            if then.documents == 0 {
                continue;
            }
            *found = match known.filter(|known| known.is_good(then)) {
                Some(known) => known.frequency,
                None => {
                    let frequency = words::frequency(db, shelf, owner, term)?;
                    *known = Some(Counted { frequency, then });
                    counted = true;
                    frequency
                }
            };
        }
        if counted {
            let mut books = self.books();
            let terms = books.entry(project_id.to_owned()).or_default();
            if terms.len() >= REMEMBERED {
                terms.clear();
            }
            terms.insert(code, known);
        }
        Ok(found)
    }

    fn books(&self) -> MutexGuard<'_, HashMap<String, Terms>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
