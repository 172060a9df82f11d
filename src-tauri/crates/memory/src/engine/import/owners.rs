//! Which book a rule, an episode or a generation is of: as it is here, and as the lines so far have it.
//!
//! Invariant: a line of one book names nothing that is another's. What stands in one book and leads to a row of another by
//! its identity would show it there.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::reading::{Numbered, of_another_book};
use crate::error::Result;

/// The books that rules are of, or once were.
#[derive(Default)]
pub(super) struct RuleBooks(HashMap<String, Books>);

#[derive(Default)]
struct Books {
    books: BTreeSet<String>,
    /// It holds, or held, for all.
    global: bool,
}

impl RuleBooks {
    /// Of pairs of a rule and its book; `None` for all books.
    pub(super) fn of(pairs: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let mut known = Self::default();
        for (rule, project) in pairs {
            known.note(&rule, project.as_deref());
        }
        known
    }

    /// A rule is, or once was, of this book.
    pub(super) fn note(&mut self, rule: &str, project: Option<&str>) {
        let of = self.0.entry(rule.to_owned()).or_default();
        match project {
            Some(project) => drop(of.books.insert(project.to_owned())),
            None => of.global = true,
        }
    }

    /// Whether a rule is, or once was, one that this book may speak of, or without a book everybody; `None` for one that
    /// nobody knows.
    pub(super) fn may_speak(&self, rule: &str, project: Option<&str>) -> Option<bool> {
        let of = self.0.get(rule)?;
        Some(of.global || project.is_some_and(|project| of.books.contains(project)))
    }

    /// Whether a rule has been this book's own.
    pub(super) fn is_own(&self, rule: &str, project: &str) -> bool {
        self.0.get(rule).is_some_and(|of| of.books.contains(project))
    }

    /// Whether a rule is known; refuses a line of a book that may not speak of it.
    ///
    /// # Errors
    /// `MEMORY_SCOPE_DENIED`.
    pub(super) fn check(&self, number: u32, rule: &str, project: Option<&str>) -> Result<bool> {
        match self.may_speak(rule, project) {
            Some(false) => Err(of_another_book(number)),
            known => Ok(known.is_some()),
        }
    }
}

/// Of which book each of some things is: of one, for good.
#[derive(Default)]
pub(super) struct Owners(HashMap<String, String>);

impl Owners {
    /// Of pairs of a thing and its book.
    pub(super) fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(pairs.into_iter().collect())
    }

    /// A line says that something is of its book.
    ///
    /// # Errors
    /// `MEMORY_SCOPE_DENIED` where it is another's.
    pub(super) fn claim(&mut self, one: &Numbered, id: &str) -> Result<()> {
        let Some(project) = one.line.project() else { return Ok(()) };
        match self.0.get(id) {
            Some(of) if of != project => Err(of_another_book(one.number)),
            Some(_) => Ok(()),
            None => {
                self.0.insert(id.to_owned(), project.to_owned());
                Ok(())
            }
        }
    }

    /// The book of it, where that is known.
    pub(super) fn get(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// What a file says of an episode before it comes to it: the line, the episode and the book.
pub(super) struct Claim {
    pub(super) number: u32,
    pub(super) episode: String,
    pub(super) project: String,
}

/// What a file has said of rules that may come later in it.
#[derive(Default)]
pub(super) struct Spoken {
    /// The line, the rule and the book that speaks of it.
    pub(super) of_rules: Vec<(u32, String, String)>,
    /// In the file of one book, versions of rules that then held for all: the rule, and the first such line.
    pub(super) for_all: HashMap<String, u32>,
    /// Rules that were for all books when the file was opened.
    pub(super) global_here: HashSet<String>,
}

impl Spoken {
    /// Whether everything that was said was said by those who may, now that all is known.
    ///
    /// # Errors
    /// `MEMORY_SCOPE_DENIED`.
    pub(super) fn settle(&self, known: &RuleBooks, own: Option<&str>) -> Result<()> {
        for (number, rule, project) in &self.of_rules {
            known.check(*number, rule, Some(project))?;
        }
        let Some(own) = own else { return Ok(()) };
        match self.for_all.iter().filter(|(rule, _)| !known.is_own(rule, own)).map(|(_, number)| *number).min() {
            Some(number) => Err(of_another_book(number)),
            None => Ok(()),
        }
    }
}
