//! Places of which one may contain the other.

use std::collections::VecDeque;

use palimpsest_reader::mentions::Mention;
use palimpsest_text::Language;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Statement, en, is_place, zh};
use crate::{Book, sentences::Sentence};

/// Most bytes between the names of two places of which the text says that one contains the other.
const MAX_BETWEEN: usize = 48;
/// Most forms of a name that are compared.
const MAX_FORMS: usize = 8;
/// Most names that are looked at on each side of the place of a statement.
const MAX_LOCATED: usize = 8;
/// Most places that are looked at around one.
const MAX_AROUND: usize = 64;

/// The relation of two places that are named one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The first place is in the second one.
    IsIn,
    /// The second place is in the first one.
    Contains,
    /// One of them may contain the other, or they are one.
    Beside,
}

/// The places of a book that contain one another.
pub(super) struct Nesting<'b> {
    book: &'b Book<'b>,
    /// For each place the places that contain it.
    around: FxHashMap<usize, FxHashSet<usize>>,
    beside: FxHashSet<(usize, usize)>,
}

impl<'b> Nesting<'b> {
    /// The relations of the places in all sentences, and of the places in which one sentence puts one character.
    pub(super) fn new(book: &'b Book<'b>, all: &[Sentence<'_>], statements: &[Statement]) -> Self {
        let mut nesting = Self { book, around: FxHashMap::default(), beside: FxHashSet::default() };
        for sentence in all {
            for pair in sentence.mentions.windows(2) {
                nesting.add_neighbours(sentence, &pair[0], &pair[1]);
            }
        }
        for statement in statements {
            nesting.add_located(&all[statement.sentence], statement);
        }
        nesting
    }

    fn add_neighbours(&mut self, sentence: &Sentence<'_>, first: &Mention, second: &Mention) {
        let between = sentence.text.get(first.range.end..second.range.start);
        let is_read = |between: &&str| between.len() <= MAX_BETWEEN;
        let Some(between) = between.filter(is_read) else { return };
        if !is_place(self.book, first.entity) || !is_place(self.book, second.entity) {
            return;
        }
        let relation = match self.book.language {
            Language::En => en::relation(between),
            Language::Zh => zh::relation(between),
        };
        match relation {
            Some(Relation::IsIn) => _ = self.around.entry(first.entity).or_default().insert(second.entity),
            Some(Relation::Contains) => _ = self.around.entry(second.entity).or_default().insert(first.entity),
            Some(Relation::Beside) => self.add_beside(first.entity, second.entity),
            None => {}
        }
    }

    fn add_beside(&mut self, first: usize, second: usize) {
        self.beside.insert((first.min(second), first.max(second)));
    }

    /// Adds the other places that follow a preposition of place in the sentence of a statement, up to the name of
    /// another character.
    fn add_located(&mut self, sentence: &Sentence<'_>, statement: &Statement) {
        let at = sentence.mentions.partition_point(|mention| mention.range.start < statement.range.start);
        let (before, behind) = sentence.mentions.split_at(at);
        let is_own = |mention: &&Mention| mention.entity == statement.entity || is_place(self.book, mention.entity);
        let is_located = |mention: &&Mention| {
            let before = &sentence.text[..mention.range.start];
            is_place(self.book, mention.entity)
                && match self.book.language {
                    Language::En => en::is_located(before),
                    Language::Zh => zh::is_located(before),
                }
        };
        let near = before.iter().rev().take_while(is_own).take(MAX_LOCATED);
        let near = near.chain(behind.iter().take_while(is_own).take(MAX_LOCATED));
        let places: Vec<usize> = near.filter(is_located).map(|mention| mention.entity).collect();
        for place in places {
            self.add_beside(statement.place, place);
        }
    }

    /// Whether one of two places may contain the other.
    pub(super) fn may_nest(&self, first: usize, second: usize) -> bool {
        self.beside.contains(&(first.min(second), first.max(second)))
            || self.is_named_after(first, second)
            || self.is_in(first, second)
            || self.is_in(second, first)
    }

    /// Whether a form of one place contains a form of the other.
    fn is_named_after(&self, first: usize, second: usize) -> bool {
        let forms = |place: usize| self.book.entities[place].forms.iter().take(MAX_FORMS);
        forms(first)
            .any(|form| forms(second).any(|other| form.contains(other.as_str()) || other.contains(form.as_str())))
    }

    /// Whether a place is in another one, or in a place that is in it.
    fn is_in(&self, inner: usize, outer: usize) -> bool {
        let mut seen = FxHashSet::from_iter([inner]);
        let mut open = VecDeque::from([inner]);
        while let Some(place) = open.pop_front() {
            for next in self.around.get(&place).into_iter().flatten() {
                if *next == outer {
                    return true;
                }
                if seen.len() < MAX_AROUND && seen.insert(*next) {
                    open.push_back(*next);
                }
            }
        }
        false
    }
}
