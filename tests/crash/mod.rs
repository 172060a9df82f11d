//! An acknowledged write is on disk, whatever happens to the process next.

mod analysis;
mod answers;
mod audit;
mod chapters;
mod clearing;
mod drafts;
mod erasing;
mod imports;
mod journal;

use std::{collections::HashSet, path::Path, sync::mpsc::Receiver};

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};
use tempfile::TempDir;

fn draft(project: &str, n: usize) -> Value {
    let written = format!("第{n}页被水泡过，字还在。");
    json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue", "inputContext": "雨夜的手稿。",
        "candidates": [written], "selectedIndex": 0, "finalText": written, "explicit": format!("n{n}") })
}

/// The remarks of all episodes on disk.
fn on_disk(data: &Path) -> HashSet<String> {
    let db = rusqlite::Connection::open(data.join("episodes.db")).unwrap();
    let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let mut statement = db.prepare("SELECT explicit FROM episodes").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn kill_9_in_the_middle_of_a_thousand_records_loses_none_that_was_acknowledged() {
    for killed_after in [1, 250, 600] {
        let folder = TempDir::new().unwrap();
        let host = Host::start(folder.path(), &[]);
        let project = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
        // All thousand requests are in progress before the first answer is read.
        let answers: Vec<Receiver<Value>> =
            (0..1_000).map(|n| host.send("memory:episode:record", draft(&project, n))).collect();
        let mut acknowledged = HashSet::new();
        let mut host = Some(host);
        for (n, answer) in answers.into_iter().enumerate() {
            // Answers sent before the kill are still read; the others never arrive.
            if let Ok(answer) = answer.recv() {
                assert!(answer["result"]["episodeId"].is_string(), "{answer}");
                acknowledged.insert(format!("n{n}"));
            }
            if acknowledged.len() == killed_after
                && let Some(host) = host.take()
            {
                host.kill();
            }
        }
        assert!(host.is_none() && acknowledged.len() >= killed_after);

        let kept = on_disk(folder.path());
        let lost: Vec<&String> = acknowledged.difference(&kept).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");

        // The memory opens, indexes the remaining episodes, and finds them.
        let host = Host::start(folder.path(), &[]);
        let found = host.ask(
            "memory:episode:query",
            json!({ "projectId": project, "queryText": "雨夜的手稿", "purpose": "search", "limit": 5 }),
        );
        assert_eq!(found["episodes"].as_array().unwrap().len(), 5);
        assert!(host.end());
    }
}
