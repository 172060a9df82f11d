//! Questions over the host's wire: their events in order, for a model and for a program, and their stop.

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking::statuses,
    asking_kills::{HALF, Machine, wait_for_words},
    asking_stage::{ANSWER, result, set_replies, spoken},
};

/// The events of a question by name, from its start to its end, and the end.
fn events_of(host: &Host, started: &Value) -> (Vec<(String, Value)>, Value) {
    let mut events = Vec::new();
    loop {
        let (name, payload) = host.next_event();
        if !name.starts_with("ask:") {
            continue;
        }
        assert_eq!(payload["runId"], started["runId"], "{name}");
        if name == "ask:done" {
            return (events, payload);
        }
        events.push((name, payload));
    }
}

/// The pairs of start and end of each step, as kinds; asserts that numbers and fields are as documented.
fn kinds_of_steps(events: &[(String, Value)]) -> Vec<String> {
    let steps: Vec<&Value> = events.iter().filter(|(name, _)| name == "ask:step").map(|(_, step)| step).collect();
    let fields = ["chapterId", "found", "kind", "number", "round", "runId", "state", "subject"];
    for step in &steps {
        assert_eq!(step.as_object().unwrap().keys().collect::<Vec<_>>(), fields, "{step}");
    }
    let (started, ended): (Vec<&Value>, Vec<&Value>) = steps.into_iter().partition(|step| step["state"] == "started");
    let numbers = |steps: &[&Value]| steps.iter().map(|step| step["number"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(numbers(&started), (1..=started.len() as u64).collect::<Vec<_>>());
    assert_eq!(numbers(&started), numbers(&ended), "each step that starts ends");
    assert!(started.iter().all(|step| step["found"].is_null()));
    assert!(ended.iter().all(|step| step["state"] == "done" && step["found"].is_u64()), "{ended:?}");
    ended.iter().map(|step| text(step, "kind")).collect()
}

/// Asserts that the chunks of an answer add up to it.
fn assert_chunks(events: &[(String, Value)], done: &Value) {
    let chunks: Vec<&Value> = events.iter().filter(|(name, _)| name == "ask:chunk").map(|(_, chunk)| chunk).collect();
    assert!(!chunks.is_empty());
    for chunk in &chunks {
        let fields = ["citations", "runId", "statements", "text"];
        assert_eq!(chunk.as_object().unwrap().keys().collect::<Vec<_>>(), fields);
    }
    let streamed: String = chunks.iter().map(|chunk| text(chunk, "text")).collect();
    assert_eq!(done["answered"]["text"], streamed);
    for field in ["statements", "citations"] {
        let all: Vec<Value> = chunks.iter().flat_map(|chunk| chunk[field].as_array().unwrap().clone()).collect();
        assert_eq!(done["answered"][field], json!(all), "{field}");
    }
}

#[test]
fn a_question_to_a_model_has_its_steps_its_chunks_and_its_end_on_the_wire() {
    let (machine, host) = Machine::new();
    let tool = json!({ "kind": "act", "tool": "read_passage", "arguments": { "passage": "P1", "around": 1 } });
    set_replies(&machine.server, &[tool, json!({ "kind": "stop" })], ANSWER);
    let started = machine.start_question(&host, json!({}));
    assert_eq!(started["askedOf"]["kind"], "model");
    let (events, done) = events_of(&host, &started);
    assert_eq!(kinds_of_steps(&events), ["book", "answers", "journal", "episodes", "read"]);
    let read = events.iter().find(|(_, step)| step["kind"] == "read" && step["state"] == "done").unwrap();
    assert!(read.1["chapterId"].as_str().unwrap().starts_with('c'), "{read:?}");
    assert_chunks(&events, &done);
    assert_eq!((&done["status"], &done["error"]), (&json!("finished"), &Value::Null));
    assert_eq!((statuses(&done), &done["answered"]["kept"]["kind"]), (vec!["verified".to_owned()], &json!("canon")));
    let is_step = |(name, _): &(String, Value)| name == "ask:step";
    let last_step = events.iter().rposition(is_step).unwrap();
    assert!(events[..last_step].iter().all(is_step), "the answer follows the steps");
    assert!(host.end());
}

#[test]
fn a_question_to_a_program_has_its_steps_its_chunks_and_its_end_on_the_wire() {
    let (machine, host) = Machine::new();
    let used = json!({ "type": "tool_use", "id": "t1", "name": "Grep", "input": {} });
    let used = json!({ "type": "assistant", "message": { "content": [used] } });
    let ended = json!({ "type": "tool_result", "tool_use_id": "t1", "content": "text", "is_error": false });
    let ended = json!({ "type": "user", "message": { "content": [ended] } });
    let steps =
        [json!({ "out": used.to_string() }), json!({ "out": ended.to_string() }), spoken(ANSWER), result(ANSWER)];
    let backend = machine.install_program(&host, &steps);
    let started = machine.start_question(&host, json!({ "backendId": backend }));
    assert_eq!((&started["askedOf"]["kind"], &started["askedOf"]["backendId"]), (&json!("program"), &backend));
    let (events, done) = events_of(&host, &started);
    assert_eq!(kinds_of_steps(&events), ["program"]);
    assert_eq!(events[0].1["subject"], "Grep");
    assert_chunks(&events, &done);
    assert_eq!((&done["status"], statuses(&done)), (&json!("finished"), vec!["verified".to_owned()]));
    assert_eq!(done["answered"]["kept"]["kind"], "canon");
    assert!(host.end());
}

#[test]
fn a_question_is_stopped_over_the_wire_whether_a_model_or_a_program_answers() {
    let (machine, host) = Machine::new();
    machine.hold_answer();
    let backend = machine.install_program(&host, &[spoken(HALF), json!({ "hang": true })]);
    let unknown = host.ask("ask:cancel", json!({ "runId": "none" }));
    assert_eq!(unknown, json!({ "cancelled": false }));
    for more in [json!({}), json!({ "backendId": backend })] {
        let started = machine.start_question(&host, more);
        wait_for_words(&host);
        let stop = json!({ "runId": started["runId"] });
        assert_eq!(host.ask("ask:cancel", stop.clone()), json!({ "cancelled": true }));
        let done = machine.done(&host, &started);
        assert_eq!((&done["status"], &done["error"]), (&json!("cancelled"), &Value::Null));
        assert_eq!(done["answered"]["kept"], Value::Null);
        assert_eq!(host.ask("ask:cancel", stop), json!({ "cancelled": false }));
    }
    let answers = host.ask("answer:list", of_book(&machine.project, json!({})));
    assert_eq!(answers["total"], 0);
    assert!(host.end());
}

#[test]
fn two_questions_at_the_same_time_have_their_own_events_and_only_the_stopped_one_is_stopped() {
    let (machine, host) = Machine::new();
    machine.hold_answer();
    let stopped = machine.start_question(&host, json!({}));
    wait_for_words(&host);
    set_replies(&machine.server, &[], ANSWER);
    let other = machine.start_question(&host, json!({ "question": "Where did Tobias meet Mara Venn?" }));
    assert_ne!(stopped["runId"], other["runId"]);
    assert_eq!(machine.done(&host, &other)["status"], "finished");
    host.ask("ask:cancel", json!({ "runId": stopped["runId"] }));
    assert_eq!(machine.done(&host, &stopped)["status"], "cancelled");
    assert!(host.end());
}
