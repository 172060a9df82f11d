//! Programs of this machine: found, tested, and run a few at a time.

use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use parking_lot::{Condvar, Mutex};

use crate::{
    argv::{Assistant, arguments, lists_command},
    copy::{BookCopy, remove_leftovers},
    environment::{Environment, find_program},
    fence::{Fence, Launcher, MARK, NO_FENCE, NO_PROGRAM, Rights},
    model::{EndedBy, Isolation, Limits, ProgramInfo, Reason, RunBackend, RunError, RunEvent, RunOutcome, RunRequest},
    process::{self, Ended, Job, LineReader},
    run,
    stream::refusal_of,
};

/// The most characters of a version.
const MAX_VERSION_LENGTH: usize = 100;
/// The interval at which a waiting run checks whether it was cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A program as the writer set it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The kind, which decides over its arguments and how its output is read.
    pub kind: Assistant,
    /// The name that the writer gave it.
    pub name: String,
    /// An absolute path, or a name that is looked up in `PATH`.
    pub program: String,
    /// The arguments of a program of the writer's own, with `{model}` for the model; unused for other kinds.
    pub arguments: Vec<String>,
    /// `None` for the program's own choice.
    pub model: Option<String>,
    /// When the fence of the system is required.
    pub isolation: Isolation,
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramTest {
    /// The first line that the program prints about its version, at most 100 characters; `None` without one.
    pub version: Option<String>,
    /// Whether a run can start.
    pub is_ready: bool,
    /// The fence of its runs.
    pub fence: Fence,
    /// Why a run cannot start.
    pub reason: Option<Reason>,
}

/// Runs programs. Clones, also those with other limits, share the count of concurrent runs and the cached options of
/// each program.
#[derive(Clone)]
pub struct Programs {
    shared: Arc<Shared>,
    limits: Arc<Limits>,
}

/// A file, and the time of its last change.
type FileVersion = (PathBuf, Option<SystemTime>);

struct Shared {
    environment: Environment,
    /// The folder in which copies are made.
    temporary: PathBuf,
    launcher: Launcher,
    /// Folders that programs may change behind the fence, besides their settings.
    writable: Vec<PathBuf>,
    running: Mutex<usize>,
    /// Notified when a run ends.
    ended: Condvar,
    /// The options that a program prints, by its path and the time of its last change.
    help: Mutex<HashMap<FileVersion, Option<String>>>,
}

impl Programs {
    /// Programs that are found and started with `environment`, whose copies are made in `temporary`. `writable` has
    /// folders that a program may change behind the fence, besides its settings.
    #[must_use]
    pub fn new(
        environment: Environment,
        temporary: PathBuf,
        launcher: Launcher,
        limits: Limits,
        writable: Vec<PathBuf>,
    ) -> Self {
        let shared = Shared {
            environment,
            temporary,
            launcher,
            writable,
            running: Mutex::new(0),
            ended: Condvar::new(),
            help: Mutex::new(HashMap::new()),
        };
        Self { shared: Arc::new(shared), limits: Arc::new(limits) }
    }

    /// The same programs with other limits. A run that is under way goes on with those it began with.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Self { shared: Arc::clone(&self.shared), limits: Arc::new(limits) }
    }

    /// Programs of this machine, with the usual limits and this process as the launcher.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let launcher = Launcher::of_this_process();
        Self::new(Environment::of_this_process(), std::env::temp_dir(), launcher, Limits::default(), Vec::new())
    }

    /// Deletes the copies of books that a crash left.
    pub fn remove_leftovers(&self) {
        remove_leftovers(&self.shared.temporary);
    }

    /// The known programs that are installed, with their paths.
    #[must_use]
    pub fn find(&self) -> Vec<(Assistant, PathBuf)> {
        let found = |kind: Assistant| Some((kind, find_program(kind.as_str(), &self.shared.environment)?));
        Assistant::KNOWN.into_iter().filter_map(found).collect()
    }

    /// A program behind the port of a run.
    #[must_use]
    pub fn backend(&self, program: Program) -> Arc<dyn RunBackend> {
        Arc::new(ProgramBackend { programs: self.clone(), program })
    }

    /// The fence of the runs of a kind of program.
    #[must_use]
    pub fn fence(&self, kind: Assistant) -> Fence {
        match kind {
            _ if self.shared.launcher.is_fencing() => Fence::System,
            Assistant::Own => Fence::None,
            _ => Fence::Asked,
        }
    }

    /// Tests a program: asks for its version and its options in an empty folder behind the fence. Nothing is sent to a
    /// model.
    #[must_use]
    pub fn test(&self, program: &Program, protected: &[PathBuf]) -> ProgramTest {
        let fence = self.fence(program.kind);
        let mut test = ProgramTest { version: None, is_ready: false, fence, reason: None };
        match self.try_out(program, protected, &mut test.version) {
            Ok(()) => test.is_ready = true,
            Err(error) => test.reason = Some(error.reason),
        }
        test
    }

    fn try_out(&self, program: &Program, protected: &[PathBuf], version: &mut Option<String>) -> Result<(), RunError> {
        if program.isolation == Isolation::Always && self.fence(program.kind) != Fence::System {
            return Err(not_fenced());
        }
        let path = self.locate(program)?;
        let printed = self.short_answer(program.kind, &path, &["--version"], protected)?;
        let line = printed.text.lines().map(str::trim).find(|line| !line.is_empty());
        *version = line.map(|line| line.chars().take(MAX_VERSION_LENGTH).collect());
        if program.kind != Assistant::Own {
            if printed.exit_code != Some(0) {
                let refusal = refusal_of(&printed.tail).unwrap_or(Reason::StartFailed);
                return Err(RunError::new(refusal, "the program does not print its version"));
            }
            self.arguments(program, &path, Path::new("."), protected)?;
            self.check_login(program.kind, &path, protected)?;
        }
        Ok(())
    }

    /// Asks a program with a command for it whether it has a login.
    fn check_login(&self, kind: Assistant, path: &Path, protected: &[PathBuf]) -> Result<(), RunError> {
        let Some((command, words)) = kind.login_command() else { return Ok(()) };
        // Older versions take an unknown command for a question.
        let commands = self.short_answer(kind, path, &["--help"], protected)?;
        if !lists_command(&commands.text, command) {
            return Ok(());
        }
        let answer = self.short_answer(kind, path, words, protected)?;
        if answer.exit_code == Some(0) {
            return Ok(());
        }
        Err(RunError::new(Reason::NotLoggedIn, "the program has no login"))
    }

    /// The path of a program.
    pub(crate) fn locate(&self, program: &Program) -> Result<PathBuf, RunError> {
        find_program(&program.program, &self.shared.environment)
            .ok_or_else(|| RunError::new(Reason::ProgramMissing, "there is no such program"))
    }

    /// The limits of runs.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn temporary(&self) -> &Path {
        &self.shared.temporary
    }

    /// The arguments of a run in `folder`.
    pub(crate) fn arguments(
        &self,
        program: &Program,
        path: &Path,
        folder: &Path,
        protected: &[PathBuf],
    ) -> Result<Vec<OsString>, RunError> {
        let help = self.help(program.kind, path, protected)?;
        arguments(program.kind, &program.arguments, program.model.as_deref(), folder, help.as_deref())
            .ok_or_else(|| RunError::new(Reason::VersionTooOld, "the program lacks an option that is needed"))
    }

    /// The options that a program prints; asked once for each version of its file. `None` if it prints none.
    fn help(&self, kind: Assistant, path: &Path, protected: &[PathBuf]) -> Result<Option<String>, RunError> {
        if kind.help_arguments().is_empty() {
            return Ok(None);
        }
        let changed = path.metadata().and_then(|meta| meta.modified()).ok();
        let key = (path.to_owned(), changed);
        if let Some(help) = self.shared.help.lock().get(&key) {
            return Ok(help.clone());
        }
        let printed = self.short_answer(kind, path, kind.help_arguments(), protected)?;
        let help = Some(printed.text).filter(|text| !text.trim().is_empty() && printed.exit_code == Some(0));
        self.shared.help.lock().insert(key, help.clone());
        Ok(help)
    }

    /// The output of a short request in an empty folder.
    fn short_answer(
        &self,
        kind: Assistant,
        path: &Path,
        words: &[&str],
        protected: &[PathBuf],
    ) -> Result<Printed, RunError> {
        let copy = BookCopy::create(&self.shared.temporary, &[], protected)?;
        let limit = self.limits.short_request;
        let limits = Limits { first_line: limit, silence: limit, total: limit, ..(*self.limits).clone() };
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut printed = Printed::default();
        let request = Start { kind, path, arguments: &words, input: &[], limits: &limits, is_cancelled: &|| false };
        let ended = self.start(&request, &copy, protected, &mut printed)?;
        match ended.ended_by {
            EndedBy::Itself => {}
            EndedBy::TooMuch => return Err(RunError::new(Reason::TooMuch, "the program prints too much")),
            _ => return Err(RunError::new(Reason::Silent, "the program does not answer a short request")),
        }
        printed.exit_code = ended.exit_code;
        printed.tail = ended.tail;
        Ok(printed)
    }

    /// Starts a program in a copy, behind the fence where there is one, and runs it to its end.
    pub(crate) fn start(
        &self,
        request: &Start<'_>,
        copy: &BookCopy,
        protected: &[PathBuf],
        reader: &mut dyn LineReader,
    ) -> Result<Ended, RunError> {
        let shared = &*self.shared;
        let (folder, temporary) = (copy.chapters(), copy.temporary());
        let more: &[(&str, &str)] = match request.kind {
            Assistant::Gemini => &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
            _ => &[],
        };
        let environment = shared.environment.with_temporary(&temporary, more);
        let mut rights = Rights::new(request.path, &shared.environment, &folder, &temporary, protected);
        rights.allow_writing(&shared.writable);
        let (program, arguments) = shared.launcher.command(request.path, request.arguments, &rights);
        let job = Job {
            program: &program,
            arguments: &arguments,
            environment: &environment,
            folder: &folder,
            input: request.input,
            limits: request.limits,
            is_cancelled: request.is_cancelled,
        };
        let ended = process::run(&job, reader).map_err(|error| start_failed(&error.kind().to_string()))?;
        match ended.exit_code {
            Some(NO_FENCE) if shared.launcher.is_fencing() && ended.tail.starts_with(MARK) => Err(not_fenced()),
            Some(NO_PROGRAM) if shared.launcher.is_fencing() && ended.tail.starts_with(MARK) => {
                Err(start_failed("behind the fence"))
            }
            _ => Ok(ended),
        }
    }

    /// Waits until every run has ended and its copy is deleted, at most for `limit`. Cancel the runs before.
    pub fn wait_until_ended(&self, limit: Duration) {
        let mut running = self.shared.running.lock();
        self.shared.ended.wait_while_for(&mut running, |running| *running > 0, limit);
    }

    /// Waits until fewer than [`Limits::concurrent_runs`] programs run; `None` if the run was cancelled meanwhile.
    pub(crate) fn enter(&self, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Turn<'_>> {
        let mut running = self.shared.running.lock();
        while *running >= self.limits.concurrent_runs.max(1) {
            if is_cancelled() {
                return None;
            }
            self.shared.ended.wait_for(&mut running, CHECK_INTERVAL);
        }
        *running += 1;
        Some(Turn(self))
    }
}

/// A program that is about to be started.
pub(crate) struct Start<'a> {
    pub(crate) kind: Assistant,
    pub(crate) path: &'a Path,
    pub(crate) arguments: &'a [OsString],
    pub(crate) input: &'a [u8],
    pub(crate) limits: &'a Limits,
    pub(crate) is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// One of the concurrent runs, until it is dropped.
pub(crate) struct Turn<'a>(&'a Programs);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.shared.running.lock() -= 1;
        self.0.shared.ended.notify_all();
    }
}

/// The output of a short request.
#[derive(Default)]
struct Printed {
    text: String,
    exit_code: Option<i32>,
    tail: String,
}

impl LineReader for Printed {
    fn read_line(&mut self, line: &[u8]) {
        self.text.push_str(&String::from_utf8_lossy(line));
        self.text.push('\n');
    }

    fn is_tool_running(&self) -> bool {
        false
    }

    fn has_result(&self) -> bool {
        false
    }

    fn ending(&mut self, _: EndedBy) {}
}

pub(crate) fn not_fenced() -> RunError {
    RunError::new(Reason::NotFenced, "the system has no fence for programs")
}

fn start_failed(kind: &str) -> RunError {
    RunError::new(Reason::StartFailed, format!("the program could not be started: {kind}"))
}

/// A program behind the port of a run.
struct ProgramBackend {
    programs: Programs,
    program: Program,
}

impl RunBackend for ProgramBackend {
    fn info(&self) -> ProgramInfo {
        ProgramInfo {
            kind: self.program.kind,
            name: self.program.name.clone(),
            model: self.program.model.clone(),
            reads_files: self.program.kind.reads_files(),
            leaves_machine: true,
        }
    }

    fn run(&self, request: &RunRequest<'_>, on_event: &mut dyn FnMut(RunEvent<'_>)) -> Result<RunOutcome, RunError> {
        run::run(&self.programs, &self.program, request, on_event)
    }
}
