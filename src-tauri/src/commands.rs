//! One handler for all commands of the window.
//!
//! Tauri refuses every call whose name `permissions/` and `capabilities/` do not grant. Other calls are passed to the
//! router unchanged, so that names, arguments and errors are the same here and in the headless host.

use std::sync::Arc;

use palimpsest_api::{Api, ApiError};
use serde::Serialize;
use tauri::{
    Manager, Runtime, async_runtime,
    ipc::{Invoke, InvokeBody, Response},
};

/// An error of the shell, in the format of the router's.
#[derive(Serialize)]
struct Refusal {
    code: &'static str,
    message: &'static str,
}

const NOT_JSON: Refusal = Refusal { code: "MEMORY_INVALID_ARGUMENT", message: "arguments are one JSON object" };
const NOT_OPEN: Refusal = Refusal { code: "MEMORY_STORE_UNAVAILABLE", message: "the memory is not open" };

/// Answers one call from the page, off the main thread. Always returns `true`: every call is answered with a value or a
/// typed error.
pub(crate) fn answer<R: Runtime>(invoke: Invoke<R>) -> bool {
    let Invoke { message, resolver, .. } = invoke;
    let InvokeBody::Json(args) = message.payload().clone() else {
        resolver.reject(NOT_JSON);
        return true;
    };
    let webview = message.webview_ref();
    let Some(api) = webview.try_state::<Arc<Api>>() else {
        resolver.reject(NOT_OPEN);
        return true;
    };
    let api = Arc::clone(&api);
    let name = message.command().to_owned();
    async_runtime::spawn(async move {
        // The router waits for disks and models. With a thread of its own, a panic in one command fails that command
        // and not the window.
        match async_runtime::spawn_blocking(move || api.call(&name, args)).await {
            Ok(Ok(text)) => resolver.resolve(Response::new(text)),
            Ok(Err(error)) => resolver.reject(error),
            // The panic is in the log.
            Err(_) => resolver.reject(ApiError::broke_off()),
        }
    });
    true
}
