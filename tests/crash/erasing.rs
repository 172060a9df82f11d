//! An erasure that is killed at any of its steps is finished when the memory is opened again, and leaves no word.

use std::{fs, path::Path};

use palimpsest_tests::{Host, copy_folder, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::clearing::ALONE;

/// In the erased memories and nowhere else; and the fragments of it in the index of words.
const MARKED: &str = "缥缈螭吻 zyxquorn";
const MARKS: [&str; 4] = [MARKED, "缥缈", "螭", "yxquorn"];

struct Filled {
    folder: TempDir,
    project: String,
    episode: String,
    rule: String,
    entry: String,
}

/// Creates a book with an episode and a rule in traces and backups, a journal entry, a hidden name, and a damaged file.
fn fill() -> Filled {
    let folder = TempDir::new().unwrap();
    let host = Host::start(folder.path(), &ALONE);
    host.ask("memory:learning:pause", json!({}));
    let project = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
    let record = |said: &str| {
        let written = format!("定稿，{said}。");
        let draft = json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue",
            "inputContext": format!("上文，{said}。"), "candidates": [written], "selectedIndex": 0, "finalText": written,
            "explicit": format!("评语，{said}") });
        text(&host.ask("memory:episode:record", draft), "episodeId")
    };
    record("灯亮着");
    let episode = record(MARKED);
    let rule =
        json!({ "rule": format!("规则，{MARKED}"), "category": "style", "scope": "project", "projectId": project });
    let rule = text(&host.ask("memory:semantic:add", rule), "id");
    let entry = json!({ "projectId": project, "content": format!("流水，{MARKED}"), "kind": "note" });
    let entry = text(&host.ask("journal:store", entry), "entryId");
    let run = json!({ "projectId": project, "chapterId": "chapter", "skill": "continue", "before": "上文，定稿。" });
    for _ in 0..2 {
        host.ask("ai:skill:run", run.clone());
        host.wait_for_event("ai:skill:done");
    }
    let names = json!([{ "name": format!("{MARKED}君"), "alias": "林先生" }]);
    host.ask("memory:names:set", json!({ "projectId": project, "names": names }));
    host.ask("memory:backup:create", json!({}));
    while host.ask("memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
        std::thread::yield_now();
    }
    assert!(host.end());
    fs::write(folder.path().join("episodes.db.corrupt-1"), MARKED).unwrap();
    Filled { folder, project, episode, rule, entry }
}

fn files_containing_a_mark(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_containing_a_mark(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            found.extend(
                MARKS.iter().filter(|mark| text.contains(**mark)).map(|mark| format!("{mark} in {}", path.display())),
            );
        }
    }
    found
}

/// The erasures of the log once all of them are finished.
fn finished(host: &Host) -> Vec<Value> {
    loop {
        let log = host.ask("memory:clear:log", json!({}))["erasures"].take();
        let log = log.as_array().unwrap().clone();
        if log.iter().all(|one| one["finishedAt"].is_string()) {
            return log;
        }
        // An event reports the end. Continuous polling would keep the log from being checkpointed.
        host.wait_for_event("memory:changed");
    }
}

/// Whether `command` halts after this many steps; otherwise it has ended.
fn halts_after(host: &Host, steps: usize, command: &str, args: Value) -> bool {
    host.ask("test:clear:halt", json!({ "after": steps }));
    let answer = host.send(command, args);
    let is_in_background = command == "memory:names:set";
    loop {
        match host.next_event() {
            (name, _) if name == "test:clear:halted" => return true,
            // Every erasure reports at its end that backups have changed.
            (name, change) if name == "memory:changed" && change["what"].to_string().contains("backups") => {
                if !is_in_background {
                    assert!(answer.recv().unwrap()["error"].is_null());
                }
                return false;
            }
            // In the background, the end of a clearing is reported by this event.
            (name, change)
                if is_in_background && name == "memory:changed" && change["what"].to_string().contains("working") =>
            {
                return false;
            }
            _ => {}
        }
    }
}

/// Kills the host after each step of `command`, which is one of the two deletions, the redaction, or the change of the
/// hidden names.
fn killed_at_each_step(command: &str, args: impl Fn(&Filled) -> Value, at_least: usize) {
    let filled = fill();
    // The other commands run first, to their end; their texts are not searched for.
    let host = Host::start(filled.folder.path(), &ALONE);
    let (project, episode, rule, entry) = (&filled.project, &filled.episode, &filled.rule, &filled.entry);
    for (name, more) in [
        ("memory:episode:delete", json!({ "projectId": project, "episodeId": episode, "everywhere": true })),
        ("memory:semantic:delete", json!({ "ruleId": rule, "everywhere": true })),
        ("journal:redact", json!({ "projectId": project, "entryId": entry, "confirmed": true })),
        ("memory:names:set", json!({ "projectId": project, "names": [] })),
    ] {
        if name != command {
            host.ask(name, more);
        }
    }
    finished(&host);
    assert!(host.end());
    fs::write(
        filled.folder.path().join("episodes.db.corrupt-1"),
        if command == "memory:names:set" { "" } else { MARKED },
    )
    .unwrap();
    let before = files_containing_a_mark(filled.folder.path()).join("\n");
    assert!(before.contains("backups") && before.contains(".db"), "the search finds what is there: {before}");

    let mut steps = 0;
    loop {
        let folder = TempDir::new().unwrap();
        copy_folder(filled.folder.path(), folder.path());
        let host = Host::start(folder.path(), &ALONE);
        let halted = halts_after(&host, steps + 1, command, args(&filled));
        if !halted {
            finished(&host);
            assert_eq!(files_containing_a_mark(folder.path()), [""; 0]);
            assert!(host.end());
            break;
        }
        steps += 1;
        // Recording continues concurrently.
        let draft = json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "inputContext": "别的",
            "candidates": ["灯亮着。"], "selectedIndex": 0, "finalText": "灯亮着。" });
        assert!(host.answer("memory:episode:record", draft)["error"].is_null(), "after step {steps}");
        host.kill();

        let host = Host::start(folder.path(), &ALONE);
        let log = finished(&host);
        assert_eq!(log.len(), 4, "{log:?}");
        assert_eq!(files_containing_a_mark(folder.path()), [""; 0], "after step {steps}");
        let found =
            host.ask("memory:episode:query", json!({ "projectId": project, "queryText": "灯亮着", "limit": 50 }));
        assert_eq!(found["episodes"].as_array().unwrap().len(), 2, "the others are there");
        for file in ["rules.db", "episodes.db"] {
            let db = rusqlite::Connection::open(folder.path().join(file)).unwrap();
            let whole: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(whole, "ok", "{file}");
        }
        assert!(host.end());
    }
    assert!(steps >= at_least, "{steps}");
}

#[test]
fn an_episode_s_erasure_killed_at_any_step_is_finished_on_the_next_open() {
    let args =
        |filled: &Filled| json!({ "projectId": filled.project, "episodeId": filled.episode, "everywhere": true });
    killed_at_each_step("memory:episode:delete", args, 7);
}

#[test]
fn a_rule_s_erasure_killed_at_any_step_is_finished_on_the_next_open() {
    let args = |filled: &Filled| json!({ "ruleId": filled.rule, "everywhere": true });
    killed_at_each_step("memory:semantic:delete", args, 6);
}

#[test]
fn a_redaction_killed_at_any_step_is_finished_on_the_next_open() {
    let args = |filled: &Filled| json!({ "projectId": filled.project, "entryId": filled.entry, "confirmed": true });
    killed_at_each_step("journal:redact", args, 5);
}

#[test]
fn a_name_taken_off_the_map_is_followed_into_backups_after_a_kill_at_any_step() {
    let args = |filled: &Filled| json!({ "projectId": filled.project, "names": [] });
    killed_at_each_step("memory:names:set", args, 2);
}
