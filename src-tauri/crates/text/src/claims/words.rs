//! Splits a question into words in one form: one case and width, simplified Chinese, numbers in digits.
//!
//! A Han character is a word of its own. Punctuation separates words and is dropped, except where it may change a
//! number or a name: between two numbers, as a sign, as a hyphen, in a list (梅、君 are two, 梅君 is one), around a title,
//! and all symbols.

use std::ops::Range;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::numbers;
use crate::{fold::fold, language::is_han, unseen::is_unseen};

/// Punctuation that is not dropped.
const SIGNIFICANT: &str = "#%&*@/\\_‰‱§¶†‡、《》〈〉";
/// Punctuation after which a capital begins a sentence.
const SENTENCE_MARKS: &str = ".?!:;\"“”「『。…";

/// The script or form by which a word was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordKind {
    /// One Han character.
    Han,
    /// Letters of another script, and digits among them.
    Letters,
    /// A number, in digits; with `th` if it is an ordinal word.
    Number,
    /// A symbol, or punctuation that is not dropped.
    Mark,
}

/// The separation of a word from the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    None,
    Space,
    Punctuation,
}

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Folded.
    pub(crate) text: String,
    /// Bytes in the text.
    pub(crate) range: Range<usize>,
    pub(crate) kind: WordKind,
    /// Whether its first letter is a capital.
    pub(crate) is_capital: bool,
    /// Whether it begins a sentence or a quotation.
    pub(crate) begins_sentence: bool,
    pub(crate) gap: Gap,
    /// The last punctuation that was dropped before it, with its bytes in the text.
    pub(super) dropped: Option<(Range<usize>, char)>,
}

impl Word {
    fn new(kind: WordKind, text: &str, range: Range<usize>) -> Self {
        Self {
            text: text.to_owned(),
            range,
            kind,
            is_capital: false,
            begins_sentence: false,
            gap: Gap::None,
            dropped: None,
        }
    }
}

/// The words of a text, in order.
pub(crate) fn split_words(text: &str) -> Vec<Word> {
    let mut splitter = Splitter { words: Vec::new(), gap: Gap::None, begins_sentence: true, dropped: None };
    let chars: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !is_unseen(*c)).collect();
    let char_at = |at: usize| chars.get(at).map(|(_, c)| *c);
    for (number, (at, c)) in chars.iter().enumerate() {
        let before = number.checked_sub(1).and_then(char_at);
        splitter.read_character(*at, *c, before, char_at(number + 1), || {
            let digits = chars.get(number + 1..).unwrap_or_default();
            digits.iter().take_while(|(_, c)| folded_digit(*c).is_some()).count()
        });
    }
    separate_numbers(numbers::fold_numbers(
        splitter.words.into_iter().flat_map(|word| split_contraction(text, word)).collect(),
    ))
}

/// Keeps the punctuation between two numbers: chapters 1-5 are not chapters 1, 5.
fn separate_numbers(words: Vec<Word>) -> Vec<Word> {
    let mut separated: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let is_second = |last: &Word| last.kind == WordKind::Number && word.kind == WordKind::Number;
        if let Some((range, c)) = word.dropped.clone().filter(|_| separated.last().is_some_and(is_second)) {
            let mark = match c {
                c if c.general_category() == GeneralCategory::DashPunctuation => "-",
                c => &c.to_string(),
            };
            separated.push(Word::new(WordKind::Mark, mark, range));
        }
        separated.push(word);
    }
    separated
}

struct Splitter {
    words: Vec<Word>,
    gap: Gap,
    begins_sentence: bool,
    /// The last punctuation that was dropped since the last word.
    dropped: Option<(Range<usize>, char)>,
}

impl Splitter {
    /// Reads one character between its neighbours. `digits_after` counts the digits that follow it.
    fn read_character(
        &mut self,
        at: usize,
        c: char,
        before: Option<char>,
        after: Option<char>,
        digits_after: impl Fn() -> usize,
    ) {
        let range = at..at + c.len_utf8();
        if c.is_whitespace() {
            self.gap = self.gap.max(Gap::Space);
            return;
        }
        if let Some(digit) = folded_digit(c) {
            self.extend(WordKind::Number, &digit.to_string(), range, false);
            return;
        }
        let mut folded = String::new();
        fold(c, |part| folded.push(part));
        let first = folded.chars().next().unwrap_or(c);
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !is_han(c));
        let is_digit = |c: Option<char>| c.is_some_and(|c| folded_digit(c).is_some());
        let is_inside_number = is_digit(before) && is_digit(after);
        if folded.chars().any(|c| c.is_whitespace() || c.is_numeric() && !is_han(c)) {
            // A superscript, a circled number, a fraction.
            self.extend(WordKind::Mark, &c.to_string(), range, false);
        } else if is_han(first) {
            self.extend(WordKind::Han, &folded, range, false);
        } else if folded.chars().all(|c| c.is_alphabetic() || is_combining(c)) {
            self.extend(WordKind::Letters, &folded, range, c.is_uppercase());
        } else if is_apostrophe(c) && is_letter(before) && is_letter(after) {
            self.extend(WordKind::Letters, "'", range, false);
        } else if first == '.' && folded.len() == 1 && is_inside_number {
            self.extend(WordKind::Number, ".", range, false);
        } else if first == ',' && is_inside_number && digits_after() == 3 {
            // The comma of 1,000 is a part of its number.
        } else if is_hyphen(first) && (is_letter(before) && is_letter(after) || is_digit(after) && !is_digit(before)) {
            // The hyphen of a word, or a sign.
            self.extend(WordKind::Mark, "-", range, false);
        } else if is_dropped(first) {
            self.gap = Gap::Punctuation;
            self.dropped = Some((range, first));
            self.begins_sentence |= SENTENCE_MARKS.contains(first) || SENTENCE_MARKS.contains(c);
        } else {
            self.extend(WordKind::Mark, &folded, range, false);
        }
    }

    /// Adds to the last word, or begins a new one.
    fn extend(&mut self, kind: WordKind, text: &str, range: Range<usize>, is_capital: bool) {
        let is_word = |kind| kind == WordKind::Letters || kind == WordKind::Number;
        match self.words.last_mut() {
            Some(last) if self.gap == Gap::None && is_word(last.kind) && is_word(kind) => {
                last.text.push_str(text);
                last.range.end = range.end;
                if last.kind != kind {
                    last.kind = WordKind::Letters;
                }
            }
            _ => self.words.push(Word {
                is_capital,
                begins_sentence: self.begins_sentence,
                gap: self.gap,
                dropped: self.dropped.take(),
                ..Word::new(kind, text, range)
            }),
        }
        self.gap = Gap::None;
        self.dropped = None;
        self.begins_sentence = false;
    }
}

/// The digit of an ASCII digit, or of one of another width or style. Superscripts and circled numbers are none: 10² is
/// not 102.
fn folded_digit(c: char) -> Option<char> {
    let is_styled = matches!(c, '\u{FF10}'..='\u{FF19}' | '\u{1D7CE}'..='\u{1D7FF}');
    if !c.is_ascii_digit() && !is_styled {
        return None;
    }
    let mut folded = None;
    fold(c, |part| folded = Some(part));
    folded
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '＇' | 'ʼ')
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{2212}')
}

fn is_combining(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Mark
}

fn is_dropped(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Punctuation && !SIGNIFICANT.contains(c)
}

/// Divides a contraction: `mei's` is `mei` and `'s`, `didn't` is `did` and `not`.
fn split_contraction(text: &str, word: Word) -> impl Iterator<Item = Word> {
    let divided = (word.kind == WordKind::Letters).then(|| contraction(&word.text)).flatten();
    let Some((first, second)) = divided else {
        return [Some(word), None].into_iter().flatten();
    };
    let ending = if second == "'s" { 2 } else { 3 };
    let written = text.get(word.range.clone()).unwrap_or_default();
    let seen = written.char_indices().rev().filter(|(_, c)| !is_unseen(*c));
    let at = word.range.start + seen.map(|(at, _)| at).nth(ending - 1).unwrap_or_default();
    let tail = Word::new(WordKind::Letters, second, at..word.range.end);
    let head = Word { text: first.to_owned(), range: word.range.start..at, ..word };
    [Some(head), Some(tail)].into_iter().flatten()
}

fn contraction(word: &str) -> Option<(&str, &str)> {
    match word {
        "can't" | "cannot" => Some(("can", "not")),
        "won't" => Some(("will", "not")),
        "shan't" => Some(("shall", "not")),
        "ain't" => Some(("be", "not")),
        _ => {
            let not = word.strip_suffix("n't").map(|verb| (verb, "not"));
            not.or_else(|| word.strip_suffix("'s").map(|owner| (owner, "'s"))).filter(|(first, _)| !first.is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> String {
        split_words(text).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_of_both_languages_have_one_form() {
        for (text, expected) in [
            ("Who killed Mei’s brother?", "who killed mei 's brother"),
            ("谁杀了 Ｍｅｉ？", "谁 杀 了 mei"),
            ("誰殺了陳默", "谁 杀 了 陈 默"),
            ("He didn't; she can’t.", "he did not she can not"),
            ("half-brother — Mei", "half - brother mei"),
            ("1,000 men, 1.5 miles, -5°", "1000 men 1.5 miles - 5 °"),
            ("chapters 1-5", "chapters 1 - 5"),
            ("chapters 1, 5", "chapters 1 , 5"),
            ("10² and ９", "10 ² and 9"),
            ("Zoë", "zoe\u{308}"),
            ("a\u{200b}b", "ab"),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn ranges_are_those_of_the_text() {
        let text = "谁 KILLED Ｍei？";
        let found: Vec<&str> = split_words(text).into_iter().map(|word| &text[word.range]).collect();
        assert_eq!(found, ["谁", "KILLED", "Ｍei"]);
    }
}
