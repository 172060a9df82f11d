//! Every failure: its kind, the text streamed before it, and whether the request was retried.

use std::{
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use palimpsest_memory::ports::{ModelErrorKind as Kind, Stop, StopReason};
use palimpsest_providers::{Network, ProviderKind, Timeouts, Timer, models, text_model};
use palimpsest_tests::server::{Answer, Server, unused_url};
use serde_json::{Value, json};

use super::{DIALECTS, KEY, Scene, begun, ended, endpoint, kind_of, prompt_messages, request, streamed};

/// A refusal in the format of each dialect.
fn refusal(kind: ProviderKind, status: u16, code: &str, message: &str) -> Answer {
    Answer::json(
        status,
        match kind {
            ProviderKind::Anthropic => json!({ "type": "error", "error": { "type": code, "message": message } }),
            _ => json!({ "error": { "message": message, "type": code, "code": code, "param": null } }),
        },
    )
}

#[test]
fn a_final_refusal_is_not_retried() {
    for (kind, path) in DIALECTS {
        for (answer, meant) in [
            (refusal(kind, 401, "authentication_error", &format!("invalid x-api-key {KEY}")), Kind::KeyRefused),
            (refusal(kind, 401, "", "Incorrect API key provided"), Kind::KeyRefused),
            (refusal(kind, 402, "billing_error", "雨停了 has no credit"), Kind::NoCredit),
            (refusal(kind, 429, "insufficient_quota", "You exceeded your current quota"), Kind::NoCredit),
            (refusal(kind, 404, "model_not_found", "model: scripted"), Kind::ModelUnknown),
            (refusal(kind, 400, "content_filter", "雨停了"), Kind::ContentRefused),
            (Answer::bytes(200, "text/html", "<html>sign in to the network</html>"), Kind::Malformed),
        ] {
            let scene = Scene::new();
            scene.server.next(path, answer);
            let (streamed, error) = scene.fails(kind);
            assert_eq!((streamed.as_str(), error.kind), ("", meant));
            assert_eq!(scene.server.requests().len(), 1, "{meant:?} is asked once");
        }
    }
}

#[test]
fn a_missing_key_and_a_refused_key_are_different_errors() {
    let scene = Scene::new();
    scene.server.always("/v1/chat/completions", Answer::json(401, json!({ "error": { "message": "no key" } })));
    let mut without = scene.endpoint(ProviderKind::OpenAi);
    without.key = None;
    let model = text_model(&scene.network, without, "scripted".to_owned());
    assert_eq!(kind_of(&scene.generate(&*model).1), Some(Kind::KeyMissing));
    assert_eq!(scene.server.requests()[0].header("authorization"), None);
    // A server that is known to require a key receives no request without one.
    for url in ["https://api.openai.com/v1", "https://api.anthropic.com"] {
        let kind = if url.contains("openai") { ProviderKind::OpenAi } else { ProviderKind::Anthropic };
        let mut without = endpoint(kind, url);
        without.key = None;
        let model = text_model(&scene.network, without, "scripted".to_owned());
        assert_eq!(kind_of(&scene.generate(&*model).1), Some(Kind::KeyMissing));
    }
}

#[test]
fn a_rate_limit_waits_as_long_as_the_server_asks_up_to_a_maximum() {
    for (kind, path) in DIALECTS {
        let limited = |after: &str| refusal(kind, 429, "rate_limit_error", "slow down").header("retry-after", after);
        let scene = Scene::new();
        scene.server.next(path, limited("7")).next(path, limited("2")).next(path, streamed(kind, &["雨"]));
        assert_eq!(scene.text(kind), "雨");
        assert_eq!(scene.pauses(), [7_000, 2_000]);

        scene.server.next(path, limited("60"));
        let (_, error) = scene.fails(kind);
        assert_eq!((error.kind, error.retry_after), (Kind::RateLimited, Some(Duration::from_secs(60))));
        scene.server.next(path, refusal(kind, 429, "rate_limit_error", "slow down"));
        let (_, error) = scene.fails(kind);
        assert_eq!((error.kind, error.retry_after), (Kind::RateLimited, None));
        assert!(scene.pauses().is_empty());
        assert_eq!(scene.server.requests().len(), 5);
    }
}

#[test]
fn a_server_error_is_retried_twice_and_then_reported() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        let trouble = || refusal(kind, 529, "overloaded_error", "Overloaded");
        scene.server.next(path, trouble()).next(path, trouble()).next(path, streamed(kind, &["雨"]));
        assert_eq!(scene.text(kind), "雨");
        assert_eq!(scene.pauses(), [500, 1_000]);
        scene.server.always(path, trouble());
        assert_eq!(scene.fails(kind).1.kind, Kind::ProviderFailed);
        assert_eq!(scene.server.requests().len(), 6, "three times, and three times again");
    }
}

#[test]
fn a_prompt_that_is_too_long_says_how_long_it_may_be() {
    let scene = Scene::new();
    let message = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.";
    let anthropic = "prompt is too long: 210000 tokens > 200000 maximum";
    let llama = json!({ "error": { "code": 400, "message": "the request exceeds the available context size",
        "type": "exceed_context_size_error", "n_prompt_tokens": 5_000, "n_ctx": 4_096 } });
    for (kind, answer, limit) in [
        (ProviderKind::OpenAi, refusal(ProviderKind::OpenAi, 400, "context_length_exceeded", message), 8_192),
        (ProviderKind::Anthropic, refusal(ProviderKind::Anthropic, 400, "invalid_request_error", anthropic), 200_000),
        (ProviderKind::OpenAi, Answer::json(400, llama.clone()), 4_096),
        // The older format of llama.cpp: a successful status, and an error in a field of its own in the stream.
        (ProviderKind::OpenAi, Answer::stream().chunk(format!("error: {}\n\n", llama["error"])), 4_096),
    ] {
        let path = if kind == ProviderKind::Anthropic { "/v1/messages" } else { "/v1/chat/completions" };
        scene.server.next(path, answer);
        let (_, error) = scene.fails(kind);
        assert_eq!((error.kind, error.context_tokens), (Kind::ContextTooLong, Some(limit)));
    }
    assert_eq!(scene.server.requests().len(), 4);
}

#[test]
fn a_timeout_is_reported_and_not_retried() {
    for (kind, path) in DIALECTS {
        for (answer, text) in [
            (Answer::stream(), ""),
            // A head without a body.
            (Answer::stream().chunk(""), ""),
            // In one chunk, so that the only wait is for the gate.
            (begun(kind, "雨停了").cut_every(1 << 16), "雨停了"),
        ] {
            let scene = Scene::new();
            scene.server.next(path, answer.wait_at(&scene.server.gate()));
            let (streamed, error) = std::thread::scope(|scope| {
                let done = scope.spawn(|| {
                    let mut streamed = String::new();
                    let messages = prompt_messages();
                    let done = scene.model(kind).generate(&request(&messages, &scene.stop), &mut |piece| {
                        streamed.push_str(piece);
                        scene.clock.start_expiring();
                    });
                    (streamed, done.unwrap_err())
                });
                let asked = scene.server.wait_for_request();
                if text.is_empty() {
                    scene.clock.start_expiring();
                }
                scene.server.wait_until_gone(&asked);
                done.join().unwrap()
            });
            assert_eq!((streamed.as_str(), error.kind), (text, Kind::Timeout));
            assert_eq!(scene.server.requests().len(), 1);
            assert!(scene.pauses().is_empty());
        }
    }
}

#[test]
fn a_refused_connection_is_retried_twice() {
    for (kind, _) in DIALECTS {
        let scene = Scene::new();
        let model = text_model(&scene.network, endpoint(kind, &unused_url()), "scripted".to_owned());
        assert_eq!(kind_of(&scene.generate(&*model).1), Some(Kind::Unreachable));
        assert_eq!(scene.pauses(), [500, 1_000]);
    }
}

#[test]
fn a_request_that_must_be_encrypted_is_never_sent_in_plain_text() {
    let scene = Scene::new();
    let url = scene.server.url("").replace("http:", "https:");
    let model = text_model(&scene.network, endpoint(ProviderKind::OpenAi, &url), "scripted".to_owned());
    assert_eq!(kind_of(&scene.generate(&*model).1), Some(Kind::Unreachable));
    assert!(scene.server.requests().is_empty());
    assert_eq!(scene.server.connections(), 3, "a certificate was asked for each time");
}

#[test]
fn a_connection_that_ends_before_the_answer_is_tried_again() {
    let scene = Scene::new();
    let path = "/v1/chat/completions";
    scene.server.next(path, Answer::hung_up()).next(path, Answer::chat(&["雨"]));
    assert_eq!(scene.text(ProviderKind::OpenAi), "雨");
    assert_eq!(scene.server.requests().len(), 2);
}

#[test]
fn a_stream_that_breaks_off_keeps_its_text_and_is_not_asked_again() {
    for (kind, path) in DIALECTS {
        for answer in [
            begun(kind, "雨停了"),
            begun(kind, "雨停了").until_closed(),
            begun(kind, "雨停了").broken(),
            begun(kind, "雨停了").chunk("data: {\"choices\": [{\"del\n\n"),
            begun(kind, "雨停了").chunk("data: what is this\n\n"),
            begun(kind, "雨停了").chunk("data: [1]\n\n"),
        ] {
            let scene = Scene::new();
            scene.server.next(path, answer);
            let (streamed, error) = scene.fails(kind);
            assert_eq!((streamed.as_str(), error.kind), ("雨停了", Kind::Malformed));
            assert_eq!(scene.server.requests().len(), 1);
            assert!(scene.pauses().is_empty());
        }
    }
}

#[test]
fn an_error_in_the_middle_of_an_answer_keeps_its_text_and_is_not_asked_again() {
    for (kind, path) in DIALECTS {
        let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "雨" } });
        let limited = json!({ "type": "error", "error": { "type": "rate_limit_error", "message": "雨", "code": 429 } });
        for error in [overloaded, limited] {
            let scene = Scene::new();
            scene.server.next(path, begun(kind, "雨停了").named(&error));
            let (streamed, error) = scene.fails(kind);
            assert_eq!((streamed.as_str(), error.kind), ("雨停了", Kind::Interrupted));
            assert_eq!(scene.server.requests().len(), 1);
            assert!(scene.pauses().is_empty());
        }
    }
}

#[test]
fn an_error_inside_a_successful_response_is_retried_before_the_first_text() {
    for (kind, path) in DIALECTS {
        let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "x" } });
        let scene = Scene::new();
        scene.server.next(path, Answer::stream().named(&overloaded)).next(path, Answer::json(200, overloaded));
        scene.server.next(path, streamed(kind, &["雨"]));
        assert_eq!(scene.text(kind), "雨");
        let quota = json!({ "type": "error", "error": { "type": "insufficient_quota", "message": "x", "code": 402 } });
        scene.server.next(path, Answer::json(200, quota));
        assert_eq!(scene.fails(kind).1.kind, Kind::NoCredit);
        assert_eq!(scene.server.requests().len(), 4);
    }
}

#[test]
fn a_model_that_refuses_to_continue_is_an_error() {
    let filtered = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "content_filter" }] });
    let refused = json!({ "type": "message_delta", "delta": { "stop_reason": "refusal" }, "usage": {} });
    let scene = Scene::new();
    scene.server.next("/v1/chat/completions", begun(ProviderKind::OpenAi, "雨").event(&filtered));
    scene.server.next("/v1/messages", begun(ProviderKind::Anthropic, "雨").named(&refused));
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic] {
        let (streamed, error) = scene.fails(kind);
        assert_eq!((streamed.as_str(), error.kind), ("雨", Kind::ContentRefused));
    }
}

#[test]
fn a_redirect_to_another_host_is_refused_and_the_key_stays() {
    for (kind, path) in DIALECTS {
        let scene = Scene::new();
        let other = Server::start();
        other.always(path, streamed(kind, &["from elsewhere"]));
        for status in [301, 302, 303, 307, 308] {
            scene.server.next(path, Answer::redirect(&other.url(path)).status(status));
            let (streamed, error) = scene.fails(kind);
            assert_eq!((streamed.as_str(), error.kind), ("", Kind::RedirectRefused), "{status}");
        }
        let same_port = scene.server.url(path).replace("http://127.0.0.1", "http://localhost");
        let with_tls = scene.server.url(path).replace("http:", "https:");
        for elsewhere in [same_port, with_tls] {
            scene.server.next(path, Answer::redirect(&elsewhere));
            assert_eq!(scene.fails(kind).1.kind, Kind::RedirectRefused, "{elsewhere}");
        }
        assert!(other.requests().is_empty(), "nothing reached the other host");
        assert_eq!(scene.server.requests().len(), 7);
        // Redirects within the host are permitted, and circular ones are refused.
        scene.server.next(path, Answer::redirect("/elsewhere")).next("/elsewhere", streamed(kind, &["雨"]));
        assert_eq!(scene.text(kind), "雨");
        scene.server.always(path, Answer::redirect(path));
        assert_eq!(scene.fails(kind).1.kind, Kind::RedirectRefused);
    }
    let scene = Scene::new();
    let other = Server::start();
    scene.server.next("/v1/models", Answer::redirect(&other.url("/v1/models")));
    let error = models(&scene.network, &scene.endpoint(ProviderKind::OpenAi)).unwrap_err();
    assert_eq!((error.kind, other.requests().len()), (Kind::RedirectRefused, 0));
}

/// A timer that stops the request as soon as it pauses.
struct StoppedWhileItWaits(Stop);

impl Timer for StoppedWhileItWaits {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn pause(&self, _long: Duration, stopped: &dyn Fn() -> bool) {
        self.0.set();
        assert!(stopped(), "whoever waits is told");
    }
}

#[test]
fn stopping_ends_the_wait_before_it_is_tried_again() {
    let scene = Scene::new();
    scene.server.always("/v1/chat/completions", Answer::json(503, Value::Null));
    let network = Network::with(Timeouts::default(), Arc::new(StoppedWhileItWaits(scene.stop.clone())));
    let model = text_model(&network, scene.endpoint(ProviderKind::OpenAi), "scripted".to_owned());
    let messages = prompt_messages();
    let done = model.generate(&request(&messages, &scene.stop), &mut |_| {}).unwrap();
    assert_eq!(done.stop, StopReason::Cancelled);
    assert_eq!(scene.server.requests().len(), 1);
}

#[test]
fn the_wait_that_programs_get_by_default_can_be_stopped() {
    let scene = Scene::new();
    scene.server.always("/v1/chat/completions", Answer::json(503, Value::Null).header("retry-after", "20"));
    let model = text_model(&Network::start(), scene.endpoint(ProviderKind::OpenAi), "scripted".to_owned());
    let messages = prompt_messages();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            scene.server.wait_until_answered(&scene.server.wait_for_request());
            scene.stop.set();
        });
        let done = model.generate(&request(&messages, &scene.stop), &mut |_| {}).unwrap();
        assert_eq!(done.stop, StopReason::Cancelled);
    });
    assert_eq!(scene.server.requests().len(), 1, "twenty seconds were not waited for");
}

#[test]
fn a_key_that_cannot_be_one_is_refused_here() {
    let scene = Scene::new();
    let mut endpoint = scene.endpoint(ProviderKind::OpenAi);
    endpoint.key = Some(palimpsest_providers::Secret::new("sk\r\nhost: elsewhere".to_owned()));
    let model = text_model(&scene.network, endpoint, "scripted".to_owned());
    assert_eq!(kind_of(&scene.generate(&*model).1), Some(Kind::KeyRefused));
    assert!(scene.server.requests().is_empty());
}

/// The next test runs this one in a process of its own, with a proxy in its environment.
#[test]
#[ignore = "run by the next one"]
fn a_process_with_a_proxy() {
    let url = std::env::var("SCRIPTED_URL").unwrap();
    let model = text_model(&Network::start(), endpoint(ProviderKind::OpenAi, &url), "scripted".to_owned());
    let scene = Scene::new();
    assert_eq!(scene.generate(&*model).1.unwrap().text, "雨");
}

#[test]
fn requests_to_this_machine_use_no_proxy() {
    let (server, proxy) = (Server::start(), Server::start());
    server.always("/v1/chat/completions", ended(ProviderKind::OpenAi, begun(ProviderKind::OpenAi, "雨")));
    let mut process = Command::new(std::env::current_exe().unwrap());
    process
        .args(["--exact", "providers::failures::a_process_with_a_proxy", "--ignored"])
        .env("SCRIPTED_URL", server.url(""));
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        process.env(name, proxy.url(""));
    }
    process.env_remove("no_proxy").env_remove("NO_PROXY");
    assert!(process.output().unwrap().status.success());
    assert_eq!((server.requests().len(), proxy.requests().len()), (1, 0));
}
