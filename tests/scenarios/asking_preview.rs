//! The preview of a question is the prompt of its first request, and sends and stores nothing.

use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_stage::{ANSWER, CHAT, QUESTION, Stage},
};

const STORED: [&str; 5] = ["answer_runs", "answer_matches", "answer_events", "journal", "traces"];

fn preview(stage: &Stage, more: Value) -> Value {
    stage.writer.ask("ask:preview", of_book(&stage.project, more))
}

#[test]
fn the_preview_of_a_question_is_its_first_prompt_with_hidden_names_and_nothing_is_sent_or_stored() {
    let stage = Stage::with_model(&[], ANSWER);
    let names = json!({ "names": [{ "name": "Tobias", "alias": "Robert" }] });
    stage.writer.ask("memory:names:set", of_book(&stage.project, names));
    let before = stage.row_counts(&STORED);
    let asked = json!({ "question": QUESTION, "selection": "They had met in Harwick" });
    let previewed = preview(&stage, asked.clone());
    assert_eq!(previewed["askedOf"]["kind"], "model");
    assert_eq!((stage.server.requests_to(CHAT).len(), stage.row_counts(&STORED)), (0, before));
    stage.ask_book(asked);
    let first = stage.server.requests_to(CHAT)[0].body["messages"].clone();
    assert_eq!(previewed["context"]["messages"], first);
    let words = first.to_string();
    assert!(words.contains("Robert") && words.contains("Harwick") && !words.contains("Tobias"), "{words}");
}

#[test]
fn the_preview_of_a_program_has_its_prompt_and_where_nothing_would_be_sent_there_is_none() {
    let (stage, id) = Stage::with_program("claude", palimpsest_api::agents::Limits::default());
    let of_program = preview(&stage, json!({ "question": QUESTION, "backendId": id }));
    assert_eq!(of_program["askedOf"]["kind"], "program");
    assert!(of_program["context"]["messages"].to_string().contains(QUESTION), "{of_program}");
    let of_book = preview(&stage, json!({ "question": QUESTION, "onlyBook": true }));
    assert_eq!((&of_book["askedOf"]["kind"], &of_book["context"]), (&json!("book"), &Value::Null));
    let stage = Stage::with_model(&[], ANSWER);
    stage.ask_book(json!({ "question": QUESTION }));
    let kept = preview(&stage, json!({ "question": QUESTION }));
    assert_eq!((&kept["askedOf"]["kind"], &kept["context"]), (&json!("kept"), &Value::Null));
    let again = preview(&stage, json!({ "question": QUESTION, "fresh": true }));
    assert_eq!(again["askedOf"]["kind"], "model");
}
