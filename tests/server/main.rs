//! Tests of the server on a real PostgreSQL: one cluster for all of them, and a database for each.
//!
//! Where PostgreSQL is not there (`npm run setup test` fetches it) each test prints `NOT CHECKED` and ends.
#![cfg(unix)]

mod adding_up;
mod bad_input;
mod desktop;
mod duplicates;
mod isolation;
mod kills;
mod limits;
mod operations;
mod removal;
mod searching;
mod session;

use palimpsest_server_tests::{Client, Database, Server};
use serde_json::{Value, json};

const QUESTION: &str = "When can the boat leave the harbour?";
const ANSWER: &str = "At high water, fifty minutes later each day.";

/// A server on a database of its own, with one project and a key for it.
struct Team {
    server: Server,
    database: Database,
    key: String,
}

impl Team {
    /// `None` where there is no PostgreSQL.
    fn new() -> Option<Self> {
        let database = Database::new()?;
        let key = database.add_project("ferry", &[]);
        Some(Self { server: Server::start(&database.address()), database, key })
    }

    fn member(&self) -> Client {
        self.server.client(&self.key)
    }
}

/// A body about the project of [`Team`].
fn of_ferry(more: Value) -> Value {
    let mut body = json!({ "project_id": "ferry" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// Records an answer, and returns its id.
fn record(client: &mut Client, question: &str, answer: &str) -> String {
    let recorded = client.post("candidates", &of_ferry(json!({ "question": question, "answer": answer })));
    assert_eq!(recorded.status, 201, "{recorded:?}");
    recorded.body["qa_id"].as_str().unwrap().to_owned()
}

/// The answers to a query.
fn find_answers(client: &mut Client, query: &str) -> Vec<Value> {
    let found = client.post("search", &of_ferry(json!({ "query": query })));
    assert_eq!(found.status, 200, "{found:?}");
    found.body.as_array().unwrap().clone()
}

fn validate(client: &mut Client, id: &str, result: &str) -> Value {
    let body = of_ferry(json!({ "qa_id": id, "result": result, "signal_strength": "strong", "source": "writer" }));
    let validated = client.post("validate", &body);
    assert_eq!(validated.status, 200, "{validated:?}");
    validated.body
}
