//! Anthropic's messages API.

use palimpsest_memory::ports::{GenerationRequest, Role};
use serde_json::{Map, Value, json};

use crate::{
    failure::Said,
    openai::{Habits, Trouble, message, temperature},
    stream::{Beat, Ending},
};

/// The tool that makes the model answer in JSON: its input has the schema.
const TOOL: &str = "answer";

/// The body of a request for one candidate.
pub(crate) fn body(model: &str, request: &GenerationRequest<'_>, habits: Habits) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    set("model", model.into());
    let system: Vec<&str> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.content.as_str())
        .collect();
    if !system.is_empty() {
        set("system", system.join("\n\n").into());
    }
    set("messages", request.messages.iter().filter(|message| message.role == Role::User).map(message).collect());
    set("max_tokens", request.max_tokens.into());
    set("stream", true.into());
    if habits.temperature {
        // Anthropic's maximum is 1.
        set("temperature", temperature(std::slice::from_ref(request)).min(1.0).into());
    }
    if let Some(schema) = request.schema {
        set("tools", json!([{ "name": TOOL, "description": "The answer.", "input_schema": schema }]));
        set("tool_choice", json!({ "type": "tool", "name": TOOL }));
    }
    Value::Object(body)
}

/// Parses one event, or a whole answer that was sent instead of a stream.
pub(crate) fn beats(data: &str) -> Result<Vec<Beat>, Trouble> {
    let value: Value = serde_json::from_str(data).map_err(|_| Trouble::Unreadable)?;
    let mut beats = Vec::new();
    match value["type"].as_str() {
        Some("message_start") => usage(&value["message"]["usage"], &mut beats),
        Some("content_block_delta") => {
            let delta = &value["delta"];
            // Thoughts and signatures are other kinds of delta.
            let text = match delta["type"].as_str() {
                Some("text_delta") => delta["text"].as_str(),
                Some("input_json_delta") => delta["partial_json"].as_str(),
                _ => None,
            };
            beats.extend(text.filter(|text| !text.is_empty()).map(|text| Beat::Text(0, text.to_owned())));
        }
        Some("message_delta") => {
            usage(&value["usage"], &mut beats);
            end(&value["delta"]["stop_reason"], &mut beats);
        }
        Some("message_stop") => beats.push(Beat::Over),
        Some("message") => {
            for block in value["content"].as_array().into_iter().flatten() {
                match block["type"].as_str() {
                    Some("text") => {
                        beats.extend(block["text"].as_str().map(|text| Beat::Text(0, text.to_owned())));
                    }
                    Some("tool_use") => beats.push(Beat::Text(0, block["input"].to_string())),
                    _ => {}
                }
            }
            usage(&value["usage"], &mut beats);
            end(&value["stop_reason"], &mut beats);
        }
        _ if value.get("error").is_some_and(|error| !error.is_null()) => {
            return Err(Said::read(&value).map_or(Trouble::Unreadable, Trouble::Said));
        }
        // `ping`, starts and ends of blocks, and future event types.
        Some(_) => {}
        None => return Err(Trouble::Unreadable),
    }
    Ok(beats)
}

fn usage(usage: &Value, beats: &mut Vec<Beat>) {
    let count = |key: &str| usage[key].as_u64().and_then(|count| u32::try_from(count).ok());
    if let Some(fresh) = count("input_tokens") {
        // Tokens from the provider's cache count as read.
        let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"].into_iter().filter_map(count);
        beats.push(Beat::Prompt(cached.fold(fresh, u32::saturating_add)));
    }
    beats.extend(count("output_tokens").map(Beat::Answer));
}

fn end(reason: &Value, beats: &mut Vec<Beat>) {
    let ending = match reason.as_str() {
        None => return,
        Some("max_tokens" | "model_context_window_exceeded") => Ending::Length,
        Some("refusal") => Ending::Refused,
        Some(_) => Ending::Finished,
    };
    beats.push(Beat::Ended(0, ending));
}

#[cfg(test)]
mod tests {
    use palimpsest_memory::ports::{Message, Stop};

    use super::*;

    #[test]
    fn the_instructions_go_apart_and_the_answer_is_had_as_json_by_a_tool() {
        let stop = Stop::new();
        let said = |role, content: &str| Message { role, content: content.to_owned() };
        let messages = [said(Role::System, "规则"), said(Role::System, "设定"), said(Role::User, "续写")];
        let schema = json!({ "type": "object" });
        let request = GenerationRequest {
            messages: &messages,
            seed: 1,
            max_tokens: 50,
            temperature: 1.3,
            schema: Some(&schema),
            stop: &stop,
        };
        assert_eq!(
            body("claude", &request, Habits::new(false, false)),
            json!({
                "model": "claude",
                "system": "规则\n\n设定",
                "messages": [{ "role": "user", "content": "续写" }],
                "max_tokens": 50,
                "stream": true,
                "temperature": 1.0,
                "tools": [{ "name": "answer", "description": "The answer.", "input_schema": { "type": "object" } }],
                "tool_choice": { "type": "tool", "name": "answer" },
            })
        );
    }

    #[test]
    fn events_are_read_and_thoughts_are_not_shown() {
        let read = |data: Value| beats(&data.to_string()).ok().unwrap();
        let delta = |delta: Value| read(json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
        assert_eq!(delta(json!({ "type": "text_delta", "text": "雨" })), [Beat::Text(0, "雨".to_owned())]);
        assert_eq!(delta(json!({ "type": "thinking_delta", "thinking": "hm" })), []);
        assert_eq!(delta(json!({ "type": "input_json_delta", "partial_json": "{" })), [Beat::Text(0, "{".to_owned())]);
        let usage = json!({ "input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": 1 });
        let start = read(json!({ "type": "message_start", "message": { "usage": usage } }));
        assert_eq!(start, [Beat::Prompt(10), Beat::Answer(1)]);
        let refusal = json!({ "type": "message_delta", "delta": { "stop_reason": "refusal" }, "usage": {} });
        assert_eq!(read(refusal), [Beat::Ended(0, Ending::Refused)]);
        assert_eq!(read(json!({ "type": "ping" })), []);
        assert!(matches!(
            beats("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}"),
            Err(Trouble::Said(_))
        ));
        assert!(matches!(beats("{}"), Err(Trouble::Unreadable)));
    }
}
