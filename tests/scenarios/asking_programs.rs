//! Programs that answer a question: their streams, their limits, and their ends.

use std::{fs, time::Duration};

use palimpsest_api::agents::Limits;
use palimpsest_tests::text;
use serde_json::{Value, json};

use crate::{
    answers::{listed, of_book},
    asking::statuses,
    asking_stage::{ANSWER, QUESTION, Stage, has_ended, result, spoken},
};

/// A limit that a test waits for.
const SHORT: Duration = Duration::from_millis(300);

fn printed(lines: &[Value]) -> Vec<Value> {
    lines.iter().map(|line| json!({ "out": line.to_string() })).collect()
}

/// The stream of Codex: words, a command, the answer.
fn codex(answer: &str) -> Vec<Value> {
    let command = |kind: &str, more: Value| {
        let mut item = json!({ "id": "i1", "type": "command_execution", "command": "cat 001.md" });
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "type": kind, "item": item })
    };
    printed(&[
        json!({ "type": "thread.started", "thread_id": "th1" }),
        json!({ "type": "turn.started" }),
        command("item.started", json!({})),
        command("item.completed", json!({ "aggregated_output": "text", "exit_code": 0, "status": "completed" })),
        json!({ "type": "item.completed", "item": { "id": "i2", "type": "agent_message", "text": answer } }),
        json!({ "type": "turn.completed", "usage": { "input_tokens": 9, "output_tokens": 4 } }),
    ])
}

/// The stream of the Gemini CLI: a tool, and the answer in two pieces.
fn gemini(answer: &str) -> Vec<Value> {
    let (first, second) = answer.split_at(answer.len() / 2);
    let piece = |text: &str| json!({ "type": "message", "role": "assistant", "content": text, "delta": true });
    printed(&[
        json!({ "type": "init", "session_id": "g1", "model": "auto" }),
        json!({ "type": "message", "role": "user", "content": "the question" }),
        json!({ "type": "tool_use", "tool_name": "read_file", "tool_id": "r1", "parameters": {} }),
        json!({ "type": "tool_result", "tool_id": "r1", "status": "success", "output": "" }),
        piece(first),
        piece(second),
        json!({ "type": "result", "status": "success", "stats": { "total_tokens": 13 } }),
    ])
}

#[test]
fn each_program_answers_in_its_own_stream_and_its_quotes_are_verified() {
    for (kind, steps, tool) in [
        ("claude", vec![spoken(ANSWER), result(ANSWER)], None),
        ("codex", codex(ANSWER), Some("command_execution")),
        ("gemini", gemini(ANSWER), Some("read_file")),
        ("own", vec![json!({ "raw": ANSWER })], None),
    ] {
        let (stage, id) = Stage::with_program(kind, Limits::default());
        stage.script(kind, &steps);
        let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": id }));
        let answered = &asked.done["answered"];
        assert_eq!((&asked.done["status"], &asked.done["error"]), (&json!("finished"), &Value::Null), "{kind}");
        assert_eq!(
            (&answered["text"], statuses(&asked.done)),
            (&json!("They met in Harwick."), vec!["verified".into()]),
            "{kind}"
        );
        assert_eq!(answered["citations"][0]["quote"], "They had met in Harwick on 15 May 1983", "{kind}");
        assert_eq!(answered["kept"]["kind"], "canon", "{kind}");
        let streamed: String = asked.chunks.iter().map(|chunk| text(chunk, "text")).collect();
        assert_eq!(streamed, "They met in Harwick.", "{kind}");
        let tools: Vec<String> = asked.steps.iter().map(|step| text(step, "subject")).collect();
        assert_eq!(tools, tool.into_iter().map(str::to_owned).collect::<Vec<_>>(), "{kind}");
        let seen = fs::read_to_string(stage.folder.path().join(format!("bin/{kind}.seen.json"))).unwrap();
        let seen: Value = serde_json::from_str(&seen).unwrap();
        assert!(text(&seen, "stdin").contains(QUESTION), "{kind}");
        assert_eq!(seen["files"].as_object().unwrap().len(), 3, "{kind}: a file for each chapter");
        assert_eq!(fs::read_dir(stage.folder.path().join("tmp")).unwrap().count(), 0, "{kind}: the copy is gone");
    }
}

#[test]
fn a_program_of_the_writers_own_gets_its_arguments_and_its_model() {
    let stage = Stage::new();
    crate::backends::install(stage.folder.path(), "own");
    let own = json!({ "kind": "own", "name": "Mine", "program": stage.folder.path().join("bin/own"),
        "arguments": ["--quiet", "{model}", "a b"], "model": "small" });
    let own = stage.writer.ask("backend:save", own);
    stage.script("own", &[json!({ "raw": ANSWER })]);
    let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": own["backendId"] }));
    assert_eq!(asked.done["status"], "finished");
    let seen = fs::read_to_string(stage.folder.path().join("bin/own.seen.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&seen).unwrap()["argv"], json!(["--quiet", "small", "a b"]));
    let trace = json!({ "generationId": asked.done["answered"]["generationId"] });
    let trace = stage.writer.ask("memory:trace:get", of_book(&stage.project, trace));
    assert_eq!((&trace["provider"]["provider"], &trace["provider"]["model"]), (&json!("Mine"), &json!("small")));
}

#[test]
fn a_question_to_a_program_that_is_stopped_ends_the_program_and_keeps_nothing() {
    let (stage, id) = Stage::with_program("claude", Limits::default());
    let child = json!({ "child": true });
    stage.script("claude", &[child, spoken("They met in Harwick. "), json!({ "hang": true })]);
    let started = stage.start(json!({ "question": QUESTION, "backendId": id }));
    stage.writer.wait_for_event("ask:chunk");
    let stop = json!({ "runId": started["runId"] });
    assert_eq!(stage.writer.ask("ask:cancel", stop.clone()), json!({ "cancelled": true }));
    let asked = stage.end_of(started);
    assert_eq!((&asked.done["status"], &asked.done["answered"]["kept"]), (&json!("cancelled"), &Value::Null));
    assert_eq!(stage.writer.ask("ask:cancel", stop), json!({ "cancelled": false }));
    assert_eq!(listed(&stage.writer, &stage.project)["total"], 0);
    let journal = stage.writer.ask("journal:list", of_book(&stage.project, json!({ "kind": "ask" })));
    assert!(text(&journal["entries"][0], "content").contains("Stopped"), "{journal}");
    let seen = fs::read_to_string(stage.folder.path().join("bin/claude.seen.json")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    for pid in [&seen["pid"], &seen["child"]] {
        assert!(has_ended(pid.as_u64().unwrap()), "{pid} is left");
    }
    assert_eq!(fs::read_dir(stage.folder.path().join("tmp")).unwrap().count(), 0, "no copy is left");
}

#[test]
fn a_program_that_reaches_a_limit_is_ended_with_its_reason_and_nothing_is_kept() {
    let hang = json!({ "hang": true });
    let tool =
        json!({ "type": "assistant", "message": { "content": [{ "type": "tool_use", "id": "t", "name": "Grep" }] } });
    let tool = json!({ "out": tool.to_string() });
    let flood = json!({ "raw": "{}\n", "times": 20_000 });
    type Set = fn(&mut Limits);
    let cases: [(&str, Set, Vec<Value>); 6] = [
        ("silent", |limits| limits.first_line = SHORT, vec![hang.clone()]),
        ("silent", |limits| limits.silence = SHORT, vec![spoken("They met"), hang.clone()]),
        ("silent", |limits| limits.tool_silence = SHORT, vec![tool, hang.clone()]),
        ("timeout", |limits| limits.total = SHORT, vec![spoken(ANSWER), hang.clone()]),
        ("tooMuch", |_| {}, vec![spoken(ANSWER), flood]),
        (
            "tooMuch",
            |limits| limits.bytes = 1 << 20,
            vec![spoken(ANSWER), json!({ "raw": "x".repeat(1 << 16), "times": 64 })],
        ),
    ];
    for (number, (reason, set, steps)) in cases.into_iter().enumerate() {
        let mut limits = Limits { grace: SHORT, ..Limits::default() };
        set(&mut limits);
        let (stage, id) = Stage::with_program("claude", limits);
        stage.script("claude", &steps);
        let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": id }));
        assert_eq!((&asked.done["status"], asked.failure_reason()), (&json!("failed"), json!(reason)), "case {number}");
        assert_eq!(asked.done["error"]["code"], "MEMORY_MODEL_UNAVAILABLE", "case {number}");
        assert_eq!(
            (&asked.done["answered"]["kept"], &listed(&stage.writer, &stage.project)["total"]),
            (&Value::Null, &json!(0)),
            "case {number}"
        );
        // The next question is asked as usual.
        stage.script("claude", &[spoken(ANSWER), result(ANSWER)]);
        assert_eq!(
            stage.ask_book(json!({ "question": QUESTION, "backendId": id })).done["status"],
            "finished",
            "case {number}"
        );
    }
}

#[test]
fn a_program_without_an_answer_or_without_a_login_says_so_and_nothing_is_kept() {
    for (steps, reason) in [
        (vec![json!({ "exit": 0 })], "malformed"),
        (vec![json!({ "err": "Invalid API key · Please run /login\n" }), json!({ "exit": 1 })], "notLoggedIn"),
    ] {
        let (stage, id) = Stage::with_program("claude", Limits::default());
        stage.script("claude", &steps);
        let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": id }));
        assert_eq!((&asked.done["status"], asked.failure_reason()), (&json!("failed"), json!(reason)));
        assert_eq!((&asked.done["answered"]["kept"], &asked.done["answered"]["text"]), (&Value::Null, &json!("")));
    }
}

#[test]
fn broken_lines_of_a_program_are_skipped_and_its_answer_is_read() {
    let (stage, id) = Stage::with_program("claude", Limits::default());
    let steps = [
        json!({ "bytes": [b'{', 0xff, 0xfe, b'\n'] }),
        json!({ "out": "[1]" }),
        json!({ "raw": "x".repeat(1 << 15), "times": 33 }),
        json!({ "out": "" }),
        json!({ "err": "warning\n", "times": 5_000 }),
        spoken(ANSWER),
        result(ANSWER),
        json!({ "raw": "{\"type\": \"resu" }),
    ];
    stage.script("claude", &steps);
    let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": id }));
    assert_eq!((&asked.done["status"], statuses(&asked.done)), (&json!("finished"), vec!["verified".to_owned()]));
    assert_eq!(asked.done["answered"]["text"], "They met in Harwick.");
}
