//! Arguments and answers of commands about providers and their purposes.

use palimpsest_memory::{
    model::{ProviderKind, Purpose, PurposeModel},
    ports::ModelInfo,
};
use serde::{Deserialize, Serialize};
use specta::Type;

use crate::keys::{KeyStorage, TypedKey};

arguments! {
    /// Adds or changes a provider.
    SaveProvider {
        /// The provider to change; without one, a new one is added.
        #[specta(optional)]
        provider_id: Option<String>,
        /// The protocol.
        kind: ProviderKind,
        /// The writer's name for it, 1 to 80 characters.
        name: String,
        /// The address; when missing, the previous one or the default of the protocol.
        #[specta(optional)]
        base_url: Option<String>,
        /// Missing: the key stays, unless the host has changed. Empty: the key is deleted.
        #[specta(optional)]
        key: Option<TypedKey>,
    }
    /// Sets the team's answer service.
    SetService {
        /// `https://`, or `http://` on this machine; when missing, the previous one.
        #[specta(optional)]
        base_url: Option<String>,
        /// Missing: the key stays, unless the host has changed. Empty: the key is deleted.
        #[specta(optional)]
        key: Option<TypedKey>,
        /// Whether the service is asked, and sent hits and validations of its answers.
        enabled: bool,
        /// Whether new answers of runs are sent to it.
        send_candidates: bool,
    }
    /// One provider.
    ProviderArguments {
        provider_id: String,
    }
    TestProvider {
        provider_id: String,
        /// A model that is asked to write a word.
        #[specta(optional)]
        model: Option<String>,
    }
    /// The model of a purpose.
    SetPurpose {
        purpose: Purpose,
        /// The provider, or `null` for the built-in model.
        provider_id: Option<String>,
        /// The model as the provider names it; `null` for the built-in one.
        model: Option<String>,
    }
    /// Daily limits of the models; `null` for no limit.
    SetLimits {
        /// Requests a day, 1 or more.
        requests_per_day: Option<u32>,
        /// Tokens of prompts and answers together a day, 1 or more.
        tokens_per_day: Option<u32>,
    }
}

answers! {
    /// A provider that the writer has set up.
    Provider {
        /// Stable when everything else changes.
        provider_id: String,
        /// The protocol.
        kind: ProviderKind,
        /// The writer's name for it.
        name: String,
        /// The address; requests go nowhere else.
        base_url: String,
        /// Where its key is stored. The key itself is never returned.
        key_kept: KeyStorage,
    }
    /// The team's answer service.
    ServiceSettings {
        /// The address; `null` if none was ever set.
        base_url: Option<String>,
        /// Whether the service is asked.
        enabled: bool,
        /// Whether new answers of runs are sent to it.
        send_candidates: bool,
        /// Where its key is stored. The key itself is never returned.
        key_kept: KeyStorage,
    }
    /// The providers and their purposes.
    ProviderList {
        /// In the order they were added.
        providers: Vec<Provider>,
        /// Always all three.
        purposes: Vec<PurposeModel>,
        /// The model that writes.
        writing: ModelInfo,
        /// Whether keys are stored in the system's keychain; if not, they last for this session only.
        keychain: bool,
        /// Why the answer may be incomplete or outdated; `null` when it could be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[specta(optional)]
        degraded_reason: Option<String>,
    }
    /// The models found on this machine.
    FoundModels {
        /// The models of an Ollama on its default port; `null` when there is none.
        models: Option<Vec<String>>,
    }
    DeletedProvider {
        provider_id: String,
    }
    /// The models of a provider.
    ModelList {
        /// As the provider names them.
        models: Vec<String>,
    }
    /// The outcome of a successful test.
    Tested {
        /// Duration of the whole test.
        milliseconds: u32,
        /// Number of its models; `null` where the provider does not list them.
        models: Option<u32>,
        /// Whether a model was named and has written.
        answer: bool,
    }
}
