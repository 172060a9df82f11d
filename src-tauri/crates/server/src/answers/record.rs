//! Records candidates, hits and validations.
//!
//! A standing is moved in the transaction that inserts its event, with the row of the answer locked: events of several
//! servers are applied one after another. Locks are taken in the order of the rows.

use std::collections::BTreeMap;

use deadpool_postgres::{GenericClient, Transaction};
use palimpsest_answers::standing::{Event, EventKind, Standing, StandingRules, next};
use palimpsest_text::questions::question_key;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::{
    stored::{COLUMNS, Values, standing},
    text_codes,
};
use crate::{
    encoder::{AnswerVectors, insert_vectors},
    refusal::{Code, Refusal},
    wire::{Candidate, Hits, HitsRecorded, Recorded, Validate, Validated, source_name},
};

/// Milliseconds since 1970 by the clock of the database, which all servers share.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// The hash of the canonical form of a question.
pub(super) fn hash_question(question: &str) -> [u8; 32] {
    *blake3::hash(question_key(question).as_bytes()).as_bytes()
}

/// Inserts a candidate, or finds the one that is the same.
///
/// # Errors
/// Those of the database.
pub(crate) async fn insert_candidate(
    tx: &Transaction<'_>,
    project: i32,
    candidate: &Candidate,
    vectors: Option<&AnswerVectors>,
) -> Result<Recorded, Refusal> {
    let key = hash_question(&candidate.question);
    let mut content = blake3::Hasher::new();
    content.update(&key).update(candidate.answer.trim().as_bytes());
    let content = *content.finalize().as_bytes();
    let client_key = candidate.metadata.as_ref().and_then(|metadata| metadata.answer_id.as_deref());
    let now: i64 = tx.query_one(&tx.prepare_cached(&format!("SELECT {NOW}")).await?, &[]).await?.get(0);
    let question_terms = text_codes(project, &candidate.question);
    let answer_terms = text_codes(project, &candidate.answer);
    let initial = Standing::initial(now);
    let values = Values::from(&initial);
    let qa_id = Uuid::now_v7();
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![
        &qa_id,
        &project,
        &candidate.question,
        &candidate.answer,
        &candidate.tags,
        &candidate.confidence,
        &candidate.summary,
        &candidate.source,
        &candidate.author,
    ];
    let (key, content) = (key.as_slice(), content.as_slice());
    parameters.extend([&key as &(dyn ToSql + Sync), &content, &client_key, &question_terms, &answer_terms, &now]);
    parameters.extend(values.parameters());
    let places: Vec<String> = (1..=parameters.len()).map(|place| format!("${place}")).collect();
    let insert = format!(
        "INSERT INTO answers (qa_id, project, question, answer_text, tags, confidence, summary, source, author, \
         question_key, content_hash, client_key, question_terms, answer_terms, created_at, {COLUMNS}) \
         VALUES ({}) ON CONFLICT DO NOTHING RETURNING answer",
        places.join(", ")
    );
    let inserted = tx.query_opt(&tx.prepare_cached(&insert).await?, &parameters).await?;
    let Some(inserted) = inserted else {
        // The client's id first: of an answer that was edited before it was sent again, the first form counts.
        let same = "SELECT qa_id FROM answers WHERE project = $1 AND (client_key = $2 OR content_hash = $3) \
             ORDER BY client_key IS DISTINCT FROM $2 LIMIT 1";
        let found = tx.query_one(&tx.prepare_cached(same).await?, &[&project, &client_key, &content]).await?;
        return Ok(Recorded { qa_id: found.get::<_, Uuid>(0).to_string(), duplicate: true });
    };
    let answer: i64 = inserted.get(0);
    if let Some(vectors) = vectors {
        insert_vectors(tx, (project, answer), vectors).await?;
    }
    let mut terms = [question_terms, answer_terms].concat();
    terms.sort_unstable();
    terms.dedup();
    // The terms are sorted, so that two transactions lock their rows in the same order. These rows come last: they are
    // shared by most answers, and locked until the commit.
    let count = "INSERT INTO terms (term, answers) SELECT term, 1 FROM unnest($1::bigint[]) AS term \
         ON CONFLICT (term) DO UPDATE SET answers = terms.answers + 1";
    tx.execute(&tx.prepare_cached(count).await?, &[&terms]).await?;
    let count = "UPDATE projects SET answers = answers + 1 WHERE project = $1";
    tx.execute(&tx.prepare_cached(count).await?, &[&project]).await?;
    Ok(Recorded { qa_id: qa_id.to_string(), duplicate: false })
}

/// Records hits. References to unknown answers are counted and ignored; several references of a request to one answer
/// count as one.
///
/// # Errors
/// Those of the database.
pub(crate) async fn record_hits(tx: &Transaction<'_>, project: i32, hits: &Hits) -> Result<HitsRecorded, Refusal> {
    let mut recorded = HitsRecorded::default();
    let mut merged: BTreeMap<Uuid, (bool, bool, Option<&str>)> = BTreeMap::new();
    for reference in &hits.references {
        let Ok(qa_id) = Uuid::try_parse(&reference.qa_id) else {
            recorded.unknown += 1;
            continue;
        };
        let hit = merged.entry(qa_id).or_insert((false, false, None));
        hit.0 |= reference.shown.unwrap_or(false);
        hit.1 |= reference.used.unwrap_or(false);
        hit.2 = hit.2.or(reference.message_id.as_deref());
    }
    let ids: Vec<Uuid> = merged.keys().copied().collect();
    let lock = format!(
        "SELECT answer, qa_id, {NOW}, {COLUMNS} FROM answers WHERE project = $1 AND qa_id = ANY ($2) \
         ORDER BY answer FOR UPDATE"
    );
    let rows = tx.query(&tx.prepare_cached(&lock).await?, &[&project, &ids]).await?;
    recorded.unknown += u32::try_from(merged.len() - rows.len()).unwrap_or(u32::MAX);
    let insert = tx
        .prepare_cached(
            "INSERT INTO answer_events (answer, kind, event_key, at, shown, used) VALUES ($1, 'hit', $2, $3, $4, $5) \
             ON CONFLICT DO NOTHING",
        )
        .await?;
    for row in &rows {
        let (answer, qa_id, at): (i64, Uuid, i64) = (row.get(0), row.get(1), row.get(2));
        let Some((shown, used, message_id)) = merged.get(&qa_id).copied() else { continue };
        if tx.execute(&insert, &[&answer, &message_id, &at, &shown, &used]).await? == 0 {
            recorded.duplicates += 1;
            continue;
        }
        apply(tx, answer, &standing(row, 3), &Event { at, kind: EventKind::Hit { shown, used } }).await?;
        recorded.recorded += 1;
    }
    Ok(recorded)
}

/// Records a validation, and returns the standing after it.
///
/// # Errors
/// `not_found` for an answer that the project does not have; those of the database.
pub(crate) async fn record_validation(
    tx: &Transaction<'_>,
    project: i32,
    validate: &Validate,
) -> Result<Validated, Refusal> {
    let no_such_answer = || Refusal { field: Some("qa_id".to_owned()), ..Code::NotFound.into() };
    let qa_id = Uuid::try_parse(&validate.qa_id).map_err(|_| no_such_answer())?;
    let lock = format!("SELECT answer, {NOW}, {COLUMNS} FROM answers WHERE project = $1 AND qa_id = $2 FOR UPDATE");
    let row = tx.query_opt(&tx.prepare_cached(&lock).await?, &[&project, &qa_id]).await?;
    let row = row.ok_or_else(no_such_answer)?;
    let (answer, at): (i64, i64) = (row.get(0), row.get(1));
    let validation = validate.validation();
    let insert = "INSERT INTO answer_events (answer, kind, event_key, at, used, result, strength, source) \
         VALUES ($1, 'validation', $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
    let (result, strength) = (validation.result.as_str(), validation.strength.as_str());
    let (key, source) = (validate.validation_id(), source_name(validation.source));
    let insert = tx.prepare_cached(insert).await?;
    let parameters: [&(dyn ToSql + Sync); 7] = [&answer, &key, &at, &validation.used, &result, &strength, &source];
    let inserted = tx.execute(&insert, &parameters).await?;
    let before = standing(&row, 2);
    let after = if inserted == 0 {
        before
    } else {
        apply(tx, answer, &before, &Event { at, kind: EventKind::Validated(validation) }).await?
    };
    Ok(Validated {
        validation_level: after.level,
        trust: f64::from(after.trust_milli) / 1_000.0,
        status: after.status(),
        duplicate: inserted == 0,
    })
}

/// Moves the standing of a locked answer by an event.
async fn apply(tx: &Transaction<'_>, answer: i64, before: &Standing, event: &Event) -> Result<Standing, Refusal> {
    let after = next(before, event, StandingRules::default());
    let values = Values::from(&after);
    let mut parameters = values.parameters();
    let places: Vec<String> = (1..=parameters.len()).map(|place| format!("${place}")).collect();
    let update =
        format!("UPDATE answers SET ({COLUMNS}) = ({}) WHERE answer = ${}", places.join(", "), parameters.len() + 1);
    parameters.push(&answer);
    tx.execute(&tx.prepare_cached(&update).await?, &parameters).await?;
    Ok(after)
}
