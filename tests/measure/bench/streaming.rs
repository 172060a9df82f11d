//! The overhead of the program over a model behind HTTP: for a streamed token and for the first piece of an answer,
//! each next to a bare read of the same bytes from the same server.

use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::Arc,
    time::{Duration, Instant},
};

use palimpsest_memory::ports::{GenerationRequest, Message, Role, Stop, TextModel};
use palimpsest_providers::{BaseUrl, Endpoint, Network, ProviderKind, text_model};
use palimpsest_tests::server::{Answer, Gate, Server, chat_piece};

use crate::figures::Figures;

/// Tokens of a long answer.
const TOKENS: u32 = 2_000;
/// Repetitions of each measurement.
const TIMES: usize = 30;
/// Repetitions for the first piece.
const FIRSTS: usize = 300;

const PATH: &str = "/v1/chat/completions";

/// Measures and prints the rows.
pub fn run() {
    let bench = Bench::new();
    let (mut floor, mut ours) = (Figures::default(), Figures::default());
    bench.server.always(PATH, tokens(|answer, _| answer));
    for _ in 0..TIMES {
        floor.add(bench.bare(|_| {}).1 * 1_000 / TOKENS);
        ours.add(bench.ours(|_| {}).1 * 1_000 / TOKENS);
    }
    floor.print("1,000 tokens of a stream as fast as they come, bare read (floor)", None);
    ours.print("1,000 tokens of a stream as fast as they come", Some(&floor));
    ours.minus(&floor).print("1,000 tokens, over the bare read (µs a token)", None);

    // Each token is sent after the one before it has arrived, so that the delay of each single token is measured.
    let (mut floor, mut ours) = (Figures::default(), Figures::default());
    for _ in 0..TIMES {
        let gates = bench.one_at_a_time();
        floor.add(bench.bare(|token| gates[token].open()).1 * 1_000 / TOKENS);
        let gates = bench.one_at_a_time();
        ours.add(bench.ours(|token| gates[token].open()).1 * 1_000 / TOKENS);
    }
    floor.print("1,000 tokens one at a time, sent → read bare (floor)", None);
    ours.print("1,000 tokens one at a time, sent → shown", Some(&floor));
    ours.minus(&floor).print("1,000 tokens one at a time, over the bare read (µs a token)", None);

    let (mut floor, mut ours) = (Figures::default(), Figures::default());
    bench.server.always(PATH, Answer::chat(&["雨", "停了", "。"]));
    for _ in 0..FIRSTS {
        floor.add(bench.bare(|_| {}).0);
        ours.add(bench.ours(|_| {}).0);
    }
    floor.print("first bytes of an answer on a new connection, bare (floor)", None);
    ours.print("first piece of an answer", Some(&floor));
}

/// A long answer with additional steps between its pieces.
fn tokens(between: impl Fn(Answer, usize) -> Answer) -> Answer {
    let pieces = (0..TOKENS as usize)
        .fold(Answer::stream(), |stream, token| between(stream.event(&chat_piece("雨停了，")), token));
    pieces.chat_end(TOKENS as usize)
}

struct Bench {
    server: Server,
    model: Arc<dyn TextModel>,
}

impl Bench {
    fn new() -> Self {
        let server = Server::start();
        let base_url = BaseUrl::parse(&server.url("")).expect("an address");
        let endpoint = Endpoint { kind: ProviderKind::OpenAi, base_url, key: None };
        let model = text_model(&Network::start(), endpoint, "scripted".to_owned());
        Self { server, model }
    }

    fn one_at_a_time(&self) -> Vec<Gate> {
        let gates: Vec<Gate> = (0..TOKENS).map(|_| self.server.gate()).collect();
        self.server.next(PATH, tokens(|answer, token| answer.wait_at(&gates[token])));
        gates
    }

    /// A bare request: the time to the first token of its answer, and to its end.
    fn bare(&self, mut on_read: impl FnMut(usize)) -> (Duration, Duration) {
        let url = self.server.url("");
        let address = url.trim_start_matches("http://");
        let start = Instant::now();
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let body = r#"{"stream":true}"#;
        let length = body.len();
        let head = format!("POST {PATH} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all((head + body).as_bytes()).expect("sent");
        let mut buffer = vec![0; 64 << 10];
        let mut first = None;
        let mut reads = 0;
        let mut tail = Vec::new();
        while !tail.ends_with(b"0\r\n\r\n") {
            let read = stream.read(&mut buffer).expect("bytes");
            assert!(read > 0, "the answer is whole");
            // The head arrives separately; only a read that contains data is a token.
            if buffer[..read].windows(7).any(|bytes| bytes == b"content") && buffer[..read].contains(&b'{') {
                first.get_or_insert_with(|| start.elapsed());
                if reads < TOKENS as usize {
                    on_read(reads);
                }
                reads += 1;
            }
            tail.extend_from_slice(&buffer[..read]);
            tail.drain(..tail.len().saturating_sub(8));
        }
        (first.unwrap_or_default(), start.elapsed())
    }

    /// The same request through the model's client.
    fn ours(&self, mut on_piece: impl FnMut(usize)) -> (Duration, Duration) {
        let messages = [Message { role: Role::User, content: "续写".to_owned() }];
        let stop = Stop::new();
        let request = GenerationRequest {
            messages: &messages,
            seed: 1,
            max_tokens: TOKENS,
            temperature: 0.8,
            schema: None,
            tools: &[],
            stop: &stop,
        };
        let start = Instant::now();
        let mut first = None;
        let mut pieces = 0;
        let done = self.model.generate(&request, &mut |_| {
            first.get_or_insert_with(|| start.elapsed());
            on_piece(pieces);
            pieces += 1;
        });
        done.expect("a whole answer");
        (first.unwrap_or_default(), start.elapsed())
    }
}
