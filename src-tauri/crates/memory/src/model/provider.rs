//! Where models are, what each is used for, and what they cost. Keys are no part of this: they live elsewhere, and
//! nothing here can hold one.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum ProviderKind {
    /// OpenAI's chat completions, which most others speak too.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama on its own port.
    Ollama,
}

/// A provider that the writer has set up, as it is stored: without its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Stays when everything else is changed.
    pub provider_id: String,
    /// What it speaks.
    pub kind: ProviderKind,
    /// As the writer calls it, 1 to 80 characters.
    pub name: String,
    /// Where it is; nothing is ever sent anywhere else.
    pub base_url: String,
}

/// A provider to be added or changed.
#[derive(Debug, Clone)]
pub struct ProviderDraft {
    /// The provider to change; without one, a new one is added.
    pub provider_id: Option<String>,
    /// What it speaks.
    pub kind: ProviderKind,
    /// As the writer calls it, 1 to 80 characters.
    pub name: String,
    /// Where it is, looked at already by whoever knows addresses.
    pub base_url: String,
}

/// What a model is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// Writing candidates.
    Writing,
    /// Wording what was learned.
    Distilling,
    /// Finding by meaning.
    Embedding,
}

impl Purpose {
    /// All of them, in the order they are shown in.
    pub const ALL: [Self; 3] = [Self::Writing, Self::Distilling, Self::Embedding];
}

/// The model of one purpose. Without a provider it is what is built in: the sample model, templates, the bundled
/// encoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct PurposeModel {
    /// The purpose.
    pub purpose: Purpose,
    /// The provider, or `null` for what is built in.
    pub provider_id: Option<String>,
    /// The model as the provider names it; `null` exactly where the provider is.
    pub model: Option<String>,
    /// How long a prompt and its answer may be together, in tokens, where that is known.
    pub context_tokens: Option<u32>,
}

impl PurposeModel {
    /// What is built in.
    #[must_use]
    pub const fn built_in(purpose: Purpose) -> Self {
        Self { purpose, provider_id: None, model: None, context_tokens: None }
    }
}

/// The providers and what they are used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// In the order they were added.
    pub providers: Vec<Provider>,
    /// One for each purpose, in the order of [`Purpose::ALL`].
    pub purposes: Vec<PurposeModel>,
    /// Why some of this may be missing or old: it could not be read. Holds no text of the writer's.
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
    pub fn of(&self, purpose: Purpose) -> PurposeModel {
        let found = self.purposes.iter().find(|one| one.purpose == purpose);
        found.cloned().unwrap_or(PurposeModel::built_in(purpose))
    }

    /// A provider.
    #[must_use]
    pub fn provider(&self, provider_id: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.provider_id == provider_id)
    }
}

/// What models may cost a day, as the writer has set it; `None` for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DailyLimits {
    /// Requests, 1 or more.
    pub requests_per_day: Option<u32>,
    /// Tokens of prompts and answers together, 1 or more.
    pub tokens_per_day: Option<u32>,
}

/// What models that are not built in were asked for today, and what the writer allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The day where the writer is, `YYYY-MM-DD`.
    pub day: String,
    /// Requests that were answered, in whole or in part.
    pub requests: u32,
    /// Tokens of prompts and answers together: counted by the provider, else estimated here.
    pub tokens: u32,
    /// The limit, or `null`.
    pub requests_per_day: Option<u32>,
    /// The limit, or `null`.
    pub tokens_per_day: Option<u32>,
}

impl Usage {
    /// How many requests are left today; `None` for as many as one likes. 0 as soon as either limit is reached.
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
