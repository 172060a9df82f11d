//! A request with one JSON body and one JSON answer, for the endpoints that stream nothing.

use palimpsest_memory::ports::ModelErrorKind as Kind;
use reqwest::Method;
use serde_json::Value;

use crate::{
    chat::{expect_success, headers, retry_delay},
    endpoint::Endpoint,
    failure::{ErrorDetails, Failure},
    network::{HttpRequest, Network, never_stopped},
};

/// Sends `body` to `path` of an endpoint and parses the answer, of at most `max_bytes`, with `parse`, which returns
/// `None` for an answer that is malformed. Transient failures are retried.
///
/// # Errors
/// The failure of the last attempt.
pub(crate) fn post_json<T>(
    (network, endpoint): (&Network, &Endpoint),
    path: &str,
    body: &Value,
    max_bytes: usize,
    parse: impl Fn(&Value) -> Option<T>,
) -> Result<T, Failure> {
    let mut again = 0;
    loop {
        match attempt(network, endpoint, path, body, max_bytes, &parse) {
            Ok(answer) => return Ok(answer),
            Err(failure) => {
                let Some(wait) = retry_delay(network, &failure, again) else { return Err(failure) };
                again += 1;
                network.pause(wait, &never_stopped);
            }
        }
    }
}

fn attempt<T>(
    network: &Network,
    endpoint: &Endpoint,
    path: &str,
    body: &Value,
    max_bytes: usize,
    parse: &impl Fn(&Value) -> Option<T>,
) -> Result<T, Failure> {
    let host = endpoint.base_url.display_name();
    let failure = |error| Failure::from_transport(error, &host);
    let request = HttpRequest {
        method: Method::POST,
        url: endpoint.base_url.api_url(endpoint.kind, path),
        headers: headers(endpoint)?,
        body: Some(body.clone()),
        follows_redirects: true,
    };
    let response = network.send(request).map_err(failure)?;
    let response = expect_success(network, endpoint, response, &never_stopped)?;
    let answer = response.read_all(network.timeouts().first_byte, max_bytes, &never_stopped).map_err(failure)?;
    let malformed = || Failure::new(Kind::Malformed, &host);
    let answer: Value = serde_json::from_slice(&answer).map_err(|_| malformed())?;
    if answer.get("error").is_some_and(|error| !error.is_null())
        && let Some(details) = ErrorDetails::parse(&answer)
    {
        return Err(Failure::in_answer(details, endpoint.key.is_some(), &host));
    }
    parse(&answer).ok_or_else(malformed)
}
