//! The network from tokens to a vector, after Yang et al. 2019 (arXiv:1907.04307) and its weights:
//!
//! 1. Each token has an embedding of 512 numbers.
//! 2. Three branches read runs of n = 2, 3 and 5 tokens. Each projects the embeddings to 256 numbers; the 768 of
//!    all three are normalized together; then, twice, `x += relu(convolution(x))` over n tokens.
//! 3. Embedding and branches, 1,280 numbers, are normalized and summed over the tokens, projected to 512 and divided
//!    by the root of the number of tokens.
//! 4. A feed-forward tail of four layers with shortcuts ends in `tanh`, and the result is brought to length one.

use std::io::{Read, Seek};

use ndarray::linalg::general_mat_mul;
use ndarray::{Array, Array1, Array2, ArrayView2, Axis, RemoveAxis, Slice, Zip, concatenate};

use crate::files::Malformed;
use crate::npz::Npz;

/// The width of a token's embedding, and of the result.
pub(crate) const EMBEDDING_WIDTH: usize = 512;
/// The tokens that have an embedding.
pub(crate) const VOCABULARY_SIZE: usize = EMBEDDING_PARTS * ROWS_PER_PART;

/// The embeddings come in parts, each quantised by itself: token t is row t / 17 of part t % 17.
const EMBEDDING_PARTS: usize = 17;
const ROWS_PER_PART: usize = 7530;

/// The width of a branch.
const BRANCH_WIDTH: usize = 256;
/// For each branch, the number of tokens it reads, and how many of them are to the left.
const BRANCHES: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];
/// The number of features of a token before the sum.
const FEATURES: usize = EMBEDDING_WIDTH + BRANCHES.len() * BRANCH_WIDTH;
/// The width of the first layers of the tail.
const NARROW_WIDTH: usize = 320;

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
    weights: Array2<f32>,
    bias: Array1<f32>,
}

/// Layer normalization: a row is brought to mean 0 and variance 1, then stretched and shifted.
struct Norm {
    gain: Array1<f32>,
    shift: Array1<f32>,
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
    d0: Array2<f32>,
    d1: Array2<f32>,
    d2: Array2<f32>,
    d3: Array2<f32>,
    p1: Array2<f32>,
    p3: Array2<f32>,
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
                weights: join_branches(|n| matrix(npz, &format!("proj{n}"), EMBEDDING_WIDTH, BRANCH_WIDTH))?,
                bias: join_branches(|n| vector(npz, &format!("proj_b{n}"), BRANCH_WIDTH))?,
            },
            branch_norm: Norm {
                gain: join_branches(|n| vector(npz, &format!("ln_g{n}"), BRANCH_WIDTH))?,
                shift: join_branches(|n| vector(npz, &format!("ln_b{n}"), BRANCH_WIDTH))?,
            },
            branches: [
                Branch::read(npz, BRANCHES[0])?,
                Branch::read(npz, BRANCHES[1])?,
                Branch::read(npz, BRANCHES[2])?,
            ],
            norm: Norm { gain: vector(npz, "ln_g", FEATURES)?, shift: vector(npz, "ln_b", FEATURES)? },
            output: Layer {
                weights: matrix(npz, "cnn_W", FEATURES, EMBEDDING_WIDTH)?,
                bias: vector(npz, "cnn_b", EMBEDDING_WIDTH)?,
            },
            tail: Tail {
                d0: matrix(npz, "d0", EMBEDDING_WIDTH, NARROW_WIDTH)?,
                d1: matrix(npz, "d1", NARROW_WIDTH, NARROW_WIDTH)?,
                d2: matrix(npz, "d2", NARROW_WIDTH, EMBEDDING_WIDTH)?,
                d3: matrix(npz, "d3", EMBEDDING_WIDTH, EMBEDDING_WIDTH)?,
                p1: matrix(npz, "p1", EMBEDDING_WIDTH, NARROW_WIDTH)?,
                p3: matrix(npz, "p3", NARROW_WIDTH, EMBEDDING_WIDTH)?,
            },
            // Last, so that a wrong file is found before 65 MB are allocated.
            embeddings: Embeddings::read(npz)?,
            epsilon,
        })
    }

    /// The vector of `tokens`, of length one. There is at least one token, and all are below [`VOCABULARY_SIZE`]. Time
    /// and memory grow with their number: 1.7 million multiplications and some 12 kB each.
    pub(crate) fn encode(&self, tokens: &[u32]) -> Vec<f32> {
        let mut features = Array2::zeros((tokens.len(), FEATURES));
        for (mut row, &token) in features.rows_mut().into_iter().zip(tokens) {
            let (bytes, scale, low) = self.embeddings.row(token);
            row.iter_mut().zip(bytes).for_each(|(number, &byte)| *number = f32::from(byte) * scale + low);
        }
        let mut branches = self.projection.apply(&features.slice_axis(Axis(1), Slice::from(..EMBEDDING_WIDTH)));
        self.branch_norm.apply(&mut branches, self.epsilon);
        let columns = branches.axis_chunks_iter(Axis(1), BRANCH_WIDTH);
        let offsets = (EMBEDDING_WIDTH..FEATURES).step_by(BRANCH_WIDTH);
        for ((branch, x), at) in self.branches.iter().zip(columns).zip(offsets) {
            let x = branch.first.convolve(&x, branch.left);
            let x = branch.second.convolve(&x.view(), branch.left);
            features.slice_axis_mut(Axis(1), Slice::from(at..at + BRANCH_WIDTH)).assign(&x);
        }
        self.norm.apply(&mut features, self.epsilon);
        // Summed before it is projected: the projection is linear, and so it is done once instead of for each token.
        let count = tokens.len() as f32;
        let mut sum = &self.output.bias * count;
        add_product(&mut sum, &features.sum_axis(Axis(0)), &self.output.weights);
        sum /= count.sqrt();
        self.tail.finish(&sum, self.epsilon)
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
    /// `x·weights + bias`, row by row.
    fn apply(&self, x: &ArrayView2<'_, f32>) -> Array2<f32> {
        let mut y = self.biases(x.nrows());
        general_mat_mul(1.0, x, &self.weights, 1.0, &mut y);
        y
    }

    /// `x + relu(convolution(x))`. Of the run that belongs to a row, `left` rows come before it; beyond the first and
    /// the last row there are zeros.
    fn convolve(&self, x: &ArrayView2<'_, f32>, left: usize) -> Array2<f32> {
        let mut y = self.biases(x.nrows());
        for (position, weights) in self.weights.axis_chunks_iter(Axis(0), x.ncols()).enumerate() {
            // Each position of the run is one product of shifted rows, so that no run is copied.
            let (before, after) = (left.saturating_sub(position), position.saturating_sub(left));
            let rows = x.nrows().saturating_sub(before + after);
            if rows > 0 {
                let from = x.slice_axis(Axis(0), Slice::from(after..after + rows));
                let mut to = y.slice_axis_mut(Axis(0), Slice::from(before..before + rows));
                general_mat_mul(1.0, &from, &weights, 1.0, &mut to);
            }
        }
        Zip::from(&mut y).and(x).for_each(|y, &x| *y = x + y.max(0.0));
        y
    }

    fn biases(&self, rows: usize) -> Array2<f32> {
        let mut y = Array2::zeros((rows, self.bias.len()));
        y.rows_mut().into_iter().for_each(|mut row| row.assign(&self.bias));
        y
    }
}

impl Norm {
    fn apply(&self, x: &mut Array2<f32>, epsilon: f32) {
        let width = x.ncols() as f32;
        for mut row in x.rows_mut() {
            row -= row.sum() / width;
            let stretch = (row.dot(&row) / width + epsilon).sqrt().recip();
            Zip::from(&mut row)
                .and(&self.gain)
                .and(&self.shift)
                .for_each(|x, gain, shift| *x = *x * stretch * gain + shift);
        }
    }
}

impl Branch {
    fn read(npz: &mut Npz<impl Read + Seek>, (width, left): (usize, usize)) -> Result<Self, Malformed> {
        let mut layer = |number: u8| {
            let weights = matrix(npz, &format!("w{number}_{width}"), width * BRANCH_WIDTH, BRANCH_WIDTH)?;
            Ok(Layer { weights, bias: vector(npz, &format!("b{number}_{width}"), BRANCH_WIDTH)? })
        };
        Ok(Self { left, first: layer(1)?, second: layer(2)? })
    }
}

impl Tail {
    /// `y0 = relu(x·d0)`, `y1 = relu(x·p1 + y0·d1)`, `y2 = relu(y1·d2)`, `z = tanh(y1·p3 + y2·d3)`, `z / |z|`.
    fn finish(&self, x: &Array1<f32>, epsilon: f32) -> Vec<f32> {
        let relu = |inputs: &[(&Array1<f32>, &Array2<f32>)]| sum_of_products(inputs).mapv_into(|y| y.max(0.0));
        let y0 = relu(&[(x, &self.d0)]);
        let y1 = relu(&[(x, &self.p1), (&y0, &self.d1)]);
        let y2 = relu(&[(&y1, &self.d2)]);
        let z = sum_of_products(&[(&y1, &self.p3), (&y2, &self.d3)]).mapv_into(f32::tanh);
        let length = z.dot(&z).max(epsilon).sqrt();
        z.iter().map(|z| z / length).collect()
    }
}

/// The sum of `x·weights` over all inputs.
fn sum_of_products(inputs: &[(&Array1<f32>, &Array2<f32>)]) -> Array1<f32> {
    let mut sum = Array1::zeros(inputs.first().map_or(0, |(_, weights)| weights.ncols()));
    inputs.iter().for_each(|(x, weights)| add_product(&mut sum, x, weights));
    sum
}

/// `to += x·weights`, for a single row: reads the weights once in memory order, where a general product would rearrange
/// them first. Half of the results of a `relu` are zero and are skipped.
fn add_product(to: &mut Array1<f32>, x: &Array1<f32>, weights: &Array2<f32>) {
    for (&x, row) in x.iter().zip(weights.rows()).filter(|(x, _)| **x != 0.0) {
        to.scaled_add(x, &row);
    }
}

fn matrix(npz: &mut Npz<impl Read + Seek>, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, Malformed> {
    let numbers = npz.read_floats(name, &[rows, columns])?;
    Array2::from_shape_vec((rows, columns), numbers).map_err(|_| Malformed::new(format!("array {name}")))
}

fn vector(npz: &mut Npz<impl Read + Seek>, name: &str, length: usize) -> Result<Array1<f32>, Malformed> {
    Ok(npz.read_floats(name, &[length])?.into())
}

/// The results of `read` for the three widths, joined along the last axis.
fn join_branches<D: RemoveAxis>(
    mut read: impl FnMut(usize) -> Result<Array<f32, D>, Malformed>,
) -> Result<Array<f32, D>, Malformed> {
    let read = [read(BRANCHES[0].0)?, read(BRANCHES[1].0)?, read(BRANCHES[2].0)?];
    let last = Axis(read[0].ndim() - 1);
    concatenate(last, &read.each_ref().map(|array| array.view())).map_err(|_| Malformed::new("the branches do not fit"))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// Reproducible pseudorandom numbers between -1 and 1.
    fn numbers(seed: usize) -> impl Iterator<Item = f32> {
        (seed..).map(|n| (n as f32 * 12.9898).sin())
    }

    fn array(rows: usize, columns: usize, seed: usize) -> Array2<f32> {
        Array2::from_shape_vec((rows, columns), numbers(seed).take(rows * columns).collect()).unwrap()
    }

    #[test]
    fn a_convolution_sees_its_run_and_zeros_beyond_the_ends() {
        let (channels, width) = (3, 5);
        for (rows, left) in [(1, 0), (1, 2), (2, 4), (4, 2), (9, 1)] {
            let layer =
                Layer { weights: array(width * channels, channels, 7), bias: numbers(99).take(channels).collect() };
            let x = array(rows, channels, 1);
            let y = layer.convolve(&x.view(), left);
            for ((row, column), &found) in y.indexed_iter() {
                let mut sum = layer.bias[column];
                for position in 0..width {
                    let Some(at) = (row + position).checked_sub(left).filter(|&at| at < rows) else { continue };
                    for channel in 0..channels {
                        sum += x[(at, channel)] * layer.weights[(position * channels + channel, column)];
                    }
                }
                let expected = x[(row, column)] + sum.max(0.0);
                assert!((found - expected).abs() < 1e-5, "{rows} rows, {left} left: {found} for {expected}");
            }
        }
    }

    #[test]
    fn a_normalised_row_has_mean_0_and_variance_1_before_it_is_stretched() {
        let mut x = array(4, 100, 3) * 50.0 + 20.0;
        Norm { gain: Array1::from_elem(100, 2.0), shift: Array1::from_elem(100, 0.5) }.apply(&mut x, 1e-6);
        for row in x.rows() {
            let mean = row.sum() / 100.0;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 100.0;
            assert!((mean - 0.5).abs() < 1e-4 && (variance - 4.0).abs() < 1e-3, "{mean} {variance}");
        }
    }

    #[test]
    fn a_row_without_any_spread_does_not_divide_by_zero() {
        let mut x = Array2::from_elem((1, 10), 3.0);
        Norm { gain: Array1::ones(10), shift: Array1::zeros(10) }.apply(&mut x, 1e-6);
        assert!(x.iter().all(|x| *x == 0.0));
    }

    #[test]
    fn a_single_row_times_a_matrix_is_the_general_product() {
        let (x, weights) = (array(1, 40, 5), array(40, 30, 6));
        let found = sum_of_products(&[(&x.row(0).to_owned(), &weights)]);
        assert!((&found - &x.dot(&weights).row(0)).iter().all(|difference| difference.abs() < 1e-5));
    }

    proptest! {
        #[test]
        fn random_bytes_are_no_network(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            prop_assert!(Network::read(Cursor::new(bytes)).is_err());
        }
    }
}
