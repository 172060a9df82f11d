//! Long texts: passages joined to sessions of 3,000 to 20,000 characters. The queries are those of the passages, and
//! the session is relevant.

use std::collections::HashMap;

use palimpsest_text::random::SplitMix64;

use crate::sets::{Query, Set, Text};

const SEED: u64 = 18;
const MIN_CHARS: usize = 3_000;
const MAX_CHARS: usize = 20_000;

/// Sessions of consecutive passages of one story each; the id of a passage is `STORY#NUMBER`.
pub fn of_stories(set: &Set, book: &str) -> Set {
    joined(set, book, |text| text.id.split('#').next().unwrap_or_default())
}

/// Sessions of articles in random order.
pub fn of_articles(set: &Set, book: &str) -> Set {
    let mut texts = set.texts.clone();
    SplitMix64::new(SEED).shuffle(&mut texts);
    joined(&Set { texts, queries: set.queries.clone() }, book, |_| "")
}

/// Joins the texts of each story in their order until a random length is reached. A rest that is too short belongs to
/// the session before it, and is dropped with its queries where that would become too long.
fn joined(set: &Set, book: &str, story: fn(&Text) -> &str) -> Set {
    let mut random = SplitMix64::new(SEED);
    let mut texts: Vec<Text> = Vec::new();
    let mut session_of: HashMap<&str, String> = HashMap::new();
    for story in set.texts.chunk_by(|a, b| story(a) == story(b)) {
        let first = texts.len();
        let mut rest = story;
        while !rest.is_empty() {
            let wanted = MIN_CHARS + random.below(MAX_CHARS - MIN_CHARS);
            let mut length = 0;
            let mut fits = |text: &&Text| {
                length += chars(&text.text);
                length <= wanted
            };
            let taken = rest.iter().take_while(|text| fits(text)).count().max(1);
            let (members, others) = rest.split_at(taken);
            rest = others;
            let text = members.iter().map(|member| member.text.as_str()).collect::<Vec<_>>().join("\n\n");
            let is_long = chars(&text) >= MIN_CHARS;
            let count = texts.len();
            let id = match texts[first..].last_mut() {
                Some(before) if !is_long && chars(&before.text) + chars(&text) <= MAX_CHARS => {
                    before.text = format!("{}\n\n{text}", before.text);
                    before.id.clone()
                }
                _ if !is_long && rest.is_empty() => break,
                _ => {
                    let id = format!("{book}:{count}");
                    texts.push(Text { book: book.to_owned(), id: id.clone(), text });
                    id
                }
            };
            session_of.extend(members.iter().map(|member| (member.id.as_str(), id.clone())));
        }
    }
    let mut queries = Vec::new();
    for query in &set.queries {
        let mut relevant: Vec<String> =
            query.relevant.iter().filter_map(|id| session_of.get(id.as_str()).cloned()).collect();
        relevant.dedup();
        if !relevant.is_empty() {
            queries.push(Query { book: book.to_owned(), text: query.text.clone(), relevant });
        }
    }
    Set { texts, queries }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five stories of thirty passages of 800 characters each, with a query a passage.
    fn set() -> Set {
        let ids: Vec<String> = (0..5).flat_map(|story| (0..30).map(move |n| format!("story {story}#{n}"))).collect();
        let text = |id: &String| Text { book: "b".into(), id: id.clone(), text: format!("{id} {}", "x".repeat(790)) };
        let query =
            |id: &String| Query { book: "b".into(), text: format!("where is {id}"), relevant: vec![id.clone()] };
        Set { texts: ids.iter().map(text).collect(), queries: ids.iter().map(query).collect() }
    }

    #[test]
    fn a_session_has_passages_of_one_story_in_order_and_a_length_within_the_bounds() {
        let sessions = of_stories(&set(), "long");
        assert!(sessions.texts.len() >= 5);
        for session in &sessions.texts {
            assert!((MIN_CHARS..=MAX_CHARS).contains(&chars(&session.text)), "{}", chars(&session.text));
            let passages: Vec<&str> = session.text.split("\n\n").map(|it| it.split(" x").next().unwrap()).collect();
            let numbers: Vec<usize> =
                passages.iter().map(|it| it.split('#').nth(1).unwrap().parse().unwrap()).collect();
            assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{passages:?}");
            assert!(passages.iter().all(|it| it.split('#').next() == passages[0].split('#').next()), "{passages:?}");
        }
    }

    #[test]
    fn the_relevant_session_has_the_passage_of_the_query() {
        let sessions = of_stories(&set(), "long");
        for query in &sessions.queries {
            let session = sessions.texts.iter().find(|text| text.id == query.relevant[0]).unwrap();
            assert!(session.text.contains(query.text.trim_start_matches("where is ")), "{}", query.text);
        }
    }

    #[test]
    fn sessions_are_the_same_each_time() {
        let (one, other) = (of_articles(&set(), "long"), of_articles(&set(), "long"));
        assert_eq!((one.texts, one.queries), (other.texts, other.queries));
    }
}
