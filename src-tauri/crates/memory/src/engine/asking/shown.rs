//! The stretches of the book that are shown where a question is asked without a model.

use std::{collections::BTreeSet, ops::Range};

use palimpsest_text::{
    is_han, sentences,
    terms::{each_index_term, hash_term},
};

use super::{FoundInBook, Inquiry, QuotedPassage, mark_of};

/// Maximum length of a stretch, in characters of an alphabet.
const MAX_CHARACTERS: usize = 400;
/// The length of a Han character is that of so many halves of another one: a Chinese stretch has at most 160.
const HALVES_OF_HAN_CHARACTER: usize = 5;

/// A sentence of a passage.
struct Sentence {
    bytes: Range<usize>,
    /// Summed weights of the terms of the question that it has.
    weight: f64,
}

impl Inquiry {
    /// The passages that were found, closest to the question first, each by one stretch of whole sentences. That is the
    /// whole passage without its headings where it has at most 400 characters, of which a Han character counts as 2.5;
    /// otherwise the neighbouring sentences within that length that share most with the question: each of its terms
    /// counts once a sentence, by its rarity in the book. Only a single longer sentence is longer.
    #[must_use]
    pub fn closest(&self, limit: usize) -> Vec<QuotedPassage> {
        let mut passages: Vec<&FoundInBook> = self.passages.iter().collect();
        passages.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
        let quoted = |found: &&FoundInBook| {
            let stretch = closest_stretch(&self.term_weights, &found.passage.text);
            self.quoted(&mark_of(found.number), stretch)
        };
        passages.iter().take(limit).filter_map(quoted).collect()
    }
}

/// The bytes of the sentences of a passage, one after the other and within the maximum length, with the greatest sum of
/// weights; of equal ones the longest, then the first. A heading only where there is nothing else. `weights`: of the
/// terms of the question, sorted by code.
fn closest_stretch(weights: &[(u32, f64)], text: &str) -> Range<usize> {
    let start_of = |sentence: &str| sentence.as_ptr().addr() - text.as_ptr().addr();
    let sentences: Vec<Sentence> = sentences::split(text)
        .into_iter()
        .filter(|sentence| !sentence.starts_with('#'))
        .map(|sentence| Sentence {
            bytes: start_of(sentence)..start_of(sentence) + sentence.len(),
            weight: shared_weight(weights, sentence),
        })
        .collect();
    let mut best: Option<((f64, usize), Range<usize>)> = None;
    for (number, first) in sentences.iter().enumerate() {
        let mut weight = 0.0;
        for last in &sentences[number..] {
            let bytes = first.bytes.start..last.bytes.end;
            let length = length_of(text.get(bytes.clone()).unwrap_or_default());
            if length > 2 * MAX_CHARACTERS && bytes != first.bytes {
                break;
            }
            weight += last.weight;
            let is_better = |(most, longest): (f64, usize)| weight > most || weight >= most && length > longest;
            if best.as_ref().is_none_or(|(rank, _)| is_better(*rank)) {
                best = Some(((weight, length), bytes));
            }
        }
    }
    best.map_or(0..text.len(), |(_, bytes)| bytes)
}

/// Summed weights of the terms that a sentence has.
fn shared_weight(weights: &[(u32, f64)], sentence: &str) -> f64 {
    let mut codes = BTreeSet::new();
    each_index_term(sentence, |term| {
        codes.insert(hash_term(term));
    });
    weights.iter().filter(|(code, _)| codes.contains(code)).map(|(_, weight)| weight).sum()
}

/// Length in halves of a character of an alphabet.
fn length_of(text: &str) -> usize {
    text.chars().map(|c| if is_han(c) { HALVES_OF_HAN_CHARACTER } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use palimpsest_text::terms::index_terms;

    use super::*;

    /// The stretch of a text for terms of a question with their weights.
    fn stretch<'t>(terms: &[(&str, f64)], text: &'t str) -> &'t str {
        let weight = |(words, weight): &(&str, f64)| -> Vec<(u32, f64)> {
            index_terms(words).iter().map(|term| (hash_term(term), *weight)).collect()
        };
        let mut weights: Vec<(u32, f64)> = terms.iter().flat_map(weight).collect();
        weights.sort_by_key(|(code, _)| *code);
        &text[closest_stretch(&weights, text)]
    }

    #[test]
    fn a_short_passage_is_shown_whole_without_its_heading() {
        let passage = "# The harbour\n\nThe boat comes once a day. It goes back at noon.";
        assert_eq!(stretch(&[("boat", 2.0)], passage), "The boat comes once a day. It goes back at noon.");
        let passage = "## 渡船\n\n上岛的船一天一班。上午去，下午回。";
        assert_eq!(stretch(&[("船", 2.0)], passage), "上岛的船一天一班。上午去，下午回。");
        assert_eq!(stretch(&[], "# 渡船"), "# 渡船");
    }

    #[test]
    fn of_a_long_passage_the_sentences_with_the_rare_words_are_shown_and_not_those_with_more_common_ones() {
        let filler = "The day was long and the sea was calm around the house. ".repeat(8);
        let passage = format!("Anne saw Anne walk to the hall with Anne. {filler}A nut was held up by Anne. {filler}");
        let shown = stretch(&[("nut", 5.0), ("anne", 0.5), ("walk", 1.0), ("hall", 1.0)], &passage);
        assert!(shown.contains("A nut was held up"), "{shown}");
        assert!((300..=MAX_CHARACTERS).contains(&shown.chars().count()), "{}", shown.chars().count());

        let filler = "海面很平，风也停了，屋里的人都睡着。".repeat(12);
        let passage = format!("阿满和阿满的人来了，阿满走了。{filler}铜钉钉在东墙上。{filler}");
        let shown = stretch(&[("铜钉", 5.0), ("阿满", 0.5)], &passage);
        assert!(shown.contains("铜钉钉在东墙上。"), "{shown}");
        assert!((120..=180).contains(&shown.chars().count()), "{}", shown.chars().count());
    }

    #[test]
    fn two_sentences_that_answer_together_are_shown_together() {
        let far = "The rain went on over the roofs of the town for hours. ".repeat(5);
        let passage = format!("The keeper came. {far}The keeper fell in 1983. He broke a leg on the stair. {far}");
        let shown = stretch(&[("keeper", 1.0), ("1983", 2.0), ("leg", 2.0)], &passage);
        assert!(shown.contains("The keeper fell in 1983. He broke a leg on the stair."), "{shown}");
    }

    #[test]
    fn a_sentence_beyond_the_limit_is_shown_whole_and_alone() {
        let long = format!("The nut {} fell.", "and the leaf and the branch ".repeat(20).trim());
        assert!(long.len() > MAX_CHARACTERS);
        assert_eq!(stretch(&[("nut", 1.0)], &format!("It was cold. {long} It was warm.")), long);
    }
}
