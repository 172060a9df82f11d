//! Word search: exact scores of the matches of a query.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use palimpsest_text::terms::{self, Script, ScriptCount, TermKind};
use rusqlite::Connection;

use super::{
    background,
    frequencies::{Frequencies, ProjectFrequencies},
    vocabulary::SampledText,
};
use crate::{
    error::Result,
    model::{ByKind, OwnerKind, ProjectId},
    ports::{Concept, Translator},
    storage::words::{self, CorpusStats, ProjectIndex, QueryTerm},
};

/// BM25's saturation of term repetitions (k1) and length normalization (b). Chosen with the weights of [`super::fuse`],
/// on even queries alone.
const K1: f64 = 0.9;
const B: f64 = 0.4;
/// The same for concepts, those of the textbook: a long text has one of their many alternatives by chance.
const CONCEPT_K1: f64 = 1.2;
const CONCEPT_B: f64 = 0.75;
/// Weight of two adjacent query terms that are adjacent in the text too, as a share of their rarity.
const PAIR_WEIGHT: f64 = 0.45;
/// Weight of a single Han character beside pairs of characters, as a share of its rarity: most of its matches are other
/// words. A query of at most [`MAX_SHORT_QUERY_TERMS`] terms needs it in full, and is searched for it.
const CHARACTER_WEIGHT: f64 = 0.25;
/// Maximum number of distinct terms of a short query: eight Han characters and their seven pairs.
const MAX_SHORT_QUERY_TERMS: usize = 15;
/// Maximum number of distinct terms that are weighed, the last ones of the query: more than the part of a chapter that
/// a prompt continues has.
const MAX_WEIGHED_TERMS: usize = 4_096;
/// The same while frequencies are not in memory: the index takes ten to twenty microseconds for one.
const MAX_TERMS_COUNTED_BY_INDEX: usize = 256;
/// Maximum number of distinct words of a query that is typed into a search box. Only Latin words: a Chinese word shares
/// characters with words of the same meaning, and its coverage says less.
const MAX_TYPED_WORDS: usize = 4;
/// Minimum total of a typed query, in words that a single text of the project has. Beside a lower one, a single word by
/// chance outweighs the meaning. Chosen with the use of coverage on even short queries alone.
const MIN_TYPED_TOTAL: f64 = 2.5;
/// A query with this many terms counts a term that the project lacks in full, a longer one less: most long queries are
/// passages of another text, and have many such terms.
const MISSING_TERMS_IN_FULL: f64 = 12.0;
/// Minimum weight of a term that the project lacks, as a share of its rarity.
const MIN_MISSING_WEIGHT: f64 = 0.25;
/// Minimum share of the texts of a project in the other script than the query's, from which the project counts as
/// mixed.
const MIN_OTHER_SHARE: f64 = 0.1;
/// Weight of a concept of the query that a text in the other script contains, as a share of its rarity: of a Chinese
/// query, and of an English one, whose words are more ambiguous. Chosen on even queries of the sixty events.
const TRANSLATION_WEIGHT_OF_HAN: f64 = 1.0;
const TRANSLATION_WEIGHT_OF_LATIN: f64 = 0.7;

/// A project with fewer texts than this is filled up by unrelated ones for the rarity of terms: in a book of three
/// texts, a name in all of them would be worth no more than 的.
const MIN_TEXTS_FOR_RARITY: f64 = 16.0;

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
    /// The rarity of each of them that is also a term of [`terms::query_terms`]; 0 for others.
    rarities: Vec<f64>,
    /// A bit set of the codes, as a prefilter: most terms of a text are not in the query.
    sieve: Vec<u64>,
    /// Adjacent terms, by code, with the weight of finding them adjacent; sorted by both codes.
    pairs: Vec<(u32, u32, f64)>,
    /// The sum of all weights, with a share for terms that the project lacks: a text with every term once scores at
    /// most about 1.
    total: f64,
    /// Texts of the project at equal distances, where they are in memory.
    samples: ByKind<Option<Arc<[SampledText]>>>,
    /// The minimum total for the order of a search; `None` if the query is not a typed one.
    typed_total: Option<f64>,
    /// The script of the query; `None` if it is mixed.
    script: Option<Script>,
    /// Whether the project has texts in the other script too.
    is_mixed: bool,
    /// Terms of the query's concepts in the other script, sorted by code.
    translated_codes: Vec<u32>,
    /// The concepts, each with its alternatives.
    translations: Vec<Vec<Alternative>>,
    /// Terms of the concepts for the index search.
    searched_translations: Vec<QueryTerm>,
}

/// A translation of a concept.
#[derive(Debug)]
struct Alternative {
    /// Places of its terms in the query's `translated_codes`.
    places: Vec<usize>,
    weight: f64,
}

/// The word score of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WordScore {
    /// Share of the query that the text contains, 0 to about 2.
    pub share: f64,
    /// The same as it orders the results of a search. Of a typed query the words are weighed by their coverage, the
    /// share of the query's words that the text has at all: most texts with one of two words by chance mean something
    /// else.
    pub search_share: f64,
    /// Sum of the rarities of those of the query's terms ([`terms::query_terms`]) that the text has at all. Equal for
    /// texts with the same of them.
    pub covered: f64,
    /// The script of the text; `None` if it is mixed or unknown.
    pub script: Option<Script>,
}

impl Query {
    /// Prepares a query for texts of these kinds in a project; `None` if the project has no index yet or the query no
    /// term.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn new(
        db: &Connection,
        project_id: &ProjectId,
        kinds: &[OwnerKind],
        text: &str,
        frequencies: &Frequencies,
        translator: Option<&dyn Translator>,
    ) -> Result<Option<Self>> {
        let Some(index) = words::project_index(db, project_id)? else { return Ok(None) };
        let frequencies = frequencies.project_frequencies(db, &index, kinds, project_id)?;
        Self::weighed(db, kinds, text, &frequencies, translator)
    }

    /// Prepares a query for a part of the texts of one kind, those whose rows are wanted: the others have no influence
    /// on its scores. Reads the terms of all texts of the kind.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn of_part(
        db: &Connection,
        project_id: &ProjectId,
        (kind, is_wanted): (OwnerKind, &dyn Fn(i64) -> bool),
        text: &str,
        frequencies: &Frequencies,
        translator: Option<&dyn Translator>,
    ) -> Result<Option<Self>> {
        let Some(index) = words::project_index(db, project_id)? else { return Ok(None) };
        let stats = index.stats(kind);
        let concepts = translator.filter(|_| stats.han > 0 && stats.latin > 0).map(|known| known.concepts(text));
        let translated = concepts.into_iter().flatten().flat_map(|concept| concept.alternatives).flatten();
        let terms = terms::index_terms(text).into_iter().chain(translated);
        let codes: HashSet<u32> = terms.map(|term| terms::hash_term(&term)).collect();
        let frequencies = frequencies.frequencies_of_part(db, &index, (kind, &codes), project_id, is_wanted)?;
        Self::weighed(db, &[kind], text, &frequencies, translator)
    }

    fn weighed(
        db: &Connection,
        kinds: &[OwnerKind],
        text: &str,
        frequencies: &ProjectFrequencies<'_>,
        translator: Option<&dyn Translator>,
    ) -> Result<Option<Self>> {
        let index = frequencies.counted_index();
        let max_terms = if frequencies.are_in_memory() { MAX_WEIGHED_TERMS } else { MAX_TERMS_COUNTED_BY_INDEX };
        let ordered = last_terms(terms::index_terms(text), max_terms);
        let codes: Vec<u32> = ordered.iter().map(|term| terms::hash_term(term)).collect();
        let mut distinct: Vec<(u32, &String)> = codes.iter().copied().zip(&ordered).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let query_terms: HashSet<String> = terms::query_terms(text).into_iter().collect();
        // Rarity is computed over all these kinds: otherwise terms that only summaries contain would lower the score
        // of every episode.
        let rarity = Rarity::of_texts(&index, kinds);
        let missing_weight = (MISSING_TERMS_IN_FULL / distinct.len().max(1) as f64).clamp(MIN_MISSING_WEIGHT, 1.0);
        let is_short = distinct.len() <= MAX_SHORT_QUERY_TERMS;
        let is_typed = distinct.len() <= MAX_TYPED_WORDS;
        let (mut searched, mut weights, mut rarities, mut missing) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
        for (code, term) in distinct {
            let found = frequencies.of_term(db, code, term)?;
            let n: f64 = found.values().copied().map(f64::from).sum();
            let rarity = rarity.of_term(code, n);
            let is_partial = !is_short && TermKind::of_code(code) == TermKind::HanCharacter;
            let weight = if is_partial { CHARACTER_WEIGHT * rarity } else { rarity };
            if n == 0.0 {
                missing += weight;
                continue;
            }
            weights.push((code, weight));
            rarities.push(if query_terms.contains(term) { rarity } else { 0.0 });
            if is_short || query_terms.contains(term) {
                searched.push(QueryTerm { term: term.clone(), frequencies: found, rarity });
            }
        }
        let found: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let pairs = adjacent_words(&ordered, &codes, &weights);
        let script = terms::script_of_codes(codes);
        let mut samples = ByKind::default();
        for &kind in kinds {
            samples[kind] = frequencies.shared_sample(kind);
        }
        let mut query = Self {
            index,
            searched,
            weights,
            rarities,
            sieve: vec![0; SIEVE_BITS / 64],
            pairs,
            total: found + missing_weight * missing,
            samples,
            typed_total: (is_typed && script == Some(Script::Latin))
                .then(|| MIN_TYPED_TOTAL * rarity.of_documents(1.0)),
            script,
            is_mixed: script.is_some_and(|script| is_mixed(&index, kinds, script)),
            translated_codes: Vec::new(),
            translations: Vec::new(),
            searched_translations: Vec::new(),
        };
        if let Some(translator) = translator.filter(|_| query.is_mixed) {
            query.add_translations(db, frequencies, rarity, translator.concepts(text))?;
        }
        for code in query.weights.iter().map(|(code, _)| code).chain(&query.translated_codes) {
            let (word, bit) = sieve_place(*code);
            query.sieve[word] |= bit;
        }
        Ok((query.total > 0.0).then_some(query))
    }

    /// Adds the concepts of the query in the other script, as far as the project has their terms.
    fn add_translations(
        &mut self,
        db: &Connection,
        frequencies: &ProjectFrequencies<'_>,
        rarity: Rarity,
        concepts: Vec<Concept>,
    ) -> Result<()> {
        let translation_weight = match self.script {
            Some(Script::Han) => TRANSLATION_WEIGHT_OF_HAN,
            _ => TRANSLATION_WEIGHT_OF_LATIN,
        };
        // For each alternative of each concept its codes and its weight.
        let mut concepts_by_code: Vec<Vec<(Vec<u32>, f64)>> = Vec::new();
        for concept in concepts {
            let mut alternatives: Vec<(f64, Vec<u32>)> = Vec::new();
            for alternative in concept.alternatives {
                let mut rarest: Option<(f64, QueryTerm)> = None;
                let mut codes = Vec::new();
                for term in alternative {
                    let code = terms::hash_term(&term);
                    let found = frequencies.of_term(db, code, &term)?;
                    let n: f64 = found.values().copied().map(f64::from).sum();
                    codes.push(code);
                    if rarest.as_ref().is_none_or(|(least, _)| n < *least) {
                        rarest = Some((n, QueryTerm { term, frequencies: found, rarity: rarity.of_term(code, n) }));
                    }
                }
                // An alternative whose rarest term is missing is in no text.
                if let Some((n, term)) = rarest.filter(|(n, _)| *n > 0.0) {
                    alternatives.push((n, codes));
                    self.searched_translations.push(term);
                }
            }
            if !alternatives.is_empty() {
                // The weight of an alternative is the rarity of the texts with it or a rarer one, so that a common
                // alternative does not lower the weight of a rare one.
                alternatives.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut documents = 0.0;
                let weighed = alternatives.into_iter().map(|(n, codes)| {
                    documents += n;
                    (codes, translation_weight * rarity.of_documents(documents))
                });
                concepts_by_code.push(weighed.collect());
            }
        }
        let mut codes: Vec<u32> =
            concepts_by_code.iter().flatten().flat_map(|(codes, _)| codes.iter().copied()).collect();
        codes.sort_unstable();
        codes.dedup();
        let place = |code: &u32| codes.binary_search(code).ok();
        let alternative = |(codes, weight): &(Vec<u32>, f64)| Alternative {
            places: codes.iter().filter_map(place).collect(),
            weight: *weight,
        };
        self.translations = concepts_by_code.iter().map(|concept| concept.iter().map(alternative).collect()).collect();
        self.translated_codes = codes;
        Ok(())
    }

    /// Texts of a kind at equal distances; `None` where they are not in memory.
    #[must_use]
    pub(crate) fn sampled_texts(&self, kind: OwnerKind) -> Option<&[SampledText]> {
        self.samples[kind].as_deref()
    }

    /// The weight of each term of the query that the project has, by its code, sorted by code.
    #[must_use]
    pub(crate) fn weights(&self) -> &[(u32, f64)] {
        &self.weights
    }

    /// The script of the query, where the project has texts in the other one too.
    #[must_use]
    pub(crate) fn script_in_mixed_project(&self) -> Option<Script> {
        self.script.filter(|_| self.is_mixed)
    }

    /// The allowed rows of a kind that share rare terms with the query, or with its concepts in the other script.
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
        let mut rows = words::search(db, &self.index, kind, &self.searched, limit, &is_allowed)?;
        if !self.searched_translations.is_empty() {
            let terms = &self.searched_translations;
            rows.extend(words::search(db, &self.index, kind, terms, limit, is_allowed)?);
            rows.sort_unstable();
            rows.dedup();
        }
        Ok(rows)
    }

    /// How much of the query a text contains: BM25 over all its terms and adjacent pairs, as a share of the weight of
    /// the whole query (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009; adjacent pairs after
    /// Metzler and Croft 2005). A text's length is compared with others of its kind.
    #[must_use]
    pub(crate) fn score(&self, kind: OwnerKind, codes: &mut dyn Iterator<Item = u32>) -> WordScore {
        let mut counts = vec![0.0_f64; self.weights.len()];
        let mut beside = vec![false; self.pairs.len()];
        let mut scripts = ScriptCount::default();
        let mut translated = vec![0_u32; self.translated_codes.len()];
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
                if let Some(before) = previous
                    && let Ok(pair) = self.pairs.binary_search_by_key(&(before, code), |(a, b, _)| (*a, *b))
                {
                    beside[pair] = true;
                }
            }
            previous = found.map(|_| code);
            if possible
                && !translated.is_empty()
                && let Ok(at) = self.translated_codes.binary_search(&code)
            {
                translated[at] += 1;
            }
        }
        let length = f64::from(length) / self.index.stats(kind).average_length.max(1.0);
        let terms: f64 = counts
            .iter()
            .zip(&self.weights)
            .map(|(count, (_, weight))| weight * saturated(*count, length, K1, B))
            .sum();
        let pairs: f64 = beside.iter().zip(&self.pairs).map(|(found, pair)| if *found { pair.2 } else { 0.0 }).sum();
        let script = scripts.script();
        let is_other = script.is_some() && script == self.script.map(Script::other);
        let concepts = if is_other { self.concept_score(&translated, length) } else { 0.0 };
        let share = (terms + pairs + concepts) / self.total;
        let search_share = self.typed_total.map_or(share, |least| {
            let covered = counts.iter().zip(&self.weights).filter(|(count, _)| **count > 0.0);
            let coverage = covered.map(|(_, (_, weight))| weight).sum::<f64>() / self.total;
            ((terms + pairs) * coverage + concepts) / self.total.max(least)
        });
        let has = counts.iter().zip(&self.rarities).filter(|(count, _)| **count > 0.0);
        WordScore { share, search_share, covered: has.map(|(_, rarity)| rarity).sum(), script }
    }

    /// The weight of the concepts that a text in the other script contains. `counts`: of the translated terms;
    /// `length`: as a share of the average.
    fn concept_score(&self, counts: &[u32], length: f64) -> f64 {
        let score = |alternative: &Alternative| {
            let count = f64::from(alternative.places.iter().map(|place| counts[*place]).min().unwrap_or(0));
            alternative.weight * saturated(count, length, CONCEPT_K1, CONCEPT_B)
        };
        let best = |concept: &Vec<Alternative>| concept.iter().map(score).fold(0.0, f64::max);
        self.translations.iter().map(best).sum()
    }
}

/// The rarity of terms in a project.
#[derive(Debug, Clone, Copy)]
struct Rarity {
    /// Number of texts.
    documents: f64,
    /// Number of unrelated texts that fill it up.
    unrelated: f64,
}

impl Rarity {
    fn of_texts(index: &ProjectIndex, kinds: &[OwnerKind]) -> Self {
        let documents: f64 = kinds.iter().map(|kind| f64::from(index.stats(*kind).documents)).sum();
        Self { documents, unrelated: (MIN_TEXTS_FOR_RARITY - documents).max(0.0) }
    }

    /// The rarity of a term that `n` texts of the project contain.
    fn of_term(self, code: u32, n: f64) -> f64 {
        let share = if self.unrelated > 0.0 { background::TERM_SHARES.get(&code).copied() } else { None };
        self.of_documents(n + self.unrelated * share.unwrap_or(0.0))
    }

    /// The rarity of a term that `n` of all texts contain (Robertson and Zaragoza 2009, with a lower bound of 0).
    fn of_documents(self, n: f64) -> f64 {
        (1.0 + (self.documents + self.unrelated - n + 0.5).max(0.0) / (n + 0.5)).ln()
    }
}

/// The rarity of each content word of a text ([`terms::query_terms`]) among the texts of a kind in a project; `None` if
/// there are none.
///
/// # Errors
/// Those of the store.
pub(crate) fn rarities(
    db: &Connection,
    project_id: &ProjectId,
    kind: OwnerKind,
    text: &str,
    frequencies: &Frequencies,
) -> Result<Option<HashMap<String, f64>>> {
    let Some(index) = words::project_index(db, project_id)?.filter(|index| index.stats(kind).documents > 0) else {
        return Ok(None);
    };
    let frequencies = frequencies.project_frequencies(db, &index, &[kind], project_id)?;
    let rarity = Rarity::of_texts(&index, &[kind]);
    let of_word = |word: String| {
        let code = terms::hash_term(&word);
        let found = frequencies.of_term(db, code, &word)?;
        Ok((word, rarity.of_term(code, f64::from(found[kind]))))
    };
    let words: HashSet<String> = terms::query_terms(text).into_iter().collect();
    words.into_iter().map(of_word).collect::<Result<_>>().map(Some)
}

/// Whether enough texts of these kinds, in a project, are written in the other script than this one.
fn is_mixed(index: &ProjectIndex, kinds: &[OwnerKind], script: Script) -> bool {
    let in_script = |script| -> u32 {
        let count = |stats: CorpusStats| if script == Script::Han { stats.han } else { stats.latin };
        kinds.iter().map(|kind| count(index.stats(*kind))).sum()
    };
    let (own, other) = (f64::from(in_script(script)), f64::from(in_script(script.other())));
    other > 0.0 && other >= MIN_OTHER_SHARE * (own + other)
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

/// BM25's factor of a term that a text has `count` times, 0 to `k1` + 1. `length`: of the text, as a share of the
/// average.
fn saturated(count: f64, length: f64, k1: f64, b: f64) -> f64 {
    count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length))
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
    pairs.sort_unstable_by_key(|(a, b, _)| (*a, *b));
    pairs
}

/// The end of a list of terms with at most `limit` distinct ones.
fn last_terms(mut terms: Vec<String>, limit: usize) -> Vec<String> {
    let mut distinct: HashSet<&str> = HashSet::new();
    let mut kept = 0;
    for term in terms.iter().rev() {
        distinct.insert(term);
        if distinct.len() > limit {
            break;
        }
        kept += 1;
    }
    terms.split_off(terms.len() - kept)
}
