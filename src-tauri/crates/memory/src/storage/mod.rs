//! The two database files: connections, schema, and one module per aggregate.
//!
//! Invariant: one writer with `BEGIN IMMEDIATE` and `synchronous=FULL`; readers cannot write; the files are never
//! attached to each other, because a commit across two files in WAL mode is not atomic.

pub mod backup;
pub mod clear;
pub mod clock;
pub mod conflicts;
mod connection;
mod copying;
pub mod count;
pub mod deletions;
pub mod episode_counts;
pub mod episodes;
pub mod erasures;
pub mod eviction;
pub mod evidence;
pub mod feedback;
pub mod files;
pub mod followed;
pub mod influences;
pub mod lines;

mod log;
pub mod maintenance;
pub mod models;
pub mod names;
pub mod origins;
mod part_log;
pub mod projects;
pub mod remarks;
pub mod rules;
pub mod runs;
mod schema;
pub mod settings;
pub mod skill_usage;
mod stored;
pub mod style_vectors;
pub mod support;
mod thinning;
pub mod tombstones;
pub mod traces;
pub mod vectors;
pub mod words;

pub use connection::{Database, Reader, Tx};
pub use part_log::PartLog;
pub use schema::Schema;

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
