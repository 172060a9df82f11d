//! Servers that are almost compatible, and their descriptions of themselves.

use std::time::Duration;

use palimpsest_memory::ports::ModelErrorKind as Kind;
use palimpsest_providers::{BaseUrl, ProviderKind, Timeouts, context_tokens, find_ollama_at, models, text_model};
use palimpsest_tests::server::{Answer, unused_url};
use serde_json::{Value, json};

use super::{DIALECTS, Scene, begun_answer, endpoint, kind_of, request, streamed};

const PATH: &str = "/v1/chat/completions";

/// A server that refuses some parameters, one at a time, and answers once they are removed.
fn refusing(scene: &Scene, parameters: &'static [&'static str], refusal: fn(&str) -> Value) {
    scene.server.reply(PATH, move |asked| {
        let refused = parameters.iter().find(|name| asked.body.get(**name).is_some());
        refused.map_or_else(|| Answer::chat(&["{\"a\": 1}"]), |name| Answer::json(400, refusal(name)))
    });
}

#[test]
fn a_parameter_that_a_server_refuses_is_left_out_from_then_on() {
    for (parameters, refusal) in [
        (
            &["max_tokens", "temperature"][..],
            (|name| {
                json!({ "error": { "message": format!("Unsupported parameter: '{name}'"), "param": name,
                    "code": "unsupported_parameter", "type": "invalid_request_error" } })
            }) as fn(&str) -> Value,
        ),
        (&["stream_options"], |name| json!({ "error": { "message": format!("property '{name}' is unsupported") } })),
        (
            &["seed", "stream_options"],
            |name| json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs" }] }),
        ),
        (&["seed", "stream_options", "response_format"], |_| json!("Bad Request")),
        (&["response_format"], |_| json!({ "error": { "message": "This response_format type is unavailable now" } })),
    ] {
        let scene = Scene::new();
        refusing(&scene, parameters, refusal);
        let model = scene.model(ProviderKind::OpenAi);
        let schema = json!({ "type": "object" });
        assert_eq!(scene.write_as(&*model, Some(&schema)).1.unwrap().text, "{\"a\":1}");
        let before = scene.server.requests().len();
        assert_eq!(scene.write_as(&*model, Some(&schema)).1.unwrap().text, "{\"a\":1}");
        assert_eq!(scene.server.requests().len(), before + 1, "what was learned of {parameters:?} is kept");
        assert!(scene.pauses().is_empty(), "nothing is waited for");
        let sent = &scene.server.requests()[before].body;
        assert_eq!(sent["model"], "scripted");
        assert!(!sent["max_completion_tokens"].is_null() || !sent["max_tokens"].is_null(), "the length stays bounded");
    }
}

/// The roles and texts of a request's messages.
fn sent_messages(body: &Value) -> Vec<(&str, &str)> {
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["role"].as_str().unwrap(), one["content"].as_str().unwrap()))
        .collect()
}

#[test]
fn the_beginning_of_an_answer_is_sent_as_such_where_the_server_continues_it() {
    let messages = begun_answer();
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        scene.server.always(path, streamed(kind, &["门开了。"]));
        let model = scene.model(kind);
        assert!(model.continues_answers(), "{kind:?}");
        assert_eq!(model.generate(&request(&messages, &scene.stop), &mut |_| ()).unwrap().text, "门开了。");
        let body = &scene.server.requests()[0].body;
        // Anthropic refuses a blank at the end of it.
        let begun = if kind == ProviderKind::Anthropic { "雨停了。" } else { "雨停了。\n\n" };
        assert_eq!(sent_messages(body).last(), Some(&("assistant", begun)), "{kind:?}");
    }
    let elsewhere = endpoint(ProviderKind::OpenAi, "https://models.example/v1");
    assert!(!text_model(&Scene::new().network, elsewhere, "scripted".to_owned()).continues_answers());
}

#[test]
fn a_server_that_refuses_the_beginning_of_an_answer_gets_its_text_before_the_task_from_then_on() {
    let messages = begun_answer();
    for refusal in [
        "This model does not support assistant message prefill. The conversation must end with a user message.",
        "Cannot have 2 or more assistant messages at the end of the list.",
        "Bad Request",
    ] {
        let scene = Scene::new();
        scene.server.reply("/v1/messages", move |asked| match sent_messages(&asked.body).last() {
            Some(("assistant", _)) => Answer::json(
                400,
                json!({ "type": "error", "error":
                { "type": "invalid_request_error", "message": refusal } }),
            ),
            _ => Answer::messages(&["门开了。"]),
        });
        let model = scene.model(ProviderKind::Anthropic);
        for _ in 0..2 {
            assert_eq!(model.generate(&request(&messages, &scene.stop), &mut |_| ()).unwrap().text, "门开了。");
        }
        assert!(!model.continues_answers(), "{refusal}");
        let requests = scene.server.requests();
        assert_eq!(requests.len(), 3, "refused once: {refusal}");
        assert_eq!(sent_messages(&requests[2].body), [("user", "雨停了。\n\n续写")]);
    }
}

#[test]
fn a_server_that_refuses_every_request_is_asked_a_limited_number_of_times() {
    let scene = Scene::new();
    scene.server.always(PATH, Answer::json(400, json!({ "error": { "message": "no" } })));
    assert_eq!(scene.fails(ProviderKind::OpenAi).1.kind, Kind::RequestRefused);
    assert_eq!(scene.server.requests().len(), 2, "as usual, and bare");
}

#[test]
fn an_answer_that_is_to_be_json_is_json_or_an_error() {
    let scene = Scene::new();
    let schema = json!({ "type": "object", "properties": { "规则": { "type": "string" } } });
    let model = scene.model(ProviderKind::OpenAi);
    scene.server.next(PATH, Answer::chat(&["```json\n{\"规则\":", " \"短句\",}", "\n```"]));
    let done = scene.write_as(&*model, Some(&schema)).1.unwrap();
    assert_eq!(done.text, "{\"规则\":\"短句\"}");
    assert_eq!(scene.server.requests()[0].body["response_format"]["json_schema"]["schema"], schema);
    scene.server.next(PATH, Answer::chat(&["我不会。"]));
    assert_eq!(kind_of(&scene.write_as(&*model, Some(&schema)).1), Some(Kind::Malformed));

    let input = |json: &str| {
        json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "input_json_delta", "partial_json": json } })
    };
    let stream = Answer::messages_start().named(&input("{\"规则\": ")).named(&input("\"短句\"}")).messages_end(3);
    scene.server.next("/v1/messages", stream);
    let done = scene.write_as(&*scene.model(ProviderKind::Anthropic), Some(&schema)).1.unwrap();
    assert_eq!(done.text, "{\"规则\":\"短句\"}");
}

#[test]
fn models_are_listed_by_every_kind() {
    let scene = Scene::new();
    let listed = |kind| models(&scene.network, &scene.endpoint(kind));
    let data = json!({ "object": "list", "data": [{ "id": "b" }, { "id": "a" }, { "id": "b" }, { "x": 1 }] });
    scene.server.next("/v1/models", Answer::json(200, data.clone()));
    assert_eq!(listed(ProviderKind::OpenAi).unwrap(), ["a", "b"]);
    scene.server.next("/v1/models?limit=1000", Answer::json(200, data));
    assert_eq!(listed(ProviderKind::Anthropic).unwrap(), ["a", "b"]);
    scene.server.always("/api/tags", Answer::json(200, json!({ "models": [{ "name": "qwen3:8b" }] })));
    assert_eq!(listed(ProviderKind::Ollama).unwrap(), ["qwen3:8b"]);
    scene.server.next("/v1/models", Answer::json(200, json!([{ "id": "bare" }])));
    assert_eq!(listed(ProviderKind::OpenAi).unwrap(), ["bare"]);

    scene.server.next("/v1/models", Answer::json(401, json!({ "error": "no" })));
    assert_eq!(listed(ProviderKind::OpenAi).unwrap_err().kind, Kind::KeyRefused);
    scene.server.next("/v1/models", Answer::bytes(200, "text/html", "<html>"));
    assert_eq!(listed(ProviderKind::OpenAi).unwrap_err().kind, Kind::Malformed);
    assert!(scene.server.requests().iter().all(|asked| asked.method == "GET"));
}

#[test]
fn ollama_is_found_where_it_is_and_not_waited_for_where_it_is_not() {
    let scene = Scene::with_timeouts(Timeouts { probe: Duration::ZERO, ..Timeouts::default() });
    let find = |network, url: &str| find_ollama_at(network, &BaseUrl::parse(url).unwrap());
    assert_eq!(find(&scene.network, &unused_url()), None);
    scene.server.next("/api/tags", Answer::stream().wait_at(&scene.server.gate()));
    assert_eq!(find(&scene.network, &scene.server.url("")), None, "something that does not answer");
    assert!(scene.pauses().is_empty());

    let scene = Scene::new();
    let tags = json!({ "models": [{ "name": "qwen3:8b" }, { "name": "bge-m3" }] });
    scene.server.next("/api/tags", Answer::json(200, tags));
    assert_eq!(find(&scene.network, &scene.server.url("")), Some(vec!["bge-m3".to_owned(), "qwen3:8b".to_owned()]));
    scene.server.next("/api/tags", Answer::json(404, Value::Null));
    assert_eq!(find(&scene.network, &scene.server.url("")), None, "something that is not Ollama");
}

#[test]
fn the_context_length_is_asked_from_servers_that_report_it() {
    let scene = Scene::new();
    let ask = |kind| context_tokens(&scene.network, &scene.endpoint(kind), "scripted");
    let list = |entry: Value| Answer::json(200, json!({ "data": [{ "id": "other", "max_model_len": 1 }, entry] }));
    for key in ["max_model_len", "context_length", "context_window"] {
        scene.server.next("/v1/models", list(json!({ "id": "scripted", key: 8192 })));
        assert_eq!(ask(ProviderKind::OpenAi), Some(8_192), "{key}");
    }
    scene.server.always("/v1/models", list(json!({ "id": "scripted" })));
    assert_eq!(ask(ProviderKind::OpenAi), None);
    let props = json!({ "default_generation_settings": { "n_ctx": 4096 } });
    scene.server.next("/props", Answer::json(200, props));
    assert_eq!(ask(ProviderKind::OpenAi), Some(4_096), "llama.cpp");
    let studio = json!({ "data": [{ "id": "scripted", "loaded_context_length": 2048, "max_context_length": 32_768 }] });
    scene.server.next("/api/v0/models", Answer::json(200, studio));
    assert_eq!(ask(ProviderKind::OpenAi), Some(2_048), "LM Studio");

    let show = |parameters: &str, most: u32| {
        Answer::json(200, json!({ "parameters": parameters, "model_info": { "qwen2.context_length": most } }))
    };
    scene.server.next("/api/show", show("stop \"<|im_end|>\"\nnum_ctx                        16384", 32_768));
    assert_eq!(ask(ProviderKind::Ollama), Some(16_384), "set in the model file");
    scene.server.next("/api/show", show("", 32_768));
    assert_eq!(ask(ProviderKind::Ollama), Some(4_096), "what Ollama gives a model that is told nothing");
    scene.server.next("/api/show", show("", 2_048));
    assert_eq!(ask(ProviderKind::Ollama), Some(2_048), "and never more than the model can");
    scene.server.next("/api/show", show("", 32_768));
    let running = json!({ "models": [{ "name": "scripted", "context_length": 8192 }] });
    scene.server.next("/api/ps", Answer::json(200, running));
    assert_eq!(ask(ProviderKind::Ollama), Some(8_192), "what it runs with");
    assert_eq!(scene.server.requests_to("/api/show")[0].body, json!({ "model": "scripted" }));

    scene.server.next("/v1/models/scripted", Answer::json(200, json!({ "max_input_tokens": 200_000 })));
    assert_eq!(ask(ProviderKind::Anthropic), Some(200_000));
    assert_eq!(context_tokens(&scene.network, &scene.endpoint(ProviderKind::Anthropic), "../x"), None);
}
