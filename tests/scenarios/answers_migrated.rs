//! Answers of a file that was written before answer services and the use of answers were known (schema 16 of
//! `episodes.db`) are there with their standing, and the later parts work on them.

use std::{fs, path::Path};

use palimpsest_tests::{Writer, text};
use rusqlite::Connection;
use serde_json::json;

use crate::answers::{get, listed, of_book, run, validate};

const QUESTION: &str = "船什么时候能走？";
const ANSWER: &str = "潮水满的时候，每天晚五十分钟。";

/// Adds an answer of level 2 with three validations, and an open run that was given it.
fn add_rows(path: &Path) {
    let db = Connection::open(path).unwrap();
    let project: String = db.query_row("SELECT project_id FROM episodes LIMIT 1", [], |row| row.get(0)).unwrap();
    let answer = "INSERT INTO answers (answer_id, project_id, version, kind, origin, question, question_key, answer, \
        language, confidence, details, level, trust_milli, fails_half, passes, status, times_blocked, user_confirmed, \
        user_modified, is_challenged, post_right, post_weight, firm_right, firm_weight, tries, passed, staleness, \
        shown_count, used_count, created_at, updated_at, verified_at) \
        VALUES ('a1', ?1, 1, 'craft', 'agent', ?2, zeroblob(16), ?3, 'zh', 0.5, \
        '{\"explorationPath\":[],\"tags\":[\"水\"],\"sourceFiles\":[],\"relatedRecords\":[],\"metadata\":{}}', \
        2, 650, 0, 3, 'verified', 0, 0, 0, 0, 3.0, 3.0, 3.0, 3.0, 3, 3, 'current', 0, 0, 1773600000000, 1773600000000, \
        1773600000000)";
    db.execute(answer, [&project, QUESTION, ANSWER]).unwrap();
    for number in 1..=3 {
        let event = "INSERT INTO answer_events (event_id, project_id, answer_id, at, kind, result, strength, source, \
            is_applied) VALUES (?2, ?1, 'a1', 1773600000000, 'validated', 'pass', 'strong', 'writer', 1)";
        db.execute(event, [&project, &format!("e{number}")]).unwrap();
    }
    let open = "INSERT INTO answer_runs (run_id, project_id, query, kind, state, prepared_at) \
        VALUES ('r1', ?1, ?2, 'craft', 'prepared', 1773600000000)";
    db.execute(open, [&project, QUESTION]).unwrap();
}

#[test]
fn answers_of_an_older_file_keep_their_words_level_and_history_and_take_part_in_runs() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let writer = Writer::with_folder(|data| {
        for file in ["rules", "episodes"] {
            fs::copy(fixtures.join(format!("{file}-0016.db")), data.join(format!("{file}.db"))).unwrap();
        }
        add_rows(&data.join("episodes.db"));
    });
    let project = text(&writer.ask("project:list", json!({}))["projects"][0], "projectId");
    writer.wait_until_idle();
    let answer = get(&writer, &project, "a1");
    assert_eq!((&answer["question"], &answer["answer"]), (&json!(QUESTION), &json!(ANSWER)));
    assert_eq!((&answer["validationLevel"], &answer["details"]["tags"]), (&json!(2), &json!(["水"])));
    assert_eq!((&answer["isPromoted"], &answer["nearby"]), (&json!(false), &json!(null)));
    let history = writer.ask("answer:history", of_book(&project, json!({ "answerId": "a1" })));
    assert_eq!(history["events"].as_array().unwrap().len(), 3);
    let open = writer.ask("answer:run:get", of_book(&project, json!({ "runId": "r1" })));
    assert_eq!((&open["summary"]["state"], &open["matches"]), (&json!("prepared"), &json!([])));
    // The later tables and columns serve: a run, a verdict, and a promotion that is undone.
    let (prepared, completed) = run(&writer, &project, QUESTION, 0);
    assert_eq!(prepared["injected"][0]["answerId"], "a1", "{prepared}");
    assert_eq!(completed["hits"][0]["used"], true);
    validate(&writer, &project, "a1", "pass");
    let promoting = json!({ "answerId": "a1", "version": get(&writer, &project, "a1")["version"] });
    let promoted = writer.ask("answer:promote", of_book(&project, promoting));
    writer.ask("answer:undo", of_book(&project, json!({ "eventId": promoted["eventId"] })));
    let before = get(&writer, &project, "a1");
    let writer = writer.restarted();
    assert_eq!((get(&writer, &project, "a1"), listed(&writer, &project)["total"].clone()), (before, json!(1)));
}
