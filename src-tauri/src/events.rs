//! Events from the program to the page.

use std::sync::Arc;

use palimpsest_api::EventSink;
use tauri::{AppHandle, Emitter, Runtime};

/// The label of the only window, used by events, permissions and the close guard.
pub(crate) const WINDOW: &str = "main";

/// Passes every event to the window under its own name, colons included; the page listens with
/// `listen("ai:skill:chunk")`.
///
/// Events of one sender arrive in the order of sending. An event that cannot be delivered (the window is closing) is
/// dropped: each only reports a change, and the page reloads the state when it starts.
pub(crate) fn window_sink<R: Runtime>(app: AppHandle<R>) -> EventSink {
    Arc::new(move |name, payload| {
        app.emit_to(WINDOW, name, payload).ok();
    })
}
