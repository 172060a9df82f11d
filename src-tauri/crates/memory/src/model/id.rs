//! Ids of the memory, one type for each kind of thing: a call that swaps two ids does not compile.
//!
//! On the wire, in JSON columns and in SQL an id is a plain string. None of the types dereferences to `str` or borrows
//! as one: [`RuleId::as_str`] is the only way to the text.
//!
//! ```
//! use palimpsest_memory::model::{ProjectId, RuleId};
//!
//! fn rule_of(project_id: &ProjectId, rule_id: &RuleId) {}
//! rule_of(&ProjectId::from("p"), &RuleId::from("r"));
//! ```
//!
//! ```compile_fail,E0308
//! use palimpsest_memory::model::{ProjectId, RuleId};
//!
//! fn rule_of(project_id: &ProjectId, rule_id: &RuleId) {}
//! rule_of(&RuleId::from("r"), &ProjectId::from("p"));
//! ```
//!
//! ```
//! use palimpsest_memory::model::{ChapterId, ProjectId};
//!
//! fn origins(project_id: &ProjectId, chapter_id: &ChapterId) {}
//! origins(&ProjectId::from("p"), &ChapterId::from("c"));
//! ```
//!
//! ```compile_fail,E0308
//! use palimpsest_memory::model::{ChapterId, ProjectId};
//!
//! fn origins(project_id: &ProjectId, chapter_id: &ChapterId) {}
//! origins(&ChapterId::from("c"), &ProjectId::from("p"));
//! ```

use std::fmt;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use specta::Type;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident)*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
            #[serde(transparent)]
            #[specta(inline)]
            pub struct $name(String);

            impl $name {
                /// The text of the id.
                #[must_use]
                pub fn as_str(&self) -> &str {
                    &self.0
                }
            }

            impl From<String> for $name {
                fn from(id: String) -> Self {
                    Self(id)
                }
            }

            impl From<&str> for $name {
                fn from(id: &str) -> Self {
                    Self(id.to_owned())
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(&self.0)
                }
            }

            impl ToSql for $name {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    self.0.to_sql()
                }
            }

            impl FromSql for $name {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    String::column_result(value).map(Self)
                }
            }
        )*
    };
}

ids! {
    /// Id of a project, a UUID; for a folder, the one in its id file.
    ProjectId
    /// Id of a chapter, unique within its project; chosen by the editor, a UUID in books of this program.
    ChapterId
    /// Id of an episode, a UUID.
    EpisodeId
    /// Id of a generation and of its trace, a UUID.
    GenerationId
    /// Id of a rule, a UUID.
    RuleId
    /// Id of a failed operation, a UUID.
    FailureId
    /// Id of a craft note, a UUID.
    PracticeId
    /// Id of a question of the study, a UUID.
    QuestionId
    /// Id of an entity of the story, 32 hexadecimal digits or a UUID.
    EntityId
    /// Id of a fact of the story, a UUID.
    FactId
    /// Id of an entry of the journal, a UUID.
    JournalEntryId
    /// Id of an answer, a UUID.
    AnswerId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_plain_string_in_json_and_in_sql() {
        let id = RuleId::from("r-1");
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"r-1\"");
        assert_eq!(serde_json::from_str::<RuleId>("\"r-1\"").unwrap(), id);
        let db = rusqlite::Connection::open_in_memory().unwrap();
        let (kind, read): (String, RuleId) =
            db.query_row("SELECT typeof(?1), ?1", [&id], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!((kind.as_str(), read), ("text", id));
    }
}
