//! The cost of model requests, and a model that is only used within the writer's daily limits.

use std::sync::Arc;

use palimpsest_memory::{
    Engine,
    ports::{Completion, GenerationRequest, Message, ModelError, ModelErrorKind, ModelInfo, TextModel, Tokens},
};
use palimpsest_text::tokens;

use crate::{
    dto::saturating_u32,
    events::{self, EventSink},
};

/// Cost of one request in tokens: as counted by the provider, else as estimated here. A request that was refused before
/// the model wrote costs nothing.
pub(crate) fn cost_of(counted: Option<Tokens>, prompt: u32, text: &str) -> Option<u32> {
    match counted {
        Some(tokens) => Some(tokens.prompt.saturating_add(tokens.answer)),
        None if text.is_empty() => None,
        None => Some(prompt.saturating_add(saturating_u32(tokens::count(text)))),
    }
}

/// Estimated number of tokens of a prompt.
pub(crate) fn prompt_tokens(messages: &[Message]) -> u32 {
    saturating_u32(messages.iter().map(|message| tokens::count(&message.content)).sum::<usize>())
}

/// A model for other requests than candidates. Its usage is counted and sent as a change.
pub(crate) struct Metered {
    pub(crate) inner: Arc<dyn TextModel>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) events: EventSink,
}

impl TextModel for Metered {
    fn info(&self) -> ModelInfo {
        self.inner.info()
    }

    fn generate(
        &self,
        request: &GenerationRequest<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        if self.engine.usage().requests_left() == Some(0) {
            return Err(ModelError::new(ModelErrorKind::DailyLimit, "the limit for today is reached"));
        }
        let mut text = String::new();
        let done = self.inner.generate(request, &mut |piece| {
            text.push_str(piece);
            on_text(piece);
        });
        let counted = done.as_ref().ok().and_then(|completion| completion.tokens);
        // The call of a tool is written too, and not streamed.
        if let Some(call) = done.as_ref().ok().and_then(|completion| completion.tool_call.as_ref()) {
            text.push_str(&call.arguments);
        }
        if let Some(cost) = cost_of(counted, prompt_tokens(request.messages), &text) {
            events::emit(&self.events, events::MEMORY_CHANGED, &self.engine.count_usage(cost).change);
        }
        done
    }
}
