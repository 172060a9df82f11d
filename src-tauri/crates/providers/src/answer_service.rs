//! A team's answer service over HTTP, as a memory of answers: searches, and records hits, new answers and validations.
//! The wire is that of the service of memex.
//!
//! A search and its retries end within [`TIMEOUT`]. The other requests are sent once: their caller sends them again
//! later. After a failure of the server or the connection, searches fail at once for a while ([`BACKOFF`], or the time
//! that the server asks for), so that a server that is down does not delay each question.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use palimpsest_memory::{
    model::{ProviderKind, SignalStrength, Time, ValidationResult, ValidationSource},
    ports::{
        AnswerMemory, AnswerMemoryError, AnswerMemoryErrorKind as Kind, MemoryCandidate, MemoryHit, MemoryHits,
        MemoryQuery, MemoryValidation, ModelErrorKind, RememberedAnswer, RememberedAnswers, Stop,
    },
};
use parking_lot::Mutex;
use reqwest::Method;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::{
    chat::{headers, retry_delay},
    endpoint::{BaseUrl, Endpoint, Secret},
    failure::Failure,
    network::{HttpRequest, Network},
};

/// Maximum time of a request, from its start to the end of the response, with its retries.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Time for which searches fail at once after a failure of the server or the connection.
const BACKOFF: Duration = Duration::from_secs(30);
/// The most bytes of a response.
const MAX_RESPONSE_BYTES: usize = 2 << 20;
/// The most items of a response that are read.
const MAX_ITEMS: usize = 200;
/// The name of this program in validations and candidates.
const CLIENT: &str = "palimpsest";

/// Parses the address of an answer service: `https`, or `http` on this machine.
///
/// # Errors
/// The reason why it is invalid, in a sentence without the address.
pub fn parse_service_url(text: &str) -> Result<BaseUrl, String> {
    let url = BaseUrl::parse(text)?;
    if url.is_private() { Ok(url) } else { Err("plain http is only for this machine: use https://".to_owned()) }
}

/// The key of the service, read for each request; `None` without one.
pub type ReadKey = Arc<dyn Fn() -> Option<Secret> + Send + Sync>;

/// A team's answer service.
pub struct AnswerService {
    network: Arc<Network>,
    base_url: BaseUrl,
    key: ReadKey,
    name: String,
    /// Ends requests under way.
    stop: Stop,
    /// The end of the backoff, and the error of the searches until then.
    backoff: Mutex<Option<(Instant, AnswerMemoryError)>>,
}

impl AnswerService {
    /// A service at an address of [`parse_service_url`]. `stop` ends its requests, for shutdown. Sends no request.
    #[must_use]
    pub fn new(network: Arc<Network>, base_url: BaseUrl, key: ReadKey, stop: Stop) -> Self {
        let name = base_url.to_string();
        Self { network, base_url, key, name, stop, backoff: Mutex::default() }
    }

    /// Sends a request once; returns the body of its response.
    fn attempt(&self, call: &str, body: &Value, until: Instant) -> Result<Vec<u8>, Failure> {
        let host = self.base_url.display_name();
        let failure = |error| Failure::from_transport(error, &host);
        let stopped = || self.stop.is_set();
        // The kind decides the header of the key alone.
        let kind = ProviderKind::OpenAi;
        let endpoint = Endpoint { kind, base_url: self.base_url.clone(), key: (self.key)() };
        let request = HttpRequest {
            method: Method::POST,
            url: self.base_url.sibling_url(&format!("/v1/qa/{call}")),
            headers: headers(&endpoint)?,
            body: Some(body.clone()),
            follows_redirects: false,
        };
        let left = || until.saturating_duration_since(self.network.now());
        let response = self.network.send(request).map_err(failure)?;
        let head = response.head(left(), &stopped).map_err(failure)?;
        if (200..300).contains(&head.status) {
            return response.read_all(left(), MAX_RESPONSE_BYTES, &stopped).map_err(failure);
        }
        // The body is not read: it may contain text of the writer's.
        Err(Failure::refused(head.status, &head.headers, &[], endpoint.key.is_some(), &host))
    }

    /// Sends a request that the caller repeats if it fails.
    fn send(&self, call: &str, body: &Value) -> Result<Vec<u8>, AnswerMemoryError> {
        let until = self.network.now() + TIMEOUT;
        self.attempt(call, body, until).map_err(|failure| memory_error(&failure))
    }

    /// Sends a search; retries it after a passing failure of the server, within [`TIMEOUT`].
    fn send_search(&self, body: &Value) -> Result<Vec<u8>, AnswerMemoryError> {
        self.check_backoff()?;
        let until = self.network.now() + TIMEOUT;
        let mut retries = 0;
        loop {
            let failure = match self.attempt("search", body, until) {
                Ok(body) => return Ok(body),
                Err(failure) => failure,
            };
            let is_passing = matches!(failure.error.kind, ModelErrorKind::ProviderFailed | ModelErrorKind::RateLimited);
            let wait = retry_delay(&self.network, &failure, retries).filter(|_| is_passing);
            match wait.filter(|wait| self.network.now() + *wait < until) {
                Some(wait) => self.network.pause(wait, &|| self.stop.is_set()),
                None => {
                    let error = memory_error(&failure);
                    self.start_backoff(&error);
                    return Err(error);
                }
            }
            retries += 1;
        }
    }

    fn check_backoff(&self) -> Result<(), AnswerMemoryError> {
        let mut backoff = self.backoff.lock();
        match &*backoff {
            Some((until, error)) if self.network.now() < *until => Err(error.clone()),
            _ => {
                *backoff = None;
                Ok(())
            }
        }
    }

    /// Starts the backoff after a failure that a search right after it would probably have as well.
    fn start_backoff(&self, error: &AnswerMemoryError) {
        let long = match error.kind {
            Kind::RateLimited => error.retry_after.unwrap_or(BACKOFF).max(BACKOFF),
            Kind::Timeout | Kind::Unreachable | Kind::Failed => error.retry_after.unwrap_or(BACKOFF),
            _ => return,
        };
        let until = self.network.now().checked_add(long.min(Duration::from_secs(3_600)));
        *self.backoff.lock() = until.map(|until| (until, error.clone()));
    }
}

impl AnswerMemory for AnswerService {
    fn name(&self) -> &str {
        &self.name
    }

    fn search(&self, query: &MemoryQuery<'_>) -> Result<RememberedAnswers, AnswerMemoryError> {
        let body = json!({
            "project_id": query.project_id,
            "query": query.query,
            "limit": query.limit,
            "min_score": query.min_score,
        });
        let body = self.send_search(&body)?;
        parse_answers(&body).ok_or_else(|| self.malformed_response())
    }

    fn record_hits(&self, hits: &MemoryHits) -> Result<(), AnswerMemoryError> {
        let reference = |hit: &MemoryHit| {
            let MemoryHit { id, shown, used } = hit;
            json!({ "qa_id": id, "shown": shown, "used": used, "message_id": hits.run_id })
        };
        let references: Vec<Value> = hits.references.iter().map(reference).collect();
        self.send("hit", &json!({ "project_id": hits.project_id, "references": references })).map(drop)
    }

    fn record_candidate(&self, candidate: &MemoryCandidate) -> Result<Option<String>, AnswerMemoryError> {
        let body = json!({
            "project_id": candidate.project_id,
            "question": candidate.question,
            "answer": candidate.answer,
            "confidence": candidate.confidence,
            "metadata": { "answer_id": candidate.answer_id },
            "source": CLIENT,
        });
        let body = self.send("candidates", &body)?;
        let id = serde_json::from_slice::<Value>(&body).ok().and_then(|body| Some(body["qa_id"].as_str()?.to_owned()));
        Ok(id)
    }

    fn record_validation(&self, validation: &MemoryValidation) -> Result<(), AnswerMemoryError> {
        let body = json!({
            "project_id": validation.project_id,
            "qa_id": validation.id,
            "result": match validation.result {
                ValidationResult::Pass => "pass",
                ValidationResult::Partial => "partial",
                ValidationResult::Fail => "fail",
            },
            "signal_strength": match validation.strength {
                SignalStrength::Weak => "weak",
                SignalStrength::Medium => "medium",
                SignalStrength::Strong => "strong",
            },
            "success": validation.result == ValidationResult::Pass,
            "strong_signal": validation.strength == SignalStrength::Strong,
            "source": match validation.source {
                ValidationSource::Run => "run",
                ValidationSource::Writer => "writer",
                ValidationSource::Inserted => "inserted",
                ValidationSource::Copied => "copied",
                ValidationSource::Cited => "cited",
                ValidationSource::Client => "client",
                ValidationSource::Reasked => "reasked",
            },
            "client": CLIENT,
            "ts": validation.at.to_string(),
            "payload": { "validation_id": validation.validation_id },
        });
        self.send("validate", &body).map(drop)
    }
}

impl AnswerService {
    fn malformed_response(&self) -> AnswerMemoryError {
        memory_error(&Failure::new(ModelErrorKind::Malformed, &self.base_url.display_name()))
    }
}

fn memory_error(failure: &Failure) -> AnswerMemoryError {
    use ModelErrorKind as Model;
    let error = &failure.error;
    let kind = match error.kind {
        Model::KeyMissing => Kind::KeyMissing,
        Model::KeyRefused => Kind::KeyRefused,
        Model::RateLimited => Kind::RateLimited,
        Model::Timeout => Kind::Timeout,
        Model::Unreachable => Kind::Unreachable,
        Model::RedirectRefused => Kind::RedirectRefused,
        Model::Malformed | Model::Interrupted => Kind::Malformed,
        Model::AnswerTooLong => Kind::TooLong,
        Model::ProviderFailed => Kind::Failed,
        Model::NoCredit
        | Model::ContextTooLong
        | Model::ModelUnknown
        | Model::ContentRefused
        | Model::RequestRefused
        | Model::DailyLimit => Kind::Refused,
    };
    AnswerMemoryError { kind, message: error.message.clone(), retry_after: error.retry_after }
}

/// The answers of a response: a list at its top, in which items that cannot be read are skipped and counted. `None` for
/// anything else, and for a list of which no item can be read.
fn parse_answers(body: &[u8]) -> Option<RememberedAnswers> {
    let Value::Array(items) = serde_json::from_slice(body).ok()? else { return None };
    let (mut ids, mut found, all) = (HashSet::new(), RememberedAnswers::default(), items.len());
    for item in items.into_iter().take(MAX_ITEMS) {
        match serde_json::from_value::<Item>(item) {
            // The first of several with one id counts.
            Ok(item) if ids.insert(item.qa_id.clone()) => found.matches.push(item.into()),
            Ok(_) => {}
            Err(_) => found.skipped += 1,
        }
    }
    (all == 0 || !found.matches.is_empty()).then_some(found)
}

/// An item of a response. Other fields are ignored.
#[derive(Deserialize)]
struct Item {
    qa_id: String,
    #[serde(default, rename = "project_id")]
    _project_id: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    answer: String,
    #[serde(default)]
    score: f64,
    #[serde(default)]
    trust: f64,
    #[serde(default)]
    freshness: f64,
    #[serde(default, deserialize_with = "level")]
    validation_level: u8,
    #[serde(default = "active")]
    status: String,
    #[serde(default, alias = "meta")]
    metadata: Value,
    #[serde(default)]
    expiry_at: Option<String>,
}

fn active() -> String {
    "active".to_owned()
}

/// A whole number from 0 on; those above 255 count as 255.
fn level<'de, D: Deserializer<'de>>(value: D) -> Result<u8, D::Error> {
    Ok(u8::try_from(u64::deserialize(value)?).unwrap_or(u8::MAX))
}

impl From<Item> for RememberedAnswer {
    fn from(item: Item) -> Self {
        // Services send numbers and texts of numbers; anything else counts as 0.
        let consecutive_fail = match &item.metadata["consecutive_fail"] {
            Value::Number(number) => number.as_f64().unwrap_or_default(),
            Value::String(text) => text.trim().parse().unwrap_or_default(),
            _ => 0.0,
        };
        Self {
            id: item.qa_id,
            question: item.question,
            answer: item.answer,
            score: item.score,
            validation_level: item.validation_level,
            trust: item.trust,
            freshness: item.freshness,
            consecutive_fail,
            status: item.status,
            expires_at: item.expiry_at.and_then(|at| at.parse::<Time>().ok()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &Value) -> Option<(Vec<String>, u32)> {
        let found = parse_answers(body.to_string().as_bytes())?;
        Some((found.matches.into_iter().map(|one| one.id).collect(), found.skipped))
    }

    #[test]
    fn a_response_is_a_list_and_items_that_cannot_be_read_are_skipped() {
        assert_eq!(parse(&json!([])), Some((vec![], 0)));
        assert_eq!(parse(&json!([{ "qa_id": "a" }, { "qa_id": 7 }])), Some((vec!["a".into()], 1)));
        assert_eq!(parse(&json!([{ "qa_id": "a", "colour": 1 }, { "qa_id": "a" }])), Some((vec!["a".into()], 0)));
        for broken in [
            json!({ "matches": [] }),
            json!({ "error": "busy" }),
            json!([{ "question": "x" }]),
            json!([{ "qa_id": "a", "score": null }]),
            json!([{ "qa_id": "a", "project_id": null }]),
            json!([{ "qa_id": "a", "validation_level": -1 }]),
            json!("text"),
        ] {
            assert_eq!(parse(&broken), None, "{broken}");
        }
        assert_eq!(parse_answers(b"<html>"), None);
        assert_eq!(parse_answers(&[b'['; 100_000]), None);
    }

    #[test]
    fn responses_are_read_as_agreed() {
        let cases = include_str!("../../answers/tests/golden/parse.jsonl").lines();
        let cases: Vec<Value> = cases.map(|case| serde_json::from_str(case).unwrap()).collect();
        assert_eq!(cases.len(), 11);
        for case in &cases {
            let agreed = &case["ours"];
            let Some(found) = parse_answers(case["input"]["body"].to_string().as_bytes()) else {
                assert!(agreed["error"].is_string(), "{}", case["id"]);
                continue;
            };
            assert_eq!(json!(found.skipped), agreed["skipped"], "{}", case["id"]);
            let agreed = agreed["matches"].as_array().unwrap();
            assert_eq!(found.matches.len(), agreed.len(), "{}", case["id"]);
            for (one, agreed) in found.matches.iter().zip(agreed) {
                assert_eq!((json!(one.id), json!(one.status)), (agreed["qa_id"].clone(), agreed["status"].clone()));
                // A number of failures that is missing counts as 0.
                let numbers = ["score", "trust", "freshness", "validation_level", "consecutive_fail"]
                    .map(|key| agreed[key].as_f64().unwrap_or_default());
                let level = f64::from(one.validation_level);
                let read = [one.score, one.trust, one.freshness, level, one.consecutive_fail];
                assert_eq!(read, numbers, "{}", case["id"]);
            }
        }
    }

    #[test]
    fn fields_that_are_missing_have_the_defaults_of_the_original_service() {
        let read = |item: Value| parse_answers(json!([item]).to_string().as_bytes()).unwrap().matches.remove(0);
        let bare = read(json!({ "qa_id": "a" }));
        assert_eq!((bare.trust, bare.freshness, bare.validation_level, bare.status.as_str()), (0.0, 0.0, 0, "active"));
        for metadata in ["metadata", "meta"] {
            for (value, failures) in [(json!(2), 2.0), (json!("2.5"), 2.5), (json!(["3"]), 0.0), (json!(null), 0.0)] {
                let item = read(json!({ "qa_id": "a", metadata: { "consecutive_fail": value } }));
                assert_eq!(item.consecutive_fail, failures, "{metadata} {value}");
            }
        }
        assert_eq!(read(json!({ "qa_id": "a", "validation_level": 4_000 })).validation_level, 255);
        let ends = read(json!({ "qa_id": "a", "expiry_at": "2026-03-15T21:00:00Z" })).expires_at;
        assert_eq!(ends, "2026-03-15T21:00:00Z".parse().ok());
    }

    #[test]
    fn an_address_is_encrypted_or_on_this_machine() {
        for (written, taken) in [
            ("https://answers.example.org/", "https://answers.example.org"),
            ("answers.example.org/team", "https://answers.example.org/team"),
            ("localhost:8080", "http://localhost:8080"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
            ("https://192.168.1.20", "https://192.168.1.20"),
        ] {
            assert_eq!(parse_service_url(written).map(|url| url.to_string()), Ok(taken.to_owned()));
        }
        for written in ["http://answers.example.org", "http://192.168.1.20", "nas.local:1234", "", "ftp://x"] {
            assert!(parse_service_url(written).is_err(), "{written}");
        }
    }
}
