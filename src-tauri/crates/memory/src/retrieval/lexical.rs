//! Word search: exact scores of the matches of a query.

use std::collections::HashSet;

use palimpsest_text::terms::{self, TermKind};
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
/// Weight of a single Han character beside pairs of characters, as a share of its rarity: most of its matches are other
/// words. A query of at most [`MAX_SHORT_QUERY_TERMS`] terms needs it in full.
const CHARACTER_WEIGHT: f64 = 0.25;
/// Maximum number of distinct terms of a short query: three Han characters and their two pairs.
const MAX_SHORT_QUERY_TERMS: usize = 5;
/// A query with this many terms counts a term that the project lacks in full, a longer one less: most long queries are
/// passages of another text, and have many such terms.
const MISSING_TERMS_IN_FULL: f64 = 12.0;
/// Minimum weight of a term that the project lacks, as a share of its rarity.
const MIN_MISSING_WEIGHT: f64 = 0.25;
/// Minimum share of one script in a text that counts as written in it.
const MIN_SCRIPT_SHARE: f64 = 0.8;

/// Number of bits of the prefilter, a power of two.
const SIEVE_BITS: usize = 1 << 14;

/// The terms of a query with their weights.
#[derive(Debug)]
pub(crate) struct Query {
    index: ProjectIndex,
    /// Terms for the index search.
    searched: Vec<QueryTerm>,
    /// Terms for the score: code and weight, sorted by code.
    weights: Vec<(u32, f64)>,
    /// A bit set of the codes, as a prefilter: most terms of a text are not in the query.
    sieve: Vec<u64>,
    /// Adjacent terms, by code, with the weight of finding them adjacent.
    pairs: Vec<(u32, u32, f64)>,
    /// The sum of all weights, with a share for terms that the project lacks: a text with every term once scores at
    /// most about 1.
    total: f64,
}

/// The word score of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WordScore {
    /// Share of the query that the text contains, 0 to about 2.
    pub share: f64,
    /// The script of the text; `None` if it is mixed or unknown.
    pub script: Option<Script>,
}

/// The script that a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// Chinese characters.
    Han,
    /// Latin letters.
    Latin,
}

/// Counts the scripts of terms.
#[derive(Debug, Default)]
struct ScriptCount {
    han: u32,
    latin: u32,
}

impl ScriptCount {
    fn add(&mut self, code: u32) {
        match TermKind::of_code(code) {
            TermKind::HanCharacter => self.han += 1,
            TermKind::LatinWord => self.latin += 1,
            // A pair repeats two characters that are counted already.
            TermKind::HanPair | TermKind::OtherWord => {}
        }
    }

    fn script(&self) -> Option<Script> {
        // A Latin word has the length of about two Han characters.
        let (han, latin) = (f64::from(self.han), 2.0 * f64::from(self.latin));
        let all = han + latin;
        if all == 0.0 {
            None
        } else if han / all >= MIN_SCRIPT_SHARE {
            Some(Script::Han)
        } else if latin / all >= MIN_SCRIPT_SHARE {
            Some(Script::Latin)
        } else {
            None
        }
    }
}

/// The script of a text.
#[must_use]
pub(crate) fn script_of(text: &str) -> Option<Script> {
    let mut count = ScriptCount::default();
    terms::each_index_term(text, |term| count.add(terms::hash_term(term)));
    count.script()
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
        let query_terms: HashSet<String> = terms::query_terms(text).into_iter().collect();
        // Rarity is computed over all kinds of text: otherwise terms that only summaries contain would lower the score
        // of every episode.
        let documents: f64 = OwnerKind::OF_EPISODES.map(|kind| f64::from(index.stats(kind).documents)).iter().sum();
        let missing_weight = (MISSING_TERMS_IN_FULL / distinct.len().max(1) as f64).clamp(MIN_MISSING_WEIGHT, 1.0);
        let is_short = distinct.len() <= MAX_SHORT_QUERY_TERMS;
        let (mut searched, mut weights, mut missing) = (Vec::new(), Vec::new(), 0.0);
        for (code, term) in distinct {
            let found = frequencies.document_frequency(db, &index, &OwnerKind::OF_EPISODES, project_id, code, term)?;
            let n: f64 = found.values().copied().map(f64::from).sum();
            let rarity = (1.0 + (documents - n + 0.5).max(0.0) / (n + 0.5)).ln();
            let is_partial = !is_short && TermKind::of_code(code) == TermKind::HanCharacter;
            let weight = if is_partial { CHARACTER_WEIGHT * rarity } else { rarity };
            if n == 0.0 {
                missing += weight;
                continue;
            }
            weights.push((code, weight));
            if query_terms.contains(term) {
                searched.push(QueryTerm { term: term.clone(), frequencies: found, rarity });
            }
        }
        let found: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let mut sieve = vec![0; SIEVE_BITS / 64];
        for (code, _) in &weights {
            let (word, bit) = sieve_place(*code);
            sieve[word] |= bit;
        }
        let pairs = adjacent_words(&ordered, &codes, &weights);
        let total = found + missing_weight * missing;
        Ok((found > 0.0).then_some(Self { index, searched, weights, sieve, pairs, total }))
    }

    /// The allowed rows of a kind that share rare terms with the query, best first.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn search(
        &self,
        db: &Connection,
        kind: OwnerKind,
        limit: usize,
        is_allowed: impl Fn(i64) -> bool,
    ) -> Result<Vec<i64>> {
        words::search(db, &self.index, kind, &self.searched, limit, is_allowed)
    }

    /// How much of the query a text contains: BM25 over all its terms and adjacent pairs, as a share of the weight of
    /// the whole query (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009; adjacent pairs after
    /// Metzler and Croft 2005). A text's length is compared with others of its kind.
    #[must_use]
    pub(crate) fn score(&self, kind: OwnerKind, codes: &mut dyn Iterator<Item = u32>) -> WordScore {
        let mut counts = vec![0.0_f64; self.weights.len()];
        let mut beside = vec![false; self.pairs.len()];
        let mut scripts = ScriptCount::default();
        let mut previous = None;
        let mut length = 0_u32;
        for code in codes {
            length += 1;
            scripts.add(code);
            let (word, bit) = sieve_place(code);
            let possible = self.sieve[word] & bit != 0;
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
            .map(|(count, (_, weight))| weight * count * (K1 + 1.0) / (count + norm))
            .sum();
        let pairs: f64 = beside.iter().zip(&self.pairs).map(|(found, pair)| if *found { pair.2 } else { 0.0 }).sum();
        WordScore { share: (terms + pairs) / self.total, script: scripts.script() }
    }
}

impl Query {
    /// The share of the query that a text outside the index contains: see [`Query::score`].
    #[must_use]
    pub(crate) fn score_text(&self, kind: OwnerKind, text: &str) -> f64 {
        let mut codes = Vec::new();
        terms::each_index_term(text, |term| codes.push(terms::hash_term(term)));
        self.score(kind, &mut codes.into_iter()).share
    }
}

/// The place of a code in the prefilter: the word and its bit.
fn sieve_place(code: u32) -> (usize, u64) {
    let place = (code >> 2) as usize % SIEVE_BITS;
    (place / 64, 1 << (place % 64))
}

/// Adjacent Latin words of a query that the project has, by code, with the weight of finding them adjacent. In Chinese,
/// adjacent characters are terms themselves.
fn adjacent_words(ordered: &[String], codes: &[u32], weights: &[(u32, f64)]) -> Vec<(u32, u32, f64)> {
    let weight_of = |code: u32| weights.binary_search_by_key(&code, |(code, _)| *code).ok().map(|at| weights[at].1);
    let mut pairs: Vec<(u32, u32, f64)> = Vec::new();
    let mut seen = HashSet::new();
    for (pair, codes) in ordered.windows(2).zip(codes.windows(2)) {
        let (a, b) = (codes[0], codes[1]);
        if pair[0].is_ascii()
            && pair[1].is_ascii()
            && let (Some(left), Some(right)) = (weight_of(a), weight_of(b))
            && seen.insert((a, b))
        {
            pairs.push((a, b, PAIR_WEIGHT * (left + right) / 2.0));
        }
    }
    pairs
}
