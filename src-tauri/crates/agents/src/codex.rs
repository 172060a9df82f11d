//! The stream of Codex (`exec --json`).

use serde_json::Value;

use crate::stream::{StreamState, items_of, text_of, tokens_of};

pub(crate) fn read_object(object: &Value, state: &mut StreamState) {
    match text_of(object, "type") {
        "thread.started" => {
            state.session_id = Some(text_of(object, "thread_id").to_owned()).filter(|id| !id.is_empty());
        }
        "item.started" => {
            if let Some(item) = object.get("item")
                && let Some(tool) = tool_of(item)
            {
                state.start_tool(text_of(item, "id"), tool);
            }
        }
        "item.completed" => {
            if let Some(item) = object.get("item") {
                read_item(item, state);
            }
        }
        "turn.completed" => {
            state.result = Some(true);
            state.tokens = object.get("usage").and_then(|usage| tokens_of(usage, &["input_tokens"], "output_tokens"));
        }
        "turn.failed" => {
            state.result = Some(false);
            state.note_error(object.get("error").map_or("", |error| text_of(error, "message")));
        }
        "error" => state.note_error(text_of(object, "message")),
        _ => {}
    }
}

/// The name of the tool of an item; `None` for an item that is no tool.
fn tool_of(item: &Value) -> Option<&str> {
    match text_of(item, "type") {
        kind @ ("command_execution" | "web_search") => Some(kind),
        "mcp_tool_call" => Some(text_of(item, "server")),
        _ => None,
    }
}

fn read_item(item: &Value, state: &mut StreamState) {
    let status = text_of(item, "status");
    match text_of(item, "type") {
        "agent_message" => {
            // The last message is the answer.
            if !state.answer.is_empty() {
                state.add_text("\n\n");
                state.answer.clear();
            }
            state.add_text(text_of(item, "text"));
        }
        // A command that was declined has no exit code.
        kind @ "command_execution" => {
            let is_ok = item.get("exit_code").and_then(Value::as_i64) == Some(0);
            state.end_tool(text_of(item, "id"), Some(kind), is_ok && status != "declined" && status != "failed");
        }
        "mcp_tool_call" => {
            state.end_tool(text_of(item, "id"), Some(text_of(item, "server")), status == "completed");
        }
        kind @ "web_search" => state.end_tool(text_of(item, "id"), Some(kind), status != "failed"),
        "file_change" if status != "declined" => {
            state.wrote = true;
            let paths = items_of(item, "changes").iter().map(|change| text_of(change, "path"));
            state.written.extend(paths.filter(|path| !path.is_empty()).map(str::to_owned));
        }
        _ => {}
    }
}
