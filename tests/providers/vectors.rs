//! Vectors from a server.

use palimpsest_memory::ports::ModelErrorKind as Kind;
use palimpsest_providers::{ProviderKind, embedder};
use palimpsest_tests::server::{Answer, Request};
use serde_json::{Value, json};

use super::{KEY, Scene};

const PATH: &str = "/v1/embeddings";

fn input_texts(asked: &Request) -> Vec<String> {
    asked.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Vectors that identify their text: (its number of characters, 1), in reverse order, which a server may choose.
fn vectors(asked: &Request) -> Answer {
    let of = |(index, text): (usize, &String)| json!({ "index": index, "embedding": [text.chars().count() as f64 * 2.0, 2.0], "object": "embedding" });
    let data: Vec<Value> = input_texts(asked).iter().enumerate().rev().map(of).collect();
    Answer::json(200, json!({ "data": data, "model": "bge-m3" }))
}

/// The number of characters that a vector identifies its text by.
fn characters(vector: &[f32]) -> f32 {
    let length: f32 = vector.iter().map(|number| number * number).sum();
    assert!((length - 1.0).abs() < 1e-5, "of length one");
    (vector[0] / vector[1]).round()
}

#[test]
fn many_texts_go_in_few_requests_and_come_back_in_their_order() {
    let scene = Scene::new();
    scene.server.reply(PATH, vectors);
    let embedder = embedder(&scene.network, &scene.endpoint(ProviderKind::OpenAi), "bge-m3").unwrap();
    assert_eq!((embedder.model(), embedder.dimensions()), ("openAi:127.0.0.1/bge-m3", 2));
    let asked = &scene.server.requests()[0];
    assert_eq!(input_texts(asked), ["palimpsest"], "to learn the length, a word of the program's own");
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));

    let many: Vec<String> = (1..=70).map(|count| "雨".repeat(count)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let found: Vec<f32> = embedder.embed_all(&many).unwrap().iter().map(|vector| characters(vector)).collect();
    assert_eq!(found, (1..=70).map(|count| count as f32).collect::<Vec<_>>());
    assert_eq!(scene.server.requests().len(), 1 + 3);
    assert_eq!(characters(&embedder.embed("雨雨").unwrap()), 2.0);
    assert!(embedder.embed_all(&[]).unwrap().is_empty());
}

#[test]
fn a_server_that_takes_fewer_at_once_gets_fewer_from_then_on() {
    let scene = Scene::new();
    let refusal = json!({ "error": { "message": "batch size is invalid, it should not be larger than 10." } });
    scene.server.reply(PATH, move |asked| {
        if input_texts(asked).len() > 10 { Answer::json(400, refusal.clone()) } else { vectors(asked) }
    });
    let embedder = embedder(&scene.network, &scene.endpoint(ProviderKind::OpenAi), "text-embedding-v4").unwrap();
    assert_eq!(embedder.embed_all(&["雨"; 32]).unwrap().len(), 32);
    assert_eq!(scene.server.requests().len(), 1 + 2 + 4, "32, 16, then four times 8");
    assert_eq!(embedder.embed_all(&["雨"; 16]).unwrap().len(), 16);
    assert_eq!(scene.server.requests().len(), 7 + 2);
}

#[test]
fn a_text_that_is_too_long_for_the_model_is_found_by_its_beginning() {
    let scene = Scene::new();
    let refusal = json!({ "error": { "code": 500, "message": "input is too large to process. increase the physical batch size" } });
    scene.server.reply(PATH, move |asked| {
        let longest = input_texts(asked).iter().map(|text| text.chars().count()).max();
        if longest > Some(300) { Answer::json(500, refusal.clone()) } else { vectors(asked) }
    });
    let embedder = embedder(&scene.network, &scene.endpoint(ProviderKind::OpenAi), "bge-m3").unwrap();
    let found = embedder.embed_all(&["雨", &"雨".repeat(1_000), "雨雨"]).unwrap();
    let found: Vec<f32> = found.iter().map(|vector| characters(vector)).collect();
    assert_eq!(found, [1.0, 250.0, 2.0]);
    assert!(scene.pauses().is_empty(), "that is no passing trouble");
}

#[test]
fn an_embedder_that_fails_reports_it_and_recovers() {
    let scene = Scene::new();
    let endpoint = scene.endpoint(ProviderKind::OpenAi);
    scene.server.next(PATH, Answer::json(401, json!({ "error": { "message": "no" } })));
    let refused = embedder(&scene.network, &endpoint, "bge-m3").err().unwrap();
    assert_eq!(refused.kind, Kind::KeyRefused);
    scene.server.next(PATH, Answer::json(200, json!({ "data": [] })));
    assert_eq!(embedder(&scene.network, &endpoint, "bge-m3").err().unwrap().kind, Kind::Malformed);
    let anthropic = embedder(&scene.network, &scene.endpoint(ProviderKind::Anthropic), "x").err().unwrap();
    assert_eq!(anthropic.kind, Kind::RequestRefused);

    scene.server.reply(PATH, vectors);
    let embedder = embedder(&scene.network, &endpoint, "bge-m3").unwrap();
    let wrong = json!({ "data": [{ "index": 0, "embedding": [1.0, 2.0, 3.0] }] });
    scene.server.next(PATH, Answer::json(200, wrong));
    assert!(embedder.embed("雨").is_err(), "a vector of another length");
    scene.server.next(PATH, Answer::json(503, Value::Null));
    assert_eq!(characters(&embedder.embed("雨").unwrap()), 1.0, "passing trouble is tried again");
    assert_eq!(scene.pauses().len(), 1);
    for _ in 0..3 {
        scene.server.next(PATH, Answer::json(503, json!({ "error": { "message": format!("雨 {KEY}") } })));
    }
    let error = embedder.embed("雨").unwrap_err();
    let printed = format!("{error} {error:?}");
    assert!(!printed.contains("雨") && !printed.contains(KEY), "{printed}");
}
