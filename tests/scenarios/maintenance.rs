//! Scheduled jobs that run while the writer is away, and the report of their failures.

use std::fs;

use palimpsest_tests::{Host, Writer, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::taken;

const DAY: i64 = 86_400_000;

fn count(report: &Value, step: &str) -> u64 {
    let steps = report["steps"].as_array().unwrap();
    let step = steps.iter().find(|one| one["name"] == step).unwrap_or_else(|| panic!("no {step} in {report}"));
    step["count"].as_u64().unwrap()
}

fn run_job(writer: &Writer, job: &str) -> Value {
    writer.ask("memory:maintenance:run", json!({ "job": job }))
}

fn last_run(writer: &Writer, job: &str) -> Value {
    let status = writer.ask("memory:status", json!({}));
    let runs = status["maintenance"].as_array().unwrap().iter();
    runs.clone().find(|one| one["job"] == job).unwrap_or_else(|| panic!("{status}")).clone()
}

#[test]
fn after_sixty_days_the_daily_pass_counts_an_episode_as_faded_and_the_weekly_one_compresses_it() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    let report = run_job(&writer, "daily");
    assert_eq!((count(&report, "active"), count(&report, "toEvict")), (1, 0), "{report}");
    writer.clock.advance_millis(60 * DAY);
    let report = run_job(&writer, "daily");
    assert_eq!((count(&report, "active"), count(&report, "toEvict")), (0, 1), "{report}");
    assert_eq!(count(&report, "compressed"), 0, "the daily pass leaves compression to the weekly one");
    assert_eq!(count(&run_job(&writer, "weekly"), "compressed"), 1);
    assert_eq!(count(&run_job(&writer, "weekly"), "compressed"), 0);
    // 365 days count from compression.
    writer.clock.advance_millis(364 * DAY);
    writer.ask("memory:clock:confirm", json!({}));
    assert_eq!(count(&run_job(&writer, "monthly"), "deleted"), 0);
    let recorded = || {
        let listed = writer.ask("memory:semantic:list", json!({ "projectId": project }));
        listed["episodesRecorded"].clone()
    };
    assert_eq!(recorded(), 1);
    writer.clock.advance_millis(2 * DAY);
    // The pass that the confirmed clock has started in the background may delete it first.
    let report = run_job(&writer, "monthly");
    assert_eq!((count(&report, "filesChecked"), recorded()), (2, json!(0)), "{report}");
}

#[test]
fn a_compressed_episode_is_indexed_again_automatically() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    for by_command in [true, false] {
        writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
        writer.wait_until_idle();
        writer.clock.advance_millis(60 * DAY);
        if by_command {
            assert_eq!(count(&run_job(&writer, "weekly"), "compressed"), 1);
        } else {
            writer.api.clock_moved();
            while writer.wait_for_event("memory:maintenance:done")["job"] != "monthly" {}
        }
        writer.wait_until_idle();
    }
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": "灯灭了" }));
    let summaries = found["episodes"].as_array().unwrap().iter().filter(|one| one["episode"]["compressed"] == true);
    assert_eq!(summaries.count(), 2, "{found}");
}

#[test]
fn cleaning_up_now_runs_every_job_and_reports_the_steps_of_each() {
    let writer = Writer::new();
    let report = writer.ask("memory:maintenance:run", json!({}));
    assert_eq!(report["job"], Value::Null);
    for step in ["active", "backups", "deleted", "filesChecked"] {
        count(&report, step);
    }
    for job in ["daily", "weekly", "monthly", "backup"] {
        assert_eq!(writer.wait_for_event("memory:maintenance:done")["job"], job);
    }
}

#[test]
fn a_backup_without_disk_space_stops_no_other_job() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    writer.wait_until_idle();
    writer.clock.advance_millis(30 * DAY);
    let folder = writer.data_dir().join("backups");
    fs::write(&folder, "in the way").unwrap();
    let (code, _) = writer.refused("memory:maintenance:run", json!({}));
    assert_eq!(code, "MEMORY_CLEANUP_FAILED");
    let jobs = ["daily", "weekly", "monthly"].map(|_| text(&writer.wait_for_event("memory:maintenance:done"), "job"));
    assert_eq!(jobs, ["daily", "weekly", "monthly"]);
    assert_eq!(writer.wait_for_event("memory:maintenance:failed")["job"], "backup");
    for job in ["daily", "weekly", "monthly"] {
        assert_eq!(last_run(&writer, job)["failure"], Value::Null);
    }
    fs::remove_file(&folder).unwrap();
    assert_eq!(count(&run_job(&writer, "backup"), "backups"), 2, "it is made up for");
    assert_eq!(last_run(&writer, "backup")["failure"], Value::Null);
}

#[test]
fn a_cleanup_stopped_by_a_locked_database_is_reported_and_tried_again_at_the_next_window() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    writer.clock.advance_millis(30 * DAY);
    let lock = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (code, _) = writer.refused("memory:maintenance:run", json!({ "job": "weekly" }));
    assert_eq!(code, "MEMORY_CLEANUP_FAILED");
    let event = writer.wait_for_event("memory:maintenance:failed");
    assert_eq!((&event["job"], &event["code"]), (&json!("weekly"), &json!("MEMORY_CLEANUP_FAILED")));
    assert!(!event.to_string().contains("手稿"));
    let state = || {
        let status = writer.ask("memory:status", json!({}));
        let part = status["parts"].as_array().unwrap().iter().find(|part| part["part"] == "maintenance").unwrap();
        text(part, "state")
    };
    assert_eq!(state(), "unavailable");
    assert!(last_run(&writer, "weekly")["failure"].is_string());
    // In the next window the file is no longer locked, and the job runs without a request.
    lock.execute_batch("COMMIT").unwrap();
    writer.clock.advance_millis(DAY);
    writer.api.clock_moved();
    loop {
        let done = writer.wait_for_event("memory:maintenance:done");
        if done["job"] == "weekly" {
            assert_eq!(count(&done, "compressed"), 1);
            break;
        }
    }
    assert_eq!(last_run(&writer, "weekly")["failure"], Value::Null);
    assert_eq!(state(), "ok");
}

#[test]
fn the_daily_job_runs_automatically_after_two_at_night() {
    let folder = TempDir::new().unwrap();
    let host = Host::start(folder.path(), &["--clock", "fixed:2026-03-15T21:00:00Z"]);
    host.ask("test:clock:advance", json!({ "hours": 5 }));
    let done = host.wait_for_event("memory:maintenance:done");
    assert_eq!((&done["job"], &done["begunAt"]), (&json!("daily"), &json!("2026-03-16T02:00:00.000Z")));
}

#[test]
fn jobs_missed_while_the_program_was_closed_run_at_its_start() {
    let folder = TempDir::new().unwrap();
    let at = |time: &str| Host::start(folder.path(), &["--clock", &format!("fixed:{time}")]);
    let host = at("2026-03-15T21:00:00Z");
    host.ask("memory:status", json!({}));
    assert!(host.end());
    // 16 March is a Monday.
    let host = at("2026-03-18T09:30:00Z");
    for job in ["daily", "weekly", "backup"] {
        assert_eq!(host.wait_for_event("memory:maintenance:done")["job"], job);
    }
    assert!(host.end());
    let host = at("2026-04-01T09:30:00Z");
    for job in ["daily", "weekly", "monthly", "backup"] {
        assert_eq!(host.wait_for_event("memory:maintenance:done")["job"], job);
    }
}

#[test]
fn the_nightly_backup_is_made_when_something_has_changed_and_only_then() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    // A background worker writes the evidence of the episode into `rules.db`.
    writer.wait_until_idle();
    assert_eq!(count(&run_job(&writer, "backup"), "backups"), 2);
    assert_eq!(count(&run_job(&writer, "backup"), "backups"), 0);
    let episode = writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "门开了。"));
    writer.wait_until_idle();
    assert_eq!(count(&run_job(&writer, "backup"), "backups"), 2);
    let confirm = json!({ "projectId": project, "episodeId": episode["episodeId"] });
    writer.ask("memory:episode:confirm", confirm);
    assert_eq!(count(&run_job(&writer, "backup"), "backups"), 1, "of the file that has changed, alone");
    let list = writer.ask("memory:backup:list", json!({}));
    let newest = &list["backups"][0];
    assert_eq!((&newest["file"], &newest["reason"]), (&json!("episodes"), &json!("changed")));
    assert_eq!(writer.ask("memory:status", json!({}))["lastBackup"], *newest);
}

#[test]
fn data_has_a_backup_within_minutes_and_an_empty_memory_has_none() {
    let made = |writer: &Writer| {
        writer.clock.advance_millis(60_000);
        writer.api.clock_moved();
        while !writer.wait_for_event("memory:changed")["what"].to_string().contains("backups") {}
        let list = writer.ask("memory:backup:list", json!({}));
        list["backups"].as_array().unwrap().iter().map(|one| text(one, "file")).collect::<Vec<_>>()
    };
    let writer = Writer::new().restarted();
    writer.clock.advance_millis(60_000);
    let project = writer.book("夜航", "zh");
    // At its start the program finds data without a backup, and backs it up if it still exists a minute later.
    let writer = writer.restarted();
    assert_eq!(writer.ask("memory:backup:list", json!({}))["backups"], json!([]));
    assert_eq!(made(&writer), ["rules"], "there is no episode yet");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    let writer = writer.restarted();
    assert_eq!(made(&writer), ["episodes", "rules"]);
}

#[test]
fn the_status_says_how_full_each_book_is_and_how_large_the_files_are() {
    let writer = Writer::new();
    let (project, other) = (writer.book("夜航", "zh"), writer.book("别的书", "zh"));
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    writer.clock.advance_millis(60 * DAY);
    run_job(&writer, "weekly");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯亮着。"));
    crate::add_rule(&writer, Some(&project), "对白避免感叹号");
    crate::add_rule(&writer, None, "偏好第一人称");
    let status = writer.ask("memory:status", json!({}));
    let of = |project: Value| {
        let all = status["capacities"].as_array().unwrap();
        all.iter().find(|one| one["projectId"] == project).unwrap_or_else(|| panic!("{status}")).clone()
    };
    let fill = |count: u32, soft: u32, hard: u32| json!({ "count": count, "soft": soft, "hard": hard });
    let full = of(json!(project));
    assert_eq!(full["active"], fill(1, 1_000, 10_000));
    assert_eq!(full["compressed"], fill(1, 5_000, 50_000));
    assert_eq!(full["rules"], fill(1, 200, 500));
    assert_eq!(of(json!(other))["active"], fill(0, 1_000, 10_000));
    assert_eq!(
        of(Value::Null),
        json!({
            "projectId": null,
            "active": null,
            "compressed": null,
            "rules": fill(1, 200, 500),
            "answers": fill(0, 5_000, 20_000),
            "staleAnswers": 0,
        })
    );
    for file in status["files"].as_array().unwrap() {
        assert!(file["bytes"].as_u64().unwrap() > 4_096, "{status}");
    }
}

#[test]
fn before_the_schema_changes_the_file_as_it_was_is_backed_up() {
    let frozen = |file: &str| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        root.join(format!("{file}-0002.db"))
    };
    let writer = Writer::with_folder(|data| {
        for file in ["rules", "episodes"] {
            fs::copy(frozen(file), data.join(format!("{file}.db"))).unwrap();
        }
    });
    // This request makes sure that both files are open.
    writer.ask("memory:status", json!({}));
    let list = writer.ask("memory:backup:list", json!({}));
    let backups = list["backups"].as_array().unwrap();
    assert_eq!(backups.len(), 2, "{list}");
    for backup in backups {
        assert_eq!(backup["reason"], "migration");
        let path = writer.data_dir().join("backups").join(format!("{}.db", text(backup, "backupId")));
        let held: i64 = rusqlite::Connection::open(path)
            .unwrap()
            .query_row("SELECT max(version) FROM refinery_schema_history", [], |row| row.get(0))
            .unwrap();
        assert!(held <= 3, "a backup of the old schema, not of the new one");
        // The backup can still be restored, and the restore migrates it.
        writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
    }
    let project = writer.ask("project:list", json!({}))["projects"][0]["projectId"].clone();
    let rules = writer.ask("memory:semantic:list", json!({ "projectId": project }));
    assert_eq!(
        (&rules["rules"][0]["rule"], &rules["episodesRecorded"]),
        (&json!("所有角色对白不使用感叹号"), &json!(1))
    );
}
