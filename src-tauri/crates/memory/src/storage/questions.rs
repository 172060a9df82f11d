//! Rows of `questions`: what a study asks of a book, and what it has asked.

use std::{collections::BTreeSet, sync::LazyLock};

use palimpsest_text::questions::question_key;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::{
    Tx,
    answers::{QuestionKey, enum_or_null, time_or_null},
    columns::{columns, execute},
    evidence::{set_watermark, watermark},
    name_of, parse_enum,
};
use crate::{
    error::Result,
    model::{AnswerId, ProjectId, QuestionId, QuestionState, StudyQuestion, Time},
};

columns! {
    /// The columns of a [`StoredQuestion`].
    columns of "questions":
    question_id, project_id, question, question_type, gap, priority, signature, state, answer_id, created_at, updated_at,
}

/// A question with the columns that the wire does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredQuestion {
    pub project_id: ProjectId,
    /// Empty words: they were erased, and the signature prevents that it is asked again.
    pub question: StudyQuestion,
    /// `palimpsest_knowledge::signature::question_signature`.
    pub signature: String,
    pub updated_at: Time,
}

/// The queued ones in the order in which they are asked: the writer's own, the last first; then those of stale records;
/// then the most urgent.
const QUEUE_ORDER: &str = "gap IS NOT NULL, gap IS NOT 'staleRecord', \
     CASE WHEN gap IS NULL THEN -created_at ELSE -priority END, created_at, question_id";

static BY_ID: LazyLock<String> = LazyLock::new(|| columns::select("WHERE question_id = ?1"));
static QUEUED: LazyLock<String> = LazyLock::new(|| {
    columns::select(&format!(
        "WHERE project_id = ?1 AND state = 'queued' AND question <> '' ORDER BY {QUEUE_ORDER} LIMIT ?2"
    ))
});
static SETTLED: LazyLock<String> = LazyLock::new(|| {
    columns::select(
        "WHERE project_id = ?1 AND state <> 'queued' AND question <> '' \
         ORDER BY created_at DESC, question_id DESC LIMIT ?2",
    )
});
static BY_SIGNATURE: LazyLock<String> = LazyLock::new(|| {
    columns::select("WHERE project_id = ?1 AND signature = ?2 ORDER BY created_at DESC, question_id DESC")
});
static OF_ANSWER: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE project_id = ?1 AND answer_id = ?2 ORDER BY question_id LIMIT 1"));
static LATEST: LazyLock<String> =
    LazyLock::new(|| columns::select("WHERE project_id = ?1 ORDER BY created_at DESC, question_id DESC LIMIT ?2"));
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    columns::insert(
        "ON CONFLICT (question_id) DO UPDATE SET question = excluded.question, question_type = excluded.question_type, \
         gap = excluded.gap, priority = excluded.priority, signature = excluded.signature, state = excluded.state, \
         answer_id = excluded.answer_id, updated_at = excluded.updated_at",
    )
});

fn question_from_row(row: &Row<'_>) -> Result<StoredQuestion, rusqlite::Error> {
    Ok(StoredQuestion {
        project_id: row.get(columns::project_id)?,
        question: StudyQuestion {
            question_id: row.get(columns::question_id)?,
            question: row.get(columns::question)?,
            question_type: parse_enum(row.get_ref(columns::question_type)?.as_str()?)?,
            gap: enum_or_null(row, columns::gap)?,
            priority: row.get(columns::priority)?,
            state: parse_enum(row.get_ref(columns::state)?.as_str()?)?,
            answer_id: row.get(columns::answer_id)?,
            created_at: time_or_null(row, columns::created_at)?.unwrap_or_default(),
        },
        signature: row.get(columns::signature)?,
        updated_at: time_or_null(row, columns::updated_at)?.unwrap_or_default(),
    })
}

fn questions_of(db: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<StoredQuestion>> {
    Ok(db.prepare_cached(sql)?.query_map(params, question_from_row)?.collect::<Result<_, _>>()?)
}

/// A question.
///
/// # Errors
/// Those of the store.
pub(crate) fn get(db: &Connection, question_id: &QuestionId) -> Result<Option<StoredQuestion>> {
    Ok(db.prepare_cached(&BY_ID)?.query_row([question_id], question_from_row).optional()?)
}

/// The questions of a book that are still to be asked, in the order in which they are asked, at most `limit`.
///
/// # Errors
/// Those of the store.
pub(crate) fn queued(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<StoredQuestion>> {
    questions_of(db, &QUEUED, params![project_id, limit])
}

/// The questions of a book that are answered, failed or dropped, the newest first, at most `limit`.
///
/// # Errors
/// Those of the store.
pub(crate) fn settled(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<StoredQuestion>> {
    questions_of(db, &SETTLED, params![project_id, limit])
}

/// The last questions of a book in any state, also erased ones, the newest first, at most `limit`.
///
/// # Errors
/// Those of the store.
pub(crate) fn latest_questions(db: &Connection, project_id: &ProjectId, limit: u32) -> Result<Vec<StoredQuestion>> {
    questions_of(db, &LATEST, params![project_id, limit])
}

/// The questions of a book with a signature, the newest first.
///
/// # Errors
/// Those of the store.
pub(crate) fn by_signature(db: &Connection, project_id: &ProjectId, signature: &str) -> Result<Vec<StoredQuestion>> {
    questions_of(db, &BY_SIGNATURE, params![project_id, signature])
}

/// The question that an answer answers; `None` if it came otherwise, or a later answer took its place.
///
/// # Errors
/// Those of the store.
pub(crate) fn of_answer(
    db: &Connection,
    project_id: &ProjectId,
    answer_id: &AnswerId,
) -> Result<Option<StoredQuestion>> {
    let mut statement = db.prepare_cached(&OF_ANSWER)?;
    Ok(statement.query_row(params![project_id, answer_id], question_from_row).optional()?)
}

/// The signatures of all questions of a book.
///
/// # Errors
/// Those of the store.
pub(crate) fn signatures(db: &Connection, project_id: &ProjectId) -> Result<BTreeSet<String>> {
    let mut statement = db.prepare_cached("SELECT signature FROM questions WHERE project_id = ?1")?;
    Ok(statement.query_map([project_id], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Writes the present state of a question.
///
/// # Errors
/// Those of the store.
pub(crate) fn upsert(tx: &Tx<'_>, stored: &StoredQuestion) -> Result<()> {
    let StoredQuestion { project_id, question, signature, updated_at } = stored;
    execute(
        tx.prepare_cached(&UPSERT)?,
        named_params! {
            ":question_id": question.question_id,
            ":project_id": project_id,
            ":question": question.question,
            ":question_type": name_of(question.question_type),
            ":gap": question.gap.map(name_of),
            ":priority": question.priority,
            ":signature": signature,
            ":state": name_of(question.state),
            ":answer_id": question.answer_id,
            ":created_at": question.created_at.millis(),
            ":updated_at": updated_at.millis(),
        },
    )?;
    Ok(())
}

/// The version of [`question_key_of`]: raised with every change that gives some question another key. The keys of
/// answers are then made again in the background. It is not part of the keys, so that most deleted questions, which
/// cannot be made again, keep theirs.
pub(crate) const KEY_VERSION: i64 = 1;
/// The watermark of the version of the stored keys; files without it have those of version 1.
const KEYS: &str = "question-keys";

/// The key of a question: equal for the same content words in the same order, in one book.
pub(crate) fn question_key_of(project_id: &ProjectId, question: &str) -> QuestionKey {
    hash_in_book(project_id, &question_key(question))
}

/// The first half of the BLAKE3 hash of a text in a book.
fn hash_in_book(project_id: &ProjectId, text: &str) -> QuestionKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(project_id.as_str().as_bytes()).update(&[0]).update(text.as_bytes());
    let mut key = QuestionKey::default();
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    key
}

/// A key in hexadecimal digits.
fn key_text(key: &QuestionKey) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The ids under which the deletion of an answer to a question is stored: its key, and the hash of its letters and
/// digits in lower case. The second one stays as it is when keys are made in another way: a deleted question that is
/// asked again in the same letters is recognized by every version.
pub(crate) fn deletion_ids(project_id: &ProjectId, question: &str) -> [String; 2] {
    let letters: String = question.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let by_letters = format!("letters:{}", key_text(&hash_in_book(project_id, &letters)));
    [key_text(&question_key_of(project_id, question)), by_letters]
}

/// The version of the stored keys.
///
/// # Errors
/// Those of the store.
pub(crate) fn stored_key_version(db: &Connection) -> Result<i64> {
    Ok(watermark(db, KEYS)?.unwrap_or(1))
}

/// Notes that all stored keys are of [`KEY_VERSION`].
///
/// # Errors
/// Those of the store.
pub(crate) fn note_key_version(tx: &Tx<'_>) -> Result<()> {
    set_watermark(tx, KEYS, KEY_VERSION)
}

/// Removes the words of the questions that an erased answer answered, or whose words `is_erased` knows; the signatures
/// stay, so that they are not asked again. Returns their signatures, each with its book.
///
/// # Errors
/// Those of the store.
pub(crate) fn erase_words(
    tx: &Tx<'_>,
    answer_id: &AnswerId,
    is_erased: impl Fn(&ProjectId, &str) -> bool,
) -> Result<BTreeSet<(ProjectId, String)>> {
    let all: Vec<(QuestionId, ProjectId, String, String, Option<AnswerId>)> = tx
        .prepare_cached("SELECT question_id, project_id, question, signature, answer_id FROM questions")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
        .collect::<Result<_, _>>()?;
    let mut erased = BTreeSet::new();
    for (question_id, project_id, question, signature, of_answer) in all {
        if of_answer.as_ref() == Some(answer_id) || (!question.is_empty() && is_erased(&project_id, &question)) {
            tx.prepare_cached("UPDATE questions SET question = '', state = ?2 WHERE question_id = ?1")?
                .execute(params![question_id, name_of(QuestionState::Dropped)])?;
            erased.insert((project_id, signature));
        }
    }
    Ok(erased)
}
