//! One program from its start to its end: a process group of its own, its streams on threads, and limits.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io::{self, Read, Write},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use process_wrap::std::{ChildWrapper, CommandWrap};

use crate::{
    lines::LineSplitter,
    model::{EndedBy, Limits},
};

/// The interval at which cancelling and the exit of the program are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// The interval at which a program that was asked to end is checked.
const END_CHECK_INTERVAL: Duration = Duration::from_millis(5);
/// The longest wait for output after the program has ended: a process outside of its group may hold the other end.
const MAX_DRAIN_TIME: Duration = Duration::from_millis(500);
/// The longest wait for the end of a program that was killed: one that waits for a disk cannot be killed.
const MAX_KILL_TIME: Duration = Duration::from_secs(5);
/// The most bytes that are read at once.
const CHUNK_BYTES: usize = 32 << 10;
/// The most chunks that wait to be read.
const MAX_BUFFERED_CHUNKS: usize = 8;
/// The most bytes of standard error that are retained.
const MAX_TAIL_BYTES: usize = 4 << 10;

/// A program and its surroundings.
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [OsString],
    pub(crate) environment: &'a [(OsString, OsString)],
    pub(crate) folder: &'a Path,
    /// The whole standard input.
    pub(crate) input: &'a [u8],
    pub(crate) limits: &'a Limits,
    pub(crate) is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Reads the lines of a program.
pub(crate) trait LineReader {
    /// Reads a line without its end.
    fn read_line(&mut self, line: &[u8]);
    /// Whether a tool runs: then the limit of silence is longer.
    fn is_tool_running(&self) -> bool;
    /// Whether the program reported its result.
    fn has_result(&self) -> bool;
    /// The run is over, and the program is being ended.
    fn ending(&mut self, ended_by: EndedBy);
}

/// The end of a program.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) exit_code: Option<i32>,
    pub(crate) ended_by: EndedBy,
    pub(crate) duration: Duration,
    /// The end of standard error, at most 4 KiB, without secrets.
    pub(crate) tail: String,
    /// Number of lines that were too long.
    pub(crate) dropped_lines: u32,
}

/// Runs a program to its end; afterwards no process of its group is left.
///
/// # Errors
/// If it cannot be started.
pub(crate) fn run(job: &Job<'_>, reader: &mut dyn LineReader) -> io::Result<Ended> {
    let started = Instant::now();
    let mut group = Group { child: spawn(job)?, is_reaped: false };
    let chunks = read_output(&mut *group.child);
    let tail = read_errors(&mut *group.child);
    write_input(&mut *group.child, job.input.to_vec());
    let mut output = Output { chunks, splitter: LineSplitter::new(job.limits.line_bytes), bytes: 0, lines: 0 };
    let (ended_by, exit_code) = match watch(job, &mut output, &mut *group.child, reader, started) {
        Some(ended_by) => {
            reader.ending(ended_by);
            let duration = started.elapsed();
            group.end(job.limits.grace);
            let exit_code = (ended_by == EndedBy::AfterResult).then_some(0);
            return Ok(Ended {
                exit_code,
                ended_by,
                duration,
                tail: tail.take(),
                dropped_lines: output.splitter.dropped,
            });
        }
        None => {
            // Processes that the program started must not outlive it, nor hold its output.
            kill_group(&mut *group.child);
            let ended_by = if output.drain(job.limits, reader) { EndedBy::TooMuch } else { EndedBy::Itself };
            (ended_by, group.reap().and_then(code_of))
        }
    };
    let dropped_lines = output.splitter.dropped;
    Ok(Ended { exit_code, ended_by, duration: started.elapsed(), tail: tail.take(), dropped_lines })
}

/// Waits until the program exits (`None`) or has to be ended.
fn watch(
    job: &Job<'_>,
    output: &mut Output,
    child: &mut dyn ChildWrapper,
    reader: &mut dyn LineReader,
    started: Instant,
) -> Option<EndedBy> {
    let limits = job.limits;
    let (mut last_line, mut result_at) = (started, None);
    let mut is_open = true;
    loop {
        if (job.is_cancelled)() {
            return Some(EndedBy::Cancelled);
        }
        let lines_before = output.lines;
        if is_open {
            match output.chunks.recv_timeout(CHECK_INTERVAL) {
                Ok(chunk) => {
                    if output.take_chunk(&chunk, limits, reader) {
                        return Some(EndedBy::TooMuch);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => is_open = false,
            }
        } else {
            thread::sleep(END_CHECK_INTERVAL);
        }
        let now = Instant::now();
        if output.lines > lines_before {
            last_line = now;
        }
        if reader.has_result() {
            result_at.get_or_insert(now);
        }
        let silence = match output.lines {
            0 => limits.first_line,
            _ if reader.is_tool_running() => limits.tool_silence,
            _ => limits.silence,
        };
        if has_exited(child) {
            return None;
        }
        if result_at.is_some_and(|at| now - at >= limits.after_result) {
            return Some(EndedBy::AfterResult);
        }
        if now - started >= limits.total {
            return Some(EndedBy::Timeout);
        }
        if result_at.is_none() && now - last_line >= silence {
            return Some(EndedBy::Silence);
        }
    }
}

/// The output of a program, with the numbers of bytes and lines read so far.
struct Output {
    chunks: Receiver<Vec<u8>>,
    splitter: LineSplitter,
    bytes: usize,
    lines: usize,
}

impl Output {
    /// Reads the lines of a chunk; returns whether there were too many, or too many bytes.
    fn take_chunk(&mut self, chunk: &[u8], limits: &Limits, reader: &mut dyn LineReader) -> bool {
        self.bytes += chunk.len();
        let lines = &mut self.lines;
        self.splitter.push(chunk, &mut |line| {
            *lines += 1;
            if *lines <= limits.events {
                reader.read_line(line);
            }
        });
        self.bytes > limits.bytes || self.lines > limits.events
    }

    /// Reads the rest after the end of the program; returns whether it was too much.
    fn drain(&mut self, limits: &Limits, reader: &mut dyn LineReader) -> bool {
        let until = Instant::now() + MAX_DRAIN_TIME;
        while let Ok(chunk) = self.chunks.recv_timeout(until.saturating_duration_since(Instant::now())) {
            if self.take_chunk(&chunk, limits, reader) {
                return true;
            }
        }
        self.splitter.finish(&mut |line| reader.read_line(line));
        false
    }
}

fn spawn(job: &Job<'_>) -> io::Result<Box<dyn ChildWrapper>> {
    let mut command = Command::new(job.program);
    command
        .args(job.arguments)
        .env_clear()
        .envs(job.environment.iter().cloned())
        .current_dir(job.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut command = CommandWrap::from(command);
    #[cfg(unix)]
    command.wrap(process_wrap::std::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::std::JobObject);
    command.spawn()
}

/// Writes the whole input on a thread, and closes it.
fn write_input(child: &mut dyn ChildWrapper, input: Vec<u8>) {
    let Some(mut stdin) = child.stdin().take() else { return };
    start_thread("agent-input", move || {
        // The program may end, or close its input, before it has read all.
        stdin.write_all(&input).ok();
    });
}

/// Reads standard output on a thread. The channel is closed at its end.
fn read_output(child: &mut dyn ChildWrapper) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(MAX_BUFFERED_CHUNKS);
    if let Some(stdout) = child.stdout().take() {
        start_thread("agent-output", move || pass_on(stdout, &sender));
    }
    receiver
}

fn pass_on(mut from: impl Read, to: &SyncSender<Vec<u8>>) {
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.send(buffer.get(..count).unwrap_or_default().to_vec()).is_err() {
            return;
        }
    }
}

/// The end of standard error.
struct Tail {
    held: Arc<Mutex<VecDeque<u8>>>,
    /// Disconnected at the end of standard error.
    end: Receiver<()>,
}

impl Tail {
    /// All that arrived before the program ended, without secrets. A process outside of its group may hold the other
    /// end; then it is what arrived within [`MAX_DRAIN_TIME`].
    fn take(&self) -> String {
        self.end.recv_timeout(MAX_DRAIN_TIME).ok();
        let held: Vec<u8> = self.held.lock().drain(..).collect();
        palimpsest_text::secrets::redact_secrets(String::from_utf8_lossy(&held).trim())
    }
}

/// Reads standard error on a thread, all of it.
fn read_errors(child: &mut dyn ChildWrapper) -> Tail {
    let held = Arc::<Mutex<VecDeque<u8>>>::default();
    let (until_end, end) = sync_channel::<()>(0);
    if let Some(mut stderr) = child.stderr().take() {
        let held = Arc::clone(&held);
        start_thread("agent-errors", move || {
            let mut buffer = vec![0; CHUNK_BYTES];
            while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                let mut held = held.lock();
                held.extend(buffer.get(..count).unwrap_or_default());
                let excess = held.len().saturating_sub(MAX_TAIL_BYTES);
                held.drain(..excess);
            }
            drop(until_end);
        });
    }
    Tail { held, end }
}

fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) {
    // Without the thread its end of the pipe is closed: the program sees an end of input, or a closed output.
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop).ok();
}

/// A program with the processes of its group. Dropped before its end, as after a panic of the reader, it is killed.
struct Group {
    child: Box<dyn ChildWrapper>,
    is_reaped: bool,
}

impl Group {
    /// Asks the group to end, and kills what is left of it after `grace`.
    fn end(&mut self, grace: Duration) {
        if ask_to_end(&mut *self.child) {
            wait_for_exit(&mut *self.child, grace);
        }
        kill_group(&mut *self.child);
        if wait_for_exit(&mut *self.child, MAX_KILL_TIME) {
            self.reap();
        }
    }

    /// Frees the entry of an exited process.
    fn reap(&mut self) -> Option<ExitStatus> {
        self.is_reaped = true;
        self.child.wait().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_reaped {
            self.end(Duration::ZERO);
        }
    }
}

fn wait_for_exit(child: &mut dyn ChildWrapper, max: Duration) -> bool {
    let until = Instant::now() + max;
    while !has_exited(child) {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(END_CHECK_INTERVAL);
    }
    true
}

/// Kills all processes of the group; they may have ended already.
fn kill_group(child: &mut dyn ChildWrapper) {
    child.start_kill().ok();
}

/// Sends SIGTERM to the group; returns whether the system has such a request.
#[cfg(unix)]
fn ask_to_end(child: &mut dyn ChildWrapper) -> bool {
    child.signal(rustix::process::Signal::TERM.as_raw()).is_ok()
}

#[cfg(not(unix))]
fn ask_to_end(_: &mut dyn ChildWrapper) -> bool {
    false
}

/// Whether the program has exited. Its entry stays, so that the number of its group is not given to another one before
/// the group is killed.
#[cfg(unix)]
fn has_exited(child: &mut dyn ChildWrapper) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // An error means that there is no such process any more.
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

#[cfg(not(unix))]
fn has_exited(child: &mut dyn ChildWrapper) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal))
}

#[cfg(not(unix))]
fn code_of(status: ExitStatus) -> Option<i32> {
    status.code()
}
