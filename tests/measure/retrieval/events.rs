//! Short queries of a book written for this measurement: sixty events, each told in Chinese and in English, with two
//! queries in each language. For a query across languages the relevant text is the event in the other language, and the
//! one in the query's own language is not in the book.

use std::path::Path;

use serde_json::Value;

use crate::sets::{Query, Text, chapters, passages};

const EVENTS: &str = include_str!("events.json");
/// Events in a small book.
const SMALL: usize = 10;
/// The book with all events and thousands of other passages.
const LARGE: &str = "large";
/// Minimum characters of the other passages in a large book.
const MIN_CHARS: [(&str, usize); 2] = [("zh", 150), ("en", 330)];

struct Event {
    number: usize,
    zh: Telling,
    en: Telling,
}

struct Telling {
    text: String,
    queries: Vec<String>,
}

fn events() -> Vec<Event> {
    let events: Vec<Value> = serde_json::from_str(EVENTS).expect("events.json is a list");
    let telling = |one: &Value| Telling {
        text: one["text"].as_str().unwrap_or_default().to_owned(),
        queries: one["queries"].as_array().into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect(),
    };
    events
        .iter()
        .enumerate()
        .map(|(number, one)| Event { number, zh: telling(&one["zh"]), en: telling(&one["en"]) })
        .collect()
}

impl Event {
    fn telling(&self, language: &str) -> &Telling {
        if language == "zh" { &self.zh } else { &self.en }
    }

    fn text(&self, book: &str, language: &str) -> Text {
        Text { book: book.to_owned(), id: self.id(book, language), text: self.telling(language).text.clone() }
    }

    fn id(&self, book: &str, language: &str) -> String {
        format!("{book}: {language} {}", self.number)
    }

    fn small_book(&self, language: &str) -> String {
        format!("ten in {language}, {}", self.number / SMALL)
    }
}

/// The books of ten episodes, in one language each.
pub fn small_books() -> Vec<Text> {
    let languages = ["zh", "en"].iter();
    languages.flat_map(|it| events().into_iter().map(|event| event.text(&event.small_book(it), it))).collect()
}

/// The events in one language, for the large book.
pub fn in_large_book(language: &str) -> Vec<Text> {
    events().iter().map(|event| event.text(LARGE, language)).collect()
}

/// The other passages of the large book, of published stories in both languages.
pub fn others(data: &Path) -> Result<Vec<Text>, String> {
    let mut texts = Vec::new();
    for (language, min) in MIN_CHARS {
        for chapter in chapters(data, language)? {
            for text in passages(&chapter.text, min) {
                texts.push(Text { book: LARGE.to_owned(), id: format!("other {}", texts.len()), text });
            }
        }
    }
    Ok(texts)
}

/// Queries in the language `from` for the events in the language `to`, in the small books or in the large one. Even and
/// odd queries are of different events.
pub fn queries(from: &str, to: &str, large: bool) -> Vec<Query> {
    let events = events();
    let of_pair = |pair: &[Event]| {
        let query = |event: &Event, n: usize| {
            let book = if large { LARGE.to_owned() } else { event.small_book(to) };
            let relevant = vec![event.id(&book, to)];
            Some(Query { book, text: event.telling(from).queries.get(n)?.clone(), relevant })
        };
        [0, 1].iter().flat_map(|n| pair.iter().filter_map(|event| query(event, *n))).collect::<Vec<_>>()
    };
    events.chunks(2).flat_map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_told_in_both_languages_with_two_short_queries_in_each() {
        assert_eq!(events().len(), 60);
        for event in events() {
            assert!((40..=200).contains(&event.zh.text.chars().count()), "{}", event.zh.text);
            assert!((30..=110).contains(&event.en.text.split_whitespace().count()), "{}", event.en.text);
            assert_eq!((event.zh.queries.len(), event.en.queries.len()), (2, 2), "{}", event.zh.text);
            for query in &event.zh.queries {
                assert!((2..=8).contains(&query.chars().count()), "{query}");
            }
            for query in &event.en.queries {
                assert!((1..=4).contains(&query.split_whitespace().count()), "{query}");
            }
        }
    }

    #[test]
    fn few_queries_stand_word_for_word_in_their_passage() {
        for language in ["zh", "en"] {
            let events = events();
            let all: Vec<(&str, String)> = events
                .iter()
                .map(|event| event.telling(language))
                .flat_map(|it| it.queries.iter().map(|query| (query.as_str(), it.text.to_lowercase())))
                .collect();
            let same: Vec<&str> = all.iter().filter(|(query, text)| text.contains(query)).map(|it| it.0).collect();
            assert!(same.len() * 3 <= all.len(), "{} of {} in {language}: {same:?}", same.len(), all.len());
        }
    }

    #[test]
    fn a_query_across_languages_finds_only_the_other_language_in_its_book() {
        let small = small_books();
        for query in queries("zh", "en", false) {
            let book: Vec<&Text> = small.iter().filter(|text| text.book == query.book).collect();
            assert_eq!(book.len(), SMALL);
            assert!(book.iter().all(|text| text.text.is_ascii()), "{}", query.book);
            assert_eq!(book.iter().filter(|text| query.relevant.contains(&text.id)).count(), 1);
        }
    }

    #[test]
    fn halves_are_of_different_events() {
        let half = |n: usize| queries("zh", "zh", true).into_iter().skip(n).step_by(2).map(|query| query.relevant);
        assert!(half(0).all(|relevant| half(1).all(|other| other != relevant)));
        assert_eq!(queries("en", "zh", false).len(), 120);
    }
}
