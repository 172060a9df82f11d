//! The beginning of a draft that repeats the passage.

use crate::words::{Word, is_closer, is_sentence_end, words};

/// Maximum words of the passage that are compared, from its end.
const MAX_PASSAGE_WORDS: usize = 4_000;
/// Minimum words of a repetition that ends where the passage ends.
const MIN_END_WORDS: usize = 6;
/// Minimum words of a repetition that ends elsewhere: whole sentences of it are cut.
const MIN_MIDDLE_WORDS: usize = 24;
/// The same after another repetition.
const MIN_MORE_WORDS: usize = 5;

/// Maximum bytes without a word after which nothing is repeated.
const MAX_GAP_BYTES: usize = 1_000;

/// The words of the passage.
#[derive(Debug)]
pub(crate) struct Passage {
    words: Vec<String>,
    /// Whether it ends with the end of a sentence.
    is_closed: bool,
}

impl Passage {
    pub(crate) fn new(text: &str) -> Self {
        let mut words: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
        words.drain(..words.len().saturating_sub(MAX_PASSAGE_WORDS));
        let is_closed = text.trim_end().ends_with(|c| is_sentence_end(c) || is_closer(c));
        Self { words, is_closed }
    }
}

/// A comparison of a growing text with the passage, from every word of the passage on.
#[derive(Debug, Default)]
pub(crate) struct Repetition {
    /// The words of the passage from which all words so far agree; `None` before the first word.
    open: Option<Vec<usize>>,
    /// Number of words compared.
    compared: usize,
    /// Bytes of the text that were compared.
    read: usize,
    /// Bytes up to the end of the last compared word.
    end: usize,
    /// Bytes up to where a repetition to the end of the passage ends.
    to_end: Option<usize>,
    /// The same while the text after it is not known: words, bytes.
    pending: Option<(usize, usize)>,
    /// Bytes up to the last end of a sentence in a long repetition.
    sentence: Option<usize>,
    /// Whether another repetition was cut before it.
    is_more: bool,
}

/// The state of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeated {
    /// It may still grow.
    Open,
    /// So many bytes repeat the passage.
    Bytes(usize),
    /// Nothing is repeated.
    Nothing,
}

impl Repetition {
    /// A comparison of the text after a repetition that was cut.
    pub(crate) fn after_another() -> Self {
        Self { is_more: true, ..Self::default() }
    }

    /// Compares `text`, which begins with the text of the last call.
    pub(crate) fn compare(&mut self, passage: &Passage, text: &str, is_end: bool) -> Repeated {
        if passage.words.is_empty() {
            return Repeated::Nothing;
        }
        let from = self.read;
        for word in words(&text[from..]) {
            let word = Word { start: word.start + from, end: word.end + from, ..word };
            let may_grow = word.end == text.len() && !is_end && !word.text.chars().all(palimpsest_text::is_han);
            if may_grow {
                if self.may_begin(passage, &word.text) {
                    return Repeated::Open;
                }
                self.settle(passage, text, word.start, false);
                return self.result();
            }
            if text[word.end..].len() <= '’'.len_utf8() && text[word.end..].starts_with(['\'', '’']) && !is_end {
                return Repeated::Open;
            }
            self.settle(passage, text, word.start, false);
            if !self.add(passage, &word) {
                return self.result();
            }
        }
        if !is_end {
            let is_endless = text.len() - self.read > MAX_GAP_BYTES;
            return if is_endless { self.result() } else { Repeated::Open };
        }
        self.settle(passage, text, text.len(), true);
        if self.compared >= MIN_END_WORDS && self.open.as_ref().is_some_and(|open| !open.is_empty()) {
            // A text that is part of the passage as a whole.
            return Repeated::Bytes(text.len());
        }
        self.result()
    }

    /// Whether a word of the passage that may come next begins with these letters. An apostrophe may still join further
    /// letters to them.
    fn may_begin(&self, passage: &Passage, letters: &str) -> bool {
        let begins = |word: &String| word.starts_with(letters);
        match &self.open {
            None => passage.words.iter().any(begins),
            Some(open) => open.iter().any(|from| passage.words.get(from + self.compared).is_some_and(begins)),
        }
    }

    fn result(&self) -> Repeated {
        self.to_end.max(self.sentence).map_or(Repeated::Nothing, Repeated::Bytes)
    }

    /// Decides about the end of the last word by the text between it and the next one.
    fn settle(&mut self, passage: &Passage, text: &str, next: usize, is_end: bool) {
        let gap = &text[self.end..next];
        let ends_sentence = gap.contains(is_sentence_end) || is_end;
        let after = self.end + closing_len(gap);
        if let Some((count, end)) = self.pending.take()
            && end == self.end
            && (ends_sentence || gap.contains(is_closer) || (!passage.is_closed && count > MIN_END_WORDS))
        {
            self.to_end = Some(after);
        }
        let is_open = self.open.as_ref().is_some_and(|open| !open.is_empty());
        let min = if self.is_more { MIN_MORE_WORDS } else { MIN_MIDDLE_WORDS };
        if is_open && ends_sentence && self.compared >= min {
            self.sentence = Some(after);
        }
    }

    /// Adds a word; returns whether the text may still repeat the passage.
    fn add(&mut self, passage: &Passage, word: &Word) -> bool {
        let count = self.compared;
        let agrees = |from: &usize| passage.words.get(from + count) == Some(&word.text);
        let open: Vec<usize> = match self.open.take() {
            None => (0..passage.words.len()).filter(|from| agrees(from)).collect(),
            Some(open) => open.into_iter().filter(agrees).collect(),
        };
        self.compared += 1;
        self.read = word.end;
        self.end = word.end;
        if self.compared >= MIN_END_WORDS && open.iter().any(|from| from + self.compared == passage.words.len()) {
            self.pending = Some((self.compared, word.end));
        }
        let is_open = !open.is_empty();
        self.open = Some(open);
        is_open
    }
}

/// Bytes of marks, closing quotes and white space at the beginning of the text between two words.
fn closing_len(gap: &str) -> usize {
    let marks = gap.trim_start_matches(|c: char| {
        c != '\n'
            && !c.is_whitespace()
            && (is_closer(c)
                || is_sentence_end(c)
                || matches!(c, '，' | ',' | '；' | ';' | '—' | '-' | '：' | ':' | '、'))
    });
    gap.len() - marks.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(passage: &str, text: &str) -> String {
        let passage = Passage::new(passage);
        let mut found = Repetition::default();
        for (at, c) in text.char_indices() {
            match found.compare(&passage, &text[..at + c.len_utf8()], false) {
                Repeated::Open => {}
                Repeated::Bytes(bytes) => return text[bytes..].to_owned(),
                Repeated::Nothing => return text.to_owned(),
            }
        }
        match found.compare(&passage, text, true) {
            Repeated::Bytes(bytes) => text[bytes..].to_owned(),
            _ => text.to_owned(),
        }
    }

    #[test]
    fn the_repeated_end_of_the_passage_is_found_whatever_its_marks() {
        for (passage, text, should) in [
            ("雨停了。她没有开灯，光着脚走到楼梯口。", "她没有开灯,光着脚 走到楼梯口。\n门外没有人。", "门外没有人。"),
            ("雨停了。她没有开灯，光着脚走到楼梯口。", "她没有开灯，也没有穿鞋。", "她没有开灯，也没有穿鞋。"),
            ("Rain. She went to the head of the stairs.", "she went to the head of the stairs. Nobody.", "Nobody."),
            (
                "Rain. She went to the head of the stairs.",
                "She went to the head of the line.",
                "She went to the head of the line.",
            ),
            ("“我真傻，真的。”", "“我真傻，真的。”她说。", "“我真傻，真的。”她说。"),
            (
                "He had walked for a very long time and then",
                "He had walked for a very long time and then he sat.",
                "he sat.",
            ),
        ] {
            assert_eq!(repeated(passage, text), should);
        }
    }

    #[test]
    fn letters_between_han_characters_are_compared_in_any_pieces() {
        let passage = "阿Ｑ忽然抢上去，对伊跪下了。";
        assert_eq!(repeated(passage, "阿Ｑ忽然抢上去，对伊跪下了。一刹时中很寂然。"), "一刹时中很寂然。");
    }

    #[test]
    fn a_text_that_is_part_of_the_passage_repeats_it_whole() {
        assert_eq!(repeated("一二三四五六七八九十。终。", "二三四五六七八"), "");
        assert_eq!(repeated("一二三四五六七八九十。终。", "二三"), "二三");
    }
}
