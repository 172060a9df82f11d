//! The order of texts from a server.

use std::sync::atomic::{AtomicUsize, Ordering};

use palimpsest_memory::ports::ModelErrorKind as Kind;
use palimpsest_providers::{ProviderKind, reranker};
use palimpsest_tests::server::Answer;
use serde_json::json;

use super::{KEY, Scene};

const PATH: &str = "/v1/rerank";

#[test]
fn each_document_gets_the_score_that_the_server_gave_it() {
    let scene = Scene::new();
    scene.server.reply(PATH, |_| {
        Answer::json(
            200,
            json!({ "results": [
                { "index": 1, "relevance_score": 0.92, "document": { "text": "渡口" } },
                { "index": 0, "relevance_score": 0.08 },
            ] }),
        )
    });
    let model = reranker(&scene.network, scene.endpoint(ProviderKind::OpenAi), "bge-reranker-v2-m3".into());
    assert_eq!(model.rerank("船在哪里？", &["灯灭了。", "船在渡口。"]).unwrap(), [0.08, 0.92]);
    let asked = &scene.server.requests()[0];
    assert_eq!(asked.body["model"], "bge-reranker-v2-m3");
    assert_eq!(asked.body["query"], "船在哪里？");
    assert_eq!(asked.body["documents"], json!(["灯灭了。", "船在渡口。"]));
    assert_eq!(asked.body["top_n"], 2);
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert!(model.rerank("船？", &[]).unwrap().is_empty());
    assert_eq!(scene.server.requests().len(), 1, "nothing to order, nothing sent");
}

#[test]
fn an_answer_that_is_no_order_is_an_error_and_a_busy_server_is_asked_again() {
    let scene = Scene::new();
    scene.server.reply(PATH, |_| Answer::json(200, json!({ "results": [{ "index": 7, "relevance_score": 0.5 }] })));
    let model = reranker(&scene.network, scene.endpoint(ProviderKind::OpenAi), "m".into());
    assert_eq!(model.rerank("a", &["b"]).unwrap_err().kind, Kind::Malformed);

    let scene = Scene::new();
    let asked = AtomicUsize::new(0);
    scene.server.reply(PATH, move |_| {
        if asked.fetch_add(1, Ordering::Relaxed) == 0 {
            Answer::json(503, json!({ "error": { "message": "loading model" } }))
        } else {
            Answer::json(200, json!({ "results": [{ "index": 0, "relevance_score": 2.5 }] }))
        }
    });
    let model = reranker(&scene.network, scene.endpoint(ProviderKind::OpenAi), "m".into());
    let scores = model.rerank("a", &["b"]).unwrap();
    assert!(scores[0] > 0.9 && scores[0] < 1.0, "a logit becomes a share: {scores:?}");
    assert_eq!(scene.server.requests().len(), 2);
}

#[test]
fn a_provider_without_reranking_says_so_before_anything_is_sent() {
    let scene = Scene::new();
    let model = reranker(&scene.network, scene.endpoint(ProviderKind::Anthropic), "m".into());
    assert_eq!(model.rerank("a", &["b"]).unwrap_err().kind, Kind::RequestRefused);
    assert!(scene.server.requests().is_empty());
}
