//! Occurrences of known forms in a text: the longest form first, whole words only.

use std::{borrow::Cow, ops::Range};

use aho_corasick::{AhoCorasick, MatchKind};
use palimpsest_text::is_han;
use rustc_hash::FxHashMap;

use crate::{
    names::DetectedEntity,
    words::{Gap, Parsed},
};

/// An occurrence of a form of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Bytes of the text, without a possessive ending.
    pub range: Range<usize>,
    /// Index of the entity.
    pub entity: usize,
}

/// Finds the forms of entities. Latin forms are matched word by word: line ends between the words and possessive
/// endings are ignored. Han forms are matched anywhere.
#[derive(Debug)]
pub struct Matcher {
    /// By the first word of the form: the words of the form and its entity, the longest first.
    latin: FxHashMap<String, Vec<(Vec<String>, usize)>>,
    han: Option<AhoCorasick>,
    han_entities: Vec<usize>,
}

impl Matcher {
    /// A matcher of all forms of `entities`. A form of several entities belongs to the first of them.
    #[must_use]
    pub fn new(entities: &[DetectedEntity]) -> Self {
        let forms = entities
            .iter()
            .enumerate()
            .flat_map(|(at, entity)| entity.forms.iter().map(move |form| (form.text.as_str(), at)));
        Self::of_forms(forms)
    }

    /// A matcher of pairs of a form and the index of its entity.
    pub fn of_forms<'f>(forms: impl Iterator<Item = (&'f str, usize)>) -> Self {
        let mut latin: FxHashMap<String, Vec<(Vec<String>, usize)>> = FxHashMap::default();
        let (mut han, mut han_entities) = (Vec::new(), Vec::new());
        for (form, entity) in forms {
            if form.contains(is_han) {
                han.push(form);
                han_entities.push(entity);
                continue;
            }
            let words: Vec<String> = Parsed::new(form).words.iter().map(|word| exact(word.text).into_owned()).collect();
            if let Some(first) = words.first() {
                latin.entry(first.clone()).or_default().push((words, entity));
            }
        }
        for forms in latin.values_mut() {
            // The sort is stable: of equal forms the first wins.
            forms.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        let han = if han.is_empty() {
            None
        } else {
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&han).ok()
        };
        Self { latin, han, han_entities }
    }

    /// The mentions in a text, in order. They do not overlap.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Mention> {
        // A Chinese book has few Latin forms, or none: its words need not be looked at then.
        if self.latin.is_empty() {
            return self.find_han(text).collect();
        }
        self.find_parsed(&Parsed::new(text))
    }

    pub(crate) fn find_parsed(&self, parsed: &Parsed<'_>) -> Vec<Mention> {
        let mut found: Vec<Mention> = self.find_han(parsed.text).collect();
        let mut at = 0;
        while at < parsed.words.len() && !self.latin.is_empty() {
            let matched = self.longest(parsed, at);
            if let Some((words, entity)) = matched {
                let range = parsed.words[at].start..parsed.words[at + words - 1].range().end;
                found.push(Mention { range, entity });
            }
            at += matched.map_or(1, |(words, _)| words);
        }
        found.sort_by_key(|mention| mention.range.start);
        found
    }

    /// The mentions of forms with Han characters, in order.
    pub(crate) fn find_han(&self, text: &str) -> impl Iterator<Item = Mention> {
        let mention = |one: aho_corasick::Match| Mention {
            range: one.range(),
            entity: self.han_entities[one.pattern().as_usize()],
        };
        self.han.iter().flat_map(move |han| han.find_iter(text).map(mention).collect::<Vec<_>>())
    }

    /// The number of words of the longest form that begins at a word, and its entity.
    fn longest(&self, parsed: &Parsed<'_>, at: usize) -> Option<(usize, usize)> {
        let first = exact(parsed.words[at].text);
        let fits = |(words, _): &&(Vec<String>, usize)| {
            parsed.words.get(at..at + words.len()).is_some_and(|here| {
                words.iter().zip(here).enumerate().all(|(number, (wanted, word))| {
                    let is_joined = number == 0 || matches!(word.gap, Gap::Space | Gap::Stop);
                    is_joined && *wanted == exact(word.text)
                })
            })
        };
        self.latin.get(first.as_ref())?.iter().find(fits).map(|(words, entity)| (words.len(), *entity))
    }
}

/// A word with a straight apostrophe.
fn exact(word: &str) -> Cow<'_, str> {
    if word.contains('’') { Cow::Owned(word.replace('’', "'")) } else { Cow::Borrowed(word) }
}
