//! The search: candidates by the same question, by rare words and by meaning, ordered by the relevance of the crate
//! `answers`.

use std::collections::BTreeSet;

use deadpool_postgres::GenericClient;
use palimpsest_answers::{
    relevance::{Signals, relevance, relevance_with},
    standing::{Standing, State, cooldown_ms, freshness},
};
use palimpsest_text::{
    questions::{ComparedQuestion, MatchKind, QuestionMatch},
    terms::query_terms,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::{
    codes,
    record::hash_question,
    stored::{COLUMNS, standing},
    text_codes,
};
use crate::{
    refusal::Refusal,
    wire::{Match, MatchMetadata, Search},
};

/// Candidates by words, and by the meaning of each of question and answer.
const CANDIDATES: i64 = 40;
/// The most answers with the words of a query that are looked at: its rarest words count.
const MAX_WITH_WORDS: i64 = 2_000;
/// Minimum number of answers whose questions are compared word by word, if there are as many.
const MIN_COMPARED: usize = 20;
/// The most bytes of questions and answers in a response: clients read two mebibytes.
const MAX_TEXT_BYTES: usize = 3 << 19;
/// Where a state hides an answer: what was blocked by failures may come back on probation after its wait.
const SEARCHED: &str = "a.project = $1 AND a.state IN ('active', 'blocked')";

/// The answers of a project that have to do with a query, best first. `vector`: that of the query, with an encoder.
///
/// # Errors
/// Those of the database.
pub(crate) async fn search(
    db: &impl GenericClient,
    project: i32,
    search: &Search,
    vector: Option<&str>,
) -> Result<Vec<Match>, Refusal> {
    let key = hash_question(&search.query);
    let (same, by_words, by_meaning) = tokio::try_join!(
        by_key(db, project, &key),
        by_words(db, project, &search.query),
        by_meaning(db, project, vector)
    )?;
    let candidates: BTreeSet<i64> = same.iter().copied().chain(by_words).chain(by_meaning).collect();
    let candidates: Vec<i64> = candidates.into_iter().collect();
    let mut measured = measure(db, project, search, vector, &candidates).await?;
    // Texts are read, and questions compared word by word, for the most relevant alone.
    measured.sort_by(|a, b| {
        let is_same = |one: &(i64, Signals)| same.contains(&one.0);
        let by_relevance = relevance(&b.1).total_cmp(&relevance(&a.1));
        is_same(b).cmp(&is_same(a)).then(by_relevance).then(a.0.cmp(&b.0))
    });
    let limit = search.limit as usize;
    measured.truncate(limit.saturating_mul(2).max(MIN_COMPARED));
    let mut found = compare(db, project, search, &measured).await?;
    found.retain(|one| one.relevance >= search.min_score);
    found.sort_by(|a, b| {
        let is_exact = |one: &Found| one.same.kind == MatchKind::Exact;
        is_exact(b).cmp(&is_exact(a)).then(b.relevance.total_cmp(&a.relevance)).then(a.answer.cmp(&b.answer))
    });
    found.truncate(limit);
    with_texts(db, project, found).await
}

async fn by_key(db: &impl GenericClient, project: i32, key: &[u8; 32]) -> Result<Vec<i64>, Refusal> {
    let select = format!(
        "SELECT answer FROM answers a WHERE {SEARCHED} AND question_key = $2 \
         ORDER BY level DESC, trust_milli DESC, answer LIMIT $3"
    );
    let select = db.prepare_cached(&select).await?;
    let rows = db.query(&select, &[&project, &key.as_slice(), &CANDIDATES]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// The answers with the greatest sum of rarities of the query's words, among those with one of the rarest.
async fn by_words(db: &impl GenericClient, project: i32, query: &str) -> Result<Vec<i64>, Refusal> {
    let terms = query_terms(query);
    let terms = codes(project, terms.iter().map(String::as_str));
    let count = "SELECT t.term, t.answers::bigint, p.answers FROM terms t, projects p \
         WHERE t.term = ANY ($2) AND p.project = $1 ORDER BY t.answers, t.term";
    let count = db.prepare_cached(count).await?;
    let rows = db.query(&count, &[&project, &terms]).await?;
    let (mut known, mut weights, mut rare, mut with_rare) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for row in &rows {
        let (term, with_term, all): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
        known.push(term);
        weights.push(rarity(with_term, all));
        with_rare += with_term;
        if with_rare <= MAX_WITH_WORDS {
            rare.push(term);
        }
    }
    if rare.is_empty() {
        return Ok(Vec::new());
    }
    let select = format!(
        "SELECT answer FROM (SELECT answer, (SELECT sum(q.weight) FROM {}, unnest($2::bigint[], $3::float8[]) AS \
         q (term, weight) WHERE q.term = ANY (own.terms)) AS weight \
         FROM answers a WHERE {SEARCHED} AND (a.question_terms && $4 OR a.answer_terms && $4)) AS found \
         ORDER BY weight DESC, answer LIMIT $5",
        own_terms("a.question_terms || a.answer_terms")
    );
    let select = db.prepare_cached(&select).await?;
    let rows = db.query(&select, &[&project, &known, &weights, &rare, &CANDIDATES]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// A row `own` with the array `terms` of an expression over the terms of an answer, which are compressed on disk: a
/// comparison with the columns themselves would decompress them for every term of a query.
fn own_terms(expression: &str) -> String {
    format!("(SELECT {expression} || '{{}}'::bigint[] AS terms OFFSET 0) AS own")
}

/// The vector of a query, in a text parameter: parsed once for a statement, and not once for each row.
fn query_vector(parameter: &str) -> String {
    format!("(SELECT {parameter}::text::halfvec(512))")
}

/// The rarity of a term that some answers of a project have: that of BM25 (Robertson and Zaragoza 2009).
fn rarity(with_term: i64, all: i64) -> f64 {
    let (with_term, all) = (with_term as f64, all as f64);
    (1.0 + ((all - with_term).max(0.0) + 0.5) / (with_term + 0.5)).ln()
}

/// The answers whose question, or whose answer, is nearest to the query.
async fn by_meaning(db: &impl GenericClient, project: i32, vector: Option<&str>) -> Result<Vec<i64>, Refusal> {
    let Some(vector) = vector else { return Ok(Vec::new()) };
    let nearest = |part: u8| {
        // The partition by its name, so that its own index is chosen by its own statistics.
        format!(
            "SELECT answer FROM vectors_{project} WHERE part = {part} \
             ORDER BY vector <#> {} LIMIT $2",
            query_vector("$1")
        )
    };
    let (questions, answers) = (nearest(0), nearest(1));
    let (questions, answers) = tokio::try_join!(db.prepare_cached(&questions), db.prepare_cached(&answers))?;
    let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&vector, &CANDIDATES];
    let (questions, answers) = tokio::try_join!(db.query(&questions, &parameters), db.query(&answers, &parameters))?;
    Ok(questions.iter().chain(&answers).map(|row| row.get(0)).collect())
}

/// The signals of the candidates.
async fn measure(
    db: &impl GenericClient,
    project: i32,
    search: &Search,
    vector: Option<&str>,
    candidates: &[i64],
) -> Result<Vec<(i64, Signals)>, Refusal> {
    let terms = text_codes(project, &search.query);
    let shared = |column: &str| {
        let own = own_terms(&format!("a.{column}"));
        format!("(SELECT count(*) FROM {own}, unnest($3::bigint[]) AS q (term) WHERE q.term = ANY (own.terms))::float8")
    };
    let cosine = |part: u8| {
        format!(
            "(SELECT -(v.vector <#> {}) FROM vectors_{project} v \
             WHERE v.project = $1 AND v.answer = a.answer AND v.part = {part})",
            query_vector("$4")
        )
    };
    let select = format!(
        "SELECT a.answer, {}, {}, {}, {} FROM answers a WHERE {SEARCHED} AND a.answer = ANY ($2)",
        shared("question_terms"),
        shared("answer_terms"),
        cosine(0),
        cosine(1)
    );
    let select = db.prepare_cached(&select).await?;
    let rows = db.query(&select, &[&project, &candidates, &terms, &vector]).await?;
    let all = terms.len().max(1) as f64;
    let signals = |row: &Row| Signals {
        question_words: row.get::<_, f64>(1) / all,
        answer_words: row.get::<_, f64>(2) / all,
        question_meaning: row.get(3),
        answer_meaning: row.get(4),
    };
    Ok(rows.iter().map(|row| (row.get(0), signals(row))).collect())
}

/// A match without its texts.
struct Found {
    answer: i64,
    relevance: f64,
    same: QuestionMatch,
}

/// Compares the questions with the query; leaves out answers that wait after a block.
async fn compare(
    db: &impl GenericClient,
    project: i32,
    search: &Search,
    measured: &[(i64, Signals)],
) -> Result<Vec<Found>, Refusal> {
    let ids: Vec<i64> = measured.iter().map(|(answer, _)| *answer).collect();
    let select = format!(
        "SELECT answer, question, (extract(epoch FROM now()) * 1000)::bigint, {COLUMNS} FROM answers \
         WHERE project = $1 AND answer = ANY ($2)"
    );
    let rows = db.query(&db.prepare_cached(&select).await?, &[&project, &ids]).await?;
    let query = ComparedQuestion::new(&search.query, &[]);
    let found = rows.iter().filter_map(|row| {
        let (answer, question): (i64, &str) = (row.get(0), row.get(1));
        status(&standing(row, 3), row.get(2))?;
        let (_, signals) = measured.iter().find(|(id, _)| *id == answer)?;
        let cosine = signals.question_meaning.map(|cosine| cosine as f32);
        let same = query.match_with(question, cosine);
        Some(Found { answer, relevance: relevance_with(&same, relevance(signals)), same })
    });
    Ok(found.collect())
}

/// The matches as they are sent, as many as a client reads.
async fn with_texts(db: &impl GenericClient, project: i32, found: Vec<Found>) -> Result<Vec<Match>, Refusal> {
    let ids: Vec<i64> = found.iter().map(|one| one.answer).collect();
    let select = format!(
        "SELECT answer, qa_id, question, answer_text, tags, confidence, summary, source, \
         (extract(epoch FROM now()) * 1000)::bigint, {COLUMNS} FROM answers WHERE project = $1 AND answer = ANY ($2)"
    );
    let rows = db.query(&db.prepare_cached(&select).await?, &[&project, &ids]).await?;
    let (mut matches, mut bytes) = (Vec::new(), 0);
    for one in &found {
        let Some(row) = rows.iter().find(|row| row.get::<_, i64>(0) == one.answer) else { continue };
        let (standing, now): (Standing, i64) = (standing(row, 9), row.get(8));
        let Some(status) = status(&standing, now) else { continue };
        let (question, answer): (String, String) = (row.get(2), row.get(3));
        bytes += question.len() + answer.len();
        if bytes > MAX_TEXT_BYTES {
            break;
        }
        matches.push(Match {
            qa_id: row.get::<_, Uuid>(1).to_string(),
            question,
            answer,
            tags: row.get(4),
            score: one.relevance,
            relevance: one.relevance,
            validation_level: standing.level,
            trust: f64::from(standing.trust_milli) / 1_000.0,
            freshness: freshness(standing.verified_at, now),
            confidence: row.get(5),
            status,
            metadata: MatchMetadata {
                consecutive_fail: f64::from(standing.fails_half) / 2.0,
                hit_count: standing.shown_count,
                use_count: standing.used_count,
                question_match: match one.same.kind {
                    MatchKind::Exact => "exact",
                    MatchKind::Restated => "restated",
                    MatchKind::Related => "related",
                },
            },
            summary: row.get(6),
            source: row.get(7),
        });
    }
    Ok(matches)
}

/// The status of an answer on the wire; `None` for one that is not sent. After the wait of a block, the client's gate
/// decides by the failures whether it tries the answer.
fn status(standing: &Standing, now: i64) -> Option<&'static str> {
    match standing.state {
        State::Active => Some(standing.status()),
        State::Blocked(palimpsest_answers::standing::BlockedBy::Run) => {
            let waited = standing.last_failed_at.map_or(i64::MAX, |failed| now.saturating_sub(failed));
            (waited >= cooldown_ms(standing.times_blocked)).then_some("active")
        }
        State::Blocked(palimpsest_answers::standing::BlockedBy::Writer) | State::Retired => None,
    }
}

#[cfg(test)]
mod tests {
    use palimpsest_answers::standing::{BlockedBy, FIRST_COOLDOWN_MS};

    use super::*;

    #[test]
    fn a_rare_word_weighs_more_and_one_of_every_answer_nearly_nothing() {
        assert!(rarity(1, 1_000) > rarity(100, 1_000));
        assert!(rarity(1_000, 1_000) < 0.001 && rarity(1_000, 1_000) > 0.0);
        assert!(rarity(9, 3) > 0.0, "the counts of another moment");
    }

    #[test]
    fn a_blocked_answer_comes_back_after_its_wait_and_one_blocked_by_a_writer_does_not() {
        let failed = Standing {
            state: State::Blocked(BlockedBy::Run),
            times_blocked: 1,
            last_failed_at: Some(0),
            ..Standing::initial(0)
        };
        assert_eq!(status(&failed, FIRST_COOLDOWN_MS - 1), None);
        assert_eq!(status(&failed, FIRST_COOLDOWN_MS), Some("active"));
        let by_writer = Standing { state: State::Blocked(BlockedBy::Writer), ..failed };
        assert_eq!(status(&by_writer, i64::MAX), None);
    }
}
