//! Guarantees for the readable copies: off until the writer wants them, with the fields of the specification, never
//! read back, and gone with what they copy.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use palimpsest_tests::{Writer, text};
use serde_json::{Value, json};

use crate::{
    island::{END, FERRY, LEDGER, accepted, analyzed, change},
    knowledge_records::{has_text, plain, save},
};

/// Longer than any step takes. Reaching it fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

fn switch(writer: &Writer, is_on: bool) {
    writer.ask("settings:set", json!({ "readableCopies": is_on }));
}

fn parsed(path: &Path) -> Value {
    fs::read_to_string(path).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Waits until the content of a file is as wanted.
#[track_caller]
fn wait_for_content(path: &Path, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let content = parsed(path);
        if is_wanted(&content) {
            return content;
        }
        assert!(began.elapsed() < PATIENCE, "{}: {content}", path.display());
        std::thread::yield_now();
    }
}

fn map_of(data: &Path) -> PathBuf {
    data.join("project_map.json")
}

/// A book with a record, a failure, a domain and a note, whose copies are written.
fn copied(word: &str) -> (Writer, String, Value) {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER, END]);
    switch(&writer, true);
    accepted(&writer, &project, "Aldous Pike");
    let mut record = plain(&format!("Who is the {word}?"), &format!("Tobias is the {word}."));
    record["details"] = json!({ "domain": "Aldous Pike", "explorationPath": [{ "toolName": "where",
        "parameters": { "name": "Pike" }, "resultSummary": "c2", "timestamp": "2026-03-15T21:00:00Z" }] });
    let record = save(&writer, &project, record);
    let failure =
        json!({ "operationType": "studySummary", "operation": format!("Where is the {word}?"), "error": "noEvidence" });
    change(&writer, "knowledge:failure:record", &project, failure);
    writer.ask("knowledge:practice:add", json!({ "title": "Cut it", "sourceProjects": [project] }));
    let one_each = |map: &Value| {
        let book = &map["projects"][&project];
        let has_one = |index: &str| book[index].as_array().is_some_and(|ids| ids.len() == 1);
        ["learningRecordIndex", "failureRecordIndex", "domainKnowledgeIndex"].into_iter().all(has_one)
    };
    wait_for_content(&map_of(&writer.data_dir()), one_each);
    wait_for_content(&writer.data_dir().join("readable/global/best_practices.json"), |notes| {
        !notes["bestPractices"][0].is_null()
    });
    (writer, project, record)
}

#[test]
fn no_copy_is_written_until_the_writer_wants_them_and_none_stays_afterwards() {
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[FERRY, LEDGER]);
    assert_eq!(writer.ask("settings:get", json!({}))["readableCopies"], false);
    save(&writer, &project, plain("Who rows?", "Tobias."));
    writer.wait_until_idle();
    let data = writer.data_dir();
    assert!(!data.join("readable").exists() && !map_of(&data).exists());
    switch(&writer, true);
    wait_for_content(&map_of(&data), |map| map["version"] == "2.0.0");
    switch(&writer, false);
    assert!(!data.join("readable").exists() && !map_of(&data).exists());
}

#[test]
fn copies_have_the_names_and_fields_of_the_specification() {
    let (writer, project, record) = copied("zyxquorn");
    let book = writer.data_dir().join("readable").join(&project);
    let copy = parsed(&book.join(format!("learning/lr-{}.json", text(&record, "answerId"))));
    assert_eq!((&copy["question"], &copy["questionType"]), (&json!("Who is the zyxquorn?"), &json!("BUSINESS_LOGIC")));
    assert_eq!((&copy["projectKey"], &copy["domain"]), (&json!(project), &json!("Aldous Pike")));
    assert_eq!(
        copy["explorationPath"][0],
        json!({ "toolName": "where", "parameters": { "name": "Pike" },
        "resultSummary": "c2", "timestamp": 1_773_608_400_000_i64 })
    );
    assert!(copy["createdAt"].is_i64() && copy["confidence"].is_f64());
    let map = parsed(&map_of(&writer.data_dir()));
    let mapped = &map["projects"][&project];
    assert_eq!(mapped["analysisStatus"]["passages"], "COMPLETED");
    assert_eq!(mapped["lastAnalyzed"], json!(palimpsest_tests::evening().millis()));
    assert!(mapped["bookHash"].as_str().unwrap().starts_with(mapped["projectMd5"].as_str().unwrap()));
    assert_eq!(mapped["projectMd5"].as_str().unwrap().len(), 32);
    assert_eq!(mapped["evolutionStatus"]["currentPhase"], "IDLE");
    let name = |index: &str| mapped[index][0].as_str().unwrap().to_owned();
    let failure = parsed(&book.join(format!("failures/{}.json", name("failureRecordIndex"))));
    assert_eq!((&failure["operationType"], &failure["status"]), (&json!("SELF_EVOLUTION_SUMMARY"), &json!("PENDING")));
    let entity = name("domainKnowledgeIndex").replace("dk-", "");
    let domain = parsed(&book.join(format!("domain/{entity}.json")));
    assert_eq!((&domain["domain"], &domain["keyFiles"]), (&json!("Aldous Pike"), &json!(["c2", "c3"])));
    assert_eq!(domain["sourceRecordIds"], json!([name("learningRecordIndex")]));
    let notes = parsed(&writer.data_dir().join("readable/global/best_practices.json"));
    assert_eq!(notes["bestPractices"][0]["sourceProjects"], json!([project]));
}

#[test]
fn a_copy_follows_its_record_and_is_never_read_back() {
    let (writer, project, record) = copied("zyxquorn");
    let data = writer.data_dir();
    let copy = data.join(format!("readable/{project}/learning/lr-{}.json", text(&record, "answerId")));
    fs::write(&copy, r#"{ "answer": "written by hand" }"#).unwrap();
    let update = json!({ "answerId": record["answerId"], "version": record["version"], "answer": "Mara Venn is." });
    change(&writer, "answer:update", &project, update);
    wait_for_content(&copy, |copy| copy["answer"] == "Mara Venn is.");
    fs::write(&copy, r#"{ "answer": "written by hand" }"#).unwrap();
    let writer = writer.restarted();
    let listed = change(&writer, "knowledge:record:list", &project, json!({}));
    assert_eq!(listed["records"][0]["answer"], "Mara Venn is.");
    // Of another process nothing is known: every copy is written again.
    wait_for_content(&copy, |copy| copy["answer"] == "Mara Venn is.");
}

#[test]
fn a_refused_record_leaves_no_copy_and_the_others_stay() {
    let (writer, project, record) = copied("zyxquorn");
    let data = writer.data_dir();
    let other = save(&writer, &project, plain("Who rows?", "Tobias."));
    let copy = |record: &Value| data.join(format!("readable/{project}/learning/lr-{}.json", text(record, "answerId")));
    wait_for_content(&copy(&other), |copy| copy["answer"] == "Tobias.");
    let refuse = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": "refuse" });
    change(&writer, "knowledge:record:judge", &project, refuse);
    assert!(!copy(&record).exists(), "before the command ends");
    wait_for_content(&copy(&other), |copy| copy["answer"] == "Tobias.");
    assert!(!copy(&record).exists());
}

#[test]
fn a_clearing_leaves_no_word_in_any_file_of_the_data_folder() {
    let (writer, project, _) = copied("zyxquorn");
    let other = writer.book("Other", "en");
    let kept = save(&writer, &other, plain("Who stays?", "The lodger."));
    let data = writer.data_dir();
    let copy = data.join(format!("readable/{other}/learning/lr-{}.json", text(&kept, "answerId")));
    wait_for_content(&copy, |copy| copy["answer"] == "The lodger.");
    assert!(has_text(&data, "zyxquorn").iter().any(|path| path.contains("readable")));
    writer.ask("memory:clear:project", json!({ "projectId": project, "confirmed": true }));
    let of_book = has_text(&data.join("readable"), "zyxquorn");
    assert_eq!(of_book, Vec::<String>::new(), "before the command ends");
    wait_for_content(&map_of(&data), |map| map["projects"][&project]["learningRecordIndex"] == json!([]));
    wait_for_content(&copy, |copy| copy["answer"] == "The lodger.");
    writer.wait_until_idle();
    let writer = writer.restarted();
    wait_for_content(&map_of(&data), |map| map["version"] == "2.0.0");
    assert_eq!(has_text(&data, "zyxquorn"), Vec::<String>::new());
    writer.ask("memory:clear:all", json!({ "confirmed": true }));
    wait_for_content(&map_of(&data), |map| map["projects"] == json!({}));
    assert_eq!(has_text(&data.join("readable"), "lodger"), Vec::<String>::new());
}
