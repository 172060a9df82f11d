//! Answers, their citations, levels and programs come back from a backup and from an export, and deleted ones do not.

use std::fs;

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    answers::{LONG, folder_book, get, listed, of_book, record, run, validate},
    erasing::files_containing,
    exchange,
};

const QUESTION: &str = "When can the boat leave the harbour?";
/// A string that is in the deleted answer and nowhere else.
const MARK: &str = "zyxquorn";

fn restore(writer: &Writer, backups: &Value, file: &str) {
    let backup = backups.as_array().unwrap().iter().find(|one| one["file"] == file).unwrap();
    writer.ask("memory:backup:restore", json!({ "backupId": backup["backupId"] }));
}

/// A cited answer, one of level 2 that a run has used, one that says that the book says nothing, and a confirmed one.
fn record_three(writer: &Writer, project: &str, chapter: &str) -> Vec<String> {
    let sentence = "The ferry sank in the autumn.";
    let cited = json!({ "question": "When did the ferry sink?", "answer": "In the autumn.", "kind": "canon",
        "citations": [{ "chapterId": chapter, "quote": sentence, "from": 7 }], "details": { "tags": ["water"] } });
    let nowhere = json!({ "question": "Who swam?", "answer": "The book does not say.", "notInBook": true });
    let mut ids: Vec<String> = [cited, nowhere]
        .into_iter()
        .map(|asked| text(&writer.ask("answer:record", of_book(project, asked))["answer"], "answerId"))
        .collect();
    let risen = text(&record(writer, project, QUESTION, LONG), "answerId");
    (0..3).for_each(|_| drop(validate(writer, project, &risen, "pass")));
    run(writer, project, QUESTION, 0);
    let confirmed = text(&record(writer, project, "Who steers?", "The pilot steers, always."), "answerId");
    let version = get(writer, project, &confirmed)["version"].clone();
    let confirming = json!({ "answerId": confirmed, "version": version, "userConfirmed": true });
    writer.ask("answer:confirm", of_book(project, confirming));
    ids.extend([risen, confirmed]);
    ids
}

fn all(writer: &Writer, project: &str, ids: &[String]) -> Vec<Value> {
    ids.iter().map(|id| get(writer, project, id)).collect()
}

#[test]
fn a_backup_brings_answers_back_with_citations_and_levels_and_no_deleted_one() {
    let writer = Writer::new();
    let (project, chapter, _) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    let ids = record_three(&writer, &project, &chapter);
    let deleted =
        text(&record(&writer, &project, &format!("Who is {MARK}?"), &format!("{MARK} is a boat.")), "answerId");
    let own = json!({ "kind": "own", "name": "Mine", "program": "/opt/mine" });
    let own = writer.ask("backend:save", own);
    writer.wait_until_idle();
    let before = all(&writer, &project, &ids);
    assert_eq!((&before[0]["citations"][0]["status"], &before[2]["validationLevel"]), (&json!("holds"), &json!(2)));
    let backups = writer.ask("memory:backup:create", json!({}))["backups"].clone();
    let version = get(&writer, &project, &deleted)["version"].clone();
    let deleting = json!({ "answerId": deleted, "version": version, "confirmed": true });
    assert!(writer.ask("answer:delete", of_book(&project, deleting))["finishedAt"].is_string());

    // All of it changes after the backup.
    for id in &ids {
        validate(&writer, &project, id, "fail");
    }
    record(&writer, &project, "Which tide?", "The spring tide.");
    writer.ask("backend:delete", json!({ "backendId": own["backendId"] }));
    assert_ne!(all(&writer, &project, &ids), before);
    restore(&writer, &backups, "episodes");
    restore(&writer, &backups, "rules");
    writer.wait_until_idle();
    assert_eq!(all(&writer, &project, &ids), before);
    assert_eq!(writer.ask("backend:list", json!({}))["backends"], json!([own]));
    assert_eq!(listed(&writer, &project)["total"], 4, "neither the deleted one nor the later one");
    let gone = writer.refused("answer:get", of_book(&project, json!({ "answerId": deleted })));
    assert_eq!(gone.0, "MEMORY_NOT_FOUND");
    assert_eq!(files_containing(&writer.data_dir(), &[MARK]), Vec::<String>::new());
    // The restored answers are found and served.
    let found = writer.ask("answer:search", of_book(&project, json!({ "query": QUESTION })));
    assert_eq!(
        (&found["matches"][0]["questionMatch"], &found["matches"][0]["answer"]["answerId"]),
        (&json!("exact"), &json!(ids[2]))
    );
    let writer = writer.restarted();
    assert_eq!(all(&writer, &project, &ids), before);
}

#[test]
fn an_answer_deleted_after_a_backup_stays_deleted_when_the_memory_is_restored_before_the_erasure_was_known() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    let id = text(&record(&writer, &project, &format!("Who is {MARK}?"), &format!("{MARK} is a boat.")), "answerId");
    writer.wait_until_idle();
    let backups = writer.ask("memory:backup:create", json!({}))["backups"].clone();
    // The files as somebody copied them away and puts them back: no erasure has reached them.
    let folder = writer.data_dir().join("backups");
    let away: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let copies: Vec<_> = away.iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    let deleting = json!({ "answerId": id, "version": 1, "confirmed": true });
    writer.ask("answer:delete", of_book(&project, deleting));
    for (path, bytes) in copies {
        fs::write(path, bytes).unwrap();
    }
    restore(&writer, &backups, "episodes");
    writer.wait_until_idle();
    assert_eq!(listed(&writer, &project)["total"], 0, "the memory remembers the deletion");
    let asked = json!({ "query": MARK, "minScore": 0, "includeBlocked": true });
    assert_eq!(writer.ask("answer:search", of_book(&project, asked))["matches"], json!([]));
}

#[test]
fn an_export_brings_citations_levels_and_standing_to_another_machine_and_no_deleted_answer_back() {
    let writer = Writer::new();
    let (project, chapter, _) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    let ids = record_three(&writer, &project, &chapter);
    let deleted =
        text(&record(&writer, &project, &format!("Who is {MARK}?"), &format!("{MARK} is a boat.")), "answerId");
    writer.ask("backend:save", json!({ "kind": "own", "name": "Planted", "program": "/opt/planted" }));
    writer.wait_until_idle();
    let with_deleted = exchange::export(&writer, None);
    let deleting = json!({ "answerId": deleted, "version": 1, "confirmed": true });
    writer.ask("answer:delete", of_book(&project, deleting));
    let file = exchange::export(&writer, None);
    assert!(!fs::read_to_string(&file).unwrap().contains(MARK));

    let other = Writer::new();
    exchange::import(&other, &file);
    assert_eq!(all(&other, &project, &ids), all(&writer, &project, &ids));
    assert_eq!(listed(&other, &project)["total"], 4);
    let histories = |writer: &Writer| -> Vec<Value> {
        let history = |id: &String| writer.ask("answer:history", of_book(&project, json!({ "answerId": id })));
        ids.iter().map(history).collect()
    };
    assert_eq!(histories(&other), histories(&writer));
    assert_eq!(other.ask("backend:list", json!({}))["backends"], json!([]), "a program is of its machine");
    // The deletion travels with the file: an older file brings the answer back on neither machine.
    for machine in [&writer, &other] {
        exchange::import(machine, &with_deleted);
        assert_eq!(listed(machine, &project)["total"], 4);
    }
    // A machine that has the answer loses it with the file.
    let third = Writer::new();
    exchange::import(&third, &with_deleted);
    assert_eq!(listed(&third, &project)["total"], 5);
    exchange::import(&third, &file);
    assert_eq!(listed(&third, &project)["total"], 4);
}
