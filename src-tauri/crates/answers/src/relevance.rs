//! The chance that an answer bears on a question, from how much its own question and its text have of it.
//!
//! ```text
//! relevance = 1 − (1 − σ(−8.9 + 4.5 v + 8.1 q)) × (1 − σ(−9.0 + 5.7 w + 5.8 a + 1.9 q))
//! ```
//!
//! `v` is the share of the question's words in the question of the answer, `q` the cosine of the two questions, `w` the
//! share of the question's words in the answer, `a` the cosine of the question and the answer: an answer bears on a
//! question because it was given to a similar one, or because it has what the question asks for. Words count in the
//! first factor because questions of one form about different things (*Who wrote A?*, *Who wrote B?*) have a high
//! cosine. Two questions without any common word may be in two languages: then the factor is σ(24 (q − .62)). In one
//! language, none of 62,539 such pairs had a cosine above .6; sixteen questions and their translations had .58 to .86,
//! and each with the translation of another at most .52.
//!
//! The constants are rounded from a fit by maximum likelihood on the even passages of FairytaleQA and CMRC 2018, where
//! an answer bears on the questions about its passage; the odd ones judge them (`npm run eval:answers`). There the
//! answer is the whole passage, so a quarter of the weight is on copies whose answer has the signals of an unrelated
//! one, as a short answer has. So .5 means: in half of the cases. Without vectors, a logistic regression on the words
//! of question and answer.

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

/// Intercept of the first factor, and its weights of the words and the meaning of the question.
const QUESTION: [f64; 3] = [-8.9, 4.5, 8.1];
/// The cosine of two questions without a common word at which the first factor is one half, and its slope there.
const QUESTION_MEANING_ALONE: (f64, f64) = (0.62, 24.0);
/// Share of common words below which two questions count as without a common word.
const NO_WORDS: f64 = 0.005;
/// Intercept of the second factor, and its weights of the words and the meaning of the answer, and of the meaning of
/// the question.
const ANSWER: [f64; 4] = [-9.0, 5.7, 5.8, 1.9];
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
    let (question_meaning, answer_meaning) = (cosine(signals.question_meaning), cosine(signals.answer_meaning));
    let by_question = if question_words < NO_WORDS {
        let (half, slope) = QUESTION_MEANING_ALONE;
        logistic(slope * (question_meaning - half))
    } else {
        let [intercept, of_words, of_meaning] = QUESTION;
        logistic(intercept + of_words * question_words + of_meaning * question_meaning)
    };
    let [intercept, of_words, of_meaning, of_question] = ANSWER;
    let by_answer =
        logistic(intercept + of_words * answer_words + of_meaning * answer_meaning + of_question * question_meaning);
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
        let telling = Signals { answer_words: 1.0, answer_meaning: Some(0.6), ..unrelated };
        assert!(relevance(&telling) > 0.6);
    }

    #[test]
    fn a_question_of_the_same_form_about_another_thing_counts_less_than_one_about_the_same_in_other_words() {
        let with = |question_words, question_meaning| {
            let question_meaning = Some(question_meaning);
            relevance(&Signals { question_words, question_meaning, answer_meaning: Some(0.2), ..Signals::default() })
        };
        assert!(with(0.2, 0.8) < 0.3, "{}", with(0.2, 0.8));
        assert!(with(0.6, 0.65) > 1.4 * with(0.2, 0.8), "{} {}", with(0.6, 0.65), with(0.2, 0.8));
        // In another language no word is the same.
        assert!(with(0.0, 0.7) > 0.6, "{}", with(0.0, 0.7));
        assert!(with(0.0, 0.5) < 0.1, "{}", with(0.0, 0.5));
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
