//! Servers that send endlessly: how much is read, and how the request ends.

use std::sync::mpsc::channel;

use palimpsest_memory::ports::{CandidateEvent, MAX_CANDIDATE_BYTES, ModelErrorKind as Kind, StopReason};
use palimpsest_providers::{ProviderKind, embedder, models};
use palimpsest_tests::server::{Answer, chat_piece};
use serde_json::{Value, json};

use super::{DIALECTS, Scene, begun, kind_of, prompt_messages, request};

/// Bytes of a flood: far more than may be read of any answer.
const FLOOD: usize = 96 << 20;

/// Maximum of bytes that a client which has stopped reading may have accepted: its own buffer and those of the
/// operating system on both sides.
const HELD_UP: usize = 24 << 20;

const MIB: usize = 1 << 20;

/// The event of one word, in the format of a dialect.
fn word(kind: ProviderKind) -> String {
    match kind {
        ProviderKind::Anthropic => {
            let delta = json!({ "type": "text_delta", "text": "word 雨 " });
            format!("data: {}\n\n", json!({ "type": "content_block_delta", "index": 0, "delta": delta }))
        }
        _ => format!("data: {}\n\n", chat_piece("word 雨 ")),
    }
}

#[test]
fn a_candidate_without_an_end_stops_at_the_maximum_text_of_an_episode() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        scene.server.next(path, Answer::stream().flood(word(kind), FLOOD));
        let (streamed, done) = scene.generate(&*scene.model(kind));
        assert_eq!(kind_of(&done), Some(Kind::AnswerTooLong));
        assert!((MAX_CANDIDATE_BYTES - 3..=MAX_CANDIDATE_BYTES).contains(&streamed.len()), "{}", streamed.len());
        let asked = scene.server.wait_for_request();
        scene.server.wait_until_gone(&asked);
        assert!(scene.server.flooded() < FLOOD / 2, "{}", scene.server.flooded());
        assert_eq!(scene.server.requests().len(), 1, "it is not asked again");
    }
}

#[test]
fn a_server_that_sends_no_text_is_read_to_a_limit() {
    let empty = format!("data: {}\n\n", chat_piece(""));
    let thought = json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": "hm" } }] });
    let thinking = format!("data: {}\n\n", chat_piece("hm "));
    for (answer, most) in [
        (Answer::stream().flood(": ping\n\n", FLOOD), 32 * MIB),
        (Answer::stream().flood(empty, FLOOD), 32 * MIB),
        (Answer::stream().flood(format!("data: {thought}\n\n"), FLOOD), 32 * MIB),
        (Answer::stream().event(&chat_piece("<think>")).flood(thinking, FLOOD), 32 * MIB),
        (Answer::stream().flood(format!("data: {}\n\n", chat_piece(" ")), FLOOD), 32 * MIB),
        (Answer::stream().flood("\n", FLOOD), MIB),
        (Answer::stream().flood("data: x", FLOOD), MIB),
        (Answer::stream().flood("data: x\n", FLOOD), MIB),
        (Answer::stream().flood("[0,", FLOOD), 4 * MIB),
        (Answer::stream().flood("{\"a\":", FLOOD), 4 * MIB),
    ] {
        let scene = Scene::new();
        scene.server.next("/v1/chat/completions", answer);
        let (streamed, error) = scene.fails(ProviderKind::OpenAi);
        assert_eq!((streamed.trim(), error.kind), ("", Kind::AnswerTooLong));
        let flooded = scene.server.flooded();
        assert!(flooded < most + HELD_UP, "{flooded}");
        assert_eq!(scene.server.requests().len(), 1, "it is not asked again");
    }
}

#[test]
fn bytes_after_the_end_of_an_answer_change_no_text_and_are_not_read_without_limit() {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let scene = Scene::new();
    let answer = Answer::stream().event(&chat_piece("雨停了。")).event(&end).flood(": ping\n\n", FLOOD);
    scene.server.next("/v1/chat/completions", answer);
    let (_, done) = scene.generate(&*scene.model(ProviderKind::OpenAi));
    assert_eq!(done.unwrap().text, "雨停了。");
    assert!(scene.server.flooded() < FLOOD, "{}", scene.server.flooded());
}

#[test]
fn pings_after_the_end_do_not_begin_the_wait_for_the_count_again() {
    let scene = Scene::new();
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    // Text and end in one chunk: the clock runs from the text on, and only pings may follow.
    let answer = Answer::stream().event(&chat_piece("雨")).event(&end).cut_every(1 << 16).flood(": ping\n\n", FLOOD);
    scene.server.next("/v1/chat/completions", answer);
    let messages = prompt_messages();
    let done = scene
        .model(ProviderKind::OpenAi)
        .generate(&request(&messages, &scene.stop), &mut |_| scene.clock.start_expiring());
    assert_eq!(done.unwrap().text, "雨");
    assert!(scene.server.flooded() < HELD_UP, "{}", scene.server.flooded());
}

#[test]
fn a_client_that_is_slow_holds_up_the_server_and_not_its_own_memory() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        scene.server.next(path, begun(kind, "雨").cut_every(1 << 16).flood(": ping\n\n", FLOOD));
        let messages = prompt_messages();
        let mut accepted = 0;
        let done = scene.model(kind).generate(&request(&messages, &scene.stop), &mut |_| {
            // The reader of the text returns only after the server has stalled.
            accepted = scene.server.wait_until_stalled(FLOOD);
            scene.stop.set();
        });
        assert_eq!(done.unwrap().stop, StopReason::Cancelled);
        assert!(accepted < HELD_UP, "{accepted}");
    }
}

#[test]
fn a_flood_is_stopped_at_once() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        scene.server.next(path, Answer::stream().flood(word(kind), FLOOD));
        let messages = prompt_messages();
        let mut pieces = 0;
        let done = scene.model(kind).generate(&request(&messages, &scene.stop), &mut |_| {
            pieces += 1;
            scene.stop.set();
        });
        assert_eq!((done.unwrap().stop, pieces), (StopReason::Cancelled, 1), "nothing comes after it was stopped");
    }
}

#[test]
fn letters_that_come_one_by_one_in_one_piece_of_the_network_are_one_piece_of_the_text() {
    let scene = Scene::new();
    let letters: String = (0..500).map(|_| format!("data: {}\n\n", chat_piece("x"))).collect();
    scene.server.next("/v1/chat/completions", Answer::stream().chunk(letters).chat_end(500));
    let messages = prompt_messages();
    let mut pieces = 0;
    let done = scene.model(ProviderKind::OpenAi).generate(&request(&messages, &scene.stop), &mut |_| pieces += 1);
    assert_eq!(done.unwrap().text.len(), 500);
    assert!(pieces < 50, "{pieces}");
}

#[test]
fn one_of_several_candidates_without_an_end_leaves_the_others_whole() {
    let scene = Scene::new();
    let two =
        format!("data: {}\n\n", json!({ "choices": [{ "index": 1, "delta": { "content": "雨".repeat(2_000) } }] }));
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let answer = Answer::stream().event(&chat_piece("雨停了。")).flood(two, MIB).event(&end).chunk("data: [DONE]\n\n");
    scene.server.next("/v1/chat/completions", answer);
    let messages = prompt_messages();
    let requests = [request(&messages, &scene.stop), request(&messages, &scene.stop)];
    let (send, done) = channel();
    scene.model_with_n().generate_all(&requests, &|place, piece| {
        if let CandidateEvent::Done(done) = piece {
            send.send((place, done.map(|done| done.text).map_err(|error| error.kind))).unwrap();
        }
    });
    drop(send);
    let done: Vec<_> = done.iter().collect();
    assert_eq!(done, [(1, Err(Kind::AnswerTooLong)), (0, Ok("雨停了。".to_owned()))]);
}

#[test]
fn short_answers_have_limits_too() {
    let scene = Scene::new();
    let endpoint = scene.endpoint(ProviderKind::OpenAi);
    scene.server.always("/v1/models", Answer::stream().flood("{\"data\":[", FLOOD));
    assert_eq!(models(&scene.network, &endpoint).unwrap_err().kind, Kind::AnswerTooLong);
    scene.server.always("/v1/embeddings", Answer::stream().flood("[0.1,", FLOOD));
    let refused = embedder(&scene.network, &endpoint, "scripted").err().map(|error| error.kind);
    assert_eq!(refused, Some(Kind::AnswerTooLong));
    let mut error = Answer::stream().flood("{\"error\":", FLOOD);
    error = error.status(400);
    scene.server.always("/v1/chat/completions", error);
    assert_eq!(scene.fails(ProviderKind::OpenAi).1.kind, Kind::RequestRefused);
    assert!(scene.server.flooded() < 3 * HELD_UP, "{}", scene.server.flooded());
}

#[test]
fn a_list_of_models_holds_names_that_can_be_read_and_no_others() {
    let scene = Scene::new();
    let mut names: Vec<String> = (0..6_000).map(|n| format!("model-{n:05}")).collect();
    names.extend([
        "x".repeat(201),
        "a\nb".into(),
        "gpt\u{202e}4".into(),
        "a\u{200b}b".into(),
        String::new(),
        "  ".into(),
    ]);
    names.reverse();
    let data: Vec<Value> = names.iter().map(|name| json!({ "id": name })).collect();
    scene.server.always("/v1/models", Answer::json(200, json!({ "data": data })));
    let listed = models(&scene.network, &scene.endpoint(ProviderKind::OpenAi)).unwrap();
    assert_eq!(listed.len(), 5_000);
    assert!(listed.iter().all(|name| name.starts_with("model-")));
}
