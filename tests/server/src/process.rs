//! The program `palimpsest-server`.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, OnceLock},
    thread::{self, JoinHandle},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Client, repository};

/// The path of the `palimpsest-server` binary, which is built if necessary.
pub fn server_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let root = repository("");
        let release = !cfg!(debug_assertions);
        let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // `--workspace`, because with `-p` cargo selects other features and builds half of the workspace again.
        build.args(["build", "--quiet", "--workspace", "--bin", "palimpsest-server"]).current_dir(&root);
        if release {
            build.arg("--release");
        }
        // The variables that cargo sets for a test make build scripts that read them, and their dependents, run again.
        let of_cargo = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_cargo)) {
            build.env_remove(name);
        }
        assert!(build.status().expect("cargo").success(), "palimpsest-server does not build");
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        target.join(if release { "release" } else { "debug" }).join("palimpsest-server")
    })
}

fn command(address: &str) -> Command {
    let mut command = Command::new(server_binary());
    command.env("PALIMPSEST_DATABASE_URL", address).stdin(Stdio::null());
    command
}

/// Runs a command of the administrator.
///
/// # Errors
/// Its error output.
pub fn run_command(address: &str, words: &[&str]) -> Result<String, String> {
    let ended = command(address).args(words).output().expect("the server runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a text");
    if ended.status.success() { Ok(text(ended.stdout)) } else { Err(text(ended.stderr)) }
}

/// A running server; it is killed with this value.
pub struct Server {
    child: Child,
    /// The address that it listens at.
    pub address: SocketAddr,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server without the encoder.
    #[must_use]
    pub fn start(database: &str) -> Self {
        Self::start_with(database, &["--embedder", "off", "--requests-per-minute", "1000000"])
    }

    /// Starts a server with these options.
    #[must_use]
    pub fn start_with(database: &str, options: &[&str]) -> Self {
        let mut command = command(database);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(options);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let log = Arc::new(Mutex::new(String::new()));
        let (lines, to) = (BufReader::new(child.stderr.take().expect("its log")), Arc::clone(&log));
        let reader = thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let mut log = to.lock().expect("the log");
                log.push_str(&line);
                log.push('\n');
            }
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening at http://").and_then(|address| address.parse().ok());
        let Some(address) = address else {
            reader.join().expect("the log");
            panic!("the server does not start: {}", log.lock().expect("the log"));
        };
        Self { child, address, log, reader: Some(reader) }
    }

    /// A client of the server.
    #[must_use]
    pub fn client(&self, key: &str) -> Client {
        Client::new(self.address, key)
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("the server runs");
    }

    /// Sends SIGKILL, and waits for the end.
    pub fn kill(&mut self) {
        self.child.kill().expect("the server runs");
        self.child.wait().expect("the server ends");
    }

    /// Waits for the end; returns the exit code and the whole log.
    pub fn wait(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().expect("the server ends");
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the log");
        }
        let log = self.log.lock().expect("the log").clone();
        (status.code(), log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
