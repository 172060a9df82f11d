//! A team's answer service that is slow: a question starts at once, can be stopped, and has its answers in the end.

use palimpsest_tests::{
    server::{Answer, Gate},
    text,
};
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_stage::{ANSWER, CHAT, QUESTION, Stage},
};

const SEARCH: &str = "/v1/qa/search";
const OF_TEAM: &str = "Harwick, says the team, and the quay is still there today.";

/// A scene with a model, and a service that answers when its gate opens.
fn stage_with_slow_service() -> (Stage, Gate) {
    let stage = Stage::with_model(&[], ANSWER);
    let answer = json!([{
        "qa_id": "t-1", "question": QUESTION, "answer": OF_TEAM, "score": 0.9, "relevance": 1.0, "trust": 0.8,
        "freshness": 1.0, "validation_level": 2, "status": "active", "metadata": { "consecutive_fail": 0 }, "tags": [],
    }]);
    let gate = stage.server.gate();
    let held = gate.clone();
    stage.server.reply(SEARCH, move |_| Answer::stream().wait_at(&held).chunk(answer.to_string()));
    let settings = json!({ "baseUrl": stage.server.url(""), "enabled": true, "sendCandidates": false });
    stage.writer.ask("answer:service:set", settings);
    (stage, gate)
}

fn matches_of(stage: &Stage, started: &Value) -> Value {
    let run = json!({ "runId": started["runId"] });
    stage.writer.ask("answer:run:get", of_book(&stage.project, run))["matches"].clone()
}

#[test]
fn a_question_starts_while_the_answer_service_is_slow_and_its_answers_come_into_the_prompt() {
    let (stage, gate) = stage_with_slow_service();
    let started = stage.start(json!({ "question": QUESTION }));
    assert_eq!((&started["askedOf"]["kind"], &started["injected"]), (&json!("model"), &json!(0)));
    stage.server.wait_for_request_to(SEARCH);
    assert_eq!(stage.server.requests_to(CHAT).len(), 0, "the model is asked after the service");
    assert_eq!(matches_of(&stage, &started), json!([]));
    gate.open();
    let asked = stage.end_of(started);
    assert_eq!(asked.done["status"], "finished", "{}", asked.done);
    assert!(stage.prompts().iter().all(|prompt| prompt.contains(OF_TEAM)), "{:?}", stage.prompts());
    assert_eq!(matches_of(&stage, &asked.started)[0]["answerId"], "service:t-1");
    assert_eq!(matches_of(&stage, &asked.started)[0]["handle"], "QA:1");
}

#[test]
fn a_question_that_is_stopped_does_not_wait_for_a_slow_answer_service() {
    let (stage, gate) = stage_with_slow_service();
    let started = stage.start(json!({ "question": QUESTION }));
    stage.server.wait_for_request_to(SEARCH);
    let stopped = stage.writer.ask("ask:cancel", json!({ "runId": started["runId"] }));
    assert_eq!(stopped["cancelled"], true);
    let asked = stage.end_of(started);
    assert_eq!((&asked.done["status"], stage.server.requests_to(CHAT).len()), (&json!("cancelled"), 0));
    gate.open();
    let run = json!({ "runId": asked.started["runId"] });
    let run = stage.writer.ask("answer:run:get", of_book(&stage.project, run));
    assert_eq!((text(&run["summary"], "state").as_str(), &run["matches"]), ("completed", &json!([])));
}
