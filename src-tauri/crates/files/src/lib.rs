//! Files that the program writes and reads: replaced as a whole, never through a link, never in a protected place.
//!
//! - [`destination()`]: checks a path that the writer names for an export, and answers the [`Place`] that it stands for.
//! - [`Source`]: a file that the writer names for an import, of a size that is fixed when it is opened.
//! - [`Folder`]: a folder of ours, opened once; everything in it is reached folder by folder without following links.
//! - [`Place`], [`Replacement`]: one file in an open folder, read, replaced, renamed and removed through that folder.
//!
//! Invariant: a file is replaced as a whole or not at all, and nothing is left behind on failure.
//! Invariant: no operation follows a link below the folder it began in, also when a link is swapped in meanwhile: each step
//! is opened relative to the one before. Invariant: no operation waits for a pipe or a device.
//!
//! Every file of the writer's that any crate writes goes through this one, so that no writer can forget the check;
//! `tests/contract/files.rs` names the exceptions.

mod destination;
mod error;
mod folder;
mod place;
mod source;

pub use destination::{Protected, destination, is_chapter_name};
pub use error::{Error, Result};
pub use folder::{Entry, EntryKind, Folder};
pub use place::{Access, Durability, Existing, Place, Replacement};
pub use source::Source;
