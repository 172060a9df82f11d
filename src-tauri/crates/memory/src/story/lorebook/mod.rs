//! A story as a file: lorebooks of other programs (JSON), and a page that people read and write (Markdown).
//!
//! Pure: text goes in and entries come out, and the reverse. Reading is tolerant in what a lorebook may have and strict
//! in what an entry needs; what cannot be read is refused with its place, and never left out silently.

mod content;
mod json_in;
mod json_out;
mod page_in;
mod page_out;
mod page_words;

pub(crate) use json_in::read_json;
pub(crate) use json_out::{novelcrafter, silly_tavern};
pub(crate) use page_in::read_page;
pub(crate) use page_out::page_of;

use std::{collections::BTreeSet, iter};

use crate::model::{Certainty, EntityKind, Language, Reason, Visibility};

/// The entries of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lorebook {
    pub entries: Vec<LoreEntry>,
    /// Kinds of fields that have no meaning here.
    pub ignored_fields: u32,
    /// Names that are patterns or too long.
    pub left_out: u32,
}

/// An entity with its facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LoreEntry {
    /// Number of its line on a page, or of the entry in a lorebook, from 1.
    pub item: u32,
    /// `None`: the file does not say.
    pub kind: Option<EntityKind>,
    pub name: String,
    /// The forms by which the text names it, also `name` if it is one; each with the number of the chapter from whose
    /// end on it is known to be one, `None`: wherever it occurs.
    pub forms: Vec<(String, Option<u32>)>,
    /// `None`: the file does not say.
    pub visibility: Option<Visibility>,
    pub is_pinned: bool,
    pub facts: Vec<LoreFact>,
}

impl Lorebook {
    /// All facts, also those that others replaced.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &LoreFact> {
        self.entries.iter().flat_map(LoreEntry::all_facts)
    }

    /// The numbers of the chapters that the file names.
    pub(crate) fn chapters(&self) -> BTreeSet<u32> {
        self.entries.iter().flat_map(LoreEntry::chapters).collect()
    }
}

impl LoreEntry {
    /// Its facts, each with those that it replaced.
    pub(crate) fn all_facts(&self) -> impl Iterator<Item = &LoreFact> {
        self.facts.iter().flat_map(|fact| iter::once(fact).chain(&fact.earlier))
    }

    /// The numbers of the chapters in its forms and facts.
    pub(crate) fn chapters(&self) -> impl Iterator<Item = u32> {
        let of_fact = |fact: &LoreFact| {
            let of_quotes = fact.quotes.iter().filter_map(|(_, chapter)| *chapter);
            let of_knowers = fact.knowers.iter().map(|(_, chapter)| *chapter);
            of_quotes.chain(of_knowers).chain(fact.chapter).collect::<Vec<_>>()
        };
        self.forms.iter().filter_map(|(_, chapter)| *chapter).chain(self.all_facts().flat_map(of_fact))
    }
}

/// A fact of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoreFact {
    pub attribute: String,
    pub value: String,
    pub certainty: Certainty,
    /// The name of the entity that it leads to.
    pub object: Option<String>,
    /// Number of the chapter from whose end on it is known, from 1; `None`: from its quotes on, else from the
    /// beginning.
    pub chapter: Option<u32>,
    pub valid_from: Option<String>,
    pub valid_until: Option<String>,
    /// Those who know it, each with the number of the chapter from whose end on.
    pub knowers: Vec<(String, u32)>,
    /// The sentences that say so, each with the number of its chapter.
    pub quotes: Vec<(String, Option<u32>)>,
    /// The facts that it replaced, the latest first.
    pub earlier: Vec<LoreFact>,
}

impl LoreFact {
    pub(crate) fn new(attribute: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            attribute: attribute.into(),
            value: value.into(),
            certainty: Certainty::Told,
            object: None,
            chapter: None,
            valid_from: None,
            valid_until: None,
            knowers: Vec::new(),
            quotes: Vec::new(),
            earlier: Vec::new(),
        }
    }
}

/// A place in a file that cannot be read, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// Number of the line, or of the entry in a lorebook, from 1.
    pub item: u32,
    pub reason: Reason,
}

/// The attribute of a fact that is only a note.
pub(crate) fn note_attribute(language: Language) -> &'static str {
    match language {
        Language::Zh => "设定",
        Language::En => "note",
    }
}
