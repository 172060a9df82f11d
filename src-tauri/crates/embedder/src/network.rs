//! The network from tokens to a vector, after Yang et al. 2019 (arXiv:1907.04307) and its weights:
//!
//! 1. Each token has an embedding of 512 numbers.
//! 2. Three branches read runs of n = 2, 3 and 5 tokens. Each projects the embeddings to 256 numbers; the 768 of
//!    all three are normalized together; then, twice, `x += relu(convolution(x))` over n tokens.
//! 3. Embedding and branches, 1,280 numbers, are normalized and summed over the tokens, projected to 512 and divided
//!    by the root of the number of tokens.
//! 4. A feed-forward tail of four layers with shortcuts ends in `tanh`, and the result is brought to length one.

use std::io::{Read, Seek};
use std::ops::Range;

use crate::batch::{Batch, GAP};
use crate::files::Malformed;
use crate::npz::Npz;
use crate::product::Weights;

/// The width of a token's embedding, and of the result.
pub(crate) const EMBEDDING_WIDTH: usize = 512;
/// The tokens that have an embedding.
pub(crate) const VOCABULARY_SIZE: usize = EMBEDDING_PARTS * ROWS_PER_PART;

/// The embeddings come in parts, each quantised by itself: token t is row t / 17 of part t % 17.
const EMBEDDING_PARTS: usize = 17;
const ROWS_PER_PART: usize = 7530;

/// The width of a branch.
const BRANCH_WIDTH: usize = 256;
/// The width of all branches side by side.
const BRANCHES_WIDTH: usize = BRANCHES.len() * BRANCH_WIDTH;
/// For each branch, the number of tokens it reads, and how many of them are to the left.
const BRANCHES: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];
/// The number of features of a token before the sum.
const FEATURES: usize = EMBEDDING_WIDTH + BRANCHES_WIDTH;
/// The width of the first layers of the tail.
const NARROW_WIDTH: usize = 320;

/// The most rows whose features are computed together; bounds memory (3 MB) and stays within a processor's cache.
const MAX_BLOCK_ROWS: usize = 256;
/// The rows on either side that influence the features of a row: two by each of two convolutions.
const CONTEXT_ROWS: usize = 4;

/// All weights.
pub(crate) struct Network {
    embeddings: Embeddings,
    /// The projections of all three branches side by side: they read the same numbers, so one product suffices.
    projection: Layer,
    branch_norm: Norm,
    branches: [Branch; BRANCHES.len()],
    norm: Norm,
    output: Layer,
    tail: Tail,
    /// Added to divisors so that they are not zero.
    epsilon: f32,
}

/// The embeddings of all tokens, each number a byte: 65 MB where numbers of 32 bits would take 260.
struct Embeddings {
    /// Part by part, row by row.
    bytes: Vec<u8>,
    /// The factor on a byte, for each part.
    scale: Vec<f32>,
    /// The value of a byte of zero, for each part.
    low: Vec<f32>,
}

/// `x·weights + bias`.
struct Layer {
    weights: Weights,
    bias: Vec<f32>,
}

/// Layer normalization: a row is brought to mean 0 and variance 1, then stretched and shifted.
struct Norm {
    gain: Vec<f32>,
    shift: Vec<f32>,
}

/// Two convolutions over the same run of tokens. The weights of its positions are stacked by rows.
struct Branch {
    /// The number of tokens of the run before the current one.
    left: usize,
    first: Layer,
    second: Layer,
}

/// The weights of [`Tail::finish`].
struct Tail {
    d0: Weights,
    d1: Weights,
    d2: Weights,
    d3: Weights,
    p1: Weights,
    p3: Weights,
}

impl Network {
    /// Reads all weights. Every shape is known beforehand: 65 MB of embeddings and 15 MB of layers, independent of
    /// the file.
    pub(crate) fn read(from: impl Read + Seek) -> Result<Self, Malformed> {
        let npz = &mut Npz::open(from)?;
        let mut epsilon = [0; 8];
        npz.read_bytes("eps", "<f8", &[], &mut epsilon)?;
        let epsilon = f64::from_le_bytes(epsilon) as f32;
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(Malformed::new("array eps: not between 0 and 1"));
        }
        Ok(Self {
            projection: Layer {
                weights: read_projection(npz)?,
                bias: join_branches(|n| npz.read_floats(&format!("proj_b{n}"), &[BRANCH_WIDTH]))?,
            },
            branch_norm: Norm {
                gain: join_branches(|n| npz.read_floats(&format!("ln_g{n}"), &[BRANCH_WIDTH]))?,
                shift: join_branches(|n| npz.read_floats(&format!("ln_b{n}"), &[BRANCH_WIDTH]))?,
            },
            branches: [
                Branch::read(npz, BRANCHES[0])?,
                Branch::read(npz, BRANCHES[1])?,
                Branch::read(npz, BRANCHES[2])?,
            ],
            norm: Norm { gain: npz.read_floats("ln_g", &[FEATURES])?, shift: npz.read_floats("ln_b", &[FEATURES])? },
            output: Layer {
                weights: read_weights(npz, "cnn_W", FEATURES, EMBEDDING_WIDTH)?,
                bias: npz.read_floats("cnn_b", &[EMBEDDING_WIDTH])?,
            },
            tail: Tail {
                d0: read_weights(npz, "d0", EMBEDDING_WIDTH, NARROW_WIDTH)?,
                d1: read_weights(npz, "d1", NARROW_WIDTH, NARROW_WIDTH)?,
                d2: read_weights(npz, "d2", NARROW_WIDTH, EMBEDDING_WIDTH)?,
                d3: read_weights(npz, "d3", EMBEDDING_WIDTH, EMBEDDING_WIDTH)?,
                p1: read_weights(npz, "p1", EMBEDDING_WIDTH, NARROW_WIDTH)?,
                p3: read_weights(npz, "p3", NARROW_WIDTH, EMBEDDING_WIDTH)?,
            },
            // Last, so that a wrong file is found before 65 MB are allocated.
            embeddings: Embeddings::read(npz)?,
            epsilon,
        })
    }

    /// The vectors of the stretches of `batch`, of length one. All tokens are below [`VOCABULARY_SIZE`]. Time grows
    /// with the number of tokens: 1.7 million multiplications each.
    pub(crate) fn encode(&self, batch: &Batch) -> Vec<Vec<f32>> {
        let sums = self.sum_features(batch);
        // Summed before it is projected: the projection is linear, and so it is done once instead of for each token.
        let mut means: Vec<f32> = Vec::with_capacity(batch.stretches().len() * EMBEDDING_WIDTH);
        for stretch in batch.stretches() {
            let count = stretch.len() as f32;
            means.extend(self.output.bias.iter().map(|bias| bias * count));
        }
        self.output.weights.add_products(&sums, FEATURES, &mut means);
        for (mean, stretch) in means.chunks_exact_mut(EMBEDDING_WIDTH).zip(batch.stretches()) {
            let root = (stretch.len() as f32).sqrt();
            mean.iter_mut().for_each(|number| *number /= root);
        }
        self.tail.finish(&means, self.epsilon)
    }

    /// The sum of the features of the tokens of each stretch.
    fn sum_features(&self, batch: &Batch) -> Vec<f32> {
        let mut sums = vec![0.0; batch.stretches().len() * FEATURES];
        let tokens = batch.tokens();
        // Blocks of equal size, because a small last block costs as much as a larger one.
        let blocks = tokens.len().div_ceil(MAX_BLOCK_ROWS).max(1);
        for block in 0..blocks {
            let block = tokens.len() * block / blocks..tokens.len() * (block + 1) / blocks;
            let read = block.start.saturating_sub(CONTEXT_ROWS)..tokens.len().min(block.end + CONTEXT_ROWS);
            let features = self.features(&tokens[read.clone()]);
            for (sum, stretch) in sums.chunks_exact_mut(FEATURES).zip(batch.stretches()) {
                for rows in stretch.rows() {
                    let rows = intersection(&rows, &block);
                    let from = (rows.start - read.start) * FEATURES;
                    for row in features[from..from + rows.len() * FEATURES].chunks_exact(FEATURES) {
                        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
                    }
                }
            }
        }
        sums
    }

    /// The normalized features of each token. Those of a [`GAP`] mean nothing.
    fn features(&self, tokens: &[u32]) -> Vec<f32> {
        let mut features = vec![0.0; tokens.len() * FEATURES];
        for (row, &token) in features.chunks_exact_mut(FEATURES).zip(tokens).filter(|(_, token)| **token != GAP) {
            let (bytes, scale, low) = self.embeddings.row(token);
            row.iter_mut().zip(bytes).for_each(|(number, &byte)| *number = f32::from(byte) * scale + low);
        }
        let mut branches = self.projection.apply(&features, FEATURES, tokens.len());
        self.branch_norm.apply(&mut branches, self.epsilon);
        for (number, branch) in self.branches.iter().enumerate() {
            let at = number * BRANCH_WIDTH;
            let mut x = columns(&branches, BRANCHES_WIDTH, at..at + BRANCH_WIDTH);
            for layer in [&branch.first, &branch.second] {
                clear_gaps(&mut x, tokens);
                x = layer.convolve(&x, branch.left);
            }
            for (row, x) in features.chunks_exact_mut(FEATURES).zip(x.chunks_exact(BRANCH_WIDTH)) {
                row[EMBEDDING_WIDTH + at..][..BRANCH_WIDTH].copy_from_slice(x);
            }
        }
        self.norm.apply(&mut features, self.epsilon);
        features
    }
}

/// The part of `rows` that is in `block`; empty, and inside `block`, if there is none.
fn intersection(rows: &Range<usize>, block: &Range<usize>) -> Range<usize> {
    let start = rows.start.clamp(block.start, block.end);
    start..rows.end.clamp(start, block.end)
}

/// The `range` of each row of a matrix of `width` columns.
fn columns(matrix: &[f32], width: usize, range: Range<usize>) -> Vec<f32> {
    let mut columns = Vec::with_capacity(matrix.len() / width * range.len());
    matrix.chunks_exact(width).for_each(|row| columns.extend_from_slice(&row[range.clone()]));
    columns
}

/// Makes the rows of gaps zero, as a convolution finds them beyond the ends of a text.
fn clear_gaps(branch: &mut [f32], tokens: &[u32]) {
    for (row, _) in branch.chunks_exact_mut(BRANCH_WIDTH).zip(tokens).filter(|(_, token)| **token == GAP) {
        row.fill(0.0);
    }
}

impl Embeddings {
    fn read(npz: &mut Npz<impl Read + Seek>) -> Result<Self, Malformed> {
        let (scale, low) = (npz.read_floats("scale", &[EMBEDDING_PARTS])?, npz.read_floats("lo", &[EMBEDDING_PARTS])?);
        let mut bytes = vec![0; VOCABULARY_SIZE * EMBEDDING_WIDTH];
        for (part, number) in bytes.chunks_exact_mut(ROWS_PER_PART * EMBEDDING_WIDTH).zip(1..) {
            npz.read_bytes(&format!("q{number}"), "|u1", &[ROWS_PER_PART, EMBEDDING_WIDTH], part)?;
        }
        Ok(Self { bytes, scale, low })
    }

    /// The bytes of a token's embedding, their factor, and their offset.
    fn row(&self, token: u32) -> (&[u8], f32, f32) {
        let (part, row) = (token as usize % EMBEDDING_PARTS, token as usize / EMBEDDING_PARTS);
        let start = (part * ROWS_PER_PART + row) * EMBEDDING_WIDTH;
        (&self.bytes[start..start + EMBEDDING_WIDTH], self.scale[part], self.low[part])
    }
}

impl Layer {
    /// `x·weights + bias` for `count` inputs, which begin `stride` apart.
    fn apply(&self, x: &[f32], stride: usize, count: usize) -> Vec<f32> {
        let mut y = self.bias.repeat(count);
        self.weights.add_products(x, stride, &mut y);
        y
    }

    /// `x + relu(convolution(x))`; rows are as wide as the bias. Of the run that belongs to a row, `left` rows come
    /// before it; beyond the first and the last row there are zeros.
    fn convolve(&self, x: &[f32], left: usize) -> Vec<f32> {
        let channels = self.bias.len();
        let run = self.weights.rows() / channels;
        let mut padded = vec![0.0; x.len() + (run - 1) * channels];
        padded[left * channels..][..x.len()].copy_from_slice(x);
        // A run is a stretch of memory, and the next run begins one row later.
        let mut y = self.apply(&padded, channels, x.len() / channels);
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = x + y.max(0.0));
        y
    }
}

impl Norm {
    /// Normalizes each row of `x`.
    fn apply(&self, x: &mut [f32], epsilon: f32) {
        let width = self.gain.len();
        for row in x.chunks_exact_mut(width) {
            let mean = sum(row, |x| x) / width as f32;
            row.iter_mut().for_each(|x| *x -= mean);
            let stretch = (sum(row, |x| x * x) / width as f32 + epsilon).sqrt().recip();
            for ((x, gain), shift) in row.iter_mut().zip(&self.gain).zip(&self.shift) {
                *x = *x * stretch * gain + shift;
            }
        }
    }
}

/// The sum of `of` each number, in several partial sums, so that it can be computed by vector instructions.
fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, &number)| *sum += of(number));
    }
    sums.iter().sum::<f32>() + rest.iter().map(|&number| of(number)).sum::<f32>()
}

impl Branch {
    fn read(npz: &mut Npz<impl Read + Seek>, (run, left): (usize, usize)) -> Result<Self, Malformed> {
        let mut layer = |number: u8| {
            let weights = read_weights(npz, &format!("w{number}_{run}"), run * BRANCH_WIDTH, BRANCH_WIDTH)?;
            Ok(Layer { weights, bias: npz.read_floats(&format!("b{number}_{run}"), &[BRANCH_WIDTH])? })
        };
        Ok(Self { left, first: layer(1)?, second: layer(2)? })
    }
}

impl Tail {
    /// `y0 = relu(x·d0)`, `y1 = relu(x·p1 + y0·d1)`, `y2 = relu(y1·d2)`, `z = tanh(y1·p3 + y2·d3)`, `z / |z|`, for each
    /// row of `x`.
    fn finish(&self, x: &[f32], epsilon: f32) -> Vec<Vec<f32>> {
        let count = x.len() / EMBEDDING_WIDTH;
        let relu = |width, inputs: &[(&[f32], &Weights)]| {
            let mut y = sum_of_products(count, width, inputs);
            y.iter_mut().for_each(|y| *y = y.max(0.0));
            y
        };
        let y0 = relu(NARROW_WIDTH, &[(x, &self.d0)]);
        let y1 = relu(NARROW_WIDTH, &[(x, &self.p1), (&y0, &self.d1)]);
        let y2 = relu(EMBEDDING_WIDTH, &[(&y1, &self.d2)]);
        let mut z = sum_of_products(count, EMBEDDING_WIDTH, &[(&y1, &self.p3), (&y2, &self.d3)]);
        z.iter_mut().for_each(|z| *z = z.tanh());
        let unit = |z: &[f32]| {
            let length = sum(z, |z| z * z).max(epsilon).sqrt();
            z.iter().map(|z| z / length).collect()
        };
        z.chunks_exact(EMBEDDING_WIDTH).map(unit).collect()
    }
}

/// The sum of `x·weights` over all inputs, for `count` rows; `width` is that of the weights.
fn sum_of_products(count: usize, width: usize, inputs: &[(&[f32], &Weights)]) -> Vec<f32> {
    let mut sums = vec![0.0; count * width];
    inputs.iter().for_each(|(x, weights)| weights.add_products(x, weights.rows(), &mut sums));
    sums
}

fn read_weights(
    npz: &mut Npz<impl Read + Seek>,
    name: &str,
    rows: usize,
    columns: usize,
) -> Result<Weights, Malformed> {
    let numbers = npz.read_floats(name, &[rows, columns])?;
    Weights::new(&numbers, columns).ok_or_else(|| Malformed::new(format!("array {name}")))
}

/// The projections of all branches side by side.
fn read_projection(npz: &mut Npz<impl Read + Seek>) -> Result<Weights, Malformed> {
    let mut joined = vec![0.0; EMBEDDING_WIDTH * BRANCHES_WIDTH];
    for (number, (run, _)) in BRANCHES.iter().enumerate() {
        let numbers = npz.read_floats(&format!("proj{run}"), &[EMBEDDING_WIDTH, BRANCH_WIDTH])?;
        for (to, from) in joined.chunks_exact_mut(BRANCHES_WIDTH).zip(numbers.chunks_exact(BRANCH_WIDTH)) {
            to[number * BRANCH_WIDTH..][..BRANCH_WIDTH].copy_from_slice(from);
        }
    }
    Weights::new(&joined, BRANCHES_WIDTH).ok_or_else(|| Malformed::new("the branches do not fit"))
}

/// The results of `read` for the three widths, one after the other.
fn join_branches(mut read: impl FnMut(usize) -> Result<Vec<f32>, Malformed>) -> Result<Vec<f32>, Malformed> {
    Ok([read(BRANCHES[0].0)?, read(BRANCHES[1].0)?, read(BRANCHES[2].0)?].concat())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// Reproducible pseudorandom numbers between -1 and 1.
    fn numbers(seed: usize, count: usize) -> Vec<f32> {
        (seed..seed + count).map(|n| (n as f32 * 12.9898).sin()).collect()
    }

    #[test]
    fn a_convolution_sees_its_run_and_zeros_beyond_the_ends() {
        let (channels, run) = (32, 5);
        let plain = numbers(7, run * channels * channels);
        let layer = Layer { weights: Weights::new(&plain, channels).unwrap(), bias: numbers(99, channels) };
        for (rows, left) in [(1, 0), (1, 2), (2, 4), (4, 2), (9, 1)] {
            let x = numbers(1, rows * channels);
            let y = layer.convolve(&x, left);
            assert_eq!(y.len(), x.len());
            for (at, &found) in y.iter().enumerate() {
                let (row, column) = (at / channels, at % channels);
                let mut sum = layer.bias[column];
                for position in 0..run {
                    let Some(other) = (row + position).checked_sub(left).filter(|&at| at < rows) else { continue };
                    for channel in 0..channels {
                        sum +=
                            x[other * channels + channel] * plain[(position * channels + channel) * channels + column];
                    }
                }
                let expected = x[at] + sum.max(0.0);
                assert!((found - expected).abs() < 1e-4, "{rows} rows, {left} left: {found} for {expected}");
            }
        }
    }

    #[test]
    fn a_normalised_row_has_mean_0_and_variance_1_before_it_is_stretched() {
        let mut x: Vec<f32> = numbers(3, 4 * 100).iter().map(|x| x * 50.0 + 20.0).collect();
        Norm { gain: vec![2.0; 100], shift: vec![0.5; 100] }.apply(&mut x, 1e-6);
        for row in x.chunks_exact(100) {
            let mean = row.iter().sum::<f32>() / 100.0;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 100.0;
            assert!((mean - 0.5).abs() < 1e-4 && (variance - 4.0).abs() < 1e-3, "{mean} {variance}");
        }
    }

    #[test]
    fn a_row_without_any_spread_does_not_divide_by_zero() {
        let mut x = [3.0; 10];
        Norm { gain: vec![1.0; 10], shift: vec![0.0; 10] }.apply(&mut x, 1e-6);
        assert_eq!(x, [0.0; 10]);
    }

    #[test]
    fn a_sum_has_every_number_once() {
        for count in [0, 1, 15, 16, 17, 100] {
            let squares: usize = (0..count).map(|n| n * n).sum();
            let numbers: Vec<f32> = (0..count).map(|n| n as f32).collect();
            assert_eq!(sum(&numbers, |x| x * x), squares as f32);
        }
    }

    #[test]
    fn the_part_of_rows_in_a_block_may_be_empty_and_is_inside_it() {
        let found = |rows| intersection(&rows, &(10..20));
        assert_eq!(
            [found(0..5), found(5..15), found(12..14), found(15..30), found(25..30)],
            [10..10, 10..15, 12..14, 15..20, 20..20]
        );
    }

    proptest! {
        #[test]
        fn random_bytes_are_no_network(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            prop_assert!(Network::read(Cursor::new(bytes)).is_err());
        }
    }
}
