//! Reads and writes files: replaced as a whole, never through a link, never in a protected folder.
//!
//! - [`check_destination()`]: checks a path that the writer chooses for an export, and returns its [`FileLocation`].
//! - [`Source`]: a file that the writer chooses for an import; its size is fixed when it is opened.
//! - [`Folder`]: an open folder; everything below it is opened step by step without following links.
//! - [`FileLocation`], [`Replacement`]: one file in an open folder, read, replaced, renamed and removed through that
//!   folder.
//!
//! Invariant: a file is replaced as a whole or not at all, and no temporary file remains on failure. Invariant: no
//! operation follows a link below the folder it began in, also when a link is swapped in meanwhile: each step is opened
//! relative to the one before. Invariant: no operation waits for a pipe or a device.
//!
//! Every crate writes the writer's files through this one, so that no check can be forgotten; `tests/contract/files.rs`
//! lists the exceptions.

mod destination;
mod error;
mod folder;
mod location;
mod source;

pub use destination::{Protected, check_destination, is_chapter_name};
pub use error::{Error, Result};
pub use folder::{Entry, EntryKind, Folder};
pub use location::{Access, Durability, Existing, FileLocation, Replacement};
pub use source::Source;
