//! Words for comparison: white space, punctuation and case make no difference.

use palimpsest_text::is_han;

/// A word of a text: a Han character, or a run of letters and digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Bytes of the text before it.
    pub(crate) start: usize,
    /// Bytes of the text up to its end.
    pub(crate) end: usize,
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut is_open = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        if is_han(c) {
            found.push(Word { text: c.to_string(), start: at, end });
            is_open = false;
        } else if c.is_alphanumeric() {
            match found.last_mut().filter(|_| is_open) {
                Some(word) => {
                    word.text.extend(c.to_lowercase());
                    word.end = end;
                }
                None => found.push(Word { text: c.to_lowercase().collect(), start: at, end }),
            }
            is_open = true;
        } else {
            // An apostrophe inside a word belongs to it, in either form.
            let goes_on = chars.peek().is_some_and(|(_, next)| next.is_alphanumeric() && !is_han(*next));
            if !(is_open && matches!(c, '\'' | '’') && goes_on) {
                is_open = false;
            }
        }
    }
    found
}

/// Reads the words of a growing text as they are completed.
#[derive(Debug, Default)]
pub(crate) struct WordReader {
    /// Bytes of the text that were read.
    read: usize,
}

impl WordReader {
    /// The byte at which a word begins that may still grow.
    pub(crate) fn growing(&self) -> usize {
        self.read
    }

    /// The words that are complete since the last call; `text` begins with the text of that call.
    pub(crate) fn read(&mut self, text: &str) -> Vec<Word> {
        let may_grow = text.chars().next_back().is_none_or(|last| last.is_alphanumeric() && !is_han(last));
        if may_grow {
            return Vec::new();
        }
        let from = std::mem::replace(&mut self.read, text.len());
        let read = words(&text[from..]);
        read.into_iter().map(|word| Word { start: from + word.start, end: from + word.end, ..word }).collect()
    }
}

/// The words of a text without their positions.
pub(crate) fn plain_words(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

/// A text for the comparison with phrases: lower case, straight apostrophes, single spaces, no marks of emphasis.
pub(crate) fn folded(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '*' | '_' => {}
            '’' | '‘' => found.push('\''),
            c if c.is_whitespace() => {
                if !found.is_empty() && !found.ends_with(' ') {
                    found.push(' ');
                }
            }
            c => found.extend(c.to_lowercase()),
        }
    }
    found
}

/// Whether a character ends a sentence.
pub(crate) fn is_sentence_end(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '…' | '.' | '!' | '?' | '\n')
}

/// Whether a character closes a quotation or a bracket. The straight quote is both.
pub(crate) fn is_closer(c: char) -> bool {
    matches!(c, '”' | '’' | '"' | '\'' | '」' | '』' | '）' | ')' | '】' | ']' | '》')
}
