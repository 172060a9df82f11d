//! Questions that are asked again: a kept answer that is served, a new one beside it, and whom a question is sent to.

use palimpsest_tests::{server::Answer, text};
use serde_json::{Value, json};

use crate::{
    answers::{get, of_book},
    asking_stage::{ANSWER, CHAT, QUESTION, Stage, result, set_replies, spoken},
    island::at,
};

const SEARCH: &str = "/v1/qa/search";
/// An answer with the same passage and other words.
const OTHER_ANSWER: &str = "It was in Harwick, in May of 1983. [P1 \"They had met in Harwick on 15 May 1983\"]";
/// A key as a provider gives it; it is no real one.
const SECRET: &str = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

fn kept_id(done: &Value) -> String {
    text(&done["answered"]["kept"], "answerId")
}

fn journal(stage: &Stage) -> Vec<String> {
    let listed = stage.writer.ask("journal:list", of_book(&stage.project, json!({ "kind": "ask" })));
    listed["entries"].as_array().unwrap().iter().map(|entry| text(entry, "content")).collect()
}

fn run_states(stage: &Stage) -> Vec<String> {
    let listed = stage.writer.ask("answer:run:list", of_book(&stage.project, json!({})));
    listed["runs"].as_array().unwrap().iter().map(|run| text(run, "state")).collect()
}

fn connect_service(stage: &Stage) {
    stage.server.always(SEARCH, Answer::json(200, json!([])));
    let settings = json!({ "baseUrl": stage.server.url(""), "enabled": true, "sendCandidates": false });
    stage.writer.ask("answer:service:set", settings);
}

fn service_requests(stage: &Stage) -> usize {
    stage.server.requests_to(SEARCH).len()
}

#[test]
fn a_served_answer_is_a_hit_and_an_entry_of_the_journal_and_no_run_stays_open() {
    let stage = Stage::with_model(&[], ANSWER);
    let id = kept_id(&stage.ask_book(json!({ "question": QUESTION })).done);
    let shown = |answer: &Value| answer["hitCount"].as_u64().unwrap();
    let before = shown(&get(&stage.writer, &stage.project, &id));
    let served = stage.start(json!({ "question": QUESTION }));
    assert_eq!(served["served"]["answerId"], *id);
    assert_eq!(shown(&get(&stage.writer, &stage.project, &id)), before + 1);
    let lines = journal(&stage);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("Answered with the answer kept on") && lines[0].contains("They met in Harwick."));
    assert_eq!(run_states(&stage), ["completed", "completed"]);
}

#[test]
fn an_answer_asked_for_again_is_kept_beside_the_old_one() {
    let stage = Stage::with_model(&[], ANSWER);
    let first = kept_id(&stage.ask_book(json!({ "question": QUESTION })).done);
    for _ in 0..3 {
        let passed = json!({ "answerId": first, "result": "pass", "source": "writer" });
        stage.writer.ask("answer:validate", of_book(&stage.project, passed));
    }
    set_replies(&stage.server, &[], OTHER_ANSWER);
    let asked = stage.ask_book(json!({ "question": QUESTION, "fresh": true }));
    assert_eq!(asked.started["served"], Value::Null);
    assert_eq!(asked.done["answered"]["whyNot"], json!([]), "{}", asked.done);
    let second = kept_id(&asked.done);
    assert_ne!(first, second);
    for id in [&first, &second] {
        assert_eq!(get(&stage.writer, &stage.project, id)["question"], QUESTION);
    }
}

#[test]
fn the_same_words_about_another_selection_are_another_question() {
    let stage = Stage::with_model(&[], ANSWER);
    let question = "Where was this?";
    let about = |selection: &str| json!({ "question": question, "selection": selection });
    let id = kept_id(&stage.ask_book(about("They had met in Harwick")).done);
    let kept = get(&stage.writer, &stage.project, &id);
    assert_eq!(kept["question"], "Where was this? “They had met in Harwick”");
    let other = stage.start(about("Nobody signed the ledger"));
    assert_eq!((&other["served"], &other["askedOf"]["kind"]), (&Value::Null, &json!("model")));
    stage.end_of(other);
    assert_eq!(stage.start(about("They had met\nin Harwick"))["served"]["answerId"], *id);
}

#[test]
fn a_question_goes_to_the_answer_service_only_where_a_model_or_a_program_is_asked() {
    let stage = Stage::new();
    connect_service(&stage);
    let asked = stage.ask_book(json!({ "question": QUESTION }));
    assert_eq!((&asked.started["askedOf"]["kind"], service_requests(&stage)), (&json!("book"), 0));
    stage.choose_model();
    set_replies(&stage.server, &[], ANSWER);
    stage.ask_book(json!({ "question": QUESTION, "onlyBook": true }));
    assert_eq!(service_requests(&stage), 0, "the book alone was asked");
    stage.ask_book(json!({ "question": QUESTION }));
    assert_eq!(service_requests(&stage), 1);
    assert!(!stage.start(json!({ "question": QUESTION }))["served"].is_null());
    assert_eq!(service_requests(&stage), 1, "a kept answer was served");
    stage.ask_book(json!({ "question": QUESTION, "fresh": true }));
    assert_eq!(service_requests(&stage), 2);
    stage.ask_book(json!({ "question": "Who is the smith?", "at": at("c1") }));
    assert_eq!(service_requests(&stage), 2, "the last chapter is not known to the question");
    stage.ask_book(json!({ "question": "Who is the smith?", "at": at("c3") }));
    assert_eq!(service_requests(&stage), 3);
}

#[test]
fn a_service_that_does_not_serve_is_named_and_the_question_is_answered_all_the_same() {
    let stage = Stage::with_model(&[], ANSWER);
    connect_service(&stage);
    stage.server.always(SEARCH, Answer::bytes(401, "text/plain", "no"));
    let asked = stage.ask_book(json!({ "question": QUESTION }));
    let is_named = |of: &Value| {
        let mut reasons = of["degradedReasons"].as_array().unwrap().iter();
        reasons.any(|reason| reason["code"] == "answerServiceUnavailable")
    };
    assert!(is_named(&asked.done["answered"]), "{}", asked.done);
    assert!(!is_named(&asked.started), "the question starts before the service has answered");
    assert_eq!(asked.done["status"], "finished");
}

#[test]
fn a_program_that_ends_with_an_error_after_its_answer_shows_it_and_keeps_nothing() {
    let (stage, id) = Stage::with_program("claude", palimpsest_api::agents::Limits::default());
    stage.script("claude", &[spoken(ANSWER), json!({ "exit": 1 })]);
    let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": id }));
    assert_eq!(asked.done["answered"]["text"], "They met in Harwick.");
    assert_eq!((&asked.done["status"], &asked.done["answered"]["kept"]), (&json!("failed"), &Value::Null));
    assert_eq!(asked.done["answered"]["whyNot"], json!(["exit"]));
    let result_of = |run: &Value| {
        let run = json!({ "runId": run["runId"] });
        stage.writer.ask("answer:run:get", of_book(&stage.project, run))["completed"]["assessment"]["result"].clone()
    };
    assert_eq!(result_of(&asked.started), "fail");
    // The result wins for the answer, the exit code for its judgement.
    stage.script("claude", &[spoken(ANSWER), result(ANSWER), json!({ "exit": 1 })]);
    let asked = stage.ask_book(json!({ "question": QUESTION, "backendId": id }));
    assert_eq!(asked.done["status"], "finished");
    assert_eq!((&asked.done["answered"]["kept"], result_of(&asked.started)), (&Value::Null, json!("fail")));
}

#[test]
fn words_between_the_tools_of_a_program_are_no_part_of_its_answer() {
    let (stage, id) = Stage::with_program("claude", palimpsest_api::agents::Limits::default());
    let used = json!({ "type": "tool_use", "id": "t1", "name": "Read", "input": { "file_path": "001.md" } });
    let used = json!({ "type": "assistant", "message": { "content": [used] } });
    let none = "[none] The book does not say.";
    let steps =
        [spoken("Let me look into the first chapter."), json!({ "out": used.to_string() }), spoken(none), result(none)];
    stage.script("claude", &steps);
    let asked = stage.ask_book(json!({ "question": "Who is the smith?", "backendId": id }));
    assert_eq!(asked.done["answered"]["text"], "The book does not say.");
    assert_eq!(asked.done["answered"]["notInBook"], true);
}

#[test]
fn an_answer_in_another_language_than_the_question_is_marked_and_kept() {
    let answer = "他们是在哈里奇认识的。 [P1 \"They had met in Harwick on 15 May 1983\"]";
    let stage = Stage::with_model(&[], answer);
    let asked = stage.ask_book(json!({ "question": QUESTION }));
    assert_eq!(asked.done["answered"]["isOtherLanguage"], true);
    let stage = Stage::with_model(&[], ANSWER);
    assert_eq!(stage.ask_book(json!({ "question": QUESTION })).done["answered"]["isOtherLanguage"], false);
}

#[test]
fn a_mark_in_repeated_lines_of_the_prompt_is_no_use_of_the_answer() {
    let stage = Stage::with_model(&[], ANSWER);
    let id = kept_id(&stage.ask_book(json!({ "question": QUESTION })).done);
    let used = || get(&stage.writer, &stage.project, &id)["useCount"].as_u64().unwrap();
    let before = used();
    let again = json!({ "question": QUESTION, "fresh": true });
    stage.ask_book(again.clone());
    let prompt = stage.prompts().pop().unwrap();
    let line = prompt.lines().find(|line| line.contains("[QA:1]")).expect("the answer is in the prompt").to_owned();
    set_replies(&stage.server, &[], &format!("{line}\n\n{ANSWER}"));
    stage.ask_book(again.clone());
    assert_eq!(used(), before);
    set_replies(&stage.server, &[], "They met in Harwick [QA:1]. [P1 \"They had met in Harwick on 15 May 1983\"]");
    stage.ask_book(again);
    assert_eq!(used(), before + 1);
}

#[test]
fn a_question_that_the_limit_of_the_day_refuses_leaves_no_open_run() {
    let stage = Stage::with_model(&[], ANSWER);
    stage.ask_book(json!({ "question": QUESTION }));
    let sent = stage.server.requests_to(CHAT).len();
    stage.writer.ask("ai:usage:limit", json!({ "requestsPerDay": 1, "tokensPerDay": null }));
    let question = json!({ "question": "Who had signed the ledger?" });
    let refused = stage.writer.error("ask:run", of_book(&stage.project, question));
    assert_eq!(json!(refused.details.unwrap().reason), "dailyLimit");
    assert_eq!(
        (run_states(&stage), stage.server.requests_to(CHAT).len()),
        (vec!["expired".into(), "completed".into()], sent)
    );
}

#[test]
fn a_secret_in_a_question_is_in_no_entry_of_the_journal() {
    let stage = Stage::with_model(&[], ANSWER);
    stage.ask_book(json!({ "question": format!("Why does {SECRET} fail where they met?") }));
    let lines = journal(&stage);
    assert!(lines[0].starts_with("Asked") && !lines[0].contains("AbCdEfGhIj"), "{lines:?}");
}
