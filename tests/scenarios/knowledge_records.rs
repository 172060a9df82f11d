//! Guarantees for learning records: found again by what they say, quoted from the book, kept or refused by the writer,
//! and gone with every word once they are refused.

use std::{fs, path::Path};

use palimpsest_tests::{Writer, text};
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::island::{END, FERRY, LEDGER, analyzed, change, entity, list};

const QUOTE: &str = "“Sign it,” said Aldous Pike.";
const QUESTION: &str = "Who made them sign the ledger?";

fn offset(text: &str, quote: &str) -> usize {
    text[..text.find(quote).unwrap()].encode_utf16().count()
}

/// A learning record with the sentence of the second chapter.
fn sign_record() -> Value {
    json!({ "question": QUESTION, "questionType": "BUSINESS_LOGIC", "answer": "Aldous Pike made Tobias sign it.",
        "citations": [{ "chapterId": "c2", "from": offset(LEDGER, QUOTE), "quote": QUOTE }],
        "details": { "domain": "Aldous Pike", "tags": ["ledger"], "sourceFiles": ["02.md"], "relatedRecords": ["lr-1"],
            "metadata": { "model": "small" }, "explorationPath": [{ "toolName": "find_in_book",
            "parameters": { "query": "sign" }, "resultSummary": "two passages", "timestamp": "2026-03-15T21:00:00Z" }] } })
}

pub fn save(writer: &Writer, project: &str, record: Value) -> Value {
    change(writer, "knowledge:record:save", project, record)
}

/// A record without a citation.
pub fn plain(question: &str, answer: &str) -> Value {
    json!({ "question": question, "questionType": "plot", "answer": answer })
}

fn search(writer: &Writer, project: &str, query: &str) -> Vec<Value> {
    let found = change(writer, "knowledge:record:search", project, json!({ "query": query }));
    found["records"].as_array().unwrap().clone()
}

fn records(writer: &Writer, project: &str, more: Value) -> Vec<Value> {
    change(writer, "knowledge:record:list", project, more)["records"].as_array().unwrap().clone()
}

fn judge(writer: &Writer, project: &str, record: &Value, verdict: &str) -> Value {
    let args = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": verdict });
    change(writer, "knowledge:record:judge", project, args)
}

/// Proposes a fact with a record, as a study does.
fn propose(data: &Path, project: &str, record: &Value, entity: &Value, (fact, value): (&str, &str)) {
    let db = Connection::open(data.join("episodes.db")).unwrap();
    let from = i64::try_from(offset(LEDGER, QUOTE)).unwrap();
    db.execute(
        "INSERT INTO proposed_facts VALUES (?1, ?2, ?3, ?4, 'did', ?5, 'told', '[]', 'c2', ?6, ?7, 'h', ?8, 'holds', ?9, 0)",
        params![
            fact,
            project,
            record["answerId"].as_str().unwrap(),
            entity.as_str().unwrap(),
            value,
            from,
            from + i64::try_from(QUOTE.encode_utf16().count()).unwrap(),
            QUOTE,
            format!("signature-of-{fact}"),
        ],
    )
    .unwrap();
}

/// Whether a file of the data folder has a text.
pub fn has_text(data: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(data).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(has_text(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_record_is_found_by_its_question_and_by_its_answer_among_other_answers() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let saved = save(&writer, &project, sign_record());
    assert_eq!((&saved["origin"], &saved["kind"]), (&json!("studied"), &json!("canon")));
    assert_eq!(saved["details"]["questionType"], "plot", "the name of the original system is read");
    assert_eq!(saved["details"]["explorationPath"][0]["parameters"]["query"], "sign");
    assert_eq!(saved["citations"][0]["status"], "holds");
    save(&writer, &project, plain("Where does the ferry start?", "At the pier of Harwick."));
    let asked = json!({ "question": "Who signed the ledger first?", "answer": "Nobody.", "kind": "research" });
    change(&writer, "answer:record", &project, asked);
    writer.wait_until_idle();

    let by_question = search(&writer, &project, "who made them sign the ledger");
    assert_eq!(by_question[0]["record"]["answerId"], saved["answerId"]);
    assert!(by_question.iter().all(|one| one["record"]["origin"] == "studied"), "the asked answer is none");
    let scores: Vec<f64> = by_question.iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
    let by_answer = search(&writer, &project, "the pier of Harwick");
    assert_eq!(by_answer[0]["record"]["question"], "Where does the ferry start?");
    assert_eq!(by_answer[0]["projectTitle"], "island");
}

#[test]
fn the_same_words_as_an_asked_answer_are_a_record_of_their_own() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY]);
    change(
        &writer,
        "answer:record",
        &project,
        json!({ "question": "Who rows?", "answer": "Tobias.", "kind": "research" }),
    );
    let one = save(&writer, &project, plain("Who rows?", "Tobias."));
    assert_eq!(one["origin"], "studied");
    let again = save(&writer, &project, plain("Who rows?", "Tobias."));
    assert_eq!(again["answerId"], one["answerId"], "saved once");
}

#[test]
fn records_of_all_books_are_found_only_where_that_is_said_and_name_their_book() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY]);
    let other = writer.book("Lighthouse", "en");
    save(&writer, &project, plain("Who keeps the ferry?", "Mara Venn keeps it."));
    save(&writer, &other, plain("Who keeps the lamp?", "The keeper keeps it."));
    assert!(search(&writer, &project, "who keeps the lamp").iter().all(|one| one["record"]["projectId"] == project));
    let refused = |args: Value| writer.refused("knowledge:record:search", args);
    assert_eq!(refused(json!({ "query": "lamp" })), ("MEMORY_INVALID_ARGUMENT".into(), "projectId".into()));
    let both = json!({ "query": "lamp", "projectId": project, "allProjects": true });
    assert_eq!(refused(both), ("MEMORY_INVALID_ARGUMENT".into(), "allProjects".into()));
    let all = writer.ask("knowledge:record:search", json!({ "query": "who keeps the lamp", "allProjects": true }));
    let titles: Vec<String> = all["records"].as_array().unwrap().iter().map(|one| text(one, "projectTitle")).collect();
    assert_eq!(titles, ["Lighthouse", "island"]);
    let loaded = change(&writer, "knowledge:load", &project, json!({ "query": "who keeps the lamp" }));
    assert!(!text(&loaded, "contextSummary").contains("keeper"), "never for a prompt");
}

#[test]
fn records_are_listed_by_domain_by_standing_and_the_newest_first() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let first = save(&writer, &project, sign_record());
    writer.clock.advance_millis(60_000);
    save(&writer, &project, plain("Who rows?", "Tobias rows."));
    let recent = records(&writer, &project, json!({}));
    assert_eq!(recent.iter().map(|one| text(one, "question")).collect::<Vec<_>>(), ["Who rows?", QUESTION]);
    let of_domain = records(&writer, &project, json!({ "domain": "aldous pike" }));
    assert_eq!(of_domain.len(), 1);
    assert!(records(&writer, &project, json!({ "domain": "Harwick" })).is_empty());
    assert_eq!(records(&writer, &project, json!({ "standing": "proposed" })).len(), 2);
    judge(&writer, &project, &first, "keep");
    let kept = records(&writer, &project, json!({ "standing": "kept" }));
    assert_eq!(kept.iter().map(|one| text(one, "question")).collect::<Vec<_>>(), [QUESTION]);
    assert_eq!(records(&writer, &project, json!({ "limit": 1 })).len(), 1);
}

#[test]
fn a_quote_that_the_book_does_not_have_makes_no_record() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER]);
    let mut invented = sign_record();
    invented["citations"][0]["quote"] = json!("“Burn it,” said Aldous Pike.");
    invented["projectId"] = json!(project);
    assert_eq!(writer.refused("knowledge:record:save", invented).0, "MEMORY_CITATION_NOT_FOUND");
    assert!(records(&writer, &project, json!({})).is_empty());
}

#[test]
fn a_kept_record_is_confirmed_and_its_facts_become_the_writers() {
    let mut writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let record = save(&writer, &project, sign_record());
    let lost = save(&writer, &project, plain("Who burned it?", "Nobody."));
    let pike = entity(&list(&writer, &project), "Aldous Pike")["entityId"].clone();
    let data = writer.data_dir();
    writer = writer.restarted_after(|| {
        propose(&data, &project, &record, &pike, ("f-1", "made Tobias sign"));
        propose(&data, &project, &record, &pike, ("f-2", "stood at the table"));
        propose(&data, &project, &lost, &json!("no-entity"), ("f-3", "burned it"));
    });
    let listed = change(&writer, "knowledge:record:list", &project, json!({}));
    assert_eq!(listed["proposedFacts"].as_array().unwrap().len(), 3);
    let mine = listed["proposedFacts"].as_array().unwrap().iter().find(|one| one["factId"] == "f-1").unwrap();
    assert_eq!((text(mine, "entityName"), text(mine, "value")), ("Aldous Pike".into(), "made Tobias sign".into()));
    assert_eq!(change(&writer, "story:entity:get", &project, json!({ "entityId": pike }))["facts"], json!([]));

    let judged = judge(&writer, &project, &record, "keep");
    assert_eq!((&judged["acceptedFacts"], &judged["record"]["userConfirmed"]), (&json!(2), &json!(true)));
    let card = change(&writer, "story:entity:get", &project, json!({ "entityId": pike }));
    assert_eq!(card["standing"], "accepted");
    assert_eq!(card["facts"][0]["origin"], "confirmed");
    assert_eq!(card["facts"][0]["citations"][0]["quote"], QUOTE);
    assert_eq!(card["facts"].as_array().unwrap().len(), 2);
    assert_eq!(judge(&writer, &project, &lost, "keep")["acceptedFacts"], 0, "about nobody of the book");
    let listed = change(&writer, "knowledge:record:list", &project, json!({}));
    assert_eq!(listed["proposedFacts"], json!([]));
    // Once more: nothing is written twice.
    let again = judge(&writer, &project, &judged["record"], "keep");
    assert_eq!((&again["acceptedFacts"], &again["record"]["version"]), (&json!(0), &judged["record"]["version"]));
    // Undone as any change of the story.
    change(&writer, "story:undo", &project, json!({ "changeId": judged["changeId"] }));
    assert_eq!(writer.ask("story:entity:list", json!({ "projectId": project }))["unnamed"], json!([]));
}

#[test]
fn a_fact_whose_sentence_the_book_has_lost_is_not_taken_in() {
    let mut writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let record = save(&writer, &project, sign_record());
    let pike = entity(&list(&writer, &project), "Aldous Pike")["entityId"].clone();
    let data = writer.data_dir();
    writer = writer.restarted_after(|| propose(&data, &project, &record, &pike, ("f-1", "made Tobias sign")));
    crate::island::analyze(&writer, &project, &[FERRY, &LEDGER.replace("“Sign it,”", "“Read it,”"), END]);
    let record = records(&writer, &project, json!({}))[0].clone();
    assert_eq!(judge(&writer, &project, &record, "keep")["acceptedFacts"], 0);
    let card = change(&writer, "story:entity:get", &project, json!({ "entityId": pike }));
    assert_eq!(card["facts"], json!([]));
}

#[test]
fn a_refused_record_is_gone_with_every_word_also_from_backups_and_its_question_is_not_asked_again() {
    let mut writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    let question = "Who is the zyxquorn of the harbour?";
    // The question waits while the backup is made: there, nothing links it with its answer.
    let queued = change(&writer, "knowledge:question:add", &project, json!({ "question": question }));
    change(
        &writer,
        "knowledge:failure:record",
        &project,
        json!({ "operationType": "studyExploration", "operation": question, "error": "noEvidence" }),
    );
    writer.ask("memory:backup:create", json!({}));
    let record = save(&writer, &project, plain(question, "Aldous Pike is the zyxquorn."));
    let pike = entity(&list(&writer, &project), "Aldous Pike")["entityId"].clone();
    let data = writer.data_dir();
    writer = writer.restarted_after(|| {
        propose(&data, &project, &record, &pike, ("f-1", "is the zyxquorn"));
        let db = Connection::open(data.join("episodes.db")).unwrap();
        let answered = "UPDATE questions SET state = 'answered', answer_id = ?2 WHERE question_id = ?1";
        let ids = [queued["questionId"].as_str().unwrap(), record["answerId"].as_str().unwrap()];
        assert_eq!(db.execute(answered, ids).unwrap(), 1);
    });
    writer.wait_until_idle();
    assert!(!has_text(&data, "zyxquorn").is_empty());

    let judged = judge(&writer, &project, &record, "refuse");
    assert_eq!((&judged["record"], &judged["acceptedFacts"]), (&Value::Null, &json!(0)));
    writer.wait_until_idle();
    assert!(records(&writer, &project, json!({})).is_empty());
    assert_eq!(change(&writer, "knowledge:question:list", &project, json!({}))["questions"], json!([]));
    let again = json!({ "projectId": project, "question": "who is the ZYXQUORN of the harbour", "questionType": "plot",
        "answer": "Mara Venn." });
    assert_eq!(writer.refused("knowledge:record:save", again), ("MEMORY_INVALID_ARGUMENT".into(), "question".into()));
    let _open = writer.restarted();
    assert_eq!(has_text(&data, "zyxquorn"), Vec::<String>::new());
    let db = Connection::open(data.join("episodes.db")).unwrap();
    let count =
        |table: &str| -> u32 { db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap() };
    assert_eq!((count("proposed_facts"), count("failures")), (0, 0));
    let state: (String, String) =
        db.query_row("SELECT question, state FROM questions", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(state, (String::new(), "dropped".into()), "its signature stays");
}
