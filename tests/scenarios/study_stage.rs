//! The scene of a study: a book in another editor, and a model that is scripted by the kind of request.

use std::sync::{Arc, Mutex};

use palimpsest_api::{Network, Options, Timeouts};
use palimpsest_tests::{
    Writer,
    clock::StandingClock,
    server::{Answer, Request, Server},
    text,
};
use serde_json::{Value, json};

use crate::{
    answers::of_book,
    asking_stage::{CHAT, prompt_of},
    island::{END, FERRY, LEDGER, analyzed},
};

/// The kind of a request to the model, by its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Questions,
    Step,
    Summary,
    Comparison,
}

/// The replies of the model, by kind of request: the last one again and again.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub questions: Vec<String>,
    pub steps: Vec<String>,
    pub summaries: Vec<String>,
    pub comparisons: Vec<String>,
}

pub(crate) fn request_kind(asked: &Request) -> Asked {
    let schema = asked.body["response_format"].to_string();
    match () {
        () if schema.contains("\"questions\"") => Asked::Questions,
        () if schema.contains("\"statements\"") => Asked::Summary,
        () if schema.contains("\"verdict\"") => Asked::Comparison,
        () => Asked::Step,
    }
}

pub(crate) fn questions(all: &[&str]) -> String {
    let question = |question: &&str| json!({ "gap": "G1", "question": question, "type": "plot", "priority": 8 });
    json!({ "questions": all.iter().map(question).collect::<Vec<_>>() }).to_string()
}

pub(crate) fn find_step(query: &str) -> String {
    json!({ "kind": "act", "tool": "find_in_book", "arguments": { "query": query } }).to_string()
}

pub(crate) fn summary(statements: &[[&str; 3]], facts: &[Value]) -> String {
    let statement = |[text, passage, quote]: &[&str; 3]| json!({ "text": text, "passage": passage, "quote": quote });
    let statements: Vec<Value> = statements.iter().map(statement).collect();
    json!({ "statements": statements, "facts": facts, "unanswerable": false }).to_string()
}

/// The reply to a comparison of two sentences.
pub(crate) fn comparison(verdict: &str, why: &str) -> String {
    json!({ "why": why, "verdict": verdict }).to_string()
}

pub(crate) const STOP: &str = "{\"kind\":\"stop\"}";
pub(crate) const QUESTION: &str = "Where did Mara Venn and Tobias meet?";
pub(crate) const MET: [&str; 3] = ["They met in Harwick.", "P1", "They had met in Harwick on 15 May 1983"];

impl Script {
    /// A model that finds what there is to find.
    pub fn dutiful() -> Self {
        let fact = json!({
            "entity": "Tobias", "attribute": "age when he met Venn", "value": "twelve", "passage": "P1",
            "quote": "when Tobias was twelve", "certainty": "told", "knownBy": ["Venn"],
        });
        Self {
            questions: vec![questions(&[QUESTION])],
            steps: vec![find_step("Harwick met"), STOP.to_owned()],
            summaries: vec![summary(&[MET], &[fact])],
            comparisons: vec![comparison("unclear", "Both may be right.")],
        }
    }

    /// The same with another summary.
    pub fn summing_up(summary: &str) -> Self {
        Self { summaries: vec![summary.to_owned()], steps: vec![STOP.to_owned()], ..Self::dutiful() }
    }
}

/// Lets the server answer as scripted.
pub(crate) fn follow(server: &Server, script: Script) {
    let counts = Arc::new(Mutex::new([0_usize; 4]));
    server.reply(CHAT, move |asked| {
        let kind = request_kind(asked);
        let (at, replies) = match kind {
            Asked::Questions => (0, &script.questions),
            Asked::Step => (1, &script.steps),
            Asked::Summary => (2, &script.summaries),
            Asked::Comparison => (3, &script.comparisons),
        };
        let mut counts = counts.lock().unwrap();
        let reply = &replies[counts[at].min(replies.len() - 1)];
        counts[at] += 1;
        Answer::chat(&[reply])
    });
}

pub(crate) struct Study {
    pub server: Server,
    pub writer: Writer,
    pub project: String,
}

impl Study {
    /// A book with a model, and without an agreement.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same with other options.
    pub fn with(change: impl FnOnce(&mut Options)) -> Self {
        Self::of(&[FERRY, LEDGER, END], change)
    }

    /// The same with other chapters.
    pub fn of(chapters: &[&str], change: impl FnOnce(&mut Options)) -> Self {
        Self::of_language("en", chapters, change)
    }

    /// The same in another language.
    pub fn of_language(language: &str, chapters: &[&str], change: impl FnOnce(&mut Options)) -> Self {
        let writer = Writer::with(|options| {
            options.network = Network::with(Timeouts::default(), StandingClock::new());
            change(options);
        });
        Self::by(writer, language, chapters)
    }

    /// The same by this writer.
    pub fn by(writer: Writer, language: &str, chapters: &[&str]) -> Self {
        let project = analyzed(&writer, language, chapters);
        let study = Self { server: Server::start(), writer, project };
        let provider = json!({ "kind": "openAi", "name": "at home", "baseUrl": study.server.url("/v1") });
        let provider = study.writer.ask("ai:provider:save", provider);
        let choice = json!({ "purpose": "studying", "providerId": provider["providerId"], "model": "reader" });
        study.writer.ask("ai:purpose:set", choice);
        study
    }

    /// A study that the writer agreed to, with a model of this script. Only the writer starts a question.
    pub fn agreed(script: Script) -> Self {
        let study = Self::new();
        follow(&study.server, script);
        study.agree();
        study
    }

    pub fn ask_of_book(&self, command: &str, more: Value) -> Value {
        self.writer.ask(command, of_book(&self.project, more))
    }

    pub fn study_state(&self) -> Value {
        self.ask_of_book("knowledge:study:get", json!({}))
    }

    pub fn agree(&self) -> Value {
        let host = self.ask_of_book("knowledge:study:estimate", json!({}))["host"].clone();
        let set = json!({ "isEnabled": true, "agreedHost": host, "version": self.study_state()["version"] });
        self.ask_of_book("knowledge:study:set", set)
    }

    /// Studies one question, and returns the state at its end.
    pub fn run(&self) -> Value {
        self.start();
        self.wait_until_over()
    }

    /// Starts one question while the writer is writing: where the editor is idle, as after a day that the clock was
    /// advanced, the study goes on by itself.
    pub fn start(&self) -> Value {
        self.ask_of_book("memory:editor:activity", json!({}));
        drop(self.writer.arrived_events());
        self.ask_of_book("knowledge:study:run", json!({}))
    }

    /// Compares all pairs, and returns the state at the end. The writer is writing: no question begins by itself.
    pub fn compare_pairs(&self) -> Value {
        self.ask_of_book("memory:editor:activity", json!({}));
        self.ask_of_book("story:continuity:compare", json!({}));
        self.wait_until_over()
    }

    /// Waits until the study has this phase.
    pub fn wait_for_phase(&self, phase: &str) -> Value {
        self.writer
            .ask_until("knowledge:study:get", of_book(&self.project, json!({})), |state| state["currentPhase"] == phase)
    }

    /// Waits until the study waits.
    pub fn wait_until_over(&self) -> Value {
        self.writer.ask_until("knowledge:study:get", of_book(&self.project, json!({})), |state| {
            ["idle", "stopped", "backingOff"].contains(&state["currentPhase"].as_str().unwrap())
        })
    }

    /// Adds a question of the writer's, and studies it.
    pub fn study(&self, question: &str) -> Value {
        self.ask_of_book("knowledge:question:add", json!({ "question": question }));
        self.run()
    }

    pub fn records(&self) -> Vec<Value> {
        let listed = self.ask_of_book("knowledge:record:list", json!({ "limit": 200 }));
        listed["records"].as_array().unwrap().clone()
    }

    pub fn proposed_facts(&self) -> Vec<Value> {
        let listed = self.ask_of_book("knowledge:record:list", json!({ "limit": 200 }));
        listed["proposedFacts"].as_array().unwrap().clone()
    }

    /// The state of the question with these words.
    pub fn question_state(&self, words: &str) -> String {
        let listed = self.ask_of_book("knowledge:question:list", json!({}));
        let listed = listed["questions"].as_array().unwrap();
        let found = listed.iter().find(|one| one["question"] == words);
        text(found.unwrap_or_else(|| panic!("no such question: {listed:?}")), "state")
    }

    pub fn requests(&self) -> Vec<Asked> {
        self.server.requests_to(CHAT).iter().map(request_kind).collect()
    }

    pub fn count(&self, kind: Asked) -> usize {
        self.requests().into_iter().filter(|one| *one == kind).count()
    }

    pub fn sent_prompts(&self) -> Vec<String> {
        self.server.requests_to(CHAT).iter().map(prompt_of).collect()
    }
}
