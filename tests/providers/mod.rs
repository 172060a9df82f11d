//! Models behind HTTP, against a scripted server: every kind of failure, without sleeping.

mod answer_service;
mod candidates;
mod failures;
mod floods;
mod reranking;
mod servers;
mod streaming;
mod tool_calls;
mod vectors;

use std::sync::Arc;

use palimpsest_memory::ports::{
    Completion, GenerationRequest, Message, ModelError, ModelErrorKind, Role, Stop, TextModel,
};
use palimpsest_providers::{BaseUrl, Endpoint, Network, ProviderKind, Secret, Timeouts, text_model, text_model_with_n};
use palimpsest_tests::{
    clock::StandingClock,
    server::{Answer, Server},
};
use serde_json::Value;

/// A key that is searched for wherever it must not occur.
const KEY: &str = "sk-scripted-0123456789";

/// The chat dialects: the provider kind and the path of its requests.
const DIALECTS: [(ProviderKind, &str); 3] = [
    (ProviderKind::OpenAi, "/v1/chat/completions"),
    (ProviderKind::Anthropic, "/v1/messages"),
    (ProviderKind::Ollama, "/v1/chat/completions"),
];

/// A stream of these pieces that ends regularly.
fn streamed(kind: ProviderKind, pieces: &[&str]) -> Answer {
    match kind {
        ProviderKind::Anthropic => Answer::messages(pieces),
        _ => Answer::chat(pieces),
    }
}

/// A stream of this piece without an end.
fn begun(kind: ProviderKind, piece: &str) -> Answer {
    match kind {
        ProviderKind::Anthropic => Answer::messages_start().messages_piece(piece),
        _ => Answer::stream().event(&palimpsest_tests::server::chat_piece(piece)),
    }
}

/// Adds the regular end of such a stream.
fn ended(kind: ProviderKind, answer: Answer) -> Answer {
    match kind {
        ProviderKind::Anthropic => answer.messages_end(1),
        _ => answer.chat_end(1),
    }
}

/// A server, a network that never sleeps, and one prompt.
struct Scene {
    server: Server,
    network: Arc<Network>,
    clock: Arc<StandingClock>,
    stop: Stop,
}

impl Scene {
    fn new() -> Self {
        Self::with_timeouts(Timeouts::default())
    }

    fn with_timeouts(patience: Timeouts) -> Self {
        let clock = StandingClock::new();
        let network = Network::with(patience, Arc::clone(&clock) as _);
        Self { server: Server::start(), network, clock, stop: Stop::new() }
    }

    fn endpoint(&self, kind: ProviderKind) -> Endpoint {
        endpoint(kind, &self.server.url(""))
    }

    fn model(&self, kind: ProviderKind) -> Arc<dyn TextModel> {
        text_model(&self.network, self.endpoint(kind), "scripted".to_owned())
    }

    fn model_with_n(&self) -> Arc<dyn TextModel> {
        text_model_with_n(&self.network, self.endpoint(ProviderKind::OpenAi), "scripted".to_owned())
    }

    /// Requests one candidate, and returns the streamed text and the outcome.
    fn generate(&self, model: &dyn TextModel) -> (String, Result<Completion, ModelError>) {
        self.write_as(model, None)
    }

    fn write_as(&self, model: &dyn TextModel, schema: Option<&Value>) -> (String, Result<Completion, ModelError>) {
        let messages = prompt_messages();
        let mut streamed = String::new();
        let request = GenerationRequest { schema, ..request(&messages, &self.stop) };
        let done = model.generate(&request, &mut |piece| streamed.push_str(piece));
        (streamed, done)
    }

    /// The text of a candidate that must succeed.
    #[track_caller]
    fn text(&self, kind: ProviderKind) -> String {
        let (streamed, done) = self.generate(&*self.model(kind));
        let text = done.unwrap().text;
        assert_eq!(streamed, text, "what streamed is the text");
        text
    }

    /// The text streamed before the failure of a candidate, and the failure.
    #[track_caller]
    fn fails(&self, kind: ProviderKind) -> (String, ModelError) {
        let (streamed, done) = self.generate(&*self.model(kind));
        let error = done.unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(!printed.contains(KEY) && !printed.contains("雨"), "{printed}");
        (streamed, error)
    }

    /// The delays requested before each retry, in milliseconds.
    fn pauses(&self) -> Vec<u128> {
        self.clock.pauses().into_iter().map(|long| long.as_millis()).collect()
    }
}

fn endpoint(kind: ProviderKind, url: &str) -> Endpoint {
    Endpoint { kind, base_url: BaseUrl::parse(url).unwrap(), key: Some(Secret::new(KEY.to_owned())) }
}

fn prompt_messages() -> [Message; 2] {
    let said = |role, content: &str| Message { role, content: content.to_owned() };
    [said(Role::System, "你是助手。"), said(Role::User, "<before>雨停了。</before>\n续写")]
}

/// A prompt that ends with the beginning of the answer.
fn begun_answer() -> [Message; 3] {
    let said = |role, content: &str| Message { role, content: content.to_owned() };
    [said(Role::System, "你是助手。"), said(Role::User, "续写"), said(Role::Assistant, "雨停了。\n\n")]
}

fn request<'a>(messages: &'a [Message], stop: &'a Stop) -> GenerationRequest<'a> {
    GenerationRequest { messages, seed: 7, max_tokens: 100, temperature: 0.8, schema: None, tools: &[], stop }
}

fn kind_of(done: &Result<Completion, ModelError>) -> Option<ModelErrorKind> {
    done.as_ref().err().map(|error| error.kind)
}
