//! One run: names are hidden, the book is copied, the program answers, names are restored.

use palimpsest_text::names::{Mask, Restorer};

use crate::{
    argv::Assistant,
    copy::{BookCopy, book_files},
    fence::Fence,
    model::{EndedBy, Isolation, Reason, RunError, RunEvent, RunOutcome, RunRequest, ToolState},
    process::LineReader,
    program::{Program, Programs, Start, not_fenced},
    stream::{StreamEvent, StreamReader, StreamState, refusal_of},
};

/// The most files that are reported as written.
const MAX_WRITTEN_FILES: usize = 100;
/// The exit code of the Gemini CLI in a folder that it does not trust.
const GEMINI_UNTRUSTED: i32 = 55;
/// The exit code of the Gemini CLI without a login.
const GEMINI_NO_LOGIN: i32 = 41;

/// Runs a question to its end.
///
/// # Errors
/// If nothing was started.
pub(crate) fn run(
    programs: &Programs,
    program: &Program,
    request: &RunRequest<'_>,
    on_event: &mut dyn FnMut(RunEvent<'_>),
) -> Result<RunOutcome, RunError> {
    let names = request.names.ok_or_else(|| RunError::new(Reason::NamesUnread, "the hidden names cannot be read"))?;
    let is_fence_needed = !names.is_empty() || request.book.end.is_some();
    if programs.fence(program.kind) != Fence::System
        && (program.isolation == Isolation::Always || (is_fence_needed && !request.is_unfenced_allowed))
    {
        return Err(not_fenced());
    }
    let path = programs.locate(program)?;
    let Some(_turn) = programs.enter(request.is_cancelled) else {
        return Ok(cancelled_before_start());
    };
    let Hidden { mask, files, prompt } = hide_names(request)?;
    let copy = BookCopy::create(programs.temporary(), &files, request.protected)?;
    let arguments = programs.arguments(program, &path, &copy.chapters(), request.protected)?;
    let start = Start {
        kind: program.kind,
        path: &path,
        arguments: &arguments,
        input: prompt.as_bytes(),
        limits: programs.limits(),
        is_cancelled: request.is_cancelled,
    };
    let mut relay = Relay { stream: StreamReader::new(program.kind), mask: &mask, restorer: mask.restorer(), on_event };
    let ended = programs.start(&start, &copy, request.protected, &mut relay)?;
    relay.flush();
    let answer = mask.restore(relay.stream.answer());
    let (state, tools, bad_lines) = relay.stream.into_parts();
    let refusal = state.refusal.or_else(|| match ended.exit_code {
        Some(GEMINI_UNTRUSTED) if program.kind == Assistant::Gemini => Some(Reason::UntrustedFolder),
        Some(GEMINI_NO_LOGIN) if program.kind == Assistant::Gemini => Some(Reason::NotLoggedIn),
        Some(1..) if answer.is_empty() => refusal_of(&ended.tail),
        _ => None,
    });
    Ok(RunOutcome {
        exit_code: ended.exit_code,
        ended_by: ended.ended_by,
        duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        is_result_ok: state.result,
        tail: ended.tail,
        tools,
        wrote_files: written_files(&copy, &state),
        bad_lines: bad_lines.saturating_add(ended.dropped_lines),
        // A program that answered after a refusal, such as a retried login, was not refused.
        refusal: refusal.filter(|_| state.result != Some(true) && answer.is_empty()),
        answer,
        tokens: state.tokens,
        session_id: state.session_id,
    })
}

/// The copied chapters and the prompt with hidden names, and their mask.
struct Hidden {
    mask: Mask,
    files: Vec<String>,
    prompt: String,
}

fn hide_names(request: &RunRequest<'_>) -> Result<Hidden, RunError> {
    let files = book_files(&request.book)?;
    let mut texts: Vec<&str> = files.iter().map(String::as_str).collect();
    texts.push(request.prompt);
    let hidden = Mask::hide_texts(request.names.unwrap_or_default(), &texts);
    let (mask, mut files) = hidden.ok_or_else(|| RunError::new(Reason::NamesUnread, "no alias fits a hidden name"))?;
    let prompt = files.pop().unwrap_or_default();
    Ok(Hidden { mask, files, prompt })
}

/// Files of the copy that are not as they were, and those that the program reports, by their names.
fn written_files(copy: &BookCopy, state: &StreamState) -> Vec<String> {
    let mut files = copy.changed_files();
    let folder = copy.chapters();
    for path in &state.written {
        let path = std::path::Path::new(path);
        let name = path.strip_prefix(&folder).unwrap_or(path).to_string_lossy().into_owned();
        if !files.contains(&name) {
            files.push(name);
        }
    }
    if files.is_empty() && state.wrote {
        files.push("?".to_owned());
    }
    files.truncate(MAX_WRITTEN_FILES);
    files
}

fn cancelled_before_start() -> RunOutcome {
    RunOutcome {
        exit_code: None,
        ended_by: EndedBy::Cancelled,
        duration_ms: 0,
        answer: String::new(),
        is_result_ok: None,
        tail: String::new(),
        tools: Vec::new(),
        tokens: None,
        session_id: None,
        wrote_files: Vec::new(),
        bad_lines: 0,
        refusal: None,
    }
}

/// Reads the stream of a program and passes its events on, with the names restored.
struct Relay<'a> {
    stream: StreamReader,
    mask: &'a Mask,
    restorer: Restorer<'a>,
    on_event: &'a mut dyn FnMut(RunEvent<'_>),
}

impl Relay<'_> {
    /// Passes on the end of the text, which the restorer retained as a possible beginning of an alias.
    fn flush(&mut self) {
        let held = self.restorer.finish();
        if !held.is_empty() {
            (self.on_event)(RunEvent::Text(&held));
        }
        self.restorer = self.mask.restorer();
    }
}

impl LineReader for Relay<'_> {
    fn read_line(&mut self, line: &[u8]) {
        for event in self.stream.read_line(line) {
            match event {
                StreamEvent::Text(text) => {
                    let text = self.restorer.push(&text);
                    if !text.is_empty() {
                        (self.on_event)(RunEvent::Text(&text));
                    }
                }
                StreamEvent::ToolRequest { tool, .. } => {
                    self.flush();
                    (self.on_event)(RunEvent::Tool { name: &tool, state: ToolState::Started });
                }
                StreamEvent::ToolResult { tool, is_ok, .. } => {
                    self.flush();
                    let state = if is_ok { ToolState::Succeeded } else { ToolState::Failed };
                    (self.on_event)(RunEvent::Tool { name: &tool, state });
                }
            }
        }
    }

    fn is_tool_running(&self) -> bool {
        self.stream.is_tool_running()
    }

    fn has_result(&self) -> bool {
        self.stream.result().is_some()
    }

    fn ending(&mut self, ended_by: EndedBy) {
        self.flush();
        (self.on_event)(RunEvent::Ending(ended_by));
    }
}

#[cfg(test)]
mod tests {
    use palimpsest_text::names::Pair;

    use super::*;
    use crate::model::{Book, Chapter};

    #[test]
    fn names_are_hidden_in_titles_and_texts_and_in_the_prompt() {
        let chapters = [Chapter { title: "Mara\nagain", text: "MARA's letter" }];
        let hidden = hide_names(&RunRequest {
            prompt: "Where is Mara?",
            book: Book { chapters: &chapters, end: None },
            names: Some(&[Pair::new("Mara", "Nora")]),
            protected: &[],
            is_unfenced_allowed: false,
            is_cancelled: &|| false,
        });
        let Hidden { mask, files, prompt } = hidden.ok().unwrap();
        assert_eq!(files, ["# Nora again\n\nNORA's letter"]);
        assert_eq!((prompt.as_str(), mask.restore(&prompt).as_str()), ("Where is Nora?", "Where is Mara?"));
    }
}
