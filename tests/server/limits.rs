//! Limits of a client: rate, size and time.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use palimpsest_server_tests::{Database, Server};
use serde_json::json;

use crate::{QUESTION, of_ferry};

fn limited(options: &[&str]) -> Option<(Server, Database, String)> {
    let database = Database::new()?;
    let key = database.add_project("ferry", &[]);
    let options = [&["--embedder", "off"], options].concat();
    Some((Server::start_with(&database.address(), &options), database, key))
}

#[test]
fn a_key_that_sends_too_much_waits_as_it_is_asked_to_and_others_do_not() {
    // A token in ten seconds.
    let Some((server, database, key)) = limited(&["--requests-per-minute", "6"]) else { return };
    let mut client = server.client(&key);
    let body = of_ferry(json!({ "query": QUESTION }));
    assert_eq!(client.post("search", &body).status, 200);
    let refused = (0..99).map(|_| client.post("search", &body)).find(|response| response.status == 429).unwrap();
    assert_eq!(refused.code(), "rate_limited");
    let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=10).contains(&wait), "{wait}");
    let other = database.add_key(&["ferry"]);
    assert_eq!(server.client(&other).post("search", &body).status, 200);
    assert_eq!(client.get("/health").status, 200, "without a key there is no limit");
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let Some((server, _database, key)) = limited(&["--max-body-bytes", "2000"]) else { return };
    let mut client = server.client(&key);
    let with = |bytes: usize| of_ferry(json!({ "query": "a".repeat(bytes) }));
    assert_eq!(client.post("search", &with(1_900)).status, 200);
    let refused = client.post("search", &with(2_000));
    assert_eq!((refused.status, refused.code()), (413, "too_large"));
    // Announced, and never sent.
    let announced = format!(
        "POST /v1/qa/search HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: 99999999999\r\n\r\n"
    );
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(announced.as_bytes()).unwrap();
    stream.write_all(&[b' '; 4_000]).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[test]
fn a_body_that_does_not_arrive_is_given_up() {
    let Some((server, _database, key)) = limited(&[]) else { return };
    let mut stream = TcpStream::connect(server.address).unwrap();
    let begun = format!(
        "POST /v1/qa/search HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{"
    );
    stream.write_all(begun.as_bytes()).unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
}

#[test]
fn a_request_that_waits_too_long_for_the_database_is_refused_and_records_nothing() {
    let Some((server, database, key)) = limited(&[]) else { return };
    let mut client = server.client(&key);
    let id = crate::record(&mut client, QUESTION, crate::ANSWER);
    let held = database.hold("SELECT 1 FROM answers FOR UPDATE");
    let body = of_ferry(json!({ "qa_id": id, "result": "pass" }));
    let refused = client.post("validate", &body);
    assert_eq!((refused.status, refused.code()), (503, "database_unavailable"), "{refused:?}");
    drop(held);
    assert_eq!(client.post("validate", &body).body["trust"], 0.55);
}
