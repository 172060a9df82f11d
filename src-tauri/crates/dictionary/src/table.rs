//! The dictionary in memory: sorted strings in one buffer each, and lists of their numbers.

mod build;

use std::ops::Range;

use crate::MAX_WORD_CHARS;

/// Strings by number, in one buffer.
#[derive(Default)]
struct Strings {
    text: String,
    /// The end of each string in `text`, in bytes.
    ends: Vec<u32>,
}

impl Strings {
    /// From distinct strings in ascending order.
    fn new<'a>(sorted: impl Iterator<Item = &'a str>) -> Self {
        let mut strings = Self::default();
        for string in sorted {
            strings.text.push_str(string);
            strings.ends.push(strings.text.len() as u32);
        }
        strings.text.shrink_to_fit();
        strings.ends.shrink_to_fit();
        strings
    }

    fn get(&self, number: u32) -> &str {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    /// The number of `string`.
    fn find(&self, string: &str) -> Option<u32> {
        let mut range: Range<u32> = 0..self.ends.len() as u32;
        while !range.is_empty() {
            let middle = range.start + (range.end - range.start) / 2;
            match self.get(middle).cmp(string) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => range.start = middle + 1,
                std::cmp::Ordering::Greater => range.end = middle,
            }
        }
        None
    }
}

/// Lists of numbers, by number.
#[derive(Default)]
struct Lists {
    /// The end of each list in `items`.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Adds the next list.
    fn add(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.ends.push(self.items.len() as u32);
    }

    fn shrink(mut self) -> Self {
        self.ends.shrink_to_fit();
        self.items.shrink_to_fit();
        self
    }

    fn get(&self, number: u32) -> &[u32] {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.items[start as usize..self.ends[at] as usize]
    }
}

/// The number of no stem: the second of a gloss with one.
const NO_STEM: u32 = u32::MAX;

/// The word has no concept.
const IS_FUNCTION_WORD: u8 = 1;
/// The word counts things.
const IS_CLASSIFIER: u8 = 2;

/// A Chinese word of the dictionary, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WordId(u32);

/// A gloss of one or two stems, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GlossId(u32);

/// The dictionary: Chinese words with their glosses, and glosses with their Chinese words.
pub(crate) struct Table {
    /// The Chinese words of at most [`MAX_WORD_CHARS`] characters, in both scripts.
    words: Strings,
    /// Of each word, [`IS_FUNCTION_WORD`] and [`IS_CLASSIFIER`].
    flags: Vec<u8>,
    /// The glosses of each word.
    word_glosses: Lists,
    stems: Strings,
    /// The stems of each gloss, in ascending order; the second may be [`NO_STEM`].
    glosses: Vec<[u32; 2]>,
    /// The words that each gloss translates, the best first.
    gloss_words: Lists,
}

impl Table {
    pub(crate) fn is_empty(&self) -> bool {
        self.glosses.is_empty()
    }

    /// The longest word that ends `chars`, and its length in characters.
    pub(crate) fn last_word(&self, chars: &[char]) -> Option<(WordId, usize)> {
        let longest = chars.len().min(MAX_WORD_CHARS);
        let mut word = String::with_capacity(longest * 4);
        (1..=longest).rev().find_map(|length| {
            word.clear();
            word.extend(&chars[chars.len() - length..]);
            Some((WordId(self.words.find(&word)?), length))
        })
    }

    /// Whether the word names nothing by itself.
    pub(crate) fn is_function_word(&self, word: WordId) -> bool {
        self.flags[word.0 as usize] & IS_FUNCTION_WORD != 0
    }

    /// Whether the word counts things.
    pub(crate) fn is_classifier(&self, word: WordId) -> bool {
        self.flags[word.0 as usize] & IS_CLASSIFIER != 0
    }

    /// The glosses of a word, each as its stems.
    pub(crate) fn translate_word(&self, word: WordId) -> Vec<Vec<String>> {
        let stems = |gloss: &u32| {
            let stems = self.glosses[*gloss as usize].into_iter().filter(|stem| *stem != NO_STEM);
            stems.map(|stem| self.stems.get(stem).to_owned()).collect()
        };
        self.word_glosses.get(word.0).iter().map(stems).collect()
    }

    /// The gloss that consists of one stem, or of two in this order.
    pub(crate) fn find_gloss(&self, first: &str, second: Option<&str>) -> Option<GlossId> {
        let first = self.stems.find(first)?;
        let second = second.map_or(Some(NO_STEM), |second| self.stems.find(second))?;
        self.glosses.binary_search(&[first, second]).ok().map(|gloss| GlossId(gloss as u32))
    }

    /// The words that a gloss translates, each as its pairs of characters, or its only character.
    pub(crate) fn translate_gloss(&self, gloss: GlossId) -> Vec<Vec<String>> {
        self.gloss_words.get(gloss.0).iter().map(|word| terms_of(self.words.get(*word))).collect()
    }
}

/// The pairs of adjacent characters of a word, each once; the character of a word that has only one.
fn terms_of(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    if chars.len() == 1 {
        return vec![word.to_owned()];
    }
    let mut pairs: Vec<String> = Vec::with_capacity(chars.len());
    for pair in chars.windows(2) {
        let pair = pair.iter().collect();
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}
