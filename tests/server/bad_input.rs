//! Requests of a wrong form are refused with a code and a field, and nothing of them is in the answer or in the log.

use palimpsest_server_tests::Client;
use serde_json::{Value, json};

use crate::{ANSWER, QUESTION, Team, of_ferry, record};

/// A word that is in many requests, and must be in no answer and no line of the log.
const WORD: &str = "zyxquorn雨";

#[track_caller]
fn refusal_of(client: &mut Client, route: &str, body: &Value) -> (String, String) {
    let refused = client.post(route, body);
    assert!((400..500).contains(&refused.status), "{route} {body}: {refused:?}");
    assert!(!format!("{refused:?}").contains("zyxquorn"), "{refused:?}");
    (refused.code().to_owned(), refused.body["error"]["field"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn every_wrong_field_is_named_and_no_text_of_a_request_is_in_an_answer_or_in_the_log() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    let id = record(&mut client, QUESTION, ANSWER);
    let long = |bytes: usize| "字".repeat(bytes / 3 + 1);
    let search = json!({ "query": WORD });
    let candidate = json!({ "question": WORD, "answer": WORD });
    let validation = json!({ "qa_id": id, "result": "pass" });
    let cases = [
        ("search", &search, "query", json!(""), "query"),
        ("search", &search, "query", json!("？！"), "query"),
        ("search", &search, "query", json!(format!("{WORD}\u{0}")), "query"),
        ("search", &search, "query", json!(long(10_000)), "query"),
        ("search", &search, "query", json!(7), "query"),
        ("search", &search, "query", json!([WORD]), "query"),
        ("search", &search, "limit", json!(0), "limit"),
        ("search", &search, "limit", json!(51), "limit"),
        ("search", &search, "limit", json!(-1), "limit"),
        ("search", &search, "limit", json!(WORD), "limit"),
        ("search", &search, "min_score", json!(1.5), "min_score"),
        ("search", &search, "project_id", json!(null), "project_id"),
        ("candidates", &candidate, "answer", json!(long(100_000)), "answer"),
        ("candidates", &candidate, "answer", json!(format!("{WORD}\u{1b}[0m")), "answer"),
        ("candidates", &candidate, "question", json!("\n"), "question"),
        ("candidates", &candidate, "confidence", json!(2), "confidence"),
        ("candidates", &candidate, "tags", json!(vec!["a"; 21]), "tags"),
        ("candidates", &candidate, "tags", json!([WORD, 7]), "tags[1]"),
        ("candidates", &candidate, "summary", json!(long(1_000)), "summary"),
        ("candidates", &candidate, "metadata", json!({ "answer_id": "" }), "metadata.answer_id"),
        ("hit", &json!({}), "references", json!([{ "qa_id": 7 }]), "references[0].qa_id"),
        ("hit", &json!({}), "references", json!([{ "qa_id": WORD, "used": WORD }]), "references[0].used"),
        ("hit", &json!({}), "references", json!(vec![json!({ "qa_id": "a" }); 51]), "references"),
        ("validate", &validation, "result", json!(WORD), "result"),
        ("validate", &validation, "result", json!(null), "result"),
        ("validate", &validation, "signal_strength", json!("certain"), "signal_strength"),
        ("validate", &validation, "payload", json!({ "validation_id": WORD.repeat(99) }), "payload.validation_id"),
    ];
    for (route, body, field, value, named) in cases {
        let mut body = of_ferry(body.clone());
        body[field] = value;
        assert_eq!(refusal_of(&mut client, route, &body), ("invalid_request".into(), named.into()), "{route} {field}");
    }
    let secret = format!("ghp_{}", "a1B2c3".repeat(6));
    for (field, text) in [("question", format!("Does {secret} open it?")), ("answer", format!("{WORD} {secret}"))] {
        let mut body = of_ferry(candidate.clone());
        body[field] = json!(text);
        assert_eq!(refusal_of(&mut client, "candidates", &body), ("secret".into(), field.into()));
    }
    for id in ["00000000-0000-7000-8000-000000000000", WORD] {
        let body = of_ferry(json!({ "qa_id": id, "result": "pass" }));
        assert_eq!(refusal_of(&mut client, "validate", &body), ("not_found".into(), "qa_id".into()));
    }
    assert_eq!(team.database.sql("SELECT count(*) FROM answers"), "1");
    team.server.terminate();
    let (code, log) = team.server.wait();
    assert_eq!(code, Some(0));
    assert!(log.lines().count() > 30, "{log}");
    for word in ["zyxquorn", "ghp_", "harbour", "ferry", &team.key] {
        assert!(!log.contains(word), "{word} in {log}");
    }
    let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|line| line["event"].is_string());
    assert!(log.lines().all(is_json), "{log}");
}

#[test]
fn bytes_that_are_no_request_of_the_wire_are_refused_and_the_server_serves_on() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    let json = "content-type: application/json\r\n";
    for body in ["", "{", "[]", "null", "\"text\"", "{\"project_id\":\"ferry\"} {}", "{\"a\":1e999}"] {
        assert_eq!(client.send("POST", "/v1/qa/search", json, body).unwrap().code(), "invalid_request", "{body}");
    }
    let bytes = b"{\"project_id\":\"ferry\",\"query\":\"\xff\"}";
    assert_eq!(client.send("POST", "/v1/qa/search", json, bytes).unwrap().code(), "invalid_request");
    let nested = "[".repeat(100_000);
    assert_eq!(client.send("POST", "/v1/qa/search", json, nested).unwrap().code(), "invalid_request");
    let text = client.send("POST", "/v1/qa/search", "content-type: text/plain\r\n", "{}").unwrap();
    assert_eq!((text.status, text.code()), (415, "unsupported_media_type"));
    let get = client.get("/v1/qa/search");
    assert_eq!((get.status, get.code(), get.header("allow")), (405, "method_not_allowed", Some("post")));
    for path in ["/", "/v1/qa/search/", "/v1/qa/forget", "/../openapi.json"] {
        assert_eq!(client.get(path).code(), "not_found", "{path}");
    }
    for request in ["GET\r\n\r\n", "POST /v1/qa/search HTTP/1.1\r\ncontent-length: -1\r\n\r\n", "\u{0}\u{1}\r\n\r\n"] {
        let mut fresh = team.member();
        fresh.checks = false;
        // Refused by the protocol, or closed.
        assert!(fresh.exchange(request.as_bytes()).is_none_or(|refused| refused.status == 400), "{request:?}");
    }
    assert_eq!(client.get("/health").status, 200);
}
