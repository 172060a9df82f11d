//! Meaning: vectors made in the background, and one book's vectors in memory, to be compared with a query.
//!
//! An episode has at most five: one of the whole text, and four of stretches of it, because a text that says several
//! things is similar to none of them as a whole.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use palimpsest_text::windows;
use palimpsest_vectors::{Matrix, Quantized, quantize};

use super::lexical::Step;
use crate::{
    error::Result,
    ports::Embedder,
    storage::{Database, episodes, vectors, words},
};

/// Stretches an episode is cut into, beside the whole.
const WINDOWS: usize = 4;
/// The longest text that is encoded, in characters, counted from its end.
const ENCODED_CHARS: usize = 1_200;
/// A book with at most so many vectors is read into memory while a recall waits: it takes some twenty milliseconds.
const READ_AT_ONCE: u32 = 12_000;
/// Episodes whose windows are looked at: so many at least, and this part of a large book.
const LOOKED_INTO: usize = 2_000;
const LOOKED_INTO_SHARE: usize = 4;
/// Queries whose vectors are kept: a preview and the run after it ask the same.
const QUERIES_KEPT: usize = 8;
/// Vectors of other models that are dropped in one step.
const DROPPED_A_STEP: u32 = 500;

/// One book's vectors in memory.
#[derive(Debug)]
struct Resident {
    project_id: String,
    model: String,
    /// One of each episode.
    wholes: Matrix,
    /// All others, an episode's together.
    windows: Matrix,
    /// The episode's row of each whole, and which of the windows are its own.
    owners: Vec<(i64, Range<usize>)>,
}

impl Resident {
    fn new(project_id: &str, encoder: &dyn Embedder, expected: usize) -> Self {
        let mut resident = Self {
            project_id: project_id.to_owned(),
            model: encoder.model().to_owned(),
            wholes: Matrix::new(encoder.dimensions()),
            windows: Matrix::new(encoder.dimensions()),
            owners: Vec::new(),
        };
        resident.wholes.reserve(expected / (WINDOWS + 1) + 1);
        resident.windows.reserve(expected);
        resident
    }

    /// Adds a vector. An episode's come together, the whole one first; anything else is left out.
    fn push(&mut self, row: i64, part: u32, bytes: &[i8], scale: f32) {
        if part == 0 {
            if self.wholes.push(bytes, scale) {
                self.owners.push((row, self.windows.len()..self.windows.len()));
            }
        } else if let Some((_, own)) = self.owners.last_mut().filter(|(last, _)| *last == row)
            && self.windows.push(bytes, scale)
        {
            own.end += 1;
        }
    }

    /// The similarity of every episode, sorted by row. In a large book the windows are only looked at of those whose
    /// whole is among the nearer ones: what is far from the query as a whole is hardly ever nearest by a part, and
    /// looking at all takes four times as long.
    fn compare(&self, query: &Quantized) -> Vec<Similarity> {
        let mut wholes = Vec::with_capacity(self.owners.len());
        self.wholes.scan(query, |_, similarity| wholes.push(similarity));
        let looked_at = LOOKED_INTO.max(wholes.len() / LOOKED_INTO_SHARE);
        let least = if wholes.len() > looked_at {
            let mut sorted = wholes.clone();
            *sorted.select_nth_unstable_by(looked_at, |a, b| b.total_cmp(a)).1
        } else {
            f32::NEG_INFINITY
        };
        let of = |((row, own), whole): (&(i64, Range<usize>), f32)| {
            let part = if whole >= least { self.windows.nearest_of(own.clone(), query) } else { None };
            let best = part.map_or(whole, |part| part.max(whole));
            Similarity { row: *row, cosine: f64::from((whole + best) / 2.0) }
        };
        let mut similar: Vec<Similarity> = self.owners.iter().zip(wholes).map(of).collect();
        if !similar.is_sorted_by_key(|one| one.row) {
            similar.sort_unstable_by_key(|one| one.row);
        }
        similar
    }
}

/// The similarity of one episode to a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// The episode's row.
    pub row: i64,
    /// The mean of the whole text's cosine and the best stretch's, -1..1.
    pub cosine: f64,
}

/// Everything that is known about meaning while the program runs.
#[derive(Default)]
pub struct Meaning {
    encoder: RwLock<Encoder>,
    resident: RwLock<Option<Resident>>,
    queries: Mutex<VecDeque<(String, Arc<Quantized>)>>,
    /// A book that a recall missed in memory.
    wanted: Mutex<Option<String>>,
}

/// The encoder, as far as there is one.
#[derive(Default, Clone)]
pub enum Encoder {
    /// It is being loaded.
    #[default]
    Loading,
    /// It serves.
    Ready(Arc<dyn Embedder>),
    /// There is none; why, in words without any text of the writer's.
    Missing(String),
}

impl Meaning {
    /// Says what has become of the encoder.
    pub fn set_encoder(&self, encoder: Encoder) {
        *self.encoder.write().unwrap_or_else(PoisonError::into_inner) = encoder;
    }

    /// The encoder as it is now.
    pub fn encoder(&self) -> Encoder {
        self.encoder.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Why there is no encoder, when there is none.
    pub fn missing(&self) -> Option<String> {
        match self.encoder() {
            Encoder::Missing(reason) => Some(reason),
            Encoder::Ready(_) | Encoder::Loading => None,
        }
    }

    /// Whether there is an encoder that serves.
    pub fn is_ready(&self) -> bool {
        self.ready().is_some()
    }

    fn ready(&self) -> Option<Arc<dyn Embedder>> {
        match self.encoder() {
            Encoder::Ready(encoder) => Some(encoder),
            Encoder::Loading | Encoder::Missing(_) => None,
        }
    }

    /// Makes the vectors of at most `limit` episodes that have none of the current model yet; when all have, drops
    /// some of other models.
    ///
    /// # Errors
    /// Those of the store; nothing of the step then happened.
    pub fn catch_up(&self, db: &Database, limit: u32) -> Result<Step> {
        let Some(encoder) = self.ready() else { return Ok(Step::default()) };
        let model = encoder.model();
        let waiting = {
            let reader = db.reader()?;
            episodes::recorded_after(&reader, words::watermark(&reader, &mark_of(model))?, None, limit)?
        };
        let Some(last) = waiting.last().map(|text| text.row) else {
            let dropped = db.write_derived(|tx| vectors::drop_others(tx, model, DROPPED_A_STEP))?;
            return Ok(Step { indexed: 0, more: dropped > 0 });
        };
        // No model call inside a transaction. A text that cannot be encoded is found by its words.
        let made: Vec<(usize, u32, [u8; 16], Quantized)> = waiting
            .iter()
            .enumerate()
            .flat_map(|(n, text)| (0_u32..).zip(parts(&text.text)).map(move |(part, said)| (n, part, said)))
            .filter_map(|(n, part, said)| {
                let vector = quantize(&encoder.embed(said).ok()?);
                let mut hash = [0; 16];
                hash.copy_from_slice(&blake3::hash(said.as_bytes()).as_bytes()[..16]);
                Some((n, part, hash, vector))
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
                    part: *part,
                    content_hash: *content_hash,
                    vector,
                };
                vectors::put(tx, &new)?;
            }
            words::set_watermark(tx, &mark_of(model), last)
        })?;
        let mut resident = self.resident.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(resident) = resident.as_mut().filter(|resident| resident.model == model) {
            // What was read from the store between the commit and here is there already.
            let known = resident.owners.iter().map(|(row, _)| *row).max().unwrap_or(0);
            for (n, part, _, vector) in &made {
                let text = &waiting[*n];
                if text.project_id == resident.project_id && text.row > known {
                    resident.push(text.row, *part, &vector.bytes, vector.scale);
                }
            }
        }
        let indexed = u32::try_from(waiting.len()).unwrap_or(limit);
        Ok(Step { indexed, more: indexed == limit })
    }

    /// Whether episodes wait for their vectors.
    ///
    /// # Errors
    /// Those of the store.
    pub fn is_behind(&self, db: &Database) -> Result<bool> {
        let Some(encoder) = self.ready() else { return Ok(false) };
        let reader = db.reader()?;
        episodes::any_after(&reader, words::watermark(&reader, &mark_of(encoder.model()))?)
    }

    /// Reads the vectors of the book that a recall missed; says whether there was one to read.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read_wanted(&self, db: &Database) -> Result<bool> {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(project_id), Some(encoder)) = (wanted, self.ready()) else { return Ok(false) };
        self.read(db, &project_id, encoder.as_ref())?;
        Ok(true)
    }

    fn read(&self, db: &Database, project_id: &str, encoder: &dyn Embedder) -> Result<()> {
        // Held while reading: a vector that is made meanwhile waits, and is then added to what was read or found there.
        let mut resident = self.resident.write().unwrap_or_else(PoisonError::into_inner);
        let reader = db.reader()?;
        let expected = vectors::count(&reader, project_id, encoder.model())? as usize;
        let mut read = Resident::new(project_id, encoder, expected);
        vectors::each(&reader, project_id, encoder.model(), |row, part, bytes, scale| {
            read.push(row, part, bytes, scale)
        })?;
        *resident = Some(read);
        Ok(())
    }

    /// The query as a vector; `None` while there is no encoder, or for a query that it cannot encode.
    pub fn encode(&self, query: &str) -> Option<Arc<Quantized>> {
        let encoder = self.ready()?;
        let query = words::last(query, ENCODED_CHARS);
        let known = |queries: &VecDeque<(String, Arc<Quantized>)>| {
            queries.iter().find(|(text, _)| text == query).map(|(_, vector)| Arc::clone(vector))
        };
        if let Some(vector) = known(&self.queries.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Some(vector);
        }
        let vector = Arc::new(quantize(&encoder.embed(query).ok()?));
        let mut queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        queries.push_back((query.to_owned(), Arc::clone(&vector)));
        if queries.len() > QUERIES_KEPT {
            queries.pop_front();
        }
        Some(vector)
    }

    /// The similarity of every episode of a book to a query, sorted by row; `None` while the book's vectors are not in
    /// memory. A small book is read now, a large one in the background: words serve meanwhile.
    ///
    /// # Errors
    /// Those of the store.
    pub fn compare(&self, db: &Database, project_id: &str, query: &Quantized) -> Result<Option<Vec<Similarity>>> {
        let Some(encoder) = self.ready() else { return Ok(None) };
        if let Some(similar) = self.compare_resident(project_id, encoder.model(), query) {
            return Ok(Some(similar));
        }
        if vectors::count(&*db.reader()?, project_id, encoder.model())? > READ_AT_ONCE {
            *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(project_id.to_owned());
            return Ok(None);
        }
        self.read(db, project_id, encoder.as_ref())?;
        Ok(self.compare_resident(project_id, encoder.model(), query))
    }

    fn compare_resident(&self, project_id: &str, model: &str, query: &Quantized) -> Option<Vec<Similarity>> {
        let resident = self.resident.read().unwrap_or_else(PoisonError::into_inner);
        let resident = resident.as_ref().filter(|r| r.project_id == project_id && r.model == model)?;
        Some(resident.compare(query))
    }

    /// A book that is wanted in memory waits for [`Meaning::read_wanted`].
    pub fn wants_reading(&self) -> bool {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).is_some()
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

/// The best of each row, for candidates: the `limit` most similar episodes.
#[must_use]
pub fn nearest(similar: &[Similarity], limit: usize) -> Vec<Similarity> {
    if limit == 0 || similar.len() <= limit {
        return similar.to_vec();
    }
    let mut cosines: Vec<f64> = similar.iter().map(|one| one.cosine).collect();
    let (_, least, _) = cosines.select_nth_unstable_by(limit - 1, |a, b| b.total_cmp(a));
    let least = *least;
    similar.iter().filter(|one| one.cosine >= least).take(limit).copied().collect()
}

/// The similarity of one row among those that were compared, which are sorted by row; 0 for one without a vector.
#[must_use]
pub fn of_row(similar: &[Similarity], row: i64) -> f64 {
    similar.binary_search_by_key(&row, |one| one.row).map_or(0.0, |at| similar[at].cosine)
}
