//! Texts of models that are no drafts: cut, or called unusable, and tried once more.

use std::sync::{Arc, Mutex};

use palimpsest_tests::{
    Event, Writer,
    clock::retry_without_pause,
    server::{Answer, Server},
    text,
};
use serde_json::{Value, json};

use crate::{passage, with_field};

const CHAT: &str = "/v1/chat/completions";
const BEFORE: &str = "雨夜里，她合上手稿，听见楼下有人敲门。";
const ECHO: &str = "[任务] 续写\n";
const REFUSAL: &str = "抱歉，我无法协助完成这个请求。";

/// A writer with a scripted model, and all events in order.
fn scene(server: &Server) -> (Writer, Arc<Mutex<Vec<Event>>>, String) {
    let events = Arc::<Mutex<Vec<Event>>>::default();
    let writer = Writer::with(|options| {
        retry_without_pause(options);
        let (sink, events) = (Arc::clone(&options.events), Arc::clone(&events));
        options.events = Arc::new(move |name, payload: Value| {
            events.lock().unwrap().push((name.to_owned(), payload.clone()));
            sink(name, payload);
        });
    });
    let provider = json!({ "kind": "openAi", "name": "在家里", "baseUrl": server.url("/v1") });
    let provider_id = text(&writer.ask("ai:provider:save", provider), "providerId");
    writer.ask("ai:purpose:set", json!({ "purpose": "writing", "providerId": provider_id, "model": "scribe" }));
    let project = writer.book("夜航", "zh");
    (writer, events, project)
}

/// Runs a skill for one candidate; returns the end of the candidate and of the run.
fn run(writer: &Writer, project: &str) -> (Value, Value, Value) {
    let started = writer.ask("ai:skill:run", with_field(passage(project, BEFORE), "candidates", json!(1)));
    let candidate = writer.wait_for_event("ai:skill:candidate");
    (started, candidate, writer.wait_for_event("ai:skill:done"))
}

fn shown(events: &Mutex<Vec<Event>>) -> String {
    let events = events.lock().unwrap();
    let chunks = events.iter().filter(|(name, _)| name == "ai:skill:chunk");
    chunks.map(|(_, chunk)| chunk["text"].as_str().unwrap().to_owned()).collect()
}

fn named(events: &Mutex<Vec<Event>>, name: &str) -> Vec<Value> {
    events.lock().unwrap().iter().filter(|(event, _)| event == name).map(|(_, payload)| payload.clone()).collect()
}

#[test]
fn the_repeated_passage_and_words_to_the_writer_are_cut_while_the_draft_streams() {
    let server = Server::start();
    server.next(
        CHAT,
        Answer::chat(&["以下是", "续写：\n", "听见楼下有人敲门。", "门外没有人。", "\n\n希望这段续写", "对您有帮助。"]),
    );
    let (writer, events, project) = scene(&server);
    let (_, candidate, done) = run(&writer, &project);
    assert_eq!((&candidate["text"], &candidate["unusable"]), (&json!("门外没有人。"), &json!(null)));
    assert_eq!((&done["candidates"], shown(&events).as_str()), (&json!(["门外没有人。"]), "门外没有人。"));
}

#[test]
fn a_text_that_is_no_draft_is_tried_once_more_and_both_prompts_have_a_trace() {
    let server = Server::start();
    server.next(CHAT, Answer::chat(&["[任务] ", "续写\n"])).next(CHAT, Answer::chat(&["门外没有人。"]));
    let (writer, events, project) = scene(&server);
    let (started, candidate, done) = run(&writer, &project);
    assert_eq!((&candidate["text"], &candidate["unusable"]), (&json!("门外没有人。"), &json!(null)));
    assert_eq!((&done["status"], shown(&events).as_str()), (&json!("finished"), "门外没有人。"));
    let retries = named(&events, "ai:skill:retry");
    assert_eq!(retries.len(), 1);
    assert_eq!((&retries[0]["reason"], &retries[0]["generationId"]), (&json!("promptEcho"), &started["generationId"]));
    // The second prompt is plainer, has another seed, and is in the trace of its own generation, as it was sent.
    let requests = server.requests_to(CHAT);
    assert_eq!(requests.len(), 2);
    assert_ne!(requests[0].body["seed"], requests[1].body["seed"]);
    assert!(!requests[1].body["messages"].to_string().contains('<'));
    for (request, generation) in requests.iter().zip([&started["generationId"], &candidate["writtenBy"]]) {
        let trace = writer.ask("memory:trace:get", json!({ "projectId": project, "generationId": generation }));
        assert_eq!(trace["messages"], request.body["messages"]);
    }
}

#[test]
fn a_text_that_is_never_a_draft_is_named_with_its_reason_and_is_neither_shown_nor_evidence() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&[REFUSAL]));
    let (writer, events, project) = scene(&server);
    let (_, candidate, done) = run(&writer, &project);
    assert_eq!(candidate["unusable"], json!({ "reason": "refusal", "text": REFUSAL }));
    assert_eq!((&candidate["text"], &candidate["error"]), (&json!(""), &json!(null)));
    assert_eq!((&done["status"], &done["candidates"]), (&json!("finished"), &json!([""])));
    assert_eq!((shown(&events), server.requests_to(CHAT).len()), (String::new(), 2));
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": BEFORE }));
    assert_eq!(found["episodes"], json!([]));
}

#[test]
fn the_second_try_is_a_request_within_the_limit_of_the_day() {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&[ECHO]));
    let (writer, events, project) = scene(&server);
    writer.ask("ai:usage:limit", json!({ "requestsPerDay": 1, "tokensPerDay": null }));
    let (_, candidate, _) = run(&writer, &project);
    assert_eq!(candidate["unusable"]["reason"], "promptEcho");
    assert_eq!((named(&events, "ai:skill:retry").len(), server.requests_to(CHAT).len()), (0, 1));
    let usage = writer.ask("ai:usage:get", json!({}));
    assert_eq!(usage["requests"], 1, "{usage}");
}
