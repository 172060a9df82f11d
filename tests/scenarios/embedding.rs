//! Another embedding model: it takes over once every episode has its vector, and recall continues when it fails.

use std::sync::{
    Arc, Condvar, Mutex,
    atomic::{AtomicBool, Ordering},
};

use palimpsest_api::{
    EncoderSource, Options,
    ports::{Embedder, EmbedderError},
};
use palimpsest_tests::{
    Writer,
    clock::retry_without_pause,
    server::{Answer, Request, Server},
    text,
};
use serde_json::{Value, json};

use crate::taken;

/// Stub of the bundled encoder: it recognises only bread.
struct BreadEncoder;

impl Embedder for BreadEncoder {
    fn model(&self) -> &str {
        "baker/1"
    }

    fn dimensions(&self) -> usize {
        4
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let knows = if text.contains('面') || text.contains("bread") { 0 } else { 1 + usize::from(text.is_ascii()) };
        Ok((0..4).map(|n| f32::from(u8::from(n == knows))).collect())
    }
}

/// A server whose model recognises rain and gives each text without rain a direction of its own.
struct RainServer {
    server: Server,
    /// While the gate is shut, requests about an episode wait.
    gate: Arc<(Mutex<bool>, Condvar)>,
    broken: Arc<AtomicBool>,
}

impl RainServer {
    fn start() -> Self {
        let (gate, broken) = (Arc::new((Mutex::new(true), Condvar::new())), Arc::new(AtomicBool::new(false)));
        let server = Server::start();
        let (waited, down) = (Arc::clone(&gate), Arc::clone(&broken));
        server.reply("/v1/embeddings", move |asked| {
            if down.load(Ordering::SeqCst) {
                return Answer::json(500, json!({ "error": { "message": "out of order" } }));
            }
            let said = input(asked);
            if said.iter().any(|text| text.contains("堤坝")) {
                let open = waited.0.lock().unwrap();
                drop(waited.1.wait_while(open, |open| !*open).unwrap());
            }
            let data: Vec<Value> = (0_usize..)
                .zip(&said)
                .map(|(index, text)| {
                    let mut vector = vec![0.0; 64];
                    let rain = text.contains('雨') || text.contains("rain");
                    vector[if rain { 0 } else { 1 + text.len() % 63 }] = 1.0;
                    json!({ "index": index, "embedding": vector })
                })
                .collect();
            Answer::json(200, json!({ "data": data, "model": "weather" }))
        });
        Self { server, gate, broken }
    }

    fn shut(&self, shut: bool) {
        *self.gate.0.lock().unwrap() = !shut;
        self.gate.1.notify_all();
    }

    fn serves(&self, writer: &Writer) {
        let provider = json!({ "kind": "openAi", "name": "天气", "baseUrl": self.server.url("/v1") });
        let provider = writer.ask("ai:provider:save", provider);
        let chosen = json!({ "purpose": "embedding", "providerId": provider["providerId"], "model": "weather" });
        writer.ask("ai:purpose:set", chosen);
    }
}

fn input(asked: &Request) -> Vec<String> {
    let said = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match &asked.body["input"] {
        Value::Array(texts) => texts.iter().map(said).collect(),
        one => vec![said(one)],
    }
}

/// Sets the stub encoder, and a network that retries without a pause.
fn set_up(options: &mut Options) {
    options.encoder = EncoderSource::Loaded(Arc::new(BreadEncoder));
    retry_without_pause(options);
}

/// A writer with two episodes, one about bread and one about rain, and the bundled encoder's vectors of both.
fn writer() -> (Writer, String) {
    let writer = Writer::with(set_up);
    let project = writer.book("夜航", "zh");
    writer.ask("memory:episode:record", taken(&project, "", "暴雨漫过了堤坝。"));
    writer.ask("memory:episode:record", taken(&project, "", "他煮了一碗面。"));
    wait_for_vectors(&writer);
    (writer, project)
}

fn embedder(writer: &Writer) -> Value {
    let status = writer.ask("memory:status", json!({}));
    status["parts"].as_array().unwrap().iter().find(|part| part["part"] == "embedder").unwrap().clone()
}

fn wait_for_vectors(writer: &Writer) {
    while embedder(writer)["state"] == "catchingUp" {
        std::thread::yield_now();
    }
}

/// The texts that a query finds, and whether the answer is degraded.
fn find(writer: &Writer, project: &str, question: &str) -> (Vec<String>, bool) {
    let found = writer.ask("memory:episode:query", json!({ "projectId": project, "queryText": question }));
    let texts = found["episodes"].as_array().unwrap().iter().map(|one| text(&one["episode"], "finalText")).collect();
    (texts, found["degraded"] == true)
}

const RAIN: &str = "暴雨漫过了堤坝。";
const BREAD: &str = "他煮了一碗面。";

#[test]
fn another_encoder_serves_once_it_has_vectors_of_all_episodes_and_the_old_one_until_then() {
    let (writer, project) = writer();
    let weather = RainServer::start();
    weather.shut(true);
    weather.serves(&writer);
    let progress = writer.wait_for_event("memory:index:progress");
    assert_eq!(progress, json!({ "part": "embedder", "done": 0, "total": 2 }));
    assert_eq!(embedder(&writer)["state"], "catchingUp");
    assert_eq!(find(&writer, &project, "bread"), (vec![BREAD.to_owned()], false));
    assert_eq!(find(&writer, &project, "rain"), (vec![], false));
    weather.shut(false);
    wait_for_vectors(&writer);
    assert_eq!(find(&writer, &project, "rain"), (vec![RAIN.to_owned()], false));

    // Switching back takes effect at once, because the bundled encoder's vectors were kept up to date.
    writer.ask("ai:purpose:set", json!({ "purpose": "embedding", "providerId": null, "model": null }));
    assert_eq!(find(&writer, &project, "bread"), (vec![BREAD.to_owned()], false));
    assert_eq!(find(&writer, &project, "rain"), (vec![], false));
}

#[test]
fn passages_of_the_manuscript_and_searches_for_them_are_sent_to_no_chosen_encoder() {
    let (writer, project) = writer();
    let weather = RainServer::start();
    weather.serves(&writer);
    wait_for_vectors(&writer);
    let chapters =
        json!([{ "chapterId": "a", "text": "他揉着面，揉了三遍。" }, { "chapterId": "b", "text": "雨停了。" }]);
    writer.ask("story:analyze", json!({ "projectId": project, "chapters": chapters }));
    wait_for_vectors(&writer);
    let asked = json!({ "projectId": project, "queryText": "something like bread" });
    let found = writer.ask("story:find", asked)["passages"].clone();
    assert_eq!(found[0]["matchedBy"], json!(["meaning"]), "{found}");
    assert_eq!(find(&writer, &project, "rain"), (vec![RAIN.to_owned()], false), "episodes use the chosen encoder");
    let sent: Vec<String> = weather.server.requests().iter().flat_map(input).collect();
    assert!(sent.iter().any(|text| text.contains(RAIN)));
    for words in ["揉了三遍", "雨停了", "something like"] {
        assert!(sent.iter().all(|text| !text.contains(words)), "{words}: {sent:?}");
    }
}

#[test]
fn a_failing_endpoint_is_reported_the_bundled_encoder_serves_and_recovery_is_automatic() {
    let (writer, project) = writer();
    let weather = RainServer::start();
    weather.serves(&writer);
    wait_for_vectors(&writer);
    while find(&writer, &project, "rain").0 != [RAIN] {
        std::thread::yield_now();
    }

    weather.broken.store(true, Ordering::SeqCst);
    assert_eq!(find(&writer, &project, "more bread"), (vec![BREAD.to_owned()], true), "the other one found nothing");
    let part = embedder(&writer);
    assert_eq!((&part["state"], &part["reason"]), (&json!("substituted"), &json!("providerFailed")));
    let later = writer.ask("memory:episode:record", taken(&project, "", "细雨湿了衣襟。"));
    assert!(later["episodeId"].is_string(), "recording goes on");

    weather.broken.store(false, Ordering::SeqCst);
    // The next episode wakes the index, which tries the provider again.
    writer.ask("memory:episode:record", taken(&project, "", "雨停了。"));
    while find(&writer, &project, "rain").0.len() < 3 {
        std::thread::yield_now();
    }
    assert_eq!(embedder(&writer)["state"], "ok");
    assert!(!find(&writer, &project, "rain").1);
}

#[test]
fn an_endpoint_that_is_unreachable_at_the_start_delays_nothing() {
    let (writer, project) = writer();
    let weather = RainServer::start();
    weather.serves(&writer);
    wait_for_vectors(&writer);
    drop(weather);
    let writer = writer.restarted_with(set_up);
    assert_eq!(find(&writer, &project, "bread").0, [BREAD]);
    while embedder(&writer)["state"] != "substituted" {
        std::thread::yield_now();
    }
    assert_eq!(find(&writer, &project, "bread"), (vec![BREAD.to_owned()], true));
}
