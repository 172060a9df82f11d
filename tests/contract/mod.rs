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

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Whether generated files are written (`npm run generate`); otherwise an outdated file is a failure.
fn generating() -> bool {
    std::env::var_os("PALIMPSEST_GENERATE").is_some()
}

/// Asserts that `findings` finds nothing in the files: it gets the path and the text of each.
#[track_caller]
fn assert_none_found(what: &str, files: Vec<PathBuf>, findings: impl Fn(&str, &str) -> Vec<String>) {
    let read = |file: PathBuf| findings(&file.to_string_lossy(), &fs::read_to_string(&file).unwrap());
    let found: Vec<String> = files.into_iter().flat_map(read).collect();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// The path of a file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
