//! Semantic search: the vector of a query, and its comparison with the vectors of a project.

use std::{
    collections::VecDeque,
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
    encoders::{Encoder, Encoders, Serving, Unavailable},
    names::HiddenNames,
    resident::{Resident, Similarity},
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
/// A query vector with its encoder.
pub(crate) struct Encoded {
    vector: Arc<Quantized>,
    serving: Serving,
}

struct CachedQuery {
    text: String,
    model: String,
    vector: Arc<Quantized>,
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

    /// The query vector; `None` without an encoder, or for a query that it cannot encode. If a remote encoder does not
    /// answer in time, the bundled one is used.
    pub(crate) fn encode(&self, project_id: &ProjectId, query: &str) -> Option<Encoded> {
        let query = palimpsest_text::last_chars(query, MAX_ENCODED_CHARS);
        let serving = self.encoders.serving()?;
        if !serving.remote {
            return self.encode_with(&serving, query, |text| serving.encoder.embed(text));
        }
        let waited = self.names.hide(project_id, query).and_then(|hidden| {
            let asked = (Arc::clone(&serving.encoder), hidden.clone());
            self.encode_with(&serving, &hidden, |_| self.in_time(RECALL_TIMEOUT, move || asked.0.embed(&asked.1)))
        });
        waited.or_else(|| {
            let bundled = self.encoders.ready()?;
            self.encode_with(&bundled, query, |text| bundled.encoder.embed(text))
        })
    }

    fn encode_with(
        &self,
        serving: &Serving,
        query: &str,
        embed: impl FnOnce(&str) -> Result<Vec<f32>, EmbedderError>,
    ) -> Option<Encoded> {
        let model = serving.encoder.model();
        let encoded = |vector| Encoded { vector, serving: serving.clone() };
        let known = |queries: &VecDeque<CachedQuery>| {
            queries
                .iter()
                .find(|known| known.text == query && known.model == model)
                .map(|known| Arc::clone(&known.vector))
        };
        if let Some(vector) = known(&self.queries.lock()) {
            return Some(encoded(vector));
        }
        lock::assert_none_held("an encoder answers");
        let vector = match embed(query) {
            Ok(vector) => Arc::new(quantize(&vector)),
            Err(error) => {
                if serving.remote {
                    self.encoders.set_unavailable(error.0);
                }
                return None;
            }
        };
        let mut queries = self.queries.lock();
        queries.push_back(CachedQuery { text: query.to_owned(), model: model.to_owned(), vector: Arc::clone(&vector) });
        if queries.len() > MAX_CACHED_QUERIES {
            queries.pop_front();
        }
        Some(encoded(vector))
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
    ) -> Result<Option<Vec<Similarity>>> {
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

    fn compare_resident(&self, project_id: &ProjectId, kind: OwnerKind, query: &Encoded) -> Option<Vec<Similarity>> {
        let model = query.serving.encoder.model();
        let compare = |resident: &Resident| resident.compare(&query.vector);
        let mut similar = self.residents.read(project_id, kind, model, compare)?;
        if query.serving.remote {
            for one in &mut similar {
                one.cosine = query.serving.calibrated(one.cosine);
            }
        }
        Some(similar)
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
        let wanted = self.residents.next_wanted();
        let (Some(wanted), Some(serving)) = (wanted, self.encoders.serving()) else { return Ok(false) };
        self.residents.load_wanted(db, &wanted, serving.encoder.as_ref())?;
        Ok(true)
    }
}
