//! A run is measured by leaving its answers out: an answer that made no difference gains nothing by having been named.

use palimpsest_tests::{server::Answer, text};
use serde_json::{Value, json};

use crate::{
    answers::{complete, get, of_book, prepare, record},
    asking_stage::{CHAT, QUESTION, Stage, is_reply, prompt_of},
};

const KEPT: &str =
    "In Harwick on the quay, where the rope makers dry their hemp and nobody asks for a name before noon.";
const CITED: &str = "[P1 \"They had met in Harwick on 15 May 1983\"]";
/// An answer without the words of the recorded one.
const OTHER: &str = "They met in Harwick";

/// A scene with a recorded answer that the next run names; the run and the answer. `with` is the answer of the model to
/// a prompt that has the recorded one, `without` to any other.
fn named_run(with: &str, without: &str) -> (Stage, Value, String) {
    let stage = Stage::with_model(&[], "");
    let answer_id = text(&record(&stage.writer, &stage.project, QUESTION, KEPT), "answerId");
    let (with, without) = (with.to_owned(), without.to_owned());
    stage.server.reply(CHAT, move |asked| match is_reply(asked) {
        true => Answer::chat(&["{\"kind\":\"answer\"}"]),
        false if prompt_of(asked).contains("rope makers") => Answer::chat(&[&with]),
        false => Answer::chat(&[&without]),
    });
    let asked = stage.ask_book(json!({ "question": QUESTION, "fresh": true }));
    (stage, asked.started["runId"].clone(), answer_id)
}

fn measure(stage: &Stage, run_id: &Value, more: &[(&str, Value)]) -> Value {
    let mut args = json!({ "runId": run_id });
    more.iter().for_each(|(field, value)| args[*field] = value.clone());
    stage.writer.ask("answer:measure", of_book(&stage.project, args))
}

fn measure_confirmed(stage: &Stage, run_id: &Value) -> Value {
    let measured = measure(stage, run_id, &[("confirmed", json!(true)), ("wait", json!(true))]);
    assert_eq!(measured["status"], "measured", "{measured}");
    measured
}

/// The validation of an answer by a run.
fn validation(stage: &Stage, id: &str) -> Value {
    let events = stage.writer.ask("answer:history", of_book(&stage.project, json!({ "answerId": id })));
    let events = events["events"].as_array().unwrap().clone();
    events.into_iter().find(|event| event["kind"] == "validated" && event["source"] == "run").unwrap()
}

/// Trust, level, uses, and the number of signals of the posterior.
fn standing(stage: &Stage, id: &str) -> (Value, Value, Value, Value) {
    let mut answer = get(&stage.writer, &stage.project, id);
    let tries = answer["posterior"]["tries"].take();
    (answer["trust"].take(), answer["validationLevel"].take(), answer["useCount"].take(), tries)
}

#[test]
fn an_answer_that_was_named_and_made_no_difference_loses_what_it_gained_by_that() {
    let same = format!("{OTHER} [QA:1]. {CITED}");
    let (stage, run_id, id) = named_run(&same, &same);
    assert_eq!(standing(&stage, &id), (json!(0.55), json!(1), json!(1), json!(1)));

    let sent = stage.prompts().len();
    let plan = measure(&stage, &run_id, &[]);
    assert_eq!((&plan["status"], &plan["cost"]["regenerations"]), (&json!("unconfirmed"), &json!(16)), "{plan}");
    assert_eq!((stage.prompts().len(), standing(&stage, &id).0), (sent, json!(0.55)), "nothing is sent unconfirmed");

    let measured = measure_confirmed(&stage, &run_id);
    assert_eq!(stage.prompts().len(), sent + 16);
    let masked = measured["trace"]["influenceWeights"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(masked["tier"], "masked");
    assert_eq!(standing(&stage, &id), (json!(0.5), json!(0), json!(1), json!(0)), "the use itself is recorded");
    let undone = validation(&stage, &id);
    assert_ne!(undone["undoneAt"], Value::Null, "{undone}");

    // A run is measured once, and its result holds.
    let again = measure_confirmed(&stage, &run_id);
    assert_eq!((again["trace"].clone(), stage.prompts().len()), (measured["trace"].clone(), sent + 16));
    assert_eq!(validation(&stage, &id), undone);
}

#[test]
fn an_answer_that_changed_the_run_keeps_what_it_gained() {
    let (stage, run_id, id) =
        named_run(&format!("{} [QA:1]. {CITED}", KEPT.trim_end_matches('.')), &format!("{OTHER}. {CITED}"));
    let before = standing(&stage, &id);
    assert_eq!(before, (json!(0.55), json!(1), json!(1), json!(1)));
    let measured = measure_confirmed(&stage, &run_id);
    let masked = measured["trace"]["influenceWeights"].as_array().unwrap().last().unwrap().clone();
    let of_answer = format!("answer:{id}");
    let weight = masked["weights"].as_array().unwrap().iter().find(|one| one["referenceId"] == of_answer).unwrap();
    assert!(weight["change"]["low"].as_f64().unwrap() > 0.0, "{weight}");
    assert_eq!(standing(&stage, &id), before);
    assert_eq!(validation(&stage, &id)["undoneAt"], Value::Null);
}

#[test]
fn an_answer_that_a_run_was_given_and_did_not_name_is_left_as_it_is() {
    let (stage, run_id, id) = named_run(&format!("{OTHER}. {CITED}"), &format!("{OTHER}. {CITED}"));
    let before = standing(&stage, &id);
    measure_confirmed(&stage, &run_id);
    assert_eq!(standing(&stage, &id), before);
}

#[test]
fn a_run_of_another_program_has_nothing_to_measure_and_one_of_another_book_is_refused() {
    let (stage, run_id, id) = named_run(&format!("{OTHER}. {CITED}"), OTHER);
    let run = prepare(&stage.writer, &stage.project, QUESTION);
    complete(&stage.writer, &stage.project, &run, json!({ "exitCode": 0, "answer": "As before [QA:1]." }));
    let before = standing(&stage, &id);
    let args = of_book(&stage.project, json!({ "runId": run["runId"], "confirmed": true, "wait": true }));
    let error = stage.writer.error("answer:measure", args);
    let details = error.details.unwrap();
    assert_eq!(details.field.as_deref(), Some("runId"));
    assert_eq!(json!(details.reason), "nothingToMeasure");
    let unknown = of_book(&stage.project, json!({ "runId": "no-such" }));
    assert_eq!(stage.writer.refused("answer:measure", unknown).0, "MEMORY_NOT_FOUND");
    let other = stage.writer.book("Another book", "en");
    let foreign = of_book(&other, json!({ "runId": run_id, "confirmed": true }));
    assert_eq!(stage.writer.refused("answer:measure", foreign).0, "MEMORY_SCOPE_DENIED");
    assert_eq!(standing(&stage, &id), before);
}
