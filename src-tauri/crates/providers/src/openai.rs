//! OpenAI's chat completions API, as used by OpenAI and compatible servers.

use palimpsest_memory::ports::{GenerationRequest, Message, Role, ToolDefinition};
use serde_json::{Map, Value, json};

use crate::{
    capabilities::{Capabilities, JsonMode, ToolMode, supported_messages},
    failure::ErrorDetails,
    stream::{AnswerEvent, Ending},
    tool_calls::CallPiece,
};

/// A message on the wire of every API: role and content only.
pub(crate) fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    json!({ "role": role, "content": message.content })
}

/// The temperature of a request: the mean over its candidates.
pub(crate) fn temperature(requests: &[GenerationRequest<'_>]) -> f64 {
    let sum: f64 = requests.iter().map(|request| f64::from(request.temperature)).sum();
    #[expect(clippy::cast_precision_loss, reason = "a handful of candidates")]
    let mean = sum / requests.len().max(1) as f64;
    // Rounded: 0.8 and not 0.800000011920929.
    (mean * 1_000.0).round() / 1_000.0
}

/// The body of a request for these candidates of one prompt.
pub(crate) fn body(model: &str, requests: &[GenerationRequest<'_>], capabilities: Capabilities) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let Some(first) = requests.first() else { return Value::Object(body) };
    set("model", model.into());
    set("messages", supported_messages(first, capabilities).iter().map(message).collect());
    set("stream", true.into());
    set(
        if capabilities.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" },
        first.max_tokens.into(),
    );
    if capabilities.stream_options {
        set("stream_options", json!({ "include_usage": true }));
    }
    if capabilities.temperature {
        set("temperature", temperature(requests).into());
    }
    if capabilities.seed {
        // Some servers use signed 32-bit seeds.
        set("seed", (first.seed & 0x7fff_ffff).into());
    }
    if requests.len() > 1 {
        set("n", requests.len().into());
    }
    if capabilities.offers_tools(requests) {
        let function = |tool: &ToolDefinition| json!({ "name": tool.name, "description": tool.description, "parameters": tool.arguments });
        let tool = |tool: &ToolDefinition| json!({ "type": "function", "function": function(tool) });
        set("tools", first.tools.iter().map(tool).collect());
        if capabilities.tools == ToolMode::Required {
            set("tool_choice", "required".into());
        }
        // Many servers refuse a schema beside tools, and with it others never call one.
        return Value::Object(body);
    }
    match (first.schema, capabilities.format) {
        (Some(schema), JsonMode::Schema) => {
            let json_schema = json!({ "name": "answer", "schema": schema, "strict": is_strict(schema) });
            set("response_format", json!({ "type": "json_schema", "json_schema": json_schema }));
        }
        (Some(_), JsonMode::Object) => set("response_format", json!({ "type": "json_object" })),
        _ => {}
    }
    Value::Object(body)
}

/// Whether OpenAI accepts a schema as strict: every object is closed and requires all its properties.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            let closed = object.get("properties").and_then(Value::as_object).is_none_or(|properties| {
                let required = object.get("required").and_then(Value::as_array);
                let wants = |name: &String| required.is_some_and(|all| all.iter().any(|it| it == name.as_str()));
                object.get("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(wants)
            });
            closed && object.values().all(is_strict)
        }
        Value::Array(all) => all.iter().all(is_strict),
        _ => true,
    }
}

/// Parses one event, or a whole answer that was sent instead of a stream.
pub(crate) fn parse_event(data: &str, named_error: bool) -> Result<Vec<AnswerEvent>, EventError> {
    if data.trim() == "[DONE]" {
        return Ok(vec![AnswerEvent::Over]);
    }
    let value: Value = serde_json::from_str(data).map_err(|_| EventError::Unreadable)?;
    let is_error =
        named_error || value.get("error").is_some_and(|error| !error.is_null()) || value["object"] == "error";
    if is_error
        && let Some(details) = ErrorDetails::parse(&value).or_else(|| ErrorDetails::parse(&json!({ "error": value })))
    {
        return Err(EventError::Reported(details));
    }
    if !value.is_object() {
        return Err(EventError::Unreadable);
    }
    let mut events = Vec::new();
    for (index, choice) in value["choices"].as_array().into_iter().flatten().enumerate() {
        let index = choice["index"].as_u64().map_or(index, |number| usize::try_from(number).unwrap_or(usize::MAX));
        let message = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
        let text = text(&message["content"]);
        if !text.is_empty() {
            events.push(AnswerEvent::Text(index, text));
        }
        for (position, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            events.push(AnswerEvent::Call(index, call_piece(position, call)));
        }
        if message["refusal"].as_str().is_some_and(|refusal| !refusal.is_empty()) {
            events.push(AnswerEvent::Ended(index, Ending::Refused));
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            events.push(AnswerEvent::Ended(
                index,
                match reason {
                    "length" | "max_tokens" => Ending::Length,
                    "content_filter" | "sensitive" => Ending::Refused,
                    "error" | "insufficient_system_resource" | "network_error" => Ending::Failed,
                    _ => Ending::Finished,
                },
            ));
        }
    }
    let count = |key: &str| value["usage"][key].as_u64().and_then(|count| u32::try_from(count).ok());
    events.extend(count("prompt_tokens").map(AnswerEvent::Prompt));
    events.extend(count("completion_tokens").map(AnswerEvent::Answer));
    Ok(events)
}

/// A piece of a tool call, or a whole one. Some servers number no calls, or all alike.
fn call_piece(position: usize, call: &Value) -> CallPiece {
    let function = &call["function"];
    CallPiece {
        position: call["index"].as_u64().map_or(position, |index| usize::try_from(index).unwrap_or(usize::MAX)),
        id: call["id"].as_str().unwrap_or_default().to_owned(),
        name: function["name"].as_str().unwrap_or_default().to_owned(),
        arguments: match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(piece) => piece.clone(),
            // Ollama's own form, and that of some servers that send calls whole.
            whole => whole.to_string(),
        },
    }
}

/// The text of a content, which is a string or a list of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str()).collect()
        }
        _ => String::new(),
    }
}

/// An event without an answer.
pub(crate) enum EventError {
    /// It cannot be parsed.
    Unreadable,
    /// It reports an error.
    Reported(ErrorDetails),
}

#[cfg(test)]
mod tests {
    use palimpsest_memory::ports::Stop;

    use super::*;

    fn read(data: &Value) -> Vec<AnswerEvent> {
        parse_event(&data.to_string(), false).ok().unwrap()
    }

    fn text_beat(index: usize, text: &str) -> AnswerEvent {
        AnswerEvent::Text(index, text.to_owned())
    }

    #[test]
    fn an_event_is_read_in_all_the_shapes_that_servers_use() {
        let choice = |choice: Value| json!({ "choices": [choice] });
        assert_eq!(read(&choice(json!({ "index": 2, "delta": { "content": "雨" } }))), [text_beat(2, "雨")]);
        assert_eq!(read(&choice(json!({ "delta": { "content": null, "reasoning_content": "hm" } }))), []);
        assert_eq!(read(&choice(json!({ "message": { "content": "all" } }))), [text_beat(0, "all")]);
        let parts = json!([{ "type": "thinking", "thinking": [] }, { "type": "text", "text": "a" }]);
        assert_eq!(read(&choice(json!({ "delta": { "content": parts } }))), [text_beat(0, "a")]);
        let end = |reason: &str| read(&choice(json!({ "delta": {}, "finish_reason": reason })));
        assert_eq!(end("length"), [AnswerEvent::Ended(0, Ending::Length)]);
        assert_eq!(end("content_filter"), [AnswerEvent::Ended(0, Ending::Refused)]);
        assert_eq!(end("tool_calls"), [AnswerEvent::Ended(0, Ending::Finished)]);
        assert_eq!(end(""), []);
        let call = |call: Value| read(&choice(json!({ "delta": { "tool_calls": [call] } })));
        let piece = |position, id: &str, name: &str, arguments: &str| {
            let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
            [AnswerEvent::Call(0, CallPiece { position, id, name, arguments })]
        };
        assert_eq!(
            call(json!({ "index": 1, "id": "a", "function": { "name": "entity", "arguments": "" } })),
            piece(1, "a", "entity", "")
        );
        assert_eq!(call(json!({ "index": 1, "function": { "arguments": "{\"na" } })), piece(1, "", "", "{\"na"));
        assert_eq!(
            call(json!({ "function": { "arguments": { "name": "梅" } } })),
            piece(0, "", "", "{\"name\":\"梅\"}")
        );
        assert_eq!(call(json!(7)), piece(0, "", "", ""));
        let usage = json!({ "choices": [], "usage": { "prompt_tokens": 3, "completion_tokens": 4 } });
        assert_eq!(read(&usage), [AnswerEvent::Prompt(3), AnswerEvent::Answer(4)]);
        assert_eq!(read(&json!({ "usage": null, "error": null })), []);
        assert_eq!(parse_event(" [DONE]", false).ok().unwrap(), [AnswerEvent::Over]);
        assert!(matches!(parse_event("{\"choices\": [", false), Err(EventError::Unreadable)));
        assert!(matches!(parse_event("\"text\"", false), Err(EventError::Unreadable)));
        assert!(matches!(parse_event("{\"error\": \"bad\"}", false), Err(EventError::Reported(_))));
        assert!(matches!(parse_event("{\"code\": 400, \"message\": \"bad\"}", true), Err(EventError::Reported(_))));
    }

    #[test]
    fn a_request_consists_of_the_prompt_and_the_servers_parameters() {
        let stop = Stop::new();
        let messages = [
            Message { role: Role::System, content: "规则".to_owned() },
            Message { role: Role::User, content: "续写".to_owned() },
        ];
        let schema =
            json!({ "type": "object", "properties": { "a": {} }, "required": ["a"], "additionalProperties": false });
        let request = GenerationRequest {
            messages: &messages,
            seed: 0xffff_ffff,
            max_tokens: 50,
            temperature: 0.8,
            schema: Some(&schema),
            tools: &[],
            stop: &stop,
        };
        let sent = body("m", std::slice::from_ref(&request), Capabilities::new(true, false));
        assert_eq!(
            sent,
            json!({
                "model": "m",
                "messages": [{ "role": "system", "content": "规则" }, { "role": "user", "content": "续写" }],
                "stream": true,
                "stream_options": { "include_usage": true },
                "max_tokens": 50,
                "temperature": 0.8,
                "seed": 0x7fff_ffff_u32,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": { "name": "answer", "schema": schema, "strict": true },
                },
            })
        );
        let warmer = GenerationRequest { temperature: 1.0, schema: None, ..request };
        let cold = GenerationRequest { schema: None, ..warmer.clone() };
        let capabilities = Capabilities { stream_options: false, seed: false, ..Capabilities::new(true, true) };
        let sent = body("m", &[warmer, cold], capabilities);
        assert_eq!(sent["n"], 2);
        assert_eq!(sent["max_completion_tokens"], 50);
        for left_out in ["max_tokens", "stream_options", "seed", "response_format"] {
            assert!(sent.get(left_out).is_none(), "{left_out}");
        }
    }

    #[test]
    fn a_schema_is_strict_only_if_openai_would_take_it_so() {
        assert!(!is_strict(&json!({ "type": "object", "properties": { "a": {} } })));
        let open = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
        assert!(!is_strict(&open), "a property that may be missing");
        assert!(is_strict(&json!({ "type": "array", "items": { "type": "string" } })));
    }
}
