//! The wire: what is generated is fresh, and every command refuses what it must.

mod architecture;
mod files;
mod migrations;
mod versions;
mod wire;
mod wording;

use std::path::{Path, PathBuf};

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
