//! Every question and every studied question leaves one entry, whatever its outcome.

use palimpsest_tests::{server::Answer, text};
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_stage::{ANSWER, CHAT, QUESTION, Stage},
    journal::verified,
    study_stage::{QUESTION as STUDIED, Script, Study, follow},
};

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// The contents of the entries of a kind, the earliest first.
fn contents_of(entries: &Value) -> Vec<String> {
    entries["entries"].as_array().unwrap().iter().rev().map(|entry| text(entry, "content")).collect()
}

fn asked_entries(stage: &Stage) -> Vec<String> {
    contents_of(&stage.writer.ask("journal:list", of_book(&stage.project, json!({ "kind": "ask" }))))
}

#[test]
fn a_question_leaves_one_entry_whether_it_is_answered_served_refused_stopped_or_asked_of_no_model() {
    let stage = Stage::with_model(&[], ANSWER);
    let ask = |question: &str| stage.ask_book(json!({ "question": question }));
    ask(QUESTION);
    stage.writer.clock.advance_millis(1_000);
    assert!(!stage.start(json!({ "question": QUESTION }))["served"].is_null());
    stage.writer.clock.advance_millis(1_000);
    let gate = stage.server.gate();
    let held = Answer::stream().wait_at(&gate);
    stage.server.reply(CHAT, move |_| held.clone());
    let started = stage.start(json!({ "question": "Who rows the boat?" }));
    stage.server.wait_for_request_to(CHAT);
    stage.writer.ask("ask:cancel", json!({ "runId": started["runId"] }));
    stage.end_of(started);
    stage.writer.clock.advance_millis(1_000);
    stage.server.reply(CHAT, |_| Answer::json(401, json!({ "error": { "message": "no" } })));
    let refused = ask("Who keeps the lamp?");
    assert_eq!(refused.done["status"], "failed");
    stage.writer.clock.advance_millis(1_000);
    stage.ask_book(json!({ "question": "Who reads the ledger?", "onlyBook": true }));
    let found = asked_entries(&stage);
    let expected = [
        (QUESTION, "Answered “They met in Harwick.”"),
        (QUESTION, "Answered with the answer kept on"),
        ("Who rows the boat?", "Stopped"),
        ("Who keeps the lamp?", "No answer."),
        ("Who reads the ledger?", "No model was asked"),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (content, (question, outcome)) in found.iter().zip(expected) {
        let is_told = content.starts_with(&format!("Asked “{question}”.")) && content.contains(outcome);
        assert!(is_told, "{content}: {question}, {outcome}");
    }
    assert_eq!(verified(&stage.writer, &stage.project)["isWhole"], true);
}

#[test]
fn a_question_that_is_refused_before_it_is_asked_leaves_no_entry() {
    let stage = Stage::with_model(&[], ANSWER);
    stage.writer.error("ask:run", of_book(&stage.project, json!({ "question": " " })));
    assert_eq!(asked_entries(&stage), [""; 0]);
}

#[test]
fn a_studied_question_leaves_one_entry_when_it_fails_and_one_when_it_is_answered() {
    let study = Study::agreed(Script::summing_up("{\"unanswerable\":true}"));
    study.study(STUDIED);
    let entries = study.ask_of_book("journal:list", json!({ "kind": "study" }));
    let failed = format!("Studied “{STUDIED}”. No answer: the book has no passage that says so.");
    assert_eq!(contents_of(&entries), std::slice::from_ref(&failed));
    assert_eq!(entries["entries"][0]["answerId"], Value::Null);

    study.writer.clock.advance_millis(DAY);
    follow(&study.server, Script::dutiful());
    study.run();
    let entries = study.ask_of_book("journal:list", json!({ "kind": "study" }));
    let answered = format!("Studied “{STUDIED}”. Found “They met in Harwick.”; one fact proposed.");
    assert_eq!(contents_of(&entries), [failed, answered]);
    let record = study.records()[0].clone();
    let answer = text(&record, "answerId");
    assert_eq!(entries["entries"][0]["answerId"], json!(answer));

    // Neither entry has the question after the answer is deleted.
    study.ask_of_book("answer:delete", json!({ "answerId": answer, "version": record["version"], "confirmed": true }));
    let entries = study.ask_of_book("journal:list", json!({ "kind": "study" }));
    assert_eq!(contents_of(&entries), ["", ""]);
    assert_eq!(verified(&study.writer, &study.project)["isWhole"], true);
}

#[test]
fn a_book_without_a_journal_gets_no_entry_of_a_question_or_a_study() {
    let study = Study::agreed(Script::summing_up("{\"unanswerable\":true}"));
    study.ask_of_book("journal:keep", json!({ "isKept": false }));
    study.study(STUDIED);
    study.ask_of_book("ask:run", json!({ "question": "Who rows the boat?", "onlyBook": true }));
    study.writer.wait_for_event("ask:done");
    assert_eq!(study.ask_of_book("journal:list", json!({}))["total"], 0);
}
