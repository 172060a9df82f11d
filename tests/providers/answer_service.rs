//! A team's answer service: its wire, and every kind of failure.

use std::{sync::Arc, time::Duration};

use palimpsest_memory::{
    model::{ProjectId, SignalStrength, ValidationResult, ValidationSource},
    ports::{
        AnswerMemory, AnswerMemoryError, AnswerMemoryErrorKind as Kind, MemoryCandidate, MemoryHit, MemoryHits,
        MemoryQuery, MemoryValidation, RememberedAnswers,
    },
};
use palimpsest_providers::{AnswerService, Secret, Timer, parse_service_url};
use palimpsest_tests::server::{Answer, Server, unused_url};
use serde_json::{Value, json};

use super::{KEY, Scene};

const SEARCH: &str = "/v1/qa/search";
/// A text that is in requests and in no error.
const TEXT: &str = "雨停了";

fn service_at(scene: &Scene, url: &str, key: Option<&'static str>) -> AnswerService {
    let read_key = Arc::new(move || key.map(|key| Secret::new(key.to_owned())));
    AnswerService::new(Arc::clone(&scene.network), parse_service_url(url).unwrap(), read_key, scene.stop.clone())
}

fn service(scene: &Scene) -> AnswerService {
    service_at(scene, &scene.server.url(""), Some(KEY))
}

fn project() -> ProjectId {
    "00000000-0000-7000-8000-000000000001".into()
}

fn ask_for_answers(service: &AnswerService) -> Result<RememberedAnswers, AnswerMemoryError> {
    let project_id = project();
    service.search(&MemoryQuery { project_id: &project_id, query: TEXT, limit: 6, min_score: 0.2 })
}

/// The failure of a search, without any text of a request or a response in it.
#[track_caller]
fn fails(service: &AnswerService) -> AnswerMemoryError {
    let error = ask_for_answers(service).unwrap_err();
    let printed = format!("{error} {error:?}");
    assert!(!printed.contains(KEY) && !printed.contains('雨') && !printed.contains("secret"), "{printed}");
    error
}

fn found(id: &str) -> Value {
    json!({
        "qa_id": id, "project_id": "p", "question": "Q?", "answer": "A.", "tags": ["x"], "score": 0.9,
        "relevance": 0.8, "validation_level": 2, "level": null, "trust": 0.75, "freshness": 0.5, "confidence": 0.7,
        "status": "verified", "summary": null, "source": "x", "metadata": { "consecutive_fail": 1 },
    })
}

#[test]
fn the_four_calls_have_the_bodies_of_the_original_wire() {
    let scene = Scene::new();
    let service = service(&scene);
    scene.server.next(SEARCH, Answer::json(200, json!([found("qa-1")])));
    let remembered = ask_for_answers(&service).unwrap();
    assert_eq!(remembered.skipped, 0);
    let one = &remembered.matches[0];
    assert_eq!((one.id.as_str(), one.question.as_str(), one.answer.as_str()), ("qa-1", "Q?", "A."));
    assert_eq!((one.validation_level, one.trust, one.freshness, one.consecutive_fail), (2, 0.75, 0.5, 1.0));
    assert_eq!(one.status, "verified");

    // A successful answer of these may be empty.
    for (path, answer) in [
        ("/v1/qa/hit", Answer::bytes(204, "text/plain", "")),
        ("/v1/qa/candidates", Answer::json(201, json!({ "qa_id": "qa-9" }))),
        ("/v1/qa/validate", Answer::bytes(200, "text/plain", "")),
    ] {
        scene.server.next(path, answer);
    }
    let hit = |id: &str, used| MemoryHit { id: id.to_owned(), shown: true, used };
    let hits = MemoryHits {
        project_id: project(),
        run_id: "r1".into(),
        references: vec![hit("qa-1", true), hit("qa-2", false)],
    };
    service.record_hits(&hits).unwrap();
    let candidate = MemoryCandidate {
        project_id: project(),
        answer_id: "a1".into(),
        question: "Q?".into(),
        answer: "A.".into(),
        confidence: 0.5,
    };
    assert_eq!(service.record_candidate(&candidate).unwrap().as_deref(), Some("qa-9"));
    let validation = MemoryValidation {
        project_id: project(),
        id: "qa-1".into(),
        validation_id: "v1".into(),
        result: ValidationResult::Fail,
        strength: SignalStrength::Strong,
        source: ValidationSource::Writer,
        at: "2026-03-15T21:00:00Z".parse().unwrap(),
    };
    service.record_validation(&validation).unwrap();

    let p = "00000000-0000-7000-8000-000000000001";
    let sent: Vec<(String, String)> =
        scene.server.requests().iter().map(|asked| (asked.path.clone(), asked.body.to_string())).collect();
    let wire = [
        (SEARCH, format!(r#"{{"limit":6,"min_score":0.2,"project_id":"{p}","query":"{TEXT}"}}"#)),
        (
            "/v1/qa/hit",
            format!(
                r#"{{"project_id":"{p}","references":[{{"message_id":"r1","qa_id":"qa-1","shown":true,"used":true}},{{"message_id":"r1","qa_id":"qa-2","shown":true,"used":false}}]}}"#
            ),
        ),
        (
            "/v1/qa/candidates",
            format!(
                r#"{{"answer":"A.","confidence":0.5,"metadata":{{"answer_id":"a1"}},"project_id":"{p}","question":"Q?","source":"palimpsest"}}"#
            ),
        ),
        (
            "/v1/qa/validate",
            format!(
                r#"{{"client":"palimpsest","payload":{{"validation_id":"v1"}},"project_id":"{p}","qa_id":"qa-1","result":"fail","signal_strength":"strong","source":"writer","strong_signal":true,"success":false,"ts":"2026-03-15T21:00:00.000Z"}}"#
            ),
        ),
    ];
    assert_eq!(sent, wire.map(|(path, body)| (path.to_owned(), body)));
    for asked in scene.server.requests() {
        assert_eq!(asked.method, "POST");
        assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert_eq!(asked.header("content-type"), Some("application/json"));
    }
}

#[test]
fn without_a_key_none_is_sent_and_a_refusal_says_which_of_both_it_is() {
    let scene = Scene::new();
    for (key, kind) in [(None, Kind::KeyMissing), (Some(KEY), Kind::KeyRefused)] {
        for status in [401, 403] {
            scene.server.next(SEARCH, Answer::json(status, json!({ "error": format!("secret {KEY} {TEXT}") })));
            assert_eq!(fails(&service_at(&scene, &scene.server.url(""), key)).kind, kind);
        }
    }
    assert_eq!(scene.server.requests()[0].header("authorization"), None);
    assert_eq!(scene.server.requests().len(), 4, "each is asked once");
}

#[test]
fn a_rate_limit_is_waited_for_if_it_is_short_and_respected_if_it_is_long() {
    let limited = |after: &str| Answer::json(429, json!({ "error": TEXT })).header("retry-after", after);
    let scene = Scene::new();
    let short = service(&scene);
    scene.server.next(SEARCH, limited("2")).next(SEARCH, Answer::json(200, json!([])));
    assert!(ask_for_answers(&short).is_ok());
    assert_eq!(scene.pauses(), [2_000]);

    // A search may take ten seconds in all.
    for (after, waited) in [("9", &[9_000][..]), ("11", &[])] {
        let scene = Scene::new();
        scene.server.next(SEARCH, limited(after)).next(SEARCH, Answer::json(200, json!([])));
        assert_eq!(ask_for_answers(&service(&scene)).is_ok(), !waited.is_empty(), "{after}");
        assert_eq!(scene.pauses(), waited);
    }

    scene.server.next(SEARCH, limited("60"));
    let error = fails(&short);
    assert_eq!((error.kind, error.retry_after), (Kind::RateLimited, Some(Duration::from_secs(60))));
    assert!(scene.pauses().is_empty());
    // Until then nothing is sent.
    assert_eq!(fails(&short).kind, Kind::RateLimited);
    assert_eq!(scene.server.requests().len(), 3);
    // An hour later it is asked again.
    scene.clock.start_expiring();
    let _later = scene.clock.now();
    scene.clock.stop();
    scene.server.next(SEARCH, Answer::json(200, json!([])));
    assert!(ask_for_answers(&short).is_ok());
}

#[test]
fn a_search_is_sent_again_after_a_server_error_and_a_record_is_not() {
    let scene = Scene::new();
    let down = || Answer::json(503, json!({ "error": TEXT }));
    scene.server.next(SEARCH, down()).next(SEARCH, down()).next(SEARCH, Answer::json(200, json!([])));
    assert!(ask_for_answers(&service(&scene)).is_ok());
    assert_eq!(scene.pauses(), [500, 1_000]);

    scene.server.always("/v1/qa/hit", down());
    let hits = MemoryHits { project_id: project(), run_id: "r".into(), references: Vec::new() };
    assert_eq!(service(&scene).record_hits(&hits).unwrap_err().kind, Kind::Failed);
    assert_eq!(scene.server.requests_to("/v1/qa/hit").len(), 1);

    scene.server.always(SEARCH, down());
    let failing = service(&scene);
    assert_eq!(fails(&failing).kind, Kind::Failed);
    let sent = scene.server.requests().len();
    assert_eq!(fails(&failing).kind, Kind::Failed);
    assert_eq!(scene.server.requests().len(), sent, "a server that is down delays no second question");
}

#[test]
fn a_redirect_is_refused_wherever_it_leads() {
    let elsewhere = Server::start();
    for to in [elsewhere.url(SEARCH), "/v1/qa/other".to_owned()] {
        let scene = Scene::new();
        scene.server.always(SEARCH, Answer::redirect(&to));
        assert_eq!(fails(&service(&scene)).kind, Kind::RedirectRefused);
        assert_eq!(scene.server.requests().len(), 1, "{to}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn what_is_no_list_of_answers_is_malformed_and_wrong_items_are_skipped() {
    for answer in [
        Answer::bytes(200, "text/html", "<html>secret: sign in to the network</html>"),
        Answer::json(200, json!({ "matches": [found("a")] })),
        Answer::json(200, json!({ "error": TEXT })),
        Answer::json(200, json!([{ "question": TEXT }])),
        Answer::bytes(200, "application/json", ""),
        Answer::bytes(200, "application/json", b"[\xff]".to_vec()),
        Answer::json(200, json!([found("a")])).broken(),
    ] {
        let scene = Scene::new();
        scene.server.always(SEARCH, answer);
        assert_eq!(fails(&service(&scene)).kind, Kind::Malformed);
        assert_eq!(scene.server.requests().len(), 1);
    }
    let scene = Scene::new();
    let items = json!([found("a"), { "qa_id": 7 }, "text", null, found("a"), found("b")]);
    scene.server.next(SEARCH, Answer::json(200, items));
    let remembered = ask_for_answers(&service(&scene)).unwrap();
    let ids: Vec<&str> = remembered.matches.iter().map(|one| one.id.as_str()).collect();
    assert_eq!((ids, remembered.skipped), (vec!["a", "b"], 3));
}

#[test]
fn a_response_is_cut_off_at_two_mebibytes() {
    let scene = Scene::new();
    // The buffers of the two sockets hold several mebibytes that the client never reads.
    let whole = 64 << 20;
    scene.server.always(SEARCH, Answer::stream().chunk("[").flood("\"0123456789abcde\",", whole));
    assert_eq!(fails(&service(&scene)).kind, Kind::TooLong);
    assert!(scene.server.flooded() < whole, "the rest is not read");
}

#[test]
fn a_slow_service_is_given_up_after_ten_seconds() {
    for answer in [Answer::stream(), Answer::stream().chunk("[").cut_every(1 << 16)] {
        let scene = Scene::new();
        scene.server.next(SEARCH, answer.wait_at(&scene.server.gate()));
        let service = service(&scene);
        std::thread::scope(|scope| {
            let failed = scope.spawn(|| fails(&service));
            let asked = scene.server.wait_for_request();
            scene.clock.start_expiring();
            scene.server.wait_until_gone(&asked);
            assert_eq!(failed.join().unwrap().kind, Kind::Timeout);
        });
        assert_eq!(scene.server.requests().len(), 1);
    }
}

#[test]
fn a_service_that_is_not_there_is_unreachable_and_one_that_ends_with_the_program_answers_at_once() {
    let scene = Scene::new();
    let gone = service_at(&scene, &unused_url(), None);
    assert_eq!(fails(&gone).kind, Kind::Unreachable);
    assert!(scene.pauses().is_empty(), "the writer is waiting");

    scene.server.next(SEARCH, Answer::stream().wait_at(&scene.server.gate()));
    let service = service(&scene);
    std::thread::scope(|scope| {
        let failed = scope.spawn(|| ask_for_answers(&service).unwrap_err());
        let asked = scene.server.wait_for_request();
        scene.stop.set();
        scene.server.wait_until_gone(&asked);
        drop(failed.join().unwrap());
    });
}
