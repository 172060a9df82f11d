//! The best sequence of labels.

use crate::network::{Scores, Transitions};
use crate::tag::LABELS;

/// The labels whose scores and transitions have the greatest sum. No label is preferred at the beginning or the end; of
/// equal sums the lowest label wins.
pub(crate) fn best_labels(scores: &[Scores], transitions: &Transitions) -> Vec<u8> {
    let Some((first, rest)) = scores.split_first() else { return Vec::new() };
    let mut best = *first;
    // The best label before each label, for each character after the first.
    let mut previous = Vec::with_capacity(rest.len());
    for scores in rest {
        let mut sums = [f32::NEG_INFINITY; LABELS];
        let mut from = [0_u32; LABELS];
        for (label, (best, transitions)) in (0..).zip(best.iter().zip(transitions)) {
            for to in 0..LABELS {
                let sum = best + transitions[to];
                let is_better = sum > sums[to];
                sums[to] = if is_better { sum } else { sums[to] };
                from[to] = if is_better { label } else { from[to] };
            }
        }
        previous.push(from.map(|label| label as u8));
        best = std::array::from_fn(|to| sums[to] + scores[to]);
    }
    let mut label = best_of(&best);
    let mut labels = vec![label];
    for from in previous.iter().rev() {
        label = from[usize::from(label)];
        labels.push(label);
    }
    labels.reverse();
    labels
}

/// The lowest label with the greatest score.
fn best_of(scores: &Scores) -> u8 {
    let mut best = (0, f32::NEG_INFINITY);
    for (label, &score) in (0..).zip(scores) {
        if score > best.1 {
            best = (label, score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Scores in which only the first three labels can be best.
    fn scores_of(first: [f32; 3]) -> Scores {
        let mut scores = [-1000.0; LABELS];
        scores[..3].copy_from_slice(&first);
        scores
    }

    fn transitions_of(first: [[f32; 3]; 3]) -> Transitions {
        let mut transitions = [[-1000.0; LABELS]; LABELS];
        for (row, first) in transitions.iter_mut().zip(first) {
            row[..3].copy_from_slice(&first);
        }
        transitions
    }

    #[test]
    fn of_equal_sums_the_lowest_label_wins() {
        let equal = transitions_of([[0.0; 3]; 3]);
        assert_eq!(best_labels(&[scores_of([1.0; 3]); 3], &equal), [0, 0, 0]);
        assert_eq!(best_labels(&[scores_of([0.0, 1.0, 1.0])], &equal), [1]);
        assert!(best_labels(&[], &equal).is_empty());
    }

    #[test]
    fn a_transition_can_outweigh_a_score_and_has_a_direction() {
        let transitions = transitions_of([[0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
        let scores = [scores_of([0.0, 1.0, 0.0]), scores_of([0.0, 1.0, 0.0])];
        assert_eq!(best_labels(&scores, &transitions), [0, 2]);
    }

    #[test]
    fn undefined_scores_have_labels_too() {
        let undefined = [[f32::NAN; LABELS]; 4];
        assert_eq!(best_labels(&undefined, &[[f32::NAN; LABELS]; LABELS]), [0; 4]);
    }

    proptest! {
        #[test]
        fn no_other_sequence_of_labels_has_a_greater_sum(
            numbers in prop::collection::vec((-4..4i8, -4..4i8, -4..4i8), 4),
            transitions in prop::array::uniform3(prop::array::uniform3(-4..4i8)),
        ) {
            let scores: Vec<Scores> =
                numbers.iter().map(|&(a, b, c)| scores_of([a.into(), b.into(), c.into()])).collect();
            let transitions = transitions_of(transitions.map(|row| row.map(f32::from)));
            let sum = |labels: &[u8]| -> f32 {
                let labels: Vec<usize> = labels.iter().map(|&label| label.into()).collect();
                let of_scores: f32 = labels.iter().zip(&scores).map(|(&label, scores)| scores[label]).sum();
                of_scores + labels.windows(2).map(|pair| transitions[pair[0]][pair[1]]).sum::<f32>()
            };
            let best = sum(&best_labels(&scores, &transitions));
            for other in 0..81 {
                prop_assert!(sum(&[other / 27, other / 9 % 3, other / 3 % 3, other % 3]) <= best);
            }
        }
    }
}
