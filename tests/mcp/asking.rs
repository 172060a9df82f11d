//! Questions to the book: progress while a model answers, and its end when the client or the writer stops it.

use palimpsest_tests::server::{Answer, Request, chat_piece};
use serde_json::{Value, json};

use super::{Books, lines::Raw};

const CHAT: &str = "/v1/chat/completions";
const QUESTION: &str = "Where had Mara Venn and Tobias met?";
const ANSWER: &str = "They met in Harwick. [P1 \"They had met in Harwick on 15 May 1983\"]";

/// Whether the model is asked what it needs, and not for the answer.
fn is_reply(asked: &Request) -> bool {
    asked.body["response_format"].is_object() || asked.body["tools"].is_array()
}

fn answering(books: &Books) {
    books.choose_model();
    books.server.reply(CHAT, |asked| match is_reply(asked) {
        true => Answer::chat(&["{\"kind\":\"answer\"}"]),
        false => Answer::chat(&[ANSWER]).cut_every(7),
    });
}

#[test]
fn a_question_is_answered_with_checked_citations_and_progress_until_then() {
    let books = Books::new();
    answering(&books);
    let agent = books.agent(&[]);
    let asked = agent.use_tool("ask_book", json!({ "question": QUESTION, "chapterId": "c1" }));
    assert_eq!((&asked["status"], &asked["askedOf"]["kind"]), (&json!("finished"), &json!("model")), "{asked}");
    assert_eq!(asked["answer"]["text"], "They met in Harwick.");
    assert_eq!(asked["answer"]["statements"][0]["status"], "verified");
    assert_eq!(asked["answer"]["citations"][0]["chapterId"], "c1");
    // This client handles notifications side by side, in any order.
    let progress = agent.progress();
    assert!(!progress.is_empty());
    let messages: Vec<&str> = progress.iter().filter_map(|one| one.message.as_deref()).collect();
    assert!(messages.iter().any(|message| message.starts_with("searching")), "{messages:?}");
    assert!(messages.iter().all(|message| !message.contains("Harwick")), "no text of the book: {messages:?}");
    // The answer is kept: no model is asked again.
    let requests = books.server.requests().len();
    let again = agent.use_tool("ask_book", json!({ "question": QUESTION, "chapterId": "c1" }));
    assert_eq!((&again["status"], &again["answer"]["answer"]), (&json!("kept"), &json!("They met in Harwick.")));
    assert_eq!(books.server.requests().len(), requests);
    assert!(agent.end());
}

#[test]
fn the_progress_of_a_question_only_grows() {
    let books = Books::new();
    answering(&books);
    let mut raw = Raw::initialized(books.command(&[&books.english], &[]));
    let meta = json!({ "progressToken": "t" });
    let call = json!({ "name": "ask_book", "arguments": { "question": QUESTION }, "_meta": meta });
    raw.send_line(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call }).to_string().as_bytes());
    let mut numbers = Vec::new();
    let answer = loop {
        let message = raw.message();
        if message["id"] == 1 {
            break message;
        }
        assert_eq!(message["params"]["progressToken"], "t", "{message}");
        numbers.push(message["params"]["progress"].as_f64().unwrap());
    };
    assert_eq!(answer["result"]["structuredContent"]["status"], "finished", "{answer}");
    assert!(!numbers.is_empty() && numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    assert_eq!(raw.wait_for_exit().0, Some(0));
}

#[test]
fn a_model_that_fails_is_the_error_of_the_tool() {
    let books = Books::new();
    books.choose_model();
    books.server.always(CHAT, Answer::json(401, json!({ "error": { "message": "no such key" } })));
    let agent = books.agent(&[]);
    let error = agent.command_error("ask_book", json!({ "question": QUESTION }));
    assert_eq!(
        (&error["code"], &error["details"]["reason"]),
        (&json!("MEMORY_MODEL_UNAVAILABLE"), &json!("keyMissing"))
    );
    assert!(agent.end());
}

/// A model that stops in the middle of its answer.
fn held(books: &Books) {
    books.choose_model();
    let gate = books.server.gate();
    books.server.reply(CHAT, move |asked| match is_reply(asked) {
        true => Answer::chat(&["{\"kind\":\"answer\"}"]),
        false => Answer::stream().event(&chat_piece("They met in zyx. ")).wait_at(&gate),
    });
}

/// The request for the answer.
fn asked_for_answer(books: &Books) -> Request {
    loop {
        let asked = books.server.wait_for_request_to(CHAT);
        if !is_reply(&asked) {
            return asked;
        }
        books.server.wait_until_answered(&asked);
    }
}

/// The last entry of the journal about a question.
fn last_question(books: &Books) -> String {
    let host = books.open_host();
    let entries = host.ask("journal:list", json!({ "projectId": books.english, "kind": "ask" }));
    assert!(host.end());
    entries["entries"][0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_that_cancels_stops_the_model_and_other_calls_go_on() {
    let books = Books::new();
    held(&books);
    let agent = books.agent(&[]);
    let handle = agent.begin("ask_book", json!({ "question": QUESTION }));
    let asked = asked_for_answer(&books);
    agent.runtime.block_on(handle.cancel(Some("enough".to_owned()))).unwrap();
    books.server.wait_until_gone(&asked);
    assert!(agent.use_tool("list_rules", json!({}))["rules"].is_array());
    assert!(agent.end());
    assert!(last_question(&books).contains(QUESTION));
}

#[test]
fn a_question_ends_with_the_input_and_is_answered() {
    let books = Books::new();
    held(&books);
    let mut raw = Raw::initialized(books.command(&[&books.english], &[]));
    let call = json!({ "name": "ask_book", "arguments": { "question": QUESTION } });
    raw.send_line(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call }).to_string().as_bytes());
    let asked = asked_for_answer(&books);
    raw.end_input();
    let answer = raw.message();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(true)));
    assert_eq!(raw.wait_for_exit().0, Some(0));
    books.server.wait_until_gone(&asked);
}

#[test]
fn a_signal_stops_a_question() {
    let books = Books::new();
    held(&books);
    let mut agent = books.agent(&[]);
    let _handle = agent.begin("ask_book", json!({ "question": QUESTION }));
    let asked = asked_for_answer(&books);
    let id = agent.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
    books.server.wait_until_gone(&asked);
}

#[test]
fn a_question_about_the_book_as_of_a_chapter_sees_nothing_later() {
    let books = Books::new();
    let agent = books.agent(&[]);
    let asked = |arguments: Value| agent.use_tool("ask_book", arguments)["answer"]["passages"].to_string();
    let question = "Who gave the pen to Aldous Pike?";
    assert!(asked(json!({ "question": question, "onlyBook": true })).contains("Aldous Pike"));
    let before = asked(json!({ "question": question, "onlyBook": true, "chapterId": "c1" }));
    assert!(!before.contains("Aldous Pike"), "{before}");
    assert!(agent.end());
}
