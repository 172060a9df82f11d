//! The desktop shell: one window over the table of commands in `palimpsest-api`.
//!
//! Invariant: this is the only crate that names Tauri, and it holds no rule of the program's. It opens the memory, passes
//! calls and events through, and guards the window.

mod commands;
mod desktop;
mod events;
mod pace;
#[cfg(test)]
mod permissions;
mod secrets;

use std::{process::ExitCode, sync::Arc, time::Duration};

use palimpsest_api::{
    Api, EncoderSource, LogFile, LogLevel, Options, SampleModel, on_end_signal, print_panics_by, write_log,
};
use tauri::{App, Manager, RunEvent, WindowEvent};

use pace::Paced;

/// What the window may take to its first picture, undisturbed by what nobody needs yet.
const FIRST_PICTURE: Duration = Duration::from_secs(1);

/// Opens the window and stays until it closes.
///
/// Exit code 1 when there is no display, or the data folder cannot be opened, for example because another window has it.
pub fn run() -> ExitCode {
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
                desktop::close_requested(window);
            }
        })
        .setup(|app| {
            // An error from here would be a panic in Tauri. The writer is told instead.
            if let Err(reason) = start(app) {
                desktop::refuse_to_start(app.handle(), &reason);
            }
            Ok(())
        })
        .build(tauri::generate_context!());
    match app {
        Ok(app) => u8::try_from(app.run_return(|app, event| {
            // What this session has added up to is kept before the process goes.
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

/// Opens the memory and then the window; the reason when that cannot be.
fn start(app: &App) -> Result<(), String> {
    let data_dir = desktop::data_dir(app).map_err(|error| error.kind().to_string())?;
    // A log that cannot be opened is no reason not to start.
    if let Ok(log) = LogFile::open(&data_dir) {
        write_log(LogLevel::Info, log);
    }
    let mut options = Options {
        model: Arc::new(Paced(SampleModel)),
        keys: secrets::keys(),
        ..Options::new(data_dir.clone(), events::sink(app.handle().clone()))
    };
    options.encoder = match options.encoder {
        EncoderSource::Folder(folder) => EncoderSource::Later(folder, FIRST_PICTURE),
        // An installed program has the encoder among its resources.
        _ => match app.path().resource_dir() {
            Ok(resources) => EncoderSource::Later(resources.join("embedder"), FIRST_PICTURE),
            Err(_) => EncoderSource::Nowhere,
        },
    };
    let api = Api::open(options).map_err(|error| error.message)?;
    let window = app.handle().clone();
    // Where it cannot be listened, a signal ends the program as it always does.
    let _listening = on_end_signal(move || desktop::close_by_signal(&window));
    // It is there before the page is, and so before its first call.
    app.manage(api);
    desktop::open_window(app.handle(), &data_dir).map_err(|error| error.to_string())
}
