//! The tools of a question: their results within limits, and the memories that they find in the trace of the answer.

use palimpsest_tests::{server::Answer, text};
use palimpsest_text::tokens;
use serde_json::{Value, json};

use crate::{
    answers::{of_book, record, validate},
    asking_stage::{ANSWER, CHAT, QUESTION, Stage, is_reply, prompt_of, set_replies},
    island::analyze,
};

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "kind": "act", "tool": tool, "arguments": arguments })
}

/// The references of the trace of an answer.
fn references(stage: &Stage, done: &Value) -> Vec<Value> {
    let why = json!({ "generationId": done["answered"]["generationId"] });
    let trace = stage.writer.ask("memory:trace:get", of_book(&stage.project, why));
    trace["memoryReferences"].as_array().unwrap().clone()
}

#[test]
fn different_tools_without_end_stop_after_eight_and_the_answer_is_written_from_what_was_found() {
    let stage = Stage::with_model(&[], ANSWER);
    let number = std::sync::Mutex::new(0);
    stage.server.reply(CHAT, move |asked| {
        if !is_reply(asked) {
            return Answer::chat(&[ANSWER]);
        }
        let mut number = number.lock().unwrap();
        *number += 1;
        // Eight tools by turns, each with other words.
        let query = json!({ "query": format!("Harwick {number}") });
        let name = json!({ "name": format!("Tobias {number}") });
        let calls = [
            call("find_in_book", query.clone()),
            call("answers", query.clone()),
            call("journal", query),
            call("entity", name.clone()),
            call("where", name.clone()),
            call("times", name),
        ];
        Answer::chat(&[&calls[*number % calls.len()].to_string()])
    });
    let asked = stage.ask_book(json!({ "question": QUESTION }));
    assert_eq!(asked.done["status"], "finished");
    let by_the_question = 4;
    assert_eq!(asked.steps.len() - by_the_question, 8, "{:?}", asked.kinds());
    assert_eq!(asked.done["answered"]["steps"], 12);
    let prompts = stage.prompts();
    assert_eq!(prompts.len(), 9, "eight replies and the answer");
    let left: Vec<bool> =
        (1..=8).map(|left| prompts.iter().any(|one| one.contains(&format!("{left} tool calls are left")))).collect();
    assert!(left[..7].iter().all(|is_said| *is_said), "{left:?}");
    assert!(!prompts.iter().any(|one| one.contains("\n0 tool calls are left")));
}

#[test]
fn a_search_adds_passages_of_at_most_twelve_hundred_tokens() {
    let stage = Stage::with_model(&[], "[none] The book does not say.");
    // Eight passages, each of some 250 tokens, that all have the words.
    let long = |number: usize| {
        let filler = format!("The pilot of boat {number} looked at the water and at the lamps along the quay. ");
        format!("Zeppelin number {number} came over the harbour. {}", filler.repeat(14))
    };
    let chapter = (0..10).map(long).collect::<Vec<_>>().join("\n\n");
    assert!(tokens::count(&long(1)) > 200, "{}", tokens::count(&long(1)));
    analyze(&stage.writer, &stage.project, &[&format!("# Zeppelins\n\n{chapter}\n")]);
    stage.writer.wait_until_idle();
    let replies =
        [call("find_in_book", json!({ "query": "zeppelin over the harbour", "limit": 8 })), json!({ "kind": "stop" })];
    set_replies(&stage.server, &replies, "[none] The book does not say.");
    let asked = stage.ask_book(json!({ "question": "What is a mango?", "kind": "canon" }));
    let searched: Vec<&Value> = asked.steps.iter().filter(|step| step["kind"] == "book").collect();
    let found = searched.last().unwrap()["found"].as_u64().unwrap();
    let room = 1_200 / tokens::count(&long(1)) as u64;
    assert!((1..=room + 1).contains(&found), "{found} passages, room for {room}");
    let of_zeppelins: usize = passages_in(&stage.prompts().pop().unwrap()).iter().map(|one| tokens::count(one)).sum();
    assert!(of_zeppelins <= 1_200 + tokens::count(&long(1)), "{of_zeppelins}");
}

/// The passages of a prompt, one a line.
fn passages_in(prompt: &str) -> Vec<&str> {
    let is_passage =
        |line: &&str| line.strip_prefix('P').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    prompt.lines().filter(is_passage).collect()
}

#[test]
fn answers_and_journal_are_tools_and_what_they_find_is_in_the_why_of_the_answer() {
    let stage = Stage::with_model(&[], ANSWER);
    let project = &stage.project;
    let kept = text(
        &record(
            &stage.writer,
            project,
            "Which rope did the pilot of the dredger use?",
            "The tarred rope of the dredger.",
        ),
        "answerId",
    );
    validate(&stage.writer, project, &kept, "pass");
    let entry = json!({ "content": "Moved the chandlery to the second chapter of the draft", "kind": "note" });
    let entry = stage.writer.ask("journal:store", of_book(project, entry));
    stage.writer.wait_until_idle();
    let replies = [
        call("answers", json!({ "query": "Which rope did the pilot of the dredger use?" })),
        call("journal", json!({ "query": "chandlery second chapter draft" })),
        call("answers", json!({ "query": "zzyzx quorn" })),
        json!({ "kind": "stop" }),
    ];
    set_replies(&stage.server, &replies, ANSWER);
    let asked = stage.ask_book(json!({ "question": QUESTION }));
    assert_eq!(asked.kinds()[4..], ["answers", "journal", "answers"]);
    let found: Vec<&Value> = asked.steps[4..].iter().map(|step| &step["found"]).collect();
    assert_eq!(found, [&json!(1), &json!(1), &json!(0)]);
    let subjects: Vec<&Value> = asked.steps[4..].iter().map(|step| &step["subject"]).collect();
    assert_eq!(subjects[1], "chandlery second chapter draft");
    let last = stage.prompts().pop().unwrap();
    assert!(last.contains("The tarred rope of the dredger.") && last.contains("Moved the chandlery"), "{last}");
    // Nothing of it was in the prompt before the tools had found it.
    let first = prompt_of(&stage.server.requests_to(CHAT)[0]);
    assert!(!first.contains("tarred rope") && !first.contains("chandlery"), "{first}");

    let references = references(&stage, &asked.done);
    let of_kind = |kind: &str| references.iter().filter(|one| one["kind"] == kind).cloned().collect::<Vec<_>>();
    let answers = of_kind("answer");
    assert_eq!((answers.len(), &answers[0]["id"]), (1, &json!(kept)), "{references:?}");
    assert_eq!(answers[0]["referenceId"], format!("answer:{kept}"));
    assert!(text(&answers[0], "text").contains("The tarred rope of the dredger."));
    let entries = of_kind("entry");
    assert_eq!(entries.len(), 1, "{references:?}");
    let id = entry["id"].as_str().or(entry["entryId"].as_str()).or(entry["entry"]["id"].as_str()).unwrap_or_default();
    assert_eq!(entries[0]["id"], id, "{entry}");
    assert!(text(&entries[0], "text").contains("Moved the chandlery"));
    assert!(!of_kind("passage").is_empty());
    // A verdict on each kind is stored.
    for reference in [&answers[0], &entries[0]] {
        let wrong = json!({ "generationId": asked.done["answered"]["generationId"], "verdict": "wrong",
            "referenceId": reference["referenceId"] });
        stage.writer.ask("memory:trace:feedback", of_book(project, wrong));
    }
}

#[test]
fn a_call_with_arguments_that_cannot_be_is_asked_for_once_more_and_runs_nothing() {
    for bad in [
        call("find_in_book", json!({ "query": "" })),
        call("find_in_book", json!({ "query": "x".repeat(401) })),
        call("delete_chapter", json!({ "chapter": "1" })),
        call("read_passage", json!({ "passage": "../../etc/passwd" })),
    ] {
        let stage = Stage::with_model(std::slice::from_ref(&bad), ANSWER);
        let asked = stage.ask_book(json!({ "question": QUESTION }));
        assert_eq!((asked.done["status"].as_str(), asked.steps.len()), (Some("finished"), 4), "{bad}");
        assert!(stage.prompts()[1].contains("The last reply could not be read"), "{bad}");
    }
}
