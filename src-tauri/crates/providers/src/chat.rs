//! A model behind a chat API: sends requests, retries them before any text has arrived, and streams answers.

use std::{slice, sync::Arc, time::Duration};

use parking_lot::Mutex;

use palimpsest_memory::{
    model::ProviderKind,
    ports::{
        CandidateEvent, Completion, GenerationRequest, ModelError, ModelErrorKind as Kind, ModelInfo, TextModel,
        one_by_one,
    },
};
use reqwest::Method;

use crate::{
    anthropic,
    capabilities::{Capabilities, ToolMode},
    endpoint::Endpoint,
    failure::{ErrorDetails, Failure, TransportError},
    network::{HttpRequest, HttpResponse, Network},
    openai::{self, EventError},
    sse::{Event, EventParser},
    stream::{AnswerEvent, Candidates},
};

/// The longest error body, in bytes.
pub(crate) const MAX_ERROR_BYTES: usize = 64 << 10;

/// The longest answer that is not streamed, in bytes: several candidates with every character escaped, and the thinking
/// of the model.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// The most bytes of a stream per candidate. A token comes in an event of up to 400 bytes, so this is
/// some 80,000 tokens including thinking, or a comment a second for a month.
const MAX_STREAM_BYTES: usize = 32 << 20;

/// The most blanks before the first event, in bytes: some servers send them while a model is loaded.
const MAX_LEADING_BLANKS: usize = 64 << 10;

/// The most changes of a request because the server does not support a parameter. Each change removes something.
const MAX_CAPABILITY_CHANGES: usize = 8;

/// A model behind OpenAI's chat completions or Anthropic's messages.
pub(crate) struct ChatModel {
    network: Arc<Network>,
    endpoint: Endpoint,
    model: String,
    host: String,
    /// Shared by all objects for the same model.
    capabilities: Arc<Mutex<Capabilities>>,
}

impl ChatModel {
    /// `several`: whether the server is known to generate several candidates for one request (`n`).
    pub(crate) fn new(network: Arc<Network>, endpoint: Endpoint, model: String, several: bool) -> Self {
        // OpenAI's own models take the new name of the parameter; compatible servers mostly the old one.
        let official = endpoint.base_url.is_official(ProviderKind::OpenAi);
        let several = several && endpoint.kind == ProviderKind::OpenAi;
        let key = (kind_name(endpoint.kind), endpoint.base_url.to_string(), model.clone(), several);
        // Servers elsewhere with OpenAI's API mostly begin a new answer without a refusal.
        let begun_answer = endpoint.kind != ProviderKind::OpenAi || endpoint.base_url.is_this_machine();
        let assumed = Capabilities { begun_answer, ..Capabilities::new(several, official) };
        let capabilities = network.known_capabilities().of_model(key, assumed);
        let host = endpoint.base_url.display_name();
        Self { network, endpoint, model, host, capabilities }
    }

    fn capabilities(&self) -> Capabilities {
        *self.capabilities.lock()
    }

    /// Removes capabilities. Candidates are generated in parallel: a parameter refused for one is omitted for all.
    fn restrict(&self, capabilities: Capabilities) {
        let mut current = self.capabilities.lock();
        *current = current.intersect(capabilities);
    }

    /// Generates these candidates of one prompt with one request. Returns `false`, without any text, if the server
    /// generates only one per request.
    fn generate_together(
        &self,
        requests: &[GenerationRequest<'_>],
        on_event: &mut dyn FnMut(usize, CandidateEvent<'_>),
    ) -> bool {
        let mut candidates = Candidates::new(requests, on_event, &self.host);
        let (mut retries, mut changes) = (0, 0);
        let mut capabilities = self.capabilities();
        loop {
            candidates.begin_request(capabilities.offers_tools(requests));
            let result = self.send_once(requests, capabilities, &mut candidates);
            if candidates.has_ignored_tools() {
                capabilities.tools = ToolMode::Never;
            }
            // A parameter stays left out once the server has accepted the rest.
            if result.is_ok() || candidates.any_text() {
                self.restrict(capabilities);
            }
            let Err(failure) = result else { return true };
            if candidates.all_stopped() {
                candidates.end_stopped();
                return true;
            }
            if !candidates.any_text() {
                let details = failure.details.as_deref();
                // llama.cpp refuses tools with the status of a failure.
                let refuses_tools = candidates.has_tools()
                    && failure.error.kind == Kind::ProviderFailed
                    && details.is_some_and(ErrorDetails::is_about_tools);
                if (failure.error.kind == Kind::RequestRefused || refuses_tools)
                    && changes < MAX_CAPABILITY_CHANGES
                    && let Some(next) = capabilities.after_refusal(details, requests)
                {
                    changes += 1;
                    capabilities = next;
                    if requests.len() > 1 && !next.n {
                        self.restrict(next);
                        return false;
                    }
                    continue;
                }
                if let Some(wait) = retry_delay(&self.network, &failure, retries) {
                    retries += 1;
                    self.network.pause(wait, &|| candidates.all_stopped());
                    continue;
                }
            }
            let mut error = failure.error;
            // After some text has arrived, every reported error counts as an interruption.
            if candidates.any_text() && failure.details.is_some() && error.kind != Kind::ContentRefused {
                error = Failure::new(Kind::Interrupted, &self.host).error;
            }
            candidates.fail(&error);
            return true;
        }
    }

    /// Sends one request and reads its answer.
    fn send_once(
        &self,
        requests: &[GenerationRequest<'_>],
        capabilities: Capabilities,
        candidates: &mut Candidates<'_>,
    ) -> Result<(), Failure> {
        if candidates.all_stopped() {
            candidates.end_stopped();
            return Ok(());
        }
        let body = match (self.endpoint.kind, requests) {
            (ProviderKind::Anthropic, [first, ..]) => anthropic::body(&self.model, first, capabilities),
            _ => openai::body(&self.model, requests, capabilities),
        };
        let call = match self.endpoint.kind {
            ProviderKind::Anthropic => "/messages",
            ProviderKind::OpenAi | ProviderKind::Ollama => "/chat/completions",
        };
        let url = self.endpoint.base_url.api_url(self.endpoint.kind, call);
        let headers = headers(&self.endpoint)?;
        let failure = |error| Failure::from_transport(error, &self.host);
        let request = HttpRequest { method: Method::POST, url, headers, body: Some(body), follows_redirects: true };
        let response = self.network.send(request).map_err(failure)?;
        let response = expect_success(&self.network, &self.endpoint, response, &|| candidates.all_stopped())?;
        self.read(response, candidates, requests.len())
    }

    /// Reads an answer to its end: a stream of events, or one JSON document from a server that does not stream.
    fn read(&self, response: HttpResponse, candidates: &mut Candidates<'_>, requests: usize) -> Result<(), Failure> {
        let timeouts = self.network.timeouts();
        let too_long = || Failure::from_transport(TransportError::TooLong, &self.host);
        let max_bytes = MAX_STREAM_BYTES.saturating_mul(requests);
        let mut received = 0;
        let mut start = Vec::new();
        let mut events = Some(EventParser::default());
        let mut first = true;
        // After all candidates have ended, the token counts must arrive before this deadline.
        let mut usage_deadline = None;
        loop {
            let limit = match (first, candidates.all_ended()) {
                (true, _) => timeouts.first_byte,
                (_, true) => {
                    let now = self.network.now();
                    let until = *usage_deadline.get_or_insert(now + timeouts.after_end);
                    let left = until.saturating_duration_since(now);
                    if left.is_zero() {
                        break;
                    }
                    left
                }
                _ => timeouts.between_chunks,
            };
            let bytes = match response.next_bytes(limit, &|| candidates.all_stopped()) {
                Ok(bytes) => bytes,
                // An error after all candidates have ended is ignored.
                Err(_) if candidates.all_ended() => None,
                Err(TransportError::Stopped) => {
                    drop(response);
                    candidates.end_stopped();
                    return Ok(());
                }
                Err(error) => return Err(Failure::from_transport(error, &self.host)),
            };
            candidates.end_stopped();
            let Some(bytes) = bytes else { break };
            received += bytes.len();
            if received > max_bytes {
                return Err(too_long());
            }
            let bytes = if first {
                start.extend_from_slice(&bytes);
                match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                    None if start.len() > MAX_LEADING_BLANKS => return Err(too_long()),
                    None => continue,
                    // No field of an event begins so: this is an answer without streaming.
                    Some(b'{' | b'[') => return self.read_whole(start, &response, candidates),
                    Some(_) => {
                        first = false;
                        std::mem::take(&mut start)
                    }
                }
            } else {
                bytes.into()
            };
            let mut over = Ok(false);
            if let Some(events) = &mut events {
                let parsed = events.push(&bytes, |event| {
                    if matches!(over, Ok(false)) && !candidates.all_stopped() {
                        over = self.handle_event(&event, candidates);
                    }
                });
                over = over.and_then(|over| parsed.map(|()| over).map_err(|_| too_long()));
            }
            candidates.flush();
            if candidates.all_done() {
                return Ok(());
            }
            if over? {
                response.release();
                candidates.end();
                return Ok(());
            }
        }
        if let Some(event) = events.take().and_then(EventParser::finish) {
            self.handle_event(&event, candidates)?;
        }
        candidates.end();
        Ok(())
    }

    fn read_whole(
        &self,
        start: Vec<u8>,
        response: &HttpResponse,
        candidates: &mut Candidates<'_>,
    ) -> Result<(), Failure> {
        let limit = self.network.timeouts().first_byte;
        let rest = response.read_all(limit, MAX_ANSWER_BYTES, &|| candidates.all_stopped());
        let mut whole = start;
        match rest {
            Ok(rest) => whole.extend(rest),
            Err(TransportError::Stopped) => {
                candidates.end_stopped();
                return Ok(());
            }
            Err(error) => return Err(Failure::from_transport(error, &self.host)),
        }
        if whole.len() > MAX_ANSWER_BYTES {
            return Err(Failure::from_transport(TransportError::TooLong, &self.host));
        }
        let data = String::from_utf8(whole).map_err(|_| self.malformed())?;
        self.handle_event(&Event { name: String::new(), data }, candidates)?;
        candidates.end();
        Ok(())
    }

    /// Handles an event. Returns whether it was the last.
    fn handle_event(&self, event: &Event, candidates: &mut Candidates<'_>) -> Result<bool, Failure> {
        let answer_events = match self.endpoint.kind {
            ProviderKind::Anthropic => anthropic::parse_event(&event.data, candidates.has_tools()),
            ProviderKind::OpenAi | ProviderKind::Ollama => openai::parse_event(&event.data, event.name == "error"),
        };
        let answer_events = match answer_events {
            Ok(answer_events) => answer_events,
            // An invalid event after the end is ignored.
            Err(_) if candidates.all_ended() => return Ok(true),
            Err(EventError::Unreadable) => return Err(self.malformed()),
            Err(EventError::Reported(details)) => {
                return Err(Failure::in_answer(details, self.endpoint.key.is_some(), &self.host));
            }
        };
        let mut over = false;
        for answer_event in answer_events {
            over |= answer_event == AnswerEvent::Over;
            candidates.handle(answer_event);
            if candidates.all_stopped() {
                break;
            }
        }
        Ok(over)
    }

    fn malformed(&self) -> Failure {
        Failure::new(Kind::Malformed, &self.host)
    }
}

impl TextModel for ChatModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: kind_name(self.endpoint.kind).to_owned(), model: self.model.clone(), sample: false }
    }

    fn continues_answers(&self) -> bool {
        self.capabilities().begun_answer
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let mut result = None;
        self.generate_together(slice::from_ref(request), &mut |_, event| match event {
            CandidateEvent::Text(text) => on_text(text),
            CandidateEvent::Done(done) => result = Some(done),
        });
        result.unwrap_or_else(|| Err(self.malformed().error))
    }

    /// Uses one request if the server is known to generate several candidates for it, else one per candidate.
    fn generate_all(&self, requests: &[GenerationRequest<'_>], on_event: &(dyn Fn(usize, CandidateEvent<'_>) + Sync)) {
        let same_prompt = requests.windows(2).all(|pair| {
            pair[0].messages == pair[1].messages
                && pair[0].schema == pair[1].schema
                && pair[0].tools == pair[1].tools
                && pair[0].max_tokens == pair[1].max_tokens
        });
        let uses_n = requests.len() > 1 && same_prompt && self.capabilities().n;
        if !(uses_n && self.generate_together(requests, &mut |index, event| on_event(index, event))) {
            one_by_one(self, requests, on_event);
        }
    }
}

/// The name of the kind on the wire.
pub(crate) fn kind_name(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::OpenAi => "openAi",
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Ollama => "ollama",
    }
}

/// The headers of a request; fails if a required key is missing or the key is invalid in a header.
pub(crate) fn headers(endpoint: &Endpoint) -> Result<reqwest::header::HeaderMap, Failure> {
    let host = endpoint.base_url.display_name();
    if endpoint.needs_key() && endpoint.key.as_ref().is_none_or(|key| key.expose().is_empty()) {
        return Err(Failure::new(Kind::KeyMissing, &host));
    }
    endpoint.headers().ok_or_else(|| Failure::new(Kind::KeyRefused, &host))
}

/// Waits for the head of a response; a status other than 2xx is a failure.
pub(crate) fn expect_success(
    network: &Network,
    endpoint: &Endpoint,
    response: HttpResponse,
    stopped: &dyn Fn() -> bool,
) -> Result<HttpResponse, Failure> {
    let host = endpoint.base_url.display_name();
    let timeouts = network.timeouts();
    let head = response.head(timeouts.first_byte, stopped).map_err(|error| Failure::from_transport(error, &host))?;
    if (200..300).contains(&head.status) {
        return Ok(response);
    }
    // Without a body the status alone decides the kind of the error.
    let body = response.read_all(timeouts.connect, MAX_ERROR_BYTES, stopped).unwrap_or_default();
    Err(Failure::refused(head.status, &head.headers, &body, endpoint.key.is_some(), &host))
}

/// The delay before a retry; `None` if a retry cannot help or no retries are left.
pub(crate) fn retry_delay(network: &Network, failure: &Failure, retries: usize) -> Option<Duration> {
    let timeouts = network.timeouts();
    let default_delay = *timeouts.retry_delays.get(retries)?;
    if !failure.is_transient {
        return None;
    }
    match failure.error.retry_after {
        Some(wait) if wait <= timeouts.max_retry_after => Some(wait),
        Some(_) => None,
        None => Some(default_delay),
    }
}
