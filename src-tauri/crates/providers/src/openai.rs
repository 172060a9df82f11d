//! OpenAI's chat completions API, as used by OpenAI and compatible servers.

use palimpsest_memory::ports::{GenerationRequest, Message, Role};
use serde_json::{Map, Value, json};

use crate::{
    failure::ErrorDetails,
    stream::{AnswerEvent, Ending},
};

/// The parameters that a server supports. Starts with all of them; refusals remove some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// Several candidates for one request.
    pub n: bool,
    /// `stream_options`, for the count of tokens.
    pub stream_options: bool,
    /// `seed`.
    pub seed: bool,
    /// `temperature`. Reasoning models do not support it.
    pub temperature: bool,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub max_completion_tokens: bool,
    /// How JSON output is requested.
    pub format: JsonMode,
}

/// How JSON output is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JsonMode {
    /// By the prompt alone.
    Prompt,
    /// As any JSON object.
    Object,
    /// By its schema.
    Schema,
}

impl Capabilities {
    /// The capabilities assumed at first.
    pub(crate) const fn new(n: bool, max_completion_tokens: bool) -> Self {
        Self { n, stream_options: true, seed: true, temperature: true, max_completion_tokens, format: JsonMode::Schema }
    }

    /// The capabilities after a refusal; `None` if the refusal is about nothing that can be omitted.
    pub(crate) fn after_refusal(self, details: Option<&ErrorDetails>, several: bool, schema: bool) -> Option<Self> {
        let about = |name: &str| details.is_some_and(|details| details.is_about(name));
        let mut next = self;
        if several && details.is_some_and(ErrorDetails::is_about_n) {
            next.n = false;
        } else if !self.max_completion_tokens && about("max_tokens") && wants_max_completion_tokens(details) {
            next.max_completion_tokens = true;
        } else if self.stream_options && (about("stream_options") || about("include_usage")) {
            next.stream_options = false;
        } else if self.temperature && about("temperature") {
            next.temperature = false;
        } else if self.seed && about("seed") {
            next.seed = false;
        } else if schema
            && self.format > JsonMode::Prompt
            && ["response_format", "json_schema", "schema"].iter().any(|it| about(it))
        {
            next.format = if self.format == JsonMode::Schema { JsonMode::Object } else { JsonMode::Prompt };
        } else {
            // No parameter is named: retry with the common subset, if that is smaller.
            next = Self { n: self.n && !several, stream_options: false, seed: false, ..self };
            if schema {
                next.format = JsonMode::Prompt;
            }
        }
        (next != self).then_some(next)
    }

    /// The capabilities that both have.
    pub(crate) fn intersect(self, other: Self) -> Self {
        Self {
            n: self.n && other.n,
            stream_options: self.stream_options && other.stream_options,
            seed: self.seed && other.seed,
            temperature: self.temperature && other.temperature,
            max_completion_tokens: self.max_completion_tokens || other.max_completion_tokens,
            format: self.format.min(other.format),
        }
    }
}

fn wants_max_completion_tokens(details: Option<&ErrorDetails>) -> bool {
    details.is_some_and(|details| details.mentions("max_completion_tokens") || details.is_unsupported())
}

/// A message on the wire of every API: role and content only.
pub(crate) fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
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
    set("messages", first.messages.iter().map(message).collect());
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

    fn after(capabilities: Capabilities, body: &Value, several: bool, schema: bool) -> Option<Capabilities> {
        capabilities.after_refusal(ErrorDetails::parse(body).as_ref(), several, schema)
    }

    #[test]
    fn a_parameter_refused_by_name_is_left_out_and_no_other() {
        let all = Capabilities::new(true, false);
        let refusal = |message: &str| json!({ "error": { "message": message, "type": "invalid_request_error" } });
        let unsupported = json!({ "error": { "message": "Unsupported parameter: 'max_tokens' is not supported with this \
            model. Use 'max_completion_tokens' instead.", "param": "max_tokens", "code": "unsupported_parameter" } });
        assert_eq!(after(all, &unsupported, false, false), Some(Capabilities { max_completion_tokens: true, ..all }));
        let loc = json!({ "object": "error", "message": { "detail": [{ "type": "extra_forbidden",
            "loc": ["body", "stream_options", "include_usage"], "msg": "Extra inputs", "input": { "seed": 1 } }] } });
        assert_eq!(after(all, &loc, false, false), Some(Capabilities { stream_options: false, ..all }));
        let property = refusal("property 'stream_options' is unsupported, did you mean 'stream'?");
        assert_eq!(after(all, &property, false, false), Some(Capabilities { stream_options: false, ..all }));
        let one = refusal("Only one completion choice is allowed: 'n' must be 1");
        assert_eq!(after(all, &one, true, false), Some(Capabilities { n: false, ..all }));
        let format = refusal("This response_format type is unavailable now");
        let object = Capabilities { format: JsonMode::Object, ..all };
        assert_eq!(after(all, &format, false, true), Some(object));
        assert_eq!(after(object, &format, false, true), Some(Capabilities { format: JsonMode::Prompt, ..all }));
        let temperature = json!({ "error": { "message": "Unsupported value", "param": "temperature" } });
        assert_eq!(after(all, &temperature, false, false), Some(Capabilities { temperature: false, ..all }));
    }

    #[test]
    fn a_refusal_without_a_parameters_name_is_retried_once_with_the_plain_request() {
        let all = Capabilities::new(true, false);
        let bad = json!({ "error": { "message": "Bad Request" } });
        let bare = Capabilities { stream_options: false, seed: false, ..all };
        assert_eq!(after(all, &bad, false, false), Some(bare));
        assert_eq!(after(bare, &bad, false, false), None);
        assert_eq!(
            bare.intersect(Capabilities { temperature: false, ..all }),
            Capabilities { temperature: false, ..bare }
        );
    }
}
