//! A memory that is filled with texts and queried through the commands that the program uses.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use palimpsest_api::{Api, EncoderSource, Options};
use palimpsest_text::scene;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::sets::{Query, Text};

/// The skill of every episode and of every prompt.
const SKILL: &str = "continue";

/// How a query is asked.
#[derive(Clone, Copy, PartialEq)]
pub enum Ask {
    /// A search with this limit.
    Search(usize),
    /// The examples of a prompt that continues a passage, with the scene type that the program guesses.
    Prompt,
}

/// The maximum that a recall returns; the metrics of a search use the first ten.
pub const DEEP: Ask = Ask::Search(50);
/// The default limit of a search box.
pub const BOX: Ask = Ask::Search(8);
/// The default limit of a prompt.
pub const EXAMPLES: usize = 5;

impl Ask {
    /// The number of episodes in an answer, at most.
    pub fn limit(self) -> usize {
        match self {
            Self::Search(limit) => limit,
            Self::Prompt => EXAMPLES,
        }
    }
}

/// One returned episode.
#[derive(Clone)]
pub struct Found {
    /// The id of the text.
    pub id: String,
    /// In the group `found`, not `perhaps`; `None` where there are no groups.
    pub certain: Option<bool>,
    /// The cosine; `None` without an encoder.
    pub meaning: Option<f64>,
}

/// The answer to a query, best first.
#[derive(Clone, Default)]
pub struct Answer {
    pub found: Vec<Found>,
    pub time: Duration,
    /// A part of the memory could not be searched.
    pub degraded: bool,
}

impl Answer {
    /// An answer by an order of ids.
    pub fn of(ids: Vec<String>) -> Self {
        let found = ids.into_iter().map(|id| Found { id, certain: None, meaning: None }).collect();
        Self { found, ..Self::default() }
    }

    /// The order by the encoder alone, among the returned texts.
    pub fn by_meaning(&self) -> Self {
        let mut order = self.clone();
        let cosine = |found: &Found| found.meaning.unwrap_or(-1.0);
        order.found.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)));
        order
    }

    /// Whether the answer was made without comparing vectors.
    pub fn is_without_meaning(&self) -> bool {
        self.degraded || (!self.found.is_empty() && self.found.iter().all(|found| found.meaning.is_none()))
    }

    /// The rank of a text, from 0.
    pub fn rank(&self, id: &str) -> Option<usize> {
        self.found.iter().position(|found| found.id == id)
    }
}

/// An open memory in a folder of its own.
pub struct Memory {
    api: Arc<Api>,
    /// Project ids by book.
    books: BTreeMap<String, String>,
    /// Ids of texts by episode id.
    texts: HashMap<String, String>,
    /// Project ids and episode ids by id of the text.
    episodes: HashMap<String, (String, String)>,
    /// The book whose vectors are in memory.
    warm: Option<String>,
    _folder: TempDir,
}

impl Memory {
    pub fn open(encoder: EncoderSource) -> Self {
        let folder = TempDir::new().expect("a folder");
        let mut options = Options::new(folder.path().join("data"), Arc::new(|_, _| {}));
        options.encoder = encoder;
        let api = Api::open(options).expect("the memory opens");
        let (books, texts, episodes) = Default::default();
        Self { api, books, texts, episodes, warm: None, _folder: folder }
    }

    fn call(&self, command: &str, args: Value) -> Value {
        let answer = self.api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error}"));
        serde_json::from_str(&answer).expect("an answer is JSON")
    }

    /// Records texts as episodes, waits until they are indexed, and returns the time of both.
    pub fn record(&mut self, texts: &[Text]) -> Duration {
        let start = Instant::now();
        for text in texts {
            let project = match self.books.get(&text.book) {
                Some(project) => project.clone(),
                None => {
                    let project =
                        string(&self.call("project:create", json!({ "title": "eval", "language": "en" })), "projectId");
                    self.books.insert(text.book.clone(), project.clone());
                    project
                }
            };
            let draft = json!({ "projectId": project, "chapterId": text.id, "skillUsed": SKILL,
                "sceneType": scene::guess(&text.text), "inputContext": "", "candidates": [text.text],
                "selectedIndex": 0, "finalText": text.text });
            let episode = string(&self.call("memory:episode:record", draft), "episodeId");
            let before = self.episodes.insert(text.id.clone(), (project, episode.clone()));
            assert!(before.is_none(), "{} is unique", text.id);
            self.texts.insert(episode, text.id.clone());
        }
        self.wait();
        self.warm = None;
        start.elapsed()
    }

    /// Deletes episodes.
    pub fn delete<'t>(&mut self, ids: impl IntoIterator<Item = &'t str>) {
        for id in ids {
            let (project, episode) = self.episodes.remove(id).expect("a recorded text");
            self.call("memory:episode:delete", json!({ "projectId": project, "episodeId": episode }));
            self.texts.remove(&episode);
        }
        self.wait();
        self.warm = None;
    }

    /// Asks a book and waits: its first recall answers without its vectors, and requests that they are read into
    /// memory. Those of other books may leave it.
    fn warm(&mut self, book: &str) {
        if self.warm.as_deref() != Some(book) {
            let query = json!({ "projectId": self.books[book], "queryText": "once upon a time", "fields": [] });
            self.call("memory:episode:query", query);
            self.wait();
            self.warm = Some(book.to_owned());
        }
    }

    /// Waits until background work is done.
    fn wait(&self) {
        while self.call("memory:status", json!({}))["parts"].to_string().contains("catchingUp") {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn answer(&mut self, query: &Query, ask: Ask) -> Answer {
        self.warm(&query.book);
        let mut args = json!({ "projectId": self.books[&query.book], "queryText": query.text, "fields": [] });
        match ask {
            Ask::Search(limit) => {
                args["purpose"] = json!("search");
                args["limit"] = json!(limit);
            }
            Ask::Prompt => {
                args["purpose"] = json!("prompt");
                args["skillUsed"] = json!(SKILL);
                args["sceneType"] = json!(scene::guess(&query.text));
            }
        }
        let start = Instant::now();
        let answer = self.call("memory:episode:query", args);
        let time = start.elapsed();
        let found = answer["episodes"].as_array().map(|found| found.iter().map(|one| self.found(one)).collect());
        Answer { found: found.unwrap_or_default(), time, degraded: answer["degraded"] == true }
    }

    fn found(&self, one: &Value) -> Found {
        Found {
            id: self.texts[&string(&one["episode"], "id")].clone(),
            certain: Some(one["group"] == "found"),
            meaning: one["components"]["meaning"].as_f64(),
        }
    }
}

fn string(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no {key} in {value}")).to_owned()
}
