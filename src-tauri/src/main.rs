//! Palimpsest on the desktop. Everything is in the library, so that tests can reach it.

// No console window beside the real one on Windows.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    palimpsest_shell::run()
}
