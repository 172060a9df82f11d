//! Questions to the book: a call that lasts until the answer is complete, with progress, and that can be cancelled.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use palimpsest_api::{ApiError, Code};
use parking_lot::Mutex;
use rmcp::{
    RoleServer,
    model::{JsonObject, ProgressNotificationParam},
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::{
    select,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
};

use super::{
    Handler, Scope,
    arguments::{AskBook, parse, set_position, to_fields},
    results::{Refusal, into_fields},
};

/// The events of questions, for the calls that wait for them.
#[derive(Default)]
pub(crate) struct Questions {
    waiting: Mutex<Vec<(u64, UnboundedSender<Event>)>>,
    next: AtomicU64,
}

/// An event of a question.
#[derive(Clone)]
enum Event {
    Step {
        run_id: String,
        kind: String,
        found: Option<u64>,
    },
    /// The number of characters in a chunk of the answer.
    Chunk {
        run_id: String,
        characters: usize,
    },
    Done {
        run_id: String,
        done: Arc<Value>,
    },
}

/// Receives events until it is dropped.
struct Subscription {
    questions: Arc<Questions>,
    number: u64,
    events: UnboundedReceiver<Event>,
}

impl Questions {
    /// Passes an event on. Others than those of questions are ignored.
    pub(crate) fn event(&self, name: &str, payload: Value) {
        let text = |field: &str| payload[field].as_str().unwrap_or_default().to_owned();
        let run_id = text("runId");
        let event = match name {
            "ask:step" => Event::Step { run_id, kind: text("kind"), found: payload["found"].as_u64() },
            "ask:chunk" => Event::Chunk { run_id, characters: text("text").chars().count() },
            "ask:done" => Event::Done { run_id, done: Arc::new(payload) },
            _ => return,
        };
        // A call whose receiver is gone is about to remove its sender.
        self.waiting.lock().iter().for_each(|(_, waiting)| drop(waiting.send(event.clone())));
    }

    /// From before the question is asked, as its first events come before the answer to the command.
    fn subscribe(self: &Arc<Self>) -> Subscription {
        let (send, events) = unbounded_channel();
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        self.waiting.lock().push((number, send));
        Subscription { questions: Arc::clone(self), number, events }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.questions.waiting.lock().retain(|(number, _)| *number != self.number);
    }
}

impl Event {
    fn run_id(&self) -> &str {
        match self {
            Self::Step { run_id, .. } | Self::Chunk { run_id, .. } | Self::Done { run_id, .. } => run_id,
        }
    }
}

/// The progress of a question, for a client that wants it. No text of the book is in its messages.
struct Progress {
    context: RequestContext<RoleServer>,
    /// Grows with each message.
    number: u32,
    characters: usize,
}

impl Progress {
    fn note(&mut self, event: &Event) -> String {
        match event {
            Event::Step { kind, found: None, .. } => format!("{}…", step(kind)),
            Event::Step { kind, found: Some(found), .. } => format!("{}: {found} found", step(kind)),
            Event::Chunk { characters, .. } => {
                self.characters += characters;
                format!("writing the answer: {} characters", self.characters)
            }
            Event::Done { .. } => "checking the answer".to_owned(),
        }
    }

    async fn send(&mut self, message: String) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        self.number += 1;
        let progress = ProgressNotificationParam::new(token, self.number.into()).with_message(message);
        // A client that is gone has ended the input too.
        self.context.peer.notify_progress(progress).await.ok();
    }
}

/// A kind of step in words.
fn step(kind: &str) -> &'static str {
    match kind {
        "need" => "deciding what to look up",
        "journal" => "searching the journal",
        "answers" => "searching kept answers",
        "episodes" => "searching past passages",
        "book" => "searching the book",
        "read" => "reading a passage",
        "entity" => "reading a card",
        "where" => "counting mentions",
        "together" => "searching for two names together",
        "times" => "reading times of the story",
        _ => "using a tool",
    }
}

/// Asks a question and returns its answer once it is complete.
pub(super) async fn ask(
    handler: &Handler,
    given: JsonObject,
    context: RequestContext<RoleServer>,
) -> Result<Value, Refusal> {
    let (scope, given) = handler.scope(given)?;
    let given: AskBook = parse(given)?;
    let mut fields = to_fields(&given);
    set_position(&mut fields);
    let scope = Arc::new(scope);
    let mut subscription = handler.questions.subscribe();
    let started = execute(&scope, "ask:run", fields).await?;
    let asked_of = &started["askedOf"];
    if asked_of["kind"] == "kept" {
        let result = json!({ "status": "kept", "askedOf": asked_of, "answer": started["served"] });
        return hidden(&scope, result).await;
    }
    let run_id = started["runId"].as_str().unwrap_or_default().to_owned();
    let mut progress = Progress { context, number: 0, characters: 0 };
    let done = loop {
        let event = select! {
            biased;
            () = progress.context.ct.cancelled() => None,
            () = handler.ended() => None,
            event = subscription.events.recv() => event,
        };
        match event {
            Some(event) if event.run_id() != run_id => {}
            Some(Event::Done { done, .. }) => break done,
            Some(event) => {
                let mut message = progress.note(&event);
                // Of events that have come meanwhile the last one is sent.
                let mut done = None;
                while let Ok(event) = subscription.events.try_recv() {
                    if event.run_id() == run_id {
                        message = progress.note(&event);
                        if let Event::Done { done: ended, .. } = event {
                            done = Some(ended);
                        }
                    }
                }
                progress.send(message).await;
                if let Some(done) = done {
                    break done;
                }
            }
            None => {
                execute(&scope, "ask:cancel", into_fields(json!({ "runId": run_id }))).await.ok();
                return Err(ApiError::new(Code::ModelUnavailable, "the question was cancelled").into());
            }
        }
    };
    if !done["error"].is_null() {
        // The error of the run, as that of a command.
        let error = serde_json::from_value(done["error"].clone()).unwrap_or_else(|_| ApiError::broke_off());
        return Err(error.into());
    }
    let result = json!({
        "status": done["status"],
        "askedOf": asked_of,
        "answer": done["answered"],
        "nearly": started["nearly"],
    });
    hidden(&scope, result).await
}

/// Executes a command of questions in a thread. `ask:cancel` has no project.
async fn execute(scope: &Arc<Scope>, command: &'static str, fields: JsonObject) -> Result<Value, Refusal> {
    let scope = Arc::clone(scope);
    Handler::in_thread(command, move || {
        if command == "ask:cancel" {
            let answer = scope.api.call(command, Value::Object(fields))?;
            return Ok(serde_json::from_str(&answer).unwrap_or_default());
        }
        Ok(scope.call(command, fields)?)
    })
    .await
}

async fn hidden(scope: &Arc<Scope>, result: Value) -> Result<Value, Refusal> {
    let scope = Arc::clone(scope);
    Handler::in_thread("ask:run", move || Ok(scope.hide_names(result)?)).await
}
