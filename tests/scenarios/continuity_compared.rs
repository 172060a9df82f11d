//! Pairs of sentences that code cannot compare: a model with an agreement says whether they contradict each other, and
//! nothing that it says is an issue without two sentences of the book.

use palimpsest_tests::{
    server::{Answer, chat_piece},
    text,
};
use serde_json::{Value, json};

use crate::{
    asking_stage::CHAT,
    island::{END, FERRY, LEDGER, accepted, analyze, analyzed, at, change},
    study_stage::{Asked, Script, Study, comparison, follow, summary},
};

const BLUE: &str = "Mara Venn had blue eyes, as all the family had.";
const BROWN: &str = "Mara Venn's eyes were brown and wide open that evening.";
const WHY: &str = "Blue eyes and brown eyes exclude each other.";

/// A book in which a character has blue eyes in one chapter and brown ones in another.
fn texts_with_eyes() -> [String; 3] {
    [format!("{FERRY}\n{BLUE}\n"), format!("{LEDGER}\n{BROWN}\n"), END.to_owned()]
}

fn book(texts: &[String; 3]) -> [&str; 3] {
    [&texts[0], &texts[1], &texts[2]]
}

/// A study of that book with a model that replies so to a comparison, and the writer's agreement.
fn agreed_to_compare(replies: &[String]) -> Study {
    let study = Study::of(&book(&texts_with_eyes()), |_| {});
    follow(&study.server, Script { comparisons: replies.to_vec(), ..Script::dutiful() });
    study.agree();
    study
}

fn doubts(study: &Study) -> Value {
    study.ask_of_book("story:continuity:list", json!({}))
}

fn found_by_model(list: &Value) -> Vec<Value> {
    list["issues"].as_array().unwrap().iter().filter(|issue| issue["foundBy"] == "model").cloned().collect()
}

/// The numbers of pairs that wait, contradict each other, tell a change, and are unclear.
fn pairs(list: &Value) -> [u64; 4] {
    ["waiting", "conflicts", "changes", "unclear"].map(|count| list["pairs"][count].as_u64().unwrap())
}

#[test]
fn two_sentences_that_a_model_calls_a_conflict_are_an_issue_with_its_reason_and_the_verdict_holds() {
    let study = agreed_to_compare(&[comparison("conflict", WHY)]);
    let before = doubts(&study);
    assert_eq!((pairs(&before), found_by_model(&before)), ([1, 0, 0, 0], vec![]));
    let estimate = study.ask_of_book("knowledge:study:estimate", json!({}));
    assert_eq!(estimate["pairs"], 1);

    let state = study.compare_pairs();
    assert_eq!((&state["currentPhase"], &state["stopReason"]), (&json!("idle"), &Value::Null));
    assert_eq!(study.requests(), [Asked::Comparison], "and no question");
    assert_eq!((&state["questionsToday"], &state["explorationsToday"]), (&json!(0), &json!(0)));
    let list = doubts(&study);
    let [issue] = &found_by_model(&list)[..] else { panic!("not one issue: {list}") };
    assert_eq!(
        (&issue["kind"], &issue["entityName"], &issue["why"]),
        (&json!("attribute"), &json!("Mara Venn"), &json!(WHY))
    );
    assert_eq!((text(&issue["first"], "quote"), text(&issue["second"], "quote")), (BLUE.to_owned(), BROWN.to_owned()));
    assert_eq!((&issue["values"], pairs(&list)), (&json!(["blue", "brown"]), [0, 1, 0, 0]));

    let verdict = json!({ "issueId": issue["issueId"], "verdict": "first" });
    change(&study.writer, "story:continuity:resolve", &study.project, verdict);
    assert_eq!(found_by_model(&doubts(&study))[0]["verdict"], "first");
    study.compare_pairs();
    assert_eq!(study.count(Asked::Comparison), 1, "nothing is left to compare");

    let [first, second, third] = texts_with_eyes();
    analyze(&study.writer, &study.project, &[&first, &second.replace("brown and", "green and"), &third]);
    assert_eq!((pairs(&doubts(&study)), found_by_model(&doubts(&study))), ([1, 0, 0, 0], vec![]), "another pair");
    analyze(&study.writer, &study.project, &book(&texts_with_eyes()));
    assert_eq!(found_by_model(&doubts(&study))[0]["verdict"], "first", "the words came back");

    let (writer, project) = (study.writer.restarted(), study.project);
    let list = change(&writer, "story:continuity:list", &project, json!({}));
    assert_eq!(
        (&found_by_model(&list)[0]["verdict"], &found_by_model(&list)[0]["why"]),
        (&json!("first"), &json!(WHY))
    );
}

#[test]
fn a_change_and_an_unclear_pair_are_no_issues_and_are_compared_once() {
    for (verdict, counts) in [("change", [0, 0, 1, 0]), ("unclear", [0, 0, 0, 1])] {
        let study = agreed_to_compare(&[comparison(verdict, "The family had blue eyes before.")]);
        study.compare_pairs();
        let list = doubts(&study);
        assert_eq!((pairs(&list), found_by_model(&list)), (counts, vec![]));
        study.compare_pairs();
        assert_eq!(study.count(Asked::Comparison), 1);
    }
}

#[test]
fn a_model_that_misbehaves_opens_no_issue_and_is_asked_twice_at_most() {
    let chinese = comparison("conflict", "蓝色的眼睛和褐色的眼睛不可能都对，这里写错了。");
    let faults = [
        "",
        "conflict",
        "{}",
        "{\"verdict\":\"certainly\"}",
        "{\"verdict\":[\"conflict\"]}",
        "{\"verdict\":",
        &chinese,
    ];
    for fault in faults {
        let study = agreed_to_compare(&[fault.to_owned()]);
        let state = study.compare_pairs();
        let list = doubts(&study);
        assert_eq!((pairs(&list), found_by_model(&list)), ([0, 0, 0, 1], vec![]), "{fault}");
        assert_eq!((study.count(Asked::Comparison), &state["consecutiveErrors"]), (2, &json!(1)), "{fault}");
        study.compare_pairs();
        assert_eq!(study.count(Asked::Comparison), 2, "given up: {fault}");
    }
}

#[test]
fn a_model_that_fails_is_waited_for_and_the_pair_stays() {
    let study = agreed_to_compare(&[]);
    study.server.always(CHAT, Answer::chat(&[]).status(500));
    let state = study.compare_pairs();
    assert_eq!((&state["currentPhase"], pairs(&doubts(&study))), (&json!("backingOff"), [1, 0, 0, 0]));
    follow(&study.server, Script { comparisons: vec![comparison("conflict", WHY)], ..Script::dutiful() });
    study.writer.clock.advance_millis(60_000);
    study.compare_pairs();
    assert_eq!(pairs(&doubts(&study)), [0, 1, 0, 0]);
}

#[test]
fn a_comparison_sends_the_two_sentences_alone_and_no_hidden_name() {
    let study = agreed_to_compare(&[comparison("conflict", "The eyes of Zora Quill are blue and brown.")]);
    let names = json!([{ "name": "Mara Venn", "alias": "Zora Quill" }]);
    change(&study.writer, "memory:names:set", &study.project, json!({ "names": names }));
    study.compare_pairs();
    let [prompt] = &study.sent_prompts()[..] else { panic!("not one prompt") };
    assert!(prompt.contains("Chapter 1: Zora Quill had blue eyes") && prompt.contains("Chapter 2: Zora Quill's eyes"));
    assert!(!prompt.contains("Venn") && !prompt.contains("Harwick") && !prompt.contains("ledger"), "{prompt}");
    assert_eq!(found_by_model(&doubts(&study))[0]["why"], "The eyes of Mara Venn are blue and brown.");
}

#[test]
fn nothing_is_compared_without_an_agreement_to_the_host_of_the_model() {
    let study = Study::of(&book(&texts_with_eyes()), |_| {});
    follow(&study.server, Script { comparisons: vec![comparison("conflict", WHY)], ..Script::dutiful() });
    let of_book = || crate::answers::of_book(&study.project, json!({}));
    assert_eq!(study.writer.refused("story:continuity:compare", of_book()).0, "MEMORY_INVALID_ARGUMENT");
    assert_eq!((pairs(&doubts(&study)), study.requests().len()), ([1, 0, 0, 0], 0));
    assert_eq!(
        study.writer.refused("story:continuity:compare", json!({ "projectId": "nothing" })).0,
        "MEMORY_NOT_FOUND"
    );
    study.agree();
    study.writer.ask("ai:purpose:set", json!({ "purpose": "studying", "providerId": null }));
    assert_eq!(study.writer.refused("story:continuity:compare", of_book()).0, "MEMORY_MODEL_UNAVAILABLE");
}

#[test]
fn a_question_that_the_writer_stopped_sends_nothing_while_two_sentences_are_compared() {
    let study = agreed_to_compare(&[comparison("conflict", WHY)]);
    let gate = study.server.gate();
    study.server.reply(CHAT, move |_| Answer::stream().wait_at(&gate));
    study.start();
    // The phase is stored before its request is sent.
    study.wait_for_phase("generatingQuestion");
    study.server.wait_for_request_to(CHAT);
    study.ask_of_book("knowledge:study:stop", json!({}));
    let sent = study.requests().len();
    follow(&study.server, Script { comparisons: vec![comparison("conflict", WHY)], ..Script::dutiful() });
    let state = study.compare_pairs();
    assert_eq!(study.requests()[sent..], [Asked::Comparison]);
    assert_eq!((&state["currentPhase"], &state["stopReason"]), (&json!("stopped"), &json!("user")));
    study.run();
    assert_eq!(study.records().len(), 1, "the question goes on when the writer wants it");
}

#[test]
fn comparisons_belong_to_one_book_and_go_with_it() {
    let study = agreed_to_compare(&[comparison("conflict", WHY)]);
    let other = analyzed(&study.writer, "en", &book(&texts_with_eyes()));
    study.compare_pairs();
    let of_other = || change(&study.writer, "story:continuity:list", &other, json!({}));
    assert_eq!((pairs(&doubts(&study)), pairs(&of_other())), ([0, 1, 0, 0], [1, 0, 0, 0]));
    study.writer.ask("memory:clear:project", json!({ "projectId": other, "confirmed": true }));
    assert_eq!(pairs(&doubts(&study)), [0, 1, 0, 0]);

    study.writer.ask("memory:clear:project", json!({ "projectId": study.project, "confirmed": true }));
    let db = rusqlite::Connection::open(study.writer.data_dir().join("episodes.db")).unwrap();
    let rows: u32 = db.query_row("SELECT count(*) FROM compared_pairs", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 0);
}

#[test]
fn a_proposed_fact_and_a_fact_of_the_writers_are_a_pair_and_a_told_change_replaces_the_earlier_fact() {
    let (small, tall) = ("Mara Venn was small for her age then.", "Mara Venn had grown tall in her years at sea.");
    let [first, second] = [format!("{FERRY}\n{small}\n"), format!("{LEDGER}\n{tall}\n")];
    let study = Study::of(&[&first, &second, END], |_| {});
    let venn = accepted(&study.writer, &study.project, "Mara Venn");
    let from = first[..first.find(small).unwrap()].encode_utf16().count();
    let saved = json!({ "entityId": venn, "attribute": "height", "value": "small", "certainty": "told",
        "citation": { "chapterId": "c1", "from": from, "quote": small } });
    change(&study.writer, "story:fact:save", &study.project, saved);
    let fact = json!({ "entity": "Mara Venn", "attribute": "height", "value": "tall", "passage": "P1",
        "quote": tall, "certainty": "told", "knownBy": [] });
    let reply = summary(&[["Mara Venn had grown tall.", "P1", tall]], &[fact]);
    let comparisons = vec![comparison("change", "She has grown since.")];
    follow(&study.server, Script { comparisons, ..Script::summing_up(&reply) });
    study.agree();
    study.study("How tall was Mara Venn after her years at sea?");
    assert_eq!(study.proposed_facts().len(), 1);
    assert_eq!(pairs(&doubts(&study)), [1, 0, 0, 0]);
    study.compare_pairs();
    assert_eq!((pairs(&doubts(&study)), found_by_model(&doubts(&study))), ([0, 0, 1, 0], vec![]));
    let db = rusqlite::Connection::open(study.writer.data_dir().join("episodes.db")).unwrap();
    let why: String = db.query_row("SELECT why FROM compared_pairs", [], |row| row.get(0)).unwrap();
    assert_eq!(why, "", "its words would outlive the refusal of the proposed fact");
    drop(db);

    let record = study.records()[0].clone();
    let verdict = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": "keep" });
    change(&study.writer, "knowledge:record:judge", &study.project, verdict);
    let values_at = |chapter: &str| {
        let asked = json!({ "entityId": venn, "at": at(chapter) });
        let card = change(&study.writer, "story:entity:get", &study.project, asked);
        card["facts"].as_array().unwrap().iter().map(|fact| text(fact, "value")).collect::<Vec<_>>()
    };
    assert_eq!((values_at("c1"), values_at("c2")), (vec!["small".to_owned()], vec!["tall".to_owned()]));
    assert!(doubts(&study)["issues"].as_array().unwrap().iter().all(|issue| issue["kind"] != "attribute"));
}

#[test]
fn each_comparison_has_an_entry_in_the_journal_with_its_verdict_and_no_word_of_the_book() {
    let entries = |study: &Study| {
        let listed = study.ask_of_book("journal:list", json!({ "kind": "study" }));
        listed["entries"].as_array().unwrap().clone()
    };
    let about = "Compared two sentences about Mara Venn (chapters 1 and 2)";
    for (reply, outcome) in [
        (comparison("conflict", WHY), "they contradict each other"),
        (comparison("change", WHY), "the later one tells a change"),
        (comparison("unclear", WHY), "both may be right"),
        ("nothing".to_owned(), "no readable reply"),
    ] {
        let study = agreed_to_compare(std::slice::from_ref(&reply));
        study.compare_pairs();
        let [entry] = &entries(&study)[..] else { panic!("not one entry: {reply}") };
        assert_eq!(entry["content"], format!("{about}: {outcome}."));
        let record = study.records().first().map_or(Value::Null, |record| record["answerId"].clone());
        assert_eq!((&entry["refId"], &entry["wordedBy"]), (&record, &json!("template")));
        if let [record] = &study.records()[..] {
            let verdict = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": "refuse" });
            study.ask_of_book("knowledge:record:judge", verdict);
            assert_eq!(entries(&study)[0]["content"], "", "with its record");
        }
    }
    let study = agreed_to_compare(&[comparison("conflict", WHY)]);
    study.ask_of_book("journal:keep", json!({ "isKept": false }));
    study.compare_pairs();
    assert_eq!((entries(&study), pairs(&doubts(&study))), (vec![], [0, 1, 0, 0]));
}

#[test]
fn the_comparisons_of_a_day_are_counted_and_those_that_wait_for_another_book_say_so() {
    let study = agreed_to_compare(&[comparison("conflict", WHY)]);
    let gate = study.server.gate();
    let held = gate.clone();
    study.server.reply(CHAT, move |_| {
        Answer::stream().wait_at(&held).event(&chat_piece(&comparison("unclear", WHY))).chat_end(1)
    });
    study.ask_of_book("memory:editor:activity", json!({}));
    study.ask_of_book("story:continuity:compare", json!({}));
    study.server.wait_for_request_to(CHAT);
    assert_eq!(
        (&study.study_state()["comparisonsToday"], &study.study_state()["maxComparisons"]),
        (&json!(1), &json!(50))
    );

    let other = analyzed(&study.writer, "en", &book(&texts_with_eyes()));
    let of_other = |command: &str, more: Value| change(&study.writer, command, &other, more);
    let host = of_other("knowledge:study:estimate", json!({}))["host"].clone();
    of_other("knowledge:study:set", json!({ "isEnabled": true, "agreedHost": host, "version": 0 }));
    of_other("memory:editor:activity", json!({}));
    let state = of_other("story:continuity:compare", json!({}));
    assert_eq!((&state["currentPhase"], &state["isComparisonWaiting"]), (&json!("idle"), &json!(true)));
    assert_eq!(of_other("knowledge:study:get", json!({}))["isComparisonWaiting"], true);
    assert_eq!(study.study_state()["isComparisonWaiting"], false);

    gate.open();
    study.writer.ask_until("story:continuity:list", crate::answers::of_book(&other, json!({})), |list| {
        pairs(list) == [0, 0, 0, 1]
    });
    let is_over = |state: &Value| state["currentPhase"] == "idle";
    let state = study.writer.ask_until("knowledge:study:get", crate::answers::of_book(&other, json!({})), is_over);
    assert_eq!((&state["comparisonsToday"], &state["isComparisonWaiting"]), (&json!(1), &json!(false)));
    study.writer.clock.advance_millis(24 * 60 * 60 * 1_000);
    assert_eq!(study.study_state()["comparisonsToday"], 0, "another day");
}
