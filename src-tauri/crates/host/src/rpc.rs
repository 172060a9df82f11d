//! JSON-RPC 2.0 over lines.

use std::{
    io::{self, BufRead, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex, MutexGuard};

use palimpsest_api::{Api, ApiError, COMMANDS, ports::FixedClock};
use serde_json::{Value, json};

use crate::output::Output;

/// The longest line, in bytes: larger than any arguments of a command.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;
/// The most concurrent requests; the next line is read when one is done. More than the concurrent recalls that the
/// memory allows, so that the memory itself reports overload.
const MAX_IN_FLIGHT: usize = 128;
/// The most bytes of concurrent requests. A single request may have more.
const MAX_IN_FLIGHT_BYTES: usize = 32 << 20;

pub(crate) const PARSE_ERROR: i32 = -32_700;
pub(crate) const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const COMMAND_FAILED: i32 = -32_000;

/// An item of the input.
pub(crate) enum Input {
    /// A line, with its end.
    Line(Vec<u8>),
    /// A line longer than [`MAX_LINE_BYTES`], skipped.
    TooLong,
    /// The input has ended, or a signal arrived.
    End,
}

/// Starts to read lines in a thread of its own, so that a signal can end the wait for a line.
///
/// # Errors
/// If the system cannot start a thread.
pub(crate) fn start_reading() -> io::Result<(SyncSender<Input>, Receiver<Input>)> {
    let (send, lines) = sync_channel(1);
    let sender = send.clone();
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let read = match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => Input::End,
                Ok(_) if !line.ends_with(b"\n") && line.len() as u64 == MAX_LINE_BYTES => {
                    // The rest of the line must not be read as a message.
                    if input.skip_until(b'\n').is_ok() { Input::TooLong } else { Input::End }
                }
                Ok(_) => Input::Line(line),
            };
            let is_end = matches!(read, Input::End);
            if send.send(read).is_err() || is_end {
                break;
            }
        }
    })?;
    Ok((sender, lines))
}

/// Answers requests until the input ends.
pub(crate) fn serve(
    api: &Arc<Api>,
    clock: Option<&Arc<FixedClock>>,
    output: &Arc<Output>,
    lines: &Receiver<Input>,
    in_flight: &Arc<InFlight>,
) {
    while let Ok(input) = lines.recv() {
        let line = match input {
            Input::End => break,
            Input::TooLong => {
                output.answer(failure(&Value::Null, PARSE_ERROR, "the line is too long"));
                continue;
            }
            Input::Line(line) => line,
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            let id = id_of_invalid_json(&line).unwrap_or(Value::Null);
            output.answer(failure(&id, PARSE_ERROR, "not JSON"));
            continue;
        };
        let Some(guard) = in_flight.acquire(line.len()) else { break };
        drop(line);
        let id = message.get("id").cloned();
        let name = message.get("method").and_then(Value::as_str).unwrap_or_default();
        // The thread is named after its command, as the report of a panic contains the name.
        let name = COMMANDS.iter().find(|(command, _)| *command == name).map_or("a request", |(command, _)| command);
        let (api, clock, out) = (Arc::clone(api), clock.map(Arc::clone), Arc::clone(output));
        let started = thread::Builder::new().name(name.to_owned()).spawn(move || {
            let id = message.get("id").cloned();
            let answered = catch_unwind(AssertUnwindSafe(|| answer(&api, clock.as_deref(), &out, message)));
            // A request that panics is answered with an error.
            if let Some(answer) = answered.unwrap_or_else(|_| id.map(|id| error(&id, &ApiError::broke_off()))) {
                out.answer(answer);
            }
            drop(guard);
        });
        if started.is_err()
            && let Some(id) = id
        {
            output.answer(error(&id, &ApiError::broke_off()));
        }
    }
}

/// The id of a request that is not valid JSON because of truncated text: invalid UTF-8 or an unpaired surrogate.
/// Without the id in the answer a client would wait forever.
pub(crate) fn id_of_invalid_json(line: &[u8]) -> Option<Value> {
    let text = replace_unpaired_surrogates(&String::from_utf8_lossy(line));
    let message: Value = serde_json::from_str(&text).ok()?;
    message.get("id").filter(|id| id.is_number() || id.as_str().is_some_and(|id| !id.contains('\u{fffd}'))).cloned()
}

/// The line with each unpaired surrogate escape (such as `\ud800`) replaced by the escape of U+FFFD.
fn replace_unpaired_surrogates(json: &str) -> String {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut replaced = String::with_capacity(json.len());
    let mut at = 0;
    while let Some(c) = json[at..].chars().next() {
        let length = match (c, unit(at)) {
            ('\\', Some(0xd800..=0xdbff)) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            ('\\', Some(0xd800..=0xdfff)) => {
                replaced.push_str("\\ufffd");
                at += 6;
                continue;
            }
            // An escaped character does not begin another escape.
            ('\\', _) => 1 + json[at + 1..].chars().next().map_or(0, char::len_utf8),
            _ => c.len_utf8(),
        };
        replaced.push_str(&json[at..at + length]);
        at += length;
    }
    replaced
}

/// The answer to one message; `None` for a notification.
fn answer(api: &Api, clock: Option<&FixedClock>, output: &Arc<Output>, mut message: Value) -> Option<String> {
    let id = message.get("id").cloned();
    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
    let (Some(method), Some("2.0")) = (method, message.get("jsonrpc").and_then(Value::as_str)) else {
        return Some(failure(&id.unwrap_or(Value::Null), INVALID_REQUEST, "not a JSON-RPC 2.0 request"));
    };
    let params = message.get_mut("params").map_or(Value::Null, Value::take);
    let result = match (method.as_str(), clock) {
        ("test:clock:advance", Some(clock)) => advance(clock, &params).inspect(|_| api.clock_moved()),
        ("test:clear:halt", Some(_)) => halt_clearing(api, &params, output),
        ("test:panic", Some(_)) => break_off(api, &params),
        (name, _) if COMMANDS.iter().any(|(command, _)| *command == name) => api.call(name, params),
        _ => return id.map(|id| failure(&id, METHOD_NOT_FOUND, "there is no such command")),
    };
    let id = id?;
    Some(match result {
        // The result is JSON already, and can be long.
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(failed) => error(&id, &failed),
    })
}

/// The answer to a command that failed.
fn error(id: &Value, error: &ApiError) -> String {
    let mut data = json!({ "code": error.code });
    if let Some(details) = &error.details {
        data["details"] = json!(details);
    }
    let error = json!({ "code": COMMAND_FAILED, "message": error.message, "data": data });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

/// The answer to a message that is no request.
pub(crate) fn failure(id: &Value, code: i32, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

/// Advances a fixed clock by days, hours and seconds.
fn advance(clock: &FixedClock, params: &Value) -> Result<String, ApiError> {
    let mut millis = 0.0;
    for (unit, length) in [("days", 86_400_000.0), ("hours", 3_600_000.0), ("seconds", 1_000.0)] {
        match params.get(unit) {
            None => {}
            Some(amount) => {
                let amount = amount.as_f64().filter(|amount| (0.0..=36_500.0 * 86_400.0).contains(amount));
                millis += amount.ok_or_else(|| ApiError::invalid(unit, "not a number of zero or more"))? * length;
            }
        }
    }
    let now = clock.advance_millis(millis as i64);
    Ok(json!({ "now": now }).to_string())
}

/// Halts clearings forever after `after` steps, so that a test can inspect this state and end the process.
fn halt_clearing(api: &Api, params: &Value, output: &Arc<Output>) -> Result<String, ApiError> {
    let after =
        params.get("after").and_then(Value::as_u64).ok_or_else(|| ApiError::invalid("after", "not a number"))?;
    let (steps, output) = (AtomicU64::new(0), Arc::clone(output));
    api.watch_clearing(Some(Arc::new(move |_| {
        if steps.fetch_add(1, Ordering::SeqCst) + 1 >= after {
            output.event("test:clear:halted", json!({ "after": after }));
            loop {
                thread::park();
            }
        }
    })));
    Ok(json!({ "after": after }).to_string())
}

/// Makes a part of the program panic from now on, or no longer: `{"in": "command" | …, "on": true}`. `text` becomes
/// part of the panic message, like a text of the writer's.
fn break_off(api: &Api, params: &Value) -> Result<String, ApiError> {
    let part = params.get("in").and_then(Value::as_str).ok_or_else(|| ApiError::invalid("in", "not a text"))?;
    let text = params.get("text").and_then(Value::as_str).unwrap_or_default();
    let is_on = params.get("on").and_then(Value::as_bool).unwrap_or(true);
    api.break_off(part, is_on.then_some(text))?;
    Ok(json!({ "in": part, "on": is_on }).to_string())
}

/// The limit on concurrent requests, by number and bytes.
#[derive(Default)]
pub(crate) struct InFlight {
    load: Mutex<Load>,
    changed: Condvar,
}

#[derive(Default)]
struct Load {
    requests: usize,
    bytes: usize,
    /// Whether no further requests start.
    is_closed: bool,
}

/// The share of a request in the limits; it ends when the guard is dropped.
pub(crate) struct InFlightGuard {
    in_flight: Arc<InFlight>,
    bytes: usize,
}

impl InFlight {
    /// Waits until a request of `bytes` may start; `None` if no further requests start.
    pub(crate) fn acquire(self: &Arc<Self>, bytes: usize) -> Option<InFlightGuard> {
        let full = |load: &mut Load| {
            let is_too_much = load.requests > 0 && load.bytes + bytes > MAX_IN_FLIGHT_BYTES;
            !load.is_closed && (load.requests >= MAX_IN_FLIGHT || is_too_much)
        };
        let mut load = self.lock();
        self.changed.wait_while(&mut load, full);
        if load.is_closed {
            return None;
        }
        load.requests += 1;
        load.bytes += bytes;
        Some(InFlightGuard { in_flight: Arc::clone(self), bytes })
    }

    /// Starts no further request.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Whether [`Self::close`] was called.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Waits until every running request is answered: without a limit, unless it is closed, and then for no longer
    /// than `limit` from that moment on.
    pub(crate) fn wait_until_idle(&self, limit: Duration) {
        let busy = |load: &mut Load| load.requests > 0 && !load.is_closed;
        let mut load = self.lock();
        self.changed.wait_while(&mut load, busy);
        let until = Instant::now() + limit;
        while load.requests > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.changed.wait_for(&mut load, left);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Load> {
        self.load.lock()
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut load = self.in_flight.lock();
        load.requests -= 1;
        load.bytes -= self.bytes;
        drop(load);
        self.in_flight.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_of_a_cut_text_is_found_and_no_other() {
        let id = |line: &[u8]| id_of_invalid_json(line);
        assert_eq!(id(br#"{"id":7,"params":{"text":"a\ud83d"}}"#), Some(json!(7)));
        assert_eq!(id(br#"{"id":"x","params":{"text":"\ude00\ud83d\ude00 \\ud800"}}"#), Some(json!("x")));
        assert_eq!(id(b"{\"id\":7,\"params\":{\"text\":\"\xe9\x9b\"}}"), Some(json!(7)));
        assert_eq!(id(br#"{"id":"\ud800"}"#), None, "an identity that is not the client's own");
        assert_eq!(id(br#"{"id":[1],"a":"\ud800"}"#), None);
        assert_eq!(id(br#"{"id":7,"#), None);
        assert_eq!(id(br#""\ud8"#), None);
        assert_eq!(id(b"\\"), None);
    }

    #[test]
    fn a_text_with_whole_surrogate_pairs_stays_as_it_is() {
        for text in [r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\n雨\u96e8""#, "", "\\", r"\u", r"\ud8", "\\雨"] {
            assert_eq!(replace_unpaired_surrogates(text), text);
        }
        assert_eq!(replace_unpaired_surrogates(r#""\ud83d\u0041 \ude00""#), r#""\ufffd\u0041 \ufffd""#);
    }
}
