//! Hidden names: replaced by aliases in texts that are sent, restored in answers, also while these stream.
//!
//! The writer chooses names and aliases. [`Mask::for_texts`] fits the aliases to the texts that are about to
//! be sent, so that two things hold for these texts, with any content: no name is left, and putting the names back
//! gives each name in the spelling of the list. Text that uses the spellings of the list comes back exactly. An alias
//! that is ambiguous (it is in a text already, or runs together with its neighbours) gets a number, and at last
//! brackets.
//!
//! A name is found in any of these spellings: other case, compatibility forms (NFKD: full width, ligatures,
//! mathematical letters), composed or decomposed, traditional or simplified Chinese, unseen characters in it
//! ([`crate::unseen::is_unseen`]), emphasis marks in it, any white space, hyphen, apostrophe or middle dot for any
//! other between its parts, and none of them between parts in Chinese, in camel case, or in a name of eight letters or
//! more.
//!
//! Names of scripts that put spaces between words are replaced as words: `Al` is not in `Also`. A plural or possessive
//! `s` may follow. A name in capitals is hidden by its alias in capitals.

mod everyday;
mod finder;
mod folded;
mod forms;
mod restore;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, HashSet},
    panic::resume_unwind,
    thread,
};

use aho_corasick::AhoCorasick;

pub use everyday::is_everyday;
pub use forms::{Form, find_forms};
pub use restore::Restorer;

use finder::{Finder, Match};
use restore::Replacer;

use crate::language::is_han;

/// The highest number that is appended to an alias before brackets are used.
const MAX_ALIAS_NUMBER: u32 = 9;
/// Replaces a name for which no alias works; not a letter.
const BLANK: &str = "□";
/// Minimum bytes of all texts for a search on several cores.
const MIN_PARALLEL_BYTES: usize = 200_000;
/// The most attempts to choose all aliases, when they conflict with each other.
const MAX_ALIAS_ROUNDS: u32 = 12;

/// A name and the alias that is sent for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Its spelling in the manuscript.
    pub name: String,
    /// The name that is sent instead.
    pub alias: String,
    /// Whether the name is hidden in lower case too. A name that is written in lower case in the list always is.
    pub in_lower_case: bool,
}

impl Pair {
    /// A pair that is hidden in every case.
    pub fn new(name: impl Into<String>, alias: impl Into<String>) -> Self {
        Self { name: name.into(), alias: alias.into(), in_lower_case: true }
    }
}

/// Finds the names of a list in a text, without the checks of a [`Mask`].
#[derive(Debug, Clone, Default)]
pub struct Search(Finder);

impl Search {
    /// A search for the names of these pairs.
    #[must_use]
    pub fn new(pairs: &[Pair]) -> Self {
        Self(Finder::new(pairs))
    }

    /// The indexes of the pairs whose name is in the text, ascending.
    #[must_use]
    pub fn pairs_in(&self, text: &str) -> Vec<usize> {
        self.0.pairs_in(text)
    }

    /// Replaces each name by its alias, for texts whose names are never restored. Aliases are not fitted to the text.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let found = self.0.find_all(text);
        let hidden =
            replace_matches(text, &found, |entry| self.0.entries.get(entry).map_or("", |entry| entry.alias.as_str()));
        if !self.0.contains_name(&hidden) {
            return hidden;
        }
        // An alias forms a name with its neighbours, or is a name of another list.
        let mut blank = replace_matches(text, &found, |_| BLANK);
        while self.0.contains_name(&blank) {
            let found = self.0.find_all(&blank);
            blank = replace_matches(&blank, &found, |_| BLANK);
        }
        blank
    }
}

/// Hides names and restores them, for the texts it was built for.
#[derive(Debug, Clone, Default)]
pub struct Mask {
    own: Hider,
    /// Hides the names of other lists too; `None` if there are none.
    shared: Option<Hider>,
    restore: Replacer,
}

/// A finder and the alias for each of its entries.
#[derive(Debug, Clone, Default)]
struct Hider {
    finder: Finder,
    aliases: Vec<String>,
}

impl Hider {
    fn hide(&self, text: &str) -> String {
        if self.finder.is_empty() {
            return text.to_owned();
        }
        replace_matches(text, &self.finder.find_all(text), |entry| self.aliases.get(entry).map_or("", String::as_str))
    }
}

fn replace_matches<'a>(text: &str, found: &[Match], by: impl Fn(usize) -> &'a str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Match { range, entry } in found {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(by(*entry));
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

impl Mask {
    /// A mask that hides these names in these texts and restores them in a model's answer. `None` if no suitable
    /// aliases are found: the texts must not be sent.
    #[must_use]
    pub fn for_texts(pairs: &[Pair], texts: &[&str]) -> Option<Self> {
        Self::with_others(pairs, texts, &[], &[])
    }

    /// Like [`for_texts`](Self::for_texts), with the texts as they are sent.
    #[must_use]
    pub fn hide_texts(pairs: &[Pair], texts: &[&str]) -> Option<(Self, Vec<String>)> {
        Self::fit(pairs, texts, &[], &[])
    }

    /// Like [`for_texts`](Self::for_texts), with additional `shared` texts in which the names of `others` are hidden
    /// too. The aliases of others are never restored.
    #[must_use]
    pub fn with_others(pairs: &[Pair], texts: &[&str], others: &[Pair], shared: &[&str]) -> Option<Self> {
        Self::fit(pairs, texts, others, shared).map(|(mask, _)| mask)
    }

    /// The mask, and all texts with their names hidden, the shared ones last.
    fn fit(pairs: &[Pair], texts: &[&str], others: &[Pair], shared: &[&str]) -> Option<(Self, Vec<String>)> {
        let own_letters: HashSet<String> = pairs.iter().map(|pair| finder::folded_letters(&pair.name)).collect();
        let mut all = pairs.to_vec();
        all.extend(others.iter().filter(|other| !own_letters.contains(&finder::folded_letters(&other.name))).cloned());
        let finder = Finder::new(pairs);
        let all_names = Finder::new(&all);
        if all_names.is_empty() {
            return Some((Self::default(), texts.iter().chain(shared).map(|text| (*text).to_owned()).collect()));
        }
        if !finder.is_ready() || !all_names.is_ready() {
            return None;
        }
        // Entries of the own names are the same in both finders, at different indexes.
        let is_own = |entry: usize| all_names.entries.get(entry).is_some_and(|entry| entry.pair < pairs.len());
        let order = || {
            (0..all_names.entries.len())
                .filter(|n| is_own(*n))
                .chain((0..all_names.entries.len()).filter(|n| !is_own(*n)))
        };
        let sent: Vec<(&str, bool)> =
            texts.iter().map(|text| (*text, false)).chain(shared.iter().map(|text| (*text, true))).collect();
        let is_long = sent.iter().map(|(text, _)| text.len()).sum::<usize>() >= MIN_PARALLEL_BYTES;
        let sources: Vec<(&str, Vec<Match>, bool)> = map_all(&sent, is_long, |(text, is_shared)| {
            (*text, if *is_shared { &all_names } else { &finder }.find_all(text), *is_shared)
        });
        let taken = TakenAliases::new(&all_names, sources.iter().map(|(text, ..)| *text).collect());
        (0..MAX_ALIAS_ROUNDS).find_map(|round| {
            let mut aliases = vec![String::new(); all_names.entries.len()];
            let mut used: HashSet<String> = HashSet::with_capacity(aliases.len());
            for number in order() {
                let entry = all_names.entries.get(number)?;
                let is_free = |alias: &String| {
                    !used.contains(alias)
                        && !all_names.contains_name(alias)
                        && !taken.contains(alias)
                        && (is_own(number) || !used.iter().any(|other| alias.contains(other.as_str())))
                };
                let alias = match is_own(number) {
                    true => variants(&entry.alias).skip(round as usize).find(is_free)?,
                    false => variants_of_others(&entry.alias).skip(round as usize).find(is_free)?,
                };
                used.insert(alias.clone());
                *aliases.get_mut(number)? = alias;
            }
            let alias_of = |name: &str| {
                let position = all_names.entries.iter().position(|entry| entry.name == name)?;
                aliases.get(position).cloned()
            };
            let own_aliases: Vec<String> = match finder.entries.len() == all_names.entries.len() {
                true => aliases.clone(),
                false => finder.entries.iter().map(|entry| alias_of(&entry.name)).collect::<Option<_>>()?,
            };
            let restore: Vec<(String, String)> =
                own_aliases.iter().cloned().zip(finder.entries.iter().map(|entry| entry.name.clone())).collect();
            let restore = Replacer::new(restore);
            let hide = |(text, found, is_shared): &(&str, Vec<Match>, bool)| {
                let (finder, aliases) = if *is_shared { (&all_names, &aliases) } else { (&finder, &own_aliases) };
                let hidden = replace_matches(text, found, |entry| aliases.get(entry).map_or("", String::as_str));
                let restored = replace_matches(text, found, |entry| match finder.entries.get(entry) {
                    Some(of) if !*is_shared || is_own(entry) => of.name.as_str(),
                    _ => aliases.get(entry).map_or("", String::as_str),
                });
                let is_reversible = !finder.contains_name(&hidden) && restore.replace_all(&hidden) == restored;
                is_reversible.then_some(hidden)
            };
            let hidden = map_all(&sources, is_long, hide).into_iter().collect::<Option<Vec<String>>>()?;
            let mask = Self {
                shared: (!others.is_empty()).then(|| Hider { finder: all_names.clone(), aliases: aliases.clone() }),
                own: Hider { finder: finder.clone(), aliases: own_aliases.clone() },
                restore,
            };
            Some((mask, hidden))
        })
    }

    /// Whether the mask hides nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.finder.is_empty() && self.shared.is_none()
    }

    /// Replaces the names of the own list by their aliases.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        self.own.hide(text)
    }

    /// Replaces the names of the own list and of the other lists by their aliases.
    #[must_use]
    pub fn hide_shared(&self, text: &str) -> String {
        self.shared.as_ref().unwrap_or(&self.own).hide(text)
    }

    /// Replaces aliases by the names of the own list.
    #[must_use]
    pub fn restore(&self, text: &str) -> String {
        self.restore.replace_all(text)
    }

    /// Restores the names in a streamed text.
    #[must_use]
    pub fn restorer(&self) -> Restorer<'_> {
        Restorer::new(&self.restore)
    }
}

/// The results for all items in their order, on several cores if `is_long`.
fn map_all<T: Sync, R: Send>(items: &[T], is_long: bool, map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = if is_long { thread::available_parallelism().map_or(1, usize::from) } else { 1 };
    if cores < 2 || items.len() < 2 {
        return items.iter().map(map).collect();
    }
    thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(cores));
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().map(&map).collect::<Vec<R>>())).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// The aliases that are in some texts already. Those of the list are searched for in one pass, a substitute when it is
/// asked for.
struct TakenAliases<'t> {
    texts: Vec<&'t str>,
    listed: HashMap<&'t str, bool>,
}

impl<'t> TakenAliases<'t> {
    fn new(names: &'t Finder, texts: Vec<&'t str>) -> Self {
        let mut listed: HashMap<&str, bool> = names.entries.iter().map(|entry| (entry.alias.as_str(), false)).collect();
        let aliases: Vec<&str> = listed.keys().copied().collect();
        // Without an automaton, each is searched for when it is asked for.
        match AhoCorasick::new(&aliases) {
            Ok(automaton) => {
                for found in texts.iter().flat_map(|text| automaton.find_overlapping_iter(*text)) {
                    listed.extend(aliases.get(found.pattern().as_usize()).map(|alias| (*alias, true)));
                }
            }
            Err(_) => listed.clear(),
        }
        Self { texts, listed }
    }

    fn contains(&self, alias: &str) -> bool {
        let search = || self.texts.iter().any(|text| text.contains(alias));
        self.listed.get(alias).copied().unwrap_or_else(search)
    }
}

/// An alias and its substitutes, in order; at last, if its own words are ambiguous, a number alone.
fn variants(alias: &str) -> impl Iterator<Item = String> {
    let plain = alias.to_owned();
    let (numbered, bracketed) = (alias.to_owned(), alias.to_owned());
    std::iter::once(plain)
        .chain((2..=MAX_ALIAS_NUMBER).map(move |n| format!("{numbered}{n}")))
        .chain((1..=99).map(move |n| format!("〔{bracketed}{n}〕")))
        .chain((1..=9_999).map(|n| format!("〔{n}〕")))
}

/// Like [`variants`], for a name of another list: none of them may read as an alias of the own list.
fn variants_of_others(alias: &str) -> impl Iterator<Item = String> {
    let is_chinese = alias.chars().any(is_han);
    let letters = ('A'..='Z').map(move |c| if is_chinese { format!("某人{c}") } else { format!("Person {c}") });
    std::iter::once(alias.to_owned()).chain(letters).chain((1..=9_999).map(|n| format!("〔{n}〕")))
}
