//! The chance that an answer bears on a question, from how much its own question and its text have of it.
//!
//! A logistic function of four signals, fitted on the even questions of FairytaleQA and CMRC 2018 (an answer bears on a
//! question about the same passage), so that .5 means: in half of the cases. Without vectors, a function of the words
//! alone. The odd questions judge it: `npm run eval:answers`.

/// How much of a question an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signals {
    /// Share of the question's words in the question of the answer, 0 to about 2.
    pub question_words: f64,
    /// Cosine of the two questions; `None` without vectors.
    pub question_meaning: Option<f64>,
    /// Share of the question's words in the answer, 0 to about 2.
    pub answer_words: f64,
    /// Cosine of the question and the answer; `None` without vectors.
    pub answer_meaning: Option<f64>,
}

/// Intercept and weights of question words, question meaning, answer words, answer meaning.
const WITH_MEANING: [f64; 5] = [-4.0, 1.2, 5.0, 0.8, 2.0];
/// Intercept and weights of question words and answer words.
const WORDS_ALONE: [f64; 3] = [-2.5, 3.0, 1.5];

/// The chance, 0..=1, that an answer with these signals bears on the question. Numbers that are not finite count as 0.
#[must_use]
pub fn relevance(signals: &Signals) -> f64 {
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let (question_words, answer_words) = (finite(signals.question_words), finite(signals.answer_words));
    let sum = match (signals.question_meaning, signals.answer_meaning) {
        (None, None) => {
            let [intercept, of_question, of_answer] = WORDS_ALONE;
            intercept + of_question * question_words + of_answer * answer_words
        }
        (question_meaning, answer_meaning) => {
            let meaning = |cosine: Option<f64>| finite(cosine.unwrap_or_default());
            let [intercept, question_word, question_cosine, answer_word, answer_cosine] = WITH_MEANING;
            intercept
                + question_word * question_words
                + question_cosine * meaning(question_meaning)
                + answer_word * answer_words
                + answer_cosine * meaning(answer_meaning)
        }
    };
    1.0 / (1.0 + (-sum).exp())
}
