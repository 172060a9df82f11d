//! `palimpsest-host`: the commands of Palimpsest as JSON-RPC 2.0, one message per line, on standard input and output;
//! with `--mcp`, tools of the Model Context Protocol over the same lines.
//!
//! Requests run concurrently and are answered when they are done: a client that needs an order waits for the answer.
//! Events are notifications. Logs go to standard error and contain no text of the writer's.

mod mcp;
mod output;
mod rpc;

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, mpsc::sync_channel},
    thread,
    time::Duration,
};

use palimpsest_api::{
    Api, BaseUrl, EncoderSource, Endpoint, EventSink, LogLevel, Options, Secret, Writing, launch_if_asked,
    model::{ProviderKind, Time},
    on_end_signal,
    ports::FixedClock,
    print_panics_by, write_log,
};

use mcp::{Binding, Questions, Server};
use output::Output;
use rpc::{InFlight, Input};

const USAGE: &str = "usage: palimpsest-host --data-dir DIR [--config FILE] [--embedder DIR] [--clock fixed:RFC3339]
       [--log error|warn|info|debug]
       [--provider sample | --provider openai|anthropic|ollama [--base-url URL] --model NAME]
       [--mcp --project ID [--project ID …] [--allow-write]]
The key of the provider, where it wants one, is taken from the environment: PALIMPSEST_API_KEY.";

/// The environment variable with the key; arguments would be visible to all users of the machine.
const KEY_VARIABLE: &str = "PALIMPSEST_API_KEY";

/// After a signal, the longest wait for running requests, for closing the memory, and for a client that does not read,
/// each.
const MAX_CLOSING: Duration = Duration::from_secs(5);

struct Arguments {
    data_dir: PathBuf,
    config_file: Option<PathBuf>,
    clock: Option<Arc<FixedClock>>,
    encoder: Option<PathBuf>,
    writing: Writing,
    log: Option<LogLevel>,
    /// For a server of the Model Context Protocol.
    binding: Option<Binding>,
}

fn main() -> ExitCode {
    if let Some(code) = launch_if_asked() {
        return code;
    }
    print_panics_by(|line| {
        // Standard error may be closed.
        writeln!(io::stderr(), "palimpsest-host: {line}").ok();
    });
    let arguments = match parse_arguments() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            writeln!(io::stdout(), "{USAGE}").ok();
            return ExitCode::SUCCESS;
        }
        Err(why) => return refuse(2, &format!("{why}\n{USAGE}")),
    };
    if let Some(level) = arguments.log {
        write_log(level, io::stderr());
    }
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => refuse(1, &why),
    }
}

/// Serves until the input ends or a signal arrives, then closes the memory.
fn run(arguments: Arguments) -> Result<(), String> {
    let no_thread = |error: io::Error| format!("no thread can be started: {}", error.kind());
    let output = Output::start().map_err(no_thread)?;
    let questions = Arc::new(Questions::default());
    let events: EventSink = match arguments.binding {
        Some(_) => {
            let questions = Arc::clone(&questions);
            Arc::new(move |name, payload| questions.event(name, payload))
        }
        None => {
            let output = Arc::clone(&output);
            Arc::new(move |name, payload| output.event(name, payload))
        }
    };
    let mut options = Options::new(arguments.data_dir, events);
    if let Some(clock) = &arguments.clock {
        options.clock = Arc::clone(clock) as _;
    }
    if let Some(folder) = arguments.encoder {
        options.encoder = EncoderSource::Folder(folder);
    }
    options.writing = arguments.writing;
    options.config_file = arguments.config_file;
    let api = Api::open(options).map_err(|error| error.message)?;
    if let Some(binding) = &arguments.binding {
        binding.check(&api)?;
    }
    let (input, lines) = rpc::start_reading().map_err(no_thread)?;
    let in_flight = Arc::new(InFlight::default());
    let (open, out, at) = (Arc::downgrade(&api), Arc::clone(&output), Arc::clone(&in_flight));
    // If no signal handler can be installed, a signal ends the process as usual.
    let _signal_handler = on_end_signal(move || {
        at.close();
        // Waits for a server or for the client are not bounded otherwise.
        if let Some(api) = open.upgrade() {
            api.stop_waiting();
        }
        out.stop_waiting();
        // The input may have ended by itself.
        input.send(Input::End).ok();
    });
    match arguments.binding {
        Some(binding) => {
            let server = Server::new(&api, binding, questions).map_err(no_thread)?;
            server.serve(lines, &output, &in_flight);
            in_flight.wait_until_idle(MAX_CLOSING);
            server.close();
        }
        None => {
            rpc::serve(&api, arguments.clock.as_ref(), &output, &lines, &in_flight);
            drop(lines);
            in_flight.wait_until_idle(MAX_CLOSING);
        }
    }
    let close = move || {
        api.close();
        drop(api);
    };
    if in_flight.is_closed() {
        // A disk that does not answer must not keep the process after a signal.
        let (ended, end) = sync_channel(1);
        let closing = thread::Builder::new().name("close".to_owned()).spawn(move || {
            close();
            ended.send(()).ok();
        });
        if closing.is_ok() {
            // After the timeout the process ends all the same.
            end.recv_timeout(MAX_CLOSING).ok();
        }
    } else {
        close();
    }
    output.drain(MAX_CLOSING);
    Ok(())
}

fn refuse(code: u8, why: &str) -> ExitCode {
    writeln!(io::stderr(), "palimpsest-host: {why}").ok();
    ExitCode::from(code)
}

/// Parses the command line; `None` if only help was requested.
fn parse_arguments() -> Result<Option<Arguments>, String> {
    use lexopt::prelude::{Long, Short, ValueExt};
    let mut parser = lexopt::Parser::from_env();
    let (mut data_dir, mut config_file, mut clock, mut encoder, mut log) = (None, None, None, None, None);
    let (mut provider, mut base_url, mut model) = (None, None, None);
    let (mut is_mcp, mut projects, mut is_write_allowed) = (false, Vec::new(), false);
    let to_text = |error: lexopt::Error| error.to_string();
    let string = |parser: &mut lexopt::Parser| parser.value().and_then(ValueExt::string).map_err(to_text);
    while let Some(argument) = parser.next().map_err(to_text)? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("data-dir") => data_dir = Some(PathBuf::from(parser.value().map_err(to_text)?)),
            Long("config") => config_file = Some(PathBuf::from(parser.value().map_err(to_text)?)),
            Long("embedder") => encoder = Some(PathBuf::from(parser.value().map_err(to_text)?)),
            Long("clock") => {
                let time: Time = string(&mut parser)?
                    .strip_prefix("fixed:")
                    .and_then(|time| time.parse().ok())
                    .ok_or("--clock takes fixed: and a time in RFC 3339")?;
                clock = Some(Arc::new(FixedClock::at(time)));
            }
            Long("log") => log = Some(string(&mut parser)?.parse()?),
            Long("provider") => provider = Some(string(&mut parser)?),
            Long("base-url") => base_url = Some(string(&mut parser)?),
            Long("model") => model = Some(string(&mut parser)?),
            Long("mcp") => is_mcp = true,
            Long("project") => projects.push(string(&mut parser)?),
            Long("allow-write") => is_write_allowed = true,
            other => return Err(other.unexpected().to_string()),
        }
    }
    let data_dir = data_dir.ok_or("--data-dir is missing")?;
    let writing = parse_writing(provider.as_deref(), base_url.as_deref(), model)?;
    let binding = match (is_mcp, projects.is_empty()) {
        (true, false) => Some(Binding { projects, is_write_allowed }),
        (true, true) => return Err("--mcp takes at least one --project".into()),
        (false, true) if !is_write_allowed => None,
        (false, _) => return Err("--project and --allow-write go with --mcp".into()),
    };
    Ok(Some(Arguments { data_dir, config_file, clock, encoder, writing, log, binding }))
}

/// The text model from the command line.
fn parse_writing(provider: Option<&str>, base_url: Option<&str>, model: Option<String>) -> Result<Writing, String> {
    let kind = match provider {
        None | Some("sample") if base_url.is_some() || model.is_some() => {
            return Err("--base-url and --model go with --provider openai, anthropic or ollama".into());
        }
        None => return Ok(Writing::Chosen),
        Some("sample") => return Ok(Writing::BuiltIn),
        Some("openai") => ProviderKind::OpenAi,
        Some("anthropic") => ProviderKind::Anthropic,
        Some("ollama") => ProviderKind::Ollama,
        Some(_) => return Err("--provider: there are sample, openai, anthropic and ollama".into()),
    };
    let model = model.filter(|model| !model.trim().is_empty()).ok_or("--model is missing")?;
    let base_url = match base_url {
        Some(url) => BaseUrl::parse(url).map_err(|why| format!("--base-url: {why}"))?,
        None => BaseUrl::default_for(kind).ok_or("--base-url is missing")?,
    };
    let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.trim().is_empty()).map(Secret::new);
    Ok(Writing::Given(Endpoint { kind, base_url, key }, model))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::USAGE;

    #[test]
    fn the_manual_page_has_every_option_of_the_usage_and_no_other() {
        let page = include_str!("../../../linux/palimpsest-host.1").replace(r"\-", "-");
        let options = |text: &str| -> BTreeSet<String> {
            let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
            text.split(|c| !is_part(c)).filter(|word| word.starts_with("--")).map(str::to_owned).collect()
        };
        assert_eq!(options(&page), options(USAGE));
    }
}
