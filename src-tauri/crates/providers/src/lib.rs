//! Models that write and models that find, behind the memory's ports. Everything that talks HTTP lives here.
//!
//! [`text_model`] and [`embedder`] speak three dialects (see [`ProviderKind`]); [`SampleModel`] needs no network and
//! no set-up, and says what it is.
//!
//! **Invariant:** a request goes to the configured host and nowhere else; a redirect away from it is refused.
//! **Invariant:** a key is in a request's header and in [`Secret`], and nowhere else.
//! **Invariant:** no error carries a word of a provider's body, which may be the writer's text.
//! **Invariant:** nothing is sent again once a piece of the answer was passed on.

mod anthropic;
mod catalogue;
mod chat;
mod embedding;
mod endpoint;
mod failure;
pub mod json;
mod network;
mod openai;
pub mod sample;
mod sse;
mod stream;

use std::sync::Arc;

use palimpsest_memory::ports::{Embedder, ModelError, TextModel};

pub use catalogue::{context_tokens, find_ollama, find_ollama_at, models};
pub use endpoint::{BaseUrl, Endpoint, Secret};
pub use network::{Network, Patience, Timer};
pub use palimpsest_memory::model::ProviderKind;
pub use sample::SampleModel;

/// A model that writes. Nothing is asked until it writes.
#[must_use]
pub fn text_model(network: &Arc<Network>, endpoint: Endpoint, model: String) -> Arc<dyn TextModel> {
    let several = endpoint.base_url.is_official(ProviderKind::OpenAi);
    Arc::new(chat::Chat::new(Arc::clone(network), endpoint, model, several))
}

/// As [`text_model`], for a server that is known to write several candidates for one request (`n`). Without it only
/// OpenAI's own is asked for that: many others take `n` and write one.
#[must_use]
pub fn text_model_with_n(network: &Arc<Network>, endpoint: Endpoint, model: String) -> Arc<dyn TextModel> {
    Arc::new(chat::Chat::new(Arc::clone(network), endpoint, model, true))
}

/// A model that finds by meaning. Asks once, to learn how long its vectors are; one word of the program's own is sent.
///
/// # Errors
/// When the model cannot be reached or gives no vector.
pub fn embedder(network: &Arc<Network>, endpoint: &Endpoint, model: &str) -> Result<Arc<dyn Embedder>, ModelError> {
    Ok(Arc::new(embedding::Vectors::ask(Arc::clone(network), endpoint.clone(), model)?))
}
