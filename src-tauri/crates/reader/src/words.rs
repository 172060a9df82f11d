//! The Latin words of a text with what surrounds them: sentence, paragraph, case, possessive.

use std::ops::Range;

use palimpsest_text::{is_han, paragraphs, quotations, sentences};

/// The text between a word and the one before it in its paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// The word is the first of its paragraph.
    Start,
    /// White space alone.
    Space,
    /// A full stop and white space, as after an abbreviation.
    Stop,
    /// A comma and white space.
    Comma,
    /// Anything else.
    Other,
}

/// A run of letters or digits with joined apostrophes and hyphens, without a possessive ending.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    /// Byte offset in the text.
    pub(crate) start: usize,
    /// End with the possessive ending, if there is one.
    pub(crate) end: usize,
    pub(crate) paragraph: usize,
    pub(crate) sentence: usize,
    pub(crate) gap: Gap,
    /// The word begins a sentence or a quotation, so that its capital says nothing.
    pub(crate) begins: bool,
    pub(crate) is_spoken: bool,
}

impl Word<'_> {
    /// The word ends with `'s` or with the apostrophe of a plural.
    pub(crate) fn is_possessive(&self) -> bool {
        self.start + self.text.len() < self.end
    }

    pub(crate) fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Whether all of at least two letters are capitals.
    pub(crate) fn is_all_capitals(&self) -> bool {
        let mut letters = self.text.chars().filter(|c| c.is_alphabetic());
        letters.clone().nth(1).is_some() && letters.all(char::is_uppercase)
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// A text divided into words.
#[derive(Debug)]
pub(crate) struct Parsed<'t> {
    pub(crate) text: &'t str,
    pub(crate) words: Vec<Word<'t>>,
    pub(crate) paragraphs: Vec<Range<usize>>,
    /// Speech in quotation marks, without the marks, in order.
    pub(crate) speech: Vec<Range<usize>>,
}

impl<'t> Parsed<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let paragraphs = paragraphs::ranges(text);
        let mut speech = Vec::new();
        for paragraph in &paragraphs {
            let spans = quotations::speech_ranges(&text[paragraph.clone()]);
            speech.extend(spans.into_iter().map(|span| paragraph.start + span.start..paragraph.start + span.end));
        }
        let starts: Vec<usize> =
            sentences::split(text).into_iter().map(|one| one.as_ptr().addr() - text.as_ptr().addr()).collect();
        let mut words = Vec::with_capacity(text.len() / 5);
        let (mut sentence, mut span) = (0, 0);
        for (number, paragraph) in paragraphs.iter().enumerate() {
            let mut last_end = None;
            for (from, to) in runs(text, paragraph.clone()) {
                let (text_end, end) = without_possessive(text, from, to, paragraph.end);
                let mut is_first = last_end.is_none();
                while starts.get(sentence).is_some_and(|&start| start <= from) {
                    sentence += 1;
                    is_first = true;
                }
                while speech.get(span).is_some_and(|one: &Range<usize>| one.end <= from) {
                    span += 1;
                }
                let before = &text[last_end.unwrap_or(paragraph.start)..from];
                words.push(Word {
                    text: &text[from..text_end],
                    start: from,
                    end,
                    paragraph: number,
                    sentence,
                    gap: last_end.map_or(Gap::Start, |_| gap(before)),
                    begins: is_first || opens(before),
                    is_spoken: speech.get(span).is_some_and(|one| one.start <= from),
                });
                last_end = Some(end);
            }
        }
        Self { text, words, paragraphs, speech }
    }

    /// The word before `at` in its sentence.
    pub(crate) fn before(&self, at: usize) -> Option<&Word<'t>> {
        let before = self.words.get(at.checked_sub(1)?)?;
        (before.sentence == self.words.get(at)?.sentence).then_some(before)
    }

    /// The word after `at` in its sentence.
    pub(crate) fn after(&self, at: usize) -> Option<&Word<'t>> {
        let after = self.words.get(at + 1)?;
        (after.sentence == self.words.get(at)?.sentence).then_some(after)
    }
}

/// The words of a part of a text, as pairs of byte offsets.
fn runs(text: &str, part: Range<usize>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut chars = text[part.clone()].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let at = part.start + offset;
        let is_letter = c.is_alphanumeric() && !is_han(c);
        if is_letter {
            start = start.or(Some(at));
        } else if let Some(from) = start {
            let is_joined = matches!(c, '\'' | '’' | '-' | '‐' | '‑')
                && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric() && !is_han(*next));
            if !is_joined && !is_mark(c) {
                found.push((from, at));
                start = None;
            }
        }
    }
    found.extend(start.map(|from| (from, part.end)));
    found
}

/// Combining marks, which end no word.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F)
}

/// The end of a word without and with its possessive ending.
fn without_possessive(text: &str, from: usize, to: usize, limit: usize) -> (usize, usize) {
    let word = &text[from..to];
    for ending in ["'s", "’s", "'S", "’S"] {
        if let Some(bare) = word.strip_suffix(ending)
            && !bare.is_empty()
        {
            return (from + bare.len(), to);
        }
    }
    // The apostrophe of a plural is followed by a word in small letters; a closing quotation mark usually is not.
    if word.ends_with(['s', 'S'])
        && let Some(mark) = text[to..limit].chars().next().filter(|c| matches!(c, '\'' | '’'))
    {
        let after = to + mark.len_utf8();
        let mut rest = text[after..limit].chars();
        if rest.next() == Some(' ') && rest.next().is_some_and(char::is_lowercase) {
            return (to, after);
        }
    }
    (to, to)
}

fn gap(between: &str) -> Gap {
    let mut marks = between.chars().filter(|c| !c.is_whitespace());
    match (marks.next(), marks.next()) {
        (None, _) if between.is_empty() => Gap::Other,
        (None, _) => Gap::Space,
        (Some('.'), None) if between.starts_with('.') => Gap::Stop,
        (Some(','), None) if between.starts_with(',') => Gap::Comma,
        _ => Gap::Other,
    }
}

/// Whether the text before a word ends with a mark after which a word has a capital anyway.
fn opens(before: &str) -> bool {
    let trimmed = before.trim_end();
    let is_attached = trimmed.len() == before.len();
    match trimmed.chars().next_back() {
        Some('“' | '‘' | '«' | '「' | '『') => true,
        Some('"' | '\'') => is_attached,
        Some('_' | '*') => opens(trimmed.trim_end_matches(['_', '*'])),
        Some(':' | '.' | '!' | '?' | '…') => !is_attached && !trimmed.is_empty() && trimmed != ".",
        _ => false,
    }
}
