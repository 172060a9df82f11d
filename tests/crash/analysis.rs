//! The process is killed while a book is analyzed.

use std::fs;

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Every paragraph is a passage of its own.
fn page(chapter: usize) -> String {
    let paragraphs = (0..100).map(|n| format!("第{chapter}章第{n}页。{}", "没有人在岸上等他。".repeat(24)));
    format!("# 第{chapter}章\n\n{}\n", paragraphs.collect::<Vec<_>>().join("\n\n"))
}

/// The ids of the passages that a search finds, and the status of the analysis.
fn state(host: &Host, project: &str) -> (Value, Vec<String>) {
    let status = host.ask("story:analyze", json!({ "projectId": project }));
    let is_indexed = || {
        let parts = host.ask("memory:status", json!({}))["parts"].as_array().unwrap().clone();
        parts.iter().all(|part| part["part"] != "words" || part["state"] == "ok")
    };
    while !is_indexed() {
        std::thread::yield_now();
    }
    let args = json!({ "projectId": project, "queryText": "第2章第7页", "limit": 50 });
    let found = host.ask("story:find", args)["passages"].as_array().unwrap().clone();
    (status, found.iter().map(|one| text(&one["passage"], "passageId")).collect())
}

#[test]
fn kill_9_while_a_book_is_analyzed_leaves_the_same_passages_after_the_next_analysis() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("book");
    fs::create_dir(&folder).unwrap();
    for chapter in 1..=3 {
        fs::write(folder.join(format!("0{chapter}.md")), page(chapter)).unwrap();
    }
    let open = |data: &str| {
        // Without an encoder: vectors take longer than the test.
        let nowhere = home.path().join("nowhere");
        let host = Host::start(&home.path().join(data), &["--embedder", nowhere.to_str().unwrap()]);
        let opened = host.ask("project:open", json!({ "path": folder }));
        let project = text(&opened["book"]["project"], "projectId");
        (host, project)
    };
    let (host, project) = open("undisturbed");
    let expected = state(&host, &project);
    assert_eq!((&expected.0["chapters"], &expected.0["analyzed"]), (&json!(3), &json!(3)));
    assert!(expected.0["passages"].as_u64().unwrap() > 280, "{}", expected.0);
    assert!(host.end());
    // Number of passages that are stored when the process is killed.
    let mut was_interrupted = false;
    for stored in [0, 40, 140, 240] {
        let data = format!("killed-at-{stored}");
        let (host, project) = open(&data);
        let mut reached = 0;
        for _ in 0..10_000 {
            reached = host.ask("story:status", json!({ "projectId": project }))["passages"].as_u64().unwrap();
            if reached >= stored {
                break;
            }
        }
        host.kill();
        was_interrupted |= 0 < reached && reached < expected.0["passages"].as_u64().unwrap();
        let (host, project) = open(&data);
        assert_eq!(state(&host, &project), expected, "killed at {stored} passages");
        assert!(host.end());
    }
    assert!(was_interrupted, "no process was killed during an analysis");
}
