//! What the program tells the page without being asked.

use std::sync::Arc;

use palimpsest_api::EventSink;
use tauri::{AppHandle, Emitter, Runtime};

/// The one window. Events, permissions and the close guard all name it.
pub(crate) const WINDOW: &str = "main";

/// Passes every event to the window under its own name, colons included; the page listens with `listen("ai:skill:chunk")`.
///
/// Events of one sender arrive in the order in which they were sent. One that cannot be delivered (the window is closing)
/// is dropped: each only says that something changed or grew, and the page asks again when it starts.
pub(crate) fn sink<R: Runtime>(app: AppHandle<R>) -> EventSink {
    Arc::new(move |name, payload| {
        let _ = app.emit_to(WINDOW, name, payload);
    })
}
