//! Ranks the texts of one kind for a search, such as the passages of a book or the entries of its journal: by words and
//! by meaning, without age.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::{
    fuse::{self, QueryParts, Usual},
    lexical::{Query, WordScore},
    meaning::Compared,
    resident::{self, Similarity},
};
use crate::{
    error::Result,
    model::{Components, OwnerKind, ProjectId, RecallGroup},
    storage::words,
};

/// Number of candidates by words, and by meaning.
const MIN_CANDIDATES: usize = 40;
/// The parts of every search.
const PARTS: QueryParts = QueryParts { text: true, scene: false, skill: false };

/// A text with its relevance to a search.
#[derive(Debug)]
pub(crate) struct RankedText {
    /// Its row in the indexes.
    pub row: i64,
    /// 0..1.
    pub score: f64,
    pub group: RecallGroup,
    /// Whether it shares words or meaning with the search; the nearest need not.
    pub is_related: bool,
    pub matched_by: Vec<String>,
}

/// The texts that a search found, and how near the nearest are.
#[derive(Debug, Default)]
pub(crate) struct RankedTexts {
    /// Best first.
    pub texts: Vec<RankedText>,
    /// Cosines of the nearest texts, the greatest first, at most [`NEAREST`]; empty without vectors.
    pub nearest: Vec<f64>,
    /// Mean cosine of the wanted texts that have the largest share of the words of the search, each word counted by its
    /// rarity; `None` without vectors, and if none has any.
    pub cosine_by_words: Option<f64>,
    /// The weight of each term of the search that the project has, by its code, sorted by code.
    pub term_weights: Vec<(u32, f64)>,
}

/// Number of the nearest texts whose cosines are returned.
const NEAREST: usize = 5;

/// A search of the texts of one kind by words.
pub(crate) struct WordSearch {
    pub kind: OwnerKind,
    /// The query for the word index; `None` for one without words.
    pub query: Option<Query>,
}

impl WordSearch {
    /// The rows of the texts in their own table that words put first, at most `limit`.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn candidates(&self, db: &Connection, limit: usize) -> Result<Vec<i64>> {
        let rows = self.query.as_ref().map(|query| query.search(db, self.kind, limit, |_| true)).transpose()?;
        Ok(rows.unwrap_or_default().into_iter().map(OwnerKind::own_row).collect())
    }

    /// The share of the query's words that a text has, by its row in its own table: 0 to about 2.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn share(&self, db: &Connection, project_id: &ProjectId, own_row: i64) -> Result<f64> {
        let Some(query) = &self.query else { return Ok(0.0) };
        let row = self.kind.index_row(own_row);
        let share = words::with_codes(db, project_id, row, |codes| query.score(self.kind, codes).share)?;
        Ok(share.unwrap_or_default())
    }
}

/// How much of a query a text has, by words and by meaning.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Signals {
    /// Share of the query's words, 0 to about 2.
    pub words: f64,
    /// Cosine, where vectors were compared.
    pub meaning: Option<f64>,
}

/// The rows of the texts in their own table that meaning puts first, at most `limit`.
pub(crate) fn nearest_own_rows(compared: Option<&Compared>, limit: usize) -> Vec<i64> {
    let similar = compared.map(|compared| compared.texts.as_slice()).unwrap_or_default();
    resident::nearest(similar, limit, |_| true).iter().map(|near| OwnerKind::own_row(near.row)).collect()
}

/// The texts with the highest relevance, at most `limit`, best first. `words`: the query for the word index;
/// `compared`: the similarity of every text of the kind, where vectors can be searched; `is_wanted`: of the rows in the
/// indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn rank(
    db: &Connection,
    project_id: &ProjectId,
    kind: OwnerKind,
    words: Option<&Query>,
    compared: Option<&Compared>,
    (limit, is_wanted): (usize, &dyn Fn(i64) -> bool),
) -> Result<RankedTexts> {
    let pool = MIN_CANDIDATES.max(limit);
    let mut rows = BTreeSet::new();
    if let Some(words) = words {
        rows.extend(words.search(db, kind, pool, is_wanted)?);
    }
    let similar = compared.map(|compared| compared.texts.as_slice());
    rows.extend(resident::nearest(similar.unwrap_or_default(), pool, is_wanted).iter().map(|near| near.row));
    // Texts that are not wanted, such as those behind a position, have no influence.
    let is_compared = |one: &&Similarity| is_wanted(one.row);
    let cosines: Vec<f64> = similar.unwrap_or_default().iter().filter(is_compared).map(|one| one.cosine).collect();
    let usual = (!cosines.is_empty()).then(|| Usual::meaning(&cosines));
    let mut ranked = Vec::new();
    let mut by_words = MostCovered::default();
    for row in rows {
        let score = match words {
            Some(query) => {
                words::with_codes(db, project_id, row, |codes| query.score(kind, codes))?.unwrap_or_default()
            }
            None => WordScore::default(),
        };
        let meaning = similar.map(|similar| resident::of_row(similar, row));
        meaning.inspect(|cosine| by_words.add(score.covered, *cosine));
        let parts = Components { words: score.share, meaning, decay: 1.0, ..Components::default() };
        let in_order = Components { words: score.search_share, ..parts };
        let group = fuse::group(parts, PARTS, usual);
        let (is_related, matched_by) = (fuse::shares_any(parts), fuse::matched_by(parts, PARTS));
        ranked.push(RankedText { row, score: fuse::score(in_order, PARTS), group, is_related, matched_by });
    }
    // The certain ones first; ties in the order of their rows, so that the same search has the same result.
    let is_found = |one: &RankedText| one.group == RecallGroup::Found;
    ranked.sort_by(|a, b| is_found(b).cmp(&is_found(a)).then(b.score.total_cmp(&a.score)).then(a.row.cmp(&b.row)));
    ranked.truncate(limit);
    let mut nearest: Vec<f64> =
        resident::nearest(similar.unwrap_or_default(), NEAREST, is_wanted).iter().map(|near| near.cosine).collect();
    nearest.sort_by(|a, b| b.total_cmp(a));
    Ok(RankedTexts {
        texts: ranked,
        nearest,
        cosine_by_words: by_words.mean_cosine(),
        term_weights: words.map(|query| query.weights().to_vec()).unwrap_or_default(),
    })
}

/// The cosines of the texts that have most of the words of a search. Often many have the same words, and which of them
/// is first says nothing: so all count.
#[derive(Default)]
struct MostCovered {
    covered: f64,
    sum: f64,
    texts: u32,
}

impl MostCovered {
    fn add(&mut self, covered: f64, cosine: f64) {
        if covered > self.covered {
            *self = Self { covered, sum: cosine, texts: 1 };
        } else if covered > 0.0 && covered >= self.covered {
            self.sum += cosine;
            self.texts += 1;
        }
    }

    fn mean_cosine(&self) -> Option<f64> {
        (self.texts > 0).then(|| self.sum / f64::from(self.texts))
    }
}
