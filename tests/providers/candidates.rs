//! Several candidates at once: by one request where a server is known to support that, otherwise by concurrent ones.

use std::sync::Mutex;

use palimpsest_memory::ports::{
    CandidateEvent, Completion, GenerationRequest, MAX_CONCURRENT_CANDIDATES, ModelError, ModelErrorKind as Kind,
    StopReason, TextModel, Tokens,
};
use palimpsest_providers::ProviderKind;
use palimpsest_tests::server::Answer;
use serde_json::{Value, json};

use super::{Scene, prompt_messages, request};

const PATH: &str = "/v1/chat/completions";

/// The outcome of each candidate: its streamed text, and its end.
type Cards = Vec<(String, Option<Result<Completion, ModelError>>)>;

fn generate_cards(scene: &Scene, model: &dyn TextModel, count: usize) -> Cards {
    let messages = prompt_messages();
    let requests: Vec<GenerationRequest<'_>> = (0..count)
        .map(|number| GenerationRequest {
            seed: number as u64,
            temperature: 0.7 + number as f32 * 0.1,
            ..request(&messages, &scene.stop)
        })
        .collect();
    let cards = Mutex::new(vec![(String::new(), None); count]);
    model.generate_all(&requests, &|place, piece| {
        let card = &mut cards.lock().unwrap()[place];
        assert!(card.1.is_none(), "nothing comes after the end");
        match piece {
            CandidateEvent::Text(text) => card.0.push_str(text),
            CandidateEvent::Done(done) => card.1 = Some(done),
        }
    });
    cards.into_inner().unwrap()
}

fn card_texts(cards: &Cards) -> Vec<String> {
    cards
        .iter()
        .map(|(streamed, done)| {
            let text = done.clone().unwrap().unwrap().text;
            assert_eq!(&text, streamed);
            text
        })
        .collect()
}

fn piece(index: u64, text: &str) -> Value {
    json!({ "choices": [{ "index": index, "delta": { "content": text } }] })
}

fn end_event(index: u64) -> Value {
    json!({ "choices": [{ "index": index, "delta": {}, "finish_reason": "stop" }] })
}

#[test]
fn one_request_writes_all_where_the_server_can_and_each_goes_to_its_own_card() {
    let scene = Scene::new();
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 10, "completion_tokens": 6 } });
    let stream = [
        piece(1, "风"),
        piece(0, "雨"),
        piece(2, "雪"),
        piece(0, "停了"),
        end_event(0),
        piece(2, "化了"),
        end_event(2),
        end_event(1),
        usage,
    ];
    let stream = stream.iter().fold(Answer::stream(), Answer::event).chunk("data: [DONE]\n\n");
    scene.server.next(PATH, stream);
    let cards = generate_cards(&scene, &*scene.model_with_n(), 3);
    assert_eq!(card_texts(&cards), ["雨停了", "风", "雪化了"]);
    let asked = scene.server.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!((&asked[0].body["n"], &asked[0].body["temperature"]), (&json!(3), &json!(0.8)));
    let cost: Vec<u32> = cards
        .into_iter()
        .map(|(_, done)| done.unwrap().unwrap().tokens.unwrap())
        .map(|it: Tokens| it.prompt + it.answer)
        .collect();
    assert_eq!(cost.iter().sum::<u32>(), 16, "what one request cost is counted once");
}

#[test]
fn a_server_that_refuses_n_writes_them_side_by_side_and_is_not_asked_for_n_again() {
    let scene = Scene::new();
    let refusal = json!({ "error": { "message": "Only one completion choice is allowed", "type": "invalid_request_error", "param": "n" } });
    scene.server.reply(PATH, move |asked| match &asked.body["n"] {
        Value::Null => Answer::chat(&["雨", &asked.body["seed"].to_string()]),
        _ => Answer::json(400, refusal.clone()),
    });
    let model = scene.model_with_n();
    assert_eq!(card_texts(&generate_cards(&scene, &*model, 3)), ["雨0", "雨1", "雨2"]);
    assert_eq!(card_texts(&generate_cards(&scene, &*model, 2)), ["雨0", "雨1"]);
    let with_n = scene.server.requests().iter().filter(|asked| !asked.body["n"].is_null()).count();
    assert_eq!((with_n, scene.server.requests().len()), (1, 6));
}

#[test]
fn side_by_side_are_three_at_a_time_and_different_on_purpose() {
    for (kind, path) in super::DIALECTS {
        let scene = Scene::new();
        let gate = scene.server.gate();
        let held = gate.clone();
        scene.server.reply(path, move |_| super::ended(kind, super::begun(kind, "雨").wait_at(&held)));
        let model = scene.model(kind);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..MAX_CONCURRENT_CANDIDATES {
                    scene.server.wait_for_request();
                }
                // Three wait for the gate; a fourth would have been requested by now, or is requested only after one
                // has ended.
                assert_eq!(scene.server.requests().len(), MAX_CONCURRENT_CANDIDATES);
                gate.open();
            });
            assert_eq!(card_texts(&generate_cards(&scene, &*model, 5)), ["雨"; 5]);
        });
        let asked = scene.server.requests();
        assert_eq!(asked.len(), 5);
        assert!(asked.iter().all(|asked| asked.body.get("n").is_none()), "only OpenAI itself is asked for n");
        let mut different: Vec<String> =
            asked.iter().map(|asked| format!("{} {}", asked.body["temperature"], asked.body["seed"])).collect();
        different.sort();
        different.dedup();
        // Anthropic has no seed, and its scale of temperature ends at 1.
        assert_eq!(different.len(), if kind == ProviderKind::Anthropic { 4 } else { 5 });
    }
}

#[test]
fn a_candidate_that_fails_leaves_the_others_whole() {
    let scene = Scene::new();
    scene.server.reply(PATH, |asked| match asked.body["seed"].as_u64() {
        Some(1) => Answer::stream().event(&piece(0, "半")).broken(),
        _ => Answer::chat(&["雨"]),
    });
    let cards = generate_cards(&scene, &*scene.model(ProviderKind::OpenAi), 3);
    let kinds: Vec<Option<Kind>> = cards.iter().map(|(_, done)| super::kind_of(done.as_ref().unwrap())).collect();
    assert_eq!(kinds, [None, Some(Kind::Malformed), None]);
    assert_eq!(cards[1].0, "半", "no text is lost");

    // The same with one request: one candidate is filtered, and the stream continues.
    let filtered = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "content_filter" }] });
    let stream = [piece(0, "半"), filtered, piece(1, "雨"), end_event(1)];
    scene.server.next(PATH, stream.iter().fold(Answer::stream(), Answer::event));
    let cards = generate_cards(&scene, &*scene.model_with_n(), 2);
    let kinds: Vec<Option<Kind>> = cards.iter().map(|(_, done)| super::kind_of(done.as_ref().unwrap())).collect();
    assert_eq!(kinds, [Some(Kind::ContentRefused), None]);
}

#[test]
fn a_stream_of_several_candidates_that_breaks_off_keeps_the_finished_ones() {
    let scene = Scene::new();
    let stream = [piece(0, "雨"), piece(1, "半"), end_event(0)];
    scene.server.next(PATH, stream.iter().fold(Answer::stream(), Answer::event).broken());
    let cards = generate_cards(&scene, &*scene.model_with_n(), 2);
    assert_eq!(cards[0].1.clone().unwrap().unwrap().text, "雨");
    assert_eq!(cards[1].0, "半");
    assert_eq!(super::kind_of(cards[1].1.as_ref().unwrap()), Some(Kind::Malformed));
}

#[test]
fn stopping_stops_all_of_them_and_closes_every_connection() {
    for with_n in [true, false] {
        let scene = Scene::new();
        let gate = scene.server.gate();
        let held = gate.clone();
        scene.server.reply(PATH, move |_| Answer::stream().event(&piece(0, "雨")).wait_at(&held));
        let model = if with_n { scene.model_with_n() } else { scene.model(ProviderKind::OpenAi) };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let requests = if with_n { 1 } else { 3 };
                let asked: Vec<_> = (0..requests).map(|_| scene.server.wait_for_request()).collect();
                scene.stop.set();
                asked.iter().for_each(|asked| scene.server.wait_until_gone(asked));
            });
            for (_, done) in generate_cards(&scene, &*model, 3) {
                assert_eq!(done.unwrap().unwrap().stop, StopReason::Cancelled);
            }
        });
    }
}
