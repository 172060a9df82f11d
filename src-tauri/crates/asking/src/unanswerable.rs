//! Questions that the book probably cannot answer, told apart without a model.
//!
//! Two signs were found on the data set of stories: the passages that share most words with the question are far from
//! it in meaning, and no passage is much nearer than the next ones. Words alone tell nothing: a question that has no
//! answer uses the words of the book as well (`npm run eval:ask`).

/// Rank of the passage, by nearness, that the nearest one is compared with.
pub const COMPARED: usize = 5;
/// The sum of both signs at which a question is as probably without an answer as with one, if both are as frequent.
const MIDDLE: f64 = 0.30;
/// Steepness of the logistic function around the middle.
const STEEPNESS: f64 = 10.0;
/// The score of a question about which nothing is known.
const UNKNOWN: f64 = 0.5;

/// The numbers of the passages for a question.
///
/// Cosines are those of the encoder's vectors of the query and of whole passages, −1..=1; they are not moved to the
/// scale of two texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Cosines of the nearest passages, the greatest first; at least [`COMPARED`] of them are looked at. Empty without
    /// an encoder.
    pub cosines: Vec<f64>,
    /// Mean cosine of the passages with the largest share of the question's words, each word weighted by its rarity in
    /// the book: often several have the same words. `None` without an encoder, and if no passage has any of them.
    pub cosine_by_words: Option<f64>,
}

/// The probability that the book does not answer the question, 0..=1, if half of the questions had no answer; 0.5
/// without cosines.
///
/// Only the order of the scores was measured; their level is rough.
#[must_use]
pub fn unanswerable_score(ranking: &Ranking) -> f64 {
    let Some(&nearest) = ranking.cosines.first() else { return UNKNOWN };
    let compared = ranking.cosines[..ranking.cosines.len().min(COMPARED)].last().copied().unwrap_or(nearest);
    let by_words = ranking.cosine_by_words.unwrap_or_default();
    let sum = by_words + (nearest - compared);
    if !sum.is_finite() {
        return UNKNOWN;
    }
    1.0 / (1.0 + (STEEPNESS * (sum - MIDDLE)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(cosines: &[f64], cosine_by_words: Option<f64>) -> f64 {
        unanswerable_score(&Ranking { cosines: cosines.to_vec(), cosine_by_words })
    }

    #[test]
    fn a_passage_that_words_and_meaning_find_answers() {
        assert!(score(&[0.6, 0.3, 0.3, 0.3, 0.3], Some(0.6)) < 0.1);
        assert!(score(&[0.3, 0.29, 0.28, 0.28, 0.27], Some(0.05)) > 0.8);
        assert!(score(&[0.5, 0.4, 0.4, 0.4, 0.4], Some(0.5)) < score(&[0.5, 0.4, 0.4, 0.4, 0.4], Some(0.1)));
    }

    #[test]
    fn without_cosines_nothing_is_known() {
        assert_eq!(score(&[], None), UNKNOWN);
        assert_eq!(score(&[f64::NAN], Some(0.3)), UNKNOWN);
        assert_eq!(score(&[0.3], Some(f64::INFINITY)), UNKNOWN);
    }
}
