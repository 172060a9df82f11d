//! Successful answers in every form in which they may arrive.

use std::time::Duration;

use palimpsest_memory::ports::{StopReason, Tokens};
use palimpsest_providers::{ProviderKind, Timeouts};
use palimpsest_tests::server::{Answer, chat_piece};
use proptest::prelude::*;
use serde_json::json;

use super::{DIALECTS, KEY, Scene, begun, ended, kind_of, prompt_messages, streamed};

#[test]
fn a_candidate_streams_piece_by_piece_and_reports_its_cost() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        scene.server.next(path, streamed(kind, &["雨", "停了", "。"]));
        let messages = prompt_messages();
        let mut pieces = Vec::new();
        let model = scene.model(kind);
        let done = model.generate(&super::request(&messages, &scene.stop), &mut |piece| pieces.push(piece.to_owned()));
        let done = done.unwrap();
        assert_eq!(pieces, ["雨", "停了", "。"]);
        assert_eq!((done.text.as_str(), done.stop), ("雨停了。", StopReason::Finished));
        assert_eq!(done.tokens, Some(Tokens { prompt: 10, answer: 3 }));
        assert_eq!(json!(model.info().provider), json!(kind));
    }
}

#[test]
fn a_request_contains_the_prompt_and_nothing_about_the_writer() {
    let scene = Scene::new();
    scene.server.next("/v1/chat/completions", Answer::chat(&["好"])).next("/v1/messages", Answer::messages(&["好"]));
    scene.text(ProviderKind::OpenAi);
    scene.text(ProviderKind::Anthropic);
    let asked = scene.server.requests();
    let messages = json!(prompt_messages());
    assert_eq!(asked[0].body["messages"], messages);
    assert_eq!(asked[1].body["messages"], json!([messages[1]]));
    assert_eq!(asked[1].body["system"], messages[0]["content"]);
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(asked[1].header("x-api-key"), Some(KEY));
    assert_eq!(asked[1].header("anthropic-version"), Some("2023-06-01"));
    for asked in &asked {
        assert_eq!(asked.header("user-agent"), Some(concat!("Palimpsest/", env!("CARGO_PKG_VERSION"))));
        let known = [
            "accept",
            "anthropic-version",
            "authorization",
            "content-length",
            "content-type",
            "host",
            "user-agent",
            "x-api-key",
        ];
        for (name, _) in &asked.headers {
            assert!(known.contains(&name.as_str()), "what is {name} for?");
        }
    }
}

#[test]
fn a_stream_cut_at_every_byte_is_the_same_text() {
    for (kind, path) in DIALECTS {
        for bytes in [1, 2, 3, 5] {
            let scene = Scene::new();
            scene.server.next(path, streamed(kind, &["雨停了，", "她推开🌧窗。"]).cut_every(bytes));
            assert_eq!(scene.text(kind), "雨停了，她推开🌧窗。");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_stream_cut_anywhere_is_the_same_text(
        pieces in prop::collection::vec("[雨停了🌧a \\n\"\\\\]{1,4}", 1..6),
        cuts in prop::collection::vec(1_usize..60, 1..40),
        anthropic: bool,
    ) {
        let (kind, path) = DIALECTS[usize::from(anthropic)];
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let bytes = streamed(kind, &pieces).body();
        let mut answer = Answer::stream();
        let mut rest = bytes.as_slice();
        for cut in cuts {
            let (chunk, more) = rest.split_at(cut.min(rest.len()));
            answer = answer.chunk(chunk);
            rest = more;
        }
        let scene = Scene::new();
        scene.server.next(path, answer.chunk(rest));
        prop_assert_eq!(scene.text(kind), pieces.concat());
    }
}

#[test]
fn comments_carriage_returns_and_long_data_are_no_trouble() {
    let scene = Scene::new();
    let piece = chat_piece("雨停了。").to_string();
    let (start, rest) = piece.split_at(1);
    let stream = Answer::stream()
        .chunk(": loading the model\r\n\r\n")
        .chunk(format!("event: message\r\nid: 1\r\ndata: {start}\r\ndata: {rest}\r\n\r\n"))
        .chunk(": still here\r\n\r\ndata:\r\n\r\n")
        .chat_end(1);
    scene.server.next("/v1/chat/completions", stream);
    assert_eq!(scene.text(ProviderKind::OpenAi), "雨停了。");
}

#[test]
fn a_stream_that_ends_without_saying_so_is_whole_once_the_model_has_ended() {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "length" }] });
    let whole = || Answer::stream().event(&chat_piece("雨停了。")).event(&end);
    let usual = Scene::new();
    let hasty = Scene::with_timeouts(Timeouts { after_end: Duration::ZERO, ..Timeouts::default() });
    let gate = hasty.server.gate();
    for (scene, answer) in [
        (&usual, whole()),
        (&usual, whole().until_closed()),
        (&usual, whole().broken()),
        (&hasty, whole().wait_at(&gate)),
        (&usual, whole().event(&json!({ "error": { "message": "too late" } }))),
        // The last event without its empty line.
        (&usual, Answer::stream().event(&chat_piece("雨停了。")).chunk(format!("data: {end}"))),
    ] {
        scene.server.next("/v1/chat/completions", answer);
        let (_, done) = scene.generate(&*scene.model(ProviderKind::OpenAi));
        let done = done.unwrap();
        assert_eq!((done.text.as_str(), done.stop, done.tokens), ("雨停了。", StopReason::Length, None));
    }
    assert_eq!((usual.server.requests().len(), hasty.server.requests().len()), (5, 1), "nothing is asked twice");
}

#[test]
fn an_answer_in_one_piece_is_taken_too() {
    let scene = Scene::new();
    let usage = json!({ "prompt_tokens": 10, "completion_tokens": 4 });
    let choice =
        json!({ "index": 0, "message": { "role": "assistant", "content": "雨停了。" }, "finish_reason": "stop" });
    let chat = json!({ "object": "chat.completion", "choices": [choice], "usage": usage });
    scene.server.next("/v1/chat/completions", Answer::json(200, chat.clone()));
    scene.server.next("/v1/chat/completions", Answer::json(200, chat).cut_every(1));
    let message = json!({ "type": "message", "content": [{ "type": "text", "text": "雨停了。" }],
        "stop_reason": "end_turn", "usage": { "input_tokens": 10, "output_tokens": 4 } });
    scene.server.next("/v1/messages", Answer::json(200, message));
    for kind in [ProviderKind::OpenAi, ProviderKind::OpenAi, ProviderKind::Anthropic] {
        let (streamed, done) = scene.generate(&*scene.model(kind));
        let done = done.unwrap();
        assert_eq!((streamed.as_str(), done.text.as_str()), ("雨停了。", "雨停了。"));
        assert_eq!(done.tokens, Some(Tokens { prompt: 10, answer: 4 }));
    }
}

#[test]
fn thoughts_are_not_shown() {
    let scene = Scene::new();
    let reasoning = json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": "hm", "content": null } }] });
    let tagged = Answer::chat(&["<thi", "nk>hm", "\n</think>", "\n\n", "雨停了。"]);
    scene
        .server
        .next("/v1/chat/completions", Answer::stream().event(&reasoning).event(&chat_piece("雨停了。")).chat_end(1));
    scene.server.next("/v1/chat/completions", tagged);
    let thinking = json!({ "type": "content_block_delta", "index": 0,
        "delta": { "type": "thinking_delta", "thinking": "hm" } });
    scene
        .server
        .next("/v1/messages", Answer::messages_start().named(&thinking).messages_piece("雨停了。").messages_end(1));
    for kind in [ProviderKind::OpenAi, ProviderKind::OpenAi, ProviderKind::Anthropic] {
        assert_eq!(scene.text(kind), "雨停了。");
    }
}

#[test]
fn stopping_ends_the_request_at_once_and_the_server_sees_it() {
    for (kind, path) in DIALECTS {
        for text in ["", "雨停了"] {
            let scene = Scene::new();
            let gate = scene.server.gate();
            // Before the head of the answer, and in the middle of its text.
            let held = if text.is_empty() { Answer::stream() } else { begun(kind, text) };
            scene.server.next(path, ended(kind, held.wait_at(&gate)));
            let model = scene.model(kind);
            let messages = prompt_messages();
            std::thread::scope(|scope| {
                let stop = &scene.stop;
                scope.spawn(|| {
                    let asked = scene.server.wait_for_request();
                    if text.is_empty() {
                        stop.set();
                    }
                    scene.server.wait_until_gone(&asked);
                    assert!(!scene.server.has_answered(&asked), "it went before the answer was whole");
                });
                let done = model.generate(&super::request(&messages, stop), &mut |_| stop.set());
                let done = done.unwrap();
                assert_eq!((done.text.as_str(), done.stop), (text, StopReason::Cancelled));
            });
            assert_eq!(scene.server.requests().len(), 1);
        }
    }
}

#[test]
fn a_generation_cancelled_before_its_start_sends_no_request() {
    let scene = Scene::new();
    scene.stop.set();
    let (streamed, done) = scene.generate(&*scene.model(ProviderKind::OpenAi));
    assert_eq!((streamed.as_str(), done.unwrap().stop), ("", StopReason::Cancelled));
    assert!(scene.server.requests().is_empty());
}

#[test]
fn a_connection_is_used_again() {
    let scene = Scene::new();
    scene.server.always("/v1/chat/completions", Answer::chat(&["雨"]));
    let model = scene.model(ProviderKind::OpenAi);
    for _ in 0..3 {
        assert_eq!(kind_of(&scene.generate(&*model).1), None);
        // The end of the answer may still be in transit when the text is complete.
        scene.server.wait_until_answered(&scene.server.wait_for_request());
    }
    assert!(scene.server.connections() <= 2, "{} connections", scene.server.connections());
}

#[test]
fn a_call_works_from_a_thread_of_another_runtime() {
    let scene = Scene::new();
    scene.server.always("/v1/chat/completions", Answer::chat(&["雨"]));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let model = scene.model(ProviderKind::OpenAi);
    let text = runtime.block_on(async {
        // Directly from a task, where blocking on a runtime panics; the network is dropped there too.
        let messages = prompt_messages();
        let done = model.generate(&super::request(&messages, &scene.stop), &mut |_| {});
        let text = done.unwrap().text;
        drop((model, scene));
        text
    });
    assert_eq!(text, "雨");
}
