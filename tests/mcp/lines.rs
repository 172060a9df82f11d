//! Lines of any shape, the end of the process, and its log.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use super::Books;

/// A server whose lines the test writes and reads.
pub(super) struct Raw {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    log: Option<ChildStderr>,
}

impl Raw {
    pub(super) fn start(mut command: Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let log = child.stderr.take();
        Self { child, input, output, log }
    }

    /// A server that is initialized.
    pub(super) fn initialized(command: Command) -> Self {
        let mut raw = Self::start(command);
        raw.initialize();
        raw
    }

    pub(super) fn initialize(&mut self) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let answer = self.answer_to(0, "initialize", params);
        self.send_line(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string().as_bytes());
        answer
    }

    pub(super) fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// The next message. Everything on standard output is one.
    pub(super) fn message(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// The answer to a request, when no other one is under way.
    pub(super) fn answer_to(&mut self, id: u64, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send_line(request.to_string().as_bytes());
        let answer = self.message();
        assert_eq!(answer["id"], id, "{method}");
        answer
    }

    pub(super) fn end_input(&mut self) {
        self.input.take();
    }

    /// The exit code of the process, and what it has logged.
    pub(super) fn wait_for_exit(mut self) -> (Option<i32>, String) {
        self.end_input();
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(rest.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{rest}");
        let mut log = String::new();
        self.log.take().unwrap().read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code(), log)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

#[test]
fn lines_that_are_no_messages_are_answered_and_the_server_goes_on() {
    let books = Books::new();
    let mut raw = Raw::initialized(books.command(&[&books.english], &["--allow-write"]));
    let cases: [(&[u8], Value, i32); 11] = [
        (b"not json", Value::Null, -32_700),
        (b"{", Value::Null, -32_700),
        (b"\xff\xfe\x00", Value::Null, -32_700),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a\ud83d"}}"#, json!(7), -32_700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"x\",\"params\":{\"text\":\"\xe9\x9b\"}}", json!(8), -32_700),
        (b"[]", Value::Null, -32_600),
        (b"7", Value::Null, -32_600),
        (br#"{"jsonrpc":"2.0","id":9}"#, json!(9), -32_600),
        (br#"{"jsonrpc":"2.0","id":10,"method":"tools/list","params":5}"#, json!(10), -32_600),
        (
            br#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"list_rules","arguments":[1]}}"#,
            json!(11),
            -32_602,
        ),
        (br#"{"jsonrpc":"2.0","id":12,"method":"memory:clear:all","params":{"confirmed":true}}"#, json!(12), -32_601),
    ];
    for (line, id, code) in cases {
        raw.send_line(line);
        let answer = raw.message();
        let seen = (&answer["id"], &answer["error"]["code"]);
        assert_eq!(seen, (&id, &json!(code)), "{}: {answer}", String::from_utf8_lossy(line));
    }
    raw.send_line(b"");
    raw.send_line(br#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}"#);
    raw.send_line(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#);
    assert_eq!(raw.answer_to(20, "ping", json!({}))["result"], json!({}));
    let (code, log) = raw.wait_for_exit();
    assert_eq!((code, log.as_str()), (Some(0), ""));
}

#[test]
fn an_argument_of_ten_megabytes_is_refused_and_a_line_beyond_the_limit_is_skipped() {
    let books = Books::new();
    let mut raw = Raw::initialized(books.command(&[&books.english], &["--allow-write"]));
    let deep = "[".repeat(100_000);
    raw.send_line(deep.as_bytes());
    assert_eq!(raw.message()["error"]["code"], -32_700);
    let text = "雨".repeat(10 * 1_024 * 1_024 / 3);
    for (id, tool, field) in
        [(1, "find_in_book", "queryText"), (2, "store_journal_entry", "content"), (3, "ask_book", "question")]
    {
        let answer = raw.answer_to(id, "tools/call", json!({ "name": tool, "arguments": { field: text } }));
        let error = &answer["result"]["structuredContent"];
        assert_eq!(
            (&error["code"], &error["details"]["field"]),
            (&json!("MEMORY_INVALID_ARGUMENT"), &json!(field)),
            "{tool}"
        );
    }
    raw.send_line(&vec![b'x'; 17 << 20]);
    assert_eq!(raw.message()["error"]["code"], -32_700);
    assert_eq!(raw.answer_to(5, "ping", json!({}))["result"], json!({}));
    assert_eq!(raw.wait_for_exit().0, Some(0));
}

#[test]
fn a_client_that_begins_with_another_message_can_begin_again() {
    let books = Books::new();
    let mut raw = Raw::start(books.command(&[&books.english], &[]));
    raw.send_line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let early = raw.answer_to(1, "tools/list", json!({}));
    assert!(early["error"]["code"].is_i64(), "{early}");
    assert_eq!(raw.initialize()["result"]["serverInfo"]["name"], "palimpsest");
    assert!(raw.answer_to(2, "tools/list", json!({}))["result"]["tools"].is_array());
    assert_eq!(raw.wait_for_exit().0, Some(0));
}

#[test]
fn requests_from_before_the_end_of_input_are_answered() {
    let books = Books::new();
    let mut raw = Raw::initialized(books.command(&[&books.english], &[]));
    for id in 1..=40 {
        let call = json!({ "name": "find_in_book", "arguments": { "queryText": "Harwick" } });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call });
        raw.send_line(request.to_string().as_bytes());
    }
    raw.end_input();
    let mut seen: Vec<u64> = (0..40).map(|_| raw.message()["id"].as_u64().unwrap()).collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(1..=40));
    assert_eq!(raw.wait_for_exit().0, Some(0));
}

#[test]
fn a_signal_ends_the_server_as_the_end_of_input_does() {
    let books = Books::new();
    for signal in ["TERM", "INT", "HUP"] {
        let raw = Raw::initialized(books.command(&[&books.english], &[]));
        let id = raw.child.id().to_string();
        assert!(Command::new("kill").arg(format!("-{signal}")).arg(id).status().unwrap().success());
        // The input stays open: the signal alone ends the process.
        let mut raw = raw;
        assert_eq!(raw.child.wait().unwrap().code(), Some(0), "{signal}");
    }
    let raw = Raw::start(books.command(&[&books.english], &[]));
    assert_eq!(raw.wait_for_exit().0, Some(0), "before the first message");
}

#[test]
fn the_log_is_on_standard_error_and_has_no_text() {
    let books = Books::new();
    let mut raw = Raw::initialized(books.command(&[&books.english], &["--allow-write", "--log", "debug"]));
    let call = |tool: &str, arguments: Value| json!({ "name": tool, "arguments": arguments });
    raw.answer_to(1, "tools/call", call("find_in_book", json!({ "queryText": "quandle Harwick" })));
    raw.answer_to(2, "tools/call", call("store_journal_entry", json!({ "content": "quandle" })));
    raw.answer_to(3, "tools/call", call("story_card", json!({ "name": "quandle" })));
    raw.answer_to(4, "tools/call", call("quandle", json!({ "quandle": "quandle" })));
    raw.send_line(br#"{"jsonrpc":"2.0","id":5,"method":"quandle","params":"quandle"}"#);
    raw.message();
    let (code, log) = raw.wait_for_exit();
    assert_eq!(code, Some(0));
    assert!(log.contains("story:find"), "{log}");
    assert!(!log.contains("quandle") && !log.contains("Harwick"), "{log}");
}
