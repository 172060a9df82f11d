//! Token sequences that the network reads together, and the stretches of them that get a vector.

use std::ops::Range;

/// Stands for a row between two sequences, which the network reads as it reads the rows beyond the ends of a text.
pub(crate) const GAP: u32 = u32::MAX;

/// The gaps between two sequences: as many as a convolution reads beyond an end.
const GAP_ROWS: usize = 2;

/// Several token sequences, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    tokens: Vec<u32>,
    stretches: Vec<Stretch>,
}

/// Tokens whose features are summed to one vector: a part of a sequence and the two marks of the sequence.
#[derive(Debug)]
pub(crate) struct Stretch {
    first_mark: usize,
    tokens: Range<usize>,
    last_mark: usize,
}

impl Batch {
    /// Adds a sequence with its two marks. Returns the rows of its tokens, without the marks.
    pub(crate) fn push(&mut self, sequence: &[u32]) -> Range<usize> {
        if !self.tokens.is_empty() {
            self.tokens.extend([GAP; GAP_ROWS]);
        }
        let start = self.tokens.len() + 1;
        self.tokens.extend_from_slice(sequence);
        start..self.tokens.len() - 1
    }

    /// Adds a stretch: the rows `tokens` of the sequence whose tokens are at `sequence`.
    pub(crate) fn push_stretch(&mut self, sequence: &Range<usize>, tokens: Range<usize>) {
        self.stretches.push(Stretch { first_mark: sequence.start - 1, tokens, last_mark: sequence.end });
    }

    /// All rows: tokens and gaps.
    pub(crate) fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    pub(crate) fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }
}

impl Stretch {
    /// The number of tokens, the two marks included.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len() + 2
    }

    /// The rows, in order.
    pub(crate) fn rows(&self) -> [Range<usize>; 3] {
        [self.first_mark..self.first_mark + 1, self.tokens.clone(), self.last_mark..self.last_mark + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_has_its_tokens_and_the_marks_of_its_sequence() {
        let mut batch = Batch::default();
        let first = batch.push(&[1, 7, 8, 2]);
        let second = batch.push(&[1, 9, 10, 11, 2]);
        batch.push_stretch(&second, second.start + 1..second.end);
        batch.push_stretch(&first, first.clone());
        assert_eq!(batch.tokens(), [1, 7, 8, 2, GAP, GAP, 1, 9, 10, 11, 2]);
        let read = |stretch: &Stretch| stretch.rows().into_iter().flatten().map(|row| batch.tokens[row]).collect();
        let stretches: Vec<Vec<u32>> = batch.stretches().iter().map(read).collect();
        assert_eq!(stretches, [vec![1, 10, 11, 2], vec![1, 7, 8, 2]]);
        assert_eq!([4, 4], [0, 1].map(|number: usize| batch.stretches()[number].len()));
    }
}
