//! The log: one JSON object per event, on standard error.
//!
//! A field is a number, a name of this program or an id that the server made, by its type: no text of a request can
//! become one.

use std::io::{self, Write};

use tokio_postgres::error::SqlState;
use uuid::Uuid;

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Field {
    Name(&'static str),
    Count(u64),
    Milliseconds(f64),
    Id(Uuid),
    /// The five characters of an error code of PostgreSQL.
    SqlState([u8; 5]),
}

impl Field {
    pub(crate) fn sql_state(state: &SqlState) -> Self {
        let mut code = [b'?'; 5];
        for (to, from) in code.iter_mut().zip(state.code().bytes().filter(u8::is_ascii_alphanumeric)) {
            *to = from;
        }
        Self::SqlState(code)
    }

    fn to_json(self) -> serde_json::Value {
        match self {
            Self::Name(name) => name.into(),
            Self::Count(count) => count.into(),
            Self::Milliseconds(time) => ((time * 10.0).round() / 10.0).into(),
            Self::Id(id) => id.to_string().into(),
            Self::SqlState(code) => String::from_utf8_lossy(&code).into_owned().into(),
        }
    }
}

/// Writes an event.
pub(crate) fn log(event: &'static str, fields: &[(&'static str, Field)]) {
    let mut line = serde_json::Map::new();
    line.insert("at".to_owned(), jiff::Timestamp::now().to_string().into());
    line.insert("event".to_owned(), event.into());
    line.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), value.to_json())));
    let mut line = serde_json::Value::Object(line).to_string();
    line.push('\n');
    // Standard error may be closed; serving goes on.
    io::stderr().write_all(line.as_bytes()).ok();
}
