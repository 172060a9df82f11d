//! The query adapter: a linear map of the vector of a query, so that a question or a few words are nearer to the
//! passage they mean. Vectors of texts stay as they are. `data/README.md` has its training and its data.

use crate::DIMENSIONS;

/// `q`, then `scale`, then `bias`; see [`QueryAdapter`]. The type verifies the length.
const DATA: &[u8; DIMENSIONS * DIMENSIONS + 2 * 4 * DIMENSIONS] = include_bytes!("../data/query-adapter.bin");

/// Mean cosine of sentences that have nothing to do with each other (`level_before` in `data/query-adapter.json`).
const UNRELATED_TEXTS: f64 = 0.0879;
/// The same with one of the two as a query (`level_after`).
const UNRELATED_QUERY: f64 = 0.0457;
/// The ratio of the standard deviations of both.
const SPREAD: f64 = 1.1043;

/// `y = W·x + bias` with `W = I + q·scale`, row by row.
pub(crate) struct QueryAdapter {
    /// For each row of W its distance from the identity, in units of its scale.
    rows: Vec<[i8; DIMENSIONS]>,
    /// The unit of each row.
    scale: Vec<f32>,
    bias: Vec<f32>,
}

impl QueryAdapter {
    /// Reads the included file.
    pub(crate) fn included() -> Self {
        let (q, floats) = DATA.split_at(DIMENSIONS * DIMENSIONS);
        let (floats, _) = floats.as_chunks();
        let mut scale: Vec<f32> = floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let bias = scale.split_off(DIMENSIONS);
        let (rows, _) = q.as_chunks();
        let rows = rows.iter().map(|row| row.map(|byte| i8::from_le_bytes([byte]))).collect();
        Self { rows, scale, bias }
    }

    /// The vector of a query, of length one, from the vector of its text.
    pub(crate) fn adapt(&self, text: &[f32]) -> Vec<f32> {
        let mut query: Vec<f32> = text.iter().zip(&self.bias).map(|(x, bias)| x + bias).collect();
        for ((y, row), scale) in query.iter_mut().zip(&self.rows).zip(&self.scale) {
            *y += scale * dot(row, text);
        }
        let length = query.iter().map(|y| y * y).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        query.iter_mut().for_each(|y| *y /= length);
        query
    }
}

/// In several partial sums, so that it can be computed by vector instructions.
fn dot(row: &[i8; DIMENSIONS], x: &[f32]) -> f32 {
    let (row, _) = row.as_chunks::<16>();
    let (x, _) = x.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for (row, x) in row.iter().zip(x) {
        for at in 0..16 {
            sums[at] += f32::from(row[at]) * x[at];
        }
    }
    sums.iter().sum()
}

/// The cosine of a query and a text, on the scale of the cosines of two texts: an unrelated pair has the same mean and
/// spread on both. `cosine` is that of an adapted vector and a plain one.
pub(crate) fn query_cosine(cosine: f64) -> f64 {
    UNRELATED_TEXTS + (cosine - UNRELATED_QUERY) * SPREAD
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_included_file_is_the_one_that_was_measured() {
        let hash = Sha256::digest(DATA).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        assert_eq!(hash, "3c7e35cd2e5cf5b3e9c23a1e89775ffbc580034309c13f0cd601f3e13cefa439");
        let readme = include_str!("../data/README.md");
        assert!(readme.contains(&hash), "the description names another file");
    }

    #[test]
    fn a_query_is_the_linear_map_of_its_text_divided_by_its_length() {
        let mut adapter = QueryAdapter {
            rows: vec![[0; DIMENSIONS]; DIMENSIONS],
            scale: vec![0.5; DIMENSIONS],
            bias: vec![0.0; DIMENSIONS],
        };
        // Row 0: 1 + 2 · 0.5 on the diagonal, -0.5 beside it. Row 511: only a bias of 4.
        (adapter.rows[0][0], adapter.rows[0][1], adapter.bias[511]) = (2, -1, 4.0);
        let mut text = vec![0.0; DIMENSIONS];
        (text[0], text[1]) = (3.0, 6.0);
        let query = adapter.adapt(&text);
        let expected = [3.0, 6.0, 0.0, 4.0].map(|y: f32| y / 61_f32.sqrt());
        for (found, expected) in [query[0], query[1], query[2], query[511]].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
    }

    #[test]
    fn the_scale_of_cosines_is_that_of_the_measured_levels() {
        let levels: serde_json::Value = serde_json::from_str(include_str!("../data/query-adapter.json")).unwrap();
        let level = |name: &str, number: usize| levels[name][number].as_f64().unwrap();
        // One standard deviation above the mean of one scale is one above the mean of the other.
        for deviations in [0.0, 1.0, 3.0] {
            let query = level("level_after", 0) + deviations * level("level_after", 1);
            let text = level("level_before", 0) + deviations * level("level_before", 1);
            assert!((query_cosine(query) - text).abs() < 1e-4, "{deviations}");
        }
    }
}
