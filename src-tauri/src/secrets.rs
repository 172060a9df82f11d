//! Keys in the keychain of the system; where there is none, for this session only.
//!
//! A keychain is another program: it may be missing, ask the writer for a password, or never answer. It is therefore
//! spoken to on a thread of its own, and nobody waits for it longer than [`Patience`] says. What it was asked for once is
//! remembered, so that a run does not wait for it again.

use std::{
    collections::HashMap,
    env,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use keyring_core::{CredentialStore, Entry, Error};
use palimpsest_api::{KeyKept, Keys, Secret, SessionKeys};

/// Set to `off` to leave the system's keychain alone: tests, and a writer whose keychain is in the way.
const SWITCH: &str = "PALIMPSEST_KEYCHAIN";
/// What our keys are filed under.
const SERVICE: &str = "Palimpsest";
/// Looked for at the start, and never there.
const NOBODY: &str = "probe";

/// Where keys are kept on this machine. Returns at once; the keychain is opened meanwhile.
pub(crate) fn keys() -> Arc<dyn Keys> {
    if env::var_os(SWITCH).is_some_and(|value| value == "off") {
        return Arc::new(SessionKeys::default());
    }
    Arc::new(Keychain::open(system_store, Patience::default()))
}

/// The keychain of this system, named outright: what a library would choose by itself may not outlive the session.
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

/// How long to wait for a keychain.
#[derive(Clone, Copy)]
struct Patience {
    /// After the start, until it counts as missing.
    opening: Duration,
    /// For a key that is about to be used or was just typed: the keychain may be asking the writer to unlock it.
    answer: Duration,
    /// For whether there is a key, and for anything at all while it owes us an answer.
    glance: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { opening: Duration::from_secs(3), answer: Duration::from_secs(60), glance: Duration::from_secs(2) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Opening,
    Open,
    Missing,
}

/// What is known of a provider's key.
struct Known {
    key: Option<Secret>,
    kept: KeyKept,
}

type Job = Box<dyn FnOnce(Option<&CredentialStore>) + Send>;
type Memory = Arc<Mutex<HashMap<String, Known>>>;

struct Keychain {
    known: Memory,
    jobs: mpsc::Sender<Job>,
    state: Arc<(Mutex<State>, Condvar)>,
    /// A job took longer than somebody would wait, and is still not done.
    owes: Arc<AtomicBool>,
    started: Instant,
    patience: Patience,
}

impl Keychain {
    /// Starts to open the keychain and returns at once.
    fn open(
        open: impl FnOnce() -> keyring_core::Result<Arc<CredentialStore>> + Send + 'static,
        patience: Patience,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let state = Arc::new((Mutex::new(State::Opening), Condvar::new()));
        let owes = Arc::new(AtomicBool::new(false));
        let (told, done) = (Arc::clone(&state), Arc::clone(&owes));
        let worker = move || {
            let store = open().ok().filter(|store| answers(store.as_ref()));
            settle(&told, if store.is_some() { State::Open } else { State::Missing });
            for job in waiting {
                job(store.as_deref());
                done.store(false, Ordering::SeqCst);
            }
        };
        if thread::Builder::new().name("keychain".into()).spawn(worker).is_err() {
            settle(&state, State::Missing);
        }
        Self { known: Memory::default(), jobs, state, owes, started: Instant::now(), patience }
    }

    /// Whether there is a keychain; waits for it to be opened, but not for ever.
    fn is_open(&self) -> bool {
        let (state, changed) = self.state.as_ref();
        let left = self.patience.opening.saturating_sub(self.started.elapsed());
        let guard = lock(state);
        let guard = changed.wait_timeout_while(guard, left, |state| *state == State::Opening);
        *guard.unwrap_or_else(PoisonError::into_inner).0 == State::Open
    }

    /// Has a job done by the keychain's thread, and waits for it at most so long. It is done in any case, in its turn.
    fn ask(&self, wait: Duration, job: impl FnOnce(&CredentialStore) + Send + 'static) {
        if !self.is_open() {
            return;
        }
        let (done, waits) = mpsc::channel();
        let sent = self.jobs.send(Box::new(move |store| {
            if let Some(store) = store {
                job(store);
            }
            let _ = done.send(());
        }));
        let wait = if self.owes.load(Ordering::SeqCst) { wait.min(self.patience.glance) } else { wait };
        if sent.is_ok() && waits.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
            self.owes.store(true, Ordering::SeqCst);
        }
    }

    /// Reads a provider's key, once.
    fn read(&self, provider_id: &str, wait: Duration) {
        if lock(&self.known).contains_key(provider_id) {
            return;
        }
        let (known, id) = (Arc::clone(&self.known), provider_id.to_owned());
        self.ask(wait, move |store| {
            let read = match entry(store, &id).and_then(|entry| entry.get_password()) {
                Ok(key) => Known { key: Some(Secret::new(key)), kept: KeyKept::Keychain },
                Err(Error::NoEntry) => Known { key: None, kept: KeyKept::None },
                // Locked, or out of order: asked again the next time.
                Err(_) => return,
            };
            // What was typed meanwhile is newer.
            lock(&known).entry(id).or_insert(read);
        });
    }
}

impl Keys for Keychain {
    fn get(&self, provider_id: &str) -> Option<Secret> {
        self.read(provider_id, self.patience.answer);
        lock(&self.known).get(provider_id)?.key.clone()
    }

    fn put(&self, provider_id: &str, key: Secret) -> KeyKept {
        let typed = Known { key: Some(key.clone()), kept: KeyKept::Session };
        lock(&self.known).insert(provider_id.to_owned(), typed);
        let (known, id) = (Arc::clone(&self.known), provider_id.to_owned());
        self.ask(self.patience.answer, move |store| {
            let Ok(entry) = entry(store, &id) else { return };
            if entry.set_password(key.expose()).is_err() {
                // The key before this one must not come back after a restart.
                let _ = entry.delete_credential();
                return;
            }
            if let Some(known) = lock(&known).get_mut(&id)
                && known.key.as_ref() == Some(&key)
            {
                known.kept = KeyKept::Keychain;
            }
        });
        self.kept(provider_id)
    }

    fn remove(&self, provider_id: &str) {
        lock(&self.known).insert(provider_id.to_owned(), Known { key: None, kept: KeyKept::None });
        let id = provider_id.to_owned();
        self.ask(self.patience.answer, move |store| {
            let _ = entry(store, &id).and_then(|entry| entry.delete_credential());
        });
    }

    fn lasting(&self) -> bool {
        self.is_open()
    }

    fn kept(&self, provider_id: &str) -> KeyKept {
        self.read(provider_id, self.patience.glance);
        lock(&self.known).get(provider_id).map_or(KeyKept::None, |known| known.kept)
    }
}

fn entry(store: &CredentialStore, provider_id: &str) -> keyring_core::Result<Entry> {
    store.build(SERVICE, provider_id, None)
}

/// Whether a keychain is at home: some can be reached and keep nothing.
fn answers(store: &CredentialStore) -> bool {
    let looked = entry(store, NOBODY).and_then(|entry| entry.get_password());
    matches!(looked, Ok(_) | Err(Error::NoEntry))
}

fn settle((state, changed): &(Mutex<State>, Condvar), now: State) {
    *lock(state) = now;
    changed.notify_all();
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use keyring_core::mock;

    use super::*;

    const PATIENCE: Patience =
        Patience { opening: Duration::from_secs(20), answer: Duration::from_secs(20), glance: Duration::from_secs(20) };
    /// For what never answers.
    const SHORT: Patience = Patience {
        opening: Duration::from_millis(10),
        answer: Duration::from_millis(10),
        glance: Duration::from_millis(10),
    };

    fn secret(key: &str) -> Secret {
        Secret::new(key.to_owned())
    }

    fn over(store: &Arc<mock::Store>) -> Keychain {
        let store: Arc<CredentialStore> = store.clone();
        Keychain::open(move || Ok(store), PATIENCE)
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
        assert_eq!(keys.kept("p1"), KeyKept::None);
        assert_eq!(keys.put("p1", secret("sk-1")), KeyKept::Keychain);
        drop(keys);
        let keys = over(&store);
        assert_eq!(keys.kept("p1"), KeyKept::Keychain);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
        assert_eq!(keys.get("p2"), None, "one provider does not get the key of another");
    }

    #[test]
    fn a_removed_key_is_gone_for_good() {
        let store = mock::Store::new().unwrap();
        let keys = over(&store);
        keys.put("p1", secret("sk-1"));
        keys.remove("p1");
        assert_eq!((keys.get("p1"), keys.kept("p1")), (None, KeyKept::None));
        drop(keys);
        assert_eq!(over(&store).get("p1"), None);
    }

    #[test]
    fn a_keychain_that_refuses_keeps_the_key_for_the_session_and_forgets_the_one_before() {
        let store = mock::Store::new().unwrap();
        let keys = over(&store);
        keys.put("p1", secret("sk-old"));
        fail_next(&store, "p1");
        assert_eq!(keys.put("p1", secret("sk-new")), KeyKept::Session);
        assert_eq!(keys.get("p1"), Some(secret("sk-new")));
        drop(keys);
        assert_eq!(over(&store).get("p1"), None, "the key that was replaced does not come back");
    }

    #[test]
    fn a_key_that_could_not_be_read_is_asked_for_again() {
        let store = mock::Store::new().unwrap();
        over(&store).put("p1", secret("sk-1"));
        let keys = over(&store);
        assert!(keys.lasting());
        fail_next(&store, "p1");
        assert_eq!(keys.get("p1"), None);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
    }

    #[test]
    fn without_a_keychain_keys_last_for_the_session() {
        let keys = Keychain::open(|| Err(Error::NoDefaultStore), PATIENCE);
        assert!(!keys.lasting());
        assert_eq!(keys.put("p1", secret("sk-1")), KeyKept::Session);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
        keys.remove("p1");
        assert_eq!(keys.kept("p1"), KeyKept::None);
    }

    #[test]
    fn a_keychain_that_can_be_reached_and_keeps_nothing_is_none() {
        let store = mock::Store::new().unwrap();
        fail_next(&store, NOBODY);
        assert!(!over(&store).lasting());
    }

    #[test]
    fn one_that_hangs_while_it_is_opened_holds_nobody_up() {
        let (go, gate) = mpsc::channel::<()>();
        let keys = Keychain::open(
            move || {
                let _ = gate.recv();
                Err(Error::NoDefaultStore)
            },
            SHORT,
        );
        assert!(!keys.lasting());
        assert_eq!(keys.put("p1", secret("sk-1")), KeyKept::Session);
        assert_eq!(keys.get("p1"), Some(secret("sk-1")));
        drop(go);
    }

    #[test]
    fn one_that_hangs_later_keeps_the_key_for_the_session_until_it_has_it() {
        let store = mock::Store::new().unwrap();
        let keys = Keychain { patience: SHORT, ..over(&store) };
        assert!(matches!(*wait_open(&keys), State::Open));
        let (go, gate) = mpsc::channel::<()>();
        keys.jobs
            .send(Box::new(move |_| {
                let _ = gate.recv();
            }))
            .unwrap();
        assert_eq!(keys.put("p1", secret("sk-1")), KeyKept::Session);
        assert!(keys.owes.load(Ordering::SeqCst));
        drop(go);
        let keys = Keychain { patience: PATIENCE, ..keys };
        keys.ask(PATIENCE.answer, |_| {});
        assert_eq!(keys.kept("p1"), KeyKept::Keychain);
    }

    /// Waits without a limit until the keychain is open or known to be missing.
    fn wait_open(keys: &Keychain) -> MutexGuard<'_, State> {
        let (state, changed) = keys.state.as_ref();
        changed.wait_while(lock(state), |state| *state == State::Opening).unwrap()
    }
}
