//! The stream of the Gemini CLI (`-o stream-json`).

use serde_json::Value;

use crate::{
    model::Reason,
    stream::{StreamState, text_of, tokens_of},
};

pub(crate) fn read_object(object: &Value, state: &mut StreamState) {
    match text_of(object, "type") {
        "init" => {
            state.session_id = Some(text_of(object, "session_id").to_owned()).filter(|id| !id.is_empty());
        }
        "message" if text_of(object, "role") == "assistant" => state.add_text(text_of(object, "content")),
        "tool_use" => state.start_tool(text_of(object, "tool_id"), text_of(object, "tool_name")),
        "tool_result" => {
            state.end_tool(text_of(object, "tool_id"), None, text_of(object, "status") == "success");
        }
        "error" => state.note_error(text_of(object, "message")),
        "result" => {
            let is_ok = text_of(object, "status") == "success";
            state.result = Some(is_ok);
            if let Some(error) = object.get("error").filter(|_| !is_ok) {
                if text_of(error, "type") == "auth" {
                    state.refusal = Some(Reason::NotLoggedIn);
                }
                state.note_error(text_of(error, "message"));
            }
            state.tokens = object.get("stats").and_then(|stats| tokens_of(stats, &["input_tokens"], "output_tokens"));
        }
        _ => {}
    }
}
