//! Tool calls in the form of each provider, and servers that have none.

use palimpsest_memory::ports::{
    Completion, GenerationRequest, ModelError, ModelErrorKind as Kind, RequestedCall, TextModel, ToolDefinition,
};
use palimpsest_providers::ProviderKind;
use palimpsest_tests::server::Answer;
use serde_json::{Value, json};

use super::{DIALECTS, Scene, kind_of, prompt_messages, request, streamed};

const CHAT: &str = "/v1/chat/completions";

fn tools() -> [ToolDefinition; 2] {
    let arguments = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let nothing = json!({ "type": "object", "properties": {} });
    [
        ToolDefinition { name: "entity", description: "Shows an entity.", arguments },
        ToolDefinition { name: "stop", description: "Ends it.", arguments: nothing },
    ]
}

/// Asks with tools and a schema; the text that was streamed, and the outcome.
fn offer_tools(scene: &Scene, model: &dyn TextModel) -> (String, Result<Completion, ModelError>) {
    let (messages, schema, tools) = (prompt_messages(), json!({ "type": "object" }), tools());
    let mut streamed = String::new();
    let request = GenerationRequest { schema: Some(&schema), tools: &tools, ..request(&messages, &scene.stop) };
    let done = model.generate(&request, &mut |piece| streamed.push_str(piece));
    (streamed, done)
}

fn requested(name: &str, arguments: &str) -> Option<RequestedCall> {
    Some(RequestedCall { name: name.to_owned(), arguments: arguments.to_owned() })
}

/// Adds a call with its arguments in these pieces.
fn with_call(kind: ProviderKind, answer: Answer, position: usize, name: &str, pieces: &[&str]) -> Answer {
    match kind {
        ProviderKind::Anthropic => answer.messages_call(position, name, pieces),
        _ => answer.chat_call(position, name, pieces),
    }
}

fn opened(kind: ProviderKind) -> Answer {
    if kind == ProviderKind::Anthropic { Answer::messages_start() } else { Answer::stream() }
}

fn ended(kind: ProviderKind, answer: Answer) -> Answer {
    if kind == ProviderKind::Anthropic { answer.messages_end(4) } else { answer.chat_end(4) }
}

/// A whole answer with a call of `entity` whose arguments come in these pieces.
fn called(kind: ProviderKind, pieces: &[&str]) -> Answer {
    ended(kind, with_call(kind, opened(kind), 1, "entity", pieces))
}

#[test]
fn a_call_that_streams_in_pieces_is_one_call_and_no_text() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        scene.server.next(path, called(kind, &["{\"na", "me\": \"\\u96e8", "停\"", "}"]).cut_every(3));
        let (streamed, done) = offer_tools(&scene, &*scene.model(kind));
        let done = done.unwrap();
        assert_eq!((streamed.as_str(), done.text.as_str()), ("", ""));
        assert_eq!(done.tool_call, requested("entity", "{\"name\":\"雨停\"}"));
        assert_eq!(done.tokens.unwrap().answer, 4);
        let sent = &scene.server.requests()[0].body;
        let [entity, stop] = tools();
        if kind == ProviderKind::Anthropic {
            assert_eq!(sent["tools"][0]["input_schema"], entity.arguments);
            assert_eq!(
                sent["tools"][1],
                json!({ "name": "stop", "description": "Ends it.",
                "input_schema": stop.arguments })
            );
            assert_eq!(sent["tool_choice"], json!({ "type": "any" }));
        } else {
            assert_eq!(sent["tools"][0]["function"]["parameters"], entity.arguments);
            let function = json!({ "name": "stop", "description": "Ends it.", "parameters": stop.arguments });
            assert_eq!(sent["tools"][1], json!({ "type": "function", "function": function }));
            assert_eq!((&sent["tool_choice"], &sent["response_format"]), (&json!("required"), &Value::Null));
        }
    }
}

#[test]
fn a_call_may_come_after_words_and_in_an_answer_that_does_not_stream() {
    let scene = Scene::new();
    let entity = requested("entity", "{\"name\":\"雨\"}");
    for (kind, path) in DIALECTS {
        let words = match kind {
            ProviderKind::Anthropic => opened(kind).messages_piece("我先查一下。"),
            _ => opened(kind).event(&palimpsest_tests::server::chat_piece("我先查一下。")),
        };
        scene.server.next(path, ended(kind, with_call(kind, words, 1, "entity", &["{\"name\":\"雨\"}"])));
        let (streamed, done) = offer_tools(&scene, &*scene.model(kind));
        let done = done.unwrap();
        assert_eq!((streamed.as_str(), done.text.as_str()), ("我先查一下。", "我先查一下。"));
        assert_eq!(done.tool_call, entity);
    }
    // Ollama's own form has the arguments as an object.
    let function = json!({ "name": "entity", "arguments": { "name": "雨" } });
    let message = json!({ "role": "assistant", "content": "", "tool_calls": [{ "function": function }] });
    let whole = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
    scene.server.next(CHAT, Answer::json(200, whole));
    assert_eq!(offer_tools(&scene, &*scene.model(ProviderKind::Ollama)).1.unwrap().tool_call, entity);
    let block = json!({ "type": "tool_use", "id": "t", "name": "entity", "input": { "name": "雨" } });
    let whole = json!({ "type": "message", "content": [block], "stop_reason": "tool_use" });
    scene.server.next("/v1/messages", Answer::json(200, whole));
    assert_eq!(offer_tools(&scene, &*scene.model(ProviderKind::Anthropic)).1.unwrap().tool_call, entity);
}

#[test]
fn of_two_calls_the_first_counts() {
    for (kind, path) in DIALECTS {
        // Ollama gives every call the number 0, with an id of its own.
        for second in [2, 1] {
            if kind == ProviderKind::Anthropic && second == 1 {
                continue;
            }
            let scene = Scene::new();
            let first = with_call(kind, opened(kind), 1, "entity", &["{\"name\":", "\"雨\"}"]);
            scene.server.next(path, ended(kind, with_call(kind, first, second, "stop", &["{\"na", "me\":1}"])));
            let done = offer_tools(&scene, &*scene.model(kind)).1.unwrap();
            assert_eq!(done.tool_call, requested("entity", "{\"name\":\"雨\"}"));
        }
    }
}

#[test]
fn malformed_arguments_are_handed_on_and_never_an_error_of_the_provider() {
    for (kind, path) in DIALECTS {
        for (pieces, arguments) in
            [(&[][..], "{}"), (&["他的名字"], "他的名字"), (&["[1", "]"], "[1]"), (&["{\"name"], "{\"name")]
        {
            let scene = Scene::new();
            scene.server.next(path, called(kind, pieces));
            let done = offer_tools(&scene, &*scene.model(kind)).1.unwrap();
            assert_eq!(done.tool_call, requested("entity", arguments));
            assert_eq!(scene.server.requests().len(), 1);
        }
    }
    // A call that breaks off is a broken answer.
    let scene = Scene::new();
    scene.server.next(CHAT, with_call(ProviderKind::OpenAi, opened(ProviderKind::OpenAi), 0, "entity", &["{\"na"]));
    assert_eq!(kind_of(&offer_tools(&scene, &*scene.model(ProviderKind::OpenAi)).1), Some(Kind::Malformed));
}

#[test]
fn a_model_that_refuses_tools_is_asked_by_the_schema_until_the_program_ends() {
    let ollama = "registry.ollama.ai/library/gemma3:4b does not support tools";
    let refusals = [
        (ProviderKind::Ollama, 400, json!({ "error": { "message": ollama, "type": "api_error", "param": null } })),
        (ProviderKind::OpenAi, 422, json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", "tools"] }] })),
        (
            ProviderKind::OpenAi,
            500,
            json!({ "error": { "code": 500, "message": "tools param requires --jinja flag",
            "type": "server_error" } }),
        ),
        (ProviderKind::OpenAi, 400, json!("Bad Request")),
        (
            ProviderKind::Anthropic,
            400,
            json!({ "type": "error", "error": { "type": "invalid_request_error",
            "message": "tools.0.custom: not supported by this model" } }),
        ),
    ];
    for (kind, status, body) in refusals {
        let path = if kind == ProviderKind::Anthropic { "/v1/messages" } else { CHAT };
        let scene = Scene::new();
        scene.server.reply(path, move |asked| {
            let has_tools = asked.body["tools"].as_array().is_some_and(|all| all.len() == tools().len());
            if has_tools { Answer::json(status, body.clone()) } else { streamed(kind, &["{\"kind\": \"stop\"}"]) }
        });
        let done = offer_tools(&scene, &*scene.model(kind)).1.unwrap();
        assert_eq!((done.text.as_str(), done.tool_call), ("{\"kind\":\"stop\"}", None));
        let first = scene.server.requests().len();
        assert_eq!(first, 2);
        // Another object for the same model.
        assert_eq!(offer_tools(&scene, &*scene.model(kind)).1.unwrap().text, "{\"kind\":\"stop\"}");
        let asked = scene.server.requests();
        assert_eq!(asked.len(), first + 1, "the refusal is remembered");
        let last = &asked[first].body;
        match kind {
            ProviderKind::Anthropic => assert_eq!(last["tools"][0]["name"], "answer"),
            _ => assert_eq!(last["response_format"]["type"], "json_schema"),
        }
        assert!(scene.pauses().is_empty());
    }
}

#[test]
fn a_server_that_takes_no_choice_of_a_tool_still_gets_the_tools() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        scene.server.reply(path, move |asked| match asked.body["tool_choice"].is_null() {
            true => called(kind, &["{\"name\":\"雨\"}"]),
            false => Answer::json(400, json!({ "error": { "message": "`tool_choice` must be auto or none" } })),
        });
        let model = scene.model(kind);
        for requests in [2, 3] {
            assert_eq!(offer_tools(&scene, &*model).1.unwrap().tool_call, requested("entity", "{\"name\":\"雨\"}"));
            assert_eq!(scene.server.requests().len(), requests);
        }
    }
}

#[test]
fn a_model_that_ignores_its_tools_may_answer_in_json_and_is_asked_by_the_schema_after_prose() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        let model = scene.model(kind);
        scene.server.next(path, streamed(kind, &["```json\n{\"kind\":", " \"stop\",}\n```"]));
        let done = offer_tools(&scene, &*model).1.unwrap();
        assert_eq!((done.text.as_str(), done.tool_call), ("{\"kind\":\"stop\"}", None));
        scene.server.next(path, streamed(kind, &["我先查一下。"])).next(path, streamed(kind, &["{\"kind\":\"stop\"}"]));
        assert_eq!(kind_of(&offer_tools(&scene, &*model).1), Some(Kind::Malformed));
        assert_eq!(offer_tools(&scene, &*model).1.unwrap().text, "{\"kind\":\"stop\"}");
        let tools = |number: usize| {
            let tools = scene.server.requests()[number].body["tools"].clone();
            tools.as_array().map_or(0, Vec::len)
        };
        assert_eq!((tools(0), tools(1)), (2, 2), "JSON in words costs no tools");
        assert_eq!(tools(2), usize::from(kind == ProviderKind::Anthropic), "the schema");
    }
}

#[test]
fn a_request_without_tools_has_no_call() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        let answer = match kind {
            ProviderKind::Anthropic => opened(kind).messages_piece("雨。"),
            _ => opened(kind).event(&palimpsest_tests::server::chat_piece("雨。")),
        };
        scene.server.next(path, ended(kind, answer));
        let (_, done) = scene.generate(&*scene.model(kind));
        assert_eq!(done.unwrap().tool_call, None);
        let sent = &scene.server.requests()[0].body;
        assert!(sent.get("tools").is_none() && sent.get("tool_choice").is_none());
    }
}
