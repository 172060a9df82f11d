//! Bearer keys: whose request it is, and of which projects.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::{HeaderMap, header};
use parking_lot::Mutex;
use tokio_postgres::GenericClient;
use uuid::Uuid;

use crate::refusal::{Code, Refusal};

/// The beginning of every key.
const PREFIX: &str = "palimpsest_";
/// Characters of a key after its beginning: two random ids in hexadecimal.
const SECRET_CHARS: usize = 64;
/// Time for which a key that was looked up is not looked up again. A revoked one serves at most this long.
const CACHED: Duration = Duration::from_secs(5);
/// The most keys that are remembered.
const MAX_CACHED: usize = 10_000;

/// The holder of a key.
#[derive(Debug)]
pub(crate) struct Holder {
    pub key_id: Uuid,
    /// The numbers of its projects by the ids that clients use.
    projects: HashMap<String, i32>,
}

impl Holder {
    /// The number of a project. A project of another key and one that does not exist have the same refusal.
    pub(crate) fn project(&self, project_id: &str) -> Result<i32, Refusal> {
        self.projects.get(project_id).copied().ok_or_else(|| Code::ProjectRefused.into())
    }
}

/// A new key: its id, its words and their hash. The words are shown once and stored nowhere.
pub(crate) fn new_key() -> (Uuid, String, [u8; 32]) {
    let words = format!("{PREFIX}{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let hash = hash_key(&words);
    (Uuid::now_v7(), words, hash)
}

fn hash_key(words: &str) -> [u8; 32] {
    *blake3::hash(words.as_bytes()).as_bytes()
}

/// The hash of the key of a request.
///
/// # Errors
/// `key_missing`; `key_refused` for one of another form, which is not looked up.
pub(crate) fn key_hash(headers: &HeaderMap) -> Result<[u8; 32], Refusal> {
    let header = headers.get(header::AUTHORIZATION).ok_or(Code::KeyMissing)?;
    let words = header.to_str().ok().and_then(|header| {
        let (scheme, words) = header.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| words.trim())
    });
    let words = words.ok_or(Code::KeyRefused)?;
    let secret = words.strip_prefix(PREFIX).ok_or(Code::KeyRefused)?;
    let is_key = secret.len() == SECRET_CHARS && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_key { Ok(hash_key(words)) } else { Err(Code::KeyRefused.into()) }
}

/// The holder of a key, with the time at which it was looked up.
type Cached = (Instant, Arc<Holder>);

/// Keys that were looked up a moment ago. Being out of date is safe: a key ends a few seconds later.
#[derive(Default)]
pub(crate) struct KeyCache(Mutex<HashMap<[u8; 32], Cached>>);

impl KeyCache {
    /// The holder of a key, if it was looked up a moment ago.
    pub(crate) fn get(&self, hash: &[u8; 32]) -> Option<Arc<Holder>> {
        let cached = self.0.lock();
        cached.get(hash).filter(|(at, _)| at.elapsed() < CACHED).map(|(_, holder)| Arc::clone(holder))
    }

    /// Looks a key up in the database.
    ///
    /// # Errors
    /// `key_refused`, those of the database.
    pub(crate) async fn look_up(&self, db: &impl GenericClient, hash: &[u8; 32]) -> Result<Arc<Holder>, Refusal> {
        let found = db
            .query(
                "SELECT k.key_id, i.project_id, i.project FROM keys k \
                 LEFT JOIN key_projects p ON p.key_id = k.key_id LEFT JOIN project_ids i ON i.project = p.project \
                 WHERE k.key_hash = $1 AND k.revoked_at IS NULL",
                &[&hash.as_slice()],
            )
            .await?;
        let Some(first) = found.first() else {
            self.0.lock().remove(hash);
            return Err(Code::KeyRefused.into());
        };
        let project = |row: &tokio_postgres::Row| Some((row.get::<_, Option<String>>(1)?, row.get(2)));
        let holder = Arc::new(Holder { key_id: first.get(0), projects: found.iter().filter_map(project).collect() });
        let mut cached = self.0.lock();
        if cached.len() >= MAX_CACHED {
            cached.retain(|_, (at, _)| at.elapsed() < CACHED);
        }
        if cached.len() < MAX_CACHED {
            cached.insert(*hash, (Instant::now(), Arc::clone(&holder)));
        }
        Ok(holder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(value: &str) -> Result<[u8; 32], Refusal> {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, value.parse().unwrap());
        key_hash(&headers)
    }

    #[test]
    fn a_key_is_read_from_its_header_and_other_forms_are_refused() {
        let (_, words, hash) = new_key();
        assert_eq!(with(&format!("Bearer {words}")), Ok(hash));
        assert_eq!(with(&format!("bearer  {words}")), Ok(hash));
        for wrong in [words.clone(), format!("Basic {words}"), format!("Bearer {words}0"), "Bearer palimpsest_".into()]
        {
            assert_eq!(with(&wrong), Err(Code::KeyRefused.into()), "{wrong}");
        }
        assert_eq!(key_hash(&HeaderMap::new()), Err(Code::KeyMissing.into()));
        assert_ne!(new_key().1, new_key().1);
    }
}
