//! The stream of Claude Code (`--output-format stream-json`).

use serde_json::Value;

use crate::stream::{StreamState, items_of, text_of, tokens_of};

/// The text that Claude Code sends in place of an empty message.
const NO_CONTENT: &str = "(no content)";

pub(crate) fn read_object(object: &Value, state: &mut StreamState) {
    match text_of(object, "type") {
        "system" if text_of(object, "subtype") == "init" => {
            state.session_id = Some(text_of(object, "session_id").to_owned()).filter(|id| !id.is_empty());
        }
        "assistant" => read_message(object, state),
        "user" => read_results(object, state),
        "result" => read_result(object, state),
        _ => {}
    }
}

fn read_message(object: &Value, state: &mut StreamState) {
    let Some(message) = object.get("message") else { return };
    let items = items_of(message, "content");
    let is_new = !state.answer.is_empty() && items.iter().any(|item| text_of(item, "type") == "text");
    if is_new {
        state.add_text("\n\n");
    }
    for item in items {
        match text_of(item, "type") {
            "text" => match text_of(item, "text") {
                NO_CONTENT | "" => {}
                text => state.add_text(text),
            },
            "tool_use" => state.start_tool(text_of(item, "id"), text_of(item, "name")),
            _ => {}
        }
    }
}

fn read_results(object: &Value, state: &mut StreamState) {
    let Some(message) = object.get("message") else { return };
    let is_error_outside =
        object.get("tool_use_result").and_then(|result| result.get("isError")).and_then(Value::as_bool);
    for item in items_of(message, "content").iter().filter(|item| text_of(item, "type") == "tool_result") {
        // The item's own flag decides; older versions report it for the whole line.
        let is_error = item.get("is_error").and_then(Value::as_bool).or(is_error_outside).unwrap_or(false);
        state.end_tool(text_of(item, "tool_use_id"), None, !is_error);
    }
}

fn read_result(object: &Value, state: &mut StreamState) {
    let is_error = object.get("is_error").and_then(Value::as_bool).unwrap_or(text_of(object, "subtype") != "success");
    state.result = Some(!is_error);
    let text = text_of(object, "result");
    if is_error {
        // The text of an error is not an answer.
        state.note_error(text);
        if text == state.answer {
            state.answer.clear();
        }
    } else if !text.is_empty() {
        text.clone_into(&mut state.answer);
    }
    if let Some(usage) = object.get("usage") {
        let prompt = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        state.tokens = tokens_of(usage, &prompt, "output_tokens");
    }
}
