//! Providers, the model of each purpose, and costs. Keys are stored elsewhere: no type here has a field for one.

use serde::{Deserialize, Serialize};
use specta::Type;

/// The protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ProviderKind {
    /// OpenAI's chat completions, which most other providers support too.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own API.
    Ollama,
}

/// A provider as it is stored: without its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Id; stays when other fields change.
    pub provider_id: String,
    /// Its protocol.
    pub kind: ProviderKind,
    /// The writer's name for it, 1 to 80 characters.
    pub name: String,
    /// Base URL; requests go nowhere else.
    pub base_url: String,
}

/// A provider to be added or changed.
#[derive(Debug, Clone)]
pub struct ProviderDraft {
    /// Id of the provider to change; `None` adds one.
    pub provider_id: Option<String>,
    /// Its protocol.
    pub kind: ProviderKind,
    /// The writer's name for it, 1 to 80 characters.
    pub name: String,
    /// Base URL, already validated by the caller.
    pub base_url: String,
}

/// The purpose of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// Writing candidates.
    Writing,
    /// Wording learned rules.
    Distilling,
    /// Semantic search.
    Embedding,
    /// Wording entries of the journal.
    Journal,
    /// Answering questions. Without a provider the model of [`Purpose::Writing`] answers; the sample model never does.
    Asking,
    /// Studying the book. Without a provider the model of [`Purpose::Asking`] does.
    Studying,
    /// Ordering what a search found. Without a provider words and meaning order it.
    Reranking,
}

impl Purpose {
    /// All purposes, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Writing,
        Self::Asking,
        Self::Studying,
        Self::Distilling,
        Self::Embedding,
        Self::Reranking,
        Self::Journal,
    ];
}

/// The model of one purpose. Without a provider it is the built-in one: the sample model, templates, the bundled
/// encoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PurposeModel {
    /// The task that the model does.
    pub purpose: Purpose,
    /// Id of the provider, or `null` for the built-in model.
    pub provider_id: Option<String>,
    /// Model name at the provider; `null` exactly where the provider is.
    pub model: Option<String>,
    /// Context length in tokens, prompt and answer together; `null` if unknown.
    pub context_tokens: Option<u32>,
}

impl PurposeModel {
    /// The built-in model of a purpose.
    #[must_use]
    pub const fn built_in(purpose: Purpose) -> Self {
        Self { purpose, provider_id: None, model: None, context_tokens: None }
    }
}

/// All providers and the model of each purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// In the order in which they were added.
    pub providers: Vec<Provider>,
    /// One for each purpose, in the order of [`Purpose::ALL`].
    pub purposes: Vec<PurposeModel>,
    /// Why some of this may be missing or old: a file could not be read. Holds no text of the writer's.
    pub unread: Option<String>,
}

impl Default for Models {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            purposes: Purpose::ALL.into_iter().map(PurposeModel::built_in).collect(),
            unread: None,
        }
    }
}

impl Models {
    /// The model of a purpose.
    #[must_use]
    pub fn for_purpose(&self, purpose: Purpose) -> PurposeModel {
        let found = self.purposes.iter().find(|one| one.purpose == purpose);
        found.cloned().unwrap_or(PurposeModel::built_in(purpose))
    }

    /// The provider with this id.
    #[must_use]
    pub fn provider(&self, provider_id: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.provider_id == provider_id)
    }
}

/// The writer's daily limits; `None` for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DailyLimits {
    /// Maximum requests per day, 1 or more.
    pub requests_per_day: Option<u32>,
    /// Maximum tokens per day, prompts and answers together, 1 or more.
    pub tokens_per_day: Option<u32>,
}

/// Today's usage of models that are not built in, and the writer's limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Local day, `YYYY-MM-DD`.
    pub day: String,
    /// Requests with a complete or partial answer.
    pub requests: u32,
    /// Tokens of prompts and answers together: the provider's count, else an estimate.
    pub tokens: u32,
    /// Maximum requests per day, or `null`.
    pub requests_per_day: Option<u32>,
    /// Maximum tokens per day, or `null`.
    pub tokens_per_day: Option<u32>,
}

impl Usage {
    /// Requests left today; `None` for no limit. 0 as soon as either limit is reached.
    #[must_use]
    pub fn requests_left(&self) -> Option<u32> {
        if self.tokens_per_day.is_some_and(|limit| self.tokens >= limit) {
            return Some(0);
        }
        self.requests_per_day.map(|limit| limit.saturating_sub(self.requests))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_limit_alone_ends_the_day() {
        let usage = |requests, tokens, requests_per_day, tokens_per_day| {
            Usage { day: "2026-03-15".into(), requests, tokens, requests_per_day, tokens_per_day }.requests_left()
        };
        assert_eq!(usage(900, 900_000, None, None), None);
        assert_eq!(usage(3, 0, Some(5), None), Some(2));
        assert_eq!(usage(7, 0, Some(5), None), Some(0));
        assert_eq!(usage(0, 99, Some(5), Some(100)), Some(5));
        assert_eq!(usage(0, 100, Some(5), Some(100)), Some(0));
        assert_eq!(usage(0, 100, None, Some(100)), Some(0));
    }
}
