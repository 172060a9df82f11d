//! The wire contract: generated files are up to date, and every command refuses invalid requests.

mod architecture;
mod discarded;
mod echoes;
mod files;
mod function_names;
mod migrations;
mod versions;
mod wire;
mod wire_pairs;
mod wording;

use std::path::{Path, PathBuf};

/// Whether generated files are written (`npm run generate`); otherwise an outdated file is a failure.
fn generating() -> bool {
    std::env::var_os("PALIMPSEST_GENERATE").is_some()
}

/// The path of a file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
