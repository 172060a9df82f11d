//! Making room: which episodes are compressed or deleted, by age and by capacity.
//!
//! Invariant: what the writer confirmed is neither compressed nor deleted; only what is compressed is deleted; never
//! what a confirmed rule cites as its only support.

use std::collections::HashSet;

use rusqlite::Connection;

use super::{
    compress::{self, Kept},
    decay::{Life, Tier, decay},
    limits::{FULL_FOR, Limits, SUMMARY_FOR},
    style::{self, Measured, Part},
};
use crate::{
    error::{Code, Error, Result},
    model::{Episode, Language, Time},
    storage::{
        Tx,
        lives::{self, Candidate, Numbers, Rest},
    },
};

/// Episodes that one write takes out of a book that is too full at most: a file from elsewhere may be far too full, and
/// the writer does not wait for all of it.
const MADE_ROOM_FOR: usize = 4;

/// Episodes that confirmed rules cite as their only support. `None` while nobody can tell: then nothing is deleted.
pub type Cited = Option<HashSet<String>>;

/// The state of an episode for good: its score only falls from here on, unless it is used.
fn life(one: &Candidate) -> Life {
    Life {
        created_at: one.used_at,
        last_recalled_at: None,
        recall_count: one.recall_count,
        importance: one.importance,
        user_confirmed: false,
    }
}

/// Whether an episode has lived with its texts for long enough.
fn has_faded(one: &Candidate, now: Time) -> bool {
    Tier::of(decay(life(one), now)).sleeps() || one.used_at.plus_millis(FULL_FOR) < now
}

/// Up to `limit` episodes of a book that are to be compressed, the least recently used first: those that have faded, and
/// as many more as the book has above the soft capacity.
///
/// # Errors
/// Those of the store.
pub fn to_compress(db: &Connection, project_id: &str, limits: &Limits, now: Time, limit: usize) -> Result<Vec<String>> {
    let mut over = lives::counts(db, project_id)?.active.saturating_sub(limits.soft_active);
    let mut found = Vec::new();
    lives::each_by_use(db, project_id, false, |one| {
        if found.len() >= limit {
            return false;
        }
        let faded = has_faded(&one, now);
        // Even a single unused moment fades nothing that is fresher than this one: the rest is used more recently.
        let fresh = decay(Life { recall_count: 0, importance: 0.0, ..life(&one) }, now);
        if faded || over > 0 {
            over = over.saturating_sub(1);
            found.push(one.id);
        }
        over > 0 || Tier::of(fresh).sleeps()
    })?;
    Ok(found)
}

/// Up to `limit` compressed episodes of a book that are to be deleted: those whose time is over, and as many more as the
/// book has above the soft capacity, the least recently used first.
///
/// # Errors
/// Those of the store.
pub fn to_delete(
    db: &Connection,
    project_id: &str,
    limits: &Limits,
    cited: &HashSet<String>,
    now: Time,
    limit: usize,
) -> Result<Vec<String>> {
    let over = lives::counts(db, project_id)?.compressed.saturating_sub(limits.soft_compressed) as usize;
    choose_compressed(db, project_id, cited, now, over, limit)
}

/// Compressed ones whose time is over, then others until `enough` are found; never more than `limit`.
fn choose_compressed(
    db: &Connection,
    project_id: &str,
    cited: &HashSet<String>,
    now: Time,
    enough: usize,
    limit: usize,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    lives::each_by_compression(db, project_id, |one| {
        let over = one.compressed_at.is_some_and(|at| at.plus_millis(SUMMARY_FOR) < now);
        if over && found.len() < limit && !cited.contains(&one.id) {
            found.push(one.id);
        }
        over && found.len() < limit
    })?;
    let enough = enough.min(limit);
    if found.len() < enough {
        let expired: HashSet<String> = found.iter().cloned().collect();
        lives::each_by_use(db, project_id, true, |one| {
            if !cited.contains(&one.id) && !expired.contains(&one.id) {
                found.push(one.id);
            }
            found.len() < enough
        })?;
    }
    Ok(found)
}

/// Makes room for one more episode where a book has reached a hard capacity, in the write that brings it. Says which
/// rows are gone, for what is kept of them in memory.
///
/// # Errors
/// `MEMORY_CAPACITY_EXCEEDED` when everything that could make room is protected; those of the store.
pub fn make_room(
    tx: &Tx<'_>,
    project_id: &str,
    language: Language,
    limits: &Limits,
    cited: &Cited,
    now: Time,
) -> Result<Vec<i64>> {
    let mut gone = Vec::new();
    let counts = lives::counts(tx, project_id)?;
    let mut too_many = (counts.active + 1).saturating_sub(limits.hard_active) as usize;
    if too_many == 0 {
        return Ok(gone);
    }
    too_many = too_many.min(MADE_ROOM_FOR);
    let mut coldest = Vec::new();
    lives::each_by_use(tx, project_id, false, |one| {
        coldest.push(one.id);
        coldest.len() < too_many
    })?;
    if coldest.is_empty() {
        return Err(full());
    }
    // Compressing fills the other capacity.
    let above = (counts.compressed as usize + coldest.len()).saturating_sub(limits.hard_compressed as usize);
    if above > 0
        && let Some(cited) = cited
    {
        let victims =
            choose_compressed(tx, project_id, cited, now, above.min(MADE_ROOM_FOR), above.min(MADE_ROOM_FOR))?;
        if victims.is_empty() {
            return Err(full());
        }
        coldest.truncate(victims.len());
        for id in victims {
            gone.extend(lives::evict(tx, project_id, &id)?);
        }
    }
    for id in coldest {
        let Some((episode, _)) = lives::get(tx, &id)? else { continue };
        let prepared = prepare(tx, &episode, language)?;
        gone.extend(put(tx, &episode, &prepared, now)?);
    }
    Ok(gone)
}

fn full() -> Error {
    Error::new(Code::CapacityExceeded, "this book's memory is full, and everything that could make room is kept")
}

/// What is to become of an episode.
#[derive(Debug)]
pub struct Prepared {
    kept: Kept,
    /// Measured now, where it had not been when it was recorded.
    new: Vec<Measured>,
}

/// Everything about compressing an episode that needs no transaction.
///
/// # Errors
/// Those of the store.
pub fn prepare(db: &Connection, episode: &Episode, language: Language) -> Result<Prepared> {
    let known = measured(db, episode)?;
    let new = if known.is_empty() { style::measure(episode, language) } else { Vec::new() };
    let kept = compress::compress(episode, if known.is_empty() { &new } else { &known }, language);
    Ok(Prepared { kept, new })
}

/// Compresses an episode that is still as it was when it was prepared; says which row it had.
///
/// # Errors
/// Those of the store.
pub fn put(tx: &Tx<'_>, episode: &Episode, prepared: &Prepared, now: Time) -> Result<Option<i64>> {
    let Kept { summary, draft, written } = &prepared.kept;
    let row = lives::compress(tx, episode, &Rest { summary, draft, written }, now)?;
    if row.is_some() {
        keep_measured(tx, episode, &prepared.new)?;
    }
    Ok(row)
}

/// Keeps the numbers of an episode's style.
///
/// # Errors
/// Those of the store.
pub fn keep_measured(tx: &Tx<'_>, episode: &Episode, measured: &[Measured]) -> Result<()> {
    for one in measured {
        let (kind, part) = match one.part {
            Part::Candidate(n) => ("candidate", n),
            Part::Final => ("final", 0),
            Part::Input => ("input", 0),
        };
        let (version, language, numbers) = (one.version, one.language, one.numbers.clone());
        let new = Numbers { kind: kind.to_owned(), part, version, language, numbers };
        lives::put_numbers(tx, &episode.project_id, &episode.id, &new)?;
    }
    Ok(())
}

/// The numbers of an episode's style that were kept.
///
/// # Errors
/// Those of the store.
pub fn measured(db: &Connection, episode: &Episode) -> Result<Vec<Measured>> {
    let kept = lives::numbers(db, &episode.project_id, &episode.id)?;
    let part = |one: &Numbers| match one.kind.as_str() {
        "final" => Part::Final,
        "input" => Part::Input,
        _ => Part::Candidate(one.part),
    };
    Ok(kept
        .into_iter()
        .map(|one| Measured { part: part(&one), version: one.version, language: one.language, numbers: one.numbers })
        .collect())
}

#[cfg(test)]
mod tests;
