//! A program's output, line by line, in events. Each line is read by itself: one that cannot be read is counted, and
//! the next one is read as usual.

use std::{collections::HashMap, time::Instant};

use serde_json::Value;

use crate::{
    argv::Assistant,
    claude, codex, gemini,
    model::{Reason, TokenCount, ToolRun},
    own,
};

/// An event of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEvent {
    /// Words of the assistant.
    Text(String),
    /// A tool starts.
    ToolRequest {
        /// The program's id of the call; empty where it gives none.
        id: String,
        /// The tool as the program names it; empty where it does not.
        tool: String,
    },
    /// A tool has ended.
    ToolResult {
        /// The program's id of the call; empty where it gives none.
        id: String,
        /// The tool that had this id; empty where none had.
        tool: String,
        /// Whether it did what it was asked.
        is_ok: bool,
    },
}

/// Reads the output of one run.
#[derive(Debug)]
pub struct StreamReader {
    kind: Assistant,
    state: StreamState,
    bad_lines: u32,
}

/// The state of a stream: the answer so far, the tools that run, and the result.
#[derive(Debug, Default)]
pub(crate) struct StreamState {
    pub(crate) events: Vec<StreamEvent>,
    /// The words since the last tool, or those of the result.
    pub(crate) answer: String,
    /// True for a reported success, false for an error; `None` before the result.
    pub(crate) result: Option<bool>,
    pub(crate) session_id: Option<String>,
    pub(crate) tokens: Option<TokenCount>,
    /// Files that the program reports as changed.
    pub(crate) written: Vec<String>,
    /// Whether the program reports that it changed files.
    pub(crate) wrote: bool,
    /// The refusal that an error of the stream names.
    pub(crate) refusal: Option<Reason>,
    tools: Vec<ToolRun>,
    /// Tools that run, by id: index in `tools`, and the start.
    running: HashMap<String, (usize, Instant)>,
}

impl StreamState {
    /// Adds words of the assistant.
    pub(crate) fn add_text(&mut self, text: &str) {
        self.answer.push_str(text);
        self.events.push(StreamEvent::Text(text.to_owned()));
    }

    /// Adds the start of a tool. Words before it are not the answer.
    pub(crate) fn start_tool(&mut self, id: &str, tool: &str) {
        self.answer.clear();
        self.running.insert(id.to_owned(), (self.tools.len(), Instant::now()));
        self.tools.push(ToolRun { name: tool.to_owned(), is_ok: None, duration_ms: 0 });
        self.events.push(StreamEvent::ToolRequest { id: id.to_owned(), tool: tool.to_owned() });
    }

    /// Adds the end of a tool, also of one whose start was not reported.
    pub(crate) fn end_tool(&mut self, id: &str, tool: Option<&str>, is_ok: bool) {
        self.answer.clear();
        let started = self.running.remove(id);
        let run = started.and_then(|(at, since)| Some((self.tools.get_mut(at)?, since)));
        let tool = match run {
            Some((run, since)) => {
                run.is_ok = Some(is_ok);
                run.duration_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
                run.name.clone()
            }
            None => {
                let name = tool.unwrap_or_default().to_owned();
                self.tools.push(ToolRun { name: name.clone(), is_ok: Some(is_ok), duration_ms: 0 });
                name
            }
        };
        self.events.push(StreamEvent::ToolResult { id: id.to_owned(), tool, is_ok });
    }

    /// Notes an error of the stream.
    pub(crate) fn note_error(&mut self, message: &str) {
        self.refusal = self.refusal.or_else(|| refusal_of(message));
    }
}

/// The refusal that a program's own message names; `None` for an unknown one.
pub(crate) fn refusal_of(message: &str) -> Option<Reason> {
    const LOGIN: &[&str] =
        &["/login", "401", "api key", "authentic", "credentials", "log in", "logged in", "login", "unauthorized"];
    const TRUST: &[&str] = &["trusted folder", "trusted directory", "untrusted", "not trusted"];
    let message = message.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if has(TRUST) {
        Some(Reason::UntrustedFolder)
    } else if has(LOGIN) {
        Some(Reason::NotLoggedIn)
    } else {
        None
    }
}

impl StreamReader {
    /// A reader of the stream of one kind of program.
    #[must_use]
    pub fn new(kind: Assistant) -> Self {
        Self { kind, state: StreamState::default(), bad_lines: 0 }
    }

    /// Reads a line without its end, and returns its events. Bytes that are not UTF-8 are replaced.
    pub fn read_line(&mut self, line: &[u8]) -> Vec<StreamEvent> {
        if self.kind == Assistant::Own {
            own::read_line(&String::from_utf8_lossy(line), &mut self.state);
        } else if !line.iter().all(u8::is_ascii_whitespace) {
            match parse_object(line) {
                Some(object) => match self.kind {
                    Assistant::Claude => claude::read_object(&object, &mut self.state),
                    Assistant::Codex => codex::read_object(&object, &mut self.state),
                    _ => gemini::read_object(&object, &mut self.state),
                },
                None => self.bad_lines += 1,
            }
        }
        std::mem::take(&mut self.state.events)
    }

    /// The answer so far: the words after the last tool, or those of the result.
    #[must_use]
    pub fn answer(&self) -> &str {
        self.state.answer.trim()
    }

    /// True for a reported success, false for an error; `None` before the result.
    #[must_use]
    pub fn result(&self) -> Option<bool> {
        self.state.result
    }

    /// Lines that are no JSON object.
    #[must_use]
    pub fn bad_lines(&self) -> u32 {
        self.bad_lines
    }

    /// Whether the program reports that it changed files.
    #[must_use]
    pub fn wrote(&self) -> bool {
        self.state.wrote
    }

    pub(crate) fn is_tool_running(&self) -> bool {
        !self.state.running.is_empty()
    }

    pub(crate) fn into_parts(self) -> (StreamState, Vec<ToolRun>, u32) {
        let mut state = self.state;
        let tools = std::mem::take(&mut state.tools);
        (state, tools, self.bad_lines)
    }
}

fn parse_object(line: &[u8]) -> Option<Value> {
    let parsed = match std::str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_str(&String::from_utf8_lossy(line)),
    };
    parsed.ok().filter(Value::is_object)
}

/// A text of an object; empty if there is none.
pub(crate) fn text_of<'v>(object: &'v Value, key: &str) -> &'v str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list of an object; none if there is no list.
pub(crate) fn items_of<'v>(object: &'v Value, key: &str) -> &'v [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Counts of an object under two names; `None` if it has neither.
pub(crate) fn tokens_of(usage: &Value, prompt: &[&str], answer: &str) -> Option<TokenCount> {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    let read: Vec<u64> = prompt.iter().filter_map(|key| count(key)).collect();
    let written = count(answer);
    (!read.is_empty() || written.is_some())
        .then(|| TokenCount { prompt: read.into_iter().fold(0, u64::saturating_add), answer: written.unwrap_or(0) })
}

#[cfg(test)]
mod tests;
