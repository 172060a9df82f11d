//! Text models, embedding models, reranking models and a team's answer service behind the memory's ports. The only
//! crate that uses the network.
//!
//! [`text_model`] and [`embedder`] support three APIs (see [`ProviderKind`]), [`reranker`] that of Jina and Cohere;
//! [`SampleModel`] needs no network and no set-up, and identifies itself as a sample.
//!
//! **Invariant:** a request goes only to the configured host; a redirect to another host is refused.
//! **Invariant:** a key is only in a request's header and in [`Secret`].
//! **Invariant:** no error contains text of a provider's body, which may quote the writer.
//! **Invariant:** a request is not retried once a piece of the answer was passed on.

mod answer_service;
mod anthropic;
mod capabilities;
mod catalogue;
mod chat;
mod embedding;
mod endpoint;
mod failure;
pub mod json;
mod network;
mod openai;
mod post;
mod rerank;
pub mod sample;
mod sse;
mod stream;
mod tool_calls;

use std::sync::Arc;

use palimpsest_memory::ports::{Embedder, ModelError, Reranker, TextModel};

pub use answer_service::{AnswerService, ReadKey, parse_service_url};
pub use catalogue::{context_tokens, find_ollama, find_ollama_at, models};
pub use endpoint::{BaseUrl, Endpoint, Secret};
pub use network::{Network, Timeouts, Timer};
pub use palimpsest_memory::model::ProviderKind;
pub use sample::SampleModel;

/// A text model. Sends no request until it generates.
#[must_use]
pub fn text_model(network: &Arc<Network>, endpoint: Endpoint, model: String) -> Arc<dyn TextModel> {
    let several = endpoint.base_url.is_official(ProviderKind::OpenAi);
    Arc::new(chat::ChatModel::new(Arc::clone(network), endpoint, model, several))
}

/// As [`text_model`], for a server that is known to generate several candidates for one request (`n`). Otherwise `n` is
/// used only with OpenAI's own server: many others accept `n` and generate one.
#[must_use]
pub fn text_model_with_n(network: &Arc<Network>, endpoint: Endpoint, model: String) -> Arc<dyn TextModel> {
    Arc::new(chat::ChatModel::new(Arc::clone(network), endpoint, model, true))
}

/// An embedding model. Sends one request with a fixed word to detect the dimensions.
///
/// # Errors
/// If the model cannot be reached or returns no vector.
pub fn embedder(network: &Arc<Network>, endpoint: &Endpoint, model: &str) -> Result<Arc<dyn Embedder>, ModelError> {
    Ok(Arc::new(embedding::RemoteEmbedder::connect(Arc::clone(network), endpoint.clone(), model)?))
}

/// A reranking model. Sends no request until it is asked for an order.
#[must_use]
pub fn reranker(network: &Arc<Network>, endpoint: Endpoint, model: String) -> Arc<dyn Reranker> {
    Arc::new(rerank::RemoteReranker::new(Arc::clone(network), endpoint, model))
}
