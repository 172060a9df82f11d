//! Eight-bit vectors and an exact scan over them.
//!
//! A unit vector of floats becomes bytes and one scale: a quarter of the memory, and a dot product that the processor
//! does sixteen to sixty-four at a time. The scan is exact over the bytes: for the hundred thousand vectors of a full
//! book it takes milliseconds, so an approximate index is not worth its errors.

mod dot;

use std::ops::Range;

/// The largest magnitude of a byte that is used: symmetric, so that a vector and its negative are treated alike.
const MAX_BYTE: f32 = 127.0;

/// A vector in bytes: each value is `bytes[i] as f32 * scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// -127 to 127.
    pub bytes: Vec<i8>,
    /// The value of one step of a byte, 0 or more.
    pub scale: f32,
}

/// The vector in bytes, the largest of its values at 127. A vector of zeros, or with a value that is not
/// finite, becomes zeros with scale 0: its similarity to every vector is 0.
#[must_use]
pub fn quantize(vector: &[f32]) -> Quantized {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !vector.iter().all(|value| value.is_finite()) {
        return Quantized { bytes: vec![0; vector.len()], scale: 0.0 };
    }
    let step = MAX_BYTE / largest;
    let bytes = vector.iter().map(|value| (value * step).round() as i8).collect();
    Quantized { bytes, scale: largest / MAX_BYTE }
}

/// Vectors of one length, one after another in memory.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    dimensions: usize,
    bytes: Vec<i8>,
    scales: Vec<f32>,
}

impl Matrix {
    /// An empty matrix for vectors of `dimensions` values.
    #[must_use]
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Reserves memory for `vectors` more vectors.
    pub fn reserve(&mut self, vectors: usize) {
        self.bytes.reserve(vectors * self.dimensions);
        self.scales.reserve(vectors);
    }

    /// Appends a vector. Returns `false`, and appends nothing, if it has another length.
    pub fn push(&mut self, bytes: &[i8], scale: f32) -> bool {
        if bytes.len() != self.dimensions {
            return false;
        }
        self.bytes.extend_from_slice(bytes);
        self.scales.push(scale);
        true
    }

    /// The number of vectors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether the matrix has no vectors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// The greatest similarity to `query` among the vectors `rows`; `None` if `rows` is empty or out of range, or the
    /// query has another length.
    #[must_use]
    pub fn nearest_of(&self, rows: Range<usize>, query: &Quantized) -> Option<f32> {
        if query.bytes.len() != self.dimensions {
            return None;
        }
        let dot = dot::best();
        let bytes = self.bytes.get(rows.start * self.dimensions..rows.end * self.dimensions)?;
        let scales = self.scales.get(rows)?;
        bytes
            .chunks_exact(self.dimensions.max(1))
            .zip(scales)
            .map(|(bytes, scale)| dot(bytes, &query.bytes) as f32 * scale * query.scale)
            .max_by(f32::total_cmp)
    }

    /// Calls `visit` with the index of every vector, in order, and its similarity to `query`: for unit vectors the
    /// cosine,
    /// -1 to 1, within 0.01. Does nothing for a query of another length.
    pub fn scan(&self, query: &Quantized, mut visit: impl FnMut(usize, f32)) {
        if query.bytes.len() != self.dimensions || self.dimensions == 0 {
            return;
        }
        let dot = dot::best();
        for (row, (bytes, scale)) in self.bytes.chunks_exact(self.dimensions).zip(&self.scales).enumerate() {
            visit(row, dot(bytes, &query.bytes) as f32 * scale * query.scale);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(values: &[f32]) -> Vec<f32> {
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
        values.iter().map(|value| value / length).collect()
    }

    proptest! {
        #[test]
        fn a_scan_returns_the_cosine_within_a_hundredth(
            values in proptest::collection::vec(proptest::collection::vec(-1.0_f32..1.0, 512), 2..6),
        ) {
            let units: Vec<Vec<f32>> = values.iter().map(|v| unit(v)).collect();
            let mut matrix = Matrix::new(512);
            for vector in &units {
                let q = quantize(vector);
                prop_assert!(matrix.push(&q.bytes, q.scale));
            }
            let mut visited = Vec::new();
            matrix.scan(&quantize(&units[0]), |row, similarity| visited.push((row, similarity)));
            prop_assert_eq!(visited.len(), units.len());
            for (row, similarity) in visited {
                let cosine: f32 = units[0].iter().zip(&units[row]).map(|(a, b)| a * b).sum();
                prop_assert!((similarity - cosine).abs() < 0.01, "{similarity} for {cosine}");
            }
        }
    }

    #[test]
    fn the_nearest_of_a_range_is_its_greatest_similarity() {
        let mut matrix = Matrix::new(2);
        for vector in [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]] {
            let q = quantize(&vector);
            matrix.push(&q.bytes, q.scale);
        }
        let query = quantize(&[0.0, 1.0]);
        let near = |rows| matrix.nearest_of(rows, &query);
        assert!((near(0..3).unwrap() - 1.0).abs() < 0.01);
        assert!(near(2..3).unwrap().abs() < 0.01);
        assert_eq!((near(1..1), near(2..9)), (None, None));
    }

    #[test]
    fn a_vector_of_zeros_or_of_no_numbers_is_similar_to_nothing() {
        for odd in [vec![0.0; 8], vec![f32::NAN; 8], vec![f32::INFINITY; 8]] {
            assert_eq!(quantize(&odd), Quantized { bytes: vec![0; 8], scale: 0.0 });
        }
    }

    #[test]
    fn a_vector_of_another_length_is_neither_taken_nor_compared() {
        let mut matrix = Matrix::new(4);
        assert!(!matrix.push(&[1, 2, 3], 1.0));
        assert!(matrix.push(&[1, 2, 3, 4], 1.0));
        matrix.scan(&quantize(&[1.0, 0.0]), |_, _| panic!("nothing to visit"));
    }
}
