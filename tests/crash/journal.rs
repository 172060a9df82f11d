//! No acknowledged journal entry is lost to a kill, and none is written twice.

use std::collections::BTreeMap;

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::clearing::ALONE;

const KILLS: usize = 100;

/// All entries of a book.
fn entries(host: &Host, project: &str) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    loop {
        let before = all.last().map_or(Value::Null, |entry| entry["id"].clone());
        let page = host.ask("journal:list", json!({ "projectId": project, "limit": 200, "before": before }));
        all.extend(page["entries"].as_array().unwrap().clone());
        if page["hasMore"] == false {
            return all;
        }
    }
}

#[test]
fn a_hundred_kills_lose_no_acknowledged_entry_and_no_decision_without_its_entry() {
    let folder = TempDir::new().unwrap();
    let host = Host::start(folder.path(), &ALONE);
    let project = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
    let mut host = Some(host);
    let (mut stored, mut decided) = (Vec::new(), Vec::new());
    for kill in 0..KILLS {
        let running = host.take().unwrap_or_else(|| Host::start(folder.path(), &ALONE));
        // All requests are in progress before the first answer is read; the kill comes after some of them.
        let requests: Vec<_> = (0..8)
            .map(|n| {
                let content = format!("第{kill}次，第{n}条");
                let is_entry = n % 2 == 0;
                let answer = if is_entry {
                    running.send("journal:store", json!({ "projectId": project, "content": content, "kind": "note" }))
                } else {
                    let draft = json!({ "projectId": project, "chapterId": "chapter", "skillUsed": "continue",
                        "inputContext": "", "candidates": [content], "selectedIndex": 0, "finalText": content });
                    running.send("memory:episode:record", draft)
                };
                (is_entry, content, answer)
            })
            .collect();
        let mut running = Some(running);
        for (number, (is_entry, content, answer)) in requests.into_iter().enumerate() {
            // Answers sent before the kill are still read; the others never arrive.
            if let Ok(answer) = answer.recv() {
                match is_entry {
                    true => stored.push((text(&answer["result"], "entryId"), content)),
                    false => decided.push(text(&answer["result"], "episodeId")),
                }
            }
            if number == kill % 8
                && let Some(running) = running.take()
            {
                running.kill();
            }
        }
    }
    let host = Host::start(folder.path(), &ALONE);
    let all = entries(&host, &project);
    let mut by_ref = BTreeMap::<String, usize>::new();
    for entry in all.iter().filter(|entry| entry["kind"] == "skill") {
        *by_ref.entry(text(entry, "refId")).or_default() += 1;
    }
    let contents: BTreeMap<String, String> =
        all.iter().map(|entry| (text(entry, "id"), text(entry, "content"))).collect();
    assert!(stored.len() >= KILLS && decided.len() >= KILLS / 2, "{}, {}", stored.len(), decided.len());
    for (id, content) in &stored {
        assert_eq!(contents.get(id), Some(content), "acknowledged and lost");
    }
    for episode in &decided {
        assert_eq!(by_ref.get(episode), Some(&1), "the entry of {episode}");
    }
    assert!(by_ref.values().all(|entries| *entries == 1), "{by_ref:?}");
    let check = host.ask("journal:verify", json!({ "projectId": project }));
    assert_eq!((&check["isWhole"], &check["entries"]), (&json!(true), &json!(all.len())));
    assert!(host.end());
}
