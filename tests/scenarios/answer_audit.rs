//! The audit of runs: listed, read, decided again, and written line by line without a text.

use std::{fs, path::PathBuf};

use palimpsest_api::ports::Clock;
use palimpsest_tests::{Writer, part_of, text};
use serde_json::{Value, json};

use crate::{
    answers::{LONG, complete, of_book, prepare, record, run, validate},
    erasing::files_containing,
};

const QUESTION: &str = "When can the boat leave the harbour?";
/// Words that are in questions, answers, outputs and names, and nowhere else.
const MARKS: [&str; 4] = ["zyxquorn", "brillaxo", "琅玕渡", "toolomat"];

fn set(writer: &Writer, values: Value) {
    writer.ask("answer:config:set", json!({ "values": values }));
}

fn audited() -> Writer {
    let writer = Writer::new();
    set(&writer, json!({ "events_out.enabled": true }));
    writer
}

fn audit_file(writer: &Writer) -> PathBuf {
    writer.data_dir().join("audit/run.events.jsonl")
}

fn lines(writer: &Writer) -> Vec<Value> {
    writer.wait_until_idle();
    let text = fs::read_to_string(audit_file(writer)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn types(lines: &[Value], run: &Value) -> Vec<String> {
    lines.iter().filter(|line| line["run_id"] == run["runId"]).map(|line| text(line, "type")).collect()
}

/// The lines without the hash of the question, which is removed when its run ends.
fn without_query_hash(mut lines: Vec<Value>) -> Vec<Value> {
    for line in &mut lines {
        if let Some(hash) = line["data"].get_mut("query_hash") {
            *hash = Value::Null;
        }
    }
    lines
}

fn audit_part(writer: &Writer) -> Value {
    part_of(&writer.ask("memory:status", json!({})), "audit")
}

/// A book with an answer of level 2 to the question, and with answers of level 2 to two similar questions.
fn book_with_answers(writer: &Writer) -> (String, Vec<String>) {
    let project = writer.book("Night Ferry", "en");
    let questions = [QUESTION, "When can the boat leave the pier?", "When can the ferry leave the harbour?"];
    let ids: Vec<String> = (1..)
        .zip(questions)
        .map(|(n, question)| {
            let answer = format!("The boat can leave the harbour at high water, says log {n}.");
            text(&record(writer, &project, question, &answer), "answerId")
        })
        .collect();
    for id in &ids {
        (0..3).for_each(|_| drop(validate(writer, &project, id, "pass")));
    }
    (project, ids)
}

#[test]
fn a_run_is_listed_and_read_with_its_matches_and_decisions_in_its_book_alone() {
    let writer = Writer::new();
    let (project, ids) = book_with_answers(&writer);
    let other = writer.book("Other", "en");
    let (first, completed) = run(&writer, &project, QUESTION, 0);
    writer.clock.advance_millis(1_000);
    let second = prepare(&writer, &project, "Who mended the rudder?");
    let list = |more: Value| writer.ask("answer:run:list", of_book(&project, more))["runs"].clone();
    let runs = list(json!({}));
    assert_eq!(
        runs.as_array().unwrap().iter().map(|run| &run["runId"]).collect::<Vec<_>>(),
        [&second["runId"], &first["runId"]]
    );
    assert_eq!((&runs[0]["state"], &runs[1]["state"]), (&json!("prepared"), &json!("completed")));
    assert_eq!((&runs[1]["used"], &runs[1]["result"]), (&json!(1), &json!("pass")));
    assert_eq!(list(json!({ "limit": 1 })).as_array().unwrap().len(), 1);
    assert_eq!(list(json!({ "before": second["runId"] }))[0]["runId"], first["runId"]);
    assert_eq!(list(json!({ "before": first["runId"] })), json!([]));
    let read = writer.ask("answer:run:get", of_book(&project, json!({ "runId": first["runId"] })));
    assert_eq!(read["completed"], completed);
    let shown = &read["matches"][0];
    assert_eq!(
        (&shown["answerId"], &shown["handle"], &shown["decision"], &shown["wasUsed"], &shown["validationLevel"]),
        (&json!(ids[0]), &json!("QA:1"), &json!("injected"), &json!(true), &json!(2))
    );
    assert!(!read.to_string().contains("harbour"), "no text is in it");
    for command in ["answer:run:get", "answer:run:list"] {
        let field = if command == "answer:run:get" { "runId" } else { "before" };
        let refused = writer.refused(command, of_book(&other, json!({ field: first["runId"] })));
        assert_eq!(refused.0, "MEMORY_SCOPE_DENIED");
        let unknown = writer.refused(command, of_book(&project, json!({ field: "none" })));
        assert_eq!(unknown, ("MEMORY_NOT_FOUND".into(), field.into()));
    }
    assert_eq!(writer.ask("answer:run:list", of_book(&other, json!({})))["runs"], json!([]));
    let limit = writer.refused("answer:run:list", of_book(&project, json!({ "limit": 201 })));
    assert_eq!(limit, ("MEMORY_INVALID_ARGUMENT".into(), "limit".into()));
}

#[test]
fn a_replay_says_what_other_settings_would_have_decided_and_changes_nothing() {
    let writer = Writer::new();
    let (project, ids) = book_with_answers(&writer);
    let (first, _) = run(&writer, &project, QUESTION, 0);
    writer.clock.advance_millis(60_000);
    let since = writer.clock.now();
    let (second, _) = run(&writer, &project, QUESTION, 0);
    prepare(&writer, &project, "谁修了舵？");
    let shown = |run: &Value| -> Vec<Value> {
        run["injected"].as_array().unwrap().iter().map(|one| one["answerId"].clone()).collect()
    };
    assert!(shown(&first).len() > 1, "{first}");
    let replay = |more: Value| writer.ask("answer:replay", of_book(&project, more));
    let same = replay(json!({ "config": {} }));
    assert_eq!((&same["runs"], &same["changed"]), (&json!(3), &json!([])));
    // One answer instead of several.
    let fewer = replay(json!({ "config": { "gatekeeper.max_inject": 1 } }));
    let changed = fewer["changed"].as_array().unwrap();
    assert_eq!(changed.iter().map(|run| &run["runId"]).collect::<Vec<_>>(), [&first["runId"], &second["runId"]]);
    assert_eq!(changed[0]["before"]["injected"], json!(shown(&first)));
    assert_eq!(changed[0]["after"]["injected"], json!(shown(&first)[..1]));
    assert_eq!(changed[0]["before"]["isAnswered"], true);
    assert_eq!(fewer["removed"], shown(&first).len() + shown(&second).len() - 2);
    // A gate that only the same question passes, and one that nothing passes.
    let higher = replay(json!({ "since": since, "config": { "gatekeeper.min_score_inject": 1 } }));
    assert_eq!((&higher["runs"], &higher["changed"][0]["after"]["injected"]), (&json!(2), &json!([ids[0]])));
    let nothing_given = json!({ "gatekeeper.min_level_inject": 3, "gatekeeper.min_level_fallback": 3, "gatekeeper.probation_slots": 0 });
    let off = replay(json!({ "config": nothing_given }));
    assert_eq!(off["changed"][0]["after"], json!({ "injected": [], "probation": null, "isAnswered": true }));
    // The decisions compared with are those of then, whatever the settings are now.
    set(&writer, json!({ "gatekeeper.max_inject": 1 }));
    assert_eq!(replay(json!({ "config": {} }))["changed"].as_array().unwrap().len(), 2);
    let refused =
        writer.refused("answer:replay", of_book(&project, json!({ "config": { "gatekeeper.max_inject": 99 } })));
    assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), "config.gatekeeper.max_inject".into()));
}

#[test]
fn a_run_is_in_the_audit_in_the_types_of_the_original_and_without_any_text() {
    let writer = audited();
    let project = writer.book(MARKS[1], "en");
    let answer = format!("{LONG} {}", MARKS[0]);
    let question = format!("When can the boat leave {} and {}?", MARKS[0], MARKS[2]);
    let id = text(&record(&writer, &project, &question, &answer), "answerId");
    let prepared = prepare(&writer, &project, &question);
    let started = lines(&writer);
    assert_eq!(types(&started, &prepared), ["memory.search.result", "run.start"]);
    let start = &started[1];
    assert_eq!((&start["v"], &start["project_id"]), (&json!(1), &json!(project)));
    assert_eq!(start["data"]["injected"], json!([{ "qa_id": id, "handle": 1, "probation": true }]));
    assert_eq!(text(&start["data"], "query_hash").len(), 32);
    let outcome = json!({
        "exitCode": 0,
        "answer": format!("{answer} [QA:1]"),
        "tools": [{ "name": MARKS[3], "ok": true }, { "name": MARKS[3], "ok": false }],
        "outputTail": MARKS[2],
    });
    complete(&writer, &project, &prepared, outcome);
    let all = lines(&writer);
    assert_eq!(
        types(&all, &prepared)[2..],
        [
            "tool.request",
            "tool.result",
            "tool.request",
            "tool.result",
            "gatekeeper.decision",
            "memory.hit.write",
            "memory.validation.write",
            "run.end"
        ]
    );
    let of_type = |kind: &str| all.iter().find(|line| line["type"] == kind).unwrap()["data"].clone();
    assert_eq!(of_type("memory.hit.write"), json!({ "references": [{ "qa_id": id, "shown": true, "used": true }] }));
    assert_eq!(of_type("memory.validation.write")["result"], "pass");
    assert_eq!(of_type("gatekeeper.decision")["why_not"], json!(["answeredAlready"]));
    // A candidate, with hashes in the place of its texts.
    let other = prepare(&writer, &project, &format!("Who is {}?", MARKS[2]));
    let said = json!({ "exitCode": 0, "answer": format!("{LONG} Also {}.", MARKS[1]) });
    let candidate = text(&complete(&writer, &project, &other, said), "candidateId");
    let all = lines(&writer);
    let written = all.iter().find(|line| line["type"] == "memory.candidate.write").unwrap();
    assert_eq!(written["data"]["qa_id"], *candidate);
    assert_eq!(text(&written["data"], "answer_hash").len(), 32);
    // A run that is never completed.
    let left = prepare(&writer, &project, "Who mended the rudder?");
    writer.clock.advance_millis(25 * 60 * 60 * 1_000);
    prepare(&writer, &project, "Who mended the sail?");
    let all = lines(&writer);
    assert_eq!(types(&all, &left), ["memory.search.result", "run.start", "run.end"]);
    assert_eq!(files_containing(&writer.data_dir().join("audit"), &MARKS), Vec::<String>::new());
}

#[test]
fn the_audit_is_off_by_default_and_once_on_it_has_the_runs_of_the_past() {
    let writer = Writer::new();
    let (project, _) = book_with_answers(&writer);
    let (first, _) = run(&writer, &project, QUESTION, 0);
    assert_eq!(lines(&writer), Vec::<Value>::new());
    assert!(!writer.data_dir().join("audit").exists());
    set(&writer, json!({ "events_out.enabled": true }));
    assert_eq!(types(&lines(&writer), &first).last().unwrap(), "run.end");
    set(&writer, json!({ "events_out.enabled": false }));
    let before = lines(&writer);
    let (second, _) = run(&writer, &project, QUESTION, 0);
    assert_eq!(lines(&writer), before);
    set(&writer, json!({ "events_out.enabled": true }));
    assert!(!types(&lines(&writer), &second).is_empty());
}

#[test]
fn an_audit_that_was_deleted_or_cut_off_is_made_again_from_the_rows() {
    let writer = audited();
    let (project, _) = book_with_answers(&writer);
    (0..5).for_each(|_| drop(run(&writer, &project, QUESTION, 0)));
    let whole = without_query_hash(lines(&writer));
    let file = audit_file(&writer);
    let writer = writer.restarted_after(|| fs::remove_file(&file).unwrap());
    assert_eq!(without_query_hash(lines(&writer)), whole);
    // Cut off in the middle of a line.
    let file = audit_file(&writer);
    let writer = writer.restarted_after(|| {
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    });
    assert_eq!(without_query_hash(lines(&writer)), whole);
    // Deleted while the program runs: the next run brings it back.
    fs::remove_dir_all(writer.data_dir().join("audit")).unwrap();
    let (last, _) = run(&writer, &project, QUESTION, 0);
    let again = without_query_hash(lines(&writer));
    assert_eq!(again[..whole.len()], whole);
    assert!(again[whole.len()..].iter().all(|line| line["run_id"] == last["runId"]));
}

#[test]
fn an_audit_that_cannot_be_written_is_down_alone_and_heals() {
    let writer = Writer::with_folder(|data| fs::write(data.join("audit"), "in the way").unwrap());
    set(&writer, json!({ "events_out.enabled": true }));
    let (project, _) = book_with_answers(&writer);
    let (first, completed) = run(&writer, &project, QUESTION, 0);
    assert_eq!(completed["assessment"]["result"], "pass");
    writer.wait_until_idle();
    let health = audit_part(&writer);
    assert_eq!((&health["state"], &health["reason"]), (&json!("unavailable"), &json!("auditUnwritable")));
    fs::remove_file(writer.data_dir().join("audit")).unwrap();
    // The next run is one more attempt.
    let (second, _) = run(&writer, &project, QUESTION, 0);
    writer.ask_until("memory:status", json!({}), |status| part_of(status, "audit")["state"] == "ok");
    let all = lines(&writer);
    assert!([first, second].iter().all(|run| types(&all, run).last().unwrap() == "run.end"));
}

#[test]
fn full_files_are_numbered_and_clearing_a_book_leaves_the_lines_of_the_others() {
    let writer = audited();
    set(&writer, json!({ "events_out.max_file_bytes": 65_536, "events_out.max_files": 3 }));
    let (one, _) = book_with_answers(&writer);
    let (other, _) = book_with_answers(&writer);
    for _ in 0..120 {
        run(&writer, &one, QUESTION, 0);
        run(&writer, &other, QUESTION, 0);
    }
    writer.wait_until_idle();
    let folder = writer.data_dir().join("audit");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let names = ["run.events.jsonl", "run.events.1.jsonl", "run.events.2.jsonl"];
    assert!(names.iter().all(|name| (1..=65_536).contains(&read(name).len())));
    assert!(!folder.join("run.events.3.jsonl").exists());
    let key = fs::read(folder.join("key")).unwrap();
    writer.ask("memory:clear:project", of_book(&one, json!({ "confirmed": true })));
    assert_eq!(files_containing(&folder, &[&one]), Vec::<String>::new());
    let rest: String = names.iter().map(|name| read(name)).collect();
    assert!(rest.lines().count() > 100 && rest.lines().all(|line| line.contains(&other)));
    let (after, _) = run(&writer, &other, QUESTION, 0);
    writer.wait_until_idle();
    assert!(read(names[0]).contains(&text(&after, "runId")));
    assert_ne!(fs::read(folder.join("key")).unwrap(), key, "hashes of before are of another key");
    writer.ask("memory:clear:all", json!({ "confirmed": true }));
    assert_eq!(
        fs::read_dir(&folder)
            .unwrap()
            .filter(|entry| { entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("run.events") })
            .count(),
        0
    );
}

#[test]
fn deleting_an_answer_makes_the_hashes_of_the_audit_useless() {
    let writer = audited();
    let (project, ids) = book_with_answers(&writer);
    run(&writer, &project, QUESTION, 0);
    writer.wait_until_idle();
    let key = writer.data_dir().join("audit/key");
    let before = fs::read(&key).unwrap();
    let version = writer.ask("answer:get", of_book(&project, json!({ "answerId": ids[1] })))["version"].clone();
    writer
        .ask("answer:delete", of_book(&project, json!({ "answerId": ids[1], "version": version, "confirmed": true })));
    run(&writer, &project, QUESTION, 0);
    writer.wait_until_idle();
    assert_ne!(fs::read(&key).unwrap(), before);
}
