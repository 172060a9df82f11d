//! Semantic search: vectors computed in the background, and one project's vectors in memory for comparison with a
//! query.
//!
//! An episode has at most five: one of the whole text, and four of windows of it, because a text with several topics is
//! similar to none of them as a whole.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use palimpsest_text::windows;
use palimpsest_vectors::{Quantized, quantize};

use super::{
    encoders::{Encoder, Encoders, Serving, Unavailable},
    lexical::Step,
    names::HiddenNames,
    resident::{Resident, Similarity},
};
use crate::{
    error::Result,
    lock::{self, Mutex, Rank, RwLock},
    model::{Cause, ProjectId, Reason, TextKind},
    ports::{Embedder, EmbedderError, ModelErrorKind},
    storage::{Database, episodes, vectors, words},
};

/// Maximum windows of an episode, besides the whole text.
pub(super) const MAX_WINDOWS: usize = 4;
/// Maximum encoded characters of a text, counted from its end.
const MAX_ENCODED_CHARS: usize = 1_200;
/// Maximum vectors that a recall loads synchronously: it takes some twenty milliseconds.
const MAX_VECTORS_READ_INLINE: u32 = 12_000;
/// Maximum cached query vectors: a preview and the run after it have the same query.
const MAX_CACHED_QUERIES: usize = 8;
/// Maximum episodes per request to a remote encoder.
const MAX_TEXTS_PER_REQUEST: u32 = 6;
/// Timeout of a recall's request to a remote encoder.
const RECALL_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Timeout of an indexing request to a remote encoder.
const INDEX_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval at which a wait checks for cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// A text that any working encoder can encode.
const ANY_TEXT: &str = "灯亮着。";
/// Maximum vectors of other models that are deleted per step.
const MAX_DROPPED_PER_STEP: u32 = 500;

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
pub(crate) struct Meaning {
    pub encoders: Arc<Encoders>,
    /// A project's vectors in memory, one set for each of [`TextKind::ALL`]: a recall without summaries loads none of
    /// theirs.
    residents: [RwLock<Option<Resident>>; 2],
    queries: Mutex<VecDeque<CachedQuery>>,
    /// The project and kind of vectors that a recall missed in memory.
    wanted: Mutex<Vec<(ProjectId, TextKind)>>,
    waits_cancelled: AtomicBool,
    /// The names that no remote encoder may read.
    pub names: HiddenNames,
    /// Number of calls of [`Meaning::drop_project`]; a change invalidates work under way.
    forgotten: AtomicU64,
}

impl Default for Meaning {
    fn default() -> Self {
        Self {
            encoders: Arc::default(),
            residents: [const { RwLock::new(Rank::Resident, None) }; 2],
            queries: Mutex::default(),
            wanted: Mutex::default(),
            waits_cancelled: AtomicBool::default(),
            names: HiddenNames::default(),
            forgotten: AtomicU64::default(),
        }
    }
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
        // First: vectors computed meanwhile are added to memory later, after a check of this counter.
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        for resident in &self.residents {
            let mut resident = resident.write();
            if resident.as_ref().is_some_and(|resident| project_id.is_none_or(|id| *id == resident.project_id)) {
                *resident = None;
            }
        }
        self.queries.lock().clear();
        self.wanted.lock().clear();
    }

    /// Cancels all waits for a remote encoder, for shutdown.
    pub(crate) fn cancel_network_waits(&self) {
        self.waits_cancelled.store(true, Ordering::SeqCst);
    }

    /// Runs a request to a remote encoder on its own thread, and waits no longer than `timeout`.
    fn in_time<T: Send + 'static>(
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

    /// Computes the vectors of at most `limit` episodes that lack one of the bundled encoder, then of the chosen one;
    /// when all are done, deletes some vectors of other models.
    ///
    /// # Errors
    /// Those of the store; the step is then rolled back.
    pub(crate) fn catch_up(&self, db: &Database, limit: u32) -> Result<Step> {
        if let Some(bundled) = self.encoders.ready() {
            let step = self.make(db, &bundled, limit)?;
            if step.indexed > 0 {
                return Ok(Step { more: true, ..step });
            }
        }
        if let Some(chosen) = self.encoders.answering() {
            let step = self.make(db, &chosen, limit)?;
            if step.indexed > 0 {
                return Ok(Step { more: true, ..step });
            }
            // It may have failed during the step.
            if self.encoders.answering().is_some() {
                self.encoders.set_whole();
            }
        }
        self.drop_others(db)
    }

    /// Deletes vectors of unused models. The bundled encoder's stay even if its files are missing, and a chosen one's
    /// while it does not answer.
    fn drop_others(&self, db: &Database) -> Result<Step> {
        if self.encoders.is_expected() {
            return Ok(Step::default());
        }
        let Some(bundled) = self.encoders.ready() else { return Ok(Step::default()) };
        let chosen = self.encoders.chosen_model();
        let used_models = [bundled.encoder.model(), chosen.as_deref().unwrap_or(bundled.encoder.model())];
        let Some((project, model)) = vectors::others(&*db.reader()?, used_models)? else { return Ok(Step::default()) };
        let dropped = db.write_derived("delete vectors", |tx| {
            vectors::drop_some(tx, (&project, &model), used_models, MAX_DROPPED_PER_STEP)
        })?;
        Ok(Step { indexed: 0, more: dropped > 0 })
    }

    fn make(&self, db: &Database, serving: &Serving, limit: u32) -> Result<Step> {
        let encoder = serving.encoder.as_ref();
        let model = encoder.model();
        let forgotten = self.forgotten.load(Ordering::SeqCst);
        let limit = if serving.remote { limit.max(MAX_TEXTS_PER_REQUEST) } else { limit };
        let mut waiting = {
            let reader = db.reader()?;
            episodes::recorded_after(&reader, words::watermark(&reader, &mark_of(model))?, None, limit)?
        };
        for text in waiting.iter_mut().filter(|_| serving.remote) {
            match self.names.hide(&text.project_id, &text.text) {
                Some(hidden) => text.text = hidden,
                None => {
                    self.encoders.set_unavailable(Cause::new(
                        Reason::NamesUnread,
                        "the names to be hidden from it cannot be read",
                    ));
                    return Ok(Step::default());
                }
            }
        }
        let Some(last) = waiting.last().map(|text| text.row) else { return Ok(Step::default()) };
        let said: Vec<(usize, u32, &str)> = waiting
            .iter()
            .enumerate()
            .flat_map(|(n, text)| {
                // A summary has one vector: it is short, and there will be many summaries.
                let parts = if text.compressed { vec![text.text.as_str()] } else { parts(&text.text) };
                (0_u32..).zip(parts).map(move |(part, said)| (n, part, said))
            })
            .collect();
        // No model call inside a transaction.
        let texts: Vec<&str> = said.iter().map(|(_, _, said)| *said).collect();
        lock::assert_none_held("an encoder answers");
        let all = if serving.remote {
            let (encoder, texts) = (Arc::clone(&serving.encoder), texts.iter().map(|&text| text.to_owned()).collect());
            self.in_time(INDEX_TIMEOUT, move || {
                let texts: Vec<String> = texts;
                encoder.embed_all(&texts.iter().map(String::as_str).collect::<Vec<_>>())
            })
        } else {
            encoder.embed_all(&texts)
        };
        let vectors: Vec<Option<Vec<f32>>> = match all {
            Ok(vectors) if vectors.len() == texts.len() => vectors.into_iter().map(Some).collect(),
            Ok(_) => {
                self.encoders.set_unavailable(ModelErrorKind::Malformed.into());
                return Ok(Step::default());
            }
            // One text that cannot be encoded must not block the others forever. Word search still finds it.
            Err(_) if encoder.embed(ANY_TEXT).is_ok() => texts.iter().map(|said| encoder.embed(said).ok()).collect(),
            Err(error) => {
                self.encoders.set_unavailable(error.0);
                return Ok(Step::default());
            }
        };
        let made: Vec<(usize, u32, [u8; 16], Quantized)> = said
            .into_iter()
            .zip(vectors)
            .filter_map(|((n, part, said), vector)| {
                let mut hash = [0; 16];
                hash.copy_from_slice(&blake3::hash(said.as_bytes()).as_bytes()[..16]);
                Some((n, part, hash, quantize(&vector?)))
            })
            .collect();
        db.write_derived("write vectors", |tx| {
            for (n, part, content_hash, vector) in &made {
                let text = &waiting[*n];
                let new = vectors::NewVector {
                    project_id: &text.project_id,
                    model,
                    episode_id: &text.id,
                    row: text.row,
                    kind: TextKind::from_compressed(text.compressed),
                    part: *part,
                    content_hash: *content_hash,
                    vector,
                };
                vectors::upsert(tx, &new)?;
            }
            words::set_watermark(tx, &mark_of(model), last)
        })?;
        for kind in TextKind::ALL {
            let mut resident = self.resident(kind).write();
            // Cleared vectors must not return; a vector skipped by this check is loaded with its project again.
            if self.forgotten.load(Ordering::SeqCst) != forgotten {
                *resident = None;
            }
            let Some(resident) = resident.as_mut().filter(|resident| resident.model == model) else { continue };
            // Vectors loaded from the store between the commit and here are already present.
            let known = resident.newest();
            for (n, part, _, vector) in &made {
                let text = &waiting[*n];
                let belongs =
                    text.project_id == resident.project_id && TextKind::from_compressed(text.compressed) == kind;
                if belongs && text.row > known {
                    resident.push(text.row, *part, &vector.bytes, vector.scale);
                }
            }
        }
        Ok(Step { indexed: u32::try_from(waiting.len()).unwrap_or(limit), more: true })
    }

    /// Number of episodes with vectors of the pending model, and of all; `None` when all have one.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn progress(&self, db: &Database) -> Result<Option<(u32, u32)>> {
        let Some(chosen) = self.encoders.answering() else { return Ok(None) };
        let reader = db.reader()?;
        let waiting = episodes::count_after(&reader, words::watermark(&reader, &mark_of(chosen.encoder.model()))?)?;
        let total = episodes::count(&reader, None)?;
        Ok((waiting > 0).then_some((total.saturating_sub(waiting), total)))
    }

    /// Whether episodes wait for their vectors, or a chosen encoder for its takeover.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn is_behind(&self, db: &Database) -> Result<bool> {
        if self.encoders.answering().is_some() && !self.encoders.is_whole() {
            return Ok(true);
        }
        let reader = db.reader()?;
        for serving in [self.encoders.ready(), self.encoders.answering()].into_iter().flatten() {
            if episodes::any_after(&reader, words::watermark(&reader, &mark_of(serving.encoder.model()))?)? {
                return Ok(true);
            }
        }
        // All vectors are computed, and the step that makes the takeover is still due.
        Ok(self.encoders.is_taking_over())
    }

    fn resident(&self, kind: TextKind) -> &RwLock<Option<Resident>> {
        let [episodes, summaries] = &self.residents;
        match kind {
            TextKind::Episode => episodes,
            TextKind::Summary => summaries,
        }
    }

    /// Loads vectors that a recall missed; returns whether there were any to load.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn read_wanted(&self, db: &Database) -> Result<bool> {
        let wanted = self.wanted.lock().pop();
        let (Some((project_id, kind)), Some(serving)) = (wanted, self.encoders.serving()) else { return Ok(false) };
        self.load_vectors(db, &project_id, kind, serving.encoder.as_ref())?;
        Ok(true)
    }

    fn load_vectors(
        &self,
        db: &Database,
        project_id: &ProjectId,
        kind: TextKind,
        encoder: &dyn Embedder,
    ) -> Result<()> {
        // Held while loading: a vector computed meanwhile waits, and is then added.
        let mut resident = self.resident(kind).write();
        let reader = db.reader()?;
        let expected = vectors::count(&reader, project_id, encoder.model(), kind)? as usize;
        let mut read = Resident::new(project_id, encoder, kind, expected);
        vectors::each(&reader, project_id, encoder.model(), kind, |row, part, bytes, scale| {
            read.push(row, part, bytes, scale)
        })?;
        read.put_in_order();
        *resident = Some(read);
        Ok(())
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
        kind: TextKind,
        query: &Encoded,
    ) -> Result<Option<Vec<Similarity>>> {
        let encoder = query.serving.encoder.as_ref();
        if let Some(similar) = self.compare_resident(project_id, kind, query) {
            return Ok(Some(similar));
        }
        if vectors::count(&*db.reader()?, project_id, encoder.model(), kind)? > MAX_VECTORS_READ_INLINE {
            let missed = (project_id.clone(), kind);
            let mut wanted = self.wanted.lock();
            // Memory has room for one project: the vectors of another one are dropped.
            wanted.retain(|(project, _)| project == project_id);
            if !wanted.contains(&missed) {
                wanted.push(missed);
            }
            return Ok(None);
        }
        self.load_vectors(db, project_id, kind, encoder)?;
        Ok(self.compare_resident(project_id, kind, query))
    }

    fn compare_resident(&self, project_id: &ProjectId, kind: TextKind, query: &Encoded) -> Option<Vec<Similarity>> {
        let resident = self.resident(kind).read();
        let model = query.serving.encoder.model();
        let resident = resident.as_ref().filter(|r| r.project_id == *project_id && r.model == model)?;
        let mut similar = resident.compare(&query.vector);
        if query.serving.remote {
            for one in &mut similar {
                one.cosine = query.serving.calibrated(one.cosine);
            }
        }
        Some(similar)
    }

    /// Removes the vectors of rows that no longer exist: a compressed episode has a new row, a deleted one none.
    pub(crate) fn remove_rows(&self, rows: &[i64]) {
        if rows.is_empty() {
            return;
        }
        let rows: HashSet<i64> = rows.iter().copied().collect();
        for resident in &self.residents {
            let mut resident = resident.write();
            if resident.as_mut().is_some_and(|resident| resident.remove_rows(&rows)) {
                *resident = None;
            }
        }
    }

    /// Requests a project's vectors; [`Meaning::read_wanted`] loads them.
    pub(crate) fn wants_reading(&self) -> bool {
        !self.wanted.lock().is_empty()
    }
}

/// The watermark name of a model's background index.
fn mark_of(model: &str) -> String {
    format!("vectors:{model}")
}

/// The encoded parts of a text: the whole, and windows if it has more than one sentence.
fn parts(text: &str) -> Vec<&str> {
    let text = palimpsest_text::last_chars(text, MAX_ENCODED_CHARS).trim();
    let stretches = windows(text, MAX_WINDOWS);
    let mut parts = vec![text];
    if stretches.len() > 1 {
        parts.extend(stretches);
    }
    parts
}
