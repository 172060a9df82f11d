//! The main path through the headless host, as another editor uses it: write → take → recall → why.

use palimpsest_tests::{Host, text};
use serde_json::json;
use tempfile::TempDir;

#[test]
fn write_take_recall_why_through_the_headless_host() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let clock = ["--clock", "fixed:2026-03-15T21:00:00Z"];
    let host = Host::start(&data, &clock);

    // 1. A chapter of the sample book, with text added.
    let book = host.ask("project:sample", json!({ "language": "zh" }));
    let project = text(&book["project"], "projectId");
    assert_eq!(book["chapters"].as_array().unwrap().len(), 3);
    let chapter = text(&book["chapters"][0], "chapterId");
    let read = host.ask("chapter:read", json!({ "projectId": project, "chapterId": chapter }));
    let written = text(&read, "text") + "\n\n雨夜里，手稿摊在验潮所的桌上。";
    let saved = host.ask(
        "chapter:write",
        json!({ "projectId": project, "chapterId": chapter, "text": written, "baseHash": read["contentHash"],
            "origins": [] }),
    );

    // 2., 3. The context is assembled, and three candidates stream in.
    let run = json!({ "projectId": project, "chapterId": chapter, "skill": "continue", "before": written, "seed": 7 });
    let started = host.ask("ai:skill:run", run.clone());
    assert_eq!(started["provider"]["sample"], true);
    let generation = text(&started, "generationId");
    let mut streamed = vec![String::new(); 3];
    let done = loop {
        let (name, event) = host.next_event();
        if event["generationId"] != json!(generation) {
            continue;
        }
        match name.as_str() {
            "ai:skill:chunk" => {
                let place = usize::try_from(event["candidate"].as_u64().unwrap()).unwrap();
                streamed[place].push_str(event["text"].as_str().unwrap());
            }
            "ai:skill:done" => break event,
            _ => {}
        }
    };
    assert_eq!((done["status"].as_str(), &done["candidates"]), (Some("finished"), &json!(streamed)));
    assert!(streamed.iter().all(|text| !text.trim().is_empty()));
    assert_ne!(streamed[0], streamed[1]);

    // 4. One candidate is taken and edited a little, and the engine computes the signal. The passage keeps its origin.
    let mut accepted: String = streamed[1].chars().collect();
    accepted.push_str("她没有说话。");
    let from = u32::try_from(written.encode_utf16().count()).unwrap();
    let to = from + u32::try_from(accepted.encode_utf16().count()).unwrap();
    let whole = format!("{written}{accepted}");
    host.ask(
        "chapter:write",
        json!({ "projectId": project, "chapterId": chapter, "text": whole, "baseHash": saved["contentHash"],
            "origins": [{ "generationId": generation, "from": from, "to": to }] }),
    );
    let recorded = host.ask(
        "memory:episode:record",
        json!({ "projectId": project, "chapterId": chapter, "skillUsed": "continue",
            "sceneType": started["sceneType"], "inputContext": "雨夜里，手稿摊在验潮所的桌上。",
            "candidates": streamed, "selectedIndex": 1, "finalText": accepted, "generationId": generation }),
    );
    let episode = text(&recorded, "episodeId");

    // 5. The next run recalls the episode by a two-character word.
    let found = host.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿还在那里" }));
    assert_eq!(found["episodes"][0]["episode"]["id"], json!(episode));
    assert_eq!(found["episodes"][0]["matchedBy"][0], "words");
    let distance = found["episodes"][0]["episode"]["editDistance"].as_f64().unwrap();
    assert!(distance > 0.0 && distance < 0.6, "{distance}");

    let item = json!({ "projectId": project, "kind": "intent", "text": "写到船靠岸" });
    host.ask("memory:working:put", item);

    // 6. A rule added by hand is in the next prompt at once, and the sample model follows it.
    let rule = host.ask(
        "memory:semantic:add",
        json!({ "rule": "不用感叹号", "category": "style", "scope": "project", "projectId": project }),
    );
    assert_eq!((rule["confidence"].as_f64(), &rule["userConfirmed"]), (Some(1.0), &json!(true)));
    let second = host.ask(
        "ai:skill:run",
        json!({ "projectId": project, "chapterId": chapter, "skill": "continue",
        "before": format!("{whole}\n\n手稿被雨打湿了。"), "seed": 8 }),
    );
    let done = host.wait_for_event("ai:skill:done");
    assert!(!done["candidates"].to_string().contains('！'));

    // 7. The trace shows the rule, the episode, the working memory and the prompt as sent, also after a restart.
    assert!(host.end());
    let host = Host::start(&data, &clock);
    let why = host.ask("memory:trace:get", json!({ "projectId": project, "generationId": second["generationId"] }));
    let kinds: Vec<&str> =
        why["memoryReferences"].as_array().unwrap().iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"rule") && kinds.contains(&"episode") && kinds.contains(&"working"), "{kinds:?}");
    let sent = why["messages"][1]["content"].as_str().unwrap();
    assert!(sent.contains("- 不用感叹号（置信度: 1.00，用户已确认）") && sent.contains("[任务] 续写"));
    let first = host.ask("memory:trace:get", json!({ "projectId": project, "generationId": generation }));
    assert_eq!((&first["episodeId"], &first["outcome"]["selectedIndex"]), (&json!(episode), &json!(1)));
    let read = host.ask("chapter:read", json!({ "projectId": project, "chapterId": chapter }));
    assert_eq!(read["text"], json!(whole));
    assert_eq!((&read["origins"][0]["from"], &read["origins"][0]["to"]), (&json!(from), &json!(to)));
    assert_eq!(read["origins"][0]["generationId"], json!(generation));
    assert!(host.end());
}

#[test]
fn the_same_seed_writes_the_same_candidates_in_the_same_places() {
    let writer = palimpsest_tests::Writer::new();
    let project = writer.book("夜航", "zh");
    let run = crate::with_field(crate::passage(&project, "船靠了岸。"), "seed", json!(11));
    let (_, first) = writer.run(run.clone());
    let (_, second) = writer.run(run);
    assert_eq!(first["candidates"], second["candidates"]);
}

#[test]
fn a_second_process_on_the_same_data_folder_is_refused_with_a_reason() {
    let folder = TempDir::new().unwrap();
    let first = Host::start(folder.path(), &[]);
    first.ask("memory:status", json!({}));
    let second = std::process::Command::new(palimpsest_tests::host_binary())
        .arg("--data-dir")
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another Palimpsest"));
    assert!(first.end());
}
