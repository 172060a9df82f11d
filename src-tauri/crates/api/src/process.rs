//! Process handling for programs around the commands: an orderly end on a signal, and panic messages without text of
//! the writer's.

use std::{io, panic, thread};

/// Calls `close` once, on its own thread, when SIGTERM, SIGINT or SIGHUP arrives. A second signal ends the process at
/// once with 128 and the number of the signal.
///
/// Systems other than Unix end a program without a signal; there `close` is never called.
///
/// # Errors
/// When the system refuses a handler or a thread; a signal then ends the process as it always does.
#[cfg(unix)]
pub fn on_end_signal(close: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use std::sync::{Arc, atomic::AtomicBool};

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        flag,
        iterator::Signals,
    };
    const ALL: [i32; 3] = [SIGTERM, SIGINT, SIGHUP];
    let closing = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new(ALL)?;
    for signal in ALL {
        // In this order: the first signal finds the flag unset and sets it.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&closing))?;
        flag::register(signal, Arc::clone(&closing))?;
    }
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if signals.forever().next().is_some() {
            close();
        }
        // The handlers stay: they end the process when the next signal arrives.
    })?;
    Ok(())
}

/// The same function without signals to handle.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn on_end_signal(_close: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Replaces the panic message by one line for `print`: the thread, which is named after its work, and the location in
/// the source. The default message would contain the panic's payload, which may quote the writer.
pub fn print_panics_by(print: impl Fn(&str) + Send + Sync + 'static) {
    panic::set_hook(Box::new(move |panic| {
        let thread = thread::current();
        let name = thread.name().unwrap_or("a thread");
        let place = panic.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
        tracing::error!(thread = name, place = place.trim_start_matches(" at "), "broke off");
        print(&format!("{name} broke off{place}"));
    }));
}
