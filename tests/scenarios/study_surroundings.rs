//! The surroundings that a study needs: a key that the provider accepts, an open book, a share of the day, a file that
//! can be written, and no run of distillation at the same time. Where one of them is missing it waits, and then the
//! same question goes on.

use std::fs;

use palimpsest_tests::{
    Writer,
    server::{Answer, chat_piece},
    text,
};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_stage::CHAT,
    island::{END, FERRY, LEDGER},
    learning::{Life, Taste},
    runs::RunPause,
    study_stage::{Asked, QUESTION, STOP, Script, Study, follow, questions, request_kind},
};

const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;

/// Lets the model ask a question, and hold its first step until the gate opens.
fn hold_step(study: &Study) -> palimpsest_tests::server::Gate {
    let gate = study.server.gate();
    let held = gate.clone();
    study.server.reply(CHAT, move |asked| match request_kind(asked) {
        Asked::Questions => Answer::chat(&[&questions(&[QUESTION])]),
        _ => Answer::stream().wait_at(&held).event(&chat_piece(STOP)).chat_end(1),
    });
    gate
}

/// The provider of the model that studies.
fn provider(writer: &Writer) -> Value {
    writer.ask("ai:provider:list", json!({}))["providers"][0].clone()
}

#[test]
fn a_refused_key_stops_a_study_and_with_another_key_the_same_question_goes_on() {
    let study = Study::agreed(Script::dutiful());
    study.server.reply(CHAT, |asked| match request_kind(asked) {
        Asked::Questions => Answer::chat(&[&questions(&[QUESTION])]),
        _ => Answer::json(401, json!({ "error": { "message": "invalid api key" } })),
    });
    let state = study.run();
    assert_eq!((&state["currentPhase"], &state["stopReason"]), (&json!("stopped"), &json!("noKey")));
    assert_eq!((&state["question"], &state["consecutiveErrors"]), (&json!(QUESTION), &json!(0)));
    study.writer.clock.advance_millis(6 * MINUTE);
    let sent = study.requests().len();

    follow(&study.server, Script::dutiful());
    let known = provider(&study.writer);
    let save = json!({
        "providerId": known["providerId"], "kind": known["kind"], "name": known["name"],
        "baseUrl": known["baseUrl"], "key": "sk-another",
    });
    study.writer.ask("ai:provider:save", save);
    study.writer.ask_until("knowledge:study:get", of_book(&study.project, json!({})), |state| {
        state["totalQuestionsExplored"] == 1
    });
    assert!(study.requests().len() > sent, "nobody began it again");
    assert_eq!(study.records()[0]["question"], QUESTION);
    let state = study.study_state();
    assert_eq!((&state["explorationsToday"], study.count(Asked::Questions)), (&json!(1), 1), "{state}");
    let sent = study.server.requests_to(CHAT);
    assert!(sent.last().unwrap().header("authorization").unwrap().contains("sk-another"));
}

#[test]
fn the_explorations_of_a_day_are_limited_and_the_question_waits_for_tomorrow() {
    let study = Study::agreed(Script::dutiful());
    study.run();
    let db = Connection::open(study.writer.data_dir().join("episodes.db")).unwrap();
    db.execute("UPDATE study SET state = json_set(state, '$.explorationsToday', 100)", []).unwrap();
    drop(db);
    let before = study.requests().len();
    let state = study.study("Who owns the ferry of Harwick?");
    assert_eq!((&state["currentPhase"], &state["stopReason"]), (&json!("idle"), &json!("quota")), "{state}");
    assert_eq!(study.requests().len(), before, "nothing was sent");
    study.writer.clock.advance_millis(DAY);
    let state = study.run();
    assert_eq!((&state["explorationsToday"], study.records().len()), (&json!(1), 2), "{state}");
}

#[test]
fn a_study_whose_state_cannot_be_written_goes_on_by_itself_once_it_can() {
    let study = Study::agreed(Script::dutiful());
    let gate = hold_step(&study);
    study.start();
    study.wait_for_phase("exploring");
    study.server.wait_for_request_to(CHAT);
    let db = Connection::open(study.writer.data_dir().join("episodes.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    gate.open();
    study.writer.ask_until("memory:status", json!({}), |status| {
        status["parts"].as_array().unwrap().iter().any(|part| part["part"] == "episodes" && part["state"] != "ok")
    });
    follow(&study.server, Script::dutiful());
    db.execute_batch("ROLLBACK").unwrap();
    study.writer.ask_until("knowledge:study:get", of_book(&study.project, json!({})), |state| {
        state["totalQuestionsExplored"] == 1
    });
    let state = study.study_state();
    assert_eq!((&state["explorationsToday"], study.records().len()), (&json!(1), 1), "{state}");
}

#[test]
fn a_study_waits_while_rules_are_learned() {
    let pause = RunPause::default();
    let study = Study::by(pause.writer(), "en", &[FERRY, LEDGER, END]);
    follow(&study.server, Script::dutiful());
    let mut life = Life::new(&study.writer, "Night boat", "en", 7);
    life.choose_often(36, "action", Taste::Short);
    let run = pause.begin(&life, "testing");
    // Only now: while the writer chose, time has passed in which a study begins by itself.
    study.agree();
    let state = study.run();
    assert_eq!((&state["currentPhase"], study.requests().len()), (&json!("idle"), 0), "{state}");
    pause.resume_to_end(&study.writer, &run);
    study.writer.ask_until("memory:distill:list", json!({ "projectId": life.project }), |listed| {
        listed["runs"].as_array().unwrap().iter().all(|run| run["status"] != "running")
    });
    study.run();
    assert_eq!((study.study_state()["totalQuestionsExplored"].clone(), study.records().len()), (json!(1), 1));
}

#[test]
fn a_book_that_is_closed_in_the_middle_of_a_question_goes_on_with_it_when_it_is_open_again() {
    let writer = Writer::new();
    let folder = writer.path_beside("island");
    fs::create_dir_all(&folder).unwrap();
    for (name, chapter) in [("01.md", FERRY), ("02.md", LEDGER), ("03.md", END)] {
        fs::write(folder.join(name), chapter).unwrap();
    }
    let mut study = Study::by(writer, "en", &[FERRY, LEDGER, END]);
    let open =
        |writer: &Writer| text(&writer.ask("project:open", json!({ "path": folder }))["book"]["project"], "projectId");
    study.project = open(&study.writer);
    study.writer.wait_until_idle();
    study.agree();
    let gate = hold_step(&study);
    study.start();
    study.wait_for_phase("exploring");
    study.server.wait_for_request_to(CHAT);

    study.writer = study.writer.restarted();
    gate.open();
    follow(&study.server, Script::dutiful());
    let sent = study.requests().len();
    study.ask_of_book("knowledge:study:run", json!({}));
    let state = study.wait_for_phase("stopped");
    assert_eq!((&state["stopReason"], &state["question"]), (&json!("bookClosed"), &json!(QUESTION)));
    assert_eq!(study.requests().len(), sent);
    open(&study.writer);
    study.run();
    let state = study.study_state();
    assert_eq!((&state["explorationsToday"], study.records().len()), (&json!(1), 1), "{state}");
    assert_eq!((study.count(Asked::Questions), &study.records()[0]["question"]), (1, &json!(QUESTION)));
}
