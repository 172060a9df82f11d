//! A clearing that is killed at any of its steps is finished when the memory is opened again, and leaves nothing.

use std::{fs, path::Path};

use palimpsest_tests::{Host, copy_folder, text};
use serde_json::{Value, json};
use tempfile::TempDir;

/// In every text of the cleared book: characters and a word that occur nowhere else.
const MARKED: &str = "缥缈螭吻 zyxquorn";
/// The strings searched for: the text itself, and the rarest fragments of its terms, because an index stores of a term
/// only the suffix in which it differs from the one before.
const TRACES: [&str; 4] = [MARKED, "缥缈", "螭", "yxquorn"];
/// More episodes than one step deletes.
const EPISODES: usize = 210;
const KEPT: usize = 12;

/// Without an encoder: other tests cover vectors, which take time.
pub(crate) const ALONE: [&str; 4] = ["--clock", "fixed:2026-03-15T21:00:00Z", "--embedder", "nowhere"];

fn draft(project: &str, n: usize, said: &str) -> Value {
    let written = format!("第{n}页，{said}，字还在。");
    json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "sceneType": "narration",
        "inputContext": format!("雨夜的手稿，{said}。"), "candidates": [written, format!("另一种写法，{said}。")],
        "selectedIndex": 0, "finalText": written, "explicit": format!("更短些，{said}") })
}

fn rule(project: Option<&str>, rule: &str) -> Value {
    let scope = if project.is_some() { "project" } else { "global" };
    json!({ "rule": rule, "category": "style", "scope": scope, "projectId": project })
}

/// Creates a memory of two books, one with the mark in its texts, with episodes, rules, one trace per book, backups and
/// a damaged file. Returns the book to be cleared and the book that remains.
fn fill(data: &Path) -> (String, String) {
    let host = Host::start(data, &ALONE);
    // This many episodes would start a concurrent run, whose rules would make the counts vary.
    host.ask("memory:learning:pause", json!({}));
    let create =
        |title: &str| text(&host.ask("project:create", json!({ "title": title, "language": "zh" })), "projectId");
    let (cleared, kept) = (create("实验小说"), create("夜航"));
    let drafts = (0..EPISODES).map(|n| draft(&cleared, n, MARKED)).chain((0..KEPT).map(|n| draft(&kept, n, "灯亮着")));
    let answers: Vec<_> = drafts.map(|draft| host.send("memory:episode:record", draft)).collect();
    for answer in answers {
        assert!(answer.recv().unwrap()["result"]["episodeId"].is_string());
    }
    host.ask("memory:semantic:add", rule(Some(&cleared), MARKED));
    let changed = host.ask("memory:semantic:add", rule(Some(&cleared), &format!("不再有的：{MARKED}")));
    host.ask("memory:semantic:delete", json!({ "ruleId": changed["id"] }));
    host.ask("memory:semantic:add", rule(Some(&kept), "对白短"));
    host.ask("memory:semantic:add", rule(None, "不用感叹号"));
    for project in [&cleared, &kept] {
        let passage = if project == &cleared { MARKED } else { "灯亮着" };
        host.ask(
            "ai:skill:run",
            json!({ "projectId": project, "chapterId": "chapter", "skill": "continue", "before": passage }),
        );
        host.wait_for_event("ai:skill:done");
    }
    host.ask("memory:backup:create", json!({}));
    while host.ask("memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
        std::thread::yield_now();
    }
    assert!(host.end());
    fs::write(data.join("episodes.db.corrupt-1"), MARKED).unwrap();
    (cleared, kept)
}

/// The files of a folder that contain one of the traces, each with the trace.
fn files_containing_a_mark(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_containing_a_mark(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let traces = TRACES.iter().filter(|trace| text.contains(**trace));
            found.extend(traces.map(|trace| format!("{} in {}", trace, path.display())));
        }
    }
    found
}

fn ask_for(host: &Host, project: &str, what: &str) -> Value {
    host.ask("memory:episode:query", json!({ "projectId": project, "queryText": what, "limit": 50 }))
}

/// Whether an answer is degraded because its book is being cleared.
fn is_closed(answer: &Value) -> bool {
    answer["degradedReason"].to_string().contains("cleared")
}

/// Whether a change is the end of the clearing of this book.
fn is_cleared(change: &Value, project: &str) -> bool {
    change["projectId"] == project && change["what"].to_string().contains("working")
}

/// Asserts the final state of the memory, which is the same after every interruption.
fn check_cleared(host: &Host, data: &Path, cleared: &str, kept: &str, more: usize) {
    while is_closed(&ask_for(host, cleared, MARKED)) {
        std::thread::yield_now();
    }
    let log = host.ask("memory:clear:log", json!({}))["clearings"].take();
    assert!(log[0]["finishedAt"].is_string(), "{log}");
    assert_eq!(log.as_array().unwrap().len(), 1);
    let counts = &log[0]["counts"];
    assert_eq!((&counts["episodes"], &counts["words"]), (&json!(EPISODES), &json!(EPISODES)), "{counts}");
    // The two rules, and the last version of the deleted one.
    assert_eq!((&counts["rules"], &counts["ruleVersions"], &counts["traces"]), (&json!(1), &json!(3), &json!(1)));
    assert_eq!(log[0]["projectId"], cleared);
    assert!(!text(&log[0], "requestedBy").is_empty());

    assert_eq!(ask_for(host, cleared, MARKED)["episodes"], json!([]));
    let stays = ask_for(host, kept, "灯亮着");
    assert_eq!(stays["episodes"].as_array().unwrap().len(), KEPT + more);
    let rules = |project: &str| host.ask("memory:semantic:list", json!({ "projectId": project }))["rules"].to_string();
    assert!(rules(kept).contains("对白短") && rules(kept).contains("不用感叹号"));
    assert!(!rules(cleared).contains("zyxquorn") && rules(cleared).contains("不用感叹号"));

    assert_eq!(files_containing_a_mark(data), [""; 0]);
    for file in ["rules.db", "episodes.db"] {
        let db = rusqlite::Connection::open(data.join(file)).unwrap();
        let whole: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(whole, "ok", "{file}");
    }
    for backup in fs::read_dir(data.join("backups")).into_iter().flatten() {
        let db = rusqlite::Connection::open(backup.unwrap().path()).unwrap();
        let whole: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(whole, "ok");
    }
}

#[test]
fn clearing_killed_at_any_step_is_finished_on_the_next_open_and_no_file_holds_a_word_of_it() {
    let filled = TempDir::new().unwrap();
    let (cleared, kept) = fill(filled.path());
    let before = files_containing_a_mark(filled.path()).join("\n");
    for file in ["rules.db", "episodes.db", "backups", "corrupt"] {
        assert!(before.contains(file), "the search finds what is there: {before}");
    }

    let mut steps = 0;
    loop {
        let folder = TempDir::new().unwrap();
        copy_folder(filled.path(), folder.path());
        let host = Host::start(folder.path(), &ALONE);
        host.ask("test:clear:halt", json!({ "after": steps + 1 }));
        let answer = host.send("memory:clear:project", json!({ "projectId": cleared, "confirmed": true }));
        // An event reports either the halt or the end. Learning, which runs concurrently, only reports changed rules.
        let halted = loop {
            match host.next_event() {
                (name, _) if name == "test:clear:halted" => break true,
                (name, change) if name == "memory:changed" && is_cleared(&change, &cleared) => break false,
                _ => {}
            }
        };
        if !halted {
            assert!(answer.recv().unwrap()["error"].is_null());
            check_cleared(&host, folder.path(), &cleared, &kept, 0);
            assert!(host.end());
            break;
        }
        steps += 1;

        // The book answers nothing until the log records the end of the clearing, and the others are served.
        let log = host.ask("memory:clear:log", json!({}));
        let done = log["clearings"][0]["finishedAt"].is_string();
        let asked = ask_for(&host, &cleared, MARKED);
        assert_eq!((&asked["episodes"], is_closed(&asked)), (&json!([]), !done), "after step {steps}");
        if !done {
            let refused = host.answer("memory:episode:record", draft(&cleared, 0, "别的"));
            assert_eq!(refused["error"]["data"]["code"], "MEMORY_STORE_UNAVAILABLE", "after step {steps}");
            let list = host.answer("memory:semantic:list", json!({ "projectId": cleared }));
            assert_eq!(list["error"]["data"]["details"]["reason"], "clearing", "after step {steps}");
        }
        host.ask("memory:episode:record", draft(&kept, 99, "灯亮着"));
        host.kill();

        let host = Host::start(folder.path(), &ALONE);
        check_cleared(&host, folder.path(), &cleared, &kept, 1);
        assert!(host.end());
    }
    // The intent, the rows in several transactions, the index, both files, the backups, the log.
    assert!(steps >= 10, "{steps}");
}

#[test]
fn everything_cleared_is_a_new_user_to_the_memory_and_no_file_holds_a_word() {
    let folder = TempDir::new().unwrap();
    let (cleared, kept) = fill(folder.path());
    let host = Host::start(folder.path(), &ALONE);
    let unconfirmed = host.answer("memory:clear:all", json!({ "confirmed": false }));
    assert_eq!(unconfirmed["error"]["data"]["code"], "MEMORY_CLEAR_CONFIRM_REQUIRED");
    assert_eq!(ask_for(&host, &kept, "灯亮着")["episodes"].as_array().unwrap().len(), KEPT);
    let counts = host.ask("memory:clear:all", json!({ "confirmed": true }));
    assert_eq!(counts["episodes"], EPISODES + KEPT);
    assert!(counts["rules"].as_u64().unwrap() >= 3, "three by hand, and what was learned meanwhile: {counts}");
    for project in [&cleared, &kept] {
        // The editor has to register the book again.
        let query = json!({ "projectId": project, "queryText": "灯亮着" });
        assert_eq!(host.answer("memory:episode:query", query)["error"]["data"]["code"], "MEMORY_NOT_FOUND");
        host.ask("project:create", json!({ "title": "又一次", "language": "zh", "projectId": project }));
        assert_eq!(ask_for(&host, project, "灯亮着")["episodes"], json!([]));
        let list = host.ask("memory:semantic:list", json!({ "projectId": project }));
        assert_eq!((&list["rules"], &list["episodesRecorded"]), (&json!([]), &json!(0)));
    }
    assert_eq!(files_containing_a_mark(folder.path()), [""; 0]);
    let log = host.ask("memory:clear:log", json!({}));
    assert_eq!((&log["clearings"][0]["projectId"], &log["clearings"][0]["counts"]), (&Value::Null, &counts));
    // The memory accepts new episodes.
    host.ask("memory:episode:record", draft(&kept, 1, "灯亮着"));
    assert_eq!(ask_for(&host, &kept, "灯亮着")["episodes"].as_array().unwrap().len(), 1);
    assert!(host.end());
}
