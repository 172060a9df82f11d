//! The double of the assistants: copied as `claude`, `codex`, `gemini` or another name, it does what
//! `<itself>.script.jsonl` says, one step a line, and leaves what it was given in `<itself>.seen.json`. Both lie beside
//! it, because its environment is emptied on purpose.
//!
//! `--version` prints `<itself>.version`, `--help` prints `<itself>.help`, and `status` fails if there is an
//! `<itself>.loggedOut`; none of them runs the script.
//!
//! Steps: `out` (a line), `raw` (text without an end, `times`), `bytes`, `err` (as `raw`, on standard error), `wait`
//! (for a file that the test makes), `read` (a file or folder; `seen` has whether it could be read), `child` (a process
//! that stays), `hang` (or `ignoringTerm`), `close` (standard output), `write` (`path`, `text`), `exit`; and `deaf`, as
//! the first one, for a program that does not read its input.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    thread,
    time::Duration,
};

use serde_json::{Map, Value, json};

/// The argument of a process that only stays.
const STAY: &str = "--stay";

fn main() -> ExitCode {
    let itself = std::env::current_exe().unwrap();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let beside = |end: &str| PathBuf::from(format!("{}.{end}", itself.display()));
    if arguments == [STAY] {
        stay();
    }
    for (flag, end) in [("--version", "version"), ("--help", "help")] {
        if arguments.last().is_some_and(|last| last == flag) {
            let text = fs::read_to_string(beside(end)).unwrap_or_default();
            io::stdout().write_all(text.as_bytes()).ok();
            return ExitCode::SUCCESS;
        }
    }
    if arguments.last().is_some_and(|last| last == "status") {
        return ExitCode::from(u8::from(beside("loggedOut").exists()));
    }
    let script = fs::read_to_string(beside("script.jsonl")).unwrap();
    let steps: Vec<Value> = script.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut input = Vec::new();
    if steps.first().is_none_or(|step| step.get("deaf").is_none()) {
        io::stdin().read_to_end(&mut input).unwrap();
    }
    let mut names: Vec<String> = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    names.sort();
    let mut seen = json!({ "argv": arguments, "environment": names, "cwd": std::env::current_dir().unwrap(),
        "files": files_of(Path::new(".")), "stdin": String::from_utf8_lossy(&input),
        "stdinHash": blake3::hash(&input).to_hex().as_str(), "pid": std::process::id(), "reads": [] });
    let save = |seen: &Value| fs::write(beside("seen.json"), seen.to_string()).unwrap();
    save(&seen);
    for step in steps {
        let (name, value) = step.as_object().unwrap().iter().next().unwrap();
        match name.as_str() {
            "out" => print(&mut io::stdout(), format!("{}\n", value.as_str().unwrap()).as_bytes(), &step),
            "raw" => print(&mut io::stdout(), value.as_str().unwrap().as_bytes(), &step),
            "err" => print(&mut io::stderr(), value.as_str().unwrap().as_bytes(), &step),
            "bytes" => {
                let bytes: Vec<u8> = serde_json::from_value(value.clone()).unwrap();
                print(&mut io::stdout(), &bytes, &step);
            }
            "wait" => {
                while !Path::new(value.as_str().unwrap()).exists() {
                    thread::sleep(Duration::from_millis(2));
                }
            }
            "read" => {
                let path = value.as_str().unwrap();
                let read = fs::read(path).map(|_| "read").or_else(|_| fs::read_dir(path).map(|_| "read"));
                seen["reads"].as_array_mut().unwrap().push(json!([path, read.is_ok()]));
                save(&seen);
            }
            "child" => {
                seen["child"] = json!(Command::new(&itself).arg(STAY).spawn().unwrap().id());
                save(&seen);
            }
            "hang" if value == "ignoringTerm" => {
                ignore_term();
                print(&mut io::stdout(), b"deaf\n", &step);
                stay();
            }
            "hang" => stay(),
            "close" => close_output(),
            "write" => fs::write(value["path"].as_str().unwrap(), value["text"].as_str().unwrap()).unwrap_or(()),
            "exit" => return ExitCode::from(u8::try_from(value.as_u64().unwrap()).unwrap()),
            "deaf" => {}
            other => panic!("no such step: {other}"),
        }
    }
    ExitCode::SUCCESS
}

/// Prints bytes, as often as the step says. The reader may have stopped reading.
fn print(to: &mut dyn Write, bytes: &[u8], step: &Value) {
    for _ in 0..step.get("times").and_then(Value::as_u64).unwrap_or(1) {
        if to.write_all(bytes).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

fn stay() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3_600));
    }
}

/// The files of a folder with their texts.
fn files_of(folder: &Path) -> Map<String, Value> {
    let mut found = Map::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        found.insert(entry.file_name().to_string_lossy().into_owned(), json!(text));
    }
    found
}

#[cfg(unix)]
fn ignore_term() {
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, flag).unwrap();
}

#[cfg(not(unix))]
fn ignore_term() {}

/// Closes the pipe of standard output.
#[cfg(unix)]
fn close_output() {
    rustix::stdio::dup2_stdout(fs::File::options().write(true).open("/dev/null").unwrap()).unwrap();
}

#[cfg(not(unix))]
fn close_output() {}
