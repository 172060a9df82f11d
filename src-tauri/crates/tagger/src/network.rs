//! The network: two layers of gated recurrent units (GRU), each of which reads a sentence in both directions, and a
//! score of each label for each character.
//!
//! The gates are those of ONNX with `linear_before_reset = 1`, in the order update, reset, candidate. Several sentences
//! are read together, a character of each at a time, so that the weights are loaded once for all of them. Each begins
//! at its own last character in the backward direction: nothing is padded, and a sentence has the same scores beside
//! any others.

use std::cmp::Reverse;
use std::ops::Range;

use crate::activation::{sigmoid, tanh};
use crate::files::Malformed;
use crate::product::Weights;
use crate::tag::LABELS;

/// Number of characters with an embedding of their own. One more embedding is that of all other characters.
pub(crate) const KNOWN_CHARACTERS: usize = 8223;

/// The beginning of the file: its format and its version.
const FORMAT: &[u8] = b"LAC-TAG1";

/// Length of an embedding.
const EMBEDDING: usize = 128;

/// Length of the state of one direction of a layer.
const STATE: usize = 128;

/// Numbers of the three gates.
const GATES: usize = 3 * STATE;

/// Scores of all labels for one character.
pub(crate) type Scores = [f32; LABELS];

/// Scores of the transitions from a label to the next.
pub(crate) type Transitions = [Scores; LABELS];

/// Numbers that have not been read yet.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    /// The next `count` numbers. They are finite.
    fn take(&mut self, count: usize) -> Result<Vec<f32>, Malformed> {
        let (numbers, rest) =
            self.0.split_at_checked(count * size_of::<f32>()).ok_or_else(|| Malformed::new("cut off"))?;
        self.0 = rest;
        let numbers: Vec<f32> = numbers.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(Malformed::new("a number is infinite, or not a number"));
        }
        Ok(numbers)
    }
}

/// One direction of a layer.
struct Direction {
    input: Weights,
    input_bias: Vec<f32>,
    recurrent: Weights,
    recurrent_bias: Vec<f32>,
}

/// A layer, forward and backward.
struct Layer([Direction; 2]);

/// All weights, and the transitions that belong to the scores.
pub(crate) struct Network {
    /// The last row is the embedding of unknown characters.
    embeddings: Vec<f32>,
    layers: [Layer; 2],
    output: Weights,
    output_bias: Vec<f32>,
    pub(crate) transitions: Box<Transitions>,
}

impl Direction {
    /// The input's share of the gates for each row of `inputs`.
    fn input_shares(&self, inputs: &[f32], width: usize) -> Vec<f32> {
        let mut shares = self.input_bias.repeat(inputs.len() / width);
        self.input.add_products(inputs, &mut shares);
        shares
    }
}

impl Layer {
    /// Reads the weights of a layer whose input has `width` numbers.
    fn read(from: &mut Numbers, width: usize) -> Result<Self, Malformed> {
        let input = from.take(2 * GATES * width)?;
        let recurrent = from.take(2 * GATES * STATE)?;
        let biases = from.take(2 * 2 * GATES)?;
        Ok(Self([0, 1].map(|direction| {
            let bias = |part: usize| biases[(2 * direction + part) * GATES..][..GATES].to_vec();
            Direction {
                input: Weights::new(width, GATES, |from, to| input[(direction * GATES + to) * width + from]),
                input_bias: bias(0),
                recurrent: Weights::new(STATE, GATES, |from, to| recurrent[(direction * GATES + to) * STATE + from]),
                recurrent_bias: bias(1),
            }
        })))
    }

    /// The states at each position, of both directions one after the other. The input at a position is the row
    /// `row_of[position]` of `inputs`. The sequences are ranges of positions, the longest first.
    fn run(&self, inputs: &[f32], width: usize, row_of: &[usize], sequences: &[Range<usize>]) -> Vec<f32> {
        let mut outputs = vec![0.0; row_of.len() * 2 * STATE];
        let steps = sequences.first().map_or(0, Range::len);
        for (number, direction) in self.0.iter().enumerate() {
            let shares = direction.input_shares(inputs, width);
            let mut states = vec![0.0; sequences.len() * STATE];
            let mut gates = vec![0.0; sequences.len() * GATES];
            for step in 0..steps {
                let active = sequences.partition_point(|sequence| sequence.len() > step);
                let gates = &mut gates[..active * GATES];
                gates.chunks_exact_mut(GATES).for_each(|gates| gates.copy_from_slice(&direction.recurrent_bias));
                direction.recurrent.add_products(&states[..active * STATE], gates);
                let states = states.chunks_exact_mut(STATE).zip(gates.chunks_exact(GATES));
                for (sequence, (state, gates)) in sequences.iter().zip(states) {
                    let position = if number == 0 { sequence.start + step } else { sequence.end - 1 - step };
                    advance(state, &shares[row_of[position] * GATES..][..GATES], gates);
                    outputs[(2 * position + number) * STATE..][..STATE].copy_from_slice(state);
                }
            }
        }
        outputs
    }
}

/// Moves a state by one character, given the input's and the state's share of the gates.
fn advance(state: &mut [f32], input: &[f32], recurrent: &[f32]) {
    // Arrays of known length: nothing is checked inside the loop.
    let ([state], [update_in, reset_in, candidate_in], [update, reset, candidate]) =
        (state.as_chunks_mut::<STATE>().0, input.as_chunks::<STATE>().0, recurrent.as_chunks::<STATE>().0)
    else {
        return;
    };
    for at in 0..STATE {
        let z = sigmoid(update_in[at] + update[at]);
        let r = sigmoid(reset_in[at] + reset[at]);
        let n = tanh(candidate_in[at] + r * candidate[at]);
        state[at] = (1.0 - z) * n + z * state[at];
    }
}

impl Network {
    /// Reads the network from the content of its file. The length of all arrays is known beforehand.
    pub(crate) fn read(contents: &[u8]) -> Result<Self, Malformed> {
        let numbers = contents.strip_prefix(FORMAT).ok_or_else(|| Malformed::new("another format"))?;
        let mut from = Numbers(numbers);
        let embeddings = from.take((KNOWN_CHARACTERS + 1) * EMBEDDING)?;
        let layers = [Layer::read(&mut from, EMBEDDING)?, Layer::read(&mut from, 2 * STATE)?];
        let output = from.take(2 * STATE * LABELS)?;
        let mut output_bias = from.take(LABELS)?;
        let transitions = from.take(LABELS * LABELS)?;
        if !from.0.is_empty() {
            return Err(Malformed::new("longer than its arrays"));
        }
        let output = Weights::new(2 * STATE, LABELS, |from, to| output[from * LABELS + to]);
        output_bias.resize(output.outputs(), 0.0);
        let mut rows = Box::new([[0.0; LABELS]; LABELS]);
        rows.iter_mut().zip(transitions.as_chunks().0).for_each(|(row, numbers)| *row = *numbers);
        Ok(Self { embeddings, layers, output, output_bias, transitions: rows })
    }

    /// The scores of the labels for each character. A sequence is a range of `ids`; characters outside of all sequences
    /// have scores without a meaning. An id without an embedding of its own is that of an unknown character.
    pub(crate) fn scores(&self, ids: &[u16], sequences: &[Range<usize>]) -> Vec<Scores> {
        let mut sequences = sequences.to_vec();
        sequences.sort_by_key(|sequence| Reverse(sequence.len()));
        // The input's share of the first layer is computed once for each distinct character.
        let mut distinct = ids.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let row_of: Vec<usize> = ids.iter().map(|id| distinct.partition_point(|other| other < id)).collect();
        let embedding = |id: &u16| &self.embeddings[usize::from(*id).min(KNOWN_CHARACTERS) * EMBEDDING..][..EMBEDDING];
        let inputs: Vec<f32> = distinct.iter().flat_map(embedding).copied().collect();
        let positions: Vec<usize> = (0..ids.len()).collect();
        let [first, second] = &self.layers;
        let states = first.run(&inputs, EMBEDDING, &row_of, &sequences);
        let states = second.run(&states, 2 * STATE, &positions, &sequences);
        let mut scores = self.output_bias.repeat(ids.len());
        self.output.add_products(&states, &mut scores);
        let of_labels = |scores: &[f32]| std::array::from_fn(|label| scores[label]);
        scores.chunks_exact(self.output.outputs()).map(of_labels).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: usize = (KNOWN_CHARACTERS + 1) * EMBEDDING
        + 2 * GATES * (EMBEDDING + STATE + 2 + 2 * STATE + STATE + 2)
        + (2 * STATE + 1 + LABELS) * LABELS;

    /// A file of the right length in which all numbers are one.
    fn ones() -> Vec<u8> {
        [FORMAT, &1.0_f32.to_le_bytes().repeat(NUMBERS)].concat()
    }

    fn refusal(contents: &[u8]) -> String {
        format!("{:?}", Network::read(contents).err().unwrap())
    }

    #[test]
    fn a_file_of_the_right_length_is_read_and_any_other_refused() {
        let ones = ones();
        assert!(Network::read(&ones).is_ok());
        for length in (0..ones.len()).step_by(99_991).chain([7, 8, 9, ones.len() - 1]) {
            let what = if length < FORMAT.len() { "another format" } else { "cut off" };
            assert!(refusal(&ones[..length]).contains(what), "{length}");
        }
        assert!(refusal(&[&ones[..], &[0]].concat()).contains("longer"));
        assert!(refusal(&[b"LAC-TAG2", &ones[8..]].concat()).contains("another format"));
    }

    #[test]
    fn infinite_and_undefined_numbers_are_refused() {
        for (wrong, number) in [(f32::NAN, 0), (f32::INFINITY, NUMBERS - 1), (f32::NEG_INFINITY, NUMBERS / 2)] {
            let mut contents = ones();
            contents[FORMAT.len() + 4 * number..][..4].copy_from_slice(&wrong.to_le_bytes());
            assert!(refusal(&contents).contains("infinite"), "{number}");
        }
    }

    #[test]
    fn finite_weights_of_any_size_end_without_a_panic() {
        let huge = [FORMAT, &f32::MAX.to_le_bytes().repeat(NUMBERS)].concat();
        assert_eq!(Network::read(&huge).unwrap().scores(&[1, 2, 3], &[0..2, 2..3]).len(), 3);
    }

    #[test]
    fn a_sequence_has_the_same_scores_beside_any_others() {
        let numbers = (0..NUMBERS).flat_map(|n| ((n as f32 * 12.9898).sin() * 0.1).to_le_bytes());
        let network = Network::read(&FORMAT.iter().copied().chain(numbers).collect::<Vec<u8>>()).unwrap();
        let ids: Vec<u16> = (0..60).map(|n| (n * 977 % 8300) as u16).collect();
        let sequences = [0..7, 7..8, 8..30, 30..31, 31..51, 51..51, 51..60];
        let together = network.scores(&ids, &sequences);
        for sequence in sequences {
            let alone = network.scores(&ids[sequence.clone()], std::slice::from_ref(&(0..sequence.len())));
            assert_eq!(alone, together[sequence.clone()], "{sequence:?}");
        }
        assert_ne!(together[0], together[7]);
    }
}
