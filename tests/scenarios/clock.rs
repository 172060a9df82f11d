//! A wrong clock deletes nothing: irreversible steps wait until a new time was seen on two days, or is confirmed.

use std::path::Path;

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::taken;

const EVENING: &str = "2026-03-15T21:00:00Z";

fn host_at(folder: &Path, time: &str) -> Host {
    Host::start(folder, &["--clock", &format!("fixed:{time}")])
}

fn book(host: &Host) -> String {
    text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId")
}

fn record(host: &Host, project: &str, n: usize) {
    host.ask("memory:episode:record", taken(project, "雨夜，手稿。", &format!("灯灭了{n}次。")));
}

fn status(host: &Host) -> Value {
    host.ask("memory:status", json!({}))
}

/// Counts of the episodes with texts and of the compressed ones.
fn episode_counts(host: &Host, project: &str) -> (u64, u64) {
    let status = status(host);
    let of = status["capacities"].as_array().unwrap().iter().find(|one| one["projectId"] == project).unwrap().clone();
    (of["active"]["count"].as_u64().unwrap(), of["compressed"]["count"].as_u64().unwrap())
}

fn backups(host: &Host) -> usize {
    host.ask("memory:backup:list", json!({}))["backups"].as_array().unwrap().len()
}

/// Runs every job, due or not. Returns whether the report says that it waits for the clock.
fn waits(host: &Host) -> bool {
    let report = host.ask("memory:maintenance:run", json!({}));
    report["steps"].as_array().unwrap().iter().any(|step| step["name"] == "waitingForClock")
}

/// Records fifty episodes, with a nightly backup on the last ten days. Returns the identity of the book.
fn record_fifty_episodes(folder: &Path) -> String {
    let host = host_at(folder, EVENING);
    let project = book(&host);
    (0..40).for_each(|n| record(&host, &project, n));
    for n in 40..50 {
        record(&host, &project, n);
        host.ask("test:clock:advance", json!({ "days": 1 }));
        while host.wait_for_event("memory:maintenance:done")["job"] != "backup" {}
    }
    assert!(host.end());
    project
}

#[test]
fn a_clock_that_is_wrong_for_one_start_takes_no_text_and_no_backup() {
    let folder = TempDir::new().unwrap();
    let project = record_fifty_episodes(folder.path());
    let host = host_at(folder.path(), "2026-03-25T21:00:00Z");
    let before = backups(&host);
    assert!(before >= 6, "{before}");
    assert!(host.end());
    for (wrong, reason) in [
        ("2036-03-25T21:00:00Z", "ahead"),
        ("9999-06-01T00:00:00Z", "ahead"),
        ("1970-01-01T00:00:30Z", "behind"),
        ("-009998-01-02T00:00:00Z", "behind"),
    ] {
        let host = host_at(folder.path(), wrong);
        let clock = status(&host)["clock"].clone();
        assert_eq!(clock["reason"], reason, "{wrong}: {clock}");
        assert!(text(&clock, "newest").starts_with("2026-03-25"), "{clock}");
        assert!(waits(&host), "{wrong}");
        host.ask("memory:backup:create", json!({}));
        assert_eq!(episode_counts(&host, &project), (50, 0), "{wrong}");
        assert!(backups(&host) > before, "{wrong}");
        assert!(host.end());
        let host = host_at(folder.path(), "2026-03-25T22:00:00Z");
        assert_eq!(status(&host)["clock"], Value::Null, "the right clock is believed at once after {wrong}");
        assert_eq!(episode_counts(&host, &project), (50, 0), "{wrong}");
        assert!(backups(&host) > before, "{wrong}");
        assert!(host.end());
    }
}

#[test]
fn a_writer_who_returns_after_four_months_works_on_at_once_and_is_asked_nothing_on_the_second_day() {
    let folder = TempDir::new().unwrap();
    let host = host_at(folder.path(), EVENING);
    let project = book(&host);
    record(&host, &project, 1);
    assert!(host.end());
    let host = host_at(folder.path(), "2026-07-20T10:00:00Z");
    let clock = status(&host)["clock"].clone();
    assert_eq!(clock["reason"], "ahead");
    assert!(waits(&host));
    assert_eq!(episode_counts(&host, &project), (1, 0));
    // Recording, recall and prompts continue, with the dates of the clock as it is.
    record(&host, &project, 2);
    let found = host.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿" }));
    let newest =
        found["episodes"].as_array().unwrap().iter().filter_map(|one| one["episode"]["createdAt"].as_str()).max();
    assert!(newest.unwrap().starts_with("2026-07-20"), "{found}");
    assert_eq!(status(&host)["degraded"], false, "nothing that serves is missing");
    assert!(host.end());
    let host = host_at(folder.path(), "2026-07-21T09:00:00Z");
    assert_eq!(status(&host)["clock"], Value::Null);
    assert!(!waits(&host));
    assert_eq!(episode_counts(&host, &project), (1, 1), "what had faded is compressed now");
}

#[test]
fn work_that_waits_for_the_clock_runs_as_soon_as_the_writer_confirms_it() {
    let folder = TempDir::new().unwrap();
    let host = host_at(folder.path(), EVENING);
    let project = book(&host);
    record(&host, &project, 1);
    host.ask("test:clock:advance", json!({ "days": 200 }));
    assert!(waits(&host));
    assert_eq!(episode_counts(&host, &project), (1, 0));
    assert_eq!(host.ask("memory:clock:confirm", json!({}))["clock"], Value::Null);
    assert!(!waits(&host));
    assert_eq!(episode_counts(&host, &project), (0, 1));
    assert!(host.end());
    // The confirmation survives a restart.
    let host = host_at(folder.path(), "2026-10-01T22:00:00Z");
    assert_eq!(status(&host)["clock"], Value::Null);
}

#[test]
fn episodes_recorded_under_a_clock_of_1970_are_not_old_when_the_clock_is_right_again() {
    let folder = TempDir::new().unwrap();
    let host = host_at(folder.path(), EVENING);
    let project = book(&host);
    record(&host, &project, 1);
    assert!(host.end());
    for n in 2..5 {
        let host = host_at(folder.path(), "1970-01-01T00:00:30Z");
        record(&host, &project, n);
        host.ask("test:clock:advance", json!({ "hours": 2 }));
        record(&host, &project, n + 10);
        assert!(host.end());
    }
    let host = host_at(folder.path(), "2026-03-17T21:00:00Z");
    assert_eq!(status(&host)["clock"], Value::Null);
    assert!(!waits(&host));
    assert_eq!(episode_counts(&host, &project), (7, 0));
    let found = host.ask("memory:episode:query", json!({ "projectId": project, "queryText": "手稿", "limit": 10 }));
    for one in found["episodes"].as_array().unwrap() {
        assert!(text(&one["episode"], "createdAt").starts_with("2026-03-1"), "{one}");
    }
}

#[test]
fn a_wrong_clock_takes_no_earlier_draft_of_a_chapter() {
    let folder = TempDir::new().unwrap();
    let (data, book) = (folder.path().join("data"), folder.path().join("book"));
    std::fs::create_dir(&book).unwrap();
    std::fs::write(book.join("01.md"), "# 渡船\n\n第0稿。\n").unwrap();
    // Replaces the chapter's text and stores the previous text as a snapshot. Returns the new number of snapshots.
    let insert = |host: &Host, n: usize| {
        let open = host.ask("project:open", json!({ "path": book }))["book"].clone();
        let of = |more: Value| {
            let mut args =
                json!({ "projectId": open["project"]["projectId"], "chapterId": open["chapters"][0]["chapterId"] });
            args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            args
        };
        let chapter = host.ask("chapter:read", of(json!({})));
        let before = json!([{ "text": chapter["text"], "reason": "beforeInsertion" }]);
        let text = format!("# 渡船\n\n第{n}稿。\n");
        let write = json!({ "text": text, "baseHash": chapter["contentHash"], "origins": [], "before": before });
        assert_eq!(host.ask("chapter:write", of(write))["snapshotsSaved"], true);
        record(host, open["project"]["projectId"].as_str().unwrap(), n);
        host.ask("chapter:snapshot:list", of(json!({})))["snapshots"].as_array().unwrap().len()
    };
    for day in 1..=9 {
        let host = host_at(&data, &format!("2026-03-{day:02}T21:00:00Z"));
        assert_eq!(insert(&host, day), day);
        assert!(host.end());
    }
    for (n, wrong) in [(10, "2036-03-25T21:00:00Z"), (11, "1970-01-01T00:00:30Z"), (12, "2036-03-25T22:00:00Z")] {
        let host = host_at(&data, wrong);
        assert_eq!(insert(&host, n), n, "{wrong}");
        assert!(host.end());
    }
}

#[test]
fn a_memory_with_nothing_in_it_believes_every_clock() {
    let folder = TempDir::new().unwrap();
    for time in [EVENING, "2036-03-15T21:00:00Z", "1970-01-01T00:00:30Z", EVENING] {
        let host = host_at(folder.path(), time);
        assert_eq!(status(&host)["clock"], Value::Null, "{time}");
        assert!(!waits(&host), "{time}");
        assert!(host.end());
    }
}

#[test]
fn a_backup_that_was_made_under_a_clock_years_ahead_brings_back_nothing_that_was_deleted_since() {
    let folder = TempDir::new().unwrap();
    let host = host_at(folder.path(), EVENING);
    let project = book(&host);
    let rule = json!({ "rule": "对白避免感叹号", "category": "style", "scope": "project", "projectId": project });
    let rule = host.ask("memory:semantic:add", rule);
    assert!(host.end());
    let host = host_at(folder.path(), "2036-03-15T21:00:00Z");
    let made = host.ask("memory:backup:create", json!({}))["backups"].as_array().unwrap().clone();
    let of_rules = made.iter().find(|one| one["file"] == "rules").unwrap()["backupId"].clone();
    assert!(host.end());
    let host = host_at(folder.path(), "2026-03-16T21:00:00Z");
    host.ask("memory:semantic:delete", json!({ "ruleId": rule["id"] }));
    host.ask("memory:backup:restore", json!({ "backupId": of_rules }));
    let rules = host.ask("memory:semantic:list", json!({ "projectId": project }));
    assert_eq!(rules["rules"], json!([]));
}
