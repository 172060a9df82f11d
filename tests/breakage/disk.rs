//! Disks that are full or refuse writes: in a mount of its own where the system permits one, and with a limit on the
//! size of files.

#![cfg(target_os = "linux")]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use palimpsest_tests::{Host, Writer, host_binary, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Book, RULE, draft, reasons, sent, state_in};

/// Records episodes until one is refused, and returns the error code and the identities of the episodes recorded
/// before.
fn record_until_refused(host: &Host, project: &str) -> (String, Vec<Value>) {
    let mut taken = Vec::new();
    for n in 0..2_000 {
        let answer = host.answer("memory:episode:record", draft(project, &format!("第{n}页。")));
        if let Some(code) = answer["error"]["data"]["code"].as_str() {
            return (code.to_owned(), taken);
        }
        taken.push(answer["result"]["episodeId"].clone());
    }
    panic!("every record was taken");
}

/// Where an episode does not fit, a smaller write may: small writes go on until one is refused.
fn fill_up(host: &Host, project: &str, episode: &Value) {
    for n in 0..2_000_usize {
        let confirm = json!({ "projectId": project, "episodeId": episode, "userConfirmed": n.is_multiple_of(2) });
        let answer = host.answer("memory:episode:confirm", confirm);
        if let Some(code) = answer["error"]["data"]["code"].as_str() {
            assert_eq!(code, "MEMORY_WRITE_FAILED", "{answer}");
            return;
        }
    }
    panic!("every change was taken");
}

fn prompt(host: &Host, project: &str) -> Value {
    host.ask(
        "memory:context:assemble",
        json!({ "projectId": project, "chapterId": "c", "skill": "continue", "before": "雨夜，他合上手稿。" }),
    )
}

fn start_run(host: &Host, project: &str) -> Value {
    host.ask(
        "ai:skill:run",
        json!({ "projectId": project, "chapterId": "c", "skill": "continue", "before": "雨夜，他合上手稿。" }),
    )
}

/// Asserts that candidates arrive and that the answer reports a degraded memory.
#[track_caller]
fn writes_on(host: &Host, project: &str) {
    let started = start_run(host, project);
    assert_eq!(started["memoryDegraded"], true, "{started}");
    assert_eq!(host.wait_for_event("ai:skill:done")["status"], "finished");
}

#[track_caller]
fn serves_on_a_full_disk(host: &Host, project: &str) {
    let (refused, taken) = record_until_refused(host, project);
    assert_eq!(refused, "MEMORY_WRITE_FAILED");
    if let Some(episode) = taken.first() {
        fill_up(host, project, episode);
    }
    let status = host.ask("memory:status", json!({}));
    assert_eq!(
        (state_in(&status, "episodes").as_str(), &status["degraded"]),
        ("unavailable", &json!(true)),
        "{status}"
    );
    // Stored content can still be read.
    let prompt = prompt(host, project);
    assert!(sent(&prompt).contains(RULE), "{prompt}");
    // A checkpoint of the log sometimes frees space for a small write: then nothing is missing, and nothing is
    // reported.
    for _ in 0..50 {
        if let Some(episode) = taken.first() {
            fill_up(host, project, episode);
        }
        let started = start_run(host, project);
        assert_eq!(host.wait_for_event("ai:skill:done")["status"], "finished");
        if started["memoryDegraded"] == true {
            return;
        }
    }
    panic!("every trace was taken");
}

#[track_caller]
fn serves_again(host: &Host, project: &str) {
    host.ask("memory:episode:record", draft(project, "灯又亮了。"));
    let status = host.ask("memory:status", json!({}));
    assert_eq!(state_in(&status, "episodes"), "ok", "{status}");
}

/// The number of episodes after another start, which must equal the number acknowledged.
fn recorded(data: &Path, project: &str) -> Value {
    let host = Host::start(data, &[]);
    host.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"].clone()
}

#[test]
fn where_files_cannot_grow_records_are_refused_and_taken_again_when_they_can() {
    let book = Book::new();
    let (project, data) = (book.project.clone(), book.writer.data_dir());
    let copy = copied(&data);
    let mut command = Command::new("sh");
    // The signal would end the process; without it the write fails as on a full disk.
    command.arg("-c").arg("trap '' XFSZ; ulimit -S -f 400; exec \"$0\" --data-dir \"$1\"");
    let host = Host::start_by({
        command.arg(host_binary()).arg(copy.path());
        command
    });
    let (refused, taken) = record_until_refused(&host, &project);
    assert_eq!(refused, "MEMORY_WRITE_FAILED");
    fill_up(&host, &project, &taken[0]);
    let status = host.ask("memory:status", json!({}));
    assert_eq!(state_in(&status, "episodes"), "unavailable", "{status}");
    writes_on(&host, &project);
    let pid = host.process().to_string();
    assert!(Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited"]).status().unwrap().success());
    serves_again(&host, &project);
    assert!(host.end());
    assert_eq!(recorded(copy.path(), &project), json!(1 + taken.len() + 1));
}

#[test]
fn an_import_that_finds_no_room_halfway_is_nowhere_or_whole_when_the_memory_opens_again() {
    let writer = Writer::new();
    writer.ask("memory:learning:pause", json!({}));
    let project = writer.book("夜航", "zh");
    for n in 0..150 {
        writer.ask("memory:episode:record", draft(&project, &format!("第{n}页，灯灭了，他没有走。")));
        if n % 3 == 0 {
            let rule =
                json!({ "rule": format!("规则{n}"), "category": "style", "scope": "project", "projectId": project });
            writer.ask("memory:semantic:add", rule);
        }
    }
    while writer.ask("memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
        std::thread::yield_now();
    }
    let file = writer.path_beside("all.jsonl");
    writer.ask("memory:export", json!({ "path": file }));
    let empty = TempDir::new().unwrap();
    assert!(Host::start(empty.path(), &[]).end());
    let held = |host: &Host| {
        if host.ask("project:list", json!({}))["projects"] == json!([]) {
            return (0, 0);
        }
        let list = host.ask("memory:semantic:list", json!({ "projectId": project }));
        (list["rules"].as_array().unwrap().len(), list["episodesRecorded"].as_u64().unwrap())
    };
    let (mut refused, mut taken) = (0, 0);
    // In kilobytes: from too little for a copy of the file to enough for everything.
    for room in (140..=420).step_by(40) {
        let copy = copied(empty.path());
        let mut command = Command::new("bash");
        command.arg("-c").arg(format!("trap '' XFSZ; ulimit -S -f {room}; exec \"$0\" --data-dir \"$1\""));
        command.arg(host_binary()).arg(copy.path());
        let host = Host::start_by(command);
        let answer = host.answer("memory:import", json!({ "path": file, "dryRun": false }));
        if answer["error"].is_null() {
            assert_eq!(held(&host), (50, 150), "{room}: {answer}");
            taken += 1;
        } else {
            // Reading may need room too, for the index of the log.
            let codes = ["MEMORY_WRITE_FAILED", "MEMORY_STORE_UNAVAILABLE"];
            assert!(codes.contains(&text(&answer["error"]["data"], "code").as_str()), "{room}: {answer}");
            refused += 1;
        }
        host.kill();
        let host = Host::start(copy.path(), &[]);
        let now = held(&host);
        let all_or_nothing = now == (50, 150) || (now == (0, 0) && !answer["error"].is_null());
        assert!(all_or_nothing, "{room}: {now:?}");
        host.ask("memory:import", json!({ "path": file, "dryRun": false }));
        assert_eq!(held(&host), (50, 150), "{room}");
        assert!(host.end());
    }
    assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
}

fn copied(data: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    assert!(Command::new("cp").arg("-a").arg(data.join(".")).arg(copy.path()).status().unwrap().success());
    copy
}

/// A host on a small file system of its own that holds a copy of `data`; `None`, with a message, where the system
/// permits no mount. `then` is run on the mount, named `$0`, before the host starts.
fn mounted(data: &Path, place: &Path, then: &str) -> Option<Host> {
    let may = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status();
    if !may.is_ok_and(|status| status.success()) {
        println!("no mounts of our own here: this is not tested");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c"]).arg(format!(
        "mount -t tmpfs -o size=4m none \"$0\" && cp -a \"$1\"/. \"$0\"/ && {then} && exec \"$2\" --data-dir \"$0\""
    ));
    command.arg(place).arg(data).arg(host_binary());
    Some(Host::start_by(command))
}

/// The path of the mount from outside its namespace.
fn inside(host: &Host, place: &Path) -> PathBuf {
    PathBuf::from(format!("/proc/{}/root{}", host.process(), place.display()))
}

#[test]
fn on_a_full_disk_the_writer_writes_on_and_records_are_taken_again_when_there_is_room() {
    let book = Book::with_backups();
    let place = TempDir::new().unwrap();
    let Some(host) = mounted(&book.writer.data_dir(), place.path(), "true") else {
        return;
    };
    // The mount is used only after the host has answered.
    let status = host.ask("memory:status", json!({}));
    assert_eq!(status["degraded"], status["degraded"]);
    let ballast = inside(&host, place.path()).join("ballast");
    let mut file = fs::File::create(&ballast).unwrap();
    while file.write_all(&[0; 4_096]).is_ok() {}
    serves_on_a_full_disk(&host, &book.project);
    drop(file);
    fs::remove_file(&ballast).unwrap();
    serves_again(&host, &book.project);
}

#[test]
fn on_a_disk_that_takes_nothing_the_rules_of_the_last_backup_serve_and_the_writer_writes_on() {
    let book = Book::with_backups();
    let data = copied(&book.writer.data_dir());
    // As after a power cut or a copy: without files beside the databases.
    let place = TempDir::new().unwrap();
    let Some(host) = mounted(data.path(), place.path(), "rm -f \"$0\"/*-wal \"$0\"/*-shm; mount -o remount,ro \"$0\"")
    else {
        return;
    };
    let status = host.ask("memory:status", json!({}));
    assert_eq!(state_in(&status, "rules"), "unavailable", "{status}");
    assert_eq!(state_in(&status, "episodes"), "unavailable", "{status}");
    let prompt = prompt(&host, &book.project);
    assert!(sent(&prompt).contains(RULE), "{prompt}");
    assert!(reasons(&prompt).contains("rules are read-only"), "{prompt}");
    writes_on(&host, &book.project);
}
