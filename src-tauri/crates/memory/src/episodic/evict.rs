//! Eviction: which episodes are compressed or deleted, by age and by capacity.
//!
//! Invariant: pinned episodes are neither compressed nor deleted; only compressed episodes are deleted; never the only
//! support of a confirmed rule.

use std::collections::HashSet;

use rusqlite::Connection;

use super::{
    compress::{self, Retained},
    decay::{Life, Tier, decay},
    limits::{Limits, MAX_UNUSED_MILLIS, SUMMARY_RETENTION_MILLIS},
    style::{self, Measured, Part},
};
use crate::{
    error::{Code, Error, Result},
    model::{Episode, EpisodeId, Language, ProjectId, Time},
    storage::{
        Tx, episode_counts, episodes,
        eviction::{self, Candidate, Rest},
        style_vectors::{self, StyleVector},
    },
};

/// Maximum episodes that one write evicts from a project above its capacity: an imported file may be far above, and the
/// writer must not wait for all of it.
const MAX_EVICTED_PER_WRITE: usize = 4;

/// Episodes that are the only support of a confirmed rule. `None` while that is unknown: then nothing is deleted.
pub type Cited = Option<HashSet<EpisodeId>>;

/// The inputs of the decay score of an episode: the score only decreases until it is used again.
fn life(one: &Candidate) -> Life {
    Life {
        created_at: one.used_at,
        last_recalled_at: None,
        recall_count: one.recall_count,
        importance: one.importance,
        user_confirmed: false,
    }
}

/// Whether an episode is due for compression: its score has faded, or it was unused for the maximum time.
fn has_faded(one: &Candidate, now: Time) -> bool {
    Tier::from_score(decay(life(one), now)).sleeps() || one.used_at.plus_millis(MAX_UNUSED_MILLIS) < now
}

/// Up to `limit` episodes of a project to compress, the least recently used first: the faded ones, and as many more as
/// the project has above the soft capacity.
///
/// # Errors
/// Those of the store.
pub fn to_compress(
    db: &Connection,
    project_id: &ProjectId,
    limits: &Limits,
    now: Time,
    limit: usize,
) -> Result<Vec<EpisodeId>> {
    let mut over = episode_counts::counts(db, project_id)?.active.saturating_sub(limits.soft_active);
    let mut found = Vec::new();
    eviction::each_by_use(db, project_id, false, |one| {
        if found.len() >= limit {
            return false;
        }
        let faded = has_faded(&one, now);
        // The lowest possible score at this age. If it has not faded, no later episode has: they were used more
        // recently.
        let fresh = decay(Life { recall_count: 0, importance: 0.0, ..life(&one) }, now);
        if faded || over > 0 {
            over = over.saturating_sub(1);
            found.push(one.id);
        }
        over > 0 || Tier::from_score(fresh).sleeps()
    })?;
    Ok(found)
}

/// Up to `limit` compressed episodes of a project to delete: the expired ones, and as many more as the project has
/// above the soft capacity, the least recently used first.
///
/// # Errors
/// Those of the store.
pub fn to_delete(
    db: &Connection,
    project_id: &ProjectId,
    limits: &Limits,
    cited: &HashSet<EpisodeId>,
    now: Time,
    limit: usize,
) -> Result<Vec<EpisodeId>> {
    let over = episode_counts::counts(db, project_id)?.compressed.saturating_sub(limits.soft_compressed) as usize;
    choose_compressed(db, project_id, cited, now, over, limit)
}

/// Expired compressed episodes, then others until `enough` are found; never more than `limit`.
fn choose_compressed(
    db: &Connection,
    project_id: &ProjectId,
    cited: &HashSet<EpisodeId>,
    now: Time,
    enough: usize,
    limit: usize,
) -> Result<Vec<EpisodeId>> {
    let mut found = Vec::new();
    eviction::each_by_compression(db, project_id, |one| {
        let over = one.compressed_at.is_some_and(|at| at.plus_millis(SUMMARY_RETENTION_MILLIS) < now);
        if over && found.len() < limit && !cited.contains(&one.id) {
            found.push(one.id);
        }
        over && found.len() < limit
    })?;
    let enough = enough.min(limit);
    if found.len() < enough {
        let expired: HashSet<EpisodeId> = found.iter().cloned().collect();
        eviction::each_by_use(db, project_id, true, |one| {
            if !cited.contains(&one.id) && !expired.contains(&one.id) {
                found.push(one.id);
            }
            found.len() < enough
        })?;
    }
    Ok(found)
}

/// Evicts episodes of a project at a hard capacity, in the write that adds one. Returns the deleted rows, so that the
/// caller removes them from memory.
///
/// # Errors
/// `MEMORY_CAPACITY_EXCEEDED` when all candidates are protected; those of the store.
pub fn make_room(
    tx: &Tx<'_>,
    project_id: &ProjectId,
    language: Language,
    limits: &Limits,
    cited: &Cited,
    now: Time,
) -> Result<Vec<i64>> {
    let mut removed_rows = Vec::new();
    let counts = episode_counts::counts(tx, project_id)?;
    let mut too_many = (counts.active + 1).saturating_sub(limits.hard_active) as usize;
    if too_many == 0 {
        return Ok(removed_rows);
    }
    too_many = too_many.min(MAX_EVICTED_PER_WRITE);
    let mut coldest = Vec::new();
    eviction::each_by_use(tx, project_id, false, |one| {
        coldest.push(one.id);
        coldest.len() < too_many
    })?;
    if coldest.is_empty() {
        return Err(full());
    }
    // Compressing an episode may exceed the other capacity.
    let above = (counts.compressed as usize + coldest.len()).saturating_sub(limits.hard_compressed as usize);
    if above > 0
        && let Some(cited) = cited
    {
        let victims = choose_compressed(
            tx,
            project_id,
            cited,
            now,
            above.min(MAX_EVICTED_PER_WRITE),
            above.min(MAX_EVICTED_PER_WRITE),
        )?;
        if victims.is_empty() {
            return Err(full());
        }
        coldest.truncate(victims.len());
        for id in victims {
            removed_rows.extend(eviction::evict(tx, project_id, &id)?);
        }
    }
    for id in coldest {
        let Some((episode, _)) = episodes::get(tx, &id)? else { continue };
        let prepared = prepare(tx, &episode, language)?;
        removed_rows.extend(compress(tx, &episode, &prepared, now)?);
    }
    Ok(removed_rows)
}

fn full() -> Error {
    Error::new(Code::CapacityExceeded, "this book's memory is full, and everything that could make room is kept")
}

/// The prepared compression of an episode.
#[derive(Debug)]
pub struct Prepared {
    retained: Retained,
    /// Style vectors computed now, if they were not when it was recorded.
    new: Vec<Measured>,
}

/// The part of a compression that needs no transaction.
///
/// # Errors
/// Those of the store.
pub fn prepare(db: &Connection, episode: &Episode, language: Language) -> Result<Prepared> {
    let known = measured(db, episode)?;
    let new = if known.is_empty() { style::measure(episode, language) } else { Vec::new() };
    let retained = compress::compress(episode, if known.is_empty() { &new } else { &known }, language);
    Ok(Prepared { retained, new })
}

/// Compresses an episode that has not changed since it was prepared; returns its former row.
///
/// # Errors
/// Those of the store.
pub fn compress(tx: &Tx<'_>, episode: &Episode, prepared: &Prepared, now: Time) -> Result<Option<i64>> {
    let Retained { summary, draft, written } = &prepared.retained;
    let row = eviction::compress(tx, episode, &Rest { summary, draft, written }, now)?;
    if row.is_some() {
        store_measured(tx, episode, &prepared.new)?;
    }
    Ok(row)
}

/// Stores the style vectors of an episode.
///
/// # Errors
/// Those of the store.
pub fn store_measured(tx: &Tx<'_>, episode: &Episode, measured: &[Measured]) -> Result<()> {
    for one in measured {
        let (kind, part) = match one.part {
            Part::Candidate(n) => ("candidate", n),
            Part::Final => ("final", 0),
            Part::Input => ("input", 0),
        };
        let (version, language, numbers) = (one.version, one.language, one.numbers.clone());
        let new = StyleVector { kind: kind.to_owned(), part, version, language, numbers };
        style_vectors::store(tx, &episode.project_id, &episode.id, &new)?;
    }
    Ok(())
}

/// The stored style vectors of an episode.
///
/// # Errors
/// Those of the store.
pub fn measured(db: &Connection, episode: &Episode) -> Result<Vec<Measured>> {
    let stored = style_vectors::of_episode(db, &episode.project_id, &episode.id)?;
    let part = |one: &StyleVector| match one.kind.as_str() {
        "final" => Part::Final,
        "input" => Part::Input,
        _ => Part::Candidate(one.part),
    };
    Ok(stored
        .into_iter()
        .map(|one| Measured { part: part(&one), version: one.version, language: one.language, numbers: one.numbers })
        .collect())
}

#[cfg(test)]
mod tests;
