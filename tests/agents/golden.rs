//! Command lines and streams, byte for byte (`tests/fixtures/agent-cases.jsonl`).

use std::fs;

use palimpsest_agents::{Assistant, StreamEvent, StreamReader, ToolState};
use serde_json::{Value, json};

use super::{Event, Stage};

fn cases(area: &str) -> Vec<Value> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/agent-cases.jsonl")).unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let found: Vec<Value> = all.filter(|case| case["id"].as_str().unwrap().starts_with(area)).collect();
    assert!(!found.is_empty());
    found
}

fn kind_of(case: &Value) -> Assistant {
    let name = case["input"]["backend"].as_str().unwrap();
    Assistant::KNOWN.into_iter().find(|kind| kind.as_str() == name).unwrap()
}

#[test]
fn each_program_is_given_its_arguments_and_the_prompt_byte_for_byte() {
    for case in cases("argv") {
        let mut stage = Stage::new(kind_of(&case));
        stage.model = case["input"]["model"].as_str().map(str::to_owned);
        stage.script(&[]);
        let times = case["input"]["times"].as_u64().unwrap_or(1);
        let prompt = case["input"]["prompt"].as_str().unwrap().repeat(times.try_into().unwrap());
        let (outcome, _) = stage.ask_program(&prompt);
        assert_eq!(outcome.unwrap().exit_code, Some(0), "{}", case["id"]);
        let seen = stage.seen().unwrap();
        let folder = seen["cwd"].as_str().unwrap();
        let expected: Vec<String> = case["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part.as_str().unwrap().replace("{RUN}", folder))
            .collect();
        assert_eq!(seen["argv"], json!(expected), "{}", case["id"]);
        assert_eq!(seen["stdinHash"], blake3::hash(prompt.as_bytes()).to_hex().as_str(), "{}", case["id"]);
        assert!(folder.starts_with(stage.path("tmp").to_str().unwrap()), "in the copy, not in the book");
        let mut environment = vec!["HOME", "LANG", "PATH", "TEMP", "TMP", "TMPDIR"];
        if kind_of(&case) == Assistant::Gemini {
            environment.insert(0, "GEMINI_CLI_TRUST_WORKSPACE");
        }
        assert_eq!(seen["environment"], json!(environment));
    }
}

#[test]
fn each_stream_is_read_line_by_line() {
    for case in cases("stream") {
        let (lines, ours) = (case["input"]["lines"].as_array().unwrap(), &case["ours"]);
        let mut reader = StreamReader::new(kind_of(&case));
        let mut events = Vec::new();
        for line in lines {
            for event in reader.read_line(line.as_str().unwrap().as_bytes()) {
                let or_null = |text: String| if text.is_empty() { Value::Null } else { json!(text) };
                events.push(match event {
                    StreamEvent::Text(_) => continue,
                    StreamEvent::ToolRequest { id, tool } => {
                        json!({ "event_type": "tool.request", "id": id, "tool": or_null(tool), "ok": null })
                    }
                    StreamEvent::ToolResult { id, tool, is_ok } => {
                        json!({ "event_type": "tool.result", "id": id, "tool": or_null(tool), "ok": is_ok })
                    }
                });
            }
        }
        let read = json!({ "events": events, "answer": reader.answer(), "ended": reader.result(),
            "bad_lines": reader.bad_lines(), "wrote": reader.wrote() });
        assert_eq!(read, *ours, "{}", case["id"]);
    }
}

#[test]
fn each_stream_of_a_program_becomes_an_outcome() {
    for case in cases("stream") {
        let stage = Stage::new(kind_of(&case));
        let steps: Vec<Value> =
            case["input"]["lines"].as_array().unwrap().iter().map(|line| json!({ "out": line })).collect();
        stage.script(&steps);
        let (outcome, events) = stage.ask_program("What colour?");
        let (outcome, ours) = (outcome.unwrap(), &case["ours"]);
        assert_eq!(outcome.answer, ours["answer"].as_str().unwrap(), "{}", case["id"]);
        assert_eq!(json!(outcome.is_result_ok), ours["ended"], "{}", case["id"]);
        assert_eq!(json!(outcome.bad_lines), ours["bad_lines"], "{}", case["id"]);
        let tools: Vec<(&str, ToolState)> = events
            .iter()
            .filter_map(|event| match event {
                Event::Tool(name, state) => Some((name.as_str(), *state)),
                _ => None,
            })
            .collect();
        let expected: Vec<(&str, ToolState)> = ours["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| {
                let state = match event["ok"].as_bool() {
                    None => ToolState::Started,
                    Some(true) => ToolState::Succeeded,
                    Some(false) => ToolState::Failed,
                };
                (event["tool"].as_str().unwrap_or_default(), state)
            })
            .collect();
        assert_eq!(tools, expected, "{}", case["id"]);
    }
}
