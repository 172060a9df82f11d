//! Stores keys in the system keychain or, without one, for this session only.
//!
//! A keychain is another program: it may be missing, ask the writer for a password, or never answer. It is therefore
//! called on a thread of its own with the timeouts of [`Timeouts`]. Keys are cached after the first read, so that a
//! generation does not wait again.

use std::{
    collections::HashMap,
    env,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use keyring_core::{CredentialStore, Entry, Error};
use palimpsest_api::{KeyStorage, Keys, Secret, SessionKeys};

/// Environment variable: `off` disables the system keychain, for tests and for writers with a broken keychain.
const KEYCHAIN_VARIABLE: &str = "PALIMPSEST_KEYCHAIN";
/// The service name of all keys.
const SERVICE: &str = "Palimpsest";
/// An account that never exists; read to probe the keychain.
const PROBE_ACCOUNT: &str = "probe";

/// The key store of this machine. Returns at once; the keychain is opened in the background.
pub(crate) fn keys() -> Arc<dyn Keys> {
    if env::var_os(KEYCHAIN_VARIABLE).is_some_and(|value| value == "off") {
        return Arc::new(SessionKeys::default());
    }
    Arc::new(Keychain::open(system_store, Timeouts::default()))
}

/// The keychain of this system, chosen explicitly: the default of a library might not persist keys after the session.
fn system_store() -> keyring_core::Result<Arc<CredentialStore>> {
    #[cfg(target_os = "linux")]
    return Ok(zbus_secret_service_keyring_store::Store::new()?);
    #[cfg(target_os = "macos")]
    return Ok(apple_native_keyring_store::keychain::Store::new()?);
    #[cfg(windows)]
    return Ok(windows_native_keyring_store::Store::new()?);
    #[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
    Err(Error::NoDefaultStore)
}

/// Timeouts of the keychain.
#[derive(Clone, Copy)]
struct Timeouts {
    /// For opening, since the start; after it the keychain counts as missing.
    opening: Duration,
    /// For reading a key for use and for storing one: the keychain may ask the writer to unlock it.
    answer: Duration,
    /// For checking whether there is a key, and for every call while an earlier one is unanswered.
    check: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { opening: Duration::from_secs(3), answer: Duration::from_secs(60), check: Duration::from_secs(2) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Opening,
    Open,
    Missing,
}

/// A cached key of a provider.
struct CachedKey {
    key: Option<Secret>,
    stored_in: KeyStorage,
}

type Job = Box<dyn FnOnce(Option<&CredentialStore>) + Send>;
type Cache = Arc<Mutex<HashMap<String, CachedKey>>>;

struct Keychain {
    cache: Cache,
    jobs: mpsc::Sender<Job>,
    state: Arc<(Mutex<State>, Condvar)>,
    /// Whether a job has timed out and is still running.
    is_overdue: Arc<AtomicBool>,
    started: Instant,
    timeouts: Timeouts,
}

impl Keychain {
    /// Starts to open the keychain and returns at once.
    fn open(
        open: impl FnOnce() -> keyring_core::Result<Arc<CredentialStore>> + Send + 'static,
        timeouts: Timeouts,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let state = Arc::new((Mutex::new(State::Opening), Condvar::new()));
        let is_overdue = Arc::new(AtomicBool::new(false));
        let (worker_state, done) = (Arc::clone(&state), Arc::clone(&is_overdue));
        let worker = move || {
            let store = open().ok().filter(|store| is_working(store.as_ref()));
            set_state(&worker_state, if store.is_some() { State::Open } else { State::Missing });
            for job in waiting {
                job(store.as_deref());
                done.store(false, Ordering::SeqCst);
            }
        };
        if thread::Builder::new().name("keychain".into()).spawn(worker).is_err() {
            set_state(&state, State::Missing);
        }
        Self { cache: Cache::default(), jobs, state, is_overdue, started: Instant::now(), timeouts }
    }

    /// Whether there is a keychain; waits until it is opened or the timeout has passed.
    fn is_open(&self) -> bool {
        let (state, changed) = self.state.as_ref();
        let left = self.timeouts.opening.saturating_sub(self.started.elapsed());
        let mut guard = state.lock();
        changed.wait_while_for(&mut guard, |state| *state == State::Opening, left);
        *guard == State::Open
    }

    /// Queues a job for the keychain's thread, and waits for it at most `wait`. The job runs also after the timeout.
    fn run(&self, wait: Duration, job: impl FnOnce(&CredentialStore) + Send + 'static) {
        if !self.is_open() {
            return;
        }
        let (done, waits) = mpsc::channel();
        let sent = self.jobs.send(Box::new(move |store| {
            if let Some(store) = store {
                job(store);
            }
            // The caller may have timed out.
            done.send(()).ok();
        }));
        let wait = if self.is_overdue.load(Ordering::SeqCst) { wait.min(self.timeouts.check) } else { wait };
        if sent.is_ok() && waits.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
            self.is_overdue.store(true, Ordering::SeqCst);
        }
    }

    /// Reads a provider's key into the cache, unless it is there.
    fn read(&self, provider_id: &str, wait: Duration) {
        if self.cache.lock().contains_key(provider_id) {
            return;
        }
        let (cache, id) = (Arc::clone(&self.cache), provider_id.to_owned());
        self.run(wait, move |store| {
            let read = match entry(store, &id).and_then(|entry| entry.get_password()) {
                Ok(key) => CachedKey { key: Some(Secret::new(key)), stored_in: KeyStorage::Keychain },
                Err(Error::NoEntry) => CachedKey { key: None, stored_in: KeyStorage::None },
                // Locked or failed: read again on the next call.
                Err(_) => return,
            };
            // A key that was set meanwhile is newer.
            cache.lock().entry(id).or_insert(read);
        });
    }
}

impl Keys for Keychain {
    fn get(&self, provider_id: &str) -> Option<Secret> {
        self.read(provider_id, self.timeouts.answer);
        self.cache.lock().get(provider_id)?.key.clone()
    }

    fn set(&self, provider_id: &str, key: Secret) -> KeyStorage {
        let typed = CachedKey { key: Some(key.clone()), stored_in: KeyStorage::Session };
        self.cache.lock().insert(provider_id.to_owned(), typed);
        let (cache, id) = (Arc::clone(&self.cache), provider_id.to_owned());
        self.run(self.timeouts.answer, move |store| {
            let Ok(entry) = entry(store, &id) else { return };
            if entry.set_password(key.expose()).is_err() {
                // The previous key must not return after a restart.
                // If this fails too, the keychain is unavailable, and the key is kept for the session alone.
                entry.delete_credential().ok();
                return;
            }
            if let Some(cached) = cache.lock().get_mut(&id)
                && cached.key.as_ref() == Some(&key)
            {
                cached.stored_in = KeyStorage::Keychain;
            }
        });
        self.stored_in(provider_id)
    }

    fn remove(&self, provider_id: &str) {
        self.cache.lock().insert(provider_id.to_owned(), CachedKey { key: None, stored_in: KeyStorage::None });
        let id = provider_id.to_owned();
        self.run(self.timeouts.answer, move |store| {
            // An entry that does not exist is the usual case.
            entry(store, &id).and_then(|entry| entry.delete_credential()).ok();
        });
    }

    fn lasting(&self) -> bool {
        self.is_open()
    }

    fn stored_in(&self, provider_id: &str) -> KeyStorage {
        self.read(provider_id, self.timeouts.check);
        self.cache.lock().get(provider_id).map_or(KeyStorage::None, |cached| cached.stored_in)
    }
}

fn entry(store: &CredentialStore, provider_id: &str) -> keyring_core::Result<Entry> {
    store.build(SERVICE, provider_id, None)
}

/// Whether a keychain works: some can be opened but store nothing.
fn is_working(store: &CredentialStore) -> bool {
    let probed = entry(store, PROBE_ACCOUNT).and_then(|entry| entry.get_password());
    matches!(probed, Ok(_) | Err(Error::NoEntry))
}

fn set_state((state, changed): &(Mutex<State>, Condvar), now: State) {
    *state.lock() = now;
    changed.notify_all();
}

#[cfg(test)]
mod tests {
    use keyring_core::mock;

    use parking_lot::MutexGuard;

    use super::*;

    const TIMEOUTS: Timeouts =
        Timeouts { opening: Duration::from_secs(20), answer: Duration::from_secs(20), check: Duration::from_secs(20) };
    /// For what never answers.
    const SHORT: Timeouts = Timeouts {
        opening: Duration::from_millis(10),
        answer: Duration::from_millis(10),
        check: Duration::from_millis(10),
    };

    fn secret(key: &str) -> Secret {
        Secret::new(key.to_owned())
    }

    fn over(store: &Arc<mock::Store>) -> Keychain {
        let store: Arc<CredentialStore> = store.clone();
        Keychain::open(move || Ok(store), TIMEOUTS)
    }

    fn fail_next(store: &Arc<mock::Store>, provider_id: &str) {
        let store: Arc<CredentialStore> = store.clone();
        let entry = entry(store.as_ref(), provider_id).unwrap();
        let cred: &mock::Cred = entry.as_any().downcast_ref().unwrap();
        cred.set_error(Error::NoStorageAccess("locked".into()));
    }

    #[test]
    fn a_key_outlives_the_program() {
        let store = mock::Store::new().unwrap();
        let keys = over(&store);
        assert!(keys.lasting());
        assert_eq!(keys.stored_in("p1"), KeyStorage::None);
        assert_eq!(keys.set("p1", secret("sk-1")), KeyStorage::Keychain);
        drop(keys);
        let keys = over(&store);
        assert_eq!(keys.stored_in("p1"), KeyStorage::Keychain);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
        assert_eq!(keys.get("p2"), None, "one provider does not get the key of another");
    }

    #[test]
    fn a_removed_key_stays_removed() {
        let store = mock::Store::new().unwrap();
        let keys = over(&store);
        keys.set("p1", secret("sk-1"));
        keys.remove("p1");
        assert_eq!((keys.get("p1"), keys.stored_in("p1")), (None, KeyStorage::None));
        drop(keys);
        assert_eq!(over(&store).get("p1"), None);
    }

    #[test]
    fn a_key_that_the_keychain_refuses_is_used_for_the_session_and_replaces_the_former_one() {
        let store = mock::Store::new().unwrap();
        let keys = over(&store);
        keys.set("p1", secret("sk-old"));
        fail_next(&store, "p1");
        assert_eq!(keys.set("p1", secret("sk-new")), KeyStorage::Session);
        assert_eq!(keys.get("p1"), Some(secret("sk-new")));
        drop(keys);
        assert_eq!(over(&store).get("p1"), None, "the key that was replaced does not come back");
    }

    #[test]
    fn a_key_that_could_not_be_read_is_asked_for_again() {
        let store = mock::Store::new().unwrap();
        over(&store).set("p1", secret("sk-1"));
        let keys = over(&store);
        assert!(keys.lasting());
        fail_next(&store, "p1");
        assert_eq!(keys.get("p1"), None);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
    }

    #[test]
    fn without_a_keychain_keys_last_for_the_session() {
        let keys = Keychain::open(|| Err(Error::NoDefaultStore), TIMEOUTS);
        assert!(!keys.lasting());
        assert_eq!(keys.set("p1", secret("sk-1")), KeyStorage::Session);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
        keys.remove("p1");
        assert_eq!(keys.stored_in("p1"), KeyStorage::None);
    }

    #[test]
    fn a_reachable_keychain_that_stores_nothing_counts_as_none() {
        let store = mock::Store::new().unwrap();
        fail_next(&store, PROBE_ACCOUNT);
        assert!(!over(&store).lasting());
    }

    #[test]
    fn a_keychain_that_hangs_while_opening_does_not_block_callers() {
        let (go, gate) = mpsc::channel::<()>();
        let keys = Keychain::open(
            move || {
                gate.recv().ok();
                Err(Error::NoDefaultStore)
            },
            SHORT,
        );
        assert!(!keys.lasting());
        assert_eq!(keys.set("p1", secret("sk-1")), KeyStorage::Session);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
        drop(go);
    }

    #[test]
    fn a_keychain_that_hangs_later_leaves_the_key_in_the_session_until_it_is_written() {
        let store = mock::Store::new().unwrap();
        let keys = Keychain { timeouts: SHORT, ..over(&store) };
        assert!(matches!(*wait_open(&keys), State::Open));
        let (go, gate) = mpsc::channel::<()>();
        keys.jobs
            .send(Box::new(move |_| {
                gate.recv().ok();
            }))
            .unwrap();
        assert_eq!(keys.set("p1", secret("sk-1")), KeyStorage::Session);
        assert!(keys.is_overdue.load(Ordering::SeqCst));
        drop(go);
        let keys = Keychain { timeouts: TIMEOUTS, ..keys };
        keys.run(TIMEOUTS.answer, |_| {});
        assert_eq!(keys.stored_in("p1"), KeyStorage::Keychain);
    }

    /// Waits without a limit until the keychain is open or known to be missing.
    fn wait_open(keys: &Keychain) -> MutexGuard<'_, State> {
        let (state, changed) = keys.state.as_ref();
        let mut guard = state.lock();
        changed.wait_while(&mut guard, |state| *state == State::Opening);
        guard
    }
}
