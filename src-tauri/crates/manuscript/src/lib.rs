//! Books on disk: a folder of Markdown chapters, read and saved without losing a byte that the writer did not change.
//!
//! - [`Book`]: the chapters with ids that stay, whatever the writer does to the files outside; atomic saves.
//! - [`origins`]: which ranges of a text came from which generation, found again after the text has changed.
//! - [`Snapshots`]: what a chapter's text was before something took its place.
//! - [`Unsaved`]: text that could not be saved, kept until it can be.
//! - [`Watch`]: changes made outside, told as they happen.
//!
//! Invariant: this crate knows no database, makes no ids of its own, logs nothing, and never follows a link out of a book.
//! Invariant: a file that cannot be understood is left as it is; a save replaces a file as a whole or not at all.

mod book;
mod disk;
mod emphasis;
mod error;
mod export;
mod folder;
mod identity;
mod import;
mod names;
pub mod origins;
mod snapshots;
mod text;
mod unsaved;
mod watch;

pub use book::{Book, Chapter, ChapterText, Opened, Refreshed};
pub use disk::{MAX_CHAPTER_BYTES, SkipReason, Skipped};
pub use error::{Error, Result};
pub use export::{ExportFormat, Exported, Outgoing};
pub use folder::{Supply, adopt_new_ids, book_id, language_of, set_aside_id_file};
pub use import::{Imported, MAX_IMPORT_BYTES, NewChapter, Unreadable, import, import_file};
pub use snapshots::{Draft, Snapshot, SnapshotReason, Snapshots, superfluous};
pub use unsaved::{Kept, KeptOrigin, Unsaved};
pub use watch::{Change, Watch};
