//! `palimpsest-server`: a memory of answers for a team, over HTTP, on PostgreSQL with pgvector.
//!
//! The wire is that of the service of memex, which the desktop speaks. Decisions about levels, trust and relevance are
//! those of the crate `answers`. Several servers share one database: a process holds nothing that another one needs.
//! The log has no text of a request.

mod admin;
mod answers;
mod database;
mod encoder;
mod keys;
mod log;
mod metrics;
mod rate;
mod refusal;
mod removal;
mod reply;
mod routes;
mod serve;
mod wire;

use std::{
    io::{self, Write},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    thread,
};

use lexopt::{
    Arg::{Long, Value},
    ValueExt,
};

use admin::Command;
use encoder::Meaning;
use log::{Field, log};
use serve::{Shared, serve};

const USAGE: &str = "usage: palimpsest-server [serve] [--listen ADDRESS:PORT] [--connections N]
           [--requests-per-minute N] [--max-body-bytes N] [--embedder DIR|off]
       palimpsest-server migrate
       palimpsest-server project add NAME [ID …]
       palimpsest-server project link NAME ID …
       palimpsest-server project list
       palimpsest-server project remove NAME
       palimpsest-server answer remove QA_ID
       palimpsest-server key add NAME [NAME …] [--label TEXT]
       palimpsest-server key list
       palimpsest-server key revoke KEY_ID
The address of the database is taken from the environment: PALIMPSEST_DATABASE_URL.";

/// The environment variable with the address of the database; arguments would be visible to all users of the machine.
const DATABASE_VARIABLE: &str = "PALIMPSEST_DATABASE_URL";

/// Options of `serve`.
struct Options {
    listen: SocketAddr,
    connections: usize,
    per_minute: u32,
    max_body_bytes: usize,
    /// `None`: words alone serve.
    embedder: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7341)),
            connections: 10,
            per_minute: 600,
            max_body_bytes: 1 << 20,
            embedder: encoder::bundled_folder(),
        }
    }
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        // The message of a panic may have text of a request; its place has none.
        let line = info.location().map_or(0, std::panic::Location::line);
        log("defect", &[("line", Field::Count(u64::from(line)))]);
    }));
    let (command, options) = match parse_arguments() {
        Ok(Some(parsed)) => parsed,
        Ok(None) => {
            writeln!(io::stdout(), "{USAGE}").ok();
            return ExitCode::SUCCESS;
        }
        Err(why) => return fail(2, &format!("{why}\n{USAGE}")),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(1, &format!("no thread can be started: {}", error.kind())),
    };
    let ended = runtime.block_on(run(command, options));
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => fail(1, &why),
    }
}

fn fail(code: u8, why: &str) -> ExitCode {
    // Standard error may be closed.
    writeln!(io::stderr(), "palimpsest-server: {why}").ok();
    ExitCode::from(code)
}

async fn run(command: Command, options: Options) -> Result<(), String> {
    let address = std::env::var(DATABASE_VARIABLE).map_err(|_| format!("{DATABASE_VARIABLE} is not set"))?;
    let config = database::parse_address(&address)?;
    database::migrate(&config).await?;
    if command != Command::Serve {
        let lines = admin::run(&config, command).await?;
        for line in lines {
            writeln!(io::stdout(), "{line}").map_err(|error| error.kind().to_string())?;
        }
        return Ok(());
    }
    let pool = database::pool(&config, options.connections)?;
    let meaning = Arc::new(Meaning::default());
    if let Some(folder) = options.embedder {
        let (meaning, pool, runtime) = (Arc::clone(&meaning), pool.clone(), tokio::runtime::Handle::current());
        // Loading takes some tenths of a second; until then words alone serve.
        let load = move || {
            meaning.load(&folder);
            if meaning.is_ready() {
                runtime.spawn(encoder::keep_complete(meaning, pool));
            }
        };
        thread::Builder::new().name("encoder".to_owned()).spawn(load).map_err(|error| error.kind().to_string())?;
    }
    let shared = Arc::new(Shared::new(pool, meaning, options.per_minute, options.max_body_bytes));
    let stop = end_signal()?;
    let listening = |address: SocketAddr| {
        log("listening", &[("port", Field::Count(u64::from(address.port())))]);
        // For programs that start the server with port 0.
        writeln!(io::stdout(), "listening at http://{address}").ok();
        io::stdout().flush().ok();
    };
    serve(shared, options.listen, listening, stop).await
}

/// Ready at the first SIGTERM or SIGINT.
#[cfg(unix)]
fn end_signal() -> Result<impl Future<Output = ()>, String> {
    use tokio::signal::unix::{SignalKind, signal};
    let no_handler = |error: io::Error| format!("signals cannot be handled: {}", error.kind());
    let mut terminate = signal(SignalKind::terminate()).map_err(no_handler)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(no_handler)?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn end_signal() -> Result<impl Future<Output = ()>, String> {
    Ok(async {
        // Without a handler the system ends the process.
        tokio::signal::ctrl_c().await.ok();
    })
}

fn parse_arguments() -> Result<Option<(Command, Options)>, String> {
    let mut options = Options::default();
    let (mut words, mut label) = (Vec::new(), None);
    let mut parser = lexopt::Parser::from_env();
    let wrong = |error: lexopt::Error| error.to_string();
    while let Some(argument) = parser.next().map_err(wrong)? {
        match argument {
            Long("help") => return Ok(None),
            Long("listen") => options.listen = parser.value().and_then(|value| value.parse()).map_err(wrong)?,
            Long("connections") => {
                let connections: usize = parser.value().and_then(|value| value.parse()).map_err(wrong)?;
                options.connections = connections.clamp(1, 1_000);
            }
            Long("requests-per-minute") => {
                options.per_minute = parser.value().and_then(|value| value.parse()).map_err(wrong)?;
            }
            Long("max-body-bytes") => {
                options.max_body_bytes = parser.value().and_then(|value| value.parse()).map_err(wrong)?;
            }
            Long("embedder") => {
                let folder = parser.value().map_err(wrong)?;
                options.embedder = (folder != "off").then(|| folder.into());
            }
            Long("label") => label = Some(parser.value().and_then(|value| value.string()).map_err(wrong)?),
            Value(word) => words.push(word.string().map_err(wrong)?),
            other => return Err(other.unexpected().to_string()),
        }
    }
    Ok(Some((Command::parse(words, label)?, options)))
}
