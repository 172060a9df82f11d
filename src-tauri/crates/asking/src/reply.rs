//! A model's reply in the knowing and the acting phase: one small JSON object, or the call of a tool where its provider
//! has tool calls. Schema and tools are made from the same kinds of reply.

use std::fmt;

use palimpsest_text::{Language, excerpt};
use serde_json::{Map, Value, json};

use crate::{
    cognition::Phase,
    lenient_json::parse_object,
    tools::{MAX_QUERY_CHARS, Tool, ToolCall, ToolDefinition, ToolError, clean_text},
};

/// Maximum bytes of a reply that are read.
const MAX_REPLY_BYTES: usize = 64 * 1024;
/// Maximum objects of a reply that are tried.
const MAX_OBJECTS: usize = 16;

/// The decision of a model in the knowing or the acting phase.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The model can answer now.
    Answer,
    /// The model needs to know this: at most 400 characters, on one line.
    Need(String),
    /// The model calls a tool.
    Act(ToolCall),
    /// The model needs no further tool.
    Stop,
}

/// A kind of reply, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyKind {
    Answer,
    Need,
    Act,
    Stop,
}

impl ReplyKind {
    /// The kinds that a phase permits; none where the model replies in words or is not asked.
    fn of_phase(phase: Phase) -> &'static [Self] {
        match phase {
            Phase::Knowing => &[Self::Answer, Self::Need, Self::Act],
            Phase::Acting => &[Self::Act, Self::Stop],
            Phase::Recalling | Phase::Answering | Phase::Ended => &[],
        }
    }

    /// The value of `kind`, and the name of the tool with which a provider's model says the same.
    fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Need => "need",
            Self::Act => "act",
            Self::Stop => "stop",
        }
    }

    /// The fields of the kind beside `kind`, `tool` and `arguments`, as properties of a JSON schema.
    fn properties(self) -> Value {
        match self {
            Self::Need => json!({ "need": { "type": "string", "maxLength": MAX_QUERY_CHARS } }),
            Self::Answer | Self::Act | Self::Stop => json!({}),
        }
    }

    /// The tools that say the same: one tool of the kind itself, or all that look something up.
    fn definitions(self, language: Language) -> Vec<ToolDefinition> {
        let description = match (self, language) {
            (Self::Act, _) => return Tool::ALL.iter().map(|tool| tool.definition(language)).collect(),
            (Self::Answer, Language::Zh) => "凭现有的资料就能回答这个问题。",
            (Self::Answer, Language::En) => "Says that the question can be answered from the data.",
            (Self::Need, Language::Zh) => "说出还缺什么情况。need：用一句话写出需要知道什么。",
            (Self::Need, Language::En) => {
                "Says that something is missing. need: one sentence that says what has to be known."
            }
            (Self::Stop, Language::Zh) => "资料够了，或再查也没有用。",
            (Self::Stop, Language::En) => "Says that there is enough, or that looking further is of no use.",
        };
        let properties = self.properties();
        let required: Vec<String> = properties.as_object().into_iter().flat_map(Map::keys).cloned().collect();
        let arguments =
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        vec![ToolDefinition { name: self.name(), description, arguments }]
    }
}

/// Why a reply was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyError {
    /// The reply is empty.
    Empty,
    /// There is no JSON object in it.
    NoObject,
    /// The object has no known kind.
    UnknownKind,
    /// The need is missing, blank, or no text.
    MissingNeed,
    /// The tool or its arguments are invalid.
    Tool(ToolError),
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the reply is empty"),
            Self::NoObject => write!(f, "there is no JSON object"),
            Self::UnknownKind => write!(f, "kind must be answer, need, act or stop"),
            Self::MissingNeed => write!(f, "need is missing"),
            Self::Tool(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReplyError {}

/// Reads a reply. The object may stand in a code fence or between other words, and may be JSON as models write it;
/// thoughts in `<think>` are skipped. Of several objects the first valid one counts.
pub fn parse_reply(text: &str) -> Result<Reply, ReplyError> {
    let text = without_thoughts(&text[..text.floor_char_boundary(MAX_REPLY_BYTES)]);
    if text.trim().is_empty() {
        return Err(ReplyError::Empty);
    }
    let mut error = ReplyError::NoObject;
    for object in objects_in(text) {
        match reply_of(&object) {
            Ok(reply) => return Ok(reply),
            Err(found) if error == ReplyError::NoObject => error = found,
            Err(_) => {}
        }
    }
    match clean_text(text).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str() {
        "answer" if error == ReplyError::NoObject => Ok(Reply::Answer),
        "stop" if error == ReplyError::NoObject => Ok(Reply::Stop),
        _ => Err(error),
    }
}

/// The JSON objects of a reply as models write it, at most 16, in their order: thoughts in `<think>` and words between
/// the objects are skipped.
#[must_use]
pub fn reply_objects(text: &str) -> Vec<Map<String, Value>> {
    objects_in(without_thoughts(&text[..text.floor_char_boundary(MAX_REPLY_BYTES)])).collect()
}

fn objects_in(text: &str) -> impl Iterator<Item = Map<String, Value>> {
    let mut at = 0;
    // Broken objects are counted as well: each costs the whole rest of the reply.
    let parsed = (0..MAX_OBJECTS).map_while(move |_| {
        at += text[at..].find('{')?;
        let parsed = parse_object(&text[at..]);
        at += parsed.as_ref().map_or(1, |(_, length)| *length);
        Some(parsed)
    });
    parsed.flatten().map(|(object, _)| object)
}

/// Reads the call of a tool in a provider's own form: the name of one of [`reply_tools`], and its arguments as JSON
/// text, which is empty where there are none.
pub fn parse_call(name: &str, arguments: &str) -> Result<Reply, ReplyError> {
    let text = arguments[..arguments.floor_char_boundary(MAX_REPLY_BYTES)].trim();
    let arguments = match serde_json::from_str(text) {
        _ if text.is_empty() => Map::new(),
        Ok(value) => arguments_of(&value)?,
        Err(_) => arguments_of(&Value::from(text))?,
    };
    match kind_of_call(name) {
        Some(kind) => reply_of_call(kind, &arguments),
        None => {
            let tool = Tool::from_name(name).ok_or(ReplyError::Tool(ToolError::UnknownTool))?;
            ToolCall::from_arguments(tool, &arguments).map(Reply::Act).map_err(ReplyError::Tool)
        }
    }
}

/// The kind of reply that is a tool of its own under this name.
fn kind_of_call(name: &str) -> Option<ReplyKind> {
    let name = name.trim().to_lowercase();
    [ReplyKind::Answer, ReplyKind::Need, ReplyKind::Stop].into_iter().find(|kind| kind.name() == name)
}

fn reply_of_call(kind: ReplyKind, arguments: &Map<String, Value>) -> Result<Reply, ReplyError> {
    match kind {
        ReplyKind::Answer => Ok(Reply::Answer),
        ReplyKind::Need => need_of(arguments),
        ReplyKind::Stop => Ok(Reply::Stop),
        ReplyKind::Act => Err(ReplyError::Tool(ToolError::UnknownTool)),
    }
}

/// Arguments that are an object, or an object as text.
fn arguments_of(value: &Value) -> Result<Map<String, Value>, ReplyError> {
    let wrong = ReplyError::Tool(ToolError::WrongType("arguments"));
    match value {
        Value::Object(arguments) => Ok(arguments.clone()),
        Value::String(text) => parse_object(text.trim()).map(|(arguments, _)| arguments).ok_or(wrong),
        _ => Err(wrong),
    }
}

/// The text after the thoughts of a model that writes them; all of it if there are none.
fn without_thoughts(text: &str) -> &str {
    ["</think>", "</thinking>"]
        .iter()
        .filter_map(|end| text.rfind(end).map(|at| at + end.len()))
        .max()
        .map_or_else(|| text, |after| &text[after..])
}

fn reply_of(object: &Map<String, Value>) -> Result<Reply, ReplyError> {
    let text = |field: &str| object.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let kind = match object.get("kind") {
        None | Some(Value::Null) => "",
        Some(Value::String(kind)) => kind.trim(),
        Some(_) => return Err(ReplyError::UnknownKind),
    };
    match kind.to_lowercase().as_str() {
        "answer" => Ok(Reply::Answer),
        "stop" | "done" => Ok(Reply::Stop),
        "need" => need_of(object),
        "act" | "tool" => tool_of(object, text("tool").or_else(|| text("name")).unwrap_or_default()),
        // Without a kind, the other fields decide.
        "" if text("tool").is_some() => tool_of(object, text("tool").unwrap_or_default()),
        "" if text("name").and_then(Tool::from_name).is_some() => tool_of(object, text("name").unwrap_or_default()),
        // The call of a tool, written as text.
        "" if text("name").and_then(kind_of_call).is_some() => {
            let arguments = written_arguments(object).map_or_else(|| Ok(object.clone()), arguments_of)?;
            reply_of_call(text("name").and_then(kind_of_call).unwrap_or(ReplyKind::Act), &arguments)
        }
        "" if text("need").is_some() => need_of(object),
        "" if object.get("stop") == Some(&Value::Bool(true)) => Ok(Reply::Stop),
        "" if object.contains_key("answer") => Ok(Reply::Answer),
        // Small models put the name of the tool there.
        kind if Tool::from_name(kind).is_some() => tool_of(object, kind),
        _ => Err(ReplyError::UnknownKind),
    }
}

fn need_of(object: &Map<String, Value>) -> Result<Reply, ReplyError> {
    let need = clean_text(object.get("need").and_then(Value::as_str).unwrap_or_default());
    if !need.contains(char::is_alphanumeric) {
        return Err(ReplyError::MissingNeed);
    }
    Ok(Reply::Need(excerpt(&need, MAX_QUERY_CHARS)))
}

/// The call of a tool: the arguments are an object, an object as text, or fields of the reply itself.
fn tool_of(object: &Map<String, Value>, name: &str) -> Result<Reply, ReplyError> {
    let tool = Tool::from_name(name).ok_or(ReplyError::Tool(ToolError::UnknownTool))?;
    let call = match written_arguments(object) {
        None => ToolCall::from_arguments(tool, object),
        Some(arguments) => ToolCall::from_arguments(tool, &arguments_of(arguments)?),
    };
    call.map(Reply::Act).map_err(ReplyError::Tool)
}

/// The field with the arguments of a call; some models name it after the schema of their provider.
fn written_arguments(object: &Map<String, Value>) -> Option<&Value> {
    ["arguments", "parameters"].iter().filter_map(|field| object.get(*field)).find(|value| !value.is_null())
}

/// The JSON schema of a reply in a phase; `None` where the model replies in words or is not asked.
///
/// It is flat, so that small local servers obey it: the arguments of all tools are one object, without their limits.
#[must_use]
pub fn reply_schema(phase: Phase) -> Option<Value> {
    let kinds = ReplyKind::of_phase(phase);
    if kinds.is_empty() {
        return None;
    }
    let tools: Vec<&str> = Tool::ALL.iter().map(|tool| tool.name()).collect();
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let mut arguments = Map::new();
    for tool in Tool::ALL {
        for (name, schema) in tool.argument_schema()["properties"].as_object().into_iter().flatten() {
            arguments.insert(name.clone(), json!({ "type": schema["type"] }));
        }
    }
    let mut properties = Map::new();
    for kind in kinds {
        properties.extend(kind.properties().as_object().cloned().unwrap_or_default());
    }
    properties.insert("kind".to_owned(), json!({ "type": "string", "enum": names }));
    properties.insert("tool".to_owned(), json!({ "type": "string", "enum": tools }));
    properties.insert("arguments".to_owned(), json!({ "type": "object", "properties": arguments }));
    Some(json!({ "type": "object", "properties": properties, "required": ["kind"] }))
}

/// The tools with which a model replies in a phase, for providers with tool calls of their own; none where
/// [`reply_schema`] is `None`.
#[must_use]
pub fn reply_tools(phase: Phase, language: Language) -> Vec<ToolDefinition> {
    ReplyKind::of_phase(phase).iter().flat_map(|kind| kind.definitions(language)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(text: &str) -> Result<Reply, ReplyError> {
        Ok(Reply::Need(text.to_owned()))
    }

    #[test]
    fn a_reply_is_read_as_models_write_it() {
        for text in [
            r#"{"kind":"need","need":"Who wrote the letter"}"#,
            "```json\n{\"kind\": \"need\", \"need\": \"Who wrote the letter\"}\n```",
            "I have to know more.\n{'kind': 'need', 'need': 'Who wrote the letter',}\nThank you!",
            "<think>Perhaps {\"kind\":\"answer\"}?</think>{\"kind\":\"Need\",\"need\":\"Who wrote the letter\",\"x\":1}",
            "{“kind”：“need”，“need”：“Who wrote the letter”}",
            "{\"need\": \" Who wrote\\n the letter \"}",
        ] {
            assert_eq!(parse_reply(text), need("Who wrote the letter"), "{text}");
        }
        for (text, reply) in [
            ("{\"kind\":\"answer\"}", Reply::Answer),
            ("ANSWER.", Reply::Answer),
            ("{\"answer\": \"Her eyes are grey.\"}", Reply::Answer),
            ("{\"stop\": true}", Reply::Stop),
            ("{\"kind\":\"stop\",\"tool\":\"\"}", Reply::Stop),
        ] {
            assert_eq!(parse_reply(text), Ok(reply), "{text}");
        }
    }

    #[test]
    fn the_arguments_of_a_tool_may_stand_in_three_places() {
        let find = Ok(Reply::Act(ToolCall::FindInBook { query: "信".to_owned(), limit: 3 }));
        for text in [
            r#"{"kind":"act","tool":"find_in_book","arguments":{"query":"信","limit":3}}"#,
            r#"{"name":"find_in_book","arguments":"{\"query\":\"信\",\"limit\":3}"}"#,
            r#"{"kind":"act","tool":"find_in_book","query":"信","limit":3}"#,
            r#"{"kind":"find_in_book","arguments":{"query":"信","limit":"3"}}"#,
            "{\"tool\":\"find_in_book\",\"arguments\":{\"query\":\"信\",\"limit\":3}}\nResult: {\"tool\":\"journal\"}",
        ] {
            assert_eq!(parse_reply(text), find, "{text}");
        }
        let entity = r#"{"kind":"act","tool":"entity","arguments":{"name":"Mei"}}"#;
        assert_eq!(parse_reply(entity), Ok(Reply::Act(ToolCall::Entity { name: "Mei".to_owned() })));
    }

    #[test]
    fn other_replies_are_refused() {
        for (text, error) in [
            ("", ReplyError::Empty),
            (" \n", ReplyError::Empty),
            ("Her eyes are grey.", ReplyError::NoObject),
            ("{\"kind\":\"need\",\"need\":\"Who", ReplyError::NoObject),
            ("[1, 2]", ReplyError::NoObject),
            ("{\"kind\": 3}", ReplyError::UnknownKind),
            ("{\"kind\":\"dance\"}", ReplyError::UnknownKind),
            ("{\"kind\":\"dance\",\"arguments\":{\"stop\":true}}", ReplyError::UnknownKind),
            ("{\"kind\":\"need\"}", ReplyError::MissingNeed),
            ("{\"kind\":\"need\",\"need\":[\"a\"]}", ReplyError::MissingNeed),
            ("{\"kind\":\"need\",\"need\":\"?!\"}", ReplyError::MissingNeed),
            ("{\"kind\":\"act\"}", ReplyError::Tool(ToolError::UnknownTool)),
            ("{\"kind\":\"act\",\"tool\":\"rm\"}", ReplyError::Tool(ToolError::UnknownTool)),
            (
                "{\"kind\":\"act\",\"tool\":\"entity\",\"arguments\":[]}",
                ReplyError::Tool(ToolError::WrongType("arguments")),
            ),
            ("{\"kind\":\"act\",\"tool\":\"entity\",\"arguments\":{}}", ReplyError::Tool(ToolError::Missing("name"))),
        ] {
            assert_eq!(parse_reply(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_long_need_is_cut_and_a_long_reply_takes_no_time() {
        let Ok(Reply::Need(cut)) = parse_reply(&format!("{{\"need\":\"{}\"}}", "潮".repeat(5_000))) else { panic!() };
        assert!(cut.chars().count() <= MAX_QUERY_CHARS);
        assert!(parse_reply(&"{".repeat(1_000_000)).is_err());
        assert!(parse_reply(&"{\"a\":{\"b\":".repeat(100_000)).is_err());
    }

    #[test]
    fn a_tool_call_of_a_provider_is_the_same_reply_as_one_in_json() {
        let find = Ok(Reply::Act(ToolCall::FindInBook { query: "信".to_owned(), limit: 3 }));
        assert_eq!(parse_call("find_in_book", r#"{"query":"信","limit":3}"#), find);
        assert_eq!(parse_call("find_in_book", r#""{\"query\":\"信\",\"limit\":3}""#), find);
        assert_eq!(parse_reply(r#"[{"name":"find_in_book","parameters":{"query":"信","limit":3}}]"#), find);
        assert_eq!(parse_call("need", r#"{"need":" Who wrote\n the letter "}"#), need("Who wrote the letter"));
        assert_eq!(parse_reply(r#"{"name":"need","arguments":{"need":"Who wrote the letter"}}"#), {
            need("Who wrote the letter")
        });
        assert_eq!(parse_call("answer", ""), Ok(Reply::Answer));
        assert_eq!(parse_call("Stop", "{}"), Ok(Reply::Stop));
        assert_eq!(parse_call("times", " "), Ok(Reply::Act(ToolCall::Times { name: None })));
        for (name, arguments, error) in [
            ("", "{}", ReplyError::Tool(ToolError::UnknownTool)),
            ("act", "{}", ReplyError::Tool(ToolError::UnknownTool)),
            ("delete_book", "{}", ReplyError::Tool(ToolError::UnknownTool)),
            ("need", "{}", ReplyError::MissingNeed),
            ("entity", "{}", ReplyError::Tool(ToolError::Missing("name"))),
            ("entity", "Mei", ReplyError::Tool(ToolError::WrongType("arguments"))),
            ("entity", "[\"Mei\"]", ReplyError::Tool(ToolError::WrongType("arguments"))),
            ("answer", "7", ReplyError::Tool(ToolError::WrongType("arguments"))),
            ("entity", "{\"name\":\"Me", ReplyError::Tool(ToolError::WrongType("arguments"))),
        ] {
            assert_eq!(parse_call(name, arguments), Err(error), "{name} {arguments}");
        }
        assert!(parse_call("entity", &"{\"name\":".repeat(100_000)).is_err());
    }

    #[test]
    fn schema_and_tools_of_a_phase_permit_the_same_replies() {
        for phase in [Phase::Recalling, Phase::Knowing, Phase::Acting, Phase::Answering, Phase::Ended] {
            for language in [Language::Zh, Language::En] {
                let tools = reply_tools(phase, language);
                let Some(schema) = reply_schema(phase) else {
                    assert_eq!(tools, []);
                    continue;
                };
                let listed = |field: &str| schema["properties"][field]["enum"].as_array().unwrap().clone();
                let mut named: Vec<Value> = listed("kind").into_iter().filter(|kind| kind != "act").collect();
                named.extend(listed("tool"));
                named.sort_by_key(ToString::to_string);
                let mut defined: Vec<Value> = tools.iter().map(|tool| tool.name.into()).collect();
                defined.sort_by_key(ToString::to_string);
                assert_eq!(named, defined, "{phase:?}");
                for tool in tools {
                    for argument in tool.arguments["properties"].as_object().unwrap().keys() {
                        assert!(tool.description.contains(argument.as_str()), "{} {argument}", tool.name);
                    }
                }
            }
        }
    }

    #[test]
    fn each_phase_with_a_reply_has_a_schema() {
        assert_eq!(reply_schema(Phase::Answering), None);
        let schema = reply_schema(Phase::Knowing).unwrap();
        assert_eq!(schema["properties"]["kind"]["enum"], json!(["answer", "need", "act"]));
        assert_eq!(schema["properties"]["need"], json!({ "type": "string", "maxLength": 400 }));
        let schema = reply_schema(Phase::Acting).unwrap();
        assert_eq!(schema["properties"]["kind"]["enum"], json!(["act", "stop"]));
        assert_eq!(schema["properties"]["arguments"]["properties"]["limit"], json!({ "type": "integer" }));
        assert!(schema["properties"].get("need").is_none());
        for tool in Tool::ALL {
            for argument in tool.argument_schema()["properties"].as_object().unwrap().keys() {
                let listed = &schema["properties"]["arguments"]["properties"];
                assert!(listed.get(argument).is_some(), "{argument}");
            }
        }
    }
}
