//! A client that sends invalid JSON, and one that reads slowly or not at all.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use palimpsest_memory::ports::MAX_CANDIDATE_BYTES;
use palimpsest_tests::{
    host_binary,
    server::{Answer, Server, chat_piece},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::passage;

/// A host whose output the test reads line by line.
struct Raw {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Raw {
    fn start(more: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(host_binary());
        command.arg("--data-dir").arg(folder.path()).args(more);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, _folder: folder }
    }

    fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    fn request(&mut self, id: u64, method: &str, params: Value) {
        self.send_line(
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().as_bytes(),
        );
    }

    /// The next line, and its length in bytes.
    fn line(&mut self) -> (Value, usize) {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the host has ended");
        (serde_json::from_str(&line).unwrap(), line.len())
    }

    /// Reads up to the answer to a request.
    fn read_answer(&mut self, id: u64) -> Value {
        loop {
            let (message, _) = self.line();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

#[test]
fn a_text_that_was_cut_in_the_middle_of_a_character_is_refused_with_the_identity_of_its_request() {
    let mut host = Raw::start(&[]);
    let cases: [(&[u8], Value); 5] = [
        (br#"{"jsonrpc":"2.0","id":7,"method":"memory:episode:query","params":{"queryText":"a\ud83d"}}"#, json!(7)),
        (br#"{"jsonrpc":"2.0","id":"seven","method":"x","params":{"text":"\ude00"}}"#, json!("seven")),
        (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"x\",\"params\":{\"text\":\"\xe9\x9b\"}}", json!(8)),
        (br#"{"jsonrpc":"2.0","id":9,"#, Value::Null),
        (br#"{"jsonrpc":"2.0","id":"\ud800","method":"x"}"#, Value::Null),
    ];
    for (line, id) in cases {
        host.send_line(line);
        let (answer, _) = host.line();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(-32_700)),
            "{}",
            String::from_utf8_lossy(line)
        );
    }
    host.request(10, "memory:status", json!({}));
    assert!(host.read_answer(10).is_object());
}

/// Pieces of a text that is no loop.
fn pieces(count: u32) -> impl Iterator<Item = String> {
    let han = |at: u32| char::from_u32(0x4E00 + at % 20_000).unwrap();
    (0..count).map(move |n| (0..10).map(|at| han(n * 10 + at)).collect())
}

/// Starts a run whose candidates a server writes. The client does not read past the answer.
fn start_run(server: &Server, candidates: u32) -> (Raw, String) {
    let url = server.url("/v1");
    let mut host = Raw::start(&["--provider", "openai", "--base-url", &url, "--model", "scripted"]);
    host.request(1, "project:create", json!({ "title": "夜航", "language": "zh" }));
    let project = host.read_answer(1)["projectId"].as_str().unwrap().to_owned();
    let mut request = passage(&project, "雨停了。");
    request["candidates"] = json!(candidates);
    host.request(2, "ai:skill:run", request);
    let generation = host.read_answer(2)["generationId"].as_str().unwrap().to_owned();
    (host, generation)
}

#[test]
fn a_client_that_does_not_read_costs_no_more_memory_than_the_candidates() {
    let server = Server::start();
    let words: String = pieces(100).map(|piece| format!("data: {}\n\n", chat_piece(&piece))).collect();
    server.always("/v1/chat/completions", Answer::stream().flood(words, 64 << 20));
    let (mut host, _) = start_run(&server, 3);
    // Every request ends although the client reads nothing.
    for _ in 0..3 {
        let asked = server.wait_for_request_to("/v1/chat/completions");
        server.wait_until_gone(&asked);
    }
    host.request(3, "memory:status", json!({}));
    let (mut bytes, mut texts, mut answered) = (0, vec![String::new(); 3], false);
    let done = loop {
        let (message, length) = host.line();
        bytes += length;
        answered |= message["id"] == 3;
        let params = &message["params"];
        match message["method"].as_str() {
            Some("ai:skill:chunk") => {
                let place = usize::try_from(params["candidate"].as_u64().unwrap()).unwrap();
                texts[place].push_str(params["text"].as_str().unwrap());
            }
            Some("ai:skill:candidate") => {
                let place = usize::try_from(params["candidate"].as_u64().unwrap()).unwrap();
                assert_eq!(params["text"], json!(texts[place]), "the pieces are the text");
                assert_eq!(params["error"]["details"]["reason"], "answerTooLong");
            }
            Some("ai:skill:done") => break params.clone(),
            _ => {}
        }
    };
    assert!(answered, "the answer to a request goes before the events");
    assert_eq!(done["candidates"], json!(texts));
    assert!(texts.iter().all(|text| text.len() <= MAX_CANDIDATE_BYTES && text.len() > MAX_CANDIDATE_BYTES - 32));
    // Each text is sent three times: in chunks, as a candidate, and at the end.
    assert!(bytes < 3 * 4 * MAX_CANDIDATE_BYTES, "{bytes}");
    assert!(server.flooded() < 96 << 20, "{}", server.flooded());
}

#[test]
fn cancelling_is_answered_and_ends_the_run_although_the_client_has_not_read_what_came_before() {
    let server = Server::start();
    let gate = server.gate();
    // Each word is a chunk of its own, so each is an event: far more events than a pipe holds.
    let answer = pieces(2_000).fold(Answer::stream(), |answer, piece| answer.event(&chat_piece(&piece)));
    server.always("/v1/chat/completions", answer.wait_at(&gate));
    let (mut host, generation) = start_run(&server, 3);
    for _ in 0..3 {
        let _asked = server.wait_for_request_to("/v1/chat/completions");
    }
    host.request(3, "ai:skill:cancel", json!({ "generationId": generation }));
    let mut before_the_answer = 0;
    loop {
        let (message, length) = host.line();
        if message["id"] == 3 {
            assert_eq!(message["result"]["cancelled"], true);
            break;
        }
        before_the_answer += length;
    }
    // At most the contents of the pipe, and the line that was being written.
    assert!(before_the_answer < (64 << 10) + 2 * MAX_CANDIDATE_BYTES, "{before_the_answer}");
    loop {
        let (message, _) = host.line();
        if message["method"] == "ai:skill:done" {
            assert_eq!(message["params"]["status"], "cancelled");
            break;
        }
    }
}

#[test]
fn requests_from_before_the_end_of_input_are_answered_to_a_client_that_reads_later() {
    let mut host = Raw::start(&[]);
    for id in 0..50 {
        host.request(id, "memory:status", json!({}));
    }
    host.input.take();
    let mut seen: Vec<u64> = Vec::new();
    while seen.len() < 50 {
        seen.extend(host.line().0["id"].as_u64());
    }
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..50));
    assert!(host.child.wait().unwrap().success());
}

#[test]
fn a_disconnected_client_blocks_nothing() {
    let mut host = Raw::start(&[]);
    host.request(1, "memory:status", json!({}));
    host.read_answer(1);
    // Closes the host's output, sends more requests, and then ends its input.
    let Raw { child, input, output, .. } = &mut host;
    drop(std::mem::replace(output, BufReader::new(unreadable())));
    for id in 2..300 {
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": "memory:status", "params": {} }).to_string() + "\n";
        input.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }
    drop(input.take());
    assert!(child.wait().unwrap().success());
}

/// The output of another process, which has ended.
fn unreadable() -> ChildStdout {
    let mut child = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
    let output = child.stdout.take().unwrap();
    child.wait().unwrap();
    output
}
