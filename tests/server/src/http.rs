//! A client of HTTP/1.1 with one connection at a time, which compares every answer with the description of the wire.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::OnceLock,
};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{PATIENCE, repository};

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    /// The body as JSON, or as a text.
    pub body: Value,
}

impl Response {
    /// The code of an error.
    #[must_use]
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// A header by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A client with a key.
pub struct Client {
    address: SocketAddr,
    key: String,
    connection: Option<BufReader<TcpStream>>,
    /// Whether answers are compared with the description; a benchmark has none to spare.
    pub checks: bool,
}

impl Client {
    /// A client that is not connected yet. Without a key it sends none.
    #[must_use]
    pub fn new(address: SocketAddr, key: &str) -> Self {
        Self { address, key: key.to_owned(), connection: None, checks: true }
    }

    /// Sends a body to a route of the wire, such as `search`.
    pub fn post(&mut self, route: &str, body: &Value) -> Response {
        self.post_with(route, body, "")
    }

    /// The same with more headers, each with its line end.
    pub fn post_with(&mut self, route: &str, body: &Value, headers: &str) -> Response {
        self.try_post(route, body, headers).expect("an answer")
    }

    /// The same; `None` if the connection breaks.
    pub fn try_post(&mut self, route: &str, body: &Value, headers: &str) -> Option<Response> {
        let path = format!("/v1/qa/{route}");
        let response =
            self.send("POST", &path, &format!("content-type: application/json\r\n{headers}"), body.to_string())?;
        if self.checks && response.status < 300 {
            let described =
                &description()["paths"][&path]["post"]["requestBody"]["content"]["application/json"]["schema"];
            assert_valid(&described["$ref"], body, "the request");
        }
        Some(response)
    }

    /// The answer to a GET.
    pub fn get(&mut self, path: &str) -> Response {
        self.send("GET", path, "", String::new()).expect("an answer")
    }

    /// Sends a request; `None` if the connection breaks.
    pub fn send(&mut self, method: &str, path: &str, headers: &str, body: impl AsRef<[u8]>) -> Option<Response> {
        let body = body.as_ref();
        let authorization = match self.key.as_str() {
            "" => String::new(),
            key => format!("authorization: Bearer {key}\r\n"),
        };
        let length = body.len();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: test\r\n{authorization}{headers}content-length: {length}\r\n\r\n"
        )
        .into_bytes();
        request.extend_from_slice(body);
        let response = self.exchange(&request)?;
        if self.checks {
            check(method, path, &response);
        }
        Some(response)
    }

    /// Writes bytes and reads a response; `None` if the connection breaks.
    pub fn exchange(&mut self, request: &[u8]) -> Option<Response> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let stream = TcpStream::connect(self.address).ok()?;
                stream.set_nodelay(true).ok()?;
                stream.set_read_timeout(Some(PATIENCE)).ok()?;
                BufReader::new(stream)
            }
        };
        // A server that refuses a body may close before all of it is written.
        let written = connection.get_mut().write_all(request);
        let response = read_response(&mut connection)?;
        if written.is_ok() && response.header("connection") != Some("close") {
            self.connection = Some(connection);
        }
        Some(response)
    }
}

fn read_response(connection: &mut BufReader<TcpStream>) -> Option<Response> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if connection.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase().replace("\r\n", "\n");
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut response = Response { status, head, body: Value::Null };
    let length = response.header("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    connection.read_exact(&mut body).ok()?;
    response.body =
        serde_json::from_slice(&body).unwrap_or_else(|_| json!(String::from_utf8_lossy(&body).into_owned()));
    Some(response)
}

/// The committed description of the wire.
pub fn description() -> &'static Value {
    static DESCRIPTION: OnceLock<Value> = OnceLock::new();
    DESCRIPTION.get_or_init(|| {
        let text = fs::read_to_string(repository("src-tauri/crates/server/openapi.json")).expect("the description");
        serde_json::from_str(&text).expect("the description is JSON")
    })
}

/// Asserts that a response is described for its path, method and status.
fn check(method: &str, path: &str, response: &Response) {
    let described = &description()["paths"][path][method.to_lowercase()]["responses"][response.status.to_string()];
    let schema = &described["content"]["application/json"]["schema"];
    let is_text = described["content"]["text/plain"].is_object();
    let is_of_no_route = matches!(response.status, 404 | 405 | 500) && described.is_null();
    let reference = if is_of_no_route { json!("#/components/schemas/Refusal") } else { schema["$ref"].clone() };
    if schema["type"] == "array" {
        let items = response.body.as_array().unwrap_or_else(|| panic!("no list: {}", response.body));
        items.iter().for_each(|item| assert_valid(&schema["items"]["$ref"], item, path));
    } else if reference.is_string() {
        assert_valid(&reference, &response.body, path);
    } else {
        assert!(is_text || schema["type"] == "object", "{method} {path} {}: not described", response.status);
    }
}

fn assert_valid(reference: &Value, value: &Value, what: &str) {
    static VALIDATORS: OnceLock<HashMap<String, Validator>> = OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let schemas = description()["components"]["schemas"].as_object().expect("schemas");
        let validator = |name: &String| {
            let reference = format!("#/components/schemas/{name}");
            let schema = json!({ "$ref": reference, "components": description()["components"] });
            (reference, jsonschema::validator_for(&schema).expect("a schema"))
        };
        schemas.keys().map(validator).collect()
    });
    let reference = reference.as_str().expect("a reference");
    let problems: Vec<String> = validators[reference].iter_errors(value).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{what}, {reference}: {problems:?} in {value}");
}
