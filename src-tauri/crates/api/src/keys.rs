//! Storage of keys. They travel inward only: a key goes to its provider and nowhere else, into no database, log, error,
//! event or answer.

use std::{collections::HashMap, fmt};

use parking_lot::{Mutex, MutexGuard};

use palimpsest_providers::Secret;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Where a provider's key is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum KeyStorage {
    /// The provider has no key.
    None,
    /// In the system's keychain.
    Keychain,
    /// In memory, until the program ends.
    Session,
}

/// Stores keys, one a provider. The desktop's implementation is the system's keychain.
pub trait Keys: Send + Sync {
    /// The key of a provider.
    fn get(&self, provider_id: &str) -> Option<Secret>;
    /// Replaces a key, and returns where it is stored.
    fn set(&self, provider_id: &str, key: Secret) -> KeyStorage;
    /// Deletes a key.
    fn remove(&self, provider_id: &str);
    /// Whether a key that is stored now exists after a restart.
    fn lasting(&self) -> bool;
    /// Where the key of a provider is stored.
    fn stored_in(&self, provider_id: &str) -> KeyStorage;
}

/// Keys for this session only.
#[derive(Default)]
pub struct SessionKeys(Mutex<HashMap<String, Secret>>);

impl SessionKeys {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Secret>> {
        self.0.lock()
    }
}

impl Keys for SessionKeys {
    fn get(&self, provider_id: &str) -> Option<Secret> {
        self.lock().get(provider_id).cloned()
    }

    fn set(&self, provider_id: &str, key: Secret) -> KeyStorage {
        self.lock().insert(provider_id.to_owned(), key);
        KeyStorage::Session
    }

    fn remove(&self, provider_id: &str) {
        self.lock().remove(provider_id);
    }

    fn lasting(&self) -> bool {
        false
    }

    fn stored_in(&self, provider_id: &str) -> KeyStorage {
        if self.lock().contains_key(provider_id) { KeyStorage::Session } else { KeyStorage::None }
    }
}

/// A key on its way in. It cannot be printed, and it serialises to an empty text, so it is never returned.
#[derive(Clone, Deserialize, Type)]
#[specta(transparent)]
pub(crate) struct TypedKey(String);

impl TypedKey {
    /// The key without the spaces that a paste adds; `None` for an empty one.
    pub(crate) fn into_secret(self) -> Result<Option<Secret>, &'static str> {
        let key = self.0.trim();
        if key.is_empty() {
            return Ok(None);
        }
        // The key is sent in a header.
        if key.len() > 1_000 || !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err("not a key: letters, digits and signs on one line");
        }
        Ok(Some(Secret::new(key.to_owned())))
    }
}

impl fmt::Debug for TypedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedKey(…)")
    }
}

impl Serialize for TypedKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("")
    }
}
