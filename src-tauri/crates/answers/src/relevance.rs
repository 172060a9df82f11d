//! The chance that an answer bears on a question, from how much its own question and its text have of it.
//!
//! ```text
//! relevance = 1 − (1 − σ(9 (q − .78))) × (1 − σ(−9.3 + 6.7 w + 8.2 a))
//! ```
//!
//! `q` is the cosine of the two questions, `w` the share of the question's words in the answer, `a` the cosine of the
//! question and the answer: an answer bears on a question because it was given to a similar one, or because it has what
//! the question asks for. The first factor follows the share of questions about one passage by their cosine (.12 at
//! .55, half near .75), moved so that it does not count twice what the second one explains; the second factor is a
//! logistic regression. Both are of the even passages of FairytaleQA and CMRC 2018, where an answer bears on the
//! questions about its passage; the odd ones judge them (`npm run eval:answers`). So .5 means: in half of the cases.
//! Without vectors, a logistic regression on the words of question and answer.

use palimpsest_text::questions::{MatchKind, QuestionMatch};

/// The signals of one answer for one question.
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

/// The cosine of two questions at which the first factor is one half, and its slope there.
const QUESTION_MEANING: (f64, f64) = (0.78, 9.0);
/// Intercept of the second factor, and its weights of the words and the meaning of the answer.
const ANSWER: [f64; 3] = [-9.305, 6.680, 8.150];
/// Intercept without vectors, and the weights of the words of question and answer.
const WORDS_ALONE: [f64; 3] = [-7.199, 2.987, 7.156];

/// The chance, 0..=1, that an answer with these signals bears on the question. Numbers that are not finite count as 0.
#[must_use]
pub fn relevance(signals: &Signals) -> f64 {
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let (question_words, answer_words) = (finite(signals.question_words), finite(signals.answer_words));
    if signals.question_meaning.is_none() && signals.answer_meaning.is_none() {
        let [intercept, of_question, of_answer] = WORDS_ALONE;
        return logistic(intercept + of_question * question_words + of_answer * answer_words);
    }
    let cosine = |meaning: Option<f64>| finite(meaning.unwrap_or_default());
    let (half, slope) = QUESTION_MEANING;
    let [intercept, of_words, of_meaning] = ANSWER;
    let by_question = logistic(slope * (cosine(signals.question_meaning) - half));
    let by_answer = logistic(intercept + of_words * answer_words + of_meaning * cosine(signals.answer_meaning));
    1.0 - (1.0 - by_question) * (1.0 - by_answer)
}

/// The relevance by the signals and by the match of the questions. The same question has to do with itself, however
/// short it is, and so has the same in other words.
#[must_use]
pub fn relevance_with(question: &QuestionMatch, measured: f64) -> f64 {
    match question.kind {
        MatchKind::Exact => 1.0,
        MatchKind::Restated => measured.max(f64::from(question.score)),
        MatchKind::Related => measured,
    }
}

fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_question_or_an_answer_that_has_the_words_bears_on_it_and_neither_does_not() {
        let unrelated = Signals { question_meaning: Some(0.2), answer_meaning: Some(0.15), ..Signals::default() };
        assert!(relevance(&unrelated) < 0.02);
        let similar = Signals { question_meaning: Some(0.88), ..unrelated };
        assert!(relevance(&similar) > 0.6);
        let telling = Signals { answer_words: 0.9, answer_meaning: Some(0.5), ..unrelated };
        assert!(relevance(&telling) > 0.6);
    }

    #[test]
    fn without_vectors_words_decide_and_broken_numbers_count_as_none() {
        let words = Signals { question_words: 1.0, answer_words: 0.8, ..Signals::default() };
        assert!(relevance(&words) > 0.6);
        let broken = Signals { question_words: f64::NAN, answer_words: f64::INFINITY, ..Signals::default() };
        assert!((relevance(&broken) - relevance(&Signals::default())).abs() < 1e-12);
        assert!(relevance(&Signals::default()) < 0.01);
    }
}
