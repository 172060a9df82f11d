//! Passages as queries, as a prompt asks for examples: books of several stories, and passages that are not in them.
//!
//! The stories are dealt into [`BOOKS`] groups. Book `k` has the stories of group `k` without their held-out passages,
//! and one passage of each story of the next two groups. Of the last two groups it has nothing.

use std::collections::BTreeMap;

use palimpsest_text::random::SplitMix64;

use crate::sets::{Chapter, Query, Set, Text, passages};

const SEED: u64 = 18;
const BOOKS: usize = 5;
/// A story with fewer passages is left out.
const MIN_PASSAGES: usize = 6;
/// Held-out passages of a story, at most.
const HELD_OUT: usize = 3;
/// Every fifth passage is held out until there are enough.
const STEP: usize = 5;
/// Minimum characters of a Chinese passage; most have up to twice as many.
const MIN_CHARS: usize = 240;

/// Books, and three sets of queries.
pub struct Prompts {
    pub texts: Vec<Text>,
    /// The other passages of the story are in the book.
    pub several: Vec<Query>,
    /// Exactly one passage of the story is in the book: the one before or after the query.
    pub one: Vec<Query>,
    /// No passage of the story is in the book.
    pub nothing: Vec<Query>,
}

/// The stories of a set whose ids are `STORY#NUMBER`.
pub fn stories_of(set: &Set) -> Vec<Vec<String>> {
    let story = |text: &Text| text.id.split('#').next().map(str::to_owned);
    set.texts.chunk_by(|a, b| story(a) == story(b)).map(|all| all.iter().map(|it| it.text.clone()).collect()).collect()
}

/// The works of published chapters, cut into passages.
pub fn works_of(chapters: &[Chapter]) -> Vec<Vec<String>> {
    let mut works: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for chapter in chapters {
        works.entry(&chapter.work).or_default().extend(passages(&chapter.text, MIN_CHARS));
    }
    works.into_values().collect()
}

impl Prompts {
    pub fn new(name: &str, mut stories: Vec<Vec<String>>) -> Self {
        stories.retain(|story| story.len() >= MIN_PASSAGES);
        SplitMix64::new(SEED).shuffle(&mut stories);
        let mut prompts = Self { texts: Vec::new(), several: Vec::new(), one: Vec::new(), nothing: Vec::new() };
        for k in 0..BOOKS {
            let book = format!("{name} {k}");
            for (number, story) in stories.iter().enumerate() {
                prompts.add(&book, number, story, (number + BOOKS - k) % BOOKS);
            }
        }
        prompts
    }

    /// Adds a story to a book. `distance` is that of the story's group from the book's own.
    fn add(&mut self, book: &str, number: usize, story: &[String], distance: usize) {
        let id = |at: usize| format!("{book}: {number}#{at}");
        let text = |at: usize| Text { book: book.to_owned(), id: id(at), text: story[at].clone() };
        let query =
            |at: usize, relevant: Vec<String>| Query { book: book.to_owned(), text: story[at].clone(), relevant };
        match distance {
            0 => {
                let is_held_out = |at: &usize| at % STEP == STEP / 2 && at / STEP < HELD_OUT;
                let (held_out, others): (Vec<usize>, Vec<usize>) = (0..story.len()).partition(is_held_out);
                let relevant: Vec<String> = others.iter().map(|at| id(*at)).collect();
                self.texts.extend(others.into_iter().map(text));
                self.several.extend(held_out.into_iter().map(|at| query(at, relevant.clone())));
            }
            1 | 2 => {
                let middle = story.len() / 2;
                self.texts.push(text(middle));
                self.one.extend([middle - 1, middle + 1].map(|at| query(at, vec![id(middle)])));
            }
            _ => self.nothing.extend([story.len() / 3, story.len() * 2 / 3].map(|at| query(at, Vec::new()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eleven stories of eight passages, each passage with the number of its story.
    fn prompts() -> Prompts {
        let story = |n: usize| (0..8).map(|at| format!("story {n}, passage {at}")).collect();
        Prompts::new("book", (0..11).map(story).collect())
    }

    fn story(text: &str) -> &str {
        text.split(',').next().unwrap()
    }

    fn of_its_story<'p>(prompts: &'p Prompts, query: &Query) -> Vec<&'p Text> {
        let is_of_it = |text: &&Text| text.book == query.book && story(&text.text) == story(&query.text);
        prompts.texts.iter().filter(is_of_it).collect()
    }

    #[test]
    fn a_query_is_never_in_its_book() {
        let prompts = prompts();
        for query in prompts.several.iter().chain(&prompts.one).chain(&prompts.nothing) {
            assert!(prompts.texts.iter().all(|text| text.book != query.book || text.text != query.text));
        }
    }

    #[test]
    fn relevant_are_all_passages_of_the_story_that_are_in_the_book() {
        let prompts = prompts();
        for (queries, expected) in [(&prompts.several, 6), (&prompts.one, 1), (&prompts.nothing, 0)] {
            assert!(!queries.is_empty());
            for query in queries {
                let there: Vec<&str> = of_its_story(&prompts, query).iter().map(|text| text.id.as_str()).collect();
                assert_eq!(there, query.relevant);
                assert_eq!(there.len(), expected, "{}", query.text);
            }
        }
    }

    #[test]
    fn books_are_the_same_each_time() {
        assert_eq!((prompts().texts, prompts().one), (prompts().texts, prompts().one));
    }
}
