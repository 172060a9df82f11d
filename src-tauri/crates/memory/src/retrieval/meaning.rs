//! Meaning: vectors made in the background, and one book's vectors in memory, to be compared with a query.
//!
//! An episode has at most five: one of the whole text, and four of stretches of it, because a text that says several
//! things is similar to none of them as a whole.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use palimpsest_text::windows;
use palimpsest_vectors::{Quantized, quantize};

use super::{
    encoders::{Encoder, Encoders, Serving, Trouble},
    lexical::Step,
    names::HiddenNames,
    resident::{Resident, Similarity},
};
use crate::{
    error::Result,
    model::{Cause, Reason},
    ports::{Embedder, EmbedderError, ModelErrorKind},
    storage::{Database, Owner, episodes, vectors, words},
};

/// Stretches an episode is cut into, beside the whole.
pub(super) const WINDOWS: usize = 4;
/// The longest text that is encoded, in characters, counted from its end.
const ENCODED_CHARS: usize = 1_200;
/// A book with at most so many vectors is read into memory while a recall waits: it takes some twenty milliseconds.
const READ_AT_ONCE: u32 = 12_000;
/// Queries whose vectors are kept: a preview and the run after it ask the same.
const QUERIES_KEPT: usize = 8;
/// Episodes whose texts are sent to an encoder behind a network together.
const ASKED_AT_ONCE: u32 = 6;
/// How long a recall waits for an encoder behind a network.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// How long the index waits for it.
const INDEX_PATIENCE: Duration = Duration::from_secs(60);
/// How soon a wait ends that nobody needs any more.
const SLICE: Duration = Duration::from_millis(20);
/// What any encoder that serves can encode.
const ANY_TEXT: &str = "灯亮着。";
/// Vectors of other models that are dropped in one step.
const DROPPED_A_STEP: u32 = 500;

/// A query as a vector, and whose.
pub struct Encoded {
    vector: Arc<Quantized>,
    serving: Serving,
}

/// A query that was encoded before.
struct Known {
    text: String,
    model: String,
    vector: Arc<Quantized>,
}

/// Everything that is known about meaning while the program runs.
#[derive(Default)]
pub struct Meaning {
    /// Who encodes.
    pub encoders: Arc<Encoders>,
    /// A book's vectors in memory, one for each of [`Owner::ALL`]: a recall that needs no summaries has none read.
    residents: [RwLock<Option<Resident>>; 2],
    queries: Mutex<VecDeque<Known>>,
    /// What a recall missed in memory: a book, and which of its vectors.
    wanted: Mutex<Vec<(String, Owner)>>,
    hurried: AtomicBool,
    /// What no encoder behind a network reads.
    pub names: HiddenNames,
    /// How often something was forgotten.
    forgotten: AtomicU64,
}

impl Meaning {
    /// Reaches the chosen encoder, or asks one in trouble whether it answers again.
    pub fn connect(&self) {
        let encoders = Arc::clone(&self.encoders);
        let reached = self.in_time(INDEX_PATIENCE, move || {
            encoders.connect();
            Ok(())
        });
        if let Err(error) = reached {
            self.encoders.set_trouble(error.0);
        }
    }

    /// Forgets the vectors of a book, or of all, and every query: they are not kept by book.
    pub fn forget_book(&self, project_id: Option<&str>) {
        // First: what is made meanwhile is put into memory after it, and looks.
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        for resident in &self.residents {
            let mut resident = resident.write().unwrap_or_else(PoisonError::into_inner);
            if resident.as_ref().is_some_and(|resident| project_id.is_none_or(|id| id == resident.project_id)) {
                *resident = None;
            }
        }
        self.queries.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whoever waits for an encoder behind a network waits no longer.
    pub fn hurry(&self) {
        self.hurried.store(true, Ordering::SeqCst);
    }

    /// Asks somebody behind a network on a thread of its own, and waits no longer than `patience`.
    fn in_time<T: Send + 'static>(
        &self,
        patience: Duration,
        ask: impl FnOnce() -> Result<T, EmbedderError> + Send + 'static,
    ) -> Result<T, EmbedderError> {
        let (answer, answered) = sync_channel(1);
        thread::spawn(move || {
            let _nobody_waits_any_more = answer.send(ask());
        });
        let mut waited = Duration::ZERO;
        while waited < patience && !self.hurried.load(Ordering::SeqCst) {
            match answered.recv_timeout(SLICE) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => waited += SLICE,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Err(ModelErrorKind::Timeout.into())
    }

    /// Whether there is an encoder that serves.
    pub fn is_ready(&self) -> bool {
        self.encoders.serving().is_some()
    }

    /// Why recall is less precise than it could be, when it is.
    pub fn trouble(&self) -> Option<Cause> {
        let chosen = self.encoders.trouble().map(|Trouble { name, cause }| Cause {
            message: format!("{name} does not serve ({})", cause.message),
            ..cause
        });
        chosen.or_else(|| match (self.encoders.bundled(), self.encoders.answering()) {
            (Encoder::Missing(cause), None) => Some(cause),
            _ => None,
        })
    }

    /// Makes the vectors of at most `limit` episodes that the bundled encoder has none of yet, then those of the chosen
    /// one; when all are made, drops some of models that are neither.
    ///
    /// # Errors
    /// Those of the store; nothing of the step then happened.
    pub fn catch_up(&self, db: &Database, limit: u32) -> Result<Step> {
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
            // It may have got into trouble on the way.
            if self.encoders.answering().is_some() {
                self.encoders.set_whole();
            }
        }
        self.drop_others(db)
    }

    /// Vectors of models that no longer serve. The bundled encoder's stay even while its files are gone, and a chosen
    /// one's while it does not answer.
    fn drop_others(&self, db: &Database) -> Result<Step> {
        if self.encoders.is_expected() {
            return Ok(Step::default());
        }
        let Some(bundled) = self.encoders.ready() else { return Ok(Step::default()) };
        let chosen = self.encoders.chosen_model();
        let kept = [bundled.encoder.model(), chosen.as_deref().unwrap_or(bundled.encoder.model())];
        let Some((project, model)) = vectors::others(&*db.reader()?, kept)? else { return Ok(Step::default()) };
        let dropped = db.write_derived(|tx| vectors::drop_some(tx, (&project, &model), kept, DROPPED_A_STEP))?;
        Ok(Step { indexed: 0, more: dropped > 0 })
    }

    fn make(&self, db: &Database, serving: &Serving, limit: u32) -> Result<Step> {
        let encoder = serving.encoder.as_ref();
        let model = encoder.model();
        let forgotten = self.forgotten.load(Ordering::SeqCst);
        let limit = if serving.remote { limit.max(ASKED_AT_ONCE) } else { limit };
        let mut waiting = {
            let reader = db.reader()?;
            episodes::recorded_after(&reader, words::watermark(&reader, &mark_of(model))?, None, limit)?
        };
        for text in waiting.iter_mut().filter(|_| serving.remote) {
            match self.names.hide(&text.project_id, &text.text) {
                Some(hidden) => text.text = hidden,
                None => {
                    self.encoders
                        .set_trouble(Cause::new(Reason::NamesUnread, "the names to be hidden from it cannot be read"));
                    return Ok(Step::default());
                }
            }
        }
        let Some(last) = waiting.last().map(|text| text.row) else { return Ok(Step::default()) };
        let said: Vec<(usize, u32, &str)> = waiting
            .iter()
            .enumerate()
            .flat_map(|(n, text)| {
                // A summary has one vector: what it says is short, and there will be many of them.
                let parts = if text.compressed { vec![text.text.as_str()] } else { parts(&text.text) };
                (0_u32..).zip(parts).map(move |(part, said)| (n, part, said))
            })
            .collect();
        // No model call inside a transaction.
        let texts: Vec<&str> = said.iter().map(|(_, _, said)| *said).collect();
        let all = if serving.remote {
            let (encoder, texts) = (Arc::clone(&serving.encoder), texts.iter().map(|&text| text.to_owned()).collect());
            self.in_time(INDEX_PATIENCE, move || {
                let texts: Vec<String> = texts;
                encoder.embed_all(&texts.iter().map(String::as_str).collect::<Vec<_>>())
            })
        } else {
            encoder.embed_all(&texts)
        };
        let vectors: Vec<Option<Vec<f32>>> = match all {
            Ok(vectors) if vectors.len() == texts.len() => vectors.into_iter().map(Some).collect(),
            Ok(_) => {
                self.encoders.set_trouble(ModelErrorKind::Malformed.into());
                return Ok(Step::default());
            }
            // One text among them that cannot be encoded shall not keep the others waiting for ever. It is found by its
            // words.
            Err(_) if encoder.embed(ANY_TEXT).is_ok() => texts.iter().map(|said| encoder.embed(said).ok()).collect(),
            Err(error) => {
                self.encoders.set_trouble(error.0);
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
        db.write_derived(|tx| {
            for (n, part, content_hash, vector) in &made {
                let text = &waiting[*n];
                let new = vectors::NewVector {
                    project_id: &text.project_id,
                    model,
                    episode_id: &text.id,
                    row: text.row,
                    owner: Owner::of(text.compressed),
                    part: *part,
                    content_hash: *content_hash,
                    vector,
                };
                vectors::put(tx, &new)?;
            }
            words::set_watermark(tx, &mark_of(model), last)
        })?;
        for owner in Owner::ALL {
            let mut resident = self.resident(owner).write().unwrap_or_else(PoisonError::into_inner);
            // What was forgotten meanwhile must not come back; what stays out of memory by that is read again with its
            // book.
            if self.forgotten.load(Ordering::SeqCst) != forgotten {
                *resident = None;
            }
            let Some(resident) = resident.as_mut().filter(|resident| resident.model == model) else { continue };
            // What was read from the store between the commit and here is there already.
            let known = resident.newest();
            for (n, part, _, vector) in &made {
                let text = &waiting[*n];
                let belongs = text.project_id == resident.project_id && Owner::of(text.compressed) == owner;
                if belongs && text.row > known {
                    resident.push(text.row, *part, &vector.bytes, vector.scale);
                }
            }
        }
        Ok(Step { indexed: u32::try_from(waiting.len()).unwrap_or(limit), more: true })
    }

    /// How many episodes have their vectors of the model that is to serve, and of how many; `None` when all have.
    ///
    /// # Errors
    /// Those of the store.
    pub fn progress(&self, db: &Database) -> Result<Option<(u32, u32)>> {
        let Some(chosen) = self.encoders.answering() else { return Ok(None) };
        let reader = db.reader()?;
        let waiting = episodes::count_after(&reader, words::watermark(&reader, &mark_of(chosen.encoder.model()))?)?;
        let total = episodes::count(&reader, None)?;
        Ok((waiting > 0).then_some((total.saturating_sub(waiting), total)))
    }

    /// Whether episodes wait for their vectors, or a chosen encoder for its turn.
    ///
    /// # Errors
    /// Those of the store.
    pub fn is_behind(&self, db: &Database) -> Result<bool> {
        if self.encoders.answering().is_some() && !self.encoders.is_whole() {
            return Ok(true);
        }
        let reader = db.reader()?;
        for serving in [self.encoders.ready(), self.encoders.answering()].into_iter().flatten() {
            if episodes::any_after(&reader, words::watermark(&reader, &mark_of(serving.encoder.model()))?)? {
                return Ok(true);
            }
        }
        // All are made, and the step that lets it serve is still to come.
        Ok(self.encoders.is_taking_over())
    }

    fn resident(&self, owner: Owner) -> &RwLock<Option<Resident>> {
        let [episodes, summaries] = &self.residents;
        match owner {
            Owner::Episode => episodes,
            Owner::Summary => summaries,
        }
    }

    /// Reads vectors that a recall missed; says whether there were any to read.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read_wanted(&self, db: &Database) -> Result<bool> {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (Some((project_id, owner)), Some(serving)) = (wanted, self.encoders.serving()) else { return Ok(false) };
        self.read(db, &project_id, owner, serving.encoder.as_ref())?;
        Ok(true)
    }

    fn read(&self, db: &Database, project_id: &str, owner: Owner, encoder: &dyn Embedder) -> Result<()> {
        // Held while reading: a vector that is made meanwhile waits, and is then added to what was read or found there.
        let mut resident = self.resident(owner).write().unwrap_or_else(PoisonError::into_inner);
        let reader = db.reader()?;
        let expected = vectors::count(&reader, project_id, encoder.model(), owner)? as usize;
        let mut read = Resident::new(project_id, encoder, owner, expected);
        vectors::each(&reader, project_id, encoder.model(), owner, |row, part, bytes, scale| {
            read.push(row, part, bytes, scale)
        })?;
        read.put_in_order();
        *resident = Some(read);
        Ok(())
    }

    /// The vector that the bundled encoder makes of each text, of length 1; `None` while there is no encoder, or for one
    /// that it cannot encode.
    pub fn vectors_of(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let bundled = self.encoders.ready();
        let vector = |text: &&str| bundled.as_ref()?.encoder.embed(text).ok();
        texts.iter().map(vector).collect()
    }

    /// The query as a vector; `None` while there is no encoder, or for a query that it cannot encode. An encoder behind a
    /// network that does not answer in time is passed over: the bundled one serves instead.
    pub fn encode(&self, project_id: &str, query: &str) -> Option<Encoded> {
        let query = words::last(query, ENCODED_CHARS);
        let serving = self.encoders.serving()?;
        if !serving.remote {
            return self.encode_with(&serving, query, |text| serving.encoder.embed(text));
        }
        let waited = self.names.hide(project_id, query).and_then(|hidden| {
            let asked = (Arc::clone(&serving.encoder), hidden.clone());
            self.encode_with(&serving, &hidden, |_| self.in_time(PATIENCE, move || asked.0.embed(&asked.1)))
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
        let known = |queries: &VecDeque<Known>| {
            queries
                .iter()
                .find(|known| known.text == query && known.model == model)
                .map(|known| Arc::clone(&known.vector))
        };
        if let Some(vector) = known(&self.queries.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some(encoded(vector));
        }
        let vector = match embed(query) {
            Ok(vector) => Arc::new(quantize(&vector)),
            Err(error) => {
                if serving.remote {
                    self.encoders.set_trouble(error.0);
                }
                return None;
            }
        };
        let mut queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        queries.push_back(Known { text: query.to_owned(), model: model.to_owned(), vector: Arc::clone(&vector) });
        if queries.len() > QUERIES_KEPT {
            queries.pop_front();
        }
        Some(encoded(vector))
    }

    /// The similarity of every text of a kind, in a book, to a query, sorted by row; `None` while their vectors are not in
    /// memory. A small book's are read now, a large one's in the background: words serve meanwhile.
    ///
    /// # Errors
    /// Those of the store.
    pub fn compare(
        &self,
        db: &Database,
        project_id: &str,
        owner: Owner,
        query: &Encoded,
    ) -> Result<Option<Vec<Similarity>>> {
        let encoder = query.serving.encoder.as_ref();
        if let Some(similar) = self.compare_resident(project_id, owner, query) {
            return Ok(Some(similar));
        }
        if vectors::count(&*db.reader()?, project_id, encoder.model(), owner)? > READ_AT_ONCE {
            let missed = (project_id.to_owned(), owner);
            let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            // There is room for one book: of another one nothing is needed any more.
            wanted.retain(|(project, _)| project == project_id);
            if !wanted.contains(&missed) {
                wanted.push(missed);
            }
            return Ok(None);
        }
        self.read(db, project_id, owner, encoder)?;
        Ok(self.compare_resident(project_id, owner, query))
    }

    fn compare_resident(&self, project_id: &str, owner: Owner, query: &Encoded) -> Option<Vec<Similarity>> {
        let resident = self.resident(owner).read().unwrap_or_else(PoisonError::into_inner);
        let model = query.serving.encoder.model();
        let resident = resident.as_ref().filter(|r| r.project_id == project_id && r.model == model)?;
        let mut similar = resident.compare(&query.vector);
        if query.serving.remote {
            for one in &mut similar {
                one.cosine = query.serving.calibrated(one.cosine);
            }
        }
        Some(similar)
    }

    /// Episodes no longer have these rows: they were compressed, which gives them others, or deleted.
    pub fn let_go(&self, rows: &[i64]) {
        if rows.is_empty() {
            return;
        }
        let rows: HashSet<i64> = rows.iter().copied().collect();
        for resident in &self.residents {
            let mut resident = resident.write().unwrap_or_else(PoisonError::into_inner);
            if resident.as_mut().is_some_and(|resident| resident.let_go(&rows)) {
                *resident = None;
            }
        }
    }

    /// A book that is wanted in memory waits for [`Meaning::read_wanted`].
    pub fn wants_reading(&self) -> bool {
        !self.wanted.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// The background index of a model remembers how far it has come under this name.
fn mark_of(model: &str) -> String {
    format!("vectors:{model}")
}

/// What is encoded of a text: the whole, and its stretches where there is more than one sentence.
fn parts(text: &str) -> Vec<&str> {
    let text = words::last(text, ENCODED_CHARS).trim();
    let stretches = windows(text, WINDOWS);
    let mut parts = vec![text];
    if stretches.len() > 1 {
        parts.extend(stretches);
    }
    parts
}
