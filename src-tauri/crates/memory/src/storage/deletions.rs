//! Rows of `deletions`: single deletions by the writer, so that no older backup restores them.

use rusqlite::{Connection, params};

use super::{Tx, answers, episodes, journal, questions, stored};
use crate::{
    error::Result,
    model::{ProjectId, Rule, StoreFile, Time},
};

/// The kind of an episode that was deleted.
pub(crate) const EPISODE: &str = "episode";
/// The kind of a journal entry that was redacted.
pub(crate) const JOURNAL: &str = "journal";
/// The kind of an answer that was deleted.
pub(crate) const ANSWER: &str = "answer";
/// The kind of the question of a deleted answer, by [`questions::deletion_ids`]: no run records an answer to it by
/// itself.
pub(crate) const QUESTION: &str = "question";
/// The kind of a proposed fact that was refused, by its signature: it is not proposed again.
pub(crate) const PROPOSED_FACT: &str = "proposedFact";

/// One deleted item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deletion {
    /// The kind of item.
    pub kind: String,
    pub id: String,
    /// UUID of its project.
    pub project_id: Option<ProjectId>,
    /// When it was deleted.
    pub at: Time,
}

/// Records a deletion.
pub(crate) fn insert(tx: &Tx<'_>, kind: &str, id: &str, project_id: Option<&ProjectId>, at: Time) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO deletions (kind, id, project_id, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET at = excluded.at",
    )?
    .execute(params![kind, id, project_id, at.millis()])?;
    Ok(())
}

/// Whether the writer has deleted this item.
pub(crate) fn exists(db: &Connection, kind: &str, id: &str) -> Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM deletions WHERE kind = ?1 AND id = ?2")?.exists([kind, id])?)
}

/// Whether the writer has deleted an answer to this question, in the same words or in the same letters.
pub(crate) fn is_question_deleted(db: &Connection, project_id: &ProjectId, question: &str) -> Result<bool> {
    for id in questions::deletion_ids(project_id, question) {
        if exists(db, QUESTION, &id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All recorded deletions.
pub(crate) fn list(db: &Connection) -> Result<Vec<Deletion>> {
    let mut statement = db.prepare_cached("SELECT kind, id, project_id, at FROM deletions")?;
    let rows = statement.query_map([], |row| {
        Ok(Deletion { kind: row.get(0)?, id: row.get(1)?, project_id: row.get(2)?, at: Time::from_millis(row.get(3)?) })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The rules deleted since a time, each in its last version.
pub(crate) fn deleted_rules(db: &Connection, since: Time) -> Result<Vec<Rule>> {
    let mut statement = db.prepare_cached("SELECT snapshot FROM rule_history WHERE change = 'deleted' AND at >= ?1")?;
    let rows = statement.query_map([since.millis()], |row| stored::read_rule(row.get_ref(0)?.as_str()?))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Applies later deletions to an older copy of a file, and copies their records into it.
pub(crate) fn replay(tx: &Tx<'_>, file: StoreFile, deletions: &[Deletion]) -> Result<()> {
    for deletion in deletions {
        match file {
            StoreFile::Rules => insert(tx, &deletion.kind, &deletion.id, deletion.project_id.as_ref(), deletion.at)?,
            StoreFile::Episodes if deletion.kind == EPISODE => {
                episodes::delete_as_writer(tx, &deletion.id.as_str().into())?;
            }
            StoreFile::Episodes if deletion.kind == JOURNAL => {
                journal::redact(tx, &deletion.id.as_str().into())?;
            }
            StoreFile::Episodes if deletion.kind == ANSWER => {
                answers::delete_as_writer(tx, &deletion.id.as_str().into())?;
                journal::redact_about(tx, deletion.project_id.as_ref(), &deletion.id)?;
            }
            StoreFile::Episodes => {}
        }
    }
    Ok(())
}
