//! Everything the server sends, against the published JSON schema of the protocol.

use jsonschema::Validator;
use palimpsest_tests::server::Answer;
use serde_json::{Value, json};

use super::{Books, episode, lines::Raw};

const SCHEMA: &str = include_str!("../fixtures/mcp/schema-2025-11-25.json");

/// The validator of one definition.
fn validator(definition: &str) -> Validator {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    schema["$ref"] = format!("#/$defs/{definition}").into();
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
fn assert_valid(definition: &str, value: &Value) {
    let validator = validator(definition);
    let errors: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{definition}: {errors:#?}\n{value}");
}

/// Sends a request and returns its result, which is checked, as are the notifications before it.
fn checked(raw: &mut Raw, id: u64, method: &str, params: &Value, definition: &str) -> Value {
    raw.send_line(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().as_bytes());
    loop {
        let message = raw.message();
        assert_valid("JSONRPCMessage", &message);
        if message["method"].is_string() {
            assert_valid("ServerNotification", &message);
        } else if message["result"].is_object() {
            assert_eq!(message["id"], id);
            assert_valid(definition, &message["result"]);
            return message["result"].clone();
        } else {
            assert_valid("JSONRPCErrorResponse", &message);
            return message;
        }
    }
}

#[test]
fn every_message_of_the_server_is_as_the_published_schema_says() {
    let books = Books::new();
    books.choose_model();
    books.server.always("/v1/chat/completions", Answer::chat(&["{\"kind\":\"answer\"}"]));
    let mut raw = Raw::start(books.command(&[&books.english, &books.chinese], &["--allow-write"]));
    let initialized = raw.initialize();
    assert_valid("JSONRPCMessage", &initialized);
    assert_valid("InitializeResult", &initialized["result"]);
    assert_eq!(initialized["result"]["protocolVersion"], "2025-11-25");
    let listed = checked(&mut raw, 1, "tools/list", &json!({}), "ListToolsResult");
    checked(&mut raw, 2, "resources/list", &json!({}), "ListResourcesResult");
    checked(&mut raw, 3, "resources/templates/list", &json!({}), "ListResourceTemplatesResult");
    checked(&mut raw, 4, "prompts/list", &json!({}), "ListPromptsResult");
    let uri = format!("palimpsest://{}/cards", books.chinese);
    checked(&mut raw, 5, "resources/read", &json!({ "uri": uri }), "ReadResourceResult");
    let given = json!({ "projectId": books.english, "chapter": "c1", "before": "The lamps were lit." });
    checked(&mut raw, 6, "prompts/get", &json!({ "name": "continue", "arguments": given }), "GetPromptResult");
    let unknown = checked(&mut raw, 7, "tools/call", &json!({ "name": "none" }), "CallToolResult");
    assert_eq!(unknown["error"]["code"], -32_602);
    let calls = [
        ("list_projects", json!({})),
        ("list_chapters", json!({})),
        ("list_rules", json!({})),
        ("find_in_book", json!({ "queryText": "Harwick" })),
        ("record_episode", episode("The ferry came in.")),
        ("store_journal_entry", json!({ "content": "The ferry." })),
        ("ask_book", json!({ "question": "Where had Mara Venn and Tobias met?" })),
    ];
    for (id, (tool, mut arguments)) in (10..).zip(calls) {
        if tool != "list_projects" {
            arguments["projectId"] = json!(books.english);
        }
        let described = listed["tools"].as_array().unwrap().iter().find(|one| one["name"] == tool).unwrap();
        let input = jsonschema::validator_for(&described["inputSchema"]).unwrap();
        assert!(input.is_valid(&arguments), "{tool}: {arguments}");
        let call = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
        let result = checked(&mut raw, id, "tools/call", &call, "CallToolResult");
        if described["outputSchema"].is_object() && result["isError"] != true {
            let output = jsonschema::validator_for(&described["outputSchema"]).unwrap();
            assert!(output.is_valid(&result["structuredContent"]), "{tool}: {result}");
        }
    }
    for tool in listed["tools"].as_array().unwrap() {
        assert!(jsonschema::meta::is_valid(&tool["inputSchema"]), "{tool}");
    }
    assert_eq!(raw.wait_for_exit().0, Some(0));
}
