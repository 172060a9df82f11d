//! The nearness of a sentence to a question: whether a text that was written later may say what an answer did not find.
//!
//! ```text
//! nearness = 1.2 w + c
//! ```
//!
//! `w` is the share of the question's content words in the sentence, each counted by its rarity in the book, `c` the
//! cosine of both. The weight and the thresholds were chosen on questions about the even passages of FairytaleQA and
//! CMRC 2018, so that less than one in twenty paragraphs of other texts is near; those about odd ones judge them
//! (`npm run eval:answers -- DATA --only nowhere`).

use std::collections::{BTreeMap, BTreeSet};

use palimpsest_text::terms;

/// Weight of the share of words beside the cosine.
const WORDS_WEIGHT: f64 = 1.2;
/// Minimum nearness.
const MIN_NEARNESS: f64 = 0.53;
/// Minimum share of words where there are no vectors.
const MIN_SHARE: f64 = 0.25;
/// How much less a sentence has that is [`Nearness::Similar`]. With a minimum of .54, 1 in 180 sentences of
/// other texts was, in the two sets.
const SIMILAR_MARGINS: (f64, f64) = (0.1, 0.05);

/// How near a sentence is to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It does not say it.
    Far,
    /// Almost near. The rarity of words changes with the book, and vectors may be missing at one time: such a sentence
    /// is not new if it is near later.
    Similar,
    /// It may say what the question asks.
    Near,
}

/// The content words of a question, with their weights.
#[derive(Debug, Clone)]
pub struct QuestionWords {
    weights: BTreeMap<String, f64>,
    total: f64,
}

impl QuestionWords {
    /// The content words of a question, each weighed by its rarity: 0 or more, the same for all where it is not known.
    #[must_use]
    pub fn new(question: &str, mut rarity: impl FnMut(&str) -> f64) -> Self {
        let words: BTreeSet<String> = terms::query_terms(question).into_iter().collect();
        let weigh = |word: String| {
            let weight = rarity(&word);
            (word, if weight.is_finite() { weight.max(0.0) } else { 0.0 })
        };
        let weights: BTreeMap<String, f64> = words.into_iter().map(weigh).collect();
        let total = weights.values().sum();
        Self { weights, total }
    }

    /// The share of them that a sentence has, 0..=1; 0 for a question without any.
    #[must_use]
    pub fn share_in(&self, sentence: &str) -> f64 {
        let mut found: BTreeMap<&str, f64> = BTreeMap::new();
        terms::each_index_term(sentence, |term| {
            if let Some((word, weight)) = self.weights.get_key_value(term) {
                found.insert(word, *weight);
            }
        });
        if self.total > 0.0 { (found.values().sum::<f64>() / self.total).min(1.0) } else { 0.0 }
    }
}

/// How near a sentence is to a question, by the share of the question's words in it and the cosine of both, `None`
/// without vectors. A sentence that shares no word is far.
#[must_use]
pub fn nearness(share: f64, cosine: Option<f64>) -> Nearness {
    let by_words = |less: f64| share >= MIN_SHARE - less;
    let cosine = cosine.filter(|cosine| cosine.is_finite());
    let by_both = |less: f64| cosine.map(|cosine| WORDS_WEIGHT * share + cosine >= MIN_NEARNESS - less);
    if share <= 0.0 {
        Nearness::Far
    } else if by_both(0.0).unwrap_or_else(|| by_words(0.0)) {
        Nearness::Near
    } else if by_both(SIMILAR_MARGINS.0).unwrap_or(false) || by_words(SIMILAR_MARGINS.1) {
        Nearness::Similar
    } else {
        Nearness::Far
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(question: &str) -> QuestionWords {
        QuestionWords::new(question, |_| 1.0)
    }

    #[test]
    fn a_sentence_with_the_words_of_the_question_is_near_in_both_languages() {
        for (question, near, other) in [
            ("阿满姓什么？", "阿满姓周，周家渡的周。", "潮水退得很远，码头上没有人。"),
            ("What was Mei's family name?", "Mei gave her family name as Zhou.", "The tide was far out that morning."),
        ] {
            let words = equal(question);
            assert_eq!(nearness(words.share_in(near), None), Nearness::Near, "{question}");
            assert_eq!(nearness(words.share_in(other), None), Nearness::Far, "{question}");
        }
    }

    #[test]
    fn a_word_counts_by_its_rarity_in_the_book() {
        let words = QuestionWords::new("Where did Mei hide the lantern?", |word| if word == "mei" { 0.1 } else { 3.0 });
        assert_eq!(nearness(words.share_in("Mei went home."), None), Nearness::Far, "a name of every page");
        assert_eq!(nearness(words.share_in("The lantern was in the well."), None), Nearness::Near);
        let none = QuestionWords::new("Where did Mei hide the lantern?", |_| f64::NAN);
        assert_eq!(none.share_in("Mei hid the lantern."), 0.0);
    }

    #[test]
    fn meaning_adds_to_the_words_and_does_not_replace_them() {
        assert_eq!(nearness(0.2, Some(0.4)), Nearness::Near);
        assert_ne!(nearness(0.2, Some(0.2)), Nearness::Near);
        assert_eq!(nearness(0.0, Some(0.9)), Nearness::Far);
        assert_eq!(nearness(0.4, Some(f64::NAN)), Nearness::Near, "words alone");
    }

    #[test]
    fn a_sentence_that_is_almost_near_by_words_or_meaning_is_similar() {
        assert_eq!(nearness(0.1, Some(0.35)), Nearness::Similar);
        assert_eq!(nearness(0.22, None), Nearness::Similar);
        assert_eq!(nearness(0.3, Some(0.0)), Nearness::Similar, "near without vectors");
        assert_eq!(nearness(0.1, Some(0.1)), Nearness::Far);
    }

    #[test]
    fn a_question_without_content_words_is_near_nothing() {
        assert_eq!(nearness(equal("who is it?").share_in("Who is it?"), None), Nearness::Far);
    }
}
