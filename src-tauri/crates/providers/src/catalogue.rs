//! Queries a server for its models and their context lengths.

use std::{sync::Arc, time::Duration};

use palimpsest_memory::{
    model::ProviderKind,
    ports::{ModelError, ModelErrorKind as Kind},
};
use reqwest::{Method, Url};
use serde_json::{Value, json};

use crate::{
    chat::{MAX_ERROR_BYTES, headers},
    endpoint::{BaseUrl, Endpoint},
    failure::{ErrorDetails, Failure},
    network::{HttpRequest, Network, never_stopped},
};

/// The longest list of models, in bytes. Brokers list hundreds of models with a page about each.
const MAX_LIST_BYTES: usize = 8 << 20;

/// The most models returned from a list.
const MAX_MODELS: usize = 5_000;

/// The longest model name, in characters.
const MAX_NAME_CHARS: usize = 200;

/// Ollama's default context length. Ollama silently truncates longer prompts, so the prompt must be cut here, where the
/// cut can be reported.
const OLLAMA_DEFAULT_CONTEXT: u32 = 4_096;

/// The models of a provider in alphabetical order: at most 5,000, with names of 1 to 200 visible characters. Others are
/// omitted. Sends one request without a retry, as the writer is waiting.
///
/// # Errors
/// If the provider cannot be reached, refuses the key, or does not answer with a list.
pub fn models(network: &Arc<Network>, endpoint: &Endpoint) -> Result<Vec<String>, ModelError> {
    list(network, endpoint, network.timeouts().short_request).map_err(|failure| failure.error)
}

/// The context length of a model in tokens, prompt and answer together; `None` if its server does not report it.
#[must_use]
pub fn context_tokens(network: &Arc<Network>, endpoint: &Endpoint, model: &str) -> Option<u32> {
    let base = &endpoint.base_url;
    let limit = network.timeouts().short_request;
    let get = |method, url, body| request_json(network, endpoint, method, url, body, limit).ok();
    match endpoint.kind {
        ProviderKind::Ollama => {
            let shown = get(Method::POST, base.sibling_url("/api/show"), Some(json!({ "model": model })))?;
            let set = parameter(&shown, "num_ctx");
            set.or_else(|| loaded_context_tokens(&get(Method::GET, base.sibling_url("/api/ps"), None)?, model)).or_else(
                || {
                    let most = shown["model_info"].as_object()?;
                    let most =
                        most.iter().find(|(key, _)| key.ends_with(".context_length")).and_then(|(_, it)| count(it));
                    Some(most.map_or(OLLAMA_DEFAULT_CONTEXT, |most| most.min(OLLAMA_DEFAULT_CONTEXT)))
                },
            )
        }
        ProviderKind::Anthropic => {
            let url = base.api_url(endpoint.kind, &format!("/models/{}", path_part(model)?));
            count(&get(Method::GET, url, None)?["max_input_tokens"])
        }
        ProviderKind::OpenAi => {
            let listed = get(Method::GET, base.api_url(endpoint.kind, "/models"), None);
            let reported = listed.as_ref().and_then(|body| context_length(entry(body, model)?));
            if reported.is_some() || !base.is_local() {
                return reported;
            }
            // llama.cpp, then LM Studio: each has an API of its own beside the compatible one.
            let props = get(Method::GET, base.sibling_url("/props"), None);
            let props = props.and_then(|body| count(&body["default_generation_settings"]["n_ctx"]));
            props
                .or_else(|| context_length(entry(&get(Method::GET, base.sibling_url("/api/v0/models"), None)?, model)?))
        }
    }
}

/// The models of Ollama at its default address on this machine; `None` if it does not run.
#[must_use]
pub fn find_ollama(network: &Arc<Network>) -> Option<Vec<String>> {
    find_ollama_at(network, &BaseUrl::default_for(ProviderKind::Ollama)?)
}

/// As [`find_ollama`], at another address.
#[must_use]
pub fn find_ollama_at(network: &Arc<Network>, base_url: &BaseUrl) -> Option<Vec<String>> {
    let endpoint = Endpoint { kind: ProviderKind::Ollama, base_url: base_url.clone(), key: None };
    list(network, &endpoint, network.timeouts().probe).ok()
}

fn list(network: &Network, endpoint: &Endpoint, limit: Duration) -> Result<Vec<String>, Failure> {
    let url = match endpoint.kind {
        ProviderKind::Ollama => endpoint.base_url.sibling_url("/api/tags"),
        ProviderKind::OpenAi => endpoint.base_url.api_url(endpoint.kind, "/models"),
        ProviderKind::Anthropic => {
            let mut url = endpoint.base_url.api_url(endpoint.kind, "/models");
            // One page: there are at most a few dozen models.
            url.set_query(Some("limit=1000"));
            url
        }
    };
    let body = request_json(network, endpoint, Method::GET, url, None, limit)?;
    let name = |entry: &Value| Some(entry["id"].as_str().or_else(|| entry["name"].as_str())?.to_owned());
    let entries = entries(&body).ok_or_else(|| malformed(endpoint))?;
    let mut names: Vec<String> =
        entries.iter().filter_map(name).filter(|name| is_valid_name(name)).take(MAX_MODELS).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Whether a text is valid as the name of a model: a server can send any text, and the name is shown in the window.
fn is_valid_name(text: &str) -> bool {
    let is_unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    !text.trim().is_empty() && text.chars().count() <= MAX_NAME_CHARS && !text.chars().any(is_unseen)
}

/// Sends a request with a short JSON answer.
fn request_json(
    network: &Network,
    endpoint: &Endpoint,
    method: Method,
    url: Url,
    body: Option<Value>,
    limit: Duration,
) -> Result<Value, Failure> {
    let host = endpoint.base_url.display_name();
    let failure = |error| Failure::from_transport(error, &host);
    let request = HttpRequest { method, url, headers: headers(endpoint)?, body, follows_redirects: true };
    let response = network.send(request).map_err(failure)?;
    let head = response.head(limit, &never_stopped).map_err(failure)?;
    if !(200..300).contains(&head.status) {
        let body = response.read_all(limit, MAX_ERROR_BYTES, &never_stopped).unwrap_or_default();
        return Err(Failure::refused(head.status, &head.headers, &body, endpoint.key.is_some(), &host));
    }
    let body = response.read_all(limit, MAX_LIST_BYTES, &never_stopped).map_err(failure)?;
    let body: Value = serde_json::from_slice(&body).map_err(|_| malformed(endpoint))?;
    if body.get("error").is_some_and(|error| !error.is_null())
        && let Some(details) = ErrorDetails::parse(&body)
    {
        return Err(Failure::in_answer(details, endpoint.key.is_some(), &host));
    }
    Ok(body)
}

fn malformed(endpoint: &Endpoint) -> Failure {
    Failure::new(Kind::Malformed, &endpoint.base_url.display_name())
}

/// The entries of a list: under `data` or `models`, or the body itself.
fn entries(body: &Value) -> Option<&Vec<Value>> {
    ["data", "models"].iter().find_map(|key| body[*key].as_array()).or_else(|| body.as_array())
}

fn entry<'a>(body: &'a Value, model: &str) -> Option<&'a Value> {
    entries(body)?.iter().find(|entry| entry["id"] == model)
}

/// The context length in an entry of a list.
fn context_length(entry: &Value) -> Option<u32> {
    const NAMES: [&str; 6] = [
        "max_model_len",
        "loaded_context_length",
        "context_length",
        "context_window",
        "max_context_length",
        "max_input_tokens",
    ];
    NAMES.iter().find_map(|name| count(&entry[*name])).or_else(|| count(&entry["meta"]["n_ctx"]))
}

fn count(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
}

/// A parameter in the lines of an Ollama model file.
fn parameter(shown: &Value, name: &str) -> Option<u32> {
    let lines = shown["parameters"].as_str()?.lines();
    lines.filter_map(|line| line.split_once(char::is_whitespace)).find(|(key, _)| *key == name)?.1.trim().parse().ok()
}

/// The context length of a model that Ollama has loaded.
fn loaded_context_tokens(body: &Value, model: &str) -> Option<u32> {
    let same = |entry: &&Value| entry["name"] == model || entry["model"] == model;
    count(&entries(body)?.iter().find(same)?["context_length"])
}

/// A model's name as a segment of a path; `None` if it has other characters.
fn path_part(model: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@');
    (!model.is_empty() && !model.starts_with('.') && model.chars().all(plain)).then_some(model)
}
