//! Clearing a book: nothing of its questions and answers is left, whenever the clearing comes.

use std::fs;

use palimpsest_tests::{
    Writer,
    clock::retry_without_pause,
    server::{Answer, Server},
    text,
};
use serde_json::{Value, json};

use crate::{
    answers::{LONG, complete, folder_book, of_book, prepare, record, validate},
    asking_stage::{ANSWER, CHAT, QUESTION, Stage, result, spoken},
};

/// Every table with rows of questions and answers.
const TABLES: [&str; 11] = [
    "answers",
    "answer_citations",
    "answer_events",
    "answer_basis",
    "answer_insertions",
    "answer_runs",
    "answer_matches",
    "answer_outbox",
    "traces",
    "influences",
    "journal",
];

fn rows_by_table(writer: &Writer, project: &str) -> Vec<(&'static str, i64)> {
    let db = rusqlite::Connection::open(writer.data_dir().join("episodes.db")).unwrap();
    let count = |table| {
        let count = format!("SELECT count(*) FROM {table} WHERE project_id = ?1");
        (table, db.query_row(&count, [project], |row| row.get(0)).unwrap())
    };
    TABLES.into_iter().map(count).collect()
}

fn clear(writer: &Writer, project: &str) {
    writer.ask("memory:clear:project", of_book(project, json!({ "confirmed": true })));
}

/// A book with rows in all tables, whose service accepts nothing.
fn filled(writer: &Writer, server: &Server, name: &str) -> String {
    let chapter = format!("# {name}\n\nThe ferry sank in the autumn.\n");
    let folder = writer.path_beside(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("01.md"), &chapter).unwrap();
    let book = writer.ask("project:open", json!({ "path": folder }))["book"].clone();
    let (project, chapter_id) = (text(&book["project"], "projectId"), text(&book["chapters"][0], "chapterId"));
    let from = chapter.find("The ferry").unwrap();
    let cited = json!([{ "chapterId": chapter_id, "quote": "The ferry sank in the autumn.", "from": from }]);
    let asked = json!({ "question": "When did the ferry sink?", "answer": "In the autumn.", "kind": "canon",
        "citations": cited });
    writer.ask("answer:record", of_book(&project, asked));
    let nowhere = json!({ "question": "Who swam?", "answer": "The book does not say.", "notInBook": true });
    writer.ask("answer:record", of_book(&project, nowhere));
    let id = text(&record(writer, &project, "When can the boat leave the harbour?", LONG), "answerId");
    (0..3).for_each(|_| drop(validate(writer, &project, &id, "pass")));
    // Put into the chapter.
    writer.ask("answer:recheck", of_book(&project, json!({})));
    fs::write(folder.join("01.md"), format!("{chapter}\n{LONG}\n")).unwrap();
    writer.ask("answer:recheck", of_book(&project, json!({})));
    // A run with an answer of the service, whose hit waits in the outbox.
    let of_service = "Who carries the lamp over the bar?";
    let item = json!([{ "qa_id": "t-1", "question": of_service, "answer": "The pilot carries it.", "score": 0.9, "relevance": 1.0, "trust": 0.8, "freshness": 1.0, "validation_level": 2,
        "status": "active", "metadata": { "consecutive_fail": 0 } }]);
    server.always("/v1/qa/search", Answer::json(200, item));
    let run = prepare(writer, &project, of_service);
    complete(writer, &project, &run, json!({ "exitCode": 0, "answer": "As before [QA:1]." }));
    server.always("/v1/qa/search", Answer::json(200, json!([])));
    // A question that a model answered.
    let started = writer.ask("ask:run", of_book(&project, json!({ "question": "Where is the ferry now?" })));
    while writer.wait_for_event("ask:done")["runId"] != started["runId"] {}
    project
}

#[test]
fn clearing_a_book_leaves_no_row_of_its_answers_and_questions_and_all_rows_of_another() {
    let server = Server::start();
    let writer = Writer::with(retry_without_pause);
    server.always(CHAT, Answer::chat(&["The ferry sank. [P1 \"The ferry sank in the autumn.\"]"]));
    for path in ["/v1/qa/hit", "/v1/qa/validate", "/v1/qa/candidates"] {
        server.always(path, Answer::json(503, json!({})));
    }
    let provider = json!({ "kind": "openAi", "name": "at home", "baseUrl": server.url("/v1") });
    let provider = writer.ask("ai:provider:save", provider);
    let choice = json!({ "purpose": "asking", "providerId": provider["providerId"], "model": "reader" });
    writer.ask("ai:purpose:set", choice);
    let service = json!({ "baseUrl": server.url(""), "key": "k-of-the-team", "enabled": true, "sendCandidates": true });
    writer.ask("answer:service:set", service);
    let backend = writer.ask("backend:save", json!({ "kind": "claude", "name": "Claude" }));
    let (cleared, other) = (filled(&writer, &server, "one"), filled(&writer, &server, "two"));
    writer.wait_until_idle();
    for project in [&cleared, &other] {
        let empty: Vec<_> = rows_by_table(&writer, project).into_iter().filter(|(_, rows)| *rows == 0).collect();
        assert!(empty.is_empty(), "{empty:?}");
    }
    let kept = rows_by_table(&writer, &other);
    clear(&writer, &cleared);
    assert_eq!(rows_by_table(&writer, &cleared), TABLES.map(|table| (table, 0)));
    assert_eq!(rows_by_table(&writer, &other), kept);
    writer.clock.advance_millis(3_600_000);
    writer.api.clock_moved();
    writer.ask("answer:recheck", of_book(&cleared, json!({})));
    writer.wait_until_idle();
    let writer = writer.restarted_with(retry_without_pause);
    writer.wait_until_idle();
    assert_eq!(rows_by_table(&writer, &cleared), TABLES.map(|table| (table, 0)), "nothing comes back");
    // A program that is set up is no memory of a book.
    assert_eq!(writer.ask("backend:list", json!({}))["backends"], json!([backend]));
}

/// Clears the book of a question that is under way, and asserts that nothing of it is left once it has ended.
fn assert_cleared_in_the_middle(stage: &Stage, started: &Value, moment: &str) {
    clear(&stage.writer, &stage.project);
    stage.end_of(started.clone());
    stage.writer.wait_until_idle();
    assert_eq!(rows_by_table(&stage.writer, &stage.project), TABLES.map(|table| (table, 0)), "{moment}");
    let trace = json!({ "generationId": started["runId"] });
    let refused = stage.writer.refused("memory:trace:get", of_book(&stage.project, trace));
    assert_eq!(refused.0, "MEMORY_NOT_FOUND", "{moment}");
}

#[test]
fn a_clearing_in_the_middle_of_a_streamed_answer_leaves_neither_trace_nor_run_nor_answer() {
    let stage = Stage::with_model(&[], ANSWER);
    let gate = stage.hold_answer_after("They met in Harwick. ");
    let started = stage.start(json!({ "question": QUESTION }));
    stage.writer.wait_for_event("ask:chunk");
    assert_eq!(stage.row_counts(&["traces", "answer_runs"]), [1, 1], "the question is under way");
    assert_cleared_in_the_middle(&stage, &started, "model");
    gate.open();
    // The same question is a new one.
    crate::asking_stage::set_replies(&stage.server, &[], ANSWER);
    let asked = stage.ask_book(json!({ "question": QUESTION }));
    assert_eq!(asked.started["askedOf"]["kind"], "model");
}

#[test]
fn a_clearing_in_the_middle_of_a_program_leaves_neither_trace_nor_run_nor_answer() {
    let (stage, id) = Stage::with_program("claude", Default::default());
    stage.script("claude", &[spoken("They met in Harwick. "), json!({ "hang": true })]);
    let started = stage.start(json!({ "question": QUESTION, "backendId": id }));
    stage.writer.wait_for_event("ask:chunk");
    assert_eq!(stage.row_counts(&["traces", "answer_runs"]), [1, 1], "the program is under way");
    assert_cleared_in_the_middle(&stage, &started, "program");
    assert_eq!(fs::read_dir(stage.folder.path().join("tmp")).unwrap().count(), 0, "no copy of the book is left");
}

#[test]
fn a_clearing_at_any_step_of_a_question_leaves_nothing_of_it() {
    let replies = [
        json!({ "kind": "need", "need": "who Tobias is" }),
        json!({ "kind": "act", "tool": "find_in_book", "arguments": { "query": "Harwick" } }),
        json!({ "kind": "answer" }),
    ];
    let (stage, id) = Stage::with_program("claude", Default::default());
    stage.choose_model();
    stage.script("claude", &[spoken(ANSWER), result(ANSWER)]);
    for event in 0..24 {
        let chapters = [crate::island::FERRY, crate::island::LEDGER, crate::island::END];
        crate::island::analyze(&stage.writer, &stage.project, &chapters);
        crate::asking_stage::set_replies(&stage.server, &replies, ANSWER);
        let backend = if event % 2 == 0 { Value::Null } else { json!(id) };
        let started = stage.start(json!({ "question": QUESTION, "backendId": backend }));
        let mut done = None;
        for _ in 0..event / 2 {
            let (name, payload) = stage.writer.next_event();
            if name == "ask:done" && payload["runId"] == started["runId"] {
                done = Some(payload);
                break;
            }
        }
        if done.is_some() {
            clear(&stage.writer, &stage.project);
            continue;
        }
        assert_cleared_in_the_middle(&stage, &started, &format!("event {event}"));
    }
}

#[test]
fn a_run_that_was_prepared_before_a_clearing_cannot_be_completed_after_it() {
    let writer = Writer::new();
    let (project, _, _) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    let run = prepare(&writer, &project, "When did the ferry sink?");
    clear(&writer, &project);
    let outcome = json!({ "exitCode": 0, "answer": LONG });
    let completing = of_book(&project, json!({ "runId": run["runId"], "outcome": outcome }));
    assert_eq!(writer.refused("answer:complete", completing), ("MEMORY_NOT_FOUND".into(), "runId".into()));
    assert_eq!(rows_by_table(&writer, &project), TABLES.map(|table| (table, 0)));
}
