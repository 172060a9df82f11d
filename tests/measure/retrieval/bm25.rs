//! The floor of every table: plain BM25 over whole texts, independent of the engine.
//!
//! k1 1.2 and b 0.75. Chinese is read by characters and bigrams. English is read by lower-case words without stop
//! words, stemmed by Snowball's English algorithm. All words of a query are weighed, each once.

use std::collections::{BTreeSet, HashMap};

use frostem::{Algorithm, Stemmer};
use palimpsest_text::is_han;

use crate::sets::Text;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The words that Snowball's English list has, without contractions.
const STOP_WORDS: &str = "\
    a about above after again against all am an and any are as at be because been before being below between both but by \
    cannot could did do does doing down during each few for from further had has have having he her here hers herself \
    him himself his how i if in into is it its itself me more most my myself no nor not of off on once only or other \
    ought our ours ourselves out over own same she should so some such than that the their theirs them themselves then \
    there these they this those through to too under until up very was we were what when where which while who whom why \
    with would you your yours yourself yourselves";

/// An index of all books of a set.
pub struct Bm25 {
    books: HashMap<String, Book>,
}

#[derive(Default)]
struct Book {
    ids: Vec<String>,
    /// Terms of each text.
    lengths: Vec<f64>,
    /// The texts that a term occurs in, and how often.
    occurrences: HashMap<String, Vec<(usize, f64)>>,
}

impl Bm25 {
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t Text>) -> Self {
        let mut books: HashMap<String, Book> = HashMap::new();
        for text in texts {
            books.entry(text.book.clone()).or_default().add(text);
        }
        Self { books }
    }

    /// Ids of the texts that share a term with the query, best first; equal ones in the order of the set.
    pub fn rank(&self, book: &str, query: &str, limit: usize) -> Vec<String> {
        self.books.get(book).map(|book| book.rank(query, limit)).unwrap_or_default()
    }
}

impl Book {
    fn add(&mut self, text: &Text) {
        let at = self.ids.len();
        let terms = terms(&text.text);
        self.ids.push(text.id.clone());
        self.lengths.push(terms.len() as f64);
        for term in terms {
            let found = self.occurrences.entry(term).or_default();
            match found.last_mut().filter(|(last, _)| *last == at) {
                Some((_, times)) => *times += 1.0,
                None => found.push((at, 1.0)),
            }
        }
    }

    fn rank(&self, query: &str, limit: usize) -> Vec<String> {
        let mut order = self.scores(query);
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.into_iter().take(limit).map(|(at, _)| self.ids[at].clone()).collect()
    }

    /// The texts that share a term with the query, with their scores.
    fn scores(&self, query: &str) -> Vec<(usize, f64)> {
        let texts = self.ids.len() as f64;
        let mean = self.lengths.iter().sum::<f64>() / texts;
        let mut scores: HashMap<usize, f64> = HashMap::new();
        // Sorted, because sums of floating-point numbers depend on their order.
        for term in terms(query).into_iter().collect::<BTreeSet<_>>() {
            let Some(found) = self.occurrences.get(&term) else { continue };
            let with = found.len() as f64;
            let rarity = (1.0 + (texts - with + 0.5) / (with + 0.5)).ln();
            for (at, times) in found {
                let norm = K1 * (1.0 - B + B * self.lengths[*at] / mean);
                *scores.entry(*at).or_default() += rarity * times * (K1 + 1.0) / (times + norm);
            }
        }
        scores.into_iter().collect()
    }
}

/// Whether an English word, in lower case, carries no content.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split_whitespace().any(|stop| stop == word)
}

/// The words of a text in lower case, with runs of Han characters as one word each.
pub fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut last: Option<bool> = None;
    for c in text.chars() {
        let kind = c.is_alphanumeric().then(|| is_han(c));
        if let Some(han) = kind {
            if last != Some(han) {
                found.push(String::new());
            }
            if let Some(word) = found.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        last = kind;
    }
    found
}

fn terms(text: &str) -> Vec<String> {
    let stemmer = Stemmer::new(Algorithm::English);
    let mut terms = Vec::new();
    for word in words(text) {
        let characters: Vec<char> = word.chars().collect();
        if characters.first().is_some_and(|c| is_han(*c)) {
            terms.extend(characters.iter().map(char::to_string));
            terms.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if !is_stop_word(&word) {
            terms.push(stemmer.stem(&word).into_owned());
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[&str]) -> Bm25 {
        let texts: Vec<Text> = texts
            .iter()
            .enumerate()
            .map(|(n, text)| Text { book: "book".into(), id: n.to_string(), text: (*text).to_owned() })
            .collect();
        Bm25::new(&texts)
    }

    #[test]
    fn the_rarer_word_and_the_shorter_text_come_first() {
        let floor = index(&["the king rode home", "the king saw a fox", "a fox, a hen and the old king of the hills"]);
        assert_eq!(floor.rank("book", "foxes of the king", 10), ["1", "2", "0"]);
    }

    #[test]
    fn chinese_is_read_by_characters_and_bigrams() {
        assert_eq!(terms("雨夜，桥"), ["雨", "夜", "雨夜", "桥"]);
        assert_eq!(index(&["夜里下雨", "那个雨夜很长"]).rank("book", "雨夜", 10), ["1", "0"]);
    }

    #[test]
    fn a_query_without_a_shared_term_finds_nothing() {
        assert!(index(&["the king rode home"]).rank("book", "is it the duel", 10).is_empty());
    }

    #[test]
    fn the_score_is_that_of_the_formula() {
        // Of three texts one has the term, twice among its four; the mean length is two.
        let floor = index(&["fox hen fox cow", "hen", "owl"]);
        let expected = (1.0_f64 + 2.5 / 1.5).ln() * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 2.0));
        let [(0, score)] = floor.books["book"].scores("the foxes")[..] else { panic!("one text") };
        assert!((score - expected).abs() < 1e-12, "{score} {expected}");
    }
}
