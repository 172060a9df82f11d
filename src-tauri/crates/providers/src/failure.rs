//! Classifies errors of a provider by status, codes and, without a code, by its message.
//!
//! A provider's message may quote the writer. It is only read here and never passed on: all sentences are the program's
//! own.

use std::time::Duration;

use jiff::fmt::rfc2822;
use palimpsest_memory::ports::{ModelError, ModelErrorKind as Kind};
use reqwest::header::HeaderMap;
use serde_json::Value;

/// An error of transport: a request without a complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransportError {
    /// The request was cancelled by the caller.
    Stopped,
    /// The network client cannot be created.
    NoNetwork,
    /// The connection timed out.
    ConnectTimeout,
    /// Connection refused, unknown name, or invalid certificate.
    Unreachable,
    /// The connection ended before the head of a response.
    NoAnswer,
    /// The response timed out.
    Timeout,
    /// The connection ended inside the response.
    CutShort,
    /// The response is longer than its limit.
    TooLong,
}

/// A failed request, and whether a retry may help.
pub(crate) struct Failure {
    pub error: ModelError,
    /// Whether a retry may help, as long as no text has arrived.
    pub is_transient: bool,
    /// Details of the provider's error, if it sent any.
    pub details: Option<Box<ErrorDetails>>,
}

impl Failure {
    pub(crate) fn new(kind: Kind, host: &str) -> Self {
        Self { error: ModelError::new(kind, sentence(kind, host)), is_transient: false, details: None }
    }

    pub(crate) fn from_transport(error: TransportError, host: &str) -> Self {
        let (kind, is_transient) = match error {
            TransportError::NoNetwork => (Kind::Unreachable, false),
            TransportError::ConnectTimeout | TransportError::Unreachable | TransportError::NoAnswer => {
                (Kind::Unreachable, true)
            }
            TransportError::Timeout => (Kind::Timeout, false),
            TransportError::CutShort | TransportError::Stopped => (Kind::Malformed, false),
            TransportError::TooLong => (Kind::AnswerTooLong, false),
        };
        Self { is_transient, ..Self::new(kind, host) }
    }

    /// A response with a status other than 2xx.
    pub(crate) fn refused(status: u16, headers: &HeaderMap, body: &[u8], with_key: bool, host: &str) -> Self {
        let details = serde_json::from_slice(body).ok().as_ref().and_then(ErrorDetails::parse);
        let kind = classify(status, details.as_ref(), with_key);
        let mut failure = Self::new(kind, host);
        failure.error.retry_after = retry_after(headers);
        failure.is_transient = status >= 500 && kind != Kind::ContextTooLong
            // Without a time the delay would be a guess, and a failed retry counts towards the rate limit too.
            || kind == Kind::RateLimited && failure.error.retry_after.is_some();
        failure.with_details(details)
    }

    /// An error inside a response that began with a 2xx status.
    pub(crate) fn in_answer(details: ErrorDetails, with_key: bool, host: &str) -> Self {
        let status = details.status.unwrap_or(500);
        let mut failure = Self::new(classify(status, Some(&details), with_key), host);
        failure.is_transient = failure.error.kind == Kind::ProviderFailed;
        failure.with_details(Some(details))
    }

    fn with_details(mut self, details: Option<ErrorDetails>) -> Self {
        if self.error.kind == Kind::ContextTooLong {
            self.error.context_tokens = details.as_ref().and_then(ErrorDetails::context_tokens);
        }
        self.details = details.map(Box::new);
        self
    }
}

/// One sentence for each kind; its only variable part is the host.
pub(crate) fn sentence(kind: Kind, host: &str) -> String {
    match kind {
        Kind::KeyMissing => format!("{host} wants a key, and there is none"),
        Kind::KeyRefused => format!("{host} refused the key"),
        Kind::NoCredit => format!("the account at {host} has no credit left"),
        Kind::RateLimited => format!("{host} wants fewer requests"),
        Kind::ContextTooLong => "the prompt is longer than the model can read".to_owned(),
        Kind::ModelUnknown => format!("{host} knows no such model"),
        Kind::ContentRefused => "the provider will not write this".to_owned(),
        Kind::Timeout => format!("no answer from {host} in time"),
        Kind::Unreachable => format!("nobody answers at {host}"),
        Kind::RedirectRefused => format!("{host} sends elsewhere, and nothing is sent there"),
        Kind::Malformed => format!("what {host} answered broke off or cannot be read"),
        Kind::AnswerTooLong => format!("what {host} answered is longer than an answer may be"),
        Kind::Interrupted => format!("{host} reported an error in the middle of its answer"),
        Kind::ProviderFailed => format!("{host} has trouble of its own"),
        Kind::RequestRefused => format!("{host} refused the request"),
        Kind::DailyLimit => "the limit for the day is reached".to_owned(),
    }
}

/// Details of an error's body. Private: never printed, never passed on.
pub(crate) struct ErrorDetails {
    /// Codes, types and statuses, in lower case.
    codes: Vec<String>,
    /// Messages, in lower case.
    message: String,
    /// Names of parameters in a dedicated field.
    parameters: Vec<String>,
    /// HTTP status in the body.
    status: Option<u16>,
    /// Context length in a dedicated field, in tokens.
    limit: Option<u32>,
}

impl ErrorDetails {
    /// Parses an error in any of the formats of known servers; `None` if there is none.
    pub(crate) fn parse(body: &Value) -> Option<Self> {
        let body = body.as_array().and_then(|all| all.first()).unwrap_or(body);
        let object = body.as_object()?;
        let inner =
            ["error", "message", "detail"].iter().find_map(|key| object.get(*key)).filter(|it| !it.is_null())?;
        let mut details =
            Self { codes: Vec::new(), message: String::new(), parameters: Vec::new(), status: None, limit: None };
        details.collect(body, 0);
        if let Some(text) = inner.as_str() {
            details.add_message(text);
        }
        Some(details)
    }

    fn collect(&mut self, value: &Value, depth: usize) {
        const MAX_DEPTH: usize = 6;
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::Array(all) => all.iter().for_each(|item| self.collect(item, depth + 1)),
            Value::Object(object) => {
                for (key, value) in object {
                    match (key.as_str(), value) {
                        // These fields echo the request.
                        ("input" | "ctx" | "body" | "failed_generation", _) => {}
                        ("message" | "msg" | "detail", Value::String(text)) => self.add_message(text),
                        ("code" | "type" | "status" | "reason", Value::String(word)) => {
                            self.status = self.status.or_else(|| status(word.parse().ok()?));
                            self.codes.push(word.to_lowercase());
                        }
                        ("code" | "status", Value::Number(number)) => {
                            self.status = self.status.or_else(|| status(number.as_u64()?));
                            self.codes.push(number.to_string());
                        }
                        ("param", Value::String(name)) => self.parameters.push(name.to_lowercase()),
                        ("loc", Value::Array(path)) => {
                            self.parameters.extend(path.iter().filter_map(Value::as_str).map(str::to_lowercase));
                        }
                        ("n_ctx", Value::Number(limit)) => {
                            self.limit = limit.as_u64().and_then(|limit| u32::try_from(limit).ok());
                        }
                        (_, Value::Object(_) | Value::Array(_)) => self.collect(value, depth + 1),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn add_message(&mut self, text: &str) {
        const MAX_MESSAGE_CHARS: usize = 2_000;
        self.message.push(' ');
        self.message.extend(text.chars().take(MAX_MESSAGE_CHARS).flat_map(char::to_lowercase));
    }

    fn has_code(&self, words: &[&str]) -> bool {
        self.codes.iter().any(|word| words.contains(&word.as_str()))
    }

    fn message_contains(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.message.contains(text))
    }

    /// Whether the refusal is about this parameter of the request.
    pub(crate) fn is_about(&self, parameter: &str) -> bool {
        if self.parameters.is_empty() {
            self.message.contains(parameter)
        } else {
            let is_same = |name: &String| name == parameter || name.split('.').next() == Some(parameter);
            self.parameters.iter().any(is_same)
        }
    }

    /// Whether the refusal is about a last message of the assistant.
    pub(crate) fn is_about_begun_answer(&self) -> bool {
        self.message_contains(&[
            "prefill",
            "must end with a user message",
            "last message",
            "final assistant",
            "assistant message",
            "role assistant",
        ])
    }

    /// Whether the refusal is about `n`, a name too short for a plain search in the message.
    pub(crate) fn is_about_n(&self) -> bool {
        if self.parameters.is_empty() {
            self.message_contains(&[
                "'n'",
                "\"n\"",
                "`n`",
                " n ",
                " n:",
                "(n)",
                "multiple choices",
                "multiple completions",
            ])
        } else {
            self.is_about("n")
        }
    }

    /// Whether the refusal is about the tools of the request, or about the choice of one.
    pub(crate) fn is_about_tools(&self) -> bool {
        if self.parameters.is_empty() {
            self.message_contains(&["tool", "function call", "call a function", "'functions'"])
        } else {
            self.parameters.iter().any(|name| name.starts_with("tool"))
        }
    }

    /// Whether the refusal is about the choice of a tool (`tool_choice`).
    pub(crate) fn is_about_tool_choice(&self) -> bool {
        if self.parameters.is_empty() {
            self.message_contains(&["tool_choice", "tool choice"])
        } else {
            self.is_about("tool_choice")
        }
    }

    /// Whether the message contains a name.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.message.contains(name)
    }

    /// Whether it reports an unknown parameter.
    pub(crate) fn is_unsupported(&self) -> bool {
        self.has_code(&["unsupported_parameter", "unknown_parameter"])
    }

    /// The context length in tokens, if the error states it.
    fn context_tokens(&self) -> Option<u32> {
        const LIMIT_PREFIXES: &[&str] = &[
            "context length is ",
            "context length of only ",
            "context length of ",
            "context size (",
            "context window of ",
            "> ",
            "<= ",
            "token limit: ",
            "token limit of ",
            "should be [1, ",
            "too large for model with ",
            "tokens allowed (",
        ];
        self.limit.or_else(|| LIMIT_PREFIXES.iter().find_map(|before| number(self.message.split_once(before)?.1)))
    }
}

fn status(number: u64) -> Option<u16> {
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

fn number(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
    digits.parse().ok().filter(|limit| *limit > 0)
}

/// The kind by code, else by status: servers use codes more consistently. The codes are from the providers'
/// documentation.
fn classify(status: u16, details: Option<&ErrorDetails>, with_key: bool) -> Kind {
    if let Some(kind) = details.and_then(|details| kind_of_details(status, details, with_key)) {
        return kind;
    }
    match status {
        300..=399 => Kind::RedirectRefused,
        401 | 403 if with_key => Kind::KeyRefused,
        401 | 403 => Kind::KeyMissing,
        402 => Kind::NoCredit,
        408 | 504 | 524 => Kind::Timeout,
        413 => Kind::ContextTooLong,
        429 => Kind::RateLimited,
        451 => Kind::ContentRefused,
        500.. => Kind::ProviderFailed,
        _ => Kind::RequestRefused,
    }
}

fn kind_of_details(status: u16, details: &ErrorDetails, with_key: bool) -> Option<Kind> {
    let client = (400..500).contains(&status);
    Some(
        if details.has_code(&[
            "insufficient_quota",
            "exceeded_current_quota_error",
            "billing_error",
            "billing_hard_limit_reached",
            "billing_not_active",
            "insufficient_balance",
            "arrearage",
            "payment_required",
        ]) || details.message_contains(&["credit balance is too low", "insufficient balance", "余额不足", "欠费"])
        {
            Kind::NoCredit
        } else if details.has_code(&[
            "rate_limit_error",
            "rate_limit_exceeded",
            "rate_limit_reached_error",
            "throttling",
        ]) {
            Kind::RateLimited
        } else if details.has_code(&[
            "context_length_exceeded",
            "exceed_context_size_error",
            "request_too_large",
            "string_above_max_length",
            "model_context_window_exceeded",
        ]) || details.message_contains(&[
            "maximum context length",
            "prompt is too long",
            "exceed context limit",
            "available context size",
            "context length of only",
            "model token limit",
            "range of input length",
            "maximum number of tokens allowed",
            "maximum context",
            "too large to process",
        ]) {
            Kind::ContextTooLong
        } else if details.has_code(&["content_filter", "content_policy_violation", "data_inspection_failed"])
            || details.has_code(&["datainspectionfailed", "responsibleaipolicyviolation"])
            || details.message_contains(&["content management policy", "content exists risk"])
        {
            Kind::ContentRefused
        } else if details.has_code(&["model_not_found", "model_not_exist", "modelnotfound", "resource_not_found_error"])
            || client && details.is_about_missing_model()
        {
            Kind::ModelUnknown
        } else if details.has_code(&["unsupported_country_region_territory"]) {
            Kind::RequestRefused
        } else if details.has_code(&["invalid_api_key", "authentication_error", "api_key_invalid", "permission_error"])
            || details.has_code(&["invalid_authentication_error", "permission_denied"])
            || status == 400 && details.message_contains(&["api key not valid", "incorrect api key", "invalid api key"])
        {
            if with_key { Kind::KeyRefused } else { Kind::KeyMissing }
        } else if details.has_code(&["overloaded_error"]) {
            Kind::ProviderFailed
        } else if details.has_code(&["timeout_error"]) {
            Kind::Timeout
        } else if details.has_code(&["invalid_request_error"]) && !client {
            // An error in a stream has no status of its own.
            Kind::RequestRefused
        } else {
            return None;
        },
    )
}

impl ErrorDetails {
    fn is_about_missing_model(&self) -> bool {
        let missing = ["not exist", "not found", "no such", "unknown model", "invalid model", "not a valid model"];
        self.message.contains("model") && self.message_contains(&missing)
            // Anthropic's message is only `model: <name>`.
            || self.has_code(&["not_found_error"]) && self.message.trim_start().starts_with("model")
    }
}

/// The requested delay before a retry, from any of the headers in use. A date is relative to that of the response.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return seconds(milliseconds / 1_000.0);
    }
    let after = text("retry-after")?;
    if let Ok(number) = after.parse() {
        return seconds(number);
    }
    let date = |text: &str| rfc2822::parse(text).ok().map(|time| time.timestamp());
    Duration::try_from(date(after)?.duration_since(date(text("date")?)?)).ok()
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests;
