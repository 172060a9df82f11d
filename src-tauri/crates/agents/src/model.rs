//! A run in data: its request, its events, its outcome, and the reasons why there is none.

use std::{path::PathBuf, time::Duration};

use palimpsest_text::names::Pair;

use crate::argv::Assistant;

/// The description of a program that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramInfo {
    /// The kind of program.
    pub kind: Assistant,
    /// The name that the writer gave it.
    pub name: String,
    /// The model in the arguments of the program; `None` where the program chooses.
    pub model: Option<String>,
    /// True if it opens the files of the copy itself, so that the prompt need not contain the chapters.
    pub reads_files: bool,
    /// True if text that it reads leaves this machine; also true for a program of the writer's own, of which it is
    /// unknown.
    pub leaves_machine: bool,
}

/// When the fence of the system is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// For every run.
    Always,
    /// For runs with hidden names, or with a copy that ends before the book does.
    WhereNeeded,
}

/// A chapter as it is copied.
#[derive(Debug, Clone, Copy)]
pub struct Chapter<'a> {
    /// Becomes the heading of the file; empty for none. Its name is that of the position: `001.md`.
    pub title: &'a str,
    /// The text of the manuscript.
    pub text: &'a str,
}

/// A position in a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Index of the chapter in reading order.
    pub chapter: usize,
    /// UTF-16 code units of its text up to the position.
    pub offset: usize,
}

/// The book of a run.
#[derive(Debug, Clone, Copy)]
pub struct Book<'a> {
    /// In reading order.
    pub chapters: &'a [Chapter<'a>],
    /// The end of the copy; `None` for the whole book.
    pub end: Option<Position>,
}

/// A question and the book that it is about.
pub struct RunRequest<'a> {
    /// The whole prompt, with the names of the manuscript; they are hidden on the way out. Empty for a program that is
    /// asked nothing.
    pub prompt: &'a str,
    /// The chapters that are copied.
    pub book: Book<'a>,
    /// The hidden names; `None` where the list cannot be read, and then nothing is started.
    pub names: Option<&'a [Pair]>,
    /// Folders that the program must not read: every book and the data folder. Nothing that contains one of them, or
    /// lies in one, is readable behind the fence.
    pub protected: &'a [PathBuf],
    /// Whether the writer agreed that this run may start without the fence of the system.
    pub is_unfenced_allowed: bool,
    /// Asked at intervals of some milliseconds; true ends the run.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// An event between the start of a program and its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEvent<'a> {
    /// The next words of the assistant, with the names restored.
    Text(&'a str),
    /// A tool that the assistant uses. Its arguments are not reported.
    Tool {
        /// As the program names it; empty where it does not.
        name: &'a str,
        /// Began, or ended.
        state: ToolState,
    },
    /// The run is over, and the outcome follows within some seconds: the program is being ended.
    Ending(EndedBy),
}

/// The state of one use of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolState {
    /// It runs.
    Started,
    /// It did what it was asked.
    Succeeded,
    /// It failed, or was declined.
    Failed,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// The program exited.
    Itself,
    /// The program reported its result and did not exit.
    AfterResult,
    /// The request was cancelled.
    Cancelled,
    /// The run took longer than [`Limits::total`].
    Timeout,
    /// Nothing arrived for [`Limits::first_line`], [`Limits::silence`] or [`Limits::tool_silence`].
    Silence,
    /// More arrived than [`Limits::bytes`] or [`Limits::events`].
    TooMuch,
}

/// A tool that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRun {
    /// As the program names it; empty where it does not.
    pub name: String,
    /// Whether it did what it was asked; `None` where its end was not reported.
    pub is_ok: Option<bool>,
    /// From its start to its end; 0 where one of them was not reported.
    pub duration_ms: u64,
}

/// Tokens as the program counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCount {
    /// Of everything that the model read.
    pub prompt: u64,
    /// Of everything that it wrote.
    pub answer: u64,
}

/// The outcome of a program that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// The exit code; 128 and the number for a signal that the program got from elsewhere; `None` where the run was
    /// ended from here, except 0 after a result.
    pub exit_code: Option<i32>,
    /// Why it ended.
    pub ended_by: EndedBy,
    /// From the start of the program to the end of the run.
    pub duration_ms: u64,
    /// The last words of the assistant, with the names restored; empty for none.
    pub answer: String,
    /// True if the program reported success, false for an error; `None` where it reported no result.
    pub is_result_ok: Option<bool>,
    /// The end of the program's standard error, at most 4 KiB, without secrets. It may contain aliases, and text.
    pub tail: String,
    /// The tools that were used, in the order of their first event.
    pub tools: Vec<ToolRun>,
    /// `None` where the program reports no tokens.
    pub tokens: Option<TokenCount>,
    /// The program's own name of the session.
    pub session_id: Option<String>,
    /// Files of the copy that were changed, added or removed, and files that the program says it changed: relative
    /// names, at most 100.
    pub wrote_files: Vec<String>,
    /// Lines that could not be read: no JSON, or longer than [`Limits::line_bytes`].
    pub bad_lines: u32,
    /// The refusal that the program reported, such as [`Reason::NotLoggedIn`].
    pub(crate) refusal: Option<Reason>,
}

impl RunOutcome {
    /// The fault of the run; `None` for a run without a fault.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self.ended_by {
            EndedBy::Timeout => Some(Reason::Timeout),
            EndedBy::Silence => Some(Reason::Silent),
            EndedBy::TooMuch => Some(Reason::TooMuch),
            EndedBy::Itself | EndedBy::AfterResult | EndedBy::Cancelled => {
                self.refusal.or((!self.wrote_files.is_empty()).then_some(Reason::WroteFiles))
            }
        }
    }
}

/// Why a program did not answer. The names are those of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// There is no such program.
    ProgramMissing,
    /// The program has no login.
    NotLoggedIn,
    /// The run needs the fence of the system, and there is none.
    NotFenced,
    /// The program does not trust the folder of the copy.
    UntrustedFolder,
    /// The program has none of the options that keep it from writing, or not those that it is read by.
    VersionTooOld,
    /// The copy could not be made, or the program could not be started.
    StartFailed,
    /// Nothing arrived in time.
    Silent,
    /// The run took too long.
    Timeout,
    /// The program printed more than is read.
    TooMuch,
    /// The program changed files of the copy.
    WroteFiles,
    /// The list of hidden names cannot be read, or no alias fits.
    NamesUnread,
}

/// A run that was not started. It contains no text of the writer's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RunError {
    /// Decides which sentence the writer reads.
    pub reason: Reason,
    /// In English, with kinds and numbers only.
    pub message: String,
}

impl RunError {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }
}

/// Runs a question to its end.
pub trait RunBackend: Send + Sync {
    /// The description of the program. Starts nothing.
    fn info(&self) -> ProgramInfo;

    /// Runs the question in this thread. `on_event` gets the events in their order.
    ///
    /// # Errors
    /// If nothing was started. A program that was started has an outcome, also where it failed.
    fn run(&self, request: &RunRequest<'_>, on_event: &mut dyn FnMut(RunEvent<'_>)) -> Result<RunOutcome, RunError>;
}

/// Maximum times, sizes and number of runs.
#[derive(Debug, Clone)]
pub struct Limits {
    /// To the first line of output.
    pub first_line: Duration,
    /// Between two lines.
    pub silence: Duration,
    /// Between two lines while a tool runs.
    pub tool_silence: Duration,
    /// Of the whole run.
    pub total: Duration,
    /// From a reported result to the exit.
    pub after_result: Duration,
    /// From the request to end to the kill.
    pub grace: Duration,
    /// For the version and the options of a program.
    pub short_request: Duration,
    /// Bytes of a line; a longer one is dropped and counted.
    pub line_bytes: usize,
    /// Bytes of the output.
    pub bytes: usize,
    /// Lines of the output.
    pub events: usize,
    /// Programs that run at the same time, at least 1; a further run waits.
    pub concurrent_runs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_line: Duration::from_secs(30),
            silence: Duration::from_secs(180),
            tool_silence: Duration::from_secs(600),
            total: Duration::from_secs(15 * 60),
            after_result: Duration::from_secs(5),
            grace: Duration::from_secs(2),
            short_request: Duration::from_secs(10),
            line_bytes: 1 << 20,
            bytes: 8 << 20,
            events: 10_000,
            concurrent_runs: 2,
        }
    }
}
