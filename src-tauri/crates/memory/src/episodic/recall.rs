//! Recall: the three to five episodes that bear on the passage at hand, and why.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::decay::{Life, Tier, decay};
use crate::{
    error::Result,
    model::{Components, EpisodeQuery, Recalled, Time},
    retrieval::{
        fuse::{self, Asked},
        lexical::{self, Frequencies},
        meaning::{self, Similarity},
    },
    storage::{
        episodes::{self, Ranking},
        lives, words,
    },
};

/// How many are returned when nobody says.
pub const DEFAULT_LIMIT: u32 = 5;
/// How many candidates words may bring, and how many meaning, at the least.
const POOL: usize = 40;
/// How many candidates the scene, or with nothing to compare with the whole book, may bring: the newest.
const NEWEST: u32 = 20;
/// With fewer relevant episodes awake than this, sleeping ones are asked too.
const ENOUGH_AWAKE: usize = 3;

/// A recall, and what was searched for it.
pub struct Recall<'a> {
    /// What to recall.
    pub query: &'a EpisodeQuery,
    /// The rows that share words with it; `None` without a text or an index.
    pub words: Option<Words>,
    /// The similarity of every episode to the query; `None` while meaning is not searched.
    pub similar: Option<Vec<Similarity>>,
    /// The time that decay is computed for.
    pub now: Time,
    /// Whether those of which only a summary is left may come too.
    pub summaries: Summaries,
}

/// What is to become of episodes of which only a summary is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summaries {
    /// They can be found, and are labelled.
    Found,
    /// They are left out: a prompt wants examples.
    LeftOut,
}

/// Candidates that are looked at instead of each one that is wanted where summaries are left out: of a full book five in
/// six are summaries.
const LEFT_OUT_FOR_ONE: usize = 4;

/// What the index of words found, and the means to score more.
pub struct Words {
    query: lexical::Query,
    /// The rows that were found, each with its score.
    found: HashMap<i64, f64>,
}

impl Words {
    fn score(&self, db: &Connection, project_id: &str, row: i64) -> Result<f64> {
        match self.found.get(&row) {
            Some(score) => Ok(*score),
            None => score(db, project_id, row, &self.query),
        }
    }
}

fn score(db: &Connection, project_id: &str, row: i64, query: &lexical::Query) -> Result<f64> {
    Ok(words::with_codes(db, project_id, row, |codes| query.score(codes))?.unwrap_or(0.0))
}

/// Searches the index of words.
///
/// # Errors
/// Those of the store.
pub fn search_words(
    db: &Connection,
    query: &EpisodeQuery,
    frequencies: &Frequencies,
    summaries: Summaries,
) -> Result<Option<Words>> {
    let Some(text) = text_of(query) else { return Ok(None) };
    let project = &query.project_id;
    let Some(lexical) = lexical::Query::new(db, project, text, frequencies)? else { return Ok(None) };
    let mut rows = lexical.search(db, pool(db, query, summaries)?)?;
    if summaries == Summaries::LeftOut {
        let whole =
            rows.into_iter().map(|row| Ok(episodes::ranking_of(db, project, row)?.filter(|one| !one.compressed)));
        let whole: Vec<Option<Ranking>> = whole.collect::<Result<_>>()?;
        rows = whole.into_iter().flatten().map(|ranking| ranking.row).collect();
    }
    let scored = rows.into_iter().map(|row| Ok((row, score(db, project, row, &lexical)?)));
    let found = scored.collect::<Result<_>>()?;
    Ok(Some(Words { query: lexical, found }))
}

/// How many candidates words may bring, and how many meaning: a few times as many as are wanted.
fn pool(db: &Connection, query: &EpisodeQuery, summaries: Summaries) -> Result<usize> {
    let pool = POOL.max(query.limit.unwrap_or(DEFAULT_LIMIT) as usize);
    if summaries == Summaries::LeftOut && lives::counts(db, &query.project_id)?.compressed > 0 {
        return Ok(pool * LEFT_OUT_FOR_ONE);
    }
    Ok(pool)
}

struct Found {
    score: f64,
    ranking: Ranking,
    parts: Components,
}

/// The text that a query compares with, if it says anything.
#[must_use]
pub fn text_of(query: &EpisodeQuery) -> Option<&str> {
    query.query_text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

impl Recall<'_> {
    /// The episodes of the book that bear on the query, best first.
    ///
    /// # Errors
    /// Those of the store.
    pub fn run(&self, db: &Connection) -> Result<Vec<Recalled>> {
        let query = self.query;
        let text = text_of(query);
        let asked =
            Asked { text: text.is_some(), scene: query.scene_type.is_some(), skill: query.skill_used.is_some() };

        let (mut awake, mut sleeping) = (Vec::new(), Vec::new());
        for found in self.candidates(db, text, asked)? {
            if fuse::is_relevant(found.parts, asked) {
                let list = if Tier::of(found.parts.decay).sleeps() { &mut sleeping } else { &mut awake };
                list.push(found);
            }
        }
        // Best first; of equals the newer, then the one recorded later: the same query has the same answer every time.
        let order = |a: &Found, b: &Found| {
            b.score
                .total_cmp(&a.score)
                .then(b.ranking.created_at.cmp(&a.ranking.created_at))
                .then(b.ranking.row.cmp(&a.ranking.row))
        };
        awake.sort_by(order);
        sleeping.sort_by(order);

        let limit = query.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        let sleepers = if awake.len() < ENOUGH_AWAKE.min(limit) { limit.saturating_sub(awake.len()) } else { 0 };
        let chosen = awake
            .into_iter()
            .take(limit)
            .map(|found| (found, false))
            .chain(sleeping.into_iter().take(sleepers).map(|found| (found, true)));

        let mut recalled = Vec::new();
        for (found, sleeps) in chosen {
            let Some(episode) = episodes::by_row(db, found.ranking.row)? else { continue };
            let mut matched_by = fuse::matched_by(found.parts, asked);
            if sleeps {
                matched_by.push("sleeping".into());
            }
            if found.ranking.compressed {
                matched_by.push("compressed".into());
            }
            recalled.push(Recalled { episode, score: found.score, matched_by, components: found.parts });
        }
        Ok(recalled)
    }

    /// Everything that may be relevant, scored: what shares words, what means the same, and the newest of the scene.
    fn candidates(&self, db: &Connection, text: Option<&str>, asked: Asked) -> Result<Vec<Found>> {
        let project = &self.query.project_id;
        let mut rows: HashSet<i64> = HashSet::new();
        if let Some(words) = &self.words {
            rows.extend(words.found.keys());
        }
        if let Some(similar) = &self.similar {
            rows.extend(meaning::nearest(similar, pool(db, self.query, self.summaries)?).iter().map(|near| near.row));
        }
        let mut rankings: HashMap<i64, Ranking> = HashMap::new();
        if text.is_none() || asked.scene {
            let newest = episodes::newest(db, project, self.query.scene_type.as_deref(), NEWEST)?;
            rankings.extend(newest.into_iter().map(|ranking| (ranking.row, ranking)));
        }
        for row in rows {
            if !rankings.contains_key(&row)
                && let Some(ranking) = episodes::ranking_of(db, project, row)?
            {
                rankings.insert(row, ranking);
            }
        }
        rankings
            .into_values()
            .filter(|ranking| self.summaries == Summaries::Found || !ranking.compressed)
            .map(|ranking| {
                let words = match &self.words {
                    Some(words) => words.score(db, project, ranking.row)?,
                    None => 0.0,
                };
                let parts = Components {
                    words,
                    meaning: self.similar.as_deref().map(|similar| meaning::of_row(similar, ranking.row)),
                    scene: asked.scene && ranking.scene_type == self.query.scene_type,
                    skill: self.query.skill_used.as_deref() == Some(ranking.skill_used.as_str()),
                    decay: decay(life_of(&ranking), self.now),
                };
                Ok(Found { score: fuse::score(parts, asked), ranking, parts })
            })
            .collect()
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
