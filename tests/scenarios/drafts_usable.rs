//! Texts of models that are no drafts: cut, or called unusable, and tried once more.

use std::sync::{Arc, Mutex};

use palimpsest_api::{
    SampleModel,
    ports::{Completion, GenerationRequest, ModelError, ModelInfo, TextModel},
};
use palimpsest_tests::{
    Event, Writer,
    clock::retry_without_pause,
    server::{Answer, Server, chat_piece},
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
        let of_other = [&trace["firstTry"], &trace["secondTry"]];
        match generation == &started["generationId"] {
            true => assert_eq!(of_other, [&json!(null), &candidate["writtenBy"]]),
            false => assert_eq!(of_other, [&started["generationId"], &json!(null)]),
        }
    }
}

#[test]
fn a_heading_is_cut_unless_the_chapter_has_headings_below_its_title() {
    for (before, shown) in [
        ("# 渡船\n\n雨夜里，她合上手稿。\n\n", "门外没有人。"),
        ("# 渡船\n\n## 一\n\n雨夜里，她合上手稿。\n\n", "## 二\n\n门外没有人。"),
    ] {
        let server = Server::start();
        server.always(CHAT, Answer::chat(&["## 二\n\n", "门外没有人。"]));
        let (writer, _, project) = scene(&server);
        writer.ask("ai:skill:run", with_field(passage(&project, before), "candidates", json!(1)));
        assert_eq!(text(&writer.wait_for_event("ai:skill:candidate"), "text"), shown, "{before}");
    }
}

/// A server whose model writes these two texts, and the same as [`scene`].
fn two_texts(first: &str, second: &str) -> (Server, Writer, String) {
    let server = Server::start();
    server.next(CHAT, Answer::chat(&[first])).next(CHAT, Answer::chat(&[second]));
    let (writer, _, project) = scene(&server);
    (server, writer, project)
}

#[test]
fn a_server_on_this_machine_continues_the_text_at_the_second_try() {
    let (server, writer, project) = two_texts(ECHO, "门外没有人。");
    let (_, candidate, _) = run(&writer, &project);
    let requests = server.requests_to(CHAT);
    let roles = |n: usize| -> Vec<String> {
        let messages = requests[n].body["messages"].as_array().unwrap();
        messages.iter().map(|message| text(message, "role")).collect()
    };
    assert_eq!(
        (roles(0), roles(1)),
        (["system", "user"].map(Into::into).into(), ["system", "user", "assistant"].map(Into::into).into())
    );
    assert_eq!(requests[1].body["messages"][2]["content"], format!("{BEFORE}\n\n"));
    assert!(!text(&requests[1].body["messages"][1], "content").contains(BEFORE));
    let trace = writer.ask("memory:trace:get", json!({ "projectId": project, "generationId": candidate["writtenBy"] }));
    assert_eq!(trace["messages"][2]["role"], "assistant");
}

#[test]
fn a_second_text_without_a_word_leaves_the_first_with_its_reason() {
    let (_server, writer, project) = two_texts(REFUSAL, "\n");
    let (_, candidate, done) = run(&writer, &project);
    assert_eq!(candidate["unusable"], json!({ "reason": "refusal", "text": REFUSAL }));
    assert_eq!((&candidate["error"], &done["status"]), (&json!(null), &json!("finished")));
}

#[test]
fn a_model_that_repeats_itself_without_end_is_stopped_and_the_text_before_is_a_draft() {
    let begun = "台阶上只有一只湿透的信封。她把灯拧亮，又拧灭。街上空了，远处有一辆车开过去，什么声音也没有了。";
    let server = Server::start();
    let pieces = [vec![begun], vec!["她在窗前站着，她在门口站着，"; 20]].concat();
    let endless = pieces.iter().fold(Answer::stream(), |answer, piece| answer.event(&chat_piece(piece)));
    server.next(CHAT, endless.wait_at(&server.gate()));
    let (writer, _, project) = scene(&server);
    let (_, candidate, done) = run(&writer, &project);
    assert_eq!((&candidate["text"], &candidate["unusable"]), (&json!(begun), &json!(null)));
    assert_eq!((&done["status"], &done["candidates"]), (&json!("finished"), &json!([begun])));
    let requests = server.requests_to(CHAT);
    assert_eq!(requests.len(), 1);
    server.wait_until_gone(&requests[0]);
}

/// The sample model, with the texts that it wrote.
struct RecordedSample(Arc<Mutex<Vec<String>>>);

impl TextModel for RecordedSample {
    fn info(&self) -> ModelInfo {
        SampleModel.info()
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let written = SampleModel.generate(request, on_text)?;
        self.0.lock().unwrap().push(written.text.clone());
        Ok(written)
    }
}

#[test]
fn no_draft_of_the_sample_model_is_changed() {
    let texts = [
        ("zh", "# 渡船\n\n雨夜里，她合上手稿。", "她合上手稿，听见楼下有人敲门。她没有动。"),
        ("en", "# The Ferry\n\nAt night she closed the manuscript.", "She heard a knock downstairs. She did not move."),
    ];
    let written = Arc::default();
    let writer = Writer::with(|options| options.model = Arc::new(RecordedSample(Arc::clone(&written))));
    for (language, before, selection) in texts {
        let project = writer.book("渡船", language);
        for skill in ["continue", "polish", "rewrite", "expand", "condense"] {
            let request = with_field(passage(&project, before), "skill", json!(skill));
            let request = match skill {
                "continue" => request,
                _ => with_field(request, "selection", json!(selection)),
            };
            let (_, done) = writer.run(request);
            let mut shown: Vec<&str> =
                done["candidates"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
            let mut written = std::mem::take(&mut *written.lock().unwrap());
            shown.sort_unstable();
            written.sort_unstable();
            assert_eq!(shown, written, "{language} {skill}");
        }
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
