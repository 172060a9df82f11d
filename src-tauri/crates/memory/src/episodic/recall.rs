//! Recall: the three to five episodes that are relevant to a passage, with the signals that found them.
//!
//! Episodes with their texts are searched first. Summaries, of which a full project has five times as many, are
//! searched only when too few of those are awake and relevant.

use std::collections::{HashMap, hash_map::Entry};

use rusqlite::Connection;

use super::decay::{Life, Tier, decay};
use crate::{
    error::Result,
    model::{Components, EpisodeQuery, OwnerKind, Recalled, Time},
    retrieval::{
        frequencies::Frequencies,
        fuse::{self, QueryParts},
        lexical::Query,
        resident::{self, Similarity},
    },
    storage::{
        episodes::{self, Ranking},
        words,
    },
};

/// Default number of results.
pub const DEFAULT_LIMIT: u32 = 5;
/// Minimum number of candidates by words, and by meaning. With forty, the results of `eval:retrieval` are identical to
/// the last digit.
const MIN_CANDIDATES: usize = 24;
/// Maximum number of candidates by recency: the newest of the scene, or of the whole project without a text.
const MAX_NEWEST: u32 = 20;
/// With fewer relevant awake episodes than this, sleeping ones and summaries are searched too.
const MIN_AWAKE: usize = 3;

/// The treatment of compressed episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summaries {
    /// Included, with the label `compressed`.
    Included,
    /// Excluded: a prompt needs examples.
    LeftOut,
}

/// The text of a query; `None` if it is blank.
#[must_use]
pub fn text_of(query: &EpisodeQuery) -> Option<&str> {
    query.query_text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// Candidates found without the query's vector: by words, and the newest. Each with its word score.
#[derive(Debug, Default)]
pub struct Gathered(HashMap<i64, (Ranking, f64)>);

struct Scored {
    score: f64,
    ranking: Ranking,
    parts: Components,
}

/// A recall in progress.
pub struct Recall<'a> {
    query: &'a EpisodeQuery,
    asked: QueryParts,
    /// The query for the word index; `None` without a text or an index.
    words: Option<Query>,
    /// The time for which decay is computed.
    now: Time,
    /// Relevant and awake.
    awake: Vec<Scored>,
    /// Relevant, and sleeping or compressed.
    others: Vec<Scored>,
}

impl<'a> Recall<'a> {
    /// Prepares the query.
    ///
    /// # Errors
    /// Those of the store.
    pub fn new(db: &Connection, query: &'a EpisodeQuery, frequencies: &Frequencies, now: Time) -> Result<Self> {
        let text = text_of(query);
        let words = match text {
            Some(text) => Query::new(db, &query.project_id, text, frequencies)?,
            None => None,
        };
        let asked =
            QueryParts { text: text.is_some(), scene: query.scene_type.is_some(), skill: query.skill_used.is_some() };
        Ok(Self { query, asked, words, now, awake: Vec::new(), others: Vec::new() })
    }

    fn limit(&self) -> usize {
        self.query.limit.unwrap_or(DEFAULT_LIMIT) as usize
    }

    /// Maximum number of candidates by words, and by meaning: a multiple of the wanted results.
    fn pool(&self) -> usize {
        MIN_CANDIDATES.max(self.limit())
    }

    /// Searches the word index for one kind of text, and reads the newest episodes of the scene. All store reads happen
    /// here, while another thread may still compare vectors.
    ///
    /// # Errors
    /// Those of the store.
    pub fn gather(&self, db: &Connection, kind: OwnerKind) -> Result<Gathered> {
        let project = &self.query.project_id;
        let mut rankings = Vec::new();
        if let Some(words) = &self.words {
            let mut rows = words.search(db, kind, self.pool())?;
            // Adjacent rows are on the same pages.
            rows.sort_unstable();
            for row in rows {
                rankings.extend(episodes::ranking_of(db, project, row)?);
            }
        }
        if !self.asked.text || self.asked.scene {
            rankings.extend(episodes::newest(db, project, self.query.scene_type.as_deref(), MAX_NEWEST)?);
        }
        let mut gathered = Gathered::default();
        for ranking in rankings.into_iter().filter(|ranking| OwnerKind::from_compressed(ranking.compressed) == kind) {
            if let Entry::Vacant(place) = gathered.0.entry(ranking.row) {
                let said = self.words_in(db, kind, ranking.row)?;
                place.insert((ranking, said));
            }
        }
        Ok(gathered)
    }

    /// The word score of a text.
    fn words_in(&self, db: &Connection, kind: OwnerKind, row: i64) -> Result<f64> {
        let Some(query) = &self.words else { return Ok(0.0) };
        Ok(words::with_codes(db, &self.query.project_id, row, |codes| query.score(kind, codes))?.unwrap_or(0.0))
    }

    /// Adds the candidates of one kind of text: the gathered ones, and the similar ones (`similar`: the similarity of
    /// all texts, or `None` without semantic search).
    ///
    /// # Errors
    /// Those of the store.
    pub fn add_candidates(
        &mut self,
        db: &Connection,
        kind: OwnerKind,
        gathered: Gathered,
        similar: Option<&[Similarity]>,
    ) -> Result<()> {
        let Gathered(mut known) = gathered;
        for near in similar.map(|similar| resident::nearest(similar, self.pool())).unwrap_or_default() {
            if let Entry::Vacant(place) = known.entry(near.row)
                && let Some(ranking) = episodes::ranking_of(db, &self.query.project_id, near.row)?
                && OwnerKind::from_compressed(ranking.compressed) == kind
            {
                let said = self.words_in(db, kind, ranking.row)?;
                place.insert((ranking, said));
            }
        }
        for (ranking, said) in known.into_values() {
            let parts = Components {
                words: said,
                meaning: similar.map(|similar| resident::of_row(similar, ranking.row)),
                scene: self.asked.scene && ranking.scene_type == self.query.scene_type,
                skill: self.query.skill_used.as_deref() == Some(ranking.skill_used.as_str()),
                decay: decay(life_of(&ranking), self.now),
            };
            if !fuse::is_relevant(parts, self.asked) {
                continue;
            }
            let is_awake = kind == OwnerKind::Episode && !Tier::from_score(parts.decay).sleeps();
            let list = if is_awake { &mut self.awake } else { &mut self.others };
            list.push(Scored { score: fuse::score(parts, self.asked), ranking, parts });
        }
        Ok(())
    }

    /// Whether so few of the candidates are awake that summaries should be searched.
    #[must_use]
    pub fn wants_summaries(&self) -> bool {
        self.awake.len() < MIN_AWAKE.min(self.limit())
    }

    /// The relevant episodes of the project, best first.
    ///
    /// # Errors
    /// Those of the store.
    pub fn finish(mut self, db: &Connection) -> Result<Vec<Recalled>> {
        // Best first; ties by time, then by order of recording: the same query always has the same result.
        let order = |a: &Scored, b: &Scored| {
            b.score
                .total_cmp(&a.score)
                .then(b.ranking.created_at.cmp(&a.ranking.created_at))
                .then(b.ranking.row.cmp(&a.ranking.row))
        };
        self.awake.sort_by(order);
        self.others.sort_by(order);

        let limit = self.limit();
        let others = if self.wants_summaries() { limit.saturating_sub(self.awake.len()) } else { 0 };
        let chosen = self.awake.into_iter().take(limit).chain(self.others.into_iter().take(others));

        let mut recalled = Vec::new();
        for Scored { score, ranking, parts } in chosen {
            let Some(episode) = episodes::by_row(db, ranking.row)? else { continue };
            let mut matched_by = fuse::matched_by(parts, self.asked);
            if Tier::from_score(parts.decay).sleeps() {
                matched_by.push("sleeping".into());
            }
            if ranking.compressed {
                matched_by.push("compressed".into());
            }
            recalled.push(Recalled { episode, score, matched_by, components: parts });
        }
        Ok(recalled)
    }
}

fn life_of(ranking: &Ranking) -> Life {
    Life {
        created_at: ranking.created_at,
        last_recalled_at: ranking.last_recalled_at,
        recall_count: ranking.recall_count,
        importance: ranking.importance,
        user_confirmed: ranking.user_confirmed,
    }
}
