//! The wire contract: generated files are up to date, and every command refuses invalid requests.

mod architecture;
mod discarded;
mod files;
mod migrations;
mod versions;
mod wire;
mod wording;

use std::path::{Path, PathBuf};

/// The path of a file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
