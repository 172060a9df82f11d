//! Matrix products with weights that are arranged for it once, when they are loaded.
//!
//! A general product rearranges both matrices on each call, which takes as long as the product itself where one of them
//! has few rows, as a query has. The instruction set is detected at run time (crate `pulp`).

use pulp::{Arch, Simd, WithSimd};

/// The columns that are computed together. The number of columns of every weight matrix is a multiple of it.
pub(crate) const PANEL: usize = 32;

/// The rows that are computed together: with [`PANEL`] columns, three rows use 12 of the 16 registers of AVX2.
const ROWS: usize = 3;

/// A matrix of weights, cut into panels of [`PANEL`] columns. Each panel is stored row by row.
pub(crate) struct Weights {
    rows: usize,
    columns: usize,
    panels: Vec<f32>,
}

impl Weights {
    /// Arranges a matrix that is stored row by row. `None` unless `numbers` fill whole rows of `columns`, a multiple of
    /// [`PANEL`].
    pub(crate) fn new(numbers: &[f32], columns: usize) -> Option<Self> {
        if columns == 0 || !columns.is_multiple_of(PANEL) || !numbers.len().is_multiple_of(columns) {
            return None;
        }
        let mut panels = Vec::with_capacity(numbers.len());
        for start in (0..columns).step_by(PANEL) {
            for row in numbers.chunks_exact(columns) {
                panels.extend_from_slice(&row[start..start + PANEL]);
            }
        }
        Some(Self { rows: numbers.len() / columns, columns, panels })
    }

    /// The length of an input.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds to each row of `sums` the product of an input and the weights. Input n begins at `stride · n` of `inputs`;
    /// inputs may overlap. A row of `sums` is as wide as the weights.
    pub(crate) fn add_products(&self, inputs: &[f32], stride: usize, sums: &mut [f32]) {
        Arch::new().dispatch(Products { inputs, stride, weights: self, sums });
    }
}

/// The arguments of [`Weights::add_products`].
struct Products<'a> {
    inputs: &'a [f32],
    stride: usize,
    weights: &'a Weights,
    sums: &'a mut [f32],
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.add::<S, 2>(simd),
            8 => self.add::<S, 4>(simd),
            4 => self.add::<S, 8>(simd),
            _ => self.add::<S, PANEL>(simd),
        }
    }
}

impl Products<'_> {
    /// `VECTORS` vectors are one row of a panel.
    #[inline(always)]
    fn add<S: Simd, const VECTORS: usize>(self, simd: S) {
        let Self { inputs, stride, weights, sums } = self;
        let columns = weights.columns;
        for (panel, start) in weights.panels.chunks_exact(weights.rows * PANEL).zip((0..columns).step_by(PANEL)) {
            for (number, sums) in sums.chunks_mut(ROWS * columns).enumerate() {
                let inputs = &inputs[number * ROWS * stride..];
                match sums.len() / columns {
                    ROWS => add_tile::<S, ROWS, VECTORS>(simd, inputs, stride, panel, &mut sums[start..], columns),
                    2 => add_tile::<S, 2, VECTORS>(simd, inputs, stride, panel, &mut sums[start..], columns),
                    _ => add_tile::<S, 1, VECTORS>(simd, inputs, stride, panel, &mut sums[start..], columns),
                }
            }
        }
    }
}

/// Adds the products of `HEIGHT` inputs and one panel; the rows of `sums` are `columns` apart.
#[inline(always)]
fn add_tile<S: Simd, const HEIGHT: usize, const VECTORS: usize>(
    simd: S,
    inputs: &[f32],
    stride: usize,
    panel: &[f32],
    sums: &mut [f32],
    columns: usize,
) {
    let length = panel.len() / PANEL;
    let inputs: [&[f32]; HEIGHT] = std::array::from_fn(|row| &inputs[row * stride..][..length]);
    // Local, so that they stay in registers.
    let mut tile = [[simd.splat_f32s(0.0); VECTORS]; HEIGHT];
    let (vectors, _) = S::as_simd_f32s(panel);
    for (at, weights) in vectors.chunks_exact(VECTORS).enumerate() {
        let inputs: [S::f32s; HEIGHT] = std::array::from_fn(|row| simd.splat_f32s(inputs[row][at]));
        for column in 0..VECTORS {
            for row in 0..HEIGHT {
                tile[row][column] = simd.mul_add_e_f32s(inputs[row], weights[column], tile[row][column]);
            }
        }
    }
    for (row, tile) in tile.iter().enumerate() {
        let (sums, _) = S::as_mut_simd_f32s(&mut sums[row * columns..][..PANEL]);
        for (sum, &product) in sums.iter_mut().zip(tile) {
            *sum = simd.add_f32s(*sum, product);
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::Scalar;

    use super::*;

    /// Reproducible pseudorandom numbers between -1 and 1.
    fn numbers(seed: usize, count: usize) -> Vec<f32> {
        (seed..seed + count).map(|n| (n as f32 * 12.9898).sin()).collect()
    }

    #[test]
    fn products_are_the_sums_by_definition_with_and_without_vector_instructions() {
        for (rows, columns, count, stride) in
            [(1, 32, 1, 1), (40, 64, 1, 40), (7, 32, 2, 9), (9, 96, 3, 3), (50, 64, 8, 50)]
        {
            let (plain, inputs) = (numbers(7, rows * columns), numbers(99, (count - 1) * stride + rows));
            let weights = Weights::new(&plain, columns).unwrap();
            let before = numbers(3, count * columns);
            let (mut dispatched, mut scalar) = (before.clone(), before.clone());
            weights.add_products(&inputs, stride, &mut dispatched);
            Scalar::new().vectorize(Products { inputs: &inputs, stride, weights: &weights, sums: &mut scalar });
            for (at, before) in before.iter().enumerate() {
                let (input, column) = (&inputs[at / columns * stride..], at % columns);
                let products = (0..rows).map(|row| input[row] * plain[row * columns + column]);
                let expected = before + products.sum::<f32>();
                assert!((dispatched[at] - expected).abs() < 1e-4, "{rows}×{columns}, {count}: {at}");
                assert!((scalar[at] - expected).abs() < 1e-4, "{rows}×{columns}, {count}: {at}, scalar");
            }
        }
    }

    #[test]
    fn a_row_has_the_same_product_whatever_rows_are_beside_it() {
        let weights = Weights::new(&numbers(7, 40 * 64), 64).unwrap();
        let inputs = numbers(99, 5 * 40);
        let mut together = vec![0.0; 5 * 64];
        weights.add_products(&inputs, 40, &mut together);
        for (input, together) in inputs.chunks_exact(40).zip(together.chunks_exact(64)) {
            let mut alone = vec![0.0; 64];
            weights.add_products(input, 40, &mut alone);
            assert_eq!(alone, together);
        }
    }

    #[test]
    fn a_matrix_without_whole_rows_or_panels_is_refused() {
        assert!(Weights::new(&[0.0; 96], 48).is_none());
        assert!(Weights::new(&[0.0; 33], 32).is_none());
        assert!(Weights::new(&[], 0).is_none());
        assert!(Weights::new(&[0.0; 64], 32).is_some());
    }
}
