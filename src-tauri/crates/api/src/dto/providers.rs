//! Arguments and answers of commands about providers and what they are used for.

use palimpsest_memory::{
    model::{ProviderKind, Purpose, PurposeModel},
    ports::ModelInfo,
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::keys::{KeyKept, TypedKey};

arguments! {
    /// A provider to be added or changed.
    SaveProvider {
        /// The provider to change; without one, a new one is added.
        #[specta(optional)]
        provider_id: Option<String>,
        /// What it speaks.
        kind: ProviderKind,
        /// As the writer calls it, 1 to 80 characters.
        name: String,
        /// Where it is; where it was, or the usual place of its kind, when missing.
        #[specta(optional)]
        base_url: Option<String>,
        /// Missing: the key stays, unless the provider is on another host now. Empty: it is forgotten.
        #[specta(optional)]
        key: Option<TypedKey>,
    }
    /// One provider.
    OfProvider {
        /// The provider.
        provider_id: String,
    }
    /// A provider to be tried.
    TestProvider {
        /// The provider.
        provider_id: String,
        /// A model that shall write a word.
        #[specta(optional)]
        model: Option<String>,
    }
    /// The model of a purpose.
    SetPurpose {
        /// The purpose.
        purpose: Purpose,
        /// The provider, or `null` for what is built in.
        provider_id: Option<String>,
        /// The model as the provider names it; `null` with what is built in.
        model: Option<String>,
    }
    /// What models may cost a day; `null` for no limit.
    SetLimits {
        /// Requests, 1 or more.
        requests_per_day: Option<u32>,
        /// Tokens of prompts and answers together, 1 or more.
        tokens_per_day: Option<u32>,
    }
}

answers! {
    /// A provider that the writer has set up.
    Provider {
        /// Stays when everything else is changed.
        provider_id: String,
        /// What it speaks.
        kind: ProviderKind,
        /// As the writer calls it.
        name: String,
        /// Where it is; nothing is ever sent anywhere else.
        base_url: String,
        /// Where its key is kept. The key itself is never told.
        key_kept: KeyKept,
    }
    /// The providers and what they are used for.
    ProviderList {
        /// In the order they were added.
        providers: Vec<Provider>,
        /// Always all three.
        purposes: Vec<PurposeModel>,
        /// Who writes.
        writing: ModelInfo,
        /// Keys are kept by the system; if not, they are kept for this session only.
        keychain: bool,
        /// Why some of this may be missing or old: it could not be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[specta(optional)]
        degraded_reason: Option<String>,
    }
    /// What was found without being told where.
    FoundModels {
        /// The models of an Ollama on its usual port; `null` when there is none.
        models: Option<Vec<String>>,
    }
    /// A provider is gone.
    DeletedProvider {
        /// Its identity.
        provider_id: String,
    }
    /// The models of a provider.
    ModelList {
        /// As the provider names them.
        models: Vec<String>,
    }
    /// A provider answers.
    Tested {
        /// How long it took, all in all.
        milliseconds: u32,
        /// How many models it has, where it says.
        models: Option<u32>,
        /// A model was named, and wrote.
        answer: bool,
    }
}
