//! A model behind a chat API: sends requests, retries them before any text has arrived, and streams answers.

use std::{
    slice,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use palimpsest_memory::{
    model::ProviderKind,
    ports::{
        Completion, GenerationRequest, ModelError, ModelErrorKind as Kind, ModelInfo, Piece, TextModel, one_by_one,
    },
};
use reqwest::Method;

use crate::{
    anthropic,
    endpoint::Endpoint,
    failure::{Broken, Failure},
    network::{Call, Network, Reply},
    openai::{self, Habits, Trouble},
    sse::{Event, Events},
    stream::{Beat, Candidates},
};

/// The longest error body, in bytes.
pub(crate) const LONGEST_ERROR: usize = 64 << 10;

/// The longest answer that is not streamed, in bytes: several candidates with every character escaped, and the thinking of
/// the model.
const LONGEST_ANSWER: usize = 4 << 20;

/// The most bytes of a stream per candidate. A token comes in an event of up to 400 bytes, so this is
/// some 80,000 tokens including thinking, or a comment a second for a month.
const MAX_STREAM_BYTES: usize = 32 << 20;

/// The most blanks before the first event, in bytes: some servers send them while a model is loaded.
const MAX_LEADING_BLANKS: usize = 64 << 10;

/// The most changes of a request because the server does not support a parameter. Each change removes something.
const CHANGES: usize = 8;

/// A model behind OpenAI's chat completions or Anthropic's messages.
pub(crate) struct Chat {
    network: Arc<Network>,
    endpoint: Endpoint,
    model: String,
    place: String,
    habits: Mutex<Habits>,
}

impl Chat {
    /// `several`: whether the server is known to generate several candidates for one request (`n`).
    pub(crate) fn new(network: Arc<Network>, endpoint: Endpoint, model: String, several: bool) -> Self {
        // OpenAI's own models take the new name of the parameter; compatible servers mostly the old one.
        let official = endpoint.base_url.is_official(ProviderKind::OpenAi);
        let habits = Habits::new(several && endpoint.kind == ProviderKind::OpenAi, official);
        let place = endpoint.base_url.place_name();
        Self { network, endpoint, model, place, habits: Mutex::new(habits) }
    }

    fn habits(&self) -> Habits {
        *self.habits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes capabilities. Candidates are generated in parallel: a parameter refused for one is omitted for all.
    fn learn(&self, habits: Habits) {
        let mut known = self.habits.lock().unwrap_or_else(PoisonError::into_inner);
        *known = known.meet(habits);
    }

    /// Generates these candidates of one prompt with one request. Returns `false`, without any text, if the server generates
    /// only one per request.
    fn write(&self, requests: &[GenerationRequest<'_>], on_piece: &mut dyn FnMut(usize, Piece<'_>)) -> bool {
        let mut candidates = Candidates::new(requests, on_piece, &self.place);
        let (mut again, mut changes) = (0, 0);
        loop {
            let habits = self.habits();
            let failure = match self.attempt(requests, habits, &mut candidates) {
                Ok(()) => return true,
                Err(failure) => failure,
            };
            if candidates.all_stopped() {
                candidates.end_stopped();
                return true;
            }
            if !candidates.any_text() {
                if failure.error.kind == Kind::RequestRefused && changes < CHANGES {
                    let schema = requests.iter().any(|request| request.schema.is_some());
                    if let Some(next) = habits.after(failure.said.as_deref(), requests.len() > 1, schema) {
                        changes += 1;
                        self.learn(next);
                        if requests.len() > 1 && !next.n {
                            return false;
                        }
                        continue;
                    }
                }
                if let Some(wait) = wait_before_again(&self.network, &failure, again) {
                    again += 1;
                    self.network.pause(wait, &|| candidates.all_stopped());
                    continue;
                }
            }
            let mut error = failure.error;
            // After some text has arrived, every reported error counts as an interruption.
            if candidates.any_text() && failure.said.is_some() && error.kind != Kind::ContentRefused {
                error = Failure::new(Kind::Interrupted, &self.place).error;
            }
            candidates.fail(&error);
            return true;
        }
    }

    /// Sends one request and reads its answer.
    fn attempt(
        &self,
        requests: &[GenerationRequest<'_>],
        habits: Habits,
        candidates: &mut Candidates<'_>,
    ) -> Result<(), Failure> {
        if candidates.all_stopped() {
            candidates.end_stopped();
            return Ok(());
        }
        let body = match (self.endpoint.kind, requests) {
            (ProviderKind::Anthropic, [first, ..]) => anthropic::body(&self.model, first, habits),
            _ => openai::body(&self.model, requests, habits),
        };
        let call = match self.endpoint.kind {
            ProviderKind::Anthropic => "/messages",
            ProviderKind::OpenAi | ProviderKind::Ollama => "/chat/completions",
        };
        let url = self.endpoint.base_url.call(self.endpoint.kind, call);
        let headers = headers(&self.endpoint)?;
        let broken = |broken| Failure::broken(broken, &self.place);
        let reply = self.network.send(Call { method: Method::POST, url, headers, body: Some(body) }).map_err(broken)?;
        let reply = accepted(&self.network, &self.endpoint, reply, &|| candidates.all_stopped())?;
        self.read(reply, candidates, requests.len())
    }

    /// Reads an answer to its end: a stream of events, or one JSON document from a server that does not stream.
    fn read(&self, reply: Reply, candidates: &mut Candidates<'_>, requests: usize) -> Result<(), Failure> {
        let patience = self.network.patience();
        let too_long = || Failure::broken(Broken::TooLong, &self.place);
        let max_bytes = MAX_STREAM_BYTES.saturating_mul(requests);
        let mut received = 0;
        let mut start = Vec::new();
        let mut events = Some(Events::default());
        let mut first = true;
        // After all candidates have ended, the token counts must arrive before this deadline.
        let mut farewell = None;
        loop {
            let limit = match (first, candidates.all_ended()) {
                (true, _) => patience.first_byte,
                (_, true) => {
                    let now = self.network.now();
                    let until = *farewell.get_or_insert(now + patience.after_end);
                    let left = until.saturating_duration_since(now);
                    if left.is_zero() {
                        break;
                    }
                    left
                }
                _ => patience.between_pieces,
            };
            let bytes = match reply.bytes(limit, &|| candidates.all_stopped()) {
                Ok(bytes) => bytes,
                // An error after all candidates have ended is ignored.
                Err(_) if candidates.all_ended() => None,
                Err(Broken::Stopped) => {
                    drop(reply);
                    candidates.end_stopped();
                    return Ok(());
                }
                Err(broken) => return Err(Failure::broken(broken, &self.place)),
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
                    Some(b'{' | b'[') => return self.read_whole(start, &reply, candidates),
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
                let taken = events.take(&bytes, |event| {
                    if matches!(over, Ok(false)) && !candidates.all_stopped() {
                        over = self.take(&event, candidates);
                    }
                });
                over = over.and_then(|over| taken.map(|()| over).map_err(|_| too_long()));
            }
            candidates.flush();
            if candidates.all_done() {
                return Ok(());
            }
            if over? {
                reply.let_go();
                candidates.end();
                return Ok(());
            }
        }
        if let Some(event) = events.take().and_then(Events::end) {
            self.take(&event, candidates)?;
        }
        candidates.end();
        Ok(())
    }

    fn read_whole(&self, start: Vec<u8>, reply: &Reply, candidates: &mut Candidates<'_>) -> Result<(), Failure> {
        let limit = self.network.patience().first_byte;
        let rest = reply.whole(limit, LONGEST_ANSWER, &|| candidates.all_stopped());
        let mut whole = start;
        match rest {
            Ok(rest) => whole.extend(rest),
            Err(Broken::Stopped) => {
                candidates.end_stopped();
                return Ok(());
            }
            Err(broken) => return Err(Failure::broken(broken, &self.place)),
        }
        if whole.len() > LONGEST_ANSWER {
            return Err(Failure::broken(Broken::TooLong, &self.place));
        }
        let data = String::from_utf8(whole).map_err(|_| self.malformed())?;
        self.take(&Event { name: String::new(), data }, candidates)?;
        candidates.end();
        Ok(())
    }

    /// Handles an event. Returns whether it was the last.
    fn take(&self, event: &Event, candidates: &mut Candidates<'_>) -> Result<bool, Failure> {
        let beats = match self.endpoint.kind {
            ProviderKind::Anthropic => anthropic::beats(&event.data),
            ProviderKind::OpenAi | ProviderKind::Ollama => openai::beats(&event.data, event.name == "error"),
        };
        let beats = match beats {
            Ok(beats) => beats,
            // An invalid event after the end is ignored.
            Err(_) if candidates.all_ended() => return Ok(true),
            Err(Trouble::Unreadable) => return Err(self.malformed()),
            Err(Trouble::Said(said)) => {
                return Err(Failure::inside(said, self.endpoint.key.is_some(), &self.place));
            }
        };
        let mut over = false;
        for beat in beats {
            over |= beat == Beat::Over;
            candidates.take(beat);
            if candidates.all_stopped() {
                break;
            }
        }
        Ok(over)
    }

    fn malformed(&self) -> Failure {
        Failure::new(Kind::Malformed, &self.place)
    }
}

impl TextModel for Chat {
    fn info(&self) -> ModelInfo {
        ModelInfo { provider: name(self.endpoint.kind).to_owned(), model: self.model.clone(), sample: false }
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let mut result = None;
        self.write(slice::from_ref(request), &mut |_, piece| match piece {
            Piece::Text(text) => on_text(text),
            Piece::Done(done) => result = Some(done),
        });
        result.unwrap_or_else(|| Err(self.malformed().error))
    }

    /// Uses one request if the server is known to generate several candidates for it, else one per candidate.
    fn generate_all(&self, requests: &[GenerationRequest<'_>], on_piece: &(dyn Fn(usize, Piece<'_>) + Sync)) {
        let alike = requests.windows(2).all(|pair| {
            pair[0].messages == pair[1].messages
                && pair[0].schema == pair[1].schema
                && pair[0].max_tokens == pair[1].max_tokens
        });
        let at_once = requests.len() > 1 && alike && self.habits().n;
        if !(at_once && self.write(requests, &mut |place, piece| on_piece(place, piece))) {
            one_by_one(self, requests, on_piece);
        }
    }
}

/// The name of the kind on the wire.
pub(crate) fn name(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::OpenAi => "openAi",
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Ollama => "ollama",
    }
}

/// The headers of a request; fails if a required key is missing or the key is invalid in a header.
pub(crate) fn headers(endpoint: &Endpoint) -> Result<reqwest::header::HeaderMap, Failure> {
    let place = endpoint.base_url.place_name();
    if endpoint.needs_key() && endpoint.key.as_ref().is_none_or(|key| key.expose().is_empty()) {
        return Err(Failure::new(Kind::KeyMissing, &place));
    }
    endpoint.headers().ok_or_else(|| Failure::new(Kind::KeyRefused, &place))
}

/// Waits for the head of a response; a status other than 2xx is a failure.
pub(crate) fn accepted(
    network: &Network,
    endpoint: &Endpoint,
    reply: Reply,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Failure> {
    let place = endpoint.base_url.place_name();
    let patience = network.patience();
    let head = reply.head(patience.first_byte, stopped).map_err(|broken| Failure::broken(broken, &place))?;
    if (200..300).contains(&head.status) {
        return Ok(reply);
    }
    // Without a body the status alone decides the kind of the error.
    let body = reply.whole(patience.connect, LONGEST_ERROR, stopped).unwrap_or_default();
    Err(Failure::refused(head.status, &head.headers, &body, endpoint.key.is_some(), &place))
}

/// The delay before a retry; `None` if a retry cannot help or no retries are left.
pub(crate) fn wait_before_again(network: &Network, failure: &Failure, again: usize) -> Option<Duration> {
    let patience = network.patience();
    let usual = *patience.again.get(again)?;
    if !failure.passing {
        return None;
    }
    match failure.error.retry_after {
        Some(wait) if wait <= patience.longest_retry_after => Some(wait),
        Some(_) => None,
        None => Some(usual),
    }
}
