//! The log of a database that is deleted, replaced or damaged while the program runs: no further write into it is
//! acknowledged, and a loss is reported.

use std::{fs, path::Path};

use palimpsest_tests::{Host, text};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{draft, noise, state_in};

const FILES: [&str; 2] = ["rules", "episodes"];

fn book(host: &Host) -> String {
    text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId")
}

/// Writes once into each file, and returns which of the two writes were acknowledged.
fn write_to_each_file(host: &Host, project: &str, n: usize) -> [bool; 2] {
    let rule =
        json!({ "rule": format!("第{n}条：短句"), "category": "style", "scope": "project", "projectId": project });
    let taken = |answer: Value| answer.get("result").is_some();
    [
        taken(host.answer("memory:semantic:add", rule)),
        taken(host.answer("memory:episode:record", draft(project, &format!("灯灭了{n}次。")))),
    ]
}

/// The number of rules and of episodes.
fn stored_counts(host: &Host, project: &str) -> [usize; 2] {
    let rules = host.ask("memory:semantic:list", json!({ "projectId": project }));
    let episodes = rules["episodesRecorded"].as_u64().unwrap();
    [rules["rules"].as_array().unwrap().len(), usize::try_from(episodes).unwrap()]
}

fn missing(host: &Host) -> Vec<String> {
    let status = host.ask("memory:status", json!({}));
    let missing = status["missing"].as_array().unwrap();
    assert_eq!(status["degraded"], !missing.is_empty(), "{status}");
    missing.iter().map(|one| text(one, "file")).collect()
}

fn break_log(data: &Path, file: &str, how: &str) {
    let log = data.join(format!("{file}.db-wal"));
    match how {
        "removed" => fs::remove_file(log).unwrap(),
        "replaced" => {
            let other = data.join("other");
            fs::write(&other, noise(40_000)).unwrap();
            fs::rename(other, log).unwrap();
        }
        "emptied" => fs::write(log, []).unwrap(),
        _ => {
            use std::io::{Seek, SeekFrom, Write};
            let mut open = fs::File::options().write(true).open(log).unwrap();
            open.seek(SeekFrom::Start(3_000)).unwrap();
            open.write_all(&noise(5_000)).unwrap();
        }
    }
}

#[test]
fn a_log_that_is_removed_or_replaced_under_a_running_program_costs_nothing_that_was_acknowledged() {
    for file in FILES {
        for how in ["removed", "replaced"] {
            let folder = TempDir::new().unwrap();
            let host = Host::start(folder.path(), &[]);
            let project = book(&host);
            let mut acknowledged = [0, 0];
            let mut count = |taken: [bool; 2]| {
                acknowledged = [0, 1].map(|at| acknowledged[at] + usize::from(taken[at]));
            };
            (0..3).for_each(|n| count(write_to_each_file(&host, &project, n)));
            break_log(folder.path(), file, how);
            // A write in progress may be refused; the later ones succeed.
            (3..6).for_each(|n| count(write_to_each_file(&host, &project, n)));
            assert_eq!(write_to_each_file(&host, &project, 6), [true, true], "{file} {how}");
            count([true, true]);
            host.kill();
            let host = Host::start(folder.path(), &[]);
            let kept = stored_counts(&host, &project);
            for at in [0, 1] {
                assert!(kept[at] >= acknowledged[at], "{file} {how}: {kept:?} of {acknowledged:?}");
            }
            assert_eq!(missing(&host), [] as [&str; 0], "{file} {how}");
        }
    }
}

#[test]
fn a_log_damaged_while_the_program_runs_accepts_no_more_writes_and_the_loss_is_reported() {
    for (file, how, is_killed) in FILES.into_iter().flat_map(|file| {
        [(file, "damaged", true), (file, "damaged", false), (file, "emptied", true), (file, "emptied", false)]
    }) {
        println!("{file} {how} {is_killed}");
        let folder = TempDir::new().unwrap();
        let host = Host::start(folder.path(), &[]);
        let project = book(&host);
        let mut acknowledged = [0, 0];
        let mut count = |taken: [bool; 2]| {
            acknowledged = [0, 1].map(|at| acknowledged[at] + usize::from(taken[at]));
        };
        (0..3).for_each(|n| count(write_to_each_file(&host, &project, n)));
        break_log(folder.path(), file, how);
        if is_killed {
            (3..7).for_each(|n| count(write_to_each_file(&host, &project, n)));
            host.kill();
        } else {
            assert!(host.end());
        }
        let host = Host::start(folder.path(), &[]);
        let at = usize::from(file == "episodes");
        // A book that was in the lost part of the log cannot be queried.
        let known = host.ask("project:list", json!({}))["projects"].as_array().unwrap().len();
        let lost = known == 0 || stored_counts(&host, &project)[at] < acknowledged[at];
        assert!(!lost || missing(&host).contains(&file.to_owned()), "{file}: {acknowledged:?}");
        // The file itself is undamaged.
        assert_eq!(state_in(&host.ask("memory:status", json!({})), file), "ok");
        let path = folder.path().join(format!("{file}.db"));
        let whole: String =
            Connection::open(path).unwrap().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(whole, "ok", "{file}");
    }
}

#[test]
fn a_crash_with_a_lost_log_is_reported_from_the_next_start_until_acknowledged() {
    for file in FILES {
        let folder = TempDir::new().unwrap();
        let host = Host::start(folder.path(), &[]);
        let project = book(&host);
        (0..3).for_each(|n| assert_eq!(write_to_each_file(&host, &project, n), [true, true]));
        // The state after a crash, without the log, in a copy: the running program cannot repair a copy that it has no
        // record of.
        let left = TempDir::new().unwrap();
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_file() && !name.ends_with("-shm") && name != format!("{file}.db-wal") {
                fs::copy(entry.path(), left.path().join(name)).unwrap();
            }
        }
        host.kill();
        let host = Host::start(left.path(), &[]);
        assert_eq!(missing(&host), [file]);
        assert!(host.end());
        let host = Host::start(left.path(), &[]);
        assert_eq!(missing(&host), [file], "it is said until the writer knows");
        assert_eq!(host.ask("memory:missing:acknowledge", json!({}))["missing"], json!([]));
        assert_eq!(missing(&host), [] as [&str; 0]);
        assert!(host.end());
        let host = Host::start(left.path(), &[]);
        assert_eq!(missing(&host), [] as [&str; 0]);
    }
}
