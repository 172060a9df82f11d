//! Pairs of request and answer, recorded from the engine for the interface's fake backend.
//!
//! `tests/fixtures/wire-pairs.json` lists requests in the order of their execution. `ui/test/unit/wirePairs.test.ts`
//! replays them against the fake backend. A new request is added by hand, without an answer, and `npm run generate`
//! records its answer.

use std::{collections::HashMap, fs, path::Path};

use palimpsest_tests::{Event, Writer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{generating, repository};

#[derive(Serialize, Deserialize)]
struct Fixture {
    /// Files that exist beforehand: content by name.
    files: Map<String, Value>,
    pairs: Vec<Pair>,
}

#[derive(Serialize, Deserialize)]
struct Pair {
    name: String,
    command: String,
    args: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    /// The code and the details; messages are not part of the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    /// The event that ends what the command began, without its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<Value>,
    /// The payloads of `memory:changed`, in order.
    #[serde(default)]
    changed: Vec<Value>,
}

#[test]
fn the_recorded_answers_are_those_of_the_engine() {
    let file = repository("tests/fixtures/wire-pairs.json");
    let before = fs::read_to_string(&file).unwrap();
    let mut fixture: Fixture = serde_json::from_str(&before).unwrap();
    let writer = Writer::new();
    for (name, content) in &fixture.files {
        fs::write(writer.path_beside(name), content.as_str().unwrap()).unwrap();
    }
    let mut tokens = Tokens::new(&writer.path_beside(""));
    for pair in &mut fixture.pairs {
        let recorded = serde_json::to_value(&pair).unwrap();
        execute(&writer, &mut tokens, pair);
        if !generating() {
            let answered = serde_json::to_value(&pair).unwrap();
            assert_eq!(answered, recorded, "{}: outdated, run `npm run generate`", pair.name);
        }
    }
    if generating() {
        fs::write(&file, serde_json::to_string_pretty(&fixture).unwrap() + "\n").unwrap();
    }
}

/// Executes the request of a pair and puts its answer into the pair.
fn execute(writer: &Writer, tokens: &mut Tokens, pair: &mut Pair) {
    // Times are equal otherwise, and lists have no order by time.
    writer.clock.advance_millis(1_000);
    let answered = writer.api.call(&pair.command, tokens.resolve(&pair.args));
    let mut events = writer.arrived_events();
    (pair.answer, pair.error, pair.ended) = (None, None, None);
    match answered {
        Ok(answer) => {
            let answer = serde_json::from_str(&answer).unwrap();
            pair.ended = end_of(writer, &pair.command, &answer, &mut events);
            pair.answer = Some(answer);
        }
        Err(error) => {
            let mut error = json!(error);
            error.as_object_mut().unwrap().remove("message");
            pair.error = Some(error);
        }
    }
    // The analysis of a book reports its changes when it is done, after any command; so does the journal, of which an
    // entry is written soon after the decision that it is about.
    let is_late = |what: &Value| {
        *what == json!(["story"]) || *what == json!(["journal"]) && !pair.command.starts_with("journal:")
    };
    let is_recorded = |(name, payload): &Event| name == "memory:changed" && !is_late(&payload["what"]);
    pair.changed = events.into_iter().filter(is_recorded).map(|(_, payload)| payload).collect();
    for recorded in [&mut pair.answer, &mut pair.error, &mut pair.ended].into_iter().flatten().chain(&mut pair.changed)
    {
        tokens.replace_in(recorded);
    }
    writer.wait_until_idle();
    writer.arrived_events();
}

/// Waits for the event that ends what a command began; `None` for a command that ends with its answer.
fn end_of(writer: &Writer, command: &str, answer: &Value, events: &mut Vec<Event>) -> Option<Value> {
    let (end, id) = match command {
        "ai:skill:run" => ("ai:skill:done", "generationId"),
        "memory:semantic:distill" => ("memory:distill:progress", "runId"),
        _ => return None,
    };
    let is_end = |(name, payload): &Event| {
        name == end && payload[id] == answer[id] && payload.get("stage").is_none_or(|stage| stage == "done")
    };
    loop {
        if let Some((_, payload)) = events.iter().find(|event| is_end(event)) {
            let ended = payload.clone();
            // The event of a learning run's changes follows the one of its end.
            while command == "memory:semantic:distill" && !events.iter().any(|(name, _)| name == "memory:changed") {
                events.push(writer.next_event());
            }
            return Some(ended);
        }
        events.push(writer.next_event());
    }
}

/// Values that differ between two runs, replaced by tokens: the folder, ids, and hashes. Sizes of databases become 0.
///
/// The number of a token counts the first appearances of its kind. Requests name the ids of earlier answers by them.
struct Tokens {
    folder: String,
    by_value: HashMap<String, String>,
    by_token: HashMap<String, String>,
    counts: HashMap<String, usize>,
}

/// The length of a UUID.
const UUID_LENGTH: usize = 36;

impl Tokens {
    fn new(folder: &Path) -> Self {
        let folder = folder.to_str().unwrap().trim_end_matches('/').to_owned();
        Self { folder, by_value: HashMap::new(), by_token: HashMap::new(), counts: HashMap::new() }
    }

    /// The value with the actual ids in place of tokens.
    fn resolve(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let mut text = text.replace("{folder}", &self.folder);
                for (token, actual) in &self.by_token {
                    text = text.replace(token, actual);
                }
                json!(text)
            }
            Value::Array(items) => items.iter().map(|item| self.resolve(item)).collect(),
            Value::Object(fields) => {
                Value::Object(fields.iter().map(|(name, value)| (name.clone(), self.resolve(value))).collect())
            }
            other => other.clone(),
        }
    }

    fn replace_in(&mut self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_in(item)),
            Value::Object(fields) => {
                let of_database = fields.contains_key("file");
                let kind_of_id = kind_of_id(fields);
                for (name, value) in fields {
                    match value {
                        Value::Number(size) if name == "bytes" && of_database => *size = 0.into(),
                        Value::String(text) => *text = self.replaced(name, text, &kind_of_id),
                        Value::Array(items) => {
                            for item in items {
                                match item {
                                    Value::String(text) => *text = self.replaced(name, text, &kind_of_id),
                                    other => self.replace_in(other),
                                }
                            }
                        }
                        other => self.replace_in(other),
                    }
                }
            }
            _ => {}
        }
    }

    /// A text of a field with tokens in place of ids.
    fn replaced(&mut self, field: &str, text: &str, kind_of_id: &str) -> String {
        let kind = match field {
            "id" => kind_of_id.to_owned(),
            "supportingEpisodes" | "contradictingEpisodes" => "episode".to_owned(),
            _ if field.ends_with("Hash") => "hash".to_owned(),
            _ => field.strip_suffix("Id").map_or("id", last_word).to_lowercase(),
        };
        if kind == "hash" || ["snapshotId", "backupId", "deletedId"].contains(&field) {
            return self.token(text, &kind);
        }
        let mut text = text.replace(&self.folder, "{folder}");
        while let Some(at) = (0..text.len()).find(|at| text.get(*at..at + UUID_LENGTH).is_some_and(is_uuid)) {
            let token = self.token(&text[at..at + UUID_LENGTH], &kind);
            text.replace_range(at..at + UUID_LENGTH, &token);
        }
        text
    }

    fn token(&mut self, actual: &str, kind: &str) -> String {
        if let Some(token) = self.by_value.get(actual) {
            return token.clone();
        }
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let token = format!("{{{kind}-{count}}}");
        self.by_value.insert(actual.to_owned(), token.clone());
        self.by_token.insert(token.clone(), actual.to_owned());
        token
    }
}

/// The kind of the field `id` of an object.
fn kind_of_id(fields: &Map<String, Value>) -> String {
    match fields.get("kind").and_then(Value::as_str) {
        Some(kind) => kind,
        None if fields.contains_key("rule") => "rule",
        None => "episode",
    }
    .to_owned()
}

/// `lastProject` → `Project`.
fn last_word(name: &str) -> &str {
    &name[name.rfind(char::is_uppercase).unwrap_or(0)..]
}

fn is_uuid(text: &str) -> bool {
    text.char_indices().all(|(at, c)| match at {
        8 | 13 | 18 | 23 => c == '-',
        _ => c.is_ascii_digit() || ('a'..='f').contains(&c),
    })
}
