//! A kill around the end of a run leaves all of what the run writes, or nothing.

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::clearing::ALONE;

const KILLS: usize = 100;
/// Runs that are completed at the same time.
const RUNS: usize = 4;

#[test]
fn a_hundred_kills_around_the_end_of_runs_lose_no_acknowledged_one_and_leave_none_half_written() {
    let folder = TempDir::new().unwrap();
    let host = Host::start(folder.path(), &ALONE);
    let project = text(&host.ask("project:create", json!({ "title": "夜航", "language": "zh" })), "projectId");
    let question = "船什么时候能走？";
    let recorded = host.ask(
        "answer:record",
        json!({ "projectId": project, "question": question, "answer": "潮水满的时候，每天晚五十分钟。" }),
    );
    let answer_id = text(&recorded["answer"], "answerId");
    let verdict = json!({ "projectId": project, "answerId": answer_id, "result": "pass", "source": "writer" });
    host.ask("answer:validate", verdict);
    let mut host = Some(host);
    let mut acknowledged: Vec<(String, Value, Value)> = Vec::new();
    for kill in 0..KILLS {
        let running = host.take().unwrap_or_else(|| Host::start(folder.path(), &ALONE));
        let requests: Vec<_> = (0..RUNS)
            .map(|_| {
                let prepared = running.ask("answer:prepare", json!({ "projectId": project, "query": question }));
                let run_id = text(&prepared, "runId");
                let outcome = json!({ "exitCode": 0, "answer": "照以前说的 [QA:1]。" });
                let args = json!({ "projectId": project, "runId": run_id, "outcome": outcome });
                (run_id, args.clone(), running.send("answer:complete", args))
            })
            .collect();
        let mut running = Some(running);
        for (number, (run_id, args, answer)) in requests.into_iter().enumerate() {
            if let Ok(answer) = answer.recv() {
                acknowledged.push((run_id, args, answer["result"].clone()));
            }
            if number == kill % RUNS
                && let Some(running) = running.take()
            {
                running.kill();
            }
        }
    }
    let host = Host::start(folder.path(), &ALONE);
    assert!(acknowledged.len() >= KILLS, "{}", acknowledged.len());
    for (run_id, args, completed) in &acknowledged {
        assert_eq!(&host.ask("answer:complete", args.clone()), completed, "the run {run_id} is completed, and once");
    }
    let arguments = json!({ "projectId": project, "answerId": answer_id });
    let answer = host.ask("answer:get", arguments.clone());
    let history = host.ask("answer:history", arguments);
    let events = history["events"].as_array().unwrap();
    // The history has the latest two hundred events: of each run a hit and a validation.
    let is_of_run = |event: &&Value| !event["runId"].is_null();
    for hit in events.iter().filter(is_of_run).filter(|event| event["kind"] == "hit") {
        let is_its = |event: &&Value| event["runId"] == hit["runId"] && event["kind"] == "validated";
        assert!(events.iter().filter(is_its).count() <= 1, "validated once");
    }
    assert!(answer["useCount"].as_u64().unwrap() >= acknowledged.len() as u64);
    assert_eq!(answer["hitCount"], answer["useCount"], "no hit without the rest of its run");
    assert_eq!(answer["posterior"]["tries"].as_u64().unwrap(), 1 + answer["useCount"].as_u64().unwrap());
    assert_eq!((&events[0]["validationLevel"], &events[0]["trust"]), (&answer["validationLevel"], &answer["trust"]));
    assert!(host.end());
}
