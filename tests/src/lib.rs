//! Fixtures for scenarios: a writer at an [`Api`], and another editor at a [`Host`] process.

pub mod clock;
pub mod server;

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use palimpsest_api::{
    Api, ApiError, EncoderSource, Options,
    model::Time,
    testing::{FixedClock, SequentialIds},
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Timeout of every wait, longer than anything takes on a busy machine. Reaching it is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// 2026-03-15T21:00:00Z.
#[must_use]
pub fn evening() -> Time {
    "2026-03-15T21:00:00Z".parse().expect("a time")
}

/// An event: its name and its payload.
pub type Event = (String, Value);

/// Copies everything in the folder `from` into the folder `to`, which is created if it is missing.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copied file");
        }
    }
}

/// A writer who uses the commands in this process, with a clock that does not advance by itself.
pub struct Writer {
    /// The commands.
    pub api: Arc<Api>,
    /// The clock.
    pub clock: Arc<FixedClock>,
    events: Mutex<Receiver<Event>>,
    folder: Arc<TempDir>,
    ids: Arc<SequentialIds>,
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

impl Writer {
    /// Opens a new data folder.
    #[must_use]
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// Opens a new data folder with changed options.
    #[must_use]
    pub fn with(change: impl FnOnce(&mut Options)) -> Self {
        Self::open_folder(Arc::new(TempDir::new().expect("a folder")), Arc::default(), change)
    }

    /// Opens a data folder that `prepare` fills first.
    #[must_use]
    pub fn with_folder(fill: impl FnOnce(&Path)) -> Self {
        let folder = Arc::new(TempDir::new().expect("a folder"));
        let data = folder.path().join("data");
        std::fs::create_dir_all(&data).expect("a folder");
        fill(&data);
        Self::open_folder(folder, Arc::default(), |_| {})
    }

    fn open_folder(folder: Arc<TempDir>, ids: Arc<SequentialIds>, change: impl FnOnce(&mut Options)) -> Self {
        let (send, events) = channel();
        let send = Mutex::new(send);
        let clock = Arc::new(FixedClock::at(evening()));
        let sink = Arc::new(move |name: &str, payload: Value| {
            let _sent = send.lock().expect("a sender").send((name.to_owned(), payload));
        });
        let mut options = Options::new(folder.path().join("data"), sink);
        options.clock = Arc::clone(&clock) as _;
        options.ids = Arc::clone(&ids) as _;
        // Vectors are made asynchronously. A scenario about meaning asks for the encoder and waits for the vectors.
        options.encoder = EncoderSource::Nowhere;
        // It is loaded asynchronously too.
        options.dictionary = None;
        options.tagger = None;
        change(&mut options);
        let api = Api::open(options).expect("the memory opens");
        Self { api, clock, events: Mutex::new(events), folder, ids }
    }

    /// The folder of the databases.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A path beside the data folder, for books.
    #[must_use]
    pub fn path_beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The answer to a command. Panics when the command fails.
    #[track_caller]
    pub fn ask(&self, command: &str, args: Value) -> Value {
        let answer = self.api.call(command, args).unwrap_or_else(|error| panic!("{command}: {error:?}"));
        serde_json::from_str(&answer).expect("an answer is JSON")
    }

    /// The error of a command that must fail: its code and the field it names.
    #[track_caller]
    pub fn refused(&self, command: &str, args: Value) -> (String, String) {
        let error = self.error(command, args);
        let field = error.details.and_then(|details| details.field).unwrap_or_default();
        (json!(error.code).as_str().unwrap_or_default().to_owned(), field)
    }

    /// The whole error of a command that must fail.
    #[track_caller]
    pub fn error(&self, command: &str, args: Value) -> ApiError {
        match self.api.call(command, args) {
            Err(error) => error,
            Ok(answer) => panic!("{command} should be refused, and answers {answer}"),
        }
    }

    /// Creates a book whose manuscript is in another editor, and returns its identity.
    pub fn book(&self, title: &str, language: &str) -> String {
        text(&self.ask("project:create", json!({ "title": title, "language": language })), "projectId")
    }

    /// Waits for the next event with this name.
    #[track_caller]
    pub fn wait_for_event(&self, name: &str) -> Value {
        next_named(&self.events, name)
    }

    /// Waits for the next event of any name.
    #[track_caller]
    pub fn next_event(&self) -> Event {
        self.events.lock().expect("events").recv_timeout(PATIENCE).expect("an event")
    }

    /// The events that have arrived and were not waited for.
    pub fn arrived_events(&self) -> Vec<Event> {
        self.events.lock().expect("events").try_iter().collect()
    }

    /// Waits until all background work is done.
    #[track_caller]
    pub fn wait_until_idle(&self) {
        let begun = Instant::now();
        loop {
            let parts = self.ask("memory:status", json!({}))["parts"].to_string();
            if !parts.contains("catchingUp") {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{parts}");
            thread::yield_now();
        }
    }

    /// Repeats a request until its answer is as wanted, and returns that answer.
    #[track_caller]
    pub fn ask_until(&self, command: &str, args: Value, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let answer = self.ask(command, args.clone());
            if is_wanted(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < PATIENCE, "{command}: {answer}");
            thread::yield_now();
        }
    }

    /// Runs a skill to its end and returns the answer that started it and the final event.
    #[track_caller]
    pub fn run(&self, args: Value) -> (Value, Value) {
        let started = self.ask("ai:skill:run", args);
        loop {
            let done = self.wait_for_event("ai:skill:done");
            if done["generationId"] == started["generationId"] {
                return (started, done);
            }
        }
    }

    /// Closes the memory and opens it again.
    #[must_use]
    pub fn restarted(self) -> Self {
        self.restarted_after(|| {})
    }

    /// Closes the memory, changes its files, and opens it again.
    #[must_use]
    pub fn restarted_after(self, meanwhile: impl FnOnce()) -> Self {
        let Self { api, folder, ids, .. } = self;
        close(api, &folder);
        meanwhile();
        Self::open_folder(folder, ids, |_| {})
    }

    /// Closes the memory and opens it again with changed options.
    #[must_use]
    pub fn restarted_with(self, change: impl FnOnce(&mut Options)) -> Self {
        let Self { api, folder, ids, .. } = self;
        close(api, &folder);
        Self::open_folder(folder, ids, change)
    }
}

#[track_caller]
fn next_named(events: &Mutex<Receiver<Event>>, name: &str) -> Value {
    let events = events.lock().expect("events");
    loop {
        let (heard, payload) = events.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {name}"));
        if heard == name {
            return payload;
        }
    }
}

/// Waits until the last reference to the memory is dropped, so that its folder is free: the thread of a run that has
/// just reported its end may hold the last one.
fn close(api: Arc<Api>, folder: &TempDir) {
    let ended = Arc::downgrade(&api);
    drop(api);
    while ended.strong_count() > 0 {
        thread::yield_now();
    }
    let lock = std::fs::File::open(folder.path().join("data/lock")).expect("a lock");
    while lock.try_lock().is_err() {
        thread::yield_now();
    }
    // Dropping it would keep the lock as long as a program that another test is just starting has a copy.
    lock.unlock().expect("no lock");
}

/// The health of a part of the memory in an answer of `memory:status`.
#[track_caller]
#[must_use]
pub fn part_of(status: &Value, name: &str) -> Value {
    let parts = status["parts"].as_array().expect("parts");
    parts.iter().find(|part| part["part"] == name).expect("the part").clone()
}

/// A string field of an answer.
#[track_caller]
pub fn text(answer: &Value, key: &str) -> String {
    answer[key].as_str().unwrap_or_else(|| panic!("no {key} in {answer}")).to_owned()
}

/// The path of the `palimpsest-host` binary, which is built if necessary.
pub fn host_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let release = !cfg!(debug_assertions);
        let mut build = Command::new(cargo);
        // `--workspace`, because with `-p` cargo selects other features and builds half of the workspace again.
        build.args(["build", "--quiet", "--workspace", "--bin", "palimpsest-host"]).current_dir(&root);
        if release {
            build.arg("--release");
        }
        // The variables that cargo sets for a test make build scripts that read them, and their dependents, run again.
        let of_cargo = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_cargo)) {
            build.env_remove(name);
        }
        assert!(build.status().expect("cargo").success(), "palimpsest-host does not build");
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        target.join(if release { "release" } else { "debug" }).join("palimpsest-host")
    })
}

/// Requests without an answer yet, by number.
type Waiting = Arc<Mutex<Vec<(u64, Sender<Value>)>>>;

/// Another editor, connected to the headless host.
pub struct Host {
    child: Child,
    input: Mutex<Option<ChildStdin>>,
    waiting: Waiting,
    events: Mutex<Receiver<Event>>,
    next: AtomicU64,
}

impl Host {
    /// Starts a host on a data folder.
    #[must_use]
    pub fn start(data_dir: &Path, more: &[&str]) -> Self {
        Self::start_with(data_dir, more, &[])
    }

    /// Starts a host with additional environment variables.
    #[must_use]
    pub fn start_with(data_dir: &Path, more: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(host_binary());
        command.arg("--data-dir").arg(data_dir).args(more).envs(environment.iter().copied());
        Self::start_by(command)
    }

    /// Starts a host by a command that executes one.
    #[must_use]
    pub fn start_by(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the host starts");
        let input = Mutex::new(child.stdin.take());
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let waiting = Waiting::default();
        let (heard, events) = channel();
        let answers = Arc::clone(&waiting);
        thread::spawn(move || {
            for line in output.lines() {
                // The output of a killed host may end in the middle of a line.
                let Some(message) = line.ok().and_then(|line| serde_json::from_str::<Value>(&line).ok()) else {
                    break;
                };
                if let Some(method) = message["method"].as_str() {
                    let _listening = heard.send((method.to_owned(), message["params"].clone()));
                } else if let Some(id) = message["id"].as_u64() {
                    let mut answers = answers.lock().expect("waiting");
                    if let Some(at) = answers.iter().position(|(waiting, _)| *waiting == id) {
                        let _waiting = answers.swap_remove(at).1.send(message);
                    }
                }
            }
            // No more answers follow.
            answers.lock().expect("waiting").clear();
        });
        Self { child, input, waiting, events: Mutex::new(events), next: AtomicU64::new(1) }
    }

    /// Sends a request without waiting for the answer.
    pub fn send(&self, method: &str, params: Value) -> Receiver<Value> {
        let id = self.next.fetch_add(1, Ordering::SeqCst);
        let (answer, answered) = channel();
        self.waiting.lock().expect("waiting").push((id, answer));
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string() + "\n";
        if let Some(input) = self.input.lock().expect("input").as_mut() {
            // A killed host accepts no input; the caller sees that by the missing answer.
            let _taken = input.write_all(line.as_bytes());
        }
        answered
    }

    /// The result of a request. Panics when the request fails.
    #[track_caller]
    pub fn ask(&self, method: &str, params: Value) -> Value {
        let mut answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
        answer["result"].take()
    }

    /// The whole answer, which may be an error.
    #[track_caller]
    pub fn answer(&self, method: &str, params: Value) -> Value {
        self.send(method, params).recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"))
    }

    /// Waits for the next event with this name.
    #[track_caller]
    pub fn wait_for_event(&self, name: &str) -> Value {
        next_named(&self.events, name)
    }

    /// Waits for the next event of any name.
    #[track_caller]
    pub fn next_event(&self) -> Event {
        self.events.lock().expect("events").recv_timeout(PATIENCE).expect("an event")
    }

    /// The process identity.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends the process a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.process().to_string()).status();
        assert!(sent.expect("kill").success(), "the host is there");
    }

    /// Waits until the process has exited by itself, and returns its exit code.
    #[must_use]
    pub fn wait(mut self) -> Option<i32> {
        self.child.wait().expect("gone").code()
    }

    /// Sends a signal repeatedly until the process has exited, and returns its exit code. (Pending signals of one kind
    /// are merged into one.)
    #[must_use]
    pub fn signal_until_gone(mut self, name: &str) -> Option<i32> {
        loop {
            if let Some(status) = self.child.try_wait().expect("a process") {
                return status.code();
            }
            let _sent = Command::new("kill").arg(format!("-{name}")).arg(self.process().to_string()).status();
        }
    }

    /// Sends `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// Ends the process by closing its input, and returns whether it exited successfully.
    #[must_use]
    pub fn end(mut self) -> bool {
        self.input.lock().expect("input").take();
        self.child.wait().expect("gone").success()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}
