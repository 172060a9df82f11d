//! Acknowledged means on disk, whatever is killed.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use palimpsest_server_tests::{Client, Cluster, Database, Server, Signal};
use serde_json::json;

use crate::{QUESTION, Team, find_answers, of_ferry, record};

/// Records answers with several clients until their connections break or each has sent this many; returns the ids that
/// were acknowledged. `acknowledged` is called after each one.
fn record_until_broken(client: impl Fn() -> Client, each: u32, acknowledged: impl Fn(u32) + Sync) -> HashSet<String> {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let (mut client, count, acknowledged) = (client(), &count, &acknowledged);
                scope.spawn(move || {
                    let mut ids = HashSet::new();
                    for n in 0..each {
                        let body =
                            of_ferry(json!({ "question": format!("{QUESTION} {worker} {n}"), "answer": "Now." }));
                        match client.try_post("candidates", &body, "") {
                            Some(recorded) if recorded.status == 201 => {
                                ids.insert(recorded.body["qa_id"].as_str().unwrap().to_owned());
                                acknowledged(count.fetch_add(1, Ordering::SeqCst) + 1);
                            }
                            Some(refused) => {
                                assert_eq!((refused.status, refused.code()), (503, "database_unavailable"));
                            }
                            None => break,
                        }
                    }
                    ids
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

fn stored(database: &Database) -> HashSet<String> {
    database.sql("SELECT qa_id FROM answers").lines().map(str::to_owned).collect()
}

#[test]
fn kill_9_of_the_server_loses_nothing_that_was_acknowledged() {
    let Some(team) = Team::new() else { return };
    let Team { server, database, key } = team;
    let address = server.address;
    let server = std::sync::Mutex::new(server);
    let kill_at = |count| {
        if count == 40 {
            server.lock().unwrap().kill();
        }
    };
    let acknowledged = record_until_broken(|| Client::new(address, &key), 1_000, kill_at);
    assert!((40..1_000).contains(&acknowledged.len()), "{}", acknowledged.len());
    let lost: Vec<_> = acknowledged.difference(&stored(&database)).cloned().collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    // What was not acknowledged is there as a whole or not at all.
    let whole = "SELECT count(*) FROM answers a, projects p WHERE p.answers <> (SELECT count(*) FROM answers)";
    assert_eq!(database.sql(whole), "0");
    let again = Server::start(&database.address());
    assert_eq!(find_answers(&mut again.client(&key), &format!("{QUESTION} 0 0")).len(), 1);
}

#[test]
fn kill_9_of_the_database_loses_nothing_that_was_acknowledged_and_the_server_serves_after_it() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let database = Arc::new(cluster).database();
    let key = database.add_project("ferry", &[]);
    let server = Server::start(&database.address());
    let kill_at = |count| {
        if count == 40 {
            database.cluster().stop(Signal::KILL);
        }
    };
    let acknowledged = record_until_broken(|| server.client(&key), 30, kill_at);
    assert!((40..120).contains(&acknowledged.len()), "{}", acknowledged.len());
    let mut client = server.client(&key);
    let health = client.get("/health");
    assert_eq!((health.status, &health.body["database"]), (503, &json!("unavailable")));
    let refused = client.post("search", &of_ferry(json!({ "query": QUESTION })));
    assert_eq!(
        (refused.status, refused.code(), refused.header("retry-after")),
        (503, "database_unavailable", Some("1"))
    );

    database.cluster().run();
    let lost: Vec<_> = acknowledged.difference(&stored(&database)).cloned().collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    record(&mut client, "Who is the smith?", "Ida.");
    assert_eq!(client.get("/health").status, 200);
    assert_eq!(find_answers(&mut client, "Who is the smith?").len(), 1);
}
