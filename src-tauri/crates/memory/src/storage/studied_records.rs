//! Rows of `studied_records`: by what the writer's verdicts on learning records of studies are counted.

use std::sync::LazyLock;

use rusqlite::{Connection, named_params, params};

use super::{
    Tx,
    columns::{columns, execute},
    name_of,
};
use crate::{
    error::Result,
    model::{AnswerId, ProjectId, QuestionType},
};

columns! {
    /// The columns of a record of a study.
    columns of "studied_records":
    project_id, answer_id, question_type, is_cited_twice, model, is_refused,
}

/// The properties by which the verdicts on records of studies are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordKind {
    pub question_type: QuestionType,
    /// Two or more sentences support the record.
    pub is_cited_twice: bool,
    /// Name of the model.
    pub model: String,
}

static INSERT: LazyLock<String> = LazyLock::new(|| columns::insert(""));

/// Writes of which kind a new record is.
///
/// # Errors
/// Those of the store.
pub(crate) fn insert(tx: &Tx<'_>, project_id: &ProjectId, answer_id: &AnswerId, kind: &RecordKind) -> Result<()> {
    execute(
        tx.prepare_cached(&INSERT)?,
        named_params! {
            ":project_id": project_id,
            ":answer_id": answer_id,
            ":question_type": name_of(kind.question_type),
            ":is_cited_twice": kind.is_cited_twice,
            ":model": kind.model,
            ":is_refused": false,
        },
    )?;
    Ok(())
}

/// Notes that the writer refused or deleted a record; nothing for other answers.
///
/// # Errors
/// Those of the store.
pub(crate) fn refuse(tx: &Tx<'_>, answer_id: &AnswerId) -> Result<()> {
    tx.prepare_cached("UPDATE studied_records SET is_refused = 1 WHERE answer_id = ?1")?.execute([answer_id])?;
    Ok(())
}

/// The writer's verdicts on the records of a kind, of all books: how many were kept as they were, and how
/// many verdicts there are.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_verdicts(db: &Connection, kind: &RecordKind) -> Result<(u32, u32)> {
    let mut statement = db.prepare_cached(
        "SELECT count(*) FILTER (WHERE NOT r.is_refused AND NOT a.user_modified), count(*) FROM studied_records r \
         LEFT JOIN answers a ON a.project_id = r.project_id AND a.answer_id = r.answer_id \
         WHERE r.question_type = ?1 AND r.is_cited_twice = ?2 AND r.model = ?3 AND (r.is_refused OR a.user_confirmed)",
    )?;
    let kind = params![name_of(kind.question_type), kind.is_cited_twice, kind.model];
    Ok(statement.query_row(kind, |row| Ok((row.get(0)?, row.get(1)?)))?)
}
