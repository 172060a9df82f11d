//! JSON and names in columns: structs and names of storage's own, apart from those of the wire.
//!
//! Invariant: a version of a struct never changes once a file may hold it, nor does the name of an enum's value. What
//! is renamed on the wire keeps its stored name; a new field makes a new version, which reads the older ones.

use rusqlite::types::FromSqlError;
use serde::{Serialize, de::DeserializeOwned};

use crate::error::{Code, Error, Result};

/// A value that a column holds as JSON, in a form of its own.
pub(crate) trait InColumn: Sized {
    /// Its present stored version.
    type Stored: Serialize + DeserializeOwned;

    /// The value as it is stored.
    fn into_stored(self) -> Self::Stored;

    /// The value that was stored.
    fn from_stored(stored: Self::Stored) -> Self;
}

/// The JSON of a column.
pub(super) fn json<T: InColumn + Clone>(value: &T) -> Result<String> {
    to_json(&value.clone().into_stored())
}

/// Parses the JSON of a column.
pub(super) fn parse<T: InColumn>(text: &str) -> Result<T, rusqlite::Error> {
    Ok(T::from_stored(from_json(text)?))
}

fn to_json<T: Serialize>(stored: &T) -> Result<String> {
    serde_json::to_string(stored)
        .map_err(|error| Error::new(Code::StoreUnavailable, "a value that cannot be stored").caused_by(error))
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, rusqlite::Error> {
    serde_json::from_str(text).map_err(|_| FromSqlError::InvalidType.into())
}

impl InColumn for String {
    type Stored = Self;

    fn into_stored(self) -> Self {
        self
    }

    fn from_stored(stored: Self) -> Self {
        stored
    }
}

impl<T: InColumn> InColumn for Vec<T> {
    type Stored = Vec<T::Stored>;

    fn into_stored(self) -> Self::Stored {
        self.into_iter().map(T::into_stored).collect()
    }

    fn from_stored(stored: Self::Stored) -> Self {
        stored.into_iter().map(T::from_stored).collect()
    }
}

impl<T: InColumn> InColumn for Option<T> {
    type Stored = Option<T::Stored>;

    fn into_stored(self) -> Self::Stored {
        self.map(T::into_stored)
    }

    fn from_stored(stored: Self::Stored) -> Self {
        stored.map(T::from_stored)
    }
}

/// A stored struct with the conversions from and into its model. The order of the fields is that of the JSON: traces
/// and measurements are sealed over it. A field with `in` is itself stored in a struct or by a name of storage's own.
macro_rules! stored {
    ($(#[$doc:meta])* $stored:ident of $model:ident {
        $($(#[$attribute:meta])* $field:ident $(in $inner:ty)? $(: $plain:ty)?,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $stored {
            $($(#[$attribute])* $field: stored!(@type $(in $inner)? $($plain)?),)*
        }

        impl From<$model> for $stored {
            fn from(model: $model) -> Self {
                Self { $($field: stored!(@into model.$field, $(in $inner)? $($plain)?),)* }
            }
        }

        impl From<$stored> for $model {
            fn from(stored: $stored) -> Self {
                Self { $($field: stored!(@from stored.$field, $(in $inner)? $($plain)?),)* }
            }
        }

        impl InColumn for $model {
            type Stored = $stored;

            fn into_stored(self) -> $stored {
                self.into()
            }

            fn from_stored(stored: $stored) -> Self {
                stored.into()
            }
        }
    };
    (@type in $inner:ty) => { <$inner as InColumn>::Stored };
    (@type $plain:ty) => { $plain };
    (@into $value:expr, in $inner:ty) => { <$inner>::into_stored($value) };
    (@into $value:expr, $plain:ty) => { $value.into() };
    (@from $value:expr, in $inner:ty) => { <$inner>::from_stored($value) };
    (@from $value:expr, $plain:ty) => { $value.into() };
}

mod answers;
mod names;
mod program;
mod rules;
mod story;
mod traces;

pub(crate) use names::StoredName;
pub(super) use names::{name_of, parse_enum};
pub(super) use rules::read_rule;
pub(super) use traces::read_reasons;

#[cfg(test)]
mod tests;
