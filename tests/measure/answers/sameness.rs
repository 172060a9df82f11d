//! Questions about the same passage that are taken for the same question, as if the encoder found all of them alike.

use std::collections::HashMap;

use palimpsest_text::questions::{MatchKind, question_match};

use crate::Question;

/// The cosine that every pair is given: more than nearly all pairs have.
const COSINE: f32 = 0.95;

/// Prints how many pairs of different questions about one passage are exact, and how many restated.
pub fn print_pairs(name: &str, questions: &[Question]) {
    let mut by_passage: HashMap<&str, Vec<&str>> = HashMap::new();
    for question in questions {
        by_passage.entry(&question.passage).or_default().push(&question.text);
    }
    let (mut pairs, mut exact, mut restated) = (0_usize, 0_usize, 0_usize);
    for questions in by_passage.values() {
        for (at, first) in questions.iter().enumerate() {
            for second in questions[at + 1..].iter().filter(|second| *second != first) {
                pairs += 1;
                match question_match(first, second, Some(COSINE), &[]).kind {
                    MatchKind::Exact => exact += 1,
                    MatchKind::Restated => restated += 1,
                    MatchKind::Related => {}
                }
            }
        }
    }
    println!(
        "\n{name}: {pairs} pairs of questions about one passage at a cosine of {COSINE}: {exact} taken as exact, {restated} as restated (target: at most .02 %)\n"
    );
}
