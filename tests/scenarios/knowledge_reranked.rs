//! Learning records in the order of a reranking model, where the writer has chosen one.

use palimpsest_tests::{
    Writer,
    server::{Answer, Server},
};
use serde_json::{Value, json};

use super::{
    asking_stage::Stage,
    island::change,
    knowledge_records::{plain, save},
};

const PATH: &str = "/v1/rerank";

fn choose_reranker(writer: &Writer, server: &Server) {
    let provider = json!({ "kind": "openAi", "name": "重排", "baseUrl": server.url("/v1"), "key": "sk-x" });
    let provider = writer.ask("ai:provider:save", provider);
    writer.ask(
        "ai:purpose:set",
        json!({ "purpose": "reranking", "providerId": provider["providerId"], "model": "bge-reranker-v2-m3" }),
    );
}

fn questions(found: &Value) -> Vec<&str> {
    let records = found["records"].as_array().unwrap();
    records.iter().map(|found| found["record"]["question"].as_str().unwrap()).collect()
}

fn book_with_records() -> (Writer, String) {
    let writer = Writer::new();
    let project = writer.book("渡口", "zh");
    writer.ask(
        "memory:names:set",
        json!({ "projectId": project, "names": [{ "name": "沈砚秋", "alias": "林远", "lowerCase": null }] }),
    );
    for (question, answer) in [
        ("渡口的船几点开？", "渡口的船清早六点开。"),
        ("沈砚秋的船停在哪里？", "沈砚秋的船停在渡口。"),
        ("渡口的船是谁的？", "渡口的船是老周的。"),
    ] {
        save(&writer, &project, plain(question, answer));
    }
    writer.wait_until_idle();
    (writer, project)
}

/// Scores that grow with the place of a document, so that the last one comes first.
fn reversed(documents: usize) -> Answer {
    let results: Vec<Value> =
        (0..documents).map(|at| json!({ "index": at, "relevance_score": (at + 1) as f64 / 10.0 })).collect();
    Answer::json(200, json!({ "results": results }))
}

#[test]
fn a_chosen_model_orders_more_records_than_are_asked_for_and_reads_no_hidden_name() {
    let (writer, project) = book_with_records();
    let ask = json!({ "projectId": project, "query": "沈砚秋的渡口的船", "topK": 2 });
    let before = writer.ask("knowledge:record:search", ask.clone());
    assert_eq!((before["records"].as_array().unwrap().len(), &before["isReranked"]), (2, &json!(false)));

    let server = Server::start();
    server.reply(PATH, |asked| reversed(asked.body["documents"].as_array().unwrap().len()));
    choose_reranker(&writer, &server);
    let after = writer.ask("knowledge:record:search", ask);
    assert_eq!((after["records"].as_array().unwrap().len(), &after["isReranked"]), (2, &json!(true)));
    assert_eq!(after["records"][0]["score"], 0.3, "the model scored three and two of them are answered");
    assert_ne!(questions(&after), questions(&before));

    let sent = &server.requests_to(PATH)[0];
    assert_eq!(sent.body["documents"].as_array().unwrap().len(), 3);
    let body = sent.body.to_string();
    assert!(!body.contains("沈砚秋") && body.contains("林远"), "{body}");
}

#[test]
fn what_a_request_needs_is_chosen_by_the_same_model() {
    let (writer, project) = book_with_records();
    let ask = json!({ "projectId": project, "query": "渡口的船", "topK": 2 });
    let load = || json!({ "records": writer.ask("knowledge:load", ask.clone())["learningRecords"] });
    let before = load();
    let server = Server::start();
    server.reply(PATH, |asked| reversed(asked.body["documents"].as_array().unwrap().len()));
    choose_reranker(&writer, &server);
    let (after, found) = (load(), writer.ask("knowledge:record:search", ask.clone()));
    assert_eq!((questions(&before).len(), questions(&after).len()), (2, 2));
    assert_eq!(after["records"][0]["score"], found["records"][0]["score"]);
    assert_ne!(questions(&after), questions(&before));
}

#[test]
fn a_question_to_the_book_is_given_the_records_that_the_model_puts_first() {
    let stage = Stage::with_model(&[], "P1.");
    let (writer, project) = (&stage.writer, &stage.project);
    for (number, word) in
        ["When", "Where", "Why", "How", "Whose", "Which", "Whence", "Whither", "Wherefore"].iter().enumerate()
    {
        let answer = format!("The mail boat of the landing is in note {number}.");
        let record = save(writer, project, plain(&format!("{word} is the mail boat of the landing?"), &answer));
        let keep = json!({ "answerId": record["answerId"], "version": record["version"], "verdict": "keep" });
        change(writer, "knowledge:record:judge", project, keep);
    }
    writer.wait_until_idle();
    let question = json!({ "question": "What is the mail boat of the landing?" });
    stage.ask_book(question.clone());
    assert!(!stage.prompts().pop().unwrap().contains("is in note 8"), "there are better ones by words and meaning");
    let server = Server::start();
    server.reply(PATH, |asked| {
        let documents = asked.body["documents"].as_array().unwrap().iter().enumerate();
        let score = |document: &Value| if document.as_str().unwrap().contains("note 8") { 0.9 } else { 0.1 };
        let results: Vec<Value> =
            documents.map(|(at, one)| json!({ "index": at, "relevance_score": score(one) })).collect();
        Answer::json(200, json!({ "results": results }))
    });
    choose_reranker(writer, &server);
    change(writer, "ask:preview", project, question.clone());
    assert!(server.requests_to(PATH).is_empty(), "a preview sends nothing");
    let asked = stage.ask_book(question);
    assert_eq!(asked.done["status"], "finished", "{}", asked.done);
    assert_eq!(server.requests_to(PATH).len(), 1);
    let prompt = stage.prompts().pop().unwrap();
    assert!(prompt.contains("is in note 8"), "{prompt}");
}

#[test]
fn a_model_that_fails_leaves_the_order_by_words_and_meaning() {
    let (writer, project) = book_with_records();
    let ask = json!({ "projectId": project, "query": "渡口的船", "topK": 2 });
    let before = writer.ask("knowledge:record:search", ask.clone());
    let server = Server::start();
    server.reply(PATH, |_| Answer::json(400, json!({ "error": { "message": "no such model" } })));
    choose_reranker(&writer, &server);
    let after = writer.ask("knowledge:record:search", ask.clone());
    assert_eq!((questions(&after), &after["isReranked"]), (questions(&before), &json!(false)));

    server.reply(PATH, |asked| reversed(asked.body["documents"].as_array().unwrap().len()));
    writer.ask("ai:usage:limit", json!({ "requestsPerDay": 1, "tokensPerDay": null }));
    let is_reranked = || writer.ask("knowledge:record:search", ask.clone())["isReranked"].clone();
    assert_eq!((is_reranked(), is_reranked()), (json!(true), json!(false)), "the limit of the day holds for it too");
    let (code, _) =
        writer.refused("knowledge:record:search", json!({ "projectId": project, "query": "渡口", "topK": 0 }));
    assert_eq!(code, "MEMORY_INVALID_ARGUMENT");
}
