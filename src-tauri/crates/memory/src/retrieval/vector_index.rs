//! The vectors of the episodes: computed and stored in bounded background steps.
//!
//! An episode has at most five: one of the whole text, and four of windows of it, because a text with several topics is
//! similar to none of them as a whole.

use std::sync::Arc;

use palimpsest_text::windows;
use palimpsest_vectors::{Quantized, quantize};

use super::{
    encoders::Serving,
    meaning::{INDEX_TIMEOUT, MAX_ENCODED_CHARS, Meaning},
    residents::Computed,
    word_index::Step,
};
use crate::{
    error::Result,
    lock,
    model::{Cause, Reason, TextKind},
    ports::ModelErrorKind,
    storage::{Database, episodes, vectors, words},
};

/// Maximum windows of an episode, besides the whole text.
pub(super) const MAX_WINDOWS: usize = 4;
/// Maximum episodes per request to a remote encoder.
const MAX_TEXTS_PER_REQUEST: u32 = 6;
/// A text that any working encoder can encode.
const ANY_TEXT: &str = "灯亮着。";
/// Maximum vectors of other models that are deleted per step.
const MAX_DROPPED_PER_STEP: u32 = 500;

impl Meaning {
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
        let forgotten = self.residents.forgotten();
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
        let computed: Vec<Computed<'_>> = made
            .iter()
            .map(|(n, part, _, vector)| {
                let text = &waiting[*n];
                let kind = TextKind::from_compressed(text.compressed);
                Computed { project_id: &text.project_id, kind, row: text.row, part: *part, vector }
            })
            .collect();
        self.residents.add(model, &computed, forgotten);
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
