//! The writer's own models: requests, answers, costs and failures.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use palimpsest_api::{Network, Options, Timeouts};
use palimpsest_tests::{
    Event, Writer,
    clock::{StandingClock, retry_without_pause},
    server::{Answer, Request, Server, chat_piece, unused_url},
    text,
};
use serde_json::{Value, json};

use crate::{add_rule, passage, taken, with_field};

const CHAT: &str = "/v1/chat/completions";
const KEY: &str = "sk-a-key-that-nobody-sees-0815";
const ZH: (&str, &str) = ("zh", "雨夜里，她合上手稿，听见楼下有人敲门。");
const EN: (&str, &str) = ("en", "It rained. She closed the manuscript and heard a knock downstairs.");

fn writer() -> Writer {
    Writer::with(retry_without_pause)
}

/// A writer, and all events in order.
fn recorded(change: impl FnOnce(&mut Options)) -> (Writer, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::<Mutex<Vec<Event>>>::default();
    let writer = Writer::with(|options| {
        retry_without_pause(options);
        change(options);
        let (sink, events) = (Arc::clone(&options.events), Arc::clone(&events));
        options.events = Arc::new(move |name, payload: Value| {
            events.lock().unwrap().push((name.to_owned(), payload.clone()));
            sink(name, payload);
        });
    });
    (writer, events)
}

fn payloads(events: &Mutex<Vec<Event>>, name: &str) -> Vec<Value> {
    events.lock().unwrap().iter().filter(|(event, _)| event == name).map(|(_, payload)| payload.clone()).collect()
}

/// Sets up a provider of a kind with a key, with its model `scribe` for writing. Returns its identity.
fn choose_writing_model(writer: &Writer, kind: &str, url: &str) -> String {
    let provider = json!({ "kind": kind, "name": "在家里", "baseUrl": url, "key": KEY });
    let provider_id = text(&writer.ask("ai:provider:save", provider), "providerId");
    writer.ask("ai:purpose:set", json!({ "purpose": "writing", "providerId": provider_id, "model": "scribe" }));
    provider_id
}

/// A server that answers every chat request successfully.
fn server() -> Server {
    let server = Server::start();
    server.always(CHAT, Answer::chat(&["灯", "灭了。"]));
    server
}

fn writer_with_server(server: &Server) -> Writer {
    let writer = writer();
    choose_writing_model(&writer, "openAi", &server.url("/v1"));
    writer
}

fn one(request: Value) -> Value {
    with_field(request, "candidates", json!(1))
}

fn reason(error: &Value) -> &str {
    assert_eq!(error["code"], "MEMORY_MODEL_UNAVAILABLE", "{error}");
    error["details"]["reason"].as_str().unwrap()
}

/// The messages of a request, as the preview shows them.
fn messages(asked: &Request) -> Value {
    let mut messages = asked.body["messages"].as_array().unwrap().clone();
    if let Some(system) = asked.body.get("system") {
        messages.insert(0, json!({ "role": "system", "content": system }));
    }
    Value::Array(messages)
}

#[test]
fn the_request_is_the_preview_to_the_byte() {
    for (language, before) in [ZH, EN] {
        for (kind, base, path) in [("openAi", "/v1", CHAT), ("ollama", "", CHAT), ("anthropic", "", "/v1/messages")] {
            let server = server();
            server.always("/v1/messages", Answer::messages(&["灯灭了。"]));
            let writer = writer();
            choose_writing_model(&writer, kind, &server.url(base));
            let project = writer.book("夜航", language);
            add_rule(&writer, Some(&project), "</settings>句子要短 & \"plain\"");
            writer.ask("memory:episode:record", taken(&project, before, "灯灭了。The lamp went out."));
            let request =
                with_field(passage(&project, &before.repeat(40)), "instruction", json!("写得冷一点 — colder"));
            let preview = writer.ask("memory:context:assemble", request.clone());
            assert_eq!(preview["memoryReferences"].as_array().unwrap().len(), 2, "{language}");
            let (started, done) = writer.run(request);
            assert_eq!((&done["status"], &done["error"]), (&json!("finished"), &json!(null)));
            let asked = server.requests_to(path);
            assert_eq!(asked.len(), 3);
            for asked in &asked {
                assert_eq!(messages(asked), preview["messages"], "{kind} {language}");
                assert_eq!(asked.body["model"], "scribe");
            }
            let why = json!({ "projectId": project, "generationId": started["generationId"] });
            assert_eq!(writer.ask("memory:trace:get", why)["messages"], preview["messages"]);
        }
    }
}

#[test]
fn candidates_differ_on_purpose() {
    let server = server();
    let writer = writer_with_server(&server);
    let project = writer.book("夜航", "zh");
    writer.run(with_field(passage(&project, ZH.1), "candidates", json!(4)));
    let distinct = |field: &str| {
        let mut all: Vec<String> = server.requests_to(CHAT).iter().map(|asked| asked.body[field].to_string()).collect();
        all.sort();
        all.dedup();
        all.len()
    };
    assert_eq!((distinct("seed"), distinct("temperature"), server.requests_to(CHAT).len()), (4, 4, 4));
}

#[test]
fn each_candidate_streams_and_ends_separately() {
    let server = Server::start();
    let gate = server.gate();
    let held = Answer::stream().event(&chat_piece("慢")).wait_at(&gate);
    server.next(CHAT, held.event(&chat_piece("的。")).chat_end(2));
    server
        .next(CHAT, Answer::chat(&["风", "停了。"]))
        .next(CHAT, Answer::chat(&["The lamp ", "went out."]).cut_every(1));
    let (writer, events) = recorded(|_| {});
    choose_writing_model(&writer, "openAi", &server.url("/v1"));
    let project = writer.book("夜航", "zh");
    let started = writer.ask("ai:skill:run", passage(&project, ZH.1));
    // Two candidates are complete while the third is not.
    let early = [writer.wait_for_event("ai:skill:candidate"), writer.wait_for_event("ai:skill:candidate")];
    assert_eq!(payloads(&events, "ai:skill:done"), Vec::<Value>::new());
    gate.open();
    let late = writer.wait_for_event("ai:skill:candidate");
    let done = writer.wait_for_event("ai:skill:done");
    assert_eq!(late["text"], "慢的。");
    let mut texts: Vec<&str> = early.iter().map(|ended| ended["text"].as_str().unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["The lamp went out.", "风停了。"]);
    for ended in early.iter().chain([&late]) {
        assert_eq!((&ended["error"], &ended["generationId"]), (&json!(null), &started["generationId"]));
        let place = usize::try_from(ended["candidate"].as_u64().unwrap()).unwrap();
        assert_eq!(done["candidates"][place], ended["text"]);
        let chunks = payloads(&events, "ai:skill:chunk");
        let streamed: String = chunks
            .iter()
            .filter(|chunk| chunk["candidate"] == ended["candidate"])
            .map(|chunk| chunk["text"].as_str().unwrap())
            .collect();
        assert_eq!(streamed, ended["text"].as_str().unwrap());
    }
    assert_eq!(payloads(&events, "ai:skill:candidate").len(), 3);
}

#[test]
fn stop_ends_the_requests_at_once_and_records_nothing() {
    let server = Server::start();
    let gate = server.gate();
    server.always(CHAT, Answer::stream().event(&chat_piece("灯")).wait_at(&gate));
    let writer = writer_with_server(&server);
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, ZH.1, "风停了。"));
    let started = writer.ask("ai:skill:run", passage(&project, ZH.1));
    for _ in 0..3 {
        writer.wait_for_event("ai:skill:chunk");
    }
    writer.ask("ai:skill:cancel", json!({ "generationId": started["generationId"] }));
    let done = writer.wait_for_event("ai:skill:done");
    assert_eq!((&done["status"], &done["error"]), (&json!("cancelled"), &json!(null)));
    assert_eq!(done["candidates"], json!(["灯", "灯", "灯"]), "what had come is not lost");
    for asked in server.requests_to(CHAT) {
        server.wait_until_gone(&asked);
        assert!(!server.has_answered(&asked));
    }
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": ZH.1 }));
    assert_eq!(found["episodes"].as_array().unwrap().len(), 1);
    assert_eq!(found["episodes"][0]["episode"]["recallCount"], 0);
}

#[test]
fn every_failure_before_the_first_word_arrives_as_its_reason() {
    let refusal =
        |status, code: &str| Answer::json(status, json!({ "error": { "code": code, "message": "夜里的秘密" } }));
    let cases = [
        ("keyRefused", refusal(401, "invalid_api_key")),
        ("noCredit", refusal(429, "insufficient_quota")),
        ("rateLimited", refusal(429, "rate_limit_exceeded").header("retry-after", "90")),
        ("contextTooLong", refusal(400, "context_length_exceeded")),
        ("modelUnknown", refusal(404, "model_not_found")),
        ("contentRefused", refusal(400, "content_filter")),
        ("redirectRefused", Answer::redirect("http://127.0.0.1:1/v1/chat/completions")),
        ("malformed", Answer::chat(&[])),
        ("providerFailed", refusal(500, "server_error")),
        ("requestRefused", refusal(400, "something_else")),
    ];
    for (expected, answer) in cases {
        let server = Server::start();
        server.always(CHAT, answer);
        let writer = writer_with_server(&server);
        let project = writer.book("夜航", "zh");
        let (_, done) = writer.run(one(passage(&project, ZH.1)));
        assert_eq!((&done["status"], reason(&done["error"])), (&json!("failed"), expected));
        assert_eq!(done["candidates"], json!([""]));
        assert!(!done.to_string().contains("秘密"), "a provider's words are not passed on: {done}");
        let waits = if expected == "rateLimited" { json!(90) } else { Value::Null };
        assert_eq!(done["error"]["details"]["retryAfterSeconds"], waits);
        // A refused request costs nothing; an empty answer was counted by the provider.
        let cost = u32::from(expected == "malformed");
        assert_eq!(writer.ask("ai:usage:get", json!({}))["requests"], cost, "{expected}");
    }
}

#[test]
fn a_missing_key_a_missing_server_and_a_missing_answer_are_reported() {
    let server = Server::start();
    let gate = server.gate();
    server.next(CHAT, Answer::json(401, json!({ "error": { "message": "no" } })));
    server.always(CHAT, Answer::stream().wait_at(&gate));
    let clock = StandingClock::new();
    let writer = Writer::with(|options| options.network = Network::with(Timeouts::default(), Arc::clone(&clock) as _));
    let provider_id = choose_writing_model(&writer, "openAi", &server.url("/v1"));
    let provider = json!({ "providerId": provider_id, "kind": "openAi", "name": "n", "key": "" });
    writer.ask("ai:provider:save", provider.clone());
    let project = writer.book("夜航", "zh");
    let run = || reason(&writer.run(one(passage(&project, ZH.1))).1["error"]).to_owned();
    assert_eq!(run(), "keyMissing");
    clock.start_expiring();
    assert_eq!(run(), "timeout");
    clock.stop();
    writer.ask("ai:provider:save", with_field(provider, "baseUrl", json!(unused_url())));
    assert_eq!(run(), "unreachable");
}

#[test]
fn text_from_before_a_failure_is_not_lost_and_not_requested_again() {
    let begun = || Answer::stream().event(&chat_piece("灯灭了"));
    let error = json!({ "error": { "message": "夜里的秘密", "type": "server_error" } });
    for (expected, answer) in [("malformed", begun().broken()), ("interrupted", begun().event(&error))] {
        let server = Server::start();
        server.always(CHAT, answer);
        let writer = writer_with_server(&server);
        let project = writer.book("夜航", "zh");
        let started = writer.ask("ai:skill:run", one(passage(&project, ZH.1)));
        let ended = writer.wait_for_event("ai:skill:candidate");
        let done = writer.wait_for_event("ai:skill:done");
        assert_eq!((&ended["text"], reason(&ended["error"])), (&json!("灯灭了"), expected));
        assert_eq!((&done["candidates"], reason(&done["error"])), (&json!(["灯灭了"]), expected));
        assert_eq!(done["generationId"], started["generationId"]);
        assert_eq!(server.requests_to(CHAT).len(), 1);
        assert_eq!(writer.ask("ai:usage:get", json!({}))["requests"], 1, "what was written was paid for");
    }
}

#[test]
fn a_candidate_that_fails_does_not_take_the_others_along() {
    let server = server();
    server.next(CHAT, Answer::json(400, json!({ "error": { "code": "content_filter", "message": "no" } })));
    let (writer, events) = recorded(|_| {});
    choose_writing_model(&writer, "openAi", &server.url("/v1"));
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, ZH.1, "风停了。"));
    let (_, done) = writer.run(passage(&project, ZH.1));
    assert_eq!((&done["status"], reason(&done["error"])), (&json!("finished"), "contentRefused"));
    let ended = payloads(&events, "ai:skill:candidate");
    let (failed, whole): (Vec<&Value>, Vec<&Value>) = ended.iter().partition(|ended| !ended["error"].is_null());
    assert_eq!((failed.len(), whole.len()), (1, 2));
    assert_eq!((reason(&failed[0]["error"]), &failed[0]["text"]), ("contentRefused", &json!("")));
    assert!(whole.iter().all(|ended| ended["text"] == "灯灭了。"));
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": ZH.1 }));
    assert_eq!(found["episodes"][0]["episode"]["recallCount"], 1, "the generation has run");
}

#[test]
fn a_server_that_writes_one_text_at_a_time_is_waited_for() {
    let server = Server::start();
    let (written, busy) = (server.gate(), server.gate());
    let first = Answer::stream().event(&chat_piece("灯")).wait_at(&written).event(&chat_piece("灭了。")).chat_end(2);
    let waited = AtomicBool::new(false);
    server.reply(CHAT, move |asked| match asked.body["seed"].as_u64() {
        Some(256) => first.clone(),
        _ if waited.swap(true, Ordering::SeqCst) => Answer::chat(&["风停了。"]),
        _ => Answer::stream().wait_at(&busy),
    });
    let clock = StandingClock::new();
    let (writer, events) = recorded(|options| {
        // When the clock runs, only a request without a first chunk times out.
        let patience = Timeouts { between_chunks: Duration::from_secs(u32::MAX.into()), ..Timeouts::default() };
        options.network = Network::with(patience, Arc::clone(&clock) as _);
    });
    choose_writing_model(&writer, "openAi", &server.url("/v1"));
    let project = writer.book("夜航", "zh");
    let run = with_field(with_field(passage(&project, ZH.1), "candidates", json!(2)), "seed", json!(1));
    writer.ask("ai:skill:run", run);
    writer.wait_for_event("ai:skill:chunk");
    while server.requests_to(CHAT).len() < 2 {
        server.wait_for_request();
    }
    clock.start_expiring();
    let asked = server.requests_to(CHAT);
    server.wait_until_gone(asked.iter().find(|asked| asked.body["seed"] == 257).unwrap());
    clock.stop();
    assert_eq!(payloads(&events, "ai:skill:candidate"), Vec::<Value>::new(), "it has not failed");
    written.open();
    let done = writer.wait_for_event("ai:skill:done");
    assert_eq!((&done["status"], &done["error"]), (&json!("finished"), &json!(null)));
    let mut texts: Vec<&str> =
        done["candidates"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["灯灭了。", "风停了。"]);
    assert_eq!(server.requests_to(CHAT).len(), 3);
}

/// Makes a server answer like a model that reads `limit` characters of a prompt and states its limit in tokens.
fn reads_only(server: &Server, limit: usize, tokens: u32) {
    server.reply(CHAT, move |asked| {
        let sent: usize =
            messages(asked).as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap().chars().count()).sum();
        if sent <= limit {
            return Answer::chat(&["灯灭了。"]);
        }
        let error = json!({ "code": 400, "type": "exceed_context_size_error", "message": "too long", "n_ctx": tokens });
        Answer::json(400, json!({ "error": error }))
    });
}

#[test]
fn a_prompt_that_is_too_long_is_shortened_reported_and_the_limit_remembered() {
    for (language, before) in [ZH, EN] {
        let server = Server::start();
        let (writer, events) = recorded(|_| {});
        choose_writing_model(&writer, "openAi", &server.url("/v1"));
        let project = writer.book("夜航", language);
        for n in 0..30 {
            add_rule(&writer, Some(&project), &format!("{n}：{}", before.repeat(2)));
        }
        let request = with_field(passage(&project, &before.repeat(400)), "instruction", json!("冷一点"));
        let first = writer.ask("memory:context:assemble", request.clone());
        let long = first["messages"].to_string().chars().count();
        reads_only(&server, long * 3 / 4, 3_072);

        let (started, done) = writer.run(request.clone());
        assert_eq!((&done["status"], &done["error"]), (&json!("finished"), &json!(null)), "{language}");
        let asked = server.requests_to(CHAT);
        assert_eq!(asked.len(), 6);
        let sent = messages(&asked[5]);
        assert!(sent != first["messages"] && asked[3..].iter().all(|asked| messages(asked) == sent));
        assert_eq!(sent.to_string().matches("冷一点").count(), 1, "a wish is said once");

        let trimmed = payloads(&events, "ai:skill:trimmed");
        assert_eq!(trimmed.len(), 1);
        assert!(trimmed[0]["totalTokens"].as_u64() < first["totalTokens"].as_u64());
        assert_ne!(trimmed[0]["cut"], started["cut"]);
        let names: Vec<String> = events.lock().unwrap().iter().map(|(name, _)| name.clone()).collect();
        let at = |name: &str| names.iter().position(|event| event == name).unwrap();
        assert!(at("ai:skill:trimmed") < at("ai:skill:chunk"));

        let why = json!({ "projectId": project, "generationId": started["generationId"] });
        let trace = writer.ask("memory:trace:get", why);
        assert_eq!((&trace["messages"], &trace["cut"]), (&sent, &trimmed[0]["cut"]));
        assert_eq!(trace["memoryReferences"], trimmed[0]["memoryReferences"]);

        let purposes = writer.ask("ai:provider:list", json!({}))["purposes"].clone();
        assert_eq!(purposes[0]["contextTokens"], 3_072);
        let writer = writer.restarted();
        let again = writer.ask("memory:context:assemble", with_field(request, "instruction", json!("冷一点")));
        assert_eq!(again["messages"], sent, "the next preview shows what the model can read");
    }
}

#[test]
fn a_prompt_that_is_always_too_long_is_given_up_after_two_shorter_ones() {
    let server = Server::start();
    reads_only(&server, 0, 100_000);
    let (writer, events) = recorded(|_| {});
    choose_writing_model(&writer, "openAi", &server.url("/v1"));
    let project = writer.book("夜航", "zh");
    let (_, done) = writer.run(passage(&project, &ZH.1.repeat(400)));
    assert_eq!((&done["status"], reason(&done["error"])), (&json!("failed"), "contextTooLong"));
    assert_eq!((server.requests_to(CHAT).len(), payloads(&events, "ai:skill:trimmed").len()), (9, 2));
    assert_eq!(payloads(&events, "ai:skill:candidate").len(), 3);
}

#[test]
fn a_limit_a_day_refuses_the_next_run_and_a_new_day_allows_it() {
    let server = server();
    let writer = writer_with_server(&server);
    let project = writer.book("夜航", "zh");
    let usage = writer.ask("ai:usage:get", json!({}));
    assert_eq!(
        usage,
        json!({ "day": "2026-03-15", "requests": 0, "tokens": 0, "requestsPerDay": null, "tokensPerDay": null })
    );
    let limits = |requests: Value, tokens: Value| {
        writer.ask("ai:usage:limit", json!({ "requestsPerDay": requests, "tokensPerDay": tokens }))
    };
    limits(json!(5), Value::Null);
    assert_eq!(writer.run(passage(&project, ZH.1)).0["candidates"], 3);
    assert_eq!(writer.run(passage(&project, ZH.1)).0["candidates"], 2, "as many as are left");
    let usage = writer.ask("ai:usage:get", json!({}));
    assert_eq!((&usage["requests"], &usage["tokens"]), (&json!(5), &json!(5 * 12)), "as the provider counted");
    let refused = || json!(writer.error("ai:skill:run", passage(&project, ZH.1)));
    assert_eq!(reason(&refused()), "dailyLimit");
    limits(Value::Null, json!(60));
    assert_eq!(reason(&refused()), "dailyLimit");
    assert_eq!(server.requests_to(CHAT).len(), 5, "nothing was sent");
    writer.clock.advance_millis(86_400_000);
    assert_eq!(writer.run(one(passage(&project, ZH.1))).1["status"], "finished");
    assert_eq!(writer.ask("ai:usage:get", json!({}))["day"], "2026-03-16");
    let writer = writer.restarted();
    assert_eq!(writer.ask("ai:usage:get", json!({}))["tokensPerDay"], 60);
}

#[test]
fn the_built_in_model_costs_nothing() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("ai:usage:limit", json!({ "requestsPerDay": 1, "tokensPerDay": 1 }));
    for _ in 0..2 {
        assert_eq!(writer.run(passage(&project, ZH.1)).1["status"], "finished");
    }
    assert_eq!(writer.ask("ai:usage:get", json!({}))["requests"], 0);
}
