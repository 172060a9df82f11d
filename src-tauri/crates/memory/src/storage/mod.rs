//! The two database files: connections, schema, and one module per aggregate.
//!
//! Invariant: one writer with `BEGIN IMMEDIATE` and `synchronous=FULL`; readers cannot write; the files are never
//! attached to each other, because a commit across two files in WAL mode is not atomic.

pub(crate) mod backup;
pub(crate) mod clear;
pub(crate) mod clock;
pub(crate) mod conflicts;
mod connection;
mod copying;
pub(crate) mod count;
pub(crate) mod deletions;
pub(crate) mod episode_counts;
pub(crate) mod episodes;
pub(crate) mod erasures;
pub(crate) mod eviction;
pub(crate) mod evidence;
pub(crate) mod feedback;
pub(crate) mod files;
pub(crate) mod followed;
pub(crate) mod influences;
pub(crate) mod lines;

mod log;
pub(crate) mod maintenance;
pub(crate) mod models;
pub(crate) mod names;
pub(crate) mod origins;
mod part_log;
pub(crate) mod projects;
pub(crate) mod remarks;
pub(crate) mod rules;
pub(crate) mod runs;
mod schema;
pub(crate) mod settings;
pub(crate) mod skill_usage;
mod stored;
pub(crate) mod style_vectors;
pub(crate) mod support;
mod thinning;
pub(crate) mod tombstones;
pub(crate) mod traces;
pub(crate) mod vectors;
pub(crate) mod words;

pub(crate) use connection::{Database, Ending, Reader, Tx};
pub(crate) use part_log::PartLog;
pub(crate) use schema::Schema;

use rusqlite::types::FromSqlError;
use serde::{
    Serialize,
    de::{DeserializeOwned, IntoDeserializer, value::StrDeserializer},
};

use crate::error::{Code, Error, Result};

/// The kind of text behind an index row. Each kind is indexed apart: most recalls need only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// An episode with its texts.
    Episode,
    /// The summary of a compressed episode.
    Summary,
}

impl Owner {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Episode, Self::Summary];

    /// The kind for a compressed episode, or one that is not.
    #[must_use]
    pub fn of(compressed: bool) -> Self {
        if compressed { Self::Summary } else { Self::Episode }
    }

    /// The name in the column `owner_kind`.
    fn name(self) -> &'static str {
        match self {
            Self::Episode => "episode",
            Self::Summary => "summary",
        }
    }
}

/// The wire name of an enum of the domain, which is also its stored name.
fn name_of<T: Serialize>(value: &T) -> Result<String> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => Ok(name),
        _ => Err(Error::new(Code::StoreUnavailable, "a value without a name")),
    }
}

/// Parses an enum from the wire name in a column.
fn named<T: DeserializeOwned>(name: &str) -> Result<T, rusqlite::Error> {
    let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
    T::deserialize(name).map_err(|_| FromSqlError::InvalidType.into())
}

/// A list or record as JSON text.
fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(Code::StoreUnavailable, "a value that cannot be stored").caused_by(error))
}

/// Parses the JSON of a column.
fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, rusqlite::Error> {
    serde_json::from_str(text).map_err(|_| FromSqlError::InvalidType.into())
}
