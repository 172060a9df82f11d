//! The sentences of a text.
//!
//! The network reads a sentence best by itself, and reads a character that it does not know as part of a name. Line
//! ends, tabs and other control characters are therefore the ends of sentences, and in none of them.

use std::ops::Range;

/// The most characters that are read as one sentence. A longer one is cut.
pub const MAX_SENTENCE_CHARS: usize = 512;

/// The sentences of `text` in their order, without white space at their ends, as ranges of bytes. None is empty, longer
/// than [`MAX_SENTENCE_CHARS`], or contains a character that separates sentences.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut push = |range: Range<usize>| {
        found.extend(parts(text, range).map(|part| trim(text, part)).filter(|part| !part.is_empty()));
    };
    let mut start = 0;
    let mut is_quote_open = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let mut end = at + character.len_utf8();
        if is_separator(character) {
            push(start..at);
            (start, is_quote_open) = (end, false);
        } else if is_straight_quote(character) {
            is_quote_open = !is_quote_open;
        } else if is_end_mark(character) {
            let is_part = |c, is_quote_open| {
                is_end_mark(c) || c == '…' || is_closing_mark(c) || (is_straight_quote(c) && is_quote_open)
            };
            while let Some((at, character)) = characters.next_if(|&(_, c)| is_part(c, is_quote_open)) {
                is_quote_open &= !is_straight_quote(character);
                end = at + character.len_utf8();
            }
            push(start..end);
            start = end;
        }
    }
    push(start..text.len());
    found
}

/// Cuts a range of `text` into parts of at most [`MAX_SENTENCE_CHARS`] characters: after the last mark between clauses
/// in the second half of a part, or else anywhere.
pub(crate) fn parts(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let Range { mut start, end } = range;
    std::iter::from_fn(move || {
        let rest = &text[start..end];
        if rest.is_empty() {
            return None;
        }
        let part_start = start;
        start = match rest.char_indices().nth(MAX_SENTENCE_CHARS) {
            None => end,
            Some((limit, _)) => {
                let mut characters = rest[..limit].char_indices().rev().take(MAX_SENTENCE_CHARS / 2);
                let cut = characters.find(|&(_, character)| is_clause_mark(character));
                start + cut.map_or(limit, |(at, character)| at + character.len_utf8())
            }
        };
        Some(part_start..start)
    })
}

/// A range of `text` without white space at its ends.
pub(crate) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.end - part.trim_start().len();
    start..(range.start + part.trim_end().len()).max(start)
}

/// Whether a character is in no sentence: a control character, a separator of lines or paragraphs, or one without a
/// width that is left over from another program.
fn is_separator(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{feff}')
}

fn is_end_mark(character: char) -> bool {
    matches!(character, '。' | '！' | '？' | '；')
}

fn is_closing_mark(character: char) -> bool {
    matches!(character, '”' | '’' | '」' | '』' | '）' | '》' | '】')
}

/// Whether a character is a quotation mark that both opens and closes.
fn is_straight_quote(character: char) -> bool {
    matches!(character, '"' | '＂')
}

fn is_clause_mark(character: char) -> bool {
    matches!(character, '，' | '、' | '：' | '…' | '—' | ',' | '.' | '!' | '?' | ';' | ':') || character.is_whitespace()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_sentence_ends_after_its_marks_and_the_closing_quotation_mark() {
        assert_eq!(cut("他走了。她没有；谁知道？！走吧……"), ["他走了。", "她没有；", "谁知道？！", "走吧……"]);
        assert_eq!(cut("“走吧。”他说。「好！」"), ["“走吧。”", "他说。", "「好！」"]);
        assert_eq!(cut("（他走了。）她没有"), ["（他走了。）", "她没有"]);
        assert_eq!(cut("去，来：3.5"), ["去，来：3.5"]);
    }

    #[test]
    fn a_straight_quotation_mark_stays_with_the_sentence_that_it_closes() {
        assert_eq!(cut("\"走吧。\"他说。\"好！\"\"不。\""), ["\"走吧。\"", "他说。", "\"好！\"", "\"不。\""]);
        assert_eq!(cut("\"一。\n二。\"三。\""), ["\"一。", "二。", "\"三。\""]);
    }

    #[test]
    fn line_ends_tabs_and_control_characters_are_in_no_sentence() {
        assert_eq!(
            cut("林见雪走了\n陈渡\r\n\r\n没有\t回头\u{0}了\u{85}吗\u{2028}呢\u{feff}"),
            ["林见雪走了", "陈渡", "没有", "回头", "了", "吗", "呢"]
        );
    }

    #[test]
    fn white_space_is_at_no_end_of_a_sentence() {
        assert_eq!(cut("\u{3000}\u{3000}他 走了。 \u{a0}她没有。\u{3000}"), ["他 走了。", "她没有。"]);
        assert!(cut("").is_empty());
        assert!(cut(" \u{3000}\n\t ").is_empty());
    }

    #[test]
    fn a_long_sentence_is_cut_between_clauses_where_there_are_any() {
        let clauses = format!("{}，{}", "山".repeat(400), "水".repeat(400));
        assert_eq!(cut(&clauses).iter().map(|part| part.chars().count()).collect::<Vec<_>>(), [401, 400]);
        // The only mark is too near the beginning.
        let late = format!("山，{}", "水".repeat(1200));
        assert_eq!(cut(&late).iter().map(|part| part.chars().count()).collect::<Vec<_>>(), [512, 512, 178]);
        assert_eq!(cut(&"山".repeat(512)).len(), 1);
    }

    proptest! {
        #[test]
        fn only_white_space_and_separators_are_left_out(text in "(\\PC|[。！”\"，\n\t\u{0}\u{3000} 山]){0,80}") {
            let mut before = 0;
            for range in sentences(&text) {
                prop_assert!(before <= range.start && !range.is_empty());
                prop_assert!(text[before..range.start].chars().all(|c| is_separator(c) || c.is_whitespace()));
                prop_assert!(!text[range.clone()].contains(is_separator));
                before = range.end;
            }
            prop_assert!(text[before..].chars().all(|c| is_separator(c) || c.is_whitespace()));
        }

        #[test]
        fn parts_are_the_whole_and_none_is_too_long(length in 0..3_000usize, mark in 1..700usize) {
            let text: String = (1..=length).map(|n| if n % mark == 0 { '，' } else { '山' }).collect();
            let mut end = 0;
            for part in parts(&text, 0..text.len()) {
                prop_assert_eq!(part.start, end);
                prop_assert!(!part.is_empty() && text[part.clone()].chars().count() <= MAX_SENTENCE_CHARS);
                end = part.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
