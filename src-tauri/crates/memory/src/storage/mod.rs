//! The two database files: connections, schema, and one module per aggregate.
//!
//! Invariant: one writer with `BEGIN IMMEDIATE` and `synchronous=FULL`; readers cannot write; the files are never
//! attached to each other, because a commit across two files in WAL mode is not atomic.

pub(crate) mod answer_basis;
pub(crate) mod answer_citations;
pub(crate) mod answer_events;
pub(crate) mod answer_insertions;
pub(crate) mod answer_outbox;
pub(crate) mod answer_runs;
pub(crate) mod answers;
pub(crate) mod backends;
pub(crate) mod backup;
pub(crate) mod clear;
pub(crate) mod clock;
mod columns;
pub(crate) mod compared_pairs;
pub(crate) mod conflicts;
mod connection;
pub(crate) mod continuity;
mod copying;
pub(crate) mod count;
pub(crate) mod deletions;
pub(crate) mod entities;
pub(crate) mod episode_counts;
pub(crate) mod episodes;
pub(crate) mod erasures;
pub(crate) mod eviction;
pub(crate) mod evidence;
pub(crate) mod facts;
pub(crate) mod failures;
pub(crate) mod feedback;
pub(crate) mod files;
pub(crate) mod followed;
pub(crate) mod influences;
pub(crate) mod journal;
pub(crate) mod journal_heads;
pub(crate) mod knowledge_settings;
pub(crate) mod lines;

mod log;
pub(crate) mod maintenance;
pub(crate) mod models;
pub(crate) mod names;
pub(crate) mod origins;
mod part_log;
pub(crate) mod passages;
pub(crate) mod practices;
pub(crate) mod projects;
pub(crate) mod proposed_facts;
pub(crate) mod questions;
pub(crate) mod readable;
pub(crate) mod remarks;
pub(crate) mod rules;
pub(crate) mod runs;
#[cfg(test)]
mod samples;
mod schema;
pub(crate) mod settings;
pub(crate) mod skill_usage;
pub(crate) mod sources;
mod stored;
pub(crate) mod story_changes;
pub(crate) mod studied_records;
pub(crate) mod study;
pub(crate) mod style_vectors;
pub(crate) mod support;
pub(crate) mod tagged_passages;
mod thinning;
pub(crate) mod tombstones;
pub(crate) mod traces;
pub(crate) mod vectors;
pub(crate) mod words;

pub(crate) use connection::{Database, Ending, Reader, Tx};
pub(crate) use part_log::PartLog;
pub(crate) use schema::Schema;

use stored::{name_of, parse_enum};

/// The first half of the BLAKE3 hash of a text.
pub(crate) type TextHash = [u8; 16];

/// The hash of a text by which an unchanged one is recognized.
pub(crate) fn text_hash(text: &str) -> TextHash {
    let mut half = TextHash::default();
    half.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    half
}
