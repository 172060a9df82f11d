//! A chapter's text on the wire: reading, saving, recovery copies and snapshots.

use palimpsest_memory::model::{ChapterId, GenerationId, OriginMark, ProjectId, Time};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::ChapterInfo;

arguments! {
    /// A chapter's new text.
    WriteChapter {
        project_id: ProjectId,
        chapter_id: ChapterId,
        /// The whole text, lines ended by LF.
        text: String,
        /// The content hash of the text that was read; refused if the file has another one now.
        base_hash: String,
        /// The passages that generations wrote, in the order of the text.
        origins: Vec<OriginAt>,
        /// Earlier texts of the chapter, in order, to be stored as snapshots before the chapter is replaced. A snapshot
        /// that cannot be stored does not prevent the save; the answer reports it.
        #[specta(optional)]
        before: Option<Vec<EarlierText>>,
        /// The recovery copy of this text, discarded after the save.
        #[specta(optional)]
        kept_id: Option<String>,
    }
    /// A passage that a generation wrote. Offsets are UTF-16 code units, end exclusive.
    OriginAt {
        generation_id: GenerationId,
        /// Start of the range.
        from: u32,
        /// End of the range.
        to: u32,
    }
    /// An earlier text of a chapter.
    EarlierText {
        /// The whole text, lines ended by LF.
        text: String,
        /// The reason for the snapshot.
        reason: EarlierReason,
        /// The generation that was inserted afterwards.
        #[specta(optional)]
        generation_id: Option<GenerationId>,
    }
    /// One snapshot of a chapter.
    SnapshotArguments {
        project_id: ProjectId,
        chapter_id: ChapterId,
        snapshot_id: String,
    }
    /// A text that cannot be saved now.
    StoreRecoveryCopy {
        project_id: ProjectId,
        chapter_id: ChapterId,
        /// The whole text, lines ended by LF.
        text: String,
        /// The content hash of the text that it was based on.
        base_hash: String,
        /// The passages in it that generations wrote.
        #[specta(optional)]
        origins: Option<Vec<MarkedPassage>>,
        /// The earlier recovery copy to replace.
        #[specta(optional)]
        kept_id: Option<String>,
    }
    /// A passage that a generation wrote, in a text that is not saved. Offsets are UTF-16 code units, end exclusive.
    MarkedPassage {
        generation_id: GenerationId,
        skill: String,
        /// Start of the range.
        from: u32,
        /// End of the range.
        to: u32,
    }
    DiscardRecoveryCopy {
        project_id: ProjectId,
        chapter_id: ChapterId,
        /// The recovery copy.
        kept_id: String,
    }
    /// A chapter to be split in two.
    SplitChapter {
        project_id: ProjectId,
        chapter_id: ChapterId,
        /// The start of the second part, in UTF-16 code units of the text.
        offset: u32,
        /// The content hash of the text that was read; refused if the file has another one now.
        base_hash: String,
        /// The title of the second part, 1 to 200 characters. Without one, the heading at the offset is its title.
        #[specta(optional)]
        title: Option<String>,
    }
    /// A chapter to be merged with the next one.
    MergeChapters {
        project_id: ProjectId,
        chapter_id: ChapterId,
        /// The next chapter; refused if another one follows.
        next_id: ChapterId,
    }
    /// The last split or merge.
    UndoChapterChange {
        project_id: ProjectId,
        change_id: String,
    }
    RestoreDeletedChapter {
        project_id: ProjectId,
        deleted_id: String,
    }
}

/// The reason for a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) enum EarlierReason {
    /// Before a generation was inserted.
    BeforeInsertion,
    /// Before an earlier text was restored.
    BeforeRestore,
    /// In a conflict of two texts the writer chose the other one.
    SetAside,
}

answers! {
    /// A chapter to edit.
    ChapterText {
        chapter_id: ChapterId,
        title: String,
        /// The whole text, lines ended by LF.
        text: String,
        /// The content hash to send with the next write.
        content_hash: String,
        /// The line ends inside wrapped paragraphs, in order: an editor shows them as a space or as nothing.
        soft_breaks: Vec<SoftBreakAt>,
        /// The passages that generations wrote.
        origins: Vec<OriginMark>,
        /// Passages whose words no longer occur, or occur more than once.
        unanchored: Vec<OriginMark>,
        /// Recovery copies, newest first: of this chapter, and of chapters of the book whose files are missing, which
        /// have no other place to be shown.
        kept: Vec<RecoveryCopyText>,
    }
    /// A line end inside a wrapped paragraph. Offsets are UTF-16 code units, end exclusive.
    SoftBreakAt {
        /// End of the words of a line.
        from: u32,
        /// Start of the words of the next line.
        to: u32,
        /// `true`: the line end is read as a space; `false`: as nothing.
        is_spaced: bool,
    }
    RecoveryCopyText {
        kept_id: String,
        chapter_id: ChapterId,
        /// When it was stored.
        at: Time,
        /// The content hash of the text that it was based on; differs from the chapter's if the file has changed since.
        base_hash: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// The whole text, lines ended by LF.
        text: String,
        /// The passages in it that generations wrote, as reported by its editor.
        origins: Vec<MarkedPassage>,
    }
    StoredRecoveryCopy {
        kept_id: String,
        /// When it was stored.
        at: Time,
    }
    DiscardedRecoveryCopy {
        /// Whether the copy existed.
        #[serde(rename = "letGo")]
        is_discarded: bool,
    }
    /// A snapshot of a chapter.
    SnapshotInfo {
        snapshot_id: String,
        /// When it was last the text of the chapter.
        taken_at: Time,
        /// The reason for the snapshot.
        reason: EarlierReason,
        /// The generation that was inserted afterwards.
        generation_id: Option<GenerationId>,
        /// Han characters and words of other scripts.
        words: u32,
    }
    /// The snapshots of a chapter.
    SnapshotList {
        /// Newest first.
        snapshots: Vec<SnapshotInfo>,
    }
    /// A snapshot with its text.
    SnapshotText {
        snapshot_id: String,
        /// The whole text, lines ended by LF.
        text: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// The passages in it that generations wrote, as far as the memory still knows them.
        origins: Vec<OriginMark>,
    }
    /// A chapter that was deleted and can be restored.
    DeletedChapterInfo {
        deleted_id: String,
        /// The id that it has again once it is restored.
        chapter_id: ChapterId,
        title: String,
        /// Han characters and words of other scripts.
        words: u32,
        deleted_at: Time,
    }
    DeletedChapterList {
        /// The last one first.
        deleted: Vec<DeletedChapterInfo>,
    }
    /// The outcome of a deletion.
    DeletedChapter {
        /// For its restoration.
        deleted_id: String,
        /// The remaining chapters.
        chapters: Vec<ChapterInfo>,
    }
    /// The outcome of a split or merge, or of the undo of one.
    ChangedChapters {
        /// For its undo.
        change_id: String,
        /// The chapter that was split or merged with the next one.
        chapter_id: ChapterId,
        /// The second chapter: it exists after a split and after the undo of a merge.
        second_id: ChapterId,
        /// All chapters now.
        chapters: Vec<ChapterInfo>,
        /// Whether the memories of the passages were moved; if `false`, they are moved once the memory can be written.
        memories_moved: bool,
    }
    /// The outcome of a write.
    Written {
        /// The content hash to send with the next write.
        content_hash: String,
        /// Han characters and words of other scripts.
        words: u32,
        /// Whether the marks were saved too; if not, they are found again by their words.
        origins_saved: bool,
        /// Whether all requested snapshots were stored.
        snapshots_saved: bool,
    }
}
