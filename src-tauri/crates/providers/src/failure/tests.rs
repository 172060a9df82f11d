use reqwest::header::{HeaderName, HeaderValue};
use serde_json::json;

use super::*;

fn refused(status: u16, body: &Value) -> ModelError {
    Failure::refused(status, &HeaderMap::new(), body.to_string().as_bytes(), true, "here").error
}

fn error(message: &str, kind: &str, code: Option<&str>) -> Value {
    json!({ "error": { "message": message, "type": kind, "code": code, "param": null } })
}

#[test]
fn errors_of_every_provider_are_classified() {
    use Kind::{
        ContentRefused, ContextTooLong, KeyRefused, ModelUnknown, NoCredit, ProviderFailed, RateLimited,
        RequestRefused, Timeout,
    };
    let request = "invalid_request_error";
    for (status, body, kind) in [
        // OpenAI.
        (401, error("Incorrect API key provided: sk-abc", request, Some("invalid_api_key")), KeyRefused),
        (429, error("You exceeded your current quota", "insufficient_quota", Some("insufficient_quota")), NoCredit),
        (429, error("Rate limit reached for gpt", "requests", Some("rate_limit_exceeded")), RateLimited),
        (404, error("The model `x` does not exist", request, Some("model_not_found")), ModelUnknown),
        (400, error("too long", request, Some("context_length_exceeded")), ContextTooLong),
        (400, error("Unsupported parameter", request, Some("unsupported_parameter")), RequestRefused),
        (403, error("Country not supported", request, Some("unsupported_country_region_territory")), RequestRefused),
        (500, error("The server had an error", "server_error", None), ProviderFailed),
        (503, error("Overloaded", "service_unavailable_error", None), ProviderFailed),
        (400, error("filtered", "", Some("content_filter")), ContentRefused),
        // Anthropic.
        (401, json!({ "type": "error", "error": { "type": "authentication_error", "message": "x" } }), KeyRefused),
        (403, json!({ "type": "error", "error": { "type": "permission_error", "message": "x" } }), KeyRefused),
        (404, json!({ "type": "error", "error": { "type": "not_found_error", "message": "model: x" } }), ModelUnknown),
        (400, error("Your credit balance is too low to access the Anthropic API.", request, None), NoCredit),
        (529, json!({ "type": "error", "error": { "type": "overloaded_error", "message": "x" } }), ProviderFailed),
        (413, json!({ "type": "error", "error": { "type": "request_too_large", "message": "x" } }), ContextTooLong),
        // DeepSeek, Qwen, Moonshot, SiliconFlow, Groq, Gemini.
        (402, error("Insufficient Balance", "unknown_error", Some(request)), NoCredit),
        (400, error("Model Not Exist", request, Some(request)), ModelUnknown),
        (400, json!({ "code": "Arrearage", "message": "Access denied" }), NoCredit),
        (400, json!({ "code": "DataInspectionFailed", "message": "x" }), ContentRefused),
        (429, error("suspended", "exceeded_current_quota_error", None), NoCredit),
        (400, json!({ "code": 20012, "message": "Model does not exist. Please check it carefully." }), ModelUnknown),
        (
            413,
            error("Request too large for model: tokens per minute", "tokens", Some("rate_limit_exceeded")),
            RateLimited,
        ),
        (
            400,
            json!([{ "error": { "code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT" } }]),
            KeyRefused,
        ),
        // Ollama, vLLM, and servers without any body.
        (404, error("model \"x\" not found, try pulling it first", "api_error", None), ModelUnknown),
        (404, json!({ "object": "error", "message": "The model `x` does not exist.", "code": 404 }), ModelUnknown),
        (404, json!({ "detail": "Not Found" }), RequestRefused),
        (504, json!("<html>"), Timeout),
        (301, Value::Null, Kind::RedirectRefused),
    ] {
        let error = refused(status, &body);
        assert_eq!(error.kind, kind, "{status} {body}");
        assert_eq!(error.message, sentence(kind, "here"), "the sentence is ours");
    }
}

#[test]
fn the_maximum_length_of_a_prompt_is_found_in_every_known_form_of_the_answer() {
    let request = "invalid_request_error";
    for (body, limit) in [
        (
            error(
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
                request,
                Some("context_length_exceeded"),
            ),
            Some(8_192),
        ),
        (error("prompt is too long: 210000 tokens > 200000 maximum", request, None), Some(200_000)),
        (
            error("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", request, None),
            Some(200_000),
        ),
        (
            json!({ "error": { "code": 400, "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error", "n_prompt_tokens": 9_000, "n_ctx": 4_096 } }),
            Some(4_096),
        ),
        (error("the request exceeds the available context size (2,048 tokens)", request, None), Some(2_048)),
        (error("Your request exceeded model token limit: 8192", request, None), Some(8_192)),
        (error("Range of input length should be [1, 30720]", request, None), Some(30_720)),
        (
            error(
                "However, the model is loaded with context length of only 4096 tokens, which is not enough",
                request,
                None,
            ),
            Some(4_096),
        ),
        (error("Please shorten it", request, Some("context_length_exceeded")), None),
    ] {
        let error = refused(400, &body);
        assert_eq!((error.kind, error.context_tokens), (Kind::ContextTooLong, limit), "{body}");
    }
}

#[test]
fn a_refusal_without_a_key_asks_for_one() {
    for status in [401, 403] {
        let failure = Failure::refused(status, &HeaderMap::new(), b"", false, "here");
        assert_eq!(failure.error.kind, Kind::KeyMissing);
    }
}

#[test]
fn a_waiting_time_is_read_in_every_form() {
    let headers = |pairs: &[(&str, &str)]| {
        let pair = |&(name, value): &(&str, &str)| {
            (HeaderName::try_from(name).unwrap(), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect::<HeaderMap>()
    };
    let after = |pairs: &[(&str, &str)]| retry_after(&headers(pairs)).map(|time| time.as_millis());
    assert_eq!(after(&[("retry-after", "7")]), Some(7_000));
    assert_eq!(after(&[("retry-after", "0.5")]), Some(500));
    assert_eq!(after(&[("retry-after", "7"), ("retry-after-ms", "120")]), Some(120));
    let date = [("date", "Wed, 21 Oct 2015 07:28:00 GMT"), ("retry-after", "Wed, 21 Oct 2015 07:28:09 GMT")];
    assert_eq!(after(&date), Some(9_000));
    for nonsense in ["-3", "soon", "NaN", "1e400", ""] {
        assert_eq!(after(&[("retry-after", nonsense)]), None, "{nonsense}");
    }
}

#[test]
fn no_word_of_a_body_and_no_key_is_in_an_error() {
    let body = error("你的文字“雨停了” sk-secret is refused", "private_type", Some("private_code"));
    for status in [400, 401, 402, 403, 404, 408, 413, 429, 451, 500, 503] {
        let error = refused(status, &body);
        let printed = format!("{error} {error:?}");
        for private in ["雨停了", "sk-secret", "private_"] {
            assert!(!printed.contains(private), "{status}: {printed}");
        }
    }
}
