//! Questions that the book probably cannot answer, told apart without a model.

/// The numbers of the ranked passages of a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Share of the question's content words in each of the first passages, best passage first, 0..=1.
    pub word_shares: Vec<f64>,
    /// Cosines between the question and the first passages, in their order; empty without an encoder.
    pub cosines: Vec<f64>,
    /// Median of the cosines between the question and all passages; `None` without an encoder.
    pub usual_cosine: Option<f64>,
    /// Median absolute deviation of them.
    pub cosine_deviation: Option<f64>,
}

/// How probable it is that the book does not answer the question, 0..=1.
#[must_use]
pub fn unanswerable_score(_ranking: &Ranking) -> f64 {
    0.5
}
