//! A kill around the lines of the audit leaves each run in it once, as its row says.

use std::{fs, time::Instant};

use palimpsest_tests::{Host, part_of, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::clearing::ALONE;

const KILLS: usize = 20;
/// Runs that are completed at the same time.
const RUNS: usize = 4;
/// Seconds after which a test gives up.
const MAX_WAIT_SECONDS: u64 = 60;

#[track_caller]
fn wait_until(is_true: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_true() {
        assert!(begun.elapsed().as_secs() < MAX_WAIT_SECONDS, "too long");
        std::thread::yield_now();
    }
}

/// Whether the audit has all runs.
fn is_written(host: &Host) -> bool {
    part_of(&host.ask("memory:status", json!({})), "audit")["state"] == "ok"
}

#[test]
fn after_kills_and_half_written_lines_no_committed_run_is_missing_in_the_audit_or_in_it_twice() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("config.toml"), "[events_out]\nenabled = true\n").unwrap();
    let file = folder.path().join("audit/run.events.jsonl");
    let mut host = Some(Host::start(folder.path(), &ALONE));
    let create = json!({ "title": "夜航", "language": "zh" });
    let project = text(&host.as_ref().unwrap().ask("project:create", create), "projectId");
    let size = || fs::metadata(&file).map_or(0, |meta| meta.len());
    let mut torn = 0;
    for kill in 0..KILLS {
        let before = size();
        let running = host.take().unwrap_or_else(|| Host::start(folder.path(), &ALONE));
        // The runs of the last round are being written, or are written, or neither.
        match kill % 3 {
            1 => wait_until(|| size() > before),
            2 => wait_until(|| is_written(&running)),
            _ => {}
        }
        let answers: Vec<_> = (0..RUNS)
            .map(|number| {
                let query = format!("船第{kill}天第{number}次什么时候能走？");
                let prepared = running.ask("answer:prepare", json!({ "projectId": project, "query": query }));
                let outcome = json!({ "exitCode": 0, "answer": "潮水满的时候。" });
                let args = json!({ "projectId": project, "runId": prepared["runId"], "outcome": outcome });
                running.send("answer:complete", args)
            })
            .collect();
        let mut running = Some(running);
        for (number, answer) in answers.into_iter().enumerate() {
            answer.recv().ok();
            if number == kill % RUNS
                && let Some(running) = running.take()
            {
                running.kill();
            }
        }
        // A crash of the system may also leave a part of the last line.
        let bytes = fs::read(&file).unwrap_or_default();
        if kill % 3 == 1 && bytes.len() > 20 {
            fs::write(&file, &bytes[..bytes.len() - 20]).unwrap();
            torn += 1;
        }
    }
    assert!(torn > 0, "there were lines to cut off");
    let host = Host::start(folder.path(), &ALONE);
    wait_until(|| is_written(&host));
    let listed = host.ask("answer:run:list", json!({ "projectId": project, "limit": 200 }));
    let runs = listed["runs"].as_array().unwrap();
    assert!(runs.len() >= KILLS * RUNS, "{}", runs.len());
    let audit = fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |run: &Value, kind: &str| {
        lines.iter().filter(|line| line["run_id"] == run["runId"] && line["type"] == kind).count()
    };
    for run in runs {
        let ended = usize::from(run["state"] != "prepared");
        let completed = usize::from(run["state"] == "completed");
        let expected = [1, 1, completed, ended];
        let kinds = ["memory.search.result", "run.start", "gatekeeper.decision", "run.end"];
        assert_eq!(kinds.map(|kind| count(run, kind)), expected, "{run}");
    }
    let is_listed = |line: &Value| runs.iter().any(|run| run["runId"] == line["run_id"]);
    assert!(lines.iter().all(is_listed), "no run is in the audit that has no row");
    assert!(runs.iter().any(|run| run["state"] == "completed"));
    assert!(host.end());
}
