//! Passages: the unit of search and citation, whole paragraphs of a chapter.
//!
//! Boundaries are decided locally, so that an edit of one paragraph changes only the passages around it:
//!
//! 1. Neighbouring paragraphs that speak are one exchange. An exchange that fits in a passage is never parted; a longer
//!    one is treated as single paragraphs.
//! 2. A heading begins a passage, and so does a paragraph or an exchange if a hash of its first paragraph says so (one
//!    in eight): whatever comes before it, the passages from there on are the same.
//! 3. Otherwise paragraphs and exchanges are added to a passage as long as they fit.
//!
//! A paragraph of more than twice the limit is cut at ends of sentences, so that no passage is much longer than what an
//! encoder reads.

use std::ops::Range;

use palimpsest_text::{Language, count, detect, paragraphs, quotations, sentences};

/// The version of these rules: chapters that another version split are split again.
pub const VERSION: u32 = 1;
/// The most Han characters of a passage of several paragraphs in a Chinese text.
pub const MAX_HAN_CHARACTERS: u32 = 250;
/// The most words of a passage of several paragraphs in an English text.
pub const MAX_WORDS: u32 = 120;
/// A paragraph of more than this many times the limit is cut at ends of sentences.
const MAX_PARAGRAPH_FACTOR: u32 = 2;
/// A paragraph begins a passage if the first byte of its hash is below this: one in eight.
const BREAK_BYTE: u8 = 32;

/// A stretch of whole paragraphs, or of whole sentences of one very long paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Bytes of the chapter's text, without white space around them.
    pub range: Range<usize>,
    /// BLAKE3 of the bytes in the range, 64 hexadecimal digits.
    pub hash: String,
}

/// The passages of a chapter in order. They cover each paragraph once, and none is empty.
#[must_use]
pub fn passages(text: &str) -> Vec<Passage> {
    let limit = match detect(text) {
        Language::Zh => MAX_HAN_CHARACTERS,
        Language::En => MAX_WORDS,
    };
    let mut found: Vec<Passage> = Vec::new();
    let mut open: Option<Unit> = None;
    for unit in units(text, limit) {
        if unit.length > limit * MAX_PARAGRAPH_FACTOR {
            found.extend(open.take().map(|open| passage(text, open.range)));
            found.extend(cut(text, &unit.range, limit).into_iter().map(|range| passage(text, range)));
            continue;
        }
        open = Some(match open.take() {
            Some(before) if before.takes(&unit, limit) => before.with(&unit),
            before => {
                found.extend(before.map(|before| passage(text, before.range)));
                unit
            }
        });
    }
    found.extend(open.map(|open| passage(text, open.range)));
    found
}

/// The paragraphs of a text, those of an exchange that fits in a passage as one.
fn units(text: &str, limit: u32) -> Vec<Unit> {
    let paragraphs: Vec<Unit> = paragraphs::ranges(text).into_iter().map(|range| Unit::new(text, range)).collect();
    let mut found = Vec::with_capacity(paragraphs.len());
    for group in paragraphs.chunk_by(|a, b| a.speaks && b.speaks) {
        let length = group.iter().fold(0_u32, |sum, one| sum.saturating_add(one.length));
        match group {
            [first, .., last] if length <= limit => {
                found.push(Unit {
                    range: first.range.start..last.range.end,
                    length,
                    speaks: true,
                    is_heading: first.is_heading,
                    is_break: first.is_break,
                });
            }
            _ => found.extend(group.iter().cloned()),
        }
    }
    found
}

fn passage(text: &str, range: Range<usize>) -> Passage {
    let hash = blake3::hash(&text.as_bytes()[range.clone()]).to_hex().to_string();
    Passage { range, hash }
}

/// A paragraph, an exchange, or a passage that may still grow.
#[derive(Debug, Clone)]
struct Unit {
    range: Range<usize>,
    /// Han characters and words.
    length: u32,
    speaks: bool,
    /// All paragraphs are headings, or have no words: the next one belongs to them.
    is_heading: bool,
    /// The unit begins a passage, whatever is before it.
    is_break: bool,
}

impl Unit {
    fn new(text: &str, range: Range<usize>) -> Self {
        let words = &text[range.clone()];
        let length = count::words(words);
        let speaks = !quotations::speech_ranges(words).is_empty();
        let is_break = blake3::hash(words.as_bytes()).as_bytes()[0] < BREAK_BYTE;
        Self { range, length, speaks, is_heading: words.starts_with('#') || length == 0, is_break }
    }

    /// Whether the next unit belongs to this passage.
    fn takes(&self, next: &Self, limit: u32) -> bool {
        let fits = self.length.saturating_add(next.length) <= limit;
        fits && (self.is_heading || !next.is_heading && !next.is_break)
    }

    fn with(self, next: &Self) -> Self {
        Self {
            range: self.range.start..next.range.end,
            length: self.length.saturating_add(next.length),
            is_heading: self.is_heading && next.is_heading,
            ..self
        }
    }
}

/// The sentences of a very long paragraph, as many together as fit; a sentence longer than a passage stays whole.
fn cut(text: &str, paragraph: &Range<usize>, limit: u32) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut length = 0;
    let part = &text[paragraph.clone()];
    for sentence in sentences::split(part) {
        let start = paragraph.start + (sentence.as_ptr().addr() - part.as_ptr().addr());
        let end = start + sentence.len();
        let own = count::words(sentence);
        match found.last_mut() {
            Some(last) if length + own <= limit => {
                last.end = end;
                length += own;
            }
            _ => {
                found.push(start..end);
                length = own;
            }
        }
    }
    // A paragraph of marks alone has no sentence.
    if found.is_empty() {
        found.push(paragraph.clone());
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        passages(text).into_iter().map(|passage| &text[passage.range]).collect()
    }

    fn words(count: usize, word: &str) -> String {
        format!("{}.", vec![word; count].join(" "))
    }

    #[test]
    fn short_paragraphs_are_one_passage_and_long_ones_are_their_own() {
        let text = format!("{}\n\n{}\n\n{}", words(30, "tide"), words(30, "gauge"), words(100, "rain"));
        assert_eq!(passages(&text).len(), 2);
        assert_eq!(passages(&text)[1].range, text.len() - 500..text.len());
    }

    #[test]
    fn an_exchange_of_dialogue_is_not_parted() {
        let speech = "“Where is the key to the old house, and who has had it since the storm?”";
        let exchange = [speech; 4].join("\n\n");
        let text = format!("{}\n\n{exchange}\n\n{}", words(90, "tide"), words(90, "rain"));
        assert!(texts(&text).contains(&exchange.as_str()), "{:?}", texts(&text));
    }

    #[test]
    fn a_heading_belongs_to_what_follows() {
        let text = format!("{}\n\n# Two\n\n{}", words(20, "tide"), words(20, "rain"));
        assert_eq!(texts(&text).len(), 2);
        assert!(texts(&text)[1].starts_with("# Two"));
    }

    #[test]
    fn a_very_long_paragraph_is_cut_at_sentences() {
        let text = vec!["The tide came in again."; 100].join(" ");
        let found = texts(&text);
        assert!(found.len() >= 4 && found.iter().all(|passage| passage.ends_with('.')), "{found:?}");
        assert!(found.iter().all(|passage| count::words(passage) <= MAX_WORDS));
    }

    #[test]
    fn a_chinese_passage_has_up_to_250_characters() {
        let text = vec!["雨停了，檐下还在滴水，他把门推开。"; 40].join("\n\n");
        assert!(texts(&text).iter().all(|passage| count::words(passage) <= MAX_HAN_CHARACTERS));
        assert!(passages(&text).len() < 40);
    }

    #[test]
    fn an_edit_changes_only_the_passages_around_it() {
        let paragraph =
            |number: usize| format!("{} number {number} of them all.", "The tide came in".repeat(1 + number % 4));
        let mut paragraphs: Vec<String> = (0..400).map(paragraph).collect();
        let before: Vec<String> = passages(&paragraphs.join("\n\n")).into_iter().map(|passage| passage.hash).collect();
        for edited in [3, 57, 200, 390] {
            paragraphs[edited].push_str(" He wrote it down.");
            let after: Vec<String> =
                passages(&paragraphs.join("\n\n")).into_iter().map(|passage| passage.hash).collect();
            let new = after.iter().filter(|hash| !before.contains(hash)).count();
            assert!(new <= 6, "{new} of {} passages changed", after.len());
            paragraphs[edited] = paragraph(edited);
        }
    }

    proptest! {
        #[test]
        fn passages_cover_each_paragraph_once_in_order(
            text in "([a-zA-Z雨停了。，“”\"'.# ]{0,60}\n{0,2}){0,30}|\\PC{0,200}",
        ) {
            let found = passages(&text);
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let paragraphs: String = paragraphs::ranges(&text).into_iter().map(|range| bare(&text[range])).collect();
            let covered: String = found.iter().map(|passage| bare(&text[passage.range.clone()])).collect();
            prop_assert_eq!(covered, paragraphs);
            prop_assert!(found.iter().all(|passage| !passage.range.is_empty()));
            prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        }
    }
}
