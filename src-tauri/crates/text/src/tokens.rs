//! Counts the tokens of a text and truncates text to a budget.
//!
//! The count uses the `o200k_base` byte-pair encoding as an approximation for every model: other current tokenizers
//! differ from it by a tenth or so on prose in both languages.

use std::ops::Range;

use bpe_openai::{Tokenizer, o200k_base};
use unicode_segmentation::GraphemeCursor;

use crate::paragraphs::soft_breaks;
use crate::sentences;

/// Loads the tokenizer (some tens of milliseconds), so that the first count on the writer's path does not wait for it.
pub fn preload() {
    std::hint::black_box(count("潮 tide"));
}

/// The number of tokens in `text`.
#[must_use]
pub fn count(text: &str) -> usize {
    o200k_base().count(text)
}

/// The longest end of `text` that costs at most `max` tokens, cut at the start. Prefers to begin with a paragraph or a
/// sentence where one begins near the cut, else with a word. Text that fits is returned whole.
#[must_use]
pub fn truncate_start(text: &str, max: usize) -> &str {
    if fits(text, max) {
        return text;
    }
    let hard = longest_end(text, max);
    let retained = text.len() - hard;
    let mut cut = boundary_after(text, hard, retained);
    // Another start changes how the first pieces are tokenized, so check again; one step is nearly always enough.
    while !fits(&text[cut..], max) {
        cut = next_cluster_boundary(text, next_char_boundary(text, cut));
    }
    text[cut..].trim_start()
}

/// The longest beginning of `text` that costs at most `max` tokens, cut at the end. Prefers to end with a paragraph or
/// a sentence where one ends near the cut, else with a word. Text that fits is returned whole.
#[must_use]
pub fn truncate_end(text: &str, max: usize) -> &str {
    if fits(text, max) {
        return text;
    }
    let hard = longest_beginning(text, max);
    let mut cut = boundary_before(text, hard);
    while !fits(text[..cut].trim_end(), max) {
        cut = previous_cluster_boundary(text, previous_char_boundary(text, cut));
    }
    text[..cut].trim_end()
}

/// At most one part in this many of the fitting text is dropped to keep a sentence whole: an eighth keeps long contexts
/// long.
const SENTENCE_SLACK_DIVISOR: usize = 8;
/// The most bytes that are dropped to keep a word whole: a hundred hold any word, and a line of Han has no spaces.
const MAX_WORD_SLACK_BYTES: usize = 100;

fn fits(text: &str, max: usize) -> bool {
    // A token is at least one byte.
    text.len() <= max || count(text) <= max
}

/// Byte offset up to which `text` fits; approximate, as tokens at the cut change when the rest is removed.
fn longest_beginning(text: &str, max: usize) -> usize {
    let tokenizer = o200k_base();
    let mut left = max;
    let mut end = 0;
    for piece in tokenizer.split(text) {
        let cost = tokenizer.bpe.count(piece.as_bytes());
        if cost > left {
            return end + cut_inside(tokenizer, piece, |at| &piece[..at], left, false);
        }
        left -= cost;
        end += piece.len();
    }
    end
}

/// Byte offset from which the rest of `text` fits.
fn longest_end(text: &str, max: usize) -> usize {
    let tokenizer = o200k_base();
    let pieces: Vec<&str> = tokenizer.split(text).collect();
    let mut left = max;
    let mut start = text.len();
    for piece in pieces.iter().rev() {
        let cost = tokenizer.bpe.count(piece.as_bytes());
        if cost > left {
            return start - piece.len() + cut_inside(tokenizer, piece, |at| &piece[at..], left, true);
        }
        left -= cost;
        start -= piece.len();
    }
    start
}

/// Byte offset of a cut inside one piece, by bisection over its characters. A line of Han without punctuation is one
/// piece, so this is common. Cost is monotone but for a token or two, which the callers check.
fn cut_inside<'p>(
    tokenizer: &Tokenizer,
    piece: &'p str,
    retained: impl Fn(usize) -> &'p str,
    left: usize,
    from_end: bool,
) -> usize {
    let cuts: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
    let fits = |at: usize| tokenizer.bpe.count(retained(at).as_bytes()) <= left;
    let found = if from_end {
        cuts.partition_point(|&at| !fits(at))
    } else {
        cuts.partition_point(|&at| fits(at)).saturating_sub(1)
    };
    cuts.get(found).copied().unwrap_or(if from_end { piece.len() } else { 0 })
}

fn boundary_after(text: &str, hard: usize, retained: usize) -> usize {
    let limit = ceil_char_boundary(text, hard + retained / SENTENCE_SLACK_DIVISOR);
    let window = &text[hard..limit];
    if let Some(line) = paragraph_ends(text, hard..limit).next() {
        return line + 1;
    }
    // The window begins in the middle of a sentence, so its second sentence is the first whole one. It may be cut off
    // by the end of the window, but its beginning is a real one.
    let mut whole = sentences::split(window).into_iter().skip(1);
    if let Some(sentence) = whole.next() {
        return offset_in(text, sentence);
    }
    let limit = ceil_char_boundary(text, (hard + MAX_WORD_SLACK_BYTES).min(limit));
    match text[hard..limit].find(char::is_whitespace) {
        Some(space) => next_char_boundary(text, hard + space),
        None => next_cluster_boundary(text, hard),
    }
}

fn boundary_before(text: &str, hard: usize) -> usize {
    let limit = floor_char_boundary(text, hard - hard / SENTENCE_SLACK_DIVISOR);
    if let Some(line) = paragraph_ends(text, limit..hard).last() {
        return line;
    }
    // Split with some text after the cut included: the following text decides whether a full stop ends a sentence.
    let ahead = ceil_char_boundary(text, hard + MAX_WORD_SLACK_BYTES);
    let mut ends = sentences::split(&text[limit..ahead]).into_iter().map(|s| offset_in(text, s) + s.len());
    if let Some(end) = ends.rfind(|&end| end <= hard && end > limit && !is_window_end(text, end, ahead)) {
        return end;
    }
    let limit = floor_char_boundary(text, hard.saturating_sub(MAX_WORD_SLACK_BYTES).max(limit));
    match text[limit..hard].rfind(char::is_whitespace) {
        Some(space) => limit + space,
        None => previous_cluster_boundary(text, hard),
    }
}

/// The line ends in a range of `text` that are not inside a wrapped paragraph.
fn paragraph_ends(text: &str, range: Range<usize>) -> impl Iterator<Item = usize> {
    let soft = soft_breaks(text);
    let is_soft = move |at: &usize| soft.iter().any(|soft| soft.range.contains(at));
    text[range.clone()].match_indices('\n').map(move |(at, _)| range.start + at).filter(move |at| !is_soft(at))
}

/// Whether `end` is only the end of the window, which need not be the end of a sentence.
fn is_window_end(text: &str, end: usize, ahead: usize) -> bool {
    end == ahead && ahead != text.len()
}

/// `part` must be a slice of `text`.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

fn ceil_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn next_char_boundary(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(text.len(), |c| at + c.len_utf8())
}

fn previous_char_boundary(text: &str, at: usize) -> usize {
    text[..at].chars().next_back().map_or(0, |c| at - c.len_utf8())
}

/// The next offset at or after `at` that is not inside a grapheme cluster.
fn next_cluster_boundary(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        _ => at,
    }
}

/// The last offset at or before `at` that is not inside a grapheme cluster.
fn previous_cluster_boundary(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ZH: &str = "渡船靠岸时，验潮所的灯已经亮了。我以为是父亲忘了关。走近才看见老周蹲在门口，拿砂纸打磨一根旧水尺。\n他没抬头，用脚把马扎推过来。风从南边来，带着修船厂的漆味。";
    const EN: &str = "By the time the ferry touched the quay the tide house was lit. I thought my father had left the lamp on. Then I saw Mr. Zhou crouched in the doorway, working a sheet of sandpaper along an old board.\nHe didn’t look up. The wind was from the south.";

    #[test]
    fn counting_agrees_with_the_published_encoding() {
        preload();
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert!((ZH.chars().count() / 3..ZH.chars().count() * 2).contains(&count(ZH)));
    }

    #[test]
    fn text_that_fits_is_not_touched() {
        let all = count(ZH);
        assert_eq!(truncate_start(ZH, all), ZH);
        assert_eq!(truncate_end(ZH, all), ZH);
    }

    #[test]
    fn keeping_the_end_begins_with_a_whole_sentence_in_chinese() {
        let long = ZH.repeat(8);
        let retained = truncate_start(&long, 120);
        assert!(long.ends_with(retained) && retained.len() > 200, "{retained}");
        assert!(["渡船", "我以", "走近", "他没", "风从"].iter().any(|s| retained.starts_with(s)), "{retained}");
    }

    #[test]
    fn keeping_the_start_ends_with_a_whole_sentence_in_english() {
        let long = EN.repeat(8);
        let retained = truncate_end(&long, 150);
        assert!(long.starts_with(retained) && retained.len() > 400);
        assert!(retained.ends_with('.') && !retained.ends_with("Mr."), "{retained}");
    }

    #[test]
    fn a_line_without_any_sentence_is_cut_all_the_same() {
        let line = "潮".repeat(500);
        let retained = truncate_end(&line, 50);
        assert!(!retained.is_empty() && count(retained) <= 50);
        let retained = truncate_start(&line, 50);
        assert!(!retained.is_empty() && count(retained) <= 50);
    }

    #[test]
    fn an_english_word_is_not_broken() {
        let line = "undertow ".repeat(200);
        assert!(truncate_end(&line, 41).ends_with("undertow"));
        assert!(truncate_start(&line, 41).starts_with("undertow"));
    }

    #[test]
    fn no_budget_keeps_nothing() {
        assert_eq!(truncate_start(ZH, 0), "");
        assert_eq!(truncate_end(EN, 0), "");
    }

    #[test]
    fn an_emoji_is_not_taken_apart() {
        let line = "👨‍👩‍👧‍👦".repeat(30);
        for max in 1..60 {
            assert_eq!(truncate_end(&line, max).len() % "👨‍👩‍👧‍👦".len(), 0, "{max}");
            assert_eq!(truncate_start(&line, max).len() % "👨‍👩‍👧‍👦".len(), 0, "{max}");
        }
    }

    proptest! {
        #[test]
        fn what_is_kept_never_costs_more_than_the_budget(text in "[\\PC\\n 。，. a-z潮水]{0,200}", max in 0_usize..80) {
            let start = truncate_end(&text, max);
            prop_assert!(count(start) <= max);
            prop_assert!(text.starts_with(start));
            let end = truncate_start(&text, max);
            prop_assert!(count(end) <= max);
            prop_assert!(text.ends_with(end));
        }
    }
}
