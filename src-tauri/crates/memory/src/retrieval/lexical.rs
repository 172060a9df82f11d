//! Word search: exact scores of the matches of a query.

use std::collections::HashSet;

use palimpsest_text::terms;
use rusqlite::Connection;

use super::frequencies::Frequencies;
use crate::{
    error::Result,
    model::{OwnerKind, ProjectId},
    storage::words::{self, ProjectIndex, QueryTerm},
};

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
        let documents: f64 = OwnerKind::OF_EPISODES.map(|kind| f64::from(index.stats(kind).documents)).iter().sum();
        let (mut searched, mut weights, mut total) = (Vec::new(), Vec::new(), 0.0);
        for (code, term) in distinct {
            let found = frequencies.document_frequency(db, &index, &OwnerKind::OF_EPISODES, project_id, code, term)?;
            let n: f64 = found.values().copied().map(f64::from).sum();
            // A term that the project does not contain cannot be found, and lowers no score.
            if n == 0.0 {
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
    pub(crate) fn search(&self, db: &Connection, kind: OwnerKind, limit: usize) -> Result<Vec<i64>> {
        words::search(db, &self.index, kind, &self.searched, limit)
    }

    /// How much of the query a text contains, 0 to about 2: BM25 over all its terms and adjacent pairs, as a share of
    /// the rarity of the whole query (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009; adjacent
    /// pairs after Metzler and Croft 2005). A text's length is compared with others of its kind.
    #[must_use]
    pub(crate) fn score(&self, kind: OwnerKind, codes: &mut dyn Iterator<Item = u32>) -> f64 {
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
