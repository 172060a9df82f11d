//! The confidence of what a study found: counted from the writer's verdicts on what the same model found of the same
//! kind of question with as many sentences.

use palimpsest_tests::text;
use serde_json::{Value, json};

use crate::{
    island::{analyze, change},
    study_stage::{MET, STOP, Script, Study, comparison, follow, summary},
};

const TWICE: [&str; 3] = ["Tobias was twelve then.", "P1", "when Tobias was twelve"];

/// Studies a question of the writer's with a model that sums up so, and returns its record.
fn studied_record(study: &Study, number: u32, statements: &[[&str; 3]]) -> Value {
    let summaries = vec![summary(statements, &[])];
    follow(&study.server, Script { summaries, steps: vec![STOP.to_owned()], ..Script::dutiful() });
    let question = format!("Where did Tobias go in the year {number}?");
    study.study(&question);
    let records = study.records();
    records.iter().find(|record| record["question"] == question).expect("a record").clone()
}

fn judge_as(study: &Study, record: &Value, verdict: &str) {
    let verdict = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": verdict });
    change(&study.writer, "knowledge:record:judge", &study.project, verdict);
}

fn choose_model(study: &Study, model: &str) {
    let providers = study.writer.ask("ai:provider:list", json!({}))["providers"].clone();
    let choice = json!({ "purpose": "studying", "providerId": text(&providers[0], "providerId"), "model": model });
    study.writer.ask("ai:purpose:set", choice);
}

#[test]
fn confidence_counts_the_verdicts_on_records_of_the_same_type_with_as_many_sentences_by_the_same_model() {
    let study = Study::agreed(Script::dutiful());
    let first = studied_record(&study, 1, &[MET]);
    assert_eq!(first["confidence"], json!(0.5));
    assert_eq!(studied_record(&study, 2, &[MET])["confidence"], json!(0.5), "no verdict yet");
    judge_as(&study, &first, "keep");
    let third = studied_record(&study, 3, &[MET]);
    assert_eq!(third["confidence"], json!(5.0 / 9.0));
    assert_eq!(studied_record(&study, 4, &[MET, TWICE])["confidence"], json!(0.5), "two sentences are another kind");
    judge_as(&study, &third, "refuse");
    assert_eq!(studied_record(&study, 5, &[MET])["confidence"], json!(0.5), "one of two, and four of eight before");

    choose_model(&study, "another reader");
    assert_eq!(studied_record(&study, 6, &[MET])["confidence"], json!(0.5));
    choose_model(&study, "reader");
    let kept = studied_record(&study, 7, &[MET]);
    judge_as(&study, &kept, "keep");
    choose_model(&study, "another reader");
    assert_eq!(studied_record(&study, 8, &[MET])["confidence"], json!(0.5), "of another model");
    choose_model(&study, "reader");
    assert_eq!(studied_record(&study, 9, &[MET])["confidence"], json!(6.0 / 11.0));
}

#[test]
fn a_record_that_the_writer_corrected_was_not_right() {
    let study = Study::agreed(Script::dutiful());
    let record = studied_record(&study, 1, &[MET]);
    let edit = json!({ "answerId": record["answerId"], "version": record["version"], "answer": "In the harbour." });
    let edited = study.ask_of_book("answer:update", edit);
    judge_as(&study, &edited["answer"], "keep");
    assert_eq!(studied_record(&study, 2, &[MET])["confidence"], json!(4.0 / 9.0));
}

#[test]
fn a_verdict_on_a_told_change_counts_for_the_next_one() {
    let texts = [
        "Mara Venn stood on the quay.\n\nVenn's hair was black.\n\nTobias waited beside Mara Venn.\n",
        "Mara Venn came home.\n\nVenn's hair was red and thin.\n\nVenn's eyes were brown.\n",
        "Mara Venn slept.\n\nVenn's eyes were green.\n",
    ];
    let study = Study::of(&texts[..2], |_| {});
    let comparisons = vec![comparison("change", "")];
    follow(&study.server, Script { comparisons, ..Script::dutiful() });
    study.agree();
    study.compare_pairs();
    let [first] = &study.records()[..] else { panic!("not one record") };
    assert_eq!(first["confidence"], json!(0.5));
    judge_as(&study, first, "refuse");
    analyze(&study.writer, &study.project, &texts);
    study.compare_pairs();
    let [second] = &study.records()[..] else { panic!("not one record") };
    assert_eq!((&second["details"]["questionType"], &second["confidence"]), (&json!("continuity"), &json!(4.0 / 9.0)));
}
