//! The scene of questions to the book: a book in another editor, a scripted model, and doubles of programs.

use std::{fs, path::Path, sync::Arc};

use palimpsest_api::{
    Network, Options, Timeouts,
    agents::{Launcher, Limits},
};
use palimpsest_tests::{
    Writer,
    clock::StandingClock,
    server::{Answer, Gate, Request, Server},
    text,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    answers::of_book,
    backends::{install, programs_in},
    island::{END, FERRY, LEDGER, analyzed},
};

pub(crate) const CHAT: &str = "/v1/chat/completions";
pub(crate) const QUESTION: &str = "Where had Mara Venn and Tobias met?";
/// The answer of a model or a program, with its passage.
pub(crate) const ANSWER: &str = "They met in Harwick. [P1 \"They had met in Harwick on 15 May 1983\"]";

/// The events of a question from its start to its end.
pub(crate) struct Asked {
    pub started: Value,
    /// The steps that have ended.
    pub steps: Vec<Value>,
    pub chunks: Vec<Value>,
    pub done: Value,
}

impl Asked {
    /// The kinds of the steps, in order.
    pub fn kinds(&self) -> Vec<String> {
        self.steps.iter().map(|step| text(step, "kind")).collect()
    }

    /// The reason of the failure.
    pub fn failure_reason(&self) -> Value {
        self.done["error"]["details"]["reason"].clone()
    }
}

pub(crate) struct Stage {
    /// The folder of the programs.
    pub folder: Arc<TempDir>,
    pub server: Server,
    pub writer: Writer,
    pub project: String,
}

pub(crate) fn is_reply(asked: &Request) -> bool {
    asked.body["response_format"].is_object() || asked.body["tools"].is_array()
}

/// The messages of a request.
pub(crate) fn prompt_of(asked: &Request) -> String {
    let messages = asked.body["messages"].as_array().unwrap();
    messages.iter().map(|message| text(message, "content")).collect::<Vec<_>>().join("\n")
}

/// Answers of a model: these replies in the loop, the last one again and again, and then this text.
pub(crate) fn set_replies(server: &Server, replies: &[Value], answer: &str) {
    let replies: Vec<String> = match replies {
        [] => vec![json!({ "kind": "answer" }).to_string()],
        replies => replies.iter().map(ToString::to_string).collect(),
    };
    let (answer, number) = (answer.to_owned(), std::sync::Mutex::new(0_usize));
    server.reply(CHAT, move |asked| {
        if !is_reply(asked) {
            return Answer::chat(&[&answer]).cut_every(7);
        }
        let mut number = number.lock().unwrap();
        *number += 1;
        Answer::chat(&[&replies[(*number - 1).min(replies.len() - 1)]])
    });
}

impl Stage {
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// The limits are those of programs.
    pub fn with_limits(limits: Limits) -> Self {
        let folder = Arc::new(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        let programs = programs_in(folder.path(), Launcher::none(), limits);
        let writer = Writer::with(|options: &mut Options| {
            options.programs = programs;
            options.network = Network::with(Timeouts::default(), StandingClock::new());
        });
        let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
        Self { folder, server: Server::start(), writer, project }
    }

    /// A scene with a model that gives these replies and this answer.
    pub fn with_model(replies: &[Value], answer: &str) -> Self {
        let stage = Self::new();
        stage.choose_model();
        set_replies(&stage.server, replies, answer);
        stage
    }

    /// A scene with a program of this kind; its id.
    pub fn with_program(kind: &str, limits: Limits) -> (Self, String) {
        let stage = Self::with_limits(limits);
        let id = stage.save_program(kind);
        (stage, id)
    }

    pub fn choose_model(&self) {
        let provider = json!({ "kind": "openAi", "name": "at home", "baseUrl": self.server.url("/v1") });
        let provider = self.writer.ask("ai:provider:save", provider);
        let choice = json!({ "purpose": "asking", "providerId": provider["providerId"], "model": "reader" });
        self.writer.ask("ai:purpose:set", choice);
    }

    /// Lets the model wait in the middle of its answer, after these words, until the gate opens.
    pub fn hold_answer_after(&self, words: &str) -> Gate {
        let gate = self.server.gate();
        let (held, words) = (gate.clone(), words.to_owned());
        self.server.reply(CHAT, move |asked| match is_reply(asked) {
            true => Answer::chat(&["{\"kind\":\"answer\"}"]),
            false => Answer::stream().event(&palimpsest_tests::server::chat_piece(&words)).wait_at(&held).chat_end(1),
        });
        gate
    }

    /// Installs a double and sets it up; one of the writer's own is named `own`.
    pub fn save_program(&self, kind: &str) -> String {
        install(self.folder.path(), kind);
        let mut draft = json!({ "kind": kind, "name": kind });
        if kind == "own" {
            draft["program"] = json!(self.folder.path().join("bin/own"));
        }
        text(&self.writer.ask("backend:save", draft), "backendId")
    }

    pub fn script(&self, kind: &str, steps: &[Value]) {
        let lines: String = steps.iter().map(|step| format!("{step}\n")).collect();
        fs::write(self.folder.path().join(format!("bin/{kind}.script.jsonl")), lines).unwrap();
    }

    pub fn start(&self, more: Value) -> Value {
        self.writer.ask("ask:run", of_book(&self.project, more))
    }

    /// Waits for the end of a question.
    pub fn end_of(&self, started: Value) -> Asked {
        let (mut steps, mut chunks) = (Vec::new(), Vec::new());
        loop {
            let (name, payload) = self.writer.next_event();
            if payload["runId"] != started["runId"] {
                continue;
            }
            match name.as_str() {
                "ask:step" if payload["state"] != "started" => steps.push(payload),
                "ask:chunk" => chunks.push(payload),
                "ask:done" => return Asked { started, steps, chunks, done: payload },
                _ => {}
            }
        }
    }

    pub fn ask_book(&self, more: Value) -> Asked {
        self.end_of(self.start(more))
    }

    /// The prompts that the model was sent.
    pub fn prompts(&self) -> Vec<String> {
        self.server.requests_to(CHAT).iter().map(prompt_of).collect()
    }

    /// The number of rows of the book in each of these tables of `episodes.db`.
    pub fn row_counts(&self, tables: &[&str]) -> Vec<i64> {
        let db = rusqlite::Connection::open(self.writer.data_dir().join("episodes.db")).unwrap();
        let count = |table: &&str| {
            let count = format!("SELECT count(*) FROM {table} WHERE project_id = ?1");
            db.query_row(&count, [&self.project], |row| row.get(0)).unwrap()
        };
        tables.iter().map(count).collect()
    }
}

/// A line of the stream of Claude Code with words of the assistant.
pub(crate) fn spoken(words: &str) -> Value {
    let line = json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": words }] } });
    json!({ "out": line.to_string() })
}

/// A line of the stream of Claude Code with the result.
pub(crate) fn result(words: &str) -> Value {
    json!({ "out": json!({ "type": "result", "subtype": "success", "is_error": false, "result": words }).to_string() })
}

/// Waits for the end of a process; one that was killed is listed until the system removes it.
pub(crate) fn has_ended(pid: u64) -> bool {
    let status = format!("/proc/{pid}/stat");
    let is_there = || fs::read_to_string(&status).is_ok_and(|stat| !stat.contains(") Z "));
    (0..200_000).any(|_| {
        std::thread::yield_now();
        !Path::new("/proc/self").exists() || !is_there()
    })
}
