//! A scripted provider: an HTTP/1.1 server on loopback that answers each path from a script, records the requests, and
//! detects when a client disconnects. Nothing here sleeps: a script waits at a [`Gate`] until the test opens it or the
//! client disconnects.

mod send;

use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead, BufReader},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::channel},
    thread,
};

use serde_json::{Value, json};

use crate::PATIENCE;
use send::send;

/// A request that the server received.
#[derive(Debug, Clone)]
pub struct Request {
    /// The number of the request, from 0, in order of arrival.
    pub number: usize,
    /// The method, such as `POST`.
    pub method: String,
    /// The path with the query, if there is one.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as JSON; `null` where it is not JSON.
    pub body: Value,
}

impl Request {
    /// The first header with this name (in lower case).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// The encoding of the end of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length,
    Chunked,
    UntilClosed,
}

#[derive(Clone)]
enum Step {
    /// Sends these bytes at once.
    Send(Vec<u8>),
    /// Sends nothing until the gate opens or the client disconnects.
    Hold(Gate),
    /// Sends these bytes repeatedly until this many bytes are sent or the client disconnects.
    Flood(Vec<u8>, usize),
    /// Breaks the connection in the middle of the body.
    Break,
}

/// An answer: a status, headers, and a body in steps.
#[derive(Clone)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    framing: Framing,
    steps: Vec<Step>,
}

impl Answer {
    /// An answer with a JSON body.
    #[must_use]
    pub fn json(status: u16, body: Value) -> Self {
        Self::bytes(status, "application/json", body.to_string())
    }

    /// An answer with any body.
    #[must_use]
    pub fn bytes(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self { status, headers, framing: Framing::Length, steps: vec![Step::Send(body.into())] }
    }

    /// An event stream without events; `.send(…)`, `.hold(…)`, `.event(…)` add to it.
    #[must_use]
    pub fn stream() -> Self {
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        Self { status: 200, headers, framing: Framing::Chunked, steps: Vec::new() }
    }

    /// No answer: the connection is closed.
    #[must_use]
    pub fn hung_up() -> Self {
        Self { status: 0, headers: Vec::new(), framing: Framing::UntilClosed, steps: Vec::new() }
    }

    /// A redirect.
    #[must_use]
    pub fn redirect(to: &str) -> Self {
        Self::bytes(307, "text/plain", "").header("location", to)
    }

    /// An OpenAI-compatible stream: these pieces, `finish_reason` `stop`, a usage of 10 + 1 per piece, `[DONE]`.
    #[must_use]
    pub fn chat(pieces: &[&str]) -> Self {
        let stream = Self::stream().event(&json!({ "choices": [{ "index": 0, "delta": { "role": "assistant" } }] }));
        pieces.iter().fold(stream, |stream, piece| stream.event(&chat_piece(piece))).chat_end(pieces.len())
    }

    /// Adds the regular end of an OpenAI-compatible stream.
    #[must_use]
    pub fn chat_end(self, answer_tokens: usize) -> Self {
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": answer_tokens });
        self.event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }))
            .event(&json!({ "choices": [], "usage": usage }))
            .chunk("data: [DONE]\n\n")
    }

    /// Adds a tool call with its arguments in these pieces to an OpenAI-compatible stream.
    #[must_use]
    pub fn chat_call(self, position: usize, name: &str, pieces: &[&str]) -> Self {
        let event = |call: Value| json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] });
        let function = json!({ "name": name, "arguments": "" });
        let id = format!("call_{position}_{name}");
        let start = json!({ "index": position, "id": id, "type": "function", "function": function });
        let piece = |json: &str| json!({ "index": position, "function": { "arguments": json } });
        pieces.iter().fold(self.event(&event(start)), |answer, json| answer.event(&event(piece(json))))
    }

    /// An Anthropic stream: these pieces, `end_turn`, a usage of 10 + 1 per piece.
    #[must_use]
    pub fn messages(pieces: &[&str]) -> Self {
        let stream = Self::messages_start();
        pieces.iter().fold(stream, |stream, piece| stream.messages_piece(piece)).messages_end(pieces.len())
    }

    /// The beginning of an Anthropic stream.
    #[must_use]
    pub fn messages_start() -> Self {
        let usage = json!({ "input_tokens": 10, "output_tokens": 1 });
        let block = json!({ "type": "text", "text": "" });
        Self::stream()
            .named(&json!({ "type": "message_start", "message": { "role": "assistant", "usage": usage } }))
            .named(&json!({ "type": "content_block_start", "index": 0, "content_block": block }))
            .named(&json!({ "type": "ping" }))
    }

    /// Adds a piece to an Anthropic stream.
    #[must_use]
    pub fn messages_piece(self, text: &str) -> Self {
        let delta = json!({ "type": "text_delta", "text": text });
        self.named(&json!({ "type": "content_block_delta", "index": 0, "delta": delta }))
    }

    /// Adds a tool call with its arguments in these pieces to an Anthropic stream.
    #[must_use]
    pub fn messages_call(self, position: usize, name: &str, pieces: &[&str]) -> Self {
        let id = format!("call_{position}_{name}");
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        let start = json!({ "type": "content_block_start", "index": position, "content_block": block });
        let piece = |json: &str| {
            let delta = json!({ "type": "input_json_delta", "partial_json": json });
            json!({ "type": "content_block_delta", "index": position, "delta": delta })
        };
        pieces.iter().fold(self.named(&start), |answer, json| answer.named(&piece(json)))
    }

    /// Adds the regular end of an Anthropic stream.
    #[must_use]
    pub fn messages_end(self, answer_tokens: usize) -> Self {
        let delta = json!({ "stop_reason": "end_turn" });
        let usage = json!({ "output_tokens": answer_tokens });
        self.named(&json!({ "type": "content_block_stop", "index": 0 }))
            .named(&json!({ "type": "message_delta", "delta": delta, "usage": usage }))
            .named(&json!({ "type": "message_stop" }))
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces the status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds these bytes, sent at once in a chunk of their own.
    #[must_use]
    pub fn chunk(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Send(bytes.into()));
        self
    }

    /// Adds `data: …`.
    #[must_use]
    pub fn event(self, data: &Value) -> Self {
        self.chunk(format!("data: {data}\n\n"))
    }

    /// Adds `event: <its type>`, `data: …`.
    #[must_use]
    pub fn named(self, data: &Value) -> Self {
        let name = data["type"].as_str().unwrap_or("message").to_owned();
        self.chunk(format!("event: {name}\ndata: {data}\n\n"))
    }

    /// Adds these bytes, repeated until `total` bytes are sent or the client disconnects: see [`Server::flooded`].
    #[must_use]
    pub fn flood(mut self, bytes: impl Into<Vec<u8>>, total: usize) -> Self {
        self.steps.push(Step::Flood(bytes.into(), total));
        self
    }

    /// Adds a wait until the gate opens or the client disconnects.
    #[must_use]
    pub fn wait_at(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Hold(gate.clone()));
        self
    }

    /// Adds a break of the connection before the body is complete.
    #[must_use]
    pub fn broken(mut self) -> Self {
        self.steps.push(Step::Break);
        self
    }

    /// Marks the end of the body by closing the connection, as in HTTP/1.0.
    #[must_use]
    pub fn until_closed(mut self) -> Self {
        self.framing = Framing::UntilClosed;
        self
    }

    /// The same answer with its body cut into chunks of this many bytes.
    #[must_use]
    pub fn cut_every(mut self, bytes: usize) -> Self {
        let mut cut = Vec::new();
        let mut run = Vec::new();
        for step in self.steps {
            match step {
                Step::Send(more) => run.extend(more),
                other => {
                    cut.extend(run.chunks(bytes.max(1)).map(|chunk| Step::Send(chunk.to_vec())));
                    run.clear();
                    cut.push(other);
                }
            }
        }
        cut.extend(run.chunks(bytes.max(1)).map(|chunk| Step::Send(chunk.to_vec())));
        self.steps = cut;
        self
    }

    /// All bytes of the body.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let sent = self.steps.iter().filter_map(|step| if let Step::Send(bytes) = step { Some(bytes) } else { None });
        sent.flatten().copied().collect()
    }
}

/// A piece of an OpenAI-compatible stream.
#[must_use]
pub fn chat_piece(text: &str) -> Value {
    json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": { "content": text } }] })
}

/// An address on loopback without a listener.
#[must_use]
pub fn unused_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

/// A barrier in a script, closed until it is opened. Made by [`Server::gate`].
#[derive(Clone)]
pub struct Gate {
    number: usize,
    board: Arc<Board>,
}

impl Gate {
    /// Releases all current and later waits at this gate.
    pub fn open(&self) {
        self.board.change(|state| state.gates[self.number] = true);
    }
}

type Reply = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

#[derive(Default)]
struct State {
    next: BTreeMap<String, VecDeque<Answer>>,
    always: BTreeMap<String, Reply>,
    asked: Vec<Request>,
    /// Whether the connection of a request ended, by the request's number.
    gone: Vec<bool>,
    /// Whether the whole answer of a request was sent, by the request's number.
    answered: Vec<bool>,
    /// Bytes of floods that clients have accepted.
    flooded: usize,
    /// Whether a client has accepted nothing of a flood for a while.
    stalled: bool,
    connections: usize,
    heard: usize,
    gates: Vec<bool>,
    over: bool,
}

/// State shared by the server, its gates and its connections.
#[derive(Default)]
struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A test that failed elsewhere must not block the others.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, what: impl FnOnce(&mut State) -> T) -> T {
        let result = what(&mut self.lock());
        self.changed.notify_all();
        result
    }

    fn wait(&self, what: &str, until: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let (state, waited) = self
            .changed
            .wait_timeout_while(self.lock(), PATIENCE, |state| !until(state))
            .unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.timed_out(), "waited too long for {what}");
        state
    }
}

/// The server. It stops when it is dropped.
pub struct Server {
    address: SocketAddr,
    board: Arc<Board>,
}

impl Default for Server {
    fn default() -> Self {
        Self::start()
    }
}

impl Server {
    /// Starts a server on a port of its own. It has no paths yet and answers 404.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let board = Arc::<Board>::default();
        let served = Arc::clone(&board);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if served.lock().over {
                    break;
                }
                let board = Arc::clone(&served);
                thread::spawn(move || serve(stream, &board));
            }
        });
        Self { address, board }
    }

    /// `http://127.0.0.1:<port>` followed by this path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Queues this answer for the next request to this path; several are used in order.
    pub fn next(&self, path: &str, answer: Answer) -> &Self {
        self.board.change(|state| state.next.entry(path.to_owned()).or_default().push_back(answer));
        self
    }

    /// Sets the answer for requests to this path once the queue of [`Server::next`] is empty.
    pub fn always(&self, path: &str, answer: Answer) -> &Self {
        self.reply(path, move |_| answer.clone())
    }

    /// As [`Server::always`], with an answer computed from the request.
    pub fn reply(&self, path: &str, answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> &Self {
        self.board.change(|state| state.always.insert(path.to_owned(), Arc::new(answer)));
        self
    }

    /// A closed gate.
    #[must_use]
    pub fn gate(&self) -> Gate {
        let number = self.board.change(|state| {
            state.gates.push(false);
            state.gates.len() - 1
        });
        Gate { number, board: Arc::clone(&self.board) }
    }

    /// All requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.board.lock().asked.clone()
    }

    /// All requests to a path so far.
    #[must_use]
    pub fn requests_to(&self, path: &str) -> Vec<Request> {
        self.requests().into_iter().filter(|asked| asked.path == path).collect()
    }

    /// Waits for the next request that no call has returned yet.
    #[track_caller]
    pub fn wait_for_request(&self) -> Request {
        let mut state = self.board.wait("a request", |state| state.asked.len() > state.heard);
        state.heard += 1;
        state.asked[state.heard - 1].clone()
    }

    /// Waits for the next request to this path; skips others, such as requests for a model's context length.
    #[track_caller]
    pub fn wait_for_request_to(&self, path: &str) -> Request {
        loop {
            let asked = self.wait_for_request();
            if asked.path == path {
                return asked;
            }
        }
    }

    /// Waits until the client of a request has closed its connection.
    #[track_caller]
    pub fn wait_until_gone(&self, asked: &Request) {
        drop(self.board.wait("the client to go away", |state| state.gone[asked.number]));
    }

    /// Waits until the whole answer of a request was sent.
    #[track_caller]
    pub fn wait_until_answered(&self, asked: &Request) {
        drop(self.board.wait("an answer to be whole", |state| state.answered[asked.number]));
    }

    /// The bytes of floods that clients have accepted so far.
    #[must_use]
    pub fn flooded(&self) -> usize {
        self.board.lock().flooded
    }

    /// Waits until a client accepts nothing more of a flood, or has accepted `most` bytes, and returns the bytes
    /// accepted.
    #[track_caller]
    pub fn wait_until_stalled(&self, most: usize) -> usize {
        self.board.wait("a flood to be held up", |state| state.stalled || state.flooded >= most).flooded
    }

    /// The number of connections so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.board.lock().connections
    }

    /// Whether the whole answer of a request was sent.
    #[must_use]
    pub fn has_answered(&self, asked: &Request) -> bool {
        self.board.lock().answered[asked.number]
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.board.change(|state| state.over = true);
        // Wakes the listener, so that the port is free again.
        drop(TcpStream::connect(self.address));
    }
}

/// A connection that is shut down on drop.
struct HangsUp(TcpStream);

impl Drop for HangsUp {
    fn drop(&mut self) {
        let _over = self.0.shutdown(Shutdown::Both);
    }
}

/// Serves one connection: this thread reads requests, so that it detects a disconnect at once; another thread answers.
fn serve(stream: TcpStream, board: &Arc<Board>) {
    let Ok(out) = stream.try_clone() else { return };
    board.change(|state| state.connections += 1);
    let _faster = stream.set_nodelay(true);
    let (ask, asked) = channel::<Request>();
    let answers = Arc::clone(board);
    thread::spawn(move || {
        // The connection is shut down even when the test's answer function panics: the client's clock may be stopped,
        // and it would wait for ever.
        let mut out = HangsUp(out);
        for asked in asked {
            let answer = select_answer(&answers, &asked);
            if !matches!(send(&mut out.0, &answer, &asked, &answers), Ok(true)) {
                break;
            }
        }
    });
    let mut reader = BufReader::new(stream);
    let mut mine = Vec::new();
    while let Some(mut request) = read_request(&mut reader) {
        let number = board.change(|state| {
            request.number = state.asked.len();
            state.asked.push(request.clone());
            state.gone.push(false);
            state.answered.push(false);
            request.number
        });
        mine.push(number);
        if ask.send(request).is_err() {
            break;
        }
    }
    board.change(|state| mine.iter().for_each(|&number| state.gone[number] = true));
}

fn read_request(reader: &mut impl BufRead) -> Option<Request> {
    // Encrypted data has no lines to wait for.
    if !reader.fill_buf().ok()?.first()?.is_ascii_uppercase() {
        return None;
    }
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut asked = Request { number: 0, method, path, headers, body: Value::Null };
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(asked)
}

fn select_answer(board: &Board, asked: &Request) -> Answer {
    let reply = {
        let mut state = board.lock();
        if let Some(answer) = state.next.get_mut(&asked.path).and_then(VecDeque::pop_front) {
            return answer;
        }
        state.always.get(&asked.path).cloned()
    };
    reply.map_or_else(
        || Answer::json(404, json!({ "error": { "message": "the script has nothing here" } })),
        |reply| reply(asked),
    )
}
