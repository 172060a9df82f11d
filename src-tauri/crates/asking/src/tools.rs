//! The tools with which a model looks into the book and the memory. All are local and only read.

use std::fmt;

use palimpsest_text::{Language, single_spaced, tokens};
use serde_json::{Map, Value, json};

/// Maximum characters of a query or of a need.
pub const MAX_QUERY_CHARS: usize = 400;
/// Maximum characters of a name.
pub const MAX_NAME_CHARS: usize = 100;
/// Maximum passages that one search returns.
pub const MAX_LIMIT: u8 = 8;
/// Maximum passages on each side of a passage that is read.
pub const MAX_AROUND: u8 = 2;
/// Maximum digits in the handle of a passage.
pub(crate) const MAX_HANDLE_DIGITS: usize = 6;

/// The definition of a tool for a provider with tool calls of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// The name with which it is called: letters and underscores.
    pub name: &'static str,
    /// One line for the model.
    pub description: &'static str,
    /// JSON schema of the arguments, an object.
    pub arguments: Value,
}

/// The estimated number of tokens that these definitions add to a prompt.
#[must_use]
pub fn definition_tokens(definitions: &[ToolDefinition]) -> u32 {
    let count = |tool: &ToolDefinition| {
        tokens::count(tool.name) + tokens::count(tool.description) + tokens::count(&tool.arguments.to_string())
    };
    u32::try_from(definitions.iter().map(count).sum::<usize>()).unwrap_or(u32::MAX)
}

/// A search or a look-up that a model may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Searches the passages of the book.
    FindInBook,
    /// Reads a passage and those around it.
    ReadPassage,
    /// The card of an entity.
    Entity,
    /// The chapters that name an entity.
    Where,
    /// The passages that name two entities.
    Together,
    /// Searches kept answers.
    Answers,
    /// Searches the journal.
    Journal,
    /// Times of the story.
    Times,
}

impl Tool {
    /// All tools, in the order of the prompt.
    pub const ALL: [Self; 8] = [
        Self::FindInBook,
        Self::ReadPassage,
        Self::Entity,
        Self::Where,
        Self::Together,
        Self::Answers,
        Self::Journal,
        Self::Times,
    ];

    /// The name that a model uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FindInBook => "find_in_book",
            Self::ReadPassage => "read_passage",
            Self::Entity => "entity",
            Self::Where => "where",
            Self::Together => "together",
            Self::Answers => "answers",
            Self::Journal => "journal",
            Self::Times => "times",
        }
    }

    /// The tool of a name, in any case and with hyphens or spaces for underscores; `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase().replace(['-', ' '], "_");
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// One line for the prompt.
    #[must_use]
    pub fn description(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::FindInBook, Language::Zh) => {
                "在书中查找与查询有关的段落。query：要找的词句；limit：最多几段，1 到 8。"
            }
            (Self::FindInBook, Language::En) => {
                "Finds passages of the book that bear on a query. query: the words to look for; limit: 1 to 8 passages."
            }
            (Self::ReadPassage, Language::Zh) => {
                "读一个段落及其前后。passage：段落编号，如 P3；around：前后各几段，0 到 2。"
            }
            (Self::ReadPassage, Language::En) => {
                "Reads a passage and its neighbours. passage: its number, such as P3; around: 0 to 2 on each side."
            }
            (Self::Entity, Language::Zh) => "查看一个人物、地方或物品已知的事实。name：名字。",
            (Self::Entity, Language::En) => "Shows the known facts about a person, a place or a thing. name: its name.",
            (Self::Where, Language::Zh) => "列出提到某个名字的章节和次数。name：名字。",
            (Self::Where, Language::En) => "Lists the chapters that mention a name, with counts. name: the name.",
            (Self::Together, Language::Zh) => "查找同时提到两个名字的段落。first、second：两个名字。",
            (Self::Together, Language::En) => "Finds passages that mention two names. first, second: the names.",
            (Self::Answers, Language::Zh) => "在以前的问答中查找。query：要找的内容。",
            (Self::Answers, Language::En) => "Searches earlier questions and answers. query: what to look for.",
            (Self::Journal, Language::Zh) => "在写作流水中查找做过的事。query：要找的内容。",
            (Self::Journal, Language::En) => "Searches the journal of what was done. query: what to look for.",
            (Self::Times, Language::Zh) => "列出故事中的时间。name：只要与此名字有关的时间，可省略。",
            (Self::Times, Language::En) => "Lists times of the story. name: only times of this name; may be left out.",
        }
    }

    /// The JSON schema of the arguments, for providers with tool calls of their own.
    #[must_use]
    pub fn argument_schema(self) -> Value {
        let query = || json!({ "type": "string", "maxLength": MAX_QUERY_CHARS });
        let name = || json!({ "type": "string", "maxLength": MAX_NAME_CHARS });
        let (properties, required) = match self {
            Self::FindInBook => (
                json!({ "query": query(), "limit": { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT } }),
                vec!["query"],
            ),
            Self::ReadPassage => (
                json!({
                    "passage": { "type": "string" },
                    "around": { "type": "integer", "minimum": 0, "maximum": MAX_AROUND },
                }),
                vec!["passage"],
            ),
            Self::Entity | Self::Where => (json!({ "name": name() }), vec!["name"]),
            Self::Together => (json!({ "first": name(), "second": name() }), vec!["first", "second"]),
            Self::Answers | Self::Journal => (json!({ "query": query() }), vec!["query"]),
            Self::Times => (json!({ "name": name() }), vec![]),
        };
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    }

    /// Name, description and schema in one.
    #[must_use]
    pub fn definition(self, language: Language) -> ToolDefinition {
        ToolDefinition { name: self.name(), description: self.description(language), arguments: self.argument_schema() }
    }
}

/// A call of a tool, with checked arguments: no text is blank or too long.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ToolCall {
    /// Searches the passages of the book.
    FindInBook {
        /// The words to look for.
        query: String,
        /// Maximum passages, 1..=8.
        limit: u8,
    },
    /// Reads a passage and those around it.
    ReadPassage {
        /// Its handle, such as `P3`.
        passage: String,
        /// Passages on each side, 0..=2.
        around: u8,
    },
    /// The card of an entity.
    Entity {
        /// Any name of the entity.
        name: String,
    },
    /// The chapters that name an entity.
    Where {
        /// Any name of the entity.
        name: String,
    },
    /// The passages that name two entities.
    Together {
        /// A name of the one.
        first: String,
        /// A name of the other.
        second: String,
    },
    /// Searches kept answers.
    Answers {
        /// The words to look for.
        query: String,
    },
    /// Searches the journal.
    Journal {
        /// The words to look for.
        query: String,
    },
    /// Times of the story.
    Times {
        /// A name of the entity whose times are listed; `None` for all.
        name: Option<String>,
    },
}

/// The reason why a call of a tool was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolError {
    /// There is no tool of this name.
    UnknownTool,
    /// An argument is missing or blank; its name.
    Missing(&'static str),
    /// An argument has another type than its schema; its name.
    WrongType(&'static str),
    /// An argument is too long; its name.
    TooLong(&'static str),
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTool => write!(f, "there is no tool of this name"),
            Self::Missing(argument) => write!(f, "{argument} is missing"),
            Self::WrongType(argument) => write!(f, "{argument} has the wrong type"),
            Self::TooLong(argument) => write!(f, "{argument} is too long"),
        }
    }
}

impl std::error::Error for ToolError {}

impl ToolCall {
    /// Checks the arguments of a call. Numbers out of their range are set to its nearest end, numbers in quotes count,
    /// and unknown arguments are ignored.
    pub fn from_arguments(tool: Tool, arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let query = || text_argument(arguments, "query", MAX_QUERY_CHARS);
        let name = |field| text_argument(arguments, field, MAX_NAME_CHARS);
        Ok(match tool {
            Tool::FindInBook => Self::FindInBook {
                query: query()?,
                limit: number_argument(arguments, "limit", MAX_LIMIT)?.clamp(1, MAX_LIMIT),
            },
            Tool::ReadPassage => Self::ReadPassage {
                passage: passage_argument(arguments)?,
                around: number_argument(arguments, "around", 0)?.min(MAX_AROUND),
            },
            Tool::Entity => Self::Entity { name: name("name")? },
            Tool::Where => Self::Where { name: name("name")? },
            Tool::Together => Self::Together { first: name("first")?, second: name("second")? },
            Tool::Answers => Self::Answers { query: query()? },
            Tool::Journal => Self::Journal { query: query()? },
            Tool::Times => Self::Times {
                name: match name("name") {
                    Err(ToolError::Missing(_)) => None,
                    name => Some(name?),
                },
            },
        })
    }

    /// The tool that is called.
    #[must_use]
    pub fn tool(&self) -> Tool {
        match self {
            Self::FindInBook { .. } => Tool::FindInBook,
            Self::ReadPassage { .. } => Tool::ReadPassage,
            Self::Entity { .. } => Tool::Entity,
            Self::Where { .. } => Tool::Where,
            Self::Together { .. } => Tool::Together,
            Self::Answers { .. } => Tool::Answers,
            Self::Journal { .. } => Tool::Journal,
            Self::Times { .. } => Tool::Times,
        }
    }

    /// The query, the handle of the passage, the name or both names; empty for all times.
    #[must_use]
    pub fn subject(&self) -> String {
        match self {
            Self::FindInBook { query, .. } | Self::Answers { query } | Self::Journal { query } => query.clone(),
            Self::ReadPassage { passage, .. } => passage.clone(),
            Self::Entity { name } | Self::Where { name } => name.clone(),
            Self::Together { first, second } => format!("{first}, {second}"),
            Self::Times { name } => name.clone().unwrap_or_default(),
        }
    }

    /// Whether two calls have the same result: their texts may differ in case, and two names in order.
    #[must_use]
    pub fn is_repetition_of(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn key(&self) -> (Tool, Vec<String>, u8) {
        let (mut texts, number) = match self {
            Self::FindInBook { query, limit } => (vec![query.to_lowercase()], *limit),
            Self::ReadPassage { passage, around } => (vec![passage.clone()], *around),
            Self::Together { first, second } => (vec![first.to_lowercase(), second.to_lowercase()], 0),
            Self::Times { name } => (name.iter().map(|name| name.to_lowercase()).collect(), 0),
            _ => (vec![self.subject().to_lowercase()], 0),
        };
        texts.sort();
        (self.tool(), texts, number)
    }
}

/// A text without control characters, on one line.
#[must_use]
pub fn clean_text(text: &str) -> String {
    single_spaced(&text.replace(|c: char| c.is_control(), " "))
}

fn text_argument(arguments: &Map<String, Value>, field: &'static str, max_chars: usize) -> Result<String, ToolError> {
    let text = match arguments.get(field) {
        None | Some(Value::Null) => return Err(ToolError::Missing(field)),
        Some(Value::String(text)) => clean_text(text),
        Some(_) => return Err(ToolError::WrongType(field)),
    };
    if !text.contains(char::is_alphanumeric) {
        return Err(ToolError::Missing(field));
    }
    if text.chars().count() > max_chars {
        return Err(ToolError::TooLong(field));
    }
    Ok(text)
}

fn number_argument(arguments: &Map<String, Value>, field: &'static str, default: u8) -> Result<u8, ToolError> {
    let number = match arguments.get(field) {
        None | Some(Value::Null) => return Ok(default),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    let number = number.filter(|number| number.is_finite()).ok_or(ToolError::WrongType(field))?;
    // Casts of floating-point numbers saturate.
    Ok(number as u8)
}

/// A handle in its one form: `P3` for `p3`, `[P 3]` and the number 3.
fn passage_argument(arguments: &Map<String, Value>) -> Result<String, ToolError> {
    let text = match arguments.get("passage") {
        Some(Value::Number(number)) => number.to_string(),
        _ => text_argument(arguments, "passage", MAX_NAME_CHARS)?,
    };
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = bare.trim_start_matches(['p', 'P', 'Ｐ', 'ｐ']).trim_start();
    let is_handle = (1..=MAX_HANDLE_DIGITS).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_handle { Ok(format!("P{digits}")) } else { Err(ToolError::WrongType("passage")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: Tool, arguments: &Value) -> Result<ToolCall, ToolError> {
        ToolCall::from_arguments(tool, arguments.as_object().unwrap())
    }

    #[test]
    fn every_tool_has_a_name_a_schema_and_a_description_in_both_languages() {
        for tool in Tool::ALL {
            assert_eq!(Tool::from_name(tool.name()), Some(tool));
            for language in [Language::Zh, Language::En] {
                let properties = tool.argument_schema()["properties"].as_object().unwrap().clone();
                for argument in properties.keys() {
                    assert!(tool.description(language).contains(argument.as_str()), "{tool:?} {argument}");
                }
            }
        }
        assert_eq!(Tool::from_name(" Find-In-Book "), Some(Tool::FindInBook));
        assert_eq!(Tool::from_name("delete_book"), None);
    }

    #[test]
    fn arguments_are_checked() {
        for (tool, arguments, error) in [
            (Tool::FindInBook, json!({}), ToolError::Missing("query")),
            (Tool::FindInBook, json!({ "query": " … " }), ToolError::Missing("query")),
            (Tool::FindInBook, json!({ "query": ["a"] }), ToolError::WrongType("query")),
            (Tool::FindInBook, json!({ "query": "a".repeat(401) }), ToolError::TooLong("query")),
            (Tool::FindInBook, json!({ "query": "eyes", "limit": "many" }), ToolError::WrongType("limit")),
            (Tool::Entity, json!({ "name": "周".repeat(101) }), ToolError::TooLong("name")),
            (Tool::Together, json!({ "first": "Mei" }), ToolError::Missing("second")),
            (Tool::ReadPassage, json!({ "passage": "chapter three" }), ToolError::WrongType("passage")),
            (Tool::ReadPassage, json!({ "passage": "P1234567" }), ToolError::WrongType("passage")),
            (Tool::ReadPassage, json!({ "passage": "../etc/passwd" }), ToolError::WrongType("passage")),
        ] {
            assert_eq!(call(tool, &arguments), Err(error), "{arguments}");
        }
    }

    #[test]
    fn numbers_are_limited_and_handles_have_one_form() {
        let found = call(Tool::FindInBook, &json!({ "query": "Mei's\n eyes", "limit": 500, "sudo": true }));
        assert_eq!(found, Ok(ToolCall::FindInBook { query: "Mei's eyes".to_owned(), limit: 8 }));
        let found = call(Tool::FindInBook, &json!({ "query": "眼睛", "limit": -1 }));
        assert_eq!(found, Ok(ToolCall::FindInBook { query: "眼睛".to_owned(), limit: 1 }));
        for passage in [json!("p3"), json!("[P 3]"), json!(3), json!("P3")] {
            let read = call(Tool::ReadPassage, &json!({ "passage": passage, "around": "9" }));
            assert_eq!(read, Ok(ToolCall::ReadPassage { passage: "P3".to_owned(), around: 2 }));
        }
        assert_eq!(call(Tool::Times, &json!({ "name": "" })), Ok(ToolCall::Times { name: None }));
    }

    #[test]
    fn a_call_in_another_case_or_order_is_a_repetition() {
        let together =
            |first: &str, second: &str| ToolCall::Together { first: first.to_owned(), second: second.to_owned() };
        assert!(together("Mei", "Jun").is_repetition_of(&together("jun", "mei")));
        assert!(!together("Mei", "Jun").is_repetition_of(&together("Mei", "Zhou")));
        let where_is = ToolCall::Where { name: "Mei".to_owned() };
        assert!(!where_is.is_repetition_of(&ToolCall::Entity { name: "Mei".to_owned() }));
    }
}
