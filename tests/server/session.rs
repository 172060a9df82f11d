//! The session of a team in `docs/embedding.md` is replayed.

use std::fs;

use palimpsest_server_tests::{Database, Server, repository, run_command};
use serde_json::Value;

/// Whether an answer is as documented: it has all fields of `expected`. A text that ends with an ellipsis stands for
/// any with that beginning.
fn is_as_documented(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::String(expected), Value::String(actual)) if expected.ends_with('…') => {
            actual.starts_with(expected.trim_end_matches('…'))
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(a, b)| is_as_documented(a, b))
        }
        (Value::Object(expected), Value::Object(actual)) => expected
            .iter()
            .all(|(name, expected)| actual.get(name).is_some_and(|actual| is_as_documented(expected, actual))),
        (expected, actual) => expected == actual,
    }
}

#[test]
fn the_session_in_the_documentation_is_that_of_the_server() {
    let Some(database) = Database::new() else { return };
    let page = fs::read_to_string(repository("docs/embedding.md")).unwrap();
    let session = page.split("<!-- session: server -->").nth(1).unwrap();
    let session = session.split("```jsonc\n").nth(1).unwrap().split("```").next().unwrap();
    let (mut server, mut client, mut id, mut response, mut answers) = (None, None, String::new(), None, 0);
    for line in session.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line = line.replace("QA_ID", &id);
        if let Some(words) = line.strip_prefix("$ palimpsest-server ") {
            let words: Vec<&str> = words.split(' ').collect();
            if words == ["serve"] {
                continue;
            }
            let printed = run_command(&database.address(), &words).unwrap();
            if words[0] == "key" {
                let key = printed.lines().last().unwrap().to_owned();
                client = Some(server.get_or_insert_with(|| Server::start(&database.address())).client(&key));
            }
        } else if let Some(request) = line.strip_prefix("→ ") {
            let (head, body) = request.split_once(" {").map_or((request, None), |(head, body)| (head, Some(body)));
            let mut words = head.split(' ');
            let (method, path) = (words.next().unwrap(), words.next().unwrap());
            let headers = words.next().map(|key| format!("idempotency-key: {key}\r\n")).unwrap_or_default();
            let body = body.map(|body| format!("{{{body}")).unwrap_or_default();
            let headers = format!("content-type: application/json\r\n{headers}");
            let sent = client.as_mut().unwrap().send(method, path, &headers, body).unwrap();
            if let Some(recorded) = sent.body["qa_id"].as_str() {
                recorded.clone_into(&mut id);
            }
            response = Some(sent);
        } else {
            let (status, body) = line.strip_prefix("← ").unwrap().split_once(' ').unwrap();
            let (expected, actual) = (serde_json::from_str::<Value>(body).unwrap(), response.take().unwrap());
            assert_eq!(status, actual.status.to_string(), "{line}: {actual:?}");
            assert!(is_as_documented(&expected, &actual.body), "documented: {expected}\nanswered: {}", actual.body);
            answers += 1;
        }
    }
    assert!(answers >= 6, "{answers}");
}
