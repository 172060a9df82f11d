//! Rows of `answers`.
//!
//! Invariant: the standing in a row of `answers` is the fold of the answer's events that were not undone; code
//! that inserts or undoes an event writes the standing in the same transaction.

mod listed;
mod records;

use std::{collections::BTreeSet, sync::LazyLock};

use palimpsest_answers::posterior::Tally;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, named_params, params, types::Value};

use super::{
    Tx, answer_basis, answer_citations, answer_runs,
    columns::{columns, execute},
    name_of, parse_enum,
    questions::question_key_of,
    sources::{ANSWER_TEXTS, IndexedText, QUESTIONS},
    stored, vectors, words,
};
use crate::{
    error::Result,
    model::{Answer, AnswerId, AnswerPosterior, AnswerStatus, OwnerKind, ProjectId, Scope, Staleness, Time},
};

pub(crate) use self::{
    listed::{Listed, books_over, count_listed, counts, fill_by_project, list},
    records::{ListedRecords, count_by_domain, count_records, is_renewed, record_ids, records, stale_records},
};

/// First half of the BLAKE3 hash of a question's content words.
pub(crate) type QuestionKey = [u8; 16];

columns! {
    /// All columns but the row.
    columns of "answers":
    answer_id, project_id, version, kind, origin, question, question_key, answer, language, confidence, details, level,
    trust_milli, fails_half, passes, status, blocked_by, times_blocked, last_failed_at, user_confirmed, user_modified,
    is_challenged, post_right, post_weight, firm_right, firm_weight, tries, passed, staleness, shown_count, used_count, run_id, created_at,
    updated_at, verified_at, last_shown_at, promoted_to,
}

/// An answer with the columns that the wire does not have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredAnswer {
    /// As on the wire. The interval of its posterior is computed by the caller.
    pub answer: Answer,
    pub question_key: QuestionKey,
    /// The standing in whole numbers, as it is computed.
    pub standing: StoredStanding,
    /// The run that it is a candidate of.
    pub run_id: Option<String>,
    /// Its copy for all books.
    pub promoted_to: Option<AnswerId>,
}

/// The standing of an answer: the fold of its events, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredStanding {
    /// 0..3.
    pub level: u8,
    /// Thousandths, 0..1000.
    pub trust_milli: u32,
    /// Failures since the last pass, in halves.
    pub fails_half: u32,
    pub passes: u32,
    /// `Verified` is derived of the level, and stored as `Active`.
    pub status: AnswerStatus,
    pub blocked_by: Option<crate::model::BlockedBy>,
    pub times_blocked: u32,
    pub last_failed_at: Option<Time>,
    pub user_confirmed: bool,
    pub user_modified: bool,
    pub is_challenged: bool,
    /// The weights of its validations.
    pub tally: Tally,
    pub verified_at: Time,
}

static BY_ID: LazyLock<String> = LazyLock::new(|| columns::select("WHERE answer_id = ?1"));
static BY_ROW: LazyLock<String> = LazyLock::new(|| columns::select("WHERE row = ?1 AND project_id = ?2"));
static BY_KEY: LazyLock<String> = LazyLock::new(|| {
    // The plus signs keep SQLite from reading the whole book in the wanted order instead of the few rows with the key.
    columns::select("WHERE project_id = ?1 AND question_key = ?2 ORDER BY +updated_at DESC, +row DESC")
});
static INSERT: LazyLock<String> = LazyLock::new(|| columns::insert(""));
static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let assigned = columns::NAMES.iter().filter(|name| **name != "answer_id" && **name != "project_id");
    let assignments: Vec<String> = assigned.map(|name| format!("{name} = :{name}")).collect();
    format!("UPDATE answers SET {} WHERE answer_id = :answer_id AND project_id = :project_id", assignments.join(", "))
});

pub(super) fn time_or_null(row: &Row<'_>, column: usize) -> Result<Option<Time>, rusqlite::Error> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Time::from_millis))
}

pub(super) fn enum_or_null<T: stored::StoredName>(row: &Row<'_>, column: usize) -> Result<Option<T>, rusqlite::Error> {
    row.get_ref(column)?.as_str_or_null()?.map(parse_enum).transpose()
}

fn answer_from_row(row: &Row<'_>) -> Result<StoredAnswer, rusqlite::Error> {
    let created_at = Time::from_millis(row.get(columns::created_at)?);
    let standing = StoredStanding {
        level: row.get(columns::level)?,
        trust_milli: row.get(columns::trust_milli)?,
        fails_half: row.get(columns::fails_half)?,
        passes: row.get(columns::passes)?,
        status: parse_enum(row.get_ref(columns::status)?.as_str()?)?,
        blocked_by: enum_or_null(row, columns::blocked_by)?,
        times_blocked: row.get(columns::times_blocked)?,
        last_failed_at: time_or_null(row, columns::last_failed_at)?,
        user_confirmed: row.get(columns::user_confirmed)?,
        user_modified: row.get(columns::user_modified)?,
        is_challenged: row.get(columns::is_challenged)?,
        tally: Tally {
            right: row.get(columns::post_right)?,
            weight: row.get(columns::post_weight)?,
            firm_right: row.get(columns::firm_right)?,
            firm_weight: row.get(columns::firm_weight)?,
            tries: row.get(columns::tries)?,
            passed: row.get(columns::passed)?,
        },
        verified_at: Time::from_millis(row.get(columns::verified_at)?),
    };
    let project_id: ProjectId = row.get(columns::project_id)?;
    let scope = if project_id == Answer::no_project() { Scope::Global } else { Scope::Project };
    let mut answer = Answer {
        answer_id: row.get(columns::answer_id)?,
        project_id,
        scope,
        is_promoted: row.get::<_, Option<AnswerId>>(columns::promoted_to)?.is_some(),
        version: row.get(columns::version)?,
        kind: parse_enum(row.get_ref(columns::kind)?.as_str()?)?,
        origin: parse_enum(row.get_ref(columns::origin)?.as_str()?)?,
        question: row.get(columns::question)?,
        answer: row.get(columns::answer)?,
        language: parse_enum(row.get_ref(columns::language)?.as_str()?)?,
        confidence: row.get(columns::confidence)?,
        details: stored::parse(row.get_ref(columns::details)?.as_str()?)?,
        citations: Vec::new(),
        staleness: parse_enum(row.get_ref(columns::staleness)?.as_str()?)?,
        nearby: None,
        disagrees_with: Vec::new(),
        status: AnswerStatus::Active,
        blocked_by: None,
        validation_level: 0,
        trust: 0.0,
        consecutive_fail: 0.0,
        passes: 0,
        hit_count: row.get(columns::shown_count)?,
        use_count: row.get(columns::used_count)?,
        posterior: AnswerPosterior::default(),
        user_confirmed: false,
        user_modified: false,
        is_challenged: false,
        created_at,
        updated_at: Time::from_millis(row.get(columns::updated_at)?),
        verified_at: created_at,
        last_shown_at: time_or_null(row, columns::last_shown_at)?,
    };
    standing.write_into(&mut answer);
    Ok(StoredAnswer {
        answer,
        question_key: row.get(columns::question_key)?,
        standing,
        run_id: row.get(columns::run_id)?,
        promoted_to: row.get(columns::promoted_to)?,
    })
}

impl StoredStanding {
    /// Sets the fields of an answer that are the standing, all but the posterior.
    pub(crate) fn write_into(&self, answer: &mut Answer) {
        answer.validation_level = self.level;
        answer.trust = f64::from(self.trust_milli) / 1_000.0;
        answer.consecutive_fail = f64::from(self.fails_half) / 2.0;
        answer.passes = self.passes;
        answer.status = match self.status {
            AnswerStatus::Blocked => AnswerStatus::Blocked,
            _ if self.level > 0 => AnswerStatus::Verified,
            _ => AnswerStatus::Active,
        };
        answer.blocked_by = self.blocked_by;
        answer.user_confirmed = self.user_confirmed;
        answer.user_modified = self.user_modified;
        answer.is_challenged = self.is_challenged;
        answer.verified_at = self.verified_at;
    }
}

/// Executes an INSERT or UPDATE of all columns.
fn write_row(statement: CachedStatement<'_>, row: &StoredAnswer) -> Result<()> {
    let StoredAnswer { answer, standing, question_key, run_id, promoted_to } = row;
    let is_blocked = standing.status == AnswerStatus::Blocked;
    execute(
        statement,
        named_params! {
            ":answer_id": answer.answer_id,
            ":project_id": answer.project_id,
            ":version": answer.version,
            ":kind": name_of(answer.kind),
            ":origin": name_of(answer.origin),
            ":question": answer.question,
            ":question_key": question_key,
            ":answer": answer.answer,
            ":language": name_of(answer.language),
            ":confidence": answer.confidence,
            ":details": stored::json(&answer.details)?,
            ":level": standing.level,
            ":trust_milli": standing.trust_milli,
            ":fails_half": standing.fails_half,
            ":passes": standing.passes,
            ":status": name_of(if is_blocked { AnswerStatus::Blocked } else { AnswerStatus::Active }),
            ":blocked_by": standing.blocked_by.map(name_of),
            ":times_blocked": standing.times_blocked,
            ":last_failed_at": standing.last_failed_at.map(Time::millis),
            ":user_confirmed": standing.user_confirmed,
            ":user_modified": standing.user_modified,
            ":is_challenged": standing.is_challenged,
            ":post_right": standing.tally.right,
            ":post_weight": standing.tally.weight,
            ":firm_right": standing.tally.firm_right,
            ":firm_weight": standing.tally.firm_weight,
            ":tries": standing.tally.tries,
            ":passed": standing.tally.passed,
            ":staleness": name_of(answer.staleness),
            ":shown_count": answer.hit_count,
            ":used_count": answer.use_count,
            ":run_id": run_id,
            ":promoted_to": promoted_to,
            ":created_at": answer.created_at.millis(),
            ":updated_at": answer.updated_at.millis(),
            ":verified_at": standing.verified_at.millis(),
            ":last_shown_at": answer.last_shown_at.map(Time::millis),
        },
    )?;
    Ok(())
}

/// Inserts an answer with its citations.
///
/// # Errors
/// Those of the store.
pub(crate) fn insert(tx: &Tx<'_>, stored: &StoredAnswer) -> Result<()> {
    write_row(tx.prepare_cached(&INSERT)?, stored)?;
    answer_citations::replace(tx, &stored.answer)
}

/// Writes the present state of an answer with its citations; the indexes are not touched.
///
/// # Errors
/// Those of the store.
pub(crate) fn update(tx: &Tx<'_>, stored: &StoredAnswer) -> Result<()> {
    write_row(tx.prepare_cached(&UPDATE)?, stored)?;
    answer_citations::replace(tx, &stored.answer)
}

/// Gives an answer a new row after a change of its texts, so that it is indexed again; returns its former rows in the
/// indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn reindex(tx: &Tx<'_>, project_id: &ProjectId, id: &AnswerId) -> Result<Vec<i64>> {
    let rows = remove_from_indexes(tx, project_id, id)?;
    // From SQLite's own sequence: row numbers are never reused.
    tx.prepare_cached("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'answers'")?.execute([])?;
    tx.prepare_cached(
        "UPDATE answers SET row = (SELECT seq FROM sqlite_sequence WHERE name = 'answers') \
         WHERE answer_id = ?1 AND project_id = ?2",
    )?
    .execute(params![id, project_id])?;
    Ok(rows)
}

fn remove_from_indexes(tx: &Tx<'_>, project_id: &ProjectId, id: &AnswerId) -> Result<Vec<i64>> {
    let row: Option<i64> = tx
        .prepare_cached("SELECT row FROM answers WHERE answer_id = ?1 AND project_id = ?2")?
        .query_row(params![id, project_id], |row| row.get(0))
        .optional()?;
    let Some(row) = row else { return Ok(Vec::new()) };
    let rows = [OwnerKind::Question, OwnerKind::Answer].map(|kind| kind.index_row(row));
    for (row, source) in rows.iter().zip([&QUESTIONS, &ANSWER_TEXTS]) {
        words::delete(tx, project_id, *row)?;
        vectors::delete(tx, project_id, source, id.as_str())?;
    }
    Ok(rows.to_vec())
}

/// Deletes an answer with its citations, events and places in runs; returns its former rows in the indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete(tx: &Tx<'_>, id: &AnswerId) -> Result<Vec<i64>> {
    let Some(project_id) = project_of(tx, id)? else { return Ok(Vec::new()) };
    let rows = remove_from_indexes(tx, &project_id, id)?;
    const TABLES: [&str; 7] = [
        "answer_basis",
        "answer_insertions",
        "answer_citations",
        "answer_events",
        "answer_matches",
        "proposed_facts",
        "answers",
    ];
    for table in TABLES {
        tx.prepare_cached(&format!("DELETE FROM {table} WHERE project_id = ?1 AND answer_id = ?2"))?
            .execute(params![project_id, id])?;
    }
    tx.prepare_cached("UPDATE answers SET promoted_to = NULL WHERE promoted_to = ?1")?.execute([id])?;
    Ok(rows)
}

/// Deletes an answer that the writer deleted, here or elsewhere, and ends the runs under way that found it: they hold a
/// question with its words. Returns its former rows in the indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn delete_as_writer(tx: &Tx<'_>, id: &AnswerId) -> Result<Vec<i64>> {
    answer_runs::expire_given(tx, id)?;
    delete(tx, id)
}

/// The columns of an answer that no file brings, as those of one without an event; the fold replaces them.
pub(crate) fn derived_columns(key: &QuestionKey, created_at: Time) -> Vec<(&'static str, Value)> {
    let zero = || Value::Integer(0);
    let weight = || Value::Real(0.0);
    let mut derived = vec![
        ("question_key", Value::Blob(key.to_vec())),
        ("status", Value::Text(name_of(AnswerStatus::Active).to_owned())),
        ("staleness", Value::Text(name_of(Staleness::Current).to_owned())),
        ("verified_at", Value::Integer(created_at.millis())),
    ];
    derived.extend(["post_right", "post_weight", "firm_right", "firm_weight"].map(|column| (column, weight())));
    let numbers = [
        "level",
        "trust_milli",
        "fails_half",
        "passes",
        "times_blocked",
        "user_confirmed",
        "user_modified",
        "is_challenged",
        "tries",
        "passed",
        "shown_count",
        "used_count",
    ];
    derived.extend(numbers.map(|column| (column, zero())));
    derived
}

/// Writes the key of an answer's question.
///
/// # Errors
/// Those of the store.
pub(crate) fn set_question_key(tx: &Tx<'_>, id: &AnswerId, key: &QuestionKey) -> Result<()> {
    tx.prepare_cached("UPDATE answers SET question_key = ?2 WHERE answer_id = ?1")?.execute(params![id, key])?;
    Ok(())
}

/// The ids of all answers, of all books.
///
/// # Errors
/// Those of the store.
pub(crate) fn all_answer_ids(db: &Connection) -> Result<Vec<AnswerId>> {
    let mut statement = db.prepare_cached("SELECT answer_id FROM answers ORDER BY row")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Makes the key of an answer's question again, if the answer still exists.
///
/// # Errors
/// Those of the store.
pub(crate) fn renew_question_key(tx: &Tx<'_>, id: &AnswerId) -> Result<()> {
    let found: Option<(ProjectId, String)> = tx
        .prepare_cached("SELECT project_id, question FROM answers WHERE answer_id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((project_id, question)) = found else { return Ok(()) };
    set_question_key(tx, id, &question_key_of(&project_id, &question))
}

/// The book of an answer.
///
/// # Errors
/// Those of the store.
pub(crate) fn project_of(db: &Connection, id: &AnswerId) -> Result<Option<ProjectId>> {
    let mut statement = db.prepare_cached("SELECT project_id FROM answers WHERE answer_id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

/// An answer.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, id: &AnswerId) -> Result<Option<StoredAnswer>> {
    let found = db.prepare_cached(&BY_ID)?.query_row([id], answer_from_row).optional()?;
    found.map(|stored| with_related_rows(db, stored)).transpose()
}

/// An answer of a book by its row in the indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn by_index_row(db: &Connection, project_id: &ProjectId, row: i64) -> Result<Option<StoredAnswer>> {
    let mut statement = db.prepare_cached(&BY_ROW)?;
    let found = statement.query_row(params![OwnerKind::own_row(row), project_id], answer_from_row).optional()?;
    found.map(|stored| with_related_rows(db, stored)).transpose()
}

/// The answers of a book to a question in the same words, latest change first.
///
/// # Errors
/// Those of the store.
pub(crate) fn by_key(db: &Connection, project_id: &ProjectId, key: &QuestionKey) -> Result<Vec<StoredAnswer>> {
    let mut statement = db.prepare_cached(&BY_KEY)?;
    let found: Vec<StoredAnswer> =
        statement.query_map(params![project_id, key], answer_from_row)?.collect::<Result<_, _>>()?;
    found.into_iter().map(|stored| with_related_rows(db, stored)).collect()
}

/// The copies for all books that answers of a book have.
///
/// # Errors
/// Those of the store.
pub(crate) fn copies_of(db: &Connection, project_id: &ProjectId) -> Result<BTreeSet<AnswerId>> {
    let mut statement =
        db.prepare_cached("SELECT promoted_to FROM answers WHERE project_id = ?1 AND promoted_to IS NOT NULL")?;
    Ok(statement.query_map([project_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The answers of a book that were made at a time or later, without their citations.
///
/// # Errors
/// Those of the store.
pub(crate) fn made_since(db: &Connection, project_id: &ProjectId, since: Time) -> Result<Vec<StoredAnswer>> {
    let mut statement = db.prepare_cached(&columns::select("WHERE project_id = ?1 AND created_at >= ?2"))?;
    Ok(statement.query_map(params![project_id, since.millis()], answer_from_row)?.collect::<Result<_, _>>()?)
}

/// Number of answers of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn count(db: &Connection, project_id: &ProjectId) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM answers WHERE project_id = ?1")?;
    Ok(statement.query_row([project_id], |row| row.get(0))?)
}

/// The id of the answer that a full book deletes first: the oldest of level 0 that no run used and that the writer
/// neither confirmed nor edited nor promoted. Answers that are blocked stay: each prevents the same wrong answer from
/// being kept as a new one. Copies for all books stay.
///
/// # Errors
/// Those of the store.
pub(crate) fn least_valuable(db: &Connection, project_id: &ProjectId) -> Result<Option<AnswerId>> {
    let mut statement = db.prepare_cached(
        "SELECT answer_id FROM answers WHERE project_id = ?1 AND level = 0 AND used_count = 0 AND NOT user_confirmed \
         AND NOT user_modified AND status <> ?2 AND promoted_to IS NULL AND project_id <> ?3 \
         ORDER BY updated_at, row LIMIT 1",
    )?;
    let blocked = name_of(AnswerStatus::Blocked);
    Ok(statement.query_row(params![project_id, blocked, Answer::no_project()], |row| row.get(0)).optional()?)
}

/// The other answers of a book ?1 to the question ?2 of an answer ?3 in other words, all of them in use. Of two that
/// the writer confirmed both are right.
const DISAGREEING: &str = "SELECT other.answer_id FROM answers own JOIN answers other \
    ON other.project_id = own.project_id AND other.question_key = own.question_key \
    WHERE own.project_id = ?1 AND own.question_key = ?2 AND own.answer_id = ?3 AND other.answer_id <> own.answer_id \
    AND other.answer <> own.answer AND own.status = 'active' AND other.status = 'active' \
    AND NOT (own.user_confirmed AND other.user_confirmed) ORDER BY other.created_at, other.row";

/// Adds the citations, the answers that disagree, and the sentence near the question, which other rows have.
fn with_related_rows(db: &Connection, mut stored: StoredAnswer) -> Result<StoredAnswer> {
    stored.answer.citations = answer_citations::list(db, &stored.answer.project_id, &stored.answer.answer_id)?;
    let mut statement = db.prepare_cached(DISAGREEING)?;
    let others = statement
        .query_map(params![stored.answer.project_id, stored.question_key, stored.answer.answer_id], |row| row.get(0))?;
    stored.answer.disagrees_with = others.collect::<Result<_, _>>()?;
    if stored.answer.staleness == Staleness::Maybe {
        stored.answer.nearby = answer_basis::nearby(db, &stored.answer.project_id, &stored.answer.answer_id)?;
    }
    Ok(stored)
}

/// The column of the text that is indexed under a kind of owner.
fn column_of(kind: OwnerKind) -> &'static str {
    if kind == OwnerKind::Question { "question" } else { "answer" }
}

/// The questions or the answers of the first `limit` answers after a row of the indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn texts_after(db: &Connection, kind: OwnerKind, row: i64, limit: u32) -> Result<Vec<IndexedText>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT row, answer_id, project_id, {} FROM answers WHERE row > ?1 ORDER BY row LIMIT ?2",
        column_of(kind)
    ))?;
    let text = |row: &Row<'_>| {
        Ok(IndexedText {
            row: kind.index_row(row.get(0)?),
            id: row.get(1)?,
            project_id: row.get(2)?,
            kind,
            text: row.get(3)?,
        })
    };
    Ok(statement.query_map(params![OwnerKind::own_row(row), limit], text)?.collect::<Result<_, _>>()?)
}

/// Number of answers after a row of the indexes; of all books.
///
/// # Errors
/// Those of the store.
pub(crate) fn count_after(db: &Connection, row: i64) -> Result<u32> {
    let mut statement = db.prepare_cached("SELECT count(*) FROM answers WHERE row > ?1")?;
    Ok(statement.query_row([OwnerKind::own_row(row)], |row| row.get(0))?)
}

/// Whether there is an answer after a row of the indexes.
///
/// # Errors
/// Those of the store.
pub(crate) fn is_any_after(db: &Connection, row: i64) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT 1 FROM answers WHERE row > ?1 LIMIT 1")?;
    Ok(statement.exists([OwnerKind::own_row(row)])?)
}

/// Whether the answer in a row of the indexes has this id.
///
/// # Errors
/// Those of the store.
pub(crate) fn has_id(db: &Connection, row: i64, id: &str) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT 1 FROM answers WHERE row = ?1 AND answer_id = ?2")?;
    Ok(statement.exists(params![OwnerKind::own_row(row), id])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Database, schema::Schema};

    #[test]
    fn the_answers_to_a_question_are_read_by_its_key_and_not_from_the_whole_book() {
        let folder = tempfile::TempDir::new().unwrap();
        let db = Database::open(&folder.path().join("episodes.db"), Schema::Episodes).unwrap();
        let reader = db.reader().unwrap();
        let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {}", &*BY_KEY)).unwrap();
        let mut steps = plan.query_map(params!["project", "key"], |row| row.get::<_, String>(3)).unwrap();
        assert!(steps.any(|step| step.unwrap().contains("answers_by_question (project_id=? AND question_key=?)")));
    }
}
