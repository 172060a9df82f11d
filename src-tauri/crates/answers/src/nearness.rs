//! The nearness of a sentence to a question: whether a text that was written later may say what an answer did not find.
//!
//! ```text
//! nearness = .5 w + c
//! ```
//!
//! `w` is the share of the question's content words in the sentence, `c` the cosine of both. The weight and the
//! thresholds were chosen on questions of FairytaleQA and CMRC 2018 so that about one in twenty paragraphs of other
//! texts is near; no other texts have judged them yet (`npm run eval:answers -- DATA --only nowhere`).

use std::collections::HashSet;

use palimpsest_text::terms;

/// Weight of the share of words beside the cosine.
const WORDS_WEIGHT: f64 = 0.5;
/// Minimum nearness.
const MIN_NEARNESS: f64 = 0.41;
/// Minimum share of words where there are no vectors.
const MIN_SHARE: f64 = 0.32;

/// The content words of a question.
#[derive(Debug, Clone)]
pub struct QuestionWords(HashSet<String>);

impl QuestionWords {
    /// The content words of a question.
    #[must_use]
    pub fn new(question: &str) -> Self {
        Self(terms::query_terms(question).into_iter().collect())
    }

    /// The share of them that a sentence has, 0..=1; 0 for a question without any.
    #[must_use]
    pub fn share_in(&self, sentence: &str) -> f64 {
        let mut found = HashSet::new();
        terms::each_index_term(sentence, |term| {
            found.extend(self.0.get(term));
        });
        found.len() as f64 / self.0.len().max(1) as f64
    }
}

/// Whether a sentence is near a question, by the share of the question's words in it and the cosine of both, `None`
/// without vectors. A sentence that shares no word is not.
#[must_use]
pub fn is_near(share: f64, cosine: Option<f64>) -> bool {
    match cosine.filter(|cosine| cosine.is_finite()) {
        _ if share <= 0.0 => false,
        Some(cosine) => WORDS_WEIGHT * share + cosine >= MIN_NEARNESS,
        None => share >= MIN_SHARE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_with_the_words_of_the_question_is_near_in_both_languages() {
        for (question, near, other) in [
            ("阿满姓什么？", "阿满姓周，周家渡的周。", "潮水退得很远，码头上没有人。"),
            ("What was Mei's family name?", "Mei gave her family name as Zhou.", "The tide was far out that morning."),
        ] {
            let words = QuestionWords::new(question);
            assert!(is_near(words.share_in(near), None), "{question}");
            assert!(!is_near(words.share_in(other), None), "{question}");
        }
    }

    #[test]
    fn meaning_adds_to_the_words_and_does_not_replace_them() {
        assert!(is_near(0.2, Some(0.4)));
        assert!(!is_near(0.2, Some(0.2)));
        assert!(!is_near(0.0, Some(0.9)));
        assert!(is_near(0.4, Some(f64::NAN)), "words alone");
    }

    #[test]
    fn a_question_without_content_words_is_near_nothing() {
        assert!(!is_near(QuestionWords::new("who is it?").share_in("Who is it?"), None));
    }
}
