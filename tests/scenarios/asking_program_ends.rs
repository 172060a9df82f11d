//! The ends of programs that answer a question, as the writer sees them: what is shown, what is kept, and why not.

use std::{fs, time::Duration};

use palimpsest_api::agents::Limits;
use palimpsest_tests::text;
use serde_json::{Value, json};

use crate::{
    answers::listed,
    asking::statuses,
    asking_stage::{ANSWER, Asked, QUESTION, Stage, has_ended, result, spoken},
    island::{END, FERRY, LEDGER, analyze},
};

/// A limit that a test waits for.
const SHORT: Duration = Duration::from_millis(300);
/// A key as a provider gives it; it is no real one.
const SECRET: &str = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

/// A question to a program that follows a script: the scene, and how the question ended.
fn ended_with(kind: &str, limits: Limits, steps: &[Value]) -> (Stage, Asked) {
    let (stage, id) = Stage::with_program(kind, limits);
    stage.script(kind, steps);
    let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": id }));
    (stage, asked)
}

fn report_of(stage: &Stage) -> Value {
    let seen = fs::read_to_string(stage.folder.path().join("bin/claude.seen.json")).unwrap();
    serde_json::from_str(&seen).unwrap()
}

#[track_caller]
fn assert_answered(asked: &Asked) {
    let answered = &asked.done["answered"];
    assert_eq!((&asked.done["status"], statuses(&asked.done)), (&json!("finished"), vec!["verified".to_owned()]));
    assert_eq!(answered["text"], "They met in Harwick.");
    assert_eq!(answered["kept"]["answer"], "They met in Harwick.", "{answered}");
}

#[test]
fn a_program_that_hangs_after_its_result_or_leaves_a_child_has_answered_and_no_process_is_left() {
    let child = json!({ "child": true });
    for steps in [
        vec![spoken(ANSWER), result(ANSWER), child.clone(), json!({ "hang": true })],
        vec![child.clone(), spoken(ANSWER), result(ANSWER)],
    ] {
        let (stage, asked) = ended_with("claude", Limits { after_result: SHORT, ..Limits::default() }, &steps);
        assert_answered(&asked);
        for pid in [&report_of(&stage)["pid"], &report_of(&stage)["child"]] {
            assert!(has_ended(pid.as_u64().unwrap()), "{pid} is left");
        }
    }
}

#[test]
fn a_program_that_ignores_the_request_to_end_is_killed_and_the_question_is_stopped() {
    let (stage, id) = Stage::with_program("claude", Limits { grace: SHORT, ..Limits::default() });
    stage.script("claude", &[json!({ "child": true }), spoken("They met "), json!({ "hang": "ignoringTerm" })]);
    let started = stage.start(json!({ "question": QUESTION, "backendId": id }));
    stage.writer.wait_for_event("ask:chunk");
    stage.writer.ask("ask:cancel", json!({ "runId": started["runId"] }));
    let asked = stage.end_of(started);
    assert_eq!((&asked.done["status"], &asked.done["answered"]["kept"]), (&json!("cancelled"), &Value::Null));
    for pid in [&report_of(&stage)["pid"], &report_of(&stage)["child"]] {
        assert!(has_ended(pid.as_u64().unwrap()), "{pid} is left");
    }
}

#[test]
fn a_program_that_does_not_read_its_input_or_floods_its_errors_answers_all_the_same() {
    for first in [json!({ "deaf": true }), json!({ "err": "noise\n", "times": 200_000 })] {
        assert_answered(&ended_with("claude", Limits::default(), &[first, spoken(ANSWER), result(ANSWER)]).1);
    }
}

#[test]
fn bytes_that_are_no_text_and_control_characters_do_not_end_the_answer() {
    let line = spoken("They met in H?rwick.")["out"].as_str().unwrap().to_owned() + "\n";
    let bytes: Vec<u8> = line.bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
    let (_, asked) = ended_with("claude", Limits::default(), &[json!({ "bytes": bytes })]);
    assert_eq!(asked.done["answered"]["text"], "They met in H\u{fffd}rwick.", "{}", asked.done);
    let (stage, asked) = ended_with("claude", Limits::default(), &[spoken(&format!("\u{0}{ANSWER}\u{7}"))]);
    assert_eq!(statuses(&asked.done)[0], "verified", "{}", asked.done);
    let kept = &listed(&stage.writer, &stage.project)["answers"][0]["answer"];
    assert!(!kept.to_string().contains("\\u0000"), "{kept}");
}

#[test]
fn a_program_that_refuses_says_why_in_the_words_of_each() {
    let refused = json!({ "type": "result", "subtype": "success", "is_error": true,
        "result": "Invalid API key · Please run /login" });
    let failed = json!({ "type": "turn.failed", "error": { "message": "401 Unauthorized" } });
    let no_auth = json!({ "type": "result", "status": "error", "error": { "type": "auth", "message": "x" } });
    let printed = |line: &Value| json!({ "out": line.to_string() });
    for (kind, steps, reason) in [
        ("claude", vec![printed(&refused), json!({ "exit": 1 })], "notLoggedIn"),
        ("codex", vec![printed(&failed)], "notLoggedIn"),
        ("gemini", vec![printed(&no_auth), json!({ "exit": 1 })], "notLoggedIn"),
        ("gemini", vec![json!({ "exit": 55 })], "untrustedFolder"),
    ] {
        let (stage, asked) = ended_with(kind, Limits::default(), &steps);
        assert_eq!((&asked.done["status"], asked.failure_reason()), (&json!("failed"), json!(reason)), "{kind}");
        assert_eq!(listed(&stage.writer, &stage.project)["total"], 0, "{kind}");
        let text = &asked.done["answered"]["text"];
        assert_eq!(text, "", "{kind}: what a program says about itself is no answer");
    }
}

#[test]
fn a_program_that_is_too_old_or_whose_copy_cannot_be_made_is_not_started() {
    let (stage, id) = Stage::with_program("claude", Limits::default());
    stage.script("claude", &[spoken(ANSWER), result(ANSWER)]);
    let help = stage.folder.path().join("bin/claude.help");
    fs::write(&help, "--print --output-format --verbose --model").unwrap();
    let question = json!({ "question": QUESTION, "backendId": id });
    assert_eq!(stage.ask_book(question.clone()).failure_reason(), "versionTooOld");
    fs::remove_file(help).unwrap();
    let (stage, id) = Stage::with_program("claude", Limits::default());
    stage.script("claude", &[spoken(ANSWER), result(ANSWER)]);
    let question = json!({ "question": QUESTION, "backendId": id });
    let folder = stage.folder.path().join("tmp");
    fs::remove_dir(&folder).unwrap();
    fs::write(&folder, "a file").unwrap();
    assert_eq!(stage.ask_book(question.clone()).failure_reason(), "startFailed");
    assert!(!stage.folder.path().join("bin/claude.seen.json").exists(), "nothing was started");
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    assert_answered(&stage.ask_book(question));
}

#[test]
fn a_file_that_codex_says_it_changed_is_reported_and_nothing_is_kept() {
    let change = json!({ "type": "item.completed", "item": { "id": "f", "type": "file_change", "status": "completed",
        "changes": [{ "path": "/elsewhere/003.md", "kind": "update" }] } });
    let said = json!({ "type": "item.completed", "item": { "id": "i", "type": "agent_message", "text": ANSWER } });
    let steps = [change, said].map(|line| json!({ "out": line.to_string() }));
    let (stage, asked) = ended_with("codex", Limits::default(), &steps);
    assert_eq!((&asked.done["status"], asked.failure_reason()), (&json!("failed"), json!("wroteFiles")));
    assert_eq!(listed(&stage.writer, &stage.project)["total"], 0);
    assert_eq!(asked.done["answered"]["text"], "They met in Harwick.", "what it said is shown");
}

#[test]
fn a_key_in_an_answer_or_in_the_errors_of_a_program_is_kept_nowhere() {
    let answer = format!("They met in Harwick; the key is {SECRET}. [P1 \"They had met in Harwick on 15 May 1983\"]");
    let (stage, asked) = ended_with("claude", Limits::default(), &[spoken(&answer), result(&answer)]);
    assert_eq!(asked.done["status"], "finished");
    let answered = &asked.done["answered"];
    assert_eq!((&answered["kept"], &answered["whyNot"]), (&Value::Null, &json!(["secret"])));
    let errors = json!({ "err": format!("the end {SECRET}\n") });
    let (second, _) = ended_with("claude", Limits::default(), &[errors, spoken(ANSWER), json!({ "exit": 3 })]);
    for stage in [&stage, &second] {
        let files = crate::erasing::files_containing(&stage.writer.data_dir(), &["AbCdEfGhIjKlMnOp"]);
        assert_eq!(files, Vec::<String>::new());
    }
}

#[test]
fn a_quote_that_the_writer_removes_while_the_program_runs_is_no_citation_of_the_kept_answer() {
    let (stage, id) = Stage::with_program("claude", Limits::default());
    let gate = stage.folder.path().join("gate");
    stage.script("claude", &[spoken(ANSWER), json!({ "wait": gate }), result(ANSWER)]);
    let started = stage.start(json!({ "question": QUESTION, "backendId": id }));
    stage.writer.wait_for_event("ask:chunk");
    let changed = FERRY.replace("They had met in Harwick on 15 May 1983", "They had never met before that day");
    analyze(&stage.writer, &stage.project, &[&changed, LEDGER, END]);
    fs::write(&gate, "").unwrap();
    let asked = stage.end_of(started);
    assert_eq!(asked.done["status"], "finished");
    let answers = listed(&stage.writer, &stage.project)["answers"].clone();
    for answer in answers.as_array().unwrap() {
        let (kind, citations) = (text(answer, "kind"), &answer["citations"]);
        assert!(kind != "canon" && citations == &json!([]), "{answer}");
    }
}

#[test]
fn a_third_question_waits_for_one_of_two_programs_and_can_be_stopped_while_it_waits() {
    let (stage, id) = Stage::with_program("claude", Limits::default());
    let gate = stage.folder.path().join("gate");
    stage.script("claude", &[spoken(ANSWER), json!({ "wait": gate }), result(ANSWER)]);
    let ask = |number: u32| stage.start(json!({ "question": format!("{QUESTION} {number}"), "backendId": id }));
    let (first, second) = (ask(1), ask(2));
    stage.writer.wait_for_event("ask:chunk");
    stage.writer.wait_for_event("ask:chunk");
    let third = ask(3);
    stage.writer.ask("ask:cancel", json!({ "runId": third["runId"] }));
    let stopped = stage.end_of(third);
    assert_eq!((&stopped.done["status"], stopped.chunks.len()), (&json!("cancelled"), 0));
    fs::write(&gate, "").unwrap();
    let mut ended = Vec::new();
    while ended.len() < 2 {
        let done = stage.writer.wait_for_event("ask:done");
        assert_eq!(done["status"], "finished");
        ended.push(done["runId"].clone());
    }
    assert!(ended.contains(&first["runId"]) && ended.contains(&second["runId"]));
}
