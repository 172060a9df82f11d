//! The parameters of a request that a server supports, as learned from its refusals.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use palimpsest_memory::ports::{GenerationRequest, Message, Role};
use parking_lot::Mutex;

use crate::failure::ErrorDetails;

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
    /// How tools are offered.
    pub tools: ToolMode,
    /// A last message of the assistant as the beginning of the answer.
    pub begun_answer: bool,
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

/// How tools are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ToolMode {
    /// Not at all: the answer obeys the schema.
    Never,
    /// The model may call one.
    Optional,
    /// The model has to call one (`tool_choice`).
    Required,
}

impl Capabilities {
    /// The capabilities assumed at first.
    pub(crate) const fn new(n: bool, max_completion_tokens: bool) -> Self {
        Self {
            n,
            stream_options: true,
            seed: true,
            temperature: true,
            max_completion_tokens,
            format: JsonMode::Schema,
            tools: ToolMode::Required,
            begun_answer: true,
        }
    }

    /// Whether the request of these candidates has tools, and so no schema.
    pub(crate) fn offers_tools(self, requests: &[GenerationRequest<'_>]) -> bool {
        self.tools > ToolMode::Never && requests.first().is_some_and(|request| !request.tools.is_empty())
    }

    /// Whether the request of these candidates has a schema.
    fn sends_schema(self, requests: &[GenerationRequest<'_>]) -> bool {
        !self.offers_tools(requests) && requests.iter().any(|request| request.schema.is_some())
    }

    /// The capabilities after a refusal of these requests; `None` if the refusal is about nothing that can be omitted.
    pub(crate) fn after_refusal(
        self,
        details: Option<&ErrorDetails>,
        requests: &[GenerationRequest<'_>],
    ) -> Option<Self> {
        let about = |name: &str| details.is_some_and(|details| details.is_about(name));
        let (several, schema, tools) = (requests.len() > 1, self.sends_schema(requests), self.offers_tools(requests));
        let begun = self.begun_answer && requests.iter().any(has_begun_answer);
        let mut next = self;
        if begun && details.is_some_and(ErrorDetails::is_about_begun_answer) {
            next.begun_answer = false;
        } else if tools && details.is_some_and(ErrorDetails::is_about_tools) {
            let has_choice =
                self.tools == ToolMode::Required && details.is_some_and(ErrorDetails::is_about_tool_choice);
            next.tools = if has_choice { ToolMode::Optional } else { ToolMode::Never };
        } else if several && details.is_some_and(ErrorDetails::is_about_n) {
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
            next = Self {
                n: self.n && !several,
                stream_options: false,
                seed: false,
                begun_answer: self.begun_answer && !begun,
                ..self
            };
            if schema {
                next.format = JsonMode::Prompt;
            }
            if tools {
                next.tools = ToolMode::Never;
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
            tools: self.tools.min(other.tools),
            begun_answer: self.begun_answer && other.begun_answer,
        }
    }
}

/// Whether the last message is the beginning of the answer.
fn has_begun_answer(request: &GenerationRequest<'_>) -> bool {
    request.messages.last().is_some_and(|message| message.role == Role::Assistant)
}

/// The messages of a request for a server with these capabilities: without the beginning of an answer where it supports
/// none. That text then stands before the last message of the user.
pub(crate) fn supported_messages<'r>(
    request: &GenerationRequest<'r>,
    capabilities: Capabilities,
) -> Cow<'r, [Message]> {
    let Some((begun, others)) = request.messages.split_last().filter(|_| has_begun_answer(request)) else {
        return request.messages.into();
    };
    if capabilities.begun_answer {
        return request.messages.into();
    }
    let mut messages = others.to_vec();
    match messages.last_mut() {
        Some(asked) if asked.role == Role::User => {
            asked.content = format!("{}\n\n{}", begun.content.trim_end(), asked.content);
        }
        _ => messages.push(Message { role: Role::User, content: begun.content.clone() }),
    }
    messages.into()
}

/// The capabilities of each model that was used since the program started.
#[derive(Default)]
pub(crate) struct KnownCapabilities(Mutex<BTreeMap<ModelKey, Arc<Mutex<Capabilities>>>>);

/// API, address and model, and whether several candidates are asked for at once.
type ModelKey = (&'static str, String, String, bool);

impl KnownCapabilities {
    /// Those of a model: the same object for every caller.
    pub(crate) fn of_model(&self, key: ModelKey, assumed: Capabilities) -> Arc<Mutex<Capabilities>> {
        Arc::clone(self.0.lock().entry(key).or_insert_with(|| Arc::new(Mutex::new(assumed))))
    }
}

fn wants_max_completion_tokens(details: Option<&ErrorDetails>) -> bool {
    details.is_some_and(|details| details.mentions("max_completion_tokens") || details.is_unsupported())
}

#[cfg(test)]
mod tests {
    use palimpsest_memory::ports::{Stop, ToolDefinition};
    use serde_json::{Value, json};

    use super::*;

    fn after(capabilities: Capabilities, body: &Value, several: bool, schema: bool) -> Option<Capabilities> {
        after_offer(capabilities, body, (several, schema), &[])
    }

    fn after_offer(
        capabilities: Capabilities,
        body: &Value,
        (several, schema): (bool, bool),
        tools: &[ToolDefinition],
    ) -> Option<Capabilities> {
        let (stop, any) = (Stop::new(), json!({}));
        let request = GenerationRequest {
            messages: &[],
            seed: 1,
            max_tokens: 1,
            temperature: 1.0,
            schema: schema.then_some(&any),
            tools,
            stop: &stop,
        };
        let requests = vec![request; if several { 2 } else { 1 }];
        capabilities.after_refusal(ErrorDetails::parse(body).as_ref(), &requests)
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

    #[test]
    fn refused_tools_are_left_out_in_steps_and_the_schema_stays() {
        let all = Capabilities::new(false, false);
        let tools = [ToolDefinition { name: "stop", description: "Stops.", arguments: json!({ "type": "object" }) }];
        let (optional, never) = (ToolMode::Optional, ToolMode::Never);
        let refusal = |message: &str| json!({ "error": { "message": message, "type": "api_error" } });
        let parameter = |name: &str| json!({ "error": { "message": "Invalid value", "param": name } });
        for (body, from, to) in [
            (refusal("registry.ollama.ai/library/gemma3:4b does not support tools"), all.tools, never),
            (json!({ "error": "stablelm2:latest does not support tools" }), all.tools, never),
            (refusal("tools param requires --jinja flag"), all.tools, never),
            (refusal("No endpoints found that support tool use."), all.tools, never),
            (parameter("tools[0].function.parameters"), all.tools, never),
            (parameter("tool_choice"), all.tools, optional),
            (parameter("tool_choice"), optional, never),
            (refusal("`tool_choice` must either be a named tool, \"auto\", or \"none\"."), all.tools, optional),
            (refusal("\"auto\" tool choice requires --enable-auto-tool-choice"), optional, never),
            (json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", "tools"] }] }), all.tools, never),
        ] {
            let next = after_offer(Capabilities { tools: from, ..all }, &body, (false, true), &tools);
            assert_eq!(next, Some(Capabilities { tools: to, ..all }), "{body}");
        }
        // Without a name, tools go first, and then the schema that takes their place.
        let bad = refusal("Bad Request");
        let bare = Capabilities { tools: never, stream_options: false, seed: false, ..all };
        assert_eq!(after_offer(all, &bad, (false, true), &tools), Some(bare));
        let prompt = Capabilities { format: JsonMode::Prompt, ..bare };
        assert_eq!(after_offer(bare, &bad, (false, true), &tools), Some(prompt));
        assert_eq!(after_offer(prompt, &bad, (false, true), &tools), None);
        // A refusal of another parameter does not cost the tools.
        let temperature = after_offer(all, &parameter("temperature"), (false, true), &tools);
        assert_eq!(temperature, Some(Capabilities { temperature: false, ..all }));
    }

    #[test]
    fn every_caller_shares_the_capabilities_of_a_model() {
        let known = KnownCapabilities::default();
        let all = Capabilities::new(false, false);
        let of = |model: &str| known.of_model(("openAi", "http://127.0.0.1".to_owned(), model.to_owned(), false), all);
        of("a").lock().tools = ToolMode::Never;
        assert_eq!((of("a").lock().tools, of("b").lock().tools), (ToolMode::Never, ToolMode::Required));
    }
}
