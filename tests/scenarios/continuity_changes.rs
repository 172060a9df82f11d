//! A change that a model found between two sentences of the text is proposed with both of them, and is canon by the
//! writer's word alone.

use palimpsest_tests::{
    server::{Answer, chat_piece},
    text,
};
use serde_json::{Value, json};

use crate::{
    asking_stage::CHAT,
    island::{END, FERRY, LEDGER, accepted, analyze, at, change, entity, list},
    study_stage::{Asked, Script, Study, comparison, follow},
};

const BLACK: &str = "Mara Venn had black hair, as all the family had.";
const RED: &str = "Mara Venn's hair was red and thin that evening.";
const WHY: &str = "Her hair has been dyed since.";

/// A book in which the hair of a character is black in one chapter and red in the next one.
fn texts() -> [String; 3] {
    [format!("{FERRY}\n{BLACK}\n"), format!("{LEDGER}\n{RED}\n"), END.to_owned()]
}

fn read_again(study: &Study, texts: &[String; 3]) {
    analyze(&study.writer, &study.project, &[&texts[0], &texts[1], &texts[2]]);
}

/// A study of that book with a model that finds a change, and the writer's agreement.
fn agreed_to_changes() -> Study {
    let texts = texts();
    let study = Study::of(&[&texts[0], &texts[1], &texts[2]], |_| {});
    follow(&study.server, Script { comparisons: vec![comparison("change", WHY)], ..Script::dutiful() });
    study.agree();
    study
}

/// The numbers of pairs that wait, and that tell a change.
fn waiting_and_changes(study: &Study) -> (u64, u64) {
    let pairs = study.ask_of_book("story:continuity:list", json!({}))["pairs"].clone();
    (pairs["waiting"].as_u64().unwrap(), pairs["changes"].as_u64().unwrap())
}

fn proposed_values(study: &Study) -> Vec<String> {
    study.proposed_facts().iter().map(|fact| text(fact, "value")).collect()
}

/// Keeps or refuses the only record.
fn judge(study: &Study, verdict: &str) -> Value {
    let [record] = &study.records()[..] else { panic!("not one record") };
    let verdict = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": verdict });
    change(&study.writer, "knowledge:record:judge", &study.project, verdict)
}

/// The values on the card of the character at the end of a chapter.
fn values_at(study: &Study, chapter: &str) -> Vec<String> {
    let venn = entity(&list(&study.writer, &study.project), "Mara Venn")["entityId"].clone();
    let card = study.ask_of_book("story:entity:get", json!({ "entityId": venn, "at": at(chapter) }));
    card["facts"].as_array().unwrap().iter().map(|fact| text(fact, "value")).collect()
}

/// Writes a fact of the writer's about the hair of the character, with a sentence of a chapter.
fn write_hair(study: &Study, value: &str, (chapter, quote): (usize, &str)) {
    let venn = accepted(&study.writer, &study.project, "Mara Venn");
    let chapter_text = &texts()[chapter];
    let from = chapter_text[..chapter_text.find(quote).unwrap()].encode_utf16().count();
    let citation = json!({ "chapterId": format!("c{}", chapter + 1), "from": from, "quote": quote });
    let fact = json!({ "entityId": venn, "attribute": "hair", "value": value, "citation": citation });
    change(&study.writer, "story:fact:save", &study.project, fact);
}

#[test]
fn a_told_change_is_proposed_with_both_sentences_and_once_kept_holds_from_the_later_one_on() {
    let study = agreed_to_changes();
    drop(study.writer.arrived_events());
    study.compare_pairs();
    let [record] = &study.records()[..] else { panic!("not one record") };
    assert_eq!(
        (&record["question"], &record["origin"]),
        (&json!("Mara Venn, hair: first black, then red?"), &json!("studied"))
    );
    assert_eq!(record["answer"], "black (chapter 1), red from chapter 2");
    let quotes: Vec<String> = record["citations"].as_array().unwrap().iter().map(|one| text(one, "quote")).collect();
    assert_eq!(quotes, [BLACK, RED]);
    let details = &record["details"];
    assert_eq!((&details["questionType"], &details["domain"]), (&json!("continuity"), &json!("Mara Venn")));
    assert_eq!((&details["metadata"]["model"], &record["confidence"]), (&json!("reader"), &json!(0.5)));
    let facts = study.proposed_facts();
    assert_eq!(proposed_values(&study), ["black", "red"]);
    assert!(facts.iter().all(|fact| fact["attribute"] == "hair" && fact["entityName"] == "Mara Venn"));
    assert_eq!((waiting_and_changes(&study), values_at(&study, "c2")), ((0, 1), vec![]), "proposed and no more");
    let is_of_records = |(name, payload): &palimpsest_tests::Event| {
        name == "memory:changed" && payload["what"].as_array().unwrap().contains(&json!("answers"))
    };
    assert!(study.writer.arrived_events().iter().any(is_of_records), "the lists are read again");

    study.compare_pairs();
    assert_eq!((study.records().len(), study.count(Asked::Comparison)), (1, 1), "the two facts are no other pair");

    let judged = judge(&study, "keep");
    assert_eq!(judged["acceptedFacts"], 2);
    assert_eq!((values_at(&study, "c1"), values_at(&study, "c2")), (vec!["black".to_owned()], vec!["red".to_owned()]));
    let issues = study.ask_of_book("story:continuity:list", json!({}))["issues"].clone();
    assert!(issues.as_array().unwrap().iter().all(|issue| issue["kind"] != "attribute"), "{issues}");
    assert_eq!(waiting_and_changes(&study), (0, 1));
    study.compare_pairs();
    assert_eq!((study.records().len(), study.count(Asked::Comparison)), (1, 1));

    study.ask_of_book("story:undo", json!({ "changeId": judged["changeId"] }));
    assert_eq!(values_at(&study, "c2"), Vec::<String>::new(), "one change");
}

#[test]
fn a_refused_change_stays_refused_while_the_study_goes_on_and_leaves_no_word() {
    let study = agreed_to_changes();
    study.compare_pairs();
    judge(&study, "refuse");
    assert_eq!((study.records().len(), waiting_and_changes(&study)), (0, (0, 1)));
    study.compare_pairs();
    study.run();
    let [first, second, third] = texts();
    let reworded = second.replace("red and thin", "red and long");
    read_again(&study, &[first.clone(), reworded, third.clone()]);
    study.compare_pairs();
    assert_eq!((study.count(Asked::Comparison), proposed_values(&study).contains(&"red".to_owned())), (2, false));
    read_again(&study, &texts());
    study.compare_pairs();
    assert_eq!((study.count(Asked::Comparison), waiting_and_changes(&study)), (2, (0, 1)), "the words came back");
    assert!(!proposed_values(&study).contains(&"red".to_owned()));
    assert_eq!(values_at(&study, "c2"), Vec::<String>::new());

    let db = rusqlite::Connection::open(study.writer.data_dir().join("episodes.db")).unwrap();
    let whys: u32 = db.query_row("SELECT count(*) FROM compared_pairs WHERE why <> ''", [], |row| row.get(0)).unwrap();
    assert_eq!(whys, 0, "no word about the change outlives its refusal");
}

#[test]
fn of_a_change_only_what_the_writer_does_not_have_is_proposed() {
    let study = agreed_to_changes();
    write_hair(&study, "black hair", (0, "Mara Venn had black hair"));
    study.compare_pairs();
    assert_eq!((proposed_values(&study), waiting_and_changes(&study)), (vec!["red".to_owned()], (0, 1)));
    assert_eq!(judge(&study, "keep")["acceptedFacts"], 1);
    let black = || vec!["black hair".to_owned()];
    assert_eq!((values_at(&study, "c1"), values_at(&study, "c2")), (black(), vec!["red".to_owned()]));

    let study = agreed_to_changes();
    write_hair(&study, "red", (1, RED));
    study.compare_pairs();
    assert_eq!(proposed_values(&study), ["black"]);
    judge(&study, "keep");
    let black = vec!["black".to_owned()];
    assert_eq!((values_at(&study, "c1"), values_at(&study, "c2")), (black, vec!["red".to_owned()]));
}

#[test]
fn a_change_whose_sentence_is_gone_by_then_proposes_nothing() {
    let study = agreed_to_changes();
    let gate = study.server.gate();
    let held = gate.clone();
    study.server.reply(CHAT, move |_| {
        Answer::stream().wait_at(&held).event(&chat_piece(&comparison("change", WHY))).chat_end(1)
    });
    study.ask_of_book("memory:editor:activity", json!({}));
    study.ask_of_book("story:continuity:compare", json!({}));
    study.server.wait_for_request_to(CHAT);
    let [first, _, third] = texts();
    read_again(&study, &[first, LEDGER.to_owned(), third]);
    gate.open();
    study.wait_until_over();
    assert_eq!((study.records().len(), proposed_values(&study)), (0, vec![]));
    read_again(&study, &texts());
    assert_eq!(waiting_and_changes(&study), (0, 1), "the verdict is kept");
    study.compare_pairs();
    assert_eq!((study.records().len(), study.count(Asked::Comparison)), (0, 1));
}

#[test]
fn a_record_about_a_change_has_the_name_that_is_hidden_from_the_model() {
    let study = agreed_to_changes();
    let names = json!([{ "name": "Mara Venn", "alias": "Zora Quill" }]);
    study.ask_of_book("memory:names:set", json!({ "names": names }));
    study.compare_pairs();
    let [prompt] = &study.sent_prompts()[..] else { panic!("not one prompt") };
    assert!(prompt.contains("Zora Quill's hair") && !prompt.contains("Venn"), "{prompt}");
    let [record] = &study.records()[..] else { panic!("not one record") };
    assert_eq!(record["question"], "Mara Venn, hair: first black, then red?");
    assert_eq!(study.proposed_facts()[0]["entityName"], "Mara Venn");
}

#[test]
fn a_change_in_a_chinese_book_is_proposed_in_chinese() {
    let first = "# 渡口\n\n林小满上了船。林小满的眼睛是蓝的。\n";
    let second = "# 账本\n\n林小满打开账本。林小满生着褐色的眼睛。林小满走了。\n";
    let study = Study::of_language("zh", &[first, second], |_| {});
    let comparisons = vec![comparison("change", "后来眼睛变了颜色。")];
    follow(&study.server, Script { comparisons, ..Script::dutiful() });
    study.agree();
    study.compare_pairs();
    let [record] = &study.records()[..] else { panic!("not one record") };
    assert_eq!(
        (&record["question"], &record["answer"]),
        (&json!("林小满的眼睛：先是蓝，后来是褐色？"), &json!("第 1 章：蓝；第 2 章起：褐色"))
    );
}
