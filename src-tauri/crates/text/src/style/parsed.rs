//! Parses a text into words, sentences, paragraphs and speech.

use std::ops::Range;

use crate::language::is_han;
use crate::quotations::speech_ranges;
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
            let spans = speech_ranges(line);
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
