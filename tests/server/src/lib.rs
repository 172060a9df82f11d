//! Fixtures for tests and benchmarks of the server: a PostgreSQL of their own, servers on it, and a client that
//! compares every answer with the description of the wire. Unix alone.
#![cfg(unix)]

pub mod cluster;
pub mod http;
pub mod process;

use std::{path::PathBuf, time::Duration};

pub use cluster::{Cluster, Database};
pub use http::{Client, Response};
pub use process::{Server, run_command};
pub use rustix::process::Signal;

/// Timeout of every wait, longer than anything takes on a busy machine. Reaching it is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// The path of a file of the repository.
#[must_use]
pub fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
