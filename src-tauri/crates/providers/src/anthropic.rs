//! Anthropic's messages API.

use std::slice;

use palimpsest_memory::ports::{GenerationRequest, Message, Role, ToolDefinition};
use serde_json::{Map, Value, json};

use crate::{
    capabilities::{Capabilities, JsonMode, ToolMode, supported_messages},
    failure::ErrorDetails,
    openai::{EventError, message, temperature},
    stream::{AnswerEvent, Ending},
    tool_calls::CallPiece,
};

/// The tool that makes the model answer in JSON: its input has the schema.
const ANSWER_TOOL: &str = "answer";

/// The body of a request for one candidate.
pub(crate) fn body(model: &str, request: &GenerationRequest<'_>, capabilities: Capabilities) -> Value {
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
    let messages = supported_messages(request, capabilities);
    set("messages", messages.iter().filter(|message| message.role != Role::System).map(trimmed_message).collect());
    set("max_tokens", request.max_tokens.into());
    set("stream", true.into());
    if capabilities.temperature {
        // Anthropic's maximum is 1.
        set("temperature", temperature(slice::from_ref(request)).min(1.0).into());
    }
    if capabilities.offers_tools(slice::from_ref(request)) {
        let tool = |tool: &ToolDefinition| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.arguments });
        set("tools", request.tools.iter().map(tool).collect());
        if capabilities.tools == ToolMode::Required {
            set("tool_choice", json!({ "type": "any" }));
        }
    } else if let Some(schema) = request.schema.filter(|_| capabilities.format > JsonMode::Prompt) {
        set("tools", json!([{ "name": ANSWER_TOOL, "description": "The answer.", "input_schema": schema }]));
        set("tool_choice", json!({ "type": "tool", "name": ANSWER_TOOL }));
    }
    Value::Object(body)
}

/// A message on the wire. Anthropic refuses the beginning of an answer that ends with a blank.
fn trimmed_message(whole: &Message) -> Value {
    let mut sent = message(whole);
    if whole.role == Role::Assistant {
        sent["content"] = whole.content.trim_end().into();
    }
    sent
}

/// Parses one event, or a whole answer that was sent instead of a stream. `has_tools`: the request offered tools, and
/// the use of one is a call; otherwise it is the answer in JSON.
pub(crate) fn parse_event(data: &str, has_tools: bool) -> Result<Vec<AnswerEvent>, EventError> {
    let value: Value = serde_json::from_str(data).map_err(|_| EventError::Unreadable)?;
    let mut events = Vec::new();
    match value["type"].as_str() {
        Some("message_start") => push_usage(&value["message"]["usage"], &mut events),
        Some("content_block_start") if has_tools && value["content_block"]["type"] == "tool_use" => {
            events.push(call_piece(&value["index"], &value["content_block"], ""));
        }
        Some("content_block_delta") if has_tools && value["delta"]["type"] == "input_json_delta" => {
            let piece = value["delta"]["partial_json"].as_str().unwrap_or_default();
            events.push(call_piece(&value["index"], &Value::Null, piece));
        }
        Some("content_block_delta") => {
            let delta = &value["delta"];
            // Thoughts and signatures are other kinds of delta.
            let text = match delta["type"].as_str() {
                Some("text_delta") => delta["text"].as_str(),
                Some("input_json_delta") => delta["partial_json"].as_str(),
                _ => None,
            };
            events.extend(text.filter(|text| !text.is_empty()).map(|text| AnswerEvent::Text(0, text.to_owned())));
        }
        Some("message_delta") => {
            push_usage(&value["usage"], &mut events);
            push_end(&value["delta"]["stop_reason"], &mut events);
        }
        Some("message_stop") => events.push(AnswerEvent::Over),
        Some("message") => {
            for (position, block) in value["content"].as_array().into_iter().flatten().enumerate() {
                match block["type"].as_str() {
                    Some("text") => {
                        events.extend(block["text"].as_str().map(|text| AnswerEvent::Text(0, text.to_owned())));
                    }
                    Some("tool_use") if has_tools => events.push(call_piece(&position.into(), block, "")),
                    Some("tool_use") => events.push(AnswerEvent::Text(0, block["input"].to_string())),
                    _ => {}
                }
            }
            push_usage(&value["usage"], &mut events);
            push_end(&value["stop_reason"], &mut events);
        }
        _ if value.get("error").is_some_and(|error| !error.is_null()) => {
            return Err(ErrorDetails::parse(&value).map_or(EventError::Unreadable, EventError::Reported));
        }
        // `ping`, starts and ends of blocks, and future event types.
        Some(_) => {}
        None => return Err(EventError::Unreadable),
    }
    Ok(events)
}

/// A piece of the call in the block at `position`: its start, its input if that came with the start, or `piece`.
fn call_piece(position: &Value, block: &Value, piece: &str) -> AnswerEvent {
    let word = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
    let position = position.as_u64().map_or(0, |position| usize::try_from(position).unwrap_or(usize::MAX));
    // The input of a start is empty and follows in pieces; that of a whole answer is complete.
    let is_empty = block["input"].as_object().is_none_or(Map::is_empty);
    let arguments = if is_empty { piece.to_owned() } else { block["input"].to_string() };
    AnswerEvent::Call(0, CallPiece { position, id: word("id"), name: word("name"), arguments })
}

fn push_usage(usage: &Value, events: &mut Vec<AnswerEvent>) {
    let count = |key: &str| usage[key].as_u64().and_then(|count| u32::try_from(count).ok());
    if let Some(fresh) = count("input_tokens") {
        // Tokens from the provider's cache count as read.
        let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"].into_iter().filter_map(count);
        events.push(AnswerEvent::Prompt(cached.fold(fresh, u32::saturating_add)));
    }
    events.extend(count("output_tokens").map(AnswerEvent::Answer));
}

fn push_end(reason: &Value, events: &mut Vec<AnswerEvent>) {
    let ending = match reason.as_str() {
        None => return,
        Some("max_tokens" | "model_context_window_exceeded") => Ending::Length,
        Some("refusal") => Ending::Refused,
        Some(_) => Ending::Finished,
    };
    events.push(AnswerEvent::Ended(0, ending));
}

#[cfg(test)]
mod tests {
    use palimpsest_memory::ports::Stop;

    use super::*;

    #[test]
    fn the_instructions_go_apart_and_the_answer_is_had_as_json_by_a_tool() {
        let stop = Stop::new();
        let message = |role, content: &str| Message { role, content: content.to_owned() };
        let messages = [message(Role::System, "规则"), message(Role::System, "设定"), message(Role::User, "续写")];
        let schema = json!({ "type": "object" });
        let request = GenerationRequest {
            messages: &messages,
            seed: 1,
            max_tokens: 50,
            temperature: 1.3,
            schema: Some(&schema),
            tools: &[],
            stop: &stop,
        };
        assert_eq!(
            body("claude", &request, Capabilities::new(false, false)),
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
        let read = |data: Value| parse_event(&data.to_string(), false).ok().unwrap();
        let delta = |delta: Value| read(json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
        assert_eq!(delta(json!({ "type": "text_delta", "text": "雨" })), [AnswerEvent::Text(0, "雨".to_owned())]);
        assert_eq!(delta(json!({ "type": "thinking_delta", "thinking": "hm" })), []);
        assert_eq!(
            delta(json!({ "type": "input_json_delta", "partial_json": "{" })),
            [AnswerEvent::Text(0, "{".to_owned())]
        );
        let usage = json!({ "input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": 1 });
        let start = read(json!({ "type": "message_start", "message": { "usage": usage } }));
        assert_eq!(start, [AnswerEvent::Prompt(10), AnswerEvent::Answer(1)]);
        let refusal = json!({ "type": "message_delta", "delta": { "stop_reason": "refusal" }, "usage": {} });
        assert_eq!(read(refusal), [AnswerEvent::Ended(0, Ending::Refused)]);
        assert_eq!(read(json!({ "type": "ping" })), []);
        assert!(matches!(
            parse_event("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", true),
            Err(EventError::Reported(_))
        ));
        assert!(matches!(parse_event("{}", false), Err(EventError::Unreadable)));
    }
    #[test]
    fn the_use_of_an_offered_tool_is_a_call_and_no_text() {
        let read = |data: Value| parse_event(&data.to_string(), true).ok().unwrap();
        let piece = |position, id: &str, name: &str, arguments: &str| {
            let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
            AnswerEvent::Call(0, CallPiece { position, id, name, arguments })
        };
        let block = json!({ "type": "tool_use", "id": "t1", "name": "entity", "input": {} });
        let start = read(json!({ "type": "content_block_start", "index": 1, "content_block": block }));
        assert_eq!(start, [piece(1, "t1", "entity", "")]);
        let delta = json!({ "type": "input_json_delta", "partial_json": "{\"na" });
        let delta = read(json!({ "type": "content_block_delta", "index": 1, "delta": delta }));
        assert_eq!(delta, [piece(1, "", "", "{\"na")]);
        let text =
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
        assert_eq!(read(text), []);
        let content = json!([
            { "type": "text", "text": "I look." },
            { "type": "tool_use", "id": "t1", "name": "entity", "input": { "name": "梅" } },
        ]);
        let whole = read(json!({ "type": "message", "content": content, "stop_reason": "tool_use" }));
        let text = AnswerEvent::Text(0, "I look.".to_owned());
        let end = AnswerEvent::Ended(0, Ending::Finished);
        assert_eq!(whole, [text, piece(1, "t1", "entity", "{\"name\":\"梅\"}"), end]);
    }
}
