//! Parts of texts: one-line labels, and ends.

use unicode_segmentation::UnicodeSegmentation;

/// At most `max_chars` characters (grapheme clusters) of `text` on one line: runs of white space become one space, and
/// omitted text is marked by an ellipsis, which counts as one of the characters.
#[must_use]
pub fn excerpt(text: &str, max_chars: usize) -> String {
    // A label never needs more than the beginning; do not fold a whole chapter for it.
    let mut line = String::new();
    let mut taken = 0;
    for word in text.split_whitespace() {
        if taken > max_chars {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
            taken += 1;
        }
        for cluster in word.graphemes(true) {
            line.push_str(cluster);
            taken += 1;
            if taken > max_chars {
                break;
            }
        }
    }
    if taken <= max_chars {
        return line;
    }
    if max_chars == 0 {
        return String::new();
    }
    let excerpt: String = line.graphemes(true).take(max_chars - 1).collect();
    let excerpt = excerpt.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '，' | '、' | ',' | '；' | ';'));
    format!("{excerpt}…")
}

/// The last `max_chars` characters (code points) of a text; the whole text if it has fewer.
#[must_use]
pub fn last_chars(text: &str, max_chars: usize) -> &str {
    let start = text.char_indices().rev().take(max_chars).last().map_or(text.len(), |(at, _)| at);
    &text[start..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_end_of_a_text_has_so_many_characters_at_most() {
        assert_eq!(last_chars("雨停了。", 2), "了。");
        assert_eq!((last_chars("雨停了。", 9), last_chars("雨停了。", 0), last_chars("", 3)), ("雨停了。", "", ""));
    }

    #[test]
    fn a_short_passage_stays_whole_on_one_line() {
        assert_eq!(excerpt("  老周没接话。\n他把水尺靠在门框上。", 40), "老周没接话。 他把水尺靠在门框上。");
    }

    #[test]
    fn a_long_passage_ends_in_an_ellipsis() {
        assert_eq!(excerpt("渡船靠岸时，验潮所的灯已经亮了。", 8), "渡船靠岸时，验…");
        assert_eq!(excerpt("渡船靠岸时，验潮所的灯已经亮了。", 7), "渡船靠岸时…");
        assert_eq!(excerpt("The ferry touched the quay.", 10), "The ferry…");
    }

    #[test]
    fn an_emoji_is_not_cut_in_half() {
        assert_eq!(excerpt("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2), "👨‍👩‍👧‍👦…");
    }

    #[test]
    fn no_room_gives_nothing() {
        assert_eq!(excerpt("风", 0), "");
        assert_eq!(excerpt("", 5), "");
        assert_eq!(excerpt("风雨", 1), "…");
    }

    proptest! {
        #[test]
        fn a_label_never_grows_over_its_width(text in "[\\PC\\n\\t ]{0,60}", max in 0_usize..40) {
            let label = excerpt(&text, max);
            prop_assert!(label.graphemes(true).count() <= max);
            prop_assert!(!label.contains('\n'));
        }
    }
}
