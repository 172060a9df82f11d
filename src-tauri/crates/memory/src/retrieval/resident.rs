//! One project's vectors of one kind, in memory, for comparison with a query.

use std::ops::Range;

use palimpsest_vectors::{Matrix, Quantized};

use super::vector_index::MAX_WINDOWS;
use crate::{model::OwnerKind, ports::Embedder};

/// Minimum number of episodes whose windows are compared, and the divisor for the share of a large project.
const MIN_COMPARED: usize = 2_000;
const COMPARED_SHARE_DIVISOR: usize = 4;
/// Maximum number of episodes that are compared with the stretches of a query.
const MAX_COMPARED_WITH_STRETCHES: usize = 1_000;
/// Replaces the row of an episode that was compressed or deleted. No episode has it.
const REMOVED_ROW: i64 = i64::MIN;
/// If more than this share is removed, the vectors of the project are loaded again.
const RELOAD_SHARE_DIVISOR: usize = 4;
/// Size of a set without vectors.
const OVERHEAD_BYTES: usize = 1_024;

/// One project's vectors in memory.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) model: String,
    dimensions: usize,
    /// The whole-text vectors, one per episode.
    wholes: Matrix,
    /// The window vectors, those of an episode adjacent.
    windows: Matrix,
    /// For each whole-text vector: the episode's row, and the range of its windows.
    owners: Vec<(i64, Range<usize>)>,
    /// Indexes into the owners, by row: vectors are stored in the order of their episodes' ids.
    order: Vec<u32>,
    /// Number of removed owners.
    removed: usize,
    /// Whether the windows were dropped to save memory. Texts are then compared as wholes.
    is_without_windows: bool,
}

impl Resident {
    /// An empty set, with capacity for this many vectors.
    pub(super) fn new(encoder: &dyn Embedder, kind: OwnerKind, expected: usize) -> Self {
        let mut resident = Self {
            model: encoder.model().to_owned(),
            dimensions: encoder.dimensions(),
            wholes: Matrix::new(encoder.dimensions()),
            windows: Matrix::new(encoder.dimensions()),
            owners: Vec::new(),
            order: Vec::new(),
            removed: 0,
            is_without_windows: false,
        };
        let wholes = if kind.has_windows() { expected / (MAX_WINDOWS + 1) + 1 } else { expected };
        resident.wholes.reserve(wholes);
        resident.windows.reserve(expected.saturating_sub(wholes));
        resident
    }

    /// Adds a vector. An episode's vectors come together, the whole first; others are ignored.
    pub(super) fn push(&mut self, row: i64, part: u32, bytes: &[i8], scale: f32) {
        if part == 0 {
            if self.wholes.push(bytes, scale) {
                self.order.push(u32::try_from(self.owners.len()).unwrap_or(u32::MAX));
                self.owners.push((row, self.windows.len()..self.windows.len()));
            }
        } else if !self.is_without_windows
            && let Some((_, own)) = self.owners.last_mut().filter(|(last, _)| *last == row)
            && self.windows.push(bytes, scale)
        {
            own.end += 1;
        }
    }

    /// Ends the bulk load. Vectors added later have newer rows.
    pub(super) fn put_in_order(&mut self) {
        let owners = &self.owners;
        self.order.sort_unstable_by_key(|place| owners.get(*place as usize).map(|(row, _)| *row));
    }

    /// The newest row; 0 without rows.
    pub(super) fn newest_row(&self) -> i64 {
        self.owners.iter().map(|(row, _)| *row).max().unwrap_or(0)
    }

    /// Its size in memory, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes_without_windows() + self.windows.len() * (self.dimensions + size_of::<f32>())
    }

    /// Its size without the windows.
    pub(super) fn bytes_without_windows(&self) -> usize {
        self.wholes.len() * (self.dimensions + size_of::<f32>())
            + self.owners.len() * (size_of::<(i64, Range<usize>)>() + size_of::<u32>())
            + OVERHEAD_BYTES
    }

    /// Whether the windows were dropped.
    pub(super) fn is_without_windows(&self) -> bool {
        self.is_without_windows
    }

    /// Drops the windows, most of its size.
    pub(super) fn drop_windows(&mut self) {
        self.windows = Matrix::new(self.dimensions);
        self.owners.iter_mut().for_each(|(_, own)| *own = 0..0);
        self.is_without_windows = true;
    }

    /// Removes the vectors of these rows, which are sorted; returns whether so many are removed that reloading is
    /// better.
    pub(super) fn remove_rows(&mut self, rows: &[i64]) -> bool {
        for (row, _) in &mut self.owners {
            if rows.binary_search(row).is_ok() {
                *row = REMOVED_ROW;
                self.removed += 1;
            }
        }
        self.removed * RELOAD_SHARE_DIVISOR > self.owners.len()
    }

    /// The similarity of every episode to a query, sorted by row. `query` holds the vector of the whole query, then
    /// those of its stretches, if it has more than one.
    ///
    /// In a large project, windows are compared only for episodes whose whole text is among the nearer ones, and the
    /// stretches of the query only with the nearest of these: a text that is far from the query as a whole rarely has
    /// the nearest window, and comparing all takes four times as long.
    pub(super) fn compare(&self, query: &[Quantized]) -> Vec<Similarity> {
        let Some((whole_query, stretches)) = query.split_first() else { return Vec::new() };
        let mut similarities = Vec::with_capacity(self.owners.len());
        self.wholes.scan(whole_query, |_, similarity| similarities.push(similarity));
        let least = least_of_best(&similarities, MIN_COMPARED.max(similarities.len() / COMPARED_SHARE_DIVISOR));
        // In memory order, with their rows.
        for ((_, own), whole) in self.owners.iter().zip(&mut similarities).filter(|(_, whole)| **whole >= least) {
            *whole = self.with_windows(own, whole_query, *whole);
        }
        if !stretches.is_empty() {
            self.add_stretches(stretches, &mut similarities);
        }
        let of = |place: &u32| {
            let ((row, _), cosine) = (self.owners.get(*place as usize)?, similarities.get(*place as usize)?);
            (*row != REMOVED_ROW).then_some(Similarity { row: *row, cosine: f64::from(*cosine) })
        };
        self.order.iter().filter_map(of).collect()
    }

    /// The mean of a whole text's cosine and its best window's.
    fn with_windows(&self, own: &Range<usize>, query: &Quantized, whole: f32) -> f32 {
        self.windows.nearest_of(own.clone(), query).map_or(whole, |part| (whole + part.max(whole)) / 2.0)
    }

    /// Replaces the similarities to the whole query by the mean of that, of the most similar stretch and of the last
    /// one. Those of the texts that are not compared move by the mean change of the others.
    fn add_stretches(&self, stretches: &[Quantized], similarities: &mut [f32]) {
        let least = least_of_best(similarities, MAX_COMPARED_WITH_STRETCHES);
        let mut compared: Vec<(usize, f32)> = Vec::new();
        for (place, (_, own)) in self.owners.iter().enumerate().filter(|(place, _)| similarities[*place] >= least) {
            let (mut best, mut last) = (f32::NEG_INFINITY, 0.0);
            for stretch in stretches {
                let whole = self.wholes.nearest_of(place..place + 1, stretch).unwrap_or(0.0);
                last = self.with_windows(own, stretch, whole);
                best = best.max(last);
            }
            compared.push((place, (similarities[place] + best + last) / 3.0));
        }
        let changes = compared.iter().map(|(place, similarity)| similarity - similarities[*place]);
        let mean_change = changes.sum::<f32>() / compared.len().max(1) as f32;
        similarities.iter_mut().for_each(|similarity| *similarity += mean_change);
        for (place, similarity) in compared {
            similarities[place] = similarity;
        }
    }
}

/// The similarity of a text with a single vector to a query: see [`Resident::compare`].
#[must_use]
pub(super) fn similarity(text: &Quantized, query: &[Quantized]) -> f32 {
    let mut matrix = Matrix::new(text.bytes.len());
    matrix.push(&text.bytes, text.scale);
    let to = |query: &Quantized| matrix.nearest_of(0..1, query).unwrap_or(0.0);
    let Some((whole, stretches)) = query.split_first() else { return 0.0 };
    let whole = to(whole);
    let Some(last) = stretches.last().map(to) else { return whole };
    let best = stretches.iter().map(to).fold(f32::NEG_INFINITY, f32::max);
    (whole + best + last) / 3.0
}

/// The `count`-th largest value, or no limit if there are no more than `count`.
fn least_of_best(values: &[f32], count: usize) -> f32 {
    if values.len() <= count {
        return f32::NEG_INFINITY;
    }
    let mut sorted = values.to_vec();
    *sorted.select_nth_unstable_by(count, |a, b| b.total_cmp(a)).1
}

/// The similarity of one episode to a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Similarity {
    /// The episode's row.
    pub row: i64,
    /// The mean of the whole text's cosine and the best window's, -1..1.
    pub cosine: f64,
}

/// The `limit` most similar episodes among the allowed ones, as candidates.
#[must_use]
pub(crate) fn nearest(similar: &[Similarity], limit: usize, is_allowed: impl Fn(i64) -> bool) -> Vec<Similarity> {
    let mut best: Vec<Similarity> = similar.iter().filter(|one| is_allowed(one.row)).copied().collect();
    if limit > 0 && best.len() > limit {
        best.select_nth_unstable_by(limit - 1, |a, b| b.cosine.total_cmp(&a.cosine).then(b.row.cmp(&a.row)));
        best.truncate(limit);
    }
    best
}

/// The similarity of one row in a list that is sorted by row; 0 for a row without a vector.
#[must_use]
pub(crate) fn of_row(similar: &[Similarity], row: i64) -> f64 {
    find_row(similar, row).unwrap_or(0.0)
}

/// The same; `None` for a row without a vector.
#[must_use]
pub(crate) fn find_row(similar: &[Similarity], row: i64) -> Option<f64> {
    similar.binary_search_by_key(&row, |one| one.row).ok().map(|at| similar[at].cosine)
}

#[cfg(test)]
mod tests {
    use palimpsest_vectors::quantize;
    use proptest::prelude::*;

    use super::*;
    use crate::ports::EmbedderError;

    struct Plane;

    impl Embedder for Plane {
        fn model(&self) -> &str {
            "plane"
        }

        fn dimensions(&self) -> usize {
            2
        }

        fn embed(&self, _: &str) -> Result<Vec<f32>, EmbedderError> {
            Ok(vec![1.0, 0.0])
        }
    }

    /// A vector at this angle to the query, in degrees.
    fn at(degrees: u16) -> Quantized {
        let angle = f32::from(degrees).to_radians();
        quantize(&[angle.cos(), angle.sin()])
    }

    proptest! {
        #[test]
        fn every_row_gets_its_own_similarity_in_any_order_of_vectors(
            degrees in prop::collection::hash_map(1_i64..500, (0_u16..180, 0_u16..180), 1..40),
            later in 0_u16..180,
            removed in 1_i64..500,
        ) {
            // Not in row order, like ids.
            let mut resident = Resident::new(&Plane, OwnerKind::Episode, degrees.len());
            for (row, (whole, part)) in &degrees {
                for (n, vector) in (0..).zip([at(*whole), at(*part)]) {
                    resident.push(*row, n, &vector.bytes, vector.scale);
                }
            }
            resident.put_in_order();
            resident.push(1_000, 0, &at(later).bytes, at(later).scale);
            resident.remove_rows(&[removed]);

            let similar = resident.compare(&[at(0)]);
            let rows: Vec<i64> = similar.iter().map(|one| one.row).collect();
            let mut expected: Vec<i64> = degrees.keys().copied().filter(|row| *row != removed).chain([1_000]).collect();
            expected.sort_unstable();
            prop_assert_eq!(&rows, &expected);
            for (row, (whole, part)) in degrees.iter().filter(|(row, _)| **row != removed) {
                let cosine = |degrees: u16| f64::from(degrees).to_radians().cos();
                let expected = (cosine(*whole) + cosine(*part).max(cosine(*whole))) / 2.0;
                prop_assert!((of_row(&similar, *row) - expected).abs() < 0.02);
            }
            prop_assert_eq!(of_row(&similar, 501), 0.0);
        }
    }
    #[test]
    fn only_the_allowed_rows_are_candidates_and_the_nearest_first() {
        let similar: Vec<Similarity> = (0..9).map(|row| Similarity { row, cosine: 0.1 * row as f64 }).collect();
        let rows = |limit, is_allowed: fn(i64) -> bool| {
            let mut rows: Vec<i64> = nearest(&similar, limit, is_allowed).iter().map(|one| one.row).collect();
            rows.sort_unstable();
            rows
        };
        assert_eq!(rows(3, |_| true), [6, 7, 8]);
        assert_eq!(rows(3, |row| row < 5), [2, 3, 4]);
        assert_eq!(rows(3, |row| row == 1), [1]);
    }

    #[test]
    fn a_text_that_answers_one_sentence_of_the_query_is_nearer_than_one_that_answers_none() {
        // The query as a whole lies between its two sentences.
        let query = [at(45), at(0), at(90)];
        let mut resident = Resident::new(&Plane, OwnerKind::Summary, 2);
        for (row, degrees) in [(1, 90), (2, 135)] {
            resident.push(row, 0, &at(degrees).bytes, at(degrees).scale);
        }
        resident.put_in_order();
        let similar = resident.compare(&query);
        let expected = (45_f64.to_radians().cos() + 1.0 + 1.0) / 3.0;
        assert!((of_row(&similar, 1) - expected).abs() < 0.02, "{similar:?}");
        assert!(of_row(&similar, 1) > of_row(&similar, 2) + 0.4);
        assert!((f64::from(similarity(&at(90), &query)) - expected).abs() < 0.02);
    }
}
