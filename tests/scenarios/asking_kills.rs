//! The process is killed, or is asked to end, in the middle of a question: nothing of it is half-written, and at the
//! next start it is interrupted and can be asked again.

use std::{fs, path::Path, process::Command, time::Duration};

use palimpsest_tests::{
    Host,
    server::{Answer, Server, chat_piece},
    text,
};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    answers::of_book,
    asking_stage::{ANSWER, CHAT, QUESTION, has_ended, is_reply, result, set_replies, spoken},
    island::{END, FERRY, LEDGER},
};

/// The words of the answer that arrive before the end.
pub(crate) const HALF: &str = "They met in zyxquorn Harwick. ";
/// The longest wait for the end of the process. Reaching it is a failure.
const MAX_CLOSING: Duration = Duration::from_secs(20);

/// A machine with a host's data folder, a model and programs in `bin`.
pub(crate) struct Machine {
    pub folder: TempDir,
    pub server: Server,
    pub project: String,
}

impl Machine {
    /// A machine with a book, and the host that made it.
    pub fn new() -> (Self, Host) {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        // In the folder of the settings of a program named `claude`, which may be written behind the fence.
        for inner in ["home/.claude", "tmp"] {
            fs::create_dir_all(folder.path().join(inner)).unwrap();
        }
        let mut machine = Self { folder, server: Server::start(), project: String::new() };
        let host = machine.host();
        let provider = json!({ "kind": "openAi", "name": "at home", "baseUrl": machine.server.url("/v1") });
        let provider = host.ask("ai:provider:save", provider);
        let choice = json!({ "purpose": "asking", "providerId": provider["providerId"], "model": "reader" });
        host.ask("ai:purpose:set", choice);
        machine.project =
            text(&host.ask("project:create", json!({ "title": "island", "language": "en" })), "projectId");
        let chapters = [FERRY, LEDGER, END].iter().zip(1..);
        let chapters: Vec<Value> =
            chapters.map(|(text, number)| json!({ "chapterId": format!("c{number}"), "text": text })).collect();
        host.ask("story:analyze", of_book(&machine.project, json!({ "chapters": chapters, "isWhole": true })));
        (machine, host)
    }

    pub fn host(&self) -> Host {
        let path = |inner: &str| self.folder.path().join(inner).to_str().unwrap().to_owned();
        let (home, bin, temporary) = (path("home"), path("home/.claude"), path("tmp"));
        let environment = [("HOME", home.as_str()), ("PATH", bin.as_str()), ("TMPDIR", temporary.as_str())];
        Host::start_with(&self.folder.path().join("data"), &["--embedder", "nowhere"], &environment)
    }

    pub fn start_question(&self, host: &Host, more: Value) -> Value {
        let mut asked = json!({ "question": QUESTION });
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        host.ask("ask:run", of_book(&self.project, asked))
    }

    /// Lets the model stop in the middle of its answer.
    pub fn hold_answer(&self) {
        let gate = self.server.gate();
        self.server.reply(CHAT, move |asked| match is_reply(asked) {
            true => Answer::chat(&["{\"kind\":\"answer\"}"]),
            false => Answer::stream().event(&chat_piece(HALF)).wait_at(&gate),
        });
    }

    /// Installs a double of Claude Code, which does these steps, and sets it up.
    pub fn install_program(&self, host: &Host, steps: &[Value]) -> Value {
        let folder = self.folder.path().join("home/.claude");
        fs::hard_link(env!("CARGO_BIN_EXE_fake-agent"), folder.join("claude")).unwrap();
        fs::write(folder.join("claude.version"), "claude 2.0.1\n").unwrap();
        self.set_script(steps);
        host.ask("backend:save", json!({ "kind": "claude", "name": "Claude" }))["backendId"].clone()
    }

    pub fn set_script(&self, steps: &[Value]) {
        let lines: String = steps.iter().map(|step| format!("{step}\n")).collect();
        fs::write(self.folder.path().join("home/.claude/claude.script.jsonl"), lines).unwrap();
    }

    fn count(&self, table: &str) -> i64 {
        let db = Connection::open(self.folder.path().join("data/episodes.db")).unwrap();
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }

    /// Asserts that a question which did not end has left nothing but its run, which is interrupted, an entry of the
    /// journal and its trace, and that the same question can be asked.
    fn assert_interrupted(&self, host: &Host, run_id: &Value) {
        let none = json!({ "answers": [], "total": 0 });
        let listed = host.ask("answer:list", of_book(&self.project, json!({})));
        assert_eq!((&listed["answers"], &listed["total"]), (&none["answers"], &none["total"]));
        let entries = host.ask("journal:list", of_book(&self.project, json!({ "kind": "ask" })))["entries"].clone();
        assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
        assert_eq!(entries[0]["content"], format!("Asked “{QUESTION}”. Broken off before an answer."));
        for table in ["answers", "answer_events", "answer_citations", "answer_outbox", "influences"] {
            assert_eq!(self.count(table), 0, "{table}");
        }
        let run = host.ask("answer:run:get", of_book(&self.project, json!({ "runId": run_id })));
        assert_eq!((&run["summary"]["state"], &run["completed"]), (&json!("interrupted"), &Value::Null));
        assert_eq!(host.ask("ask:cancel", json!({ "runId": run_id })), json!({ "cancelled": false }), "no run is open");
        let files = crate::erasing::files_containing(&self.folder.path().join("data"), &["zyxquorn"]);
        assert_eq!(files, Vec::<String>::new(), "no half answer is in a file");
        set_replies(&self.server, &[], ANSWER);
        let again = self.start_question(host, json!({}));
        assert_eq!((&again["askedOf"]["kind"], &again["served"]), (&json!("model"), &Value::Null));
        assert_eq!(self.done(host, &again)["answered"]["kept"]["answer"], "They met in Harwick.");
    }

    pub fn done(&self, host: &Host, started: &Value) -> Value {
        loop {
            let done = host.wait_for_event("ask:done");
            if done["runId"] == started["runId"] {
                return done;
            }
        }
    }

    fn kill_program(&self) {
        let seen = fs::read_to_string(self.folder.path().join("home/.claude/claude.seen.json")).unwrap();
        let program = serde_json::from_str::<Value>(&seen).unwrap()["pid"].to_string();
        assert!(Command::new("kill").args(["-9", &program]).status().unwrap().success());
    }

    /// Waits until the copies of a book are deleted.
    fn wait_until_no_copy(&self, host: &Host) {
        for _ in 0..10_000 {
            if self.copies().is_empty() {
                return;
            }
            host.ask("memory:status", json!({}));
        }
        panic!("left: {:?}", self.copies());
    }

    fn copies(&self) -> Vec<std::ffi::OsString> {
        names_in(&self.folder.path().join("tmp"))
    }
}

fn names_in(folder: &Path) -> Vec<std::ffi::OsString> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

/// Waits for the words of an answer.
pub(crate) fn wait_for_words(host: &Host) {
    assert!(text(&host.wait_for_event("ask:chunk"), "text").contains("zyxquorn"));
}

/// Waits for the end of the process; panics after [`MAX_CLOSING`].
fn wait_for_end(host: Host) -> Option<i32> {
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || ended.send(host.wait()));
    end.recv_timeout(MAX_CLOSING).expect("the process ends")
}

#[test]
fn a_kill_in_the_middle_of_an_answer_keeps_none_of_it_and_the_same_question_can_be_asked_again() {
    let (machine, host) = Machine::new();
    machine.hold_answer();
    let started = machine.start_question(&host, json!({}));
    wait_for_words(&host);
    host.kill();
    let host = machine.host();
    machine.assert_interrupted(&host, &started["runId"]);
    assert!(host.end());
}

#[test]
fn a_kill_in_the_loop_of_a_question_keeps_nothing() {
    let (machine, host) = Machine::new();
    let gate = machine.server.gate();
    machine.server.reply(CHAT, move |_| Answer::stream().wait_at(&gate));
    let started = machine.start_question(&host, json!({}));
    machine.server.wait_for_request_to(CHAT);
    host.kill();
    let host = machine.host();
    machine.assert_interrupted(&host, &started["runId"]);
    assert!(host.end());
}

#[test]
fn a_run_of_a_client_survives_a_kill_and_expires_after_a_day_with_its_question() {
    let (machine, host) = Machine::new();
    let started = host.ask("answer:prepare", of_book(&machine.project, json!({ "query": QUESTION })));
    let state_of = |host: &Host| {
        let run = json!({ "runId": started["runId"] });
        host.ask("answer:run:get", of_book(&machine.project, run))["summary"]["state"].clone()
    };
    host.kill();
    let host = machine.host();
    assert_eq!(state_of(&host), "prepared");
    host.kill();
    let db = Connection::open(machine.folder.path().join("data/episodes.db")).unwrap();
    db.execute("UPDATE answer_runs SET prepared_at = prepared_at - 90000000", []).unwrap();
    drop(db);
    let host = machine.host();
    // The next question ends the runs that are too old.
    set_replies(&machine.server, &[], ANSWER);
    machine.done(&host, &machine.start_question(&host, json!({ "question": "Who signed the ledger?" })));
    assert_eq!(state_of(&host), "expired");
    let outcome = json!({ "runId": started["runId"], "outcome": { "exitCode": 0, "answer": "Late." } });
    let late = host.answer("answer:complete", of_book(&machine.project, outcome));
    assert_eq!(late["error"]["data"]["details"]["reason"], "expired");
    assert!(host.end());
}

#[test]
fn a_quit_in_the_middle_of_an_answer_does_not_wait_for_the_model_and_leaves_nothing_half_written() {
    for by_signal in [true, false] {
        let (machine, host) = Machine::new();
        machine.hold_answer();
        let started = machine.start_question(&host, json!({}));
        wait_for_words(&host);
        assert_eq!(quit(host, by_signal), Some(0));
        let db = Connection::open(machine.folder.path().join("data/episodes.db")).unwrap();
        let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!((check.as_str(), machine.count("answers")), ("ok", 0));
        assert_eq!(machine.count("answer_runs WHERE state = 'completed' AND completed IS NULL"), 0);
        let host = machine.host();
        let run = host.ask("answer:run:get", of_book(&machine.project, json!({ "runId": started["runId"] })));
        assert!(run["completed"]["candidateId"].is_null(), "{run}");
        assert!(["completed", "interrupted"].contains(&text(&run["summary"], "state").as_str()), "{run}");
        let files = crate::erasing::files_containing(&machine.folder.path().join("data"), &["zyxquorn"]);
        assert_eq!(files, Vec::<String>::new());
        set_replies(&machine.server, &[], ANSWER);
        let again = machine.start_question(&host, json!({}));
        assert_eq!(machine.done(&host, &again)["answered"]["kept"]["answer"], "They met in Harwick.");
        assert!(host.end());
    }
}

/// Ends a host by a signal, or by the end of its input.
fn quit(host: Host, by_signal: bool) -> Option<i32> {
    if by_signal {
        host.signal("TERM");
        return wait_for_end(host);
    }
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || ended.send(host.end()));
    Some(i32::from(!end.recv_timeout(MAX_CLOSING).expect("the process ends")))
}

#[test]
fn a_kill_in_the_middle_of_a_program_keeps_no_answer_and_its_copy_is_deleted_at_the_next_start() {
    let (machine, host) = Machine::new();
    let backend = machine.install_program(&host, &[spoken(HALF), json!({ "hang": true })]);
    let started = machine.start_question(&host, json!({ "backendId": backend }));
    assert_eq!(started["askedOf"]["kind"], "program", "{started}");
    wait_for_words(&host);
    assert_eq!(machine.copies().len(), 1, "a copy of the book is there while the program runs");
    host.kill();
    // The program itself outlives a process that was killed.
    machine.kill_program();
    let host = machine.host();
    machine.wait_until_no_copy(&host);
    machine.assert_interrupted(&host, &started["runId"]);
    machine.set_script(&[spoken(ANSWER), result(ANSWER)]);
    let again = machine.start_question(&host, json!({ "backendId": backend, "fresh": true }));
    assert_eq!(machine.done(&host, &again)["status"], "finished");
    assert!(host.end());
}

#[test]
fn a_quit_in_the_middle_of_a_program_ends_the_program_and_deletes_its_copy() {
    for by_signal in [true, false] {
        let (machine, host) = Machine::new();
        let backend = machine.install_program(&host, &[spoken(HALF), json!({ "hang": true })]);
        machine.start_question(&host, json!({ "backendId": backend }));
        wait_for_words(&host);
        let seen = fs::read_to_string(machine.folder.path().join("home/.claude/claude.seen.json")).unwrap();
        let program = serde_json::from_str::<Value>(&seen).unwrap()["pid"].as_u64().unwrap();
        assert_eq!(quit(host, by_signal), Some(0));
        assert!(has_ended(program), "the program has ended with the host");
        assert_eq!(machine.copies().len(), 0);
        assert_eq!(machine.count("answers"), 0);
    }
}
