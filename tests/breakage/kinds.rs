//! Objects of another kind in the place of a file, and a deleted lock file.

#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};

use palimpsest_tests::{Host, host_binary, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{draft, state_in};

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn device(path: &Path) {
    symlink("/dev/zero", path).unwrap();
}

fn of_the_kernel(path: &Path) {
    symlink("/proc/self/status", path).unwrap();
}

fn folder(path: &Path) {
    fs::create_dir(path).unwrap();
}

/// Creates an object that is not a regular file at a path.
type Make = fn(&Path);

const KINDS: [(&str, Make); 4] =
    [("pipe", pipe), ("device", device), ("file of the kernel", of_the_kernel), ("folder", folder)];

fn part_state(host: &Host, part: &str) -> String {
    state_in(&host.ask("memory:status", json!({})), part)
}

fn reason(answer: &Value) -> String {
    assert_eq!(answer["error"]["data"]["code"], "MEMORY_STORE_UNAVAILABLE", "{answer}");
    text(&answer["error"]["data"]["details"], "reason")
}

#[test]
fn a_database_that_is_no_file_is_refused_and_the_other_one_serves() {
    for (kind, make) in KINDS {
        for beside in ["", "-wal", "-journal"] {
            for (file, other) in [("rules", "episodes"), ("episodes", "rules")] {
                println!("{kind} {file}{beside}");
                let data = TempDir::new().unwrap();
                let host = Host::start(data.path(), &[]);
                let project =
                    text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
                host.ask("memory:episode:record", draft(&project, "灯灭了。"));
                assert!(host.end());
                let path = data.path().join(format!("{file}.db{beside}"));
                let _whatever_was_there = fs::remove_file(&path);
                make(&path);
                let host = Host::start(data.path(), &[]);
                assert_eq!(
                    (part_state(&host, file).as_str(), part_state(&host, other).as_str()),
                    ("unavailable", "ok")
                );
                let rule = json!({ "rule": "短句", "category": "style", "scope": "global" });
                let refused = if file == "rules" {
                    host.answer("memory:semantic:add", rule)
                } else {
                    host.ask("memory:semantic:add", rule);
                    host.answer("memory:episode:record", draft(&project, "灯亮了。"))
                };
                assert_eq!(reason(&refused), "notADatabase");
                assert!(host.end());
            }
        }
    }
}

#[test]
fn a_backup_that_is_no_file_or_has_a_pipe_beside_it_is_refused_and_a_clearing_comes_to_its_end() {
    let data = TempDir::new().unwrap();
    let host = Host::start(data.path(), &[]);
    let project = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
    host.ask("memory:episode:record", draft(&project, "灯灭了。"));
    let made = host.ask("memory:backup:create", json!({}))["backups"].as_array().unwrap().clone();
    let backups = data.path().join("backups");
    for backup in &made {
        pipe(&backups.join(format!("{}.db-journal", text(backup, "backupId"))));
    }
    pipe(&backups.join("rules-7-manual.db"));
    for backup in &made {
        let refused = host.answer("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
        assert_eq!(reason(&refused), "notADatabase");
    }
    let unknown = host.answer("memory:backup:restore", json!({ "backupId": "rules-7-manual" }));
    assert_eq!(unknown["error"]["data"]["code"], "MEMORY_NOT_FOUND");
    host.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    host.ask("memory:episode:record", draft(&project, "灯又亮了。"));
}

/// Starts a host that must be refused, and returns its standard error.
fn refused(data: &Path) -> String {
    let mut host = Command::new(host_binary());
    let ended = host.arg("--data-dir").arg(data).stdin(Stdio::null()).output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn a_lock_that_is_no_file_is_refused() {
    for (kind, make) in KINDS {
        let data = TempDir::new().unwrap();
        make(&data.path().join("lock"));
        assert!(refused(data.path()).contains("is no file"), "{kind}");
    }
}

#[test]
fn a_second_program_is_refused_also_after_the_lock_was_deleted_or_replaced_and_the_first_writes_on() {
    let data = TempDir::new().unwrap();
    let lock = data.path().join("lock");
    let host = Host::start(data.path(), &[]);
    let project = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
    assert!(refused(data.path()).contains("another Palimpsest"));
    fs::remove_file(&lock).unwrap();
    assert!(refused(data.path()).contains("another Palimpsest"));
    host.ask("memory:episode:record", draft(&project, "灯灭了。"));
    assert!(fs::File::open(&lock).unwrap().try_lock().is_err(), "the first has taken it again");
    fs::write(data.path().join("other"), "").unwrap();
    fs::rename(data.path().join("other"), &lock).unwrap();
    assert!(refused(data.path()).contains("another Palimpsest"));
    host.ask("memory:episode:record", draft(&project, "灯亮了。"));
    // An older version takes only the lock file: while it holds the lock, this program writes nothing.
    fs::remove_file(&lock).unwrap();
    let other = fs::File::create(&lock).unwrap();
    other.try_lock().unwrap();
    assert_eq!(reason(&host.answer("memory:episode:record", draft(&project, "灯又灭了。"))), "lockLost");
    // Dropping it would keep the lock as long as a program that another test is just starting has a copy.
    other.unlock().unwrap();
    host.ask("memory:episode:record", draft(&project, "灯又亮了。"));
}
