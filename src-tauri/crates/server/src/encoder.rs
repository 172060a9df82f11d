//! The bundled encoder in this process, and the vectors of answers that were recorded without it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use deadpool_postgres::Pool;
use palimpsest_embedder::{Encoder, MODEL};
use palimpsest_text::excerpt;
use tokio::sync::Semaphore;

use crate::{
    log::{Field, log},
    refusal::Refusal,
};

/// Number of characters of an answer that its vector is computed from, as in the desktop.
const ENCODED_CHARS: usize = 600;
/// Answers whose vectors are made in one transaction.
const BATCH: i64 = 32;
/// Pause between searches for answers without vectors.
const PAUSE: Duration = Duration::from_secs(60);

/// The encoder, once it is loaded.
pub(crate) struct Meaning {
    encoder: OnceLock<Arc<Encoder>>,
    /// As many texts are encoded at a time as there are processors.
    permits: Semaphore,
}

/// The vectors of an answer, as PostgreSQL reads them.
pub(crate) struct AnswerVectors {
    pub question: String,
    pub answer: String,
}

impl Default for Meaning {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self { encoder: OnceLock::new(), permits: Semaphore::new(processors) }
    }
}

/// The folder of the encoder beside the program or in the repository.
pub(crate) fn bundled_folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join("embedder"));
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../resources/embedder");
    let there = |folder: &PathBuf| Encoder::FILES.iter().all(|file| folder.join(file.name).is_file());
    [beside, Some(repository)].into_iter().flatten().find(there)
}

impl Meaning {
    pub(crate) fn is_ready(&self) -> bool {
        self.encoder.get().is_some()
    }

    /// Loads the encoder; without its files, words alone serve.
    pub(crate) fn load(&self, folder: &Path) {
        match Encoder::load(folder) {
            Ok(encoder) => {
                // It is loaded once.
                self.encoder.set(Arc::new(encoder)).ok();
                log("encoder_ready", &[]);
            }
            Err(_) => log("encoder_missing", &[]),
        }
    }

    async fn encode(&self, texts: Vec<String>) -> Option<Vec<String>> {
        let encoder = Arc::clone(self.encoder.get()?);
        let permit = self.permits.acquire().await.ok()?;
        let encode = move || texts.iter().map(|text| to_sql(&encoder.embed(text))).collect();
        let encoded = tokio::task::spawn_blocking(encode).await.ok();
        drop(permit);
        encoded
    }

    /// The vector of a query; `None` without the encoder.
    pub(crate) async fn of_query(&self, query: &str) -> Option<String> {
        self.encode(vec![query.to_owned()]).await?.pop()
    }

    /// The vectors of an answer; `None` without the encoder.
    pub(crate) async fn of_answer(&self, question: &str, answer: &str) -> Option<AnswerVectors> {
        let mut vectors = self.encode(vec![question.to_owned(), excerpt(answer, ENCODED_CHARS)]).await?;
        let answer = vectors.pop()?;
        Some(AnswerVectors { question: vectors.pop()?, answer })
    }
}

/// A vector in the form in which pgvector reads it.
fn to_sql(vector: &[f32]) -> String {
    let mut text = String::with_capacity(vector.len() * 12);
    for number in vector {
        text.push(if text.is_empty() { '[' } else { ',' });
        text.push_str(&number.to_string());
    }
    text.push(']');
    text
}

/// Stores the vectors of an answer.
pub(crate) async fn insert_vectors(
    db: &impl deadpool_postgres::GenericClient,
    (project, answer): (i32, i64),
    vectors: &AnswerVectors,
) -> Result<(), Refusal> {
    let insert = db
        .prepare_cached(
            "INSERT INTO vectors (project, answer, part, vector) \
             VALUES ($1, $2, 0, $3::text::halfvec), ($1, $2, 1, $4::text::halfvec) ON CONFLICT DO NOTHING",
        )
        .await?;
    db.execute(&insert, &[&project, &answer, &vectors.question, &vectors.answer]).await?;
    let note = db.prepare_cached("UPDATE answers SET encoder = $2 WHERE answer = $1").await?;
    db.execute(&note, &[&answer, &MODEL]).await?;
    Ok(())
}

/// Makes the vectors of answers that have none: they were recorded while no encoder was loaded. Servers that do so at
/// the same time take different answers.
pub(crate) async fn keep_complete(meaning: Arc<Meaning>, pool: Pool) {
    loop {
        match complete_batch(&meaning, &pool).await {
            Ok(0) | Err(_) => tokio::time::sleep(PAUSE).await,
            Ok(made) => log("vectors_made", &[("answers", Field::Count(made as u64))]),
        }
    }
}

async fn complete_batch(meaning: &Meaning, pool: &Pool) -> Result<usize, Refusal> {
    let mut client = pool.get().await?;
    let tx = client.transaction().await?;
    let without = tx
        .query(
            "SELECT answer, project, question, answer_text FROM answers WHERE encoder IS NULL ORDER BY answer LIMIT $1 \
             FOR UPDATE SKIP LOCKED",
            &[&BATCH],
        )
        .await?;
    for row in &without {
        let (question, answer): (&str, &str) = (row.get(2), row.get(3));
        let Some(vectors) = meaning.of_answer(question, answer).await else { return Ok(0) };
        insert_vectors(&tx, (row.get(1), row.get(0)), &vectors).await?;
    }
    tx.commit().await?;
    Ok(without.len())
}
