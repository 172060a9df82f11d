//! Command-line assistants, against a double that is started like the real programs.

mod failures;
mod fenced;
mod golden;
mod real;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, SystemTime},
};

use palimpsest_agents::{
    Assistant, Book, Chapter, EndedBy, Environment, Isolation, Launcher, Limits, Position, Program, Programs, RunError,
    RunEvent, RunOutcome, RunRequest, ToolState,
};
use palimpsest_tests::host_binary;
use palimpsest_text::names::Pair;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The chapters of the book in every test; its names are hidden in some.
const CHAPTERS: [(&str, &str); 3] = [
    ("The Quay", "Mara counted the boats. Ilse was late.\n"),
    ("晚潮", "梅走到码头，灯还亮着。\n"),
    ("The Letter", "Mara burned the letter. 🕯️ Nothing of it was left.\n"),
];

/// A line of the stream of Claude Code with words of the assistant.
fn spoken(text: &str) -> Value {
    let line = json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": text }] } });
    json!({ "out": line.to_string() })
}

/// A line of the stream of Claude Code with the result.
fn result(text: &str) -> Value {
    json!({ "out": json!({ "type": "result", "subtype": "success", "is_error": false, "result": text }).to_string() })
}

/// An event of a run, without borrowed text.
#[derive(Debug, Clone, PartialEq)]
enum Event {
    Text(String),
    Tool(String, ToolState),
    Ending(EndedBy),
}

/// A machine with one assistant, a home folder, a book and a data folder.
struct Stage {
    root: TempDir,
    kind: Assistant,
    limits: Limits,
    launcher: Launcher,
    isolation: Isolation,
    model: Option<String>,
    arguments: Vec<String>,
    names: Option<Vec<Pair>>,
    end: Option<Position>,
    is_unfenced_allowed: bool,
    cancel: AtomicBool,
    before: BTreeMap<PathBuf, (Vec<u8>, SystemTime)>,
}

impl Stage {
    fn new(kind: Assistant) -> Self {
        // In the folder of the build, where the double can be linked: a program that was just written may still be open
        // for writing in a process that another test is starting.
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for folder in ["bin", "home/.claude", "tmp", "books/one", "books/two", "data"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for (number, (title, text)) in CHAPTERS.iter().enumerate() {
            fs::write(root.path().join(format!("books/one/{number}.md")), format!("# {title}\n\n{text}")).unwrap();
        }
        fs::write(root.path().join("books/two/secret.md"), "another book").unwrap();
        fs::write(root.path().join("data/rules.db"), "the memory").unwrap();
        fs::write(root.path().join("home/notes.txt"), "notes").unwrap();
        fs::hard_link(env!("CARGO_BIN_EXE_fake-agent"), root.path().join("bin").join(kind.as_str())).unwrap();
        let before = files_below(&root.path().join("books"));
        Self {
            root,
            kind,
            limits: Limits::default(),
            launcher: Launcher::none(),
            isolation: Isolation::WhereNeeded,
            model: None,
            arguments: Vec::new(),
            names: Some(Vec::new()),
            end: None,
            is_unfenced_allowed: true,
            cancel: AtomicBool::new(false),
            before,
        }
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.root.path().join(inner)
    }

    /// A file beside the program.
    fn beside(&self, end: &str) -> PathBuf {
        self.path(&format!("bin/{}.{end}", self.kind.as_str()))
    }

    fn script(&self, steps: &[Value]) {
        let lines: String = steps.iter().map(|step| format!("{step}\n")).collect();
        fs::write(self.beside("script.jsonl"), lines).unwrap();
    }

    fn programs(&self) -> Programs {
        let of = |name: &str, value: &Path| (name.into(), value.into());
        let mut variables = vec![of("PATH", &self.path("bin")), of("HOME", &self.path("home"))];
        for (name, value) in [("LANG", "C.UTF-8"), ("PALIMPSEST_API_KEY", "key"), ("CLAUDECODE", "1")] {
            variables.push((name.into(), value.into()));
        }
        let environment = Environment::new(variables);
        let writable = vec![self.path("bin")];
        Programs::new(environment, self.path("tmp"), self.launcher.clone(), self.limits.clone(), writable)
    }

    fn program(&self) -> Program {
        Program {
            kind: self.kind,
            name: "the assistant".to_owned(),
            program: self.kind.as_str().to_owned(),
            arguments: self.arguments.clone(),
            model: self.model.clone(),
            isolation: self.isolation,
        }
    }

    fn protected(&self) -> Vec<PathBuf> {
        ["books/one", "books/two", "data"].map(|folder| self.path(folder)).to_vec()
    }

    /// Asks the assistant; `on_event` may look at each event when it arrives.
    fn ask_program_watched(
        &self,
        prompt: &str,
        on_event: &mut dyn FnMut(&Event),
    ) -> (Result<RunOutcome, RunError>, Vec<Event>) {
        let chapters = CHAPTERS.map(|(title, text)| Chapter { title, text });
        let protected = self.protected();
        let request = RunRequest {
            prompt,
            book: Book { chapters: &chapters, end: self.end },
            names: self.names.as_deref(),
            protected: &protected,
            is_unfenced_allowed: self.is_unfenced_allowed,
            is_cancelled: &|| self.cancel.load(Ordering::SeqCst),
        };
        let mut events = Vec::new();
        let outcome = self.programs().backend(self.program()).run(&request, &mut |event| {
            let event = match event {
                RunEvent::Text(text) => Event::Text(text.to_owned()),
                RunEvent::Tool { name, state } => Event::Tool(name.to_owned(), state),
                RunEvent::Ending(ended_by) => Event::Ending(ended_by),
            };
            on_event(&event);
            events.push(event);
        });
        self.check_left_behind();
        (outcome, events)
    }

    fn ask_program(&self, prompt: &str) -> (Result<RunOutcome, RunError>, Vec<Event>) {
        self.ask_program_watched(prompt, &mut |_| {})
    }

    fn outcome(&self, steps: &[Value]) -> RunOutcome {
        self.script(steps);
        self.ask_program("Why did she burn it?").0.unwrap()
    }

    /// The things that the double was given in its last run; `None` if it was not started.
    fn seen(&self) -> Option<Value> {
        Some(serde_json::from_slice(&fs::read(self.beside("seen.json")).ok()?).unwrap())
    }

    /// After every run: the books are untouched, no copy is left, and no process of the run.
    fn check_left_behind(&self) {
        assert_eq!(files_below(&self.path("books")), self.before, "the manuscript is untouched");
        assert_eq!(fs::read_dir(self.path("tmp")).unwrap().count(), 0, "no copy is left");
        let seen = self.seen().unwrap_or_default();
        for pid in [&seen["pid"], &seen["child"]].into_iter().filter_map(Value::as_u64) {
            assert!(has_ended(pid), "process {pid} is left");
        }
    }
}

/// Waits up to five seconds for the end of a process: one that was killed is listed until the system removes it.
fn has_ended(pid: u64) -> bool {
    let until = Instant::now() + Duration::from_secs(5);
    while is_alive(pid) {
        if Instant::now() > until {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

fn is_alive(pid: u64) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit(')').next().unwrap().trim_start().starts_with(['Z', 'X'])
}

fn files_below(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            let changed = path.metadata().unwrap().modified().unwrap();
            found.insert(path.clone(), (fs::read(&path).unwrap(), changed));
        }
    }
    found
}

/// The launcher of the fence, where this system has one; otherwise the test says that it checked nothing.
fn launcher(test: &str) -> Option<Launcher> {
    let launcher = Launcher::new(host_binary().to_owned());
    if launcher.is_fencing() {
        return Some(launcher);
    }
    eprintln!("NOT CHECKED: {test}: this system has no Landlock");
    assert!(std::env::var_os("PALIMPSEST_REQUIRE_FENCE").is_none(), "PALIMPSEST_REQUIRE_FENCE, and no Landlock");
    None
}
