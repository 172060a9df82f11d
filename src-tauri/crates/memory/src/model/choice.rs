//! The writer's choice among candidates.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};

/// The `selectedIndex` of [`Choice::AllRejected`].
const ALL_REJECTED: i32 = -1;

/// The writer's choice among the candidates of a generation. On the wire and in columns it is `selectedIndex`: an index
/// into the candidates, or -1 when all were rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "i32", into = "i32")]
pub enum Choice {
    /// The candidate with this index was taken.
    Taken(u16),
    /// All candidates were rejected, or there were none.
    AllRejected,
}

impl Choice {
    /// Index of the taken candidate.
    #[must_use]
    pub fn taken(self) -> Option<usize> {
        match self {
            Self::Taken(index) => Some(index.into()),
            Self::AllRejected => None,
        }
    }
}

/// Refuses a number below -1 or above 65,535.
impl TryFrom<i32> for Choice {
    type Error = &'static str;

    fn try_from(index: i32) -> Result<Self, Self::Error> {
        match u16::try_from(index) {
            Ok(index) => Ok(Self::Taken(index)),
            Err(_) if index == ALL_REJECTED => Ok(Self::AllRejected),
            Err(_) => Err("neither an index nor -1"),
        }
    }
}

impl From<Choice> for i32 {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Taken(index) => index.into(),
            Choice::AllRejected => ALL_REJECTED,
        }
    }
}

impl ToSql for Choice {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(i32::from(*self).into())
    }
}

impl FromSql for Choice {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let index = i32::column_result(value)?;
        Self::try_from(index).map_err(|_| FromSqlError::OutOfRange(index.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_an_index_or_minus_one_on_the_wire_and_in_columns() {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        for (choice, index) in [(Choice::Taken(0), 0), (Choice::Taken(15), 15), (Choice::AllRejected, -1)] {
            assert_eq!(serde_json::to_string(&choice).unwrap(), index.to_string());
            assert_eq!(serde_json::from_str::<Choice>(&index.to_string()).unwrap(), choice);
            let (kind, read): (String, Choice) =
                db.query_row("SELECT typeof(?1), ?1", [choice], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            assert_eq!((kind.as_str(), read), ("integer", choice));
        }
        for refused in ["-2", "65536", "\"0\""] {
            assert!(serde_json::from_str::<Choice>(refused).is_err(), "{refused}");
        }
        assert!(db.query_row("SELECT -2", [], |row| row.get::<_, Choice>(0)).is_err());
    }
}
