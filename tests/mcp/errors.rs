//! Refusals: protocol errors for requests of another form, and results with the command's code otherwise.

use rmcp::model::{GetPromptRequestParams, ReadResourceRequestParams};
use serde_json::json;

use super::{Books, protocol_error};

#[test]
fn the_error_of_a_command_is_a_result_with_its_code_and_details() {
    let books = Books::new();
    let agent = books.agent(&["--allow-write"]);
    let error = agent.command_error("find_in_book", json!({ "queryText": " " }));
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("MEMORY_INVALID_ARGUMENT"), &json!("queryText")));
    assert!(error["message"].is_string());
    let error = agent.command_error("store_journal_entry", json!({ "content": "x".repeat(2_000) }));
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("MEMORY_INVALID_ARGUMENT"), &json!("content")));
    let error = agent.command_error("story_card", json!({ "name": "Beatrix" }));
    assert_eq!(error["code"], "MEMORY_NOT_FOUND");
    assert!(!error.to_string().contains("Beatrix"));
    let error = agent.command_error("complete_answer", json!({ "runId": "none", "answer": "", "exitCode": 0 }));
    assert_eq!(error["code"], "MEMORY_NOT_FOUND");
    let error = agent.command_error("list_chapters", json!({}));
    assert_eq!(error["code"], "MEMORY_INVALID_ARGUMENT", "a book of another editor");
    assert!(agent.end());
}

#[test]
fn an_unknown_tool_and_arguments_of_another_form_are_protocol_errors_without_text_of_the_client() {
    let books = Books::new();
    let agent = books.agent(&["--allow-write"]);
    for (tool, arguments, named) in [
        ("zyxquorn_tool", json!({}), "no such tool"),
        ("find_in_book", json!({}), "queryText: missing"),
        ("find_in_book", json!({ "queryText": 7 }), "queryText"),
        ("find_in_book", json!({ "queryText": "a", "limit": "zyxquorn" }), "limit"),
        ("find_in_book", json!({ "queryText": "a", "zyxquorn": 1 }), "unknown field"),
        ("list_rules", json!({ "sceneType": ["zyxquorn"] }), "sceneType"),
        ("prepare_answer", json!({ "query": "a", "kind": "zyxquorn" }), "kind"),
        (
            "complete_answer",
            json!({ "runId": "r", "answer": "", "exitCode": 0, "citations": [{ "quote": "zyxquorn" }] }),
            "chapterId",
        ),
        ("story_card", json!({}), "name: missing"),
    ] {
        let error = agent.call_error(tool, arguments.clone());
        assert_eq!(error.code.0, -32_602, "{tool} {arguments}");
        assert!(error.message.contains(named), "{tool} {arguments}: {}", error.message);
        assert!(!json!(error).to_string().contains("zyxquorn"), "{tool}: {error:?}");
    }
    let prompt = |name: &str, given| {
        let request = GetPromptRequestParams::new(name.to_owned()).with_arguments(given);
        protocol_error(agent.runtime.block_on(agent.client().get_prompt(request))).code.0
    };
    let given = json!({ "chapter": "c1", "before": "a", "language": "fr" }).as_object().unwrap().clone();
    assert_eq!(prompt("polish", given.clone()), -32_602);
    assert_eq!(prompt("continue", given.clone()), -32_602);
    let read = ReadResourceRequestParams::new("file:///etc/passwd");
    assert_eq!(protocol_error(agent.runtime.block_on(agent.client().read_resource(read))).code.0, -32_002);
    assert!(agent.end());
}
