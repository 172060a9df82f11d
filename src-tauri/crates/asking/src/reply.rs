//! A model's reply in the knowing and the acting phase: one small JSON object.

use std::fmt;

use palimpsest_text::excerpt;
use serde_json::{Map, Value, json};

use crate::{
    cognition::Phase,
    lenient_json::parse_object,
    tools::{MAX_QUERY_CHARS, Tool, ToolCall, ToolError, clean_text},
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
    let mut at = 0;
    for _ in 0..MAX_OBJECTS {
        let Some(brace) = text[at..].find('{') else { break };
        at += brace;
        let Some((object, length)) = parse_object(&text[at..]) else {
            at += 1;
            continue;
        };
        match reply_of(&object) {
            Ok(reply) => return Ok(reply),
            Err(found) if error == ReplyError::NoObject => error = found,
            Err(_) => {}
        }
        at += length;
    }
    match clean_text(text).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str() {
        "answer" if error == ReplyError::NoObject => Ok(Reply::Answer),
        "stop" if error == ReplyError::NoObject => Ok(Reply::Stop),
        _ => Err(error),
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
    let call = match object.get("arguments") {
        None | Some(Value::Null) => ToolCall::from_arguments(tool, object),
        Some(Value::Object(arguments)) => ToolCall::from_arguments(tool, arguments),
        Some(Value::String(text)) => match parse_object(text.trim()) {
            Some((arguments, _)) => ToolCall::from_arguments(tool, &arguments),
            None => Err(ToolError::WrongType("arguments")),
        },
        Some(_) => Err(ToolError::WrongType("arguments")),
    };
    call.map(Reply::Act).map_err(ReplyError::Tool)
}

/// The JSON schema of a reply in a phase; `None` where the model replies in words or is not asked.
///
/// It is flat, so that small local servers obey it: the arguments of all tools are one object.
#[must_use]
pub fn reply_schema(phase: Phase) -> Option<Value> {
    let kinds = match phase {
        Phase::Knowing => json!(["answer", "need", "act"]),
        Phase::Acting => json!(["act", "stop"]),
        Phase::Recalling | Phase::Answering | Phase::Ended => return None,
    };
    let tools: Vec<&str> = Tool::ALL.iter().map(|tool| tool.name()).collect();
    let mut properties = json!({
        "kind": { "type": "string", "enum": kinds },
        "tool": { "type": "string", "enum": tools },
        "arguments": {
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "limit": { "type": "integer" },
                "passage": { "type": "string" },
                "around": { "type": "integer" },
                "name": { "type": "string" },
                "first": { "type": "string" },
                "second": { "type": "string" },
            },
        },
    });
    if phase == Phase::Knowing {
        properties["need"] = json!({ "type": "string", "maxLength": MAX_QUERY_CHARS });
    }
    Some(json!({ "type": "object", "properties": properties, "required": ["kind"] }))
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
    fn each_phase_with_a_reply_has_a_schema() {
        assert_eq!(reply_schema(Phase::Answering), None);
        let schema = reply_schema(Phase::Knowing).unwrap();
        assert_eq!(schema["properties"]["kind"]["enum"], json!(["answer", "need", "act"]));
        let schema = reply_schema(Phase::Acting).unwrap();
        assert!(schema["properties"].get("need").is_none());
        for tool in Tool::ALL {
            for argument in tool.argument_schema()["properties"].as_object().unwrap().keys() {
                let listed = &schema["properties"]["arguments"]["properties"];
                assert!(listed.get(argument).is_some(), "{argument}");
            }
        }
    }
}
