//! Answers and runs of another book are refused by every command that names one, and nothing of them changes.

use std::fs;

use palimpsest_tests::{
    Writer,
    clock::retry_without_pause,
    server::{Answer, Server},
    text,
};
use serde_json::{Value, json};

use crate::answers::{LONG, complete, folder_book, get, of_book, prepare, record, validate};

const QUESTION: &str = "When can the boat leave the harbour?";

/// Everything that a book says of its answers and runs.
fn all_of(writer: &Writer, project: &str) -> Vec<Value> {
    let answers = writer.ask("answer:list", of_book(project, json!({})));
    let ids = answers["answers"].as_array().unwrap().iter().map(|one| one["answerId"].clone());
    let histories = ids.map(|id| writer.ask("answer:history", of_book(project, json!({ "answerId": id }))));
    let mut all: Vec<Value> = histories.collect();
    all.push(writer.ask("answer:run:list", of_book(project, json!({}))));
    all.push(answers);
    all
}

#[test]
fn no_command_on_an_answer_or_a_run_takes_an_id_of_another_book() {
    let writer = Writer::with(retry_without_pause);
    let server = Server::start();
    server.always("/v1/qa/search", Answer::json(200, json!([])));
    for path in ["/v1/qa/hit", "/v1/qa/validate"] {
        server.always(path, Answer::bytes(204, "text/plain", ""));
    }
    let service =
        json!({ "baseUrl": server.url(""), "key": "k-of-the-team", "enabled": true, "sendCandidates": false });
    writer.ask("answer:service:set", service);
    let (one, _, file) = folder_book(&writer, "# One\n\nThe ferry sank in the autumn.\n");
    let other = writer.book("Other", "en");
    let asked = json!({ "question": "When did the ferry sink?", "answer": "In the autumn.", "kind": "canon",
        "citations": [{ "chapterId": chapter_of(&writer, &one), "quote": "The ferry sank in the autumn.", "from": 7 }] });
    let cited = text(&writer.ask("answer:record", of_book(&one, asked))["answer"], "answerId");
    fs::write(&file, "# One\n\nThe ferry sank in the winter.\n").unwrap();
    writer.ask("answer:recheck", of_book(&one, json!({})));
    let craft = json!({ "question": QUESTION, "answer": LONG, "kind": "craft" });
    let id = text(&writer.ask("answer:record", of_book(&one, craft))["answer"], "answerId");
    let event = validate(&writer, &one, &id, "pass")["eventId"].clone();
    let run = prepare(&writer, &one, QUESTION);
    complete(&writer, &one, &run, json!({ "exitCode": 0, "answer": "As before [QA:1]." }));
    let of_service = "Who carries the lamp over the bar?";
    let item = json!([{ "qa_id": "t-1", "question": of_service, "answer": "The pilot carries it.", "score": 0.9,
        "relevance": 1.0, "trust": 0.8, "freshness": 1.0, "validation_level": 2, "status": "active",
        "metadata": { "consecutive_fail": 0 } }]);
    server.always("/v1/qa/search", Answer::json(200, item));
    let open = prepare(&writer, &one, of_service);
    assert_eq!(open["injected"][0]["answerId"], "service:t-1", "{open}");
    record(&writer, &other, QUESTION, "Never.");
    writer.ask("answer:block", of_book(&one, json!({ "answerId": cited, "version": version(&writer, &one, &cited) })));
    writer.wait_until_idle();
    let before = (all_of(&writer, &one), all_of(&writer, &other));

    let versions = [version(&writer, &one, &id), version(&writer, &one, &cited)];
    for (command, more) in [
        ("answer:get", json!({ "answerId": id })),
        ("answer:history", json!({ "answerId": id })),
        ("answer:update", json!({ "answerId": id, "version": versions[0], "answer": "At dawn." })),
        ("answer:confirm", json!({ "answerId": id, "version": versions[0], "userConfirmed": true })),
        ("answer:block", json!({ "answerId": id, "version": versions[0] })),
        ("answer:unblock", json!({ "answerId": cited, "version": versions[1] })),
        ("answer:promote", json!({ "answerId": id, "version": versions[0] })),
        ("answer:copied", json!({ "answerId": id })),
        ("answer:reaffirm", json!({ "answerId": cited, "version": versions[1] })),
        ("answer:replacements", json!({ "answerId": cited })),
        ("answer:validate", json!({ "answerId": id, "result": "fail", "source": "writer" })),
        ("answer:delete", json!({ "answerId": id, "version": versions[0], "confirmed": true })),
        ("answer:run:get", json!({ "runId": run["runId"] })),
        ("answer:run:list", json!({ "before": run["runId"] })),
        ("answer:complete", json!({ "runId": open["runId"], "outcome": { "exitCode": 0, "answer": LONG } })),
    ] {
        assert_eq!(writer.refused(command, of_book(&other, more)).0, "MEMORY_SCOPE_DENIED", "{command}");
    }
    // Events, and answers of a service by their run, are looked up within the book.
    let of_service = json!({ "runId": open["runId"], "answerId": "service:t-1", "result": "pass" });
    let refused = writer.refused("answer:service:validate", of_book(&other, of_service));
    assert_eq!(refused, ("MEMORY_INVALID_ARGUMENT".into(), "runId".into()));
    assert_eq!(writer.ask("memory:status", json!({}))["answerOutbox"], 0);
    let undoing = of_book(&other, json!({ "eventId": event }));
    assert_eq!(writer.refused("answer:undo", undoing), ("MEMORY_NOT_FOUND".into(), "eventId".into()));
    let hits = json!({ "references": [{ "answerId": id, "shown": true, "used": true }] });
    assert_eq!(writer.ask("answer:hit", of_book(&other, hits)), json!({ "recorded": 0, "unknown": [id] }));
    assert_eq!((all_of(&writer, &one), all_of(&writer, &other)), before, "nothing has changed in either book");
    // In the book itself each of them serves.
    writer.ask("answer:undo", of_book(&one, json!({ "eventId": event })));
    writer.ask(
        "answer:confirm",
        of_book(
            &one,
            json!({ "answerId": id, "version": version(&writer, &one, &id),
        "userConfirmed": true }),
        ),
    );
}

fn version(writer: &Writer, project: &str, id: &str) -> Value {
    get(writer, project, id)["version"].clone()
}

fn chapter_of(writer: &Writer, project: &str) -> Value {
    writer.ask("chapter:list", of_book(project, json!({})))["chapters"][0]["chapterId"].clone()
}

#[test]
fn an_unknown_answer_run_or_event_is_not_found_and_named() {
    let writer = Writer::new();
    let project = writer.book("Night Ferry", "en");
    for (command, more, field) in [
        ("answer:get", json!({ "answerId": "none" }), "answerId"),
        ("answer:update", json!({ "answerId": "none", "version": 1, "answer": "At dawn." }), "answerId"),
        ("answer:confirm", json!({ "answerId": "none", "version": 1, "userConfirmed": true }), "answerId"),
        ("answer:unblock", json!({ "answerId": "none", "version": 1 }), "answerId"),
        ("answer:promote", json!({ "answerId": "none", "version": 1 }), "answerId"),
        ("answer:copied", json!({ "answerId": "none" }), "answerId"),
        ("answer:reaffirm", json!({ "answerId": "none", "version": 1 }), "answerId"),
        ("answer:replacements", json!({ "answerId": "none" }), "answerId"),
        ("answer:undo", json!({ "eventId": "none" }), "eventId"),
        ("answer:run:get", json!({ "runId": "none" }), "runId"),
        ("answer:complete", json!({ "runId": "none", "outcome": { "exitCode": 0, "answer": LONG } }), "runId"),
    ] {
        let refused = writer.refused(command, of_book(&project, more));
        assert_eq!(refused, ("MEMORY_NOT_FOUND".into(), field.into()), "{command}");
    }
    // So is every command with an unknown book.
    for (command, more) in [
        ("answer:list", json!({})),
        ("answer:search", json!({ "query": QUESTION })),
        ("answer:prepare", json!({ "query": QUESTION })),
        ("answer:record", json!({ "question": QUESTION, "answer": LONG })),
        ("answer:recheck", json!({})),
        ("answer:replay", json!({ "config": {} })),
        ("answer:measure", json!({ "runId": "no-such" })),
        ("answer:run:list", json!({})),
        ("ask:run", json!({ "question": QUESTION })),
    ] {
        let refused = writer.refused(command, of_book("no-such", more));
        assert_eq!(refused, ("MEMORY_NOT_FOUND".into(), "projectId".into()), "{command}");
    }
}
