//! Recall: the three to five episodes that bear on the passage at hand, and why.

use std::collections::HashMap;

use rusqlite::Connection;

use super::decay::{Life, Tier, decay};
use crate::{
    error::Result,
    model::{EpisodeQuery, Recalled, Time},
    retrieval::fuse::{self, Asked, Signals},
    storage::{
        episodes::{self, Ranking},
        words,
    },
};

/// How many are returned when nobody says.
pub const DEFAULT_LIMIT: u32 = 5;
/// How many each way of searching may bring.
const POOL: u32 = 100;
/// Below this relevance an episode has nothing to say here.
const RELEVANT: f64 = 0.15;
/// With fewer relevant episodes awake than this, sleeping ones are asked too.
const ENOUGH_AWAKE: usize = 3;

struct Candidate {
    ranking: Ranking,
    words: Option<f64>,
}

/// The episodes of a book that bear on the query, best first.
///
/// # Errors
/// Those of the store.
pub fn recall(db: &Connection, query: &EpisodeQuery, now: Time) -> Result<Vec<Recalled>> {
    let text = query.query_text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let asked = Asked { words: text.is_some(), scene: query.scene_type.is_some(), skill: query.skill_used.is_some() };
    let candidates = gather(db, query, text)?;

    let mut awake = Vec::new();
    let mut sleeping = Vec::new();
    for candidate in candidates {
        let signals = signals_of(&candidate, query, now);
        if fuse::relevance(signals, asked) < RELEVANT {
            continue;
        }
        let list = if Tier::of(signals.decay).sleeps() { &mut sleeping } else { &mut awake };
        list.push((fuse::score(signals, asked), candidate.ranking.created_at, candidate.ranking.row, signals));
    }
    // Best first; of equals the newer, then the one recorded later: the same query has the same answer every time.
    let order = |a: &(f64, Time, i64, Signals), b: &(f64, Time, i64, Signals)| {
        b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.cmp(&a.2))
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
    for ((score, _, row, signals), sleeps) in chosen {
        let Some(episode) = episodes::by_row(db, row)? else {
            continue;
        };
        let mut matched_by = fuse::matched_by(signals, asked);
        if sleeps {
            matched_by.push("sleeping".into());
        }
        recalled.push(Recalled { episode, score, matched_by });
    }
    Ok(recalled)
}

/// Everything that may be relevant: what shares words, and the newest of the scene or of the book.
fn gather(db: &Connection, query: &EpisodeQuery, text: Option<&str>) -> Result<Vec<Candidate>> {
    let mut found: HashMap<i64, Candidate> = HashMap::new();
    if let Some(text) = text {
        let matches = words::search(db, &query.project_id, text, POOL)?;
        let best = matches.iter().map(|m| m.score).fold(f64::MIN_POSITIVE, f64::max);
        for m in matches {
            if let Some(ranking) = episodes::ranking_of(db, &query.project_id, m.row)? {
                found.insert(m.row, Candidate { ranking, words: Some((m.score / best).clamp(0.0, 1.0)) });
            }
        }
    }
    if text.is_none() || query.scene_type.is_some() {
        for ranking in episodes::newest(db, &query.project_id, query.scene_type.as_deref(), POOL)? {
            found.entry(ranking.row).or_insert(Candidate { ranking, words: None });
        }
    }
    Ok(found.into_values().collect())
}

fn signals_of(candidate: &Candidate, query: &EpisodeQuery, now: Time) -> Signals {
    let ranking = &candidate.ranking;
    let life = Life {
        created_at: ranking.created_at,
        last_recalled_at: ranking.last_recalled_at,
        recall_count: ranking.recall_count,
        importance: ranking.importance,
        user_confirmed: ranking.user_confirmed,
    };
    Signals {
        words: candidate.words,
        scene: query.scene_type.is_some() && ranking.scene_type == query.scene_type,
        skill: query.skill_used.as_deref() == Some(ranking.skill_used.as_str()),
        decay: decay(life, now),
    }
}
