//! Answers of a file that was written before answer services and the use of answers were known (schema 16 of
//! `episodes.db`) are there with their standing, and the later parts work on them.

use std::{fs, path::Path};

use palimpsest_tests::{Writer, text};
use rusqlite::Connection;
use serde_json::json;

use crate::answers::{get, listed, of_book, record, run, validate};

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

#[test]
fn keys_of_questions_that_are_made_in_another_way_are_made_again_and_deleted_questions_stay_known() {
    let writer = Writer::new();
    let project = writer.book("夜航", "zh");
    let first = text(&record(&writer, &project, QUESTION, ANSWER), "answerId");
    record(&writer, &project, QUESTION, "天亮以前，趁着西风。");
    let deleted = record(&writer, &project, "渡口在哪里？", "在周家渡。");
    let deleting = json!({ "answerId": deleted["answerId"], "version": deleted["version"], "confirmed": true });
    writer.ask("answer:delete", of_book(&project, deleting));
    writer.wait_until_idle();
    let data = writer.data_dir();
    // As another version would have left them: other keys, also of the deleted question.
    let writer = writer.restarted_after(|| {
        let db = Connection::open(data.join("episodes.db")).unwrap();
        db.execute("UPDATE answers SET question_key = randomblob(16)", []).unwrap();
        db.execute("INSERT OR REPLACE INTO watermarks (name, value) VALUES ('question-keys', 0)", []).unwrap();
        let db = Connection::open(data.join("rules.db")).unwrap();
        let other = "UPDATE deletions SET id = lower(hex(randomblob(16))) WHERE kind = 'question' AND length(id) = 32";
        assert_eq!(db.execute(other, []).unwrap(), 1);
    });
    // Answers to one question disagree, and questions are one by their keys, which are made in the background.
    let arguments = of_book(&project, json!({ "answerId": first }));
    writer.ask_until("answer:get", arguments, |found| found["disagreesWith"].as_array().unwrap().len() == 1);
    let prepared = writer.ask("answer:prepare", of_book(&project, json!({ "query": "渡口在哪里" })));
    let outcome = json!({ "exitCode": 0, "answer": "渡口在周家渡，潮水退的时候从石阶下去，天黑以前有船。".repeat(12) });
    let completing = json!({ "runId": prepared["runId"], "outcome": outcome });
    let completed = writer.ask("answer:complete", of_book(&project, completing));
    assert_eq!(completed["whyNot"], json!(["deleted"]));
}
