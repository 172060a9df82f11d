//! The desktop shell: one window over the table of commands in `palimpsest-api`.
//!
//! Invariant: this is the only crate that uses Tauri, and it contains no logic of the memory. It opens the memory,
//! passes calls and events through, and guards the closing of the window.

mod commands;
mod desktop;
mod events;
mod pace;
#[cfg(test)]
mod permissions;
mod secrets;

use std::{process::ExitCode, sync::Arc, time::Duration};

use palimpsest_api::{
    Api, EncoderSource, LogFile, LogLevel, Options, SampleModel, launch_if_asked, on_end_signal, print_panics_by,
    write_log,
};
use tauri::{App, Manager, RunEvent, WindowEvent};

use pace::Paced;

/// The time for the first paint of the window; the encoder is loaded after it.
const MAX_FIRST_PAINT: Duration = Duration::from_secs(1);

/// Opens the window and returns when it closes.
///
/// Exit code 1 if there is no display, or the data folder cannot be opened, for example because another process uses
/// it.
pub fn run() -> ExitCode {
    if let Some(code) = launch_if_asked() {
        return code;
    }
    print_panics_by(desktop::print);
    if !desktop::has_display() {
        desktop::explain_no_display();
        return ExitCode::FAILURE;
    }
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(commands::answer)
        .on_window_event(|window, event| {
            if matches!(event, WindowEvent::CloseRequested { .. }) {
                desktop::guard_close(window);
            }
        })
        .setup(|app| {
            // Tauri would panic on an error from here. A message is shown instead.
            if let Err(reason) = start(app) {
                desktop::refuse_to_start(app.handle(), &reason);
            }
            Ok(())
        })
        .build(tauri::generate_context!());
    match app {
        Ok(app) => u8::try_from(app.run_return(|app, event| {
            // Stores the data of this session before the process ends.
            if matches!(event, RunEvent::Exit)
                && let Some(api) = app.try_state::<Arc<Api>>()
            {
                api.close();
            }
        }))
        .map_or(ExitCode::FAILURE, ExitCode::from),
        Err(_) => ExitCode::FAILURE,
    }
}

/// Opens the memory and then the window. Fails with the reason.
fn start(app: &App) -> Result<(), String> {
    let data_dir = desktop::data_dir(app).map_err(|error| error.kind().to_string())?;
    // If the log cannot be opened, the program starts without one.
    if let Ok(log) = LogFile::open(&data_dir) {
        write_log(LogLevel::Info, log);
    }
    let mut options = Options {
        model: Arc::new(Paced(SampleModel)),
        keys: secrets::keys(),
        ..Options::new(data_dir.clone(), events::window_sink(app.handle().clone()))
    };
    options.encoder = match options.encoder {
        EncoderSource::Folder(folder) => EncoderSource::Later(folder, MAX_FIRST_PAINT),
        // An installed program has the encoder among its resources.
        _ => match app.path().resource_dir() {
            Ok(resources) => EncoderSource::Later(resources.join("embedder"), MAX_FIRST_PAINT),
            Err(_) => EncoderSource::Nowhere,
        },
    };
    if options.dictionary.is_none() {
        // As the encoder.
        options.dictionary = app.path().resource_dir().ok().map(|resources| resources.join("dictionary"));
    }
    if options.tagger.is_none() {
        options.tagger = app.path().resource_dir().ok().map(|resources| resources.join("tagger"));
    }
    let api = Api::open(options).map_err(|error| error.message)?;
    let window = app.handle().clone();
    // If no signal handler can be installed, a signal ends the program as usual.
    let _signal_handler = on_end_signal(move || desktop::close_by_signal(&window));
    // Managed before the page exists, and so before its first call.
    app.manage(api);
    desktop::open_window(app.handle(), &data_dir).map_err(|error| error.to_string())
}
