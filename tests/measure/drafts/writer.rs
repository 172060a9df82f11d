//! A writer at the program: books with and without memory, and runs of a skill with all their events.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use palimpsest_api::{
    Api, Options,
    testing::{FixedClock, SequentialIds},
};
use palimpsest_text::Language;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::plan::{Memory, Pair, SKILLS};

/// Wait between two looks at the progress of the indexes.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest wait for the next event of a run.
const PATIENCE: Duration = Duration::from_secs(1_800);

pub struct Writer {
    api: Arc<Api>,
    events: Receiver<(String, Value)>,
    /// Deleted with the value.
    _folder: TempDir,
}

/// The events of a run.
#[derive(Default)]
pub struct Ran {
    pub started: Value,
    /// The chunks of each candidate, with those that a second try replaced.
    pub chunks: Vec<String>,
    /// The reason why the first text of a candidate was no draft, by its position.
    pub retries: Vec<Option<String>>,
    /// The end of each candidate.
    pub ended: Vec<Value>,
    /// From the command to the first chunk.
    pub first: Option<Duration>,
    pub done: Value,
}

impl Writer {
    /// Opens an empty data folder with a model; without a name, the first that the server lists.
    pub fn open(url: &str, model: Option<&str>) -> Result<(Self, String), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (send, events) = channel();
        let send = Mutex::new(send);
        let sink = move |name: &str, payload: Value| {
            if let Ok(send) = send.lock() {
                // After the end of the measurement there is no receiver.
                send.send((name.to_owned(), payload)).ok();
            }
        };
        let mut options = Options::new(folder.path().join("memory"), Arc::new(sink));
        // The prompts are the same in each measurement.
        options.clock = Arc::new(FixedClock::at(palimpsest_tests::evening()));
        options.ids = Arc::new(SequentialIds::default());
        let api = Api::open(options).map_err(|error| error.to_string())?;
        let writer = Self { api, events, _folder: folder };
        let provider = json!({ "kind": "openAi", "name": "measured", "baseUrl": url, "key": "none" });
        let provider = writer.call_command("ai:provider:save", provider)?["providerId"].clone();
        let model = match model {
            Some(model) => model.to_owned(),
            None => {
                let listed = writer.call_command("ai:provider:models", json!({ "providerId": provider }))?;
                listed["models"][0].as_str().ok_or("the server lists no model; --model NAME names one")?.to_owned()
            }
        };
        writer
            .call_command("ai:purpose:set", json!({ "purpose": "writing", "providerId": provider, "model": model }))?;
        Ok((writer, model))
    }

    fn call_command(&self, command: &str, args: Value) -> Result<Value, String> {
        let answer = self.api.call(command, args).map_err(|error| format!("{command}: {error}"))?;
        serde_json::from_str(&answer).map_err(|error| error.to_string())
    }

    /// Creates a book with these memories, and waits until they can be recalled; returns its identity.
    pub fn create_book(&self, language: Language, title: &str, memory: Option<&Memory>) -> Result<Value, String> {
        let project = json!({ "title": title, "language": if language == Language::Zh { "zh" } else { "en" } });
        let project = self.call_command("project:create", project)?["projectId"].clone();
        for rule in memory.into_iter().flat_map(|memory| &memory.rules) {
            let added = self.call_command(
                "memory:semantic:add",
                json!({ "rule": rule.sentence, "category": "style", "scope": "project", "projectId": project }),
            )?;
            let pattern = &added["pattern"];
            if pattern["feature"] != rule.feature.as_str() || pattern["direction"] != rule.direction {
                return Err(format!("the rule \"{}\" is read as {pattern}", rule.sentence));
            }
        }
        for (n, (before, text)) in memory.into_iter().flat_map(|memory| &memory.episodes).enumerate() {
            self.call_command(
                "memory:episode:record",
                json!({ "projectId": project, "chapterId": "one", "skillUsed": SKILLS[n % SKILLS.len()],
                    "inputContext": before, "candidates": [text], "selectedIndex": 0, "finalText": text }),
            )?;
        }
        while self.call_command("memory:status", json!({}))?["parts"].to_string().contains("catchingUp") {
            thread::sleep(PAUSE);
        }
        Ok(project)
    }

    /// Runs the skill of a pair to its end. An error of the model is in the events.
    pub fn run_skill(&self, project: &Value, pair: &Pair, candidates: usize) -> Result<Ran, String> {
        let mut request = json!({ "projectId": project, "chapterId": "two", "skill": pair.skill,
            "before": pair.before, "candidates": candidates, "seed": pair.seed });
        if !pair.selection.is_empty() {
            request["selection"] = json!(pair.selection);
        }
        let begun = Instant::now();
        let mut ran = Ran {
            started: self.call_command("ai:skill:run", request)?,
            chunks: vec![String::new(); candidates],
            retries: vec![None; candidates],
            ..Ran::default()
        };
        loop {
            let (name, payload) = self.events.recv_timeout(PATIENCE).map_err(|_| "no end of a run")?;
            if payload["generationId"] != ran.started["generationId"] {
                continue;
            }
            let position = payload["candidate"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or_default();
            match name.as_str() {
                "ai:skill:chunk" => {
                    ran.first.get_or_insert_with(|| begun.elapsed());
                    if let Some(chunks) = ran.chunks.get_mut(position) {
                        chunks.push_str(payload["text"].as_str().unwrap_or_default());
                    }
                }
                "ai:skill:retry" => {
                    if let Some(retry) = ran.retries.get_mut(position) {
                        *retry = payload["reason"].as_str().map(str::to_owned);
                    }
                    // A second text begins on a line of its own.
                    if let Some(chunks) = ran.chunks.get_mut(position) {
                        chunks.push('\n');
                    }
                }
                "ai:skill:candidate" => ran.ended.push(payload),
                "ai:skill:done" => {
                    ran.done = payload;
                    return Ok(ran);
                }
                _ => {}
            }
        }
    }
}
