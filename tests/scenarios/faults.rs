//! A panic in one part fails that part's answer and nothing else.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

use palimpsest_tests::{Host, host_binary, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{passage, taken};

/// A text of the writer in the message of a panic.
const PRIVATE: &str = "雨停了，她推开窗。";

/// A host with a fixed clock that writes standard error to a file.
fn host(folder: &TempDir) -> Host {
    let mut command = Command::new(host_binary());
    command.arg("--data-dir").arg(folder.path().join("data")).args(["--clock", "fixed:2026-03-15T21:00:00Z"]);
    command.args(["--provider", "sample"]);
    command.stderr(File::create(log(folder)).unwrap());
    Host::start_by(command)
}

fn log(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("stderr")
}

fn book(host: &Host) -> String {
    text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId")
}

fn break_off(host: &Host, part: &str, on: bool) {
    host.ask("test:panic", json!({ "in": part, "on": on, "text": PRIVATE }));
}

/// The state of a part, and the reason.
fn part(host: &Host, name: &str) -> (Value, Value) {
    let status = host.ask("memory:status", json!({}));
    let parts = status["parts"].as_array().unwrap();
    let part = parts.iter().find(|part| part["part"] == name).unwrap();
    (part["state"].clone(), part["reason"].clone())
}

/// Waits until a part has a state. Returns the reason.
fn wait_for(host: &Host, name: &str, state: &str) -> Value {
    for _ in 0..100_000 {
        let (is, reason) = part(host, name);
        if is == state {
            return reason;
        }
        std::thread::yield_now();
    }
    panic!("{name} never was {state}");
}

fn assert_nothing_private(folder: &Path, names: &[&str]) {
    let said = fs::read_to_string(folder).unwrap();
    assert!(!said.contains('雨'), "{said}");
    for name in names {
        assert!(said.lines().any(|line| line.starts_with(&format!("palimpsest-host: {name} broke off at "))), "{said}");
    }
}

#[test]
fn a_request_that_breaks_off_is_answered_with_its_own_identity_and_the_next_one_works() {
    let folder = TempDir::new().unwrap();
    let host = host(&folder);
    let project = book(&host);
    break_off(&host, "command", true);
    let draft = taken(&project, PRIVATE, PRIVATE);
    let answers = [
        host.send("memory:episode:record", draft.clone()),
        host.send("memory:status", json!({})),
        host.send("chapter:read", json!({ "projectId": project, "chapterId": "x" })),
    ];
    for answer in answers {
        let answer = answer.recv_timeout(std::time::Duration::from_secs(60)).expect("an answer");
        assert_eq!(answer["error"]["code"], -32_000);
        assert_eq!(answer["error"]["data"]["code"], "MEMORY_STORE_UNAVAILABLE");
        assert_eq!(answer["error"]["data"]["details"]["reason"], "brokeOff");
        assert!(!answer.to_string().contains('雨'));
    }
    break_off(&host, "command", false);
    host.ask("memory:episode:record", draft);
    assert_eq!(host.ask("memory:semantic:list", json!({ "projectId": project }))["episodesRecorded"], 1);
    assert_nothing_private(&log(&folder), &["memory:episode:record", "memory:status", "chapter:read"]);
    assert!(host.end());
}

#[test]
fn more_requests_break_off_than_may_be_under_way_and_each_is_answered() {
    let folder = TempDir::new().unwrap();
    let host = host(&folder);
    break_off(&host, "command", true);
    let answers: Vec<_> = (0..400).map(|_| host.send("memory:status", json!({}))).collect();
    for answer in answers {
        assert!(answer.recv_timeout(std::time::Duration::from_secs(60)).expect("an answer")["error"].is_object());
    }
    assert!(host.end(), "the end of the input still ends it");
}

#[test]
fn an_index_that_fails_is_reported_down_and_catches_up_later() {
    let folder = TempDir::new().unwrap();
    let host = host(&folder);
    let project = book(&host);
    break_off(&host, "indexer", true);
    host.ask("memory:episode:record", taken(&project, "渡船靠岸。", "潮水退了。"));
    let reason = wait_for(&host, "words", "unavailable");
    assert_eq!(reason, "brokeOff");
    assert_eq!(host.ask("memory:status", json!({}))["degraded"], true);
    break_off(&host, "indexer", false);
    host.ask("memory:episode:record", taken(&project, "灯塔亮了。", "雾散了。"));
    wait_for(&host, "words", "ok");
    let found = host.ask("memory:episode:query", json!({ "projectId": project, "queryText": "潮水" }));
    assert_eq!(found["episodes"][0]["episode"]["finalText"], "潮水退了。");
    assert_nothing_private(&log(&folder), &["indexer"]);
    assert!(host.end());
}

#[test]
fn schedule_and_learning_continue_after_a_panic_in_a_step() {
    let folder = TempDir::new().unwrap();
    let host = host(&folder);
    for (name, of) in [("schedule", "maintenance"), ("learner", "evidence")] {
        break_off(&host, name, true);
        host.ask("test:clock:advance", json!({ "seconds": 1 }));
        wait_for(&host, of, "unavailable");
        break_off(&host, name, false);
        host.ask("test:clock:advance", json!({ "seconds": 1 }));
        wait_for(&host, of, "ok");
    }
    assert_nothing_private(&log(&folder), &["schedule", "learner"]);
    assert!(host.end());
}

#[test]
fn a_generation_that_breaks_off_ends() {
    let folder = TempDir::new().unwrap();
    let host = host(&folder);
    let project = book(&host);
    break_off(&host, "generation", true);
    let started = host.ask("ai:skill:run", passage(&project, "渡船靠岸。"));
    let done = host.wait_for_event("ai:skill:done");
    assert_eq!(done["generationId"], started["generationId"]);
    assert_eq!((&done["status"], &done["error"]["details"]["reason"]), (&json!("failed"), &json!("brokeOff")));
    let cancel = host.ask("ai:skill:cancel", json!({ "generationId": started["generationId"] }));
    assert_eq!(cancel["cancelled"], false, "it is under way no longer");
    break_off(&host, "generation", false);
    host.ask("ai:skill:run", passage(&project, "渡船靠岸。"));
    assert_eq!(host.wait_for_event("ai:skill:done")["status"], "finished");
    assert_nothing_private(&log(&folder), &["generation"]);
}

#[test]
fn a_run_of_distillation_that_breaks_off_leaves_room_for_the_next() {
    let folder = TempDir::new().unwrap();
    let host = host(&folder);
    let project = book(&host);
    host.ask("memory:episode:record", taken(&project, "渡船靠岸。", "潮水退了。"));
    break_off(&host, "distillation", true);
    host.ask("memory:semantic:distill", json!({ "projectId": project }));
    break_off(&host, "distillation", false);
    for _ in 0..100_000 {
        let answer = host.ask("memory:semantic:distill", json!({ "projectId": project, "wait": true }));
        if answer["status"] != "alreadyRunning" {
            return;
        }
    }
    panic!("the place of the only run is never free");
}

#[test]
fn watching_a_book_continues_after_a_panic() {
    let folder = TempDir::new().unwrap();
    let host = host(&folder);
    let root = folder.path().join("book");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("01.md"), "潮水退了。\n").unwrap();
    let opened = host.ask("project:open", json!({ "path": root }));
    let project = text(&opened["book"]["project"], "projectId");
    let chapter = text(&opened["book"]["chapters"][0], "chapterId");
    break_off(&host, "watch", true);
    fs::write(root.join("01.md"), "雾散了。\n").unwrap();
    for _ in 0.. {
        if fs::read_to_string(log(&folder)).unwrap().contains("book-watch broke off") {
            break;
        }
        std::thread::yield_now();
    }
    break_off(&host, "watch", false);
    fs::write(root.join("01.md"), "灯塔亮了。\n").unwrap();
    let changed = host.wait_for_event("chapter:changed");
    assert_eq!((&changed["projectId"], &changed["chapterId"]), (&json!(project), &json!(chapter)));
    assert_nothing_private(&log(&folder), &["book-watch"]);
}

#[test]
fn only_a_host_with_a_fixed_clock_can_be_made_to_panic() {
    let folder = TempDir::new().unwrap();
    let host = Host::start(folder.path(), &[]);
    assert_eq!(host.answer("test:panic", json!({ "in": "command" }))["error"]["code"], -32_601);
}

#[test]
fn the_log_of_a_host_has_commands_durations_codes_and_numbers_and_no_word_of_the_writers() {
    const TITLE: &str = "夜航船";
    const NAME: &str = "老周";
    const RECORDING: &str = "operation=\"record an episode\"";
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(host_binary());
    command.arg("--data-dir").arg(folder.path().join("data")).args(["--clock", "fixed:2026-03-15T21:00:00Z"]);
    command.args(["--provider", "sample", "--log", "debug"]);
    command.stderr(File::create(log(&folder)).unwrap());
    let host = Host::start_by(command);
    let project = text(&host.ask("project:create", json!({ "title": TITLE, "language": "zh" })), "projectId");
    host.ask("memory:episode:record", taken(&project, PRIVATE, PRIVATE));
    host.ask(
        "memory:semantic:add",
        json!({ "category": "style", "scope": "project", "rule": PRIVATE, "projectId": project }),
    );
    host.ask("memory:names:set", json!({ "projectId": project, "names": [{ "name": NAME, "alias": "甲" }] }));
    host.ask("memory:maintenance:run", json!({ "job": "daily" }));
    let refused = host.answer("memory:episode:query", json!({ "projectId": TITLE, "queryText": PRIVATE }));
    assert_eq!(refused["error"]["data"]["code"], "MEMORY_NOT_FOUND");
    host.answer(PRIVATE, json!({}));
    break_off(&host, "indexer", true);
    host.ask("memory:episode:record", taken(&project, PRIVATE, PRIVATE));
    wait_for(&host, "words", "unavailable");
    break_off(&host, "indexer", false);
    host.ask("memory:episode:record", taken(&project, PRIVATE, PRIVATE));
    wait_for(&host, "words", "ok");
    // A write meets the lock of another program: it is given up, the part is down, and it heals with the next write.
    let lock = rusqlite::Connection::open(folder.path().join("data").join("episodes.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let given_up = host.answer("memory:episode:record", taken(&project, PRIVATE, PRIVATE));
    assert_eq!(given_up["error"]["data"]["code"], "MEMORY_WRITE_FAILED");
    wait_for(&host, "episodes", "unavailable");
    lock.execute_batch("ROLLBACK").unwrap();
    host.ask("memory:episode:record", taken(&project, PRIVATE, PRIVATE));
    wait_for(&host, "episodes", "ok");
    // A lock that ends during the retries. The machine may be too busy to end it in time: then once more.
    let retries = || {
        let said = fs::read_to_string(log(&folder)).unwrap();
        said.lines().filter(|line| line.contains("write retried") && line.contains(RECORDING)).count()
    };
    for _ in 0..20 {
        let before = retries();
        lock.execute_batch("BEGIN IMMEDIATE").unwrap();
        let waiting = host.send("memory:episode:record", taken(&project, PRIVATE, PRIVATE));
        while retries() == before {
            std::thread::yield_now();
        }
        lock.execute_batch("ROLLBACK").unwrap();
        if waiting.recv_timeout(std::time::Duration::from_secs(60)).expect("an answer")["error"].is_null() {
            break;
        }
    }
    wait_for(&host, "episodes", "ok");
    // The index may notice the next fault too: what is counted below is from before it.
    let before = fs::read_to_string(log(&folder)).unwrap();
    // A read fails: its line of the program is in the log.
    lock.execute_batch("ALTER TABLE traces RENAME COLUMN refs TO elsewhere").unwrap();
    let unread = host.answer("memory:trace:get", json!({ "projectId": project, "generationId": PRIVATE }));
    assert_eq!(unread["error"]["data"]["code"], "MEMORY_STORE_UNAVAILABLE");
    lock.execute_batch("ALTER TABLE traces RENAME COLUMN elsewhere TO refs").unwrap();
    assert!(host.end());
    let said = fs::read_to_string(log(&folder)).unwrap();
    for expected in [
        &[
            "WARN",
            "refused",
            "command=\"memory:trace:get\"",
            "sqlite_extended_code=1",
            "line=\"memory/src/storage/traces.rs:",
        ],
        &["INFO", "started", "version="][..],
        &["DEBUG", "answered", "command=\"memory:episode:record\"", "milliseconds="],
        &["WARN", "refused", "command=\"memory:episode:query\"", "code=NotFound"],
        &["INFO", "job done", "job=Daily", "milliseconds="],
        &["ERROR", "background work broke off", "task=\"indexer\""],
        &["INFO", "background work goes on", "task=\"indexer\""],
        &["WARN", "part down", "part=Words", "state=Unavailable", "reason=BrokeOff"],
        &["INFO", "part healed", "part=Words"],
        &["WARN", "write retried", RECORDING, "retry=1", "of=3", "wait_milliseconds=20", "sqlite_extended_code=5"],
        &["WARN", "write retried", RECORDING, "retry=2", "of=3", "wait_milliseconds=40", "sqlite_extended_code=5"],
        &["WARN", "write retried", RECORDING, "retry=3", "of=3", "wait_milliseconds=80", "sqlite_extended_code=5"],
        &["WARN", "write given up", RECORDING, "retries=3", "source=\"DatabaseBusy\""],
        &[
            "WARN",
            "refused",
            "command=\"memory:episode:record\"",
            "code=WriteFailed",
            RECORDING,
            "sqlite_extended_code=5",
        ],
        &["WARN", "part down", "part=Episodes", "state=Unavailable", "reason=Unwritable"],
        &["INFO", "part healed", "part=Episodes", "state=Ok"],
        &["INFO", "write succeeded after retries", RECORDING],
    ] {
        let has_all = |line: &str| expected.iter().all(|part| line.contains(part));
        assert!(said.lines().any(has_all), "{expected:?}: {said}");
    }
    for private in [TITLE, NAME, PRIVATE, "雨停", "甲"] {
        assert!(!said.contains(private), "{private}: {said}");
    }
    assert!(!said.contains(folder.path().to_str().unwrap()), "{said}");
    // One line a change, and not one a status.
    let changes: Vec<&str> = before.lines().filter(|line| line.contains("part=Words")).collect();
    assert_eq!(changes.len(), 2, "{changes:?}");
}
