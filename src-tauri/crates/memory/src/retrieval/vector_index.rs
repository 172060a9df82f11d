//! The index of vectors: computed and stored in bounded background steps.
//!
//! A text has one of the whole text, and up to four of windows of it, because a text with several topics is similar to
//! none of them as a whole. A long text is encoded in blocks with four windows each; the vector of the whole is the
//! mean of those of the blocks.

use std::{ops::Range, sync::Arc};

use palimpsest_text::{last_chars, window_ranges, windows};
use palimpsest_vectors::{Quantized, quantize};

use super::{
    encoders::Serving,
    meaning::{INDEX_TIMEOUT, Meaning},
    residents::Computed,
    word_index::Step,
};
use crate::{
    error::Result,
    lock,
    model::{Cause, OwnerKind, Reason},
    ports::{EmbedderError, ModelErrorKind},
    storage::{
        Database,
        sources::{EPISODES, IndexedText, SOURCES, Source},
        text_hash, vectors, words,
    },
};

/// Maximum encoded characters of a text, counted from its end.
const MAX_ENCODED_CHARS: usize = 32_000;
/// Characters of a block, about: blocks end with sentences. A text of at most [`MAX_BLOCK_CHARS`] is one block.
const BLOCK_CHARS: usize = 3_600;
const MAX_BLOCK_CHARS: usize = 4_000;
/// A step of the index takes no further text after this many characters: some three quarters of a second.
const MAX_CHARS_PER_STEP: usize = 16_000;
/// Encoded characters of a text that an encoder refuses, perhaps because it is too long for its context.
const MAX_REFUSED_CHARS: usize = 1_200;
/// Maximum windows of a block, besides the whole block.
pub(super) const MAX_WINDOWS: usize = 4;
/// Maximum texts per request to a remote encoder.
const MAX_TEXTS_PER_REQUEST: u32 = 6;
/// A text that any working encoder can encode.
const ANY_TEXT: &str = "灯亮着。";
/// Maximum vectors of other models that are deleted per step.
const MAX_DROPPED_PER_STEP: u32 = 500;

impl Meaning {
    /// Computes the vectors of at most `limit` texts that lack one of the bundled encoder, then of episodes that lack
    /// one of the chosen encoder; when all are done, deletes some vectors of other models.
    ///
    /// # Errors
    /// Those of the store; the step is then rolled back.
    pub(crate) fn catch_up(&self, db: &Database, limit: u32) -> Result<Step> {
        if let Some(bundled) = self.encoders.ready() {
            let step = self.make(db, &bundled, SOURCES, limit)?;
            if step.indexed > 0 {
                return Ok(Step { more: true, ..step });
            }
        }
        if let Some(chosen) = self.encoders.answering() {
            let step = self.make(db, &chosen, EPISODES, limit)?;
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

    /// Computes the vectors of at most `limit` texts of the first source that lacks some.
    pub(super) fn make(&self, db: &Database, serving: &Serving, sources: &[&dyn Source], limit: u32) -> Result<Step> {
        for source in sources {
            let indexed = self.make_some(db, serving, *source, limit)?;
            if indexed > 0 {
                return Ok(Step { indexed, more: true });
            }
        }
        Ok(Step::default())
    }

    /// Computes the vectors of at most `limit` texts of one source; returns the number of texts.
    fn make_some(&self, db: &Database, serving: &Serving, source: &dyn Source, limit: u32) -> Result<u32> {
        let model = serving.encoder.model();
        let mark = vectors::mark(source, model);
        let forgotten = self.residents.forgotten();
        let limit = if serving.remote { limit.max(MAX_TEXTS_PER_REQUEST) } else { limit };
        let mut waiting = {
            let reader = db.reader()?;
            source.texts_after(&reader, words::watermark(&reader, &mark)?, limit)?
        };
        for text in waiting.iter_mut().filter(|_| serving.remote) {
            match self.names.hide(&text.project_id, &text.text) {
                Some(hidden) => text.text = hidden,
                None => {
                    self.encoders.set_unavailable(Cause::new(
                        Reason::NamesUnread,
                        "the names to be hidden from it cannot be read",
                    ));
                    return Ok(0);
                }
            }
        }
        let mut chars = 0;
        let fits = |text: &&IndexedText| {
            let is_first_or_fits = chars == 0 || chars + text.text.chars().count() <= MAX_CHARS_PER_STEP;
            chars += text.text.chars().count();
            is_first_or_fits
        };
        let count = waiting.iter().take_while(fits).count();
        waiting.truncate(count);
        let Some(last) = waiting.last().map(|text| text.row) else { return Ok(0) };
        let texts: Vec<Blocks<'_>> = waiting.iter().map(|text| Blocks::new(&text.text, text.kind)).collect();
        // No model call inside a transaction.
        lock::assert_none_held("an encoder answers");
        let vectors = match self.encode_texts(serving, &texts) {
            Ok(vectors) => vectors,
            Err(error) => {
                self.encoders.set_unavailable(error.0);
                return Ok(0);
            }
        };
        let made: Vec<(usize, u32, [u8; 16], Quantized)> = texts
            .iter()
            .zip(vectors)
            .enumerate()
            .flat_map(|(n, (text, vectors))| {
                (0_u32..)
                    .zip(text.parts().into_iter().zip(vectors))
                    .filter_map(move |(part, (piece, vector))| Some((n, part, text_hash(piece), quantize(&vector?))))
            })
            .collect();
        let owned = db.write_derived("write vectors", |tx| {
            let owned: Vec<bool> =
                waiting.iter().map(|text| source.has_owner(tx, text.row, &text.id)).collect::<Result<_>>()?;
            // An owner deleted since gets no vectors.
            for (n, part, content_hash, vector) in made.iter().filter(|(n, ..)| owned[*n]) {
                let text = &waiting[*n];
                let new = vectors::NewVector {
                    project_id: &text.project_id,
                    model,
                    kind: text.kind,
                    owner_id: &text.id,
                    row: text.row,
                    part: *part,
                    content_hash: *content_hash,
                    vector,
                };
                vectors::upsert(tx, &new)?;
            }
            words::set_watermark(tx, &mark, last)?;
            Ok(owned)
        })?;
        let computed: Vec<Computed<'_>> = made
            .iter()
            .filter(|(n, ..)| owned[*n])
            .map(|(n, part, _, vector)| {
                let text = &waiting[*n];
                Computed { project_id: &text.project_id, kind: text.kind, row: text.row, part: *part, vector }
            })
            .collect();
        self.residents.add(model, &computed, forgotten);
        Ok(u32::try_from(waiting.len()).unwrap_or(limit))
    }

    /// The vectors of the parts of each text; `None` for a part that cannot be encoded.
    ///
    /// # Errors
    /// When the encoder fails altogether.
    fn encode_texts(
        &self,
        serving: &Serving,
        texts: &[Blocks<'_>],
    ) -> Result<Vec<Vec<Option<Vec<f32>>>>, EmbedderError> {
        let blocks: Vec<&Stretches<'_>> = texts.iter().flat_map(|text| &text.blocks).collect();
        let mut encoded = self.encode_blocks(serving, &blocks)?.into_iter();
        Ok(texts.iter().map(|text| joined(encoded.by_ref().take(text.blocks.len()).collect())).collect())
    }

    /// The vectors of the pieces of each block; `None` for a piece that cannot be encoded. A remote encoder gets one
    /// request for all, the bundled one reads each block once.
    ///
    /// # Errors
    /// When the encoder fails altogether.
    fn encode_blocks(
        &self,
        serving: &Serving,
        blocks: &[&Stretches<'_>],
    ) -> Result<Vec<Vec<Option<Vec<f32>>>>, EmbedderError> {
        let encoder = serving.encoder.as_ref();
        let all: Result<Vec<Vec<Vec<f32>>>, EmbedderError> = if serving.remote {
            let pieces: Vec<String> = blocks.iter().flat_map(|block| block.pieces()).map(str::to_owned).collect();
            let (encoder, expected) = (Arc::clone(&serving.encoder), pieces.len());
            let vectors = self.in_time(INDEX_TIMEOUT, move || {
                encoder.embed_all(&pieces.iter().map(String::as_str).collect::<Vec<_>>())
            });
            match vectors {
                Ok(vectors) if vectors.len() != expected => return Err(ModelErrorKind::Malformed.into()),
                vectors => vectors.map(|vectors| {
                    let mut vectors = vectors.into_iter();
                    blocks.iter().map(|block| vectors.by_ref().take(block.ranges.len()).collect()).collect()
                }),
            }
        } else {
            blocks.iter().map(|block| encoder.embed_stretches(block.text, &block.ranges)).collect()
        };
        match all {
            Ok(vectors) => Ok(vectors.into_iter().map(|one| one.into_iter().map(Some).collect()).collect()),
            // One text that cannot be encoded must not block the others forever. Word search still finds it.
            Err(_) if encoder.embed(ANY_TEXT).is_ok() => {
                let embed = |piece: &str| encoder.embed(piece).ok();
                let encode = |piece| embed(piece).or_else(|| embed(last_chars(piece, MAX_REFUSED_CHARS)));
                Ok(blocks.iter().map(|block| block.pieces().map(encode).collect()).collect())
            }
            Err(error) => Err(error),
        }
    }

    /// Number of texts with vectors of the pending model, and of all; `None` when all have one.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn progress(&self, db: &Database) -> Result<Option<(u32, u32)>> {
        let Some(chosen) = self.encoders.answering() else { return Ok(None) };
        let reader = db.reader()?;
        let (mut waiting, mut total) = (0, 0);
        for source in EPISODES {
            let mark = vectors::mark(*source, chosen.encoder.model());
            waiting += source.count_after(&reader, words::watermark(&reader, &mark)?)?;
            total += source.count(&reader)?;
        }
        Ok((waiting > 0).then_some((total.saturating_sub(waiting), total)))
    }

    /// Whether texts wait for their vectors, or a chosen encoder for its takeover.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn is_behind(&self, db: &Database) -> Result<bool> {
        if self.encoders.answering().is_some() && !self.encoders.is_whole() {
            return Ok(true);
        }
        let reader = db.reader()?;
        for (serving, sources) in [(self.encoders.ready(), SOURCES), (self.encoders.answering(), EPISODES)] {
            let Some(serving) = serving else { continue };
            for source in sources {
                let mark = vectors::mark(*source, serving.encoder.model());
                if source.is_any_after(&reader, words::watermark(&reader, &mark)?)? {
                    return Ok(true);
                }
            }
        }
        // All vectors are computed, and the step that makes the takeover is still due.
        Ok(self.encoders.is_taking_over())
    }
}

/// A text with the blocks that are encoded, in order.
struct Blocks<'a> {
    text: &'a str,
    /// At least one.
    blocks: Vec<Stretches<'a>>,
}

impl<'a> Blocks<'a> {
    fn new(text: &'a str, kind: OwnerKind) -> Self {
        let text = last_chars(text, MAX_ENCODED_CHARS).trim();
        let chars = text.chars().count();
        let blocks = if chars <= MAX_BLOCK_CHARS || !kind.has_windows() {
            vec![Stretches::new(last_chars(text, MAX_BLOCK_CHARS), kind)]
        } else {
            windows(text, chars.div_ceil(BLOCK_CHARS)).into_iter().map(|block| Stretches::new(block, kind)).collect()
        };
        Self { text, blocks }
    }

    /// The pieces that get a vector: the whole, then the windows.
    fn parts(&self) -> Vec<&'a str> {
        match self.blocks.as_slice() {
            [block] => block.pieces().collect(),
            blocks => std::iter::once(self.text)
                .chain(blocks.iter().flat_map(|block| block.pieces().skip(first_window(block.ranges.len()))))
                .collect(),
        }
    }
}

/// A block of a text with the stretches that are encoded: the whole, and windows if it has more than one sentence.
struct Stretches<'a> {
    text: &'a str,
    /// Ranges of bytes of the text.
    ranges: Vec<Range<usize>>,
}

impl<'a> Stretches<'a> {
    fn new(text: &'a str, kind: OwnerKind) -> Self {
        let mut ranges = Vec::with_capacity(MAX_WINDOWS + 1);
        ranges.push(0..text.len());
        if kind.has_windows() {
            ranges
                .extend(Some(window_ranges(text, MAX_WINDOWS)).filter(|windows| windows.len() > 1).unwrap_or_default());
        }
        Self { text, ranges }
    }

    fn pieces(&self) -> impl Iterator<Item = &'a str> {
        self.ranges.iter().map(|range| self.text.get(range.clone()).unwrap_or_default())
    }
}

/// The place of the first window among the pieces of a block. A block without windows is a window of its text itself.
fn first_window(pieces: usize) -> usize {
    usize::from(pieces > 1)
}

/// The vectors of the parts of a text, from those of the pieces of its blocks.
fn joined(mut blocks: Vec<Vec<Option<Vec<f32>>>>) -> Vec<Option<Vec<f32>>> {
    if blocks.len() == 1 {
        return blocks.pop().unwrap_or_default();
    }
    let wholes: Vec<&Vec<f32>> = blocks.iter().filter_map(|block| block.first()?.as_ref()).collect();
    let mean = mean_direction(&wholes);
    let windows = blocks.into_iter().flat_map(|block| {
        let first = first_window(block.len());
        block.into_iter().skip(first)
    });
    std::iter::once(mean).chain(windows).collect()
}

/// The mean of vectors, with length 1; `None` without one.
fn mean_direction(vectors: &[&Vec<f32>]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f32; vectors.first()?.len()];
    for vector in vectors {
        sum.iter_mut().zip(vector.iter()).for_each(|(sum, value)| *sum += value);
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length > 0.0).then(|| sum.into_iter().map(|value| value / length).collect())
}
