//! The questions that were asked about a book are listed again after a restart, with and without an answer.

use palimpsest_tests::{Host, text};
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_kills::{Machine, wait_for_words},
    asking_stage::{ANSWER, QUESTION, set_replies},
};

const UNKEPT: &str = "Who said “no” to the keeper?";
const INTERRUPTED: &str = "Where is the brass key?";

fn question(machine: &Machine, host: &Host, question: &str, answer: &str) -> Value {
    set_replies(&machine.server, &[], answer);
    let started = machine.start_question(host, json!({ "question": question }));
    machine.done(host, &started)
}

fn history(machine: &Machine, host: &Host) -> Vec<(String, bool)> {
    let history = host.ask("ask:history", of_book(&machine.project, json!({})));
    assert_eq!(history["isJournalKept"], true);
    let listed = history["questions"].as_array().unwrap().iter();
    listed.map(|one| (text(one, "question"), one["isInterrupted"].as_bool().unwrap())).collect()
}

/// A machine that was asked a question with a kept answer, one without, and one that a kill interrupted, with the host
/// that was started after it.
fn asked() -> (Machine, Host, Value) {
    let (machine, host) = Machine::new();
    let kept = question(&machine, &host, QUESTION, ANSWER);
    let unkept = question(&machine, &host, UNKEPT, "Tobias did. [P1 \"It is nowhere written\"]");
    assert_eq!(unkept["answered"]["kept"], Value::Null, "{unkept}");
    machine.hold_answer();
    machine.start_question(&host, json!({ "question": INTERRUPTED }));
    wait_for_words(&host);
    host.kill();
    let host = machine.host();
    (machine, host, kept["answered"]["kept"].clone())
}

fn history_of(questions: &[(&str, bool)]) -> Vec<(String, bool)> {
    questions.iter().map(|(question, is_interrupted)| ((*question).to_owned(), *is_interrupted)).collect()
}

#[test]
fn the_questions_of_a_book_are_listed_after_a_restart_also_one_without_an_answer_and_one_that_a_kill_interrupted() {
    let (machine, host, _) = asked();
    let all = [(INTERRUPTED, true), (UNKEPT, false), (QUESTION, false)];
    assert_eq!(history(&machine, &host), history_of(&all));
    let limited = host.ask("ask:history", of_book(&machine.project, json!({ "limit": 1 })));
    assert_eq!(limited["questions"].as_array().unwrap().len(), 1);
    // Asked again, it is interrupted no longer.
    question(&machine, &host, INTERRUPTED, ANSWER);
    let all = [(INTERRUPTED, false), (UNKEPT, false), (QUESTION, false)];
    assert_eq!(history(&machine, &host), history_of(&all));
    assert!(host.end());
}

#[test]
fn a_question_whose_entry_is_redacted_or_whose_answer_is_deleted_is_not_listed() {
    let (machine, host, kept) = asked();
    let entries = host.ask("journal:list", of_book(&machine.project, json!({ "kind": "ask" })))["entries"].clone();
    let of_unkept = entries.as_array().unwrap().iter().find(|entry| text(entry, "content").contains(UNKEPT)).unwrap();
    let redacted = json!({ "entryId": of_unkept["id"], "confirmed": true });
    host.ask("journal:redact", of_book(&machine.project, redacted));
    assert_eq!(history(&machine, &host), history_of(&[(INTERRUPTED, true), (QUESTION, false)]));
    let deleted = json!({ "answerId": kept["answerId"], "version": kept["version"], "confirmed": true });
    host.ask("answer:delete", of_book(&machine.project, deleted));
    assert_eq!(history(&machine, &host), history_of(&[(INTERRUPTED, true)]));
    assert!(host.end());
}
