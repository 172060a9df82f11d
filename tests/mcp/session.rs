//! The session in `docs/embedding.md` is replayed: its requests are sent, and its answers are those of the server.

use std::fs;

use serde_json::Value;

use super::{Books, lines::Raw};
use crate::contract::repository;

/// Whether an answer is as documented: it has all fields of `expected`. A text or list that ends with an ellipsis
/// stands for any with that beginning.
fn is_as_documented(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::String(expected), actual) if expected.ends_with('…') => {
            let start = expected.trim_end_matches('…');
            actual.as_str().is_some_and(|actual| actual.starts_with(start)) || start.is_empty() && actual.is_number()
        }
        (Value::Array(expected), Value::Array(actual)) => {
            let is_open = expected.last().is_some_and(|last| last == "…");
            let expected = &expected[..expected.len() - usize::from(is_open)];
            (is_open || expected.len() == actual.len())
                && expected.iter().zip(actual).all(|(expected, actual)| is_as_documented(expected, actual))
        }
        (Value::Object(expected), Value::Object(actual)) => expected
            .iter()
            .all(|(name, expected)| actual.get(name).is_some_and(|actual| is_as_documented(expected, actual))),
        (expected, actual) => expected == actual,
    }
}

#[test]
fn the_session_in_the_documentation_is_that_of_the_server() {
    let page = fs::read_to_string(repository("docs/embedding.md")).unwrap();
    let session = page.split("<!-- session: mcp -->").nth(1).unwrap();
    let session = session.split("```jsonc\n").nth(1).unwrap().split("```").next().unwrap();
    let books = Books::new();
    let mut raw = Raw::start(books.command(&[&books.english], &["--allow-write"]));
    let mut answers = 0;
    for line in session.lines().filter(|line| !line.trim().is_empty()) {
        let line = line.replace("PROJECT", &books.english);
        if let Some(request) = line.strip_prefix("→ ") {
            raw.send_line(request.as_bytes());
        } else {
            let expected: Value = serde_json::from_str(line.strip_prefix("← ").unwrap()).unwrap();
            let actual = raw.message();
            assert!(is_as_documented(&expected, &actual), "documented: {expected}\nanswered: {actual}");
            answers += 1;
        }
    }
    assert!(answers >= 5, "{answers}");
    assert_eq!(raw.wait_for_exit().0, Some(0));
}
