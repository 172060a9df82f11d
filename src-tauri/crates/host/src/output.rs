//! Standard output, written line by line by a thread of its own.
//!
//! A client that reads slowly, or not at all, blocks only itself. Answers go before events. Queued pieces of a
//! candidate are merged to one, so that they never take more memory than the candidate's text. Other events block while
//! [`MAX_QUEUED_BYTES`] of them are queued, and so do answers: nothing is dropped while the client is connected.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, Write},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex, MutexGuard};

use palimpsest_api::SKILL_CHUNK;
use serde_json::{Value, json};

/// The most bytes of answers, and of events, that are queued for the client.
const MAX_QUEUED_BYTES: usize = 4 << 20;

/// The queue of lines for the client.
pub(crate) struct Output {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    answers: VecDeque<String>,
    answer_bytes: usize,
    events: VecDeque<Event>,
    event_bytes: usize,
    /// The text of the queued pieces, by candidate.
    pieces: BTreeMap<Candidate, String>,
    /// Whether a line is being written.
    is_writing: bool,
    /// Whether callers no longer block on a full queue.
    is_closing: bool,
    /// Whether further events are dropped.
    drops_events: bool,
    /// Whether the client has closed its end.
    is_gone: bool,
}

enum Event {
    Line(String),
    /// The text in [`Queue::pieces`] of a candidate.
    Pieces(Candidate),
}

/// The id of a generation and the index of a candidate in it.
type Candidate = (String, u64);

impl Output {
    /// Starts the thread that writes. It ends with the process.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let output = Arc::new(Self { queue: Mutex::default(), changed: Condvar::new() });
        let writer = Arc::clone(&output);
        thread::Builder::new().name("output".to_owned()).spawn(move || writer.write_lines())?;
        Ok(output)
    }

    /// Queues the answer to a request, one line of JSON. Blocks while the queue is full.
    pub(crate) fn answer(&self, mut line: String) {
        line.push('\n');
        let mut queue = self.wait_for_room(|queue| queue.answer_bytes < MAX_QUEUED_BYTES);
        if !queue.is_gone {
            queue.answer_bytes += line.len();
            queue.answers.push_back(line);
            self.changed.notify_all();
        }
    }

    /// Queues an event. Blocks while the queue is full, unless it is a piece of a candidate.
    pub(crate) fn event(&self, name: &str, payload: Value) {
        if name == SKILL_CHUNK
            && let Some((candidate, text)) = parse_piece(&payload)
        {
            return self.queue_piece(candidate, text);
        }
        let mut line = notification(name, payload);
        line.push('\n');
        let mut queue = self.wait_for_room(|queue| queue.event_bytes < MAX_QUEUED_BYTES || queue.drops_events);
        if !queue.is_gone && !queue.drops_events {
            queue.event_bytes += line.len();
            queue.events.push_back(Event::Line(line));
            self.changed.notify_all();
        }
    }

    fn queue_piece(&self, candidate: Candidate, text: &str) {
        let queue = &mut *self.lock();
        if queue.is_gone || queue.drops_events {
            return;
        }
        queue.event_bytes += text.len();
        match queue.pieces.get_mut(&candidate) {
            Some(waiting) => waiting.push_str(text),
            None => {
                queue.pieces.insert(candidate.clone(), text.to_owned());
                queue.events.push_back(Event::Pieces(candidate));
                self.changed.notify_all();
            }
        }
    }

    /// From now on no caller blocks on a full queue.
    pub(crate) fn stop_waiting(&self) {
        self.lock().is_closing = true;
        self.changed.notify_all();
    }

    /// Drops events from now on, and waits until the queue is written: without a limit, unless
    /// [`Self::stop_waiting`] was called, and then for no longer than `limit` from that moment on.
    pub(crate) fn drain(&self, limit: Duration) {
        self.lock().drops_events = true;
        // A blocked event is dropped too.
        self.changed.notify_all();
        let is_busy = |queue: &Queue| {
            !queue.is_gone && (queue.is_writing || !queue.answers.is_empty() || !queue.events.is_empty())
        };
        let busy = |queue: &mut Queue| is_busy(queue) && !queue.is_closing;
        let mut queue = self.lock();
        self.changed.wait_while(&mut queue, busy);
        let until = Instant::now() + limit;
        while is_busy(&queue) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.changed.wait_for(&mut queue, left);
        }
    }

    fn write_lines(&self) {
        loop {
            let line = {
                let is_empty = |queue: &mut Queue| queue.answers.is_empty() && queue.events.is_empty();
                let mut queue = self.lock();
                self.changed.wait_while(&mut queue, is_empty);
                queue.is_writing = true;
                queue.next()
            };
            // Taking the line has made room in the queue.
            self.changed.notify_all();
            let written = line.map_or(Ok(()), |line| {
                let mut out = io::stdout().lock();
                out.write_all(line.as_bytes()).and_then(|()| out.flush())
            });
            let mut queue = self.lock();
            queue.is_writing = false;
            if written.is_err() {
                // The end of the input ends the process, not a failed write.
                *queue = Queue {
                    is_gone: true,
                    is_closing: queue.is_closing,
                    drops_events: queue.drops_events,
                    ..Queue::default()
                };
            }
            self.changed.notify_all();
        }
    }

    /// Waits until there is room in the queue, the queue is closing, or the client is gone.
    fn wait_for_room(&self, is_room: impl Fn(&Queue) -> bool) -> MutexGuard<'_, Queue> {
        let full = |queue: &mut Queue| !is_room(queue) && !queue.is_closing && !queue.is_gone;
        let mut queue = self.lock();
        self.changed.wait_while(&mut queue, full);
        queue
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }
}

impl Queue {
    /// Removes and returns the next line.
    fn next(&mut self) -> Option<String> {
        if let Some(line) = self.answers.pop_front() {
            self.answer_bytes -= line.len();
            return Some(line);
        }
        match self.events.pop_front()? {
            Event::Line(line) => {
                self.event_bytes -= line.len();
                Some(line)
            }
            Event::Pieces(candidate) => {
                let text = self.pieces.remove(&candidate)?;
                self.event_bytes -= text.len();
                let (generation_id, index) = candidate;
                let payload = json!({ "generationId": generation_id, "candidate": index, "text": text });
                Some(notification(SKILL_CHUNK, payload) + "\n")
            }
        }
    }
}

fn notification(name: &str, payload: Value) -> String {
    json!({ "jsonrpc": "2.0", "method": name, "params": payload }).to_string()
}

fn parse_piece(payload: &Value) -> Option<(Candidate, &str)> {
    let candidate = (payload["generationId"].as_str()?.to_owned(), payload["candidate"].as_u64()?);
    Some((candidate, payload["text"].as_str()?))
}
