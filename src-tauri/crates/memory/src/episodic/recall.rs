//! Recall: the three to five episodes that bear on the passage at hand, and why.
//!
//! Episodes with their texts are asked first. Summaries, of which a full book has five times as many, are only asked when
//! too few of those are awake and relevant.

use std::collections::{HashMap, hash_map::Entry};

use rusqlite::Connection;

use super::decay::{Life, Tier, decay};
use crate::{
    error::Result,
    model::{Components, EpisodeQuery, Recalled, Time},
    retrieval::{
        fuse::{self, Asked},
        lexical::{Frequencies, Query},
        resident::{self, Similarity},
    },
    storage::{
        Owner,
        episodes::{self, Ranking},
        words,
    },
};

/// How many are returned when nobody says.
pub const DEFAULT_LIMIT: u32 = 5;
/// How many candidates words may bring, and how many meaning, at the least. With forty, `eval:retrieval` finds the same to
/// the last digit.
const POOL: usize = 24;
/// How many candidates the scene, or with nothing to compare with the whole book, may bring: the newest.
const NEWEST: u32 = 20;
/// With fewer relevant episodes awake than this, sleeping ones and summaries are asked too.
const ENOUGH_AWAKE: usize = 3;

/// What is to become of episodes of which only a summary is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summaries {
    /// They can be found, and are labelled.
    Found,
    /// They are left out: a prompt wants examples.
    LeftOut,
}

/// The text that a query compares with, if it says anything.
#[must_use]
pub fn text_of(query: &EpisodeQuery) -> Option<&str> {
    query.query_text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// What is found without knowing what the query means: what shares words with it, and the newest. Each with how much of the
/// query it says.
#[derive(Debug, Default)]
pub struct Gathered(HashMap<i64, (Ranking, f64)>);

struct Found {
    score: f64,
    ranking: Ranking,
    parts: Components,
}

/// A recall under way.
pub struct Recall<'a> {
    query: &'a EpisodeQuery,
    asked: Asked,
    /// The query in the index of words; `None` without a text or an index.
    words: Option<Query>,
    /// The time that decay is computed for.
    now: Time,
    /// Relevant and awake.
    awake: Vec<Found>,
    /// Relevant, and sleeping or only a summary.
    others: Vec<Found>,
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
            Asked { text: text.is_some(), scene: query.scene_type.is_some(), skill: query.skill_used.is_some() };
        Ok(Self { query, asked, words, now, awake: Vec::new(), others: Vec::new() })
    }

    fn limit(&self) -> usize {
        self.query.limit.unwrap_or(DEFAULT_LIMIT) as usize
    }

    /// How many candidates words may bring, and how many meaning: a few times as many as are wanted.
    fn pool(&self) -> usize {
        POOL.max(self.limit())
    }

    /// Searches the index of words for one kind of text, and looks for the newest of the scene. All that is known of what is
    /// found is read here, while another thread may still be comparing what it means.
    ///
    /// # Errors
    /// Those of the store.
    pub fn gather(&self, db: &Connection, owner: Owner) -> Result<Gathered> {
        let project = &self.query.project_id;
        let mut rankings = Vec::new();
        if let Some(words) = &self.words {
            let mut rows = words.search(db, owner, self.pool())?;
            // Neighbours are on the same pages.
            rows.sort_unstable();
            for row in rows {
                rankings.extend(episodes::ranking_of(db, project, row)?);
            }
        }
        if !self.asked.text || self.asked.scene {
            rankings.extend(episodes::newest(db, project, self.query.scene_type.as_deref(), NEWEST)?);
        }
        let mut gathered = Gathered::default();
        for ranking in rankings.into_iter().filter(|ranking| Owner::of(ranking.compressed) == owner) {
            if let Entry::Vacant(place) = gathered.0.entry(ranking.row) {
                let said = self.words_in(db, owner, ranking.row)?;
                place.insert((ranking, said));
            }
        }
        Ok(gathered)
    }

    /// How much of the query a text says.
    fn words_in(&self, db: &Connection, owner: Owner, row: i64) -> Result<f64> {
        let Some(query) = &self.words else { return Ok(0.0) };
        Ok(words::with_codes(db, &self.query.project_id, row, |codes| query.score(owner, codes))?.unwrap_or(0.0))
    }

    /// Takes in what one kind of text has to say: what was gathered of it, and what means the same (`similar`: all of them,
    /// or `None` while meaning is not searched).
    ///
    /// # Errors
    /// Those of the store.
    pub fn take(
        &mut self,
        db: &Connection,
        owner: Owner,
        gathered: Gathered,
        similar: Option<&[Similarity]>,
    ) -> Result<()> {
        let Gathered(mut known) = gathered;
        for near in similar.map(|similar| resident::nearest(similar, self.pool())).unwrap_or_default() {
            if let Entry::Vacant(place) = known.entry(near.row)
                && let Some(ranking) = episodes::ranking_of(db, &self.query.project_id, near.row)?
                && Owner::of(ranking.compressed) == owner
            {
                let said = self.words_in(db, owner, ranking.row)?;
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
            let is_awake = owner == Owner::Episode && !Tier::of(parts.decay).sleeps();
            let list = if is_awake { &mut self.awake } else { &mut self.others };
            list.push(Found { score: fuse::score(parts, self.asked), ranking, parts });
        }
        Ok(())
    }

    /// Whether so few of what was taken in are awake that summaries are worth asking.
    #[must_use]
    pub fn wants_summaries(&self) -> bool {
        self.awake.len() < ENOUGH_AWAKE.min(self.limit())
    }

    /// The episodes of the book that bear on the query, best first.
    ///
    /// # Errors
    /// Those of the store.
    pub fn finish(mut self, db: &Connection) -> Result<Vec<Recalled>> {
        // Best first; of equals the newer, then the one recorded later: the same query has the same answer every time.
        let order = |a: &Found, b: &Found| {
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
        for Found { score, ranking, parts } in chosen {
            let Some(episode) = episodes::by_row(db, ranking.row)? else { continue };
            let mut matched_by = fuse::matched_by(parts, self.asked);
            if Tier::of(parts.decay).sleeps() {
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
