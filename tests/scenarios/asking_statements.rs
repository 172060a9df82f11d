//! The statements of a kept answer stay joined to their citations: after a restart, after edits of the chapter, and
//! after edits of the answer where their own words are left.

use palimpsest_tests::text;
use serde_json::{Value, json};

use crate::{
    answers::{get, of_book},
    asking_stage::{QUESTION, Stage},
    island::{END, FERRY, LEDGER, analyze},
};

const FIRST: &str = "They met in Harwick.";
const SECOND: &str = "Tobias was twelve then.";
/// The answer of the model: two statements with the same and another passage, and one without.
const ANSWER: &str = "They met in Harwick. [P1 \"They had met in Harwick on 15 May 1983\"] It was raining. [P1 \"It was \
    raining that day\"] Tobias was twelve then. [P1 \"when Tobias was twelve\"] [P1 \"They had met in Harwick on 15 May \
    1983\"]";

/// The words of each statement of a kept answer with its citations; those without a place are left out.
fn statements_of(answer: &Value) -> Vec<(String, Value)> {
    let entry = text(&answer["details"]["metadata"], "statements");
    let units: Vec<u16> = text(answer, "answer").encode_utf16().collect();
    let stored: Vec<Value> = serde_json::from_str(&entry).unwrap();
    let placed = stored.iter().filter_map(|one| {
        let from = usize::try_from(one["from"].as_u64()?).unwrap();
        let to = from + usize::try_from(one["length"].as_u64().unwrap()).unwrap();
        Some((String::from_utf16(&units[from..to]).unwrap(), one["citations"].clone()))
    });
    placed.collect()
}

fn kept() -> (Stage, String) {
    let stage = Stage::with_model(&[], ANSWER);
    let done = stage.ask_book(json!({ "question": QUESTION })).done;
    let id = text(&done["answered"]["kept"], "answerId");
    (stage, id)
}

#[test]
fn a_served_answer_says_which_statement_rests_on_which_passage_after_a_restart_and_an_edit_of_the_chapter() {
    let (stage, id) = kept();
    let both = vec![(FIRST.to_owned(), json!([1])), (SECOND.to_owned(), json!([2, 1]))];
    assert_eq!(statements_of(&get(&stage.writer, &stage.project, &id)), both);
    let Stage { writer, project, .. } = stage;
    let writer = writer.restarted();
    let moved = format!("A new first line of the book.\n\n{FERRY}");
    analyze(&writer, &project, &[moved.as_str(), LEDGER, END]);
    writer.ask("answer:recheck", of_book(&project, json!({})));
    let served = writer.ask("ask:run", of_book(&project, json!({ "question": QUESTION })))["served"].clone();
    assert_eq!(statements_of(&served), both);
    let cited = &served["citations"][0];
    let [from, to] = ["from", "to"].map(|end| usize::try_from(cited[end].as_u64().unwrap()).unwrap());
    let units: Vec<u16> = moved.encode_utf16().collect();
    assert_eq!(String::from_utf16(&units[from..to]).unwrap(), text(cited, "quote"));
}

#[test]
fn a_statement_that_the_writer_edited_loses_its_passages_and_gets_them_back_by_an_undo() {
    let (stage, id) = kept();
    let update = |answer: &str| {
        let version = get(&stage.writer, &stage.project, &id)["version"].clone();
        let changed = json!({ "answerId": id, "version": version, "answer": answer });
        stage.writer.ask("answer:update", of_book(&stage.project, changed))
    };
    let changed = update("Long ago: They met in Harwick. Tobias was ten then.");
    assert_eq!(statements_of(&changed["answer"]), [(FIRST.to_owned(), json!([1]))]);
    let undone = stage.writer.ask("answer:undo", of_book(&stage.project, json!({ "eventId": changed["eventId"] })));
    assert_eq!(statements_of(&undone["answer"]), [(FIRST.to_owned(), json!([1])), (SECOND.to_owned(), json!([2, 1]))]);
    let version = undone["answer"]["version"].clone();
    let cited = json!([{ "chapterId": "c1", "from": 0, "quote": "They had met in Harwick on 15 May 1983" }]);
    let replaced = json!({ "answerId": id, "version": version, "citations": cited, "answer": "They met in Harwick." });
    let replaced = stage.writer.ask("answer:update", of_book(&stage.project, replaced));
    assert_eq!(replaced["answer"]["details"]["metadata"]["statements"], Value::Null);
}
