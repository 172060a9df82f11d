//! JSON-RPC 2.0 over lines.

use std::{
    io::{self, BufRead, Read},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use palimpsest_api::{Api, ApiError, COMMANDS, testing::FixedClock};
use serde_json::{Value, json};

use crate::Output;

/// The longest line, in bytes: larger than any argument the commands take.
const MAX_LINE: u64 = 16 * 1024 * 1024;
/// Requests that are worked on at the same time; the next line is read when one is done. More than the recalls that are
/// let in at once, so that the memory itself says when it is too much.
const IN_FLIGHT: usize = 128;

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const COMMAND_FAILED: i32 = -32_000;

/// Answers requests until the input ends, and then until all that were begun are answered.
pub(crate) fn serve(api: &Arc<Api>, clock: Option<&Arc<FixedClock>>, output: &Arc<Output>) {
    let places = Arc::new(Places::default());
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) if !line.ends_with(b"\n") && line.len() as u64 == MAX_LINE => {
                output.send(&failure(&Value::Null, PARSE_ERROR, "the line is too long"));
                // What is left of it must not be taken for a message.
                if input.skip_until(b'\n').is_err() {
                    break;
                }
                continue;
            }
            Ok(_) => {}
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            output.send(&failure(&Value::Null, PARSE_ERROR, "not JSON"));
            continue;
        };
        let place = places.take();
        let (api, clock, output) = (Arc::clone(api), clock.map(Arc::clone), Arc::clone(output));
        thread::spawn(move || {
            if let Some(answer) = answer(&api, clock.as_deref(), &output, message) {
                output.send_line(answer);
            }
            drop(place);
        });
    }
    places.wait_until_all_are_free();
}

/// The answer to one message; `None` for a notification.
fn answer(api: &Api, clock: Option<&FixedClock>, output: &Arc<Output>, mut message: Value) -> Option<String> {
    let id = message.get("id").cloned();
    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
    let (Some(method), Some("2.0")) = (method, message.get("jsonrpc").and_then(Value::as_str)) else {
        return Some(failure(&id.unwrap_or(Value::Null), INVALID_REQUEST, "not a JSON-RPC 2.0 request").to_string());
    };
    let params = message.get_mut("params").map_or(Value::Null, Value::take);
    let result = match (method.as_str(), clock) {
        ("test:clock:advance", Some(clock)) => advance(clock, &params).inspect(|_| api.clock_moved()),
        ("test:clear:halt", Some(_)) => halt_clearing(api, &params, output),
        (name, _) if COMMANDS.iter().any(|(command, _)| *command == name) => api.call(name, params),
        _ => return id.map(|id| failure(&id, METHOD_NOT_FOUND, "there is no such command").to_string()),
    };
    let id = id?;
    Some(match result {
        // The answer is JSON already, and may be long.
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => {
            let mut data = json!({ "code": error.code });
            if let Some(details) = &error.details {
                data["details"] = json!(details);
            }
            let error = json!({ "code": COMMAND_FAILED, "message": error.message, "data": data });
            json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
        }
    })
}

fn failure(id: &Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// Moves a fixed clock on by days, hours and seconds.
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

/// Lets clearings go so many steps and stand still for good then, so that a test can see what is to be seen there, and
/// end the process.
fn halt_clearing(api: &Api, params: &Value, output: &Arc<Output>) -> Result<String, ApiError> {
    let after =
        params.get("after").and_then(Value::as_u64).ok_or_else(|| ApiError::invalid("after", "not a number"))?;
    let (steps, output) = (AtomicU64::new(0), Arc::clone(output));
    api.watch_clearing(Some(Arc::new(move |_| {
        if steps.fetch_add(1, Ordering::SeqCst) + 1 >= after {
            output.send(&json!({ "jsonrpc": "2.0", "method": "test:clear:halted", "params": { "after": after } }));
            loop {
                thread::park();
            }
        }
    })));
    Ok(json!({ "after": after }).to_string())
}

/// How many requests are being worked on.
#[derive(Default)]
struct Places {
    taken: Mutex<usize>,
    freed: Condvar,
}

struct Place(Arc<Places>);

impl Places {
    fn take(self: &Arc<Self>) -> Place {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken =
            self.freed.wait_while(taken, |taken| *taken >= IN_FLIGHT).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Place(Arc::clone(self))
    }

    fn wait_until_all_are_free(&self) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let _none = self.freed.wait_while(taken, |taken| *taken > 0).unwrap_or_else(PoisonError::into_inner);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.freed.notify_all();
    }
}
