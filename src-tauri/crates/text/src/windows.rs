//! Cuts a passage into a few windows of whole sentences, so that each can be compared by itself: a passage about four
//! things is similar to none of them as a whole.

use std::ops::Range;

use crate::sentences;

/// At most `max_windows` windows of neighbouring sentences, about equally long, in order. A text of fewer sentences
/// gives one window per sentence; an empty one gives none.
#[must_use]
pub fn windows(text: &str, max_windows: usize) -> Vec<&str> {
    window_ranges(text, max_windows).into_iter().map(|range| &text[range]).collect()
}

/// The ranges of bytes of [`windows`].
#[must_use]
pub fn window_ranges(text: &str, max_windows: usize) -> Vec<Range<usize>> {
    // The range of a slice of the text.
    let range = |slice: &str| {
        let from = slice.as_ptr().addr() - text.as_ptr().addr();
        from..from + slice.len()
    };
    let sentences = sentences::split(text);
    if sentences.len() <= max_windows {
        return sentences.into_iter().map(range).collect();
    }
    let total: usize = sentences.iter().map(|sentence| sentence.len()).sum();
    let mut windows = Vec::with_capacity(max_windows);
    let (mut start, mut so_far) = (None, 0);
    for (n, sentence) in sentences.iter().enumerate() {
        let sentence = range(sentence);
        let from = *start.get_or_insert(sentence.start);
        so_far += sentence.len();
        let full = so_far * max_windows >= total * (windows.len() + 1);
        if full || n + 1 == sentences.len() {
            windows.push(from..sentence.end);
            start = None;
        }
    }
    windows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_passage_is_its_sentences_and_a_long_one_a_few_stretches() {
        assert_eq!(windows("雨停了。他没动。", 4), ["雨停了。", "他没动。"]);
        assert_eq!(windows("One. Two. Six. Ten. Fly. Cry.", 3), ["One. Two.", "Six. Ten.", "Fly. Cry."]);
        assert!(windows("  \n ", 4).is_empty());
    }

    proptest! {
        #[test]
        fn no_sentence_is_lost_and_there_are_never_too_many(text in "([a-z ]{0,12}[.。!？\n]){0,30}", max_windows in 1_usize..7) {
            let windows = windows(&text, max_windows);
            prop_assert!(windows.len() <= max_windows);
            let said = |texts: &[&str]| texts.concat().split_whitespace().collect::<String>();
            prop_assert_eq!(said(&windows), said(&sentences::split(&text)));
        }
    }
}
