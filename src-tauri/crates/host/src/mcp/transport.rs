//! Lines in, messages out: the transport under the protocol.
//!
//! The library has one of its own. This one shares the limits and the end of the other mode: lines of up to 16 MiB,
//! requests in flight by number and bytes, a slow reader that blocks only itself, and a signal that ends the wait for a
//! line. A line that is cut inside a text is answered, because its client waits for an answer.

use std::{
    borrow::Cow,
    io,
    sync::{Arc, mpsc::Receiver},
    thread,
};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, GetExtensions, JsonRpcMessage},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    sync::{Mutex, mpsc, watch},
    task::spawn_blocking,
};

use crate::{
    output::Output,
    rpc::{self, InFlight, InFlightGuard, Input},
};

/// The messages of standard input, and the queue of standard output.
#[derive(Clone)]
pub(super) struct Lines {
    messages: Arc<Mutex<mpsc::Receiver<ClientJsonRpcMessage>>>,
    output: Arc<Output>,
    end: Arc<watch::Sender<bool>>,
}

/// The share of a request in the limits; it ends with the request.
#[derive(Clone)]
struct Share(#[allow(dead_code)] Arc<InFlightGuard>); // exists to be dropped

impl Lines {
    /// Starts to parse lines in a thread of its own. `end` becomes true after the last one.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn start(
        lines: Receiver<Input>,
        output: &Arc<Output>,
        in_flight: &Arc<InFlight>,
        end: &Arc<watch::Sender<bool>>,
    ) -> io::Result<Self> {
        let (send, messages) = mpsc::channel(1);
        let (out, at) = (Arc::clone(output), Arc::clone(in_flight));
        thread::Builder::new().name("parser".to_owned()).spawn(move || {
            while let Some(message) = next(&lines, &out, &at) {
                if send.blocking_send(message).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { messages: Arc::new(Mutex::new(messages)), output: Arc::clone(output), end: Arc::clone(end) })
    }

    pub(super) fn has_ended(&self) -> bool {
        *self.end.borrow()
    }
}

/// The next message; `None` at the end of the input. Lines that are no messages are answered.
fn next(lines: &Receiver<Input>, output: &Output, in_flight: &Arc<InFlight>) -> Option<ClientJsonRpcMessage> {
    loop {
        let line = match lines.recv() {
            Ok(Input::Line(line)) => line,
            Ok(Input::TooLong) => {
                output.answer(rpc::failure(&Value::Null, rpc::PARSE_ERROR, "the line is too long"));
                continue;
            }
            Ok(Input::End) | Err(_) => return None,
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            let id = rpc::id_of_invalid_json(&line).unwrap_or(Value::Null);
            output.answer(rpc::failure(&id, rpc::PARSE_ERROR, "not JSON"));
            continue;
        };
        let id = message.get("id").cloned();
        match serde_json::from_value::<ClientJsonRpcMessage>(message) {
            Ok(JsonRpcMessage::Request(mut request)) => {
                let share = Share(Arc::new(in_flight.acquire(line.len())?));
                request.request.extensions_mut().insert(share);
                return Some(JsonRpcMessage::Request(request));
            }
            Ok(message) => return Some(message),
            Err(_) => {
                let id = id.filter(|id| id.is_number() || id.is_string()).unwrap_or(Value::Null);
                output.answer(rpc::failure(&id, rpc::INVALID_REQUEST, "not a message of the protocol"));
            }
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "lines".into()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let line = serde_json::to_string(&message);
        let output = Arc::clone(&self.output);
        async move {
            let line = line?;
            // Waits for a client that reads slowly.
            spawn_blocking(move || output.answer(line)).await.map_err(io::Error::other)
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.messages.lock().await.recv().await;
        if message.is_none() {
            self.end.send_replace(true);
        }
        message
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}
