//! A request that is sent again, because its answer was not seen, counts once.

use std::thread;

use palimpsest_server_tests::{Response, Server};
use serde_json::{Value, json};

use crate::{ANSWER, QUESTION, Team, find_answers, of_ferry, record};

#[test]
fn an_idempotency_key_makes_a_repeated_request_have_the_first_response_also_from_another_server() {
    let Some(team) = Team::new() else { return };
    let second = Server::start(&team.database.address());
    let id = record(&mut team.member(), QUESTION, ANSWER);
    let validation = of_ferry(json!({ "qa_id": id, "result": "pass", "source": "writer" }));
    let hit = of_ferry(json!({ "references": [{ "qa_id": id, "shown": true }] }));
    let candidate = of_ferry(json!({ "question": "Who is the smith?", "answer": "Ida." }));
    for (route, body) in [("validate", validation.clone()), ("hit", hit), ("candidates", candidate)] {
        let first = team.member().post_with(route, &body, "idempotency-key: k-1\r\n");
        assert_eq!((first.status < 300, first.header("idempotency-replayed")), (true, None), "{first:?}");
        for server in [&team.server, &second] {
            let again = server.client(&team.key).post_with(route, &body, "idempotency-key: k-1\r\n");
            assert_eq!((again.status, &again.body), (first.status, &first.body));
            assert_eq!(again.header("idempotency-replayed"), Some("true"));
        }
        let mut other = body.clone();
        other["client"] = json!("another body");
        let reused = team.member().post_with(route, &other, "idempotency-key: k-1\r\n");
        assert_eq!((reused.status, reused.code()), (422, "idempotency_key_reused"));
    }
    assert_eq!(team.database.sql("SELECT count(*) FROM answer_events"), "2");
    // Another key is another request.
    team.member().post_with("validate", &validation, "idempotency-key: k-2\r\n");
    assert_eq!(team.database.sql("SELECT passes FROM answers WHERE passes > 0"), "2");
}

#[test]
fn a_repeated_request_that_overtakes_the_first_waits_for_it() {
    let Some(team) = Team::new() else { return };
    let second = Server::start(&team.database.address());
    let id = record(&mut team.member(), QUESTION, ANSWER);
    let body = of_ferry(json!({ "qa_id": id, "result": "pass", "source": "writer" }));
    let held = team.database.hold("SELECT 1 FROM answers FOR UPDATE");
    let responses: Vec<Response> = thread::scope(|scope| {
        let workers: Vec<_> = [&team.server, &second, &team.server, &second]
            .into_iter()
            .map(|server| {
                let (mut client, body) = (server.client(&team.key), &body);
                scope.spawn(move || client.post_with("validate", body, "idempotency-key: k-1\r\n"))
            })
            .collect();
        // One waits for the row of the answer, the others for that one.
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        team.database.wait_for(waiting, "4");
        drop(held);
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(responses.iter().all(|response| response.body == responses[0].body), "{responses:?}");
    let replayed = responses.iter().filter(|response| response.header("idempotency-replayed").is_some()).count();
    assert_eq!((replayed, team.database.sql("SELECT passes FROM answers")), (3, "1".to_owned()));
}

#[test]
fn a_refused_request_leaves_its_idempotency_key_free() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    let unknown = of_ferry(json!({ "qa_id": "00000000-0000-7000-8000-000000000000", "success": true }));
    assert_eq!(client.post_with("validate", &unknown, "idempotency-key: k\r\n").status, 404);
    let id = record(&mut client, QUESTION, ANSWER);
    let known = of_ferry(json!({ "qa_id": id, "success": true }));
    assert_eq!(client.post_with("validate", &known, "idempotency-key: k\r\n").body["duplicate"], false);
}

#[test]
fn the_ids_of_a_client_are_enough_to_recognize_what_it_sends_again() {
    let Some(team) = Team::new() else { return };
    let mut client = team.member();
    let candidate = |id: &str, answer: &str| {
        of_ferry(json!({ "question": QUESTION, "answer": answer, "metadata": { "answer_id": id } }))
    };
    let first = client.post("candidates", &candidate("a-1", ANSWER)).body;
    // Edited before it was sent again; and another client's, in the same words.
    for body in [candidate("a-1", "At low water."), candidate("a-2", ANSWER)] {
        let again = client.post("candidates", &body).body;
        assert_eq!(again, json!({ "qa_id": first["qa_id"], "duplicate": true }));
    }
    let other = client.post("candidates", &candidate("a-3", "At low water.")).body;
    assert_ne!(other["qa_id"], first["qa_id"], "another answer to the same question");

    let id = &first["qa_id"];
    let reference = |run: &str| json!({ "qa_id": id, "shown": true, "used": true, "message_id": run });
    let counts = |body: &Value| [&body["recorded"], &body["duplicates"]].map(|count| count.as_u64().unwrap());
    for (run, expected) in [("r-1", [1, 0]), ("r-1", [0, 1]), ("r-2", [1, 0])] {
        let hit = client.post("hit", &of_ferry(json!({ "references": [reference(run)] })));
        assert_eq!(counts(&hit.body), expected, "{run}");
    }
    let validation =
        |id_of_it: &str| of_ferry(json!({ "qa_id": id, "result": "pass", "payload": { "validation_id": id_of_it } }));
    for (id_of_it, trust, duplicate) in [("v-1", 0.55, false), ("v-1", 0.55, true), ("v-2", 0.6, false)] {
        let after = client.post("validate", &validation(id_of_it)).body;
        assert_eq!((&after["trust"], &after["duplicate"]), (&json!(trust), &json!(duplicate)), "{id_of_it}");
    }
    let found = find_answers(&mut client, QUESTION);
    assert_eq!((&found[0]["qa_id"], &found[0]["metadata"]["use_count"]), (id, &json!(2)));
    let metrics = client.get("/metrics").body;
    assert!(metrics.as_str().unwrap().contains("\npalimpsest_duplicates_total 4\n"), "{metrics}");
}
