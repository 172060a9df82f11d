//! Short queries of books written for this measurement: two lists of sixty events, each told in Chinese and in English,
//! with two queries in each language. For a query across languages the relevant text is the event in the other
//! language, and the one in the query's own language is not in the book.

use std::path::Path;

use serde_json::Value;

use crate::sets::{Query, Text, chapters, passages};

/// A list of events.
#[derive(Clone, Copy, PartialEq)]
pub enum List {
    /// Its even queries were used to choose weights.
    First,
    /// No weight was chosen by it. It was written before results of single queries of the first list were looked at.
    Second,
}

/// Events in a small book.
const TEN: usize = 10;
/// Minimum characters of the other passages of a large book, by their language.
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

fn events(list: List) -> Vec<Event> {
    let file = match list {
        List::First => include_str!("events.json"),
        List::Second => include_str!("more_events.json"),
    };
    let events: Vec<Value> = serde_json::from_str(file).expect("a list of events");
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
}

/// A kind of book.
#[derive(Clone, Copy, PartialEq)]
pub enum Size {
    /// Ten events.
    Ten,
    /// All events, and over a thousand other passages in the same language.
    Large,
    /// All events, and over three thousand other passages in both languages.
    Mixed,
}

impl Size {
    /// The book in which an event is told in this language. The large Chinese and English books are two; the mixed one
    /// is the large English book after Chinese passages are added to it.
    fn book(self, list: List, language: &str, event: usize) -> String {
        match (self, list) {
            (Self::Ten, List::First) => format!("ten in {language}, {}", event / TEN),
            (Self::Ten, List::Second) => format!("ten more in {language}, {}", event / TEN),
            (Self::Large, List::First) => format!("large in {language}"),
            (Self::Large, List::Second) => format!("second large in {language}"),
            (Self::Mixed, _) => Self::Large.book(list, "en", event),
        }
    }
}

/// All events of a list in one language.
pub fn texts(list: List, language: &str, size: Size) -> Vec<Text> {
    let text = |event: &Event| {
        let book = size.book(list, language, event.number);
        Text { id: id(&book, language, event), book, text: event.telling(language).text.clone() }
    };
    events(list).iter().map(text).collect()
}

fn id(book: &str, language: &str, event: &Event) -> String {
    format!("{book}: {language} {}", event.number)
}

/// The other passages of a large book, of published stories in one language.
pub fn others(data: &Path, list: List, language: &str, size: Size) -> Result<Vec<Text>, String> {
    let min = MIN_CHARS.iter().find(|(it, _)| *it == language).map_or(0, |(_, min)| *min);
    let book = size.book(list, language, 0);
    let chapters = chapters(data, language)?;
    let texts = chapters.iter().flat_map(|chapter| passages(&chapter.text, min)).enumerate();
    Ok(texts
        .map(|(n, text)| Text { book: book.clone(), id: format!("{book}, other in {language}: {n}"), text })
        .collect())
}

/// Queries in the language `from` for the events in the language `to`. Even and odd queries are of different events.
pub fn queries(list: List, from: &str, to: &str, size: Size) -> Vec<Query> {
    let events = events(list);
    let of_pair = |pair: &[Event]| {
        let query = |event: &Event, n: usize| {
            let book = size.book(list, to, event.number);
            let relevant = vec![id(&book, to, event)];
            Some(Query { book, text: event.telling(from).queries.get(n)?.clone(), relevant })
        };
        [0, 1].iter().flat_map(|n| pair.iter().filter_map(|event| query(event, *n))).collect::<Vec<_>>()
    };
    events.chunks(2).flat_map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: [List; 2] = [List::First, List::Second];

    #[test]
    fn every_event_is_told_in_both_languages_with_two_short_queries_in_each() {
        for events in LISTS.map(events) {
            assert_eq!(events.len(), 60);
            for event in events {
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
    }

    #[test]
    fn few_queries_stand_word_for_word_in_their_passage() {
        for (list, language) in LISTS.into_iter().flat_map(|list| [(list, "zh"), (list, "en")]) {
            let events = events(list);
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
        for list in LISTS {
            let texts = texts(list, "en", Size::Ten);
            for query in queries(list, "zh", "en", Size::Ten) {
                let book: Vec<&Text> = texts.iter().filter(|text| text.book == query.book).collect();
                assert_eq!(book.len(), TEN);
                assert!(book.iter().all(|text| text.text.is_ascii()), "{}", query.book);
                assert_eq!(book.iter().filter(|text| query.relevant.contains(&text.id)).count(), 1);
            }
        }
    }

    #[test]
    fn halves_are_of_different_events() {
        let half = |n: usize| {
            queries(List::First, "zh", "zh", Size::Mixed).into_iter().skip(n).step_by(2).map(|query| query.relevant)
        };
        assert!(half(0).all(|relevant| half(1).all(|other| other != relevant)));
        assert_eq!(queries(List::First, "en", "zh", Size::Ten).len(), 120);
    }
}
