//! Running servers: migrations, health, metrics, the description of the wire, and the end.

use std::{net::TcpStream, thread};

use palimpsest_server_tests::{Cluster, Database, Server, http::description, run_command};
use serde_json::json;

use crate::{ANSWER, QUESTION, Team, find_answers, of_ferry, record};

#[test]
fn servers_that_start_together_on_an_empty_database_migrate_it_once() {
    let Some(cluster) = Cluster::shared() else { return };
    cluster.sql("postgres", "CREATE DATABASE empty");
    let address = cluster.address("empty");
    thread::scope(|scope| {
        let servers: Vec<_> = (0..3).map(|_| scope.spawn(|| Server::start(&address))).collect();
        for server in servers {
            assert_eq!(server.join().unwrap().client("").get("/health").status, 200);
        }
    });
    assert_eq!(cluster.sql("empty", "SELECT number, name FROM schema_migrations"), "1|answers");
    // A database of a later version, or with another migration of the same number, is left alone.
    for change in ["UPDATE schema_migrations SET hash = '\\x00'", "UPDATE schema_migrations SET number = 99"] {
        cluster.sql("empty", change);
        let why = run_command(&address, &["project", "list"]).unwrap_err();
        assert!(why.contains("migration"), "{why}");
    }
}

#[test]
fn health_metrics_and_the_description_are_there_without_a_key() {
    let Some(team) = Team::new() else { return };
    let mut client = team.server.client("");
    let health = client.get("/health").body;
    let expected = json!({
        "status": "ok", "database": "ok", "encoder": "unavailable", "model": null, "version": env!("CARGO_PKG_VERSION"),
    });
    assert_eq!(health, expected);
    assert_eq!(client.get("/openapi.json").body, *description());
    record(&mut team.member(), QUESTION, ANSWER);
    let metrics = client.get("/metrics");
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let metrics = metrics.body.as_str().unwrap().to_owned();
    for line in [
        "palimpsest_requests_total{route=\"/v1/qa/candidates\",status=\"201\"} 1",
        "palimpsest_request_seconds_count{route=\"/v1/qa/candidates\"} 1",
        "palimpsest_requests_in_flight 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} in\n{metrics}");
    }
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        assert!(line.rsplit_once(' ').is_some_and(|(_, number)| number.parse::<f64>().is_ok()), "{line}");
    }
}

#[test]
fn after_a_signal_requests_in_flight_are_answered_and_no_connection_is_accepted() {
    let Some(team) = Team::new() else { return };
    let Team { server, database, key } = team;
    let mut client = server.client(&key);
    let id = record(&mut client, QUESTION, ANSWER);
    let held = database.hold("SELECT 1 FROM answers FOR UPDATE");
    let address = server.address;
    let (mut idle, mut slow) = (server.client(&key), server.client(&key));
    assert_eq!(idle.get("/health").status, 200, "connected");
    let validated = thread::scope(|scope| {
        let validating = scope.spawn(|| slow.post("validate", &of_ferry(json!({ "qa_id": id, "result": "pass" }))));
        database.wait_for("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'", "1");
        server.terminate();
        while TcpStream::connect(address).is_ok() {
            thread::yield_now();
        }
        drop(held);
        validating.join().unwrap()
    });
    assert_eq!((validated.status, &validated.body["trust"]), (200, &json!(0.55)));
    let (code, log) = server.wait();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("\"event\":\"stopping\"") && log.contains("\"event\":\"stopped\",\"idle\":1"), "{log}");
    assert_eq!(database.sql("SELECT passes FROM answers"), "1");
}

#[test]
fn a_server_without_its_database_does_not_start_and_says_so_without_the_address() {
    if Database::new().is_none() {
        return;
    }
    let why = run_command("host=/nowhere user=hunter2 password=hunter3", &["serve"]).unwrap_err();
    assert!(why.contains("cannot be reached") && !why.contains("hunter"), "{why}");
    let why = run_command("host=/nowhere", &["key", "add"]).unwrap_err();
    assert!(why.contains("usage"), "{why}");
}

#[test]
fn answers_that_were_recorded_without_the_encoder_get_their_vectors_when_it_is_there() {
    let Some(team) = Team::new() else { return };
    let encoder = palimpsest_server_tests::repository("src-tauri/resources/embedder");
    if !encoder.join("weights.npz").is_file() {
        println!("NOT CHECKED: the encoder is not there; `npm run setup` fetches it");
        return;
    }
    record(&mut team.member(), QUESTION, ANSWER);
    assert_eq!(team.database.sql("SELECT count(*) FROM vectors"), "0");
    let with = Server::start_with(&team.database.address(), &["--embedder", encoder.to_str().unwrap()]);
    team.database.wait_for("SELECT count(*) FROM vectors", "2");
    let mut client = with.client(&team.key);
    assert_eq!(client.get("/health").body["encoder"], "ok");
    record(&mut client, "铁匠叫什么名字？", "铁匠叫艾达。");
    assert_eq!(team.database.sql("SELECT count(*) FROM vectors"), "4");
    // No word in common: by meaning alone, and across languages.
    let found = find_answers(&mut client, "What is the name of the blacksmith?");
    assert_eq!(found.first().map(|found| &found["answer"]), Some(&json!("铁匠叫艾达。")), "{found:?}");
    assert!(find_answers(&mut team.member(), "What is the name of the blacksmith?").is_empty(), "by words alone");
}
