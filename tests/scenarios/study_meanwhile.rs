//! A study, and what changes around it: the text of the book, the writer at the keyboard, other questions, and files.

use std::sync::Arc;

use palimpsest_api::{
    EncoderSource,
    ports::{Embedder, EmbedderError},
};
use palimpsest_tests::{Writer, server::Answer, text};
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_stage::CHAT,
    island::{END, FERRY, LEDGER, analyze, analyzed},
    knowledge_records::{plain, save},
    study_stage::{Asked, MET, QUESTION, STOP, Script, Study, follow, questions, request_kind, summary},
};

const MINUTE: i64 = 60_000;
/// The sentence of [`MET`] after a change of the text, and the text with it.
const MET_AGAIN: [&str; 3] = ["They met in Harwick.", "P1", "They had met in Harwick on 16 June 1984"];

fn edited() -> String {
    FERRY.replace(MET[2], MET_AGAIN[2])
}

fn details(record: &Value, field: &str) -> Value {
    record["details"][field].clone()
}

#[test]
fn a_record_whose_sentence_was_changed_is_asked_again_before_all_other_questions() {
    let other = "What did Venn open three days later?";
    let study = Study::agreed(Script { questions: vec![questions(&[QUESTION, other])], ..Script::dutiful() });
    study.run();
    let old = study.records()[0].clone();
    assert_eq!((&old["question"], &old["staleness"]), (&json!(QUESTION), &json!("current")));
    assert_eq!(study.question_state(other), "queued");

    analyze(&study.writer, &study.project, &[&edited(), LEDGER, END]);
    study.writer.ask_until("knowledge:record:list", of_book(&study.project, json!({})), |list| {
        list["records"][0]["staleness"] != "current"
    });
    follow(&study.server, Script::summing_up(&summary(&[MET_AGAIN], &[])));
    let state = study.run();
    assert_eq!((&state["totalQuestionsExplored"], &state["questionsToday"]), (&json!(2), &json!(2)));
    let records = study.records();
    let new = records.iter().find(|record| record["answerId"] != old["answerId"]).expect("another record");
    assert_eq!((records.len(), &new["question"]), (2, &json!(QUESTION)));
    assert_eq!(new["citations"][0]["quote"], MET_AGAIN[2]);
    assert_eq!(details(new, "relatedRecords"), json!([old["answerId"]]));
    assert_eq!(study.question_state(other), "queued", "after it");
    assert_eq!(study.count(Asked::Questions), 1);

    follow(&study.server, Script::dutiful());
    study.run();
    assert_eq!(study.question_state(QUESTION), "answered", "and not once more");
    assert_ne!(study.question_state(other), "queued");
}

#[test]
fn the_stale_record_of_another_program_is_asked_again_once() {
    let study = Study::agreed(Script::summing_up(&summary(&[MET_AGAIN], &[])));
    let from = FERRY.find(MET[2]).map(|at| FERRY[..at].encode_utf16().count());
    let saved = study.ask_of_book(
        "knowledge:record:save",
        json!({ "question": QUESTION, "questionType": "DOMAIN_KNOWLEDGE", "answer": MET[0],
            "citations": [{ "chapterId": "c1", "quote": MET[2], "from": from }] }),
    );
    analyze(&study.writer, &study.project, &[&edited(), LEDGER, END]);
    study.writer.ask_until("knowledge:record:list", of_book(&study.project, json!({})), |list| {
        list["records"][0]["staleness"] != "current"
    });
    study.run();
    assert_eq!((study.count(Asked::Questions), study.records().len()), (0, 2));
    let new = study.records().into_iter().find(|record| record["answerId"] != saved["answerId"]).unwrap();
    assert_eq!(
        (details(&new, "questionType"), details(&new, "relatedRecords")),
        (json!("entity"), json!([saved["answerId"]]))
    );
    study.run();
    assert_eq!(study.count(Asked::Questions), 1, "nothing stale is left: a new question is looked for");
}

#[test]
fn a_study_begins_by_itself_five_minutes_after_the_writer_has_stopped() {
    let study = Study::new();
    follow(&study.server, Script::dutiful());
    let look = || {
        let version = study.study_state()["version"].clone();
        let host = study.ask_of_book("knowledge:study:estimate", json!({}))["host"].clone();
        // Switched on once more, it looks at once whether it may begin.
        study.ask_of_book("knowledge:study:set", json!({ "isEnabled": true, "agreedHost": host, "version": version }));
        study.wait_until_over()
    };
    assert_eq!((look()["currentPhase"].clone(), study.requests().len()), (json!("idle"), 0), "the program just began");
    study.writer.clock.advance_millis(4 * MINUTE);
    study.ask_of_book("memory:editor:activity", json!({}));
    study.writer.clock.advance_millis(4 * MINUTE);
    assert_eq!((look()["currentPhase"].clone(), study.requests().len()), (json!("idle"), 0), "the writer wrote");
    study.writer.clock.advance_millis(MINUTE);
    look();
    assert_eq!((study.count(Asked::Summary), study.records().len()), (1, 1), "and nobody asked for it");
}

/// A stub that knows two matters: meeting, whatever the words, and all others by their length.
struct MeetingEncoder;

impl Embedder for MeetingEncoder {
    fn model(&self) -> &str {
        "meetings/1"
    }

    fn dimensions(&self) -> usize {
        64
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let about_meeting = ["meet", "encounter", "acquaint"].iter().any(|word| text.contains(word));
        let direction = if about_meeting { 0 } else { 1 + text.len() % 63 };
        Ok((0..64).map(|n| f32::from(u8::from(n == direction))).collect())
    }
}

#[test]
fn a_record_is_found_by_its_meaning_in_its_own_book_alone() {
    let study = Study::with(|options| options.encoder = EncoderSource::Loaded(Arc::new(MeetingEncoder)));
    let other = study.writer.book("other", "en");
    save(&study.writer, &study.project, plain("Where did Mara and Tobias meet?", "On the quay."));
    save(&study.writer, &study.project, plain("Why is the ledger signed so late?", "Nobody dared."));
    save(&study.writer, &other, plain("At which place did the boatman first encounter her?", "By the mill."));
    study.writer.wait_until_idle();
    // It has no word of either question.
    let query = json!({ "query": "acquaintance made" });
    let found = |project: &str| study.writer.ask("knowledge:record:search", of_book(project, query.clone()));
    let first = |found: &Value| text(&found["records"][0]["record"], "answer");
    let (own, others) = (found(&study.project), found(&other));
    assert_eq!((first(&own), first(&others)), ("On the quay.".into(), "By the mill.".into()));
    let books = |found: &Value, project: &str| {
        found["records"].as_array().unwrap().iter().all(|one| one["record"]["projectId"] == project)
    };
    assert!(books(&own, &study.project) && books(&others, &other), "{own} {others}");
    let empty = study.writer.book("third", "en");
    assert_eq!(found(&empty)["records"], json!([]));
}

#[test]
fn a_question_that_means_what_was_asked_before_is_not_asked_whatever_its_words() {
    let study = Study::with(|options| options.encoder = EncoderSource::Loaded(Arc::new(MeetingEncoder)));
    let again = "At which place did the girl first encounter her boatman?";
    let other = "Why is the ledger signed so late in the year?";
    follow(
        &study.server,
        Script {
            questions: vec![questions(&[QUESTION]), questions(&[again]), questions(&[other])],
            ..Script::dutiful()
        },
    );
    study.agree();
    study.run();
    assert_eq!(study.count(Asked::Summary), 1);
    // A study that the writer has begun goes on after a duplicate, at once or at the next look.
    for _ in 0..3 {
        if study.count(Asked::Summary) < 2 {
            study.run();
        }
    }
    assert_eq!((study.count(Asked::Questions), study.count(Asked::Summary)), (3, 2));
    assert_ne!(study.question_state(other), "queued");
    let listed = study.ask_of_book("knowledge:question:list", json!({}));
    let words = |one: &Value| text(one, "question");
    assert!(listed["questions"].as_array().unwrap().iter().map(words).all(|words| words != again), "{listed}");
}

#[test]
fn a_chapter_that_is_saved_between_the_summary_and_its_commit_leaves_no_record_of_its_old_words() {
    let study = Study::agreed(Script::dutiful());
    let gate = study.server.gate();
    let held = gate.clone();
    study.server.reply(CHAT, move |asked| match request_kind(asked) {
        Asked::Questions => Answer::chat(&[&questions(&[QUESTION])]),
        Asked::Step | Asked::Comparison => Answer::chat(&[STOP]),
        Asked::Summary => Answer::stream()
            .wait_at(&held)
            .event(&palimpsest_tests::server::chat_piece(&Script::dutiful().summaries[0]))
            .chat_end(1),
    });
    study.start();
    study.writer.ask_until("knowledge:study:get", of_book(&study.project, json!({})), |state| {
        state["currentPhase"] == "summarizing"
    });
    analyze(&study.writer, &study.project, &[&edited(), LEDGER, END]);
    gate.open();
    let state = study.wait_until_over();
    assert_eq!((study.records().len(), study.proposed_facts().len()), (0, 0), "{state}");
    assert_eq!((&state["lastError"], study.question_state(QUESTION)), (&json!("textChanged"), "failed".to_owned()));

    follow(&study.server, Script::summing_up(&summary(&[MET_AGAIN], &[])));
    study.run();
    assert_eq!(study.question_state(QUESTION), "answered", "it is asked again at once");
    assert_eq!(study.records().len(), 1);
}

#[test]
fn without_the_file_of_the_past_continuity_says_that_issues_may_be_missing_and_verdicts_stay() {
    let aged = "In 1900 Mara Venn was thirty years old. In 1910 Mara Venn was just forty-four.";
    let text_of_book = format!("{FERRY}\n\n{aged}\n");
    let writer = Writer::new();
    let project = analyzed(&writer, "en", &[&text_of_book, LEDGER, END]);
    let list = |writer: &Writer| writer.ask("story:continuity:list", of_book(&project, json!({})));
    let issues = list(&writer)["issues"].as_array().unwrap().clone();
    let issue = issues.iter().find(|issue| issue["kind"] == "age").expect("an issue");
    let verdict = json!({ "issueId": issue["issueId"], "verdict": "intended" });
    writer.ask("story:continuity:resolve", of_book(&project, verdict));

    writer.wait_until_idle();
    let data = writer.data_dir();
    let writer = writer.restarted_after(|| {
        for file in ["episodes.db", "episodes.db-wal", "episodes.db-shm"] {
            std::fs::remove_file(data.join(file)).ok();
        }
        std::fs::create_dir(data.join("episodes.db")).unwrap();
    });
    let listed = list(&writer);
    assert_eq!((&listed["issues"], &listed["isIncomplete"]), (&json!([]), &json!(true)));

    let writer = writer.restarted_after(|| std::fs::remove_dir(data.join("episodes.db")).unwrap());
    analyze(&writer, &project, &[&text_of_book, LEDGER, END]);
    let issues = list(&writer)["issues"].as_array().unwrap().clone();
    let issue = issues.iter().find(|issue| issue["kind"] == "age").expect("the issue");
    assert_eq!(text(issue, "verdict"), "intended");
}

#[test]
fn records_are_listed_in_pages_with_their_number_and_answers_by_their_origin() {
    let study = Study::new();
    for number in 0..5 {
        let record =
            json!({ "question": format!("Who rows boat {number}?"), "questionType": "plot", "answer": "Tobias." });
        study.ask_of_book("knowledge:record:save", record);
    }
    study.ask_of_book("answer:record", json!({ "question": "When is high water?", "answer": "At noon." }));
    let page = |offset: u32| study.ask_of_book("knowledge:record:list", json!({ "offset": offset, "limit": 2 }));
    let mut listed = Vec::new();
    for offset in [0, 2, 4] {
        let page = page(offset);
        assert_eq!((&page["total"], &page["proposed"]), (&json!(5), &json!(5)));
        listed.extend(page["records"].as_array().unwrap().iter().map(|record| text(record, "question")));
    }
    let newest_first: Vec<String> = (0..5).rev().map(|number| format!("Who rows boat {number}?")).collect();
    assert_eq!(listed, newest_first);
    assert_eq!(page(6)["records"], json!([]));
    let first = page(0)["records"][0].clone();
    let keep = json!({ "answerId": first["answerId"], "version": first["version"], "verdict": "keep" });
    study.ask_of_book("knowledge:record:judge", keep);
    assert_eq!((&page(0)["total"], &page(0)["proposed"]), (&json!(5), &json!(4)));

    let answers = study.ask_of_book("answer:list", json!({ "origin": "studied", "limit": 3 }));
    assert_eq!((answers["answers"].as_array().unwrap().len(), &answers["total"]), (3, &json!(5)));
    assert!(answers["answers"].as_array().unwrap().iter().all(|answer| answer["origin"] == "studied"));
    assert_eq!((&answers["counts"]["studied"], &answers["counts"]["all"]), (&json!(5), &json!(6)));
    let asked = study.ask_of_book("answer:list", json!({ "origin": "asked" }));
    assert_eq!((&asked["total"], &asked["answers"]), (&json!(0), &json!([])));
}
