//! What a text costs a language model, and how to make it fit.
//!
//! Counted with the `o200k_base` byte-pair encoding, as a fair stand-in for whatever model is chosen: other current
//! tokenizers differ from it by a tenth or so on prose in both languages.

use bpe_openai::{Tokenizer, o200k_base};
use unicode_segmentation::GraphemeCursor;

use crate::sentences;

/// Loads the tokenizer (some tens of milliseconds), so that the first count on the writer's path does not wait for it.
pub fn warm() {
    let _ = count("潮 tide");
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
    let kept = text.len() - hard;
    let mut cut = nice_start(text, hard, kept);
    // Beginning elsewhere changes how the first pieces are tokenized, so look again; one step is nearly always enough.
    while !fits(&text[cut..], max) {
        cut = on_cluster_up(text, next_boundary(text, cut));
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
    let mut cut = nice_end(text, hard);
    while !fits(text[..cut].trim_end(), max) {
        cut = on_cluster_down(text, previous_boundary(text, cut));
    }
    text[..cut].trim_end()
}

/// How much of what would fit may be given up for a sentence that is whole: an eighth keeps long contexts long.
const SENTENCE_SLACK: usize = 8;
/// And for a word that is whole: a hundred bytes hold any word, and a line of Han has none to look for.
const WORD_SLACK: usize = 100;

fn fits(text: &str, max: usize) -> bool {
    // A token is at least one byte.
    text.len() <= max || count(text) <= max
}

/// Byte offset up to which `text` fits, give or take what changes when the rest is gone.
fn longest_beginning(text: &str, max: usize) -> usize {
    let tokenizer = o200k_base();
    let mut left = max;
    let mut end = 0;
    for piece in tokenizer.split(text) {
        let cost = tokenizer.bpe.count(piece.as_bytes());
        if cost > left {
            return end + part(tokenizer, piece, |at| &piece[..at], left, false);
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
            return start - piece.len() + part(tokenizer, piece, |at| &piece[at..], left, true);
        }
        left -= cost;
        start -= piece.len();
    }
    start
}

/// Where to cut inside one piece, by bisection over its characters. A line of Han without punctuation is one piece, so
/// this is not a corner case. Cost is monotone but for a token or two, which the callers check for.
fn part<'p>(
    tokenizer: &Tokenizer,
    piece: &'p str,
    kept: impl Fn(usize) -> &'p str,
    left: usize,
    from_end: bool,
) -> usize {
    let cuts: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
    let fits = |at: usize| tokenizer.bpe.count(kept(at).as_bytes()) <= left;
    let found = if from_end {
        cuts.partition_point(|&at| !fits(at))
    } else {
        cuts.partition_point(|&at| fits(at)).saturating_sub(1)
    };
    cuts.get(found).copied().unwrap_or(if from_end { piece.len() } else { 0 })
}

fn nice_start(text: &str, hard: usize, kept: usize) -> usize {
    let limit = ceil(text, hard + kept / SENTENCE_SLACK);
    let window = &text[hard..limit];
    if let Some(line) = window.find('\n') {
        return hard + line + 1;
    }
    // The window begins in the middle of a sentence, so its second sentence is the first whole one. The last one in
    // sight may only look like a beginning because the window ends there, but it begins after an end all the same.
    let mut whole = sentences::split(window).into_iter().skip(1);
    if let Some(sentence) = whole.next() {
        return offset_in(text, sentence);
    }
    let limit = ceil(text, (hard + WORD_SLACK).min(limit));
    match text[hard..limit].find(char::is_whitespace) {
        Some(space) => next_boundary(text, hard + space),
        None => on_cluster_up(text, hard),
    }
}

fn nice_end(text: &str, hard: usize) -> usize {
    let limit = floor(text, hard - hard / SENTENCE_SLACK);
    let window = &text[limit..hard];
    if let Some(line) = window.rfind('\n') {
        return limit + line;
    }
    // Split with some text after the cut in sight: what follows decides whether a full stop ends a sentence.
    let ahead = ceil(text, hard + WORD_SLACK);
    let mut ends = sentences::split(&text[limit..ahead]).into_iter().map(|s| offset_in(text, s) + s.len());
    if let Some(end) = ends.rfind(|&end| end <= hard && end > limit && !at_open_end(text, end, ahead)) {
        return end;
    }
    let limit = floor(text, hard.saturating_sub(WORD_SLACK).max(limit));
    match text[limit..hard].rfind(char::is_whitespace) {
        Some(space) => limit + space,
        None => on_cluster_down(text, hard),
    }
}

/// The last sentence of a window ends where the window does, which says nothing.
fn at_open_end(text: &str, end: usize, ahead: usize) -> bool {
    end == ahead && ahead != text.len()
}

/// `part` must be a slice of `text`.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

fn ceil(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn next_boundary(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(text.len(), |c| at + c.len_utf8())
}

fn previous_boundary(text: &str, at: usize) -> usize {
    text[..at].chars().next_back().map_or(0, |c| at - c.len_utf8())
}

/// The next place at or after `at` that is not inside a grapheme cluster.
fn on_cluster_up(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        _ => at,
    }
}

/// The last place at or before `at` that is not inside a grapheme cluster.
fn on_cluster_down(text: &str, at: usize) -> usize {
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
        warm();
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
        let kept = truncate_start(&long, 120);
        assert!(long.ends_with(kept) && kept.len() > 200, "{kept}");
        assert!(["渡船", "我以", "走近", "他没", "风从"].iter().any(|s| kept.starts_with(s)), "{kept}");
    }

    #[test]
    fn keeping_the_start_ends_with_a_whole_sentence_in_english() {
        let long = EN.repeat(8);
        let kept = truncate_end(&long, 150);
        assert!(long.starts_with(kept) && kept.len() > 400);
        assert!(kept.ends_with('.') && !kept.ends_with("Mr."), "{kept}");
    }

    #[test]
    fn a_line_without_any_sentence_is_cut_all_the_same() {
        let line = "潮".repeat(500);
        let kept = truncate_end(&line, 50);
        assert!(!kept.is_empty() && count(kept) <= 50);
        let kept = truncate_start(&line, 50);
        assert!(!kept.is_empty() && count(kept) <= 50);
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
