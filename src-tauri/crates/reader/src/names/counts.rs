//! How often each word of a book is written with a capital, and where.

use std::ops::AddAssign;

use rustc_hash::FxHashMap;

use crate::words::Parsed;

/// Occurrences of one word, letter case apart.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CaseCount {
    /// In small letters.
    pub(crate) small: u32,
    /// With a capital inside a sentence.
    pub(crate) inside: u32,
    /// With a capital at the start of a sentence or of a quotation.
    pub(crate) first: u32,
}

impl CaseCount {
    /// Adds an occurrence, which has a capital or not, and begins a sentence or not.
    pub(crate) fn add(&mut self, is_capital: bool, begins: bool) {
        match (is_capital, begins) {
            (false, _) => self.small += 1,
            (true, false) => self.inside += 1,
            (true, true) => self.first += 1,
        }
    }

    pub(crate) fn capital(self) -> u32 {
        self.inside + self.first
    }
}

impl AddAssign for CaseCount {
    fn add_assign(&mut self, other: Self) {
        self.small += other.small;
        self.inside += other.inside;
        self.first += other.first;
    }
}

/// The words of a book, by their form in small letters.
#[derive(Debug, Default)]
pub(crate) struct CaseCounts(FxHashMap<String, CaseCount>);

impl CaseCounts {
    pub(crate) fn add(&mut self, parsed: &Parsed<'_>) {
        let mut key = String::new();
        for word in &parsed.words {
            // Capitals throughout, as in headings, say nothing of the case that the word usually has.
            if word.is_all_capitals() {
                continue;
            }
            lower_into(&mut key, word.text);
            let count = match self.0.get_mut(key.as_str()) {
                Some(count) => count,
                None => self.0.entry(key.clone()).or_default(),
            };
            count.add(word.is_capital(), word.begins);
        }
    }

    pub(crate) fn get(&self, lower: &str) -> CaseCount {
        self.0.get(lower).copied().unwrap_or_default()
    }

    /// All words in an order that depends on nothing else, with their counts.
    pub(crate) fn sorted(&self) -> Vec<(&str, CaseCount)> {
        let mut all: Vec<_> = self.0.iter().map(|(word, count)| (word.as_str(), *count)).collect();
        all.sort_unstable_by_key(|(word, _)| *word);
        all
    }
}

/// Writes `text` in small letters, with a straight apostrophe, into `key`.
pub(crate) fn lower_into(key: &mut String, text: &str) {
    key.clear();
    for c in text.chars() {
        match c {
            '’' => key.push('\''),
            c if c.is_ascii() => key.push(c.to_ascii_lowercase()),
            c => key.extend(c.to_lowercase()),
        }
    }
}
