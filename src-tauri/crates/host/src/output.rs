//! Standard output, a whole line at a time, by a thread of its own.
//!
//! A client that reads slowly, or not at all, holds up nothing but itself. Answers go before events. Pieces of a
//! candidate that still wait become one piece, so that they never take up more than the candidate's text. Other events
//! wait for room once [`MAX_QUEUED_BYTES`] of them are waiting, and so do answers: nothing is dropped while the client is
//! there.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use palimpsest_api::SKILL_CHUNK;
use serde_json::{Value, json};

/// Bytes of answers, and of events, that may wait for the client.
const MAX_QUEUED_BYTES: usize = 4 << 20;

/// The lines that wait for the client.
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
    /// The text of the pieces that wait, by their candidates.
    pieces: BTreeMap<Candidate, String>,
    /// A line is being written.
    is_writing: bool,
    /// Nothing waits for room any more.
    is_closing: bool,
    /// No more events are taken.
    is_over: bool,
    /// The client has closed its end: nothing can be written.
    is_gone: bool,
}

enum Event {
    Line(String),
    /// What [`Queue::pieces`] has of a candidate.
    Pieces(Candidate),
}

/// A generation and the place of a candidate in it.
type Candidate = (String, u64);

impl Output {
    /// Starts the thread that writes. It ends with the process.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let output = Arc::new(Self { queue: Mutex::default(), changed: Condvar::new() });
        let writer = Arc::clone(&output);
        thread::Builder::new().name("output".to_owned()).spawn(move || writer.write())?;
        Ok(output)
    }

    /// Queues the answer to a request, one line of JSON. Waits for room.
    pub(crate) fn answer(&self, mut line: String) {
        line.push('\n');
        let mut queue = self.wait(|queue| queue.answer_bytes < MAX_QUEUED_BYTES);
        if !queue.is_gone {
            queue.answer_bytes += line.len();
            queue.answers.push_back(line);
            self.changed.notify_all();
        }
    }

    /// Queues an event. Waits for room, unless it is a piece of a candidate.
    pub(crate) fn event(&self, name: &str, payload: Value) {
        if name == SKILL_CHUNK
            && let Some((candidate, text)) = piece(&payload)
        {
            return self.piece(candidate, text);
        }
        let mut line = notification(name, payload);
        line.push('\n');
        let mut queue = self.wait(|queue| queue.event_bytes < MAX_QUEUED_BYTES || queue.is_over);
        if !queue.is_gone && !queue.is_over {
            queue.event_bytes += line.len();
            queue.events.push_back(Event::Line(line));
            self.changed.notify_all();
        }
    }

    fn piece(&self, candidate: Candidate, text: &str) {
        let queue = &mut *self.lock();
        if queue.is_gone || queue.is_over {
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

    /// From now on nothing waits for room.
    pub(crate) fn stop_waiting(&self) {
        self.lock().is_closing = true;
        self.changed.notify_all();
    }

    /// Drops events from now on, and waits until all that is queued is written: without a limit, unless
    /// [`Self::stop_waiting`] was called, and then for no longer than `limit` from that moment on.
    pub(crate) fn drain(&self, limit: Duration) {
        self.lock().is_over = true;
        // An event that waits for room is dropped, too.
        self.changed.notify_all();
        let is_busy = |queue: &Queue| {
            !queue.is_gone && (queue.is_writing || !queue.answers.is_empty() || !queue.events.is_empty())
        };
        let busy = |queue: &mut Queue| is_busy(queue) && !queue.is_closing;
        let mut queue = self.changed.wait_while(self.lock(), busy).unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + limit;
        while is_busy(&queue) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            (queue, _) = self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn write(&self) {
        loop {
            let line = {
                let nothing = |queue: &mut Queue| queue.answers.is_empty() && queue.events.is_empty();
                let mut queue = self.changed.wait_while(self.lock(), nothing).unwrap_or_else(PoisonError::into_inner);
                queue.is_writing = true;
                queue.next()
            };
            // Room is there as soon as the line is taken.
            self.changed.notify_all();
            let written = line.map_or(Ok(()), |line| {
                let mut out = io::stdout().lock();
                out.write_all(line.as_bytes()).and_then(|()| out.flush())
            });
            let mut queue = self.lock();
            queue.is_writing = false;
            if written.is_err() {
                // The client ends the process with its input, not here.
                *queue =
                    Queue { is_gone: true, is_closing: queue.is_closing, is_over: queue.is_over, ..Queue::default() };
            }
            self.changed.notify_all();
        }
    }

    /// Waits until there is room, or waiting has no purpose any more.
    fn wait(&self, is_room: impl Fn(&Queue) -> bool) -> MutexGuard<'_, Queue> {
        let full = |queue: &mut Queue| !is_room(queue) && !queue.is_closing && !queue.is_gone;
        self.changed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Takes the next line out.
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
                let (generation_id, place) = candidate;
                let payload = json!({ "generationId": generation_id, "candidate": place, "text": text });
                Some(notification(SKILL_CHUNK, payload) + "\n")
            }
        }
    }
}

fn notification(name: &str, payload: Value) -> String {
    json!({ "jsonrpc": "2.0", "method": name, "params": payload }).to_string()
}

fn piece(payload: &Value) -> Option<(Candidate, &str)> {
    let candidate = (payload["generationId"].as_str()?.to_owned(), payload["candidate"].as_u64()?);
    Some((candidate, payload["text"].as_str()?))
}
