//! Matrix products with weights that are arranged for it once, when they are loaded.
//!
//! A result is the sum over the inputs in their order, whatever the number of rows that are computed together, and no
//! product is fused with an addition. A row therefore has the same result beside any other rows and on any processor.

/// The outputs that are computed together.
pub(crate) const PANEL: usize = 32;

/// The rows that are computed together. With eight outputs each they use eight of the 16 registers of SSE2.
const ROWS: usize = 4;

/// A matrix of weights, cut into panels of [`PANEL`] outputs. A panel has one row for each input.
pub(crate) struct Weights {
    inputs: usize,
    outputs: usize,
    panels: Vec<[f32; PANEL]>,
}

impl Weights {
    /// Arranges the matrix whose numbers are `weight(input, output)`. Outputs up to a multiple of [`PANEL`] are added,
    /// with weights of zero.
    pub(crate) fn new(inputs: usize, outputs: usize, weight: impl Fn(usize, usize) -> f32) -> Self {
        let mut panels = Vec::with_capacity(inputs * outputs.div_ceil(PANEL));
        for start in (0..outputs).step_by(PANEL) {
            for input in 0..inputs {
                panels.push(std::array::from_fn(|column| {
                    if start + column < outputs { weight(input, start + column) } else { 0.0 }
                }));
            }
        }
        Self { inputs, outputs: outputs.next_multiple_of(PANEL), panels }
    }

    /// The length of a result: a multiple of [`PANEL`].
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Adds to each row of `sums` the product of the same row of `inputs` and the weights.
    pub(crate) fn add_products(&self, inputs: &[f32], sums: &mut [f32]) {
        for (panel, start) in self.panels.chunks_exact(self.inputs).zip((0..self.outputs).step_by(PANEL)) {
            let blocks = inputs.chunks(ROWS * self.inputs).zip(sums.chunks_mut(ROWS * self.outputs));
            for (inputs, sums) in blocks {
                let sums_of_panel = &mut sums[start..];
                match inputs.len() / self.inputs {
                    ROWS => add_rows::<ROWS, 8>(inputs, panel, sums_of_panel, self.outputs),
                    3 => add_rows::<3, 8>(inputs, panel, sums_of_panel, self.outputs),
                    2 => add_rows::<2, 16>(inputs, panel, sums_of_panel, self.outputs),
                    _ => add_rows::<1, 32>(inputs, panel, sums_of_panel, self.outputs),
                }
            }
        }
    }
}

/// Adds the products of `HEIGHT` rows and one panel, `WIDTH` outputs at a time; the rows of `sums` are `stride` apart.
fn add_rows<const HEIGHT: usize, const WIDTH: usize>(
    inputs: &[f32],
    panel: &[[f32; PANEL]],
    sums: &mut [f32],
    stride: usize,
) {
    let rows: [&[f32]; HEIGHT] = std::array::from_fn(|row| &inputs[row * panel.len()..][..panel.len()]);
    for start in (0..PANEL).step_by(WIDTH) {
        // Local, so that they stay in registers.
        let mut tile = [[0.0_f32; WIDTH]; HEIGHT];
        for (at, weights) in panel.iter().enumerate() {
            let Some(weights) = weights[start..].first_chunk::<WIDTH>() else { continue };
            for row in 0..HEIGHT {
                let input = rows[row][at];
                for column in 0..WIDTH {
                    tile[row][column] += input * weights[column];
                }
            }
        }
        for (row, tile) in tile.iter().enumerate() {
            for (sum, product) in sums[row * stride + start..].iter_mut().zip(tile) {
                *sum += product;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reproducible pseudorandom numbers between -1 and 1.
    fn numbers(seed: usize, count: usize) -> Vec<f32> {
        (seed..seed + count).map(|n| (n as f32 * 12.9898).sin()).collect()
    }

    #[test]
    fn products_are_the_sums_by_definition() {
        for (inputs, outputs, rows) in [(1, 32, 1), (40, 64, 5), (7, 59, 2), (9, 96, 3), (50, 33, 8)] {
            let plain = numbers(7, inputs * outputs);
            let weights = Weights::new(inputs, outputs, |input, output| plain[input * outputs + output]);
            let (from, before) = (numbers(99, rows * inputs), numbers(3, rows * weights.outputs()));
            let mut sums = before.clone();
            weights.add_products(&from, &mut sums);
            for (at, before) in before.iter().enumerate() {
                let (row, output) = (&from[at / weights.outputs() * inputs..], at % weights.outputs());
                let product = |input: usize| row[input] * plain[input * outputs + output];
                let expected = if output < outputs { before + (0..inputs).map(product).sum::<f32>() } else { *before };
                assert!((sums[at] - expected).abs() < 1e-4, "{inputs}×{outputs}, {rows}: {at}");
            }
        }
    }

    #[test]
    fn a_row_has_the_same_product_whatever_rows_are_beside_it() {
        let plain = numbers(7, 40 * 64);
        let weights = Weights::new(40, 64, |input, output| plain[input * 64 + output]);
        for rows in 1..10 {
            let inputs = numbers(99, rows * 40);
            let mut together = vec![0.0; rows * 64];
            weights.add_products(&inputs, &mut together);
            for (input, together) in inputs.chunks_exact(40).zip(together.chunks_exact(64)) {
                let mut alone = vec![0.0; 64];
                weights.add_products(input, &mut alone);
                assert_eq!(alone, together);
            }
        }
    }
}
