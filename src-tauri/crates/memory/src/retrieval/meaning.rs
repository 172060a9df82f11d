//! Semantic search: the vector of a query, and its comparison with the vectors of a project.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use palimpsest_vectors::{Quantized, quantize};

use super::{
    background,
    encoders::{Encoder, Encoders, Serving, Unavailable},
    names::HiddenNames,
    resident::{self, Resident, Similarity},
    residents::Residents,
};
use crate::{
    error::Result,
    lock::{self, Mutex},
    model::{Cause, OwnerKind, ProjectId},
    ports::{EmbedderError, ModelErrorKind},
    storage::{Database, vectors},
};

/// Maximum encoded characters of a query, counted from its end.
const MAX_ENCODED_CHARS: usize = 1_200;
/// Maximum vectors that a recall loads synchronously: it takes some twenty milliseconds.
const MAX_VECTORS_READ_INLINE: u32 = 12_000;
/// Maximum cached query vectors: a preview and the run after it have the same query.
const MAX_CACHED_QUERIES: usize = 8;
/// Timeout of a recall's request to a remote encoder.
const RECALL_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Timeout of an indexing request to a remote encoder.
pub(super) const INDEX_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval at which a wait checks for cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum stretches of a query that are encoded besides the whole.
const MAX_QUERY_STRETCHES: usize = 4;

/// The vectors of a query with their encoder: of the whole, then of its stretches if it has more than one.
pub(crate) struct Encoded {
    vectors: Arc<Vec<Quantized>>,
    serving: Serving,
}

struct CachedQuery {
    text: String,
    model: String,
    vectors: Arc<Vec<Quantized>>,
}

/// The similarities of a query.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// To every text of a kind, sorted by row.
    pub texts: Vec<Similarity>,
    /// To each of [`super::background::PASSAGES`], where the project has few texts; else empty.
    pub background: Vec<f64>,
}

/// The state of semantic search.
#[derive(Default)]
pub(crate) struct Meaning {
    pub encoders: Arc<Encoders>,
    pub(super) residents: Residents,
    queries: Mutex<VecDeque<CachedQuery>>,
    waits_cancelled: AtomicBool,
    /// The names that no remote encoder may read.
    pub names: HiddenNames,
}

impl Meaning {
    /// Connects to the chosen encoder, or checks whether a failed one answers again.
    pub(crate) fn connect(&self) {
        let encoders = Arc::clone(&self.encoders);
        let reached = self.in_time(INDEX_TIMEOUT, move || {
            encoders.connect();
            Ok(())
        });
        if let Err(error) = reached {
            self.encoders.set_unavailable(error.0);
        }
    }

    /// Clears the vectors of a project, or of all, and every cached query: queries are not stored by project.
    pub(crate) fn drop_project(&self, project_id: Option<&ProjectId>) {
        self.residents.drop_vectors(project_id);
        self.queries.lock().clear();
    }

    /// Cancels all waits for a remote encoder, for shutdown.
    pub(crate) fn cancel_network_waits(&self) {
        self.waits_cancelled.store(true, Ordering::SeqCst);
    }

    /// Runs a request to a remote encoder on its own thread, and waits no longer than `timeout`.
    pub(super) fn in_time<T: Send + 'static>(
        &self,
        timeout: Duration,
        ask: impl FnOnce() -> Result<T, EmbedderError> + Send + 'static,
    ) -> Result<T, EmbedderError> {
        let (answer, answered) = sync_channel(1);
        thread::spawn(move || {
            // The caller may have timed out.
            answer.send(ask()).ok();
        });
        let mut waited = Duration::ZERO;
        while waited < timeout && !self.waits_cancelled.load(Ordering::SeqCst) {
            match answered.recv_timeout(CANCEL_CHECK_INTERVAL) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => waited += CANCEL_CHECK_INTERVAL,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Err(ModelErrorKind::Timeout.into())
    }

    /// Whether an encoder is available.
    pub(crate) fn is_ready(&self) -> bool {
        self.encoders.serving().is_some()
    }

    /// Why recall is less precise than possible; `None` if it is not.
    pub(crate) fn trouble(&self) -> Option<Cause> {
        let chosen = self.encoders.reason_unavailable().map(|Unavailable { name, cause }| Cause {
            message: format!("{name} does not serve ({})", cause.message),
            ..cause
        });
        chosen.or_else(|| match (self.encoders.bundled(), self.encoders.answering()) {
            (Encoder::Missing(cause), None) => Some(cause),
            _ => None,
        })
    }

    /// The bundled encoder's vector of each text, of length 1; `None` without an encoder, or for a text that it cannot
    /// encode.
    pub(crate) fn vectors_of(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let bundled = self.encoders.ready();
        let vector = |text: &&str| bundled.as_ref()?.encoder.embed(text).ok();
        texts.iter().map(vector).collect()
    }

    /// The encoder that serves searches of a kind of text.
    fn serving_for(&self, kind: OwnerKind) -> Option<Serving> {
        if kind.is_encoded_here() { self.encoders.ready() } else { self.encoders.serving() }
    }

    /// The query's vectors for a search of a kind of text; `None` without an encoder, or for a query that it cannot
    /// encode. If a remote encoder does not answer in time, the bundled one is used.
    pub(crate) fn encode(&self, project_id: &ProjectId, kind: OwnerKind, query: &str) -> Option<Encoded> {
        let query = palimpsest_text::last_chars(query, MAX_ENCODED_CHARS).trim();
        let serving = self.serving_for(kind)?;
        if !serving.remote {
            return self.encode_with(&serving, query, |text, stretches| serving.encoder.embed_query(text, stretches));
        }
        let waited = self.names.hide(project_id, query).and_then(|hidden| {
            self.encode_with(&serving, &hidden, |text, stretches| {
                let (encoder, text, stretches) = (Arc::clone(&serving.encoder), text.to_owned(), stretches.to_vec());
                self.in_time(RECALL_TIMEOUT, move || encoder.embed_query(&text, &stretches))
            })
        });
        waited.or_else(|| {
            let bundled = self.encoders.ready()?;
            self.encode_with(&bundled, query, |text, stretches| bundled.encoder.embed_query(text, stretches))
        })
    }

    fn encode_with(
        &self,
        serving: &Serving,
        query: &str,
        embed: impl FnOnce(&str, &[Range<usize>]) -> Result<Vec<Vec<f32>>, EmbedderError>,
    ) -> Option<Encoded> {
        let model = serving.encoder.model();
        let encoded = |vectors| Encoded { vectors, serving: serving.clone() };
        let known = |queries: &VecDeque<CachedQuery>| {
            queries
                .iter()
                .find(|known| known.text == query && known.model == model)
                .map(|known| Arc::clone(&known.vectors))
        };
        if let Some(vectors) = known(&self.queries.lock()) {
            return Some(encoded(vectors));
        }
        lock::assert_none_held("an encoder answers");
        let vectors = match embed(query, &stretches_of(query, MAX_QUERY_STRETCHES)) {
            Ok(vectors) => Arc::new(vectors.iter().map(|vector| quantize(vector)).collect::<Vec<_>>()),
            Err(error) => {
                if serving.remote {
                    self.encoders.set_unavailable(error.0);
                }
                return None;
            }
        };
        let mut queries = self.queries.lock();
        queries.push_back(CachedQuery {
            text: query.to_owned(),
            model: model.to_owned(),
            vectors: Arc::clone(&vectors),
        });
        if queries.len() > MAX_CACHED_QUERIES {
            queries.pop_front();
        }
        Some(encoded(vectors))
    }

    /// The similarity of every text of a kind, in a project, to a query, sorted by row; `None` while their vectors are
    /// not in memory. A small project's are loaded now, a large one's in the background, with word search meanwhile.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn compare(
        &self,
        db: &Database,
        project_id: &ProjectId,
        kind: OwnerKind,
        query: &Encoded,
    ) -> Result<Option<Compared>> {
        let encoder = query.serving.encoder.as_ref();
        if let Some(similar) = self.compare_resident(project_id, kind, query) {
            return Ok(Some(similar));
        }
        if vectors::count(&*db.reader()?, project_id, encoder.model(), kind)? > MAX_VECTORS_READ_INLINE {
            self.residents.want(project_id, kind);
            return Ok(None);
        }
        self.residents.load(db, project_id, kind, encoder)?;
        Ok(self.compare_resident(project_id, kind, query))
    }

    fn compare_resident(&self, project_id: &ProjectId, kind: OwnerKind, query: &Encoded) -> Option<Compared> {
        let serving = &query.serving;
        let compare = |resident: &Resident| resident.compare(&query.vectors);
        let mut texts = self.residents.read(project_id, kind, serving.encoder.model(), compare)?;
        for one in &mut texts {
            one.cosine = serving.calibrated(one.cosine);
        }
        let passages = if texts.len() < background::MIN_TEXTS { serving.background() } else { &[] };
        let similarity = |passage| serving.calibrated(f64::from(resident::similarity(passage, &query.vectors)));
        Some(Compared { background: passages.iter().map(similarity).collect(), texts })
    }

    /// Removes the vectors of rows that no longer exist.
    pub(crate) fn remove_rows(&self, rows: &[i64]) {
        self.residents.remove_rows(rows);
    }

    /// Whether a recall missed vectors in memory; [`Meaning::read_wanted`] loads them.
    pub(crate) fn wants_reading(&self) -> bool {
        self.residents.is_any_wanted()
    }

    /// Loads vectors that a recall missed; returns whether there were any to load.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn read_wanted(&self, db: &Database) -> Result<bool> {
        let Some(wanted) = self.residents.next_wanted() else { return Ok(false) };
        let Some(serving) = self.serving_for(wanted.kind) else { return Ok(false) };
        self.residents.load_wanted(db, &wanted, serving.encoder.as_ref())?;
        Ok(true)
    }
}

/// The stretches of a text as ranges of bytes: the whole, and at most `max_stretches` of its windows if it has more
/// than one.
fn stretches_of(text: &str, max_stretches: usize) -> Vec<Range<usize>> {
    let mut stretches = Vec::with_capacity(max_stretches + 1);
    stretches.push(0..text.len());
    let windows = palimpsest_text::windows(text, max_stretches);
    if windows.len() > 1 {
        let range = |window: &&str| {
            let start = window.as_ptr().addr() - text.as_ptr().addr();
            start..start + window.len()
        };
        stretches.extend(windows.iter().map(range));
    }
    stretches
}
