//! Questions to the book that a program of this machine answers from a copy of the book, with verified statements.

use std::fs;

use palimpsest_api::agents::Launcher;
use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    answers::of_book,
    asking::{kinds, quotes, statuses},
    asking_stage::{result, spoken},
    backends::{install, machine},
    island::{END, FERRY, LEDGER, analyzed, at},
};

/// A book, and Claude Code as a double.
struct Scene {
    folder: std::sync::Arc<TempDir>,
    writer: Writer,
    project: String,
    backend: Value,
}

impl Scene {
    fn new(steps: &[Value]) -> Self {
        let (folder, writer) = machine(Launcher::none());
        install(folder.path(), "claude");
        let backend = writer.ask("backend:save", json!({ "kind": "claude", "name": "Claude" }));
        let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
        let scene = Self { folder, writer, project, backend };
        scene.set_steps(steps);
        scene
    }

    fn set_steps(&self, steps: &[Value]) {
        let lines: String = steps.iter().map(|step| format!("{step}\n")).collect();
        fs::write(self.folder.path().join("bin/claude.script.jsonl"), lines).unwrap();
    }

    /// The record of the double: its arguments, its environment and its folder.
    fn seen(&self) -> Value {
        let seen = fs::read_to_string(self.folder.path().join("bin/claude.seen.json")).unwrap();
        serde_json::from_str(&seen).unwrap()
    }

    fn ask_program(&self, more: Value) -> (Value, Vec<Value>, Value) {
        let mut args = of_book(&self.project, more);
        args["backendId"] = self.backend["backendId"].clone();
        let started = self.writer.ask("ask:run", args);
        let mut steps = Vec::new();
        loop {
            let (name, payload) = self.writer.next_event();
            match name.as_str() {
                "ask:step" if payload["state"] != "started" => steps.push(payload),
                "ask:done" if payload["runId"] == started["runId"] => return (started, steps, payload),
                _ => {}
            }
        }
    }
}

fn read_tool(id: &str) -> [Value; 2] {
    let used = json!({ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": "001.md" } });
    let used = json!({ "type": "assistant", "message": { "content": [used] } });
    let ended = json!({ "type": "tool_result", "tool_use_id": id, "content": "text", "is_error": false });
    let ended = json!({ "type": "user", "message": { "content": [ended] } });
    [json!({ "out": used.to_string() }), json!({ "out": ended.to_string() })]
}

const ANSWER: &str = "They had met in Harwick. [P1 \"They had met in Harwick on 15 May 1983\"]";

#[test]
fn a_program_reads_a_copy_and_its_quotes_are_verified_in_the_chapters() {
    let [used, ended] = read_tool("t1");
    let scene = Scene::new(&[used, ended, spoken(ANSWER), result(ANSWER), json!({ "exit": 0 })]);
    let (started, steps, done) = scene.ask_program(json!({ "question": "Where had Mara Venn and Tobias met?" }));
    let asked_of = json!({ "kind": "program", "backendId": scene.backend["backendId"], "name": "Claude",
        "leavesMachine": true });
    assert_eq!(started["askedOf"], asked_of);
    assert_eq!((kinds(&steps), text(&steps[0], "subject")), (vec!["program".to_owned()], "Read".to_owned()));
    assert_eq!((&done["status"], statuses(&done)), (&json!("finished"), vec!["verified".to_owned()]));
    assert_eq!(done["answered"]["text"], "They had met in Harwick.");
    let cited = &done["answered"]["citations"][0];
    let units: Vec<u16> = FERRY.encode_utf16().collect();
    let range = cited["from"].as_u64().unwrap() as usize..cited["to"].as_u64().unwrap() as usize;
    assert_eq!(
        (&cited["chapterId"], String::from_utf16(&units[range]).unwrap()),
        (&json!("c1"), quotes(&done)[0].clone())
    );
    assert_eq!(done["answered"]["kept"]["kind"], "canon");
    let usage = scene.writer.ask("ai:usage:get", json!({}));
    assert_eq!(usage["requests"], 1, "{usage}");
}

#[test]
fn a_program_without_a_fence_is_not_started_as_of_a_position_unless_the_writer_allows_it() {
    let scene = Scene::new(&[spoken("[none] The book does not say."), result("[none] The book does not say.")]);
    let question = json!({ "question": "Who is the Grey Heron?", "at": at("c1") });
    let (_, _, done) = scene.ask_program(question.clone());
    assert_eq!((&done["status"], &done["error"]["details"]["reason"]), (&json!("failed"), &json!("notFenced")));
    assert!(!scene.folder.path().join("bin/claude.seen.json").exists(), "nothing was started");
    let mut allowed = question;
    allowed["isUnfencedAllowed"] = json!(true);
    let (_, _, done) = scene.ask_program(allowed);
    assert_eq!((&done["status"], &done["answered"]["notInBook"]), (&json!("finished"), &json!(true)));
    let files = scene.seen()["files"].clone();
    assert_eq!(files.as_object().unwrap().keys().collect::<Vec<_>>(), ["001.md"]);
    assert!(!scene.seen()["files"].to_string().contains("Heron"));
}

#[test]
fn hidden_names_are_in_nothing_that_a_program_is_given_and_come_back_in_its_answer() {
    let answer = "Robert was twelve years old. [P1 \"on 15 May 1983, when Robert was twelve\"]";
    let scene = Scene::new(&[spoken(answer), result(answer)]);
    let names = json!({ "names": [{ "name": "Tobias", "alias": "Robert" }] });
    scene.writer.ask("memory:names:set", of_book(&scene.project, names));
    let question = "How old was Tobias when he met Mara Venn?";
    let (_, _, done) = scene.ask_program(json!({ "question": question, "isUnfencedAllowed": true }));
    assert_eq!(done["answered"]["text"], "Tobias was twelve years old.");
    assert_eq!(quotes(&done), ["on 15 May 1983, when Tobias was twelve"]);
    let seen = scene.seen();
    assert!(seen["stdin"].as_str().unwrap().contains("Robert"));
    assert!(!seen.to_string().contains("Tobias"), "{seen}");
}

#[test]
fn a_program_that_is_missing_or_changes_its_copy_says_so_and_nothing_is_kept() {
    let scene = Scene::new(&[json!({ "write": { "path": "001.md", "text": "mine" } }), spoken(ANSWER), result(ANSWER)]);
    let (_, _, done) = scene.ask_program(json!({ "question": "Where had Mara Venn and Tobias met?" }));
    assert_eq!((&done["status"], &done["error"]["details"]["reason"]), (&json!("failed"), &json!("wroteFiles")));
    assert_eq!((statuses(&done), &done["answered"]["kept"]), (vec!["verified".to_owned()], &Value::Null));
    fs::remove_file(scene.folder.path().join("bin/claude")).unwrap();
    let (_, _, done) = scene.ask_program(json!({ "question": "Where had Mara Venn and Tobias met?" }));
    assert_eq!(done["error"]["details"]["reason"], "programMissing");
}

#[test]
fn an_unknown_program_is_refused_before_anything_is_begun() {
    let scene = Scene::new(&[]);
    let args = of_book(&scene.project, json!({ "question": "Who?", "backendId": "none" }));
    assert_eq!(scene.writer.refused("ask:run", args), ("MEMORY_NOT_FOUND".to_owned(), "backendId".to_owned()));
}
