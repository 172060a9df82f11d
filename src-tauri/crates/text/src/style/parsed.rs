//! Parses a text into words, sentences, paragraphs and speech.

use std::ops::Range;

use crate::language::is_han;
use crate::sentences;

/// A Han character, or a word of another script.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    /// Byte offset in the whole text.
    pub(super) at: usize,
    pub(super) paragraph: usize,
    pub(super) spoken: bool,
    pub(super) han: bool,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// A parsed text without wrapped lines. Sentences and paragraphs without a word are left out.
#[derive(Debug)]
pub(super) struct ParsedText<'t> {
    pub(super) text: &'t str,
    pub(super) words: Vec<Word<'t>>,
    /// Ranges of `words`.
    pub(super) sentences: Vec<Range<usize>>,
    pub(super) paragraphs: usize,
    pub(super) turns: usize,
}

impl<'t> ParsedText<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut words = split_words(text);
        let mut paragraphs = 0;
        let mut turns = 0;
        let mut next = 0;
        let mut at = 0;
        // A hard break is inside a paragraph.
        let mut is_continued = false;
        for line in text.split_inclusive(['\n', '\r', '\u{2028}', '\u{2029}']) {
            let end = at + line.len();
            let spans = speech_spans(line);
            let first = next;
            let paragraph = if is_continued { paragraphs - 1 } else { paragraphs };
            let mut span = 0;
            while next < words.len() && words[next].at < end {
                let inside = words[next].at - at;
                while spans.get(span).is_some_and(|s| s.end <= inside) {
                    span += 1;
                }
                words[next].spoken = spans.get(span).is_some_and(|s| s.contains(&inside));
                words[next].paragraph = paragraph;
                next += 1;
            }
            if next > first {
                paragraphs = paragraph + 1;
                turns += count_turns(line, &spans);
            }
            is_continued = next > first && ends_with_hard_break(line);
            at = end;
        }
        let mut bounds = Vec::new();
        let mut from = 0;
        for sentence in sentences::split_unwrapped(text) {
            // Sentences are slices of the text, in order.
            let end = sentence.as_ptr() as usize - text.as_ptr() as usize + sentence.len();
            let to = from + words[from..].partition_point(|word| word.at < end);
            if to > from {
                bounds.push(from..to);
            }
            from = to;
        }
        Self { text, words, sentences: bounds, paragraphs, turns }
    }

    /// The character right before a word, within its line.
    pub(super) fn before(&self, word: usize) -> Option<char> {
        let word = self.words.get(word)?;
        self.text[..word.at].chars().next_back()
    }

    /// The character right after a word.
    pub(super) fn after(&self, word: usize) -> Option<char> {
        let word = self.words.get(word)?;
        self.text[word.end()..].chars().next()
    }

    /// Whether a mark is between a word and the next one, so that a new clause may begin.
    pub(super) fn clause_ends(&self, word: usize) -> bool {
        let (Some(this), Some(next)) = (self.words.get(word), self.words.get(word + 1)) else {
            return true;
        };
        self.text[this.end()..next.at].contains(|c: char| !c.is_whitespace() && !matches!(c, '-' | '\'' | '’'))
    }
}

/// The units of `text`, as many as [`count::words`](crate::count::words) counts.
fn split_words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::with_capacity(text.len() / 4);
    let mut start: Option<usize> = None;
    let mut push = |from: usize, to: usize, han: bool| {
        words.push(Word { text: &text[from..to], at: from, paragraph: 0, spoken: false, han });
    };
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if is_han(c) {
            if let Some(from) = start.take() {
                push(from, at, false);
            }
            push(at, at + c.len_utf8(), true);
        } else if c.is_alphanumeric() {
            start = start.or(Some(at));
        } else if let Some(from) = start {
            let joined = joins(c) && chars.peek().is_some_and(|(_, n)| n.is_alphanumeric() && !is_han(*n));
            if !joined && !is_mark(c) {
                push(from, at, false);
                start = None;
            }
        }
    }
    if let Some(from) = start {
        push(from, text.len(), false);
    }
    words
}

/// The same rule as in [`crate::count`].
fn joins(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '‐' | '‑' | '.' | ',')
}

fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0x200C..=0x200D | 0x00AD)
}

/// The speech of one line, as ranges of bytes between the quotes. Recognizes “ ” 「 」 『 』 " and, where they cannot be
/// apostrophes, ‘ ’ and '. Quoted terms inside a sentence are no speech; a quote that stays open runs to the end.
fn speech_spans(line: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let open = at + c.len_utf8();
        let end = match c {
            '“' => Some(end_of_double_quote(line, open, '“', '”')),
            '「' => Some(end_of_double_quote(line, open, '「', '」')),
            '『' => Some(end_of_double_quote(line, open, '『', '』')),
            '"' => Some(line[open..].find('"').map_or(line.len(), |found| open + found)),
            '‘' | '\'' => end_of_single_quote(line, at, open, if c == '‘' { '’' } else { '\'' }),
            _ => None,
        };
        let Some(end) = end else {
            at = open;
            continue;
        };
        if is_speech(line, at, open, end) {
            spans.push(open..end);
        }
        at = end + line[end..].chars().next().map_or(0, char::len_utf8);
    }
    spans
}

fn end_of_double_quote(line: &str, from: usize, open: char, close: char) -> usize {
    let mut depth = 1;
    for (at, c) in line[from..].char_indices() {
        if c == close {
            depth -= 1;
        } else if c == open {
            depth += 1;
        }
        if depth == 0 {
            return from + at;
        }
    }
    line.len()
}

/// A single quote opens speech after a space, a dash or nothing, and only if another one closes it after a mark.
fn end_of_single_quote(line: &str, at: usize, open: usize, close: char) -> Option<usize> {
    if line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() && !is_han(c)) {
        return None;
    }
    let mut before = None;
    for (offset, c) in line[open..].char_indices() {
        let next = line[open + offset + c.len_utf8()..].chars().next();
        let free = next.is_none_or(|n| !n.is_alphanumeric() || is_han(n));
        if c == close && free && before.is_some_and(ends_speech) {
            return Some(open + offset);
        }
        before = Some(c);
    }
    None
}

fn ends_speech(c: char) -> bool {
    matches!(c, '.' | ',' | '?' | '!' | '…' | '—' | '-' | '。' | '，' | '？' | '！' | '；' | '～')
}

/// Whether a quotation is speech and not a term: a term has no mark inside and continues the sentence before it.
fn is_speech(line: &str, at: usize, open: usize, end: usize) -> bool {
    let inside = &line[open..end];
    if !inside.chars().any(char::is_alphanumeric) {
        return false;
    }
    let before = line[..at].trim_end().chars().next_back();
    let continues = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '、' | '《' | '(' | '（'))
        && !before.is_some_and(|c| matches!(c, '说' | '道' | '问' | '答' | '喊' | '叫'));
    inside.contains(ends_speech) || !continues
}

/// Whether a line ends with Markdown's hard break.
fn ends_with_hard_break(line: &str) -> bool {
    let line = line.trim_end_matches(['\n', '\r']);
    line.ends_with("  ") || line.ends_with('\\')
}

/// One turn for a line that speaks, and one for each speech that follows another with nothing between.
fn count_turns(line: &str, spans: &[Range<usize>]) -> usize {
    let quote = |c: char| matches!(c, '“' | '”' | '「' | '」' | '『' | '』' | '"' | '‘' | '’' | '\'');
    let answers = spans
        .windows(2)
        .filter(|pair| line[pair[0].end..pair[1].start].chars().all(|c| quote(c) || c.is_whitespace()))
        .count();
    usize::from(!spans.is_empty()) + answers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(line: &str, wanted: &[&str]) {
        let spoken: Vec<&str> = speech_spans(line).into_iter().map(|span| &line[span]).collect();
        assert_eq!(spoken, wanted, "{line}");
    }

    #[test]
    fn speech_is_found_between_quotes_of_every_kind() {
        check("“走吧。”他说，“天黑了。”", &["走吧。", "天黑了。"]);
        check("「走吧。」他説。『好。』", &["走吧。", "好。"]);
        check("\"Go,\" she said. \"Now.\"", &["Go,", "Now."]);
        check("‘It’s late,’ he said.", &["It’s late,"]);
        check("'It's late,' he said. 'Don't go.'", &["It's late,", "Don't go."]);
        check("他说“走”，我就走。", &["走"]);
    }

    #[test]
    fn apostrophes_and_terms_are_no_speech() {
        check("’Twas the dogs’ dinner and rock 'n' roll.", &[]);
        check("the boys' coats, the girls' hats.", &[]);
        check("他不信什么“命运”，也不信“缘分”。", &[]);
        check("They call it “progress” here.", &[]);
        check("“……”", &[]);
    }

    #[test]
    fn an_unclosed_quote_ends_at_the_end_of_its_line() {
        let parsed = ParsedText::new("“Go, all of you.\nNobody went.");
        assert_eq!(parsed.words.iter().filter(|word| word.spoken).count(), 4);
        assert_eq!((parsed.paragraphs, parsed.turns), (2, 1));
    }

    #[test]
    fn answers_in_one_line_are_turns() {
        assert_eq!(ParsedText::new("“来了？”“来了。”").turns, 2);
        assert_eq!(ParsedText::new("“来了，”他说，“早来了。”").turns, 1);
    }

    proptest! {
        #[test]
        fn units_are_those_of_count(text in "[\\PC\\n他说“”「」\"' a-z0-9.,’—-]{0,80}") {
            let parsed = ParsedText::new(&text);
            prop_assert_eq!(parsed.words.len() as u32, crate::count::words(&text));
            prop_assert_eq!(parsed.sentences.iter().map(ExactSizeIterator::len).sum::<usize>(), parsed.words.len());
        }
    }
}
