//! Synthetic vectors at no cost; and the cost of the bundled encoder on request.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
};

use palimpsest_api::ports::{Embedder, EmbedderError};
use palimpsest_embedder::{Encoder, MODEL};
use palimpsest_vectors::{Matrix, quantize};

use crate::figures::{Figures, time};

const DIMENSIONS: usize = 512;
/// Length of the difference of a vector from its centre: two texts near one centre have a cosine of 0.8.
const NOISE: f32 = 0.5;

/// An encoder that gives every text a direction of its own.
pub struct Synthetic {
    model: &'static str,
    real: Option<Encoder>,
    /// Vectors of the bundled encoder, near which those of texts are; empty if each text has a direction of its own.
    centres: Vec<Vec<f32>>,
    costs: AtomicBool,
}

impl Synthetic {
    pub fn new() -> Self {
        let real = palimpsest_api::bundled_encoder().and_then(|folder| Encoder::load(&folder).ok());
        Self { model: "synthetic/1", real, centres: Vec::new(), costs: AtomicBool::new(false) }
    }

    /// Vectors that the bundled encoder could have made: near those of `samples`, under its own name. Its queries then
    /// have usual cosines to them.
    pub fn like(encoder: &Encoder, samples: &[String]) -> Self {
        let centres = samples.iter().map(|text| encoder.embed(text)).collect();
        Self { model: MODEL, real: None, centres, costs: AtomicBool::new(false) }
    }

    /// Sets whether every text also goes through the bundled encoder; returns whether the encoder is available.
    pub fn costs(&self, costs: bool) -> bool {
        self.costs.store(costs, Ordering::SeqCst);
        self.real.is_some()
    }

    /// The lower bound of a recall by meaning: one scan of this many vectors.
    pub fn scan_of(&self, vectors: usize) -> impl FnMut() + use<> {
        let mut matrix = Matrix::new(DIMENSIONS);
        for n in 0..vectors {
            let q = quantize(&direction(&n.to_string()));
            matrix.push(&q.bytes, q.scale);
        }
        let query = quantize(&direction("query"));
        move || {
            let mut best = f32::MIN;
            matrix.scan(&query, |_, similarity| best = best.max(similarity));
            black_box(best);
        }
    }

    /// Times of [`Self::scan_of`], repeated `times` times.
    pub fn bare_scan(&self, vectors: usize, times: usize) -> Figures {
        time(times, self.scan_of(vectors))
    }
}

impl Embedder for Synthetic {
    fn model(&self) -> &str {
        self.model
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        if self.costs.load(Ordering::SeqCst)
            && let Some(real) = &self.real
        {
            black_box(real.embed(text));
        }
        let mut vector = direction(text);
        if !self.centres.is_empty() {
            let centre = &self.centres[hash(text) as usize % self.centres.len()];
            vector.iter_mut().zip(centre).for_each(|(value, near)| *value = *value * NOISE + near);
            normalize(&mut vector);
        }
        Ok(vector)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn direction(text: &str) -> Vec<f32> {
    let mut state = hash(text);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
    };
    let mut values: Vec<f32> = (0..DIMENSIONS).map(|_| next()).collect();
    normalize(&mut values);
    values
}

fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
}
