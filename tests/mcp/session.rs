//! The sessions in `docs/embedding.md` are replayed: their requests are sent, and the answers are as documented.

use std::{fs, process::Command};

use palimpsest_tests::host_binary;
use serde_json::Value;
use tempfile::TempDir;

use super::{Books, lines::Raw};
use crate::contract::repository;

/// The lines of a session of the page.
fn session(name: &str) -> Vec<String> {
    let page = fs::read_to_string(repository("docs/embedding.md")).unwrap();
    let session = page.split(&format!("<!-- session: {name} -->")).nth(1).unwrap();
    let session = session.split("```jsonc\n").nth(1).unwrap().split("```").next().unwrap();
    session.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

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
    let books = Books::new();
    let mut raw = Raw::start(books.command(&[&books.english], &["--allow-write"]));
    let mut answers = 0;
    for line in session("mcp") {
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

#[test]
fn the_session_of_an_editor_in_the_documentation_is_that_of_the_host() {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(host_binary());
    command.arg("--data-dir").arg(folder.path().join("data")).args(["--embedder", "nowhere"]);
    let mut raw = Raw::start(command);
    // The names on the page, and the ids of this session.
    let mut ids: Vec<(&str, String)> = Vec::new();
    let mut answers = 0;
    for line in session("host") {
        let line = ids.iter().fold(line, |line, (name, id)| line.replace(name, id));
        if let Some(request) = line.strip_prefix("→ ") {
            raw.send_line(request.as_bytes());
            continue;
        }
        let mut expected: Value = serde_json::from_str(line.strip_prefix("← ").unwrap()).unwrap();
        // Other events come in between.
        let actual = loop {
            let message = raw.message();
            if message["id"] == expected["id"] && message["method"] == expected["method"] {
                break message;
            }
            assert!(message["method"].is_string(), "documented: {expected}\nanswered: {message}");
        };
        for (field, name) in [("projectId", "BOOK"), ("generationId", "RUN")] {
            if expected["result"][field] == name {
                let id = actual["result"][field].clone();
                ids.push((name, id.as_str().unwrap().to_owned()));
                expected["result"][field] = id;
            }
        }
        assert!(is_as_documented(&expected, &actual), "documented: {expected}\nanswered: {actual}");
        answers += 1;
    }
    assert_eq!((answers, ids.len()), (9, 2));
    assert_eq!(raw.wait_for_exit().0, Some(0));
}
