//! Books on disk: a folder of Markdown chapters, read and saved without changing a byte that the writer did not change.
//!
//! - [`Book`]: chapters with ids that survive changes to the files outside; atomic saves.
//! - [`origins`]: ranges of a text that came from a generation, found again after the text has changed.
//! - [`Snapshots`]: the text of a chapter before an insertion or a restore.
//! - [`RecoveryCopies`]: texts that could not be saved, stored until they can be.
//! - [`Watch`]: reports changes made outside.
//!
//! Invariant: this crate uses no database, generates no ids, logs nothing, and never follows a link out of a book.
//! Invariant: a file that cannot be parsed is not changed; a save replaces a file as a whole or not at all.

mod book;
mod chapter_files;
mod disk;
mod emphasis;
mod error;
mod export;
mod folder;
mod id;
mod identity;
mod import;
pub mod origins;
mod recovery;
mod snapshots;
pub mod split_point;
mod text;
mod watch;

pub use book::{
    Book, ChangeKind, Chapter, ChapterChange, ChapterText, DeletedChapter, LastImport, MovedMemories, Opened,
    PendingImport, PendingMemories, Refreshed,
};
pub use disk::{MAX_CHAPTER_BYTES, SkipReason, Skipped};
pub use error::{Error, Result};
pub use export::{BookExport, ExportFormat, Exported};
pub use folder::{OpenOptions, adopt_new_ids, book_id, detect_language, set_aside_id_file};
pub use id::ChapterId;
pub use import::{
    ImportOptions, Imported, MAX_IMPORT_BYTES, MisfitChoices, NewChapter, Section, SectionChoice, SectionKind,
    SectionUse, SplitPoint, Unreadable, import, import_file,
};
pub use recovery::{RecoveryCopies, RecoveryCopy, RecoveryOrigin};
pub use snapshots::{Snapshot, SnapshotDraft, SnapshotReason, Snapshots, expired_snapshots};
pub use text::content_hash;
pub use watch::{Change, Watch};
