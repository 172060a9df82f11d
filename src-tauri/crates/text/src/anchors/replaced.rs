//! The passage that replaced a quote.

use std::{collections::HashMap, ops::Range};

use crate::{sentences, terms};

/// Minimum likeness of a passage that is taken for the quote in other words, wherever in the text it is.
const MIN_LIKENESS: f64 = 0.3;
/// Weight of the share of the quote's words that the passage has; the rest is the weight of the reverse share.
const QUOTE_SHARE: f64 = 0.7;
/// Likeness that is subtracted from a passage with another number of sentences than the quote.
const OTHER_LENGTH_COST: f64 = 0.1;

/// The range of whole sentences of `text`, in bytes, that replaced a `quote` which began at byte `from` and which the
/// text does not have any more: those most like it, the nearest of several; without a like one, those at its old place.
///
/// `None` for an empty text, and if every such passage is longer than `max_chars` characters.
#[must_use]
pub fn replacement(text: &str, quote: &str, from: usize, max_chars: usize) -> Option<Range<usize>> {
    let start_of = |sentence: &str| sentence.as_ptr().addr() - text.as_ptr().addr();
    let sentences: Vec<Range<usize>> = sentences::split(text)
        .into_iter()
        .map(|sentence| start_of(sentence)..start_of(sentence) + sentence.len())
        .collect();
    let length = sentences::split(quote).len().max(1);
    let quoted = words_of(quote);
    let words: Vec<HashMap<String, usize>> = sentences.iter().map(|range| words_of(&text[range.clone()])).collect();
    let distance = |range: &Range<usize>| if range.contains(&from) { 0 } else { range.start.abs_diff(from) };
    let mut best: Option<(f64, Range<usize>)> = None;
    for tried in length.saturating_sub(1).max(1)..=length + 1 {
        let cost = if tried == length { 0.0 } else { OTHER_LENGTH_COST };
        for (window, words) in sentences.windows(tried).zip(words.windows(tried)) {
            let range = span(window);
            let likeness = likeness(&quoted, words) - cost;
            let is_better = best.as_ref().is_none_or(|(known, place)| {
                likeness > *known || (likeness == *known && distance(&range) < distance(place))
            });
            if likeness >= MIN_LIKENESS && is_better && is_short(&text[range.clone()], max_chars) {
                best = Some((likeness, range));
            }
        }
    }
    best.map(|(_, range)| range).or_else(|| {
        let there = sentences.iter().position(|range| range.end > from).or(sentences.len().checked_sub(1))?;
        let last = (there + length).min(sentences.len());
        let mut ranges = (there + 1..=last).rev().map(|end| span(&sentences[there..end]));
        ranges.find(|range| is_short(&text[range.clone()], max_chars))
    })
}

fn span(window: &[Range<usize>]) -> Range<usize> {
    window.first().map_or(0, |first| first.start)..window.last().map_or(0, |last| last.end)
}

fn is_short(text: &str, max_chars: usize) -> bool {
    text.chars().nth(max_chars).is_none()
}

/// The terms of a text with their counts.
fn words_of(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    terms::each_index_term(text, |term| *words.entry(term.to_owned()).or_default() += 1);
    words
}

/// The likeness of a quote and sentences, 0..=1.
fn likeness(quoted: &HashMap<String, usize>, sentences: &[HashMap<String, usize>]) -> f64 {
    let total = |words: &HashMap<String, usize>| words.values().sum::<usize>();
    let (of_quote, of_passage) = (total(quoted), sentences.iter().map(total).sum::<usize>());
    if of_quote == 0 || of_passage == 0 {
        return 0.0;
    }
    let shared = quoted.iter().map(|(term, count)| {
        let there: usize = sentences.iter().filter_map(|words| words.get(term)).sum();
        there.min(*count)
    });
    let shared = shared.sum::<usize>() as f64;
    QUOTE_SHARE * shared / of_quote as f64 + (1.0 - QUOTE_SHARE) * shared / of_passage as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced<'t>(text: &'t str, quote: &str, from: usize) -> Option<&'t str> {
        replacement(text, quote, from, 500).map(|range| &text[range])
    }

    #[test]
    fn the_sentence_in_other_words_is_found_at_its_place_and_elsewhere() {
        let zh = "# 六\n\n潮水退得很远。一九九一年冬天屋里少了一副碗筷，那天的潮照看，一天四次。他没有说话。\n";
        let quote = "一九九一年冬天阿满没了，那天的潮照看";
        for from in [0, zh.find("一九").unwrap(), zh.len()] {
            let now = replaced(zh, quote, from);
            assert_eq!(now, Some("一九九一年冬天屋里少了一副碗筷，那天的潮照看，一天四次。"));
        }
        let en = "The tide was out. Her eyes were green, like the sea before rain. He said nothing.";
        let quote = "Her eyes were grey, like the sea before rain.";
        assert_eq!(replaced(en, quote, 18), Some("Her eyes were green, like the sea before rain."));
    }

    #[test]
    fn a_sentence_that_was_written_again_is_that_at_the_old_place() {
        let text = "The tide was out. Nobody ever asked about it. He said nothing.";
        assert_eq!(replaced(text, "Her eyes were grey.", 18), Some("Nobody ever asked about it."));
        assert_eq!(replaced(text, "Her eyes were grey.", 900), Some("He said nothing."));
        assert_eq!(replaced("", "Her eyes were grey.", 0), None);
        assert_eq!(replaced("  \n", "Her eyes were grey.", 0), None);
    }

    #[test]
    fn of_two_like_sentences_the_nearer_one_is_meant() {
        let text = "The lamp was green. One. Two. Three. Four. The lamp was green.";
        let range = replacement(text, "The lamp was red.", text.len() - 10, 500);
        assert_eq!(range, Some(text.len() - 19..text.len()));
    }

    #[test]
    fn a_sentence_over_the_limit_is_left_out() {
        let text = format!("Her eyes were green {}.", "and green ".repeat(100));
        assert_eq!(replacement(&text, "Her eyes were grey.", 0, 50), None);
    }

    proptest::proptest! {
        #[test]
        fn the_range_is_within_the_text_and_cuts_no_character(text in "[阿满的。“”\n a-zA-Z.,!é]{0,80}",
            quote in "[阿满的。 a-z.]{0,30}", from in 0_usize..200) {
            if let Some(range) = replacement(&text, &quote, from, 500) {
                proptest::prop_assert!(text.get(range).is_some_and(|passage| !passage.trim().is_empty()));
            }
        }
    }
}
