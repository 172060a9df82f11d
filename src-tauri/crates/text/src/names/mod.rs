//! Hidden names: replaced by aliases in what is sent, and put back in what comes back, piece by piece.
//!
//! The names of a book are the writer's; the aliases are too. [`Mask::over`] fits the aliases to the texts that are about to
//! be sent, so that two things hold for these texts, whatever they contain: no name is left, and putting the names back
//! gives each name in the spelling of the list. Text that uses the spellings of the list comes back exactly. Where an alias
//! does not do (it stands in a text already, or runs together with its neighbours), it gets a number, and at last brackets.
//!
//! A name is found in any of these spellings: other case, compatibility forms (NFKD: full width, ligatures, mathematical
//! letters), composed or decomposed, traditional or simplified Chinese, unseen characters in it
//! ([`crate::unseen::is_unseen`]), emphasis marks in it, any white space, hyphen, apostrophe or middle dot for any other
//! between its parts, and none of them between parts in Chinese, in camel case, or in a name of eight letters or more.
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

use std::collections::HashSet;

pub use everyday::is_everyday;
pub use forms::{Form, forms};
pub use restore::Restorer;

use finder::{Finder, Found};
use restore::Replacer;

use crate::language::is_han;

/// The highest number that an alias gets before it is put in brackets, and then again.
const MAX_NUMBERED: u32 = 9;
/// Takes the place of a name where no alias does: no letter.
const BLANK: &str = "□";
/// How often all aliases are tried again when they do not go together.
const MAX_ROUNDS: u32 = 12;

/// A name and the alias that is sent for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pair {
    /// As the manuscript has it.
    pub name: String,
    /// As others read it.
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

/// Finds which names of a list stand in a text, without hiding them.
#[derive(Debug, Clone, Default)]
pub struct Search(Finder);

impl Search {
    /// A search for the names of these pairs.
    #[must_use]
    pub fn new(pairs: &[Pair]) -> Self {
        Self(Finder::new(pairs))
    }

    /// The numbers of the pairs of which a name stands in the text, in order.
    #[must_use]
    pub fn pairs_in(&self, text: &str) -> Vec<usize> {
        self.0.pairs_in(text)
    }

    /// The text with an alias for each name, for texts that are never put back. Aliases are not fitted to the text.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let found = self.0.all(text);
        let hidden = replaced(text, &found, |entry| self.0.entries.get(entry).map_or("", |entry| entry.alias.as_str()));
        if !self.0.finds_in(&hidden) {
            return hidden;
        }
        // An alias makes a name with its neighbours, or is one of another list.
        let mut blank = replaced(text, &found, |_| BLANK);
        while self.0.finds_in(&blank) {
            let found = self.0.all(&blank);
            blank = replaced(&blank, &found, |_| BLANK);
        }
        blank
    }
}

/// Names hidden and put back, for the texts it was made over.
#[derive(Debug, Clone, Default)]
pub struct Mask {
    own: Hider,
    /// Hides the names of other lists too; `None` where there are none.
    shared: Option<Hider>,
    restore: Replacer,
}

/// A finder and what it puts for each of its entries.
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
        replaced(text, &self.finder.all(text), |entry| self.aliases.get(entry).map_or("", String::as_str))
    }
}

fn replaced<'a>(text: &str, found: &[Found], by: impl Fn(usize) -> &'a str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Found { range, entry } in found {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(by(*entry));
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

impl Mask {
    /// The mask that hides these names in these texts, and restores them in whatever a model makes of them. `None` when no
    /// aliases can be found that do: the texts must not be sent.
    #[must_use]
    pub fn over(pairs: &[Pair], texts: &[&str]) -> Option<Self> {
        Self::with_others(pairs, texts, &[], &[])
    }

    /// The same, for `shared` texts beside them in which the names of `others` are hidden too. The aliases of others are
    /// never restored.
    #[must_use]
    pub fn with_others(pairs: &[Pair], texts: &[&str], others: &[Pair], shared: &[&str]) -> Option<Self> {
        let own_letters: HashSet<String> = pairs.iter().map(|pair| finder::letters(&pair.name)).collect();
        let mut all = pairs.to_vec();
        all.extend(others.iter().filter(|other| !own_letters.contains(&finder::letters(&other.name))).cloned());
        let finder = Finder::new(pairs);
        let everyone = Finder::new(&all);
        if everyone.is_empty() {
            return Some(Self::default());
        }
        if !finder.works() || !everyone.works() {
            return None;
        }
        // Entries of the own names are the same in both, but for their place.
        let is_own = |entry: usize| everyone.entries.get(entry).is_some_and(|entry| entry.pair < pairs.len());
        let order = || {
            (0..everyone.entries.len())
                .filter(|n| is_own(*n))
                .chain((0..everyone.entries.len()).filter(|n| !is_own(*n)))
        };
        let sources: Vec<(&str, Vec<Found>, bool)> = texts
            .iter()
            .map(|text| (*text, finder.all(text), false))
            .chain(shared.iter().map(|text| (*text, everyone.all(text), true)))
            .collect();
        (0..MAX_ROUNDS).find_map(|round| {
            let mut aliases = vec![String::new(); everyone.entries.len()];
            let mut taken: HashSet<String> = HashSet::with_capacity(aliases.len());
            for number in order() {
                let entry = everyone.entries.get(number)?;
                let is_free = |alias: &String| {
                    !taken.contains(alias)
                        && !everyone.finds_in(alias)
                        && !sources.iter().any(|(text, ..)| text.contains(alias.as_str()))
                        && (is_own(number) || !taken.iter().any(|other| alias.contains(other.as_str())))
                };
                let alias = match is_own(number) {
                    true => variants(&entry.alias).skip(round as usize).find(is_free)?,
                    false => variants_of_others(&entry.alias).skip(round as usize).find(is_free)?,
                };
                taken.insert(alias.clone());
                *aliases.get_mut(number)? = alias;
            }
            let alias_of = |name: &str| {
                let place = everyone.entries.iter().position(|entry| entry.name == name)?;
                aliases.get(place).cloned()
            };
            let own_aliases: Vec<String> = match finder.entries.len() == everyone.entries.len() {
                true => aliases.clone(),
                false => finder.entries.iter().map(|entry| alias_of(&entry.name)).collect::<Option<_>>()?,
            };
            let restore: Vec<(String, String)> =
                own_aliases.iter().cloned().zip(finder.entries.iter().map(|entry| entry.name.clone())).collect();
            let restore = Replacer::new(restore);
            let holds = |(text, found, is_shared): &(&str, Vec<Found>, bool)| {
                let (finder, aliases) = if *is_shared { (&everyone, &aliases) } else { (&finder, &own_aliases) };
                let hidden = replaced(text, found, |entry| aliases.get(entry).map_or("", String::as_str));
                let restored = replaced(text, found, |entry| match finder.entries.get(entry) {
                    Some(of) if !*is_shared || is_own(entry) => of.name.as_str(),
                    _ => aliases.get(entry).map_or("", String::as_str),
                });
                !finder.finds_in(&hidden) && restore.all(&hidden) == restored
            };
            sources.iter().all(holds).then(|| Self {
                shared: (!others.is_empty()).then(|| Hider { finder: everyone.clone(), aliases: aliases.clone() }),
                own: Hider { finder: finder.clone(), aliases: own_aliases.clone() },
                restore,
            })
        })
    }

    /// Hides nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.finder.is_empty() && self.shared.is_none()
    }

    /// A text as it may be sent.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        self.own.hide(text)
    }

    /// A text as it may be sent, without the names of others either.
    #[must_use]
    pub fn hide_shared(&self, text: &str) -> String {
        self.shared.as_ref().unwrap_or(&self.own).hide(text)
    }

    /// A text as the writer reads it.
    #[must_use]
    pub fn restore(&self, text: &str) -> String {
        self.restore.all(text)
    }

    /// Puts the names back in a text that comes in pieces.
    #[must_use]
    pub fn restorer(&self) -> Restorer<'_> {
        Restorer::new(&self.restore)
    }
}

/// An alias and what it becomes when it does not do; at last, when its own words are the trouble, a number alone.
fn variants(alias: &str) -> impl Iterator<Item = String> {
    let plain = alias.to_owned();
    let (numbered, bracketed) = (alias.to_owned(), alias.to_owned());
    std::iter::once(plain)
        .chain((2..=MAX_NUMBERED).map(move |n| format!("{numbered}{n}")))
        .chain((1..=99).map(move |n| format!("〔{bracketed}{n}〕")))
        .chain((1..=9_999).map(|n| format!("〔{n}〕")))
}

/// The same for a name of another list: nothing in it may read as an alias of this one.
fn variants_of_others(alias: &str) -> impl Iterator<Item = String> {
    let is_chinese = alias.chars().any(is_han);
    let letters = ('A'..='Z').map(move |c| if is_chinese { format!("某人{c}") } else { format!("Person {c}") });
    std::iter::once(alias.to_owned()).chain(letters).chain((1..=9_999).map(|n| format!("〔{n}〕")))
}
