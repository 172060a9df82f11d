//! `npm run bench -- study`: the program's own time in a step of a study, from a reply of the model until its next
//! request arrives: the reply is checked, a tool runs, the state is written, and the next prompt is built and sent.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Instant,
};

use palimpsest_api::{EncoderSource, Network, Timeouts};
use palimpsest_tests::{
    Writer,
    clock::StandingClock,
    server::{Answer, Request, Server},
};
use serde_json::{Value, json};

use crate::{
    corpus::Corpus,
    figures::Figures,
    imports,
    story::chapters_of,
    studying::{CHAT, Study, is_summary},
};

/// Questions of the writer's; a study asks at most 50 a day.
const QUESTIONS: usize = 40;
/// Tools that the model asks for before it stops.
const STEPS: usize = 5;
/// Chapters of the book, of about ten thousand characters each.
const CHAPTERS: usize = 60;
/// Characters of a quote, and of the words that a tool looks for.
const QUOTE: usize = 24;

pub fn run() {
    for (name, language, page) in imports::PAGES {
        let (text, _) = imports::novel(language, page);
        let chapters: Vec<Value> = chapters_of(&text).into_iter().take(CHAPTERS).collect();
        let steps = steps_of(language, &chapters);
        let what = format!("study: from a reply of the model to its next request, {name}, {CHAPTERS} chapters");
        steps.print(&what, None);
    }
}

/// The times between the replies of a model and its next requests.
fn steps_of(language: &str, chapters: &[Value]) -> Figures {
    let writer = Writer::with(|options| {
        options.network = Network::with(Timeouts::default(), StandingClock::new());
        options.encoder = EncoderSource::Folder(Path::new("none").into());
    });
    let project = writer.book("a novel", language);
    writer.ask("story:analyze", json!({ "projectId": project, "chapters": chapters, "isWhole": true }));
    let server = Server::start();
    let study = Study::agreed(&writer, &project, &server);

    let text: Vec<char> = chapters[0]["text"].as_str().unwrap_or_default().chars().collect();
    let steps = Arc::new(Mutex::new((Figures::default(), None::<Instant>, 0_usize)));
    let shared = Arc::clone(&steps);
    server.reply(CHAT, move |asked| {
        let mut shared = shared.lock().expect("no panic");
        if let Some(replied) = shared.1.take() {
            shared.0.add(replied.elapsed());
        }
        shared.2 += 1;
        let answer = Answer::chat(&[&reply(asked, &text, shared.2)]);
        // The last reply of a question has no next request.
        shared.1 = (!is_summary(asked)).then(Instant::now);
        answer
    });
    let mut corpus = Corpus::new(7, 86_400);
    for number in 0..QUESTIONS {
        study.run(&format!("{number}: {}", corpus.prose(QUOTE)));
    }
    let mut steps = steps.lock().expect("no panic");
    std::mem::take(&mut steps.0)
}

/// Another part of the text is looked for in each step, and the summary quotes one.
fn reply(asked: &Request, text: &[char], number: usize) -> String {
    let from = number * 131 % text.len().saturating_sub(QUOTE).max(1);
    let quote: String = text[from..].iter().take(QUOTE).collect();
    if is_summary(asked) {
        let statement = json!({ "text": quote, "passage": "P1", "quote": quote });
        return json!({ "statements": [statement], "facts": [], "unanswerable": false }).to_string();
    }
    if number % (STEPS + 2) == STEPS + 1 {
        return json!({ "kind": "stop" }).to_string();
    }
    json!({ "kind": "act", "tool": "find_in_book", "arguments": { "query": quote } }).to_string()
}
