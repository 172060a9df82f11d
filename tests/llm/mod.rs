//! A real model: *continue*, *polish*, *why* and the journal with the server at `PALIMPSEST_LLM_URL`, in both languages
//! and through the same commands as the window. Only `npm run test:llm` runs it.

mod journal;

use std::{
    env,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    time::{Duration, Instant},
};

use palimpsest_tests::{Event, Writer, text};
use serde_json::{Value, json};

/// Timeout of one run: a model on a busy laptop may take this long.
const PATIENCE: Duration = Duration::from_secs(1_800);

struct Words {
    language: &'static str,
    title: &'static str,
    rule: &'static str,
    before: &'static str,
    written: &'static str,
    selection: &'static str,
}

const BOOKS: [Words; 2] = [
    Words {
        language: "zh",
        title: "夜航",
        rule: "句子要短，不用感叹号",
        before: "雨下到半夜才停。林秋合上手稿，听见楼下有人敲门，三下，停一停，又是三下。她没有开灯，光着脚走到楼梯口。",
        written: "门外没有人。台阶上只有一只湿透的信封。",
        selection: "她很害怕很害怕地慢慢走下了楼梯，心里想着到底是谁在这么晚的时候来敲门呢。",
    },
    Words {
        language: "en",
        title: "High Water",
        rule: "Short sentences, no exclamation marks",
        before: "The rain stopped after midnight. Nora closed the manuscript and heard a knock downstairs: three raps, a \
                 pause, three more. She left the lamp off and went barefoot to the head of the stairs.",
        written: "Nobody was there. On the step lay an envelope, soaked through.",
        selection: "She very slowly and very fearfully walked down the stairs, and she was thinking about who it could \
                    possibly be that was knocking so late.",
    },
];

/// A writer and the events received.
struct Study {
    writer: Writer,
    events: Receiver<Event>,
}

/// The outcome of a run, and its speed.
struct Ran {
    started: Value,
    done: Value,
    first: Duration,
    all: Duration,
}

fn study(url: &str) -> Study {
    let (send, events) = channel();
    let send = Mutex::new(send);
    let writer = Writer::with(|options| {
        options.events = Arc::new(move |name, payload| {
            let _heard = send.lock().unwrap().send((name.to_owned(), payload));
        });
    });
    let key = env::var("PALIMPSEST_LLM_KEY").ok();
    let provider = json!({ "kind": "openAi", "name": "under test", "baseUrl": url, "key": key });
    let provider_id = text(&writer.ask("ai:provider:save", provider), "providerId");
    let of = json!({ "providerId": provider_id });
    let model = env::var("PALIMPSEST_LLM_MODEL").ok().unwrap_or_else(|| {
        let listed = writer.ask("ai:provider:models", of.clone());
        listed["models"][0].as_str().expect("the server lists a model; else PALIMPSEST_LLM_MODEL names one").to_owned()
    });
    let tested = writer.ask("ai:provider:test", json!({ "providerId": provider_id, "model": model }));
    assert_eq!(tested["answer"], true, "{tested}");
    let chosen =
        writer.ask("ai:purpose:set", json!({ "purpose": "writing", "providerId": provider_id, "model": model }));
    println!("{model}: answers in {} ms, reads {}", tested["milliseconds"], chosen["contextTokens"]);
    Study { writer, events }
}

impl Study {
    fn run(&self, request: Value) -> Ran {
        let from = Instant::now();
        let started = self.writer.ask("ai:skill:run", request);
        let mut first = None;
        loop {
            let (name, payload) = self.events.recv_timeout(PATIENCE).expect("an end");
            if payload["generationId"] != started["generationId"] {
                continue;
            }
            match name.as_str() {
                "ai:skill:chunk" => drop(first.get_or_insert_with(|| from.elapsed())),
                "ai:skill:done" => {
                    return Ran { started, done: payload, first: first.unwrap_or_default(), all: from.elapsed() };
                }
                _ => {}
            }
        }
    }

    fn preview(&self, request: &Value) -> Value {
        let mut request = request.clone();
        for only_of_a_run in ["candidates", "seed"] {
            request.as_object_mut().unwrap().remove(only_of_a_run);
        }
        self.writer.ask("memory:context:assemble", request)["messages"].clone()
    }
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// Whether a text is in the language of the book, judged by its letters.
fn is_in(language: &str, text: &str) -> bool {
    let han = text.chars().filter(|c| is_han(*c)).count();
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    if language == "zh" { han > letters / 4 } else { letters > han }
}

#[test]
#[ignore = "needs a model: PALIMPSEST_LLM_URL=http://… npm run test:llm"]
fn continue_polish_and_why_with_a_real_model_in_both_languages() {
    let url = env::var("PALIMPSEST_LLM_URL").expect("PALIMPSEST_LLM_URL names an OpenAI-compatible server");
    let study = study(&url);
    for words in BOOKS {
        let project = study.writer.book(words.title, words.language);
        let rule = study.writer.ask(
            "memory:semantic:add",
            json!({ "rule": words.rule, "category": "style", "scope": "project", "projectId": project }),
        );
        study.writer.ask(
            "memory:episode:record",
            json!({ "projectId": project, "chapterId": "one", "skillUsed": "continue", "inputContext": words.before,
                "candidates": [words.written], "selectedIndex": 0, "finalText": words.written }),
        );
        let passage = json!({ "projectId": project, "chapterId": "one", "before": words.before, "seed": 7 });
        let requests = [
            json!({ "skill": "continue", "candidates": 2 }),
            json!({ "skill": "polish", "candidates": 1, "selection": words.selection }),
        ];
        for more in requests {
            let mut request = passage.clone();
            request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let preview = study.preview(&request);
            let ran = study.run(request);
            let skill = more["skill"].as_str().unwrap();
            assert_eq!((&ran.done["status"], &ran.done["error"]), (&json!("finished"), &json!(null)), "{skill}");
            println!("\n── {skill}, {}: first word after {:.1?}, all after {:.1?}", words.language, ran.first, ran.all);
            for candidate in ran.done["candidates"].as_array().unwrap() {
                let candidate = candidate.as_str().unwrap();
                println!("{candidate}\n");
                assert!(is_in(words.language, candidate), "{skill} in {}: {candidate}", words.language);
            }
            let why = json!({ "projectId": project, "generationId": ran.started["generationId"] });
            let why = study.writer.ask("memory:trace:get", why);
            assert_eq!(why["messages"], preview, "what went out is what the preview showed");
            assert_eq!(why["provider"]["sample"], false);
            let references = why["memoryReferences"].as_array().unwrap();
            assert!(references.iter().any(|reference| reference["id"] == rule["id"]), "{references:?}");
        }
    }
    let usage = study.writer.ask("ai:usage:get", json!({}));
    println!("{} requests, {} tokens", usage["requests"], usage["tokens"]);
    assert_eq!(usage["requests"], 7, "a test, and three candidates in each language");
}
