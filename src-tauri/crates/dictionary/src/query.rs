//! The concepts of a query.

use std::{collections::HashSet, hash::Hash};

use palimpsest_text::{is_han, terms::index_terms};

use crate::{
    Concept, MAX_CONCEPTS,
    function_words::{is_before_classifier, is_common_stem},
    table::{GlossId, Table, WordId},
};

/// A part of a query in one script.
enum Part<'a> {
    /// A run of Han characters.
    Han(&'a str),
    /// Other text without punctuation that separates phrases.
    Words(&'a str),
}

/// The concepts found so far, from the end of the query.
#[derive(Default)]
struct Found {
    concepts: Vec<Concept>,
    words: HashSet<WordId>,
    glosses: HashSet<GlossId>,
}

impl Found {
    fn is_full(&self) -> bool {
        self.concepts.len() >= MAX_CONCEPTS
    }
}

/// The concepts of `query`, in its order. It is read from its end, so that a long one costs no more than its last
/// concepts.
pub(crate) fn concepts(table: &Table, query: &str) -> Vec<Concept> {
    let mut found = Found::default();
    for part in parts(query).into_iter().rev() {
        match part {
            Part::Han(run) => add_han(table, run, &mut found),
            Part::Words(words) => add_words(table, words, &mut found),
        }
        if found.is_full() {
            break;
        }
    }
    found.concepts.reverse();
    found.concepts
}

/// The parts of a query, in order.
fn parts(query: &str) -> Vec<Part<'_>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Han,
        Word,
        Gap,
    }
    let kind_of = |c: char| match c {
        _ if is_han(c) => Kind::Han,
        '\'' | '’' | '-' | ' ' | '\u{300}'..='\u{36f}' => Kind::Word,
        _ if c.is_alphanumeric() => Kind::Word,
        _ => Kind::Gap,
    };
    let mut parts = Vec::new();
    let mut start = 0;
    let mut kind = Kind::Gap;
    let ends = query.char_indices().map(|(at, c)| (at, kind_of(c))).chain([(query.len(), Kind::Gap)]);
    for (at, next) in ends {
        if next == kind {
            continue;
        }
        match kind {
            Kind::Han => parts.push(Part::Han(&query[start..at])),
            Kind::Word => parts.push(Part::Words(&query[start..at])),
            Kind::Gap => {}
        }
        (start, kind) = (at, next);
    }
    parts
}

/// Adds the concepts of the longest words of a Han run, from its end.
fn add_han(table: &Table, run: &str, found: &mut Found) {
    let chars: Vec<char> = run.chars().collect();
    let mut end = chars.len();
    while end > 0 && !found.is_full() {
        let Some((word, length)) = table.last_word(&chars[..end]) else {
            end -= 1;
            continue;
        };
        end -= length;
        let counts = length == 1 && end > 0 && is_before_classifier(chars[end - 1]) && table.is_classifier(word);
        if !counts && !table.is_function_word(word) {
            add(word, table.translate_word(word), &mut found.words, &mut found.concepts);
        }
    }
}

/// Adds the concepts of pairs of words that are a gloss, and of single ones elsewhere, from the end.
fn add_words(table: &Table, words: &str, found: &mut Found) {
    let stems = index_terms(words);
    let mut end = stems.len();
    while end > 0 && !found.is_full() {
        let translate = |first: usize, second: Option<usize>| {
            let gloss = table.find_gloss(&stems[first], second.map(|at| stems[at].as_str()))?;
            let alternatives = table.translate_gloss(gloss);
            (!alternatives.is_empty()).then_some((gloss, alternatives))
        };
        let pair = if end > 1 { translate(end - 2, Some(end - 1)) } else { None };
        let length = if pair.is_some() { 2 } else { 1 };
        let single = || if is_common_stem(&stems[end - 1]) { None } else { translate(end - 1, None) };
        if let Some((gloss, alternatives)) = pair.or_else(single) {
            add(gloss, alternatives, &mut found.glosses, &mut found.concepts);
        }
        end -= length;
    }
}

/// Adds a concept, unless it has no alternatives or was added before.
fn add<K: Eq + Hash>(key: K, alternatives: Vec<Vec<String>>, seen: &mut HashSet<K>, concepts: &mut Vec<Concept>) {
    if !alternatives.is_empty() && seen.insert(key) {
        concepts.push(Concept { alternatives });
    }
}
