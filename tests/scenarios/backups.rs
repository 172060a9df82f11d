//! Backup retention: which backups stay, and for how long.

use std::fs;

use palimpsest_tests::{Writer, text};
use serde_json::json;

use crate::{add_rule, taken};

fn known(writer: &Writer) -> Vec<(String, String)> {
    let list = writer.ask("memory:backup:list", json!({}));
    let backups = list["backups"].as_array().unwrap().iter();
    backups.map(|one| (text(one, "backupId"), text(one, "reason"))).collect()
}

#[test]
fn a_backup_made_by_hand_survives_four_imports_within_the_hour() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let out = writer.path_beside("memory.jsonl");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    writer.ask("memory:export", json!({ "path": out }));
    // A second memory, so that each imported file differs from the local memory.
    let other = Writer::new();
    let by_hand: Vec<String> = writer.ask("memory:backup:create", json!({}))["backups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| text(one, "backupId"))
        .collect();
    assert_eq!(by_hand.len(), 2);
    for n in 0..4 {
        writer.clock.advance_millis(60_000);
        add_rule(&other, None, &format!("短句之{n}"));
        let sheet = writer.path_beside(&format!("rules-{n}.jsonl"));
        other.ask("memory:export", json!({ "path": sheet }));
        let imported = writer.ask("memory:import", json!({ "path": sheet, "dryRun": false }));
        assert_eq!(imported["backedUp"], true, "{imported}");
    }
    let left = known(&writer);
    for id in &by_hand {
        assert!(left.iter().any(|(known, _)| known == id), "{id} is gone: {left:?}");
    }
    // The first import backup stays too: it holds the state before all imports.
    let imports = left.iter().filter(|(_, reason)| reason == "import");
    let first = imports.map(|(id, _)| id.split('-').nth(1).unwrap().to_owned()).min().unwrap();
    assert_eq!(first, "1773608460000", "{left:?}");
    // After a day, retention goes by age, and the newest backups stay.
    writer.clock.advance_millis(25 * 3_600_000);
    writer.ask("memory:maintenance:run", json!({ "job": "backup" }));
    assert!(known(&writer).len() < left.len() + 2);
    fs::remove_file(out).unwrap();
}

#[cfg(unix)]
#[test]
fn no_other_user_can_read_the_memory_also_after_a_restore() {
    use std::{os::unix::fs::PermissionsExt as _, path::Path};
    fn modes(folder: &Path) -> Vec<(String, u32)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            found.push((path.display().to_string(), mode));
            if path.is_dir() && !path.ends_with("books") {
                found.extend(modes(&path));
            }
        }
        found
    }
    let check = |writer: &Writer| {
        assert_eq!(fs::metadata(writer.data_dir()).unwrap().permissions().mode() & 0o777, 0o700);
        for (path, mode) in modes(&writer.data_dir()) {
            assert_eq!(mode & 0o077, 0, "{path} has {mode:o}");
        }
    };
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "雨夜，手稿。", "灯灭了。"));
    let made = writer.ask("memory:backup:create", json!({}))["backups"].clone();
    check(&writer);
    for backup in made.as_array().unwrap() {
        writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
    }
    check(&writer);
    // A data folder of an earlier version, readable by every user.
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| {
        for (path, _) in modes(&data) {
            let mode = if Path::new(&path).is_dir() { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    });
    writer.ask("memory:status", json!({}));
    check(&writer);
}

#[test]
fn whoever_shows_a_part_of_the_memory_is_notified_when_a_backup_replaces_it() {
    let writer = Writer::new();
    let made = writer.ask("memory:backup:create", json!({}))["backups"].clone();
    for backup in made.as_array().unwrap() {
        drop(writer.arrived_events());
        writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
        let parts = match backup["file"].as_str().unwrap() {
            "rules" => vec!["rules", "story", "knowledge", "settings", "projects", "models", "backends", "names"],
            _ => vec!["episodes", "traces", "story", "journal", "answers", "knowledge"],
        };
        let mut awaited: Vec<&str> = parts;
        while !awaited.is_empty() {
            let what = writer.wait_for_event("memory:changed")["what"].clone();
            awaited.retain(|part| !what.as_array().unwrap().contains(&json!(part)));
        }
    }
}
